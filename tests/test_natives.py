"""Shared by codecs for native messages: whole ones, arguments, ids, times, made values, the order of keys."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from typing import TYPE_CHECKING, Any

import attrs
import pytest
from hypothesis import given

import agentmsg as am
from agentmsg.errors import DecodeError
from agentmsg.formats.natives import (
    count_at,
    is_bare_text,
    is_marked,
    lacks_id,
    native_of,
    read_arguments,
    read_content,
    read_whole,
    rest_of,
    role_of,
    with_rest,
    without_id,
    write_arguments,
)
from agentmsg.formats.restructure import in_order
from agentmsg.formats.rules import AS_TEXT, TEXT_ROWS, as_text
from agentmsg.formats.shapes import Unreadable
from agentmsg.model.construction import maker, replacer
from agentmsg.model.generated import given as told
from agentmsg.model.generated import is_made, made_id
from agentmsg.model.times import nearest_milli, read_time
from agentmsg.model.tool_links import CallNames, with_result
from agentmsg.testing import messages
from agentmsg.values.types import is_list, is_object
from support.documents import documents

if TYPE_CHECKING:
    from collections.abc import Iterator

TIME = datetime(2026, 1, 15, 10, 30, 0, 123000, tzinfo=UTC)
LINK = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
_make_call = maker(am.ToolUseBlock)


# -- native messages --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("native", "fallback"),
    [
        ({"content": "Hi"}, "Hi"),
        ({"content": ""}, None),
        ({"content": [1]}, None),
        ({}, None),
        ([1], None),
        ("a", None),
    ],
)
def test_a_message_is_kept_whole(native: Any, fallback: str | None) -> None:
    """An unreadable message is a native message of its family, with its text for others; no other family reads it."""
    message = read_whole(native, "x")
    block = message.first(am.NativeBlock)
    assert block is not None
    assert (message.role, block.codec, block.fallback) == ("native", "x", fallback)
    assert (native_of(message, "x"), native_of(message, "y")) == (native, None)
    assert native_of(am.Msg("user", [block]), "x") is None


@pytest.mark.parametrize(
    "more",
    [
        {"text": ""},
        {"cache": am.CacheHint()},
        {"citations": [am.Citation("u")]},
        {"item_id": "i"},
        {"phase": "final"},
        {"extras": {"y": {"a": 1}}},
        {"notes": {"x": {"/odd": True}}},
    ],
    ids=repr,
)
def test_a_bare_text_says_nothing_but_its_words(more: dict[str, Any]) -> None:
    """A text with other fields isn't bare, nor is an empty one; another family's spelling doesn't matter."""
    assert is_bare_text(am.TextBlock("a", notes={"y": {"/odd": True}}), "x")
    assert not is_bare_text(am.TextBlock("a").evolve(**more), "x")
    assert not is_bare_text(am.RefusalBlock("a"), "x")


def _part(native: Any) -> am.Block:
    return am.TextBlock(native) if native else am.DataBlock(1)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, ((), False)),
        ("", ((), False)),
        ("a", ((am.TextBlock("a"),), False)),
        ([], ((), False)),
        (["a"], ((am.TextBlock("a"),), True)),
        ([""], ((am.DataBlock(1),), False)),
        (["a", "b"], ((am.TextBlock("a"), am.TextBlock("b")), False)),
    ],
)
def test_content_is_a_text_or_a_list(value: Any, expected: Any) -> None:
    """A list is noted if a text alone would mean the same; any other value is unreadable."""
    assert am.same(read_content(value, _part, "x"), expected)
    with pytest.raises(Unreadable):
        read_content({"a": value}, _part, "x")


def test_unknown_keys_of_an_inner_object_have_a_namespace() -> None:
    """They are extras in it, and are in the object again; without any there are no extras."""
    extras = rest_of({"a": 1, "b": [2]}, frozenset("a"), "x.item")
    assert (extras, rest_of({"a": 1}, frozenset("a"), "x.item")) == ({"x.item": {"b": [2]}}, {})
    assert with_rest({"a": 3}, am.TextBlock("t", extras=extras), "x.item") == {"a": 3, "b": [2]}
    assert with_rest({"a": 3}, am.TextBlock("t", extras=extras), "y.item") == {"a": 3}


@pytest.mark.parametrize(("native", "path"), [(5, ()), ([], ()), ({}, ("role",)), ({"role": 1}, ("role",))])
def test_a_message_says_its_role(native: Any, path: tuple[str, ...]) -> None:
    """Anything but an object with a role raises a typed error with the path."""
    with pytest.raises(DecodeError) as caught:
        role_of(native)
    assert caught.value.path == path
    assert role_of({"role": "any"}) == "any"


@pytest.mark.parametrize(("value", "count"), [(0, 0), (7, 7), (None, None)])
def test_counts_are_whole_numbers(value: Any, count: int | None) -> None:
    """A count is a whole number or nothing."""
    assert count_at({"n": value}, "n") == count


