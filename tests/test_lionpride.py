"""The codec ``lionpride``: the model of each field, the choice of the role, odd forms, unsupported content.

Exact return, damaged documents, planted notes and the other laws are tested in test_laws.py.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest

import agentmsg as am
from agentmsg_codecs.lionpride import LionprideCodec
from support import checked
from support.checked import msg, refused

CODEC = LionprideCodec()
returned = partial(checked.returned, codec=CODEC)
written = partial(checked.written, codec="lionpride")
ID = "11111111-1111-4111-8111-111111111111"
OTHER = "22222222-2222-4222-8222-222222222222"
CLASS = {"lion_class": "lionpride.session.messages.message.Message"}
URL = "https://example.org/a.png"


def node(content: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a node as the real library writes it."""
    return {
        "id": ID,
        "created_at": "2026-01-15T10:30:00+00:00",
        "metadata": {**CLASS},
        "content": content,
        "embedding": None,
        "sender": None,
        "recipient": None,
        **fields,
    }


def only(content: dict[str, Any], **fields: Any) -> am.Msg:
    """Check that a node comes back exactly, and return its message."""
    return returned([node(content, **fields)])[0]


def contents(*messages: am.Msg, losses: list[am.Loss] | None = None) -> list[Any]:
    """Return the contents of the nodes of some messages."""
    return [native["content"] for native in written(*messages, losses=losses)]


MAPPING: list[tuple[dict[str, Any], str, tuple[am.Block, ...]]] = [
    ({"system_message": "Be brief."}, "system", (am.TextBlock("Be brief."),)),
    ({"system_datetime": True}, "system", (am.DataBlock(True, name="system_datetime"),)),
    (
        {"system_message": "Be brief.", "system_datetime": "now"},
        "system",
        (am.TextBlock("Be brief."), am.DataBlock("now", name="system_datetime")),
    ),
    ({"instruction": "Hello"}, "user", (am.TextBlock("Hello"),)),
    ({"instruction": {"sum": [1, 2]}}, "user", (am.DataBlock({"sum": [1, 2]}, name="instruction"),)),
    ({"context": ["a", {"k": 1}]}, "user", (am.DataBlock(["a", {"k": 1}], name="context"),)),
    ({"tool_schemas": ["f(x)"]}, "user", (am.DataBlock(["f(x)"], name="tool_schemas"),)),
    ({"request_model": {"x": 1}}, "user", (am.DataBlock({"x": 1}, name="request_model"),)),
    ({"images": [URL]}, "user", (am.ImageBlock(am.URLSource(URL)),)),
    ({"images": [URL], "image_detail": "low"}, "user", (am.ImageBlock(am.URLSource(URL), detail="low"),)),
    ({"instruction": None, "image_detail": "low"}, "user", (am.DataBlock("low", name="image_detail"),)),
    (
        {"instruction": "See", "images": [URL, URL], "context": ["a"]},
        "user",
        (
            am.TextBlock("See"),
            am.DataBlock(["a"], name="context"),
            am.ImageBlock(am.URLSource(URL)),
            am.ImageBlock(am.URLSource(URL)),
        ),
    ),
    ({"assistant_response": "Paris."}, "assistant", (am.TextBlock("Paris."),)),
    ({"function": "f", "arguments": {"a": 1}}, "assistant", (am.ToolUseBlock(ID, "f", {"a": 1}),)),
    ({"result": "said", "request_id": OTHER}, "tool", (am.ToolResultBlock(OTHER, "said"),)),
    ({"result": ["a", 1], "request_id": OTHER}, "tool", (am.ToolResultBlock(OTHER, structured=["a", 1]),)),
    ({"error": "boom", "request_id": "req_1"}, "tool", (am.ToolResultBlock("req_1", error="boom"),)),
]


@pytest.mark.parametrize(("content", "role", "blocks"), MAPPING, ids=lambda value: repr(value)[:120])
def test_fields_and_blocks(content: dict[str, Any], role: str, blocks: tuple[am.Block, ...]) -> None:
    """Each field of content is a block, and a new block like it is written as the same field."""
    message = only(content)
    assert (message.role, message.content) == (role, blocks)
    if content.get("request_id") != "req_1":  # a new one would have a UUID
        assert contents(msg(role, *blocks, id=ID)) == [content]


