"""Values that agentmsg made because a message or document had none; the mark travels with the value.

A made id or time equals its own text under ``==``; ``same`` also accepts None, or another made one. A codec without a
place for it leaves it out without a loss.
"""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from time import time_ns
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MADE_KINDS", "Made", "MadeName", "MadeTime", "given", "made_id", "made_time"]


class Made(str):
    """A text that the library made, such as the id of a new message."""

    __slots__ = ()


class MadeName(Made):
    """A name that a reader derived: a tool result's from its call, a provider's from what its answer holds.

    The document didn't say it, so any two are the same.
    """

    __slots__ = ()


class MadeTime(datetime):
    """A time that the library made, such as the creation time of a new message.

    Anything computed from it is a plain datetime, because the library didn't make that.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return self.isoformat(timespec="milliseconds")

    def __add__(self, other: Any) -> Any:
        return _plain(super().__add__(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return _plain(super().__sub__(other))

    def replace(self, *args: Any, **fields: Any) -> Any:
        """Return a plain datetime with other fields."""
        return _plain(super().replace(*args, **fields))

    def astimezone(self, tz: tzinfo | None = None) -> Any:
        """Return a plain datetime in another zone."""
        return _plain(super().astimezone(tz))


MADE_KINDS: Mapping[str, type[Any]] = {
    "api": MadeName,
    "created_at": MadeTime,
    "id": Made,
    "item_id": Made,
    "name": MadeName,
    "provider": MadeName,
    "tool_call_id": Made,
}
"""The fields whose values, where the library made them, count as absent, and the classes that tell."""


def _plain(value: Any) -> Any:
    if isinstance(value, MadeTime):
        return datetime.combine(value.date(), value.timetz())
    return value


def given(value: Any) -> Any:
    """Return an id, name or time that somebody set; None for a made one, and for None."""
    return None if isinstance(value, (Made, MadeTime)) else value


def made_id() -> Made:
    """Return a new random id (a UUID, version 4)."""
    from uuid import uuid4  # noqa: PLC0415 - uuid costs more to import than all of the model

    return Made(uuid4())


def made_time() -> MadeTime:
    """Return the current time, in UTC and whole milliseconds: many formats store no more, so nothing is lost."""
    return MadeTime.fromtimestamp(time_ns() // 1_000_000 / 1000, UTC)
