"""The codec ``arcaelas``: the model of each native object, the generations, odd spellings, unsupported fields.

Exact return, damaged documents, planted notes and the other laws are tested in test_laws.py.
"""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentmsg as am
from agentmsg.errors import AgentMsgError
from agentmsg.model.generated import is_made
from agentmsg.testing import floor, honest_account, notes_never_matter, plant_notes
from agentmsg_codecs.arcaelas import ArcaelasCodec
from support import checked
from support.checked import msg, refused

CODEC = ArcaelasCodec()
returned = partial(checked.returned, codec=CODEC)
written = partial(checked.written, codec="arcaelas")
AT = "2026-01-15T10:30:45.123Z"
TIME = datetime(2026, 1, 15, 10, 30, 45, 123000, UTC)
BASE64 = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}


def native(role: str, content: Any, **fields: Any) -> dict[str, Any]:
    """Return a native message."""
    return {"role": role, "content": content, "timestamp": AT, **fields}


def call(arguments: Any = '{"city":"Tokyo"}', **fields: Any) -> dict[str, Any]:
    """Return a native call."""
    function = {"name": "get_weather", "arguments": arguments}
    return {"id": "call_1", "type": "function", "function": function, **fields}


USE = am.ToolUseBlock("call_1", "get_weather", raw_input='{"city":"Tokyo"}')
PNG = am.ImageBlock(am.Base64Source("iVBORw0KGgo=", "image/png"))
SIGNED = am.ThinkingBlock("So.", signature=am.Signature("anthropic", "EqQBsig=="))


# -- the mapping ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (native("user", "Hi"), msg("user", am.TextBlock("Hi"))),
        (native("system", "Be brief."), msg("system", am.TextBlock("Be brief."))),
        (native("assistant", "Hi"), msg("assistant", am.TextBlock("Hi"))),
        (native("user", ""), msg("user")),
        (native("assistant", None, tool_calls=[call()]), msg("assistant", USE)),
        (native("assistant", "Wait.", tool_calls=[call()]), msg("assistant", am.TextBlock("Wait."), USE)),
        (
            native("assistant", "Sunny.", thinking="So.", thinking_signature="EqQBsig=="),
            msg("assistant", SIGNED, am.TextBlock("Sunny.")),
        ),
        (native("assistant", "Hi", thinking="So."), msg("assistant", am.ThinkingBlock("So."), am.TextBlock("Hi"))),
        (
            native("assistant", None, tool_calls=[call()], thinking_signature="s"),
            msg("assistant", am.ThinkingBlock("", signature=am.Signature("anthropic", "s")), USE),
        ),
        (native("tool", "22C", tool_call_id="call_1"), msg("tool", am.ToolResultBlock("call_1", "22C"))),
        (
            native("tool", [{"type": "text", "text": "chart"}, {"type": "image", "source": BASE64}], tool_call_id="c"),
            msg("tool", am.ToolResultBlock("c", (am.TextBlock("chart"), PNG))),
        ),
        (native("user", [{"type": "image", "source": BASE64}]), msg("user", PNG)),
        (
            native("user", [{"type": "image", "source": {"type": "url", "url": "https://x.test/a"}}]),
            msg("user", am.ImageBlock.from_url("https://x.test/a")),
        ),
        (
            native(
                "user", [{"type": "audio", "source": {"type": "base64", "media_type": "audio/wav", "data": "UklGRg=="}}]
            ),
            msg("user", am.AudioBlock(am.Base64Source("UklGRg==", "audio/wav"))),
        ),
        (
            native("user", [{"type": "document", "source": {"type": "file", "file_id": "file_1"}}]),
            msg("user", am.FileBlock(am.FileSource("file_1"))),
        ),
        (
            native("user", [{"type": "document", "source": {"type": "url", "url": "https://x.test/a.pdf"}}]),
            msg("user", am.FileBlock.from_url("https://x.test/a.pdf")),
        ),
    ],
)
def test_each_native_object_is_an_object_of_the_model(document: Any, message: am.Msg) -> None:
    """A native message is read as this message, which is written as this native one, with keys in this order."""
    expected = message.evolve(created_at=TIME)
    assert am.same(returned(document)[0], expected)
    losses: list[am.Loss] = []
    (again,) = written(expected, losses=losses)
    assert (again, list(again), losses) == (document, list(document), [])


