"""What a response cost.

Anthropic's ``input_tokens`` leaves out what was read from a cache or written to one; ours holds all of it.
"""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg.formats import KEEP, Native, Unreadable, mark_of, rules
from agentmsg.formats.forms import Form, Hatch, Inside, Key, Whole
from agentmsg_codecs.anthropic.names import FAMILY, OUTPUT

_PAID, _READ, _WRITTEN = "input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"
_INPUT = {_PAID: "input", _WRITTEN: "cache_write", _READ: "cache_read"}


def _read_input(native: Native) -> dict[str, Any]:
    counts = {key: native.get(key) for key in _INPUT}
    if any(count is not None and (type(count) is not int or count < 0) for count in counts.values()):
        raise Unreadable("input tokens are counts")
    paid: Any = counts[_PAID]
    fields: dict[str, Any] = {name: counts[key] for key, name in _INPUT.items()}
    if paid is not None:
        fields["input"] = paid + (counts[_READ] or 0) + (counts[_WRITTEN] or 0)
    return {**fields, "notes": {key: "null" for key in _INPUT if key in native and native[key] is None}}


def _write_input(usage: am.Usage) -> Native:
    cached = (usage.cache_read or 0) + (usage.cache_write or 0)
    counts = {_PAID: None if usage.input is None else usage.input - cached}
    counts |= {_WRITTEN: usage.cache_write, _READ: usage.cache_read}
    return {key: count for key, count in counts.items() if count is not None}


USAGE = Form("usage", am.Usage, None, (
    Hatch(
        keys=tuple(_INPUT),
        cells=dict.fromkeys(_INPUT.values(), KEEP),
        get=_read_input,
        put=_write_input,
        about="input, the sum of the three; cache_write; cache_read",
    ),
    Key("output_tokens", "output", Whole(least=0), "may"),
    Inside("output_tokens_details", (Key("thinking_tokens", "reasoning", Whole(), "may"),), "may", space=OUTPUT),
), marks={"partial": lambda native: native.get(_PAID) is None or native.get("output_tokens") is None})  # fmt: skip


def _wanted(usage: am.Usage) -> dict[str, Any]:
    """Return the counts that the schema wants, 0 if they are not told, and none below what they hold."""
    wanted: dict[str, Any] = {name: 0 for name in _COUNTED if (getattr(usage, name) or 0) < 0}
    if mark_of(usage, FAMILY, "/partial") is not True:
        wanted |= {name: 0 for name in ("input", "output") if getattr(usage, name) is None}
    paid = wanted.get("input", usage.input)
    cached = max(usage.cache_read or 0, 0) + max(usage.cache_write or 0, 0)
    return wanted if paid is None or paid >= cached else {**wanted, "input": cached}


_COUNTED = ("output", "cache_read", "cache_write")


def carried(cells: Any) -> Any:
    """Return the cell for usage, given those of its fields."""
    return rules.usage_cell(
        ("input", "reasoning", *_COUNTED),
        extras=cells["extras"],
        wanted=_wanted,
        case="value.input is not None and value.output is not None and value.output >= 0"
        " and (value.cache_read or 0) >= 0 and (value.cache_write or 0) >= 0"
        " and value.input >= (value.cache_read or 0) + (value.cache_write or 0)",
    )
