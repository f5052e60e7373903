"""The description: parts in messages for users, in which a call and its result are one part.

That part is read as two, a call and a result, each with its own keys; unknown keys belong to the call. ``tool-NAME`` is
read as ``dynamic-tool`` with a name (see steps.py), ``data-NAME`` as ``data``.

Marks: ``/old`` (a part of version 4, see v4.py), ``/kind`` (a file whose type is its kind: ``image``, ``audio`` or
``video``).

Follows the npm package ai 7.0.
"""

from __future__ import annotations

from typing import Any, ClassVar

import agentmsg as am
import agentmsg_codecs.vercel.ui.v4 as old
from agentmsg import thaw
from agentmsg.formats import (
    EMPTY,
    KEEP,
    Cell,
    Native,
    Parts,
    Unreadable,
    adopt,
    cells,
    is_marked,
    is_object,
    maker,
    mark_of,
    marked,
    media,
    natives,
    text_at,
)
from agentmsg.formats.forms import Described, Form, Hatch, Json, Key, Link, Text
from agentmsg_codecs.vercel.calls import (
    APPROVALS,
    CACHE,
    KIND,
    SLOTS,
    Options,
    carried_provider,
    compaction,
    read_input,
    runner_of,
    write_input,
)
from agentmsg_codecs.vercel.media import is_url, of_kind
from agentmsg_codecs.vercel.names import UI

_OBJECT: Any = dict  # so that type checkers ask nothing about what is inside
_DATA = "data-"
# The tags of forms that no native part has.
_INTERNAL = frozenset({"data", "dynamic-tool", "output"})
# By type, the test of media that usually are a ``file``.
_OF_KIND = {kind: of_kind(kind) for kind in media.CLASSES if kind != "file"}


def _as_file(part: Any) -> tuple[Native, bool] | None:
    tag: Any = part.get("type") if is_object(part) else None
    is_kind = type(tag) is str and tag in _OF_KIND and "mediaType" in part and _OF_KIND[tag](part)
    return ({**part, "type": "file"}, True) if is_kind else None


def _as_kind(native: Native, _: Any) -> Native:
    return {**native, "type": media.kind_of(native.get("mediaType"))}


class UIParts(Parts):
    """Parts that are one block each."""

    other_spellings: ClassVar[Any] = {"kind": (_as_file, _as_kind), "old": (old.today_part, old.old_part)}

    def read(self, part: Any) -> Any:
        """Read a part as a block; one without a meaning here, or that would not come back, as a NativeBlock."""
        tag: Any = part.get("type") if type(part) is _OBJECT else None
        if type(tag) is not str or (tag[:5] != _DATA and tag not in _INTERNAL):
            return Parts.read(self, part)  # the usual case
        if tag in _INTERNAL or "name" in part:
            return natives.native_part(part, UI)
        block = super().read({**part, "type": "data", "name": tag[len(_DATA) :]})
        return natives.native_part(part, UI) if isinstance(block, am.NativeBlock) else block

    def write(self, block: Any) -> Any:
        """Write a block that fits."""
        native = Parts.write(self, block)
        if block.__class__ is am.DataBlock:
            tag = f"{_DATA}{native['name']}"
            return {**{key: value for key, value in native.items() if key != "name"}, "type": tag}
        return native


_make_text = maker(am.TextBlock, "text")
_KEY, _CALL_KEY, RESULT_KEY = "providerMetadata", "callProviderMetadata", "resultProviderMetadata"
# The options of a part, by its class; a call and its result have one item.
_OPTIONS = {
    **{cls: Options(_KEY, UI, slots).hatch for cls, slots in SLOTS.items()},
    am.ToolUseBlock: Options(_CALL_KEY, UI, SLOTS[am.ToolUseBlock]).hatch,
    am.ToolResultBlock: Options(RESULT_KEY, UI, (CACHE,)).hatch,
}


# -- whether a text is complete ---------------------------------------------------------------------------------------


def _read_state(native: Native) -> dict[str, Any]:
    return {"notes": {"/done": True}} if native["state"] == "done" else {"odd": ("state",)}


def _write_state(block: Any) -> Native:
    is_done = is_marked(block, UI, "/done") and not natives.has_extra(block, UI, "state")
    return {"state": "done"} if is_done else {}