def test_a_result_has_the_name_of_its_call() -> None:
    """Results have no name in this format: they take that of the call with their id."""
    history = returned([native("assistant", None, tool_calls=[call()]), native("tool", "22C", tool_call_id="call_1")])
    assert history[1].tool_results[0].name == "get_weather"


def test_containers_are_kept() -> None:
    """A message alone, a list, and an object with the list keep their form; other keys are extras."""
    message = native("user", "Hi")
    assert returned(message).messages == returned([message]).messages
    body = returned({"messages": [message], "agent": "A"})
    assert body.extras == {"arcaelas": {"agent": "A"}}
    assert am.encode(body.extended(am.Msg("user", "More", created_at=TIME)), CODEC)["agent"] == "A"
    two = am.encode(returned(message).extended(am.Msg("user", "More", created_at=TIME)), CODEC)
    assert [each["content"] for each in two] == ["Hi", "More"]


# -- generations ------------------------------------------------------------------------------------------------------


def test_a_history_keeps_the_field_that_links_its_results() -> None:
    """1.0 linked by tool_id: new results in a history of 1.0 do so too, in any other by tool_call_id."""
    old = returned([native("tool", "Data", tool_id="calc_1")])
    assert old[0].tool_call_id == "calc_1"
    result = am.Msg.tool("More", tool_call_id="calc_2", created_at=TIME, id=None)
    assert am.encode(old.extended(result), CODEC)[1] == native("tool", "More", tool_id="calc_2")
    assert written(result) == [native("tool", "More", tool_call_id="calc_2")]
    assert written(result, version=1) == [native("tool", "More", tool_id="calc_2")]
    today = am.decode([native("tool", "Data", tool_call_id="calc_1")], am.get_codec("arcaelas", version=1))
    assert am.encode(today, am.get_codec("arcaelas", version=1)) == [native("tool", "Data", tool_call_id="calc_1")]
    assert am.encode([old[0]], CODEC) == [native("tool", "Data", tool_call_id="calc_1")]


@pytest.mark.parametrize(
    "document",
    [
        [native("tool", "a", tool_id="1"), native("tool", "b", tool_call_id="2")],
        [native("tool", "a", tool_id="1", tool_call_id="1")],
        [native("tool", "a", tool_id="1", tool_call_id="2")],
        [native("tool", "a")],
        [native("tool", "a", tool_call_id=None)],
        [native("tool", "a", tool_call_id="")],
    ],
)
def test_links_of_any_kind_come_back(document: Any) -> None:
    """Results linked by either field, both or none are read as results and come back."""
    for message in returned(document):
        assert message.role == "tool"


# -- times ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("time", "text"),
    [
        (TIME, AT),
        (TIME.replace(microsecond=0), "2026-01-15T10:30:45.000Z"),
        (TIME.replace(microsecond=123456), AT),
        (TIME.replace(tzinfo=None), AT),
        (TIME.astimezone(timezone(timedelta(hours=2))), AT),
        (datetime(9, 1, 1, tzinfo=UTC), "0009-01-01T00:00:00.000Z"),
        (datetime.min.replace(tzinfo=timezone(timedelta(hours=2))), "0001-01-01T00:00:00.000Z"),
        (datetime.max.replace(tzinfo=timezone(timedelta(hours=-2))), "9999-12-31T23:59:59.999Z"),
    ],
    ids=str,
)
def test_times_are_written_in_milliseconds_of_utc(time: datetime, text: str) -> None:
    """A time is written as in JavaScript; its zone and further digits are in the loss report."""
    losses: list[am.Loss] = []
    history = am.History([am.Msg("user", "Hi", id=None, created_at=time)])
    document = am.encode(history, CODEC, losses=losses)
    assert document[0]["timestamp"] == text
    assert [loss.path[-1] for loss in losses] == (
        [] if am.same(CODEC.read(document)[0].created_at, time) else ["created_at"]
    )
    assert all(loss.level == "annotation" for loss in losses)


def test_a_time_that_the_library_made_is_written_exactly() -> None:
    """The time of a new message is written, and reads back as the same time."""
    message = am.Msg("user", "Hi")
    assert is_made(message.created_at)
    assert am.same(CODEC.read(written(message))[0].created_at, message.created_at)


