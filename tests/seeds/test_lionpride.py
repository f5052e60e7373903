"""lionpride's documentation of its messages, example by example, as lines of agentmsg."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

import agentmsg as am


def test_lionpride_clone() -> None:
    """A clone has a new id, may have another sender, and names its origin in its metadata."""
    original = am.Msg.user("Hello", name="user", recipient="branch_b", metadata={"k": 1})
    cloned = original.clone(name="agent_1")
    assert cloned.metadata["clone_from"] == original.id
    assert original.created_at is not None
    assert cloned.metadata["original_created_at"] == original.created_at.isoformat()
    assert (cloned.sender, cloned.recipient, cloned.metadata["k"]) == ("agent_1", "branch_b", 1)
    assert cloned.id != original.id
    assert original.metadata == {"k": 1}


def test_lionpride_clone_of_a_clone() -> None:
    """It points to its parent, and keeps the sender unless another is given."""
    first = am.Msg.user("Hello", name="user").clone()
    second = first.clone()
    assert (second.metadata["clone_from"], second.name) == (first.id, "user")


def test_lionpride_sender_and_recipient() -> None:
    """Sender and recipient are strings or None; ``sender`` is another name of ``name``."""
    message = am.Msg.assistant("Done.", name="agent_1", recipient="user")
    assert (message.sender, message.name, message.recipient) == ("agent_1", "agent_1", "user")
    assert (am.Msg.user("Hi").sender, am.Msg.user("Hi").recipient) == (None, None)


def test_lionpride_to_chat() -> None:
    """Plain role and content, message by message."""
    assert am.Msg.assistant("Paris.").to_chat() == {"role": "assistant", "content": "Paris."}
    history = am.History.of(am.Msg.system("You are a coding assistant."), "How do I read a file in Python?")
    assert [message.to_chat() for message in history] == [
        {"role": "system", "content": "You are a coding assistant."},
        {"role": "user", "content": "How do I read a file in Python?"},
    ]


def test_lionpride_derived_role() -> None:
    """``Msg.of`` derives the role from its blocks."""
    assert am.Msg.of(am.TextBlock("Hello")).role == "user"
    assert am.Msg.of(am.ToolUseBlock("c1", "search", {"query": "docs"})).role == "assistant"
    assert am.Msg.of(am.ToolResultBlock("c1", structured=["a", "b"])).role == "tool"


def test_lionpride_tool_call_workflow() -> None:
    """The result of a call holds any JSON, the id of the call, and ``ok`` for success."""
    request = am.Msg.of(am.ToolUseBlock("req_123", "search", {"query": "docs"}))
    response = am.Msg.of(am.ToolResultBlock(request.tool_calls[0].id, structured=["a", "b"]))
    failed = am.Msg.of(am.ToolResultBlock("req_123", error="no such index"))
    assert (response.tool_call_id, response.tool_results[0].structured) == ("req_123", ["a", "b"])
    assert (response.ok, failed.ok, failed.error) == (True, False, "no such index")


def test_lionpride_embedding() -> None:
    """An embedding is finite floats, none by default."""
    assert am.Msg.user("Hi").embedding is None
    assert am.Msg.user("Hi", embedding=[0.5, -1.0]).embedding == (0.5, -1.0)
    with pytest.raises(am.InvalidMessage):
        am.Msg.user("Hi", embedding=[float("nan")])


def test_lionpride_multimodal_message() -> None:
    """An image has its detail; the text comes before it."""
    image = am.ImageBlock(am.URLSource("https://example.com/image.jpg"), detail="high")
    message = am.Msg("user", [am.TextBlock("Describe this image"), image])
    assert (message.text, message.blocks(am.ImageBlock)[0].detail) == ("Describe this image", "high")


def test_lionpride_serialization_roundtrip() -> None:
    """A message comes back the same from its dict and its JSON text: equality is by value here, not only by id."""
    message = am.Msg.user("Analyze this", name="user", embedding=[0.5])
    assert am.Msg.from_json(message.to_json()) == message
    assert am.Msg.from_dict(message.to_dict()) == message
    assert message.evolve(content="Other") != message


def test_lionpride_structured_request() -> None:
    """Structured data is stored as data; the reader names the class to read it into."""
    message = am.Msg.assistant("{}", structured={"query": "docs"})
    assert message.get_structured_data(dict[str, str]) == {"query": "docs"}


# -- on the wire ---------------------------------------------------------------------------------------------

IMAGES = ["https://example.com/image.jpg"]
ROLES: dict[str, tuple[dict[str, Any], str]] = {
    "instruction": ({"instruction": "Hello"}, "user"),
    "context": ({"context": ["earlier"]}, "user"),
    "request_model": ({"request_model": "Analysis"}, "user"),
    "tool_schemas": ({"tool_schemas": ["search(query)"]}, "user"),
    "images": ({"images": IMAGES}, "user"),
    "assistant_response": ({"assistant_response": "Here's my analysis..."}, "assistant"),
    "function and arguments": ({"function": "search", "arguments": {"query": "docs"}}, "assistant"),
    "arguments": ({"arguments": {}}, "assistant"),
    "result": ({"result": ["a", "b"], "request_id": "req_123"}, "tool"),
    "error": ({"error": "no index"}, "tool"),
    "system_message": ({"system_message": "You are helpful."}, "system"),
    "system_datetime": ({"system_datetime": True}, "system"),
    # Presence counts, even of empty values; of keys of several kinds, the first of these decides.
    "an empty answer": ({"assistant_response": ""}, "assistant"),
    "a result that is null": ({"result": None}, "tool"),
    "an instruction before an answer": ({"assistant_response": "x", "context": []}, "user"),
    "an answer before a result": ({"result": 1, "assistant_response": "x"}, "assistant"),
    "a result before a call": ({"function": "f", "arguments": {}, "result": 1}, "tool"),
    "a call before a system message": ({"system_message": "x", "function": "f"}, "assistant"),
    # Keys that decide nothing.
    "nothing": ({}, "user"),
    "request_id": ({"request_id": "req_123"}, "user"),
    "image_detail": ({"image_detail": "low"}, "user"),
}


@pytest.mark.parametrize("name", list(ROLES))
def test_lionpride_role_from_content(name: str) -> None:
    """The keys of content decide the role, in the order in which lionpride itself checks them."""
    content, role = ROLES[name]
    message = am.Msg.decode({"content": content}, "lionpride")
    assert message.role == role
    assert message.encode("lionpride") == {"content": content}


def test_lionpride_system_datetime() -> None:
    """The request for the present time is beside the message, as data."""
    content = {"system_message": "You are helpful.", "system_datetime": True}
    message = am.Msg.decode({"content": content}, "lionpride")
    (wish,) = message.blocks(am.DataBlock)
    assert (message.text, wish.name, wish.data) == ("You are helpful.", "system_datetime", True)


def test_lionpride_instruction_with_everything() -> None:
    """Instruction, context, tools and images are blocks, each image with the detail."""
    content = {
        "instruction": "Describe this image",
        "context": ["earlier", {"k": 1}],
        "tool_schemas": ["search(query)"],
        "images": IMAGES,
        "image_detail": "high",
    }
    message = am.Msg.decode({"content": content}, "lionpride")
    image = message.blocks(am.ImageBlock)[0]
    assert (message.text, image.source, image.detail) == ("Describe this image", am.URLSource(IMAGES[0]), "high")
    assert {block.name: block.data for block in message.blocks(am.DataBlock)} == {
        "context": ["earlier", {"k": 1}], "tool_schemas": ["search(query)"],
    }  # fmt: skip
    assert message.encode("lionpride") == {"content": content}


def test_lionpride_call_and_response() -> None:
    """A call is a message whose id links the response; success is ``ok``."""
    link = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    history = am.decode(
        [
            {"id": link, "content": {"function": "search", "arguments": {"query": "docs"}}},
            {"content": {"result": ["a", "b"], "request_id": link}},
            {"content": {"error": "no index", "request_id": link}},
        ],
        "lionpride",
    )
    assert (history[0].tool_calls[0].id, history[0].tool_calls[0].input) == (link, {"query": "docs"})
    assert [message.tool_call_id for message in history[1:]] == [link, link]
    assert (history[1].tool_results[0].structured, history[1].ok) == (["a", "b"], True)
    assert (history[2].error, history[2].ok) == ("no index", False)


@pytest.mark.parametrize(
    ("created_at", "time"),
    [
        ("2026-01-15T10:30:00+00:00", dt.datetime(2026, 1, 15, 10, 30, tzinfo=dt.UTC)),
        ("2026-01-15T10:30:00Z", dt.datetime(2026, 1, 15, 10, 30, tzinfo=dt.UTC)),
        ("2026-01-15T10:30:00", dt.datetime(2026, 1, 15, 10, 30)),
        (1768473000, dt.datetime(2026, 1, 15, 10, 30, tzinfo=dt.UTC)),
        (1768473000.5, dt.datetime(2026, 1, 15, 10, 30, 0, 500000, tzinfo=dt.UTC)),
        ("1768473000", dt.datetime(2026, 1, 15, 10, 30, tzinfo=dt.UTC)),
    ],
)
def test_lionpride_created_at(created_at: Any, time: dt.datetime) -> None:
    """A time is ISO text, with or without zone, or seconds since 1970 as number or text; it comes back unchanged."""
    document = {"created_at": created_at, "content": {"instruction": "Hello"}}
    message = am.Msg.decode(document, "lionpride")
    assert (message.created_at, message.created_at and message.created_at.tzinfo) == (time, time.tzinfo)
    assert message.encode("lionpride") == document


def test_lionpride_created_at_of_new_messages() -> None:
    """The constructor takes only a datetime: a text or number would need guessing."""
    time = dt.datetime(2026, 1, 15, 10, 30, tzinfo=dt.UTC)
    message = am.Msg.user("Hello", created_at=time)
    assert message.encode("lionpride")["created_at"] == "2026-01-15T10:30:00+00:00"
    with pytest.raises(am.InvalidMessage):
        am.Msg.user("Hello", created_at=1768473000)  # type: ignore[arg-type]


def test_lionpride_node_fields() -> None:
    """Sender, recipient, embedding, lineage and id belong to the message, both ways."""
    original = am.Msg.user("Hello", name="user", recipient="branch_a", embedding=[0.5], id=None, created_at=None)
    cloned = original.with_id("7c9e6679-7425-40de-944b-e07fc1f90ae7").clone(name="agent_1").with_id(None)
    losses: list[am.Loss] = []
    document = cloned.encode("lionpride", losses=losses)
    assert losses == []
    assert document["content"] == {"instruction": "Hello"}
    assert (document["sender"], document["recipient"], document["embedding"]) == ("agent_1", "branch_a", [0.5])
    assert document["metadata"]["clone_from"] == "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    again = am.Msg.decode(document, "lionpride")
    assert (again.sender, again.recipient, again.embedding) == ("agent_1", "branch_a", (0.5,))
    assert again.metadata == cloned.metadata


def test_lionpride_to_chat_of_a_read_message() -> None:
    """``to_chat`` is the plain text: lionpride's own puts an instruction under a heading, as a prompt."""
    message = am.Msg.decode({"content": {"instruction": "What is the capital of France?"}}, "lionpride")
    assert message.to_chat() == {"role": "user", "content": "What is the capital of France?"}
