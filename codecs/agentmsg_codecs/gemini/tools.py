"""The tools of a request: function declarations, several in one object, and the provider's own tools.

Adjacent declarations share an object. If a document begins another object, its first declaration is marked. What else
an object with declarations holds is a tool of its own, marked to go back there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError, thaw
from agentmsg.formats import (
    KEEP,
    Native,
    Row,
    Unreadable,
    adopt,
    cells,
    is_list,
    is_marked,
    is_object,
    maker,
    mark_of,
    marked,
    write_as,
)
from agentmsg.formats.bodies import native_tool_row, with_input
from agentmsg.formats.forms import Described, Form, Hatch, Key, Text
from agentmsg_codecs.gemini.names import FAMILY
from agentmsg_codecs.gemini.schemas import PARAMETERS, read_schema, write_schema

if TYPE_CHECKING:
    from collections.abc import Sequence

_HOLDERS = ("functionDeclarations", "function_declarations")
_SCHEMAS = ("parametersJsonSchema", "parameters_json_schema", PARAMETERS)
_make_native = maker(am.NativeTool)


def _read_schema(native: Native) -> dict[str, Any]:
    found = [key for key in _SCHEMAS if key in native]
    if len(found) != 1 or not is_object(native[found[0]]):
        raise Unreadable
    schema: Native = native[found[0]]
    notes: Native = {}
    if found[0] == PARAMETERS:
        schema, notes = read_schema(schema)
    if found[0] != _SCHEMAS[0]:
        notes["/schema"] = found[0]
    return {"parameters": adopt(schema), "notes": adopt(notes)}


def _write_schema(tool: am.ToolSpec) -> Native:
    noted: Any = mark_of(tool, FAMILY, "/schema")
    key = noted if noted in _SCHEMAS else _SCHEMAS[0]
    return {key: write_schema(tool.parameters, tool, key)}


DECLARATIONS = Described(FAMILY, (
    Form("declaration", am.ToolSpec, None, (
        Key("name", "name", Text()),
        Key("description", "description", Text(), "may"),
        Hatch(keys=_SCHEMAS, cells={"parameters": KEEP}, get=_read_schema, put=_write_schema, is_optional=True,
              about="parameters"),
    ), is_apart=True),
), {})  # fmt: skip


def _read_one(native: Any) -> list[Any]:
    """Return the tools of one object: its declarations, and a NativeTool for whatever else it holds."""
    holders = [key for key in _HOLDERS if is_object(native) and key in native]
    given: Any = native[holders[0]] if len(holders) == 1 else None
    try:
        if not is_list(given) or not given or not all(map(is_object, given)):
            raise Unreadable
        tools: list[Any] = [DECLARATIONS.shapes["declaration"].read(each, am.ToolSpec) for each in given]
    except (Unreadable, AgentMsgError):
        return [_make_native(FAMILY, adopt(native))]
    if holders[0] != _HOLDERS[0]:
        tools[0] = marked(tools[0], FAMILY, holder="snake")
    rest = {key: value for key, value in native.items() if key != holders[0]}
    return [*tools, marked(_make_native(FAMILY, adopt(rest)), FAMILY, beside=True)] if rest else tools


def read_tools(natives: Any) -> tuple[Any, ...]:
    """Read the tools of a request."""
    tools: list[Any] = []
    for native in natives:
        found = _read_one(native)
        if tools and isinstance(tools[-1], am.ToolSpec) and isinstance(found[0], am.ToolSpec):
            found[0] = marked(found[0], FAMILY, opens=True)
        tools += found
    return tuple(tools)


def write_tools(tools: Sequence[Any]) -> list[Any]:
    """Write the tools of a request that fit."""
    out: list[Any] = []
    held: list[Any] | None = None
    for tool in tools:
        if isinstance(tool, am.NativeTool):
            if held is not None and is_marked(tool, FAMILY, "/beside"):
                out[-1] |= thaw(tool.value)
            else:
                out.append(thaw(tool.value))
            held = None
            continue
        if held is None or is_marked(tool, FAMILY, "/opens"):
            held = []
            is_snake = mark_of(tool, FAMILY, "/holder") == "snake"
            out.append({_HOLDERS[is_snake]: held})
        held.append(write_as(DECLARATIONS.shapes["declaration"], tool, FAMILY))
    return out


def tool_rows() -> dict[type[Any], Row]:
    """Return the rows of the tools that requests support."""
    import agentmsg_codecs.wire.hosted_tools as hosted_tools  # noqa: PLC0415 - readers need no table

    return {
        am.ToolSpec: DECLARATIONS.rows.row("declaration", rules={am.ToolSpec: with_input}, kind=cells.kinds()),
        am.NativeTool: native_tool_row(FAMILY, lambda native: _read_one(native)[0], hosted_tools.same_in(FAMILY)),
    }