@pytest.mark.parametrize(
    "stamp",
    [
        "2026-01-15T10:30:45Z",
        "2026-01-15T10:30:45.123456+02:00",
        "2026-01-15",
        "20260115T103045",
        "2026-01-15T10:30:45",
    ],
)
def test_times_in_other_words_are_read_and_come_back(stamp: str) -> None:
    """Another spelling of a time is read as that time, and written again unchanged."""
    history = returned([{**native("user", "Hi"), "timestamp": stamp}])
    assert history[0].created_at == datetime.fromisoformat(stamp)


@pytest.mark.parametrize("stamp", ["yesterday", "", None, "2026-13-45T00:00:00.000Z"])
def test_what_is_no_time_is_none(stamp: Any) -> None:
    """A text that isn't a time leaves the message without one, and comes back."""
    assert returned([{**native("user", "Hi"), "timestamp": stamp}])[0].created_at is None


# -- odd documents ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "document",
    [
        native("assistant", "hi", tool_calls=[]),
        native("assistant", "", tool_calls=[call()]),
        {"role": "assistant", "tool_calls": [call()]},
        native("assistant", None),
        native("assistant", "hi", thinking="", thinking_signature=None),
        native("assistant", None, tool_calls=[call({"city": "Tokyo"})]),
        native("assistant", None, tool_calls=[call([1])]),
        native("assistant", None, tool_calls=[call("{bad")]),
        native("assistant", None, tool_calls=[call('{"n": 1.10}')]),
        native("assistant", None, tool_calls=[call(index=0)]),
        native("assistant", None, tool_calls=[{"type": "function", "function": {"name": "f", "strict": True}}]),
        native("assistant", [{"type": "text", "text": "a"}, {"type": "text", "text": ""}]),
        native("system", [{"type": "text", "text": "a", "k": 1}]),
        native("user", [{"type": "text", "text": "a"}]),
        native("user", []),
        native("user", [{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}]),
        native("user", [{"type": "image", "source": {"type": "base64", "data": "aGk=", "k": 1}, "alt": "x"}]),
        native("user", "Hi", tool_calls=[call()], tool_call_id="x"),
        native("developer", "Hi"),
        native("moderator", [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]),
    ],
)
def test_odd_documents_are_understood_and_come_back(document: Any) -> None:
    """Other spellings, unknown keys and roles are read without native blocks, and come back exactly."""
    message = returned([document])[0]
    assert message.role == document["role"]
    assert not message.has(am.NativeBlock)


@pytest.mark.parametrize(
    ("message", "extras"),
    [
        ({**native("user", "Hi"), "timestamp": "yesterday"}, {"timestamp": "yesterday"}),
        (native("assistant", "Hi", thinking={"x": 1}), {"thinking": {"x": 1}}),
        (native("assistant", "Hi", thinking="hm", thinking_signature=5), {"thinking_signature": 5}),
        (native("tool", "a", tool_id="1", tool_call_id="2"), {"tool_id": "1"}),
        (native("tool", "a", tool_id="1", tool_call_id="1"), {"tool_id": "1"}),
        (native("tool", "a", tool_id={"x": 1}, tool_call_id="1"), {"tool_id": {"x": 1}}),
    ],
)
def test_a_field_that_holds_what_it_cannot_mean_is_an_unknown_field(message: Any, extras: Any) -> None:
    """An invalid time, thinking that isn't a text, and a second link are unknown fields; no note holds them."""
    for document in ([message], message):
        read = returned(document)[0]
        assert read.extras == {"arcaelas": extras}
        assert "=" not in repr(read.notes)


def test_a_second_link_is_no_link_of_a_new_result() -> None:
    """An unknown field named like the older link isn't written if a result could be linked by it."""
    extras = {"arcaelas": {"tool_id": "other"}}
    result = am.Msg("tool", (am.ToolResultBlock("c", "x"),), id=None, created_at=None, extras=extras)
    assert written(result, version=1, losses=[]) == [{"role": "tool", "content": "x", "tool_id": "c"}]
    assert written(result, losses=[]) == [{"role": "tool", "content": "x", "tool_call_id": "c"}]


