"""The tools of a request: functions by a form, all others as native tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.errors import AgentMsgError
from agentmsg.formats.capabilities import KEEP, Drop, Row, Swap
from agentmsg.formats.natives import only_of
from agentmsg.formats.shapes import Unreadable, read_as, write_as
from agentmsg.model.construction import maker
from agentmsg.model.tools import NativeTool, ToolSpec
from agentmsg.values.frozen import adopt, thaw
from agentmsg.values.types import is_list, is_sequence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from agentmsg.formats.shapes import Native, Shape
    from agentmsg.model.history import History

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


def listed_tools(body: Native, read: Callable[[list[Any]], Iterable[Any]]) -> tuple[tuple[Any, ...], Native]:
    """Return the tools in a body's list; anything else under the key is returned as an extra.

    Args:
        body: an object.
        read: reads native tools.
    """
    given = body.get(_TOOLS)
    if is_list(given) and given:
        return tuple(read(given)), {}
    return (), {_TOOLS: given} if _TOOLS in body else {}


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
