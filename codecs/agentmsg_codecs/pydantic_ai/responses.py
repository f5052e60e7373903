"""Usage of responses, and names of keys that versions before 1.0 had. The library still reads them."""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg.formats import Native, is_marked, is_sequence, mark_of, natives
from agentmsg.formats.forms import Form, Key, Nested, Spare, Whole
from agentmsg_codecs.pydantic_ai.names import FAMILY
from agentmsg_codecs.pydantic_ai.values import COST

# -- usage ------------------------------------------------------------------------------------------------------------

_COUNTS = {
    "input_tokens": "input", "cache_write_tokens": "cache_write", "cache_read_tokens": "cache_read",
    "output_tokens": "output", "output_reasoning_tokens": "reasoning", "input_audio_tokens": "input_audio",
    "output_audio_tokens": "output_audio",
}  # fmt: skip
_NEW_USAGE: tuple[Any, ...] = (
    *(Key(key, name, Whole(), "may") for key, name in _COUNTS.items()),
    Spare("cache_write_1h_tokens", 0), Spare("cache_audio_read_tokens", 0), Spare("audio_seconds", 0.0),
    Spare("details", {}), COST,
)  # fmt: skip
# Of versions before 1.0, which have none of the other keys.
_OLD_USAGE: tuple[Any, ...] = (
    Spare("requests", 1),
    Key("request_tokens", "input", Whole(), "null"), Key("response_tokens", "output", Whole(), "null"),
    Key("total_tokens", "total", Whole(), "null"), Spare("details"),
)  # fmt: skip
_ONLY_NEW = frozenset(item.native for item in _NEW_USAGE) - {"details"}


def _is_old_usage(usage: am.Usage) -> bool:
    if not usage.notes:
        return False  # the usual case
    return is_marked(usage, FAMILY, "/old") and _ONLY_NEW.isdisjoint(natives.extras_of(usage, FAMILY))


def _is_old(native: Native) -> bool:
    """Whether usage is that of an old version; ask it only of objects with its counts."""
    counts = (native.get(key.native) for key in _OLD_USAGE if isinstance(key, Key))
    return _ONLY_NEW.isdisjoint(native) and all(count is None or type(count) is int for count in counts)


class Usage(Nested):
    """Usage: its first form is that of old versions."""

    def read(self, v: str, c: Any) -> list[str]:
        """Return the lines that read the object; they look for old counts at once, as a call would take longer."""
        old, new = (Nested((form,)).read(v, c)[0] for form in self.forms)
        has_old = f"type({v}) is dict and ('request_tokens' in {v} or 'response_tokens' in {v})"
        return [f"if {has_old} and {c.bind('is_old', _is_old)}({v}):", f"    {old}", "else:", f"    {new}"]


def _has_old_counts(native: Native) -> bool:
    return ("request_tokens" in native or "response_tokens" in native) and _is_old(native)


USAGE = (
    Form("old_usage", am.Usage, None, _OLD_USAGE, is_apart="usage", fits=_has_old_counts, when=_is_old_usage,
         notes={"old": True}, schema={"required": ["request_tokens"]}),
    Form("usage", am.Usage, None, _NEW_USAGE, is_apart="usage"),
)  # fmt: skip


# -- keys -------------------------------------------------------------------------------------------------------------

# Keys of a response that the library renamed, and still reads under these names.
_RENAMED = {"vendor_id": "provider_response_id", "vendor_details": "provider_details"}


def respelt(native: Native, message: am.Msg) -> Native:
    """Return a response with the old names of those keys that it was read with."""
    noted = mark_of(message, FAMILY, "/vendor")
    wanted = {_RENAMED[key]: key for key in _RENAMED if is_sequence(noted) and key in noted}
    if not wanted or not native.keys().isdisjoint(wanted.values()):
        return native
    return {wanted.get(key, key): value for key, value in native.items()}


def renamed(native: Native) -> tuple[Native, list[str]]:
    """Return a response with the new names of its keys, and the old names that it had."""
    old = {key: name for key, name in _RENAMED.items() if key in native}
    if not native.keys().isdisjoint(old.values()):
        return native, []
    return {old.get(key, key): value for key, value in native.items()}, list(old)
