"""The weave of ``restore``: lists of messages, blocks and tools as they were before a conversion.

Each list has a plan: its losses give for each input index in ascending order a dropped value, what moved or was split
or merged, or the next of the rest. It is carried out with what is in the slots now: what was deleted stays deleted,
what was added stands behind what it was added to, and a value that was changed since stays. Input paths work because a
plan ascends: everything below an index is already rebuilt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, cast

import attrs

from agentmsg.errors import LossError
from agentmsg.fitting.edits import GONE, Back, Slot, Slots, unedited
from agentmsg.fitting.extra_keys import with_keys
from agentmsg.fitting.levels import EXTRAS
from agentmsg.fitting.losses import Loss
from agentmsg.model.base import Noted
from agentmsg.model.blocks import UNSET, ToolResultBlock
from agentmsg.model.construction import evolver
from agentmsg.model.equality import same
from agentmsg.model.generated import is_made

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

Woven: TypeAlias = "list[tuple[int | None, Any]]"
"""Restored objects, each with its index in the input; None for those that were added since."""
Edits = Literal["refuse", "keep"]
_N = TypeVar("_N", bound=Noted)
# What may become of a whole message, and what of those is still in the output.
_FATES = ("dropped", "moved", "split", "merged", "invented")


@attrs.define
class Node:
    """The losses at and below one path."""

    loss: Loss | None = None
    below: dict[str | int, Node] = attrs.field(factory=dict[str | int, "Node"])

    def get(self, key: str | int) -> Node:
        """Return the losses at and below a step further."""
        return self.below.get(key) or _NOTHING

    def all(self) -> Iterator[Loss]:
        """Yield the losses at and below the path."""
        if self.loss is not None:
            yield self.loss
        for below in self.below.values():
            yield from below.all()

    def wholes(self) -> dict[int, Loss]:
        """Return the losses of whole items below, by index."""
        return {cast("int", key): each.loss for key, each in self.below.items() if each.loss is not None}


_NOTHING = Node()


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
class _Piece:
    """Blocks of a message: from the first to the one before the end (None: all others)."""

    out: int
    first: int
    end: int | None


@attrs.frozen
class _Entry:
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
    pieces: tuple[_Piece, ...] = ()


def _planned(node: Node, entry: Callable[[int, Loss | None], _Entry | None]) -> list[_Entry]:
    """Return what stands at each index of the input; ``entry`` returns None when there is no more."""
    wholes = {index: loss for index, loss in node.wholes().items() if loss.kind != "changed"}
    last = max((cast("int", index) for index in node.below), default=-1)
    plan: list[_Entry] = []
    while True:
        made = entry(len(plan), wholes.get(len(plan)))
        if made is not None:
            plan.append(made)
        elif len(plan) <= last:
            msg = "the history has fewer parts than its loss report says"
            raise LossError(msg, code="edited", path=(len(plan),))
        else:
            return plan


def _items_plan(count: int, node: Node) -> list[_Entry]:
    """Return what stands at each index of a list of blocks or tools, of which so many are left."""
    used = {
        _checked_index(loss.now, count)
        for loss in node.wholes().values()
        if loss.kind == "invented" or (loss.kind == "moved" and _apart_at(loss) is None)
    }
    rest = (place for place in range(count) if place not in used)

    def entry(index: int, loss: Loss | None) -> _Entry | None:
        if loss is None:
            place = next(rest, None)
            return None if place is None else _Entry(index, node.get(index).loss, (place,))
        is_here = loss.kind == "moved" and _apart_at(loss) is None
        return _Entry(index, loss, (loss.now,) if is_here else ())

    return _planned(node, entry)


def _carried_out(
    plan: list[_Entry],
    slots: Slots,
    node: Node,
    restored: Callable[[_Entry], Woven],
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


def _by_slot(plan: list[_Entry], slots: Slots, node: Node) -> dict[int, list[int]]:
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
    plan: list[_Entry], slots: Slots, by_slot: dict[int, list[int]], left_of: Callable[[int], list[Any]]
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


def _unsure(entry: _Entry) -> LossError:
    msg = "the history was edited so that the place of a loss can't be known"
    return LossError(msg, code="edited", path=(entry.index,))


def _firsts_of(plan: list[_Entry]) -> dict[int, int]:
    """Return the input index of each slot of a list of blocks."""
    return {entry.at[0]: entry.index for entry in plan if entry.at}


def _apart_at(loss: Loss) -> tuple[int, int] | None:
    """Return the message and block of a loss that sets a block apart; None for any other loss."""
    place = loss.now
    if loss.kind != "moved" or len(loss.path) <= 2 or not isinstance(place, tuple):  # noqa: PLR2004 - a message
        return None
    out, block = cast("tuple[Any, Any]", place)
    if type(out) is not int or type(block) is not int:
        msg = "the loss report doesn't say where a block went"
        raise LossError(msg, code="edited", path=loss.path)
    return out, block


def _checked_index(index: object, count: int) -> int:
    """Return an index, if there are so many items.

    Raises:
        LossError: code "edited" if there aren't.
    """
    if not isinstance(index, int) or not 0 <= index < count:
        msg = "the history has fewer parts than its loss report says"
        raise LossError(msg, code="edited")
    return index


class Weave:
    """Rebuilds lists by their losses.

    Args:
        edits: whether changed values win.
        messages: the slots of the output's messages.
        node: the losses of messages.
    """

    def __init__(self, edits: Edits, messages: Slots, node: Node) -> None:
        self._keeps = edits == "keep"
        self._whole = messages
        self._slots = messages.slots
        self._node = node
        self._taken = _taken(node)
        self._plan: list[_Entry] = []
        self.origins: dict[int, list[int | None]] = {}
        """By message of the input: the indexes that its blocks had there, if blocks were added or deleted."""

    def messages(self) -> Woven:
        """Return the messages as they were."""
        node, (starts, ends) = self._node, self._cuts()
        for out, taken in self._taken.items():
            _checked_index(max(taken), len(self._blocks(out).slots))
        rest = (
            _Piece(out, 0, starts.get(out))
            for out in range(len(self._slots))
            if not self._is_emptied(out) and starts.get(out) != 0
        )

        def entry(index: int, loss: Loss | None) -> _Entry | None:
            if loss is None:
                piece = next(rest, None)
                return None if piece is None else _Entry(index, None, (piece.out,), (piece,))
            if loss.kind in ("dropped", "invented") or loss.was is not None:
                return _Entry(index, loss)
            pieces = tuple(_Piece(out, first, ends[index, n]) for n, (out, first) in enumerate(loss.now))
            return _Entry(index, loss, tuple(piece.out for piece in pieces), pieces)

        self._plan = _planned(node, entry)
        return list(_carried_out(self._plan, self._whole, node, self._message_at, self._left_of_message))

    def _cuts(self) -> tuple[dict[int, int], dict[tuple[int, int], int | None]]:
        """Return where the output's messages are first cut, and where each piece ends, by input index and number."""
        cuts: dict[int, list[tuple[int, int, int]]] = {}
        for index, loss in self._node.wholes().items():
            if loss.kind not in _FATES:
                msg = f"a message is not {loss.kind} as a whole"
                raise LossError(msg, code="edited", path=loss.path)
            places: Any = () if loss.kind == "dropped" else loss.now
            for number, (out, first) in enumerate(places):
                own = cuts.setdefault(_checked_index(out, len(self._slots)), [])
                if loss.was is None:
                    own.append((first, index, number))
        ends: dict[tuple[int, int], int | None] = {}
        for own in cuts.values():
            own.sort()
            for (_, index, number), end in zip(own, [*(first for first, _, _ in own[1:]), None], strict=bool(own)):
                ends[index, number] = end
        return {out: own[0][0] for out, own in cuts.items() if own}, ends

    def _blocks(self, out: int) -> Slots:
        slot = self._slots[_checked_index(out, len(self._slots))]
        if slot.blocks is None:
            slot.blocks = unedited(slot.item.content)
        return slot.blocks

    def _is_emptied(self, out: int) -> bool:
        taken = self._taken.get(out)
        return taken is not None and len(taken) >= len(self._blocks(out).slots)

    def _message_at(self, entry: _Entry) -> Woven:
        loss = entry.loss
        if loss is not None and not entry.pieces:
            is_there = loss.kind == "dropped" or (loss.kind != "invented" and not self._is_said_otherwise(loss))
            return [(entry.index, loss.was)] if is_there else []
        pieces, below = entry.pieces, self._node.get(entry.index)
        head = next((slot for piece in pieces if (slot := self._slots[piece.out]).item is not GONE), None)
        if head is None:
            return []
        is_whole = loss is None and pieces[0].end is None and pieces[0].out not in self._taken
        if is_whole and head.blocks is None and below is _NOTHING:
            return [(entry.index, head.item)]
        content = below.get("content")
        changes: dict[str, Any] = {}
        if not is_whole or head.blocks is not None or content is not _NOTHING:
            woven = self.items(self._joined(pieces), content)
            changes["content"] = tuple(block for _, block in woven)
            if any(self._slots[piece.out].is_changed for piece in pieces):
                self.origins[entry.index] = [origin for origin, _ in woven]
        return [(entry.index, self.fields(head.item, below, changes, is_changed=head.is_changed))]

    def _joined(self, pieces: Sequence[_Piece]) -> Slots:
        """Return the slots of some pieces as one list, without those of blocks that go elsewhere."""
        own = [(piece.out, k) for piece in pieces for k in range(piece.first, self._end(piece))]
        at = {spot: n for n, spot in enumerate(spot for spot in own if not self._goes(*spot))}
        joined = Slots([])

        def add(out: int, added: Sequence[Any]) -> None:
            target = joined.slots[-1].added if joined.slots else joined.before
            for item in added:
                if not isinstance(item, Back):
                    target.append(item)
                elif (out, item.slot) in at:
                    target.append(Back(at[out, item.slot]))
                else:  # from another message, which loses it
                    target.append(self._blocks(out).slots[item.slot].item)

        for piece in pieces:
            blocks = self._blocks(piece.out)
            if not piece.first:
                add(piece.out, blocks.before)
            for k in range(piece.first, self._end(piece)):
                slot = blocks.slots[k]
                if not self._goes(piece.out, k):
                    joined.slots.append(attrs.evolve(slot, added=[]))
                add(piece.out, slot.added)
            if piece.end is None:
                add(piece.out, blocks.behind)
        return joined

    def _left_of_message(self, out: int) -> list[Any]:
        """Return what the user made of a message that the input doesn't have."""
        slot = self._slots[out]
        if slot.item is GONE or not slot.is_changed:
            return []
        if not self._is_emptied(out):
            return [slot.item]
        blocks = self._blocks(out)
        added = [*blocks.before, *(block for each in blocks.slots for block in each.added), *blocks.behind]
        left = tuple(block for block in added if not isinstance(block, Back))
        return [slot.item.evolve(content=left)] if left else []

    def _is_said_otherwise(self, loss: Loss) -> bool:
        """Whether what holds the words of a merged message was edited or deleted: then they stay there, or go."""
        out, place = cast("tuple[int, int]", loss.now[0])
        slot = self._slots[out]
        if slot.item is GONE:
            return True
        block = self._block_at((out, place))
        return block.item is GONE or (self._keeps and _is_edited(block.item, self._node_of(out, place)))

    def _node_of(self, out: int, place: int) -> Node:
        """Return the losses of the block of the input that is in a place of the output."""
        for entry in self._plan:
            own = [(p.out, k) for p in entry.pieces for k in range(p.first, self._end(p)) if not self._goes(p.out, k)]
            if (out, place) in own:
                content = self._node.get(entry.index).get("content")
                firsts = _firsts_of(_items_plan(len(own), content))
                return content.get(firsts.get(own.index((out, place)), -1))
        return _NOTHING

    def _end(self, piece: _Piece) -> int:
        return len(self._blocks(piece.out).slots) if piece.end is None else piece.end

    def _goes(self, out: int, place: int) -> bool:
        return place in self._taken.get(out, ())

    def items(self, slots: Slots, node: Node) -> Woven:
        """Return blocks or tools as they were."""
        plan = _items_plan(len(slots.slots), node)
        wholes = self._edited_wholes(slots, plan, node)

        def item_at(entry: _Entry) -> Woven:
            made = self._item_at(entry, slots, node.get(entry.index), wholes)
            return [] if made is GONE else [(entry.index, made)]

        def left(place: int) -> list[Any]:
            slot = slots.slots[place]
            return [slot.item] if slot.is_changed and slot.item is not GONE else []

        return list(_carried_out(plan, slots, node, item_at, left))

    def _edited_wholes(self, slots: Slots, plan: list[_Entry], node: Node) -> set[int]:
        """Return the slots of blocks that were several, and were edited or deleted since."""
        found: set[int] = set()
        firsts = _firsts_of(plan)
        for loss in node.wholes().values():
            if loss.kind == "merged":
                slot = slots.slots[_checked_index(loss.now, len(slots.slots))]
                if slot.item is GONE or (self._keeps and _is_edited(slot.item, node.get(firsts.get(loss.now, -1)))):
                    found.add(loss.now)
        return found

    def _item_at(self, entry: _Entry, slots: Slots, node: Node, wholes: set[int]) -> Any:
        loss = entry.loss
        if loss is None or loss.kind == "changed":
            slot = slots.slots[entry.at[0]]
            if slot.item is not GONE and entry.at[0] in wholes:
                return self._item(slot, _without_changes(node))
            return GONE if slot.item is GONE else self._item(slot, node)
        if loss.kind == "dropped":
            return loss.was
        if loss.kind == "merged":
            return GONE if loss.now in wholes else loss.was
        if loss.kind != "moved":
            return GONE
        place = _apart_at(loss)
        slot = slots.slots[entry.at[0]] if place is None else self._block_at(place)
        if slot.item is GONE or loss.was is None:
            return GONE if slot.item is GONE else self._item(slot, node)
        return slot.item if self._keeps and slot.is_changed else loss.was

    def _block_at(self, place: tuple[int, int]) -> Slot:
        out, block = place
        slots = self._blocks(out).slots
        return slots[_checked_index(block, len(slots))]

    def _item(self, slot: Slot, node: Node) -> Any:
        """Return a block or tool as it was."""
        item = slot.item
        if node is _NOTHING:
            return item
        if node.loss is not None and node.loss.kind == "changed":
            return item if self._may_keep(slot.is_changed) and not same(item, node.loss.now) else node.loss.was
        changes: dict[str, Any] = {}
        content = node.below.get("content")
        if content is not None and isinstance(item, ToolResultBlock):
            inside = unedited(item.content)
            for each in inside.slots:
                each.is_changed = slot.is_changed and None
            changes["content"] = tuple(block for _, block in self.items(inside, content))
        return self.fields(item, node, changes, is_changed=slot.is_changed)

    def _may_keep(self, is_changed: bool | None) -> bool:  # noqa: FBT001 - a fact, not an option
        return self._keeps and is_changed is not False

    def fields(self, owner: _N, node: Node, changes: dict[str, Any], *, is_changed: bool | None = None) -> _N:
        """Return an object with the fields that it had; what was changed since stays.

        Args:
            owner: the object.
            node: its losses.
            changes: further ones.
            is_changed: whether it was edited, if that is known.
        """
        names = {field.alias for field in attrs.fields(type(owner))}
        for name, below in node.below.items():
            loss = below.loss
            if loss is None:
                if name == EXTRAS:
                    keeps = self._may_keep(is_changed)
                    changes[EXTRAS] = with_keys(owner.extras, below.all(), keeps_edits=keeps)
                continue
            if name not in names:
                msg = f"{type(owner).__name__} has no field {name!r}"
                raise LossError(msg, code="edited", path=loss.path)
            if not self._may_keep(is_changed) or _unchanged(getattr(owner, str(name)), loss.now):
                changes[str(name)] = loss.was
        if changes.get("raw_input") is not None:
            changes["input"] = UNSET  # the text determines it
        # Not by a history's own method: ids that a document says twice stay so.
        kind: Any = type(owner)
        woven: _N = evolver(kind)(owner, changes) if changes else owner
        return woven


