"""The codec ``riffer``: the model of each native object, the two dialects, odd spellings, unsupported content.

Exact return, damaged documents, planted notes and the other laws are tested in test_laws.py.
"""

from __future__ import annotations

import base64
import random
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentmsg as am
from agentmsg.errors import AgentMsgError
from agentmsg.testing import floor, honest_account, notes_never_matter, plant_notes
from agentmsg_codecs.riffer import RifferCodec
from support import checked
from support.checked import msg, refused

CODEC = RifferCodec()
returned = partial(checked.returned, codec=CODEC)


def native(role: str, content: Any = "Hi", **fields: Any) -> dict[str, Any]:
    """Return a native message."""
    return {"role": role, "content": content, **fields}


def call(**fields: Any) -> dict[str, Any]:
    """Return a native call of today's dialect."""
    return {"call_id": "call_1", "name": "weather_tool", "arguments": '{"city":"Tokyo"}', **fields}


def result(link: Any, **fields: Any) -> dict[str, Any]:
    """Return a native result."""
    return {"role": "tool", "content": "22C", "tool_call_id": link, "name": "weather_tool", **fields}


USE = am.ToolUseBlock("call_1", "weather_tool", raw_input='{"city":"Tokyo"}')
TEXT = am.TextBlock("Hi")
PNG = am.ImageBlock(am.Base64Source("iVBORw0KGgo=", "image/png"))


# -- the mapping ------------------------------------------------------------------------------------------------------


def thought(
    *args: Any,
    signature: tuple[str | None, str] | None = None,
    word: str | None = None,
    more: Any = None,
    **fields: Any,
) -> Any:
    """Return a block of thinking, with a provider's signature and the word of its format."""
    proof = None if signature is None else am.Signature(*signature)
    extras = {} if word is None else {"riffer.part": {"format": word}}
    extras |= more or {}
    return am.ThinkingBlock(*args, signature=proof, extras=extras, **fields)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (native("system"), msg("system", TEXT)),
        (native("user", "Hi", id="u-1"), msg("user", TEXT, id="u-1")),
        (native("assistant", ""), msg("assistant")),
        (native("assistant", "", tool_calls=[call()]), msg("assistant", USE)),
        (native("assistant", "Hi", tool_calls=[call()]), msg("assistant", TEXT, USE)),
        (result("c"), msg("tool", am.ToolResultBlock("c", "22C", name="weather_tool"))),
        (
            result("c", error="boom", error_type="timeout_error"),
            msg("tool", am.ToolResultBlock("c", "22C", name="weather_tool", error="boom", error_type="timeout_error")),
        ),
        (
            result("c", error="boom", error_type=None),
            msg("tool", am.ToolResultBlock("c", "22C", name="weather_tool", error="boom")),
        ),
        (
            native("user", "Hi", files=[{"media_type": "image/png", "data": "iVBORw0KGgo="}]),
            msg("user", TEXT, PNG),
        ),
        (
            native("user", "", files=[{"url": "https://x.test/a.JPG?size=1"}]),
            msg("user", am.ImageBlock.from_url("https://x.test/a.JPG?size=1")),
        ),
        (
            native("user", "Hi", files=[{"media_type": "text/csv", "url": "https://x.test/1", "filename": "a.csv"}]),
            msg("user", TEXT, am.FileBlock(am.URLSource("https://x.test/1", "text/csv"), name="a.csv")),
        ),
        (
            native("assistant", "Hi", structured_output={"answer": 42}),
            msg("assistant", TEXT, structured={"answer": 42}),
        ),
        (native("assistant", "Hi", structured_output=False), msg("assistant", TEXT, structured=False)),
        (
            native("assistant", "Hi", token_usage={"input_tokens": 9, "output_tokens": 5}),
            msg("assistant", TEXT, usage=am.Usage(input=9, output=5)),
        ),
        (
            native(
                "assistant",
                "Hi",
                token_usage={
                    "input_tokens": 9,
                    "output_tokens": 5,
                    "cache_write_tokens": 2,
                    "cache_read_tokens": 1,
                    "cost": 0.5,
                },
            ),
            msg("assistant", TEXT, usage=am.Usage(input=9, output=5, cache_write=2, cache_read=1, cost=0.5)),
        ),
        (
            native("assistant", "Hi", finish_reason="tool_calls", finish_reason_raw="tool_use"),
            msg("assistant", TEXT, finish_reason="tool_use", response_metadata={"finish_reason_raw": "tool_use"}),
        ),
        (
            native("assistant", "Hi", finish_reason="context_window"),
            msg("assistant", TEXT, finish_reason="context_window"),
        ),
    ],
)
def test_each_native_object_is_an_object_of_the_model(document: Any, message: am.Msg) -> None:
    """A native message is read as this message, which is written as this native one, with keys in this order."""
    assert am.same(returned([document])[0], message)
    losses: list[am.Loss] = []
    (again,) = am.encode([message], CODEC, losses=losses)
    assert (again, list(again), losses) == (document, list(document), [])