EMPTY: list[tuple[dict[str, Any], str, int]] = [
    ({}, "user", 0),
    ({"instruction": None}, "user", 0),
    ({"instruction": ""}, "user", 1),
    ({"context": []}, "user", 1),
    ({"image_detail": "low"}, "user", 1),
    ({"images": []}, "user", 0),
    ({"assistant_response": None}, "assistant", 0),
    ({"assistant_response": ""}, "assistant", 1),
    ({"system_message": None}, "system", 0),
    ({"result": None}, "tool", 1),
    ({"function": "f", "arguments": {}}, "assistant", 1),
    ({"function": "f"}, "assistant", 1),
    ({"arguments": None}, "assistant", 1),
]


@pytest.mark.parametrize(("content", "role", "blocks"), EMPTY, ids=repr)
def test_empty_keys_count(content: dict[str, Any], role: str, blocks: int) -> None:
    """The presence of a key decides the role; an empty value is a block, null is none."""
    message = only(content)
    assert (message.role, len(message.content)) == (role, blocks)


PRECEDENCE: list[tuple[list[str], str]] = [
    (["images", "assistant_response"], "user"),
    (["assistant_response", "result"], "assistant"),
    (["result", "function"], "tool"),
    (["error", "arguments"], "tool"),
    (["function", "system_message"], "assistant"),
    (["system_datetime", "request_id"], "system"),
    (["request_id", "image_detail"], "user"),
]


@pytest.mark.parametrize(("keys", "role"), PRECEDENCE, ids=repr)
def test_first_class_wins(keys: list[str], role: str) -> None:
    """With keys of several classes the first class decides; the others are kept, and decide nothing."""
    content: dict[str, Any] = dict.fromkeys(keys, "x")
    if "images" in content:
        content["images"] = [URL]
    if "arguments" in content:
        content["arguments"] = {}
    assert only(content).role == role
    assert only(dict(reversed(content.items()))).role == role


OF_ANOTHER_CLASS: list[dict[str, Any]] = [
    {"assistant_response": "Paris.", "instruction": None},
    {"assistant_response": "Paris.", "images": []},
    {"function": "f", "arguments": {}, "context": None, "request_model": ""},
    {"function": "f", "result": None},
    {"system_message": "Be brief.", "assistant_response": None},
    {"result": 1, "tool_schemas": False},
]


@pytest.mark.parametrize("content", OF_ANOTHER_CLASS, ids=repr)
@pytest.mark.parametrize("target", ["anthropic", "openai", "json", "riffer"])
def test_keys_of_another_class_are_unknown_fields(content: dict[str, Any], target: am.CodecName) -> None:
    """A key of another class of content is an unknown field: it stays, or is in the loss report."""
    document = node(content)
    extras: Any = only(content).extras["lionpride.content"]
    told = {key: value for key, value in content.items() if value not in (None, [], "", False)}
    assert {key: extras[key] for key in told} == told
    converted = am.convert(document, "lionpride", target)
    restored = am.restore(am.decode(converted.document, target), converted.losses)
    assert am.encode(restored, "lionpride", container="single") == document


def test_both_names_of_metadata() -> None:
    """Beside metadata, its name in databases is an unknown field."""
    for other in ({"a": 1}, None, "x"):
        message = only({"instruction": "x"}, node_metadata=other)
        assert (message.metadata, message.extras) == ({}, {"lionpride": {"node_metadata": other}})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("created_at", "yesterday"),
        ("created_at", {"x": 1}),
        ("id", 7),
        ("metadata", "x"),
        ("embedding", "x"),
        ("embedding", [1, "x"]),
        ("sender", {"x": 1}),
        ("recipient", ["x"]),
    ],
)
def test_fields_that_hold_something_else(key: str, value: Any) -> None:
    """A field with an invalid value is an unknown field; the rest of the message is read."""
    contents: list[dict[str, Any]] = [{"instruction": "x"}, {"function": "f", "arguments": {}}]
    for content in contents:
        message = only(content, **{key: value})
        assert message.role != "native"
        assert message.extras["lionpride"] == {key: value}
    (native,) = written(am.Msg.user("x", extras={"lionpride": {key: value}}, metadata={"a": 1}), losses=[])
    if key in ("id", "created_at", "metadata"):
        assert native[key] != value, "what the message says itself counts"


