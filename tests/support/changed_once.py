"""Documents with one thing changed: any possible value, in any place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.values.frozen import plain_copy
from agentmsg.values.types import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["changed_once"]

# Values that may be anywhere instead of the usual one.
ODD: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    1,
    -1,
    1.0,
    -0.0,
    2**70,
    "",
    "x",
    "stop",
    [],
    {},
    [0],
    [[]],
    {"x": 1},
    "é",
)


def _places(value: Any, spot: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of each value in a document."""
    for key, item in value.items() if is_object(value) else enumerate(value) if is_list(value) else ():
        yield (*spot, key)
        yield from _places(item, (*spot, key))


def _copied(document: Any, spot: tuple[Any, ...]) -> tuple[Any, Any]:
    """Return a copy of a document, and the container in it that holds what is at a path."""
    copy = place = plain_copy(document)
    for key in spot[:-1]:
        place = place[key]
    return copy, place


def changed_once(document: Any) -> Iterator[Any]:
    """Yield a document with each single value replaced or left out, and with one more key in each object."""
    for spot in _places(document):
        for odd in ODD:
            copy, place = _copied(document, spot)
            place[spot[-1]] = odd
            yield copy
        copy, place = _copied(document, spot)
        del place[spot[-1]]
        yield copy
        if is_object(place):
            copy, place = _copied(document, spot)
            place["x_more"] = {"a": []}
            yield copy
