"""The tools of a request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Row, Swap, cells
from agentmsg.formats.bodies import native_tool_row, read_tool, with_input
from agentmsg_codecs.anthropic.names import FAMILY
from agentmsg_codecs.wire.hosted_tools import same_in

if TYPE_CHECKING:
    from agentmsg.formats.forms import Described


def _spec(tool: am.ToolSpec) -> Any:
    if tool.kind != "custom" and tool.parameters is None:
        return Swap(tool.evolve(parameters={"type": "object"}), "tools have a schema here", "annotation")
    return with_input(tool)


def tool_rows(described: Described) -> dict[type[Any], Row]:
    """Return the rows of tools."""
    return {
        am.ToolSpec: described.rows.row("tool", rules={am.ToolSpec: _spec}, kind=cells.kinds()),
        am.NativeTool: native_tool_row(
            FAMILY, lambda native: read_tool(native, FAMILY, described.shapes["tool"]), same_in(FAMILY)
        ),
    }
