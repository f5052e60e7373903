"""Events of Anthropic's Messages API, beta events included; follows the Python package anthropic 2.14.

| event | response |
| --- | --- |
| message_start | all but content; a further one begins anew |
| content_block_start | the block of its index, in place of one before |
| content_block_delta | see ``_DELTAS``; of an unknown kind texts are appended, lists extended, the rest set |
| message_delta | the keys of delta; counts of usage replace those before; its other keys |
| ping, message_stop, those that the SDK adds | nothing |
| error | the stream has failed |
| any other | events, a list |

Arguments arrive as pieces of JSON. What isn't JSON, because the stream was cut, stays a text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg.formats import Native, Unreadable, dump_json, is_list, is_object
from agentmsg.formats.events import Events, Fold, More, arguments_of, pieces_of, with_cut_calls
from agentmsg_codecs.anthropic.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Iterator

START, DELTA, STOP = "content_block_start", "content_block_delta", "content_block_stop"
# The field of the block that each kind of delta extends, with what key and how; of a text, the class of the block.
DELTAS: dict[str, tuple[str, str, str, Any]] = {
    "text_delta": ("text", "text", "add", am.TextBlock),
    "thinking_delta": ("thinking", "thinking", "add", am.ThinkingBlock),
    "input_json_delta": ("input", "partial_json", "json", am.ToolUseBlock),
    "signature_delta": ("signature", "signature", "set", None), "compaction_delta": ("content", "content", "add", None),
    "citations_delta": ("citations", "citation", "push", None),
}  # fmt: skip
_SEALED = "encrypted_content"
_OF_MESSAGE = ("stop_reason", "stop_sequence", "stop_details", "container")
# Those of the SDK's own that repeat what the provider's say.
_SILENT = frozenset({"ping", STOP, "text", "citation", "thinking", "signature", "input_json", "compaction"})
_EVENTS = (START, DELTA, STOP, "message_start", "message_delta", "message_stop", "ping")
CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")


class _Fold(Fold):
    def __init__(self) -> None:
        super().__init__()
        self._head: Native = {}
        self._blocks: dict[int, Native] = {}
        self._inputs: dict[int, list[str]] = {}
        self._others: list[Native] = []
        self._open: tuple[Any, str, list[str]] = (None, "", [])  # the block whose text goes on, its key and pieces

    def take(self, event: Native) -> More | None:
        kind = event["type"]
        if kind == DELTA:
            return self._extend(event["index"], event["delta"])
        if kind == START:
            if type(event["index"]) is not int:
                raise Unreadable
            self._blocks[event["index"]] = dict(event["content_block"])
            self._inputs.pop(event["index"], None)
        elif kind == "message_start":
            self._head = dict(event["message"])
            content: list[Native] = self._head.get("content") or []
            self._blocks = dict(enumerate(map(dict, content)))
            self._inputs.clear()
        elif kind == "message_delta":
            self._head |= event["delta"]
            counts = counted(event)
            if counts:
                self._head["usage"] = {**(self._head.get("usage") or {}), **counts}
            self._head |= {key: value for key, value in event.items() if key not in ("type", "delta", "usage")}
        elif kind == "message_stop":
            self.ended = True
        elif kind == "error":
            self.error = event["error"]
        elif kind not in _SILENT:
            self._others.append(event)
        return None

    def _extend(self, index: int, delta: Native) -> More | None:
        block, known = self._blocks[index], DELTAS.get(delta["type"])
        if known is None:
            self._merge(block, delta)
            return None
        field, key, how, kind = known
        piece, (owner, last, pieces) = delta[key], self._open
        if owner is block and last is key and piece.__class__ is str and _SEALED not in delta:
            pieces.append(piece)
            return kind, index, piece
        if delta.get(_SEALED) is not None:  # of compaction, beside its text or in place of it
            block[_SEALED] = delta[_SEALED]
        if how == "add":
            if piece is not None:
                self.strings.add(block, field, piece)
        elif how == "json":
            if type(piece) is not str:
                raise Unreadable
            self._inputs.setdefault(index, []).append(piece)
        elif how == "push":
            self.strings.extend(block, field, (piece,))
        else:
            block[field] = piece
        if kind is not None and piece is not None:
            self._open = (block, key, self._inputs[index] if how == "json" else self.strings.latest)
        return None

    def _merge(self, block: Native, delta: Native) -> None:
        for key, value in delta.items():
            if is_list(value):
                self.strings.extend(block, key, value)
            elif type(value) is not str:
                block[key] = value
            elif key != "type":
                self.strings.add(block, key, value)

    def made(self) -> Native:
        for index, pieces in self._inputs.items():
            if text := "".join(pieces):
                self._blocks[index]["input"] = arguments_of(text)
        content = [self._blocks[index] for index in sorted(self._blocks)]
        events = {"events": self._others} if self._others else {}
        return {**self._head, "content": content, **events} if self._head or content else {}


class AnthropicEvents(Events):
    """Events of Anthropic's streams."""

    response: ClassVar[str] = "anthropic-response"
    live: ClassVar[str] = "agentmsg_codecs.anthropic.live"
    fold: ClassVar[type[Fold]] = _Fold
    tells_ends: ClassVar[bool] = True

    def is_event(self, document: Native) -> bool:
        """Whether an object is an event, by its type."""
        return document.get("type") in _EVENTS

    def unfold(self, document: Native, size: int) -> Iterator[Native]:
        """Yield the events that bring a response."""
        usage: Any = document.get("usage")
        unsaid = {key: None for key in _OF_MESSAGE[:2] if key in document}
        head = {key: value for key, value in document.items() if key not in (*_OF_MESSAGE[2:], "events")}
        begun = {"usage": {**usage, "output_tokens": min(1, usage["output_tokens"])}} if _counts(usage) else {}
        yield {"type": "message_start", "message": {**head, "content": [], **unsaid, **begun}}
        for index, block in enumerate(document["content"]):
            yield from brought(block, index, size)
        yield from document.get("events", ())
        told = {key: document[key] for key in _OF_MESSAGE if key in document}
        counts = {"output_tokens": usage["output_tokens"]} if begun else {}
        yield {"type": "message_delta", "delta": told, "usage": counts}
        yield {"type": "message_stop"}

    def finished(self, message: am.Msg) -> am.Msg:
        """Return a message whose calls with cut arguments are calls."""
        return with_cut_calls(message, FAMILY, _cut_call)


