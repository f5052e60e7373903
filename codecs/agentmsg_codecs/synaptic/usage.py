"""Usage, of an assistant's message (``usage_metadata``) or a chunk (``usage``). Imports words.

| Synaptic | Usage |
| --- | --- |
| input_tokens, output_tokens, total_tokens | input, output, total |
| input_details: cached, audio | cache_read, input_audio |
| output_details: reasoning, audio | reasoning, output_audio |
| others | extras["synaptic"], of the details extras["synaptic.input"] and extras["synaptic.output"] |

All counts are required, those of a detail where it is there; all fit 32 bits without a sign. What was read otherwise is
marked ``/odd``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.caps import carried_extras
from agentmsg.codec import maker
from agentmsg.json_values import EMPTY, adopt, thaw
from agentmsg.natives import count_at, is_marked
from agentmsg.plain import is_mapping, is_object
from agentmsg.rules import usage_cell
from agentmsg.shapes import Native, Shape, Unreadable, marked, read_as, write_as
from agentmsg_codecs.synaptic.words import FAMILY

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["carried_usage", "read_usage", "write_usage"]

_make_usage = maker(am.Usage)
_COUNTS: Mapping[str, str] = {"input_tokens": "input", "output_tokens": "output", "total_tokens": "total"}
_DETAILS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "input_details": ("synaptic.input", {"cached": "cache_read", "audio": "input_audio"}),
    "output_details": ("synaptic.output", {"reasoning": "reasoning", "audio": "output_audio"}),
}
_KEYS = frozenset({*_COUNTS, *_DETAILS})
_FIELDS = (*_COUNTS.values(), *(name for _, names in _DETAILS.values() for name in names.values()))
_MOST = 2**32 - 1


def _counts(native: Native, names: Mapping[str, str]) -> dict[str, Any]:
    return {name: count_at(native, key) for key, name in names.items()}


def _read(native: Native, _: Any) -> am.Usage:
    fields = _counts(native, _COUNTS)
    extras: dict[str, Any] = {}
    for key, (space, names) in _DETAILS.items():
        details = native.get(key)
        if details is None:
            continue
        if not is_object(details):
            raise Unreadable
        fields |= _counts(details, names)
        rest = {own: value for own, value in details.items() if own not in names}
        if rest:
            extras[space] = adopt(rest)
    usage = _make_usage(**fields, extras=adopt(extras) if extras else EMPTY)
    return marked(usage, FAMILY, odd=True) if _wanted(usage) else usage


def _write(usage: am.Usage) -> Native:
    native: Native = {key: value for key, name in _COUNTS.items() if (value := getattr(usage, name)) is not None}
    for key, (space, names) in _DETAILS.items():
        details: Native = {own: value for own, name in names.items() if (value := getattr(usage, name)) is not None}
        rest = usage.extras.get(space) if usage.extras else None
        if is_mapping(rest):
            details |= thaw(rest)
        if details:
            native[key] = details
    return native


_SHAPE = Shape(cls=am.Usage, keys={None: _KEYS}, read=_read, write=_write)


def read_usage(native: Any) -> am.Usage | None:
    """Return the usage of a message.

    Raises:
        Unreadable: where it is none.
    """
    if native is None:
        return None
    fields = _usual(native) if is_object(native) else None
    return read_as(_SHAPE, native, FAMILY) if fields is None else _make_usage(**fields)


def _usual(native: Native) -> dict[str, int] | None:
    """Return the counters of usage that has all that the schema requires, and no more; None for any other."""
    fields: dict[str, int] = {}
    left = len(native)
    for names, counts in ((_COUNTS, native), *((names, native.get(key)) for key, (_, names) in _DETAILS.items())):
        if counts is None:
            continue
        for key, name in names.items():
            count = counts.get(key) if is_object(counts) else None
            if type(count) is not int or not 0 <= count <= _MOST:
                return None
            fields[name] = count
        if counts is not native:
            left -= 1
            if len(counts) != len(names):
                return None
    return fields if left == len(_COUNTS) else None


def write_usage(usage: am.Usage) -> Native:
    """Return the native usage."""
    return write_as(_SHAPE, usage, FAMILY)


def _wanted(usage: am.Usage) -> dict[str, Any]:
    """Return the counters that usage must have besides, or otherwise, to be what the schema has."""
    counts = (usage.input or 0, usage.output or 0)
    totals = zip(_COUNTS.values(), (*counts, sum(counts)), strict=True)
    wanted: dict[str, Any] = {name: count for name, count in totals if getattr(usage, name) is None}
    for space, names in _DETAILS.values():
        own = tuple(names.values())
        if space in usage.extras or any(getattr(usage, name) is not None for name in own):
            wanted |= {name: 0 for name in own if getattr(usage, name) is None}
    for name in _FIELDS:
        count = wanted.get(name, getattr(usage, name))
        if count is not None and not 0 <= count <= _MOST:
            wanted[name] = min(max(count, 0), _MOST)
    return wanted


(_INPUT, _INPUT_NAMES), (_OUTPUT, _OUTPUT_NAMES) = _DETAILS.values()
# All counts that are required, details that are whole or not there at all, and no number too large.
_CASE = " and ".join(
    (
        *(f"value.{name} is not None" for name in _COUNTS.values()),
        *(
            f"(value.{one} is None) == (value.{other} is None)"
            for one, other in (_INPUT_NAMES.values(), _OUTPUT_NAMES.values())
        ),
        *(f"0 <= (value.{name} or 0) <= most" for name in _FIELDS),
    )
)
carried_usage = usage_cell(
    _FIELDS,
    extras=carried_extras(
        (_INPUT, lambda _: frozenset(_INPUT_NAMES)),
        (_OUTPUT, lambda _: frozenset(_OUTPUT_NAMES)),
        (FAMILY, lambda _: _KEYS),
    ),
    wanted=lambda usage: {} if is_marked(usage, FAMILY, "/odd") else _wanted(usage),
    case=_CASE,
    most=_MOST,
)
