"""The codec ``synaptic``: the model of each native object, chunks, odd spellings, unsupported content.

Exact return, damaged documents, planted notes and the other laws are tested in test_laws.py.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

import agentmsg as am
from agentmsg_codecs.synaptic import SynapticCodec
from support import checked
from support.checked import msg, refused

CODEC = SynapticCodec()
returned = partial(checked.returned, codec=CODEC)
written = partial(checked.written, codec="synaptic")
URL = "https://example.org/a"
PNG = "data:image/png;base64,iVBORw0KGgo="


def only(**native: Any) -> am.Msg:
    """Check that a native message comes back exactly, and return its message."""
    return returned([native])[0]


CALL = {"id": "c1", "name": "f", "arguments": {"a": 1}}
RESULT = {"role": "tool", "content": "1", "tool_call_id": "c1"}
VARIANTS: list[tuple[dict[str, Any], am.Msg]] = [
    ({"role": "system", "content": "Be brief."}, msg("system", am.TextBlock("Be brief."))),
    ({"role": "human", "content": "Hi", "id": "m1"}, msg("user", am.TextBlock("Hi"), id="m1")),
    ({"role": "human", "content": "Hi", "name": "Ada"}, msg("user", am.TextBlock("Hi"), name="Ada")),
    ({"role": "assistant", "content": ""}, msg("assistant")),
    ({"role": "assistant", "content": "Hi"}, msg("assistant", am.TextBlock("Hi"))),
    (
        {"role": "assistant", "content": "", "tool_calls": [CALL]},
        msg("assistant", am.ToolUseBlock("c1", "f", {"a": 1})),
    ),
    (RESULT, msg("tool", am.ToolResultBlock("c1", "1"))),
    ({**RESULT, "name": "f"}, msg("tool", am.ToolResultBlock("c1", "1", name="f"))),
    ({"role": "chat", "custom_role": "judge", "content": "Yes."}, msg("judge", am.TextBlock("Yes."))),
    ({"role": "chat", "custom_role": "human", "content": ""}, msg("human")),
    ({"role": "remove", "id": "m1"}, msg("remove", id="m1")),
    (
        {"role": "human", "content": "", "additional_kwargs": {"k": 1}, "response_metadata": {"model": "m"}},
        msg("user", metadata={"k": 1}, response_metadata={"model": "m"}),
    ),
    (
        {"role": "assistant", "content": "", "response_metadata": {"model": "m", "x": 1}},
        msg("assistant", model="m", response_metadata={"x": 1}),
    ),
]


@pytest.mark.parametrize(("native", "message"), VARIANTS, ids=lambda value: repr(value)[:120])
def test_variants_and_fields(native: dict[str, Any], message: am.Msg) -> None:
    """Each variant and field follows the mapping, and a new message is written the same."""
    assert am.same(only(**native), message)
    assert written(message) == [native]


BLOCKS: list[tuple[dict[str, Any], am.Block]] = [
    ({"type": "image", "url": URL}, am.ImageBlock(am.URLSource(URL))),
    ({"type": "image", "url": URL, "detail": "low"}, am.ImageBlock(am.URLSource(URL), detail="low")),
    ({"type": "image", "url": PNG}, am.ImageBlock(am.Base64Source("iVBORw0KGgo=", "image/png"))),
    ({"type": "audio", "url": URL}, am.AudioBlock(am.URLSource(URL))),
    ({"type": "video", "url": URL}, am.VideoBlock(am.URLSource(URL))),
    ({"type": "file", "url": URL}, am.FileBlock(am.URLSource(URL))),
    ({"type": "file", "url": URL, "mime_type": "text/css"}, am.FileBlock(am.URLSource(URL, "text/css"))),
    ({"type": "data", "data": {"k": [1]}}, am.DataBlock({"k": [1]})),
    ({"type": "data", "data": None}, am.DataBlock(None)),
    ({"type": "reasoning", "content": "Hm."}, am.ThinkingBlock("Hm.")),
    ({"type": "text", "text": ""}, am.TextBlock("")),
]


@pytest.mark.parametrize(("native", "block"), BLOCKS, ids=lambda value: repr(value)[:100])
def test_content_blocks(native: dict[str, Any], block: am.Block) -> None:
    """Each content block is a block of ours, in messages and in results, and is written the same."""
    said = {"content": "", "content_blocks": [native]}
    assert am.same(only(role="human", **said).content, (block,))
    assert am.same(only(**{**RESULT, **said}).tool_results[0].content, (block,))
    assert written(msg("user", block)) == [{"role": "human", **said}]
    assert written(msg("tool", am.ToolResultBlock("c1", (block,)))) == [{**RESULT, **said}]


BESIDE: list[tuple[str, list[Any], list[am.Block]]] = [
    ("Hi", [], [am.TextBlock("Hi")]),
    ("Hi", ["Hi"], [am.TextBlock("Hi")]),
    ("", ["Hi"], [am.TextBlock("Hi")]),
    ("a\nb", ["a", "b"], [am.TextBlock("a"), am.TextBlock("b")]),
    ("ab", ["a", "b"], [am.TextBlock("a"), am.TextBlock("b")]),
    ("a b", ["a", "b"], [am.TextBlock("a"), am.TextBlock("b")]),
    ("In short", ["a", "b"], [am.TextBlock("In short"), am.TextBlock("a"), am.TextBlock("b")]),
    ("42", [{"type": "reasoning", "content": "Hm."}], [am.ThinkingBlock("Hm."), am.TextBlock("42")]),
    ("42", [{"type": "audio", "url": URL}], [am.TextBlock("42"), am.AudioBlock(am.URLSource(URL))]),
]


@pytest.mark.parametrize(("content", "listed", "blocks"), BESIDE, ids=lambda value: repr(value)[:90])
def test_content_beside_content_blocks(content: str, listed: list[Any], blocks: list[am.Block]) -> None:
    """The text of the blocks isn't a block of its own, however it is joined; any other text is."""
    natives = [{"type": "text", "text": each} if isinstance(each, str) else each for each in listed]
    message = only(role="assistant", content=content, **{"content_blocks": natives} if natives else {})
    assert am.same(message.content, tuple(blocks))


