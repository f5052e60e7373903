"""Calls, what their tools give, and approvals.

The input of a call is any JSON; its id tells which provider runs the tool. Text that isn't JSON, as a model
may write it, is itself the input: a string. An input that is a string but not JSON is put into an envelope,
``{"_raw": "its JSON"}``, and so is an input that looks like one.

Marks of results: ``/content`` (read from parts), ``/null`` (from null).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import (
    KEEP,
    Cell,
    Native,
    Unreadable,
    adopt,
    cells,
    dump_json,
    is_list,
    is_mapping,
    is_marked,
    is_object,
    maker,
    natives,
    speed,
    spelling,
    text_at,
    tool_arguments,
)
from agentmsg.formats.forms import Form, Hatch, Key, Link, Text, Truth, Wrapped
from agentmsg_codecs.vercel.names import APPROVAL, FAMILY, OUTPUT, RUNNERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmsg.formats import Parts


_RAW = "_raw"

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


def read_input(native: Any) -> dict[str, Any]:
    """Return the field ``input`` or ``raw_input`` for a native input."""
    if type(native) is str:
        return {"input": native} if _is_json(native) else {"raw_input": native}
    if is_object(native) and _is_envelope(native):
        value = native[_RAW]
        return {"input": adopt(value) if is_object(value) else speed.parse_arguments(value)[1]}
    return {"input": adopt(native)}


def write_input(block: am.ToolUseBlock) -> Any:
    """Return the native input of a call; for an invalid one, its text."""
    copy = tool_arguments.object_copy(block)
    if copy is not None:
        return copy  # the usual case
    value: Any = block.input
    if not block.is_valid:
        return block.raw_input
    if isinstance(value, str):
        return value if _is_json(value) else {_RAW: dump_json(value).decode()}
    return {_RAW: thaw(value)} if is_mapping(value) and _is_envelope(value) else thaw(value)


def _get_input(native: Native) -> dict[str, Any]:
    return {"raw_input": None, **read_input(native["input"])}


def _put_input(block: am.ToolUseBlock) -> Native:
    return {"input": write_input(block)}


INPUT = Hatch(
    keys=("input",), cells={"input": KEEP, "raw_input": cells.arguments_text}, get=_get_input, put=_put_input,
    must=("input",), schema={"input": {}}, about="input",
)  # fmt: skip

# -- who runs a tool --------------------------------------------------------------------------------------------------


def runner_of(link: Any) -> str | None:
    """Return the provider that runs a tool, which the id of its call tells; None if the client does."""
    if isinstance(link, str):
        for prefix, provider in RUNNERS.items():
            if link.startswith(prefix):
                return provider
    return None


def _read_kind(native: Native) -> dict[str, Any]:
    value = native["providerExecuted"]
    if value is True:
        return {"kind": "server", "provider": runner_of(native.get("toolCallId"))}
    if value is None or value is False:
        return {"kind": "function", "notes": {"providerExecuted": spelling.spelling_of(value)}}
    return {"kind": "function", "odd": ("providerExecuted",)}


def _write_kind(block: am.ToolUseBlock) -> Native:
    return {"providerExecuted": True} if block.kind == "server" else {}


def carried_provider(value: str, block: Any) -> str | None:
    """Keep the provider that runs a tool if the id of the call tells it."""
    return value if block.kind == "server" and value == runner_of(natives.link_at(block)) else None


KIND = Hatch(
    keys=("providerExecuted",), cells={"kind": cells.kinds("server"), "provider": carried_provider}, get=_read_kind,
    put=_write_kind, odd=("providerExecuted",), is_optional=True,
    silent={"providerExecuted": frozenset({"false", "null"})},
    schema={"providerExecuted": {"type": "boolean"}}, about="kind",
)  # fmt: skip


# By tag, the status of a result.
_TEXTS, _VALUES = {"text": None, "error-text": "error"}, {"json": None, "error-json": "error"}
_DENIAL, _OTHERS = frozenset({"type", "reason"}), frozenset({"type", "value"})
_make_text = maker(am.TextBlock, "text")


def _unknown(output: Any, block: am.ToolResultBlock) -> Any:
    """Return the extras of a result's output: a denial has a reason, any other a value."""
    known = _DENIAL if block.status == "denied" else _OTHERS
    return output if known.isdisjoint(output) else {key: output[key] for key in output if key not in known}


def _is_text(block: am.ToolResultBlock) -> bool:
    content = block.content
    return not content or (len(content) == 1 and natives.is_bare_text(content[0], FAMILY))


def _read(native: Native, inner: Parts) -> dict[str, Any]:
    output: Any = native.get("output")
    tag: Any = output.get("type") if is_object(output) else None
    if type(tag) is not str:
        raise Unreadable
    fields = _fields_of(tag, output, inner)
    known = _DENIAL if tag == "execution-denied" else _OTHERS
    rest = {key: value for key, value in output.items() if key not in known}
    if rest:
        fields["extras"] = {OUTPUT: adopt(rest)}
    return fields


