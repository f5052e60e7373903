"""What is given as a document, but is a part of a stream, or a provider's error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.errors import DecodeError
from agentmsg.formats.events import events_of
from agentmsg.registry import codecs
from agentmsg.values.types import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmsg.formats.codec import Codec
    from agentmsg.formats.events import Events

__all__ = ["instead"]

_TEXTS = ("message", "Message", "errorText", "detail")
_KINDS = ("type", "Code", "status", "code", "__type")
# What the answer of a provider that failed may hold, and nothing else.
_OF_FAILURES = frozenset({
    *_TEXTS, *_KINDS, "Error", "ResponseMetadata", "error", "object", "param", "request_id", "requestId",
    "sequence_number", "status_code", "user_id",
})  # fmt: skip
_LONGEST = 300


def instead(document: Any, codec: Codec | None) -> DecodeError | None:
    """Return the error for part of a stream, or for a provider's error; None for any other document."""
    first = document[0] if is_list(document) and document else document
    if not is_object(first):
        return None
    name = None if codec is None else codec.name
    for reader, events in _streams():
        if events.is_event(first) and (first is not document or not events.are_responses):
            one, more = "this is an event of a stream, which is", "these are the events of a stream, which are"
            what = one if first is document else more
            msg = f'{what} no document; agentmsg.collect(events, "{reader}") reads all of them'
            return DecodeError(msg, code="schema", codec=name)
    said = _said(first)
    if said is None:
        return None
    msg = f"the provider answered with an error: {ascii(said[:_LONGEST])[1:-1]}"
    return DecodeError(msg, code="failed", codec=name, path=() if first is document else (0,))


def _streams() -> Iterator[tuple[str, Events]]:
    seen: set[str] = set()
    for name, codec in codecs():
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