@pytest.mark.parametrize(
    "document",
    [
        native("user", [{"type": "video", "source": BASE64}]),
        native("user", [{"type": "audio", "source": {"type": "url", "url": "https://x.test/a"}}]),
        native("assistant", [{"type": "image", "source": BASE64}]),
        native("user", ["text"]),
    ],
)
def test_parts_that_the_library_does_not_have_are_native_blocks(document: Any) -> None:
    """A part that the model can't express stays whole, as a block, and the rest of the message is read."""
    message = returned([document])[0]
    assert message.role == document["role"]
    assert [type(block) for block in message.content] == [am.NativeBlock]


@pytest.mark.parametrize(
    "document",
    [
        native("assistant", None, tool_calls=[{"id": "1", "type": "custom", "custom": {"name": "f", "input": "x"}}]),
        native("user", 5),
        {**native("user", "Hi"), "timestamp": 5},
        native("remove", "Hi"),
        native("", "Hi"),
    ],
)
def test_messages_that_cannot_be_told_are_native_messages(document: Any) -> None:
    """A message with unreadable fields stays whole."""
    message = returned([document])[0]
    assert message.role == "native"
    content = document["content"]
    assert message.first(am.NativeBlock) == am.NativeBlock(
        "arcaelas", document, fallback=content if isinstance(content, str) and content else None
    )


@pytest.mark.parametrize(
    ("document", "path"),
    [
        ("text", ()),
        ([native("user", "Hi"), 5], (1,)),
        ([{"content": "Hi"}], (0, "role")),
        ({"messages": [{"role": 5}]}, ("messages", 0, "role")),
        ({"content": "Hi"}, ("role",)),
    ],
    ids=str,
)
def test_what_is_no_message_is_refused_with_its_place(document: Any, path: tuple[Any, ...]) -> None:
    """A document with anything but messages raises a DecodeError with the path."""
    assert refused(document, codec=CODEC) == (path, "schema", "arcaelas")


# -- any history with special content --------------------------------------------------------------------------------

_WORDS = st.sampled_from(("", "Hi", "x"))
_LINKS = st.sampled_from((None, "c1", "c2", ""))
_FIELDS = ("type", "text", "source", "media_type", "data", "url", "id", "function", "name", "thinking", "tool_id", "k")
_EXTRAS: st.SearchStrategy[Any] = st.dictionaries(
    st.sampled_from(("arcaelas", "arcaelas.item", "openai")),
    st.dictionaries(st.sampled_from(_FIELDS), st.sampled_from(("x", 5, None, {})), max_size=3),
    max_size=2,
)
_MEDIA_TYPES = st.sampled_from((None, "", "image/png", "audio/wav"))
_SOURCES: st.SearchStrategy[Any] = st.one_of(
    st.builds(am.URLSource, st.sampled_from(("https://x.test/a", "data:audio/wav;base64,aGk=", "")), _MEDIA_TYPES),
    st.builds(am.Base64Source, st.sampled_from(("aGk=", "iVBORw0KGgo=", "")), _MEDIA_TYPES, extras=_EXTRAS),
    st.builds(am.FileSource, _WORDS, st.sampled_from((None, "openai")), extras=_EXTRAS),
    st.builds(am.TextSource, _WORDS),
)
_SIGNATURES = st.none() | st.builds(am.Signature, st.sampled_from((None, "anthropic", "openai")), _WORDS)
_BLOCKS: st.SearchStrategy[Any] = st.one_of(
    st.builds(am.TextBlock, _WORDS, extras=_EXTRAS),
    st.builds(am.ThinkingBlock, _WORDS, redacted=st.none() | _WORDS, signature=_SIGNATURES, extras=_EXTRAS),
    st.builds(am.ToolUseBlock, _LINKS, _WORDS, raw_input=st.sampled_from(("{}", "{bad", "null", "")), extras=_EXTRAS),
    st.builds(am.ImageBlock, _SOURCES, extras=_EXTRAS),
    st.builds(am.AudioBlock, _SOURCES, transcript=st.none() | _WORDS),
    st.builds(am.FileBlock, _SOURCES, title=st.none() | _WORDS, extras=_EXTRAS),
    st.builds(
        am.NativeBlock, st.just("arcaelas"), st.sampled_from(({"type": "text"}, {"type": "text", "text": "x"}, 5))
    ),
)
_RESULTS: st.SearchStrategy[Any] = st.builds(
    am.ToolResultBlock, _LINKS, st.lists(_BLOCKS, max_size=3), error=st.none() | _WORDS
)
_TIMES: st.SearchStrategy[Any] = st.none() | st.datetimes(
    timezones=st.sampled_from((None, UTC, timezone(timedelta(hours=-5))))
)
_COMMON: dict[str, Any] = {"id": st.none(), "created_at": _TIMES, "extras": _EXTRAS}
_ROLES = st.sampled_from(("assistant", "user", "system", "developer", "moderator"))
_MESSAGES: st.SearchStrategy[Any] = st.one_of(
    st.builds(am.Msg, role=_ROLES, content=st.lists(_BLOCKS, max_size=4), **_COMMON),
    st.builds(am.Msg, st.just("tool"), st.lists(_RESULTS, min_size=1, max_size=2), **_COMMON),
)