def test_text_is_told_twice() -> None:
    """If blocks are written, content is their text, so readers of content alone miss no words."""
    image = am.ImageBlock(am.URLSource(URL))
    (native,) = written(msg("user", am.TextBlock("See"), image, am.TextBlock("this")))
    assert native["content"] == "See\nthis"
    assert [block["type"] for block in native["content_blocks"]] == ["text", "image", "text"]


def test_edited_texts_win() -> None:
    """After an edit no old text is in content or in the blocks."""
    for content in ("ab", "a\nb", "In short"):
        blocks = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
        message = only(role="human", content=content, content_blocks=blocks)
        edited = message.evolve(content=(*message.content[:-1], am.TextBlock("c")))
        document = written(edited)
        assert am.same(am.decode(document, "synaptic")[0], edited)


@pytest.mark.parametrize("arguments", [{}, {"a": 1}, [1], "text", "{}", None, 1.5, True], ids=repr)
def test_arguments_are_any_json(arguments: Any) -> None:
    """Arguments are any value: a text stays a text, and no envelope is needed."""
    call = {"id": "c1", "name": "f", "arguments": arguments}
    (block,) = only(role="assistant", content="", tool_calls=[call]).tool_calls
    assert am.same(block.input, arguments)
    assert written(msg("assistant", am.ToolUseBlock("c1", "f", arguments)))[0]["tool_calls"] == [call]


def test_invalid_calls() -> None:
    """An invalid call keeps its text and its error; a new one has the reason."""
    entry = {"id": "c1", "name": "f", "arguments": '{"a": ', "error": "EOF while parsing"}
    message = only(role="assistant", content="", invalid_tool_calls=[entry])
    (block,) = message.invalid_tool_calls
    assert (block.raw_input, block.extras["synaptic"]) == ('{"a": ', {"error": "EOF while parsing"})
    losses: list[am.Loss] = []
    (native,) = written(msg("assistant", am.ToolUseBlock(None, "f", raw_input="{bad")), losses=losses)
    assert native["invalid_tool_calls"] == [{"name": "f", "arguments": "{bad", "error": "the arguments are no JSON"}]
    assert not losses
    mended = message.evolve(content=(block.evolve(input={"a": 1}, extras={}),))
    assert written(mended)[0]["tool_calls"] == [{"id": "c1", "name": "f", "arguments": {"a": 1}}]


@pytest.mark.parametrize(
    "entry",
    [
        {"error": "e"},
        {"id": None, "name": None, "arguments": None, "error": "e"},
        {"name": "f", "arguments": "{}", "error": "unknown tool"},
        {"name": "f", "arguments": "{bad"},
        {"name": "f", "arguments": "{bad", "error": "the arguments are no JSON"},
        {"name": "f", "arguments": "{bad", "error": "e", "x": 1},
    ],
    ids=repr,
)
def test_invalid_calls_come_back(entry: dict[str, Any]) -> None:
    """Whatever an invalid call lacks, and whether or not its arguments are JSON, it is one of the invalid calls."""
    message = only(role="assistant", content="", invalid_tool_calls=[entry])
    assert len(message.blocks(am.ToolUseBlock)) == 1


