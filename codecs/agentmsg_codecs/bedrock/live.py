"""ConverseStream's events as chunks, and chunks as its events; see ``events`` for what each says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg.formats import Unreadable
from agentmsg_codecs.bedrock.events import DELTA, INDEX, START, STOP, BedrockEvents, brought
from agentmsg_codecs.bedrock.names import FAMILY
from agentmsg_codecs.wire.live import WHOLE, Reader, Writer, make_chunk, piece, placed, said

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentmsg.formats import Native
    from agentmsg.formats.events import Fold, More


class BedrockReader(Reader):
    """Reads events as chunks."""

    def __init__(self, codec: am.Codec) -> None:
        super().__init__(codec)
        self._rest = BedrockEvents().fold()
        self._began = False
        self._calls: set[int] = set()
        self._held: dict[int, Fold] = {}  # blocks that are said whole

    def __call__(self, event: Native) -> am.MsgChunk | More | None:
        """Return what an event says; None if it says nothing."""
        ((name, told),) = event.items()
        if name == DELTA:
            return self._piece(told["delta"], told[INDEX]) or self._hold(event, told[INDEX])
        if name == START:
            start = told.get("start")
            return self._begun(start, told[INDEX]) or self._hold(event, told[INDEX]) if start else None
        if name == STOP:
            self.over = (placed(told[INDEX]),)
            return make_chunk(parts=tuple(self._whole(told[INDEX]))) if told[INDEX] in self._held else None
        self._rest.take(event)
        if name == "messageStart":
            if self._began:
                raise Unreadable  # what was said can't be taken back
            self._began = True
            return self.head(self.message({"output": {"message": {**told, "content": []}}}))
        rest = self.rest(self.message(self._rest.document())) if self.whole else {}
        parts = tuple(part for index in sorted(self._held) for part in self._whole(index))
        return make_chunk(parts=parts, **rest, done=name == "metadata")

    def _begun(self, start: Native, index: int) -> am.MsgChunk | None:
        """Return the start of a call; others are held."""
        if start.keys() != {"toolUse"}:
            return None
        if index in self._calls:
            raise Unreadable  # likewise
        self._calls.add(index)
        (found,) = self._blocks({"toolUse": {**start["toolUse"], "input": {}}})
        return said(found.evolve(raw_input="") if type(found) is am.ToolUseBlock else found, index)

    def _piece(self, delta: Native, index: int) -> am.MsgChunk | More | None:
        """Return a piece of a block; others are held."""
        ((kind, piece),) = delta.items()
        if kind == "text":
            return am.TextBlock, index, piece
        if kind == "toolUse":
            return am.ToolUseBlock, index, piece["input"]
        if kind == "citation":
            (found,) = self._blocks({"citationsContent": {"content": [{"text": ""}], "citations": [piece]}})
            return said(found, index)
        if kind != "reasoningContent" or "redactedContent" in piece:
            return None
        if piece.keys() == {"text"}:
            return am.ThinkingBlock, index, piece["text"]
        return said(self._blocks({kind: {"reasoningText": {"text": "", **piece}}})[0], index)

    def _hold(self, event: Native, index: int) -> am.MsgChunk | More | None:
        """Hold a part of a block that is said whole; this says nothing."""
        return self._held.setdefault(index, BedrockEvents().fold()).take(event)

    def _whole(self, index: int) -> Iterable[am.ChunkPart]:
        """Yield the parts of a block that was held; a point of caching says nothing of its own."""
        (block,) = self._held.pop(index).document()["output"]["message"]["content"]
        return (piece(found, index) for found in (() if "cachePoint" in block else self._blocks(block)))

    def _blocks(self, block: Native) -> tuple[Any, ...]:
        return self.message({"output": {"message": {"role": "assistant", "content": [block]}}}).content


class BedrockWriter(Writer):
    """Writes chunks as events."""

    signs: ClassVar[str | None] = FAMILY
    takes_objects: ClassVar[bool] = True

    def __init__(self, codec: am.Codec, thinking: Any) -> None:
        super().__init__(codec, thinking)
        self._index = -1

    def begin(self, chunk: am.MsgChunk) -> Iterable[Native]:
        """Return the start of the message."""
        yield {"messageStart": {"role": "assistant"}}

    def open(self, block: Any) -> Iterable[Native]:
        """Return the start of a call; other blocks have none."""
        self._index += 1
        if type(block) is am.ToolUseBlock:
            link = block.id or f"tooluse_{self._index}"
            yield {START: {"start": {"toolUse": {"toolUseId": link, "name": block.name}}, INDEX: self._index}}

    def more(self, block: Any) -> Iterable[Native]:
        """Return the deltas of the open block."""
        yield from super().more(block)
        if self.keeps(block):
            yield self._delta({"reasoningContent": {"signature": block.signature.value}})

    def delta(self, text: str) -> Native:
        """Return a delta of the open block."""
        if type(self.opened) is am.TextBlock:
            return self._delta({"text": text})
        is_call = type(self.opened) is am.ToolUseBlock
        return self._delta({"toolUse": {"input": text}} if is_call else {"reasoningContent": {"text": text}})

    def _delta(self, delta: Native) -> Native:
        return {DELTA: {"delta": delta, INDEX: self._index}}

    def close(self, block: Any) -> Iterable[Native]:
        """Return the end of the open block."""
        yield {STOP: {INDEX: self._index}}

    def whole(self, document: Native) -> Iterable[Native]:
        """Return the events of whole blocks."""
        for block in document.get("output", {}).get("message", {}).get("content", ()):
            self._index += 1
            yield from brought(block, self._index, WHOLE)

    def finish(self, document: Native) -> Iterable[Native]:
        """Return how the message ended, and its usage."""
        yield {"messageStop": {"stopReason": document.get("stopReason") or "end_turn"}}
        rest = {key: document[key] for key in ("usage", "metrics") if key in document}
        if rest:
            yield {"metadata": rest}


READER, WRITER = BedrockReader, BedrockWriter
