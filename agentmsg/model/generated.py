"""Values that agentmsg made because a message or document had none; the mark travels with the value.

A made id or time equals its own value under ``==``; ``same`` also accepts None, or another made one. A codec without a
place for it leaves it out without a loss.
"""

from __future__ import annotations

from datetime import UTC, datetime
from time import time_ns
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


class Made(str):
    """A text that the library made, such as the id of a new message."""

    __slots__ = ()


class MadeName(Made):
    """A name that a reader derived: a tool result's from its call, a provider's from what its answer holds.

    The document didn't say it, so any two are the same.
    """

    __slots__ = ()


MADE_KINDS: Mapping[str, type[Any]] = {
    "api": MadeName,
    "id": Made,
    "item_id": Made,
    "name": MadeName,
    "provider": MadeName,
    "tool_call_id": Made,
}
"""The texts that count as absent where the library made them, and the classes that tell; for times see ``is_made``."""


def is_made(value: Any) -> bool:
    """Whether the library made an id, name or time.

    A made time is a plain datetime in UTC with ``fold=1``, which tells two local times apart, and says nothing in UTC.
    It travels with copies and pickles, and is neither compared nor written. A time that is passed to a message loses
    it: that one is given, whatever it was computed from (see ``checks.plain_moment``).
    """
    return isinstance(value, Made) or (value.__class__ is datetime and value.fold == 1 and value.tzinfo is UTC)


def given(value: Any) -> Any:
    """Return an id, name or time that somebody set; None for a made one, and for None."""
    return None if is_made(value) else value


def made_id() -> Made:
    """Return a new random id (a UUID, version 4)."""
    from uuid import uuid4  # noqa: PLC0415 - uuid costs more to import than all of the model

    return Made(uuid4())


# What stands for a made time where a message is made: its field makes the time, so that no other has the mark.
NOW: Any = object()


def made_time() -> datetime:
    """Return the current time, in UTC and whole milliseconds: many formats store no more, so nothing is lost."""
    return datetime.fromtimestamp(time_ns() // 1_000_000 / 1000, UTC).replace(fold=1)
