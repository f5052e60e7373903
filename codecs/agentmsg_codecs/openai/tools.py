"""Tools: ``tools`` and the ``functions`` of old requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import (
    KEEP,
    Drop,
    Native,
    Row,
    Shape,
    Unreadable,
    adopt,
    carried_extras,
    is_list,
    mark_of,
    marked,
    natives,
    object_at,
    plain_copy,
    read_as,
    text_at,
    word_at,
    write_as,
)
from agentmsg_codecs.openai.content import read_cache, write_cache
from agentmsg_codecs.openai.names import FAMILY, ITEM

if TYPE_CHECKING:
    from collections.abc import Sequence


_FUNCTION = frozenset({"name", "description", "parameters", "strict"})
_INNER = {"function": _FUNCTION, "custom": frozenset({"name", "description"})}
_OUTER = frozenset({"type", "prompt_cache_breakpoint", "cache_control"})


def _fields(native: Native, kind: str) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "description": word_at(native, "description"),
        "extras": natives.rest_of(native, _INNER[kind], ITEM),
        "kind": kind,
    }
    if kind == "custom":
        return fields
    parameters, strict = native.get("parameters"), native.get("strict")
    if strict is not None and type(strict) is not bool:
        raise Unreadable
    return fields | {
        "strict": strict,
        "parameters": None if parameters is None else adopt(object_at(native, "parameters")),
    }


def _read(native: Native, _: Any) -> am.ToolSpec:
    kind = "custom" if native.get("type") == "custom" else "function"
    if native.get("type", "function") not in ("function", "custom"):
        raise Unreadable
    inner = object_at(native, kind)
    return am.ToolSpec(text_at(inner, "name"), cache=read_cache(native), **_fields(inner, kind))


def _inner(tool: am.ToolSpec) -> Native:
    fields = {"description": tool.description, "parameters": thaw(tool.parameters), "strict": tool.strict}
    native: Native = {"name": tool.name, **{key: value for key, value in fields.items() if value is not None}}
    return natives.with_rest(native, tool, ITEM)


def _write(tool: am.ToolSpec) -> Native:
    return write_cache(tool.cache, {"type": tool.kind, tool.kind: _inner(tool)})


_TOOL = Shape(
    cls=am.ToolSpec,
    keys={None: _OUTER | {"function"}, "custom": _OUTER | {"custom"}},
    tag_of=lambda tool: "custom" if tool.kind == "custom" else None,
    read=_read,
    write=_write,
)


def _read_legacy(native: Native, _: Any) -> am.ToolSpec:
    return marked(am.ToolSpec(text_at(native, "name"), **_fields(native, "function")), FAMILY, legacy=True)


_LEGACY = Shape(cls=am.ToolSpec, keys={None: _FUNCTION}, read=_read_legacy, write=_inner)


def _is_legacy(tool: am.Tool) -> bool:
    if not isinstance(tool, am.ToolSpec) or not tool.notes or mark_of(tool, FAMILY, "/legacy") is not True:
        return False
    return tool.kind == "function" and tool.cache is None and FAMILY not in tool.extras


def _read_one(shape: Shape, native: Any) -> am.Tool:
    try:
        tool: am.Tool = read_as(shape, native, FAMILY)
    except (Unreadable, am.AgentMsgError):
        tool = am.NativeTool(FAMILY, adopt(native))
    return tool


def read_tools(document: Native) -> tuple[tuple[am.Tool, ...], frozenset[str]]:
    """Return the tools of a request, and the keys that they were read from."""
    tools: list[am.Tool] = []
    taken: set[str] = set()
    for key, shape in (("tools", _TOOL), ("functions", _LEGACY)):
        entries = document.get(key)
        if not is_list(entries) or not entries:
            continue
        found = [_read_one(shape, entry) for entry in entries]
        if key == "functions" and not all(map(_is_legacy, found)):
            continue
        tools += found
        taken.add(key)
    return tuple(tools), frozenset(taken)


def may_write(tools: Sequence[am.Tool]) -> frozenset[str]:
    """Return the keys of a request under which some of the tools, whichever have a place, may stand."""
    names = {"tools" for tool in tools if not _is_legacy(tool)}
    old = any(tool.notes and mark_of(tool, FAMILY, "/legacy") is True for tool in tools)
    return frozenset(names | {"functions"} if old else names)


def write_tools(tools: Sequence[am.Tool]) -> dict[str, list[Any]]:
    """Return the tools of a request by the keys that they stand under."""
    out: dict[str, list[Any]] = {}
    start = len(tools)
    while start and _is_legacy(tools[start - 1]):
        start -= 1
    for index, tool in enumerate(tools):
        if isinstance(tool, am.NativeTool):
            out.setdefault("tools", []).append(thaw(tool.value))
        elif index >= start:
            out.setdefault("functions", []).append(write_as(_LEGACY, tool, FAMILY))
        else:
            out.setdefault("tools", []).append(write_as(_TOOL, tool, FAMILY))
    return out


def _native(tool: am.NativeTool) -> Any:
    if tool.codec != FAMILY:
        return Drop(f"a tool that only {tool.codec} has")
    back = _read_one(_TOOL, plain_copy(thaw(tool.value)))
    return tool if isinstance(back, am.NativeTool) else Drop("this would be read as something else")


def _for_functions(value: Any, tool: Any) -> Any:
    return value if tool.kind != "custom" else None


def _kind(kind: str, _: Any) -> str:
    return kind if kind in _INNER else "function"


def _cache(value: Any, tool: Any) -> Any:
    from agentmsg_codecs.openai.block_capabilities import carried_cache  # noqa: PLC0415 - it knows the tools' parts

    # The schema has hints on parts only; compatible servers have them on tools.
    return carried_cache(value, tool) if mark_of(value, FAMILY, "/at") is not None else None


_EXTRAS = carried_extras(
    (ITEM, lambda tool: _INNER["custom" if tool.kind == "custom" else "function"]),
    (FAMILY, lambda tool: _TOOL.keys[_TOOL.tag_of(tool)]),
)


def tool_rows() -> dict[type, Row]:
    """Return the rows of tools."""
    spec = {
        "name": KEEP,
        "description": KEEP,
        "parameters": _for_functions,
        "strict": _for_functions,
        "kind": _kind,
        "cache": _cache,
        "extras": _EXTRAS,
    }
    return {am.ToolSpec: Row(spec), am.NativeTool: Row({"codec": KEEP, "value": KEEP}, _native)}
