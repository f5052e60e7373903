"""How closely a message resembles one of Riffer's."""

from __future__ import annotations

from typing import Any

from agentmsg.formats import is_object, is_sequence
from agentmsg_codecs.riffer.format import DESCRIBED

_ROLES = frozenset({"system", "user", "assistant", "tool"})
_OWN_KEYS = frozenset({"files", "token_usage", "structured_output", "finish_reason_raw"})
_RESULT_KEYS = frozenset({"name", "tool_call_id"})
_RARELY, _PLAIN, _LIKELY, _OWN = 0.2, 0.82, 0.84, 0.95


def sniff_message(message: Any) -> float:
    """Return 0 to 1: high for a message that only Riffer has, less for a common one, 0 for any other."""
    if not is_object(message):
        return 0.0
    role, content = message.get("role"), message.get("content")
    form = DESCRIBED.forms.get(role) if isinstance(role, str) and role in _ROLES else None
    if form is None or not form.keys.issuperset(message) or not (content is None or isinstance(content, str)):
        return 0.0
    calls, reasoning = message.get("tool_calls"), message.get("reasoning")
    if is_sequence(calls) and calls:
        return _OWN if all(is_object(call) and "call_id" in call and "function" not in call for call in calls) else 0.0
    if reasoning is not None and not is_sequence(reasoning):
        return 0.0
    if role == "tool" and not _RESULT_KEYS.issubset(message):
        return _RARELY
    if reasoning or not _OWN_KEYS.isdisjoint(message) or "error" in message:
        return _OWN
    if "content" not in message:
        return _RARELY
    return _LIKELY if role == "tool" or "finish_reason" in message else _PLAIN
