"""Times as formats write them.

One rule for ids and times in all codecs: what a message lacks is left out, never made up, and no clock is read; what
the library made for a new message is written where every message of the format has such a field, and left out, like
nothing, where one is optional (see ``generated.given``).
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING

from agentmsg.model.generated import MadeTime

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["MadeTime", "nearest_milli", "read_time", "write_time", "write_time_z"]

_MILLI = 1000
_UTC = "+00:00"


def read_time(text: str) -> datetime | None:
    """Return the time that a text says in ISO 8601; None if it says none."""
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


def write_time(time: datetime) -> str:
    """Return what ``isoformat`` gives; orjson has it in a fourth of the time where there is no zone but UTC."""
    if time.__class__ is datetime and (time.tzinfo is UTC or time.tzinfo is None):
        return _dumps()(time)[1:-1].decode()
    return time.isoformat()


def write_time_z(time: datetime) -> str:
    """Return what ``isoformat`` gives, but ``Z`` for UTC, as JavaScript and pydantic write it."""
    if time.__class__ is datetime and time.tzinfo is UTC:
        return f"{_dumps()(time)[1:-7].decode()}Z"
    text = time.isoformat()
    return f"{text.removesuffix(_UTC)}Z" if text.endswith(_UTC) else text


@cache
def _dumps() -> Callable[[datetime], bytes]:
    import orjson  # noqa: PLC0415 - not every user of the model writes times

    return orjson.dumps
