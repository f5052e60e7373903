"""Limits on the size of inputs.

Callers may raise a limit, data never can: pass ``limits=Limits(depth=500)`` to loads, decode or convert.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import attrs

from agentmsg.errors import is_a, refused

_MIB = 1024 * 1024


def _positive(_: object, attribute: Any, value: object) -> None:
    if type(value) is not int or value < 1:
        raise refused(attribute.name, value, "a whole number, at least 1", code="option")


@attrs.frozen(kw_only=True)
class Limits:
    """Upper bounds on what is read.

    Attributes:
        bytes: size of one document, in bytes.
        depth: nesting of arrays and objects in one free-form value; a document may have AROUND more levels, for what
            its format puts around such values, unless the limit is lowered.
        nesting: nesting of content blocks (a result inside a result ...).
        line: length of one line of a JSON Lines file, in bytes.
        inline_media: decoded size of one Base64Source, in bytes.

    Raises:
        InvalidMessage: code "option" if a limit isn't a whole number above 0.
    """

    bytes: int = attrs.field(default=64 * _MIB, validator=_positive)
    depth: int = attrs.field(default=128, validator=_positive)
    nesting: int = attrs.field(default=64, validator=_positive)
    line: int = attrs.field(default=64 * _MIB, validator=_positive)
    inline_media: int = attrs.field(default=32 * _MIB, validator=_positive)


def as_limits(value: object) -> Limits:
    """Return the caller's limits, checked.

    Raises:
        InvalidMessage: code "type" if they aren't Limits.
    """
    if is_a(value, Limits):
        return value
    raise refused("limits", value, "Limits")


def beyond(words: str, name: str) -> str:
    """Return what an input is that is beyond a limit, and how to raise that limit."""
    return f"{words}; Limits({name}=...) allows more, and so does --limit {name}=..."


DEFAULT_LIMITS = Limits()
"""The limits where nobody gives any."""
# Nested blocks (64 at most) take two levels each. With those of history, message and block, this is the most that a
# format puts around free-form JSON. The sum, 254, is also the most that orjson writes.
AROUND = 126
"""How many levels of nesting a format may put around free-form JSON."""
# Documents up to this depth need no further care: the few levels that readers put around a part stay below the default
# depth. `deep_documents` reads deeper ones.
USUAL = 120
"""How many levels of nesting a document may have that needs no further care."""


def room_of(limits: Limits) -> Limits:
    """Add room for the format's own levels; a lowered limit applies to the whole document.

    Raises:
        InvalidMessage: code "type" if these aren't Limits.
    """
    return _room_of(as_limits(limits))


@lru_cache(maxsize=64)
def _room_of(limits: Limits) -> Limits:
    return limits if limits.depth < DEFAULT_LIMITS.depth else attrs.evolve(limits, depth=limits.depth + AROUND)
