"""The codec ``langchain`` against langchain-core itself.

Our documents load there with the same meaning, field by field, and we return its documents exactly.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

import agentmsg as am
from agentmsg.formats.spelling import same_document

# Untyped on purpose: this tests what it accepts at run time, not its annotations.
core: Any = import_module("langchain_core.messages")

PNG = am.ImageBlock(am.Base64Source("aGk=", "image/png"), detail="low")
USAGE = am.Usage(input=11, output=7, total=18, cache_read=3, cache_write=1, reasoning=2, input_audio=1, output_audio=1)


def loaded(*messages: am.Msg, form: str = "dict") -> list[Any]:
    """Return our messages as langchain-core loads them."""
    natives = am.encode(messages, am.get_codec("langchain", form=form), losses=[])
    natives = natives if form == "dict" else [{"type": native["type"], "data": native} for native in natives]
    result: list[Any] = core.messages_from_dict(natives)
    return result


def one(message: am.Msg, form: str = "dict") -> Any:
    """Return one of our messages as langchain-core loads it."""
    return loaded(message, form=form)[0]


# -- our output -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["dict", "flat"])
@pytest.mark.parametrize(
    ("message", "cls"),
    [
        (am.Msg.system("x"), "SystemMessage"),
        (am.Msg.user("x"), "HumanMessage"),
        (am.Msg.assistant("x"), "AIMessage"),
        (am.Msg.chat("moderator", "x"), "ChatMessage"),
        (am.Msg.tool("x", tool_call_id="c1", name="f"), "ToolMessage"),
        (am.Msg.developer("x"), "SystemMessage"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.role,
)
def test_roles_load_as_their_classes(message: am.Msg, cls: str, form: str) -> None:
    """Each role becomes its class, with text and id."""
    native = one(message, form)
    assert (type(native).__name__, native.text, native.id) == (cls, "x", message.id)


def test_roles_keep_what_is_theirs() -> None:
    """The developer's mark, a chat's role and the id of a removal load."""
    assert one(am.Msg.developer("x")).additional_kwargs == {"__openai_role__": "developer"}
    assert one(am.Msg.chat("moderator", "x")).role == "moderator"
    removal = one(am.Msg.remove("m1"))
    assert (type(removal).__name__, removal.id, removal.content) == ("RemoveMessage", "m1", "")


def test_names_and_metadata_load() -> None:
    """Sender, metadata and response metadata are in LangChain's fields for them."""
    message = am.Msg(
        "assistant",
        "x",
        name="bob",
        metadata={"k": 1},
        response_metadata={"id": "r1"},
        model="gpt-5",
        finish_reason="tool_use",
        usage=USAGE,
    )
    native = one(message)
    assert (native.name, native.additional_kwargs) == ("bob", {"k": 1})
    assert native.response_metadata == {"id": "r1", "model_name": "gpt-5", "finish_reason": "tool_calls"}
    assert native.usage_metadata == {
        "input_tokens": 11,
        "output_tokens": 7,
        "total_tokens": 18,
        "input_token_details": {"audio": 1, "cache_creation": 1, "cache_read": 3},
        "output_token_details": {"audio": 1, "reasoning": 2},
    }


def test_incomplete_usage_loads() -> None:
    """Counters that LangChain requires are there."""
    native = one(am.Msg("assistant", "x", usage=am.Usage(output=2)))
    assert native.usage_metadata == {"input_tokens": 0, "output_tokens": 2, "total_tokens": 2}


def test_calls_load() -> None:
    """Valid calls are tool_calls, invalid ones invalid_tool_calls with their text."""
    calls = [am.ToolUseBlock("c1", "f", {"a": [1, None]}), am.ToolUseBlock("c2", "g", raw_input="{bad")]
    native = one(am.Msg("assistant", [am.TextBlock("so"), *calls]))
    assert native.content == "so"
    assert native.tool_calls == [{"name": "f", "args": {"a": [1, None]}, "id": "c1", "type": "tool_call"}]
    (invalid,) = native.invalid_tool_calls
    assert (invalid["name"], invalid["args"], invalid["id"], invalid["error"]) == ("g", "{bad", "c2", None)


