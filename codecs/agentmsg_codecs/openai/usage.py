"""Usage of a response. Imports words.

| OpenAI | Usage |
| --- | --- |
| prompt_tokens, completion_tokens, total_tokens | input, output, total |
| prompt_tokens_details: cached_tokens, cache_write_tokens, audio_tokens | cache_read, cache_write, input_audio |
| completion_tokens_details: reasoning_tokens, audio_tokens | reasoning, output_audio |
| cost (OpenRouter) | cost |
| others | extras["openai"], of the details extras["openai.input"] and extras["openai.output"] |
"""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg.codec import maker
from agentmsg.counters import Counters
from agentmsg.shapes import Native, Shape, mark_of, marked, read_as, write_as
from agentmsg_codecs.openai.words import FAMILY, INPUT, OUTPUT

__all__ = ["carried_usage", "read_usage", "write_usage"]

_make_usage = maker(am.Usage)
_COUNTERS = Counters(
    family=FAMILY,
    counts={"prompt_tokens": "input", "completion_tokens": "output", "total_tokens": "total"},
    details={
        "prompt_tokens_details": (
            INPUT,
            {"cached_tokens": "cache_read", "cache_write_tokens": "cache_write", "audio_tokens": "input_audio"},
        ),
        "completion_tokens_details": (OUTPUT, {"reasoning_tokens": "reasoning", "audio_tokens": "output_audio"}),
    },
    numbers={"cost": "cost"},
)


def _read(native: Native, _: Any) -> am.Usage:
    usage = _make_usage(**_COUNTERS.read(native))
    marks: dict[str, Any] = {} if usage.cost is None else {"cost": True}
    if usage.input is None or usage.output is None or usage.total is None:
        marks["partial"] = True
    return marked(usage, FAMILY, **marks) if marks else usage


_SHAPE = Shape(cls=am.Usage, keys={None: _COUNTERS.keys}, read=_read, write=_COUNTERS.write)


def read_usage(native: Any) -> am.Usage | None:
    """Return the usage of a response.

    Raises:
        Unreadable: where it is none.
    """
    if native is None:
        return None
    usage: am.Usage = read_as(_SHAPE, native, FAMILY)
    return usage


def write_usage(usage: am.Usage) -> Native:
    """Return the native usage."""
    return write_as(_SHAPE, usage, FAMILY)


def _wanted(usage: am.Usage) -> dict[str, Any]:
    """Return the three counts, which are required unless a document was read that lacks one; costs only if read."""
    unread = usage.cost is not None and mark_of(usage, FAMILY, "/cost") is not True
    changes: dict[str, Any] = {"cost": None} if unread else {}
    if mark_of(usage, FAMILY, "/partial") is not True:
        counts = (usage.input or 0, usage.output or 0)
        wanted = {"input": counts[0], "output": counts[1], "total": sum(counts)}
        changes |= {name: count for name, count in wanted.items() if getattr(usage, name) is None}
    return changes


carried_usage = _COUNTERS.cell(
    _wanted,
    case="value.cost is None and value.input is not None and value.output is not None and value.total is not None",
)
