"""Alignment: which items of two sequences belong together, in order; and which words of two texts.

Equal items (apart from ids and times) are paired first, by ``difflib``. Of the items left between those, the most alike
are paired, so that a changed item isn't taken for a removed and an added one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, Literal, TypeAlias, cast

from agentmsg.model.base import Noted
from agentmsg.model.equality import compared
from agentmsg.model.generated import is_made
from agentmsg.values.pairing import Pairs, best_pairs, without_ends

Pair: TypeAlias = "tuple[int | None, int | None]"
"""Indexes of an item in both sequences; None if it is in one only."""
WordKind: TypeAlias = Literal["same", "removed", "added"]

# Below this share of common parts two objects are unrelated: one was removed, another added.
_ALIKE = 0.25
# Values of free-form JSON with the same shape are always related: one became the other.
_BECAME = 0.01
# With more pairs of items than this, likeness isn't computed: the n-th goes with the n-th.
_MOST_PAIRS = 10_000
# The words of a text that are compared to find how alike two items are.
_WORDS = 300
_LONGEST = 20_000
# More words than this are reported as one change.
_MOST_TOKENS = 5_000
# Ids and times say where a message comes from, not what it is.
_ORIGIN = {"id", "created_at"}
_TOKEN = re.compile(r"\s+|\w+|[^\w\s]")


def align(a: Sequence[Any], b: Sequence[Any]) -> list[Pair]:
    """Return which items of two sequences belong together, in order, and those without a partner.

    Every index of both sequences occurs once, in ascending order.
    """
    pairs: list[Pair] = []
    for equal, left, right in _stretches([_key(item) for item in a], [_key(item) for item in b]):
        pairs += zip(left, right, strict=True) if equal else _weighed(a, b, left, right)
    return pairs


def _stretches(
    one: Sequence[Any], other: Sequence[Any], *, most: int | None = None
) -> Iterator[tuple[bool, range, range]]:
    """Yield two sequences of hashable items in stretches, each equal or not.

    The common beginning and end come off first. The rest is compared if it is no longer than ``most``; very frequent
    items start no equal stretch there, because repetitive texts and histories would otherwise take minutes.
    """
    ends: Pairs = {}
    middle, others = without_ends(len(one), len(other), lambda i, k: one[i] == other[k], ends)
    yield True, range(middle.start), range(others.start)
    left, right = one[middle.start : middle.stop], other[others.start : others.stop]
    if most is not None and max(len(left), len(right)) > most:
        yield False, middle, others
    else:
        for tag, i1, i2, j1, j2 in SequenceMatcher(None, left, right).get_opcodes():
            yield tag == "equal", middle[i1:i2], others[j1:j2]
    yield True, range(middle.stop, len(one)), range(others.stop, len(other))


def _weighed(a: Sequence[Any], b: Sequence[Any], left: range, right: range) -> list[Pair]:
    """Pair the items of two gaps so that the sum of their likenesses is greatest."""
    if len(left) * len(right) > _MOST_PAIRS:
        return _in_step(a, b, left, right)
    one, other = ({index: _facts(items[index]) for index in gap} for items, gap in ((a, left), (b, right)))
    found = best_pairs(left, right, lambda i, j: _likeness(a[i], one[i], b[j], other[j]))
    pairs: list[Pair] = []
    for i in left:
        if i in found:
            pairs += ((None, j) for j in range(right.start, found[i]))
            right = range(found[i] + 1, right.stop)
        pairs.append((i, found.get(i)))
    return [*pairs, *((None, j) for j in right)]


def _in_step(a: Sequence[Any], b: Sequence[Any], left: range, right: range) -> list[Pair]:
    both = min(len(left), len(right))
    pairs: list[Pair] = []
    for i, j in zip(left[:both], right[:both], strict=True):
        pairs += [(i, j)] if type(a[i]) is type(b[j]) else [(i, None), (None, j)]
    return [*pairs, *((index, None) for index in left[both:]), *((None, index) for index in right[both:])]


def _key(value: Any) -> int:
    """Return a number that is equal for values that are ``same``, apart from ids and times."""
    kind = cast("Any", type(value))
    if isinstance(value, Noted):
        parts = [hash(name) ^ _key(get(value)) for name, get in compared(kind) if name not in _ORIGIN]
        return hash((kind, *parts))
    if isinstance(value, Mapping):
        total = 1
        for key, item in cast("Mapping[str, Any]", value).items():
            total ^= hash((str(key), _key(item)))
        return total
    if isinstance(value, (list, tuple)):
        return hash(tuple([_key(item) for item in cast("Sequence[Any]", value)]))
    if is_made(value):
        return 0  # the same as None
    return 0 if value is None else hash((kind, value))


def _facts(value: Any) -> frozenset[int]:
    """Return the facts of an item: its leaves and the words of its texts, with their field names."""
    found: set[int] = set()
    _collect(value, "", found)
    return frozenset(found)


def _collect(value: Any, name: str, found: set[int]) -> None:
    kind = cast("Any", type(value))
    if isinstance(value, Noted):
        found.add(hash(kind))
        for field, get in compared(kind):
            if field not in _ORIGIN:
                _collect(get(value), field, found)
    elif isinstance(value, Mapping):
        for key, item in cast("Mapping[str, Any]", value).items():
            _collect(item, str(key), found)
    elif isinstance(value, (list, tuple)):
        for item in cast("Sequence[Any]", value):
            _collect(item, name, found)
    elif isinstance(value, str):
        found.update(hash((name, word)) for word in value[:_LONGEST].split(None, _WORDS)[:_WORDS] or [""])
    elif value is not None:
        found.add(hash((name, value)))


def _likeness(a: object, facts: frozenset[int], b: object, others: frozenset[int]) -> float:
    """Return the share of common facts; 0 for unrelated items."""
    share = len(facts & others) / len(facts | others) if facts or others else 1.0
    if share >= _ALIKE:
        return share
    one_shape = _shape(a) is _shape(b) is not Noted
    return _BECAME if one_shape else 0.0


def _shape(value: object) -> type:
    return next((kind for kind in (Noted, Mapping, list) if isinstance(value, kind)), object)


def words_apart(was: str, now: str) -> Iterator[tuple[WordKind, str]]:
    """Yield the pieces of two texts in order: common, only in the first, and only in the second.

    The pieces that aren't "added" form the first text, those that aren't "removed" the second. Words, spaces and
    punctuation are compared; if more than 5,000 of them remain between the common beginning and end, that is one
    change.
    """
    one, other = _TOKEN.findall(was), _TOKEN.findall(now)
    for equal, left, right in _stretches(one, other, most=_MOST_TOKENS):
        was_here, now_here = "".join(one[left.start : left.stop]), "".join(other[right.start : right.stop])
        pieces: list[tuple[WordKind, str]]
        pieces = [("same", was_here)] if equal else [("removed", was_here), ("added", now_here)]
        yield from (piece for piece in pieces if piece[1])
