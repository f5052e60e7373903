"""Systematic damage to documents: at each distinct place, every change that reveals what a reader overlooks.

Random mutations seldom hit the one key of the one part that matters. Here each object of each document is identified by
its path (without indexes) and its tag. Each such place is damaged once, key by key: the value is absent, null, empty,
of another type, or an unknown word; the tag is that of a sibling, an object at the same path with another tag; and a
sibling's keys are added. ``PROBE`` is the word: wherever a reader puts it, ``probed`` finds it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias, cast

import attrs

from agentmsg.model.base import Noted

PROBE = "zq-probe"
"""A word that stands in no document."""

Pattern: TypeAlias = tuple[str, ...]
Tag: TypeAlias = tuple[str, ...]
Spot: TypeAlias = tuple[str | int, ...]

_TAGS = ("type", "role", "lc", "kind", "variant", "object", "source_type")
INSTEAD: tuple[Any, ...] = (
    None,
    "",
    [],
    {},
    0,
    True,
    1.5,
    PROBE,
    [PROBE],
    {"zq": PROBE},
    [{"type": "zq", "zq": PROBE}],
)
_ABSENT: Any = object()
# More siblings than this at one place show nothing new.
_MOST_SIBLINGS, _MOST_KEYS, _LONGEST_TAG, DEEPEST = 12, 60, 60, 12
# The number of tags and keys above an object that identify it, wherever it is in a document.
_NEAREST = 5


@attrs.frozen
class Damage:
    """One damaged document.

    Attributes:
        name: of the document, with the change and its place.
        document: a copy; it shares undamaged parts with the original.
        probed: whether it contains the probe.
    """

    name: str
    document: Any
    probed: bool


@attrs.frozen
class _Place:
    """The first object of a pattern and tag."""

    name: str
    document: Any
    spot: Spot
    value: Mapping[str, Any]


def damages(documents: Iterable[tuple[str, Any]]) -> Iterator[Damage]:
    """Yield each document that one change makes of some documents, each kind of change once for each distinct place.

    Args:
        documents: names and plain data; not changed.
    """
    places: dict[tuple[Pattern, Tag], _Place] = {}
    keys: dict[tuple[Pattern, Tag, str], _Place] = {}
    siblings: dict[Pattern, dict[Tag, dict[str, Any]]] = {}
    # The smallest first: each place is damaged where reading costs least.
    for name, document in sorted(documents, key=lambda pair: sum(len(value) for _, _, value in objects(pair[1]))):
        for pattern, spot, value in objects(document):
            tag = tag_of(value)
            place = _Place(name, document, spot, value)
            places.setdefault((pattern, tag), place)
            known = siblings.setdefault(pattern, {}).setdefault(tag, {})
            for key, item in value.items():
                known.setdefault(key, item)
                keys.setdefault((pattern, tag, key), place)
    for (_, _, key), place in keys.items():
        yield from _of_key(place, key)
    for (pattern, tag), place in places.items():
        yield from _of_siblings(place, [(other, own) for other, own in siblings[pattern].items() if other != tag])


def _of_key(place: _Place, key: str) -> Iterator[Damage]:
    for value in (_ABSENT, *INSTEAD):
        yield _damaged(place, {key: value})


def _of_siblings(place: _Place, siblings: list[tuple[Tag, dict[str, Any]]]) -> Iterator[Damage]:
    yield _damaged(place, {"zq": PROBE})
    yield _damaged(place, {"zq": [{"type": "text", "text": PROBE}]})
    added: dict[str, Any] = {}
    for _, own in siblings[:_MOST_SIBLINGS]:
        tags = {key: own[key] for key in _TAGS if isinstance(own.get(key), str) and key in place.value}
        if tags:
            yield _damaged(place, tags)
        for key, value in own.items():
            if key not in place.value and len(added) < _MOST_KEYS:
                added.setdefault(key, value)
    for key, value in added.items():
        for other in (value, None, PROBE):
            yield _damaged(place, {key: other})


def _damaged(place: _Place, changes: Mapping[str, Any]) -> Damage:
    def change(value: Mapping[str, Any]) -> dict[str, Any]:
        return {key: item for key, item in {**value, **changes}.items() if item is not _ABSENT}

    told = ", ".join(f"{key} {'absent' if value is _ABSENT else repr(value)[:40]}" for key, value in changes.items())
    document = _with(place.document, place.spot, change)
    return Damage(f"{place.name}: {'/'.join(map(str, place.spot))}: {told}", document, _holds(changes))


def _with(value: Any, spot: Spot, change: Any) -> Any:
    if not spot:
        return change(value)
    key, rest = spot[0], spot[1:]
    if isinstance(value, dict):
        own = cast("dict[str, object]", value)
        return {**own, cast("str", key): _with(own[cast("str", key)], rest, change)}
    items = list(cast("list[object]", value))
    items[cast("int", key)] = _with(items[cast("int", key)], rest, change)
    return items


def objects(document: Any) -> Iterator[tuple[Pattern, Spot, Mapping[str, Any]]]:
    """Yield each object of a document: the keys and tags above it, its path, and itself."""
    waiting: list[tuple[Pattern, Spot, Any]] = [((), (), document)]
    while waiting:
        pattern, spot, value = waiting.pop()
        if len(spot) > DEEPEST:
            continue
        if isinstance(value, dict):
            own = cast("dict[str, Any]", value)
            if own:
                yield pattern, spot, own
            near = (*pattern, "/".join(tag_of(own)))[-_NEAREST:]
            waiting.extend(((*near, key), (*spot, key), item) for key, item in reversed(own.items()))
        elif isinstance(value, list):
            items = list(enumerate(cast("list[object]", value)))
            waiting.extend(((*pattern, "*"), (*spot, index), item) for index, item in reversed(items))


def tag_of(value: Mapping[str, Any]) -> Tag:
    """Return the words that identify an object's kind."""
    words = (value.get(key) for key in _TAGS)
    return tuple(word for word in words if isinstance(word, str) and len(word) < _LONGEST_TAG)


def _holds(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(_holds(key) or _holds(item) for key, item in cast("Mapping[object, object]", value).items())
    if isinstance(value, (list, tuple)):
        return any(map(_holds, cast("Any", value)))
    return isinstance(value, str) and PROBE in value


def hides(owner: Any) -> bool:
    """Whether the probe is nowhere in an object's values: it was lost, or is hidden in a note.

    Args:
        owner: a history, message, block or anything else of the model, read from a document that holds the probe.
    """
    return not _says(owner)


def _says(owner: Any) -> bool:
    if isinstance(owner, Noted):
        fields = (field.name for field in attrs.fields(type(owner)) if field.name != "notes")
        return any(_says(getattr(owner, name)) for name in fields)
    if isinstance(owner, tuple):
        return any(map(_says, cast("tuple[object, ...]", owner)))
    return _holds(owner)