def counted(event: Native) -> Native:
    """Return the counts of usage that an event tells."""
    usage: Native = event.get("usage") or {}
    return {key: count for key, count in usage.items() if count is not None}


def _counts(usage: Any) -> bool:
    return is_object(usage) and type(usage.get("output_tokens")) is int


def brought(block: Native, index: int, size: int) -> Iterator[Native]:
    """Yield the events that bring a whole block."""
    start, deltas = _opened(block, size)
    yield {"type": START, "index": index, "content_block": start}
    yield from ({"type": DELTA, "index": index, "delta": delta} for delta in deltas)
    yield {"type": STOP, "index": index}


def _opened(block: Native, size: int) -> tuple[Native, list[Native]]:
    """Return how a block is announced, and the deltas that fill it."""
    kind = block.get("type")
    if kind == "text" and type(block.get("text")) is str:
        cited = [{"type": "citations_delta", "citation": citation} for citation in block.get("citations") or ()]
        empty: Native = {"citations": []} if cited else {}
        texts = [{"type": "text_delta", "text": piece} for piece in pieces_of(block["text"], size)]
        return {**block, "text": "", **empty}, [*cited, *texts]
    if kind == "thinking" and type(block.get("thinking")) is str:
        thoughts = [{"type": "thinking_delta", "thinking": piece} for piece in pieces_of(block["thinking"], size)]
        signed = {"signature": ""} if "signature" in block else {}
        last = [{"type": "signature_delta", "signature": block["signature"]}] if signed else []
        return {**block, "thinking": "", **signed}, [*thoughts, *last]
    if kind in CALLS and block.get("input"):
        text = block["input"] if type(block["input"]) is str else dump_json(block["input"]).decode()
        inputs = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces_of(text, size)]
        return {**block, "input": {}}, inputs
    return block, []


def _cut_call(value: Native) -> am.ToolUseBlock | None:
    if value.get("type") not in CALLS or type(value.get("input")) is not str:
        return None
    kind = "function" if value["type"] == "tool_use" else "server"
    return am.ToolUseBlock(value.get("id"), value.get("name") or "", raw_input=value["input"], kind=kind)


EVENTS = AnthropicEvents()
