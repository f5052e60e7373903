"""The codec ``agentscope``: the mapping of 2.x and 1.x, replies as one message, odd spellings, versions, errors.

Exact return, damaged documents, planted notes and the other laws are tested in test_laws.py; here they run for the
codec of each version too.
"""

from __future__ import annotations

import random
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentmsg as am
from agentmsg.fitting.account import account
from agentmsg.testing import floor, histories, honest_account, notes_never_matter, plant_notes
from agentmsg_codecs.agentscope import AgentScopeCodec
from agentmsg_codecs.agentscope.java import AgentScopeJavaCodec
from support import checked
from support.checked import msg as bare
from support.checked import refused

CODEC, JAVA = AgentScopeCodec(), AgentScopeJavaCodec()
returned = partial(checked.returned, codec=CODEC)
written = partial(checked.written, codec=CODEC)
OLD, NEW = AgentScopeCodec(version=1), AgentScopeCodec(version=2)
AnyCodec: TypeAlias = "AgentScopeCodec | AgentScopeJavaCodec"
TIME = "2026-01-15T10:30:00.123456"
SIGNATURE = am.Signature("anthropic", "s")
PNG = {"type": "base64", "data": "iVBORw0KGgo=", "media_type": "image/png"}


def new(*content: Any, role: str = "assistant", **fields: Any) -> dict[str, Any]:
    """Return a message of 2.x with all of its keys."""
    usual: dict[str, Any] = {"name": "Friday", "content": [*content], "role": role, "id": "m1", "metadata": {}}
    usual |= {"created_at": TIME, "usage": None, "finished_at": None, "finished_reason": None}
    return {**usual, "structured_output": None, "error": None, **fields}


def old(*content: Any, role: str = "assistant", **fields: Any) -> dict[str, Any]:
    """Return a message of 1.x."""
    usual: dict[str, Any] = {"id": "m1", "name": "Friday", "role": role, "content": [*content], "metadata": {}}
    return {**usual, "timestamp": "2026-01-15 10:30:00.123", **fields}


def part(tag: str, **fields: Any) -> dict[str, Any]:
    """Return a block of 2.x with the keys that all blocks have."""
    return {"type": tag, "id": "b1", **fields, "created_at": TIME, "finished_at": None}


def call(link: str = "c1", **fields: Any) -> dict[str, Any]:
    """Return a call of 2.x."""
    return part(
        "tool_call", **{"id": link, "name": "f", "input": "{}", "state": "pending", "suggested_rules": []} | fields
    )


def result(link: str = "c1", **fields: Any) -> dict[str, Any]:
    """Return a result of 2.x."""
    return part("tool_result", **{"id": link, "name": "f", "output": "ok", "state": "success", "metadata": {}} | fields)


def block(native: Any, build: Any = new, **fields: Any) -> Any:
    """Return the first block of a message that holds a native one, which comes back exactly."""
    return returned([build(native, **fields)])[0].content[0]