def _taken(node: Node) -> dict[int, set[int]]:
    """Return the blocks of the output that go back into other messages, by message."""
    found: dict[int, set[int]] = {}
    waiting = [node]
    while waiting:
        each = waiting.pop()
        place = None if each.loss is None else _apart_at(each.loss)
        if place is not None:
            found.setdefault(place[0], set()).add(place[1])
        waiting.extend(each.below.values())
    return found


def _is_edited(item: Any, node: Node) -> bool:
    """Whether a value that a loss report calls changed was changed again."""
    if node.loss is not None and node.loss.kind == "changed":
        return not same(item, node.loss.now)
    changed = [below.loss for below in node.below.values() if below.loss and below.loss.kind == "changed"]
    return any(not _unchanged(getattr(item, str(loss.path[-1])), loss.now) for loss in changed)


def _without_changes(node: Node) -> Node:
    """Return the losses of a block without those that take it apart."""
    others = {key: below for key, below in node.below.items() if below.loss is None or below.loss.kind != "changed"}
    return Node(None if node.loss is None or node.loss.kind == "changed" else node.loss, others)


def _unchanged(current: Any, now: Any) -> bool:
    """Whether a value is the one in the loss report; what a reader makes is never one that a user set."""
    return same(current, now) or (not current and not now) or is_made(current)
