"""Times as formats write them.

All codecs follow one rule for ids and times: what a message lacks is left out, never made up, and no clock is read.
What the library made for a new message is written if every message of the format has such a field, and left out if the
field is optional (see ``generated.given``).
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_FIRST, _LAST = (edge.replace(tzinfo=UTC) for edge in (datetime.min, datetime.max))  # noqa: DTZ901 - they are given one
_MILLI = 1000
_UTC = "+00:00"


def read_time(text: str) -> datetime | None:
    """Parse a time in ISO 8601; None if it isn't one."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def in_utc(time: datetime) -> datetime:
    """Return a time in UTC, at the ends of the calendar its first or last; a time without a zone counts as UTC."""
    try:
        aware = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
        return aware.replace(fold=0) if aware.fold else aware  # no longer the made time, if it was one
    except OverflowError:
        return _FIRST if time.year == _FIRST.year else _LAST


def nearest_milli(time: datetime) -> datetime:
    """Return a time in UTC, rounded down to whole milliseconds."""
    aware = in_utc(time)
    return aware.replace(microsecond=aware.microsecond // _MILLI * _MILLI)


def nearest_second(time: datetime) -> datetime:
    """Return a time in UTC, rounded down to whole seconds; itself if it is that."""
    return _or_itself(in_utc(time).replace(microsecond=0), time)


def nearest_timestamp(time: datetime) -> datetime:
    """Return a time in UTC that comes back from its ``timestamp()``: rounded down to whole seconds if that doesn't.

    Far from now, seconds as a number have no room for all microseconds.
    """
    aware = in_utc(time)
    try:
        is_back = datetime.fromtimestamp(aware.timestamp(), UTC) == aware
    except ValueError:  # rounded up to the year 10000
        is_back = False
    return _or_itself(aware, time) if is_back else nearest_second(time)


def _or_itself(near: datetime, time: datetime) -> datetime:
    is_near = not time.fold and time.tzinfo is not None and not time.utcoffset() and time == near
    return time if is_near else near


def write_time(time: datetime) -> str:
    """Return the ``isoformat`` text; for times without a zone or in UTC orjson takes a fourth of the time."""
    if time.__class__ is datetime and (time.tzinfo is UTC or time.tzinfo is None):
        return _dumps()(time)[1:-1].decode()
    return time.isoformat()


def write_time_z(time: datetime) -> str:
    """Return the ``isoformat`` text, but with ``Z`` for UTC, as JavaScript and pydantic write it."""
    if time.__class__ is datetime and time.tzinfo is UTC:
        return f"{_dumps()(time)[1:-7].decode()}Z"
    text = time.isoformat()
    return f"{text.removesuffix(_UTC)}Z" if text.endswith(_UTC) else text


def write_time_js(time: datetime) -> str | None:
    """Return the text that JavaScript's ``toISOString`` writes; None for a time that it can't express exactly."""
    if time.utcoffset() != timedelta(0) or time.microsecond % _MILLI:
        return None
    return f"{time.replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"


@cache
def _dumps() -> Callable[[datetime], bytes]:
    import orjson  # noqa: PLC0415 - not every user of the model writes times

    return orjson.dumps
