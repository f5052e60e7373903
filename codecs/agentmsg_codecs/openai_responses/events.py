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
| response.KIND.done, what tells how far a tool has come, keepalive | nothing: see ``_TOLD`` |
| error | the stream has failed |
| any other | events, a list, but for their numbers |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from agentmsg import thaw
from agentmsg.formats import Native, Unreadable, is_list
from agentmsg.formats.events import Events, Fold
from agentmsg_codecs.openai_responses.unfolding import BEGINS, DELTAS, ENDS, unfolded

if TYPE_CHECKING:
    from collections.abc import Iterator

_PARTS = {"content_part": ("content", "content_index"), "reasoning_summary_part": ("summary", "summary_index")}
# What each kind of event tells that the items say, too, or its part of the table above.
_TOLD = {
    **dict.fromkeys(_PARTS, ("added", "done")), "output_text.annotation": ("added",),
    **dict.fromkeys(DELTAS, ("done",)), "compaction": ("compacting",),
    "code_interpreter_call": ("in_progress", "interpreting", "completed"),
    "image_generation_call": ("in_progress", "generating", "partial_image", "completed"),
    **dict.fromkeys(("file_search_call", "web_search_call"), ("in_progress", "searching", "completed")),
    **dict.fromkeys(("mcp_call", "mcp_list_tools"), ("in_progress", "completed", "failed")),
    "shell_call_command": ("added", "delta", "done"), "shell_call_output_content": ("delta", "done"),
}  # fmt: skip
_KNOWN = frozenset({
    "keepalive", *(f"response.{what}" for what in BEGINS),
    *(f"response.{name}.{what}" for name, told in _TOLD.items() for what in told),
})  # fmt: skip


class _Fold(Fold):
    def __init__(self) -> None:
        super().__init__()
        self._head: Native = {}
        self._items: dict[int, Native] = {}
        self._closing: Native | None = None
        self._others: list[Native] = []

    def take(self, event: Native) -> None:
        kind = event["type"]
        if kind == "error":
            self.error = without(event, "type", "sequence_number")
            return
        name, _, what = kind.removeprefix("response.").rpartition(".")
        if not name and what in BEGINS:
            self._head = dict(event["response"])
        elif not name and what in ENDS:
            self._end(what, event["response"])
        elif name == "output_item" and what in ("added", "done"):
            self._items[_whole(event["output_index"])] = dict(thaw(event["item"]))  # what comes is added to it
        elif name in _PARTS and what in ("added", "done"):
            key, index = _PARTS[name]
            self._parts(event, key, index)[event[index]] = dict(event["part"])
        elif what == "delta" and name in DELTAS:
            self._extend(name, event)
        elif name == "output_text.annotation" and what == "added":
            self.strings.extend(self._part(event, "content", "content_index"), "annotations", (event["annotation"],))
        elif is_unknown(kind):
            self._others.append(without(event, "sequence_number"))

    def _end(self, what: str, response: Native) -> None:
        self._closing, self.ended = dict(response), True
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
        events: Native = {"events": self._others} if self._others else {}
        if self._closing is not None:
            return {**self._closing, **events}
        if not self._head and not self._items:
            return events
        return {**self._head, "output": [self._items[index] for index in sorted(self._items)], **events}


def is_unknown(kind: str) -> bool:
    """Whether a kind of event isn't known to tell a part of the response, or nothing."""
    return kind not in _KNOWN


def without(event: Native, *keys: str) -> Native:
    """Return an event without some of its keys."""
    return {key: value for key, value in event.items() if key not in keys}


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
        return ({**event, "sequence_number": number} for number, event in enumerate(unfolded(document, size)))


EVENTS = ResponsesEvents()
