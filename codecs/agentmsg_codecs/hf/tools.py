"""Tools: the column ``tools``, a list of functions or its JSON text.

The mark ``/tools`` of a history says how Python or JavaScript wrote the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError
from agentmsg.formats import Row, cells, is_list, is_marked, parse_json
from agentmsg.formats.bodies import native_tool_row, read_tool, with_input, write_tool
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
    return tuple(read_tool(entry, FAMILY, shapes["tool"], shapes["bare_tool"]) for entry in entries), style


def write_tools(shapes: Mapping[str, Shape], tools: Sequence[am.Tool]) -> list[Any]:
    """Return the functions of tools that fit."""
    return [
        write_tool(tool, FAMILY, shapes["bare_tool" if is_marked(tool, FAMILY, "/bare") else "tool"]) for tool in tools
    ]


def tool_rows(described: Described) -> dict[type, Row]:
    """Return the rows of tools."""
    rows = Rows(described)
    fields = {name: rows.row(name, kind=cells.kinds()).fields for name in ("tool", "bare_tool")}

    def extras(value: Any, tool: Any) -> Any:
        return fields["bare_tool" if is_marked(tool, FAMILY, "/bare") else "tool"]["extras"](value, tool)

    def back(native: Any) -> Any:
        return read_tool(native, FAMILY, described.shapes["tool"], described.shapes["bare_tool"])

    spec_row = Row({**fields["tool"], "extras": extras}, with_input)
    return {am.ToolSpec: spec_row, am.NativeTool: native_tool_row(FAMILY, back)}
