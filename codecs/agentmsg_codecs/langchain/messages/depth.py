"""Messages whose depth nobody looked at: it is proved while they are read.

Whatever is around free-form data is of a known shape, and so of a known depth; free-form data is written as text, and
its brackets are counted. That takes less time than to write the whole document again, which is how it is proved of any
other (``agentmsg.values.text.parse_json``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.formats import speed
from agentmsg_codecs.langchain.messages.quick_read import FastReaders

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import agentmsg as am
    from agentmsg_codecs.langchain.blocks.parts import ContentParts


# Typed as Any: a check against it narrows nothing to a dict of who knows what.
_OBJECT: Any = dict
# The most levels around free-form data are those of a call in content: list, message, body, content, part.
_AROUND = 5


def is_deep(text: bytes, around: int = _AROUND) -> bool:
    """Whether free-form data has too many levels for a document of usual depth.

    Args:
        text: the data as JSON, as we wrote it.
        around: how many levels are around it, at most.
    """
    levels = speed.USUAL - around
    # Every level has two brackets, so that most data need not be looked through.
    if len(text) <= 2 * levels or text.count(b"{") + text.count(b"[") <= levels:
        return False
    return not speed.is_shallow(speed.parse_undoubted(text, speed.DEFAULT_LIMITS), speed.PROVABLE - levels)


def take(natives: list[Any], read: Callable[[Any], am.Msg | None]) -> list[am.Msg]:
    """Return the messages of the first entries of a list, and take these out of it; the first odd one ends it.

    What is freed at once is still in the processor's cache, and the next message is made in its place: this saves a
    third of the time.

    Args:
        natives: nobody else's.
        read: returns a message, or None of what is odd.
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
    """Return messages, and those of native ones; None if the first of all is odd, or an odd one may be too deep.

    Args:
        natives: nobody else's.
        messages: those before.
        read: returns a message whose depth it proves, or None of what is odd.
        read_odd: reads the others.
    """
    messages += take(natives, read)
    if natives and (not messages or not speed.is_shallow(natives, speed.PROVABLE - speed.USUAL)):
        return None
    return [*messages, *map(read_odd, natives)]


def proving(parts: ContentParts) -> Mapping[str, Callable[[Any], am.Msg | None]]:
    """Return by form, dict or flat, what reads a usual native message that is not too deep; None of any other."""
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
