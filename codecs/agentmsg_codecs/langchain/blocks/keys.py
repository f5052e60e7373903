"""The keys that a part of content may have, and those that have a meaning in some variant or other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg_codecs.langchain.blocks.v1 as v1
from agentmsg.formats import Native, dispatch
from agentmsg_codecs.langchain.blocks.older_calls import BY_NAME

if TYPE_CHECKING:
    from agentmsg_codecs.langchain.blocks.older import Variant


# (A call's `error` is an unknown field that invalid calls have a key for.)
_NON_STANDARD = frozenset({"type", "value", "cache_control"})
# Where what a block shows may be from: each part has one of them, and the others are nothing of it.
_SOURCES = frozenset(
    {
        "url",
        "base64",
        "file_id",
        "data",
        "image_url",
        "file_data",
        "file_url",
        "file_uri",
        "content",
        "encrypted_content",
    }
)
# The keys whose value is an extra where it has no meaning.
ODD = frozenset({"id", "cache_control", "extras", "annotations", "citations", "index"})
# What some variant or other has a meaning for: an unknown field of such a name may be read as that.
MAY_MEAN = frozenset[str]().union(
    *v1.KEYS.values(),
    _NON_STANDARD,
    _SOURCES,
    ODD,
    *(variant.keys for variant in BY_NAME.values()),
    {"source", "summary"},
)


def known_keys(block: Any, variant: Variant | None, plain: Native) -> frozenset[str]:
    """Return the keys that the part of this very block may have: no unknown field may use them."""
    keys = v1.KEYS.get(dispatch.class_of(block), _NON_STANDARD) if variant is None else variant.keys
    if variant is None and plain.get("type") == "text-plain":
        keys |= {"title", "context"}
    return (keys - _SOURCES) | plain.keys()