@given(messages=st.lists(_MESSAGES, max_size=4), version=st.sampled_from((1, 2)), seed=st.integers(0, 2**32))
def test_what_is_special_here_is_accounted_for_honestly(messages: list[am.Msg], version: int, seed: int) -> None:
    """Laws 3 and 5 hold for any mixture of blocks, sources, signatures, times and links, in both generations."""
    codec = am.get_codec("arcaelas", version=version)
    rng = random.Random(seed)
    honest_account(codec, am.History(messages), rng=rng)
    floor(codec, am.History(messages))
    keys = ("/odd", "/list", "/link", "/no-id", "/object", "/time", "/version", "/container", "timestamp", "content")
    marks = (True, "tool_id", "tool_call_id", 1, 2, "single", "body")
    notes_never_matter(codec, plant_notes(am.History(messages), rng, ("arcaelas",), keys, marks))


# -- unsupported content ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "document", "level"),
    [
        (msg("developer", am.TextBlock("Hi")), {"role": "system", "content": "Hi"}, "annotation"),
        (
            msg("assistant", am.TextBlock("a"), am.TextBlock("b")),
            {"role": "assistant", "content": "a\nb"},
            "annotation",
        ),
        (
            msg("assistant", USE, am.TextBlock("a")),
            {"role": "assistant", "content": "a", "tool_calls": [call()]},
            "annotation",
        ),
        (msg("assistant", am.RefusalBlock("No.")), {"role": "assistant", "content": "No."}, "content"),
        (
            msg("assistant", am.ThinkingBlock("a"), am.ThinkingBlock("b"), am.TextBlock("c")),
            {"role": "assistant", "content": "c", "thinking": "a\nb"},
            "annotation",
        ),
        (
            msg("assistant", am.ThinkingBlock("a", signature=am.Signature("openai", "s"))),
            {"role": "assistant", "content": "", "thinking": "a"},
            "content",
        ),
        (
            msg("assistant", SIGNED, am.ThinkingBlock("b"), am.TextBlock("c")),
            {"role": "assistant", "content": "c", "thinking": "So.", "thinking_signature": "EqQBsig=="},
            "content",
        ),
        (
            msg("assistant", am.ThinkingBlock(redacted="x"), am.TextBlock("c")),
            {"role": "assistant", "content": "c"},
            "content",
        ),
        (msg("assistant", PNG, am.TextBlock("c")), {"role": "assistant", "content": "c"}, "content"),
        (
            msg("assistant", am.ToolUseBlock("c", "f", "text", kind="custom")),
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"input":"text"}'}}
                ],
            },
            "content",
        ),
        (
            msg("tool", am.ToolResultBlock("c", structured={"t": 22})),
            {"role": "tool", "content": '{"t":22}', "tool_call_id": "c"},
            "annotation",
        ),
        (
            msg("tool", am.ToolResultBlock("c", error="boom")),
            {"role": "tool", "content": "boom", "tool_call_id": "c"},
            "annotation",
        ),
        (
            msg("user", am.AudioBlock.from_url("data:audio/wav;base64,UklGRg==")),
            {
                "role": "user",
                "content": [
                    {"type": "audio", "source": {"type": "base64", "media_type": "audio/wav", "data": "UklGRg=="}}
                ],
            },
            "annotation",
        ),
        (msg("user", am.AudioBlock.from_url("https://x.test/a", None)), {"role": "user", "content": ""}, "content"),
        (
            msg("user", am.FileBlock(am.TextSource("Text"), title="T")),
            {"role": "user", "content": "T\n\nText"},
            "content",
        ),
        (
            msg("user", am.FileBlock(am.FileSource("f", "openai"))),
            {"role": "user", "content": [{"type": "document", "source": {"type": "file", "file_id": "f"}}]},
            "annotation",
        ),
        (
            msg("user", am.ImageBlock(am.Base64Source("iVBORw0KGgo="))),
            native("user", [{"type": "image", "source": BASE64}]),
            "annotation",
        ),
        (msg("user", am.ImageBlock(am.Base64Source("aGk="))), {"role": "user", "content": ""}, "content"),
    ],
)
def test_what_has_no_place_becomes_the_nearest_and_is_accounted_for(message: am.Msg, document: Any, level: str) -> None:
    """Unsupported content is written as the nearest supported one, and the loss report rebuilds the message."""
    losses: list[am.Loss] = []
    history = am.History([message])
    (again,) = am.encode(history, CODEC, losses=losses)
    assert again == {key: value for key, value in document.items() if key != "timestamp"}
    assert max((loss.level for loss in losses), key=["annotation", "content"].index) == level
    assert am.same(am.restore(am.decode([again], CODEC), losses), history)


