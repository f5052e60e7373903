"""Which items have moved: the fewest that explain the current order."""

from __future__ import annotations

from bisect import bisect_left
from operator import lt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence


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