@pytest.mark.parametrize(
    ("part", "block"),
    [
        ({"type": "text", "text": "So."}, thought("So.")),
        ({"type": "text", "text": "So.", "format": "mock-v1"}, thought("So.", word="mock-v1")),
        ({"type": "text", "text": "So.", "id": "rs_1"}, thought("So.", item_id="rs_1")),
        (
            {"type": "text", "text": "So.", "signature": "s", "format": "anthropic-messages-v1"},
            thought("So.", signature=("anthropic", "s")),
        ),
        (
            {"type": "text", "text": "So.", "signature": "s", "format": "anthropic-claude-v1"},
            thought("So.", signature=("anthropic", "s"), word="anthropic-claude-v1"),
        ),
        ({"type": "text", "text": "So.", "signature": "s"}, thought("So.", signature=(None, "s"))),
        (
            {"type": "summary", "text": "So.", "format": "openai-responses-v1"},
            thought("So.", word="openai-responses-v1"),
        ),
        (
            {"type": "encrypted", "data": "x", "format": "anthropic-messages-v1"},
            thought(redacted="x"),
        ),
        (
            {"type": "encrypted", "data": "x", "id": "rs_1", "format": "openai-responses-v1"},
            thought(signature=("openai", "x"), item_id="rs_1"),
        ),
        ({"type": "encrypted", "data": "x"}, thought(signature=(None, "x"))),
        (
            {"type": "encrypted", "data": "x", "signature": "s", "format": "mock-v1"},
            thought(redacted="x", signature=(None, "s"), word="mock-v1"),
        ),
        ({"type": "encrypted", "text": "So.", "data": "x"}, thought("So.", redacted="x")),
        ({"type": "text", "data": "x", "format": "mock-v1"}, thought(redacted="x", word="mock-v1")),
        ({"type": "text", "text": "So.", "format": None, "index": 0}, thought("So.", more={"riffer": {"index": 0}})),
        ({"type": "encrypted", "format": 5}, am.ThinkingBlock(extras={"riffer.part": {"format": 5}})),
    ],
)
def test_each_part_of_reasoning_is_a_block_of_thinking(part: Any, block: am.ThinkingBlock) -> None:
    """A part of reasoning is read as this block, with its provider's signature, and comes back."""
    message = returned([native("assistant", "Hi", reasoning=[part])])[0]
    assert am.same(message.content, (block, TEXT))


@pytest.mark.parametrize(
    ("block", "part"),
    [
        (thought("So."), {"type": "text", "text": "So."}),
        (
            thought("So.", signature=("anthropic", "s")),
            {"type": "text", "text": "So.", "signature": "s", "format": "anthropic-messages-v1"},
        ),
        (thought(redacted="x"), {"type": "encrypted", "data": "x", "format": "anthropic-messages-v1"}),
        (
            thought(signature=("openai", "x"), item_id="rs_1"),
            {"type": "encrypted", "data": "x", "id": "rs_1", "format": "openai-responses-v1"},
        ),
        (
            thought("So.", signature=("openai", "x"), word="anthropic-messages-v1"),
            {"type": "text", "text": "So.", "signature": "x", "format": "openai-responses-v1"},
        ),
        (thought("So.", signature=("mistral", "x")), {"type": "text", "text": "So."}),
        (thought(redacted="x", signature=("mistral", "x")), None),
    ],
)
def test_thinking_of_others_tells_whose_it_is(block: am.ThinkingBlock, part: Any) -> None:
    """Thinking signed by a provider is written with that provider's format; an unknown signature is dropped."""
    losses: list[am.Loss] = []
    history = am.History([msg("assistant", block, TEXT)])
    document = am.encode(history, CODEC, losses=losses)
    assert document[0].get("reasoning") == (None if part is None else [part])
    assert am.same(am.restore(am.decode(document, CODEC), losses), history)


