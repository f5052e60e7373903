"""What a response cost.

Anthropic's ``input_tokens`` leaves out what was read from a cache or written to one; ours holds all of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import (
    EMPTY,
    Native,
    Shape,
    Unreadable,
    adopt,
    carried_extras,
    is_object,
    maker,
    mark_of,
    marked,
    natives,
    read_as,
    rules,
    write_as,
)
from agentmsg_codecs.anthropic.names import FAMILY, OUTPUT

if TYPE_CHECKING:
    from collections.abc import Mapping


_make = maker(am.Usage)
_READ, _WRITTEN = "cache_read_input_tokens", "cache_creation_input_tokens"
_DETAILS, _THOUGHT = "output_tokens_details", "thinking_tokens"
_DETAIL_KEYS = frozenset({_THOUGHT})
_OBJECT: Any = dict  # so that type checkers ask nothing about what is inside
_KEYS = frozenset({"input_tokens", "output_tokens", _READ, _WRITTEN, _DETAILS})


def _count(native: Native, key: str) -> int | None:
    value = native.get(key)
    if value is not None and (type(value) is not int or value < 0):
        raise Unreadable
    return value


def _cached(usage: am.Usage) -> int:
    return (usage.cache_read or 0) + (usage.cache_write or 0)


def _read(native: Native, _: Any) -> am.Usage:
    paid, output = _count(native, "input_tokens"), _count(native, "output_tokens")
    read, written = _count(native, _READ), _count(native, _WRITTEN)
    details: Any = native.get(_DETAILS)
    thought: Any = None
    rest: Mapping[str, Any] = EMPTY
    if is_object(details) and type(details.get(_THOUGHT, 0)) is int and details:
        thought = details.get(_THOUGHT)
        rest = natives.rest_of(details, _DETAIL_KEYS, OUTPUT)
    usage = _make(
        input=None if paid is None else paid + (read or 0) + (written or 0),
        output=output,
        cache_read=read,
        cache_write=written,
        reasoning=thought,
        extras=rest,
    )
    return usage if paid is not None and output is not None else marked(usage, FAMILY, partial=True)


def _write(usage: am.Usage) -> Native:
    native: Native = {}
    if usage.input is not None:
        native["input_tokens"] = usage.input - _cached(usage)
    if usage.cache_write is not None:
        native[_WRITTEN] = usage.cache_write
    if usage.cache_read is not None:
        native[_READ] = usage.cache_read
    if usage.output is not None:
        native["output_tokens"] = usage.output
    details = natives.with_rest({} if usage.reasoning is None else {_THOUGHT: usage.reasoning}, usage, OUTPUT)
    if details:
        native[_DETAILS] = details
    return native


_USAGE = Shape(cls=am.Usage, keys={None: _KEYS}, read=_read, write=_write, odd=frozenset({_DETAILS}))


def read_usage(native: Any) -> am.Usage | None:
    """Return the usage of a response; None if there is none.

    Raises:
        Unreadable: if it is nothing of the kind.
    """
    if native is None:
        return None
    usage = quick_usage(native) if type(native) is _OBJECT else None
    if usage is None:
        usage = read_as(_USAGE, native, FAMILY)
    return usage


def quick_usage(native: Native) -> am.Usage | None:
    """Return usage in whole counters, with unknown values beside them; None if the general path must look.

    Every key is a counter, or is kept as it is: so nothing deviates from what would be written.
    """
    paid, output = native.get("input_tokens"), native.get("output_tokens")
    read, written = native.get(_READ), native.get(_WRITTEN)
    if type(paid) is not int or type(output) is not int or paid < 0 or output < 0:
        return None
    keys, count = 2, paid
    for cached in (read, written):
        if cached is not None:
            if type(cached) is not int or cached < 0:
                return None
            keys += 1
            count += cached
    details: Any = native.get(_DETAILS)
    thought = None
    extras: Native = {}
    if details is not None:
        thought = details.get(_THOUGHT) if type(details) is _OBJECT else None
        if type(thought) is not int:
            return None
        keys += 1
        if len(details) > 1:
            extras.update(natives.rest_of(details, _DETAIL_KEYS, OUTPUT))
    if len(native) != keys:
        rest = {key: value for key, value in native.items() if key not in _KEYS}
        if len(native) != keys + len(rest):
            return None
        extras[FAMILY] = adopt(rest)
    kept = adopt(extras) if extras else EMPTY
    return _make(count, output, None, read, written, thought, None, None, None, None, kept)


def write_usage(usage: am.Usage) -> Native:
    """Return the native form of a usage that fits."""
    return write_as(_USAGE, usage, FAMILY)


def _wanted(usage: am.Usage) -> dict[str, Any]:
    """Return the counts that the schema wants, 0 if they are not told, and none below what they hold."""
    wanted: dict[str, Any] = {name: 0 for name in _COUNTED if (getattr(usage, name) or 0) < 0}
    if mark_of(usage, FAMILY, "/partial") is not True:
        wanted |= {name: 0 for name in ("input", "output") if getattr(usage, name) is None}
    paid = wanted.get("input", usage.input)
    cached = max(usage.cache_read or 0, 0) + max(usage.cache_write or 0, 0)
    return wanted if paid is None or paid >= cached else {**wanted, "input": cached}


_COUNTED = ("output", "cache_read", "cache_write")
carried_usage = rules.usage_cell(
    ("input", "reasoning", *_COUNTED),
    extras=carried_extras(
        (OUTPUT, lambda _: _DETAIL_KEYS), (FAMILY, lambda _: _KEYS), odd=natives.odd_at(_USAGE, FAMILY)
    ),
    wanted=_wanted,
    case="value.input is not None and value.output is not None and value.output >= 0"
    " and (value.cache_read or 0) >= 0 and (value.cache_write or 0) >= 0"
    " and value.input >= (value.cache_read or 0) + (value.cache_write or 0)",
)