@pytest.mark.parametrize("value", [True, 1.0, "1", []])
def test_what_is_no_count_is_unreadable(value: Any) -> None:
    """A truth value, a fraction or a text isn't a count."""
    with pytest.raises(Unreadable):
        count_at({"n": value}, "n")


@pytest.mark.parametrize(
    ("value", "text"),
    [('{"a": 1}', '{"a": 1}'), ("{bad", "{bad"), (None, ""), ({"a": 1}, None), ([1], None), (5, None)],
)
def test_arguments_are_text_or_what_they_are(value: Any, text: str | None) -> None:
    """Text arguments are that text; others are noted, and written again unchanged as long as they hold."""
    block = read_arguments(partial(_make_call, "c", "f"), value, "x")
    assert (block.raw_input, is_marked(block, "x", "/object")) == (text, text is None)
    assert write_arguments(block, "x") == ("" if value is None else value)
    assert write_arguments(block.evolve(input="a text"), "x") == '"a text"'
    assert write_arguments(block.evolve(input={"b": 2}), "x") == ('{"b":2}' if text is not None else {"b": 2})


def test_ids_are_given_where_none_was_read() -> None:
    """A client's call or result without an id needs one, unless it was read without."""
    lacks, notes = lacks_id("x"), without_id("x")
    blocks: list[tuple[am.Block, bool]] = [
        (am.ToolUseBlock(None, "f"), True),
        (am.ToolUseBlock("c", "f"), False),
        (am.ToolUseBlock(None, "f", notes=notes), False),
        (am.ToolUseBlock(None, "f", notes=without_id("y")), True),
        (am.ToolUseBlock(None, "f", kind="server"), False),
        (am.ToolResultBlock(None, "22C"), True),
        (am.ToolResultBlock("c", "22C"), False),
        (am.ToolResultBlock(None, "22C", notes=notes), False),
    ]
    assert [lacks(block) for block, _ in blocks] == [needed for _, needed in blocks]


def test_results_are_named_after_their_calls() -> None:
    """A result without a name gets that of its call, one with a name keeps it; other fields stay."""
    names = CallNames()
    asked = am.Msg("assistant", [am.ToolUseBlock("c", "first"), am.ToolUseBlock("c", "second")])
    answers = [am.Msg("tool", [am.ToolResultBlock("c", "22C", name=name)], id="m") for name in (None, "own", None)]
    assert names.named(asked) is asked
    first, own, none = map(names.named, answers)
    assert [message.tool_results[0].name for message in (first, own, none)] == ["first", "own", None]
    assert am.same(first, answers[0].evolve(content=[answers[0].tool_results[0].evolve(name="first")]))
    assert (own, none) == (answers[1], answers[2])


@given(messages())
def test_a_quick_copy_is_what_evolve_gives(message: am.Msg) -> None:
    """The unchecked copy has all fields of the checked one, whatever the message."""
    quick = replacer(am.Msg, "name")(message, "Ada")
    careful = message.evolve(name="Ada")
    assert type(quick) is am.Msg
    assert all(
        getattr(quick, field.name) is getattr(careful, field.name) for field in attrs.fields(am.Msg) if field.init
    )
    result = am.ToolResultBlock("c", "22C")
    assert am.same(with_result(message, result), message.evolve(content=[result]))


# -- ids and times ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("time", "nearest"),
    [
        (TIME, TIME),
        (TIME.replace(microsecond=123999), TIME),
        (TIME.replace(tzinfo=None), TIME),
        (TIME.astimezone(timezone(timedelta(hours=2))), TIME),
        (datetime.max.replace(tzinfo=timezone(-timedelta(hours=2))), datetime(9999, 12, 31, 23, 59, 59, 999000, UTC)),
        (datetime.min.replace(tzinfo=timezone(timedelta(hours=2))), datetime.min.replace(tzinfo=UTC)),
    ],
)
def test_the_nearest_millisecond_of_utc(time: datetime, nearest: datetime) -> None:
    """A time is rounded down to a millisecond of UTC, at the ends of the calendar without a change of zones."""
    found = nearest_milli(time)
    assert (found, found.tzinfo) == (nearest, UTC)


def test_times_are_read_from_texts() -> None:
    """A text of ISO 8601 is a time, any other isn't."""
    assert read_time("2026-01-15T10:30:00.123Z") == TIME
    assert [read_time(text) for text in ("", "soon", "2026-13-01")] == [None, None, None]


class _Clock(datetime):
    """A subclass of datetime, as in some libraries and tests."""


def test_a_time_of_another_class_becomes_plain() -> None:
    """No format keeps a subclass of datetime, so a message has the plain class from the start."""
    message = am.Msg("user", "Hi", created_at=_Clock(2026, 1, 15, 10, 30, 0, 123000, UTC))
    assert type(message.created_at) is datetime
    assert message.created_at == TIME
    assert is_made(am.Msg("user", "Hi").created_at)
    for name in ("arcaelas", "json", "lionpride", "msgpack"):
        history = am.History([message])
        assert am.same(am.decode(am.encode(history, name), name)[0].created_at, TIME)


