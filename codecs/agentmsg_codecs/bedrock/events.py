"""Events of Bedrock's ConverseStream, as boto3 1.43 gives them: ``{name: {...}}``.

| event | response |
| --- | --- |
| messageStart | output.message |
| contentBlockStart | the block of its index |
| contentBlockDelta: text, reasoningContent.text and redactedContent, toolUse.input | appended |
| contentBlockDelta: citation; lists; any other | extended; extended; set, bytes as base64 |
| messageStop | stopReason, additionalModelResponseFields |
| metadata | usage, metrics and its other keys |
| any name that ends in Exception | the stream has failed |
| any other | events, a list |

The bytes of application/vnd.amazon.eventstream aren't read: clients of AWS decode them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg.formats import Native, Unreadable, dump_json, is_list, is_mapping
from agentmsg.formats.events import Events, Fold, arguments_of, base64_of, pieces_of, with_cut_calls, without_bytes
from agentmsg_codecs.bedrock.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Iterator

INDEX, START, DELTA, STOP = "contentBlockIndex", "contentBlockStart", "contentBlockDelta", "contentBlockStop"
_CALL, _THOUGHT = "toolUse", "reasoningContent"
_REDACTED, _READABLE, _CITED = "redactedContent", "reasoningText", "citationsContent"
_EVENTS = frozenset({START, DELTA, STOP, "messageStart", "messageStop", "metadata"})
_OF_STOP = ("stopReason", "additionalModelResponseFields")


class _Fold(Fold):
    def __init__(self) -> None:
        super().__init__()
        self._message: Native = {}
        self._rest: Native = {}
        self._blocks: dict[int, Native] = {}
        self._inputs: dict[int, list[str]] = {}
        self._citations: dict[int, list[Any]] = {}
        self._others: list[Native] = []

    def take(self, event: Native) -> None:
        ((name, told),) = event.items()
        if name == DELTA:
            index = told[INDEX]
            self._extend(index, self._block(index), told["delta"])
        elif name == START:
            start: Native = told.get("start") or {}
            self._block(told[INDEX]).update({kind: dict(am.thaw(held)) for kind, held in start.items()})
            self._inputs.pop(told[INDEX], None)
        elif name == "messageStart":
            self._message |= told
            for held in (self._blocks, self._inputs, self._citations):
                held.clear()
        elif name in ("messageStop", "metadata"):
            self._rest |= told
            self.ended = self.ended or name == "messageStop"
        elif name.endswith("Exception"):
            self.error = event
        elif name != STOP:
            self._others.append(event)

    def _block(self, index: Any) -> Native:
        if type(index) is not int:
            raise Unreadable
        return self._blocks.setdefault(index, {})

    def _extend(self, index: int, block: Native, delta: Native) -> None:
        for kind, piece in delta.items():
            if kind == "text":
                self.strings.add(block, kind, piece)
            elif kind == _CALL:
                block.setdefault(kind, {})
                if type(piece["input"]) is not str:
                    raise Unreadable
                self._inputs.setdefault(index, []).append(piece["input"])
            elif kind == _THOUGHT:
                self._think(block.setdefault(kind, {}), piece)
            elif kind == "citation":
                self._citations.setdefault(index, []).append(piece)
            elif is_list(piece):
                block[kind] = block.get(kind) or {}
                self.strings.extend(block[kind], "content", without_bytes(piece))
            else:
                before, held = block.get(kind), without_bytes(piece)
                block[kind] = {**before, **held} if is_mapping(before) and is_mapping(held) else held

    def _think(self, held: Native, piece: Native) -> None:
        for key, value in piece.items():
            if key == _REDACTED:
                self.strings.add(held, key, without_bytes(value))
            elif key == "text":
                self.strings.add(held.setdefault(_READABLE, {}), key, value)
            else:
                held.setdefault(_READABLE, {})[key] = value

    def made(self) -> Native:
        for index, pieces in self._inputs.items():
            self._blocks[index][_CALL]["input"] = arguments_of("".join(pieces))
        content = [self._told(index) for index in sorted(self._blocks)]
        events = {"events": self._others} if self._others else {}
        if not self._message and not content:
            return {**self._rest, **events}
        return {"output": {"message": {**self._message, "content": content}}, **self._rest, **events}

    def _told(self, index: int) -> Native:
        block = self._blocks[index]
        if index in self._citations:
            text = block.get("text")
            return {_CITED: {"content": [] if text is None else [{"text": text}], "citations": self._citations[index]}}
        if _CALL in block:
            return {**block, _CALL: {**block[_CALL], "input": block[_CALL].get("input", {})}}
        held = block.get(_THOUGHT)
        if held and _REDACTED in held:
            return {**block, _THOUGHT: {**held, _REDACTED: base64_of(held[_REDACTED])}}
        return block


class BedrockEvents(Events):
    """Events of ConverseStream."""

    response: ClassVar[str] = "bedrock-response"
    live: ClassVar[str] = "agentmsg_codecs.bedrock.live"
    fold: ClassVar[type[Fold]] = _Fold
    tells_ends: ClassVar[bool] = True

    def is_event(self, document: Native) -> bool:
        """Whether an object is an event, by its one key."""
        return len(document) == 1 and not _EVENTS.isdisjoint(document)

    def unfold(self, document: Native, size: int) -> Iterator[Native]:
        """Yield the events that bring a response."""
        output: Native = document.get("output") or {}
        message: Native | None = output.get("message")
        if message is not None:
            yield {"messageStart": {key: value for key, value in message.items() if key != "content"}}
            for index, block in enumerate(message["content"]):
                yield from brought(block, index, size)
        yield from document.get("events", ())
        stop = {key: document[key] for key in _OF_STOP if key in document}
        if stop:
            yield {"messageStop": stop}
        rest = {key: value for key, value in document.items() if key not in ("output", "events", *_OF_STOP)}
        if rest:
            yield {"metadata": rest}

    def finished(self, message: am.Msg) -> am.Msg:
        """Return a message whose calls with cut arguments are calls."""
        return with_cut_calls(message, FAMILY, _cut_call)


def brought(block: Native, index: int, size: int) -> Iterator[Native]:
    """Yield the events that bring a whole block."""
    start, deltas = _opened(block, size)
    if start is not None:
        yield {START: {"start": start, INDEX: index}}
    yield from ({DELTA: {"delta": delta, INDEX: index}} for delta in deltas)
    yield {STOP: {INDEX: index}}


def _opened(block: Native, size: int) -> tuple[Native | None, list[Native]]:
    """Return how a block is announced, if it is, and the deltas that fill it."""
    ((kind, held),) = block.items()
    if kind == "text":
        return None, [{kind: piece} for piece in pieces_of(held, size)] or [{kind: ""}]
    if kind == _CALL:
        if "input" not in held:
            return block, []
        text = held["input"] if type(held["input"]) is str else dump_json(held["input"]).decode()
        start = {key: value for key, value in held.items() if key != "input"}
        return {kind: start}, [{kind: {"input": piece}} for piece in pieces_of(text, size)]
    if kind == _THOUGHT:
        return None, _thoughts(held, size)
    if kind == _CITED and len(held.get("content") or ()) <= 1 and held.get("citations"):
        texts = [part["text"] for part in held.get("content") or ()]
        return None, [
            *({"text": piece} for text in texts for piece in pieces_of(text, size)),
            *({"citation": citation} for citation in held["citations"]),
        ]
    return None, [{kind: held}]


def _thoughts(held: Native, size: int) -> list[Native]:
    if _READABLE not in held:
        return [{_THOUGHT: held}]
    readable = held[_READABLE]
    pieces = [{"text": piece} for piece in pieces_of(readable["text"], size)] or [{"text": ""}]
    rest = [{key: value} for key, value in readable.items() if key != "text"]
    return [{_THOUGHT: piece} for piece in (*pieces, *rest)]


def _cut_call(value: Native) -> am.ToolUseBlock | None:
    held = value.get(_CALL)
    if not is_mapping(held) or type(held.get("input")) is not str:
        return None
    return am.ToolUseBlock(held.get("toolUseId"), held.get("name") or "", raw_input=held["input"])


EVENTS = BedrockEvents()