def test_tool_results_load() -> None:
    """Link, tool, artifact and status of a result are in their fields."""
    fine = am.Msg("tool", [am.ToolResultBlock("c1", "sunny", name="f", artifact={"rows": [1]})])
    native = one(fine)
    assert (native.tool_call_id, native.name, native.content) == ("c1", "f", "sunny")
    assert (native.artifact, native.status) == ({"rows": [1]}, "success")
    assert one(am.Msg.tool("boom", tool_call_id="c1", error="boom", error_type="ValueError")).status == "error"
    assert one(am.Msg.tool("no", tool_call_id="c1", status="denied")).status == "error"
    assert one(am.Msg("tool", [am.ToolResultBlock("c1", structured={"a": 1})])).content == '{"a":1}'


def test_results_without_ids_load() -> None:
    """LangChain requires the id of a call on its result: fit makes one for both."""
    call, result = loaded(
        am.Msg("assistant", [am.ToolUseBlock(None, "f", {})]), am.Msg("tool", [am.ToolResultBlock(None, "x")])
    )
    assert call.tool_calls[0]["id"] == result.tool_call_id


def test_media_and_thinking_load_as_standard_blocks() -> None:
    """Blocks are v1 blocks: LangChain's own view of standard content returns them unchanged."""
    blocks = [
        am.ThinkingBlock("hm", signature=am.Signature("anthropic", "sig")),
        am.TextBlock("see", citations=(am.Citation(url="https://x", title="T", start=0, end=3),)),
        PNG,
        am.ImageBlock.from_url("https://x/i.png"),
        am.AudioBlock.from_bytes(b"hi", "audio/wav"),
        am.VideoBlock(am.FileSource("f1", "google")),
        am.FileBlock.from_bytes(b"hi", "application/pdf"),
        am.FileBlock(am.TextSource("doc", "text/plain"), title="T", context="C"),
    ]
    native = one(am.Msg("assistant", blocks, response_metadata={"output_version": "v1"}))
    assert [part["type"] for part in native.content] == [
        "reasoning", "text", "image", "image", "audio", "video", "file", "text-plain",
    ]  # fmt: skip
    assert native.content_blocks == native.content
    assert native.content[0]["extras"]["signature"] == "sig"
    assert native.content[1]["annotations"] == [
        {"type": "citation", "url": "https://x", "title": "T", "start_index": 0, "end_index": 3}
    ]
    assert native.content[2] == {
        "type": "image",
        "base64": "aGk=",
        "mime_type": "image/png",
        "extras": {"detail": "low"},
    }


def test_calls_between_texts_load_once_in_each_place() -> None:
    """A call followed by other blocks is in content, in the part that all clients know, and an entry of tool_calls."""
    native = one(am.Msg("assistant", [am.ToolUseBlock("c1", "f", {"a": 1}), am.TextBlock("so")]))
    assert native.content[0] == {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}}
    assert [call["id"] for call in native.tool_calls] == ["c1"]


def test_what_loads_is_written_as_we_wrote_it() -> None:
    """LangChain's dump of our loaded messages reads back as our messages."""
    messages = [
        am.Msg.system("s"),
        am.Msg("user", [am.TextBlock("look"), PNG], name="bob"),
        am.Msg(
            "assistant", [am.ThinkingBlock("hm"), am.TextBlock("a"), am.ToolUseBlock("c1", "f", {"a": 1})], usage=USAGE
        ),
        am.Msg.tool("x", tool_call_id="c1", name="f", status="success"),
        am.Msg.chat("moderator", "m"),
        am.Msg.remove("m1"),
    ]
    losses: list[am.Loss] = []
    natives = am.encode(messages, "langchain", losses=losses)
    assert [loss.kind for loss in losses] == ["unsent"]
    again = am.decode(core.messages_to_dict(core.messages_from_dict(natives)), "langchain")
    assert am.same(again.messages, am.decode(natives, "langchain").messages)


# -- its output -------------------------------------------------------------------------------------------------------

