"""Pairing two lists: what stands between sure pairs, the best pairs by a table of scores, and what has moved."""

from __future__ import annotations

from bisect import bisect_left
from operator import lt
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

Pairs: TypeAlias = dict[int, int]
"""Indexes in one list by those in another."""


def moved_of(places: Sequence[int], mended: Collection[int] = ()) -> set[int]:
    """Return the indexes of the fewest places to lift out so that the others ascend.

    The others are a longest ascending run, found from the back, so that of two explanations the later item has moved (a
    system message lifted to the top, not the user message before it).

    Args:
        places: the current place of each item.
        mended: the indexes of items that a mend moved: of two candidates, these have moved.
    """
    if not mended:
        if all(map(lt, places, places[1:])):  # the common case
            return set()
        return set(range(len(places))) - longest_run(places)
    others = [index for index in range(len(places)) if index not in mended]
    run = longest_run([places[index] for index in others])
    staying = [others[index] for index in sorted(run)]
    moved = set(others).difference(staying)
    for index in sorted(mended):
        slot = bisect_left(staying, index)
        before = places[staying[slot - 1]] if slot else -1
        if before < places[index] and (slot == len(staying) or places[index] < places[staying[slot]]):
            staying.insert(slot, index)
        else:
            moved.add(index)
    return moved


def longest_run(places: Sequence[int]) -> set[int]:
    """Return the indexes of a longest ascending run of places."""
    heads: list[int] = []
    at: list[int] = []
    after: dict[int, int | None] = {}
    for index in range(len(places) - 1, -1, -1):
        slot = bisect_left(heads, -places[index])
        heads[slot : slot + 1] = [-places[index]]
        at[slot : slot + 1] = [index]
        after[index] = at[slot - 1] if slot else None
    run: set[int] = set()
    place = at[-1] if at else None
    while place is not None:
        run.add(place)
        place = after[place]
    return run


def without_ends(count: int, other: int, is_one: Callable[[int, int], bool], pairs: Pairs) -> tuple[range, range]:
    """Pair what is one and the same at both ends of two lists; return the indexes between them."""
    least, head, tail = min(count, other), 0, 0
    while head < least and is_one(head, head):
        head += 1
    while tail < least - head and is_one(count - 1 - tail, other - 1 - tail):
        tail += 1
    pairs.update((i, i) for i in range(head))
    pairs.update((count - tail + n, other - tail + n) for n in range(tail))
    return range(head, count - tail), range(head, other - tail)


def pair_equal(mine: Mapping[int, Any], theirs: Mapping[int, Any], pairs: Pairs) -> tuple[list[int], list[int]]:
    """Pair indexes with equal keys, if there are as many on both sides; return those that are left.

    Those whose key is None are left.
    """
    one, other = _by_key(mine), _by_key(theirs)
    for key, indexes in one.items():
        if len(indexes) == len(other.get(key, ())):
            pairs.update(zip(indexes, other[key], strict=True))
    return unpaired(mine, theirs, pairs)


def _by_key(keys: Mapping[int, Any]) -> dict[Any, list[int]]:
    found: dict[Any, list[int]] = {}
    for index, key in keys.items():
        if key is not None:
            found.setdefault(key, []).append(index)
    return found


def unpaired(left: Iterable[int], other: Iterable[int], pairs: Pairs) -> tuple[list[int], list[int]]:
    """Return the indexes of two lists that aren't in pairs."""
    taken = set(pairs.values())
    return [i for i in left if i not in pairs], [k for k in other if k not in taken]


def gaps(pairs: Pairs, left: list[int], other: list[int]) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the indexes of both lists that are left between pairs in order; gaps of which one side is empty, too."""
    known = sorted(pairs)
    stay = longest_run([pairs[i] for i in known])
    anchors = [(i, pairs[i]) for n, i in enumerate(known) if n in stay]
    i = k = 0
    for end, stop in [*anchors, (None, None)]:
        first, start = i, k
        while i < len(left) and (end is None or left[i] < end):
            i += 1
        while k < len(other) and (stop is None or other[k] < stop):
            k += 1
        if first < i or start < k:
            yield left[first:i], other[start:k]


def best_pairs(mine: Sequence[int], theirs: Sequence[int], score: Callable[[int, int], float]) -> Pairs:
    """Pair indexes in order so that the sum of their scores is greatest; a score of 0 is no pair."""
    scores = [[score(i, k) for k in theirs] for i in mine]
    best: list[list[float]] = [[0] * (len(theirs) + 1) for _ in range(len(mine) + 1)]
    for x in range(len(mine) - 1, -1, -1):
        row, below = best[x], best[x + 1]
        for y in range(len(theirs) - 1, -1, -1):
            take = scores[x][y] + below[y + 1] if scores[x][y] else 0
            row[y] = max(take, below[y], row[y + 1])
    found: Pairs = {}
    x = y = 0
    while x < len(mine) and y < len(theirs):
        if scores[x][y] and best[x][y] == scores[x][y] + best[x + 1][y + 1]:
            found[mine[x]] = theirs[y]
            x, y = x + 1, y + 1
        elif best[x][y] == best[x + 1][y]:
            x += 1
        else:
            y += 1
    return found
