"""Anthropic's events as chunks, and chunks as its events; see ``events`` for what each says.

A block is announced before its pieces, and closed before the next. Thinking without Anthropic's signature is closed
with an empty one: clients wait for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg_codecs.anthropic.events import CALLS, DELTA, START, STOP, counted, opened
from agentmsg_codecs.anthropic.names import FAMILY
from agentmsg_codecs.wire.live import (
    WHOLE,
    Reader,
    Writer,
    make_chunk,
    more_arguments,
    more_text,
    more_thinking,
    said,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentmsg.formats import Native

_BLANK: dict[str, Native] = {"text": {"text": ""}, "thinking": {"thinking": "", "signature": ""}}
_END_TURN = "end_turn"


class AnthropicReader(Reader):
    """Reads events as chunks."""

    def __init__(self, codec: am.Codec) -> None:
        super().__init__(codec)
        self._head: Native = {}

    def __call__(self, event: Native) -> am.MsgChunk | None:
        """Return what an event says; None if it says nothing."""
        kind = event["type"]
        if kind == DELTA:
            return self._piece(event["delta"], event["index"])
        if kind == START:
            return said(self._begun(event["content_block"]), event["index"])
        if kind == "message_start":
            self._head = {**event["message"], "content": []}
            return self.head(self.message(self._head))
        if kind == "message_delta":
            before: Native = self._head.get("usage") or {}
            usage: Native = {**before, **counted(event)}
            rest = {key: value for key, value in event.items() if key not in ("type", "delta", "usage")}
            self._head |= {**event["delta"], **rest, **({"usage": usage} if usage else {})}
            return make_chunk(**self.rest(self.message(self._head)))
        return make_chunk(done=True) if kind == "message_stop" else None

    def _piece(self, delta: Native, index: int) -> am.MsgChunk | None:
        kind = delta["type"]
        if kind == "text_delta":
            return more_text(delta["text"], index)
        if kind == "input_json_delta":
            return more_arguments(delta["partial_json"], index)
        if kind == "thinking_delta":
            return more_thinking(delta["thinking"], index)
        if kind == "compaction_delta":
            return said(am.CompactionBlock(delta["content"], encrypted=delta.get("encrypted_content")), index)
        name, key, value = {
            "signature_delta": ("thinking", "signature", delta.get("signature")),
            "citations_delta": ("text", "citations", [delta.get("citation")]),
        }.get(kind, (None, "", None))
        return None if name is None else said(self._block({"type": name, **_BLANK[name], key: value}), index)

    def _begun(self, block: Native) -> Any:
        kind = block["type"]
        found = self._block(block)
        if kind in CALLS and not block.get("input") and type(found) is am.ToolUseBlock:
            return found.evolve(raw_input="")
        return found

    def _block(self, block: Native) -> Any:
        (found,) = self.message({**self._head, "content": [block]}).content
        return found


class AnthropicWriter(Writer):
    """Writes chunks as events."""

    signs: ClassVar[str | None] = FAMILY

    def __init__(self, codec: am.Codec, thinking: Any) -> None:
        super().__init__(codec, thinking)
        self._index = -1
        self._is_signed = False

    def begin(self, chunk: am.MsgChunk) -> Iterable[Native]:
        """Return the start of the message."""
        usage = {"input_tokens": 0, "output_tokens": 0}
        yield {"type": "message_start", "message": {
            "id": chunk.id or "msg_1", "type": "message", "role": "assistant", "model": chunk.model or "unknown",
            "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage,
        }}  # fmt: skip

    def open(self, block: Any) -> Iterable[Native]:
        """Return the start of a block."""
        self._index += 1
        self._is_signed = False
        kind = block.__class__
        if kind is am.TextBlock:
            start: Native = {"type": "text", "text": ""}
        elif kind is am.ThinkingBlock:
            start = {"type": "thinking", "thinking": "", "signature": ""}
        else:
            start = {"type": "tool_use", "id": block.id or f"toolu_{self._index}", "name": block.name, "input": {}}
        yield {"type": START, "index": self._index, "content_block": start}

    def more(self, block: Any) -> Iterable[Native]:
        """Return a delta of the open block."""
        kind = block.__class__
        if kind is am.TextBlock:
            return (self._delta("text_delta", "text", block.text),) if block.text else ()
        if kind is am.ToolUseBlock:
            return (self._delta("input_json_delta", "partial_json", block.raw_input),) if block.raw_input else ()
        thought = [self._delta("thinking_delta", "thinking", block.thinking)] if block.thinking else []
        if block.signature is not None and block.signature.provider == FAMILY and block.signature.value:
            self._is_signed = True
            return [*thought, self._delta("signature_delta", "signature", block.signature.value)]
        return thought

    def _delta(self, kind: str, key: str, piece: str) -> Native:
        return {"type": DELTA, "index": self._index, "delta": {"type": kind, key: piece}}

    def close(self, block: Any) -> Iterable[Native]:
        """Return the end of the open block."""
        if type(block) is am.ThinkingBlock and not self._is_signed:
            yield self._delta("signature_delta", "signature", "")
        yield {"type": STOP, "index": self._index}

    def whole(self, document: Native) -> Iterable[Native]:
        """Return the events of whole blocks."""
        for block in document.get("content", ()):
            self._index += 1
            start, deltas = opened(block, WHOLE)
            yield {"type": START, "index": self._index, "content_block": start}
            yield from ({"type": DELTA, "index": self._index, "delta": delta} for delta in deltas)
            yield {"type": STOP, "index": self._index}

    def finish(self, document: Native) -> Iterable[Native]:
        """Return how the message ended, and its end."""
        told = {"stop_reason": document.get("stop_reason") or _END_TURN, "stop_sequence": document.get("stop_sequence")}
        yield {"type": "message_delta", "delta": told, "usage": document.get("usage") or {"output_tokens": 0}}
        yield {"type": "message_stop"}


READER, WRITER = AnthropicReader, AnthropicWriter
