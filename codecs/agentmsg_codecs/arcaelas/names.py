"""The codec's names, apart from fields of the model."""

from __future__ import annotations

from typing import Any

from agentmsg.formats import Containers, is_marked

FAMILY = "arcaelas"
CONTAINERS = Containers(family=FAMILY, title="Arcaelas", own=frozenset({"role"}))
# What a model reads or does, wherever it stands, beside what it does in any format.
CONTENT_KEYS = frozenset({"data", "function", "source", "url"})
# The namespace in extras of the object inside an object: the `function` of a call.
ITEM = "arcaelas.item"
# The field that links a result with its call, by generation.
LINKS = {1: "tool_id", 2: "tool_call_id"}
# Words that mean something else in the model, and aren't roles of a document.
NO_ROLES = frozenset({"", "native", "remove", "unset"})
# Who signs what stands in `thinking_signature`: no other provider of the library's gives a signature.
SIGNER = "anthropic"


def is_odd(obj: Any) -> bool:
    """Whether an object was read from what the library does not write."""
    return is_marked(obj, FAMILY, "/odd")
