"""What straight lines for usual messages ask of parts: such as hold nothing but texts, and calls that stand twice.

A call that ends a message stands in content as tool_use and in tool_calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError
from agentmsg.formats import Native, Unreadable, adopt, is_mapping, is_object
from agentmsg_codecs.langchain.blocks.v1 import make_call
from agentmsg_codecs.langchain.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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


# The parts that messages read at once, by their class.
QUICK: Mapping[str, type[Any]] = {
    "text": am.TextBlock, "reasoning": am.ThinkingBlock, "image": am.ImageBlock, "audio": am.AudioBlock,
    "video": am.VideoBlock, "file": am.FileBlock, "thinking": am.ThinkingBlock, "image_url": am.ImageBlock,
    "tool_use": am.ToolUseBlock,
}  # fmt: skip
_MOST_KEYS = 4
# What these may not hold.
_NOT_QUICK = frozenset(
    {"annotations", "cache_control", "caller", "citations", "filename", "metadata", "source", "summary", "toolset_name"}
)


def quick_reader(tag: str, read: Callable[[Native], Any]) -> Callable[[Native], Any]:
    """Return what reads a part that holds nothing but texts, apart from the input of calls; else it gives None."""

    def quick(part: Native) -> Any:
        if len(part) > 2:  # noqa: PLR2004 - the tag, and what is said
            if len(part) > _MOST_KEYS or not _NOT_QUICK.isdisjoint(part):
                return None
            extras: Any = part.get("extras")
            if extras is not None and (tag != "reasoning" or not is_object(extras) or len(extras) > 1):
                return None
        try:
            block = read(part)
        except (Unreadable, AgentMsgError):
            return None
        note = block.notes[FAMILY] if block.notes else None
        if block.extras or (note and (len(note) > 1 or "/shape" not in note)):
            return None
        return None if tag == "tool_use" and block.id is None else block

    return quick
