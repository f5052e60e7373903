"""Migrate, run, go back: converted documents that the real frameworks load and dump restore their originals."""

from __future__ import annotations

import json
from importlib import import_module
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

import agentmsg as am
from agentmsg.formats.spelling import same_document
from support.documents import documents

if TYPE_CHECKING:
    from collections.abc import Callable

    from real.library import Library

pytestmark = pytest.mark.slow

SOURCES: tuple[am.CodecName, ...] = (
    "anthropic", "anthropic-response", "gemini", "gemini-response", "openai", "openai-response", "openai-responses",
    "openai-responses-response",
)  # fmt: skip
THANKS = am.Msg("user", "Thanks!", id=None, created_at=None)
# AgentScope's loader drops keys that it doesn't know: the id that a signed call had, and how an item was spelt.
DROPPED = ("gemini_ts:", "reasoning_item_raw")
# Refusals that aren't our fault: media in stored documents that aren't base64, and addresses that aren't URLs.
KNOWN = ("valid base64", "Invalid base64", "valid URL")


def langchain(document: Any) -> Any:
    """Load and dump with langchain-core."""
    core: Any = import_module("langchain_core.messages")
    return core.messages_to_dict(core.messages_from_dict(document))


def langgraph(document: Any) -> Any:
    """Do the same, and give ids as LangGraph's ``add_messages`` does."""
    core: Any = import_module("langchain_core.messages")
    messages = core.messages_from_dict(document)
    for message in messages:
        message.id = str(uuid4()) if message.id is None else message.id
    return core.messages_to_dict(messages)


def pydantic_ai(library: Library) -> Callable[[Any], Any]:
    """Load and dump with Pydantic AI."""

    def dumped(document: Any) -> Any:
        answer = library.ask([{"body": document}])[0]
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer["dumped"]

    return dumped


def agentscope(library: Library) -> Callable[[Any], Any]:
    """Load and dump with AgentScope 2."""

    def dumped(document: Any) -> Any:
        answers = library.load(document)
        for answer in answers:
            if "error" in answer:
                raise ValueError(answer["error"])
        return [answer["dump"] for answer in answers]

    return dumped


def unrestored(source: am.CodecName, target: am.Codec, load: Callable[[Any], Any]) -> tuple[list[str], int]:
    """Return the documents whose original doesn't come back with a message at its end, and how many were tried."""
    told: list[str] = []
    count = 0
    for name, document in documents(source):
        if not same_document(am.encode(am.decode(document, source), source, on_loss="ignore"), document):
            continue
        done = am.convert(document, source, target)
        written_as = json.dumps(am.thaw(done.document))
        if target.name == "agentscope" and any(word in written_as for word in DROPPED):
            continue
        try:
            stored = load(json.loads(written_as))
        except ValueError as error:
            told += [] if any(words in str(error) for words in KNOWN) else [f"{name}: {error}"]
            continue
        count += 1
        history = am.decode(stored, target)
        written = am.decode(done.document, target)
        for losses in (done.losses, am.load_losses(am.dump_losses(done.losses, written))):
            for edits in ("refuse", "keep"):
                try:
                    back = am.restore(history.evolve(messages=[*history, THANKS]), losses, edits=edits)
                    again = am.encode(back[:-1], source, on_loss="ignore")
                except am.AgentMsgError as error:
                    told.append(f"{name}, {edits}: {error}")
                    continue
                if not (same_document(again, document) and am.same(back[-1], THANKS)):
                    told.append(f"{name}, {edits}: another document")
    return told, count


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", ["langchain", "langgraph", "pydantic-ai", "agentscope"])
def test_the_original_comes_back(source: am.CodecName, name: str, request: pytest.FixtureRequest) -> None:
    """Whatever a framework's loader adds, each stored document is restored exactly, and what was said since stays."""
    make: dict[str, Callable[[], Callable[[Any], Any]]] = {
        "langchain": lambda: langchain,
        "langgraph": lambda: langgraph,
        "pydantic-ai": lambda: pydantic_ai(request.getfixturevalue("pydantic_ai")),
        "agentscope": lambda: agentscope(request.getfixturevalue("agentscope2")),
    }
    is_langchain = name.startswith("lang")
    target = am.get_codec("langchain", form="dict") if is_langchain else am.get_codec(name)
    told, count = unrestored(source, target, make[name]())
    assert told == []
    assert count
