"""Outputs of tools: a text, a value, parts, an error, or a denial.

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
    is_list,
    is_marked,
    is_object,
    maker,
    natives,
    text_at,
)
from agentmsg.formats.forms import Hatch
from agentmsg_codecs.vercel.calls import carried_provider, runner_of
from agentmsg_codecs.vercel.names import FAMILY, OUTPUT

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmsg.formats import Parts

# By tag, the status of a result.
_TEXTS, _VALUES = {"text": None, "error-text": "error"}, {"json": None, "error-json": "error"}
_DENIAL, _OTHERS = frozenset({"type", "reason"}), frozenset({"type", "value"})
_make_text = maker(am.TextBlock, "text")


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
        spaces=(OUTPUT,),
    )
