"""Unknown fields of the objects inside of parts, such as ``image_url``: extras, in a namespace of their own."""

from __future__ import annotations

from typing import Any

from agentmsg.formats import Native, is_mapping, is_object

# The objects inside of parts, and the namespace of their unknown fields.
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
