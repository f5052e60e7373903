"""The tools of a request, and those that an item gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError, thaw
from agentmsg.formats import KEEP, Drop, Native, Row, Unreadable, adopt, is_object, maker, plain_copy, write_as
from agentmsg.formats.forms import Rows
from agentmsg_codecs.openai_responses.names import FAMILY

if TYPE_CHECKING:
    from agentmsg.formats import Cell
    from agentmsg.formats.forms import Described

_make_native = maker(am.NativeTool)
_SPECS = ("tool", "custom_tool")


def read_tool(described: Described, native: Any) -> Any:
    """Return the tool of a native one; a NativeTool where OpenAI runs it, or where it would not come back."""
    try:
        if is_object(native):
            return described.shapes["tool"].read(native, am.ToolSpec)
    except (Unreadable, AgentMsgError):
        pass
    return _make_native(FAMILY, adopt(native))


def write_tool(described: Described, tool: Any) -> Native:
    """Return the native form of a tool that fits."""
    return thaw(tool.value) if isinstance(tool, am.NativeTool) else write_as(described.shapes["tool"], tool, FAMILY)


def carried_tools(described: Described) -> Cell:
    """Return the cell of tools that arrive in an item: those that come back as they are."""

    def comes_back(tool: Any) -> bool:
        if isinstance(tool, am.NativeTool) and tool.codec != FAMILY:
            return False
        return am.same(read_tool(described, plain_copy(write_tool(described, tool))), tool)

    def cell(tools: tuple[Any, ...], _: Any) -> Any:
        kept = tuple(tool for tool in tools if comes_back(tool))
        if not kept:
            return Drop("no such tools here")
        return tools if len(kept) == len(tools) else kept

    return cell


def _kind(kind: str, _: Any) -> str:
    return kind if kind == "custom" else "function"


def tool_rows(described: Described) -> dict[type[Any], Row]:
    """Return what requests support of tools."""

    def native(tool: am.NativeTool) -> Any:
        if tool.codec != FAMILY:
            return Drop(f"only {tool.codec} can write this")
        back = read_tool(described, plain_copy(thaw(tool.value)))
        return tool if isinstance(back, am.NativeTool) else Drop("this would be read as something else")

    return {
        am.ToolSpec: Rows(described).row(*_SPECS, kind=_kind),
        am.NativeTool: Row({"codec": KEEP, "value": KEEP}, native),
    }
