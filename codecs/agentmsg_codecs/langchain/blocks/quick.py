"""Calls that end a message, and stand in content as tool_use and in tool_calls: their parts, in straight lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.formats import Native, adopt, is_mapping, is_object
from agentmsg_codecs.langchain.blocks.v1 import make_call
from agentmsg_codecs.langchain.names import FAMILY

if TYPE_CHECKING:
    import agentmsg as am

_OBJECT: Any = dict
COPIED_NOTE = adopt({FAMILY: {"/shape": "tool_use", "/copies": "ct"}})


def read_copied(part: Any, notes: Any) -> am.ToolUseBlock | None:
    """Read ``{"type": "tool_use", "id", "name", "input"}``; None if it is anything else."""
    if not is_object(part) or len(part) != 4 or part.get("type") != "tool_use":  # noqa: PLR2004 - these keys
        return None
    link, name = part.get("id"), part.get("name")
    value: Any = part.get("input")
    if type(link) is not str or type(name) is not str or type(value) is not _OBJECT or "_raw" in value:
        return None
    return make_call(id=link, name=name, input=adopt(value), notes=notes)


def bare_args(block: am.ToolUseBlock) -> Any:
    """Return the arguments of a call that says nothing but id, name and an object of arguments; None of any other."""
    if block.extras or block.metadata or block.item_id is not None or block.phase is not None:
        return None
    if block.cache is not None or block.signature is not None or block.provider is not None:
        return None
    if block.status is not None or block.kind != "function":
        return None
    if block.raw_input is not None and (not block.is_valid or block.significant_text is not None):
        return None
    value = block.input
    return value if is_mapping(value) and "_raw" not in value else None


def write_use(block: am.ToolUseBlock, args: Any) -> Native:
    """Return the part of a call whose arguments ``bare_args`` gave."""
    return {"type": "tool_use", "id": block.id, "name": block.name, "input": args}
