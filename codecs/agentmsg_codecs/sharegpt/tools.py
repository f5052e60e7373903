"""Tools: the column ``tools``, the JSON text of a list of plain functions.

Marks: ``/tools`` of a history (the style of the text; "list" where it is none), ``/typed`` of a tool (its function
stands inside).
"""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg import AgentMsgError, thaw
from agentmsg.formats import (
    KEEP,
    Drop,
    Row,
    Swap,
    Unreadable,
    adopt,
    is_list,
    is_marked,
    is_object,
    mark_of,
    plain_copy,
    write_as,
)
from agentmsg.formats.forms import Rows
from agentmsg_codecs.sharegpt.format import DESCRIBED
from agentmsg_codecs.sharegpt.names import FAMILY
from agentmsg_codecs.sharegpt.values import dump, style_of, styled

_FREE_TEXT = adopt({"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]})
_FORMS = {True: "typed_function", False: "function"}


def read_tools(column: Any) -> tuple[tuple[am.Tool, ...], str] | None:
    """Return the tools of a column, and its style; None where it holds none."""
    found = styled(column) if type(column) is str else (column, "list")
    if found is None or not is_list(found[0]) or not found[0]:
        return None
    return tuple(map(_read_one, found[0])), found[1]


def _read_one(native: Any) -> am.Tool:
    if is_object(native):
        try:
            return DESCRIBED.shapes[_FORMS["function" in native]].read(native, am.ToolSpec)  # type: ignore[no-any-return]
        except (Unreadable, AgentMsgError):
            pass
    return am.NativeTool(FAMILY, adopt(native))


def write_tools(history: am.History) -> Any:
    """Return the column of a history's tools, which fit."""
    tools = list(map(_write_one, history.tools))
    style = mark_of(history, FAMILY, "/tools") if history.notes else None
    return tools if style == "list" else dump(tools, style_of(style) or "python")


def _form(tool: Any) -> str:
    return _FORMS[is_marked(tool, FAMILY, "/typed")]


def _write_one(tool: am.Tool) -> Any:
    if isinstance(tool, am.NativeTool):
        return thaw(tool.value)
    return write_as(DESCRIBED.shapes[_form(tool)], tool, FAMILY)


def _spec(tool: am.ToolSpec) -> Any:
    if tool.kind != "custom":
        return tool
    new = tool.evolve(kind="function", parameters=_FREE_TEXT)
    return Swap(new, "a tool that takes free text takes it as `input` here")


def _native(tool: am.NativeTool) -> Any:
    if tool.codec != FAMILY:
        return Drop(f"only {tool.codec} can write this")
    back = _read_one(plain_copy(thaw(tool.value)))
    return tool if isinstance(back, am.NativeTool) else Drop("this would be read as something else")


def tool_rows() -> dict[type, Row]:
    """Return the rows of tools."""
    rows = Rows(DESCRIBED)
    cells = {name: rows.row(name, kind=lambda kind, _: "function").fields for name in _FORMS.values()}

    def extras(value: Any, tool: Any) -> Any:
        return cells[_form(tool)]["extras"](value, tool)

    spec = Row({**cells["function"], "extras": extras}, _spec)
    return {am.ToolSpec: spec, am.NativeTool: Row({"codec": KEEP, "value": KEEP}, _native)}
