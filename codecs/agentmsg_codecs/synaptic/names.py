"""The names that the Synaptic codec uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmsg.formats import Containers

if TYPE_CHECKING:
    from collections.abc import Mapping


FAMILY = "synaptic"
CONTAINERS = Containers(family=FAMILY, title="Synaptic", own=frozenset({"role"}))
CALL_KEYS = frozenset({"id", "name", "arguments"})
CHUNK_KEYS = frozenset({"content", "reasoning", "tool_calls", "usage", "id", "tool_call_chunks", "invalid_tool_calls"})
# The keys, besides those of all formats, whose values a model reads or acts on.
CONTENT_KEYS = frozenset({"data", "url"})
# The variant of a word in `role`, which may be another system's; and the role of a variant.
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
# Roles that have rules in the model, so that no free role may be one of them.
RESERVED = frozenset({"tool", "remove", "native"})
