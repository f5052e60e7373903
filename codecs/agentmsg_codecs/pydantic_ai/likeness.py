"""How closely a document resembles Pydantic AI: requests and responses whose parts have a kind, and tell theirs."""

from __future__ import annotations

from typing import Any

from agentmsg.formats import is_list, is_object
from agentmsg_codecs.pydantic_ai.messages import kind_of

_KINDS = ("request", "response")


def sniff_message(native: Any) -> float:
    """Return 1 for a message, 0 for anything else."""
    if not is_object(native) or not is_list(native.get("parts")):
        return 0.0
    if native.get("kind") not in _KINDS and ("kind" in native or kind_of(native) is None):
        return 0.0
    return 1.0 if all(is_object(part) and "part_kind" in part for part in native["parts"]) else 0.0
