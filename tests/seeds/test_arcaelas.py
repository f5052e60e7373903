"""Arcaelas' documentation of its messages, example by example, as lines of agentmsg."""

from __future__ import annotations

import datetime as dt
import json
import re
from typing import Any

import pytest

import agentmsg as am
from support.checked import sent_and_back

ANY: Any = am  # to pass what a type checker would refuse
WEATHER = {"temperature": 24, "condition": "sunny"}
CONVERSATION = am.History.of(
    {"role": "system", "content": "You are a helpful customer service assistant"},
    {"role": "user", "content": "I need help with my order"},
    {"role": "assistant", "content": "I'd be happy to help! What's your order number?"},
    {"role": "user", "content": "Order #12345"},
)


def test_arcaelas_four_roles() -> None:
    """A message of each role has its role and text; roles have names, too."""
    assert (am.Msg.user("What's the weather like today?").role, am.Role.USER) == ("user", "user")
    assert am.Msg.assistant("It's sunny.").text == "It's sunny."
    assert am.Msg.system("You are a helpful weather assistant.").is_system
    tool = am.Msg.tool(json.dumps(WEATHER), tool_call_id="weather_query_12345")
    assert (tool.role, tool.tool_call_id, json.loads(tool.text)) == ("tool", "weather_query_12345", WEATHER)


def test_arcaelas_options_as_mappings() -> None:
    """The options of a message may be a mapping; ``tool_id`` is ``tool_call_id`` here."""
    assert [message.role for message in CONVERSATION] == ["system", "user", "assistant", "user"]
    assert CONVERSATION[-1].text == "Order #12345"
    tool = am.History.of({"role": "tool", "content": "Data", "tool_call_id": "calc_123"})[0]
    assert tool == am.Msg.tool("Data", tool_call_id="calc_123", id=tool.id, created_at=tool.created_at)
    with pytest.raises(am.InvalidMessage, match="tool_id"):
        am.History.of({"role": "tool", "content": "Data", "tool_id": "calc_123"})


def test_arcaelas_tool_id_is_only_defined_for_tools() -> None:
    """``tool_call_id`` is None for messages without result."""
    assert am.Msg.tool("Result data", tool_call_id="calculation_001").tool_call_id == "calculation_001"
    assert am.Msg.user("Hi").tool_call_id is None


def test_arcaelas_automatic_timestamp() -> None:
    """A new message gets the present time, in UTC and milliseconds."""
    before = dt.datetime.now(dt.UTC)
    time = am.Msg.user("Hello").created_at
    assert time is not None
    assert before - dt.timedelta(milliseconds=1) < time <= dt.datetime.now(dt.UTC)
    assert (time.tzinfo, time.microsecond % 1000) == (dt.UTC, 0)


def test_arcaelas_content_is_read_only() -> None:
    """Neither role nor content of a message can be set."""
    message: Any = am.Msg.user("Hello")
    for field in ("role", "content", "created_at"):
        with pytest.raises(AttributeError):
            setattr(message, field, None)


def test_arcaelas_length() -> None:
    """``length`` counts the characters of the text: an emoji is one in Python, two in JavaScript."""
    assert am.Msg.user("Hello world").length == 11
    assert am.Msg.user("👋").length == 1
    assert am.Msg("user", [am.ImageBlock.from_url("https://example.com/a.png")]).length == 0


LONG = "This is a very long message that will be truncated when displayed as a string representation"


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        (am.Msg.user("What's the weather?"), "Msg(user): What's the weather?"),
        (am.Msg.tool("Result data here", tool_call_id="weather_001"), "Msg(tool) [weather_001]: Result data here"),
        (am.Msg.assistant(LONG), "Msg(assistant): This is a very long message that will be trunca..."),
        (am.Msg.user("x" * 50), "Msg(user): " + "x" * 50),
        (am.Msg.user("x" * 51), "Msg(user): " + "x" * 47 + "..."),
    ],
)
def test_arcaelas_to_string(message: am.Msg, shown: str) -> None:
    """``str`` shows role, tool id and text, cut after 50 characters."""
    assert str(message) == shown


def test_arcaelas_tool_results() -> None:
    """A result between question and answer is JSON text with the id of its call."""
    found = [{"id": 1, "name": "John Smith"}, {"id": 2, "name": "John Doe"}]
    history = am.History.of(
        "Search for customers named John",
        am.Msg.assistant(tool_calls=[{"id": "search_customers_001", "name": "search", "args": {"name": "John"}}]),
        am.Msg.tool(json.dumps(found), tool_call_id="search_customers_001"),
        am.Msg.assistant("I found 2 customers named John..."),
    )
    assert json.loads(history[2].text)[1]["name"] == "John Doe"
    assert history[2].tool_call_id == history[1].tool_calls[0].id


def test_arcaelas_filter_by_role() -> None:
    """Messages of a role are selected by name, and come in order."""
    assert [m.text for m in CONVERSATION.filter(role="user")] == ["I need help with my order", "Order #12345"]
    assert list(CONVERSATION.filter(role="tool")) == [m for m in CONVERSATION if m.is_tool] == []
    assert CONVERSATION.filter(role="assistant")[0] is CONVERSATION[2]
    assert (CONVERSATION.first(role="human"), CONVERSATION.last(role="ai")) == (CONVERSATION[1], CONVERSATION[2])


