"""Synaptic's documentation of its messages, example by example, as lines of agentmsg."""

from __future__ import annotations

from typing import Any

import pytest

import agentmsg as am
from support.checked import sent_and_back

CALL = am.ToolUseBlock("call_abc123", "get_weather", {"city": "Tokyo"})
VARIANTS = {
    "system": am.Msg.system("You are a helpful assistant."),
    "human": am.Msg.user("What is the weather?"),
    "ai": am.Msg.assistant("The weather is sunny today."),
    "tool": am.Msg.tool("72 degrees", tool_call_id="call_abc123"),
    "chat": am.Msg.chat("moderator", "This message is approved."),
    "remove": am.Msg.remove("msg_id_to_remove"),
}
ROLES = {
    "system": "system",
    "human": "user",
    "ai": "assistant",
    "tool": "tool",
    "chat": "moderator",
    "remove": "remove",
}
QUESTIONS = {
    "system": "is_system",
    "human": "is_user",
    "ai": "is_assistant",
    "tool": "is_tool",
    "chat": "is_chat",
    "remove": "is_remove",
}


@pytest.mark.parametrize("variant", list(VARIANTS))
def test_synaptic_variants(variant: str) -> None:
    """Each variant has its role, and is true for its own test and false for the five others."""
    message = VARIANTS[variant]
    assert message.role == ROLES[variant]
    assert {name for name in QUESTIONS.values() if getattr(message, name)} == {QUESTIONS[variant]}


def test_synaptic_invariants() -> None:
    """Every message has tool calls, empty unless it calls; the same goes for ids of results."""
    for variant, message in VARIANTS.items():
        assert (message.tool_calls, message.invalid_tool_calls) == ((), ())
        assert message.tool_call_id == ("call_abc123" if variant == "tool" else None)


def test_synaptic_ai_with_tool_calls() -> None:
    """A message may have both text and calls."""
    message = am.Msg.assistant("Let me check.", tool_calls=[CALL])
    assert (message.text, message.tool_calls) == ("Let me check.", (CALL,))


def test_synaptic_custom_role() -> None:
    """Any word is a role; roles that every codec knows aren't custom ones."""
    assert (VARIANTS["chat"].role, VARIANTS["chat"].text) == ("moderator", "This message is approved.")
    assert not am.Msg.developer("x").is_chat
    assert not am.Msg("unset").is_chat


def test_synaptic_remove() -> None:
    """A removal has an id and nothing else; other messages have no ``remove_id``."""
    removal = VARIANTS["remove"]
    assert (removal.remove_id, removal.text, removal.name) == ("msg_id_to_remove", "", None)
    assert VARIANTS["human"].remove_id is None


def test_synaptic_builder_methods() -> None:
    """``with_id``, ``with_name`` and ``with_content`` chain, and each returns a new message."""
    hello = am.Msg.user("Hello")
    image = am.ImageBlock.from_url("https://example.com/photo.jpg")
    message = hello.with_id("msg_001").with_name("Alice").with_content([am.TextBlock("Hello"), image])
    assert (message.id, message.name, message.text) == ("msg_001", "Alice", "Hello")
    assert (message.has(am.ImageBlock), image.detail) == (True, None)
    assert (hello.name, hello.has(am.ImageBlock)) == (None, False)


def test_synaptic_additional_kwargs_and_response_metadata() -> None:
    """The application's entries and the provider's are two mappings; each call adds to its own."""
    message = am.Msg.assistant("Hi").with_metadata(mood="good").with_response_metadata(model="m-1")
    message = message.with_metadata(tries=2)
    assert (message.metadata, message.response_metadata) == ({"mood": "good", "tries": 2}, {"model": "m-1"})


def test_synaptic_usage_metadata() -> None:
    """Usage has counts and details, and ``+`` sums them."""
    usage = am.Usage(input=100, output=20, total=120, cache_read=60, input_audio=5, reasoning=8, output_audio=1)
    message = am.Msg.assistant("Hi").with_usage(usage)
    assert message.usage is usage
    assert (usage + usage).total == 240
    assert (usage + am.Usage(output=1)).reasoning == 8
    assert message.with_usage(None).usage is None


def test_synaptic_accessors() -> None:
    """Accessors work for every variant."""
    message = am.Msg.assistant("Hello world")
    assert (message.text, message.role) == ("Hello world", "assistant")
    assert (message.is_assistant, message.is_user) == (True, False)
    assert (message.tool_calls, message.tool_call_id, message.name) == ((), None, None)


def test_synaptic_id_is_made() -> None:
    """A new message has an id here; it is marked as made by the library, and equals no id."""
    message = am.Msg.assistant("Hello world")
    assert isinstance(message.id, am.Made)
    assert am.same(message, message.with_id(None))
    assert am.Msg("assistant", "Hello world", id=None).id is None


