"""What was edited in a converted history, found by the prints of the one that was not.

Each message, block and tool of the unedited history has a slot, in the old order. It says what is there now, whether
that was edited, and what was added behind it. So a loss report, which counts by the old order, finds its places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

import attrs

from agentmsg.fitting.prints import BlockPrint
from agentmsg.values.pairing import Pairs, best_pairs, gaps, longest_run, pair_equal, unpaired, without_ends

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agentmsg.fitting.prints import Prints
    from agentmsg.model.msg import Msg


class _Gone:
    """Stands for what was deleted."""

    def __repr__(self) -> str:
        return "GONE"


GONE = _Gone()


@attrs.frozen
class Back:
    """Among what was added, stands for the item of a slot that was moved there."""

    slot: int


@attrs.define
class Slot:
    """One place of a list as it was.

    Attributes:
        item: what is there now, without what a loader added; or GONE.
        at: where that is in the list now, if edits were looked for.
        is_changed: whether it was edited; None if that isn't known.
        is_moved: whether it was moved; a ``Back`` says where.
        is_unsure: whether it may be another one that was deleted or edited here.
        added: what was added behind it.
        blocks: for a message, the slots of its content; None if nothing is known to be edited there.
    """

    item: Any
    at: int = -1
    is_changed: bool | None = None
    is_moved: bool = False
    is_unsure: bool = False
    added: list[Any] = attrs.field(factory=list[Any])
    blocks: Slots | None = None


@attrs.define
class Slots:
    """A list as it was: its slots, and what was added before the first, and at the end."""

    slots: list[Slot]
    before: list[Any] = attrs.field(factory=list[Any])
    behind: list[Any] = attrs.field(factory=list[Any])


class _Print(Protocol):
    def is_one(self, other: Self, /) -> bool: ...
    def likeness(self, other: Self, /) -> int: ...
    def as_stated(self, item: Any, /) -> Any: ...


_P = TypeVar("_P", bound=_Print)
# In larger gaps, the n-th old item isn't compared with all new ones.
_TABLE = 10_000


def unedited(items: Iterable[Any], behind: Iterable[Any] = ()) -> Slots:
    """Return a list of which no edits are known, but what was added at its end."""
    return Slots([Slot(item) for item in items], behind=list(behind))


def edited(items: Sequence[Any], now: Sequence[_P], before: Sequence[_P]) -> Slots:
    """Find what was edited in a list.

    Args:
        items: what is there now: messages, blocks or tools.
        now: their prints.
        before: the prints of the list as it was.
    """
    pairs, unsure = _paired(before, now)
    known = sorted(pairs)
    stay = longest_run([pairs[i] for i in known])
    staying = {known[n] for n in stay}
    found = Slots([_slot(i, pairs, items, now, before) for i in range(len(before))])
    for i in unsure:
        found.slots[i].is_unsure = True
    old = {k: i for i, k in pairs.items()}
    target = found.before
    for k, item in enumerate(items):
        place = old.get(k)
        if place is None:
            target.append(item)
        elif place in staying:
            target = found.slots[place].added
        else:
            found.slots[place].is_moved = True
            target.append(Back(place))
    if found.slots:
        found.behind, found.slots[-1].added = found.slots[-1].added, []
    return found


def _slot(i: int, pairs: Pairs, items: Sequence[Any], now: Sequence[_P], before: Sequence[_P]) -> Slot:
    if i not in pairs:
        return Slot(GONE)
    k = pairs[i]
    return Slot(before[i].as_stated(items[k]), k, not before[i].is_one(now[k]))


def _paired(old: Sequence[_P], new: Sequence[_P]) -> tuple[Pairs, set[int]]:
    """Pair two lists of prints; also return the old ones that may be others."""
    pairs: Pairs = {}
    gone, added = without_ends(len(old), len(new), lambda i, k: old[i].is_one(new[k]), pairs)
    left, other = [*gone], [*added]
    if not left:
        return pairs, set()
    if not other:
        return pairs, _slidden(old, gone.start, gone.stop)
    left, other = pair_equal({i: old[i] for i in left}, {k: new[k] for k in other}, pairs)
    loosely = [{i: _without_id(prints[i]) for i in indexes} for prints, indexes in ((old, left), (new, other))]
    left, other = pair_equal(loosely[0], loosely[1], pairs)
    unsure: set[int] = set()
    for mine, theirs in [*gaps(pairs, left, other)]:
        if mine and theirs:
            unsure |= _pair_gap(old, new, pairs, mine, theirs)
    return pairs, unsure


def _slidden(old: Sequence[_P], start: int, end: int) -> set[int]:
    """Return which items may be the ones that were deleted between two places, if not just those.

    If the items beside are equal, they may be.
    """
    first, last = start, end
    while first and old[first - 1].is_one(old[first - 1 + end - start]):
        first -= 1
    while last < len(old) and old[last].is_one(old[last - (end - start)]):
        last += 1
    return set() if (first, last) == (start, end) else set(range(first, last))


def _without_id(print_: Any) -> Any:
    if isinstance(print_, BlockPrint):
        return attrs.evolve(print_, id=None, name=None, stated=())
    return attrs.evolve(print_, id=None, stated=(), blocks=tuple(map(_without_id, print_.blocks)))


def _pair_gap(old: Sequence[_P], new: Sequence[_P], pairs: Pairs, mine: list[int], theirs: list[int]) -> set[int]:
    """Pair what is left between the same pairs by likeness; return the old ones that may be others."""
    if len(mine) * len(theirs) > _TABLE:
        pairs.update((i, k) for i, k in zip(mine, theirs, strict=False) if old[i].likeness(new[k]))
        return set(mine) if len(mine) != len(theirs) else set()
    found = best_pairs(mine, theirs, lambda i, k: old[i].likeness(new[k]))
    pairs.update(found)
    unsure: set[int] = set()
    free, added = unpaired(mine, theirs, found)
    for i, k in found.items():
        score = old[i].likeness(new[k])
        others = [each for each in free if old[each].likeness(new[k]) >= score]
        if old[i].is_one(new[k]):
            # Of equal ones, another may have been edited.
            others += [each for each, to in found.items() if old[each].is_one(new[k]) and not old[each].is_one(new[to])]
        if others or any(old[i].likeness(new[each]) >= score for each in added):
            unsure.update([i, *others])
    return unsure


def edited_messages(messages: Sequence[Msg], now: Prints, before: Prints) -> Slots:
    """Find what was edited in a list of messages, and in their contents."""
    found = edited(messages, now.messages, before.messages)
    for slot, old in zip(found.slots, before.messages, strict=True):
        if slot.item is GONE:
            slot.blocks = Slots([Slot(GONE) for _ in old.blocks])
        elif slot.is_changed:
            slot.blocks = edited(messages[slot.at].content, now.messages[slot.at].blocks, old.blocks)
    return found