def test_unknown_keys_change_no_role() -> None:
    """Keys that would change the class of a content aren't written, and are reported."""
    losses: list[am.Loss] = []
    own = {"lionpride.content": {"instruction": "no", "note": 1}}
    assert contents(msg("assistant", am.TextBlock("hi"), extras=own), losses=losses) == [
        {"assistant_response": "hi", "note": 1}
    ]
    assert [loss.path for loss in losses] == [("messages", 0, "extras", "lionpride.content", "instruction")]


def test_no_more_than_content() -> None:
    """A content without a node around it is a message, and comes back without one."""
    message = am.Msg.decode({"content": {"instruction": "Hello"}}, "lionpride")
    assert (message.role, message.text, message.id, message.created_at) == ("user", "Hello", None, None)
    assert message.encode("lionpride", container="single") == {"content": {"instruction": "Hello"}}


def test_fields_of_nodes() -> None:
    """Sender, recipient, id, time, embedding and metadata with its lineage have fields of the model."""
    lineage = {"clone_from": OTHER, "original_created_at": "2026-01-15T10:00:00+00:00", "mine": [1]}
    message = only(
        {"instruction": "x"}, sender="agent", recipient=OTHER, embedding=[0.5, -1.0], metadata={**lineage, **CLASS}
    )
    assert (message.name, message.recipient, message.id) == ("agent", OTHER, ID)
    assert message.embedding == (0.5, -1.0)
    assert message.metadata == lineage
    assert message.created_at == datetime(2026, 1, 15, 10, 30, tzinfo=UTC)


def test_clones_keep_their_lineage() -> None:
    """The metadata of our clone equals that of a lionpride clone."""
    clone = only({"instruction": "x"}).clone(name="b")
    (native,) = written(clone)
    assert native["metadata"] == {"clone_from": ID, "original_created_at": "2026-01-15T10:30:00+00:00", **CLASS}
    assert (native["sender"], native["content"]) == ("b", {"instruction": "x"})


TIMES: list[tuple[Any, datetime]] = [
    ("2026-01-15T10:30:00.000250+00:00", datetime(2026, 1, 15, 10, 30, 0, 250, UTC)),
    ("2026-01-15T10:30:00", datetime(2026, 1, 15, 10, 30)),
    ("2026-01-15T10:30:00Z", datetime(2026, 1, 15, 10, 30, tzinfo=UTC)),
    (1700000000, datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)),
    (1700000000.5, datetime(2023, 11, 14, 22, 13, 20, 500000, UTC)),
    ("1700000000", datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)),
    ("1700000000.5", datetime(2023, 11, 14, 22, 13, 20, 500000, UTC)),
]


@pytest.mark.parametrize(("spelt", "time"), TIMES, ids=repr)
def test_forms_of_times(spelt: Any, time: datetime) -> None:
    """Times are read in all forms that lionpride reads, and written again in theirs; a new one as ISO 8601."""
    message = only({"instruction": "x"}, created_at=spelt)
    assert message.created_at is not None
    assert am.same(message.created_at, time)
    later = message.evolve(created_at=message.created_at.replace(year=2030))
    assert am.same(am.Msg.decode(written(later), "lionpride").created_at, later.created_at)
    assert written(msg("user", am.TextBlock("x"), created_at=time))[0]["created_at"] == time.isoformat()


@pytest.mark.parametrize(
    "fields",
    [
        {"sender": "", "recipient": ""},
        {"metadata": {}},
        {"metadata": None},
        {"metadata": {"lion_class": "other.Message", "a": 1}},
        {"embedding": [1, 2]},
        {"embedding": "[1.0, 2.5]"},
        {"id": "not-a-uuid"},
        {"role": "user"},
        {"x": {"y": 1}},
    ],
    ids=repr,
)
def test_odd_nodes_come_back(fields: dict[str, Any]) -> None:
    """Odd spellings and unknown keys of a node are read and written again; none makes it a native message."""
    assert only({"instruction": "x"}, **fields).role == "user"


