"""Chunks of Chat Completions as the library's chunks, and the other way; see ``folding`` for what each says.

Thinking that is shown is written as ``reasoning_content``, the key that most servers and clients know.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg.formats import Native, is_list, is_object
from agentmsg_codecs.openai.annotations import KEY
from agentmsg_codecs.openai.events import deltas_of
from agentmsg_codecs.openai.folding import BLOCKS, CHUNK, USUAL, OpenAIFold, Pieces, chunk_in
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
    piece,
    plain,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from agentmsg.formats.events import More

_MAKERS: dict[Any, Callable[[str], am.Block]] = {
    am.ThinkingBlock: make_thinking, am.TextBlock: make_text, am.RefusalBlock: make_refusal,
}  # fmt: skip
# The first key of each class is the one to write.
_KEYS: dict[Any, str] = {kind: key for key, kind in reversed(BLOCKS.items())}
_FUNCTION, _CUSTOM = ("function", "arguments"), ("custom", "input")
# Often copies: only one is read.
_THOUGHTS, _THOUGHT = ("reasoning_content", "reasoning"), "thinking"
_CONTENT, _TEXT = "content", "text"
_OF_CALL = frozenset({"index", "id", "type", "function", "custom"})
_USUAL = frozenset({*USUAL, "choices", "obfuscation"})
_READ = frozenset({"role", "tool_calls", *BLOCKS})


def _first(choices: list[Native]) -> Native:
    """Return the choice that is read; an empty one if there is none."""
    for choice in choices:
        if choice.get("index", 0) == 0:
            return choice
    return {}


class OpenAIReader(Reader):
    """Reads chunks of the first choice."""

    def __init__(self, codec: am.Codec) -> None:
        super().__init__(codec)
        self._began = self._is_left = self._has_first = False
        self._thought: str | None = None
        self._places: dict[Any, str] = {}  # of the details of reasoning
        # How content came: "text", "list" or not yet; of lists, how many items came before the last, and its type.
        self._content = ""
        self._item: tuple[int, Any] = (0, _TEXT)
        self._usual = Pieces()
        # All but what is read as it comes.
        self._rest = OpenAIFold()

    def __call__(self, event: Native) -> am.MsgChunk | More | None:
        """Return what a chunk says; None if it says nothing."""
        if "type" in event:
            chunk = chunk_in(event)
            if chunk is None:
                self._rest.add(event)
                return None
            event = chunk
        found = self._usual.of(event)
        if found is not None and found[2]:
            kind, place, text = found
            if kind is not am.ThinkingBlock:
                return found if self._content == _TEXT or kind is not am.TextBlock else self._text(text)
            if place == self._thought:
                return kind, _THOUGHT, text
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
            if not choices:  # what Azure says of the request comes first
                return None
            self._began = True
            return make_chunk(parts=tuple(parts), **self.began(self._message()))
        ends = any(held.get("finish_reason") is not None for held in choices)
        says_more = ends or event.get("usage") or not event.keys() <= _USUAL
        is_last = bool(choices) and self._rest.ended and (self.whole or self._rest.says_more)
        if not (says_more and (self.whole or is_last)):
            return make_pieces(tuple(parts)) if parts else None
        message = self._message()
        fields = self.rest(message) if self.whole else {}
        if is_last:
            parts += self._left(message)
        return make_chunk(parts=tuple(parts), **fields)

    def _parts(self, delta: Native) -> list[am.ChunkPart]:
        found: list[am.ChunkPart] = []
        details: list[Native] = delta.get("reasoning_details") or []
        said = [key for key in delta if key in BLOCKS and delta[key]]
        for key in said if len(said) < 2 else filter(said.__contains__, BLOCKS):  # noqa: PLR2004 - in their order
            if is_list(delta[key]) and key == _CONTENT:
                found += self._items(delta[key])
                continue
            block = _MAKERS[BLOCKS[key]](plain(delta[key]))
            if key not in _THOUGHTS:
                found.append(piece(block, self._text("")[1] if key == _CONTENT else key))
            elif self._thought in (None, key):
                self._thought = key
                places = (self._place(item) for item in details if item.get("text") or item.get("summary"))
                found.append(piece(block, next(places, _THOUGHT)))
        for item in details:
            found += self._detail(item, has_text=self._thought is not None)
        if "tool_calls" in delta:
            for place, call in enumerate(delta["tool_calls"] or ()):
                found.append(piece(self._call(call), call.get("index", place)))
        return found

    def _text(self, text: str) -> More:
        """Return a text of content, which goes on with a text of a list."""
        self._content = self._content or _TEXT
        return am.TextBlock, _CONTENT if self._content == _TEXT else self._listed(_TEXT), text

    def _items(self, content: list[Native]) -> Iterable[am.ChunkPart]:
        """Yield the parts of content as a list: a text or thinking goes on with the item before."""
        self._content = "list"
        for place, item in enumerate(content):
            index = self._listed(item.get("type") if is_object(item) else None, is_new=place > 0)
            yield from (piece(block, index) for block in self._said({"content": [item]}))

    def _listed(self, kind: Any, *, is_new: bool = False) -> str:
        """Return the place of an item of content."""
        number, before = self._item
        number += is_new or kind != before or kind not in (_TEXT, _THOUGHT)
        self._item = (number, kind)
        return f"{_CONTENT} {number}" if number else _CONTENT

    def _said(self, message: Native) -> tuple[Any, ...]:
        """Return the blocks of a part of a message."""
        return self.message({"choices": [{"index": 0, "message": {"role": "assistant", **message}}]}).content

    def _call(self, call: Native) -> am.ToolUseBlock:
        """Return a piece of a call."""
        body: Native = call.get("function") or {}
        kind, key = _FUNCTION
        if not body and "custom" in call:
            kind, key = _CUSTOM
            body = call["custom"] or {}
        text, link = plain(body.get("arguments") or body.get("input") or ""), call.get("id")
        link, name = None if link is None else plain(link), plain(body.get("name") or "")
        if not call.keys() <= _OF_CALL:  # a signature, perhaps
            whole = {**call, "type": kind, "id": link or "-", kind: {**body, "name": name, key: "{}"}}
            found: am.ToolUseBlock
            (found,) = self._said({"tool_calls": [{name: held for name, held in whole.items() if name != "index"}]})
            return found.evolve(id=link, raw_input=text)
        return make_call(link, name, raw_input=text, kind=kind)

    def _place(self, item: Native) -> str:
        """Return the place of a detail of reasoning; the first that has a text is what the key beside it says."""
        key, places = (item.get("index"), item.get("type")), self._places
        if key not in places:
            is_first = not (item.get("data") or self._has_first)
            self._has_first = self._has_first or is_first
            places[key] = _THOUGHT if is_first else f"{_THOUGHT} {len(places)}"
        return places[key]

    def _detail(self, item: Native, *, has_text: bool) -> Iterable[am.ChunkPart]:
        """Yield the part of a detail of reasoning: what a text beside it doesn't say, such as its signature."""
        is_text = item.get("text") or item.get("summary")
        if (has_text or not is_text) and not (item.get("signature") or item.get("data")):
            return
        for block in self._said({"reasoning_details": [item]}):
            if type(block) is am.ThinkingBlock:
                yield piece(block.evolve(thinking="") if has_text else block, self._place(item))

    def _message(self) -> am.Msg:
        document = self._rest.document()
        if not self._rest.ended:  # others are told once, at the end
            document["choices"] = document["choices"][:1]
        if self._content == _TEXT and document["choices"]:  # sources are citations of a text
            first = document["choices"][0]
            document["choices"][0] = {**first, "message": {**first["message"], _CONTENT: "-"}}
        return self.message(document)

    def _left(self, message: am.Msg) -> Iterable[am.ChunkPart]:
        """Yield the parts of what isn't read as it comes, once: citations of the text, sound."""
        if self._is_left:
            return
        self._is_left = True
        for block in message.content:
            if type(block) is am.TextBlock:
                if block.citations:
                    yield piece(block.evolve(text=""), _CONTENT)
            elif type(block) is not am.ThinkingBlock:
                yield piece(block)


