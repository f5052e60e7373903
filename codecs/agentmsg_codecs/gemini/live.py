"""Gemini's chunks as the library's, and the other way; see ``events`` for what each says.

Calls are written whole: Gemini streams no arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg.formats import tool_links
from agentmsg_codecs.gemini.events import GeminiFold, first_of, goes_on, is_blank, without_parts
from agentmsg_codecs.gemini.names import PROVIDER
from agentmsg_codecs.gemini.response import number_of
from agentmsg_codecs.wire.live import Reader, Writer, make_chunk, make_text, make_thinking, piece

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentmsg.formats import Native
    from agentmsg.formats.events import More


class GeminiReader(Reader):
    """Reads the chunks of the first candidate."""

    def __init__(self, codec: am.Codec) -> None:
        super().__init__(codec)
        self._fold = GeminiFold()
        self._began = self._is_cited = False
        self._index = -1
        self._last: Native = {}

    def __call__(self, event: Native) -> am.MsgChunk | More | None:
        """Return what a chunk says; None if it says nothing."""
        content: Native = first_of(event.get("candidates")).get("content") or {}
        self._fold.add(event)
        given: list[Native] = content.get("parts") or []
        if len(given) == 1 and not self._fold.ended and goes_on(self._last, given[0]) and not is_blank(given[0]):
            kind = am.ThinkingBlock if self._last.get("thought") else am.TextBlock
            return kind, self._index, given[0]["text"]
        parts = tuple(filter(None, map(self._part, given)))
        fields: dict[str, Any] = {}
        if not self._began:
            self._began = True
            fields = self.began(self._message())
        if self._fold.ended:
            message = self._message()
            fields |= self.rest(message)
            parts += tuple(self._cited(message))
        return make_chunk(parts=parts, **fields) if parts or fields else None

    def _part(self, part: Native) -> am.ChunkPart | None:
        if self._index >= 0 and is_blank(part):
            return None
        if not goes_on(self._last, part):
            self._index += 1
            self._last = part
        if type(part.get("text")) is str and part.keys() <= {"text", "thought"}:
            make = make_thinking if part.get("thought") else make_text
            return piece(make(part["text"]), self._index)
        message = self.message({**self._fold.head, "candidates": [{"content": {"role": "model", "parts": [part]}}]})
        (block,) = message.content
        if type(block) is am.ToolUseBlock and type(block.id) is am.Made:  # of the place of the call
            block = block.evolve(id=tool_links.made_call_id((number_of(message), self._index), block.name))
        return piece(block, self._index)

    def _cited(self, message: am.Msg) -> Iterable[am.ChunkPart]:
        """Yield the citations of texts, which the last chunk tells, once."""
        if self._is_cited or len(message.content) != self._index + 1:
            return
        for index, block in enumerate(message.content):
            if type(block) is am.TextBlock and block.citations:
                self._is_cited = True
                yield piece(am.TextBlock("", citations=block.citations), index)

    def _message(self) -> am.Msg:
        return self.message(self._fold.document())


class GeminiWriter(Writer):
    """Writes chunks as Gemini's."""

    signs: ClassVar[str | None] = PROVIDER

    def __init__(self, codec: am.Codec, thinking: Any) -> None:
        super().__init__(codec, thinking)
        self._head: Native = {}

    def begin(self, chunk: am.MsgChunk) -> Iterable[Native]:
        """Return nothing: each chunk has the head."""
        named = {"modelVersion": chunk.model, "responseId": chunk.id}
        self._head = {key: value for key, value in named.items() if value is not None}
        return ()

    def _chunk(self, *parts: Native) -> Native:
        return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, "index": 0}], **self._head}

    def streams(self, block: Any) -> bool:
        """Whether pieces of a block are written as they arrive."""
        return type(block) is not am.ToolUseBlock and super().streams(block)

    def delta(self, text: str) -> Native:
        """Return the chunk of more of the open block."""
        return self._chunk({"text": text} if type(self.opened) is am.TextBlock else {"text": text, "thought": True})

    def whole(self, document: Native) -> Iterable[Native]:
        """Return the chunks of whole blocks."""
        for candidate in document.get("candidates", ()):
            content: Native = candidate.get("content") or {}
            yield from map(self._chunk, content.get("parts") or ())

    def finish(self, document: Native) -> Iterable[Native]:
        """Return the last chunk: the reason and the usage."""
        candidates: list[Native] = without_parts(document.get("candidates")) or [{}]
        rest: Native = {"finishReason": "STOP", **candidates[0], "content": {"role": "model", "parts": []}, "index": 0}
        yield {**document, "candidates": [rest], **self._head}


READER, WRITER = GeminiReader, GeminiWriter
