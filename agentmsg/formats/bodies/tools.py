"""The tools of a request, or of a training row: functions by a form, all others as native tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.errors import AgentMsgError
from agentmsg.formats import spelling
from agentmsg.formats.capabilities import KEEP, Drop, Row, Swap
from agentmsg.formats.cells import kinds
from agentmsg.formats.natives import is_marked, only_of
from agentmsg.formats.shapes import Unreadable, mark_of, read_as, write_as
from agentmsg.model.construction import maker
from agentmsg.model.tools import NativeTool, ToolSpec
from agentmsg.values.frozen import adopt, thaw
from agentmsg.values.types import is_list, is_sequence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from agentmsg.formats.forms import Described
    from agentmsg.formats.shapes import Native, Shape
    from agentmsg.model.history import History
    from agentmsg.model.tools import Tool


_TOOLS = "tools"
_FREE_TEXT: Mapping[str, Any] = adopt(
    {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}
)
_make_native = maker(NativeTool)


def read_tool(native: Any, family: str, *shapes: Shape) -> Any:
    """Read a native tool by the first shape that can; else return a NativeTool."""
    for shape in shapes:
        try:
            return read_as(shape, native, family)
        except (Unreadable, AgentMsgError):
            continue
    return _make_native(family, adopt(native))


def write_tool(tool: Any, family: str, shape: Shape) -> Native:
    """Write a tool that fits."""
    return thaw(tool.value) if isinstance(tool, NativeTool) else write_as(shape, tool, family)


def listed_tools(body: Native, read: Callable[[list[Any]], Iterable[Any]]) -> tuple[tuple[Any, ...], bool]:
    """Return the tools in a body's list, and whether anything else is under the key: an extra.

    Args:
        body: an object.
        read: reads native tools.
    """
    given = body.get(_TOOLS)
    if is_list(given) and given:
        return tuple(read(given)), False
    return (), True


def says_no_tools(history: History, key: str, value: Any) -> bool:
    """Whether an extra is under the key of tools, and means that there are none."""
    return key == _TOOLS and not history.tools and not (is_sequence(value) and value)


def with_input(tool: ToolSpec) -> Any:
    """Give a tool that takes free text the schema of an equivalent function; see ``rules.custom_as_function``."""
    if tool.kind != "custom":
        return tool
    new = tool.evolve(kind="function", parameters=_FREE_TEXT)
    return Swap(new, "a tool that takes free text takes it as `input` here")


def native_tool_row(
    family: str, read: Callable[[Any], Any], same: Callable[[NativeTool], Swap | None] = lambda _: None
) -> Row:
    """Return the row of native tools for formats that support their family's own, if they come back.

    Args:
        family: whose native tools the format supports.
        read: reads a native tool.
        same: returns the family's own tool for another's that is the same; None if there is none.
    """

    def rule(tool: NativeTool) -> Any:
        if tool.codec != family:
            return same(tool) or Drop(only_of(tool.codec, tool.value))
        back = read(thaw(tool.value))
        return tool if isinstance(back, NativeTool) else Drop("this would be read as something else")

    return Row({"codec": KEEP, "value": KEEP}, rule)


# -- the column of a training row ------------------------------------------------------------------------------------


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
