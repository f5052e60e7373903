"""Documents recombined: the values of some documents under other keys, and in other objects, several at once.

``systematic`` shows what a reader does to a single odd value. This shows what it does to two together, or to a key that
has no meaning in its place. Each document is one of those given, with up to three changes: a key gets another value
from the same key of similar objects; a key known from other objects is added; a value is empty, or of another type; a
key is absent; a list item moves, is repeated, is removed, or comes from another list.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, cast

from agentmsg.testing.systematic import DEEPEST, INSTEAD, objects, tag_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from random import Random

    from agentmsg.testing.systematic import Pattern, Tag

__all__ = ["ODD", "Recombiner"]

# Longer values take long to read, and show nothing new; nor do more of them under one key.
_LONGEST_VALUE, _LONGEST_DOCUMENT, _MOST_VALUES, _MOST_DOCUMENTS = 400, 6_000, 20, 400
_CHANGES = (1, 1, 2, 2, 3, 5, 8)
ODD: tuple[Any, ...] = (
    *INSTEAD,
    *(False, -1, 0.0, 2**70),
    *(" ", "{}", "null", "a\n", "<think>\nx\n</think>\n\ny", "2026-01-02T03:04:05Z", "2026-01-02"),
    *("data:text/plain;base64,aGk=", "DATA:,a", "https://example.org/a.png"),
    *({"type": "text", "text": ""}, [""], [None], [[]], {"": None}),
)
"""What says nothing, is of another type, or looks like something else."""
# The share of changes that affect lists.
_OFTEN = 0.25
_NESTED: tuple[type[Any], ...] = (dict, list)


class Recombiner:
    """Draws documents that recombine some documents.

    Args:
        documents: plain data; not changed. Long ones are left out, unless all are long.
        keys: further keys to add, with values that are empty or of any type.
        parts: native objects that may be put into lists of the documents.
    """

    def __init__(self, documents: Iterable[Any], keys: Iterable[str] = (), parts: Iterable[Any] = ()) -> None:
        self._parts = list(parts)
        given = sorted(documents, key=_length)
        short = [document for document in given if _length(document) <= _LONGEST_DOCUMENT]
        # Each with the pattern of each object in it, which its copies share.
        self._documents = [
            (document, [pattern for pattern, _, _ in objects(document)])
            for document in (short or given)[:_MOST_DOCUMENTS]
        ]
        self._of_kind: dict[tuple[Pattern, Tag], dict[str, list[Any]]] = {}
        self._of_key: dict[str, list[Any]] = {key: [] for key in keys}
        self._items: dict[str, list[Any]] = {}
        for document, _ in self._documents:
            for pattern, _, value in objects(document):
                own = self._of_kind.setdefault((pattern, tag_of(value)), {})
                for key, item in value.items():
                    _learn(own.setdefault(key, []), item)
                    _learn(self._of_key.setdefault(key, []), item)
            for key, held in _lists(document):
                for item in held:
                    _learn(self._items.setdefault(key, []), item)

    def draw(self, rng: Random) -> Any:
        """Return another document: a copy with up to three changes."""
        original, patterns = rng.choice(self._documents)
        document = deepcopy(original)
        found = list(zip(patterns, _objects(document), strict=True))
        for _ in range(rng.choice(_CHANGES) if found else 0):
            if any(True for _ in _lists(document)) and rng.random() < _OFTEN:
                self._rearrange(*rng.choice(list(_lists(document))), rng)
            else:
                pattern, value = rng.choice(found)
                self._change(value, self._of_kind.get((pattern, tag_of(value)), {}), rng)
        return document

    def _change(self, value: Any, own: dict[str, list[Any]], rng: Random) -> None:
        how = rng.choice(("own", "own", "any", "odd", "absent"))
        if how == "absent":
            value.pop(rng.choice([*value, "zq"]), None)
            return
        known = own if own and how != "any" else self._of_key
        key = rng.choice([*known, "zq"])
        value[key] = deepcopy(rng.choice((how != "odd" and known.get(key)) or ODD))

    def _rearrange(self, key: str, held: list[Any], rng: Random) -> None:
        how = rng.choice(("moved", "twice", "gone", "other", "other"))
        if how == "other" or not held:
            known = self._parts if rng.random() < _OFTEN else self._items.get(key)
            item = rng.choice(known or ODD)
        else:
            item = rng.choice(held)
        if how in ("moved", "gone") and held:
            item = held.pop(rng.randrange(len(held)))
        if how != "gone":
            held.insert(rng.randint(0, len(held)), deepcopy(item))


def _objects(document: Any) -> Iterator[dict[str, Any]]:
    """Yield what ``objects`` yields, without what it tells of each."""
    waiting: list[tuple[int, Any]] = [(0, document)]
    while waiting:
        depth, value = waiting.pop()
        if isinstance(value, dict):
            own = cast("dict[str, Any]", value)
            if own:
                yield own
            items = reversed(own.values())
        elif isinstance(value, list):
            items = reversed(cast("list[object]", value))
        else:
            continue
        if depth < DEEPEST:
            waiting.extend((depth + 1, item) for item in items if isinstance(item, _NESTED))


def _learn(known: list[Any], item: Any) -> None:
    if len(known) < _MOST_VALUES and _length(item) <= _LONGEST_VALUE:
        known.append(item)


def _lists(document: Any) -> Iterator[tuple[str, list[Any]]]:
    """Yield each list of a document with its key; without a key for the whole document."""
    if isinstance(document, list):
        yield "", document
    for value in _objects(document):
        yield from ((key, item) for key, item in value.items() if isinstance(item, list))


def _length(value: Any) -> int:
    return len(repr(value))
