"""What a document is in place of the one that was to be read: part of a stream, a provider's error, another format.

Asked of documents that a reader refused, or of which it understood nothing.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from agentmsg.checking.detection import BAR, detect, recognize
from agentmsg.errors import AgentMsgError, CodecLookupError, DecodeError, NotUnderstood
from agentmsg.formats.events import events_of
from agentmsg.formats.refusals import is_raw
from agentmsg.limits import USUAL
from agentmsg.registry import codec_names, get_codec
from agentmsg.values.copies import copy_document
from agentmsg.values.types import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agentmsg.formats.codec import Codec
    from agentmsg.formats.events import Events

__all__ = ["explained", "how_to_read", "instead"]

_TEXTS = ("message", "Message", "errorText", "detail")
_KINDS = ("type", "Code", "status", "code", "__type")
# What the answer of a provider that failed may hold, and nothing else.
_OF_FAILURES = frozenset({
    *_TEXTS, *_KINDS, "Error", "ResponseMetadata", "error", "object", "param", "request_id", "requestId",
    "sequence_number", "status_code", "user_id",
})  # fmt: skip
_LONGEST = 300
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
    # What is wrong further inside is a fault of the right document.
    if len(error.path) > 1 + (error.path[:1] == (0,)) or error.code not in ("schema", "type", "required"):
        return error
    with suppress(AgentMsgError, RecursionError):
        held = document()
        if raw is None and is_raw(held):
            return _more(error, "agentmsg.decode reads plain data and objects, agentmsg.loads bytes and texts")
        found = instead(held, codec)
        if found is not None:
            return found
        name = _reader_of(held, codec)
        return error if name is None else _more(error, f'agentmsg.decode(..., "{name}") reads it')
    return error


def _more(error: AgentMsgError, hint: str) -> AgentMsgError:
    error.message = f"{error.message}; {hint}"
    return error


def instead(document: Any, codec: Codec | None) -> DecodeError | None:
    """Return the error for part of a stream, or for a provider's error; None for any other document."""
    first = document[0] if is_list(document) and document else document
    if not is_object(first):
        return None
    name = None if codec is None else codec.name
    for reader, events in _streams():
        if events.is_event(first) and (first is not document or not events.are_responses):
            what = "an event of a stream" if first is document else "the events of a stream"
            msg = f'this is {what}, which is no document; agentmsg.collect(events, "{reader}") reads all of them'
            return DecodeError(msg, code="schema", codec=name)
    said = _said(first)
    if said is None:
        return None
    msg = f"the provider answered with an error: {ascii(said[:_LONGEST])[1:-1]}"
    return DecodeError(msg, code="failed", codec=name, path=() if first is document else (0,))


def _streams() -> Iterator[tuple[str, Events]]:
    seen: set[str] = set()
    for name in codec_names():
        with suppress(CodecLookupError):  # another package's
            codec = get_codec(name)
            if codec.events is not None and codec.events not in seen:
                seen.add(codec.events)
                yield name, events_of(codec)


def _said(document: dict[str, Any]) -> str | None:
    """Return what a provider said in place of an answer."""
    if len(document) == 1:
        ((name, told),) = document.items()
        if name.endswith("Exception") and is_object(told):
            return _words(told, name)
    if not document.keys() <= _OF_FAILURES:
        return None
    error = document.get("error", document.get("Error"))
    if isinstance(error, str):
        return error or None
    return _words(error if is_object(error) else document)


def _words(error: dict[str, Any], name: str = "") -> str | None:
    text = next((error[key] for key in _TEXTS if isinstance(error.get(key), str)), None)
    kind = next((error[key] for key in _KINDS if isinstance(error.get(key), str) and error[key] != "error"), name)
    return None if not text and not kind else f"{kind}: {text}" if kind and text else text or kind


def how_to_read(value: Any) -> str | None:
    """Return what to call to read a value that is no message of ours; None if its format isn't recognised."""
    held = copy_document(value, USUAL)
    found = instead(held, None)
    if found is not None:
        return found.message
    for shown, document in (("[...]", [held]), ("...", held)):
        with suppress(NotUnderstood):
            return f'agentmsg.decode({shown}, "{recognize(document)}") reads it'
    return None


def _reader_of(document: Any, codec: Codec) -> str | None:
    """Return the name of the format that surely reads a document which a codec refused; None if none does."""
    scores = dict(detect(document))
    if codec.name in scores:
        return None
    near = [name for name, score in scores.items() if score >= _LIKELY and get_codec(name).family == codec.family]
    return next(iter(near or [name for name, score in scores.items() if score >= BAR]), None)