_STATE = Hatch(keys=("state",), cells={}, get=_read_state, put=_write_state, odd=("state",), is_optional=True,
               about="whether it is complete")  # fmt: skip


# -- files ------------------------------------------------------------------------------------------------------------


def read_url(url: str, media_type: str) -> Any:
    """Return the source for a URL; for a ``data:`` URL, its data."""
    head = f"data:{media_type};base64,"
    if url.startswith(head):
        return am.Base64Source(url[len(head) :], media_type)
    source = am.URLSource(url, media_type)
    return source if is_url(url) else marked(source, UI, odd=True)


def _read_file(native: Native) -> dict[str, Any]:
    return {"source": read_url(text_at(native, "url"), text_at(native, "mediaType"))}


def _write_file(block: Any) -> Native:
    return {"mediaType": block.source.media_type, "url": media.write_url(block.source)}


def _file_form(kind: str, cls: type[Any]) -> Form:
    source = Hatch(
        keys=("mediaType", "url"), cells={"source": KEEP}, get=_read_file, put=_write_file, must=("mediaType", "url"),
        schema={"mediaType": media.types_schema(kind), "url": {"type": "string"}}, about="source",
    )  # fmt: skip
    name = (Key("filename", "name", Text(), "may"),) if kind == "file" else ()
    return Form(kind, cls, "file", (source, *name, _OPTIONS[cls]), fits=of_kind(kind),
                schema={"required": ["mediaType"]})  # fmt: skip


# -- calls and their results -----------------------------------------------------------------------------------------

_PENDING_STATES = ("input-available", "input-streaming", "approval-requested", "approval-responded")


def _read_input(native: Native) -> dict[str, Any]:
    """Read the input of a call; an invalid one may be under ``rawInput``, one that is yet to come is absent."""
    raw = native.get("rawInput")
    if raw is not None and native.get("input") is None:
        fields = {"raw_input": None, **read_input(raw)}
        marks: Native = {"/raw": "valid" if fields["raw_input"] is None else True}
        if "input" in native:
            marks["/input"] = "null"
        return {**fields, "notes": marks}
    odd = ("rawInput",) if "rawInput" in native else ()
    if "input" in native:
        return {"raw_input": None, **read_input(native["input"]), "odd": odd}
    return {"raw_input": None, "input": EMPTY, "notes": {"/input": "absent"}, "odd": odd}


def _write_input(block: Any) -> Native:
    if not block.notes:
        return {"input": write_input(block)}
    how, raw = mark_of(block, UI, "/input"), mark_of(block, UI, "/raw")
    if raw == "valid" if block.is_valid else raw is True:
        value = None if natives.has_extra(block, UI, "rawInput") else write_input(block)
        if value is not None:
            return {"rawInput": value, **({"input": None} if how == "null" else {})}
    return {} if how == "absent" and block.is_valid and block.input == {} else {"input": write_input(block)}


_INPUT = Hatch(
    keys=("input", "rawInput"), cells={"input": KEEP, "raw_input": cells.arguments_text}, get=_read_input,
    put=_write_input, odd=("rawInput",), schema={"input": {}, "rawInput": {}}, about="input",
)  # fmt: skip


def _read_pending(native: Native) -> dict[str, Any]:
    """Read the state of a call without a result."""
    state = native["state"]
    if state not in _PENDING_STATES:
        raise Unreadable
    return {} if state == _PENDING_STATES[0] else {"notes": {"/state": state}}


def _write_pending(block: Any) -> Native:
    state = mark_of(block, UI, "/state")
    return {"state": state if state in _PENDING_STATES else _PENDING_STATES[0]}


_PENDING = Hatch(keys=("state",), cells={}, get=_read_pending, put=_write_pending, must=("state",),
                 schema={"state": {"enum": list(_PENDING_STATES)}}, about="what it waits for")  # fmt: skip


def _read_output(native: Native) -> dict[str, Any]:
    """Read the output of a tool: a text, a value, an error, or a denial."""
    state, words = native["state"], native.get("errorText")
    if state == "output-denied":
        if "output" in native or ("errorText" in native and type(words) is not str):
            raise Unreadable
        return {"status": "denied", "error": words}
    if state == "output-error":
        if "output" in native or type(words := native.get("errorText", "")) is not str:
            raise Unreadable
        notes = {} if "errorText" in native else {"/nothing": "absent"}
        return {"status": "error", "content": _texts(words), "notes": notes}
    if state != "output-available" or words is not None:
        raise Unreadable
    value, notes = native.get("output"), {"errorText": "null"} if "errorText" in native else {}
    if type(value) is str:
        return {"content": _texts(value), "notes": notes}
    if value is None:
        return {"notes": {**notes, "/nothing": "null" if "output" in native else "absent"}}
    return {"structured": adopt(value), "notes": notes}


