"""The usage of a response.

Anthropic's ``input_tokens`` excludes tokens read from a cache or written to one; ours includes them.
"""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg.formats import cells, is_marked
from agentmsg.formats.forms import Form, Inside, Key, Total, Whole
from agentmsg_codecs.anthropic.names import FAMILY, OUTPUT

USAGE = Form("usage", am.Usage, None, (
    Key("input_tokens", "input", Total(0, beside=("cache_read", "cache_write")), "may", lacks="partial"),
    Key("cache_creation_input_tokens", "cache_write", Whole(0), "may"),
    Key("cache_read_input_tokens", "cache_read", Whole(0), "may"),
    Key("output_tokens", "output", Whole(0), "may", lacks="partial"),
    Inside("output_tokens_details", (Key("thinking_tokens", "reasoning", Whole(), "may"),), "may", space=OUTPUT),
))  # fmt: skip


def _wanted(usage: am.Usage) -> dict[str, Any]:
    """Return the counts that the schema requires, 0 if they are missing; input is at least its cached part."""
    wanted: dict[str, Any] = {name: 0 for name in _COUNTED if (getattr(usage, name) or 0) < 0}
    if not is_marked(usage, FAMILY, "/partial"):
        wanted |= {name: 0 for name in ("input", "output") if getattr(usage, name) is None}
    paid = wanted.get("input", usage.input)
    cached = max(usage.cache_read or 0, 0) + max(usage.cache_write or 0, 0)
    return wanted if paid is None or paid >= cached else {**wanted, "input": cached}


_COUNTED = ("output", "cache_read", "cache_write")


def carried(rows: Any) -> Any:
    """Return the cell for usage, given those of its fields."""
    return cells.usage(
        ("input", "reasoning", *_COUNTED),
        extras=rows["extras"],
        wanted=_wanted,
        case="value.input is not None and value.output is not None and value.output >= 0"
        " and (value.cache_read or 0) >= 0 and (value.cache_write or 0) >= 0"
        " and value.input >= (value.cache_read or 0) + (value.cache_write or 0)",
    )
