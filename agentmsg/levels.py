"""The proof that a value is not nested too deep: orjson writes at most 254 levels. Imports nothing of the package.

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


def written_within(value: object, depth: int, option: int = 0) -> bytes:
    """Return what orjson writes for a value of at most so many levels (at most 254), with an option of orjson's.

    Raises:
        TypeError: where it is nested deeper, or has something that orjson does not write.
    """
    around = PROVABLE - depth
    if around <= 0:
        return _dumps()(value, option=option)
    spare = _spare(around)
    # Taken away while in use: another thread makes lists of its own.
    outer, inner = spare.pop() if spare else _lists(around)
    inner.append(value)
    try:
        return _dumps()(outer, option=option)[around:-around]
    finally:
        inner.clear()
        spare.append((outer, inner))


@cache
def _spare(_around: int) -> list[tuple[list[Any], list[Any]]]:
    return []


def _lists(levels: int) -> tuple[list[Any], list[Any]]:
    """Return lists inside of each other, and the innermost of them."""
    inner: list[Any] = []
    outer = inner
    for _ in range(levels - 1):
        outer = [outer]
    return outer, inner


@cache
def _dumps() -> Callable[..., bytes]:
    import orjson  # noqa: PLC0415 - not every user of the model reads documents

    return orjson.dumps
