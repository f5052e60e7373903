"""The codec ``agentscope-java``: the mapping of 2.x and 1.x, fields in metadata, older names, errors.

Exact return, damaged documents, planted notes and the other laws are tested in test_laws.py; here they run for the
codec of each version too.
"""

from __future__ import annotations

import random
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentmsg as am
from agentmsg.testing import floor, histories, honest_account, notes_never_matter, plant_notes
from agentmsg_codecs.agentscope.java import AgentScopeJavaCodec
from support import checked
from support.checked import msg as bare
from support.checked import refused

CODEC = AgentScopeJavaCodec()
returned = partial(checked.returned, codec=CODEC)
written = partial(checked.written, codec=CODEC)
OLD, NEW = AgentScopeJavaCodec(version=1), AgentScopeJavaCodec(version=2)
TIME = "2026-01-15 10:30:00.123"
URL = {"type": "url", "url": "https://e.com/a"}
TEXT = {"type": "text", "text": "hi"}
PIXELS = {"minPixels": 64}


def old(*content: Any, role: str = "ASSISTANT", **fields: Any) -> dict[str, Any]:
    """Return a message of 1.x."""
    usual: dict[str, Any] = {"id": "m1", "name": None, "role": role, "content": [*content], "metadata": {}}
    return {**usual, "timestamp": TIME, **fields}


def new(*content: Any, role: str = "ASSISTANT", **fields: Any) -> dict[str, Any]:
    """Return a message of 2.x."""
    return {**old(*content, role=role), "usage": None, **fields}


def call(**fields: Any) -> dict[str, Any]:
    """Return a call of 2.x."""
    usual: dict[str, Any] = {"type": "tool_use", "id": "c1", "name": "f", "input": {}, "content": None}
    return {**usual, "metadata": {}, "state": "pending", **fields}


def result(**fields: Any) -> dict[str, Any]:
    """Return a result of 2.x."""
    usual: dict[str, Any] = {"type": "tool_result", "id": "c1", "name": "f", "output": [TEXT]}
    return {**usual, "metadata": {}, "state": "success", **fields}


# -- the mapping ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("native", "expected"),
    [
        (TEXT, am.TextBlock("hi")),
        (
            {"type": "hint", "id": "h1", "hint": "Be brief", "source": None},
            am.TextBlock("Be brief", item_id="h1", phase="hint"),
        ),
        ({"type": "thinking", "thinking": "hm", "metadata": None}, am.ThinkingBlock("hm")),
        (
            {"type": "thinking", "thinking": "hm", "metadata": {"thoughtSignature": "s", "reasoningDetails": []}},
            am.ThinkingBlock("hm", signature=am.Signature("gemini", "s"), metadata={"reasoningDetails": []}),
        ),
        (
            {"type": "image", "source": URL, "minPixels": 64},
            am.ImageBlock(am.URLSource("https://e.com/a"), extras={"agentscope-java": PIXELS}),
        ),
        (
            {"type": "audio", "source": {**URL, "mime_type": "audio/mpeg"}},
            am.AudioBlock.from_url("https://e.com/a", "audio/mpeg"),
        ),
        ({"type": "video", "source": URL}, am.VideoBlock.from_url("https://e.com/a")),
        (
            {
                "type": "data",
                "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="},
                "id": "d1",
            },
            am.FileBlock(am.Base64Source("JVBERi0=", "application/pdf"), item_id="d1"),
        ),
        (
            {"type": "data", "source": {"type": "base64", "media_type": "image/png", "data": "iVBO"}, "id": "d1"},
            am.ImageBlock(am.Base64Source("iVBO", "image/png"), item_id="d1"),
        ),
        (call(input={"a": 1}), am.ToolUseBlock("c1", "f", {"a": 1}, status="pending")),
        (
            call(input={"a": 1}, content='{ "a": 1 }', metadata={"thoughtSignature": "s"}, state="finished"),
            am.ToolUseBlock(
                "c1", "f", raw_input='{ "a": 1 }', signature=am.Signature("gemini", "s"), status="finished"
            ),
        ),
        (call(content='{"a": '), am.ToolUseBlock("c1", "f", raw_input='{"a": ', status="pending")),
        (call(input={"_raw": "x"}), am.ToolUseBlock("c1", "f", raw_input="x", status="pending")),
        (result(), am.ToolResultBlock("c1", "hi", name="f", status="success")),
        (
            result(output=[], metadata={"agentscope_suspended": True}, state="running"),
            am.ToolResultBlock("c1", name="f", status="running", metadata={"agentscope_suspended": True}),
        ),
    ],
    ids=repr,
)
def test_a_block(native: dict[str, Any], expected: Any) -> None:
    """Each of Java's blocks is one of ours."""
    role = "TOOL" if native["type"] == "tool_result" else "ASSISTANT"
    assert returned([new(native, role=role)])[0].content[0] == expected


