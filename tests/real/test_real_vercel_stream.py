"""Our UI message streams against the AI SDK: its client makes the message of them that we do.

It differs in two things: its message always has an id, which is empty if no chunk has one; and of arguments that are
still coming it guesses the value.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given

import agentmsg as am
from agentmsg.formats.events import events_of
from agentmsg.testing import histories
from support.documents import documents
from support.ui_chunks import STREAMS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from real.library import Library

pytestmark = pytest.mark.slow

_EVENTS = events_of(am.get_codec("vercel-ui"))
PROVIDERS: tuple[am.CodecName, ...] = ("anthropic", "openai", "openai-responses", "gemini", "bedrock")


def _folded(chunks: Iterable[Any]) -> Any:
    fold = _EVENTS.fold()
    for chunk in chunks:
        fold.add(chunk)
    nothing: list[Any] = [{"role": "assistant", "parts": []}]
    (message,) = fold.document() or nothing
    return json.loads(json.dumps({"id": "", **message}))


def _without_guesses(message: Any) -> Any:
    parts = [
        {key: value for key, value in part.items() if key != "input"}
        if part.get("state") == "input-streaming"
        else part
        for part in message["parts"]
    ]
    return {**message, "parts": parts}


def _differ(library: Library, streams: list[tuple[str, list[Any]]]) -> list[str]:
    """Return the names of streams that the package refuses or makes another message of, and what it says."""
    answers = library.ask({"chunks": chunks} for _, chunks in streams)
    return [
        f"{name}: {answer.get('error', answer)}"
        for (name, chunks), answer in zip(streams, answers, strict=True)
        if "error" in answer or _without_guesses(answer["message"]) != _without_guesses(_folded(chunks))
    ]


def _answers() -> Iterator[tuple[str, Any]]:
    for name, document in documents("vercel-ui"):
        held = am.get_codec("vercel-ui").native_messages(document)
        yield from ((f"{name}/{place}", each) for place, each in enumerate(held) if each["role"] == "assistant")


def test_the_client_makes_our_message_of_stored_ones(vercel: Library) -> None:
    """Of golden and recorded ones, with pieces of several sizes."""
    streams = [(name, list(_EVENTS.unfold([each], size))) for name, each in _answers() for size in (3, 1000)]
    assert _differ(vercel, streams) == []


def test_the_client_makes_our_message_of_any_beginning(vercel: Library) -> None:
    """Of every prefix, whatever is still open."""
    streams: list[tuple[str, list[Any]]] = []
    for name, each in _answers():
        chunks = list(_EVENTS.unfold([each], 12))
        streams += ((f"{name}, {end}", chunks[:end]) for end in range(1, len(chunks), max(1, len(chunks) // 12)))
    assert _differ(vercel, streams) == []


def test_the_client_makes_our_message_of_unusual_streams(vercel: Library) -> None:
    """Of those that show one rule each."""
    assert _differ(vercel, [(name, chunks) for name, (chunks, _) in STREAMS.items()]) == []


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_client_accepts_other_providers_streams(provider: am.CodecName, vercel: Library) -> None:
    """Of every recorded response, transcoded."""
    events = events_of(am.get_codec(provider))
    streams: list[tuple[str, list[Any]]] = []
    response: Any = events.response
    for name, document in documents(response):
        if am.decode(document, response).messages:
            streams.append((name, list(am.transcode(events.unfold(document, 9), provider, "vercel-ui"))))
    assert len(streams) > 3
    assert _differ(vercel, streams) == []


@given(history=histories())
def test_the_client_makes_our_message_of_any_answer(history: am.History, vercel: Library) -> None:
    """The same for everything that the model can hold, except extras of the families' own."""
    if "vercel" in str(history.extras) + str(list(history)):
        return
    if any(message.role == "assistant" for message in history):
        chunks = list(am.emit(history, "vercel-ui", losses=[]))
        assert _differ(vercel, [("generated", chunks)]) == []
    else:
        with pytest.raises(am.EncodeError, match="there is none"):
            am.emit(history, "vercel-ui", losses=[])
