"""The plan of ``restore`` for one list: what stands at each index of the input, and how that is carried out.

The losses of a list give for each input index in ascending order a dropped value, what moved or was split or merged, or
the next of the rest. Then the plan is carried out with what is in the slots now: what was deleted stays deleted, and
what was added stands behind what it was added to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, cast

import attrs

from agentmsg.errors import LossError
from agentmsg.fitting.edits import Back, Slots
from agentmsg.fitting.losses import Loss

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Woven: TypeAlias = "list[tuple[int | None, Any]]"
"""Restored objects, each with its index in the input; None for those that were added since."""


def _nobody() -> dict[str | int, Node]:
    return {}


@attrs.define
class Node:
    """The losses at and below one path."""

    loss: Loss | None = None
    below: dict[str | int, Node] = attrs.field(factory=_nobody)

    def get(self, key: str | int) -> Node:
        """Return the losses at and below a step further."""
        return self.below.get(key) or NOTHING

    def all(self) -> Iterator[Loss]:
        """Yield the losses at and below the path."""
        if self.loss is not None:
            yield self.loss
        for below in self.below.values():
            yield from below.all()

    def wholes(self) -> dict[int, Loss]:
        """Return the losses of whole items below, by index."""
        return {cast("int", key): each.loss for key, each in self.below.items() if each.loss is not None}


NOTHING = Node()


def tree(losses: Iterable[Loss]) -> Node:
    """Return losses by path."""
    root = Node()
    for loss in losses:
        node = root
        for key in loss.path:
            node = node.below.setdefault(key, Node())
        node.loss = loss
    return root


@attrs.frozen
class Piece:
    """Blocks of a message: from the first to the one before the end (None: all others)."""

    out: int
    first: int
    end: int | None


@attrs.frozen
class Entry:
    """What stands at one index of the input.

    Attributes:
        index: in the input.
        loss: of the whole.
        at: the slots that it is in.
        pieces: for a message, the blocks of each.
    """

    index: int
    loss: Loss | None
    at: tuple[int, ...] = ()
    pieces: tuple[Piece, ...] = ()


def planned(node: Node, entry: Callable[[int, Loss | None], Entry | None]) -> list[Entry]:
    """Return what stands at each index of the input; ``entry`` returns None when there is no more."""
    wholes = {index: loss for index, loss in node.wholes().items() if loss.kind != "changed"}
    last = max((cast("int", index) for index in node.below), default=-1)
    plan: list[Entry] = []
    while True:
        made = entry(len(plan), wholes.get(len(plan)))
        if made is not None:
            plan.append(made)
        elif len(plan) <= last:
            msg = "the history has fewer parts than its loss report says"
            raise LossError(msg, code="edited", path=(len(plan),))
        else:
            return plan


def items_plan(count: int, node: Node) -> list[Entry]:
    """Return what stands at each index of a list of blocks or tools, of which so many are left."""
    used = {
        checked_index(loss.now, count)
        for loss in node.wholes().values()
        if loss.kind == "invented" or (loss.kind == "moved" and apart_at(loss) is None)
    }
    rest = (place for place in range(count) if place not in used)

    def entry(index: int, loss: Loss | None) -> Entry | None:
        if loss is None:
            place = next(rest, None)
            return None if place is None else Entry(index, node.get(index).loss, (place,))
        is_here = loss.kind == "moved" and apart_at(loss) is None
        return Entry(index, loss, (loss.now,) if is_here else ())

    return planned(node, entry)


def carried_out(
    plan: list[Entry],
    slots: Slots,
    node: Node,
    restored: Callable[[Entry], Woven],
    left_of: Callable[[int], list[Any]],
) -> Iterator[tuple[int | None, Any]]:
    """Yield what a plan says, with what was added since in its place.

    Args:
        plan: what stands at each index of the input.
        slots: what is there now.
        node: the losses.
        restored: returns what stands at an index.
        left_of: returns what the user made of a slot that the input doesn't have.
    """
    by_slot = _by_slot(plan, slots, node)
    after = _homes(plan, slots, by_slot, left_of)

    def added(number: int) -> Iterator[tuple[int | None, Any]]:
        for item in after.get(number, ()):
            if not isinstance(item, Back):
                yield None, item
                continue
            for n in by_slot.get(item.slot, ()):
                if plan[n].at[0] == item.slot:
                    yield from restored(plan[n])
            if item.slot not in by_slot:
                yield from ((None, each) for each in left_of(item.slot))

    yield from added(-1)
    for number, entry in enumerate(plan):
        moved = [slots.slots[place].is_moved for place in entry.at]
        if any(moved) and not all(moved):
            raise _unsure(entry)
        if not any(moved):
            yield from restored(entry)
        yield from added(number)
    yield from added(len(plan))


def _by_slot(plan: list[Entry], slots: Slots, node: Node) -> dict[int, list[int]]:
    """Return which parts of a plan each slot holds.

    Raises:
        LossError: if something is lost in one that may be another.
    """
    found: dict[int, list[int]] = {}
    for number, entry in enumerate(plan):
        for place in entry.at:
            found.setdefault(place, []).append(number)
            if slots.slots[place].is_unsure and entry.index in node.below:
                raise _unsure(entry)
    return found


def _homes(
    plan: list[Entry], slots: Slots, by_slot: dict[int, list[int]], left_of: Callable[[int], list[Any]]
) -> dict[int, list[Any]]:
    """Return what was added, by the part of the plan that it stands behind; -1: before all; the last: at the end.

    What was added behind something that moved stands behind the one before that.
    """
    after: dict[int, list[Any]] = {-1: list(slots.before), len(plan): slots.behind}
    home = -1
    for place, slot in enumerate(slots.slots):
        if not slot.is_moved:
            entries = ((number, plan[number].loss) for number in by_slot.get(place, ()))
            home = max([home, *(number for number, loss in entries if loss is None or loss.kind != "moved")])
            if place not in by_slot:
                after.setdefault(home, []).extend(left_of(place))
        after.setdefault(home, []).extend(slot.added)
    return after


def _unsure(entry: Entry) -> LossError:
    msg = "the history was edited so that the place of a loss can't be known"
    return LossError(msg, code="edited", path=(entry.index,))


def firsts_of(plan: list[Entry]) -> dict[int, int]:
    """Return the input index of each slot of a list of blocks."""
    return {entry.at[0]: entry.index for entry in plan if entry.at}


def apart_at(loss: Loss) -> tuple[int, int] | None:
    """Return the message and block of a loss that sets a block apart; None for any other loss."""
    place = loss.now
    if loss.kind != "moved" or len(loss.path) <= 2 or not isinstance(place, tuple):  # noqa: PLR2004 - a message
        return None
    out, block = cast("tuple[Any, Any]", place)
    if type(out) is not int or type(block) is not int:
        msg = "the loss report doesn't say where a block went"
        raise LossError(msg, code="edited", path=loss.path)
    return out, block


def checked_index(index: object, count: int) -> int:
    """Return an index, if there are so many items.

    Raises:
        LossError: code "edited" if there aren't.
    """
    if not isinstance(index, int) or not 0 <= index < count:
        msg = "the history has fewer parts than its loss report says"
        raise LossError(msg, code="edited")
    return index
