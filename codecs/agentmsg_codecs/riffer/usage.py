"""Token usage of a response, and why it ended.

Marks: ``/partial`` on usage that was read without one of the two counts that the library has always; ``/old`` where
``cache_creation_tokens`` is the name of what is written to a cache; ``/finish`` on a message whose reason is not a word
of the library's.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import (
    Counters,
    Native,
    Shape,
    carried_extras,
    is_marked,
    is_object,
    is_odd,
    maker,
    mark_of,
    marked,
    natives,
    read_as,
    rules,
    write_as,
)
from agentmsg_codecs.riffer.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Mapping


_make_usage = maker(am.Usage)
_OLD = "cache_creation_tokens"
_COUNTERS = Counters(
    family=FAMILY,
    counts={
        "input_tokens": "input",
        "output_tokens": "output",
        "cache_write_tokens": "cache_write",
        "cache_read_tokens": "cache_read",
    },
    numbers={"cost": "cost"},
)
_COUNTS = _COUNTERS.counts
_REQUIRED = ("input", "output")


def _read(native: Native, _: Any) -> am.Usage:
    fields = _COUNTERS.read(native)
    marks: dict[str, Any] = {}
    if fields["cache_write"] is None and native.get(_OLD) is not None:
        fields["cache_write"] = natives.count_at(native, _OLD)
        marks["old"] = True
    if any(fields[name] is None for name in _REQUIRED):
        marks["partial"] = True
    usage = _make_usage(**fields)
    return marked(usage, FAMILY, **marks) if marks else usage


def _write(usage: am.Usage) -> Native:
    native = _COUNTERS.write(usage)
    if mark_of(usage, FAMILY, "/old") is not True:
        return native
    return {_OLD if key == "cache_write_tokens" else key: value for key, value in native.items()}


# Beside the new name of a counter, the old one is an unknown field.
_SHAPE = Shape(cls=am.Usage, keys={None: _COUNTERS.keys | {_OLD}}, read=_read, write=_write, odd=frozenset({_OLD}))


def quick_usage(native: Any) -> am.Usage | None:
    """Return usage as the library writes it, without cost; None if the general path must look."""
    if not is_object(native) or not _COUNTS.keys() >= native.keys():
        return None
    counts = [native.get(key) for key in _COUNTS]
    if any(type(native[key]) is not int for key in native) or counts[0] is None or counts[1] is None:
        return None
    return _make_usage(input=counts[0], output=counts[1], cache_write=counts[2], cache_read=counts[3])


def read_usage(native: Any) -> am.Usage | None:
    """Return the usage of a response.

    Raises:
        Unreadable: if it is none.
    """
    if native is None:
        return None
    usage: am.Usage = read_as(_SHAPE, native, FAMILY)
    return usage


def write_usage(usage: am.Usage) -> Native:
    """Return the native usage."""
    return write_as(_SHAPE, usage, FAMILY)


def _wanted(usage: am.Usage) -> dict[str, Any]:
    """Return the counts that are required, and lacking, unless a document was read that lacks them."""
    if mark_of(usage, FAMILY, "/partial") is True:
        return {}
    return {name: 0 for name in _REQUIRED if getattr(usage, name) is None}


carried_usage = rules.usage_cell(
    _COUNTERS.fields,
    extras=carried_extras((FAMILY, lambda _: _SHAPE.keys[None]), odd=partial(is_odd, _SHAPE)),
    wanted=_wanted,
    case="value.input is not None and value.output is not None",
)


# -- why a response ended ----------------------------------------------------------------------------------------------

_KNOWN = ("stop", "length", "content_filter", "context_window", "malformed_output", "error", "other")
_FINISH: Mapping[str, str] = {**{word: word for word in _KNOWN}, "tool_calls": "tool_use"}
_WORDS: Mapping[str, str] = {ours: word for word, ours in _FINISH.items()}


def read_finish(native: Native) -> str | None:
    """Return why a response ended, in our word."""
    word = natives.word_if_any(native, "finish_reason")
    return word if word is None else _FINISH.get(word, word)


def is_known(reason: str) -> bool:
    """Whether the library has a word for a reason."""
    return reason in _WORDS


def write_finish(reason: str) -> str:
    """Return the library's word."""
    return _WORDS.get(reason, reason)


def carried_finish(reason: str, message: am.Msg) -> str:
    """Keep the reasons that the library knows, and one that was read though it does not."""
    if is_marked(message, FAMILY, "/finish"):
        # As it was read: the library's word of ours for a reason is not one that the library has.
        return reason if reason not in _FINISH or _FINISH[reason] == reason else _FINISH[reason]
    if is_known(reason):
        return reason
    return "content_filter" if reason == "refusal" else "other"
