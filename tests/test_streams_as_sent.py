"""Streams as servers send them: what is collected, read live and transcoded is the same; and no order of events breaks.

A table of streams that were told of, each with the blocks that it brings.
"""

from __future__ import annotations

import asyncio
import copy
import json
from contextlib import suppress
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

import agentmsg as am
from agentmsg.formats.events import events_of
from agentmsg.testing import any_events, disordered
from data import effort
from support.streams import PROVIDERS, folded, read_live, recorded_streams, response_of, transcoded_to

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

_TEXT, _THINKING, _CALL = am.TextBlock, am.ThinkingBlock, am.ToolUseBlock


# -- events -----------------------------------------------------------------------------------------------------------


def _chunk(delta: Any, finish: str | None = None, index: int = 0, **fields: Any) -> Any:
    """Return a chunk of Chat Completions."""
    choice = {"index": index, "delta": delta, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice], **fields}


def _detail(index: int, text: str, signature: str) -> Any:
    return {"type": "reasoning.text", "index": index, "text": text, "signature": signature}


def _thought(text: str) -> Any:
    return {"type": "thinking", "thinking": [{"type": "text", "text": text}]}


def _gemini(text: str, index: int, finish: str | None = None) -> Any:
    rest = {} if finish is None else {"finishReason": finish}
    return {"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, "index": index, **rest}]}


def _delta(index: int, **delta: Any) -> Any:
    return {"contentBlockDelta": {"delta": delta, "contentBlockIndex": index}}


def _start(index: int, **start: Any) -> Any:
    return {"contentBlockStart": {"start": start, "contentBlockIndex": index}}


def _stop(index: int) -> Any:
    return {"contentBlockStop": {"contentBlockIndex": index}}


def _converse(*events: Any) -> list[Any]:
    usage = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}
    head, end = {"messageStart": {"role": "assistant"}}, {"messageStop": {"stopReason": "end_turn"}}
    return [head, *events, end, {"metadata": {"usage": usage}}]


