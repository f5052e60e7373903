"""AgentScope's documentation of its messages, example by example, as lines of agentmsg."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import attrs
import pytest

import agentmsg as am

if TYPE_CHECKING:
    from pathlib import Path

IMAGE = "https://example.com/img.jpg"
SUNNY = "Sunny, 25°C"


def test_agentscope_text_message() -> None:
    """The builder takes name, role and content, block by block or as a list."""
    message = am.Msg.builder().name("Alice").role("user").content([am.TextBlock("Hello, AgentScope!")]).build()
    assert (message.name, message.role, message.text) == ("Alice", "user", "Hello, AgentScope!")
    assert am.Msg.builder().name("Alice").role("user").text("Hello, AgentScope!").build().content == message.content


def test_agentscope_fields() -> None:
    """The five fields of a message: the id is made, and metadata is empty unless given."""
    message = am.Msg("user", "Hi")
    assert isinstance(message.id, str)
    assert (message.name, message.role, message.content, message.metadata) == (None, "user", (am.TextBlock("Hi"),), {})


def test_agentscope_multimodal_message() -> None:
    """A message holds blocks of each class, in order."""
    url = am.URLSource(IMAGE)
    blocks: list[am.Block] = [
        am.TextBlock("Hello, world!"),
        am.ImageBlock(url),
        am.AudioBlock(am.URLSource("https://example.com/audio.mp3")),
        am.VideoBlock(am.URLSource("https://example.com/video.mp4")),
        am.ThinkingBlock("Let me think about this..."),
        am.ToolUseBlock("c1", "get_weather", {"location": "Beijing"}),
    ]
    message = am.Msg("assistant", blocks)
    assert list(message.content) == blocks
    image = message.first(am.ImageBlock)
    assert image is not None
    assert image.source == url


def test_agentscope_base64_image() -> None:
    """A base64 source keeps its text unchanged, with its media type."""
    source = am.Base64Source("/9j/4AAQSkZ", media_type="image/jpeg")
    message = (
        am.Msg.builder()
        .name("Assistant")
        .role("assistant")
        .text("Here is the image you requested:")
        .add(am.ImageBlock(source))
        .build()
    )
    assert (source.data, source.media_type) == ("/9j/4AAQSkZ", "image/jpeg")
    assert message.blocks(am.ImageBlock)[0].source is source


def test_agentscope_url_image() -> None:
    """A URL source is the URL as text; nothing is fetched."""
    assert am.ImageBlock.from_url(IMAGE) == am.ImageBlock(source=am.URLSource(url=IMAGE))
    assert am.URLSource(IMAGE).url == IMAGE


def test_agentscope_image_from_bytes_and_file(tmp_path: Path) -> None:
    """An image is made from bytes or from a file that the caller names; its bytes tell the media type."""
    data = b"\xff\xd8\xff\xe0 a photograph"
    path = tmp_path / "photo"
    path.write_bytes(data)
    block = am.ImageBlock.from_file(path)
    assert block == am.ImageBlock.from_bytes(data, "image/jpeg")
    assert isinstance(block.source, am.Base64Source)
    assert block.source.decode() == data


def test_agentscope_thinking_message() -> None:
    """Thinking is beside the answer and isn't part of its text."""
    thinking = am.ThinkingBlock("First, I need to understand the problem...")
    message = am.Msg.of(thinking, am.TextBlock("Based on my analysis, the answer is 42.")).with_name("Reasoner")
    assert (message.role, message.name) == ("assistant", "Reasoner")
    assert message.text == "Based on my analysis, the answer is 42."
    assert message.first(am.ThinkingBlock) is thinking


def test_agentscope_tool_call_message() -> None:
    """A call has an id, a name and its arguments as a mapping."""
    message = am.Msg.assistant(
        tool_calls=[{"id": "call_123", "name": "get_weather", "arguments": {"location": "Beijing"}}], name="Assistant"
    )
    (call,) = message.tool_calls
    assert (call.id, call.name, call.input) == ("call_123", "get_weather", {"location": "Beijing"})


def test_agentscope_tool_result_message() -> None:
    """A result has the id of its call, the tool's name and blocks."""
    block = am.ToolResultBlock("call_123", [am.TextBlock(SUNNY)], name="get_weather")
    message = am.Msg.builder().name("system").role("tool").add(block).build()
    assert (message.tool_call_id, message.text, message.ok) == ("call_123", SUNNY, True)
    assert am.Msg.tool(SUNNY, tool_call_id="call_123", name="get_weather").content == message.content


METADATA: dict[str, Any] = {"task_id": "12345", "priority": 3, "tags": ["important", "urgent"]}


def test_agentscope_metadata() -> None:
    """Metadata is any JSON, never part of the text, and not structured output, which has its own field."""
    message = am.Msg.builder().role("assistant").text("Task completed").metadata(METADATA).build()
    assert (message.metadata, message.text) == (METADATA, "Task completed")
    assert not message.has_structured_data()


@attrs.frozen
class TaskPlan:
    """The plan that the agent is to return."""

    goal: str
    steps: list[str]
    estimatedHours: int  # noqa: N815 - the documentation's name


