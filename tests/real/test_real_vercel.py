"""The codecs of the AI SDK against the real package: it accepts what we convert, and converts it as we do."""

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

FAMILY = ("vercel", "vercel-ui")
SOURCES = [name for name in am.codec_names() if name not in ("json", "msgpack", *FAMILY)]
KINDS: dict[am.CodecName, str] = {"vercel": "model", "vercel-ui": "ui"}


def refused(library: Library, target: am.CodecName, found: list[tuple[str, Any]]) -> list[str]:
    """Return the package's reasons for the lists of messages that it refuses; it accepts no empty list from users."""
    asked = [(name, natives) for name, natives in found if natives]
    answers = library.ask({KINDS[target]: natives} for _, natives in asked)
    return [f"{name}: {answer['error']}" for (name, _), answer in zip(asked, answers, strict=True) if "error" in answer]


@pytest.mark.parametrize("target", FAMILY)
@pytest.mark.parametrize("source", [*SOURCES, *FAMILY])
def test_the_package_accepts_what_is_converted(source: am.CodecName, target: am.CodecName, vercel: Library) -> None:
    """Every stored document of another format is accepted; the package makes model messages from UI messages."""
    found: list[tuple[str, Any]] = []
    if source == target:
        return
    for name, document in documents(source):
        written = am.encode(am.decode(document, source), target, on_loss="ignore")
        natives = am.get_codec(target).native_messages(written)
        found.append((name, natives))
    assert refused(vercel, target, found) == []


@pytest.mark.parametrize("target", FAMILY)
@given(history=histories())
def test_the_package_accepts_any_history(target: am.CodecName, history: am.History, vercel: Library) -> None:
    """The same for everything that the model can hold, except extras of the families' own."""
    if "vercel" in str(history.extras) + str(list(history)):
        return
    natives = am.get_codec(target).native_messages(am.encode(history, target, on_loss="ignore"))
    assert refused(vercel, target, [("generated", natives)]) == []


def test_users_messages_become_those_of_models_as_the_package_makes_them(vercel: Library) -> None:
    """Calls, results, steps and their order: our model messages are those of ``convertToModelMessages``."""
    call: Any = {"type": "tool-find", "toolCallId": "c1", "input": {"q": 1}}
    failed: Any = {"type": "dynamic-tool", "toolName": "run", "toolCallId": "c2", "input": {}}
    parts: list[Any] = [
        {"type": "step-start"},
        {"type": "reasoning", "text": "Hm", "providerMetadata": {"anthropic": {"signature": "s"}}},
        {**call, "state": "output-available", "output": {"a": 1}},
        {**failed, "state": "output-error", "errorText": "boom"},
        {"type": "step-start"},
        {"type": "text", "text": "Done"},
    ]
    given_parts = [{"id": "u", "role": "user", "parts": [{"type": "text", "text": "Hi"}]},
                   {"id": "a", "role": "assistant", "parts": parts}]  # fmt: skip
    (answer,) = vercel.ask([{"ui": given_parts}])
    theirs, ours = (
        am.decode(document, "vercel")
        for document in (answer["model"], am.convert(given_parts, "vercel-ui", "vercel").document)
    )
    assert len(theirs) == len(ours)
    assert all(one.role == other.role and one.same_content(other) for one, other in zip(theirs, ours, strict=True))
