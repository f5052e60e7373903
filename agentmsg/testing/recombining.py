"""Documents recombined: the values of some documents under other keys, and in other objects, several at once.

What a reader does to one odd value alone is seen by ``systematic``; what it does to two together, or to a key that
stands where it has no meaning, is seen here. Each document is one of those given, with up to three changes: a key gets
another value that stands under it elsewhere in objects of the same kind; a key known from other objects is added; a
value says nothing, or is of another type; a key is absent.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from agentmsg.testing.systematic import INSTEAD, objects, tag_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

    from agentmsg.testing.systematic import Pattern, Tag

__all__ = ["Recombiner"]

# Longer values take long to read, and teach nothing new; nor do more of them under one key.
_LONGEST_VALUE, _LONGEST_DOCUMENT, _MOST_VALUES, _MOST_DOCUMENTS = 400, 6_000, 20, 400
_CHANGES = (1, 1, 2, 2, 3)


class Recombiner:
    """Draws documents that recombine some documents.

    Args:
        documents: plain data; not changed. The long ones are left out, unless all are.
    """

    def __init__(self, documents: Iterable[Any]) -> None:
        given = sorted(documents, key=_length)
        short = [document for document in given if _length(document) <= _LONGEST_DOCUMENT]
        self._documents = (short or given)[:_MOST_DOCUMENTS]
        self._of_kind: dict[tuple[Pattern, Tag], dict[str, list[Any]]] = {}
        self._of_key: dict[str, list[Any]] = {}
        for document in self._documents:
            for pattern, _, value in objects(document):
                own = self._of_kind.setdefault((pattern, tag_of(value)), {})
                for key, item in value.items():
                    for known in (own.setdefault(key, []), self._of_key.setdefault(key, [])):
                        if len(known) < _MOST_VALUES and _length(item) <= _LONGEST_VALUE:
                            known.append(item)

    def draw(self, rng: Random) -> Any:
        """Return another document: a copy with up to three changes."""
        document = deepcopy(rng.choice(self._documents))
        found = [(pattern, value) for pattern, _, value in objects(document)]
        for _ in range(rng.choice(_CHANGES) if found else 0):
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
        value[key] = deepcopy(rng.choice((how != "odd" and known.get(key)) or INSTEAD))


def _length(value: Any) -> int:
    return len(repr(value))