# -- the mapping ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("native", "expected"),
    [
        (part("text", text="hi"), am.TextBlock("hi", item_id="b1")),
        (part("thinking", thinking="hm", signature="s"), am.ThinkingBlock("hm", item_id="b1", signature=SIGNATURE)),
        (part("thinking", thinking="", redacted_thinking_data="x"), am.ThinkingBlock("", item_id="b1", redacted="x")),
        (part("hint", hint="Be brief", source=None), am.TextBlock("Be brief", item_id="b1", phase="hint")),
        (
            part("hint", hint=[{"type": "text", "text": "x"}], source=None),
            am.FileBlock(am.BlocksSource([am.TextBlock("x")]), item_id="b1", phase="hint"),
        ),
        (part("data", source=PNG, name=None), am.ImageBlock(am.Base64Source(PNG["data"], "image/png"), item_id="b1")),
        (
            part("data", source={"type": "url", "url": "https://e.com/a", "media_type": "audio/mpeg"}, name=None),
            am.AudioBlock(am.URLSource("https://e.com/a", "audio/mpeg"), item_id="b1"),
        ),
        (
            part("data", source={"type": "url", "url": "https://e.com/v", "media_type": "video/mp4"}, name=None),
            am.VideoBlock(am.URLSource("https://e.com/v", "video/mp4"), item_id="b1"),
        ),
        (
            part("data", source={"type": "base64", "data": "JVBERi0=", "media_type": "application/pdf"}, name="r.pdf"),
            am.FileBlock(am.Base64Source("JVBERi0=", "application/pdf"), item_id="b1", name="r.pdf"),
        ),
        (call(input='{"a": 1}'), am.ToolUseBlock("c1", "f", raw_input='{"a": 1}', status="pending")),
        (call(input='{"a": '), am.ToolUseBlock("c1", "f", raw_input='{"a": ', status="pending")),
        (call(input={"a": 1}), am.ToolUseBlock("c1", "f", {"a": 1}, status="pending")),
        (result(), am.ToolResultBlock("c1", "ok", name="f", status="success")),
        (result(state="denied"), am.ToolResultBlock("c1", "ok", name="f", status="denied")),
        (result(metadata={"k": 1}), am.ToolResultBlock("c1", "ok", name="f", status="success", metadata={"k": 1})),
    ],
    ids=repr,
)  # fmt: skip
def test_a_block_of_2x(native: dict[str, Any], expected: Any) -> None:
    """Each block of 2.x is one of ours; the times of a block are unknown fields."""
    found = block(native)
    assert found.extras["agentscope"]["created_at"] == TIME
    assert found.evolve(extras={}) == expected


