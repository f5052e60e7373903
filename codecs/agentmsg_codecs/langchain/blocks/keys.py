"""The keys that a part of content may have, and those that have a meaning in some variant or other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.formats import Native, dispatch, is_mapping, is_object
from agentmsg_codecs.langchain.blocks.v1_shapes import KEYS
from agentmsg_codecs.langchain.blocks.variants import BY_NAME

if TYPE_CHECKING:
    from agentmsg_codecs.langchain.blocks.variant import Variant


# (A call's `error` is an unknown field that invalid calls have a key for.)
_NON_STANDARD = frozenset({"type", "value", "cache_control"})
# Where what a block shows may be from: each part has one of them, and the others are nothing of it.
_SOURCES = frozenset(
    {
        "url", "base64", "file_id", "data", "image_url", "file_data", "file_url", "file_uri", "content",
        "encrypted_content",
    }
)  # fmt: skip
# The keys whose value is an extra where it has no meaning.
ODD = frozenset({"id", "cache_control", "extras", "annotations", "citations", "index"})
# What some variant or other has a meaning for: an unknown field of such a name may be read as that.
MAY_MEAN = frozenset[str]().union(
    *KEYS.values(),
    _NON_STANDARD,
    _SOURCES,
    ODD,
    *(variant.keys for variant in BY_NAME.values()),
    {"source", "summary"},
)


def known_keys(block: Any, variant: Variant | None, plain: Native) -> frozenset[str]:
    """Return the keys that the part of this very block may have: no unknown field may use them."""
    keys = KEYS.get(dispatch.class_of(block), _NON_STANDARD) if variant is None else variant.keys
    if variant is None and plain.get("type") == "text-plain":
        keys |= {"title", "context"}
    return (keys - _SOURCES) | plain.keys()


# -- objects inside of parts ---------------------------------------------------------------------------------------

# Inside of some objects in parts, such as image_url, stand unknown fields: extras of this namespace.
_HOLDERS = frozenset({"image_url", "input_audio", "file", "source", "image"})
NESTED = "langchain.nested"


def nested_in(part: Native, plain: Native) -> Native:
    """Return the unknown fields of the objects inside of a part, by their keys."""
    inside: Native = {}
    for key, value in part.items():
        usual = plain.get(key)
        if key not in _HOLDERS or not is_object(value) or not is_mapping(usual):
            continue
        more = {name: item for name, item in value.items() if name not in usual and item is not None}
        inside |= {key: more} if more else {}
    return inside


def with_nested(plain: Native, block: Any) -> Native:
    """Return a part with the unknown fields of the objects inside of it."""
    inside = block.extras.get(NESTED)
    if not is_mapping(inside):
        return plain
    return {
        key: {**inside[key], **value} if key in inside and is_mapping(inside[key]) and is_mapping(value) else value
        for key, value in plain.items()
    }
