"""Chunks of Chat Completions as the library's chunks, and the other way; see ``folding`` for what each says.

Thinking that is shown is written as ``reasoning_content``, the key that most servers and clients know.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg.formats import Native, is_object
from agentmsg_codecs.openai.events import deltas_of
from agentmsg_codecs.openai.folding import CHUNK, OpenAIFold, Pieces, chunk_in
from agentmsg_codecs.wire.live import (
    WHOLE,
    Reader,
    Writer,
    make_call,
    make_chunk,
    make_pieces,
    make_refusal,
    make_text,
    make_thinking,
    more_arguments,
    more_text,
    more_thinking,
    piece,
    plain,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# The texts of a delta, in the order of their blocks. Of the first two, which are often copies, only one is read.
_TEXTS: dict[str, Callable[[str], am.Block]] = {
    "reasoning_content": make_thinking, "reasoning": make_thinking, "content": make_text, "refusal": make_refusal,
}  # fmt: skip
_THOUGHTS, _THOUGHT = ("reasoning_content", "reasoning"), "thinking"
_USUAL = frozenset({
    "id", "object", "created", "model", "choices", "system_fingerprint", "service_tier", "usage", "obfuscation",
    "provider",
})  # fmt: skip
_READ = frozenset({"role", "tool_calls", *_TEXTS})


def _first(choices: list[Native]) -> Native:
    """Return the choice that is read; an empty one if there is none."""
    for choice in choices:
        if choice.get("index", 0) == 0:
            return choice
    return {}


def _call(call: Native) -> am.ToolUseBlock:
    """Return a piece of a call."""
    body: Native = call.get("function") or {}
    kind = "function"
    if not body and "custom" in call:
        kind = "custom"
        body = call["custom"] or {}
    text, link = body.get("arguments") or body.get("input") or "", call.get("id")
    name = body.get("name") or ""
    return make_call(None if link is None else plain(link), plain(name), raw_input=plain(text), kind=kind)


class OpenAIReader(Reader):
    """Reads chunks of the first choice."""

    def __init__(self, codec: am.Codec) -> None:
        super().__init__(codec)
        self._began = self._is_left = False
        self._thought: str | None = None
        self._usual = Pieces()
        # All but what is read as it comes.
        self._rest = OpenAIFold()

    def __call__(self, event: Native) -> am.MsgChunk | None:
        """Return what a chunk says; None if it says nothing."""
        event = chunk_in(event)
        found = self._usual.of(event)
        if found is not None and found[1]:
            place, text = found
            if place.__class__ is int:
                return more_arguments(text, place)
            if place == "content":
                return more_text(text, place)
            if place == self._thought:
                return more_thinking(text, _THOUGHT)
        return self._unusual(event) if event else None

    def _unusual(self, event: Native) -> am.MsgChunk | None:
        """Return what a chunk says that isn't just another piece of a text."""
        choices: list[Native] = event.get("choices") or []
        choice = _first(choices)
        delta: Native = choice.get("delta") or {}
        parts = self._parts(delta)
        others = {key: value for key, value in delta.items() if key not in _READ or key == "role"}
        kept = [{**choice, "delta": others} if held is choice else held for held in choices]
        self._rest.add({**event, "choices": kept})
        if not self._began:
            self._began = True
            return make_chunk(parts=tuple(parts), **self.began(self._message()))
        if choice.get("finish_reason") is None and not event.get("usage") and event.keys() <= _USUAL:
            return make_pieces(tuple(parts)) if parts else None
        message = self._message()
        fields = self.rest(message)
        if choice and self._rest.ended:
            parts += self._left(message)
        return make_chunk(parts=tuple(parts), **fields)

    def _parts(self, delta: Native) -> list[am.ChunkPart]:
        found: list[am.ChunkPart] = []
        said = [key for key in delta if key in _TEXTS and delta[key]]
        for key in said if len(said) < 2 else filter(said.__contains__, _TEXTS):  # noqa: PLR2004 - in their order
            block = _TEXTS[key](plain(delta[key]))
            if key not in _THOUGHTS:
                found.append(piece(block, key))
            elif self._thought in (None, key):
                self._thought = key
                found.append(piece(block, _THOUGHT))
        if "reasoning_details" in delta:
            for item in delta["reasoning_details"] or ():
                found += self._detail(item, has_text=self._thought is not None)
        if "tool_calls" in delta:
            for place, call in enumerate(delta["tool_calls"] or ()):
                found.append(piece(_call(call), call.get("index", place)))
        return found

    def _detail(self, item: Native, *, has_text: bool) -> Iterable[am.ChunkPart]:
        """Yield the part of a detail of reasoning: what a text beside it doesn't say, such as its signature."""
        is_text = item.get("text") or item.get("summary")
        if (has_text or not is_text) and not (item.get("signature") or item.get("data")):
            return
        found = self.message({"choices": [{"index": 0, "message": {"role": "assistant", "reasoning_details": [item]}}]})
        for block in found.content:
            if type(block) is am.ThinkingBlock:
                place = f"{_THOUGHT} {item.get('index')}" if item.get("data") else _THOUGHT
                yield piece(block.evolve(thinking="") if has_text else block, place)

    def _message(self) -> am.Msg:
        return self.message(self._rest.document())

    def _left(self, message: am.Msg) -> Iterable[am.ChunkPart]:
        """Yield the parts of what isn't read as it comes, once: citations of the text, sound."""
        if self._is_left:
            return
        self._is_left = True
        for block in message.content:
            if type(block) is am.TextBlock:
                if block.citations:
                    yield piece(block, "content")
            elif type(block) is not am.ThinkingBlock:
                yield piece(block)


