"""Which blocks and messages of one history are which of another: by what they say, where they link and stand.

Linear for usual histories: blocks with equal keys are paired by hash, first those with exact keys, then with looser
ones. The few between them are paired by likeness. What this finds decides only how well a loss report reads: what it
misses is told as lost and invented.

A message may be whole, in several (split), a part of one (merged), or elsewhere (moved). It has at most one run of
blocks in each message of the other history. Blocks of it that stand there by themselves are set apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from agentmsg.fitting.words import MEDIA, held, survives, words
from agentmsg.formats.capabilities import Drop
from agentmsg.formats.reasons import Joined, Reason
from agentmsg.model.blocks import NativeBlock, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from agentmsg.model.generated import given
from agentmsg.values.pairing import Pairs, best_pairs, gaps, pair_equal, without_ends
from agentmsg.values.text import dump_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from agentmsg.formats.reasons import Reasons
    from agentmsg.model.msg import Msg

Spot: TypeAlias = tuple[int, int]
"""A message, and a block there."""
_Place: TypeAlias = "tuple[int, int | None]"
_GROUPS = {"developer": "system"}
Item: TypeAlias = "tuple[Any, str]"
"""A block and the role of its message; None instead of a block stands for a message without any."""

# The tiers of keys: exact ones, ones that ignore where a text stands, ones that ignore links, and only names.
_ANYWHERE, _UNLINKED, _NAMES, _TIERS = 1, 2, 3, 4
# In larger gaps, likeness isn't computed for all pairs: blocks are paired in order, looking a little ahead.
_TABLE = 2_500
_AHEAD = 8
# How much a pair with an equal key counts, less its tier: more than any likeness.
_EQUAL = 12


def align(a: list[Item], b: list[Item], reasons: Reasons | None = None) -> tuple[Pairs, Pairs]:
    """Pair the blocks of two histories.

    Args:
        a: blocks of the first.
        b: blocks of the other.
        reasons: what is known of them: which were made from which, and which of the first are gone.

    Returns:
        The pairs, by index in ``a``, which may cross; and for blocks without a partner, the partner of a block beside
        them that now holds their words, too.
    """
    pairs: Pairs = {}
    if reasons is not None and (known := _pair_known(a, b, reasons, pairs)):
        left, other = known
        other = [k for k in other if not isinstance(reasons.of(reasons.source(b[k][0])), Reason)]
    else:
        left, other = _without_ends(a, b, pairs)
    open_ones = left if reasons is None else [i for i in left if not isinstance(reasons.of(a[i][0]), Drop)]
    for tier in range(_TIERS):
        if not open_ones or not other:
            break
        keys = [{i: _key(*items[i], tier) for i in indexes} for items, indexes in ((a, open_ones), (b, other))]
        open_ones, other = pair_equal(keys[0], keys[1], pairs)
    joined: Pairs = {}
    for mine, theirs in [*gaps(pairs, open_ones, other)]:
        if mine and theirs:
            pairs.update(_likeliest(a, b, mine, theirs))
        if mine and (theirs or reasons is not None):
            _join(a, b, pairs, joined, mine)
    if reasons is not None:
        _join_known(a, left, reasons, pairs, joined)
    return pairs, joined


def _pair_known(a: list[Item], b: list[Item], reasons: Reasons, pairs: Pairs) -> tuple[list[int], list[int]] | None:
    """Pair blocks with those that they were made from; return those that are left, or None if there are no pairs."""
    left = pair_equal(_identities(block for block, _ in a), _identities(reasons.source(block) for block, _ in b), pairs)
    return left if pairs else None


def _identities(blocks: Iterable[Any]) -> dict[int, int | None]:
    return {index: None if block is None else id(block) for index, block in enumerate(blocks)}


def align_blocks(
    a: tuple[Any, ...], b: tuple[Any, ...], reasons: Reasons | None = None
) -> tuple[Pairs, Mapping[int, int]]:
    """Pair the blocks of two contents, such as those of two results; as ``align``."""
    if len(a) == len(b) and reasons is not None and all(map(_is_made_from(reasons), a, b)):
        return {index: index for index in range(len(a))}, {}
    return align([(block, "") for block in a], [(block, "") for block in b], reasons)


def _is_made_from(reasons: Reasons) -> Callable[[Any, Any], bool]:
    return lambda old, new: new is old or reasons.source(new) is old


def _exact_key(block: Any) -> Any:
    """Return a key that equal blocks share, whatever their messages; None for no block."""
    return _key(block, "", _ANYWHERE)


def _without_ends(a: list[Item], b: list[Item], pairs: Pairs) -> tuple[list[int], list[int]]:
    """Pair equal blocks at both ends; return the indexes between them."""
    one, other = ([_key(block, role, 0) for block, role in items] for items in (a, b))
    left, added = without_ends(len(a), len(b), lambda i, k: one[i] == other[k], pairs)
    return [*left], [*added]


def _key(block: Any, role: str, tier: int) -> Any:
    """Return the key of a block in a tier; None if it has none there."""
    if block is None:
        return ("empty", role) if tier <= _ANYWHERE else None
    match block:
        case TextBlock():
            return (role, block.text) if tier == 0 else _said(block.text, tier)
        case ToolUseBlock():
            return _call_key(block, tier)
        case ToolResultBlock():
            link, said = given(block.tool_call_id), words(block)
            return ("result", link, said) if tier <= _ANYWHERE else _said(said, tier) or ("result", link)
        case ThinkingBlock():
            said = block.thinking or block.redacted or (block.signature and block.signature.value) or ""
            return ("thinking", said) if tier <= _ANYWHERE else _said(said, tier) or ("thinking",)
        case _:
            pass
    if isinstance(block, MEDIA):
        return ("media", held(block)) if tier <= _ANYWHERE else None
    said = "" if isinstance(block, NativeBlock) else words(block)
    if tier <= _ANYWHERE:
        return type(block).__name__, said or repr(block)
    return _said(said, tier)


def _said(text: str, tier: int) -> Any:
    return ("words", text) if text and tier < _NAMES else None


def _call_key(block: ToolUseBlock, tier: int) -> Any:
    link = given(block.id)
    if tier <= _ANYWHERE and link is not None:
        return "call", link, block.name
    if tier >= _NAMES:
        return "call", block.name
    return "call", block.name, dump_json(block.input) if block.is_valid else block.raw_input


def _join(a: list[Item], b: list[Item], pairs: Pairs, joined: Pairs, mine: list[int]) -> None:
    """Find where the words of blocks without a partner now are: in what the next block before or after became."""
    before: dict[int, int] = {}
    for last, i in zip([mine[0] - 1, *mine], mine, strict=False):
        near = pairs.get(i, before.get(last, pairs.get(last)))
        if near is not None:
            before[i] = near
    behind: int | None = pairs.get(mine[-1] + 1)
    for i in reversed(mine):
        if i in pairs:
            behind = pairs[i]
            continue
        beside = (k for k in (before.get(i), behind) if k is not None)
        place = next((k for k in beside if survives(a[i][0], words(b[k][0]))), None)
        if place is not None:
            joined[i] = place


def _join_known(a: list[Item], left: list[int], reasons: Reasons, pairs: Pairs, joined: Pairs) -> None:
    """Find where blocks are of which somebody said that they are a part of another."""
    into = {i: said.into for i in left if i not in pairs and isinstance(said := reasons.of(a[i][0]), Joined)}
    at = {id(block): i for i, (block, _) in enumerate(a)} if into else {}
    for i, first in into.items():
        place = pairs.get(at.get(id(reasons.source(first)), -1))
        if place is not None:
            joined[i] = place


def _likeliest(a: list[Item], b: list[Item], mine: list[int], theirs: list[int]) -> Pairs:
    """Pair blocks in order so that the sum of their likenesses is greatest."""
    if len(mine) * len(theirs) > _TABLE:
        return _in_order(a, b, mine, theirs)
    return best_pairs(mine, theirs, lambda i, k: _score(a[i], b[k]))


def _in_order(a: list[Item], b: list[Item], mine: list[int], theirs: list[int]) -> Pairs:
    found: Pairs = {}
    start = 0
    for i in mine:
        ahead = range(start, min(start + _AHEAD, len(theirs)))
        place = next((y for y in ahead if _score(a[i], b[theirs[y]])), None)
        if place is not None:
            found[i] = theirs[place]
            start = place + 1
    return found


def _score(one: Item, other: Item) -> int:
    for tier in range(_NAMES):
        key = _key(*one, tier)
        if key is not None and key == _key(*other, tier):
            return _EQUAL - tier
    return _likeness(one[0], other[0], is_near=one[1] == other[1])


def _likeness(a: Any, b: Any, *, is_near: bool) -> int:
    """Return how alike two blocks without an equal key are; 0: not at all.

    Args:
        a: a block, or None.
        b: another.
        is_near: whether their messages have the same role.
    """
    if a is None or b is None:
        # A message of which nothing is left, or only its absence is told.
        return 1 + is_near if b is None else int(is_near and isinstance(b, TextBlock))
    if type(a) is type(b):
        return _likeness_of_kind(a, b, is_near=is_near)
    if isinstance(b, TextBlock):
        if survives(a, b.text):
            return 4
        return 2 if is_near and not isinstance(a, ThinkingBlock) else 0
    return 2 if isinstance(a, MEDIA) and isinstance(b, MEDIA) else 0


def _likeness_of_kind(a: Any, b: Any, *, is_near: bool) -> int:
    if isinstance(a, ToolUseBlock):
        return 6 if a.id == b.id else 4 if a.name == b.name else 1
    if isinstance(a, ToolResultBlock):
        return 6 if a.tool_call_id == b.tool_call_id else 3
    if isinstance(a, TextBlock):
        short, long = sorted((a.text, b.text), key=len)
        return 3 + 2 * is_near if short and short in long else 3 * is_near
    return 3


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
    return bool(_exact_key(a) == _exact_key(b))


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
                lost.setdefault(_exact_key(each), []).append((_spot(a[x]), n))
    if not lost:
        return
    paired = set(pairs.values())
    for y, at in enumerate(b):
        block = _block(new, at)
        # One that was changed when it was set apart is known by its source.
        block = block if reasons is None else reasons.source(block)
        waiting = lost.get(_exact_key(block)) if y not in paired and at[1] is not None else None
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
