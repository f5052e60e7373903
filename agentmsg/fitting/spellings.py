"""What makes a source's document exact, beyond its meaning: its notes, and texts of arguments."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import attrs

from agentmsg.model.base import Noted
from agentmsg.model.blocks import ToolResultBlock, ToolUseBlock
from agentmsg.model.generated import MadeName

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmsg.fitting.fitted import Fitted
    from agentmsg.fitting.losses import Path

__all__ = ["spellings"]


def spellings(fitted: Fitted) -> Iterator[tuple[Path, Any]]:
    """Yield what makes the source's document exact, beyond its meaning, by path."""
    yield from _spelling(fitted.source, ())
    if fitted.derives_names:
        # The reader names results after their calls; this records which had that name themselves, and which had none.
        for index, message in enumerate(fitted.source):
            for place, block in enumerate(message.content):
                if isinstance(block, ToolResultBlock) and not isinstance(block.name, MadeName):
                    yield ("messages", index, "content", place, "name"), block.name


def _spelling(owner: Noted, path: Path) -> Iterator[tuple[Path, Any]]:
    """Yield the notes at all levels of an object, and texts of arguments without meaning, by path."""
    if owner.notes:
        yield path, owner.notes
    if isinstance(owner, ToolUseBlock) and owner.raw_input is not None and owner.significant_text is None:
        yield (*path, "raw_input"), owner.raw_input
    kind: Any = type(owner)
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