def test_thinking_of_anthropic_goes_there_and_back() -> None:
    """Signed and redacted thinking of Anthropic passes through Riffer unchanged, so it can be sent back."""
    thoughts = [
        {"type": "thinking", "thinking": "So.", "signature": "EqQB"},
        {"type": "redacted_thinking", "data": "x"},
    ]
    body = {"messages": [{"role": "assistant", "content": [*thoughts, {"type": "text", "text": "Hi"}]}]}
    there = am.convert(body, "anthropic", "riffer")
    assert list(there.losses) == []
    assert am.convert(there.document, "riffer", "anthropic").document == body


def test_unknown_fields_of_files_are_extras() -> None:
    """A file's keys without a field in the model are kept: a checksum, a URL beside data, an image's name."""
    item = {"media_type": "image/png", "data": "aGk=", "url": "https://x.test/a.pdf", "filename": "a", "sha256": "0"}
    block = returned([native("user", "Hi", files=[item])])[0].first(am.ImageBlock)
    assert block is not None
    assert block.extras == {"riffer": {"url": "https://x.test/a.pdf", "filename": "a", "sha256": "0"}}


def test_containers_are_kept() -> None:
    """A message alone, a list, and an object with the list keep their form; other keys are extras."""
    message = native("user")
    assert returned(message).messages == returned([message]).messages
    body = returned({"messages": [message], "session": 7})
    assert body.extras == {"riffer": {"session": 7}}
    more = am.Msg("user", "More")
    assert am.encode(body.extended(more), CODEC) == {"messages": [message, native("user", "More")], "session": 7}
    assert am.encode(returned(message).extended(more), CODEC) == [message, native("user", "More")]


# -- ids, links and dialects ------------------------------------------------------------------------------------------

OLD_CALL = {"id": "item_123", "call_id": "call_456", "name": "weather_tool", "arguments": "{}"}


@pytest.mark.parametrize(
    "document",
    [
        [native("assistant", "", tool_calls=[OLD_CALL]), result("item_123")],
        [native("assistant", "", tool_calls=[OLD_CALL]), result("call_456")],
        [native("assistant", "", id="m-1", tool_calls=[OLD_CALL]), result("call_456")],
        [native("assistant", "", id="m-1", tool_calls=[OLD_CALL]), result("item_123")],
    ],
)
def test_results_are_linked_by_either_id(document: Any) -> None:
    """A result belongs to the call whose call_id or id it names, in any dialect, and comes back the same."""
    asked, answered = returned(document)
    block = asked.tool_calls[0]
    assert (block.id, block.item_id, answered.tool_call_id) == ("call_456", "item_123", "call_456")


def test_a_call_id_comes_before_the_id_of_an_item() -> None:
    """A text that is the call_id of one call and the id of another means the call_id."""
    other = {"id": "call_456", "call_id": "x", "name": "f", "arguments": "{}"}
    history = returned([native("assistant", "", tool_calls=[other, OLD_CALL]), result("call_456")])
    assert history[1].tool_call_id == "call_456"


def test_a_message_that_joins_a_history_is_written_in_its_dialect() -> None:
    """0.9 writes both ids and links by id; today there is only call_id."""
    old = returned([native("assistant", "", tool_calls=[OLD_CALL]), result("item_123")])
    asked = am.Msg.assistant(tool_calls=[{"id": "item_9", "call_id": "call_9", "name": "f", "arguments": "{}"}])
    plain = am.Msg.assistant(tool_calls=[{"id": "call_8", "name": "f", "arguments": "{}"}])
    answers = [am.Msg.tool("x", tool_call_id=link, name="f") for link in ("call_9", "call_8")]
    natives = am.encode(old.extended(asked, plain, *answers), CODEC)[2:]
    rest = {"name": "f", "arguments": "{}"}
    assert [each["tool_calls"] for each in natives[:2]] == [
        [{"id": "item_9", "call_id": "call_9", **rest}],
        [{"id": "call_8", "call_id": "call_8", **rest}],
    ]
    assert [each["tool_call_id"] for each in natives[2:]] == ["item_9", "call_8"]
    today = returned([native("assistant", "", tool_calls=[call()]), result("call_1")])
    natives = am.encode(today.extended(asked, plain, *answers), CODEC)[2:]
    assert natives[1]["tool_calls"] == [{"call_id": "call_8", **rest}]
    assert [each["tool_call_id"] for each in natives[2:]] == ["call_9", "call_8"]


