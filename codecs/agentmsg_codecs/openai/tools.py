"""Tools: ``tools``, and the ``functions`` of old requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Native, Row, Shape, cells, is_list, is_marked, mark_of, write_as
from agentmsg.formats.bodies import native_tool_row, read_tool, write_tool
from agentmsg_codecs.openai.hints import carried_cache, is_odd
from agentmsg_codecs.openai.names import FAMILY, ITEM

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentmsg.formats.forms import Described


def _is_legacy(tool: am.Tool) -> bool:
    if not isinstance(tool, am.ToolSpec) or not is_marked(tool, FAMILY, "/legacy"):
        return False
    return tool.kind == "function" and tool.cache is None and FAMILY not in tool.extras


def read_tools(shapes: Mapping[str, Shape], document: Native) -> tuple[tuple[am.Tool, ...], frozenset[str]]:
    """Return the tools of a request, and the keys that they were read from."""
    tools: list[am.Tool] = []
    taken: set[str] = set()
    for key, name in (("tools", "tool"), ("functions", "legacy_tool")):
        entries = document.get(key)
        if not is_list(entries) or not entries:
            continue
        found = [read_tool(entry, FAMILY, shapes[name]) for entry in entries]
        if key == "tools" or all(map(_is_legacy, found)):
            tools += found
            taken.add(key)
    return tuple(tools), frozenset(taken)


def may_write(tools: Sequence[am.Tool]) -> frozenset[str]:
    """Return the keys of a request that may hold some of the tools."""
    keys = {"tools" for tool in tools if not _is_legacy(tool)}
    is_old = any(is_marked(tool, FAMILY, "/legacy") for tool in tools)
    return frozenset(keys | {"functions"} if is_old else keys)


def write_tools(shapes: Mapping[str, Shape], tools: Sequence[am.Tool]) -> dict[str, list[Any]]:
    """Return the keys of a request that hold its tools."""
    out: dict[str, list[Any]] = {}
    start = len(tools)
    while start and _is_legacy(tools[start - 1]):
        start -= 1
    for tool in tools[:start]:
        out.setdefault("tools", []).append(write_tool(tool, FAMILY, shapes["tool"]))
    if start < len(tools):
        out["functions"] = [write_as(shapes["legacy_tool"], tool, FAMILY, namespace=ITEM) for tool in tools[start:]]
    return out


def _cache(value: Any, tool: Any) -> Any:
    # The schema has hints on parts only; compatible servers have them on tools.
    return carried_cache(value, tool) if is_odd(value) or mark_of(value, FAMILY, "/at") is not None else None


def tool_rows(described: Described) -> dict[type, Row]:
    """Return the rows of tools."""
    spec = described.rows.row("tool", "custom_tool", cache=_cache, kind=cells.kinds("custom"))
    shape = described.shapes["tool"]
    native = native_tool_row(FAMILY, lambda native: read_tool(native, FAMILY, shape))
    return {am.ToolSpec: spec, am.NativeTool: native}
