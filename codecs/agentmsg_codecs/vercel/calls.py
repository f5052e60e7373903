"""Calls and results: the input is any JSON; a tool's output is one of several kinds.

Text that isn't JSON, as a model may write it, is itself the input: a string. An input that is a string but not JSON is
put into an envelope, ``{"_raw": "its JSON"}``, and so is an input that looks like one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import (
    KEEP,
    Native,
    Unreadable,
    adopt,
    cells,
    dump_json,
    is_bare_text,
    is_list,
    is_mapping,
    is_object,
    maker,
    mark_of,
    natives,
    speed,
    spelling,
    tool_arguments,
)
from agentmsg.formats.forms import Hatch
from agentmsg_codecs.vercel.names import FAMILY, OUTPUT, RUNNERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmsg.formats import Parts

_RAW = "_raw"
_make_text = maker(am.TextBlock, "text")


# -- input ------------------------------------------------------------------------------------------------------------


def _is_envelope(args: Any) -> bool:
    if len(args) != 1 or _RAW not in args:
        return False
    value = args[_RAW]
    if is_mapping(value):
        return _is_envelope(value)
    if not isinstance(value, str):
        return False
    valid, parsed, _ = speed.parse_arguments(value)
    return valid and isinstance(parsed, str) and not _is_json(parsed) and dump_json(parsed).decode() == value


def _is_json(text: str) -> bool:
    return bool(speed.parse_arguments(text)[0])


def read_input(given: Any) -> dict[str, Any]:
    """Return the fields ``input`` or ``raw_input`` that an input is."""
    if type(given) is str:
        return {"input": given} if _is_json(given) else {"raw_input": given}
    if is_object(given) and _is_envelope(given):
        value = given[_RAW]
        return {"input": adopt(value) if is_object(value) else speed.parse_arguments(value)[1]}
    return {"input": adopt(given)}


def write_input(block: am.ToolUseBlock) -> Any:
    """Return the input of a call; the text of an invalid one."""
    value: Any = block.input
    if is_mapping(value) and _RAW not in value:
        return tool_arguments.input_copy(block)  # no envelope: the object itself
    if not block.is_valid:
        return block.raw_input
    if isinstance(value, str):
        return value if _is_json(value) else {_RAW: dump_json(value).decode()}
    return {_RAW: thaw(value)} if is_mapping(value) and _is_envelope(value) else thaw(value)


def own_text(text: str, block: am.ToolUseBlock) -> str | None:
    """Keep the text of arguments where the input says all of it, or there is none."""
    return text if block.significant_text is None or not block.is_valid else None


def _get_input(native: Native) -> dict[str, Any]:
    if "input" in native:
        fields = {"raw_input": None, **read_input(native["input"])}
        return {**fields, "odd": ("args",)} if "args" in native else fields
    if "args" not in native:
        raise Unreadable
    return {"raw_input": None, **read_input(native["args"]), "notes": {"/args": True}}


def _put_input(block: am.ToolUseBlock) -> Native:
    is_old = block.notes and mark_of(block, FAMILY, "/args") is True and not natives.has_extra(block, FAMILY, "args")
    return {"args" if is_old else "input": write_input(block)}


# Before AI SDK 5 they were the `args` of a call.
INPUT = Hatch(
    keys=("input", "args"), cells={"input": KEEP, "raw_input": own_text}, get=_get_input, put=_put_input,
    odd=("args",), schema={"input": {}}, about="input",
)  # fmt: skip


# -- who runs a tool --------------------------------------------------------------------------------------------------


def runner_of(link: Any) -> str | None:
    """Return the provider that runs a tool, as the id of its call tells."""
    found = (name for start, name in RUNNERS.items() if type(link) is str and link.startswith(start))
    return next(found, None)


def read_kind(native: Native) -> dict[str, Any]:
    """Return who runs the tool of a call."""
    value = native["providerExecuted"]
    if value is True:
        return {"kind": "server", "provider": runner_of(native.get("toolCallId"))}
    if value is None or value is False:
        return {"kind": "function", "notes": {"providerExecuted": spelling.spelling_of(value)}}
    return {"kind": "function", "odd": ("providerExecuted",)}


def carried_provider(value: str, block: Any) -> str | None:
    """Keep who runs a tool, where the id of the call tells it."""
    link = natives.link_at(block)
    known = runner_of(None if link is None else str(link))
    return value if block.kind == "server" and value == known else None


def _write_kind(block: am.ToolUseBlock) -> Native:
    return {"providerExecuted": True} if block.kind == "server" else {}


KIND = Hatch(
    keys=("providerExecuted",), cells={"kind": cells.kinds("server"), "provider": carried_provider}, get=read_kind,
    put=_write_kind, odd=("providerExecuted",), is_optional=True,
    schema={"providerExecuted": {"type": "boolean"}}, about="kind",
)  # fmt: skip


# -- what a tool gave -------------------------------------------------------------------------------------------------

_TEXTS, _VALUES = {"text": None, "error-text": "error"}, {"json": None, "error-json": "error"}


# Before AI SDK 5 what a tool gave was any JSON, and that it failed stood beside.
_OLD = ("result", "isError")
_DENIED, _TOLD = frozenset({"type", "reason"}), frozenset({"type", "value"})


def _read_result(native: Native) -> dict[str, Any]:
    """Return the fields of what a tool gave, as it stood there before AI SDK 5."""
    value, is_error = native["result"], native.get("isError") is True
    notes: Native = {"/result": True}
    odd = () if is_error or "isError" not in native else ("isError",)
    told: dict[str, Any] = {"status": "error" if is_error else None, "notes": notes, "odd": odd}
    if type(value) is str:
        return {**told, "content": (_make_text(value),) if value else ()}
    if value is None:
        notes["/null"] = True
    return {**told, "structured": adopt(value)}


def _write_result(block: Any, family: str) -> Native | None:
    """Return what a tool gave as it was read from a message before AI SDK 5; None where it can't stand there."""
    beside = natives.extras_of(block, family)
    is_old = block.notes and mark_of(block, family, "/result") is True and OUTPUT not in block.extras
    if not is_old or block.status not in (None, "error") or "result" in beside:
        return None
    if block.status is not None and "isError" in beside:
        return None
    failed = {} if block.status is None else {"isError": True}
    if block.structured is not None:
        return None if isinstance(block.structured, str) else {"result": thaw(block.structured), **failed}
    if not _is_text(block.content, family):
        return None
    is_null = not block.content and mark_of(block, family, "/null") is True
    return {"result": None if is_null else block.content[0].text if block.content else "", **failed}


