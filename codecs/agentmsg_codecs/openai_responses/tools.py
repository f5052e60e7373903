"""The tools of a request, and those in an item."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Drop, Row, cells, speed
from agentmsg.formats.bodies import native_tool_row
from agentmsg_codecs.openai_responses.names import FAMILY
from agentmsg_codecs.wire.hosted_tools import same_in

if TYPE_CHECKING:
    from agentmsg.formats import Cell
    from agentmsg_codecs.openai_responses.items import Items

_SPECS = ("tool", "custom_tool")


def carried_tools(items: Items) -> Cell:
    """Return the cell of tools that arrive in an item: those that come back as they are."""

    def comes_back(tool: Any) -> bool:
        if isinstance(tool, am.NativeTool) and tool.codec != FAMILY:
            return False
        return am.same(items.read_tools(speed.plain_copy(items.write_tools([tool]))), (tool,))

    def cell(tools: tuple[Any, ...], _: Any) -> Any:
        kept = tuple(tool for tool in tools if comes_back(tool))
        if not kept:
            return Drop("no such tools here")
        return tools if len(kept) == len(tools) else kept

    return cell


def tool_rows(items: Items) -> dict[type[Any], Row]:
    """Return what requests support of tools."""
    return {
        am.ToolSpec: items.inputs.rows.row(*_SPECS, kind=cells.kinds("custom")),
        am.NativeTool: native_tool_row(FAMILY, lambda native: items.read_tools([native])[0], same_in(FAMILY)),
    }