def test_agentscope_structured_output() -> None:
    """Structured output becomes an object of the requested class, or raises an error if it doesn't fit."""
    plan = {"goal": "Tea", "steps": ["boil", "pour"], "estimatedHours": 1}
    message = am.Msg.assistant("Here is the plan.", structured=plan)
    assert message.has_structured_data()
    assert message.get_structured_data(TaskPlan) == TaskPlan("Tea", ["boil", "pour"], 1)
    with pytest.raises(am.InvalidMessage):
        message.evolve(structured={"goal": "Tea"}).get_structured_data(TaskPlan)


def test_agentscope_serialization() -> None:
    """A message becomes JSON text and comes back the same."""
    message = am.Msg.user("Hello", name="Alice")
    again = am.Msg.from_json(message.to_json())
    assert again == message
    assert again.name == "Alice"


MIXED = am.Msg("assistant", [am.TextBlock("one"), am.ImageBlock.from_url(IMAGE), am.TextBlock("two")])


def test_agentscope_text_content() -> None:
    """``text`` joins the text blocks with newline, or is empty without any."""
    assert MIXED.text == "one\ntwo"
    assert am.Msg("user").text == ""


def test_agentscope_has_content_blocks() -> None:
    """``has`` checks for a block of a class."""
    assert (MIXED.has(am.ImageBlock), MIXED.has(am.ToolUseBlock)) == (True, False)


def test_agentscope_blocks_by_class() -> None:
    """``blocks`` returns all blocks of a class, ``first`` the first one or None."""
    assert MIXED.blocks(am.ImageBlock) == (am.ImageBlock.from_url(IMAGE),)
    assert MIXED.first(am.TextBlock) is MIXED.content[0]
    assert MIXED.first(am.VideoBlock) is None


def test_agentscope_copy_with_different_name() -> None:
    """``to_builder`` starts from a message without changing it; ``with_name`` is the short way."""
    message = am.Msg.user("Hi", name="Alice")
    renamed = message.to_builder().name("Bob").build()
    assert (message.name, renamed.name) == ("Alice", "Bob")
    assert renamed == message.with_name("Bob")


def test_agentscope_roles() -> None:
    """The four roles have names: lower case here, upper case on AgentScope's wire."""
    assert [am.Role.USER, am.Role.ASSISTANT, am.Role.SYSTEM, am.Role.TOOL] == ["user", "assistant", "system", "tool"]


def test_agentscope_immutable() -> None:
    """A builder used again never changes what it built."""
    builder = am.Msg.builder().role("user").text("one")
    first = builder.build()
    assert builder.text("two").build().text == "one\ntwo"
    assert first.text == "one"


COMPLETE = am.History.of(
    am.Msg.user("What's the weather like?", name="User"),
    am.Msg.of(am.ThinkingBlock("I need to call the weather API..."), am.TextBlock("Let me check the weather for you.")),
    am.Msg.assistant(tool_calls=[{"id": "call_001", "name": "get_weather", "arguments": {"location": "Beijing"}}]),
    am.Msg.tool(SUNNY, tool_call_id="call_001", name="get_weather"),
    am.Msg.assistant(
        "The weather in Beijing is sunny with 25°C.",
        metadata={"temperature": 25, "condition": "sunny", "location": "Beijing"},
    ),
)


def test_agentscope_complete_example() -> None:
    """The documentation's printed output of its five messages."""
    call, result = COMPLETE[2].first(am.ToolUseBlock), COMPLETE[3].first(am.ToolResultBlock)
    assert call is not None
    assert result is not None
    assert [COMPLETE[0].text, COMPLETE[1].text] == ["What's the weather like?", "Let me check the weather for you."]
    assert (call.name, result.text) == ("get_weather", SUNNY)
    assert COMPLETE[4].text == "The weather in Beijing is sunny with 25°C."
    assert COMPLETE[4].metadata["temperature"] == 25


# -- on the wire ---------------------------------------------------------------------------------------------


def _java(message: am.Msg, **options: Any) -> dict[str, Any]:
    """Return the one message that Java's codec writes, without any loss."""
    losses: list[am.Loss] = []
    written: dict[str, Any] = message.encode("agentscope-java", losses=losses, **options)
    assert losses == []
    return written


def test_agentscope_wire_form_of_a_message() -> None:
    """Java's JSON of a message: the role in capitals, the time local without zone, and null for absent values."""
    time = dt.datetime(2026, 1, 15, 10, 30, 45, 123000)
    message = am.Msg.user("Hello, AgentScope!", name="Alice", id="m1", created_at=time)
    document: dict[str, Any] = {
        "id": "m1",
        "name": "Alice",
        "role": "USER",
        "content": [{"type": "text", "text": "Hello, AgentScope!"}],
        "metadata": {},
        "timestamp": "2026-01-15 10:30:45.123",
        "usage": None,
    }
    assert _java(message) == document
    assert list(_java(message)) == list(document)
    assert list(_java(message, version=1)) == list(document)[:-1]
    assert am.Msg.decode(document, "agentscope-java") == message


