"""The usage of a response.

Anthropic's ``input_tokens`` excludes tokens read from a cache or written to one; ours includes them.
"""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg.formats import cells
from agentmsg.formats.forms import Form, Inside, Key, Total, Whole
from agentmsg_codecs.anthropic.names import FAMILY, OUTPUT

USAGE = Form("usage", am.Usage, None, (
    Key("input_tokens", "input", Total(0, beside=("cache_read", "cache_write")), "may", lacks="partial"),
    Key("cache_creation_input_tokens", "cache_write", Whole(0), "may"),
    Key("cache_read_input_tokens", "cache_read", Whole(0), "may"),
    Key("output_tokens", "output", Whole(0), "may", lacks="partial"),
    Inside("output_tokens_details", (Key("thinking_tokens", "reasoning", Whole(), "may"),), "may", space=OUTPUT),
))  # fmt: skip


def carried(rows: Any) -> Any:
    """Return the cell for usage, given those of its fields."""
    cached = ("cache_read", "cache_write")
    least = {"output": (), **dict.fromkeys(cached, ()), "input": cached}
    return cells.usage(rows, needs=("input", "output"), family=FAMILY, least=least)