def test_calls_without_ids_get_one() -> None:
    """A call and its result from a format without ids are linked by an invented id, which is reported."""
    losses: list[am.Loss] = []
    asked, answered = written(
        msg("assistant", am.ToolUseBlock(None, "f")), msg("tool", am.ToolResultBlock(None, "22C")), losses=losses
    )
    assert asked["tool_calls"][0]["id"] == answered["tool_call_id"]
    assert {loss.kind for loss in losses} == {"invented"}


def test_a_conversation_of_openai_needs_no_more_than_times() -> None:
    """Calls, arguments and results of OpenAI convert exactly, and come back."""
    arguments = '{"city": "Tokyo"}'
    chat = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Weather?"},
        {"role": "assistant", "content": None, "tool_calls": [call(arguments)]},
        {"role": "tool", "tool_call_id": "call_1", "content": "22C"},
    ]
    result = am.convert(chat, "openai", "arcaelas")
    assert list(result.losses) == []
    assert result.document[2]["tool_calls"][0]["function"]["arguments"] == arguments
    assert am.convert(result.document, "arcaelas", am.get_codec("openai", container="list")).document == chat


@given(st.binary(max_size=30))
def test_media_go_through_unchanged(data: bytes) -> None:
    """An image keeps its given bytes, whatever they are."""
    message = msg("user", am.ImageBlock.from_bytes(data, "image/png"))
    block = CODEC.read(written(message))[0].first(am.ImageBlock)
    assert block is not None
    assert isinstance(block.source, am.Base64Source)
    assert block.source.decode() == data


@pytest.mark.parametrize(
    ("document", "wins"),
    [
        ([native("user", "Hi")], True),
        ({"messages": [native("assistant", None, tool_calls=[call()])]}, True),
        ([{"role": "user", "content": "Hi"}], False),
        ([{**native("user", "Hi"), "id": "1"}], False),
        ([{**native("user", "Hi"), "timestamp": "2026-01-15 10:30:45.123"}], False),
        ([], False),
        ([5], False),
    ],
    ids=str,
)
def test_documents_are_found_out_by_their_times(document: Any, *, wins: bool) -> None:
    """A time in JavaScript's spelling, and no field unknown to the library, identify an Arcaelas document."""
    found = am.detect(document)
    assert (bool(found) and found[0][0] == "arcaelas") is wins


def test_a_version_that_there_is_not_is_refused() -> None:
    """The option takes the two generations, which link results differently."""
    with pytest.raises(AgentMsgError):
        am.get_codec("arcaelas", version=3)


def test_extras_keep_their_order() -> None:
    """The keys that the library writes first are no extras."""
    document: dict[str, Any] = {"role": "user", "content": "x", "timestamp": AT, "zq": 1, "tool_calls": [], "y": 2}
    history = returned([document])
    own: Any = history[0].extras["arcaelas"]
    assert list(own) == ["zq", "tool_calls", "y"]
    honest_account(CODEC, history)
