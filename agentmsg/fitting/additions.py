"""What a loader adds: values that stand where the written document said nothing, and say nothing new themselves.

A framework that loads a document and dumps it again fills in what was left out: ids, times, counts of zero, states that
are as usual, media types, empty values. None of that is an edit. This is the only place that knows what counts as such;
it names no format. Whether the written document had a value itself, prints tell (see ``prints``).
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import attrs

from agentmsg.fitting.levels import EXTRAS, words_of
from agentmsg.formats.spelling import says_nothing
from agentmsg.model.base import Noted
from agentmsg.model.construction import lacks
from agentmsg.model.generated import given
from agentmsg.model.msg import Msg
from agentmsg.model.sources import Base64Source
from agentmsg.model.usage import COUNTERS, Usage
from agentmsg.values.types import is_mapping

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_Path: TypeAlias = "tuple[str | int, ...]"
Additions: TypeAlias = "dict[_Path, tuple[Any, Any]]"
"""By path inside an object: a value, and what stands there without the addition; None: nothing."""

# The state of what isn't done yet, and of what went well.
_USUAL_STATES = frozenset({"pending", "success"})
# What an unknown key tells if its last word is one of these: which one it is, or when it was.
_MARKS = frozenset(
    {"at", "date", "digest", "digests", "fingerprint", "hash", "id", "identifier", "ids", "time", "timestamp", "uuid"}
)
_NO_USAGE = Usage()
# Of what holds nothing but additions, just that it is there counts.
_WHOLE = (None, None)
_STANDARD = str.maketrans("-_", "+/")


def _any(value: Any) -> bool:
    return given(value) is not None


# By field: whether a value may be an addition. An id of a call is a link, so it isn't among them.
_FIELDS: Mapping[str, Callable[[Any], bool]] = {
    "created_at": _any,
    "item_id": _any,
    "media_type": _any,
    "status": lambda value: value in _USUAL_STATES,
    "ttl": _any,
}


@cache
def _rules_of(cls: Any) -> tuple[tuple[str, Callable[[Any], bool]], ...]:
    """Return the fields of a class that may be additions, each with its test."""
    if cls is Usage:
        return tuple((name, lambda value: not value and value is not None) for name in COUNTERS)
    own = {"id": _any, **_FIELDS} if cls is Msg else _FIELDS
    return tuple((field.name, own[field.name]) for field in attrs.fields(cls) if field.name in own)


@cache
def may_hold_objects(kind: Any) -> tuple[str, ...]:
    """Return the fields that may hold objects of the model: not texts, numbers, times and free-form JSON."""
    return tuple(field.name for field in attrs.fields(kind) if not _NO_OBJECTS.fullmatch(str(field.type)))


_NO_OBJECTS = re.compile(
    r"(Mapping\[str, JSON\]|tuple\[float, \.\.\.\]|JSON|None|bool|datetime|float|int|object|str| \| )+"
)


@cache
def _has_none(cls: Any) -> Callable[[Any], bool]:
    """Return the test whether an object of a class holds nothing where an addition may be."""
    own = [name for name, _ in _rules_of(cls)] + [
        name for name in may_hold_objects(cls) if cls is not Msg or name != "content"
    ]
    return lacks(cls, *own, *(["data"] if cls is Base64Source else ()))


def additions(owner: Noted) -> Additions:
    """Return what a loader may have added to a message, block or tool, and to what is inside it.

    The blocks of a message are left out.
    """
    return dict(_found(owner, ()))


def _found(owner: Noted, path: _Path) -> Iterator[tuple[_Path, tuple[Any, Any]]]:
    cls: Any = type(owner)
    if _has_none(cls)(owner):
        return
    for name, may_be in _rules_of(cls):
        value: Any = getattr(owner, name)
        if may_be(value):
            yield (*path, name), (value, None)
    if isinstance(owner, Base64Source) and ("-" in owner.data or "_" in owner.data):
        # The same bytes in the other alphabet.
        yield (*path, "data"), (owner.data, owner.data.translate(_STANDARD))
    if owner.extras:
        yield from _found_keys(owner, path)
    for name in may_hold_objects(cls):
        inner = None if name == "content" and cls is Msg else getattr(owner, name)
        if isinstance(inner, Noted):
            yield from _found(inner, (*path, name))
            if isinstance(inner, Usage) and without(inner, additions(inner)) == _NO_USAGE:
                yield (*path, name), _WHOLE
        elif isinstance(inner, tuple):
            for index, item in enumerate(cast("tuple[object, ...]", inner)):
                if isinstance(item, Noted):
                    yield from _found(item, (*path, name, index))


def _found_keys(owner: Noted, path: _Path) -> Iterator[tuple[_Path, tuple[Any, Any]]]:
    for space, fields in owner.extras.items():
        if not is_mapping(fields):
            continue
        marks = [k for k, value in fields.items() if says_nothing(value) or not _MARKS.isdisjoint(words_of(k)[-1:])]
        yield from (((*path, EXTRAS, space, key), (fields[key], None)) for key in marks)
        if len(marks) == len(fields):
            yield (*path, EXTRAS, space), _WHOLE


def without(owner: Any, found: Additions) -> Any:
    """Return an object without some of its additions."""
    below: dict[str | int, Additions] = {}
    for (step, *rest), each in found.items():
        below.setdefault(step, {})[tuple(rest)] = each
    if type(owner) is tuple:
        items = enumerate(cast("tuple[object, ...]", owner))
        return tuple(without(item, below[index]) if index in below else item for index, item in items)
    if is_mapping(owner):
        kept = {key: _left(value, below[key]) if key in below else value for key, value in owner.items()}
        return {key: value for key, value in kept.items() if key not in below or value is not None}
    changes = {str(name): _left(getattr(owner, str(name)), inner) for name, inner in below.items()}
    return owner.evolve(**changes) if changes else owner


def _left(value: Any, found: Additions) -> Any:
    """Return what is left of a value without its additions; None if it is one itself."""
    return found[()][1] if () in found else without(value, found)