class OpenAIWriter(Writer):
    """Writes chunks as those of Chat Completions."""

    is_parallel: ClassVar[bool] = True

    def __init__(self, codec: am.Codec, thinking: Any) -> None:
        super().__init__(codec, thinking)
        self._head: Native = {}
        self._calls: dict[Any, int] = {}

    def begin(self, chunk: am.MsgChunk) -> Iterable[Native]:
        """Return the chunk that says who speaks."""
        created = 0 if chunk.created_at is None else int(chunk.created_at.timestamp())
        self._head = {
            "id": chunk.id or "chatcmpl-1", "object": CHUNK, "created": created, "model": chunk.model or "unknown",
        }  # fmt: skip
        yield self._line({"role": "assistant", "content": ""})

    def _line(self, delta: Native, finish: str | None = None) -> Native:
        return {**self._head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}]}

    def streams(self, block: Any) -> bool:
        """Whether pieces of a block are written as they arrive."""
        is_custom = type(block) is am.ToolUseBlock and block.kind == "custom"
        return is_custom or type(block) is am.RefusalBlock or super().streams(block)

    def more(self, block: Any) -> Iterable[Native]:
        """Return the chunk of a piece of the open block."""
        kind = block.__class__
        if kind is am.TextBlock:
            key, text = "content", block.text
        elif kind is am.ToolUseBlock:
            return (self._line({"tool_calls": [self._call(block)]}),)
        elif kind is am.RefusalBlock:
            key, text = "refusal", block.refusal
        else:
            key, text = "reasoning_content", block.thinking
        return (self._line({key: text}),) if text else ()

    def _call(self, block: am.ToolUseBlock) -> Native:
        is_custom = self.opened.kind == "custom"
        kind, key = ("custom", "input") if is_custom else ("function", "arguments")
        number = self._calls.get(self.key)
        text = block.raw_input or ""
        if number is not None:
            return {"index": number, kind: {key: text}}
        number = self._calls[self.key] = len(self._calls)
        return {
            "index": number,
            "id": block.id or f"call_{number}",
            "type": kind,
            kind: {"name": block.name, key: text},
        }

    def whole(self, document: Native) -> Iterable[Native]:
        """Return the chunks of whole blocks."""
        for choice in document.get("choices", ()):
            for delta in deltas_of(choice["message"], WHOLE):
                said = {key: value for key, value in delta.items() if key != "role" and value not in (None, "")}
                for call in said.get("tool_calls") or ():
                    call["index"] = self._calls.setdefault((id(document), call["index"]), len(self._calls))
                if said:
                    yield self._line(said)

    def finish(self, document: Native) -> Iterable[Native]:
        """Return the chunk with the reason, and that with the usage."""
        choices = document.get("choices")
        reason = choices[0].get("finish_reason") if choices else None
        yield self._line({}, reason or "stop")
        if is_object(document.get("usage")):
            yield {**self._head, "choices": [], "usage": document["usage"]}


READER, WRITER = OpenAIReader, OpenAIWriter
