"""Variants: how content parts spell a block beside v1, by a dozen generations of LangChain and by providers.

A variant isn't a ``Shape``: it is for one spelling, of whatever class, and a block has many of them. It knows its
parts, reads them, and writes a block back so. A block keeps its name as a note (``/shape``); parts.py honours that only
while what is written reads back as the same block. variants.py has them all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs

import agentmsg_codecs.langchain.blocks.v1 as v1
from agentmsg.formats import Native


@attrs.frozen
class Variant:
    """One way beside v1 in which content parts are spelt.

    Attributes:
        name: kept on the block as a note.
        keys: of the part that the variant reads; others are unknown fields.
        read: returns the block of a part, or raises Unreadable.
        write: returns the part of a block that was read as this variant.
    """

    name: str
    keys: frozenset[str]
    read: Callable[[Native], Any]
    write: Callable[[Any], Native]


def put(part: Native, **fields: Any) -> Native:
    """Put fields that are not None into a part."""
    part.update({key: value for key, value in fields.items() if value is not None})
    return part


def with_common(part: Native, block: Any, *, id_key: str | None = "id") -> Native:
    """Put the id and the cache hint of a block into a part of a variant that has no `extras`."""
    if id_key and block.item_id is not None:
        part[id_key] = block.item_id
    if block.cache is not None:
        part["cache_control"] = v1.write_cache(block.cache)
    return part


_ID = frozenset({"type", "id", "cache_control"})


def variant(name: str, keys: str, read: Callable[[Native], Any], write: Callable[[Any], Native]) -> Variant:
    """Return a variant that reads these keys, and those that all parts may have."""
    return Variant(name, _ID | frozenset(keys.split()), read, write)