def test_database_form() -> None:
    """Metadata under its name in databases is metadata, and keeps that name."""
    native = node({"instruction": "x"}, node_metadata={"a": 1, **CLASS})
    del native["metadata"]
    assert returned([native])[0].metadata == {"a": 1}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ({"assistant_response": 123}, "123"),
        ({"assistant_response": {"a": 1}}, '{"a":1}'),
        ({"system_message": True}, "true"),
        ({"system_message": 1.0}, "1.0"),
    ],
    ids=repr,
)
def test_parsed_texts_are_texts(content: dict[str, Any], text: str) -> None:
    """A value that the real writer parsed from a text is that text again; a new text isn't parsed."""
    message = only(content)
    assert message.text == text
    (key,) = content
    assert contents(msg(message.role, am.TextBlock(text))) == [{key: text}]


def test_parsed_words_of_results_and_calls() -> None:
    """The same goes for errors, request ids and the names of functions."""
    result = only({"error": {"code": 5}, "request_id": 7}).first(am.ToolResultBlock)
    assert result is not None
    assert (result.error, result.tool_call_id) == ('{"code":5}', "7")
    assert only({"function": 5, "arguments": {}}).tool_calls[0].name == "5"


ARGUMENTS: list[tuple[Any, Any]] = [
    ({"a": 1}, {"a": 1}),
    ([1, 2], [1, 2]),
    ("text", "text"),
    ({"_raw": [1]}, [1]),
    ({"_raw": {"_raw": 1}}, {"_raw": 1}),
]


@pytest.mark.parametrize(("arguments", "value"), ARGUMENTS, ids=repr)
def test_arguments(arguments: Any, value: Any) -> None:
    """Arguments are an object; any other value is in an envelope, unless it was read without."""
    assert only({"function": "f", "arguments": arguments}).tool_calls[0].input == value


def test_invalid_arguments_survive() -> None:
    """Arguments that aren't JSON are kept to the letter in the envelope, without a loss of content."""
    losses: list[am.Loss] = []
    call = am.ToolUseBlock(ID, "f", raw_input='{"a": ')
    document = written(msg("assistant", call, id=ID), losses=losses)
    assert document[0]["content"] == {"function": "f", "arguments": {"_raw": '{"a": '}}
    assert not losses
    assert am.decode(document, "lionpride")[0].content == (call,)


def test_calls_and_results_are_linked() -> None:
    """The id of a call is that of its message, and a result has the name of its call."""
    history = returned([node({"function": "f", "arguments": {}}), node({"result": 1, "request_id": ID}, id=OTHER)])
    assert history[0].tool_calls[0].id == history[0].id == ID
    assert history[1].tool_results[0].name == "f"


def test_each_call_is_a_message() -> None:
    """Parallel calls are split, ids that aren't UUIDs become UUIDs, and results still find their calls."""
    losses: list[am.Loss] = []
    calls = [am.ToolUseBlock("call_1", "f"), am.ToolUseBlock("call_2", "g")]
    messages = [
        msg("assistant", am.TextBlock("Both."), *calls),
        am.Msg("tool", (am.ToolResultBlock("call_2", "two", name="g"),), id=None, created_at=None),
        am.Msg("tool", (am.ToolResultBlock("call_1", "one", name="f"),), id=None, created_at=None),
    ]
    document = written(*messages, losses=losses)
    assert [native["content"].get("function") for native in document] == [None, "f", "g", None, None]
    assert document[3]["content"]["request_id"] == document[2]["id"]
    assert document[4]["content"]["request_id"] == document[1]["id"]
    back = am.decode(document, "lionpride")
    assert [message.tool_results[0].name for message in back.messages[3:]] == ["g", "f"]
    assert am.same(am.restore(back, losses), am.History(messages))
    assert {loss.level for loss in losses} == {"annotation"}


