"""The tools of a request, and what a request supports of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError, thaw
from agentmsg.formats import (
    KEEP,
    Drop,
    Native,
    Row,
    Shape,
    Swap,
    Unreadable,
    adopt,
    carried_extras,
    maker,
    object_at,
    plain_copy,
    read_as,
    text_at,
    word_at,
    write_as,
)
from agentmsg_codecs.anthropic.cells import hint
from agentmsg_codecs.anthropic.names import FAMILY
from agentmsg_codecs.anthropic.shapes import cache_of, with_cache

if TYPE_CHECKING:
    from collections.abc import Mapping


_make_tool = maker(am.ToolSpec)
_make_native = maker(am.NativeTool)
_KEYS = frozenset({"type", "name", "description", "input_schema", "strict", "cache_control"})
_FREE_TEXT: Mapping[str, Any] = {
    "type": "object",
    "properties": {"input": {"type": "string"}},
    "required": ["input"],
}


def _read(native: Native, _: Any) -> am.ToolSpec:
    if native.get("type") not in (None, "custom") or type(native.get("strict")) not in (bool, type(None)):
        raise Unreadable
    return _make_tool(
        text_at(native, "name"),
        word_at(native, "description"),
        adopt(object_at(native, "input_schema")),
        strict=native.get("strict"),
        cache=cache_of(native),
    )


def _write(tool: am.ToolSpec) -> Native:
    native: Native = {"name": tool.name}
    if tool.description is not None:
        native["description"] = tool.description
    native["input_schema"] = thaw(tool.parameters)
    if tool.strict is not None:
        native["strict"] = tool.strict
    return with_cache(native, tool)


_TOOL = Shape(cls=am.ToolSpec, keys={None: _KEYS}, read=_read, write=_write)


def read_tool(native: Any) -> Any:
    """Return the tool of a native one; a NativeTool where the client does not run it, or it would not come back."""
    try:
        return read_as(_TOOL, native, FAMILY)
    except (Unreadable, AgentMsgError):
        return _make_native(FAMILY, adopt(native))


def write_tool(tool: Any) -> Any:
    """Return the native form of a tool that fits."""
    return thaw(tool.value) if isinstance(tool, am.NativeTool) else write_as(_TOOL, tool, FAMILY)


# -- what is supported -------------------------------------------------------------------------------------------------


def _spec(tool: am.ToolSpec) -> Any:
    if tool.kind == "custom":
        new = tool.evolve(kind="function", parameters=_FREE_TEXT)
        return Swap(new, "a tool that takes free text takes it as `input` here")
    if tool.parameters is None:
        return Swap(tool.evolve(parameters={"type": "object"}), "tools have a schema here", "annotation")
    return tool


def _native(tool: am.NativeTool) -> Any:
    if tool.codec != FAMILY:
        return Drop(f"only {tool.codec} can write this")
    back = read_tool(plain_copy(thaw(tool.value)))
    return tool if isinstance(back, am.NativeTool) else Drop("this would be read as something else")


TOOL_ROWS: Mapping[type[Any], Row] = {
    am.ToolSpec: Row(
        {
            "name": KEEP,
            "description": KEEP,
            "parameters": KEEP,
            "strict": KEEP,
            "kind": lambda kind, _: "function",
            "cache": hint,
            "extras": carried_extras((FAMILY, lambda _: _KEYS)),
        },
        _spec,
    ),
    am.NativeTool: Row({"codec": KEEP, "value": KEEP}, _native),
}
