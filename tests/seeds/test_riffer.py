"""Riffer's documentation of its messages, example by example, as lines of agentmsg."""

from __future__ import annotations

from typing import Any

import pytest

import agentmsg as am
from support.checked import sent_and_back

TOKYO = '{"city":"Tokyo"}'
CALL = {"id": "item_123", "call_id": "call_456", "name": "weather_tool", "arguments": TOKYO}


def test_riffer_system_and_user() -> None:
    """Role and content of text messages, also as a dict."""
    system, user = am.Msg.system("You are a helpful assistant."), am.Msg.user("Hello, how are you?")
    assert (system.role, system.text) == ("system", "You are a helpful assistant.")
    assert (user.role, user.text) == ("user", "Hello, how are you?")
    assert system.to_chat() == {"role": "system", "content": "You are a helpful assistant."}
    assert user.to_chat() == {"role": "user", "content": "Hello, how are you?"}


def test_riffer_assistant_of_text() -> None:
    """An answer with only text has no tool calls."""
    message = am.Msg.assistant("I'm doing well, thank you!")
    assert (message.role, message.text, message.tool_calls) == ("assistant", "I'm doing well, thank you!", ())


def test_riffer_assistant_with_tool_calls() -> None:
    """An answer may be calls without text; the text of the arguments stays unchanged, and is parsed too."""
    message = am.Msg.assistant(
        "", tool_calls=[{"id": "call_123", "call_id": "call_123", "name": "weather_tool", "arguments": TOKYO}]
    )
    (call,) = message.tool_calls
    assert (message.text, call.id, call.name) == ("", "call_123", "weather_tool")
    assert (call.raw_input, call.input) == (TOKYO, {"city": "Tokyo"})


def test_riffer_tool() -> None:
    """The result of a tool has the id of its call and the tool's name, and no error unless one is given."""
    message = am.Msg.tool("The weather in Tokyo is 22C and sunny.", tool_call_id="call_123", name="weather_tool")
    assert (message.role, message.text) == ("tool", "The weather in Tokyo is 22C and sunny.")
    assert (message.tool_call_id, message.tool_results[0].name) == ("call_123", "weather_tool")
    assert message.name is None, "the sender: the tool's name belongs to the result"
    assert (message.is_error, message.error, message.error_type) == (False, None, None)


def test_riffer_tool_error() -> None:
    """A result may be an error with a type; ``error?`` is ``is_error``."""
    limit = "API rate limit exceeded"
    message = am.Msg.tool(
        limit, tool_call_id="call_123", name="weather_tool", error=limit, error_type="execution_error"
    )
    assert (message.is_error, message.ok) == (True, False)
    assert (message.error, message.error_type) == (limit, "execution_error")


def test_riffer_string_prompt() -> None:
    """A string is a user message."""
    (message,) = am.History.of("Hello!")
    assert (message.role, message.text) == ("user", "Hello!")


def test_riffer_message_arrays() -> None:
    """Dicts become messages of their roles."""
    history = am.History.of(
        {"role": "user", "content": "What's the weather?"},
        {"role": "assistant", "content": "I'll check that for you."},
        {"role": "user", "content": "Thanks, I meant in Tokyo specifically."},
    )
    assert [message.role for message in history] == ["user", "assistant", "user"]
    assert history[-1].text == "Thanks, I meant in Tokyo specifically."


def test_riffer_mixed_input() -> None:
    """Strings, dicts and messages mix, and messages stay the same objects."""
    answer = am.Msg.assistant("Hi there!")
    history = am.History.of("Hello", answer, {"role": "user", "content": "How are you?"})
    assert history[1] is answer
    assert [message.text for message in history] == ["Hello", "Hi there!", "How are you?"]


@pytest.mark.parametrize(
    ("item", "code"), [({"content": "x"}, "required"), ({"role": ""}, "required"), (5, "type"), ([], "type")]
)
def test_riffer_wrong_input(item: am.Msg, code: str) -> None:
    """An item that makes no message raises a typed error with its index."""
    with pytest.raises(am.InvalidMessage) as caught:
        am.History.of("fine", item)
    assert (caught.value.code, caught.value.path[:2]) == (code, ("messages", 1))


