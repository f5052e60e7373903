"""Events of OpenAI's Responses API; follows the Python package openai 3.57.

The response inside the closing event is what counts: items that are done may differ from it, and not all are announced
as done. Without it (the stream was cut) an item is what its ``output_item.done`` says, else what has come of it.

| event | response |
| --- | --- |
| response.created, in_progress, queued | all but output |
| response.completed, incomplete, failed | all |
| response.output_item.added, done | the item of its index |
| response.content_part.added, done; reasoning_summary_part.* | the part of its index |
| response.KIND.delta | see ``DELTAS``; appended |
| response.output_text.annotation.added | annotations of the part |
| response.KIND.done | nothing: the pieces say the same |
| error | the stream has failed |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from agentmsg.formats import Native, Unreadable, is_list, is_object
from agentmsg.formats.events import Events, Fold, pieces_of

if TYPE_CHECKING:
    from collections.abc import Iterator

ENDS = ("completed", "incomplete", "failed")
BEGINS = ("created", "in_progress", "queued")
# Where each kind of delta goes: the list of parts and the key of the index in it, if it is in a part; the field.
DELTAS: dict[str, tuple[str, str, str]] = {
    "output_text": ("content", "content_index", "text"), "refusal": ("content", "content_index", "refusal"),
    "reasoning_text": ("content", "content_index", "text"),
    "reasoning_summary_text": ("summary", "summary_index", "text"),
    "function_call_arguments": ("", "", "arguments"), "mcp_call_arguments": ("", "", "arguments"),
    "custom_tool_call_input": ("", "", "input"), "code_interpreter_call_code": ("", "", "code"),
}  # fmt: skip
_PARTS = {"content_part": ("content", "content_index"), "reasoning_summary_part": ("summary", "summary_index")}
# What the pieces of a text must say, too: nothing, as in a response without it.
LIKELY: dict[str, Native] = {"output_text": {"logprobs": []}}
# What deltas bring of each kind of item, which is announced without it.
_OF_ITEM = {
    "function_call": ("function_call_arguments", "arguments"), "mcp_call": ("mcp_call_arguments", "arguments"),
    "custom_tool_call": ("custom_tool_call_input", "input"),
    "code_interpreter_call": ("code_interpreter_call_code", "code"),
}  # fmt: skip


class _Fold(Fold):
    def __init__(self) -> None:
        super().__init__()
        self._head: Native = {}
        self._items: dict[int, Native] = {}
        self._closing: Native | None = None

    def take(self, event: Native) -> None:
        kind = event["type"]
        if kind == "error":
            self.error = {key: value for key, value in event.items() if key not in ("type", "sequence_number")}
            return
        name, _, what = kind.removeprefix("response.").rpartition(".")
        if not name:
            self._whole(what, event)
        elif name == "output_item" and what in ("added", "done"):
            self._items[_whole(event["output_index"])] = dict(event["item"])
        elif name in _PARTS and what in ("added", "done"):
            key, index = _PARTS[name]
            self._parts(event, key, index)[event[index]] = dict(event["part"])
        elif what == "delta" and name in DELTAS:
            self._extend(name, event)
        elif name == "output_text.annotation" and what == "added":
            part = self._part(event, "content", "content_index")
            part["annotations"] = [*(part.get("annotations") or ()), event["annotation"]]

    def _whole(self, what: str, event: Native) -> None:
        if what in BEGINS:
            self._head = dict(event["response"])
        elif what in ENDS:
            self._closing = dict(event["response"])
            self.ended = True
            if what == "failed":
                self.error = self._closing.get("error") or {}

    def _extend(self, name: str, event: Native) -> None:
        key, index, field = DELTAS[name]
        owner = self._items[event["output_index"]] if not key else self._part(event, key, index)
        self.strings.add(owner, field, event["delta"])

    def _part(self, event: Native, key: str, index: str) -> Native:
        return self._parts(event, key, index)[_whole(event[index])]

    def _parts(self, event: Native, key: str, index: str) -> list[Native]:
        """Return the parts of an item, with room for that of an event: they come one after the other."""
        item = self._items[event["output_index"]]
        parts: list[Native] = item[key] if is_list(item.get(key)) else []
        item[key] = parts
        if _whole(event[index]) > len(parts):
            raise Unreadable
        if event[index] == len(parts):
            parts.append({})
        return parts

    def made(self) -> Native:
        if self._closing is not None:
            return self._closing
        if not self._head and not self._items:
            return {}
        return {**self._head, "output": [self._items[index] for index in sorted(self._items)]}


def _whole(index: Any) -> int:
    if type(index) is not int:
        raise Unreadable
    return index


class ResponsesEvents(Events):
    """Events of the Responses API."""

    response: ClassVar[str] = "openai-responses-response"
    live: ClassVar[str] = "agentmsg_codecs.openai_responses.live"
    fold: ClassVar[type[Fold]] = _Fold
    tells_ends: ClassVar[bool] = True

    def is_event(self, document: Native) -> bool:
        """Whether an object is an event, by its type."""
        kind = document.get("type")
        return type(kind) is str and kind.startswith("response.")

    def unfold(self, document: Native, size: int) -> Iterator[Native]:
        """Yield the events that bring a response."""
        return ({**event, "sequence_number": number} for number, event in enumerate(_unfolded(document, size)))


def _unfolded(document: Native, size: int) -> Iterator[Native]:
    begun: Native = {**document, "output": [], "status": "in_progress"}
    if "usage" in begun:
        begun["usage"] = None
    yield from ({"type": f"response.{what}", "response": begun} for what in ("created", "in_progress"))
    for index, item in enumerate(document.get("output") or ()):
        place = {"output_index": index, **({"item_id": item["id"]} if "id" in item else {})}
        yield {"type": "response.output_item.added", "output_index": index, "item": announced(item)}
        yield from inside(item, place, size)
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    status = document.get("status")
    yield {"type": f"response.{status if status in ENDS else 'completed'}", "response": document}


def announced(item: Native) -> Native:
    """Return an item as it is announced: without what its deltas bring."""
    begun = {"status": "in_progress"} if "status" in item else {}
    emptied: Native = {key: [] for key in ("content", "summary") if is_list(item.get(key))}
    _, key = _text_of(item)
    return {**item, **begun, **emptied, **({} if key is None else {key: ""})}


def _text_of(item: Native) -> tuple[str, str | None]:
    """Return the name of the deltas that bring the text of an item, and its key; None if it has none."""
    name, key = _OF_ITEM.get(str(item.get("type")), ("", None))
    return name, key if key is not None and type(item.get(key)) is str else None


def inside(item: Native, place: Native, size: int) -> Iterator[Native]:
    """Yield the events of what an item holds."""
    for family, key in (("reasoning_summary", "summary"), ("content", "content")):
        parts = item.get(key)
        for number, part in enumerate(parts if is_list(parts) else ()):
            if is_object(part):
                yield from _part(family, part, {**place, f"{key}_index": number}, size)
    name, text = _text_of(item)
    if text is not None:
        yield from _texts(name, text, item[text], place, size)


def _part(family: str, part: Native, place: Native, size: int) -> Iterator[Native]:
    kind = part.get("type")
    key = "refusal" if kind == "refusal" else "text"
    name = {"reasoning_summary": "reasoning_summary_text"}.get(family, str(kind))
    is_text = type(part.get(key)) is str and name in DELTAS
    cited = part.get("annotations") or ()
    empty: Native = {**({key: ""} if is_text else {}), **({"annotations": []} if cited else {})}
    yield {"type": f"response.{family}_part.added", **place, "part": {**part, **empty}}
    if is_text:
        yield from _texts(name, key, part[key], place, size)
    for number, annotation in enumerate(cited):
        more = {"annotation_index": number, "annotation": annotation}
        yield {"type": "response.output_text.annotation.added", **place, **more}
    yield {"type": f"response.{family}_part.done", **place, "part": part}


def _texts(name: str, key: str, text: str, place: Native, size: int) -> Iterator[Native]:
    likely = LIKELY.get(name, {})
    for piece in pieces_of(text, size):
        yield {"type": f"response.{name}.delta", **place, "delta": piece, **likely}
    yield {"type": f"response.{name}.done", **place, key: text, **likely}


EVENTS = ResponsesEvents()
