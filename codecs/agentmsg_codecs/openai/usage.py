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

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.caps import carried_extras
from agentmsg.codec import maker
from agentmsg.json_values import EMPTY, adopt
from agentmsg.plain import is_object
from agentmsg.shapes import Native, Shape, Unreadable, mark_of, marked, read_as, write_as
from agentmsg_codecs.openai.words import FAMILY, INPUT, OUTPUT

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["carried_usage", "read_usage", "write_usage"]

_make_usage = maker(am.Usage)
_COUNTS: Mapping[str, str] = {"prompt_tokens": "input", "completion_tokens": "output", "total_tokens": "total"}
_DETAILS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "prompt_tokens_details": (
        INPUT,
        {"cached_tokens": "cache_read", "cache_write_tokens": "cache_write", "audio_tokens": "input_audio"},
    ),
    "completion_tokens_details": (OUTPUT, {"reasoning_tokens": "reasoning", "audio_tokens": "output_audio"}),
}
_KEYS = frozenset({*_COUNTS, *_DETAILS, "cost"})


def _count(native: Native, key: str) -> int | None:
    value = native.get(key)
    if value is not None and type(value) is not int:
        raise Unreadable
    return value


def _read(native: Native, _: Any) -> am.Usage:
    fields: dict[str, Any] = {name: _count(native, key) for key, name in _COUNTS.items()}
    partial = None in fields.values()
    extras: dict[str, Any] = {}
    for key, (space, names) in _DETAILS.items():
        details = native.get(key)
        if details is None:
            continue
        if not is_object(details):
            raise Unreadable
        fields |= {name: _count(details, own) for own, name in names.items()}
        rest = {own: value for own, value in details.items() if own not in names}
        if rest:
            extras[space] = adopt(rest)
    cost = native.get("cost")
    if cost is not None and type(cost) not in (int, float):
        raise Unreadable
    usage = _make_usage(**fields, cost=cost, extras=adopt(extras) if extras else EMPTY)
    usage = usage if cost is None else marked(usage, FAMILY, cost=True)
    return marked(usage, FAMILY, partial=True) if partial else usage


def _write(usage: am.Usage) -> Native:
    native: Native = {}
    for key, name in _COUNTS.items():
        value = getattr(usage, name)
        if value is not None:
            native[key] = value
    for key, (space, names) in _DETAILS.items():
        details: Native = {own: value for own, name in names.items() if (value := getattr(usage, name)) is not None}
        rest: Any = usage.extras.get(space) if usage.extras else None
        if isinstance(rest, dict):
            details |= rest
        if details:
            native[key] = details
    return native if usage.cost is None else {**native, "cost": usage.cost}


_SHAPE = Shape(cls=am.Usage, keys={None: _KEYS}, read=_read, write=_write)


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


_IN, _OUT = (frozenset(names) for _, names in _DETAILS.values())
_EXTRAS = carried_extras((INPUT, lambda _: _IN), (OUTPUT, lambda _: _OUT), (FAMILY, lambda _: _KEYS))


def carried_usage(usage: am.Usage, _: Any) -> am.Usage:
    """Carry usage: the three counts are required, unless a document was read that lacks one; costs only if read."""
    changes: dict[str, Any] = {}
    extras = _EXTRAS(usage.extras, usage) if usage.extras else usage.extras
    if extras is not usage.extras:
        changes["extras"] = extras
    if usage.seconds is not None:
        changes["seconds"] = None
    if usage.cost is not None and mark_of(usage, FAMILY, "/cost") is not True:
        changes["cost"] = None
    if mark_of(usage, FAMILY, "/partial") is not True:
        counts = (usage.input or 0, usage.output or 0)
        wanted = {"input": counts[0], "output": counts[1], "total": sum(counts)}
        changes |= {name: count for name, count in wanted.items() if getattr(usage, name) is None}
    return usage.evolve(**changes) if changes else usage
