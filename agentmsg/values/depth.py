"""Proves that a value isn't nested too deep: orjson writes at most 254 levels.

Wrapping the value in more lists leaves fewer levels for it, so writing also proves a smaller bound. The lists are made
once and reused: making them takes longer than writing them.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

PROVABLE = 254
"""The most levels that orjson writes."""

# With more items than these, counting the brackets of a text takes longer than writing the lists around it.
_FEW = 16
# The same for the size of a text, if known: from here on, counting takes more than 2 us.
_SHORT = 1600
# Typed as Any, so that a check against it doesn't narrow to a dict of unknown types.
_OBJECT: Any = dict
_LIST: Any = list


def written_within(value: object, depth: int, option: int | None = None, *, size: int | None = None) -> bytes:
    """Return what orjson writes for a value, proving that it has at most ``depth`` levels (at most 254).

    Args:
        value: anything.
        depth: the most levels.
        option: an orjson option.
        size: the size of the text that the value was read from, if any; it only decides which way is shorter.

    Raises:
        TypeError: if it is nested deeper, or holds something that orjson doesn't write.
    """
    dumps, spare = _spare(around := PROVABLE - depth)
    if around <= 0:
        return dumps(value, option=option)
    if _is_short(value) if size is None else size <= _SHORT:
        text = dumps(value, option=option)
        # Every level has two brackets.
        if len(text) <= 2 * depth or text.count(b"{") + text.count(b"[") <= depth:
            return text
    # Taken out while in use: another thread makes its own lists.
    outer, inner = spare.pop() if spare else _lists(around)
    inner.append(value)
    try:
        return dumps(outer, option=option)[around:-around]
    finally:
        inner.clear()
        spare.append((outer, inner))


def _is_short(value: Any) -> bool:
    """Whether a list, or each list in an object, has only a few items."""
    if type(value) is not _OBJECT:
        return type(value) is not _LIST or len(value) <= _FEW
    for item in value.values():  # a generator would take longer than everything else here
        if type(item) is _LIST and len(item) > _FEW:
            return False
    return True


@cache
def _spare(_around: int) -> tuple[Callable[..., bytes], list[tuple[list[Any], list[Any]]]]:
    """Return orjson's writer, and the nested lists of this depth that are free."""
    import orjson  # noqa: PLC0415 - not every user of the model reads documents

    return orjson.dumps, []


def _lists(levels: int) -> tuple[list[Any], list[Any]]:
    """Return nested lists, and the innermost of them."""
    inner: list[Any] = []
    outer = inner
    for _ in range(levels - 1):
        outer = [outer]
    return outer, inner
