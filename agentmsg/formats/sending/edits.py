"""What a mend may do to a history. Paths refer to the history that was checked."""

from __future__ import annotations

from typing import Any, TypeAlias

import attrs

from agentmsg.formats.capabilities import Level
from agentmsg.model.msg import Msg

Path: TypeAlias = tuple[str | int, ...]
"""Where something stands in a history: ``("messages", 3, "content", 0, "text")``."""


@attrs.frozen
class Change:
    """A field gets another value, or a block is replaced.

    Attributes:
        path: of the field, the block, or the block inside a result.
        value: the new one.
        level: of the loss; None for the field's default level, and "annotation" for a block.
    """

    path: Path
    value: Any
    level: Level | None = None


@attrs.frozen
class Remove:
    """A message or block is removed.

    Attributes:
        path: of the message, the block, or the block inside a result.
        level: of the loss.
    """

    path: Path
    level: Level = "annotation"


@attrs.frozen
class Insert:
    """A message that nobody said is inserted.

    Attributes:
        before: the index of the message before which it is inserted.
        message: the message; fields without a place in the target are left out.
    """

    before: int
    message: Msg


@attrs.frozen
class Move:
    """A message moves, or a block becomes a message of its own.

    Attributes:
        path: of the message or block.
        before: the index of the message before which it goes.
        role: of the message, if it changes.
    """

    path: Path
    before: int
    role: str | None = None


Edit: TypeAlias = Change | Insert | Move | Remove
"""Anything that a mend may do."""