@pytest.mark.parametrize(
    ("native", "expected"),
    [
        ({"type": "text", "text": "hi"}, am.TextBlock("hi")),
        ({"type": "thinking", "thinking": "hm"}, am.ThinkingBlock("hm")),
        ({"type": "image", "source": PNG}, am.ImageBlock(am.Base64Source(PNG["data"], "image/png"))),
        ({"type": "audio", "source": {"type": "url", "url": "https://e.com/a"}}, am.AudioBlock.from_url("https://e.com/a")),
        ({"type": "video", "source": {"type": "url", "url": "https://e.com/v"}}, am.VideoBlock.from_url("https://e.com/v")),
        (
            {"type": "file", "source": {"type": "url", "url": "file:///a.pdf"}, "filename": "a.pdf"},
            am.FileBlock(am.URLSource("file:///a.pdf"), name="a.pdf"),
        ),
        ({"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}}, am.ToolUseBlock("c1", "f", {"a": 1})),
        (
            {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}, "raw_input": '{ "a": 1 }'},
            am.ToolUseBlock("c1", "f", raw_input='{ "a": 1 }'),
        ),
        (
            {"type": "tool_use", "id": "c1", "name": "f", "input": {}, "raw_input": "{"},
            am.ToolUseBlock("c1", "f", raw_input="{"),
        ),
        ({"type": "tool_use", "id": "c1", "name": "f", "input": {"_raw": [1]}}, am.ToolUseBlock("c1", "f", [1])),
        (
            {"type": "tool_result", "id": "c1", "name": "f", "output": [{"type": "text", "text": "ok"}]},
            am.ToolResultBlock("c1", "ok", name="f"),
        ),
    ],
    ids=repr,
)  # fmt: skip
def test_a_block_of_1x(native: dict[str, Any], expected: Any) -> None:
    """Each block of 1.x is one of ours."""
    assert block(native, old) == expected


def test_text_that_is_not_that_of_the_input_is_an_unknown_field() -> None:
    """If 1.x repaired the text of a call, the input counts, and the text is kept beside it."""
    native = {"type": "tool_use", "id": "c1", "name": "f", "input": {"city": "Tok"}, "raw_input": '{"city": "Tok'}
    found = block(native, old)
    assert (found.input, found.raw_input) == ({"city": "Tok"}, None)
    assert found.extras == {"agentscope": {"raw_input": '{"city": "Tok'}}


def test_the_fields_of_a_message_of_2x() -> None:
    """Keys beside the content have their fields; a null error or finish time is only spelling."""
    usage = {"input_tokens": 10, "output_tokens": 5, "cache_input_tokens": 3, "cache_creation_input_tokens": 0}
    document = new(
        part("text", text="hi"),
        metadata={"k": [1]},
        usage=usage,
        finished_reason="completed",
        structured_output={"a": 1},
    )
    message = returned(document)[0]
    assert (message.role, message.name, message.id) == ("assistant", "Friday", "m1")
    assert message.created_at == datetime(2026, 1, 15, 10, 30, 0, 123456)
    assert message.usage == am.Usage(input=10, output=5, cache_read=3, cache_write=0)
    assert (message.metadata, message.structured, message.finish_reason) == ({"k": [1]}, {"a": 1}, "stop")
    assert not message.extras
    error = {"type": "upstream", "message": "gone"}
    failed = returned(new(finished_reason="error", error=error, finished_at=TIME))[0]
    assert (failed.finish_reason, failed.extras) == ("error", {"agentscope": {"finished_at": TIME, "error": error}})


@pytest.mark.parametrize(
    ("word", "ours"),
    [
        ("completed", "stop"),
        ("interrupted", "interrupted"),
        ("exceed_max_iters", "exceed_max_iters"),
        ("later", "later"),
    ],
)
def test_a_finish_reason(word: str, ours: str) -> None:
    """The library's words for the end of a reply map to ours; an unknown one stays."""
    assert returned(new(finished_reason=word))[0].finish_reason == ours


def test_a_name_that_is_the_role_says_nothing() -> None:
    """A user called user has no name, and a message without name gets that of its role, a result the system's."""
    assert returned(new(role="user", name="user"))[0].name is None
    assert returned(new(role="user", name="system"))[0].name == "system"
    natives = written(bare("user", am.TextBlock("hi")), bare("tool", am.ToolResultBlock("c1", "x"), id="own"))
    assert [native["name"] for native in natives] == ["user", "system"]


# -- replies ----------------------------------------------------------------------------------------------------------


def test_a_reply_of_2x_is_split_and_joined_again() -> None:
    """Each result in a reply becomes a tool message, and the blocks around it assistant messages of the same name."""
    usage = {"input_tokens": 1, "output_tokens": 2}
    document = new(part("text", text="a"), call(), result(), part("text", text="b"), usage=usage, metadata={"k": 1})
    first, second, third = returned(document)
    assert [message.role for message in (first, second, third)] == ["assistant", "tool", "assistant"]
    assert (first.id, first.metadata, first.usage) == ("m1", {"k": 1}, None)
    assert (third.id, third.name, third.usage) == (None, "Friday", am.Usage(input=1, output=2))
    assert second.tool_call_id == "c1"


def test_new_messages_of_a_reply_are_one_of_2x_and_several_of_1x() -> None:
    """2.x writes a reply as one message, 1.x writes a system message for each result."""
    use = am.ToolUseBlock("c1", "f", {"a": 1})
    answer = am.ToolResultBlock("c1", "ok", name="f", status="success")
    reply = (bare("assistant", use), bare("tool", answer), bare("assistant", am.TextBlock("done")))
    assert [[item["type"] for item in native["content"]] for native in written(*reply)] == [
        ["tool_call", "tool_result", "text"]
    ]
    assert [native["role"] for native in written(*reply, codec=OLD)] == ["assistant", "system", "assistant"]


@pytest.mark.parametrize(
    "natives", [[new(call()), new(result()), new(result("c2"))], [new(result()), new(result("c2"))]]
)
def test_replies_that_were_apart_stay_apart(natives: list[Any]) -> None:
    """Separate messages that would be joined stay separate if they were in the document."""
    assert len(returned(natives)) == len(natives)
    without = [
        {key: value for key, value in native.items() if key not in ("id", "created_at", "name")} for native in natives
    ]
    assert len(returned(without)) == len(natives)


def test_a_message_with_an_id_of_its_own_is_not_joined() -> None:
    """A message's own fields are not lost when it is joined with another."""
    document = written(
        bare("assistant", am.ToolUseBlock("c1", "f")), bare("tool", am.ToolResultBlock("c1", "ok"), id="own")
    )
    assert [native.get("id") for native in document] == [None, "own"]


# -- versions and containers ------------------------------------------------------------------------------------------


def test_new_messages_join_in_the_version_of_the_history() -> None:
    """An added message is written like the document; an option writes one version, whichever was read."""
    hello = bare("user", am.TextBlock("hi"))
    assert am.encode(returned([old()]).extended(hello), CODEC)[1]["content"] == "hi"
    assert am.encode(returned([new()]).extended(hello), CODEC)[1]["content"][0]["text"] == "hi"
    assert "timestamp" in am.encode(returned([new()]), OLD, losses=[])[0]
    assert "created_at" in am.encode(returned([old()]), NEW, losses=[])[0]


def test_a_document_may_mix_versions() -> None:
    """Each message is written again in the version in which it was read."""
    history = returned([old({"type": "text", "text": "a"}), new(call()), old(role="user")])
    assert len(history) == 3


@pytest.mark.parametrize(
    "document",
    [
        new(part("text", text="hi")),
        [new()],
        [],
        {"messages": [new()], "k": 1},
        {"context": [old()], "session_id": "s"},
        {"messages": [], "context": []},
    ],
    ids=["message", "list", "empty", "messages", "state", "both"],
)
def test_a_container(document: Any) -> None:
    """A message, a list, and an object with a list keep their form."""
    returned(document)


def test_a_message_by_itself_is_one_document() -> None:
    """A message is encoded as one document, a history as a list; an option chooses another container."""
    message = bare("user", am.TextBlock("hi"))
    assert am.encode(message, CODEC)["role"] == "user"
    assert [native["role"] for native in am.encode(am.History([message]), CODEC)] == ["user"]
    assert list(am.encode(message, CODEC, container="object")) == ["messages"]
    assert len(am.encode(message, CODEC, container="list")) == 1


# -- memories of 1.x --------------------------------------------------------------------------------------------------


def test_a_memory_of_1x_keeps_the_marks_of_its_messages() -> None:
    """Entries of a memory are pairs of a message and marks; the marks are kept, also for new entries."""
    document: dict[str, Any] = {"_compressed_summary": "s", "content": [[old(), []], [old(), ["a", "b"]]]}
    history = returned(document)
    assert history.extras == {"agentscope": {"_compressed_summary": "s"}}
    assert [message.extras for message in history] == [{}, {"agentscope.item": {"marks": ["a", "b"]}}]
    joined = am.encode(history.extended(bare("user", am.TextBlock("hi"))), CODEC)["content"]
    assert joined[:2] == document["content"]
    assert (joined[2][0]["content"], joined[2][1]) == ("hi", [])


OLDER_MEMORIES: list[Any] = [
    {"content": []},
    {"content": [old()]},
    {"content": [[old(), ["m"]], old()]},
    [[old(), []], [old(), ["m"]]],
    [old(), [old(), []]],
    [[{"role": "human"}, ["m"]], [old(), []]],
    [[old({"type": "tool_result", "id": "c", "name": "f", "output": "x"}, timestamp="never"), ["m"]]],
]


@pytest.mark.parametrize("document", OLDER_MEMORIES)
def test_an_older_memory(document: Any) -> None:
    """Entries may be messages, as up to 1.0.10, or of both kinds; the list may be alone."""
    returned(document)


def test_marks_that_a_version_has_no_place_for_are_told_as_lost() -> None:
    """2.x keeps no marks with its messages."""
    losses: list[Any] = []
    natives = am.encode(returned([[old(), ["m"]]]), NEW, losses=losses)
    assert ([native["role"] for native in natives], [loss.path for loss in losses]) == (
        ["assistant"],
        [("messages", 0, "extras", "agentscope.item", "marks")],
    )


# -- session files ----------------------------------------------------------------------------------------------------

_MEMORY: dict[str, Any] = {"content": [[old(), []], [old(), ["a"]]], "_compressed_summary": "s"}
_STATE: dict[str, Any] = {"session_id": "s", "context": [new()], "reply_id": ""}
SESSIONS: list[tuple[Any, dict[str, Any]]] = [
    ({"agent": {"memory": _MEMORY}}, {}),
    ({"memory": _MEMORY}, {}),
    ({"agent": {"state": _STATE}}, {}),
    ({"state": _STATE}, {}),
    ({"agent": {"memory": _MEMORY, "toolkit": {"active_groups": []}}, "k": 1},
     {"agent": {"toolkit": {"active_groups": []}}, "k": 1}),
    ({"agent": {"memory": _MEMORY, "state": _STATE}}, {"agent": {"memory": _MEMORY}}),
]  # fmt: skip


@pytest.mark.parametrize(("document", "rest"), SESSIONS)
def test_a_session_file(document: Any, rest: dict[str, Any]) -> None:
    """The state of an agent holds a memory or a context; what else the file holds comes back beside it."""
    history = returned(document)
    assert am.thaw(history.extras.get("agentscope.session", {})) == rest
    assert len(history) in (1, 2)
    assert am.recognize(document) == "agentscope"
    longer: Any = am.encode(history.extended(bare("user", am.TextBlock("hi"))), CODEC)
    assert len(CODEC.native_messages(longer)) == len(history) + 1


@pytest.mark.parametrize("rest", [{"agent": 1}, {"agent": {}}, {"agent": {"state": _STATE}}, {"context": []}])
def test_what_would_change_where_a_session_is_read_is_lost(rest: Any) -> None:
    """Unknown keys stay only if the file reads the same with them."""
    history = returned({"agent": {"memory": _MEMORY}})
    changed = history.evolve(extras={**history.extras, "agentscope.session": rest})
    (loss,) = account(honest_account(CODEC, changed))
    assert loss.path == ("extras", "agentscope.session", *rest)


# -- 0.x --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("url", ["https://e.com/a.png", ["https://e.com/a.png"], ["https://e.com/a.png", "f.pdf"]])
def test_the_urls_of_a_message_of_0x_are_media(url: Any) -> None:
    """Keys beside content become media after it; the ending of each URL decides their kind."""
    content = returned(old(content="Look", url=url))[0].content
    assert content[:2] == (am.TextBlock("Look"), am.ImageBlock.from_url("https://e.com/a.png"))
    assert content[2:] == (() if isinstance(url, str) or len(url) == 1 else (am.FileBlock(am.URLSource("f.pdf")),))


@pytest.mark.parametrize("url", [None, [], 5, ["a", 1], {}])
def test_what_is_no_url_of_a_message_stays_as_it_is(url: Any) -> None:
    """A key that holds no URL is an unknown field, or only spelling."""
    message = returned(old(content="Look", url=url))[0]
    assert message.content == (am.TextBlock("Look"),)
    assert message.extras == ({} if url is None else {"agentscope": {"url": url}})


@pytest.mark.parametrize(
    ("native", "expected"),
    [
        ({"type": "image", "url": "u"}, am.ImageBlock.from_url("u")),
        ({"type": "audio", "url": "u"}, am.AudioBlock.from_url("u")),
        ({"type": "video", "url": "u"}, am.VideoBlock.from_url("u")),
        ({"type": "file", "url": "u"}, am.FileBlock(am.URLSource("u"))),
        (
            {"type": "tool_result", "id": "c", "name": "f", "output": {"a": 1}},
            am.ToolResultBlock("c", name="f", structured={"a": 1}),
        ),
        (
            {"type": "tool_result", "id": "c", "name": "f", "output": 5},
            am.ToolResultBlock("c", name="f", structured=5),
        ),
    ],
    ids=repr,
)
def test_a_block_of_0x(native: dict[str, Any], expected: Any) -> None:
    """Media of 0.x have their URL beside their type; a result may be any JSON."""
    assert block(native, old) == expected


def test_a_version_that_is_wanted_is_written_as_it_is_today() -> None:
    """Older kinds of blocks and odd spellings are not written into messages of the version asked for."""
    message = old(content="Look", url=["https://x.org/a.png"], metadata=None, timestamp="2024-10-01 10:00:00")
    native = am.encode(returned([message]), NEW, losses=[])[0]
    assert [item["type"] for item in native["content"]] == ["text", "data"]
    assert native["content"][1]["source"] == {"type": "url", "url": "https://x.org/a.png", "media_type": "image/png"}
    assert (native["metadata"], "url" in native, "timestamp" in native) == ({}, False, False)
    image = {"type": "data", "source": PNG, "name": None, "finished_at": None}
    assert am.encode(returned([new(image)]), OLD, losses=[])[0]["content"][0]["type"] == "image"


def test_an_edited_url_is_written_in_a_block() -> None:
    """A URL that no longer shows the kind of its block is in a block of its own, which comes back the same."""
    first, image = returned([old(content="Look", url=["a.png"])])[0].content
    message = bare("user", first, image.evolve(source=am.URLSource("b.pdf")))
    native = written(message.evolve(notes={"agentscope": {"/version": 1}}))[0]
    assert native["content"][1] == {"type": "image", "url": "b.pdf"}
    assert returned([native])[0].content == message.content


@pytest.mark.parametrize(
    "native",
    [
        old(content="hi"),
        old(content=""),
        old({"type": "text", "text": "hi"}, {"type": "text", "text": ""}),
        old(metadata=None),
        old(invocation_id="i"),
        old(timestamp="2026-01-15T10:30:00Z"),
        old(timestamp="yesterday"),
        old({"type": "tool_result", "id": "c", "name": "f", "output": ""}, role="system"),
        old({"type": "tool_result", "id": "c", "name": "f", "output": "x"}, role="user"),
        old({"type": "tool_use", "id": "c", "name": "f", "input": {}}, role="user"),
        new(content="hi"),
        new(part("image", source=PNG)),
        new(part("tool_use", name="f", input={"a": 1})),
        new(part("hint", hint="x", source="bob"), role="user"),
        new(created_at="20260115", structured_output=[1], usage={"input_tokens": 1}),
        new(call(state="later", suggested_rules=[{"behavior": "allow"}])),
        new(result(output=[{"type": "text", "text": "x"}], state="later")),
        new(part("data", source={"type": "url", "url": "https://e.com"}, name="n")),
        new({"text": "hi"}, {"text": "hi", "id": "t"}),
        new(content={"type": "text", "text": "hi"}),
        old(content={"type": "text", "text": "hi"}),
        old(content={"type": "tool_result", "id": "c", "name": "f", "output": "x"}, role="system"),
        {"name": "a", "role": "user", "content": [{"type": "text", "text": "x"}]},
    ],
    ids=repr,
)
def test_an_odd_spelling(native: dict[str, Any]) -> None:
    """Spellings that the library never writes, or once wrote, are read for their meaning and come back."""
    history = returned([native])
    assert not any(message.role == "native" or message.has(am.NativeBlock) for message in history)


UNKNOWN: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (new(created_at="yesterday"), {"created_at": "yesterday"}),
    (new(created_at={"x": 1}), {"created_at": {"x": 1}}),
    (old(timestamp="yesterday"), {"timestamp": "yesterday"}),
    (old(timestamp=5), {"timestamp": 5}),
    (new(timestamp="2026-01-15 10:30:00.123"), {"timestamp": "2026-01-15 10:30:00.123"}),
    (new(created_at="x", timestamp="y"), {"created_at": "x", "timestamp": "y"}),
    (new(url="https://x.org/a.png"), {"url": "https://x.org/a.png"}),
]


