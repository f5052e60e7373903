"""Times: in full, or with milliseconds and without a zone, as Python's 1.x and Java write them.

The mark ``/time`` is on messages whose time the older spelling can't hold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.formats import KEEP, Cell, Native, given, is_marked, natives, spelling, times, usually
from agentmsg.formats.forms import Hatch

if TYPE_CHECKING:
    from datetime import datetime


def _read(value: Any) -> datetime | None:
    return times.read_time(value) if type(value) is str else None


def is_no_time(value: Any) -> bool:
    """Whether the value for a time is something else."""
    return bool(value) and _read(value) is None


def _is_exact(time: datetime) -> bool:
    """Whether the older spelling holds all of a time."""
    return time.tzinfo is None and not time.microsecond % 1000


def _older_spelling(time: datetime) -> str | None:
    """Return a time with milliseconds; None for a made one, with more digits or a zone."""
    if not _is_exact(time):
        return given(time) and time.isoformat(" ")
    text = times.write_time(time)
    return f"{text[:10]} {text[11:23]}" if time.microsecond else f"{text[:10]} {text[11:]}.000"


def time_hatch(key: str, family: str, *, is_old: bool, is_null: bool = False) -> Hatch:
    """Return the hatch of a message's time.

    Args:
        key: the key of the time.
        family: the family of the mark.
        is_old: whether it is written in the older spelling.
        is_null: whether the key is null if there is no time; otherwise it is absent.
    """
    spelt = _older_spelling if is_old else times.write_time
    nothing = "null" if is_null else "absent"

    def read(native: Native) -> dict[str, Any]:
        stamp = native.get(key)
        if stamp is None:
            found = "null" if key in native else "absent"
            return {} if found == nothing else {"notes": {key: found}}
        time = _read(stamp)
        if time is None:
            return {"odd": (key,)} if stamp else {"notes": {key: spelling.spelling_of(stamp) or ["=", stamp]}}
        notes: Native = {} if spelt(time) == stamp else {key: ["=", stamp]}
        return {"created_at": time, "notes": {**notes, "/time": True} if is_old and not _is_exact(time) else notes}

    def write(message: Any) -> Native:
        time = message.created_at
        stamp = None if time is None else spelt(time)
        if stamp is None and (not is_null or (time is None and natives.has_extra(message, family, key))):
            return {}
        return {key: stamp}

    cell = old_times(family) if is_old else KEEP
    return Hatch(keys=(key,), cells={"created_at": cell}, get=read, put=write, odd=(key,), about="created_at")


def old_times(family: str) -> Cell:
    """Return the cell of times in the older spelling."""

    @usually("value.tzinfo is None and not value.microsecond % 1000")
    def cell(time: datetime, message: Any) -> datetime:
        if _is_exact(time) or is_marked(message, family, "/time"):
            return time
        return times.nearest_milli(time).replace(tzinfo=None)

    return cell
