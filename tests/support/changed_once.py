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


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each container of a document with each of its keys."""
    for key, item in list(value.items() if is_object(value) else enumerate(value) if is_list(value) else ()):
        yield value, key
        yield from _places(item)


def changed_once(document: Any) -> Iterator[Any]:
    """Yield a document with each single value replaced or left out, and with one more key in each object."""
    for number in range(len(list(_places(document)))):
        for odd in ODD:
            copy = plain_copy(document)
            place, key = list(_places(copy))[number]
            place[key] = odd
            yield copy
        copy = plain_copy(document)
        place, key = list(_places(copy))[number]
        del place[key]
        yield copy
        if is_object(place):
            copy = plain_copy(document)
            list(_places(copy))[number][0]["x_more"] = {"a": []}
            yield copy