def test_synaptic_invalid_tool_calls() -> None:
    """A call whose arguments aren't JSON is separate from the valid ones, with its text as received."""
    broken = {"id": "c2", "name": "add", "arguments": '{"a": 2, "b":'}
    message = am.Msg.assistant("Hm.", tool_calls=[CALL, broken])
    assert message.tool_calls == (CALL,)
    (invalid,) = message.invalid_tool_calls
    assert (invalid.id, invalid.name, invalid.raw_input, invalid.input) == ("c2", "add", '{"a": 2, "b":', None)


MP3, MP4, PDF = "https://example.com/a.mp3", "https://example.com/a.mp4", "https://example.com/a.pdf"
CONTENT: dict[str, tuple[am.Block, str, Any]] = {
    "text": (am.TextBlock("Hello"), "text", "Hello"),
    "image": (am.ImageBlock.from_url("https://example.com/a.png").evolve(detail="high"), "detail", "high"),
    "audio": (am.AudioBlock.from_url(MP3), "source", am.URLSource(MP3)),
    "video": (am.VideoBlock.from_url(MP4), "source", am.URLSource(MP4)),
    "file": (am.FileBlock.from_url(PDF, "application/pdf"), "source", am.URLSource(PDF, "application/pdf")),
    "data": (am.DataBlock({"rows": [1, 2]}), "data", {"rows": [1, 2]}),
    "reasoning": (am.ThinkingBlock("Easy."), "thinking", "Easy."),
}


@pytest.mark.parametrize("variant", list(CONTENT))
def test_synaptic_multimodal_content(variant: str) -> None:
    """Each variant of content is a class of block with its field, and converts to Synaptic's form and back."""
    block, field, value = CONTENT[variant]
    message = am.Msg("assistant", [block])
    assert getattr(message.first(type(block)), field) == value
    losses: list[am.Loss] = []
    document = message.encode("synaptic", losses=losses)
    assert losses == []
    assert am.Msg.decode(document, "synaptic").content == (block,)


def test_synaptic_exhaustive_matching() -> None:
    """Patterns match the variants."""

    def variant(message: am.Msg) -> str:
        match message:
            case am.Msg(role="system" | "user" | "assistant" as role):
                return role
            case am.Msg(role="tool", tool_call_id=str(id)):
                return f"tool of {id}"
            case am.Msg(role="remove", remove_id=str(id)):
                return f"remove {id}"
            case am.Msg(is_chat=True, role=role):
                return f"chat of {role}"
            case _:
                return "?"

    assert [variant(message) for message in VARIANTS.values()] == [
        "system", "user", "assistant", "tool of call_abc123", "chat of moderator", "remove msg_id_to_remove",
    ]  # fmt: skip


def test_synaptic_merge_message_runs() -> None:
    """Adjacent messages of one role merge; calls and invalid calls of both are kept."""
    history = am.History.of("Hello", "How are you?", am.Msg.assistant("I'm fine")).merge_runs()
    assert [(message.role, message.text) for message in history] == [
        ("user", "Hello\nHow are you?"), ("assistant", "I'm fine"),
    ]  # fmt: skip
    broken = {"id": "c2", "name": "add", "arguments": '{"a": 2, "b":'}
    calling = am.History.of(
        am.Msg.assistant("Let me check.", tool_calls=[CALL]), am.Msg.assistant("And add.", tool_calls=[broken])
    )
    (merged,) = calling.merge_runs()
    assert (merged.text, merged.tool_calls) == ("Let me check.\nAnd add.", (CALL,))
    assert [call.id for call in merged.invalid_tool_calls] == ["c2"]


def test_synaptic_merge_message_runs_of_tools_and_roles() -> None:
    """Custom roles merge by name; results stay separate, because in Synaptic the second one loses its call."""
    tools = [am.Msg.tool("a", tool_call_id="1"), am.Msg.tool("b", tool_call_id="2")]
    chat = [am.Msg.chat("moderator", "Hm."), am.Msg.chat("moderator", "Yes."), am.Msg.chat("judge", "No.")]
    history = am.History([*tools, *chat, am.Msg.remove("m1"), am.Msg.remove("m2")]).merge_runs()
    assert [(message.role, message.text) for message in history] == [
        ("tool", "a"), ("tool", "b"), ("moderator", "Hm.\nYes."), ("judge", "No."), ("remove", ""), ("remove", ""),
    ]  # fmt: skip
    assert [message.tool_call_id for message in history[:2]] == ["1", "2"]


