"""What is given as a document, but is a part of a stream, or a provider's error."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from agentmsg.errors import AgentMsgError, DecodeError, is_a
from agentmsg.formats.events import events_of
from agentmsg.limits import USUAL
from agentmsg.registry import codecs
from agentmsg.values.copies import copy_document
from agentmsg.values.types import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmsg.formats.codec import Codec
    from agentmsg.formats.events import Events

_TEXTS = ("message", "Message", "errorText", "detail", "msg")
_KINDS = ("type", "Code", "status", "code", "__type")
_ERRORS = ("error", "Error", "errors")
# What rows of batches, and clients, have around an answer.
_AROUND = ("response", "body", "result")
# What says an answer, even if nothing; an error beside it is none of the whole.
_ANSWERS = ("candidates", "choices", "content", "messages", "output", "parts", "role")
# What the answer of a provider that failed may hold, and nothing else.
_OF_FAILURES = frozenset({
    *_TEXTS, *_KINDS, *_ERRORS, "ResponseMetadata", "instance", "object", "param", "request_id", "requestId",
    "sequence_number", "statusCode", "status_code", "title", "user_id",
})  # fmt: skip
_FAILED = "the provider answered with an error"
_LONGEST = 300
_DEEPEST = 6


def instead(document: Any, codec: Codec | None) -> DecodeError | None:
    """Return the error for part of a stream, or for a provider's error; None for any other document."""
    first = document[0] if is_list(document) and document else document
    name = None if codec is None else codec.name
    if is_a(document, BaseException):
        # Clients keep the body of the answer, or what they made of it.
        told = (failure(getattr(document, key, None)) for key in ("body", "details", "response"))
        kind = f"this is an exception: {type(document).__name__}: {_shown(str(document))}"
        what = next((f"{_FAILED}: {said}" for said in told if said), kind)
        return DecodeError(what, code="failed", codec=name)
    if not is_object(first):
        return None
    for reader, events in _streams():
        if events.is_event(first) and (first is not document or not events.are_responses):
            one, more = "this is an event of a stream, which is", "these are the events of a stream, which are"
            what = one if first is document else more
            msg = f'{what} no document; agentmsg.collect(events, "{reader}") reads all of them'
            return DecodeError(msg, code="schema", codec=name)
    said, path = _shown(_said(first)), () if first is document else (0,)
    return DecodeError(f"{_FAILED}: {said}", code="failed", codec=name, path=path) if said else None


def failure(error: Any) -> str:
    """Return what an error says that ended a stream; empty if nothing."""
    with suppress(AgentMsgError):
        return _shown(_words_of(copy_document(error, USUAL)))
    return ""


def _shown(said: str | None) -> str:
    return ascii((said or "")[:_LONGEST])[1:-1]


def _streams() -> Iterator[tuple[str, Events]]:
    seen: set[str] = set()
    for name, codec in codecs():
        if codec.events is not None and codec.events not in seen:
            seen.add(codec.events)
            yield name, events_of(codec)


def _said(document: dict[str, Any], levels: int = _DEEPEST) -> str | None:
    """Return what a provider said in place of an answer."""
    if len(document) == 1:
        ((name, told),) = document.items()
        if name.endswith("Exception") and is_object(told):
            return _words(told, levels, name)
    if levels <= 0 or any(document.get(key) is not None for key in _ANSWERS):
        return None
    error = next(filter(None, map(document.get, _ERRORS)), None)
    if error is not None:
        return _words_of(error, levels - 1)
    inner = (held for held in map(document.get, _AROUND) if is_object(held))
    said = next(filter(None, (_said(held, levels - 1) for held in inner)), None)
    return said or (_words(document, levels) if document.keys() <= _OF_FAILURES else None)


def _words_of(error: Any, levels: int = _DEEPEST) -> str | None:
    """Return what an error of a provider says: a text, an object, or several; None if nothing."""
    if is_list(error) and levels > 0:
        return "; ".join(filter(None, (_words_of(each, levels - 1) for each in error[:_DEEPEST]))) or None
    if is_object(error) and levels > 0:
        return _said(error, levels) or _words(error, levels)
    return error if isinstance(error, str) else None


def _words(error: dict[str, Any], levels: int, name: str = "") -> str | None:
    text = next(filter(None, (_words_of(error[key], levels - 1) for key in _TEXTS if key in error)), None)
    kind = next((error[key] for key in _KINDS if isinstance(error.get(key), str) and error[key] != "error"), name)
    return None if not text and not kind else f"{kind}: {text}" if kind and text else text or kind