CALL = {"name": "f", "args": {"a": 1}, "id": "c1"}


def theirs() -> list[Any]:
    """Return messages made with langchain-core, of every class and with content of many shapes."""
    image = {"type": "image_url", "image_url": {"url": "https://x/i.png"}}
    openai_call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
    usage = {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3, "input_token_details": {"cache_read": 1}}
    thinking = {"type": "thinking", "thinking": "hm", "signature": "s"}
    use = {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}}
    said = {"finish_reason": "stop"}
    return [
        core.HumanMessage("hi"),
        core.HumanMessage(["a", {"type": "text", "text": "b"}, image], name="bob", id="h1"),
        core.HumanMessage("hi", example=True),
        core.SystemMessage("s", additional_kwargs={"__openai_role__": "developer"}),
        core.AIMessage("a", tool_calls=[CALL], usage_metadata=usage, response_metadata={"model_name": "m"}),
        core.AIMessage("", additional_kwargs={"tool_calls": [openai_call], "refusal": None}),
        core.AIMessage("", invalid_tool_calls=[{"name": "f", "args": "{", "id": "c", "error": "bad"}]),
        core.AIMessage([thinking, use], tool_calls=[CALL]),
        core.AIMessage(content_blocks=[{"type": "text", "text": "x"}, {"type": "tool_call", **CALL}]),
        core.ToolMessage("x", tool_call_id="c1", name="f", artifact={"k": (1, 2)}),
        core.ToolMessage([{"type": "text", "text": "x"}, image], tool_call_id="c1", status="error"),
        core.FunctionMessage("42", name="f"),
        core.ChatMessage("hm", role="critic"),
        core.ChatMessage("hm", role="user"),
        core.RemoveMessage("m1"),
        core.HumanMessageChunk("par"),
        core.SystemMessageChunk("par"),
        core.ChatMessageChunk("par", role="critic"),
        core.ToolMessageChunk("par", tool_call_id="c1"),
        core.AIMessageChunk("par", tool_calls=[CALL]),
        core.AIMessageChunk("", tool_call_chunks=[{"name": "f", "args": '{"a', "id": "c1", "index": 0}]),
        core.AIMessageChunk("end", chunk_position="last", usage_metadata=usage, response_metadata=said),
    ]  # fmt: skip


@pytest.mark.parametrize("index", range(len(theirs())))
def test_what_langchain_writes_comes_back_exactly(index: int) -> None:
    """Every message that langchain-core dumps is returned exactly, in both dict forms, alone and in a list."""
    message = theirs()[index]
    for native in (core.message_to_dict(message), message.model_dump()):
        plain = am.thaw(native)
        for document in (plain, [plain]):
            history = am.decode(document, "langchain")
            assert history[0].role != "native"
            assert same_document(am.encode(history, "langchain"), document)


def test_the_sum_of_chunks_comes_back_exactly() -> None:
    """A message that was streamed and added up is read like any other."""
    begin = {"name": "f", "args": "{", "id": "c1", "index": 0}
    more = {"name": None, "args": '"a": 1}', "id": None, "index": 0}
    whole = core.AIMessageChunk("", tool_call_chunks=[begin]) + core.AIMessageChunk("", tool_call_chunks=[more])
    native = am.thaw(core.message_to_dict(whole))
    history = am.decode([native], "langchain")
    assert history[0].tool_calls[0].input == {"a": 1}
    assert same_document(am.encode(history, "langchain"), [native])


def test_our_text_is_their_text() -> None:
    """Text, calls and links are the same here and there, for every message that langchain-core makes."""
    for message in theirs():
        ours = am.decode([am.thaw(core.message_to_dict(message))], "langchain")[0]
        calls = [(call.id, call.name, call.input) for call in ours.tool_calls]
        assert [(call["id"], call["name"], call["args"]) for call in getattr(message, "tool_calls", [])] == calls
        if isinstance(message.content, str) and ours.role != "assistant":
            assert ours.text == message.content
        if isinstance(message, core.ToolMessage):
            assert (ours.tool_call_id, ours.is_error) == (message.tool_call_id, message.status == "error")
