"""The tools of a training row, in their own column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.formats import spelling
from agentmsg.formats.bodies.tools import native_tool_row, read_tool, with_input, write_tool
from agentmsg.formats.capabilities import Row
from agentmsg.formats.cells import kinds
from agentmsg.formats.natives import is_marked
from agentmsg.formats.shapes import mark_of
from agentmsg.model.tools import NativeTool, ToolSpec
from agentmsg.values.types import is_list

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentmsg.formats.forms import Described
    from agentmsg.model.history import History
    from agentmsg.model.tools import Tool


class ToolColumn:
    """Reads and writes a row's tools: a column with a list of functions, or with the JSON text of that list.

    The history's mark ``/tools`` says how the column was spelt: as "list", or in the text's style and orders of keys.

    Args:
        described: the format.
        usual: the form of new tools.
        other: another form, whose notes mark its tools.
        style: the spelling of a new column.
    """

    def __init__(self, described: Described, usual: str, other: str, *, style: str) -> None:
        self._described, self._usual, self._other, self._style = described, usual, other, style

    def read(self, column: Any) -> tuple[tuple[Tool, ...], dict[str, Any]] | None:
        """Return a column's tools, and the mark for the history; None if it holds no tools."""
        found = spelling.parse_told(column) if type(column) is str else (column, "list")
        if found is None or not is_list(found[0]) or not found[0]:
            return None
        tools = tuple(map(self._read_one, found[0]))
        style = spelling.told_style(column, self._natives(tools)) if type(column) is str else "list"
        return None if style is None else (tools, {} if style == self._style else {"/tools": style})

    def _read_one(self, native: Any) -> Any:
        shapes = self._described.shapes
        return read_tool(native, self._described.family, shapes[self._usual], shapes[self._other])

    def write(self, history: History) -> Any:
        """Return the column for a history's tools, which fit."""
        noted = mark_of(history, self._described.family, "/tools") if history.notes else None
        tools = self._natives(history.tools)
        if noted == "list" or (noted is None and self._style == "list"):
            return tools
        text = spelling.dump_as_told(tools, noted)
        if text is not None:
            return text
        return tools if self._style == "list" else spelling.dump_styled(tools, self._style)

    def _natives(self, tools: Iterable[Tool]) -> list[Any]:
        shapes, family = self._described.shapes, self._described.family
        return [write_tool(tool, family, shapes[self._form_of(tool)]) for tool in tools]

    def _form_of(self, tool: Any) -> str:
        marks = self._described.forms[self._other].notes
        is_other = all(is_marked(tool, self._described.family, f"/{mark}") for mark in marks)
        return self._other if is_other else self._usual

    def rows(self) -> dict[type, Row]:
        """Return the rows of tools."""
        rows = self._described.rows
        fields = {name: rows.row(name, kind=kinds()).fields for name in (self._usual, self._other)}

        def extras(value: Any, tool: Any) -> Any:
            return fields[self._form_of(tool)]["extras"](value, tool)

        spec = Row({**fields[self._usual], "extras": extras}, with_input)
        return {ToolSpec: spec, NativeTool: native_tool_row(self._described.family, self._read_one)}
