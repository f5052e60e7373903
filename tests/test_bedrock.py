"""The codecs ``bedrock`` and ``bedrock-response``: parts and messages, cache points, unsupported content.

Exact return, damaged documents, planted notes and the other laws are tested in test_laws.py; the package's types in
real/test_real_providers.py.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings

import agentmsg as am
from agentmsg.formats.spelling import same_document
from agentmsg.testing import exact_return, histories, honest_account
from agentmsg_codecs.bedrock import BedrockCodec
from agentmsg_codecs.bedrock.response import BedrockResponseCodec
from data import effort
from support import checked
from support.checked import msg, refused
from support.documents import documents

CODEC, ANSWERS = BedrockCodec(), BedrockResponseCodec()
returned = partial(checked.returned, codec=CODEC)
written = partial(checked.written, codec="bedrock")
SERVER: dict[str, Any] = {"kind": "server", "provider": "bedrock"}
S3 = {"s3Location": {"uri": "s3://b/a.mp4"}}
CITED = {
    "content": [{"text": "Green."}],
    "citations": [
        {
            "title": "Doc",
            "sourceContent": [{"text": "green"}],
            "location": {"documentChar": {"documentIndex": 0, "start": 0, "end": 5}},
        }
    ],
}
CITATION = am.Citation(
    kind="documentChar",
    title="Doc",
    cited_text="green",
    start=0,
    end=5,
    extras={"bedrock": {"/location": {"documentIndex": 0}}},
)

POINT = {"cachePoint": {"type": "default"}}
PARTS: list[tuple[dict[str, Any], am.Block]] = [
    ({"text": "Hi"}, am.TextBlock("Hi")),
    ({"citationsContent": CITED}, am.TextBlock("Green.", citations=[CITATION])),
    (
        {"guardContent": {"text": {"text": "Hi", "qualifiers": ["query"]}}},
        am.TextBlock("Hi", extras={"bedrock.guard": {"text": {"qualifiers": ["query"]}}}),
    ),
    (
        {"image": {"format": "png", "source": {"bytes": "AAAA"}}},
        am.ImageBlock(am.Base64Source("AAAA", "image/png")),
    ),
    (
        {"image": {"format": "png", "source": {"bytes": "AAAA"}, "newKey": 1}},
        am.ImageBlock(am.Base64Source("AAAA", "image/png"), extras={"bedrock.item": {"newKey": 1}}),
    ),
    (
        {"guardContent": {"image": {"format": "png", "source": {"bytes": "AAAA"}, "newKey": 1}}},
        am.ImageBlock(am.Base64Source("AAAA", "image/png"), extras={"bedrock.guard": {"image": {"newKey": 1}}}),
    ),
    (
        {"searchResult": {"source": "https://x.test", "title": "T", "content": [{"text": "x"}], "newKey": 1}},
        am.FileBlock(
            am.BlocksSource([am.TextBlock("x")]),
            name="https://x.test",
            title="T",
            extras={"bedrock.item": {"newKey": 1}},
        ),
    ),
    ({"video": {"format": "mp4", "source": S3}}, am.VideoBlock(am.URLSource("s3://b/a.mp4", "video/mp4"))),
    (
        {"document": {"format": "txt", "name": "Doc", "source": {"text": "x"}, "context": "c"}},
        am.FileBlock(am.TextSource("x", "text/plain"), name="Doc", context="c"),
    ),
    (
        {"document": {"name": "Doc", "source": {"content": [{"text": "x"}]}}},
        am.FileBlock(am.BlocksSource([am.TextBlock("x")]), name="Doc"),
    ),
    (
        {"reasoningContent": {"reasoningText": {"text": "Hm", "signature": "s"}}},
        am.ThinkingBlock("Hm", signature=am.Signature("bedrock", "s")),
    ),
    (
        {"reasoningContent": {"reasoningText": {"text": "Hm", "newKey": 1}}},
        am.ThinkingBlock("Hm", extras={"bedrock.item": {"newKey": 1}}),
    ),
    ({"reasoningContent": {"redactedContent": "AAAA"}}, am.ThinkingBlock(redacted="AAAA")),
    ({"toolUse": {"toolUseId": "t", "name": "f", "input": {"q": 1}}}, am.ToolUseBlock("t", "f", {"q": 1})),
    (
        {"toolUse": {"toolUseId": "t", "name": "f", "input": {}, "type": "server_tool_use"}},
        am.ToolUseBlock("t", "f", {}, **SERVER),
    ),
    (
        {"toolResult": {"toolUseId": "t", "content": [{"json": {"a": 1}}], "status": "success"}},
        am.ToolResultBlock("t", [am.DataBlock({"a": 1})], status="success", **SERVER),
    ),
    ({"newPart": {}}, am.NativeBlock("bedrock", {"newPart": {}})),
]


@pytest.mark.parametrize(("part", "block"), PARTS)
def test_a_part_is_a_block(part: dict[str, Any], block: am.Block) -> None:
    """An assistant's part is read as this block, and the block is written as the part, down to the last key."""
    natives = [{"role": "assistant", "content": [part]}]
    (message,) = returned(natives)
    assert am.same(message, msg("assistant", block)), message
    assert same_document(written(msg("assistant", block)), {"messages": natives})


