"""The tools of a request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError, thaw
from agentmsg.formats import KEEP, Drop, Row, Swap, Unreadable, adopt, maker, plain_copy, read_as, write_as
from agentmsg.formats.forms import Rows
from agentmsg_codecs.anthropic.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg.formats.forms import Described

_make_native = maker(am.NativeTool)
_FREE_TEXT: Mapping[str, Any] = {
    "type": "object",
    "properties": {"input": {"type": "string"}},
    "required": ["input"],
}


def read_tool(described: Described, native: Any) -> Any:
    """Return the tool of a native one; a NativeTool where the client does not run it, or it would not come back."""
    try:
        return read_as(described.shapes["tool"], native, FAMILY)
    except (Unreadable, AgentMsgError):
        return _make_native(FAMILY, adopt(native))


def write_tool(described: Described, tool: Any) -> Any:
    """Return the native form of a tool that fits."""
    return thaw(tool.value) if isinstance(tool, am.NativeTool) else write_as(described.shapes["tool"], tool, FAMILY)


def _spec(tool: am.ToolSpec) -> Any:
    if tool.kind == "custom":
        new = tool.evolve(kind="function", parameters=_FREE_TEXT)
        return Swap(new, "a tool that takes free text takes it as `input` here")
    if tool.parameters is None:
        return Swap(tool.evolve(parameters={"type": "object"}), "tools have a schema here", "annotation")
    return tool


def _native(described: Described) -> Callable[[am.NativeTool], Any]:
    def rule(tool: am.NativeTool) -> Any:
        if tool.codec != FAMILY:
            return Drop(f"only {tool.codec} can write this")
        back = read_tool(described, plain_copy(thaw(tool.value)))
        return tool if isinstance(back, am.NativeTool) else Drop("this would be read as something else")

    return rule


def tool_rows(described: Described) -> dict[type[Any], Row]:
    """Return what requests support of tools."""
    return {
        am.ToolSpec: Rows(described).row("tool", rules={am.ToolSpec: _spec}, kind=lambda kind, _: "function"),
        am.NativeTool: Row({"codec": KEEP, "value": KEEP}, _native(described)),
    }