def test_order_of_blocks_and_calls() -> None:
    """Content comes before calls, valid ones before invalid ones; any other order is reported as moved."""
    bad, good = am.ToolUseBlock("c1", "f", raw_input="{bad"), am.ToolUseBlock("c2", "g")
    losses: list[am.Loss] = []
    document = written(msg("assistant", bad, good, am.TextBlock("Hi")), losses=losses)
    assert am.decode(document, "synaptic")[0].content == (am.TextBlock("Hi"), good, bad)
    assert {loss.kind for loss in losses} == {"moved"}


def test_names_of_results() -> None:
    """A result without a name has that of its call, which isn't written; a given one is."""
    call = {"role": "assistant", "content": "", "tool_calls": [CALL]}
    assert returned([call, RESULT])[1].tool_results[0].name == "f"
    assert returned([call, {**RESULT, "name": "f"}])[1].tool_results[0].name == "f"
    assert returned([call, {**RESULT, "name": "other"}])[1].tool_results[0].name == "other"
    history = am.History([am.Msg.assistant("", tool_calls=[CALL]), am.Msg.tool("1", tool_call_id="c1", name="f")])
    assert "name" not in am.encode(history, "synaptic", losses=[])[1]


USAGE = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}


def test_usage() -> None:
    """Counts and details are usage; the numbers that a detail requires are added."""
    native = {**USAGE, "input_details": {"cached": 2, "audio": 0}, "output_details": {"reasoning": 3, "audio": 1}}
    usage = only(role="assistant", content="", usage_metadata=native).usage
    assert usage == am.Usage(input=10, output=5, total=15, cache_read=2, input_audio=0, reasoning=3, output_audio=1)
    losses: list[am.Loss] = []
    (again,) = written(msg("assistant", usage=am.Usage(input=10, output=5, cache_read=2)), losses=losses)
    assert again["usage_metadata"] == {**USAGE, "input_details": {"cached": 2, "audio": 0}}
    assert [(loss.path[-1], loss.level) for loss in losses] == [("usage", "annotation")]


@pytest.mark.parametrize(
    "usage",
    [
        {},
        None,
        {"input_tokens": 1},
        {**USAGE, "total_tokens": 2**40},
        {**USAGE, "input_details": {}},
        {**USAGE, "input_details": {"cached": 1}},
        {**USAGE, "output_details": {"reasoning": 1, "audio": 0, "x": 1}, "y": 2},
    ],
    ids=repr,
)
def test_odd_usage_comes_back(usage: Any) -> None:
    """Usage with missing or further counts is read and written again."""
    assert only(role="assistant", content="", usage_metadata=usage).role == "assistant"


def test_counts_stay_in_range() -> None:
    """A count beyond 32 bits is changed to the nearest that fits."""
    (native,) = written(msg("assistant", usage=am.Usage(input=-1, output=2**40, total=3)))
    assert native["usage_metadata"] == {"input_tokens": 0, "output_tokens": 2**32 - 1, "total_tokens": 3}


PIECE = {"id": "c1", "name": "f", "arguments": '{"a', "index": 0}


def test_chunks() -> None:
    """A chunk is an assistant's message: thinking, text, calls and pieces of calls, usage."""
    chunk = {"content": "Hel", "reasoning": "Hm.", "usage": USAGE, "id": "a", "tool_call_chunks": [PIECE]}
    message = only(**chunk)
    assert (message.role, message.id, message.text) == ("assistant", "a", "Hel")
    assert message.content[0] == am.ThinkingBlock("Hm.")
    (piece,) = message.blocks(am.ToolUseBlock)
    assert (piece.id, piece.name, piece.raw_input, piece.extras["synaptic"]) == ("c1", "f", '{"a', {"index": 0})
    assert message.usage == am.Usage(input=10, output=5, total=15)


@pytest.mark.parametrize(
    "chunk",
    [
        {"content": ""},
        {"content": "", "reasoning": ""},
        {"content": "a", "tool_calls": [CALL], "invalid_tool_calls": [], "tool_call_chunks": []},
        {"content": "", "tool_call_chunks": [{}, {"index": 1}, {"arguments": "{}", "index": None}]},
        {"content": "", "name": "x", "x": 1},
        {"content": "", "usage": None, "id": None},
    ],
    ids=repr,
)
def test_chunks_come_back(chunk: dict[str, Any]) -> None:
    """Chunks come back with exactly their present fields."""
    assert only(**chunk).role == "assistant"