@pytest.mark.parametrize(
    ("version", "ids"), [("0.9", {"id": "call_1", "call_id": "call_1"}), ("latest", {"call_id": "call_1"})]
)
def test_the_version_is_an_option_for_new_histories(version: str, ids: dict[str, str]) -> None:
    """A history that wasn't read from Riffer is written in the dialect of the option."""
    codec = am.get_codec("riffer", version=version)
    (document,) = am.encode([msg("assistant", USE)], codec)
    assert document["tool_calls"] == [{**ids, "name": "weather_tool", "arguments": '{"city":"Tokyo"}'}]
    assert list(document["tool_calls"][0]) == [*ids, "name", "arguments"]
    read = returned([native("assistant", "", tool_calls=[OLD_CALL, call()])])
    assert am.encode(read, codec) == am.encode(read, CODEC)


def test_a_version_that_there_is_not_is_refused() -> None:
    """The option takes the two dialects."""
    with pytest.raises(AgentMsgError):
        am.get_codec("riffer", version="1.0")


def test_a_result_that_would_be_read_as_that_of_another_call_is_a_users_words() -> None:
    """A result without call whose link is the item id of another call isn't supported; its text stays."""
    item = am.ToolUseBlock("call_1", "f", item_id="item_1")
    history = am.History([msg("assistant", item), msg("tool", am.ToolResultBlock("item_1", "22C", name="f"))])
    losses: list[am.Loss] = []
    document = am.encode(history, CODEC, losses=losses)
    assert document[1] == native("user", "22C")
    assert "content" in {loss.level for loss in losses}
    assert am.same(am.restore(am.decode(document, CODEC), losses), history)


def test_ids_of_messages_are_written_where_somebody_gave_them() -> None:
    """The id that the library makes for a new message isn't written: the gem has none unless it is given."""
    assert "id" not in am.encode([am.Msg("user", "Hi")], CODEC)[0]
    assert am.encode([am.Msg("user", "Hi", id="m-1")], CODEC)[0]["id"] == "m-1"


# -- odd documents ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "document",
    [
        native("user", None),
        {"role": "user"},
        native("assistant", "Hi", tool_calls=[], reasoning=[], structured_output=None, token_usage=None),
        native("assistant", "", tool_calls=[{"id": "item_1", "name": "f", "arguments": "{}"}]),
        native("assistant", "", tool_calls=[{"name": "f"}]),
        native("assistant", "", tool_calls=[call(id=None)]),
        native("assistant", "", tool_calls=[call(id="")]),
        native("assistant", "", tool_calls=[call(arguments={"city": "Tokyo"})]),
        native("assistant", "", tool_calls=[call(arguments="{bad")]),
        native("assistant", "", tool_calls=[call(arguments=None, index=0)]),
        native("assistant", "Hi", token_usage={"input_tokens": 9, "cache_creation_tokens": 2, "model": "m"}),
        native("assistant", "Hi", token_usage={"input_tokens": 9, "output_tokens": 1, "cache_creation_tokens": 2}),
        native("assistant", "Hi", finish_reason="tool_use"),
        native("assistant", "Hi", finish_reason="pause", finish_reason_raw=None),
        native("user", "Hi", timestamp="2026-01-15T10:30:45.123Z"),
        native("user", "Hi", timestamp="yesterday", name="Ann"),
        {"role": "tool", "content": "x"},
        result(None),
        result("c", error="", error_type=None),
        result("c", error=None, error_type="x"),
        result("c", error="boom"),
        native("user", "Hi", files=[{"media_type": "image/tiff", "data": "aGk="}, {"url": "https://x.test/"}]),
        native("user", "Hi", files=[{"data": "aGk=", "url": None}]),
    ],
)
def test_odd_documents_are_understood_and_come_back(document: Any) -> None:
    """Other spellings and unknown keys are read without native blocks, and come back exactly."""
    message = returned([document])[0]
    assert message.role == document["role"]
    assert not message.has(am.NativeBlock)


