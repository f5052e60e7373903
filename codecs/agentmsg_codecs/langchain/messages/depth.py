"""Messages whose depth isn't checked yet: reading them proves it.

Everything around free-form data has a known shape, and so a known depth. Free-form data is written as text, and its
brackets are counted. This takes less time than writing the whole document again, as for any other document
(``agentmsg.values.text.parse_json``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.formats import speed
from agentmsg_codecs.langchain.messages.quick_read import FastReaders

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import agentmsg as am
    from agentmsg_codecs.langchain.blocks.parts import ContentParts


_OBJECT: Any = dict  # so that type checkers don't look inside
# The most levels are around a call in content: list, message, body, content, part.
_AROUND = 5


def is_deep(text: bytes, around: int = _AROUND) -> bool:
    """Whether free-form data has too many levels for a document of usual depth.

    Args:
        text: the JSON that we wrote for the data.
        around: the most levels around it.
    """
    levels = speed.USUAL - around
    # Every level has two brackets, so most data need not be searched.
    if len(text) <= 2 * levels or text.count(b"{") + text.count(b"[") <= levels:
        return False
    return not speed.is_shallow(speed.parse_undoubted(text, speed.DEFAULT_LIMITS), speed.PROVABLE - levels)


def take(natives: list[Any], read: Callable[[Any], am.Msg | None]) -> list[am.Msg]:
    """Return the messages of a list up to the first odd one, and remove them from it.

    Memory that is freed at once is still in the processor's cache, and the next message is made there: this saves a
    third of the time.

    Args:
        natives: the list, which nobody else may use.
        read: returns a message, or None for an odd one.
    """
    messages: list[am.Msg] = []
    natives.reverse()
    while natives:
        message = read(natives[-1])
        if message is None:
            break
        messages.append(message)
        natives.pop()
    natives.reverse()
    return messages


def read_all(
    natives: list[Any],
    messages: list[am.Msg],
    read: Callable[[Any], am.Msg | None],
    read_odd: Callable[[Any], am.Msg],
) -> list[am.Msg] | None:
    """Return messages and those of native ones; None if the first of all is odd, or an odd one may be too deep.

    Args:
        natives: the native messages, which nobody else may use.
        messages: those before.
        read: returns a message whose depth it has proved, or None for an odd one.
        read_odd: reads the odd ones.
    """
    messages += take(natives, read)
    if natives and (not messages or not speed.is_shallow(natives, speed.PROVABLE - speed.USUAL)):
        return None
    return [*messages, *map(read_odd, natives)]


def proving(parts: ContentParts) -> Mapping[str, Callable[[Any], am.Msg | None]]:
    """Return, by form, the readers of usual messages that aren't too deep; they return None for any other."""
    readers = FastReaders(parts, "flat", is_deep).by_tag

    def read_dict(native: Any) -> am.Msg | None:
        try:
            read, data = readers[native["type"]], native["data"]
        except (LookupError, TypeError):
            return None
        return read(data) if type(data) is _OBJECT and len(native) == 2 else None  # noqa: PLR2004 - type and data

    def read_flat(native: Any) -> am.Msg | None:
        try:
            return readers[native["type"]](native)
        except (LookupError, TypeError):
            return None

    return {"dict": read_dict, "flat": read_flat}