def test_what_no_chunk_can_say_is_a_message() -> None:
    """A chunk that gets a name is written as a message; its pieces are invalid calls."""
    message = only(content="Hel", tool_call_chunks=[PIECE]).evolve(name="Ada")
    (native,) = written(message)
    assert (native["role"], native["name"]) == ("assistant", "Ada")
    assert native["invalid_tool_calls"] == [{**PIECE, "error": "the arguments are no JSON"}]
    assert am.same(am.decode([native], "synaptic")[0], message)


ROLES: list[tuple[dict[str, Any], str]] = [
    ({"role": "user"}, "user"),
    ({"role": "ai"}, "assistant"),
    ({"role": "moderator"}, "moderator"),
    ({"role": "developer"}, "developer"),
    ({"role": "chat", "custom_role": "user"}, "user"),
    ({"role": "chat", "custom_role": "assistant"}, "assistant"),
    ({"role": "chat", "custom_role": "developer"}, "developer"),
    ({"role": "chat", "custom_role": "tool"}, "native"),
    ({"role": "chat"}, "native"),
    ({"role": "tool"}, "tool"),
    ({"role": "remove"}, "native"),
]


@pytest.mark.parametrize(("native", "role"), ROLES, ids=repr)
def test_odd_roles(native: dict[str, Any], role: str) -> None:
    """Words of other systems are read as roles and written again; an unreadable message is native."""
    assert only(**native, content="x").role == role


def test_an_answer_is_no_chat() -> None:
    """A custom role of an assistant is dropped when the message calls a tool."""
    message = only(role="chat", custom_role="assistant", content="x")
    (native,) = written(message.evolve(content=(*message.content, am.ToolUseBlock("c1", "f"))))
    assert (native["role"], native["tool_calls"]) == ("assistant", [{"id": "c1", "name": "f", "arguments": {}}])


ODD: list[dict[str, Any]] = [
    {"content": None},
    {"id": None, "name": None, "content_blocks": None, "additional_kwargs": None},
    {"content_blocks": [], "response_metadata": {}},
    {"tool_calls": None},
    {"tool_calls": [], "invalid_tool_calls": []},
    {"tool_calls": [{"name": "f", "arguments": {}}]},
    {"tool_calls": [{**CALL, "type": "function"}], "x": 1},
    {"content_blocks": [{"type": "text", "text": "a", "x": 1}]},
    {"content_blocks": [{"type": "unknown", "text": "a"}, 1]},
    {"content_blocks": [{"type": "file", "url": "data:text/css;base64,YQ==", "mime_type": "text/plain"}]},
    {"content_blocks": [{"type": "image", "url": "data:,plain"}]},
]


@pytest.mark.parametrize("fields", ODD, ids=repr)
def test_odd_messages_come_back(fields: dict[str, Any]) -> None:
    """Empty and absent fields, missing ids and unknown keys don't make it a native message."""
    assert only(**{"role": "assistant", "content": "", **fields}).role == "assistant"


@pytest.mark.parametrize("role", ["system", "human", "assistant", "tool"])
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("id", {"x": 1}),
        ("id", 7),
        ("name", ["Ann"]),
        ("additional_kwargs", "x"),
        ("response_metadata", ["x"]),
    ],
    ids=repr,
)
def test_a_field_that_holds_what_it_cannot_mean_is_an_unknown_field(role: str, key: str, value: Any) -> None:
    """An id or a name that isn't a text, and metadata that isn't an object, are unknown fields; no note holds them."""
    message = only(role=role, content="x", tool_call_id="c", **{key: value})
    assert message.role == {"human": "user"}.get(role, role)
    own: Any = message.extras["synaptic"]
    assert am.thaw(own[key]) == value


@pytest.mark.parametrize("name", ["f", "g", None])
def test_names_of_results_are_told_from_those_of_their_calls(name: str | None) -> None:
    """A nameless result with the name of its call has no name: the restored one is written without, like before."""
    told: dict[str, Any] = {} if name is None else {"name": name}
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    openai: list[dict[str, Any]] = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "x", **told},
    ]
    asked: dict[str, Any] = {"content": "", "tool_calls": [{"name": "f", "args": {}, "id": "c1", "type": "tool_call"}]}
    langchain: list[dict[str, Any]] = [
        {"type": "ai", "data": {**asked, "type": "ai"}},
        {"type": "tool", "data": {"content": "x", "type": "tool", "name": name, "tool_call_id": "c1"}},
    ]
    both: list[tuple[Any, am.CodecName]] = [(openai, "openai"), (langchain, "langchain")]
    for document, source in both:
        converted = am.convert(document, source, "synaptic")
        output = am.decode(converted.document, "synaptic")
        restored = am.restore(output, am.load_losses(am.dump_losses(converted.losses, output)))
        assert am.encode(restored, source) == document