@pytest.mark.parametrize(
    ("stamp", "time"),
    [("2026-01-15T10:30:45.123Z", datetime(2026, 1, 15, 10, 30, 45, 123000, UTC)), ("yesterday", None)],
)
def test_the_times_of_one_version_are_read(stamp: str, time: datetime | None) -> None:
    """One version wrote the time of a message; other messages are written without."""
    assert returned([native("user", "Hi", timestamp=stamp)])[0].created_at == time
    assert am.encode([am.Msg("user", "Hi", created_at=time)], CODEC) == [native("user")]


@pytest.mark.parametrize(
    ("message", "extras"),
    [
        (native("user", timestamp="yesterday"), {"timestamp": "yesterday"}),
        (native("user", timestamp=5, id={"x": 1}), {"timestamp": 5, "id": {"x": 1}}),
        (native("assistant", finish_reason=["stop"]), {"finish_reason": ["stop"]}),
        (native("assistant", finish_reason="stop", finish_reason_raw=7), {"finish_reason_raw": 7}),
        (result("c", error_type=["x"]), {"error_type": ["x"]}),
    ],
)
def test_a_field_that_holds_what_it_cannot_mean_is_an_unknown_field(message: Any, extras: Any) -> None:
    """An invalid time, or a word that isn't a text, is an unknown field; no note holds it."""
    read = returned([message])[0]
    assert read.extras == {"riffer": extras}
    assert "=" not in repr(read.notes)


def test_an_odd_error_type_is_not_written_beside_an_error() -> None:
    """An invalid value in the place of an error's type is lost beside an error, and reported."""
    failed = am.ToolResultBlock("c", "boom", name="f", status="error")
    message = am.Msg("tool", (failed,), id=None, created_at=None, extras={"riffer": {"error_type": ["x"]}})
    losses: list[am.Loss] = []
    document = am.encode([message], CODEC, losses=losses)
    assert document[0]["error_type"] is None
    assert am.same(am.restore(am.decode(document, CODEC), losses)[0], message)


def test_an_error_type_without_an_error() -> None:
    """The type of an error is written if the error itself isn't."""
    message = returned([result("c", error_type="timeout_error")])[0]
    assert message.error_type == "timeout_error"
    assert am.encode([message.evolve(notes={})], CODEC) == [result("c", error_type="timeout_error")]


def test_an_old_counter_beside_its_new_name() -> None:
    """Beside ``cache_write_tokens``, the older name of the counter is an unknown field."""
    counts = {"input_tokens": 9, "output_tokens": 1, "cache_write_tokens": 2, "cache_creation_tokens": 3}
    usage = returned([native("assistant", token_usage=counts)])[0].usage
    assert usage is not None
    assert (usage.cache_write, usage.extras) == (2, {"riffer": {"cache_creation_tokens": 3}})


@pytest.mark.parametrize("word", ["pause", "tool_use", "refusal", "TOOL_CALLS"])
def test_reasons_are_one_word_each(word: str) -> None:
    """A reason unknown to the library stays, even if it looks like one of our words."""
    message = returned([native("assistant", finish_reason=word)])[0]
    assert message.finish_reason == word
    assert word not in repr(message.notes)
    edited = am.encode([message.evolve(finish_reason="length")], CODEC)
    assert edited == [native("assistant", finish_reason="length")]


@pytest.mark.parametrize("media_type", ["image/png", "image/jpeg", "application/pdf", None])
def test_data_in_a_url_stays_there(media_type: str | None) -> None:
    """A file with its data in its URL is read unchanged, whatever type is beside it."""
    told = {} if media_type is None else {"media_type": media_type}
    returned([native("user", files=[{**told, "url": "data:image/png;base64,iVBORw0KGgo="}])])


