"""How closely a message resembles one of Synaptic's."""

from __future__ import annotations

from typing import Any

from agentmsg.formats import is_mapping, is_sequence
from agentmsg_codecs.synaptic.names import CALL_KEYS, CHUNK_KEYS

_ROLES = frozenset({"system", "human", "assistant", "tool", "chat", "remove"})
# The keys of similar messages of other formats.
_FOREIGN = frozenset({"type", "timestamp", "parts", "data", "created_at", "metadata", "files", "token_usage", "lc"})
_USAGE = frozenset({"input_tokens", "output_tokens", "total_tokens"})
_COUNT_DETAILS = frozenset({"input_details", "output_details"})


def sniff_message(message: Any) -> float:
    """Return 0 to 1: most for a message that only Synaptic has, less for one that others have, too."""
    if not is_mapping(message) or not _FOREIGN.isdisjoint(message):
        return 0.0
    role = message.get("role")
    if role == "remove":
        return 1.0 if isinstance(message.get("id"), str) else 0.0
    if not isinstance(message.get("content"), str):
        return 0.0
    if "role" not in message:
        return _sniff_chunk(message)
    if not isinstance(role, str) or role not in _ROLES:
        return 0.0
    if role == "chat":
        return 1.0 if isinstance(message.get("custom_role"), str) else 0.0
    calls = message.get("tool_calls")
    if calls and not _are_calls(calls):
        return 0.0
    own = bool(calls) or "content_blocks" in message or _is_usage(message.get("usage_metadata"))
    return 1.0 if own else 0.85 if role == "human" else 0.81


def _sniff_chunk(message: dict[str, Any]) -> float:
    if not CHUNK_KEYS.issuperset(message):
        return 0.0
    if "tool_call_chunks" in message or _is_usage(message.get("usage")):
        return 1.0
    return 0.85 if "reasoning" in message else 0.2


def _are_calls(calls: Any) -> bool:
    return is_sequence(calls) and all(is_mapping(call) and call.keys() == CALL_KEYS for call in calls)


def _is_usage(usage: Any) -> bool:
    return is_mapping(usage) and usage.keys() >= _USAGE and (_USAGE | _COUNT_DETAILS).issuperset(usage)
