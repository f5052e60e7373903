"""The proof that a value isn't nested too deep: orjson writes at most 254 levels.

A value inside of more lists may have as many levels less, so the same writing proves any smaller bound. The lists are
made once and used again: to make them takes longer than to write them.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["PROVABLE", "written_within"]

PROVABLE = 254
"""The most levels that orjson writes."""

# With more items than these, to count the brackets of a text takes more time than to write the lists around it.
_FEW = 16
# The same, by the size of a text, where it is known: from here on, counting takes more than 2 us.
_SHORT = 1600
# Typed as Any: a check against it narrows nothing to a dict of who knows what.
_OBJECT: Any = dict
_LIST: Any = list


def written_within(value: object, depth: int, option: int | None = None, *, size: int | None = None) -> bytes:
    """Return what orjson writes for a value of at most so many levels (at most 254), with an option of orjson's.

    Args:
        value: anything.
        depth: the most levels.
        option: of orjson.
        size: of the text that the value was read from, where there is one; it only tells which way is the shorter.

    Raises:
        TypeError: if it is nested deeper, or has something that orjson doesn't write.
    """
    dumps, spare = _spare(around := PROVABLE - depth)
    if around <= 0:
        return dumps(value, option=option)
    if _is_short(value) if size is None else size <= _SHORT:
        text = dumps(value, option=option)
        # Every level has two brackets.
        if len(text) <= 2 * depth or text.count(b"{") + text.count(b"[") <= depth:
            return text
    # Taken away while in use: another thread makes lists of its own.
    outer, inner = spare.pop() if spare else _lists(around)
    inner.append(value)
    try:
        return dumps(outer, option=option)[around:-around]
    finally:
        inner.clear()
        spare.append((outer, inner))


def _is_short(value: Any) -> bool:
    """Tell whether a list, or each list in an object, has but a few items."""
    if type(value) is not _OBJECT:
        return type(value) is not _LIST or len(value) <= _FEW
    for item in value.values():  # a generator would take longer than all else here
        if type(item) is _LIST and len(item) > _FEW:
            return False
    return True


@cache
def _spare(_around: int) -> tuple[Callable[..., bytes], list[tuple[list[Any], list[Any]]]]:
    """Return what writes, and so many lists inside of each other that nobody uses now."""
    import orjson  # noqa: PLC0415 - not every user of the model reads documents

    return orjson.dumps, []


def _lists(levels: int) -> tuple[list[Any], list[Any]]:
    """Return lists inside of each other, and the innermost of them."""
    inner: list[Any] = []
    outer = inner
    for _ in range(levels - 1):
        outer = [outer]
    return outer, inner
