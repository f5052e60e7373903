"""The fields of a response beside its message, and which of their values have no meaning.

An ``index`` that is not 0, an ``object`` other than chat.completion, an ``id`` that isn't a text ...: what cannot be
read as what it means is kept as it is, among the response metadata, and told where it is lost.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from agentmsg import AgentMsgError
from agentmsg.formats import Unreadable, read_as, write_as
from agentmsg.formats.forms import Described
from agentmsg_codecs.openai.format import USAGE
from agentmsg_codecs.openai.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import agentmsg as am


OBJECT = "chat.completion"
TOLD = Described(FAMILY, (USAGE,), {})
_USAGE = TOLD.shapes["usage"]
RESPONSE_METADATA = ("system_fingerprint", "service_tier", "metadata", "moderation")
_SECONDS = range(-62_135_596_800, 253_402_300_800)  # what a datetime holds
ODD_OF_CHOICE = ("index", "finish_reason")
ODD_OF_ANSWER = ("id", "object", "created", "model", "usage")


def word_in(native: Mapping[str, Any], key: str) -> str | None:
    """Return the text under a key, or None."""
    value = native.get(key)
    return value if type(value) is str else None


def time_in(native: Mapping[str, Any]) -> datetime | None:
    """Return the time of a count of seconds, or None."""
    created = native.get("created")
    return datetime.fromtimestamp(created, UTC) if type(created) is int and created in _SECONDS else None


def usage_in(native: Mapping[str, Any]) -> am.Usage | None:
    """Return the usage of a response, or None."""
    value = native.get("usage")
    try:
        return None if value is None else read_as(_USAGE, value, FAMILY)
    except (Unreadable, AgentMsgError):
        return None


def write_usage(usage: am.Usage) -> Any:
    """Return the native usage."""
    return write_as(_USAGE, usage, FAMILY)


def _is_no_text(value: Any) -> bool:
    return not isinstance(value, str)


_HAS_NO_MEANING: Mapping[str, Callable[[Any], bool]] = {
    "index": lambda value: type(value) is not int or value != 0,
    "object": lambda value: bool(value != OBJECT),
    "created": lambda value: time_in({"created": value}) is None,
    "usage": lambda value: usage_in({"usage": value}) is None,
    **dict.fromkeys(("id", "model", "finish_reason"), _is_no_text),
}


def is_odd_value(key: str, value: Any) -> bool:
    """Whether a value says something that its key does not mean; what is empty says nothing."""
    return bool(value) and _HAS_NO_MEANING[key](value)