def test_containers() -> None:
    """Lists, states and single messages keep their form; an option chooses it for new histories."""
    one = {"role": "human", "content": "Hi"}
    documents: list[Any] = [one, [one], [], {"messages": [one]}, {"messages": [], "step": 1}]
    assert [len(returned(document)) for document in documents] == [1, 1, 0, 1, 0]
    assert returned({"messages": [one], "step": 1}).extras["synaptic"] == {"step": 1}
    message = msg("user", am.TextBlock("Hi"))
    assert written(message, container="single") == one
    assert written(message, container="object") == {"messages": [one]}
    assert written(message, message, container="single") == [one, one]


NO_PLACE: list[tuple[am.Msg, Any, str]] = [
    (msg("developer", am.TextBlock("a")), {"role": "system", "content": "a"}, "annotation"),
    (msg("assistant", am.RefusalBlock("no")), {"role": "assistant", "content": "no"}, "content"),
    (msg("user", am.ImageBlock(am.FileSource("f1", "openai"))), {"role": "human", "content": ""}, "content"),
    (msg("user", am.FileBlock(am.TextSource("words"))), {"role": "human", "content": "words"}, "content"),
    (
        msg("tool", am.ToolResultBlock("c1", structured={"a": 1})),
        {"role": "tool", "content": '{"a":1}', "tool_call_id": "c1"},
        "annotation",
    ),
    (
        msg("assistant", am.ToolUseBlock("c1", "f", "text", kind="custom")),
        {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "name": "f", "arguments": {"input": "text"}}]},
        "content",
    ),
    (
        msg("assistant", am.ThinkingBlock("Hm.", signature=am.Signature("anthropic", "s"))),
        {"role": "assistant", "content": "", "content_blocks": [{"type": "reasoning", "content": "Hm."}]},
        "content",
    ),
]


@pytest.mark.parametrize(("message", "native", "level"), NO_PLACE, ids=lambda value: repr(value)[:100])
def test_what_has_no_place(message: am.Msg, native: Any, level: str) -> None:
    """Unsupported content becomes the nearest supported one, and the loss report shows the difference."""
    losses: list[am.Loss] = []
    assert written(message, losses=losses) == [native]
    assert losses
    assert ("content" in {loss.level for loss in losses}) is (level == "content")


def test_missing_ids_are_given() -> None:
    """A new call and its result need an id; both get the same one, which is reported."""
    losses: list[am.Loss] = []
    messages = [msg("assistant", am.ToolUseBlock(None, "f")), msg("tool", am.ToolResultBlock(None, "1", name="f"))]
    call, result = written(*messages, losses=losses)
    assert call["tool_calls"][0]["id"] == result["tool_call_id"]
    assert [loss.kind for loss in losses] == ["invented", "invented"]


BROKEN: list[tuple[Any, tuple[Any, ...]]] = [
    ("x", ()),
    (None, ()),
    ([1], (0,)),
    ([{"role": "human", "content": ""}, {}], (1, "role")),
    ({"messages": [{"content": None}]}, ("messages", 0, "role")),
    ({"role": 1, "content": ""}, ("role",)),
]


@pytest.mark.parametrize(("document", "path"), BROKEN, ids=lambda value: repr(value)[:60])
def test_errors(document: Any, path: tuple[Any, ...]) -> None:
    """Anything but a message of Synaptic is refused, with the path."""
    assert refused(document, codec="synaptic") == (path, "schema", "synaptic")


def test_sniffing() -> None:
    """Its own fields are certain; shared ones mean little; foreign fields exclude it."""
    assert am.detect([{"role": "assistant", "content": "", "tool_calls": [CALL]}])[0] == ("synaptic", 1.0)
    assert am.detect({"content": "", "tool_call_chunks": [PIECE]})[0] == ("synaptic", 1.0)
    assert am.detect([{"role": "remove", "id": "m1"}])[0] == ("synaptic", 1.0)
    assert am.detect([{"role": "user", "content": "Hi"}])[0][0] != "synaptic"
    nested = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    assert CODEC.sniff([{"role": "assistant", "content": "", "tool_calls": [nested]}]) == 0.0
    assert CODEC.sniff([{"type": "human", "role": "human", "content": ""}]) == 0.0
