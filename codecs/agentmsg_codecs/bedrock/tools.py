"""The tools of a request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import KEEP, Native, Row, Swap, Unreadable, adopt, cells, is_list, is_marked, is_object
from agentmsg.formats.bodies import native_tool_row, read_tool, with_input, write_tool
from agentmsg.formats.forms import Described, Form, Inside, Key, Text, Truth, Via
from agentmsg_codecs.bedrock.format import CACHE, HINT, only_object_at
from agentmsg_codecs.bedrock.messages import folded, unfolded
from agentmsg_codecs.bedrock.names import FAMILY, ITEM

if TYPE_CHECKING:
    from collections.abc import Sequence


def _read_schema(value: Any) -> Any:
    if not is_object(value):
        raise Unreadable
    return adopt(only_object_at(value, "json"))


def _write_schema(value: Any) -> Native:
    return {"json": thaw(value)}


_JSON = {"type": "object", "properties": {"json": {"type": "object"}}, "required": ["json"],
         "additionalProperties": False}  # fmt: skip
_SCHEMA = Key(
    "inputSchema", "parameters", Via(_read_schema, _write_schema, _JSON, supports=KEEP), "may", lacks="schemaless"
)
TOOLS = Described(FAMILY, (
    HINT,
    Form("tool", am.ToolSpec, None, (
        Inside("toolSpec", (
            Key("name", "name", Text()), Key("description", "description", Text(), "may"), _SCHEMA,
            Key("strict", "strict", Truth(is_flag=True), "may"),
        ), space=ITEM),
        CACHE,
    ), is_apart=True),
), {})  # fmt: skip


def read_tools(config: Any) -> tuple[Any, ...] | None:
    """Read the tools of a request's configuration; None if it has none, or if a cache point there follows no tool."""
    natives: Any = config.get("tools") if is_object(config) else None
    held = folded(natives) if is_list(natives) and natives else None
    return None if held is None else tuple(read_tool(native, FAMILY, TOOLS.shapes["tool"]) for native in held)


def write_tools(tools: Sequence[Any]) -> list[Any]:
    """Write the tools of a request that fit."""
    return unfolded([write_tool(tool, FAMILY, TOOLS.shapes["tool"]) for tool in tools])


def _spec(tool: am.ToolSpec) -> Any:
    if tool.kind != "custom" and tool.parameters is None and not is_marked(tool, FAMILY, "/schemaless"):
        return Swap(tool.evolve(parameters={"type": "object"}), "tools have a schema here", "annotation")
    return with_input(tool)


def _back(native: Any) -> Any:
    """Write a native tool and read it again; return the tool if it is one."""
    back = read_tools({"tools": unfolded([native])})
    return back[0] if back is not None and len(back) == 1 else None


def tool_rows() -> dict[type[Any], Row]:
    """Return the rows of the tools that requests support."""
    return {
        am.ToolSpec: TOOLS.rows.row("tool", rules={am.ToolSpec: _spec}, kind=cells.kinds()),
        am.NativeTool: native_tool_row(FAMILY, _back),
    }
