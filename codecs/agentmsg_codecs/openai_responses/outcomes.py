"""Items of tools that OpenAI runs: some hold what the tool returned. They are read as a call and its result.

The result follows its call, and has the id of their item. Anywhere else it is text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import agentmsg as am
from agentmsg.formats import (
    KEEP,
    Drop,
    Native,
    Unreadable,
    adopt,
    cells,
    is_list,
    is_object,
    maker,
    natives,
)
from agentmsg_codecs.openai_responses.client_tools import read_image_url, write_image_url
from agentmsg_codecs.openai_responses.item_keys import own_link
from agentmsg_codecs.openai_responses.names import ASKED, FAMILY, PROVIDER
from agentmsg_codecs.openai_responses.ran import kind_of, rebuilt

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg.formats import Cell

Fields: TypeAlias = dict[str, Any]
_Reader: TypeAlias = "Callable[[Native], tuple[str, Fields] | None]"
_Writer: TypeAlias = "Callable[[am.ToolResultBlock], Native]"
_make_result = maker(am.ToolResultBlock)
_make_text = maker(am.TextBlock, "text")

# -- what the tools return --------------------------------------------------------------------------------------------


def _read_mcp(item: Native) -> tuple[str, Fields] | None:
    """Read what an MCP server returned: a text, or an error as a text or an object."""
    output, error = item.get("output"), item.get("error")
    if type(output) is str and error is None:
        return "output", {"content": (_make_text(output),) if output else ()}
    if output is not None:
        return None
    if type(error) is str and error:
        return "error", {"error": error, "status": "error"}
    return ("error", {"structured": adopt(error), "status": "error"}) if is_object(error) else None


def _write_mcp(result: am.ToolResultBlock) -> Native:
    if result.error is not None:
        return {"error": result.error}
    if result.structured is not None:
        return {"error": am.thaw(result.structured)}
    return {"output": result.text}


def _read_code(item: Native) -> tuple[str, Fields] | None:
    """Read the outputs of the code interpreter: logs and images."""
    outputs = item.get("outputs")
    if not is_list(outputs) or not outputs:
        return None
    try:
        return "outputs", {"content": tuple(map(_read_output, outputs))}
    except Unreadable:
        return None


def _read_output(native: Any) -> Any:
    kind: Any = native.get("type") if is_object(native) and len(native) == 2 else None  # noqa: PLR2004 - and one more
    if kind == "logs" and type(native.get("logs")) is str:
        return _make_text(native["logs"])
    if kind == "image" and type(native.get("url")) is str:
        return am.ImageBlock(read_image_url(native["url"]))
    raise Unreadable


def _write_code(result: am.ToolResultBlock) -> Native:
    return {"outputs": list(map(_write_output, result.content))}


def _write_output(block: Any) -> Native:
    if type(block) is am.TextBlock:
        return {"type": "logs", "logs": block.text}
    if type(block) is not am.ImageBlock or not isinstance(block.source, (am.Base64Source, am.URLSource)):
        raise Unreadable
    return {"type": "image", "url": write_image_url(block.source)}


def _read_search(item: Native) -> tuple[str, Fields] | None:
    """Read what a search in files found."""
    results = item.get("results")
    return ("results", {"structured": adopt(results)}) if is_list(results) and results else None


def _write_search(result: am.ToolResultBlock) -> Native:
    return {"results": am.thaw(result.structured)}


# By the type of the item: the keys that may hold what was returned; what reads and writes them.
_TOOLS: Mapping[str, tuple[frozenset[str], _Reader, _Writer]] = {
    "mcp_call": (frozenset({"output", "error"}), _read_mcp, _write_mcp),
    "code_interpreter_call": (frozenset({"outputs"}), _read_code, _write_code),
    "file_search_call": (frozenset({"results"}), _read_search, _write_search),
}
# Tools whose results are items of their own.
APART = frozenset({"program", "tool_search"})


def split(item: Native) -> tuple[Native, Fields] | None:
    """Return the item of a call without what was returned, and the fields of the result; None if there is none."""
    tool = _TOOLS.get(item["type"])
    found = None if tool is None else tool[1](item)
    if found is None:
        return None
    key, fields = found
    return {name: item[name] for name in item if name != key}, fields


def result_of(call: Any, fields: Fields) -> am.ToolResultBlock | None:
    """Return the result of a call that was read without it; None if it can't follow the call."""
    if type(call) is not am.ToolUseBlock or call.name in APART or call.item_id is None:
        return None
    return _make_result(
        tool_call_id=call.id, kind="server", provider=PROVIDER, name=call.name, item_id=call.item_id, **fields
    )


# -- calls that nobody has approved yet ------------------------------------------------------------------------------