class OpenAIWriter(Writer):
    """Writes chunks as those of Chat Completions."""

    is_parallel: ClassVar[bool] = True

    def __init__(self, codec: am.Codec, thinking: Any) -> None:
        super().__init__(codec, thinking)
        self._head: Native = {}
        self._calls: dict[Any, int] = {}
        # Of the open block: the key of its text; the number of a call, if it was announced, its kind and key.
        self._key: str | None = None
        self._number, self._of_call = -1, _FUNCTION
        self._cited: list[Any] = []  # the annotations of blocks that were written whole

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

    def open(self, block: Any) -> Iterable[Native]:
        """Find how the pieces of a block are written; a call is announced with its first one."""
        self._key = _KEYS.get(block.__class__)
        self._number = self._calls.get(self.key, -1)
        self._of_call = _CUSTOM if self._key is None and block.kind == "custom" else _FUNCTION
        return ()

    def more(self, block: Any) -> Iterable[Native]:
        """Return the chunk of a piece of the open block."""
        if self._key is not None or self._number >= 0:
            return super().more(block)
        number = self._number = self._calls[self.key] = len(self._calls)
        kind, key = self._of_call
        body = {"name": block.name, key: block.raw_input or ""}
        call = {"index": number, "id": block.id or f"call_{number}", "type": kind, kind: body}
        return (self._line({"tool_calls": [call]}),)

    def delta(self, text: str) -> Native:
        """Return the chunk of more of the open block."""
        if self._key is not None:
            return self._line({self._key: text})
        kind, key = self._of_call
        return self._line({"tool_calls": [{"index": self._number, kind: {key: text}}]})

    def whole(self, document: Native) -> Iterable[Native]:
        """Return the chunks of whole blocks."""
        for choice in document.get("choices", ()):
            for delta in deltas_of(choice["message"], WHOLE):
                said = {key: value for key, value in delta.items() if key != "role" and value not in (None, "")}
                for call in said.get("tool_calls") or ():
                    call["index"] = self._calls.setdefault((id(document), call["index"]), len(self._calls))
                self._cited += said.get(KEY, ())
                if said:
                    yield self._line(said)

    def finish(self, document: Native) -> Iterable[Native]:
        """Return the chunks with the citations of the whole text, with the reason, and with the usage."""
        choices = document.get("choices")
        cited = choices[0].get("message", {}).get(KEY) if choices else None
        left = [annotation for annotation in cited or () if annotation not in self._cited]
        if left:
            yield self._line({KEY: left})
        reason = choices[0].get("finish_reason") if choices else None
        yield self._line({}, reason or "stop")
        if is_object(document.get("usage")):
            yield {**self._head, "choices": [], "usage": document["usage"]}


READER, WRITER = OpenAIReader, OpenAIWriter
