"""Times: UTC, with three decimals and a Z, like JavaScript's ``Date.toISOString``.

A time that can't be spelt like this has the mark ``/time``.
"""

from __future__ import annotations

import re
from datetime import UTC
from typing import TYPE_CHECKING, Any

from agentmsg.formats import is_marked, times, usually
from agentmsg_codecs.arcaelas.names import FAMILY

if TYPE_CHECKING:
    from datetime import datetime


STAMP = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")


def write_time(time: datetime) -> str:
    """Return the exact text of a time, even if the library would round it."""
    return times.write_time_js(time) or time.isoformat()


@usually("value.tzinfo is utc and not value.microsecond % 1000", utc=UTC)
def carried_time(time: datetime, message: Any) -> datetime:
    """Keep a time that the library can write, or that was read."""
    is_kept = times.write_time_js(time) is not None or is_marked(message, FAMILY, "/time")
    return time if is_kept else times.nearest_milli(time)