@pytest.mark.parametrize(("native", "extras"), UNKNOWN, ids=lambda value: repr(value)[-60:])
def test_what_no_field_can_mean_is_an_unknown_field(native: dict[str, Any], extras: dict[str, Any]) -> None:
    """An invalid time and keys of another version are in extras, and in no note."""
    message = returned([native])[0]
    assert (message.role, message.extras) == ("assistant", {"agentscope": extras})
    for target in (OLD, NEW, CODEC, am.get_codec("agentscope-java"), am.get_codec("json")):
        converted = am.convert([native], "agentscope", target)
        back = am.restore(am.decode(converted.document, target), converted.losses)
        assert am.encode(back, "agentscope") == [native]


@pytest.mark.parametrize("word", ["stop", "completed?", "length"])
def test_reasons_are_one_word_each(word: str) -> None:
    """A reason unknown to the library stays, even if it looks like one of our words."""
    message = returned([new(finished_reason=word)])[0]
    assert message.finish_reason == word
    assert word not in repr(message.notes)


def test_only_hints_have_a_phase() -> None:
    """A file that isn't a list of parts isn't a hint, whatever its phase."""
    file = am.FileBlock(am.URLSource("https://e.com/a.pdf", "application/pdf"), phase="hint", item_id="h1")
    for role in ("assistant", "user"):
        losses: list[am.Loss] = []
        document = am.encode([bare(role, file)], "agentscope", losses=losses)
        assert "phase" in {loss.path[-1] for loss in losses}
        assert am.same(am.restore(am.decode(document, "agentscope"), losses)[0].content, (file,))