BLOCKS: dict[str, tuple[am.Block, dict[str, Any]]] = {
    "text": (am.TextBlock("Hello, world!"), {"type": "text", "text": "Hello, world!"}),
    "image": (
        am.ImageBlock(am.Base64Source("/9j/4AAQSkZ", "image/jpeg")),
        {"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": "/9j/4AAQSkZ"}},
    ),
    "audio": (am.AudioBlock.from_url(IMAGE), {"type": "audio", "source": {"type": "url", "url": IMAGE}}),
    "video": (am.VideoBlock.from_url(IMAGE), {"type": "video", "source": {"type": "url", "url": IMAGE}}),
    "thinking": (am.ThinkingBlock("Hm."), {"type": "thinking", "thinking": "Hm.", "metadata": None}),
    "tool_use": (
        am.ToolUseBlock("call_123", "get_weather", {"location": "Beijing"}),
        {
            "type": "tool_use",
            "id": "call_123",
            "name": "get_weather",
            "input": {"location": "Beijing"},
            "content": None,
            "metadata": {},
        },
    ),
}


@pytest.mark.parametrize("name", list(BLOCKS))
def test_agentscope_wire_form_of_blocks(name: str) -> None:
    """Each class of block is written in Java's form, and read again as the same."""
    block, document = BLOCKS[name]
    written = _java(am.Msg("assistant", [block]))
    assert written["content"] == [document]
    assert am.Msg.decode(written, "agentscope-java").content == (block,)


def test_agentscope_wire_form_of_tool_results() -> None:
    """A result is a list of blocks with a state, in a message of the role TOOL."""
    block = am.ToolResultBlock("call_123", SUNNY, name="get_weather", status="success")
    document = _java(am.Msg("tool", [block], name="system"))
    assert (document["name"], document["role"]) == ("system", "TOOL")
    assert document["content"] == [
        {
            "type": "tool_result",
            "id": "call_123",
            "name": "get_weather",
            "output": [{"type": "text", "text": SUNNY}],
            "metadata": {},
            "state": "success",
        }
    ]
    assert am.Msg.decode(document, "agentscope-java").content == (block,)


def test_agentscope_names_of_the_documentation() -> None:
    """The documentation has arguments and result, which Java ignores: they are read here, and come back."""
    call = {"type": "tool_use", "id": "call_123", "name": "get_weather", "arguments": {"location": "Beijing"}}
    result = {"type": "tool_result", "id": "call_123", "name": "get_weather", "result": {"type": "text", "text": SUNNY}}
    document = [
        {"name": "Assistant", "role": "ASSISTANT", "content": [call]},
        {"name": "system", "role": "TOOL", "content": [result]},
    ]
    history = am.decode(document, "agentscope-java")
    assert history[0].tool_calls[0].input == {"location": "Beijing"}
    assert (history[1].tool_call_id, history[1].text) == ("call_123", SUNNY)
    assert am.encode(history, "agentscope-java") == document


def test_agentscope_structured_output_on_the_wire() -> None:
    """Structured output is ``_structured_output`` in Java's metadata, and a field of its own in Python."""
    message = am.Msg.assistant("Here is the plan.", structured={"goal": "Tea"}, metadata={"priority": 3})
    document = _java(message)
    assert document["metadata"] == {"priority": 3, "_structured_output": {"goal": "Tea"}}
    again = am.Msg.decode(document, "agentscope-java")
    assert (again.get_structured_data(), again.metadata) == ({"goal": "Tea"}, {"priority": 3})
    python = message.encode("agentscope")
    assert (python["structured_output"], python["metadata"]) == ({"goal": "Tea"}, {"priority": 3})


def test_agentscope_complete_example_in_java() -> None:
    """The five messages convert to Java's form and come back with the same content."""
    losses: list[am.Loss] = []
    document = am.encode(COMPLETE, "agentscope-java", losses=losses)
    assert [message["role"] for message in document] == ["USER", "ASSISTANT", "ASSISTANT", "TOOL", "ASSISTANT"]
    assert [str(loss.path) for loss in losses if loss.level == "content"] == []
    again = am.decode(document, "agentscope-java")
    assert [message.text for message in again] == [message.text for message in COMPLETE]
    assert again[4].metadata == COMPLETE[4].metadata
    assert am.same(am.restore(again, losses), COMPLETE)


@pytest.mark.parametrize(
    ("version", "roles"),
    [
        (1, ["user", "assistant", "assistant", "system", "assistant"]),
        (2, ["user", "assistant", "assistant", "assistant"]),
    ],
)
def test_agentscope_complete_example_in_python(version: int, roles: list[str]) -> None:
    """Python has no role for tools: results go into a system message (1.x) or to their calls (2.x), and come back."""
    losses: list[am.Loss] = []
    document = am.encode(COMPLETE, am.get_codec("agentscope", version=version), losses=losses)
    assert [message["role"] for message in document] == roles
    again = am.decode(document, "agentscope")
    assert [message.role for message in again] == [message.role for message in COMPLETE]
    assert [message.text for message in again] == [message.text for message in COMPLETE]
    assert am.same(am.restore(again, losses), COMPLETE)
