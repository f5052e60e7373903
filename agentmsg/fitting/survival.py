"""Levels of what changed its form: nothing of content is lost if all words and numbers survive in what it became.

A call or a result does more than speak, so as a mere text it is lost. So is thinking, which is no answer, and what a
provider made of earlier messages. A document is what somebody else wrote, and can be cited; a text is the speaker's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.fitting.levels import extras_hold_content
from agentmsg.fitting.words import MEDIA, all_words, held, says_something, survives, tells, words
from agentmsg.model.base import BaseBlock
from agentmsg.model.blocks import CompactionBlock, FileBlock, NativeBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from agentmsg.model.sources import BlocksSource, TextSource

if TYPE_CHECKING:
    from agentmsg.formats.capabilities import Level

# What does more than speak: a provider gets thinking, compactions and what only it can read back.
_ACTS = (CompactionBlock, NativeBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock)


def level_of_gone(block: Any, said: str = "") -> Level:
    """Return the level of a block or tool that is gone.

    Args:
        block: the block or tool.
        said: what is said beside it.
    """
    return "content" if block.extras else level_of_added(block, said)


def level_of_added(block: Any, said: str = "") -> Level:
    """Return the level of a block or tool that the input doesn't have; as ``level_of_gone``."""
    if said and survives(block, said):
        return "annotation"
    return "content" if not isinstance(block, BaseBlock) or says_something(block) else "annotation"


def level_of_became(old: Any, new: Any) -> Level:
    """Return the level of a block that is now another, or a part of it."""
    if isinstance(old, _ACTS):
        return "content"
    if isinstance(old, MEDIA) and isinstance(new, MEDIA) and held(old) == held(new):
        return "annotation"
    if isinstance(old, FileBlock) and not isinstance(new, FileBlock):
        return "content"
    return "annotation" if not says_something(old) or survives(old, words(new)) else "content"


def loses_within(old: Any, new: Any) -> bool:
    """Whether blocks of a rebuilt result had content beside their words: a native value, extras, or what is cited."""
    before: tuple[Any, ...] = old.content if isinstance(old, ToolResultBlock) else ()
    after: tuple[Any, ...] = new.content if isinstance(new, ToolResultBlock) else ()
    kept = set(map(id, after))
    now = after if len(after) == len(before) else (None,) * len(before)
    return any(
        id(block) not in kept
        and (
            isinstance(block, NativeBlock)
            or (isinstance(block, FileBlock) and _is_less(block, after))
            or extras_hold_content(block, block.extras, {} if other is None else other.extras)
        )
        for block, other in zip(before, now, strict=True)
    )


def _is_less(block: FileBlock, after: tuple[Any, ...]) -> bool:
    """Whether a document is only text among these blocks, or has no context there."""
    found = [each for each in after if isinstance(each, FileBlock) and held(each) == held(block)]
    if not found:
        return isinstance(block.source, (BlocksSource, TextSource))
    return block.context is not None and all(each.context != block.context for each in found)


def level_of_result_field(
    name: str, old: ToolResultBlock, new: ToolResultBlock, level: Level, *, is_written: bool
) -> Level:
    """Return the level of a lost field of a result: what it said may be said in its other fields.

    Args:
        name: of the field.
        old: the result.
        new: what it is now.
        level: the usual level.
        is_written: whether a format has no place for it; otherwise somebody may have changed it.
    """
    if name == "status":
        is_told = old.is_error == new.is_error and None in (old.status, new.status)
        # Of a tool that failed a model reads what the result says.
        is_told = is_told or (is_written and old.is_error and new.status in (None, "error") and tells(new))
        return "annotation" if is_told else level
    was, now = getattr(old, name), getattr(new, name)
    is_said = survives(now, all_words(old)) if was is None else survives(was, all_words(new))
    return "annotation" if is_said else level