@pytest.mark.parametrize(
    "document",
    [
        native("user", "Hi", files=[{"filename": "a"}]),
        native("user", "Hi", files=["a.png"]),
        native("assistant", "Hi", reasoning=[{"type": "thought", "text": "So."}]),
    ],
)
def test_items_that_cannot_be_told_are_native_blocks(document: Any) -> None:
    """A file or a part of reasoning that the gem refuses stays whole, and the rest of the message is read."""
    message = returned([document])[0]
    assert (message.role, message.text) == (document["role"], "Hi")
    assert message.has(am.NativeBlock)


@pytest.mark.parametrize(
    "document",
    [
        native("developer"),
        native("user", ["Hi"]),
        native("assistant", "Hi", tool_calls=[5]),
        native("assistant", "Hi", token_usage={"input_tokens": "9"}),
        result(5),
        result("c", error="boom", error_type={"x": 1}),
    ],
)
def test_messages_that_cannot_be_told_are_native_messages(document: Any) -> None:
    """A message whose role or fields are unreadable stays whole, with its text for other formats."""
    (message,) = returned([document])
    content = document["content"]
    assert message.role == "native"
    assert message.content == (
        am.NativeBlock("riffer", document, fallback=content if isinstance(content, str) else None),
    )


@pytest.mark.parametrize(
    ("document", "path"),
    [
        ("text", ()),
        ([native("user"), 5], (1,)),
        ([{"content": "Hi"}], (0, "role")),
        ({"messages": [{"role": None}]}, ("messages", 0, "role")),
        ({"content": "Hi"}, ("role",)),
    ],
)
def test_what_is_no_message_is_refused_with_its_place(document: Any, path: tuple[Any, ...]) -> None:
    """A document with anything but messages raises a DecodeError with the path."""
    assert refused(document, codec=CODEC) == (path, "schema", "riffer")


# -- any history with special content --------------------------------------------------------------------------------

_LINKS = st.sampled_from(("c1", "c2", "i1", "i2", ""))
_WORDS = st.sampled_from(("", "Hi", "x"))
_SPACES = ("riffer", "riffer.part", "openai")
_FIELDS = ("format", "type", "text", "data", "url", "filename", "sha256", "id", "call_id", "error", "files", "k")
_VALUES: st.SearchStrategy[Any] = st.sampled_from(
    ("anthropic-messages-v1", "anthropic-x", "openai-responses-v1", "mock-v1", "text", 5, None)
)
_EXTRAS: st.SearchStrategy[Any] = st.dictionaries(
    st.sampled_from(_SPACES), st.dictionaries(st.sampled_from(_FIELDS), _VALUES, max_size=3), max_size=2
)
_SIGNATURES = st.none() | st.builds(am.Signature, st.sampled_from((None, "anthropic", "openai", "mistral")), _WORDS)
_MEDIA_TYPES = st.sampled_from((None, "", "image/png", "image/tiff", "application/pdf", "text/markdown", "audio/wav"))
_SOURCES: st.SearchStrategy[Any] = st.one_of(
    st.builds(am.URLSource, st.sampled_from(("https://x.test/a.png", "https://x.test/a.pdf", "x", "")), _MEDIA_TYPES),
    st.builds(am.Base64Source, st.sampled_from(("aGk=", "iVBORw0KGgo=", "")), _MEDIA_TYPES, extras=_EXTRAS),
    st.builds(am.TextSource, _WORDS, _MEDIA_TYPES),
)
_BLOCKS: st.SearchStrategy[Any] = st.one_of(
    st.builds(am.TextBlock, _WORDS, extras=_EXTRAS),
    st.builds(
        am.ThinkingBlock,
        _WORDS,
        redacted=st.none() | _WORDS,
        signature=_SIGNATURES,
        item_id=st.none() | _WORDS,
        extras=_EXTRAS,
    ),
    st.builds(am.ToolUseBlock, st.none() | _LINKS, _WORDS, item_id=st.none() | _LINKS, extras=_EXTRAS),
    st.builds(am.ImageBlock, _SOURCES, extras=_EXTRAS),
    st.builds(am.FileBlock, _SOURCES, name=st.none() | _WORDS, title=st.none() | _WORDS, extras=_EXTRAS),
    st.builds(am.NativeBlock, st.just("riffer"), st.sampled_from(({"type": "text"}, {"url": "x"}, {}, 5))),
)
_RESULTS: st.SearchStrategy[Any] = st.builds(
    am.ToolResultBlock,
    st.none() | _LINKS,
    st.lists(st.builds(am.TextBlock, _WORDS), max_size=2),
    name=st.none() | _WORDS,
    error=st.none() | _WORDS,
    error_type=st.none() | _WORDS,
    status=st.sampled_from((None, "success", "error")),
)
_COMMON: dict[str, Any] = {"id": st.none() | _WORDS, "created_at": st.none(), "extras": _EXTRAS}
_ANSWERED: dict[str, Any] = {
    "usage": st.none()
    | st.builds(am.Usage, input=st.none() | st.just(1), cache_write=st.none() | st.just(2), extras=_EXTRAS),
    "finish_reason": st.sampled_from((None, "stop", "tool_use", "tool_calls", "refusal", "x")),
    "structured": st.sampled_from((None, {}, False, {"a": 1})),
    "response_metadata": st.sampled_from(({}, {"finish_reason_raw": "x"}, {"finish_reason_raw": 5}, {"k": 1})),
}
_MESSAGES: st.SearchStrategy[Any] = st.one_of(
    st.builds(am.Msg, st.just("assistant"), st.lists(_BLOCKS, max_size=4), **_COMMON, **_ANSWERED),
    st.builds(am.Msg, st.just("user"), st.lists(_BLOCKS, max_size=4), **_COMMON),
    st.builds(am.Msg, st.just("tool"), st.lists(_RESULTS, min_size=1, max_size=2), **_COMMON),
)


