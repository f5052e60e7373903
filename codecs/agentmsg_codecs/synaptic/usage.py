"""Usage, of an assistant's message (``usage_metadata``) or a chunk (``usage``).

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

from typing import Any

import agentmsg as am
from agentmsg.formats import Counters, Native, Shape, is_marked, is_object, maker, marked, read_as, write_as
from agentmsg_codecs.synaptic.names import FAMILY

_make_usage = maker(am.Usage)
_COUNTERS = Counters(
    family=FAMILY,
    counts={"input_tokens": "input", "output_tokens": "output", "total_tokens": "total"},
    details={
        "input_details": ("synaptic.input", {"cached": "cache_read", "audio": "input_audio"}),
        "output_details": ("synaptic.output", {"reasoning": "reasoning", "audio": "output_audio"}),
    },
)
_COUNTS, _DETAILS = _COUNTERS.counts, _COUNTERS.details
_MOST = 2**32 - 1


def _read(native: Native, _: Any) -> am.Usage:
    usage = _make_usage(**_COUNTERS.read(native))
    return marked(usage, FAMILY, odd=True) if _wanted(usage) else usage


def _write(usage: am.Usage) -> Native:
    """Return what the table of counters says, where all counts are told, and each detail by both of its own or none."""
    native: Native = {"input_tokens": usage.input, "output_tokens": usage.output, "total_tokens": usage.total}
    if usage.cache_read is not None or usage.input_audio is not None:
        native["input_details"] = {"cached": usage.cache_read, "audio": usage.input_audio}
    if usage.reasoning is not None or usage.output_audio is not None:
        native["output_details"] = {"reasoning": usage.reasoning, "audio": usage.output_audio}
    return native


_SHAPE = Shape(cls=am.Usage, keys={None: _COUNTERS.keys}, read=_read, write=_COUNTERS.write)


def read_usage(native: Any) -> am.Usage | None:
    """Return the usage of a message.

    Raises:
        Unreadable: if it is none.
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
    return write_as(_SHAPE, usage, FAMILY) if usage.notes or usage.extras else _write(usage)


def _wanted(usage: am.Usage) -> dict[str, Any]:
    """Return the counters that usage must have besides, or otherwise, to be what the schema has."""
    counts = (usage.input or 0, usage.output or 0)
    totals = zip(_COUNTS.values(), (*counts, sum(counts)), strict=True)
    wanted: dict[str, Any] = {name: count for name, count in totals if getattr(usage, name) is None}
    for space, names in _DETAILS.values():
        own = tuple(names.values())
        if space in usage.extras or any(getattr(usage, name) is not None for name in own):
            wanted |= {name: 0 for name in own if getattr(usage, name) is None}
    for name in _COUNTERS.fields:
        count = wanted.get(name, getattr(usage, name))
        if count is not None and not 0 <= count <= _MOST:
            wanted[name] = min(max(count, 0), _MOST)
    return wanted


# All counts that are required, details that are whole or not there at all, and no number too large.
_CASE = " and ".join(
    (
        *(f"value.{name} is not None" for name in _COUNTS.values()),
        *(
            f"(value.{one} is None) == (value.{other} is None)"
            for one, other in (names.values() for _, names in _DETAILS.values())
        ),
        *(f"0 <= (value.{name} or 0) <= most" for name in _COUNTERS.fields),
    )
)
carried_usage = _COUNTERS.cell(
    lambda usage: {} if is_marked(usage, FAMILY, "/odd") else _wanted(usage), case=_CASE, most=_MOST
)
