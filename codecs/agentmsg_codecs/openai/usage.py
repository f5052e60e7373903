"""Usage of a response.

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
from agentmsg.formats import EMPTY, Counters, Native, Shape, adopt, maker, mark_of, marked, read_as, write_as
from agentmsg_codecs.openai.names import FAMILY, INPUT, OUTPUT

_make_usage = maker(am.Usage)
COUNTERS = Counters(
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
    usage = _make_usage(**COUNTERS.read(native))
    marks: dict[str, Any] = {} if usage.cost is None else {"cost": True}
    if usage.input is None or usage.output is None or usage.total is None:
        marks["partial"] = True
    return marked(usage, FAMILY, **marks) if marks else usage


def _write(usage: am.Usage) -> Native:
    if usage.extras or usage.cost is not None or usage.input is None or usage.output is None or usage.total is None:
        return COUNTERS.write(usage)
    # The same for what is usual, without asking the tables.
    native: Native = {
        "prompt_tokens": usage.input, "completion_tokens": usage.output, "total_tokens": usage.total,
    }  # fmt: skip
    details: Native = {} if usage.cache_read is None else {"cached_tokens": usage.cache_read}
    if usage.cache_write is not None:
        details["cache_write_tokens"] = usage.cache_write
    if usage.input_audio is not None:
        details["audio_tokens"] = usage.input_audio
    if details:
        native["prompt_tokens_details"] = details
    details = {} if usage.reasoning is None else {"reasoning_tokens": usage.reasoning}
    if usage.output_audio is not None:
        details["audio_tokens"] = usage.output_audio
    if details:
        native["completion_tokens_details"] = details
    return native


_KEYS = COUNTERS.keys
_SHAPE = Shape(cls=am.Usage, keys={None: _KEYS}, read=_read, write=_write)
# Typed as Any: a check against it narrows nothing to a dict of who knows what.
_OBJECT: Any = dict
_IN, _OUT = (frozenset(COUNTERS.details[key][1]) for key in ("prompt_tokens_details", "completion_tokens_details"))


def read_usage(native: Any) -> am.Usage | None:
    """Return the usage of a response.

    Raises:
        Unreadable: if it is none.
    """
    if native is None:
        return None
    usage = quick_usage(native) if type(native) is _OBJECT else None
    if usage is None:
        usage = read_as(_SHAPE, native, FAMILY)
    return usage


def quick_usage(native: Native) -> am.Usage | None:
    """Return usage in whole counters, with unknown values beside them; None if the general path must look.

    Every key is a counter, or is kept as it is: so nothing deviates from what would be written.
    """
    count, output, total = native.get("prompt_tokens"), native.get("completion_tokens"), native.get("total_tokens")
    if type(count) is not int or type(output) is not int or type(total) is not int:
        return None
    keys = 3
    extras: Native = {}
    cached = written = heard = thought = said = None
    given: Any = native.get("prompt_tokens_details")
    if given is not None:
        if type(given) is not _OBJECT or not given:
            return None
        cached, written, heard = given.get("cached_tokens"), given.get("cache_write_tokens"), given.get("audio_tokens")
        counters = (type(cached) is int) + (type(written) is int) + (type(heard) is int)
        if len(given) != counters and not _keep_rest(extras, INPUT, given, counters, _IN):
            return None
        keys += 1
    used: Any = native.get("completion_tokens_details")
    if used is not None:
        if type(used) is not _OBJECT or not used:
            return None
        thought, said = used.get("reasoning_tokens"), used.get("audio_tokens")
        counters = (type(thought) is int) + (type(said) is int)
        if len(used) != counters and not _keep_rest(extras, OUTPUT, used, counters, _OUT):
            return None
        keys += 1
    if len(native) != keys and not _keep_rest(extras, FAMILY, native, keys, _KEYS):
        return None
    kept = adopt(extras) if extras else EMPTY
    return _make_usage(count, output, total, cached, written, thought, heard, said, None, None, kept)


def _keep_rest(extras: Native, space: str, native: Native, counted: int, known: frozenset[str]) -> bool:
    """Put what nobody knows among extras; tell whether all that is known was counted."""
    rest = {key: value for key, value in native.items() if key not in known}
    extras[space] = adopt(rest)
    return counted + len(rest) == len(native)


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


carried_usage = COUNTERS.cell(
    _wanted,
    case="value.cost is None and value.input is not None and value.output is not None and value.total is not None",
)