@pytest.mark.parametrize("native", [{"role": "tool", "content": []}, {"role": "human"}, {"role": 1}, new(metadata=1)])
def test_a_message_that_has_no_meaning_is_kept_whole(native: dict[str, Any]) -> None:
    """Anything but a message of AgentScope becomes a message with the role native."""
    assert returned([native])[0].role == "native"


# -- unsupported content ----------------------------------------------------------------------------------------------


def test_what_only_assistants_have_is_not_written_for_users() -> None:
    """2.x refuses thinking and calls of users, and anything but text of the system."""
    losses: list[Any] = []
    document = written(
        bare("user", am.ThinkingBlock("hm"), am.ToolUseBlock("c", "f"), am.TextBlock("hi")),
        bare("system", am.ImageBlock(am.URLSource("https://e.com/a.png")), am.TextBlock("hi")),
        losses=losses,
    )
    assert [[item["type"] for item in native["content"]] for native in document] == [["text"], ["text"]]
    assert [loss.kind for loss in losses] == ["dropped"] * 3


@pytest.mark.parametrize(
    ("url", "kind"),
    [("https://e.com/a.JPG?x=1", "image/jpeg"), ("https://e.com/a", "image/*"), ("https://e.com/a.mp3", "image/*")],
)
def test_a_media_type_is_found_out(url: str, kind: str) -> None:
    """2.x requires the media type of a URL; the ending decides it, else the kind of block."""
    assert written(bare("user", am.ImageBlock(am.URLSource(url))))[0]["content"][0]["source"]["media_type"] == kind


