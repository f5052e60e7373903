"""Times: UTC, with three decimals and a Z, as ``Date.toISOString`` of JavaScript gives them. Imports words.

Another spelling of a time is kept as it is where it was read: the message is marked ``/time``.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from agentmsg.shapes import mark_of
from agentmsg_codecs.arcaelas.words import FAMILY

__all__ = ["carried_time", "is_usual", "read_time", "write_time"]

_MILLI = 1000


def is_usual(time: datetime) -> bool:
    """Tell whether the library could have written a time."""
    return time.tzinfo is not None and not time.utcoffset() and not time.microsecond % _MILLI


def read_time(text: str) -> datetime | None:
    """Return the time that a text says; None where it says none."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def write_time(time: datetime) -> str:
    """Return the text of a time; exactly, even where the library would not have been so exact."""
    if is_usual(time):
        return f"{time.replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"
    return time.isoformat()


def carried_time(time: datetime, message: Any) -> datetime:
    """Carry a time in milliseconds of UTC; one without zone is taken for one of UTC."""
    kept = type(time) is datetime
    if kept and (is_usual(time) or mark_of(message, FAMILY, "/time") is True):
        return time
    try:
        aware = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except OverflowError:  # before the first or after the last year in UTC
        aware = time.replace(tzinfo=UTC)
    plain = datetime.combine(aware.date(), aware.timetz())
    return plain.replace(microsecond=plain.microsecond // _MILLI * _MILLI)
