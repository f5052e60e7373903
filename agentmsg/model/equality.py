"""``same``: the equality of the laws. Stricter than ``==``, except for values that the library made itself.

Types count (True, 1 and 1.0 differ), -0.0 isn't 0.0, and offsets of times and the key order of free-form JSON count.
Notes never count, nor does the order of the families of extras, and the text of a tool call counts only if it says more
than its input. A made id or time is the same as None, as its own text, and as any other made one if calls and results
are linked alike. Where None means false, False is the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import cache
from operator import attrgetter, eq
from typing import Any, TypeAlias, cast

import attrs

from agentmsg.model.base import Noted
from agentmsg.model.construction import agreeing, differing
from agentmsg.model.generated import Made, MadeName, is_made
from agentmsg.model.tool_use import ToolUseBlock
from agentmsg.values.frozen import FrozenDict, FrozenList, adopt
from agentmsg.values.peeking import peek_items

_Change: TypeAlias = tuple[str, Callable[[Any], Any], Any, Any]


def same(a: Any, b: Any) -> bool:
    """Whether two histories, messages, blocks or values are the same, as the laws mean it."""
    if a is b:
        return True
    if a is None or b is None:
        return is_made(b if a is None else a)
    kind: type = a.__class__
    if kind is not b.__class__:
        return _same_kinds(a, b)
    compare = _BY_TYPE.get(kind)
    if compare is not None:
        return compare(a, b)
    if attrs.has(kind):
        return _same_objects(kind)(a, b)
    return bool(a == b) if not isinstance(a, (dict, list)) else _same_kinds(a, b)


def _same_kinds(a: Any, b: Any) -> bool:
    """Compare values of different types: made ones, and plain with frozen containers."""
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Made):
            return isinstance(other, str) and str.__eq__(one, other)
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return _same_mappings(cast("Any", a), cast("Any", b))
    if isinstance(a, list) and isinstance(b, list):
        return _same_sequences(cast("Any", a), cast("Any", b))
    return isinstance(a, str) and isinstance(b, str) and type(a) is not Made and str(a) == str(b)


def _same_mappings(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    if len(a) != len(b):
        return False
    # Loops, not all(): they need half the stack on deeply nested values.
    for (left, one), (right, other) in zip(_items(a), _items(b), strict=True):
        if left != right or (one is not other and not same(one, other)):
            return False
    return True


def _items(value: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    return peek_items(value) if isinstance(value, dict) else value.items()


def _same_sequences(a: Any, b: Any) -> bool:
    if len(a) != len(b):
        return False
    for left, right in zip(a, b, strict=True):
        if not same(left, right):
            return False
    return True


def _same_times(a: datetime, b: datetime) -> bool:
    if is_made(a) and is_made(b):
        return True
    return a.replace(tzinfo=None) == b.replace(tzinfo=None) and a.utcoffset() == b.utcoffset()


_BY_TYPE: Mapping[type, Callable[[Any, Any], bool]] = {
    str: eq,
    int: eq,
    bool: eq,
    Made: lambda _, __: True,
    MadeName: lambda _, __: True,
    float: lambda a, b: a == b and math.copysign(1, a) == math.copysign(1, b),
    datetime: _same_times,
    dict: _same_mappings,
    FrozenDict: _same_mappings,
    list: _same_sequences,
    FrozenList: _same_sequences,
    # What a parser read, whose children are frozen on access.
    type(adopt({})): _same_mappings,
    type(adopt([])): _same_sequences,
    tuple: _same_sequences,
}


@cache
def compared(cls: type[Any]) -> tuple[tuple[str, Callable[[Any], Any]], ...]:
    """Return the compared fields of a model class: their names, and functions that get their values."""
    return tuple((name, attrgetter(attribute)) for name, attribute in _compared_attributes(cls))


@cache
def _same_objects(cls: type[Any]) -> Callable[[Any, Any], bool]:
    """Return a function that compares two objects of a class."""
    alike = agreeing((attribute for _, attribute in _compared_attributes(cls)), same)
    links_alike = getattr(cls, "_links_as", None)
    return alike if links_alike is None else lambda a, b: alike(a, b) and bool(links_alike(a, b))


@cache
def changes_of(cls: Any) -> Callable[[Any, Any], list[_Change]]:
    """Return a function that lists the compared fields whose values aren't the same object in two objects.

    Each entry has the field's name, how to get it, and both values.
    """
    return differing(
        [(attribute, pair) for (_, attribute), pair in zip(_compared_attributes(cls), compared(cls), strict=True)]
    )


def flags_of(cls: type[Any]) -> Mapping[str, str]:
    """Return the fields of a class whose None means false, and the properties that say so."""
    flags: Mapping[str, str] = getattr(cls, "flags", {})
    return flags


def _compared_attributes(cls: type[Any]) -> list[tuple[str, str]]:
    own: dict[str, tuple[str, str]] = {}
    if Noted in cls.__mro__:
        own["extras"] = "extras", "sorted_extras"
    if ToolUseBlock in cls.__mro__:
        own |= {"_input": ("input", "input"), "raw_input": ("raw_input", "significant_text")}
    # Where None means false, what it means is compared.
    own |= {name: (name, asked) for name, asked in flags_of(cls).items()}
    return [
        own.get(field.name) or (field.alias or field.name, field.name)
        for field in attrs.fields(cls)
        if field.name != "notes" and field.init
    ]
