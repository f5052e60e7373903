"""How closely a message resembles one of Arcaelas'."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.formats import is_object
from agentmsg_codecs.arcaelas.times import STAMP

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmsg.formats.forms import Form

_FORMS = {"system": "system", "user": "user", "assistant": "assistant", "tool": "tool_2"}


def sniff_message(message: Any, forms: Mapping[str, Form]) -> float:
    """Return 0 to 1: most for a message with a time as JavaScript writes it, and only keys of the library."""
    if not is_object(message):
        return 0.0
    role, stamp = message.get("role"), message.get("timestamp")
    if not isinstance(role, str) or role not in _FORMS or not isinstance(stamp, str):
        return 0.0
    own = STAMP.fullmatch(stamp) is not None and forms[_FORMS[role]].keys.issuperset(message)
    return 0.95 if own else 0.2