def test_thinking_without_a_signature_may_say_so() -> None:
    """A null signature is no signature."""
    part = {"reasoningContent": {"reasoningText": {"text": "Hm", "signature": None}}}
    (message,) = returned([{"role": "assistant", "content": [part]}])
    assert am.same(message, msg("assistant", am.ThinkingBlock("Hm")))


_ENCODED = {"__bytes_encoded__": True, "data": "AAAA"}
_BUFFER = {"type": "Buffer", "data": [0, 0, 0]}
_NO_CITATIONS: tuple[Any, ...] = ({}, {"citations": []}, {"citations": None})
_NO_ARGUMENTS: tuple[Any, ...] = ({}, {"input": None}, {"input": ""})
_PNG = am.ImageBlock(am.Base64Source("AAAA", "image/png"))


def _called(**said: Any) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": "t", "name": "f", **said}}


_SPELLINGS: list[tuple[dict[str, Any], am.Block]] = [
    *(
        ({"citationsContent": {"content": texts, **said}}, am.TextBlock("ab"))
        for texts in ([{"text": "ab"}], [{"text": "a"}, {"text": ""}, {"text": "b"}])
        for said in _NO_CITATIONS
    ),
    (
        {"citationsContent": {**CITED, "content": [{"text": "Gre"}, {"text": "en."}]}},
        am.TextBlock("Green.", citations=[CITATION]),
    ),
    (
        {"citationsContent": {"content": [{"text": "a"}], "citations": [{"title": "D", "location": {}}]}},
        am.TextBlock("a", citations=[am.Citation(title="D")]),
    ),
    *(({"image": {"format": "png", "source": {"bytes": data}}}, _PNG) for data in (_ENCODED, _BUFFER)),
    *(
        ({"reasoningContent": {"redactedContent": data}}, am.ThinkingBlock(redacted="AAAA"))
        for data in (_ENCODED, _BUFFER)
    ),
    (
        {"document": {"format": "pdf", "name": "Doc", "source": {"bytes": _ENCODED}}},
        am.FileBlock(am.Base64Source("AAAA", "application/pdf"), name="Doc"),
    ),
    (
        {"reasoningContent": {"text": "Hm", "signature": "s"}},
        am.ThinkingBlock("Hm", signature=am.Signature("bedrock", "s")),
    ),
    *((_called(**said), am.ToolUseBlock("t", "f", {})) for said in _NO_ARGUMENTS),
    *((_called(input=text), am.ToolUseBlock("t", "f", {"q": 1})) for text in ('{"q": 1}', '{"q":1}')),
    (_called(input='{"q": '), am.ToolUseBlock("t", "f", raw_input='{"q": ')),
]


@pytest.mark.parametrize(("part", "block"), _SPELLINGS)
def test_spellings_of_parts_come_back(part: dict[str, Any], block: am.Block) -> None:
    """Frameworks and streams write such parts; alone, and with a cache point."""
    for parts in ([part], [part, POINT]):
        history = returned([{"role": "assistant", "content": parts}])
        (found,) = history[0].content
        assert am.same(found.evolve(cache=None), block), found
        for messages in ([*history, *history], [history[0].evolve(content=[found, found])]):
            honest_account(CODEC, history.evolve(messages=messages))


