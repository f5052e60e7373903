"""The codecs of providers against their own SDKs: the real types accept what is converted from all other formats."""

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

# Refusals that aren't our fault, by provider.
KNOWN = {
    # A counter that the server has added since.
    "gemini": ("serviceTier",),
    # Keys that a gateway and AWS' package for JavaScript add to a response, and older names of counters.
    "bedrock": (
        "pydantic_ai_gateway",
        "$metadata",
        "TokenCount",
        "serverToolUsage",
    ),
}
# Data in stored documents that isn't base64: `check` finds it in requests, but responses aren't checked.
DAMAGED = ("bytes_invalid_encoding", "Incorrect padding", "Invalid base64", "Only base64 data")
SOURCES = [name for name in am.codec_names() if name not in ("json", "msgpack")]


@pytest.fixture(scope="session", params=KNOWN)
def provider(request: pytest.FixtureRequest) -> Any:
    """The name of a provider's codec."""
    return request.param


@pytest.fixture(scope="session")
def library(provider: Any, request: pytest.FixtureRequest) -> Library:
    """The provider's SDK, in an environment of its own."""
    found: Library = request.getfixturevalue(provider)
    return found


def refused(library: Library, provider: Any, kind: str, found: list[tuple[str, Any]]) -> list[str]:
    """Return the library's reasons for the documents that it refuses."""
    known = (*KNOWN[provider], *(DAMAGED if kind == "response" else ()))
    answers = [answer.get("error", "") for answer in library.ask({kind: document} for _, document in found)]
    told = [(name, said) for (name, _), said in zip(found, answers, strict=True) if said]
    return [f"{name}: {said}" for name, said in told if not any(word in said for word in known)]


def sendable(history: am.History, provider: Any) -> Any:
    """Return a request that passes `check`, repaired if need be; None if there is none."""
    found = am.repair(history, provider)
    if any(finding.severity == "error" for finding in am.check(found.history, provider)):
        return None
    return am.encode(found.history, provider, on_loss="ignore")


@pytest.mark.parametrize("source", SOURCES)
def test_the_types_accept_what_is_converted(source: am.CodecName, provider: Any, library: Library) -> None:
    """Every stored document of another format is accepted as a response, and as a request if `check` allows it."""
    if source.startswith(provider):
        return
    answered: Any = f"{provider}-response"
    bodies: list[tuple[str, Any]] = []
    responses: list[tuple[str, Any]] = []
    for name, document in documents(source):
        history = am.decode(document, source)
        body = sendable(history, provider)
        bodies.extend([] if body is None else [(name, body)])
        responses.append((name, am.encode(history, answered, on_loss="ignore")))
    assert refused(library, provider, "body", bodies) == []
    assert refused(library, provider, "response", responses) == []


def test_the_types_accept_stored_documents(provider: Any, library: Library) -> None:
    """The package accepts the stored responses themselves, so they are real responses."""
    assert refused(library, provider, "response", list(documents(f"{provider}-response"))) == []


@given(history=histories())
def test_the_types_accept_any_history(history: am.History, provider: Any, library: Library) -> None:
    """The same for everything that the model can hold, except extras of the family's own."""
    body = None if provider in str(history.extras) + str(list(history)) else sendable(history, provider)
    assert body is None or refused(library, provider, "body", [("generated", body)]) == []