def test_1x_has_no_files_states_or_usage() -> None:
    """Fields that 1.x doesn't have are reported as lost."""
    losses: list[Any] = []
    message = bare(
        "assistant",
        am.FileBlock(am.Base64Source("JVBERi0=", "application/pdf")),
        am.ToolUseBlock("c", "f", status="asking"),
        am.TextBlock("x", phase="hint"),
        usage=am.Usage(input=1, output=2),
        created_at=datetime(2026, 1, 1, 1, 2, 3, 4567, UTC),
    )
    native = written(message, codec=OLD, losses=losses)[0]
    assert native["timestamp"] == "2026-01-01 01:02:03.004"
    assert sorted(str(loss.path[-1]) for loss in losses) == ["0", "created_at", "phase", "status", "usage"]


def test_a_result_gets_a_state() -> None:
    """A result of 2.x without a state is running; a present result is a success, or an error."""
    answers = [
        am.ToolResultBlock("c", "x"),
        am.ToolResultBlock("c", "x", error="no"),
        am.ToolResultBlock("c", error="no"),
    ]
    natives = written(*(bare("tool", answer) for answer in answers))
    assert [item["state"] for native in natives for item in native["content"]] == ["success", "error", "error"]
    assert natives[0]["content"][2]["output"] == "no"


