"""Events of the Responses API as chunks, and chunks as its events; see ``events`` for what each says.

A text, a call and thinking are read as they arrive; what an item says besides when it is done, and reasoning's
encrypted content when the response is. All other items come whole when they are done.

Every item is announced, its parts too, and each is done before the next, in the order of ``output_index``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg.formats.events import TEXT_OF
from agentmsg_codecs.openai_responses.events import is_unknown, without
from agentmsg_codecs.openai_responses.names import PREFIXES
from agentmsg_codecs.openai_responses.unfolding import BEGINS, DELTAS, ENDS, LIKELY, brought, named
from agentmsg_codecs.wire.live import WHOLE, Reader, Writer, make_call, make_chunk, piece, plain, said

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentmsg.formats import Native
    from agentmsg.formats.events import More

_MORE: dict[str, type[am.Block]] = {
    "function_call_arguments": am.ToolUseBlock, "custom_tool_call_input": am.ToolUseBlock,
    "output_text": am.TextBlock, "refusal": am.RefusalBlock, "reasoning_text": am.ThinkingBlock,
    "reasoning_summary_text": am.ThinkingBlock,
}  # fmt: skip
_CALLS = {"function_call": "arguments", "custom_tool_call": "input"}
_CITED = "annotations"
_UNCITED: Native = {_CITED: []}
# What the codec says of reasoning besides its text.
_SEALED = ("encrypted_content",)
_STREAMED = ("message", "reasoning", *_CALLS)
_LEADS = {am.ToolUseBlock: PREFIXES["call"], am.ThinkingBlock: PREFIXES["reasoning"]}


class ResponsesReader(Reader):
    """Reads events as chunks."""

    def __init__(self, codec: am.Codec) -> None:
        super().__init__(codec)
        self._head: Native = {}
        self._done: set[int] = set()
        self._begun: set[str] = set()
        self._thoughts: dict[int, str] = {}  # of each item of reasoning, the deltas that its text comes in
        self._others: list[Native] = []

    def __call__(self, event: Native) -> am.MsgChunk | More | None:
        """Return what an event says; None if it says nothing."""
        name, _, what = event["type"].removeprefix("response.").rpartition(".")
        if what == "delta" and name in DELTAS:
            return self._piece(name, event)
        if name == "output_item" and what in ("added", "done"):
            return self._item(what, event["output_index"], event["item"])
        if not name and what in BEGINS and not self._head:
            self._head = {**event["response"], "output": []}
            return self.head(self.message(self._head))
        if not name and what in ENDS:
            return self._closing(event["response"])
        if is_unknown(event["type"]):
            self._others.append(without(event, "sequence_number"))
        return None

    def _piece(self, name: str, event: Native) -> am.MsgChunk | More | None:
        kind, index, text = _MORE.get(name), DELTAS[name][1], event["delta"]
        if kind is None:
            return None  # it comes whole
        place = f"{event['output_index']}/{event[index] if index else 0}"
        if name == "custom_tool_call_input":
            return said(make_call(None, "", raw_input=plain(text), kind="custom"), place)
        if kind is am.ThinkingBlock:
            # Of a summary and the words themselves, that which comes first is shown.
            if self._thoughts.setdefault(event["output_index"], name) != name:
                return None
            # The parts of reasoning are one text, with a blank line between them.
            lead = "\n\n" if event[index] and place not in self._begun else ""
            self._begun.add(place)
            return kind, f"{event['output_index']}/0", lead + text
        return kind, place, text

    def _item(self, what: str, index: int, item: Native) -> am.MsgChunk | None:
        kind = str(item.get("type"))
        if what == "added":
            if kind == "reasoning":  # what it says besides comes last, but it has its place here
                return said(am.ThinkingBlock("", item_id=item.get("id")), f"{index}/0")
            if kind not in _CALLS:
                return None
            begun = {"status": "completed"} if "status" in item else {}
            (call,) = self._blocks({**item, _CALLS[kind]: item.get(_CALLS[kind]) or "", **begun})
            return said(call.evolve(raw_input="") if not call.raw_input else call, f"{index}/0")
        if kind == "reasoning" and self.whole:  # the closing response may say other than this
            self.over = (f"{index}/0",)
            return None
        self._done.add(index)
        parts = self._left(index, item)
        self.over = tuple(part.index for part in parts)
        return make_chunk(parts=parts) if parts else None

    def _left(self, index: int, item: Native) -> tuple[am.ChunkPart, ...]:
        """Return the parts of what an item says besides its pieces; of other items, all."""
        blocks = self._blocks(item)
        if item.get("type") not in _STREAMED:
            return tuple(piece(block) for block in blocks)
        found: list[am.ChunkPart] = []
        for number, block in enumerate(blocks):
            key = TEXT_OF.get(block.__class__)
            rest = block if key is None else block.evolve(**{key: ""})
            found.append(piece(rest, f"{index}/{number}"))
        return tuple(found)

    def _closing(self, response: Native) -> am.MsgChunk:
        parts: list[am.ChunkPart] = []
        output: list[Native] = response.get("output") or []
        for index, item in enumerate(output):
            if index not in self._done:
                parts += self._left(index, item)
        events: Native = {"events": self._others} if self._others else {}
        rest = self.rest(self.message({**response, **events})) if self.whole else {}
        return make_chunk(parts=tuple(parts), **rest, done=True)

    def _blocks(self, item: Native) -> tuple[Any, ...]:
        return self.message({**self._head, "status": "completed", "output": [item]}).content


class ResponsesWriter(Writer):
    """Writes chunks as events."""

    signs: ClassVar[str | None] = "openai"

    def __init__(self, codec: am.Codec, thinking: Any) -> None:
        super().__init__(codec, thinking)
        self._output: list[Native] = []  # the items that are done
        self._announced = ""
        self._count = 0
        self._index = -1
        # Of the open block: its item and part as they were announced, its delta, and the pieces that were written.
        self._item: Native = {}
        self._part: Native = {}
        self._delta: Native = {}
        self._written: list[str] = []
        self._beside: list[am.ChunkPart] = []  # what its pieces say besides
        self._id = ""
        self._has_part = True  # of thinking, once it has a text
        self._own: dict[Any, str] = {}
        self._ids: set[str] = set()

    def _event(self, kind: str, **fields: Any) -> Native:
        self._count += 1
        return {"type": f"response.{kind}", "sequence_number": self._count - 1, **fields}

    def begin(self, chunk: am.MsgChunk) -> Iterable[Native]:
        """Return the events that announce the response, with all that the codec says of one without content."""
        empty = am.Msg("assistant", id=chunk.id or "resp_1", model=chunk.model, created_at=chunk.created_at)
        response: Native = {**am.encode(empty, self.codec, on_loss="ignore"), "status": "in_progress", "output": []}
        self._announced = response["id"]
        yield self._event("created", response=response)
        yield self._event("in_progress", response=response)

    def streams(self, block: Any) -> bool:
        """Whether pieces of a block are written as they arrive."""
        return type(block) is am.RefusalBlock or super().streams(block)

    def _take(self, key: Any, part: am.ChunkPart, out: list[Native]) -> None:
        own: Any = part.block.item_id
        if own:  # announced thinking may say no more
            self._own.setdefault(key, own)
        super()._take(key, part, out)
        if not self._has_part:
            self._usual = None

    @property
    def _place(self) -> Native:
        return {"output_index": self._index, "item_id": self._id}

    def open(self, block: Any) -> Iterable[Native]:
        """Return the events that announce an item and its part."""
        self._index += 1
        kind = block.__class__
        own, self._id = self._own.get(self.key), f"{_LEADS.get(kind, PREFIXES['message'])}{self._index}"
        if own and own not in self._ids:
            self._id = own
        self._ids.add(self._id)
        name, place = self._name()
        likely = LIKELY.get(name, {})
        self._delta = {"type": f"response.{name}.delta", "sequence_number": 0, **place, "delta": "", **likely}
        self._written, self._beside = [], []
        item: Native = {"id": self._id, "type": "message", "status": "in_progress", "role": "assistant", "content": []}
        if kind is am.ThinkingBlock:
            item = {"id": self._id, "type": "reasoning", "summary": []}
        elif kind is am.ToolUseBlock:
            item = {
                "id": self._id, "type": "function_call", "status": "in_progress", "name": block.name, "arguments": "",
                "call_id": block.id or f"call_{self._index}",
            }  # fmt: skip
        self._item = item
        yield self._event("output_item.added", output_index=self._index, item=item)
        self._has_part = kind is not am.ThinkingBlock
        if kind is not am.ThinkingBlock and kind is not am.ToolUseBlock:
            is_text = kind is am.TextBlock
            self._part = (
                {"type": "output_text", "text": "", **_UNCITED} if is_text else {"type": "refusal", "refusal": ""}
            )
            yield self._event("content_part.added", **self._place, content_index=0, part=self._part)

    def _name(self) -> tuple[str, Native]:
        """Return the name of the open block's deltas, and where they go."""
        kind = self.opened.__class__
        if kind is am.ToolUseBlock:
            return "function_call_arguments", self._place
        if kind is am.ThinkingBlock:
            return "reasoning_summary_text", {**self._place, "summary_index": 0}
        return "output_text" if kind is am.TextBlock else "refusal", {**self._place, "content_index": 0}

    def delta(self, text: str) -> Native:
        """Return a delta of the open block."""
        self._written.append(text)
        self._count += 1
        return {**self._delta, "sequence_number": self._count - 1, "delta": text}

    def more(self, block: Any) -> Iterable[Native]:
        """Return the events of a piece, and keep what it says besides until the item is done."""
        kind = block.__class__
        if block.citations if kind is am.TextBlock else kind is am.ThinkingBlock and block.signature is not None:
            self._beside.append(piece(block.evolve(**{TEXT_OF[kind]: ""}), 0))
        if kind is am.ThinkingBlock and block.thinking and not self._has_part:
            self._has_part = True
            self._part = {"type": "summary_text", "text": ""}
            yield self._event("reasoning_summary_part.added", **self._place, summary_index=0, part=self._part)
        yield from super().more(block)

    def close(self, block: Any) -> Iterable[Native]:
        """Return the events that end the open item."""
        name, place = self._name()
        parts, _, key = DELTAS[name]
        text = "".join(self._written)
        item: Native = {**self._item, "status": "completed"} if "status" in self._item else dict(self._item)
        part: Native = {**self._part, key: text}
        if self._beside:
            coded = self._coded(text, parts)
            item |= {sealed: coded[sealed] for sealed in _SEALED if sealed in coded}
            cited = coded.get(_CITED, ())
            part |= {_CITED: [*cited]} if cited else {}
            for number, annotation in enumerate(cited):
                more = {"annotation_index": number, "annotation": annotation}
                yield self._event("output_text.annotation.added", **place, **more)
        if self._has_part:
            yield self._event(f"{name}.done", **place, **{key: text}, **LIKELY.get(name, {}))
        if self._has_part and parts:
            family = "reasoning_summary_part" if parts == "summary" else "content_part"
            yield self._event(f"{family}.done", **place, part=part)
        item |= ({parts: [part]} if self._has_part else {}) if parts else {key: text}
        self._output.append(item)
        yield self._event("output_item.done", output_index=self._index, item=item)

    def _coded(self, text: str, parts: str) -> Native:
        """Return what the codec writes of the open block with all that its pieces say: its item, or its part."""
        first = piece(type(self.opened)(text), 0)
        made: list[Native] = am.encode(self.message([first, *self._beside]), self.codec, on_loss="ignore")["output"]
        return {} if not made else made[0]["content"][0] if parts == "content" else made[0]

    def whole(self, document: Native) -> Iterable[Native]:
        """Return the events of whole items."""
        for item in document["output"]:
            self._index += 1
            own = named(item, self._index)
            self._ids.add(own["id"])
            self._output.append(own)
            for event in brought(own, own["id"], self._index, WHOLE):
                yield self._event(event["type"].removeprefix("response."), **without(event, "type"))

    def finish(self, document: Native) -> Iterable[Native]:
        """Return the event with the whole response."""
        response: Native = {**document, "id": self._announced, "output": self._cited(document)}
        status = document.get("status")
        yield self._event(str(status) if status in ENDS else "completed", response=response)

    def _cited(self, document: Native) -> list[Native]:
        """Return the items, with citations that came when the item of their text was done: what counts is the last."""
        late = {
            part["text"]: part[_CITED]
            for item in document.get("output", ())
            if item.get("type") == "message"
            for part in item["content"]
            if part.get(_CITED)
        }
        return [_recited(item, late) if late and item.get("type") == "message" else item for item in self._output]


def _recited(item: Native, late: dict[str, list[Any]]) -> Native:
    """Return a message of which texts without citations have those that came late."""
    parts = [{**part, _CITED: part.get(_CITED) or late.get(part.get("text"), [])} if _CITED in part else part
             for part in item["content"]]  # fmt: skip
    return {**item, "content": parts}


READER, WRITER = ResponsesReader, ResponsesWriter
