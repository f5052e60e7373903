"""Anthropic's events as chunks, and chunks as its events; see ``events`` for what each says.

A block is announced before its pieces, and closed before the next. Thinking without Anthropic's signature is closed
with an empty one: clients wait for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg.formats import Unreadable
from agentmsg_codecs.anthropic.events import CALLS, DELTA, DELTAS, START, STOP, brought, counted
from agentmsg_codecs.anthropic.names import FAMILY
from agentmsg_codecs.wire.live import WHOLE, Reader, Writer, make_chunk, make_text, placed, said

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentmsg.formats import Native
    from agentmsg.formats.events import More

# The deltas of texts: their type and key, by class of the block.
_OF_TEXTS = {cls: (kind, key) for kind, (_, key, _, cls) in DELTAS.items() if cls is not None}
_BLANK: dict[str, Native] = {"text": {"text": ""}, "thinking": {"thinking": "", "signature": ""}}
_EMPTY: Native = {"type": "text", "text": ""}
_UNKNOWN = (None, "", None, None)
_END_TURN = "end_turn"


class AnthropicReader(Reader):
    """Reads events as chunks."""

    def __init__(self, codec: am.Codec) -> None:
        super().__init__(codec)
        self._head: Native = {}
        self._begun: set[int] = set()  # the blocks; what was said of one can't be taken back

    def __call__(self, event: Native) -> am.MsgChunk | More | None:
        """Return what an event says; None if it says nothing."""
        kind = event["type"]
        if kind == DELTA:
            delta = event["delta"]
            _, key, _, cls = DELTAS.get(delta["type"], _UNKNOWN)
            return self._piece(delta, event["index"]) if cls is None else (cls, event["index"], delta[key])
        if kind == START:
            return said(self._start(event["content_block"], event["index"]), event["index"])
        if kind == "message_start":
            if self._begun:
                raise Unreadable
            self._head = {**event["message"], "content": []}
            return self.head(self.message(self._head))
        if kind == "message_delta" and self.whole:
            before: Native = self._head.get("usage") or {}
            usage: Native = {**before, **counted(event)}
            rest = {key: value for key, value in event.items() if key not in ("type", "delta", "usage")}
            self._head |= {**event["delta"], **rest, **({"usage": usage} if usage else {})}
            return make_chunk(**self.rest(self.message(self._head)))
        if kind == STOP:
            self.over = (placed(event["index"]),)
        return make_chunk(done=True) if kind == "message_stop" else None

    def _piece(self, delta: Native, index: int) -> am.MsgChunk | None:
        kind = delta["type"]
        if kind == "compaction_delta":
            return said(am.CompactionBlock(delta["content"], encrypted=delta.get("encrypted_content")), index)
        name, key, value = {
            "signature_delta": ("thinking", "signature", delta.get("signature")),
            "citations_delta": ("text", "citations", [delta.get("citation")]),
        }.get(kind, (None, "", None))
        return None if name is None else said(self._block({"type": name, **_BLANK[name], key: value}), index)

    def _start(self, block: Native, index: int) -> Any:
        if index in self._begun:
            raise Unreadable
        self._begun.add(index)
        if block == _EMPTY:
            return make_text("")
        found = self._block(block)
        if block.get("type") in CALLS and not block.get("input") and type(found) is am.ToolUseBlock:
            return found.evolve(raw_input="")
        return found

    def _block(self, block: Native) -> Any:
        (found,) = self.message({**self._head, "content": [block]}).content
        return found


class AnthropicWriter(Writer):
    """Writes chunks as events."""

    signs: ClassVar[str | None] = FAMILY
    takes_objects: ClassVar[bool] = True

    def __init__(self, codec: am.Codec, thinking: Any) -> None:
        super().__init__(codec, thinking)
        self._index = -1
        self._is_signed = False
        self._of_text = ("", "")  # the type and key of the open block's deltas

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
        self._of_text = _OF_TEXTS[kind]
        if kind is am.TextBlock:
            start: Native = {"type": "text", "text": ""}
        elif kind is am.ThinkingBlock:
            start = {"type": "thinking", "thinking": "", "signature": ""}
        else:
            start = {"type": "tool_use", "id": block.id or f"toolu_{self._index}", "name": block.name, "input": {}}
        yield {"type": START, "index": self._index, "content_block": start}

    def more(self, block: Any) -> Iterable[Native]:
        """Return the deltas of the open block."""
        yield from super().more(block)
        if self.keeps(block) and block.signature.value:
            yield self._signed(block.signature.value)

    def delta(self, text: str) -> Native:
        """Return a delta of the open block."""
        kind, key = self._of_text
        return {"type": DELTA, "index": self._index, "delta": {"type": kind, key: text}}

    def _signed(self, signature: str) -> Native:
        self._is_signed = True
        return {"type": DELTA, "index": self._index, "delta": {"type": "signature_delta", "signature": signature}}

    def close(self, block: Any) -> Iterable[Native]:
        """Return the end of the open block."""
        if type(block) is am.ThinkingBlock and not self._is_signed:
            yield self._signed("")
        yield {"type": STOP, "index": self._index}

    def whole(self, document: Native) -> Iterable[Native]:
        """Return the events of whole blocks."""
        for block in document.get("content", ()):
            self._index += 1
            yield from brought(block, self._index, WHOLE)

    def finish(self, document: Native) -> Iterable[Native]:
        """Return how the message ended, and its end."""
        told = {"stop_reason": document.get("stop_reason") or _END_TURN, "stop_sequence": document.get("stop_sequence")}
        yield {"type": "message_delta", "delta": told, "usage": document.get("usage") or {"output_tokens": 0}}
        yield {"type": "message_stop"}


READER, WRITER = AnthropicReader, AnthropicWriter