def test_containers() -> None:
    """Lists, single messages and piles keep their form; a pile keeps its keys beside the items."""
    one = node({"instruction": "x"})
    pile = {"id": OTHER, "metadata": {"lion_class": "lionpride.core.pile.Pile"}, "items": [one, one]}
    documents: list[Any] = [one, [one], [], pile, {"items": []}]
    assert [len(returned(document)) for document in documents] == [1, 1, 0, 2, 0]
    assert returned(pile).extras["lionpride"] == {"id": OTHER, "metadata": pile["metadata"]}


NO_PLACE: list[tuple[am.Msg, Any, str]] = [
    (msg("user", am.TextBlock("a"), am.TextBlock("b")), {"instruction": "a\nb"}, "annotation"),
    (msg("developer", am.TextBlock("a")), {"system_message": "a"}, "annotation"),
    (msg("moderator", am.TextBlock("a")), {"instruction": "a"}, "content"),
    (msg("user", am.ImageBlock.from_bytes(b"x", "image/png")), {}, "content"),
    (msg("user", am.ImageBlock.from_url("ftp://x/y")), {}, "content"),
    (msg("user", am.ImageBlock.from_url(URL, "image/png")), {"images": [URL]}, "annotation"),
    (msg("assistant", am.ThinkingBlock("hm"), am.TextBlock("a")), {"assistant_response": "a"}, "content"),
    (msg("assistant", am.RefusalBlock("no")), {"assistant_response": "no"}, "content"),
    (msg("user", am.DataBlock([1])), {"instruction": "[1]"}, "annotation"),
    (msg("tool", am.ToolResultBlock(OTHER, "x", status="error")), {"request_id": OTHER, "error": "x"}, "annotation"),
    (
        msg("tool", am.ToolResultBlock(OTHER, (am.TextBlock("x"), am.ImageBlock.from_url(URL)))),
        {"request_id": OTHER, "result": "x"},
        "content",
    ),
    (
        msg("user", am.ImageBlock.from_url(URL), am.ImageBlock(am.URLSource(URL), detail="low")),
        {"images": [URL, URL], "image_detail": "low"},
        "annotation",
    ),
]


@pytest.mark.parametrize(("message", "content", "level"), NO_PLACE, ids=repr)
def test_what_has_no_place(message: am.Msg, content: Any, level: str) -> None:
    """Unsupported content becomes the nearest supported one, and the loss report shows the difference."""
    losses: list[am.Loss] = []
    assert contents(message, losses=losses) == [content]
    assert ("content" in {loss.level for loss in losses}) is (level == "content")
    assert losses


def test_removals_are_dropped() -> None:
    """A removal is for stores that support it."""
    losses: list[am.Loss] = []
    assert written(am.Msg.remove("m1"), losses=losses) == []
    assert [loss.kind for loss in losses] == ["dropped"]


@pytest.mark.parametrize("content", [{"images": "x"}, {"images": [1]}, {"images": [URL], "image_detail": 1}], ids=repr)
def test_what_cannot_be_told_is_kept_whole(content: dict[str, Any]) -> None:
    """A content of a type that lionpride can't read is a native message."""
    assert only(content).role == "native"


BROKEN: list[tuple[Any, tuple[Any, ...]]] = [
    ("x", ()),
    (None, ()),
    ([1], (0,)),
    ([node({}), {"role": "user"}], (1, "content")),
    ({"content": "text"}, ("content",)),
    ({"items": [{"content": None}]}, ("items", 0, "content")),
]


@pytest.mark.parametrize(("document", "path"), BROKEN, ids=lambda value: repr(value)[:60])
def test_errors(document: Any, path: tuple[Any, ...]) -> None:
    """Anything but a message of lionpride is refused, with the path."""
    assert refused(document, codec="lionpride") == (path, "schema", "lionpride")


def test_sniffing() -> None:
    """A class in the metadata is certain; keys of content are nearly so; messages with roles are another format's."""
    assert am.detect(node({}))[0] == ("lionpride", 1.0)
    assert am.detect([{"content": {"instruction": "x"}}])[0][0] == "lionpride"
    assert CODEC.sniff([{"role": "user", "content": "x"}]) == 0.0
    assert CODEC.sniff("x") == 0.0
