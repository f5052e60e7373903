"""What makes a source's document exact, beyond its meaning: its notes, texts of arguments, and flags that are false."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import attrs

from agentmsg.model.base import Noted
from agentmsg.model.blocks import ToolResultBlock, ToolUseBlock
from agentmsg.model.equality import flags_of
from agentmsg.model.generated import MadeName

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmsg.fitting.fitted import Fitted
    from agentmsg.fitting.losses import Path
    from agentmsg.model.history import History

__all__ = ["spellings"]


def spellings(fitted: Fitted) -> Iterator[tuple[Path, Any]]:
    """Yield what makes the source's document exact, beyond its meaning, by path."""
    yield from _spelling(fitted.source, ())
    if fitted.derives_names:
        yield from _names(fitted)


def _names(fitted: Fitted) -> Iterator[tuple[Path, Any]]:
    """Yield the names of results, by path, that a reader which names them after their calls may not give them.

    These are names that results had themselves, and None for those without one. Where calls of several tools share an
    id, or results were given one that has too few calls, the reader may find another call than the source's did, or
    none: then it is a list of the name that the source made.
    """
    tools: dict[str | None, str] = {}
    shared = _with_too_few_calls(fitted.history)
    messages = enumerate(fitted.source)
    blocks = [(("messages", i, "content", k, "name"), b) for i, m in messages for k, b in enumerate(m.content)]
    for _, block in blocks:
        if isinstance(block, ToolUseBlock) and tools.setdefault(block.id, block.name) != block.name:
            shared.add(block.id)
    for path, block in blocks:
        if not isinstance(block, ToolResultBlock):
            continue
        if not isinstance(block.name, MadeName):
            yield path, block.name
        elif block.tool_call_id in shared:
            yield path, [str(block.name)]


def _with_too_few_calls(history: History) -> set[str | None]:
    """Return the ids of which there are more results than calls."""
    counts = Counter[str | None]()
    for message in history:
        for block in message.content:
            if isinstance(block, ToolResultBlock):
                counts[block.tool_call_id] += 1
            elif isinstance(block, ToolUseBlock):
                counts[block.id] -= 1
    return {link for link, count in counts.items() if count > 0}


def _spelling(owner: Noted, path: Path) -> Iterator[tuple[Path, Any]]:
    """Yield the notes at all levels of an object, and texts of arguments without meaning, by path."""
    if owner.notes:
        yield path, owner.notes
    if isinstance(owner, ToolUseBlock) and owner.raw_input is not None and owner.significant_text is None:
        yield (*path, "raw_input"), owner.raw_input
    kind: Any = type(owner)
    yield from (((*path, name), False) for name in flags_of(kind) if getattr(owner, name) is False)
    for name in _may_hold_notes(kind):
        value = getattr(owner, name)
        if isinstance(value, Noted):
            yield from _spelling(value, (*path, name))
        elif isinstance(value, tuple):
            for index, item in enumerate(cast("tuple[object, ...]", value)):
                if isinstance(item, Noted):
                    yield from _spelling(item, (*path, name, index))


@cache
def _may_hold_notes(kind: Any) -> tuple[str, ...]:
    """Return the fields that may hold objects with notes: not texts, numbers, times and free-form JSON."""
    return tuple(field.name for field in attrs.fields(kind) if not _NO_NOTES.fullmatch(str(field.type)))


_NO_NOTES = re.compile(
    r"(Mapping\[str, JSON\]|tuple\[float, \.\.\.\]|JSON|None|bool|datetime|float|int|object|str| \| )+"
)
