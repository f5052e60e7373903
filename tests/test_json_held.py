"""json reads callers' documents without copying all of them: the result is the same, and shares nothing with theirs."""

from __future__ import annotations

import copy
import json
import random
from datetime import UTC, datetime
from enum import IntEnum, StrEnum
from pathlib import Path
from typing import Any
from uuid import UUID

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentmsg as am
from agentmsg.limits import USUAL
from agentmsg.testing import histories, mutate
from agentmsg_codecs.json import JsonCodec

TOUR = json.loads((Path(__file__).parent / "stored" / "v1" / "grand_tour.json").read_bytes())
ODD: dict[str, Any] = {
    "agentmsg": 1,
    "messages": [
        {
            "role": "user",
            "content": [
                {"type": "of a later version", "a": [1]},
                {"type": "text", "text": "x", "unknown": {"k": [1]}, "metadata": {"m": [1]}},
                {"type": "tool_use", "name": "f", "id": "c", "input": {"a": [1, {"b": 2}]}},
            ],
            "structured": [{"a": 1}],
            "extras": {"e": {"f": [1]}},
            "other": [1],
        }
    ],
    "tools": [{"type": "tool", "name": "f", "parameters": {"p": [1]}}, {"type": "of a later version", "o": [1]}],
    "unknown": {"n": [1]},
}


@am.register_block("test_json_held.place")
@attrs.frozen
class Place(am.BaseBlock):
    """A block of a user, with a field of any JSON."""

    found: Any = attrs.field(kw_only=True)


def short_way(document: Any) -> am.History | None:
    """Return the history of a document that the caller owns; None if it must be copied."""
    try:
        return am.get_codec("json").read_held(document, USUAL)
    except Exception:  # noqa: BLE001 - after any error the careful way decides
        return None


def wreck(value: Any) -> None:
    """Change everything that can be changed in a document."""
    if isinstance(value, dict):
        for item in list(value.values()):  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            wreck(item)
        value["wrecked"] = 1
    elif isinstance(value, list):
        for item in list(value):  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            wreck(item)
        value.append("wrecked")  # pyright: ignore[reportUnknownMemberType]


@given(histories(), st.integers(0, 2**32))
def test_what_is_held_is_read_as_a_copy_of_it(history: am.History, seed: int) -> None:
    """If a document, good or damaged, is read in place, its copy gives the same history with the same notes."""
    document = am.encode(history, "json")
    for each in (document, mutate(document, random.Random(seed))):
        if (found := short_way(each)) is not None:
            copied = am.get_codec("json").read(copy.deepcopy(each))
            assert am.dumps(found, "json") == am.dumps(copied, "json")
            assert am.same(found, copied)


def test_usual_documents_go_the_short_way() -> None:
    """A document without users' blocks and huge numbers isn't copied as a whole."""
    assert short_way(am.encode(am.History.of("Hello", am.Msg.assistant("x", metadata={"a": [1]})), "json")) is not None
    assert short_way(ODD) is not None


@pytest.mark.parametrize("document", [TOUR, ODD], ids=["tour", "odd"])
def test_nothing_of_a_caller_gets_into_a_history(document: Any) -> None:
    """Whatever a caller does to a document afterwards, the history stays unchanged."""
    mine = copy.deepcopy(document)
    history = am.decode(mine, "json")
    before = am.dumps(history, "json")
    wreck(mine)
    assert am.dumps(history, "json") == before
    assert am.same(history, am.decode(document, "json"))


def test_blocks_of_users_go_the_careful_way() -> None:
    """Users' types read a copy of a value."""
    document = {"role": "user", "content": [{"type": "test_json_held.place", "found": {"a": [1]}}]}
    history = am.decode(document, "json")
    wreck(document["content"])
    (block,) = history[0].content
    assert block == Place(found={"a": [1]})


def test_hooks_are_asked() -> None:
    """If a hook of ours was replaced, the new one reads."""

    def loudly(native: Any, _: Any) -> am.TextBlock:
        return am.TextBlock(native["text"].upper())

    codec = JsonCodec()
    codec.engine.converter.register_structure_hook(am.TextBlock, loudly)
    document = {"role": "user", "content": [{"type": "text", "text": "hi"}]}
    assert am.decode(document, codec)[0].text == "HI"
    assert codec.read_part(am.TextBlock, document["content"][0]) == am.TextBlock("HI")


class Word(StrEnum):
    """A text that is a member of an enum."""

    USER = "user"


@pytest.mark.parametrize(
    "value", [float("nan"), "\ud800", {1: 2}, UUID(int=1), {1}, b"x", object()], ids=lambda value: type(value).__name__
)
@pytest.mark.parametrize("place", ["structured", "metadata", "id", "unknown"])
def test_what_is_no_json_is_refused_wherever_it_stands(value: Any, place: str) -> None:
    """No value outside JSON is accepted, in a field that holds any JSON or in another."""
    with pytest.raises(am.DecodeError):
        am.decode({"role": "user", place: {"a": value} if place == "metadata" else value}, "json")


class Number(IntEnum):
    """A number that is a member of an enum."""

    ONE = 1


def _free(value: Any) -> dict[str, dict[str, Any]]:
    """Return documents in their usual form that hold any JSON, by its place."""

    def said(role: str, **more: Any) -> dict[str, Any]:
        return {"agentmsg": 1, "messages": [{"role": role, "content": [], **more}]}

    return {
        "structured": said("assistant", structured=value),
        "input": said("assistant", content=[{"type": "tool_use", "name": "f", "input": value}]),
        "data": said("user", content=[{"type": "data", "data": value}]),
        "native": said("user", content=[{"type": "native", "codec": "x", "value": value}]),
        "tool": {"agentmsg": 1, "messages": [], "tools": [{"type": "native_tool", "codec": "x", "value": value}]},
        "setting": {"agentmsg": 1, "messages": [], "settings": {"response_format": {"schema": {"a": value}}}},
    }


@pytest.mark.parametrize("value", [float("inf"), datetime(2026, 1, 2, tzinfo=UTC), UUID(int=1), {1}], ids=str)
@pytest.mark.parametrize("place", _free(None))
def test_a_usual_document_holds_nothing_but_json(place: str, value: Any) -> None:
    """What a parser never returns is refused in place of any JSON."""
    with pytest.raises(am.DecodeError):
        am.decode(_free(value)[place], "json")


@pytest.mark.parametrize("place", _free(None))
def test_free_json_of_a_usual_document_is_the_own_of_the_history(place: str) -> None:
    """A tuple is a list, a member of an enum is its value, and whoever changes theirs changes no history."""
    inner = [1]
    history = am.decode(_free((inner, Number.ONE, Word.USER))[place], "json")
    inner.append(2)
    assert am.encode(history, "json") == _free([[1], 1, "user"])[place]
    for value in (Number.ONE, Word.USER):
        plain = am.decode(_free(value.value)[place], "json")
        assert am.same(am.decode(_free(value)[place], "json"), plain)


def test_members_of_enums_are_texts() -> None:
    """An instance of a subclass of str is read as the text."""
    assert type(am.decode({"role": Word.USER, "metadata": {"a": Word.USER}}, "json")[0].role) is str


def test_parts_are_read_by_the_canonical_form_only() -> None:
    """Other codecs read no single parts, and raise an error."""
    with pytest.raises(am.CodecLookupError, match="no parts by themselves"):
        am.get_codec("openai").read_part(am.TextBlock, {"type": "text", "text": "x"})
    with pytest.raises(am.CodecLookupError, match="no parts by themselves"):
        am.get_codec("openai").write_part(am.TextBlock("x"))