@pytest.mark.parametrize("role", ["USER", "ASSISTANT", "SYSTEM"])
def test_a_role(role: str) -> None:
    """Roles are written in upper case, or in the case that was read."""
    assert returned(new(TEXT, role=role))[0].role == role.lower()
    assert returned(new(TEXT, role=role.title()))[0].role == role.lower()


def test_the_fields_of_a_message() -> None:
    """Structured output and the finish reason are in metadata."""
    usage = {"inputTokens": 10, "outputTokens": 5, "cachedTokens": 3, "time": 1.5}
    metadata = {"_structured_output": {"goal": "x"}, "task": 1, "agentscope_generate_reason": "TOOL_CALLS"}
    message = returned(new(TEXT, name="Bob", metadata=metadata, usage=usage))[0]
    assert (message.id, message.name, message.structured) == ("m1", "Bob", {"goal": "x"})
    assert message.created_at == datetime(2026, 1, 15, 10, 30, 0, 123000)
    assert message.usage == am.Usage(input=10, output=5, cache_read=3, seconds=1.5)
    assert (message.metadata, message.finish_reason) == ({"task": 1}, "tool_use")


@pytest.mark.parametrize(
    ("word", "ours"),
    [("MODEL_STOP", "stop"), ("MAX_ITERATIONS", "max_iterations"), ("Later", "Later"), ("stop", "stop")],
)
def test_a_reason(word: str, ours: str) -> None:
    """The library's reasons map to our words, or to lower case; unknown ones stay."""
    message = returned(new(TEXT, metadata={"agentscope_generate_reason": word}))[0]
    assert message.finish_reason == ours


@pytest.mark.parametrize("build", [old, new])
def test_usage_of_older_versions_stands_in_metadata(build: Any) -> None:
    """Values under _chat_usage in 1.x are usage; 2.x has a key for it, and may have both."""
    usage = {"inputTokens": 1, "outputTokens": 2, "time": 0.5}
    message = returned(build(TEXT, metadata={"_chat_usage": usage}))[0]
    assert (message.usage, message.metadata) == (am.Usage(input=1, output=2, seconds=0.5), {})
    both = returned(new(TEXT, metadata={"_chat_usage": usage}, usage={"inputTokens": 3}))[0]
    assert (both.usage, both.metadata) == (am.Usage(input=3), {"_chat_usage": usage})
    new_usage = bare("assistant", am.TextBlock("hi"), usage=am.Usage(input=1))
    assert written(new_usage, codec=OLD)[0]["metadata"] == {"_chat_usage": {"inputTokens": 1}}
    assert written(new_usage)[0]["usage"] == {"inputTokens": 1}


def test_the_sum_of_usage_is_written_only_where_it_was_read() -> None:
    """A plain ObjectMapper refuses the total that the library writes."""
    assert returned(new(TEXT, usage={"inputTokens": 1, "totalTokens": 1}))[0].usage == am.Usage(input=1, total=1)
    native = written(bare("assistant", usage=am.Usage(input=1, total=1)))[0]
    assert native["usage"] == {"inputTokens": 1}


def test_tokens_written_to_a_cache_are_told_only_where_they_were_read() -> None:
    """Older versions refuse this key, too."""
    usage = {"inputTokens": 9, "cachedTokens": 2, "cacheCreationInputTokens": 3}
    assert returned(new(TEXT, usage=usage))[0].usage == am.Usage(input=9, cache_read=2, cache_write=3)
    native = written(bare("assistant", usage=am.Usage(input=9, cache_write=3)))[0]
    assert native["usage"] == {"inputTokens": 9}


def test_a_message_holds_several_results() -> None:
    """Each result in a TOOL message, or in an assistant's, is a message of its own."""
    history = returned([new(result(), result(id="c2"), role="TOOL"), new(TEXT, call(), result(), name="Bob")])
    assert [message.role for message in history] == ["tool", "tool", "assistant", "tool"]
    assert len(written(*(bare("tool", am.ToolResultBlock(link, "x")) for link in ("c1", "c2")))) == 2


# -- versions, older names, odd spellings -----------------------------------------------------------------------------