def _read_output(native: Native, inner: Parts) -> dict[str, Any]:
    if "output" not in native and "result" in native:
        return _read_result(native)
    fields = _read_told(native, inner)
    odd = tuple(key for key in _OLD if key in native)
    return {**fields, "odd": odd} if odd else fields


def _read_told(native: Native, inner: Parts) -> dict[str, Any]:
    held: Any = native.get("output")
    tag: Any = held.get("type") if is_object(held) else None
    if type(tag) is not str:
        raise Unreadable
    known = _DENIED if tag == "execution-denied" else _TOLD
    rest = {key: value for key, value in held.items() if key not in known}
    fields = _fields_of(tag, held, inner)
    return {**fields, "extras": {OUTPUT: adopt(rest)}} if rest else fields


def output_keys(block: am.ToolResultBlock) -> frozenset[str]:
    """Return the keys of what says what a tool gave: a denial has a reason, all else a value."""
    return _DENIED if block.status == "denied" else _TOLD


def _fields_of(tag: str, held: Native, inner: Parts) -> dict[str, Any]:
    value = held.get("value")
    if tag == "execution-denied":
        reason = held.get("reason")
        if "reason" in held and type(reason) is not str:
            raise Unreadable
        return {"status": "denied", "error": reason}
    if tag in _TEXTS:
        if type(value) is not str:
            raise Unreadable
        return {"content": (_make_text(value),) if value else (), "status": _TEXTS[tag]}
    if tag in _VALUES:
        if "value" not in held:
            raise Unreadable
        notes = {"/null": True} if value is None else {}
        return {"structured": adopt(value), "status": _VALUES[tag], "notes": notes}
    if tag != "content" or not is_list(value):
        raise Unreadable
    return {"content": tuple(map(inner.read, value)), "notes": {"/content": True}}


def _write_output(block: Any, inner: Parts, family: str) -> Native:
    content = block.content
    rest: Native = thaw(natives.extras_of(block, OUTPUT))

    def marked_as(mark: str) -> bool:
        return bool(block.notes) and mark_of(block, family, mark) is True

    if block.status == "denied":
        held: Native = {"type": "execution-denied"} if block.error is None else {
            "type": "execution-denied", "reason": block.error,
        }  # fmt: skip
    elif block.structured is not None or (not content and marked_as("/null")):
        held = {"type": "json" if block.status is None else "error-json", "value": thaw(block.structured)}
    elif block.status is None and (marked_as("/content") or not _is_text(content, family)):
        held = {"type": "content", "value": list(map(inner.write, content))}
    else:
        held = {"type": "text" if block.status is None else "error-text", "value": content[0].text if content else ""}
    return {"output": {**held, **rest}}


def _is_text(content: Any, family: str) -> bool:
    return not content or (len(content) == 1 and is_bare_text(content[0], family))


def output(inner: Callable[[], Parts], family: str, *, is_served: bool = False) -> Hatch:
    """Return what says what a tool gave.

    Args:
        inner: returns the table of the parts that may stand in it.
        family: whose marks these are.
        is_served: whether its provider ran the tool.
    """

    def get(native: Native) -> dict[str, Any]:
        fields = _read_output(native, inner())
        return {**fields, "provider": runner_of(native.get("toolCallId"))} if is_served else fields

    def put(block: Any) -> Native:
        old = _write_result(block, family)
        return _write_output(block, inner(), family) if old is None else old

    def of(*tags: str, **value: Any) -> Native:
        return {"type": "object", "properties": {"type": {"enum": list(tags)}, **value},
                "required": ["type", *value]}  # fmt: skip

    parts = {"type": "array", "items": {"$ref": "#/$defs/place_inner"}}
    kinds = [of(*_TEXTS, value={"type": "string"}), of(*_VALUES, value={}), of("content", value=parts)]
    return Hatch(
        keys=("output", *_OLD),
        cells={
            **dict.fromkeys(("content", "structured", "status", "error"), KEEP),
            **({"provider": carried_provider} if is_served else {}),
        },
        get=get,
        put=put,
        odd=_OLD,
        schema={"output": {"anyOf": kinds}},
        about="content, structured, status, error",
        spaces=(OUTPUT,),
    )
