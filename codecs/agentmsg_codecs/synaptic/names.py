"""The names that the Synaptic codec uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmsg.formats import Containers

if TYPE_CHECKING:
    from collections.abc import Mapping


FAMILY = "synaptic"
CONTAINERS = Containers(family=FAMILY, title="Synaptic", own=frozenset({"role"}))
CHUNK_KEYS = frozenset({"content", "reasoning", "tool_calls", "usage", "id", "tool_call_chunks", "invalid_tool_calls"})
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
VARIANT_OF: Mapping[str, str] = {role: variant for variant, role in ROLES.items()}
# Roles that no message of a free role may take: the model has rules for them.
RESERVED = frozenset({"tool", "remove", "native"})
