"""Usage of responses, and names of keys that versions before 1.0 had. The library still reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Native, Unreadable, is_marked, is_sequence, mark_of, marked, natives
from agentmsg.formats.forms import Form, Key, Nested, Spare, Whole
from agentmsg_codecs.pydantic_ai.names import FAMILY
from agentmsg_codecs.pydantic_ai.values import COST

if TYPE_CHECKING:
    from collections.abc import Callable

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
    return is_marked(usage, FAMILY, "/old") and _ONLY_NEW.isdisjoint(natives.extras_of(usage, FAMILY))


class Usage(Nested):
    """Usage, whose usual form passes that of old versions on: to choose between them first would take longer."""

    def read(self, v: str, c: Any) -> list[str]:
        """Return the lines that read the object by the usual form."""
        return Nested(self.forms[:1]).read(v, c)


def usage_forms(read_old: Callable[[Native], Any]) -> tuple[Form, ...]:
    """Return the forms of usage; ``read_old`` reads that of old versions."""

    def first(native: Native) -> Any:
        is_old = "request_tokens" in native or "response_tokens" in native
        try:
            return read_old(native) if is_old and _ONLY_NEW.isdisjoint(native) else None
        except Unreadable:
            return None

    return (
        Form("usage", am.Usage, None, _NEW_USAGE, is_apart="usage", first=first),
        Form("old_usage", am.Usage, None, _OLD_USAGE, is_apart="usage", notes={"old": True}, when=_is_old_usage,
             schema={"required": ["request_tokens"]}),
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


def with_old_names(read: Callable[..., Any]) -> Callable[[Native], Any]:
    """Return a function that reads responses with old names of keys, by the reader of responses; None for others."""

    def first(native: Native) -> Any:
        old = {key: name for key, name in _RENAMED.items() if key in native}
        if not old or not native.keys().isdisjoint(old.values()):
            return None
        message = read({old.get(key, key): value for key, value in native.items()}, is_rest=True)
        return marked(message, FAMILY, vendor=list(old))

    return first
