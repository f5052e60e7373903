"""Responses as the events of OpenAI's Responses API that would have brought them; see ``events``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmsg.formats import Native, is_list, is_object
from agentmsg.formats.events import pieces_of
from agentmsg_codecs.openai_responses.names import PREFIXES

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
# What the pieces of a text must say, too: nothing, as in a response without it.
LIKELY: dict[str, Native] = {"output_text": {"logprobs": []}}
# What deltas bring of each kind of item, which is announced without it.
_OF_ITEM = {
    "function_call": ("function_call_arguments", "arguments"), "mcp_call": ("mcp_call_arguments", "arguments"),
    "custom_tool_call": ("custom_tool_call_input", "input"),
    "code_interpreter_call": ("code_interpreter_call_code", "code"),
}  # fmt: skip
# The kinds of items whose ids begin as those of another name.
_NAMED_AS = {"function": "call", "custom_tool": "custom"}
# Calls need none, and the SDK refuses one that the whole response doesn't have.
_NAMELESS = ("function_call", "custom_tool_call")


def unfolded(document: Native, size: int) -> Iterator[Native]:
    """Yield the events that bring a response, but for their numbers."""
    others = document.get("events") or ()
    document = {key: value for key, value in document.items() if key != "events"}
    begun: Native = {**document, "output": [], "status": "in_progress"}
    if "usage" in begun:
        begun["usage"] = None
    yield from ({"type": f"response.{what}", "response": begun} for what in ("created", "in_progress"))
    for index, item in enumerate(document.get("output") or ()):
        own = named(item, index)
        is_call = item.get("type") in _NAMELESS and "id" not in item
        yield from brought(item if is_call else own, own["id"], index, size)
    yield from others
    status = document.get("status")
    yield {"type": f"response.{status if status in ENDS else 'completed'}", "response": document}


def named(item: Native, index: int) -> Native:
    """Return an item with an id, if need be a made one: clients tell items by them."""
    if item.get("id"):
        return item
    kind = str(item.get("type")).removesuffix("_call")
    return {**item, "id": f"{PREFIXES.get(_NAMED_AS.get(kind, kind), 'item_')}{index}"}


def brought(item: Native, link: str, index: int, size: int) -> Iterator[Native]:
    """Yield the events that bring a whole item; inside it they tell its id."""
    yield {"type": "response.output_item.added", "output_index": index, "item": _announced(item)}
    yield from _inside(item, {"output_index": index, "item_id": link}, size)
    yield {"type": "response.output_item.done", "output_index": index, "item": item}


def _announced(item: Native) -> Native:
    """Return an item as it is announced: without what its deltas bring."""
    begun = {"status": "in_progress"} if "status" in item else {}
    emptied: Native = {key: [] for key in ("content", "summary") if is_list(item.get(key))}
    _, key = _text_of(item)
    return {**item, **begun, **emptied, **({} if key is None else {key: ""})}


def _text_of(item: Native) -> tuple[str, str | None]:
    """Return the name of the deltas that bring the text of an item, and its key; None if it has none."""
    name, key = _OF_ITEM.get(str(item.get("type")), ("", None))
    return name, key if key is not None and type(item.get(key)) is str else None


def _inside(item: Native, place: Native, size: int) -> Iterator[Native]:
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