def test_synaptic_get_buffer_string() -> None:
    """``to_text`` writes each message after the label of its role; labels of users and models can be chosen."""
    history = am.History([am.Msg.system("You are helpful."), am.Msg.user("Hello"), am.Msg.assistant("Hi there!")])
    assert history.to_text() == "System: You are helpful.\nHuman: Hello\nAI: Hi there!"
    assert history.to_text({"human": "Q", "ai": "A"}) == "System: You are helpful.\nQ: Hello\nA: Hi there!"
    variants = am.History(VARIANTS[name] for name in ("tool", "chat"))
    assert variants.to_text() == "Tool: 72 degrees\nmoderator: This message is approved."
    assert am.History().to_text() == ""


def test_synaptic_remove_from_history() -> None:
    """A removal removes the message with its id from the history, and itself."""
    history = am.History([am.Msg.user("Hello", id="m1"), am.Msg.assistant("Hi", id="m2"), am.Msg.remove("m1")])
    assert [message.text for message in history.apply_removals()] == ["Hi"]


# -- on the wire ---------------------------------------------------------------------------------------------

WIRE: dict[str, tuple[am.Msg, dict[str, Any]]] = {
    "system": (VARIANTS["system"], {"role": "system", "content": "You are a helpful assistant."}),
    "human, with id and name": (
        am.Msg.user("Hello").with_id("msg_001").with_name("Alice"),
        {"role": "human", "content": "Hello", "id": "msg_001", "name": "Alice"},
    ),
    "ai": (VARIANTS["ai"], {"role": "assistant", "content": "The weather is sunny today."}),
    "ai with tool calls": (
        am.Msg.assistant("Let me check.", tool_calls=[CALL]),
        {
            "role": "assistant",
            "content": "Let me check.",
            "tool_calls": [{"id": "call_abc123", "name": "get_weather", "arguments": {"city": "Tokyo"}}],
        },
    ),
    "tool": (VARIANTS["tool"], {"role": "tool", "content": "72 degrees", "tool_call_id": "call_abc123"}),
    "chat": (
        VARIANTS["chat"],
        {"role": "chat", "custom_role": "moderator", "content": "This message is approved."},
    ),
    "remove": (VARIANTS["remove"], {"role": "remove", "id": "msg_id_to_remove"}),
    "content blocks": (
        am.Msg("user", [am.TextBlock("Hello"), am.ImageBlock.from_url("https://example.com/photo.jpg")]),
        {
            "role": "human",
            "content": "Hello",
            "content_blocks": [
                {"type": "text", "text": "Hello"},
                {"type": "image", "url": "https://example.com/photo.jpg"},
            ],
        },
    ),
    "additional kwargs and response metadata": (
        am.Msg.assistant("Hi").with_metadata(mood="good").with_response_metadata(region="eu"),
        {
            "role": "assistant",
            "content": "Hi",
            "additional_kwargs": {"mood": "good"},
            "response_metadata": {"region": "eu"},
        },
    ),
    "usage with details": (
        am.Msg.assistant("Hi").with_usage(
            am.Usage(input=100, output=20, total=120, cache_read=60, input_audio=0, reasoning=8, output_audio=0)
        ),
        {
            "role": "assistant",
            "content": "Hi",
            "usage_metadata": {
                "input_tokens": 100,
                "output_tokens": 20,
                "total_tokens": 120,
                "input_details": {"cached": 60, "audio": 0},
                "output_details": {"reasoning": 8, "audio": 0},
            },
        },
    ),
}


@pytest.mark.parametrize("name", list(WIRE))
def test_synaptic_wire_form(name: str) -> None:
    """A message is written in Synaptic's form, without empty fields, and comes back without loss."""
    message, document = WIRE[name]
    again = sent_and_back(message, document, codec="synaptic")
    assert (again.metadata, again.response_metadata, again.usage) == (
        message.metadata, message.response_metadata, message.usage,
    )  # fmt: skip


def test_synaptic_wire_form_of_invalid_tool_calls() -> None:
    """An invalid call is read with its text, is written unchanged, and keeps its error."""
    invalid = {"id": "c2", "name": "add", "arguments": '{"a": 2, "b":', "error": "EOF while parsing"}
    document = {"role": "assistant", "content": "Hm.", "invalid_tool_calls": [invalid]}
    message = am.Msg.decode(document, "synaptic")
    assert [call.raw_input for call in message.invalid_tool_calls] == ['{"a": 2, "b":']
    assert message.encode("synaptic") == document


def test_synaptic_serialization() -> None:
    """The documentation's sample, with empty lists and nulls, comes back unchanged; new messages leave these out."""
    sample: dict[str, Any] = {"role": "assistant", "content": "Hello!", "tool_calls": [], "id": None, "name": None}
    message = am.Msg.decode(sample, "synaptic")
    assert (message.text, message.tool_calls, message.id, message.name) == ("Hello!", (), None, None)
    assert message.encode("synaptic") == sample
    assert am.Msg.assistant("Hello!").encode("synaptic") == {"role": "assistant", "content": "Hello!"}


