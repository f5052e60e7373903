"""Token usage of a response, and why it ended.

Marks: ``/partial`` on usage that was read without one of the two counts that the library has always; ``/old`` where
``cache_creation_tokens`` is the name of what is written to a cache; ``/finish`` on a message whose reason is not a word
of the library's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import KEEP, Native, is_marked, mark_of, natives, read_as, rules, write_as
from agentmsg.formats.forms import Described, Form, Hatch, Key, Number, Rows, Whole
from agentmsg_codecs.riffer.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Mapping


_NEW, _OLD = "cache_write_tokens", "cache_creation_tokens"
_REQUIRED = {"input_tokens": "input", "output_tokens": "output"}


def _read_written(native: Native) -> dict[str, Any]:
    """Return what is written to a cache. Beside the new name of this counter, the old one is an unknown field."""
    found: dict[str, Any] = {"cache_write": natives.count_at(native, _NEW)}
    notes: Native = {_NEW: "null"} if _NEW in native and native[_NEW] is None else {}
    if _OLD in native and (found["cache_write"] is not None or native[_OLD] is None):
        other = natives.unread(native, _OLD)
        return {**found, **other, "notes": {**notes, **other.get("notes", {})}}
    if _OLD in native:
        found["cache_write"], notes["/old"] = natives.count_at(native, _OLD), True
    return {**found, "notes": notes}


def _write_written(usage: am.Usage) -> Native:
    if usage.cache_write is None:
        return {}
    return {_OLD if mark_of(usage, FAMILY, "/old") is True else _NEW: usage.cache_write}


USAGE = Form(
    "usage",
    am.Usage,
    None,
    (
        *(Key(key, name, Whole(), "may") for key, name in _REQUIRED.items()),
        Hatch(
            keys=(_NEW, _OLD),
            cells={"cache_write": KEEP},
            get=_read_written,
            put=_write_written,
            odd=(_OLD,),
            is_optional=True,
            schema={key: {"type": ["integer", "null"]} for key in (_NEW, _OLD)},
        ),
        Key("cache_read_tokens", "cache_read", Whole(), "may"),
        Key("cost", "cost", Number(), "may"),
    ),
    marks={"partial": lambda native: any(native.get(key) is None for key in _REQUIRED)},
    is_apart=True,
)
DESCRIBED = Described(FAMILY, (USAGE,), {})


def read_usage(native: Any) -> am.Usage | None:
    """Return the usage of a response.

    Raises:
        Unreadable: if it is none.
    """
    if native is None:
        return None
    usage: am.Usage = read_as(DESCRIBED.shapes["usage"], native, FAMILY)
    return usage


def write_usage(usage: am.Usage) -> Native:
    """Return the native usage."""
    return write_as(DESCRIBED.shapes["usage"], usage, FAMILY)


def _wanted(usage: am.Usage) -> dict[str, Any]:
    """Return the counts that are required, and lacking, unless a document was read that lacks them."""
    if mark_of(usage, FAMILY, "/partial") is True:
        return {}
    return {name: 0 for name in _REQUIRED.values() if getattr(usage, name) is None}


def carried_usage() -> Any:
    """Return the cell for usage."""
    cells = Rows(DESCRIBED).row("usage").fields
    return rules.usage_cell(
        cells.keys() - {"extras"},
        extras=cells["extras"],
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