def _texts(words: str) -> tuple[Any, ...]:
    return (_make_text(words),) if words else ()


def _write_output(block: Any) -> Native:
    words = block.content[0].text if block.content else ""
    if block.status == "denied":
        return {"state": "output-denied", **({} if block.error is None else {"errorText": block.error})}
    if block.structured is not None and block.status != "error":
        return {"state": "output-available", "output": thaw(block.structured)}
    nothing = None if block.content else mark_of(block, UI, "/nothing")
    if block.status == "error":
        return {"state": "output-error", **({} if nothing == "absent" else {"errorText": words})}
    if nothing == "absent":
        return {"state": "output-available"}
    return {"state": "output-available", "output": None if nothing == "null" else words}


def _read_served(native: Native) -> dict[str, Any]:
    return {**_read_output(native), "provider": runner_of(native.get("toolCallId"))}


_FIELDS: dict[str, Cell] = {
    "content": KEEP, "structured": KEEP, "status": cells.statuses("denied", "error"),
    "error": lambda value, block: value if block.status == "denied" else None,
}  # fmt: skip
_OUTPUT = Hatch(
    keys=("state", "output", "errorText"), cells=_FIELDS, get=_read_output, put=_write_output, must=("state",),
    schema={"state": {"enum": ["output-available", "output-error", "output-denied"]}},
    about="content, structured, status, error",
)  # fmt: skip
_SERVED = _OUTPUT.evolve(cells={**_FIELDS, "provider": carried_provider}, get=_read_served)
RESULT_KEYS = frozenset({"output", "errorText", RESULT_KEY})


# -- forms ------------------------------------------------------------------------------------------------------------


def describe() -> Described:
    """Return the description."""
    source: tuple[Any, ...] = (Key("sourceId", "item_id", Text(), "may", lacks="no-id"),)
    link, options = Key("toolCallId", "tool_call_id", Link()), _OPTIONS[am.ToolResultBlock]
    forms = (
        Form("text", am.TextBlock, "text", (Key("text", "text", Text()), _STATE, _OPTIONS[am.TextBlock])),
        Form("reasoning", am.ThinkingBlock, "reasoning", (
            Key("text", "thinking", Text()), _STATE, _OPTIONS[am.ThinkingBlock],
        )),
        *(_file_form(kind, cls) for kind, cls in media.CLASSES.items()),
        Form("source", am.SourceBlock, "source-url", (
            *source, Key("url", "url", Text()), Key("title", "title", Text(), "may"), _OPTIONS[am.SourceBlock],
        )),
        Form("document", am.SourceBlock, "source-document", (
            *source, Key("mediaType", "media_type", Text()), Key("title", "title", Text()), _OPTIONS[am.SourceBlock],
        ), when=lambda block: block.url is None),
        Form("data", am.DataBlock, "data", (
            Key("name", "name", Text()), Key("data", "data", Json()), Key("id", "item_id", Text(), "may"),
        )),
        compaction(_KEY, _OPTIONS[am.CompactionBlock]),
        Form("call", am.ToolUseBlock, "dynamic-tool", (
            Key("toolCallId", "id", Link()), Key("toolName", "name", Text()), _PENDING, _INPUT, KIND,
            _OPTIONS[am.ToolUseBlock],
        )),
        *APPROVALS,
        Form("server_result", am.ToolResultBlock, "output", (link, _SERVED, options), fixed={"kind": "server"}),
        Form("result", am.ToolResultBlock, "output", (link, _OUTPUT, options), is_apart=True),
    )  # fmt: skip
    files = tuple(media.CLASSES)
    places = {
        "system": ("text",),
        "user": ("text", *files, "source", "document", "data"),
        "assistant": (
            "text", "reasoning", *files, "source", "document", "data", "call", "request", "server_result", "compaction",
        ),
        "decisions": ("response",),
    }  # fmt: skip
    return Described(UI, forms, places, table=UIParts)
