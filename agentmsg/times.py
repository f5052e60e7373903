"""Times as formats write them. Imports nothing of the package.

One rule for ids and times in all codecs: what a message lacks is left out, never made up, and no clock is read; what
the library made for a new message is written where every message of the format has such a field, and left out, like
nothing, where one is optional (see ``made.given``).
"""

from __future__ import annotations

from datetime import UTC, datetime

__all__ = ["nearest_milli", "read_time"]

_MILLI = 1000


def read_time(text: str) -> datetime | None:
    """Return the time that a text says in ISO 8601; None where it says none."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def nearest_milli(time: datetime) -> datetime:
    """Return a time in UTC and whole milliseconds, rounded down; one without zone is taken for one of UTC."""
    try:
        aware = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except OverflowError:  # before the first or after the last year in UTC
        aware = time.replace(tzinfo=UTC)
    return aware.replace(microsecond=aware.microsecond // _MILLI * _MILLI)
