"""How much a message looks like one of Arcaelas'."""

from __future__ import annotations

import re
from typing import Any

from agentmsg.formats import is_object
from agentmsg_codecs.arcaelas.messages import keys_of

_ROLES = frozenset({"system", "user", "assistant", "tool"})
_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def sniff_message(message: Any) -> float:
    """Return 0 to 1: for a message with a time as JavaScript writes it, and no field that the library does not have."""
    if not is_object(message):
        return 0.0
    role, stamp = message.get("role"), message.get("timestamp")
    if not isinstance(role, str) or role not in _ROLES or not isinstance(stamp, str):
        return 0.0
    own = _STAMP.fullmatch(stamp) is not None and keys_of(role).issuperset(message)
    return 0.95 if own else 0.2