def test_new_messages_join_in_the_version_of_the_history() -> None:
    """1.x has no usage and no states; an option writes one version, whichever was read."""
    hello = bare("user", am.TextBlock("hi"))
    assert "usage" not in am.encode(returned([old(TEXT)]).extended(hello), CODEC)[1]
    assert am.encode(returned([new(TEXT)]).extended(hello), CODEC)[1]["usage"] is None
    assert "usage" not in am.encode(returned([new(TEXT)]), OLD)[0]
    assert am.encode(returned([old(TEXT)]), NEW)[0]["usage"] is None


@pytest.mark.parametrize(
    ("native", "attribute", "expected"),
    [
        ({"type": "tool_use", "id": "c", "name": "f", "arguments": {"a": 1}}, "input", {"a": 1}),
        (call(content='{"a": 1}'), "input", {"a": 1}),
        ({"type": "tool_result", "id": "c", "name": "f", "result": TEXT}, "text", "hi"),
        ({"type": "tool_result", "id": "c", "name": "f", "result": [TEXT]}, "text", "hi"),
        (result(output="hi"), "text", "hi"),
        (result(output=TEXT), "text", "hi"),
    ],
    ids=repr,
)
def test_older_names(native: dict[str, Any], attribute: str, expected: Any) -> None:
    """The names of the older documentation are read, and never written for new messages."""
    found = returned(new(native, role="ASSISTANT"))[0].content[0]
    assert getattr(found, attribute) == expected


def test_what_is_new_has_the_names_that_the_library_reads() -> None:
    """The library accepts arguments and result silently, and loses them: input and output are written."""
    use = am.ToolUseBlock("c1", "f", {"a": 1})
    answer = am.ToolResultBlock("c1", "ok", name="f", status="success")
    first, second = written(bare("assistant", use), bare("tool", answer))
    part = {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}, "content": None, "metadata": {}}
    assert first["content"] == [part]
    assert (second["role"], second["content"][0]["output"]) == ("TOOL", [{"type": "text", "text": "ok"}])
    assert list(first) == ["id", "name", "role", "content", "metadata", "timestamp", "usage"]


@pytest.mark.parametrize(
    "native",
    [
        new(TEXT, metadata=None),
        new(TEXT, metadata={"_structured_output": None, "_chat_usage": "x", "agentscope_generate_reason": 1}),
        new(TEXT, timestamp=None),
        new(TEXT, timestamp="2026-01-15T10:30:00.123456+08:00"),
        new({"type": "text", "text": None}),
        new({"type": "image", "source": {**URL, "mimeType": "image/png"}}),
        new({"type": "image", "source": {"type": "base64", "mediaType": "image/png", "data": "x"}}),
        new({"type": "data", "source": URL, "id": "d", "name": "n"}),
        new({"type": "hint", "id": "h", "hint": "x", "source": "bob"}, role="USER"),
        new(call(input={"a": 1}, content="no")),
        new(result(metadata={"k": None}, state="later"), role="TOOL"),
        new(call(), role="USER"),
        {"role": "user", "content": [TEXT]},
        old(content=TEXT),
        old(content={"type": "tool_result", "id": "c", "name": "f", "output": TEXT}, role="TOOL"),
        new(metadata={"_structured_output": {}, "agentscope_generate_reason": "MODEL_STOP", "k": None}),
    ],
    ids=repr,
)
def test_an_odd_spelling(native: dict[str, Any]) -> None:
    """Spellings that the library never writes are read for their meaning, and come back."""
    assert not any(message.role == "native" or message.has(am.NativeBlock) for message in returned([native]))


UNKNOWN: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (call(input={"a": 1}, arguments={"b": 2}), {"arguments": {"b": 2}}),
    (result(output=[TEXT], result=[TEXT]), {"result": [TEXT]}),
]


@pytest.mark.parametrize(("part", "extras"), UNKNOWN, ids=repr)
def test_a_second_name_of_a_field_is_an_unknown_field(part: dict[str, Any], extras: dict[str, Any]) -> None:
    """Beside input or output, their older names are unknown fields, because nothing reads them."""
    role = "TOOL" if part["type"] == "tool_result" else "ASSISTANT"
    assert returned([new(part, role=role)])[0].content[0].extras == {"agentscope-java": extras}


def test_a_second_media_type_is_an_unknown_field() -> None:
    """If a media type has several names, one counts."""
    source = {"type": "url", "url": "https://e.com/a", "mime_type": "image/png", "mediaType": "image/jpeg"}
    image: Any = returned([new({"type": "image", "source": source})])[0].content[0]
    assert (image.source.media_type, image.source.extras) == (
        "image/png",
        {"agentscope-java": {"mediaType": "image/jpeg"}},
    )