@given(messages=st.lists(_MESSAGES, max_size=4), version=st.sampled_from(("0.9", "latest")), seed=st.integers(0, 2**32))
def test_what_is_special_here_is_accounted_for_honestly(messages: list[am.Msg], version: str, seed: int) -> None:
    """Laws 3 and 5 hold for any mixture of ids, links, signatures, formats and files, in both dialects."""
    codec = am.get_codec("riffer", version=version)
    rng = random.Random(seed)
    honest_account(codec, am.History(messages), rng=rng)
    floor(codec, am.History(messages))
    keys = ("/type", "/ids", "/link", "/no-id", "/odd", "/object", "/version", "format", "data", "url", "id", "call_id")
    marks = (True, "id", "call_id", "both", "text", "summary", "encrypted", "0.9", "latest")
    notes_never_matter(codec, plant_notes(am.History(messages), rng, ("riffer",), keys, marks))


# -- unsupported content ----------------------------------------------------------------------------------------------


def a_file(**fields: Any) -> Any:
    """Return a user message with one file."""
    return native("user", "", files=[fields])


TEXT_DATA = base64.b64encode(b"Text").decode()


@pytest.mark.parametrize(
    ("message", "document", "level"),
    [
        (msg("developer", TEXT), native("system"), "annotation"),
        (msg("assistant", am.TextBlock("a"), am.TextBlock("b")), native("assistant", "a\nb"), "annotation"),
        (
            msg("user", PNG, TEXT),
            native("user", "Hi", files=[{"media_type": "image/png", "data": "iVBORw0KGgo="}]),
            "annotation",
        ),
        (msg("assistant", am.RefusalBlock("No.")), native("assistant", "No."), "content"),
        (msg("assistant", TEXT, PNG), native("assistant"), "content"),
        (
            msg("assistant", TEXT, finish_reason="refusal"),
            native("assistant", finish_reason="content_filter"),
            "annotation",
        ),
        (msg("assistant", TEXT, finish_reason="pause"), native("assistant", finish_reason="other"), "annotation"),
        (
            msg("assistant", TEXT, usage=am.Usage(input=9, total=14, reasoning=3)),
            native("assistant", token_usage={"input_tokens": 9, "output_tokens": 0}),
            "annotation",
        ),
        (
            msg("tool", am.ToolResultBlock("c", structured={"t": 22}, name="f")),
            native("tool", '{"t":22}', tool_call_id="c", name="f"),
            "annotation",
        ),
        (
            msg("tool", am.ToolResultBlock("c", "boom", name="f", status="error")),
            native("tool", "boom", tool_call_id="c", name="f", error="boom", error_type=None),
            "annotation",
        ),
        (
            msg("tool", am.ToolResultBlock("c", name="f", status="denied")),
            native("tool", "", tool_call_id="c", name="f", error="denied", error_type=None),
            "annotation",
        ),
        (
            msg("tool", am.ToolResultBlock("c", (am.TextBlock("a"), am.DataBlock({"b": 1})), name="f")),
            native("tool", 'a\n{"b":1}', tool_call_id="c", name="f"),
            "annotation",
        ),
        (
            msg("tool", am.ToolResultBlock("c", (am.TextBlock("a"), PNG), name="f")),
            native("tool", "a", tool_call_id="c", name="f"),
            "content",
        ),
        (
            msg("user", am.FileBlock(am.TextSource("Text"), title="T")),
            a_file(media_type="text/plain", data=TEXT_DATA, filename="T"),
            "annotation",
        ),
        (
            msg("user", am.FileBlock(am.Base64Source("aGk=", "text/markdown"))),
            a_file(media_type="text/plain", data="aGk="),
            "annotation",
        ),
        (
            msg("user", am.FileBlock(am.Base64Source("aGk=", "image/png"))),
            a_file(media_type="image/png", data="aGk="),
            "annotation",
        ),
        (
            msg("user", am.ImageBlock.from_url("https://x.test/1")),
            a_file(media_type="image/jpeg", url="https://x.test/1"),
            "annotation",
        ),
        (
            msg("user", am.ImageBlock.from_url("data:image/png;base64,aGk=")),
            a_file(media_type="image/png", data="aGk="),
            "annotation",
        ),
        (msg("user", am.ImageBlock(am.Base64Source("aGk=", "image/tiff"))), native("user", ""), "content"),
        (msg("user", am.FileBlock(am.FileSource("f", "openai"))), native("user", ""), "content"),
        (msg("user", am.FileBlock.from_url("https://x.test/1")), native("user", ""), "content"),
        (msg("user", am.VideoBlock.from_url("https://x.test/1")), native("user", ""), "content"),
    ],
)
def test_what_has_no_place_becomes_the_nearest_and_is_accounted_for(message: am.Msg, document: Any, level: str) -> None:
    """Unsupported content is written as the nearest supported one, and the loss report rebuilds the message."""
    losses: list[am.Loss] = []
    history = am.History([message])
    again = am.encode(history, CODEC, losses=losses)
    assert again == [document]
    assert max((loss.level for loss in losses), key=["annotation", "content"].index) == level
    assert am.same(am.restore(am.decode(again, CODEC), losses), history)


