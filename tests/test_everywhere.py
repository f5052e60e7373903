"""Every document of a format comes back from every other format: the document written, and its loss report on file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import agentmsg as am
from agentmsg.model.generated import MadeName
from agentmsg.testing import honest_account
from agentmsg.testing.systematic import damages
from data import WHOLE, share, some
from support.documents import documents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmsg_codecs import CodecName

NAMES = am.codec_names()
SIGNED = {"functionCall": {"name": "f", "args": {}, "id": "c"}, "thoughtSignature": "QQ=="}
CALLED, ANSWERED = (
    {"functionCall": {"name": "f", "args": {}}},
    {"functionResponse": {"name": "f", "response": {"a": 1}}},
)
BROKEN = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a": '}}


def turns(call: Any) -> list[Any]:
    """Return contents of Gemini: a question, a call, and its result without an id."""
    return [{"role": "user", "parts": [{"text": "go"}]}, {"role": "model", "parts": [call]},
            {"role": "user", "parts": [ANSWERED]}]  # fmt: skip


# Histories whose made ids aren't those of their places: one that goes on with another, and one that is cut.
TWICE = am.decode(turns(CALLED), "gemini") + am.decode(turns(CALLED), "gemini")
# Calls and results that say something of each other: documents that every format is tried with.
LINKED: dict[str, tuple[CodecName, Any]] = {
    "no ids": ("gemini", turns(CALLED)),
    "no ids, twice": ("gemini", {"contents": [*turns(CALLED), *turns(CALLED)]}),
    "stored": ("json", am.encode(TWICE, "json")),
    "stored and cut": ("json", am.encode(am.History(TWICE.messages[3:]), "json")),
    "signed": ("gemini", turns(SIGNED)),
    "one function": ("openai", [{"role": "user", "content": "go"}, {"role": "assistant", "content": None,
        "function_call": {"name": "f", "arguments": "{}"}}, {"role": "function", "name": "f", "content": "1"}]),
    "broken": ("openai", [{"role": "assistant", "content": None, "tool_calls": [BROKEN]},
        {"role": "tool", "tool_call_id": "c", "content": '{"error": "no"}'}]),
    "unknown": ("anthropic", {"messages": [{"role": "user", "content": "go"}, {"role": "assistant", "content": [
        {"type": "tool_use", "id": "c", "name": "f", "input": {}, "new": 1}]}]}),
    "a row": ("hf", {"messages": [{"role": "user", "content": "go"}, {"role": "assistant", "content": "",
        "tool_calls": [{"type": "function", "function": {"name": "f", "arguments": {}}}]},
        {"role": "tool", "name": "f", "content": "1"}]}),
    "a row, and an odd name": ("hf", {"messages": [{"role": "user", "content": "go"}, {"role": "assistant",
        "content": "", "tool_calls": [{"type": "function", "function": {"name": "f", "arguments": {}}}]},
        {"role": "tool", "name": {"a": "b"}, "content": "1"}]}),
}  # fmt: skip


def tried(source: CodecName) -> Iterator[tuple[str, Any, CodecName]]:
    """Yield documents with the formats to write: each with the next one in turn, in the profile ``long`` with all."""
    for number, (title, document) in enumerate(documents(source)):
        for target in NAMES if WHOLE else (NAMES[number % len(NAMES)],):
            yield title, document, target


def plain(document: Any) -> Any:
    """Return a document as another program reads it."""
    return document if isinstance(document, bytes) else json.loads(json.dumps(am.thaw(document)))


def is_restored(document: Any, source: CodecName, target: CodecName) -> bool:
    """Whether what was written, and the loss report on file, give the document that was read."""
    done = am.convert(document, source, target)
    back = am.decode(plain(done.document), target)
    again = am.encode(am.restore(back, am.load_losses(done.dump_losses())), source)
    return bool(plain(again) == plain(document))


@pytest.mark.parametrize("source", NAMES)
def test_documents_come_back_from_every_format(source: CodecName) -> None:
    """What is restored is written as the document that was read."""
    torn = [
        f"{title} to {target}" for title, document, target in tried(source) if not is_restored(document, source, target)
    ]
    assert torn == []


@pytest.mark.parametrize("source", NAMES)
def test_damaged_documents_come_back_from_every_format(source: CodecName) -> None:
    """Each with one value of another type, a key that is gone, or one that is unknown; through one format in turn."""
    torn: list[str] = []
    found = damages(documents(source)) if source != "msgpack" else []
    for number, damage in enumerate(some(found, 300)):
        target = NAMES[number % len(NAMES)]
        try:
            am.decode(damage.document, source)
        except am.DecodeError:
            continue
        torn += [] if is_restored(damage.document, source, target) else [f"{damage.name} to {target}"]
    assert torn == []


@pytest.mark.parametrize("name", LINKED)
def test_calls_and_results_come_back_from_every_format(name: str) -> None:
    """Also where one of both is lost, or what a client makes of the call is told by its result, too."""
    source, document = LINKED[name]
    assert [target for target in NAMES if not is_restored(document, source, target)] == []


def answers(name: CodecName) -> Iterator[am.Msg]:
    """Yield the answers of a provider's responses as if a reader told of their parts who gave them."""
    for _, document in documents(name):
        try:
            (message,) = am.decode(document, name)
        except (am.DecodeError, ValueError):
            continue
        yield message.evolve(provider=told(message.provider), api=told(message.api))


def told(said: str | None) -> MadeName | None:
    """Return a word as a reader that derived it."""
    return None if said is None else MadeName(said)


RESPONSES: tuple[CodecName, ...] = (
    "anthropic-response", "bedrock-response", "gemini-response", "openai-response", "openai-responses-response",
)  # fmt: skip


@pytest.mark.parametrize("target", NAMES)
def test_who_answered_may_only_be_told_by_parts(target: CodecName) -> None:
    """It isn't written then, so what is left of an answer must come back without."""
    turn, codec = NAMES.index(target), am.get_codec(target)
    for name in RESPONSES:
        for message in share(answers(name), turn):
            for content in (message.content, *([block] for block in message.content)):
                honest_account(codec, am.History([message.with_content(content)]))