_AZURE = {"id": "", "object": "", "created": 0, "model": "", "choices": [], "prompt_filter_results": [{"a": 1}]}
_USAGE = {**_chunk({}), "choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}}
_SIGNED = {"extra_content": {"google": {"thought_signature": "U0lH"}}}
_TOOL = {"index": 0, "id": "t", "type": "function", "function": {"name": "f", "arguments": "{}"}}
_NOVA = {"toolUseId": "s", "name": "nova_grounding", "type": "server_tool_use"}
_FOUND = {"toolUseId": "s", "type": "nova_grounding_result", "status": "success"}
_SEARCH = _CALL("s", "nova_grounding", {}, kind="server", provider="bedrock")
_GROUNDED = am.ToolResultBlock(
    "s", [_TEXT("r"), _TEXT("q")], status="success", kind="server", provider="bedrock",
    extras={"bedrock.item": {"type": "nova_grounding_result"}},
)  # fmt: skip
_CITED = _TEXT("xy", citations=(am.Citation("https://a.test", kind="url_citation"),))
_OF_GOOGLE = am.Signature("google", "U0lH")
_REFERENCE = am.NativeBlock("openai", {"type": "reference", "reference_ids": [1]})


def _signed(text: str, signature: str, index: int) -> am.ThinkingBlock:
    return _THINKING(text, signature=am.Signature(None, signature), extras={"openai": {"index": index}})


_STREAMS: dict[str, tuple[am.CodecName, list[Any], list[Any]]] = {
    "Azure's first": ("openai", [_AZURE, _chunk({"role": "assistant", "content": ""}), _chunk({"content": "Hi"}),
                                 _chunk({}, "stop")], [_TEXT("Hi")]),
    "usage first": ("openai", [_USAGE, _chunk({"content": "Hi"}), _chunk({}, "stop")], [_TEXT("Hi")]),
    "choices side by side": ("openai", [
        _chunk({"content": "B"}, index=1), _chunk({"content": "A"}), _chunk({"content": "a"}), _chunk({}, "stop"),
        _chunk({"content": "b"}, index=1), _chunk({}, "stop", 1), _USAGE,
    ], [_TEXT("Aa")]),
    "candidates side by side": ("gemini", [
        _gemini("B", 1), _gemini("A", 0), _gemini("b", 1, "STOP"), _gemini("a", 0, "STOP"),
    ], [_TEXT("Aa")]),
    "thinking in a list": ("openai", [
        _chunk({"role": "assistant", "content": ""}), _chunk({"content": [_thought("H")]}),
        _chunk({"content": [_thought("m")]}), _chunk({"content": "The"}), _chunk({"content": " "}),
        _chunk({"content": "end"}, "stop"),
    ], [_THINKING("Hm"), _TEXT("The end")]),
    "a list behind a text": ("openai", [
        _chunk({"content": "a"}), _chunk({"content": "b"}),
        _chunk({"content": [{"type": "text", "text": "c"}, {"type": "reference", "reference_ids": [1]}]}),
        _chunk({"content": "d"}), _chunk({"content": "e"}), _chunk({"content": [{"type": "text", "text": "f"}]}),
        _chunk({"content": ""}, "stop"),
    ], [_TEXT("abc"), _REFERENCE, _TEXT("def")]),
    "a signature beside a call": ("openai", [
        _chunk({"tool_calls": [{**_TOOL, **_SIGNED}]}), _chunk({}, "tool_calls"),
    ], [_CALL("t", "f", raw_input="{}", signature=_OF_GOOGLE)]),
    "two details": ("openai", [
        _chunk({"reasoning_details": [_detail(0, "s1", "A")]}), _chunk({"reasoning_details": [_detail(1, "s2", "B")]}),
        _chunk({"content": "x"}, "stop"),
    ], [_signed("s1", "A", 0), _signed("s2", "B", 1), _TEXT("x")]),
    "two details, said twice": ("openai", [
        _chunk({"reasoning": "s1", "reasoning_details": [_detail(0, "s1", "A")]}),
        _chunk({"reasoning": "s2", "reasoning_details": [_detail(1, "s2", "B")]}), _chunk({"content": "x"}, "stop"),
    ], [_signed("s1", "A", 0), _signed("s2", "B", 1), _TEXT("x")]),
    "sources beside the choices": ("openai", [
        _chunk({"content": "x"}, citations=["https://a.test"]), _chunk({"content": "y"}, citations=["https://a.test"]),
        _chunk({}, "stop", citations=["https://a.test"]),
    ], [_CITED]),
    "bytes": ("bedrock", _converse(
        _delta(0, reasoningContent={"redactedContent": b"\1"}), _delta(0, reasoningContent={"redactedContent": b"\2"}),
        _stop(0), _delta(1, text="x"), _stop(1), _start(2, image={"format": "png"}),
        _delta(2, image={"source": {"bytes": b"\3"}}), _stop(2),
    ), [_THINKING("", redacted="AQI="), _TEXT("x"), am.ImageBlock(am.Base64Source("Aw==", "image/png"))]),
    "base64 in pieces": ("bedrock", _converse(
        *(_delta(0, reasoningContent={"redactedContent": piece}) for piece in ("AQ==", "Ag==")), _stop(0),
        _delta(1, text="x"), _stop(1),
    ), [_THINKING("", redacted="AQI="), _TEXT("x")]),
    "a call without input": ("bedrock", _converse(_start(0, toolUse={"toolUseId": "t", "name": "f"}), _stop(0)),
                             [_CALL("t", "f", {})]),
    "a tool of the server": ("bedrock", _converse(
        _start(0, toolUse=_NOVA), _delta(0, toolUse={"input": "{}"}), _stop(0), _start(1, toolResult=_FOUND),
        _delta(1, toolResult=[{"text": "r"}]), _delta(1, toolResult=[{"text": "q"}]), _stop(1), _delta(2, text="x"),
        _stop(2),
    ), [_SEARCH, _GROUNDED, _TEXT("x")]),
    "a result that isn't closed": ("bedrock", _converse(_delta(0, text="x"), _start(1, toolResult=_FOUND),
                                                        _delta(1, toolResult=[{"text": "r"}, {"text": "q"}])),
                                   [_TEXT("x"), _GROUNDED]),
    "nothing": ("vercel-ui", [{"type": "start"}, {"type": "finish"}], []),
}  # fmt: skip


def _plain(block: Any) -> Any:
    """Return a block but for what says how its call was written."""
    return block.evolve(input=block.input, raw_input=None) if isinstance(block, _CALL) and block.is_valid else block


def _said(message: am.Msg) -> str:
    """Return the texts, which a stream may part in another way, and the names of calls."""
    found = (block.name if isinstance(block, _CALL) else getattr(block, "text", "") for block in message.content)
    return "".join(found)


@pytest.mark.parametrize("name", _STREAMS)
def test_streams_bring_their_blocks(name: str) -> None:
    """Collected, live and, but for thinking, transcoded; emitted again, too; the events stay as they were."""
    provider, events, blocks = _STREAMS[name]
    before = copy.deepcopy(events)
    history = am.collect(events, provider)
    wanted = history.messages[0] if blocks else am.Msg("assistant", [])
    for message in (wanted, read_live(events, provider)):
        assert am.same(tuple(map(_plain, message.content)), tuple(map(_plain, blocks)))
        assert (message.extras, message.usage) == (wanted.extras, wanted.usage)
    if blocks and provider != "vercel-ui":
        assert am.same(am.collect(am.emit(history, provider), provider), history)
        assert folded(events_of(am.get_codec(provider)).unfold(folded(events, provider), 2), provider) == folded(
            events, provider
        )
    for target in PROVIDERS:
        stream = am.transcode(events, provider, target)
        got = am.collect(list(stream), target)
        converted = am.decode(stream.converted.document, response_of(target))
        assert "".join(map(_said, got)) == "".join(map(_said, converted)), target
    assert events == before


@pytest.mark.parametrize("name", _STREAMS)
def test_beginnings_of_streams_hold_the_beginnings_of_their_texts(name: str) -> None:
    """Those of the first choice."""
    provider, events, _ = _STREAMS[name]
    whole = "".join(message.text for message in am.collect(events, provider))
    for count in range(len(events)):
        for message in am.collect(events[:count], provider, partial="keep"):
            assert whole.startswith(message.text)


def test_a_signature_reaches_the_target() -> None:
    """That of a call, as converting keeps it."""
    first, *_ = am.transcode(_STREAMS["a signature beside a call"][1], "openai", "gemini")
    (part,) = first["candidates"][0]["content"]["parts"]
    assert part["thoughtSignature"] == "U0lH"


@pytest.mark.parametrize("event", [
    {"object": "error", "message": "boom", "type": "BadRequestError", "param": None, "code": 400},
    {"object": "error", "message": "boom", "code": 400},
])  # fmt: skip
def test_an_object_that_is_an_error_ends_a_stream(event: Any) -> None:
    """As vLLM says it, before its last line."""
    frames = [f"data: {json.dumps(each)}\n\n" for each in (_chunk({"content": "a"}), event)]
    with pytest.raises(am.StreamBroken) as caught:
        am.collect([*frames, "data: [DONE]\n\n"], "openai")
    assert caught.value.error == {key: value for key, value in event.items() if key != "object"}
    assert caught.value.history.messages[0].text == "a"


# -- what begins again ------------------------------------------------------------------------------------------------


_HEAD = {"type": "message_start", "message": {"role": "assistant", "content": []}}
_BLOCK = {"type": "content_block_start", "index": 0,
          "content_block": {"type": "tool_use", "id": "t", "name": "f", "input": {}}}  # fmt: skip
_INPUT = {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": '{"a":1}'}}
_OF_CALL = [_start(0, toolUse={"toolUseId": "t", "name": "f"}), _delta(0, toolUse={"input": '{"a":1}'})]


@pytest.mark.parametrize(("provider", "events", "count"), [
    ("anthropic", [_HEAD, _BLOCK, _INPUT, _HEAD, {"type": "message_stop"}], 0),
    ("anthropic", [_HEAD, _BLOCK, _INPUT, _BLOCK, _INPUT, {"type": "message_stop"}], 1),
    ("bedrock", [_converse()[0], *_OF_CALL, *_converse()], 0),
    ("bedrock", _converse(*_OF_CALL, *_OF_CALL), 1),
])  # fmt: skip
def test_what_begins_again_replaces(provider: am.CodecName, events: list[Any], count: int) -> None:
    """Where it can: what was said live can't be taken back, and isn't joined to what is another."""
    (message,) = am.collect(events, provider)
    assert [am.thaw(call.input) for call in message.tool_calls] == [{"a": 1}] * count
    for work in (partial(read_live, events, provider), partial(transcoded_to, events, provider, "openai")):
        with pytest.raises(am.DecodeError) as caught:
            work()
        assert caught.value.code == "schema"


def _streams_of(provider: str) -> list[list[Any]]:
    found = [list(am.stream.events(raw))[:60] for codec, _, raw in recorded_streams() if codec == provider]
    return found + [events for codec, events, _ in _STREAMS.values() if codec == provider]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_no_order_of_events_raises_anything_else(provider: am.CodecName) -> None:
    """A message or one typed error: collecting, whether whole or not, live and transcoding to any format."""
    rng = Random(provider)
    call = am.Msg("assistant", [_TEXT("One. Two."), _CALL("c", "f", {"x": "abcdef"}), _THINKING("Hm")])
    streams = [*_streams_of(provider), list(am.emit(call, provider, size=4, on_loss="ignore"))]
    for events in streams:
        for _ in range(effort(12)):
            broken = copy.deepcopy(disordered(events, rng))
            any_events(am.get_codec(provider), broken, am.get_codec(rng.choice(PROVIDERS)))
            with suppress(am.AgentMsgError):
                folded(broken, provider)


# -- frames -----------------------------------------------------------------------------------------------------------


def test_lines_without_their_ends_are_lines() -> None:
    """Of NDJSON, too, also with empty ones; and pieces may be empty anywhere."""
    events: list[Any] = [{"a": "}{", "b": {"c": [{}]}}, {"a": '"\\'}, {}]
    lines = list(map(json.dumps, events))
    for pieces in (lines, [line for each in lines for line in (each, "")]):
        assert list(am.stream.events(pieces)) == events
    for raw in ("\n".join(lines), json.dumps(events)):
        assert list(am.stream.events(piece for sign in raw for piece in (sign, ""))) == events


def test_events_may_be_asynchronous() -> None:
    """Then so is what they are framed from."""

    async def pieces() -> AsyncIterator[bytes]:
        for piece in (b'data: {"a"', b": 1}\n\n", b"data: {}"):
            yield piece

    async def run() -> list[Any]:
        return [event async for event in am.stream.events(pieces())]

    assert asyncio.run(run()) == [{"a": 1}, {}]