def test_synaptic_to_langchain() -> None:
    """The documentation promises that LangChain reads its messages: it does after conversion, and back."""
    from langchain_core.messages import AIMessage, messages_from_dict

    history = [WIRE["human, with id and name"][1], WIRE["ai with tool calls"][1], WIRE["tool"][1]]
    done = am.convert(history, "synaptic", "langchain")
    assert len(done.losses) == 0
    human, ai, tool = messages_from_dict(done.document)
    assert (human.content, human.name, human.id) == ("Hello", "Alice", "msg_001")
    assert isinstance(ai, AIMessage)
    assert [(call["id"], call["args"]) for call in ai.tool_calls] == [("call_abc123", {"city": "Tokyo"})]
    assert tool.content == "72 degrees"
    assert am.convert(done.document, "langchain", "synaptic").document == history


def test_synaptic_streaming_chunk() -> None:
    """A chunk has text, whole calls, pieces of calls, invalid calls, an id and usage, and comes back unchanged."""
    document: dict[str, Any] = {
        "content": "Hel",
        "tool_calls": [{"id": "call_1", "name": "now", "arguments": {}}],
        "usage": {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3},
        "id": "run_1",
        "tool_call_chunks": [{"id": "call_2", "name": "add", "arguments": '{"a"', "index": 0}],
        "invalid_tool_calls": [{"id": "call_3", "name": "sub", "arguments": "{", "error": "EOF"}],
    }
    chunk = am.decode_chunk(document, "synaptic")
    assert (chunk.role, chunk.text, chunk.id) == ("assistant", "Hel", "run_1")
    assert [call.id for call in chunk.tool_calls] == ["call_1", "call_3", "call_2"]
    assert chunk.usage == am.Usage(input=1, output=2, total=3)
    assert am.encode_chunk(chunk, "synaptic") == document


def test_synaptic_accumulates_chunks() -> None:
    """Chunks add up with ``+`` and ``+=``: text and lists grow, the first id stays, usage is summed."""
    chunk1: dict[str, Any] = {"content": "Hel", "usage": {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}}
    chunk2: dict[str, Any] = {"content": "lo", "id": "a", "tool_calls": [{"id": "c", "name": "f", "arguments": {}}]}
    chunk3: dict[str, Any] = {
        "content": "",
        "id": "b",
        "usage": {"input_tokens": 0, "output_tokens": 4, "total_tokens": 4},
    }
    accumulated = am.MsgChunk()
    for document in (chunk1, chunk2, chunk3):
        accumulated += am.decode_chunk(document, "synaptic")
    assert (accumulated.text, accumulated.id) == ("Hello", "a")
    assert accumulated.usage == am.Usage(input=1, output=6, total=7)
    assert am.Accumulator([accumulated]).chunk == accumulated


def test_synaptic_chunk_into_message() -> None:
    """``into_message`` returns the message; unlike Synaptic's, ours keeps id, usage, pieces and invalid calls."""
    documents = [
        {"content": "Hi", "id": "m", "tool_call_chunks": [{"id": "c", "name": "f", "arguments": '{"a"', "index": 0}]},
        {"content": "!", "tool_call_chunks": [{"arguments": ": 1}", "index": 0}, {"arguments": "{", "index": 1}]},
        {"content": "", "usage": {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}},
    ]
    accumulated = sum((am.decode_chunk(document, "synaptic") for document in documents), am.MsgChunk())
    message = accumulated.to_msg()
    assert (message.role, message.text, message.id) == ("assistant", "Hi!", "m")
    assert message.tool_calls == (am.ToolUseBlock("c", "f", {"a": 1}),)
    assert [call.raw_input for call in message.invalid_tool_calls] == ["{"]
    assert message.usage == am.Usage(input=1, output=2, total=3)


def test_synaptic_chunk_of_newer_versions() -> None:
    """Newer chunks have reasoning, which becomes thinking before the text."""
    documents = [{"content": "", "reasoning": "Let me "}, {"content": "42", "reasoning": "think."}]
    chunks = [am.decode_chunk(document, "synaptic") for document in documents]
    message = am.Accumulator(chunks).to_msg()
    assert [type(block) for block in chunks[1].to_msg().content] == [am.ThinkingBlock, am.TextBlock]
    assert (message.first(am.ThinkingBlock), message.text) == (am.ThinkingBlock("Let me think."), "42")
    assert [am.encode_chunk(chunk, "synaptic") for chunk in chunks] == documents