# -- errors, and the laws of both versions ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "path"),
    [
        (1, ()),
        ({}, ("role",)),
        ({"messages": 1}, ("messages",)),
        ([1], (0,)),
        ({"context": [new(), "x"]}, ("context", 1)),
        ({"agent": {"state": {"context": [new(), "x"]}}}, ("agent", "state", "context", 1)),
        ({"agent": {"state": {"context": 1}}}, ("role",)),
    ],
)
def test_a_document_that_is_none(document: Any, path: tuple[Any, ...]) -> None:
    """Documents without messages are refused, with the path."""
    assert refused(document, codec=CODEC) == (path, "schema", "agentscope")


def test_a_version_is_1_or_2() -> None:
    """No other version can be chosen."""
    with pytest.raises(ValueError, match="version"):
        AgentScopeCodec(version=3)  # type: ignore[arg-type]


@pytest.mark.parametrize("codec", [OLD, NEW], ids=["1", "2"])
@given(history=histories(), seed=st.integers(0, 2**32))
def test_each_version_has_an_honest_account(codec: AgentScopeCodec, history: am.History, seed: int) -> None:
    """Laws 3 and 5 hold for the codec of either version."""
    rng = random.Random(seed)
    honest_account(codec, history, rng=rng)
    floor(codec, history)
    notes_never_matter(codec, plant_notes(history, rng, ("agentscope",), ("/version", "/as", "/role", "/time"), (1, 2)))


