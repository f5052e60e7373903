"""What a mend may do to a history. Paths address the history that the findings were made of."""

from __future__ import annotations

from typing import Any, TypeAlias

import attrs

from agentmsg.formats.capabilities import Level
from agentmsg.model.msg import Msg

__all__ = ["Change", "Edit", "Insert", "Move", "Path", "Remove"]

Path: TypeAlias = tuple[str | int, ...]
"""Where something stands in a history: ``("messages", 3, "content", 0, "text")``."""


@attrs.frozen
class Change:
    """A field has another value, or a block is another block.

    Attributes:
        path: of the field, the block, or the block inside a result.
        value: the new one.
        level: of the loss; None for the usual one of such a field, and of a block "annotation".
    """

    path: Path
    value: Any
    level: Level | None = None


@attrs.frozen
class Remove:
    """A message or block goes.

    Attributes:
        path: of the message, the block, or the block inside a result.
        level: of the loss.
    """

    path: Path
    level: Level = "annotation"


@attrs.frozen
class Insert:
    """A message that nobody said is put in.

    Attributes:
        before: the index of the message that it stands before.
        message: the message; fields that the target has no place for are left out.
    """

    before: int
    message: Msg


@attrs.frozen
class Move:
    """A message stands elsewhere, or a block becomes a message of its own.

    Attributes:
        path: of the message or block.
        before: the index of the message that it stands before.
        role: of the message, if it is another.
    """

    path: Path
    before: int
    role: str | None = None


Edit: TypeAlias = Change | Insert | Move | Remove
"""Anything that a mend may do."""
