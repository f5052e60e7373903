"""Where the messages of one history are in another: which runs of blocks belong to which message.

A message may be whole, in several (split), a part of one (merged), or elsewhere (moved). It has at most one run of
blocks in each message of the other history. Blocks of it that stand there by themselves are set apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from agentmsg.fitting.aligning import Item, align, align_blocks, exact_key
from agentmsg.formats.capabilities import Drop
from agentmsg.formats.reasons import Joined
from agentmsg.model.blocks import TextBlock, ToolResultBlock, ToolUseBlock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentmsg.formats.reasons import Reasons
    from agentmsg.model.msg import Msg

Spot: TypeAlias = tuple[int, int]
"""A message, and a block there."""
_Place: TypeAlias = "tuple[int, int | None]"
_GROUPS = {"developer": "system"}


@attrs.define
class Run:
    """Blocks of one message in a message of the other history.

    Attributes:
        message: the other's index.
        first: the block there with which the run begins; 0 if it is the front of the message.
        blocks: the indexes of its blocks there.
    """

    message: int
    first: int
    blocks: list[int]


@attrs.define
class Placed:
    """Where the blocks of some messages are in another history.

    Attributes:
        places: of the blocks that are there, by message and block.
        joined: for blocks that aren't, the block that now holds their words, too.
        wholes: these.
        apart: of the blocks that aren't in a run of their message.
        inner: the same for blocks inside results: their places, by result and index inside.
        runs: by message.
        owned: the other's messages in which there is a run.
        taken: the other's blocks that are set apart.
    """

    places: dict[Spot, Spot]
    joined: dict[Spot, Spot]
    apart: dict[Spot, Spot] = attrs.field(factory=dict[Spot, Spot])
    inner: dict[Spot, dict[int, Spot]] = attrs.field(factory=dict[Spot, "dict[int, Spot]"])
    wholes: frozenset[Spot] = frozenset()
    runs: dict[int, list[Run]] = attrs.field(factory=dict[int, list[Run]])
    owned: set[int] = attrs.field(factory=set[int])
    taken: set[Spot] = attrs.field(factory=set[Spot])

    def is_all_taken(self, new: Sequence[Msg], index: int) -> bool:
        """Whether every block of a message of the other history is set apart."""
        count = len(new[index].content)
        return count > 0 and all((index, block) in self.taken for block in range(count))


def in_turn(old: Msg, new: Msg, reasons: Reasons | None = None) -> dict[int, int] | None:
    """Return the places of a message's blocks in another that is surely the same one; None if that isn't sure.

    Blocks may be missing there, but those that are there are in order, and nothing else is.
    """
    one, other = old.content, new.content
    if one and one is other and old.role == new.role:
        return {place: place for place in range(len(one))}
    if len(one) < len(other) or (one and not other) or not _is_one_role(old.role, new.role):
        return None
    if not one and reasons is not None and reasons.source(new) is not old:
        return None  # without a block, only what it was made from tells
    found: dict[int, int] = {}
    k = 0
    for j, block in enumerate(one):
        if k < len(other) and _is_one_block(block, other[k], reasons):
            found[j] = k
            k += 1
        elif reasons is not None and isinstance(reasons.of(block), Joined):
            return None
    return found if k == len(other) else None


def _group(role: str) -> str:
    return _GROUPS.get(role, role)


def _is_one_role(old: str, new: str) -> bool:
    return old == new or _group(old) == _group(new)


def _is_one_block(a: Any, b: Any, reasons: Reasons | None) -> bool:
    if a is b:
        return True
    source = b if reasons is None else reasons.source(b)
    if source is a:
        # What a result lacks may be in another message.
        return not (isinstance(a, ToolResultBlock) and type(b) is type(a)) or len(b.content) >= len(a.content)
    if source is not b:
        return False  # it only looks like this one
    if type(a) is not type(b):
        return False
    if isinstance(a, TextBlock):
        return bool(a.text == b.text)
    if isinstance(a, ToolUseBlock):
        return bool(a.id == b.id and a.name == b.name)
    return bool(exact_key(a) == exact_key(b))


def placed(
    old: Sequence[Msg], new: Sequence[Msg], mine: range, theirs: range, reasons: Reasons | None = None
) -> Placed:
    """Find the blocks of some messages of one history among some messages of another."""
    a, b = _listed(old, mine), _listed(new, theirs)
    emptied = {} if reasons is None else _emptied(old, new, (mine, b), reasons)
    if reasons is not None:
        known = set(emptied.values())
        a = [at for at in a if at[1] is not None or not (at[0] in known or isinstance(reasons.of(old[at[0]]), Drop))]
        b = [at for at in b if at not in emptied]
    pairs, joined = align(_items(old, a), _items(new, b), reasons)
    places = {_spot(a[x]): _spot(b[y]) for x, y in pairs.items() if a[x][1] is not None}
    found = Placed(places, {_spot(a[x]): _spot(b[y]) for x, y in joined.items()})
    found.wholes = frozenset(found.joined.values())
    _find_inner(old, new, found, (a, b, pairs), reasons)
    owners = {b[y]: a[x] for x, y in pairs.items()} | {at: (i, None) for at, i in emptied.items()}
    for index in theirs:
        _find_runs(new, index, owners, found)
    return found


def _emptied(
    old: Sequence[Msg], new: Sequence[Msg], among: tuple[range, list[_Place]], reasons: Reasons
) -> dict[_Place, int]:
    """Return which messages those without any block were made from, by their places."""
    mine, theirs = among
    left = [at for at in theirs if at[1] is None]
    at_home = {id(old[i]): i for i in reversed(mine)} if left else {}
    found: dict[_Place, int] = {}
    for at in left:
        i = at_home.pop(id(reasons.source(new[at[0]])), None)
        if i is not None:
            found[at] = i
    return found


def _listed(messages: Sequence[Msg], indexes: range) -> list[_Place]:
    """List the places of all blocks; a message without any has one place."""
    return [(i, j) for i in indexes for j in (range(len(messages[i].content)) or (None,))]


def _items(messages: Sequence[Msg], places: list[_Place]) -> list[Item]:
    return [(None if j is None else messages[i].content[j], _group(messages[i].role)) for i, j in places]


def _spot(place: _Place) -> Spot:
    """Return a place as message and block; what became of, or came from, an empty message counts as its first block."""
    return place[0], place[1] or 0


def _find_inner(
    old: Sequence[Msg],
    new: Sequence[Msg],
    found: Placed,
    aligned: tuple[list[_Place], list[_Place], dict[int, int]],
    reasons: Reasons | None,
) -> None:
    """Find where blocks inside results went that are now in messages beside them."""
    a, b, pairs = aligned
    lost: dict[Any, list[tuple[Spot, int]]] = {}
    for x, y in pairs.items():
        one, other = (_block(messages, at) for messages, at in ((old, a[x]), (new, b[y])))
        if not isinstance(one, ToolResultBlock) or type(one) is not type(other):
            continue
        if len(one.content) <= len(other.content):
            continue
        inside, _ = align_blocks(one.content, other.content, reasons)
        for n, each in enumerate(one.content):
            if n not in inside:
                lost.setdefault(exact_key(each), []).append((_spot(a[x]), n))
    if not lost:
        return
    paired = set(pairs.values())
    for y, at in enumerate(b):
        block = _block(new, at)
        # One that was changed when it was set apart is known by its source.
        block = block if reasons is None else reasons.source(block)
        waiting = lost.get(exact_key(block)) if y not in paired and at[1] is not None else None
        if waiting:
            result, n = waiting.pop(0)
            found.inner.setdefault(result, {})[n] = _spot(at)
            found.taken.add(_spot(at))


def _block(messages: Sequence[Msg], place: _Place) -> Any:
    return None if place[1] is None else messages[place[0]].content[place[1]]


def _find_runs(new: Sequence[Msg], index: int, owners: dict[_Place, _Place], found: Placed) -> None:
    """Find the runs of blocks in one message of the other history."""
    blocks = [k for k in range(len(new[index].content)) if (index, k) not in found.taken]
    owner = {k: owners[index, k] for k in blocks if (index, k) in owners}
    if not owner:
        if (index, None) in owners:
            found.runs.setdefault(owners[index, None][0], []).append(Run(index, 0, blocks))
            found.owned.add(index)
        return
    found.owned.add(index)
    while True:
        runs = _runs_of(blocks, owner)
        longest: dict[int, list[int]] = {}
        for i, run in runs:
            longest[i] = max(longest.get(i, run), run, key=len)
        further = [k for i, run in runs if run is not longest[i] for k in run if k in owner]
        if not further:
            break
        for k in further:
            found.taken.add((index, k))
            found.apart[_spot(owner.pop(k))] = index, k
        blocks = [k for k in blocks if (index, k) not in found.taken]
    for number, (i, run) in enumerate(runs):
        found.runs.setdefault(i, []).append(Run(index, run[0] if number else 0, run))


def _runs_of(blocks: list[int], owner: dict[int, _Place]) -> list[tuple[int, list[int]]]:
    """Return the runs of a message with their owners; a block without one belongs to the run before it."""
    runs: list[tuple[int, list[int]]] = []
    waiting: list[int] = []
    for k in blocks:
        if k not in owner:
            (runs[-1][1] if runs else waiting).append(k)
        elif runs and runs[-1][0] == owner[k][0]:
            runs[-1][1].append(k)
        else:
            runs.append((owner[k][0], [*waiting, k]))
            waiting = []
    return runs
