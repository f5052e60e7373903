"""The codecs ``gemini`` against the real google-genai: its types accept what is converted from all other formats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given

import agentmsg as am
from agentmsg.testing import histories
from support.documents import documents

if TYPE_CHECKING:
    from real.library import Library

pytestmark = pytest.mark.slow


# What is no fault of ours: media in stored documents that are no base64, and a counter that the server has since.
KNOWN = ("bytes_invalid_encoding", "serviceTier")


def refused(library: Library, kind: str, found: list[tuple[str, Any]]) -> list[str]:
    """Return what the library says of the documents that it refuses."""
    answers = [answer.get("error", "") for answer in library.ask({kind: document} for _, document in found)]
    told = [(name, said) for (name, _), said in zip(found, answers, strict=True) if said]
    return [f"{name}: {said}" for name, said in told if not any(word in said for word in KNOWN)]


@pytest.mark.parametrize("source", [name for name in am.codec_names() if not name.startswith("gemini")])
def test_the_types_accept_what_is_converted(source: am.CodecName, gemini: Library) -> None:
    """Every stored document of another format is accepted as a request, and as a response."""
    bodies: list[tuple[str, Any]] = []
    responses: list[tuple[str, Any]] = []
    for name, document in documents(source):
        history = am.decode(document, source)
        # The grand tour has made-up extras of every family.
        own = history.evolve(extras={})
        bodies.append((name, am.encode(own, "gemini", on_loss="ignore")))
        responses.append((name, am.encode(own, "gemini-response", on_loss="ignore")))
    if source in ("json", "msgpack"):
        return
    assert refused(gemini, "body", bodies) == []
    assert refused(gemini, "response", responses) == []


def test_the_types_accept_stored_documents(gemini: Library) -> None:
    """The package accepts the stored responses themselves: they are what we take them for."""
    stored = [(name, document) for name, document in documents("gemini-response")]
    assert refused(gemini, "response", stored) == []


@given(history=histories())
def test_the_types_accept_any_history(history: am.History, gemini: Library) -> None:
    """The same of all that the model can say, but for extras of the family's own."""
    if "gemini" not in str(history.extras) + str(list(history)):
        body = am.encode(history, "gemini", on_loss="ignore")
        assert refused(gemini, "body", [("generated", body)]) == []
