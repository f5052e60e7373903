"""Messages as Mastra stores them: those of version 4 or 5 with the parts, and what repeats them, under ``content``.

The mark ``/mastra`` is the format that the content names, and the keys in it that are not always there.
"""

from __future__ import annotations

from typing import Any

from agentmsg.formats import Native, is_list, is_mapping, is_object, same_document
from agentmsg_codecs.vercel.ui.v4 import KEYS

_FORMAT = "format"
_INSIDE = KEYS | {"parts", "metadata", "annotations", "providerMetadata"}


def lifted(native: Any) -> tuple[Native, Native] | None:
    """Return a message that Mastra stored as a usual one, and its mark; None for any other."""
    content: Any = native.get("content") if is_object(native) else None
    if not is_object(content) or not is_list(content.get("parts")):
        return None
    number = content.get(_FORMAT)
    if type(number) is not int or number not in (2, 3):
        return None
    inside: Native = {key: value for key, value in content.items() if key != _FORMAT}
    outside: Native = {key: value for key, value in native.items() if key != "content"}
    if not outside.keys().isdisjoint(_INSIDE | inside.keys()):
        return None
    return {**outside, **inside}, {_FORMAT: number, "keys": [key for key in inside if key not in _INSIDE]}


def stored(native: Native, mark: Any) -> Native:
    """Return a usual message as Mastra stores it, if it was read so and would be read as the same."""
    keys: Any = mark.get("keys") if is_mapping(mark) else None
    if not isinstance(keys, (list, tuple)):
        return native
    inside = {key: value for key, value in native.items() if key in _INSIDE or key in keys}
    outside = {key: value for key, value in native.items() if key not in inside}
    out: Native = {**outside, "content": {_FORMAT: mark.get(_FORMAT), **inside}}
    found = lifted(out)
    return out if found is not None and same_document(found[0], native) else native
