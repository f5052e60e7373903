"""Tools: the column ``tools``, a list of functions or its JSON text.

The mark ``/tools`` of a history says how Python or JavaScript wrote the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError, thaw
from agentmsg.formats import (
    KEEP,
    Drop,
    Native,
    Row,
    Swap,
    Unreadable,
    adopt,
    is_list,
    is_marked,
    is_object,
    parse_json,
    plain_copy,
    write_as,
)
from agentmsg.formats.forms import Rows
from agentmsg_codecs.hf.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentmsg.formats import Shape
    from agentmsg.formats.forms import Described

_STYLES: Mapping[str, Mapping[str, Any]] = {
    "python": {"ensure_ascii": False},
    "ascii": {},
    "compact": {"ensure_ascii": False, "separators": (",", ":")},
    "compact ascii": {"separators": (",", ":")},
    "indented": {"ensure_ascii": False, "indent": 2},
    "wide": {"ensure_ascii": False, "indent": 4},
}
_FREE_TEXT = adopt({"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]})


def dump(value: Any, style: str) -> str:
    """Return the text of JSON in one of the styles."""
    import json  # noqa: PLC0415 - loaded when a first row needs it

    return json.dumps(value, **_STYLES[style])


def style_of(mark: Any) -> str | None:
    """Return the style that a mark names; None where tools are a list."""
    return mark if isinstance(mark, str) and mark in _STYLES else None


def read_tools(shapes: Mapping[str, Shape], column: Any) -> tuple[tuple[am.Tool, ...], str | None] | None:
    """Return the tools of a column, and the style of its text; None where it holds none."""
    entries, style = column, None
    if type(column) is str:
        try:
            entries = parse_json(column, duplicates="error")
        except AgentMsgError:
            return None
        style = next((name for name in _STYLES if is_list(entries) and dump(entries, name) == column), None)
        if style is None:
            return None
    if not is_list(entries) or not entries:
        return None
    return tuple(_read_one(shapes, entry) for entry in entries), style


def _read_one(shapes: Mapping[str, Shape], native: Any) -> am.Tool:
    for name in ("tool", "bare_tool"):
        try:
            if is_object(native):
                return shapes[name].read(native, am.ToolSpec)  # type: ignore[no-any-return]
        except (Unreadable, AgentMsgError):
            pass
    return am.NativeTool(FAMILY, adopt(native))


def write_tools(shapes: Mapping[str, Shape], tools: Sequence[am.Tool]) -> list[Any]:
    """Return the functions of tools that fit."""
    return [_write_one(shapes, tool) for tool in tools]


def _write_one(shapes: Mapping[str, Shape], tool: am.Tool) -> Native:
    if isinstance(tool, am.NativeTool):
        return thaw(tool.value)  # type: ignore[no-any-return]
    return write_as(shapes["bare_tool" if is_marked(tool, FAMILY, "/bare") else "tool"], tool, FAMILY)


def tool_rows(described: Described) -> dict[type, Row]:
    """Return the rows of tools."""
    rows = Rows(described)
    cells = {name: rows.row(name, kind=lambda kind, _: "function").fields for name in ("tool", "bare_tool")}

    def extras(value: Any, tool: Any) -> Any:
        return cells["bare_tool" if is_marked(tool, FAMILY, "/bare") else "tool"]["extras"](value, tool)

    def spec(tool: am.ToolSpec) -> Any:
        if tool.kind != "custom":
            return tool
        new = tool.evolve(kind="function", parameters=_FREE_TEXT)
        return Swap(new, "a tool that takes free text takes it as `input` here")

    def native(tool: am.NativeTool) -> Any:
        if tool.codec != FAMILY:
            return Drop(f"only {tool.codec} can write this")
        back = _read_one(described.shapes, plain_copy(thaw(tool.value)))
        return tool if isinstance(back, am.NativeTool) else Drop("this would be read as something else")

    spec_row = Row({**cells["tool"], "extras": extras}, spec)
    return {am.ToolSpec: spec_row, am.NativeTool: Row({"codec": KEEP, "value": KEEP}, native)}