def test_edited_parts_keep_their_spelling_if_they_may() -> None:
    """A longer text is cut at the same places; a text with citations isn't one without."""
    part = {"citationsContent": {"content": [{"text": "a"}, {"text": "b"}]}}
    (message,) = returned([{"role": "assistant", "content": [part]}])
    block: Any = message.content[0]
    edits = (block.evolve(text="xyz"), block.evolve(text=""), block.evolve(text="Green.", citations=[CITATION]))
    parts = [written(message.evolve(content=[edit]))["messages"][0]["content"][0] for edit in edits]
    assert parts == [
        {"citationsContent": {"content": [{"text": "x"}, {"text": "yz"}]}},
        {"citationsContent": {"content": [{"text": ""}]}},
        {"citationsContent": {**CITED, "content": [{"text": "G"}, {"text": "reen."}]}},
    ]


def test_content_may_be_a_text() -> None:
    """A text replaces a list of one, in messages, in the prompt and in responses; an edited one stays a text."""
    body = {"system": "s", "messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}
    history = returned(body)
    assert [(message.role, message.text) for message in history] == [("system", "s"), ("user", "a"), ("assistant", "b")]
    edits: tuple[Any, ...] = ([am.TextBlock("c")], [am.TextBlock("c"), am.TextBlock("d")], [])
    contents = [written(history[1].with_content(content))["messages"] for content in edits]
    assert contents[0] == [{"role": "user", "content": "c"}]
    assert contents[1] == [{"role": "user", "content": [{"text": "c"}, {"text": "d"}]}]
    assert returned({"messages": [], "system": {"text": "s"}}).messages == ()


def test_parts_may_have_a_null_for_each_other_kind() -> None:
    """The output of a batch has them; edited parts have them, too, and others nothing is known of are kept whole."""
    nulls: dict[str, Any] = dict.fromkeys(["cachePoint", "reasoningContent", "text", "toolUse"])
    parts: list[Any] = [{**nulls, "reasoningContent": {"reasoningText": {"text": "Hm"}}}, {**nulls, "text": "a"}]
    body: dict[str, Any] = {
        "messages": [{"role": "user", "content": parts[1:]}, {"role": "assistant", "content": parts}]
    }
    history = returned(body)
    assert history[0].content == (am.TextBlock("a"),)
    assert history[1].content == (am.ThinkingBlock("Hm"), am.TextBlock("a"))
    edited = written(history[0].with_content([am.TextBlock("b", cache=am.CacheHint())]))
    assert edited["messages"][0]["content"] == [{**nulls, "text": "b"}, {**nulls, **POINT}]
    image = am.ImageBlock(am.Base64Source("AAAA", "image/png"))
    mixed = written(history[0].with_content([image, am.TextBlock("b")]))["messages"][0]["content"]
    assert [part.keys() for part in mixed] == [{"image"}, {"text"}]
    assert am.detect(body)[0][0] == "bedrock"
    result: dict[str, Any] = {"toolResult": {"toolUseId": "t", "content": []}, "text": None}
    assert returned([{"role": "user", "content": [result]}])[0].content[0] == am.NativeBlock("bedrock", result)


_NULLS = [{"text": "a", "image": None, "toolUse": None}]


@pytest.mark.parametrize("role", [{}, {"role": None}, {"role": "assistant"}])
@pytest.mark.parametrize("content", ["a", [{"text": "a"}], _NULLS])
def test_a_response_needs_no_role(role: dict[str, Any], content: Any) -> None:
    """There is only one."""
    (message,) = checked.returned({"output": {"message": {**role, "content": content}}}, codec=ANSWERS)
    assert (message.role, message.text) == ("assistant", "a")


def test_results_are_messages() -> None:
    """A user message's results are tool messages; adjacent ones become one message again."""
    call: Any = {"toolUse": {"toolUseId": "t", "name": "f", "input": {}}}
    given = [{"toolResult": {"toolUseId": "t", "content": [{"text": "1"}], "status": "error"}}, {"text": "Look"}]
    history = returned([{"role": "assistant", "content": [call]}, {"role": "user", "content": given}])
    assert [message.role for message in history] == ["assistant", "tool", "user"]
    assert (history[1].tool_results[0].name, history[1].tool_results[0].is_error) == ("f", True)


# -- cache points -----------------------------------------------------------------------------------------------------


def test_a_cache_point_is_a_hint_of_the_block_before() -> None:
    """In messages, in the system prompt and among tools; another format's hint becomes such a point too."""
    tool: Any = {"toolSpec": {"name": "f", "inputSchema": {"json": {}}}}
    long = {"cachePoint": {"type": "default", "ttl": "1h"}}
    body: Any = {
        "system": [{"text": "s"}, POINT],
        "messages": [{"role": "user", "content": [{"text": "a"}, long, {"text": "b"}]}],
        "toolConfig": {"tools": [tool, POINT]},
    }
    history = returned(body)
    assert history[0].content[0].cache == am.CacheHint()
    assert [block.cache for block in history[1].content] == [am.CacheHint(ttl="1h"), None]
    assert history.tools[0].cache == am.CacheHint()  # type: ignore[union-attr]
    hinted = {"role": "user", "content": [{"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}]}
    done = am.convert([hinted], "anthropic", "bedrock")
    assert done.document["messages"] == [{"role": "user", "content": [{"text": "x"}, POINT]}]
    assert not done.losses


@pytest.mark.parametrize(
    "content",
    [[POINT], [POINT, {"text": "x"}], [{"text": "x"}, POINT, POINT], [{"text": "x", **POINT}], [{"x": 1}, POINT]],
    ids=["alone", "first", "twice", "inside", "behind what is unknown"],
)
def test_odd_cache_points_come_back(content: list[Any]) -> None:
    """A point that follows nothing, or another point, stays in place."""
    returned([{"role": "user", "content": content}])


# -- messages and settings --------------------------------------------------------------------------------------------


def test_system_messages_in_front_are_the_prompt() -> None:
    """Leading ones are merged; one in the middle stays there, and so does one that was read among the messages."""
    losses: list[am.Loss] = []
    texts = [msg("system", am.TextBlock("a")), msg("system", am.TextBlock("b"))]
    document = written(*texts, msg("user", am.TextBlock("Hi")), msg("system", am.TextBlock("c")), losses=losses)
    assert document["system"] == [{"text": "a"}, {"text": "b"}]
    assert [message["role"] for message in document["messages"]] == ["user", "system"]
    assert {(loss.kind, loss.level) for loss in losses} == {("merged", "annotation")}
    inside = {"role": "system", "content": [{"text": "b"}]}
    returned({"system": [{"text": "a"}], "messages": [inside, inside]})


def test_settings_and_what_stands_beside_them() -> None:
    """Fields of the model are read from the configuration; the rest of it comes back beside them."""
    tool: Any = {"toolSpec": {"name": "f", "inputSchema": {"json": {}}}}
    body: Any = {
        "messages": [],
        "inferenceConfig": {"maxTokens": 9, "temperature": 0.5, "new": 1},
        "toolConfig": {"tools": [tool], "toolChoice": {"any": {}}, "new": 1},
    }
    history = returned(body)
    assert history.settings is not None
    assert (history.settings.max_tokens, history.settings.tool_choice) == (9, "required")
    assert history.extras == {"bedrock": {"inferenceConfig": {"new": 1}, "toolConfig": {"new": 1}}}


@pytest.mark.parametrize("text", ['{"type": "object"}', '{"type":"object"}', '{"type": 1e0}', "[]", 5])
@pytest.mark.parametrize("more", [{"name": "n", "description": "d"}, {"name": 1}, {"new": "x"}])
def test_the_schema_of_the_output_is_a_setting(text: Any, more: dict[str, Any]) -> None:
    """It is a text, in one of the usual styles; anything else is an extra."""
    form = {"type": "json_schema", "structure": {"jsonSchema": {"schema": text, **more}}}
    history = returned({"messages": [], "outputConfig": {"textFormat": form, "new": 1}})
    is_read = type(text) is str and "object" in text
    known = more if "description" in more else {}
    wanted = {"schema": {"type": "object"}, **known} if is_read else None
    assert (None if history.settings is None else history.settings.response_format) == wanted
    for said in ({"schema": {"a": 1}, "strict": True}, "json", None):
        honest_account(CODEC, history.with_settings(response_format=said))


@pytest.mark.parametrize(
    ("message", "content", "level"),
    [
        (msg("assistant", am.ThinkingBlock("Hm", signature=am.Signature("anthropic", "x"))), None, "content"),
        (msg("user", am.ImageBlock.from_url("https://x.test/a.png")), None, "content"),
        (msg("user", am.FileBlock(am.TextSource("x"))), [{"document": {"name": "document", "source": {"text": "x"}}}],
         "annotation"),
        (msg("assistant", am.ToolUseBlock("c", "f", "ls", kind="custom")),
         [{"toolUse": {"toolUseId": "c", "name": "f", "input": {"input": "ls"}}}], "content"),
    ],
    ids=["foreign thinking", "link", "document without a name", "custom call"],
)  # fmt: skip
def test_what_has_no_place(message: am.Msg, content: list[Any] | None, level: str) -> None:
    """Content that the API lacks is left out, or written differently; the report shows it, and restores it."""
    losses: list[am.Loss] = []
    document = written(message, losses=losses)
    assert [native["content"] for native in document["messages"]] == ([] if content is None else [content])
    assert level in {loss.level for loss in losses}
    assert am.same(am.restore(am.decode(document, "bedrock"), losses), am.History([message]))


@pytest.mark.parametrize(
    ("reason", "finish"),
    [("end_turn", "stop"), ("max_tokens", "length"), ("tool_use", "tool_use"), ("new_reason", "new_reason")],
)
def test_a_response_is_a_message(reason: str, finish: str) -> None:
    """A response is one assistant message; its input includes cached tokens."""
    usage = {"inputTokens": 5, "outputTokens": 2, "totalTokens": 10, "cacheReadInputTokens": 3}
    said = {"role": "assistant", "content": [{"text": "Hi"}]}
    document = {"output": {"message": said}, "stopReason": reason, "usage": usage, "metrics": {"latencyMs": 5}}
    (message,) = checked.returned(document, codec=ANSWERS)
    assert message.finish_reason == finish
    assert message.usage is not None
    assert (message.usage.input, message.usage.cache_read, message.usage.total) == (8, 3, 10)
    assert message.response_metadata == {"metrics": {"latencyMs": 5}}


def test_what_is_no_document_is_refused() -> None:
    """The error has the path."""
    assert refused({"messages": 1}, codec="bedrock")[0] == ("messages",)
    assert refused({"output": {}}, codec="bedrock-response")[0] == ("output",)
    said: Any = {"role": "user", "content": [{"text": "Hi"}]}
    assert refused({"output": {"message": said}}, codec="bedrock-response")[0] == ("output", "message", "role")
    said = {"role": "assistant"}
    assert refused({"output": {"message": said}}, codec="bedrock-response")[0] == ("output", "message", "content")


MERGED = BedrockCodec(turns="merged")


@settings(max_examples=effort(100))
@given(history=histories())
def test_merged_turns_alternate(history: am.History) -> None:
    """Neighbours of one role are one message, results and what the user says after them, too; nothing is lost."""
    honest_account(MERGED, history)
    document: Any = am.encode(history, "bedrock", repair=True, on_loss="ignore")
    roles = [native.get("role") for native in document["messages"]]
    assert [role for role, after in pairwise(roles) if role == after and role in {"user", "assistant"}] == []


def test_documents_come_back_with_merged_turns() -> None:
    """What alternates already comes back as it was."""
    for _, document in documents("bedrock"):
        exact_return(MERGED, document)


def test_a_repaired_conversation_alternates_and_comes_back() -> None:
    """Two answers of an assistant, and a question right after a result, as other formats have them."""
    call: dict[str, Any] = {"id": "c", "name": "f", "args": {}}
    history = am.History.of(
        "Hi", am.Msg.assistant("Let me see"), am.Msg.assistant(tool_calls=[call]), am.Msg.tool("r", tool_call_id="c"),
        "And now?", "Well?", am.Msg.assistant("Done"),
    )  # fmt: skip
    request = am.encode(history.evolve(tools=[am.ToolSpec("f")]), "openai")
    plain = am.convert(request, "openai", "bedrock").document
    assert [finding.path for finding in am.check(am.decode(plain, "bedrock"), "bedrock")] == [
        ("messages", index) for index in (2, 4, 5)
    ]
    done: Any = am.convert(request, "openai", "bedrock", repair=True)
    assert [native["role"] for native in done.document["messages"]] == ["user", "assistant"] * 2
    assert am.check(am.decode(done.document, "bedrock"), "bedrock") == ()
    assert am.encode(am.restore(am.decode(done.document, "bedrock"), done.losses), "openai") == request