@pytest.mark.parametrize("stamp", ["yesterday", 5, {"x": 1}], ids=repr)
@pytest.mark.parametrize("make", [new, old])
def test_a_time_that_is_none_is_an_unknown_field(make: Any, stamp: Any) -> None:
    """An invalid time is kept beside, and the rest of the message is read."""
    message = returned([make(TEXT, timestamp=stamp)])[0]
    assert (message.created_at, message.extras) == (None, {"agentscope-java": {"timestamp": stamp}})


@pytest.mark.parametrize("word", ["stop", "tool_use", "interrupted", "LATER"])
def test_reasons_are_one_word_each(word: str) -> None:
    """A reason unknown to the library stays, even if it looks like one of our words."""
    message = returned([new(TEXT, metadata={"agentscope_generate_reason": word})])[0]
    assert message.finish_reason == word
    assert word not in repr(message.notes)


@pytest.mark.parametrize("name", ["", None, "f"])
def test_empty_names_of_results(name: str | None) -> None:
    """An empty name is a name, and null is no name."""
    message = returned([new(result(name=name), role="TOOL")])[0]
    assert message.tool_results[0].name == name


def test_hints_of_other_roles_are_text() -> None:
    """A hint from Python in a message of a user or the system becomes text, without its id."""
    hint = {"type": "hint", "hint": "Be brief", "id": "h1", "source": None, "finished_at": None}
    for role in ("user", "system"):
        document = [{"name": role, "role": role, "content": [hint], "id": "m", "created_at": "2026-01-15T10:30:00"}]
        converted = am.convert(document, "agentscope", "agentscope-java")
        assert converted.document[0]["content"] == [{"type": "text", "text": "Be brief"}]
        back = am.restore(am.decode(converted.document, "agentscope-java"), converted.losses)
        assert am.encode(back, "agentscope") == document


@pytest.mark.parametrize("native", [new(TEXT, role="TOOL"), new(role="TOOL"), new(role="ROBOT"), new(metadata=[1])])
def test_a_message_that_has_no_meaning_is_kept_whole(native: dict[str, Any]) -> None:
    """Anything but a message of the library becomes a message with the role native; a result has only its role."""
    assert returned([native])[0].role == "native"


def test_a_call_of_python_is_no_block_of_java() -> None:
    """The two libraries can't read each other's calls."""
    native = {"type": "tool_call", "id": "c", "name": "f", "input": "{}"}
    assert returned(new(native))[0].has(am.NativeBlock)


# -- unsupported content ----------------------------------------------------------------------------------------------


def test_metadata_keys_that_mean_something_are_not_the_applications() -> None:
    """Metadata that would be read as structured output or usage is reported as lost; so are nulls of a result."""
    losses: list[Any] = []
    metadata: dict[str, Any] = {"_structured_output": 1, "_chat_usage": {}, "agentscope_generate_reason": "x", "k": 1}
    answer = am.ToolResultBlock("c", "x", status="success", metadata={"k": None, "l": 1})
    first, second = written(bare("user", metadata=metadata), bare("tool", answer), losses=losses)
    assert (first["metadata"], second["content"][0]["metadata"]) == ({"k": 1}, {"l": 1})
    assert [loss.path[-1] for loss in losses] == ["metadata", "metadata"]


def test_times_are_of_milliseconds_without_zone() -> None:
    """A time with a zone is written in UTC; anything beyond that spelling is reported."""
    losses: list[Any] = []
    natives = written(bare("user", created_at=datetime(2026, 1, 1, 1, 2, 3, 4567, UTC)), losses=losses)
    assert natives[0]["timestamp"] == "2026-01-01 01:02:03.004"
    assert [loss.path[-1] for loss in losses] == ["created_at"]


# -- errors, and the laws of both versions ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "path"), [("x", ()), ({"a": 1}, ("role",)), ({"messages": {}}, ("messages",)), ([None], (0,))]
)
def test_a_document_that_is_none(document: Any, path: tuple[Any, ...]) -> None:
    """Documents without messages are refused, with the path."""
    assert refused(document, codec=CODEC) == (path, "schema", "agentscope-java")


@pytest.mark.parametrize("codec", [OLD, NEW], ids=["1", "2"])
@given(history=histories(), seed=st.integers(0, 2**32))
def test_each_version_has_an_honest_account(codec: AgentScopeJavaCodec, history: am.History, seed: int) -> None:
    """Laws 3 and 5 hold for the codec of either version."""
    rng = random.Random(seed)
    honest_account(codec, history, rng=rng)
    floor(codec, history)
    keys = ("/version", "/usage", "/both", "/total", "/form", "/at", "/nulls")
    notes_never_matter(codec, plant_notes(history, rng, ("agentscope-java",), keys, (1, 2, "top", "metadata", "text")))