_OF_RAN = frozenset({"approval_request_id", "error", "output", "status"})


def call_asked_for(item: Native) -> Native | None:
    """Return the item of the call for which an item asks; None if it isn't such an item."""
    if item["type"] != ASKED or not _OF_RAN.isdisjoint(item):
        return None
    return {**item, "type": "mcp_call", "status": "completed"}


def request_for(call: Any) -> am.ApprovalRequestBlock | None:
    """Return the request for a call that was read from such an item."""
    if type(call) is not am.ToolUseBlock or call.item_id is None:
        return None
    return am.ApprovalRequestBlock(call.item_id, call.id)


def asks(block: Any, call: Any) -> bool:
    """Whether a block asks for the call before it, in one item."""
    if type(block) is not am.ApprovalRequestBlock or type(call) is not am.ToolUseBlock or call.item_id != block.id:
        return False
    return (
        call.server is not None
        and _OF_RAN.isdisjoint(natives.extras_of(call, FAMILY))
        and block.tool_call_id in (None, call.id)
    )


def as_request(item: Native) -> Native:
    """Return the item that asks for a call, given that of the call."""
    return {**{key: item[key] for key in item if key not in _OF_RAN}, "type": ASKED}


# -- writing ----------------------------------------------------------------------------------------------------------


def is_outcome(block: Any) -> bool:
    """Whether a result is in the item of its call, if that comes right before it."""
    if type(block) is not am.ToolResultBlock or block.kind != "server" or block.provider != PROVIDER:
        return False
    if block.notes and kind_of(block) is not None:
        return False
    return block.item_id is not None and block.name not in APART


def follows(block: Any, call: Any) -> bool:
    """Whether a block is the result of the call before it, in one item."""
    if type(call) is not am.ToolUseBlock or not is_outcome(block) or block.item_id != call.item_id:
        return False
    return block.name == call.name and block.tool_call_id in (None, call.id)


def with_result(item: Native, result: am.ToolResultBlock) -> Native:
    """Return the item of a call with what was returned."""
    return {**item, **_TOOLS[item["type"]][2](result)}


# -- what is supported ------------------------------------------------------------------------------------------------


def _type_of(call: am.ToolUseBlock) -> str:
    return "mcp_call" if call.server is not None else f"{call.name}_call"


def _comes_back(result: am.ToolResultBlock, call: am.ToolUseBlock) -> bool:
    """Whether the item of a call can hold a result; a call with extras for its result holds that."""
    tool = _TOOLS.get(_type_of(call))
    if tool is None or not tool[0].isdisjoint(natives.extras_of(call, FAMILY)):
        return False
    _, read, write = tool
    try:
        found = read(write(result))
    except Unreadable:
        return False
    back = None if found is None else result_of(call, found[1])
    return back is not None and am.same(back, result.evolve(tool_call_id=call.id, extras={}))


def placed(is_served: Callable[[Any], bool]) -> Callable[[am.Msg], Any]:
    """Return the rule for messages of the assistant: results without a place in the item before them are text.

    Args:
        is_served: whether a call is an item of a tool that OpenAI runs.
    """

    def rule(message: am.Msg) -> Any:
        answers: list[Any] = []
        before: Any = None
        content: tuple[Any, ...] = message.content
        for block in content:
            new = block
            if is_outcome(block) and not (follows(block, before) and is_served(before) and _comes_back(block, before)):
                from agentmsg.formats import rules  # noqa: PLC0415 - readers need no rules

                new = rules.server_as_text(block)
            elif type(block) is am.ApprovalRequestBlock and not (asks(block, before) and is_served(before)):
                new = Drop("OpenAI asks only for calls of MCP servers")
            answers.append(new)
            before = block
        return rebuilt(message, answers, "a result is in the item of its call here")

    return rule


def call_extras(cell: Cell) -> Cell:
    """Return the cell of a call's extras, without those that would be read as its result."""

    def taken(own: Mapping[str, Any], block: Any) -> tuple[str, ...]:
        tool = None if block.name in APART or block.item_id is None else _TOOLS.get(_type_of(block))
        found = None if tool is None or tool[0].isdisjoint(own) else tool[1](am.thaw(own))
        return () if found is None else (found[0],)

    return cells.without(cell, FAMILY, taken)


_KEPT = ("content", "error", "item_id", "kind", "name", "provider", "status", "structured")
_CELLS: Mapping[str, Cell] = {**dict.fromkeys(_KEPT, KEEP), "tool_call_id": own_link, "extras": lambda _, __: {}}


def result_cells(others: Mapping[str, Cell]) -> Mapping[str, Cell]:
    """Return the cells of results: of those in the item of their call, and of those that are items."""
    return cells.either(is_outcome, _CELLS, others)