def test_riffer_message_history() -> None:
    """The conversation can be read at any time."""
    recorder = am.Recorder([am.Msg.system("You are a helpful assistant.")])
    recorder.add("Hello!", am.Msg.assistant("Hi there! How can I help you today?"))
    assert [f"[{message.role}] {message.text}" for message in recorder.history] == [
        "[system] You are a helpful assistant.",
        "[user] Hello!",
        "[assistant] Hi there! How can I help you today?",
    ]


def test_riffer_tool_call_structure() -> None:
    """A call has two ids: ``call_id`` links it with its result, as in Riffer today, and ``id`` is the ``item_id``."""
    (call,) = am.Msg.assistant(tool_calls=[CALL]).tool_calls
    assert (call.id, call.item_id) == ("call_456", "item_123")
    recorder = am.Recorder().add("Weather?", am.Msg.assistant(tool_calls=[CALL]))
    assert recorder.pending_tool_calls == (call,)
    assert recorder.add(am.Msg.tool("22C", tool_call_id="call_456")).pending_tool_calls == ()


def test_riffer_message_emission() -> None:
    """``on_message`` is called for the agent's own messages, assistant and tool, not for inputs."""
    heard: list[str] = []
    recorder = am.Recorder(on_message=lambda message: heard.append(message.role))
    recorder.add(am.Msg.system("Be brief."), "Weather?", am.Msg.assistant(tool_calls=[CALL]))
    recorder.add(am.Msg.tool("22C", tool_call_id="call_456")).add(am.Msg.assistant("22 degrees."))
    assert heard == ["assistant", "tool", "assistant"]
    assert len(recorder.history) == 5


# -- on the wire ---------------------------------------------------------------------------------------------

CALLS = am.Msg.assistant("", tool_calls=[CALL])
FAILED = am.Msg.tool("Slow", tool_call_id="call_456", name="weather_tool", error="Slow", error_type="timeout_error")
TO_H: dict[str, tuple[am.Msg, dict[str, Any]]] = {
    "system": (am.Msg.system("Be brief."), {"role": "system", "content": "Be brief."}),
    "user": (am.Msg.user("Hello"), {"role": "user", "content": "Hello"}),
    "assistant": (am.Msg.assistant("Hi there!"), {"role": "assistant", "content": "Hi there!"}),
    "assistant with tool calls": (CALLS, {"role": "assistant", "content": "", "tool_calls": [CALL]}),
    "tool": (
        am.Msg.tool("22C", tool_call_id="call_456", name="weather_tool"),
        {"role": "tool", "content": "22C", "tool_call_id": "call_456", "name": "weather_tool"},
    ),
    "tool error": (
        FAILED,
        {
            "role": "tool",
            "content": "Slow",
            "tool_call_id": "call_456",
            "name": "weather_tool",
            "error": "Slow",
            "error_type": "timeout_error",
        },
    ),
}


@pytest.mark.parametrize("name", list(TO_H))
def test_riffer_dict_form(name: str) -> None:
    """``encode("riffer")`` writes the result of ``to_h``, keys in its order, and decoding returns the same content."""
    message, document = TO_H[name]
    sent_and_back(message, document, codec="riffer")


def test_riffer_links_by_either_id() -> None:
    """The documentation links results by ``id``, Riffer today by ``call_id``: both are read, and each is kept."""
    calls = {"role": "assistant", "content": "", "tool_calls": [CALL]}
    for link in ("item_123", "call_456"):
        document = [calls, {"role": "tool", "content": "22C", "tool_call_id": link, "name": "weather_tool"}]
        history = am.decode(document, "riffer")
        assert history[1].tool_call_id == history[0].tool_calls[0].id == "call_456"
        assert am.encode(history, "riffer") == document


@pytest.mark.parametrize(("version", "link"), [("0.9", "item_123"), ("latest", "call_456")])
def test_riffer_version_to_write(version: str, link: str) -> None:
    """An option chooses the version of Riffer for a new history."""
    assert am.encode([CALLS, FAILED], am.get_codec("riffer", version=version))[1]["tool_call_id"] == link