def test_arcaelas_turns_of_a_conversation() -> None:
    """A conversation has turns, each a user's message with everything after it."""
    turns = [(turn.user and turn.user.text, len(turn.messages)) for turn in CONVERSATION.turns()]
    assert turns == [(None, 1), ("I need help with my order", 2), ("Order #12345", 1)]


def test_arcaelas_counts_by_role() -> None:
    """``stats().by_role`` counts the messages of each role."""
    assert CONVERSATION.stats().by_role == {"system": 1, "user": 2, "assistant": 1}


def test_arcaelas_conversation_analysis() -> None:
    """``stats()`` is the documentation's analyzeConversation, also for an empty conversation."""
    start = dt.datetime(2025, 10, 12, 10, 30, 45, 123000, tzinfo=dt.UTC)
    history = am.History(m.evolve(created_at=start + dt.timedelta(seconds=i)) for i, m in enumerate(CONVERSATION))
    stats = history.extended(am.Msg.tool("{}", tool_call_id="c1", created_at=None)).stats()
    assert (stats.messages, stats.length, stats.average_length) == (5, 130, 26.0)
    assert stats.last_user_message is history[3]
    assert (stats.tool_executions, stats.duration) == (1, dt.timedelta(seconds=3))
    assert (am.History().stats().average_length, am.History().stats().duration) == (0.0, None)


def test_arcaelas_duration_of_naive_and_aware_times() -> None:
    """If naive and aware times mix, the duration is None, and nothing is raised."""
    naive = am.Msg.user("x", created_at=dt.datetime(2025, 10, 12, 10, 30))
    assert am.History.of(naive, "now").stats().duration is None


@pytest.mark.parametrize(
    ("options", "missing"),
    [
        ({"role": "tool", "content": "Data"}, "tool_call_id"),
        ({"role": "tool", "content": "Data", "tool_call_id": ""}, "tool_call_id"),
        ({"role": "user", "content": ""}, "text"),
        ({"content": "Hello"}, "role"),
        ({}, "role"),
        ({"role": "", "content": "", "tool_call_id": ""}, "role"),
        ({"role": "tool", "content": "", "tool_call_id": ""}, "text"),
    ],
)
def test_arcaelas_validation(options: dict[str, str], missing: str) -> None:
    """Role, text and a tool's id are required, and checked in this order."""
    with pytest.raises(am.InvalidMessage) as caught:
        am.History.of(options)
    assert (caught.value.code, caught.value.path) == ("required", ("messages", 0, missing))


def test_arcaelas_validation_of_factories() -> None:
    """The factories check the same, in the same order; the error is a ValueError."""
    with pytest.raises(ValueError, match="id of its call"):
        am.Msg.tool("Data", tool_call_id="")
    with pytest.raises(am.InvalidMessage, match="text"):
        am.Msg.tool("", tool_call_id="")
    with pytest.raises(TypeError):
        ANY.Msg.tool("Data")
    with pytest.raises(TypeError):
        ANY.Msg(content="Hello")


def test_arcaelas_type_narrowing() -> None:
    """A pattern matches tool messages and binds the id."""

    def link(message: am.Msg) -> str | None:
        match message:
            case am.Msg(role="tool", tool_call_id=str(id)):
                return id
            case _:
                return None

    assert link(am.Msg.tool("data", tool_call_id="required")) == "required"
    assert link(CONVERSATION[1]) is None


# -- on the wire ---------------------------------------------------------------------------------------------

TIME = dt.datetime(2025, 10, 12, 10, 30, 45, 123000, tzinfo=dt.UTC)
STAMP = "2025-10-12T10:30:45.123Z"
TO_JSON: dict[str, tuple[am.Msg, dict[str, str]]] = {
    "assistant": (
        am.Msg.assistant("Hello there!", created_at=TIME),
        {"role": "assistant", "content": "Hello there!", "timestamp": STAMP},
    ),
    # The documentation shows the id before the timestamp, and calls it tool_id; its library does neither today.
    "tool": (
        am.Msg.tool("Data", tool_call_id="calc_123", created_at=TIME),
        {"role": "tool", "content": "Data", "timestamp": STAMP, "tool_call_id": "calc_123"},
    ),
    "no time": (am.Msg.user("Hi", created_at=None), {"role": "user", "content": "Hi"}),
}


@pytest.mark.parametrize("name", list(TO_JSON))
def test_arcaelas_to_json(name: str) -> None:
    """``encode("arcaelas")`` writes the result of ``toJSON``, keys in its order, and decoding keeps the time."""
    message, document = TO_JSON[name]
    again = sent_and_back(message, document, codec="arcaelas")
    assert again.created_at == message.created_at


def test_arcaelas_to_json_of_new_messages() -> None:
    """The time of a new message is written as in JavaScript: UTC with three decimals and a Z."""
    document = am.Msg.user("Hello").encode("arcaelas")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", document["timestamp"])


def test_arcaelas_tool_id_of_the_documentation() -> None:
    """The older ``tool_id`` is read, and a history with it keeps it for new results."""
    document = [{"role": "tool", "content": "Data", "tool_id": "calc_123", "timestamp": STAMP}]
    history = am.decode(document, "arcaelas")
    assert history[0].tool_call_id == "calc_123"
    assert am.encode(history, "arcaelas") == document
    longer = am.encode(history.extended(TO_JSON["tool"][0]), "arcaelas")
    assert [message["tool_id"] for message in longer] == ["calc_123", "calc_123"]