def test_calls_without_ids_get_one() -> None:
    """A call and its result from a format without ids are linked by an invented id, which is reported."""
    losses: list[am.Loss] = []
    use, answer = am.ToolUseBlock(None, "f", item_id="i"), am.ToolResultBlock(None, "22C", name="f")
    asked, answered = am.encode([msg("assistant", use), msg("tool", answer)], CODEC, losses=losses)
    assert asked["tool_calls"][0]["call_id"] == answered["tool_call_id"]
    assert {loss.kind for loss in losses} == {"invented"}


def test_edits_of_a_history_of_0_9_keep_its_links() -> None:
    """If a call gets another id, the result linked by it gets it too."""
    history = returned([native("assistant", "", tool_calls=[OLD_CALL]), result("item_123")])
    changed = history[0].evolve(content=(history[0].tool_calls[0].evolve(item_id="item_9"),))
    asked, answered = am.encode(history.evolve(messages=(changed, history[1])), CODEC)
    assert (asked["tool_calls"][0]["id"], answered["tool_call_id"]) == ("item_9", "item_9")


@pytest.mark.parametrize(
    ("document", "wins"),
    [
        ([native("assistant", "", tool_calls=[call()])], True),
        ([native("user"), native("assistant", "Hi", token_usage={"input_tokens": 1, "output_tokens": 1})], True),
        (result("c", error="boom", error_type=None), True),
        ([native("assistant", "", tool_calls=[{"id": "1", "type": "function", "function": {"name": "f"}}])], False),
        ([native("user")], False),
        ([native("user", "Hi", files=[], type="x")], False),
        ([5], False),
    ],
)
def test_documents_are_found_out_by_fields_of_their_own(document: Any, *, wins: bool) -> None:
    """Calls with a call_id, usage, errors and files identify a Riffer document; role and content alone don't."""
    found = am.detect(document)
    assert (bool(found) and found[0][0] == "riffer") is wins
