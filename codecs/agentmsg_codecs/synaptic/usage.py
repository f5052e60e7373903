"""Usage, of an assistant's message (``usage_metadata``) or a chunk (``usage``).

| Synaptic | Usage |
| --- | --- |
| input_tokens, output_tokens, total_tokens | input, output, total |
| input_details: cached, audio | cache_read, input_audio |
| output_details: reasoning, audio | reasoning, output_audio |
| others | extras["synaptic"], of the details extras["synaptic.input"] and extras["synaptic.output"] |

All counts are required, and all of a detail that is there. They are unsigned 32-bit numbers. Any other usage is marked
``/odd``.
"""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg.formats import Native, cells, is_marked, is_object
from agentmsg.formats.forms import Form, Inside, Key, Whole
from agentmsg_codecs.synaptic.names import FAMILY

_COUNTS = {"input_tokens": "input", "output_tokens": "output", "total_tokens": "total"}
_DETAILS = {
    "input_details": ("synaptic.input", {"cached": "cache_read", "audio": "input_audio"}),
    "output_details": ("synaptic.output", {"reasoning": "reasoning", "audio": "output_audio"}),
}
_FIELDS = (*_COUNTS.values(), *(name for _, names in _DETAILS.values() for name in names.values()))
_MOST = 2**32 - 1


def _is_odd(native: Native) -> bool:
    """Whether usage doesn't match the schema: a count is missing, or isn't an unsigned 32-bit number."""
    counts = [native.get(key) for key in _COUNTS]
    for key, (_, names) in _DETAILS.items():
        inner = native.get(key)
        if is_object(inner) and (inner.keys() - names or any(inner[name] is not None for name in inner)):
            counts += [inner.get(name) for name in names]
    return not all(type(count) is int and 0 <= count <= _MOST for count in counts)


def _detail(key: str) -> Inside:
    space, names = _DETAILS[key]
    return Inside(key, tuple(Key(name, field, Whole(), "may") for name, field in names.items()), "may", space=space)


USAGE = Form(
    "usage",
    am.Usage,
    None,
    (*(Key(key, name, Whole(), "may") for key, name in _COUNTS.items()), *map(_detail, _DETAILS)),
    marks={"odd": _is_odd},
    is_apart=True,
)


def _wanted(usage: am.Usage) -> dict[str, Any]:
    """Return the counts that usage needs, or needs changed, to match the schema."""
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


# The required counts are there, each detail is complete or absent, and no number is too large.
_CASE = " and ".join(
    (
        *(f"value.{name} is not None" for name in _COUNTS.values()),
        *(
            f"(value.{one} is None) == (value.{other} is None)"
            for one, other in (names.values() for _, names in _DETAILS.values())
        ),
        *(f"0 <= (value.{name} or 0) <= most" for name in _FIELDS),
    )
)


def carried(rows: Any) -> Any:
    """Return the cell for usage, from the cells of its fields."""
    return cells.usage(
        rows,
        wanted=lambda usage: {} if is_marked(usage, FAMILY, "/odd") else _wanted(usage),
        case=_CASE,
        most=_MOST,
    )
