"""Laws 1 and 3 for several contradicting values of one small object: unchanged, edited, in other formats."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

import agentmsg as am
from agentmsg.testing.laws import exact_return, honest_account, returns_through
from data import effort
from support.documents import documents
from support.products import Products

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Edit: TypeAlias = Callable[[am.History, Random], am.History]

# Another seed gives other documents.
_SEED = 0
# In codecs whose forms are nowhere a document, they are only in requests.
_ELSEWHERE = {"bedrock-response": {"cache", "guard", "cited", "json"}}
_ROLES: tuple[Any, ...] = ("system", "developer", "user", "assistant", "tool", "moderator")


@cache
def _products(name: am.CodecName) -> Products:
    return Products(am.get_codec(name), (document for _, document in documents(name)))


def _of_blocks(change: Callable[[tuple[Any, ...]], Any]) -> Edit:
    return lambda history, _: history.evolve(
        messages=[message.evolve(content=change(message.content)) for message in history.messages]
    )


def _of_each(change: Callable[[Any], Any]) -> Edit:
    return _of_blocks(lambda content: map(change, content))


def _of_messages(**fields: Any) -> Edit:
    return lambda history, _: history.evolve(messages=[message.evolve(**fields) for message in history.messages])


def _other_roles(history: am.History, rng: Random) -> am.History:
    return _of_messages(role=rng.choice(_ROLES))(history, rng)


def _other_id(block: Any) -> Any:
    if isinstance(block, am.ToolUseBlock):
        return block.evolve(id="new")
    return block.evolve(tool_call_id="new") if isinstance(block, am.ToolResultBlock) else block


def _other_text(block: Any) -> Any:
    return block.evolve(text=f"{block.text}!") if type(block) is am.TextBlock else block


_ASKED = am.Msg("user", "q", id=None, created_at=None)
_CALL, _TEXT = am.ToolUseBlock("c9", "g", {"a": 1}), am.TextBlock("zz")
_EDITS: Mapping[str, Edit] = {
    "as it is": lambda history, _: history,
    "first block gone": _of_blocks(lambda content: content[1:]),
    "last block gone": _of_blocks(lambda content: content[:-1]),
    "blocks reversed": _of_blocks(lambda content: content[::-1]),
    "blocks twice": _of_blocks(lambda content: content * 2),
    "text first": _of_blocks(lambda content: (_TEXT, *content)),
    "text last": _of_blocks(lambda content: (*content, _TEXT)),
    "call last": _of_blocks(lambda content: (*content, _CALL)),
    "another id": _of_each(_other_id),
    "another text": _of_each(_other_text),
    "no notes of blocks": _of_each(lambda block: block.evolve(notes={})),
    "no extras of blocks": _of_each(lambda block: block.evolve(extras={})),
    "no notes of messages": _of_messages(notes={}),
    "no extras of messages": _of_messages(extras={}),
    "no response metadata": _of_messages(response_metadata={}),
    "no id, no name": _of_messages(id=None, name=None),
    "another role": _other_roles,
    "messages twice": lambda history, _: history.evolve(messages=history.messages * 2),
    "messages reversed": lambda history, _: history.evolve(messages=history.messages[::-1]),
    "message first": lambda history, _: history.evolve(messages=(_ASKED, *history.messages)),
    "first message gone": lambda history, _: history[1:],
    "nothing of the whole": lambda history, _: history.evolve(notes={}, extras={}, metadata={}),
}


def _read(name: am.CodecName, count: int) -> Iterator[tuple[Any, am.History, Random]]:
    """Yield some documents, if they are readable, with their histories."""
    codec, rng = am.get_codec(name), Random(f"{name} {_SEED}")
    for _ in range(effort(count)):
        document = _products(name).draw(rng)
        try:
            yield document, codec.read(document), rng
        except am.AgentMsgError:
            continue


@pytest.mark.parametrize("name", am.codec_names())
def test_each_form_has_a_document(name: am.CodecName) -> None:
    """None is left out, whatever the golden documents hold."""
    assert set(_products(name).lacking) <= _ELSEWHERE.get(name, set())


@pytest.mark.parametrize("name", am.codec_names())
def test_products_come_back(name: am.CodecName) -> None:
    """Read documents come back, whatever combination of values an object has."""
    codec, rng = am.get_codec(name), Random(f"{name} {_SEED}")
    read = 0
    for _ in range(effort(1600)):
        read += exact_return(codec, _products(name).draw(rng)) is not None
    assert read


@pytest.mark.parametrize("name", am.codec_names())
def test_edited_products_come_back_or_are_told(name: am.CodecName) -> None:
    """After an edit, such values are written, or are in the loss report, in their own and other formats."""
    for _, history, rng in _read(name, 500):
        target = rng.choice((name, name, rng.choice(am.codec_names())))
        try:
            edited = _EDITS[rng.choice([*_EDITS])](history, rng)
        except am.InvalidMessage:
            continue
        honest_account(am.get_codec(target), edited)


@pytest.mark.parametrize("name", am.codec_names())
def test_products_come_back_through_others(name: am.CodecName) -> None:
    """The output in another format and its loss report rebuild the document."""
    for document, _, rng in _read(name, 200):
        returns_through(am.get_codec(name), document, am.get_codec(rng.choice(am.codec_names())))