def _fields_of(tag: str, output: Native, inner: Parts) -> dict[str, Any]:
    if tag == "execution-denied":
        return {"status": "denied", "error": text_at(output, "reason") if "reason" in output else None}
    if tag in _TEXTS:
        text = text_at(output, "value")
        return {"content": (_make_text(text),) if text else (), "status": _TEXTS[tag]}
    value = output.get("value")
    if tag in _VALUES and "value" in output:
        notes = {"/null": True} if value is None else {}
        return {"structured": adopt(value), "status": _VALUES[tag], "notes": notes}
    if tag != "content" or not is_list(value):
        raise Unreadable
    return {"content": tuple(map(inner.read, value)), "notes": {"/content": True}}


def _write(block: am.ToolResultBlock, inner: Parts) -> Native:
    content: Any = block.content
    if block.status == "denied":
        output: Native = {"type": "execution-denied"}
        if block.error is not None:
            output["reason"] = block.error
    elif block.structured is not None or (not content and is_marked(block, FAMILY, "/null")):
        output = {"type": "json" if block.status is None else "error-json", "value": thaw(block.structured)}
    elif block.status is None and (is_marked(block, FAMILY, "/content") or not _is_text(block)):
        output = {"type": "content", "value": list(map(inner.write, content))}
    else:
        output = {"type": "text" if block.status is None else "error-text", "value": content[0].text if content else ""}
    return {"output": {**output, **natives.extras_copy(block, OUTPUT)}}


# -- what is supported ------------------------------------------------------------------------------------------------


def is_denial(block: am.ToolResultBlock) -> bool:
    """Whether a result says only that its call was denied, and why."""
    return block.status == "denied" and not block.content and block.structured is None


def _status(value: str, block: am.ToolResultBlock) -> str | None:
    return value if value == "error" or is_denial(block) else "error" if block.is_error else None


def _error(value: str, block: am.ToolResultBlock) -> str | None:
    return value if is_denial(block) else None


def output(inner: Callable[[], Parts], *, is_served: bool) -> Hatch:
    """Return the hatch of outputs.

    Args:
        inner: returns the table of the parts in them.
        is_served: whether the provider ran the tool.
    """

    def get(native: Native) -> dict[str, Any]:
        fields = _read(native, inner())
        return {**fields, "provider": runner_of(native.get("toolCallId"))} if is_served else fields

    def put(block: Any) -> Native:
        return _write(block, inner())

    def of(*tags: str, **value: Any) -> Native:
        return {"type": "object", "properties": {"type": {"enum": list(tags)}, **value},
                "required": ["type", *value]}  # fmt: skip

    parts = {"type": "array", "items": {"$ref": "#/$defs/place_inner"}}
    denied = {"type": "object", "properties": {"type": {"const": "execution-denied"}, "reason": {"type": "string"}},
              "required": ["type"]}  # fmt: skip
    kinds = [of(*_TEXTS, value={"type": "string"}), of(*_VALUES, value={}), of("content", value=parts), denied]
    supported: dict[str, Cell] = {"content": KEEP, "structured": KEEP, "status": _status, "error": _error}
    return Hatch(
        keys=("output",),
        cells={**supported, "provider": carried_provider} if is_served else supported,
        get=get,
        put=put,
        schema={"output": {"anyOf": kinds}},
        about="content, structured, status, error",
        spaces={OUTPUT: _unknown},
    )


# Keys of requests without a field, which both families share.
SHARED = ("isAutomatic", "inputSchemaInput", "descriptor")


def _read_shared(native: Native) -> dict[str, Any]:
    found = {key: native[key] for key in SHARED if key in native}
    return {"extras": {APPROVAL: adopt(found)}} if found else {}


def _write_shared(block: Any) -> Native:
    return {key: value for key, value in natives.extras_copy(block, APPROVAL).items() if key in SHARED}


def _shared(extras: Any, _: Any) -> Any:
    return extras if extras.keys() <= {*SHARED} else {key: extras[key] for key in extras if key in SHARED}


def _kind_alone(native: Native) -> dict[str, Any]:
    return {name: value for name, value in KIND.get(native).items() if name != "provider"}


_DECIDED = KIND.evolve(cells={"kind": KIND.cells["kind"]}, get=_kind_alone)
APPROVALS = (
    Form("request", am.ApprovalRequestBlock, "tool-approval-request", (
        Key("approvalId", "id", Text()),
        Key("toolCallId", "tool_call_id", Link()),
        Key("reason", "reason", Text(), "may"),
        Key("signature", "signature", Wrapped(am.Signature, "value", {"provider": "vercel"}), "may"),
        Hatch(keys=SHARED, cells={}, get=_read_shared, put=_write_shared, spaces={APPROVAL: _shared},
              about='extras["vercel.approval"]'),
    )),
    Form("response", am.ApprovalResponseBlock, "tool-approval-response", (
        Key("approvalId", "id", Text()),
        Key("approved", "approved", Truth()),
        Key("reason", "reason", Text(), "may"),
        _DECIDED,
    )),
)  # fmt: skip
