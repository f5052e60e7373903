"""Times: UTC, with three decimals and a Z, like JavaScript's ``Date.toISOString``.

Another spelling of a time is kept with the mark ``/time``.
"""

from __future__ import annotations

import re
from datetime import UTC
from typing import TYPE_CHECKING, Any

from agentmsg.formats import is_marked, times, usually
from agentmsg_codecs.arcaelas.names import FAMILY

if TYPE_CHECKING:
    from datetime import datetime


_MILLI = 1000
STAMP = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")


def is_usual(time: datetime) -> bool:
    """Whether the library could have written a time."""
    return time.tzinfo is not None and not time.utcoffset() and not time.microsecond % _MILLI


def write_time(time: datetime) -> str:
    """Return the text of a time; exactly, even where the library would not have been so exact."""
    if is_usual(time):
        return f"{time.replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"
    return time.isoformat()


@usually("value.tzinfo is utc and not value.microsecond % 1000", utc=UTC)
def carried_time(time: datetime, message: Any) -> datetime:
    """Keep a time in milliseconds of UTC, or one that was read as it is."""
    return time if is_usual(time) or is_marked(message, FAMILY, "/time") else times.nearest_milli(time)
