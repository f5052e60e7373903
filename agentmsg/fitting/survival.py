"""Levels of what changed its form: nothing of content is lost if all words and numbers survive in what it became.

A call or a result does more than speak, so as a mere text it is lost. So is thinking, which is no answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.fitting.words import MEDIA, held, key_of, says_something, survives, words
from agentmsg.model.base import BaseBlock
from agentmsg.model.blocks import ThinkingBlock, ToolResultBlock, ToolUseBlock

if TYPE_CHECKING:
    from agentmsg.formats.capabilities import Level

__all__ = ["level_of_added", "level_of_became", "level_of_gone", "level_of_result_field"]


def level_of_gone(block: Any) -> Level:
    """Return the level of a block or tool that is gone."""
    return "content" if not isinstance(block, BaseBlock) or says_something(block) or block.extras else "annotation"


def level_of_added(block: Any) -> Level:
    """Return the level of a block or tool that the input doesn't have."""
    return "content" if not isinstance(block, BaseBlock) or says_something(block) else "annotation"


def level_of_became(old: Any, new: Any) -> Level:
    """Return the level of a block that is now another, or a part of it."""
    if isinstance(old, (ToolResultBlock, ToolUseBlock, ThinkingBlock)):
        return "content"
    if isinstance(old, MEDIA) and isinstance(new, MEDIA) and held(old) == held(new):
        return "annotation"
    return "annotation" if not says_something(old) or survives(old, words(new)) else "content"


def level_of_result_field(name: str, old: ToolResultBlock, new: ToolResultBlock, level: Level) -> Level:
    """Return the level of a lost field of a result: what it said may be said in its other fields."""
    if name == "status":
        return level if old.is_error != new.is_error else "annotation"
    was, now = getattr(old, name), getattr(new, name)
    if was is None:  # what the result said is now its error
        said = "\n".join((words(old), old.error or "", key_of(old.structured).decode()))
        return "annotation" if survives(now, said) else level
    return "annotation" if survives(was, words(new)) else level