@pytest.mark.parametrize("codec", [OLD, AgentScopeJavaCodec(version=1)], ids=["py", "java"])
def test_a_hint_is_text_without_id_in_1x(codec: AnyCodec) -> None:
    """1.x has no hints: the hint is reported as lost, and so is its id, which only hints have."""
    history = am.History([am.Msg("assistant", (am.TextBlock("Be brief", item_id="h1", phase="hint"),))])
    lost = {loss.path[-1] for loss in account(honest_account(codec, history))}
    assert lost == {"phase", "item_id"}


@pytest.mark.parametrize("nothing", [None, "", [], {}], ids=repr)
@pytest.mark.parametrize("stamp", [TIME, "", "soon"], ids=repr)
def test_a_time_that_says_nothing_makes_no_message_of_2x(nothing: Any, stamp: str) -> None:
    """A time beside one of 1.x is kept whole: a spelling alone would name its version."""
    (message,) = returned([{"name": "a", "role": "user", "content": "x", "created_at": nothing, "timestamp": stamp}])
    assert message.role == ("user" if stamp == "soon" else "native")


def test_urls_beside_results_are_no_unknown_field_of_what_stands_before() -> None:
    """Alone, the message before the results would contain them."""
    text, result = {"type": "text", "text": "x"}, {"type": "tool_result", "id": "c", "name": "f", "output": "o"}
    beside = {"name": "a", "role": "assistant", "timestamp": "2026-01-15 10:30:00.123", "url": "https://x.org/y.png"}
    for content, roles in (([text, result], ["native"]), ([result, text], ["tool", "assistant"])):
        assert [message.role for message in returned([{**beside, "content": content}])] == roles


def test_a_text_of_arguments_beside_others_is_told_as_lost_where_it_would_be_read() -> None:
    """Beside an input it has no meaning; if an edit empties the input, it would become the input."""
    call = {"type": "tool_use", "id": "c", "name": "f", "input": {"a": 1}, "raw_input": '{"a": "x'}
    document = {"name": "a", "role": "assistant", "timestamp": "2026-01-15 10:30:00.123", "content": [call]}
    (message,) = returned([document])
    empty = message.evolve(content=[message.tool_calls[0].evolve(input={})])
    lost = account(honest_account(CODEC, am.History([empty])))
    assert [loss.where for loss in lost] == ["messages/0/content/0/extras/agentscope/raw_input"]


@pytest.mark.parametrize("text", ["{}", '{"a": 1}', "no json", {"a": 1}], ids=repr)
@pytest.mark.parametrize("given", [{}, {"_raw": "x"}, 1], ids=repr)
def test_a_call_with_an_unknown_text_of_arguments_is_one_of_2x(text: Any, given: Any) -> None:
    """Calls of 1.x would read it as their own."""
    call = am.ToolUseBlock("c", "f", given, extras={"agentscope": {"raw_input": text}})
    history = am.decode([old({"type": "text", "text": "x"})], CODEC)
    with_call = history.evolve(messages=[*history, am.Msg("assistant", [call], created_at=None)])
    assert not account(honest_account(CODEC, with_call))


@pytest.mark.parametrize(
    "answer",
    [
        {"finished_reason": "error", "content": [call(input="{}"), result()]},
        {"content": [{"type": "tool_call", "id": "c", "name": "f", "input": "{}", "state": "pending"}]},
        {"content": [{"type": "tool_result", "id": "c", "name": "f", "output": "o"}]},
    ],
    ids=repr,
)
def test_messages_without_names_are_recognised_by_their_calls_and_results(answer: dict[str, Any]) -> None:
    """Applications send messages without names, and some without anything but a role and content."""
    document = [{"role": "user", "content": [{"type": "text", "text": "x"}]}, {"role": "assistant", **answer}]
    assert am.recognize(document) == am.recognize(document[1]) == "agentscope"
    assert am.detect(document[:1])[0][0] != "agentscope"
