"""The names that the Synaptic codec uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmsg.formats import Containers

if TYPE_CHECKING:
    from collections.abc import Mapping


FAMILY = "synaptic"
CONTAINERS = Containers(family=FAMILY, title="Synaptic", own=frozenset({"role"}))
_COMMON = frozenset({"role", "content", "id", "name", "additional_kwargs", "response_metadata", "content_blocks"})
# The keys that each variant models.
KEYS: Mapping[str, frozenset[str]] = {
    "system": _COMMON,
    "human": _COMMON,
    "assistant": _COMMON | {"tool_calls", "usage_metadata", "invalid_tool_calls"},
    "tool": _COMMON | {"tool_call_id"},
    "chat": _COMMON | {"custom_role"},
    "bare": _COMMON,
    "remove": frozenset({"role", "id"}),
}
CHUNK_KEYS = frozenset(
    {"content", "reasoning", "tool_calls", "usage", "id", "tool_call_chunks", "invalid_tool_calls", "role"}
)
# What a model reads or does, wherever it stands, beside what it does in any format.
CONTENT_KEYS = frozenset({"data", "url"})
# The variant of a word in `role`, with the words that other systems have; and the role of a variant.
VARIANTS: Mapping[str, str] = {
    "system": "system",
    "human": "human",
    "user": "human",
    "assistant": "assistant",
    "ai": "assistant",
    "tool": "tool",
    "chat": "chat",
    "remove": "remove",
}
ROLES: Mapping[str, str] = {
    "system": "system",
    "human": "user",
    "assistant": "assistant",
    "tool": "tool",
    "remove": "remove",
}
