"""Tools of a row: a column with a list of functions, or with the JSON text of that list.

The mark ``/tools`` of a history says how the column was spelt: as "list", or in the style of the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.errors import AgentMsgError
from agentmsg.formats.capabilities import KEEP, Drop, Row, Swap
from agentmsg.formats.forms.rows import Rows
from agentmsg.formats.json_styles import JSON_STYLES, dump_styled, styled
from agentmsg.formats.natives import is_marked
from agentmsg.formats.shapes import Unreadable, mark_of, write_as
from agentmsg.model.tools import NativeTool, ToolSpec
from agentmsg.values.frozen import adopt, plain_copy, thaw
from agentmsg.values.types import is_list, is_object

if TYPE_CHECKING:
    from agentmsg.formats.forms.described import Described
    from agentmsg.model.history import History
    from agentmsg.model.tools import Tool

__all__ = ["ToolColumn"]

_FREE_TEXT = adopt({"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]})


class ToolColumn:
    """Reads and writes the column.

    Args:
        described: the format.
        usual: the form of new tools.
        other: another form, whose notes mark its tools.
        style: how a new column is spelt.
    """

    def __init__(self, described: Described, usual: str, other: str, *, style: str) -> None:
        self._described, self._usual, self._other, self._style = described, usual, other, style

    def read(self, column: Any) -> tuple[tuple[Tool, ...], dict[str, str]] | None:
        """Return the tools of a column, and the mark of the history; None where it holds none."""
        found = styled(column) if type(column) is str else (column, "list")
        if found is None or not is_list(found[0]) or not found[0]:
            return None
        return tuple(map(self._read_one, found[0])), {} if found[1] == self._style else {"/tools": found[1]}

    def _read_one(self, native: Any) -> Tool:
        for name in (self._usual, self._other) if is_object(native) else ():
            try:
                return self._described.shapes[name].read(native, ToolSpec)  # type: ignore[no-any-return]
            except (Unreadable, AgentMsgError):
                pass
        return NativeTool(self._described.family, adopt(native))

    def write(self, history: History) -> Any:
        """Return the column of a history's tools, which fit."""
        tools = list(map(self._write_one, history.tools))
        noted = mark_of(history, self._described.family, "/tools") if history.notes else None
        style = noted if isinstance(noted, str) and noted in ("list", *JSON_STYLES) else self._style
        return tools if style == "list" else dump_styled(tools, style)

    def _form_of(self, tool: Any) -> str:
        marks = self._described.forms[self._other].notes
        is_other = all(is_marked(tool, self._described.family, f"/{mark}") for mark in marks)
        return self._other if is_other else self._usual

    def _write_one(self, tool: Tool) -> Any:
        if isinstance(tool, NativeTool):
            return thaw(tool.value)
        return write_as(self._described.shapes[self._form_of(tool)], tool, self._described.family)

    def rows(self) -> dict[type, Row]:
        """Return the rows of tools."""
        rows = Rows(self._described)
        cells = {name: rows.row(name, kind=lambda kind, _: "function").fields for name in (self._usual, self._other)}

        def extras(value: Any, tool: Any) -> Any:
            return cells[self._form_of(tool)]["extras"](value, tool)

        spec = Row({**cells[self._usual], "extras": extras}, _as_function)
        return {ToolSpec: spec, NativeTool: Row({"codec": KEEP, "value": KEEP}, self._own)}

    def _own(self, tool: NativeTool) -> Any:
        if tool.codec != self._described.family:
            return Drop(f"only {tool.codec} can write this")
        back = self._read_one(plain_copy(thaw(tool.value)))
        return tool if isinstance(back, NativeTool) else Drop("this would be read as something else")


def _as_function(tool: ToolSpec) -> Any:
    if tool.kind != "custom":
        return tool
    new = tool.evolve(kind="function", parameters=_FREE_TEXT)
    return Swap(new, "a tool that takes free text takes it as `input` here")