# Id and time fields that all messages of a format have.
ALWAYS = {"arcaelas": {"timestamp"}, "lionpride": {"id", "created_at"}, "riffer": set[str](), "synaptic": set[str]()}
SOME = {"id", "created_at", "timestamp"}


@pytest.mark.parametrize("name", ALWAYS)
def test_what_the_library_made_is_told_where_all_messages_have_it(name: am.CodecName) -> None:
    """Made ids and times are written in formats whose messages always have one; in others none is made up."""
    message, losses = am.Msg("user", "Hi"), list[am.Loss]()
    native: Any = message.encode(name, losses=losses)
    assert (SOME & native.keys(), losses) == (ALWAYS[name], [])
    bare: Any = am.Msg("user", "Hi", id=None, created_at=None).encode(name)
    assert bare.keys() & SOME == set()
    assert am.same(am.decode([native], name)[0], message)


def test_what_somebody_gave_is_told_from_what_was_made() -> None:
    """A made id or time counts as absent."""
    message = am.Msg("user", "Hi")
    assert (told(message.id), told(message.created_at), told(made_id()), told(None)) == (None, None, None, None)
    assert (told("m"), told(TIME)) == ("m", TIME)


def test_ids_of_lionpride_are_uuids() -> None:
    """A made id that isn't a UUID isn't written there; a given one is dropped."""
    assert "id" not in am.Msg("user", "Hi", id=am.Made("call_0_0_f")).encode("lionpride")
    losses: list[am.Loss] = []
    assert "id" not in am.Msg("user", "Hi", id="m-1").encode("lionpride", losses=losses)
    assert [loss.path for loss in losses] == [("messages", 0, "id")]
    assert am.Msg("user", "Hi", id=LINK).encode("lionpride")["id"] == LINK


# -- blocks as text, and their order ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("block", "text"),
    [
        (am.TextBlock("Hi"), "Hi"),
        (am.AudioBlock(am.URLSource("https://x.test/a"), transcript="Hi"), "Hi"),
        (am.AudioBlock(am.URLSource("https://x.test/a")), None),
        (am.DataBlock({"a": 1}), '{"a":1}'),
        (am.FileBlock(am.TextSource("Hi"), title="T"), "T\n\nHi"),
        (am.FileBlock(am.URLSource("https://x.test/a")), None),
        (am.NativeBlock("x", {}, fallback="Hi"), "Hi"),
        (am.NativeBlock("x", {}), None),
        (am.RefusalBlock("No."), "No."),
        (am.ToolResultBlock("c", "22C"), "22C"),
        (am.ToolUseBlock("c", "f"), None),
        (am.ToolUseBlock("c", "f", {"a": 1}, kind="server"), '<server_tool_call name="f">{"a":1}</server_tool_call>'),
        (am.ThinkingBlock("Hm."), None),
        (am.ImageBlock(am.URLSource("https://x.test/a")), None),
    ],
)
def test_the_words_of_blocks(block: am.Block, text: str | None) -> None:
    """In places that only hold text, a block becomes its text; thinking and pictures have none."""
    found = as_text(block)
    assert (None if found is None else found.text) == text


def test_every_block_of_words_has_a_row() -> None:
    """The rows for places of text have the classes with text, and none of their fields."""
    assert set(TEXT_ROWS) == set(AS_TEXT)
    assert not any(row.fields for row in TEXT_ROWS.values())


def test_blocks_stand_in_the_order_of_their_ranks() -> None:
    """Neighbours of one rank keep their order; an ordered sequence needs no new order."""
    assert in_order("bab", ord) == (1, 0, 2)
    assert [in_order(blocks, ord) for blocks in ("", "a", "abb")] == [None, None, None]


# Order means nothing in JSON, but people compare texts. A hand-written sample of 1.0 has its time last.
_SAMPLE = ["role", "content", "tool_id", "timestamp"]


def _keys(native: Any) -> Iterator[list[str]]:
    """Return the keys of all objects of a native message, in order."""
    if is_object(native):
        yield list(native)
    for inner in native.values() if is_object(native) else native if is_list(native) else ():
        yield from _keys(inner)


@pytest.mark.parametrize("name", ["arcaelas", "riffer", "synaptic"])
def test_fields_stand_in_the_order_of_the_real_writer(name: str) -> None:
    """The real library's documents are written with their keys in the same order, down to the calls and blocks."""
    codec = am.get_codec(name)
    compared = 0
    for _, document in documents(name):
        natives = codec.native_messages(document)
        for native, again in zip(
            natives, codec.native_messages(am.encode(am.decode(document, codec), codec)), strict=True
        ):
            if list(native) != _SAMPLE:
                assert list(_keys(again)) == list(_keys(native))
                compared += 1
    assert compared > 20
