"""What a document is in place of the one that was to be read: part of a stream, a provider's error, another format.

Asked of documents that a reader refused, or of which it understood nothing.
"""

from __future__ import annotations

from contextlib import suppress
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from agentmsg.checking.detection import detect, recognize
from agentmsg.checking.strays import instead
from agentmsg.errors import AgentMsgError, DecodeError, NotUnderstood, excerpt, is_a
from agentmsg.formats.refusals import is_raw
from agentmsg.formats.understanding import BAR
from agentmsg.limits import USUAL
from agentmsg.registry import get_codec
from agentmsg.values.copies import copy_document
from agentmsg.values.types import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmsg.formats.codec import Codec

_SENT = ("data:", "event:", "id:", ": ")
# The score from which a format of the same family is told; one of another must be recognised.
_LIKELY = 0.5


def explained(error: AgentMsgError, codec: Codec, document: Callable[[], Any], raw: Any = None) -> AgentMsgError:
    """Return the error for a document that was refused; it says what to call instead, if that is clear.

    Args:
        error: why it was refused.
        codec: that refused it.
        document: returns the document as plain data.
        raw: the bytes or text that were read, if any.
    """
    if raw is not None and error.code == "syntax" and not codec.binary:
        head = raw[:16] if isinstance(raw, str) else bytes(raw[:16]).decode("latin-1")
        return _more(error, "agentmsg.collect reads server-sent events") if head.startswith(_SENT) else error
    if error.code not in ("schema", "type", "required"):
        return error
    with suppress(AgentMsgError, RecursionError):
        held = document()
        # What is wrong further inside is a fault of the right document.
        if len(error.path) > 1 + (error.path[:1] == (0,)):
            return _misspelt(error, held)
        if raw is None and is_raw(held):
            return _more(error, "agentmsg.decode reads plain data and objects, agentmsg.loads bytes and texts")
        found = instead(held, codec)
        if found is not None:
            return found
        name = _reader_of(held, codec)
        how = _as_a_part(held) if name is None else f'agentmsg.decode(..., "{name}") reads it'
        return _misspelt(error, held) if how is None else _more(error, how)
    return error


def _misspelt(error: AgentMsgError, document: Any) -> AgentMsgError:
    """Name the key that stands, misspelt, for the missing one that an error is about."""
    *around, last = error.path or ("",)
    with suppress(LookupError, TypeError):  # the arrays of msgpack have names in their paths
        for step in around:
            document = document[step]
    near = get_close_matches(str(last), list(document), 1, 0.7) if is_object(document) and last not in document else []
    return _more(error, f"did you mean {last} by {excerpt(near[0])}?") if near else error


def stray(document: Any, codec: Codec) -> DecodeError | None:
    """Return the error for what is no document of any format, although a reader kept all of it; None for others."""
    found = instead(document, codec)
    if found is not None or _as_a_part(document) is None:
        return found
    return DecodeError("no document of this format", codec=codec.name)  # ``explained`` tells what it is


def _as_a_part(document: Any) -> str | None:
    """Return how to read what is only a part of a response, or such parts: in the list that they are from."""
    part = document[0] if is_list(document) and document else document
    is_part = is_object(part) and (is_object(part.get("message")) or is_object(part.get("content")))
    for key in ("choices", "candidates") if is_part else ():
        with suppress(AgentMsgError):
            name = recognize({key: [part]})
            if any(message.content for message in get_codec(name).read({key: [part]})):
                return f'this is a part of a response; agentmsg.decode({{"{key}": [...]}}, "{name}") reads it'
    return None


def _more(error: AgentMsgError, hint: str) -> AgentMsgError:
    error.message = f"{error.message}; {hint}"
    return error


def how_to_read(value: Any) -> str | None:
    """Return what to call to read a value that is no message of ours; None if its format isn't recognised."""
    with suppress(AgentMsgError):
        held = value if is_a(value, BaseException) else copy_document(value, USUAL)
        found = instead(held, None)
        if found is not None:
            return found.message
        for shown, document in (("[...]", [held]), ("...", held)):
            with suppress(NotUnderstood):
                return f'agentmsg.decode({shown}, "{recognize(document)}") reads it'
        return _as_a_part(held)
    return None


def _reader_of(document: Any, codec: Codec) -> str | None:
    """Return the name of the format that surely reads a document which a codec refused; None if none does."""
    scores = dict(detect(document))
    if codec.name in scores:
        return None
    near = [name for name, score in scores.items() if score >= _LIKELY and get_codec(name).family == codec.family]
    return next(iter(near or [name for name, score in scores.items() if score >= BAR]), None)
