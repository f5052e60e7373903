"""The codec ``pydantic-ai`` against the real library: it accepts what we write, and its own dump means the same."""

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

# Refusals that aren't our fault: media in stored documents that aren't base64.
KNOWN = ("valid base64",)


def refused(library: Library, found: list[tuple[str, Any]]) -> list[str]:
    """Return the documents that the library refuses, or whose dump differs in meaning."""
    told: list[str] = []
    for (name, body), answer in zip(found, library.ask({"body": body} for _, body in found), strict=True):
        if "error" in answer:
            told += [f"{name}: {answer['error']}"] if not any(word in answer["error"] for word in KNOWN) else []
        elif said(answer["dumped"]) != said(body):
            told.append(f"{name}: {said(body)} was dumped as {said(answer['dumped'])}")
    return told


def said(body: Any) -> list[Any]:
    """Return the meaning of a document: roles, texts, calls, results, and kinds of blocks."""
    return [
        (
            message.role,
            message.text,
            [type(block).__name__ for block in message.content],
            [(call.id, call.name, call.input) for call in message.tool_calls],
            [(result.tool_call_id, result.text, result.structured, result.is_error) for result in message.tool_results],
        )
        for message in am.decode(body, "pydantic-ai")
    ]


@pytest.mark.parametrize("source", [name for name in am.codec_names() if name not in ("json", "msgpack")])
def test_the_library_takes_what_is_converted(source: am.CodecName, pydantic_ai: Library) -> None:
    """Every stored document of any format is accepted, and dumped with the same meaning."""
    found = [
        (name, am.encode(list(am.decode(document, source)), "pydantic-ai", on_loss="ignore"))
        for name, document in documents(source)
    ]
    assert refused(pydantic_ai, found) == []


@given(history=histories())
def test_the_library_takes_any_history(history: am.History, pydantic_ai: Library) -> None:
    """The same for everything that the model can hold, except extras of the family's own."""
    if "pydantic-ai" not in str(history.extras) + str(list(history)):
        body = am.encode(list(history), "pydantic-ai", on_loss="ignore")
        assert refused(pydantic_ai, [("generated", body)]) == []
