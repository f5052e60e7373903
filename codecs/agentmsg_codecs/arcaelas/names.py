"""The names that the Arcaelas codec uses."""

from __future__ import annotations

from typing import Any

from agentmsg.formats import Containers, is_marked

FAMILY = "arcaelas"
CONTAINERS = Containers(family=FAMILY, title="Arcaelas", own=frozenset({"role"}))
# The keys, besides those of all formats, whose values a model reads or acts on.
CONTENT_KEYS = frozenset({"data", "function", "source", "url"})
# The namespace of unknown keys in the `function` of a call.
ITEM = "arcaelas.item"
# The field that links a result with its call, by generation.
LINKS = {1: "tool_id", 2: "tool_call_id"}
# Roles that a document may not have, because they have another meaning in the model.
NO_ROLES = frozenset({"", "native", "remove", "unset"})
# The provider of `thinking_signature`: no other provider of the library's signs.
SIGNER = "anthropic"


def is_odd(obj: Any) -> bool:
    """Whether an object was read from something that the library never writes."""
    return is_marked(obj, FAMILY, "/odd")
