"""The tools of a request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError, thaw
from agentmsg.formats import (
    KEEP,
    Drop,
    Native,
    Row,
    Swap,
    Unreadable,
    adopt,
    is_marked,
    is_object,
    maker,
    plain_copy,
    write_as,
)
from agentmsg.formats.forms import Described, Form, Inside, Key, Rows, Text, Truth, Via
from agentmsg_codecs.bedrock.format import CACHE, HINT
from agentmsg_codecs.bedrock.messages import folded, unfolded
from agentmsg_codecs.bedrock.names import FAMILY, ITEM

if TYPE_CHECKING:
    from collections.abc import Sequence

_make_native = maker(am.NativeTool)
_FREE_TEXT: Native = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}


def _read_schema(value: Any) -> Any:
    if not is_object(value) or value.keys() != {"json"} or not is_object(value["json"]):
        raise Unreadable
    return adopt(value["json"])


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
            Key("strict", "strict", Truth(), "may"),
        ), space=ITEM),
        CACHE,
    ), is_apart=True),
), {})  # fmt: skip


def read_tools(natives: list[Any]) -> tuple[Any, ...] | None:
    """Return the tools of a request; None if a cache point follows no tool."""
    held = folded(natives)
    if held is None:
        return None
    return tuple(_read_tool(native) for native in held)


def _read_tool(native: Any) -> Any:
    try:
        if is_object(native) and "toolSpec" in native:
            return TOOLS.shapes["tool"].read(native, am.ToolSpec)
    except (Unreadable, AgentMsgError):
        pass
    return _make_native(FAMILY, adopt(native))


def write_tools(tools: Sequence[Any]) -> list[Any]:
    """Return the tools of a request that fit."""
    return unfolded([
        thaw(tool.value) if isinstance(tool, am.NativeTool) else write_as(TOOLS.shapes["tool"], tool, FAMILY)
        for tool in tools
    ])  # fmt: skip


def _spec(tool: am.ToolSpec) -> Any:
    if tool.kind == "custom":
        new = tool.evolve(kind="function", parameters=_FREE_TEXT)
        return Swap(new, "a tool that takes free text takes it as `input` here")
    if tool.parameters is None and not is_marked(tool, FAMILY, "/schemaless"):
        return Swap(tool.evolve(parameters={"type": "object"}), "tools have a schema here", "annotation")
    return tool


def _native(tool: am.NativeTool) -> Any:
    if tool.codec != FAMILY:
        return Drop(f"only {tool.codec} can write this")
    back = read_tools(unfolded([plain_copy(thaw(tool.value))]))
    is_same = back is not None and len(back) == 1 and isinstance(back[0], am.NativeTool)
    return tool if is_same else Drop("this would be read as something else")


def tool_rows() -> dict[type[Any], Row]:
    """Return what requests support of tools."""
    return {
        am.ToolSpec: Rows(TOOLS).row("tool", rules={am.ToolSpec: _spec}, kind=lambda kind, _: "function"),
        am.NativeTool: Row({"codec": KEEP, "value": KEEP}, _native),
    }
