"""Products: for each kind of native object one small document, in which the values of several keys are combined.

Chance seldom hits values that contradict each other in a whole document. Here two or more keys of one object, or of it
and those around or inside it, each have one of a few values: none, null, a value from elsewhere, one that a schema
names, an empty one, one of another type, or one that has a meaning under adjacent keys. The objects come from some
documents, plus one from the schema of each form that has none there.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, cast

import attrs

from agentmsg.api.reading import decode
from agentmsg.errors import AgentMsgError
from agentmsg.formats.forms.schemas import schema_of
from agentmsg.model.blocks import NativeBlock
from agentmsg.testing.systematic import objects, tag_of
from agentmsg.values.types import is_list, is_object
from support.recombining import ODD
from support.schema_values import SchemaValues

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from random import Random

    from agentmsg.formats.codec import Codec
    from agentmsg.formats.forms.described import Described
    from agentmsg.formats.forms.form import Form
    from agentmsg.testing.systematic import Pattern, Spot, Tag

__all__ = ["Products"]

_ABSENT: Any = object()
_NOTHING: tuple[Any, ...] = (_ABSENT, _ABSENT, None, "", [], {}, 0)
# More values of a key, and longer documents, show nothing new.
_MOST_VALUES, _LONGEST_VALUE, _LONGEST_DOCUMENT = 12, 300, 1_500
# How many keys to combine, of how many objects; how often all others are absent, and others are around the object.
_KEYS, _OBJECTS, _BARE, _AROUND = (2, 2, 2, 3, 3, 4, 99, 99, 99), (1, 1, 1, 2), 0.3, 0.2
# How often a value that holds others stays as it was; how often one of many keys gets another's value.
_AS_IT_WAS, _MANY, _SELDOM = 0.6, 5, 0.05
# In a list, an unchanged copy may be first or last.
_BESIDE = ("alone", "alone", "alone", "first", "last")


@attrs.define(eq=False)
class _Kind:
    """Objects of one kind: documents with one each, and its place; the values of each key; the keys of tags."""

    documents: list[tuple[Any, "Spot"]]
    values: dict[str, list[Any]] = attrs.field(factory=dict[str, "list[Any]"])
    must: set[str] = attrs.field(factory=set[str])

    def learn(self, key: str, value: Any) -> None:
        known = self.values.setdefault(key, [])
        if len(known) < _MOST_VALUES and _length(value) <= _LONGEST_VALUE and repr(value) not in map(repr, known):
            known.append(value)


class Products:
    """Draws documents in which the values of several keys of one object are combined.

    Args:
        codec: its forms say what an object may contain.
        documents: plain data that it reads; not changed.

    Attributes:
        lacking: the names of forms that have no document.
    """

    def __init__(self, codec: Codec, documents: Iterable[Any]) -> None:
        self._codec = codec
        self._kinds: dict[tuple[Pattern, Tag], _Kind] = {}
        self._of_key: dict[str, list[Any]] = {}
        for document in sorted(documents, key=_length):
            self._collect(document)
        self.lacking = [name for described in codec.described for name in self._describe(described)]
        self._drawn = list(self._kinds.values())
        for kind in self._drawn:
            for key, values in kind.values.items():
                self._of_key.setdefault(key, []).extend(values)

    def draw(self, rng: Random) -> Any:
        """Return a document: a small one, in which several keys of an object have other values."""
        kind = rng.choice(self._drawn)
        found, spot = kind.documents[-1 if rng.random() < _AROUND else 0]
        document = deepcopy(found)
        spot = _beside_another(document, spot, rng.choice(_BESIDE))
        chosen = [(spot, kind)]
        if rng.choice(_OBJECTS) > 1:
            others = [(at, own) for pattern, at, value in objects(document) if (own := self._kind(pattern, value))]
            chosen.append(rng.choice(others or chosen))
        # Inner objects change first: they may be gone afterwards.
        for at, own in sorted(chosen, key=lambda pair: -len(pair[0])):
            self._combine(_at(document, at), own, rng.choice(_KEYS) // len(chosen) or 1, rng)
        return document

    def _combine(self, value: dict[str, Any], kind: _Kind, count: int, rng: Random) -> None:
        keys = rng.sample([*kind.values], min(count, len(kind.values)))
        if rng.random() < _BARE:
            for key in [key for key in value if key not in kind.must and key not in keys]:
                del value[key]
        words = [own[0] for own in kind.values.values() if own and isinstance(own[0], str)]
        for key in keys:
            own = kind.values[key]
            # Most of many odd values would make the whole unreadable.
            odd = (self._of_key[key], words, _NOTHING, ODD) if count < _MANY or rng.random() < _SELDOM else ()
            new = rng.choice(rng.choice((own, own, _NOTHING, *odd)) or _NOTHING)
            if new is _ABSENT:
                value.pop(key, None)
            else:
                value[key] = _varied(deepcopy(new), rng)

    # -- kinds --------------------------------------------------------------------------------------------------------

    def _kind(self, pattern: Pattern, value: Mapping[str, Any]) -> _Kind | None:
        return self._kinds.get((pattern, tag_of(value)))

    def _collect(self, document: Any) -> None:
        is_short = _length(document) <= _LONGEST_DOCUMENT
        for pattern, spot, value in objects(document):
            kind = self._kind(pattern, value)
            if kind is None:
                small = [each for each in (_pruned(document, spot), (document, spot)) if self._odd(each[0]) is not None]
                if not small:
                    continue
                kind = self._kinds[pattern, tag_of(value)] = _Kind(small[:1])
                kind.must = {key for key, item in value.items() if item in tag_of(value)}
            if is_short and len(kind.documents) == 1:
                kind.documents.append((document, spot))
            for key, item in value.items():
                kind.learn(key, item)

    def _describe(self, described: Described) -> Iterator[str]:
        """Learn what forms say about their objects; yield the names of those without a document."""
        schema = SchemaValues(schema_of(described, *self._codec.described))
        for form in described.forms.values():
            found = [kind for (_, tag), kind in self._kinds.items() if _is_of(form, tag, kind)]
            found = found or [kind for native in schema.natives(form.name) if (kind := self._hosted(form, native))]
            for kind in found:
                kind.values = {**{key: [] for key in sorted(form.keys)}, **kind.values}
                for key, values in schema.of_keys(form.name).items():
                    for value in values:
                        kind.learn(key, value)
            if not found:
                yield form.name

    def _hosted(self, form: Form, native: dict[str, Any]) -> _Kind | None:
        """Return the kind of a form's object, in the first document that doesn't read it as a native object."""
        for known in list(self._kinds.values()):
            document, spot = known.documents[0]
            if not spot or spot[-1].__class__ is not int:
                continue
            changed = deepcopy(document)
            _at(changed, spot[:-1])[spot[-1]] = native
            odd, usual = self._odd(changed), self._odd(document)
            if odd is not None and usual is not None and odd <= usual:
                kind = self._kinds[(form.name, str(len(self._kinds))), tag_of(native)] = _Kind([(changed, spot)])
                kind.must = {form.tag_key} & set(native)
                return kind
        return None

    def _odd(self, document: Any) -> int | None:
        """Return the number of native objects read from a document; None if it is refused."""
        try:
            history = decode(document, self._codec)
        except AgentMsgError:
            return None
        return sum(message.role == "native" or message.has(NativeBlock) for message in history.messages)


def _is_of(form: Form, tag: Tag, kind: _Kind) -> bool:
    """Whether, by a form's tag or keys, objects of a kind may have that form."""
    if form.tag is not None:
        return form.tag in tag
    return 2 * sum(key in form.keys for key in kind.values) > len(kind.values)


