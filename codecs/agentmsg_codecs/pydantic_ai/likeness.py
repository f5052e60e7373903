"""How closely a document resembles Pydantic AI: requests and responses whose parts have a kind, and tell theirs."""

from __future__ import annotations

from typing import Any

from agentmsg.formats import is_list, is_object
from agentmsg_codecs.pydantic_ai.by_role import OWN_ROLES, modern
from agentmsg_codecs.pydantic_ai.messages import kind_of

_KINDS = ("request", "response")
# A user's message and a system prompt of old versions say nothing of their format.
_OTHERS = frozenset({"role", "content", "timestamp"})
_PLAIN = 0.01


def _sniff_by_role(native: Any) -> float:
    """Return how much a message with a role looks like one of old versions."""
    if modern(native) is None:
        return 0.0
    if native["role"] in OWN_ROLES:
        return 1.0
    is_dated = native["role"] == "system" or type(native.get("timestamp")) is str
    return _PLAIN if is_dated and native.keys() <= _OTHERS and type(native.get("content")) is str else 0.0


def sniff_message(native: Any) -> float:
    """Return 1 for a message, 0 for anything else."""
    if not is_object(native):
        return 0.0
    if "role" in native:
        return _sniff_by_role(native)
    if not is_list(native.get("parts")):
        return 0.0
    if native.get("kind") not in _KINDS and ("kind" in native or kind_of(native) is None):
        return 0.0
    return 1.0 if all(is_object(part) and "part_kind" in part for part in native["parts"]) else 0.0
