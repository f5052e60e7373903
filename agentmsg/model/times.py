"""Times as formats write them.

All codecs follow one rule for ids and times: what a message lacks is left out, never made up, and no clock is read.
What the library made for a new message is written if every message of the format has such a field, and left out if the
field is optional (see ``generated.given``).
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING

from agentmsg.model.generated import MadeTime

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["MadeTime", "nearest_milli", "read_time", "write_time", "write_time_js", "write_time_z"]

_MILLI = 1000
_UTC = "+00:00"


def read_time(text: str) -> datetime | None:
    """Parse a time in ISO 8601; None if it isn't one."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def nearest_milli(time: datetime) -> datetime:
    """Return a time in UTC, rounded down to whole milliseconds; a time without a zone counts as UTC."""
    try:
        aware = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except OverflowError:  # before the first or after the last year in UTC
        aware = time.replace(tzinfo=UTC)
    return aware.replace(microsecond=aware.microsecond // _MILLI * _MILLI)


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