def _pruned(document: Any, spot: Spot) -> tuple[Any, Spot]:
    """Return a document whose lists on the way to an object hold nothing else, and the object's new place."""
    if not spot:
        return document, spot
    inner, rest = _pruned(document[spot[0]], spot[1:])
    if spot[0].__class__ is int:
        return [inner], (0, *rest)
    return {**document, spot[0]: inner}, (spot[0], *rest)


def _beside_another(document: Any, spot: Spot, where: str) -> Spot:
    """Add a copy of the item that contains an object at one end of its list; return the object's new place."""
    last = max((depth for depth, step in enumerate(spot) if step.__class__ is int), default=None)
    if where == "alone" or last is None:
        return spot
    held, index = _at(document, spot[:last]), cast("int", spot[last])
    held.insert(0 if where == "first" else len(held), deepcopy(held[index]))
    return (*spot[:last], index + (where == "first"), *spot[last + 1 :])


def _varied(value: Any, rng: Random) -> Any:
    """Return a value unchanged, or with another value somewhere inside."""
    if not value or not (is_object(value) or is_list(value)) or rng.random() < _AS_IT_WAS:
        return value
    key: Any = rng.choice([*value] if is_object(value) else range(len(value)))
    value[key] = _varied(value[key], rng) if rng.random() < _AS_IT_WAS else deepcopy(rng.choice(ODD))
    return value


def _at(document: Any, spot: Spot) -> Any:
    for step in spot:
        document = document[step]
    return document


def _length(value: Any) -> int:
    return len(repr(value))
