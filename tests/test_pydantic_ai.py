"""The codec ``pydantic-ai``: parts of requests as messages, instructions, media, results, unsupported content.

Exact return, damaged documents, planted notes and the other laws are tested in test_laws.py; the package itself in
real/test_real_pydantic_ai.py.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

import agentmsg as am
from agentmsg.testing import honest_account
from agentmsg_codecs.pydantic_ai import PydanticAICodec
from support import checked
from support.checked import msg, refused

CODEC = PydanticAICodec()
returned = partial(checked.returned, codec=CODEC)
written = partial(checked.written, codec="pydantic-ai")
PICTURE = {"kind": "binary", "data": "AAAA", "media_type": "image/png"}
CITED = {"sources": [{"kind": "web", "url": "https://x.test", "title": "T", "excerpts": ["words"]}],
         "anchor": {"start": 0, "end": 2, "kind": "content"}}  # fmt: skip


def request(*parts: Any, **more: Any) -> dict[str, Any]:
    """Return a request."""
    return {"kind": "request", "parts": list(parts), **more}


def response(*parts: Any, **more: Any) -> dict[str, Any]:
    """Return a response."""
    return {"kind": "response", "parts": list(parts), **more}


SAID: list[tuple[Any, am.Block]] = [
    ("Hi", am.TextBlock("Hi")),
    ({"kind": "text-content", "content": "Hi", "metadata": {"a": 1}}, am.TextBlock("Hi", metadata={"a": 1})),
    ({"kind": "structured-content", "value": [1], "tag": "n"}, am.DataBlock([1], name="n")),
    (
        {"kind": "image-url", "url": "https://x.test/a", "vendor_metadata": {"detail": "low"}},
        am.ImageBlock(am.URLSource("https://x.test/a"), detail="low"),
    ),
    ({"kind": "document-url", "url": "https://x.test/a"}, am.FileBlock(am.URLSource("https://x.test/a"))),
    (PICTURE, am.ImageBlock(am.Base64Source("AAAA", "image/png"))),
    ({**PICTURE, "media_type": "audio/wav"}, am.AudioBlock(am.Base64Source("AAAA", "audio/wav"))),
    (
        {"kind": "uploaded-file", "file_id": "f", "provider_name": "openai", "media_type": "video/mp4"},
        am.VideoBlock(am.FileSource("f", "openai", "video/mp4")),
    ),
]
ANSWERED: list[tuple[dict[str, Any], am.Block]] = [
    (
        {"part_kind": "text", "content": "Hi", "citations": [CITED], "provider_details": {"phase": "final_answer"}},
        am.TextBlock(
            "Hi",
            phase="final_answer",
            citations=[
                am.Citation(url="https://x.test", title="T", cited_text="words", start=0, end=2, kind="content")
            ],
        ),
    ),
    (
        {"part_kind": "thinking", "content": "Hm", "signature": "s", "provider_name": "anthropic"},
        am.ThinkingBlock("Hm", signature=am.Signature("anthropic", "s")),
    ),
    (
        {
            "part_kind": "thinking",
            "content": "",
            "id": "redacted_thinking",
            "signature": "s",
            "provider_name": "anthropic",
        },
        am.ThinkingBlock(redacted="s"),
    ),
    (
        {"part_kind": "tool-call", "tool_name": "f", "args": {"q": 1}, "tool_call_id": "c",
         "provider_details": {"thought_signature": "s"}},
        am.ToolUseBlock("c", "f", {"q": 1}, signature=am.Signature("google", "s")),
    ),
    (
        {"part_kind": "builtin-tool-call", "tool_name": "web_search", "args": "{}", "tool_call_id": "c",
         "provider_name": "openai"},
        am.ToolUseBlock("c", "web_search", {}, kind="server", provider="openai"),
    ),
    (
        {"part_kind": "builtin-tool-return", "tool_name": "web_search", "content": {"n": 1}, "tool_call_id": "c",
         "provider_name": "openai"},
        am.ToolResultBlock("c", name="web_search", structured={"n": 1}, kind="server", provider="openai"),
    ),
    ({"part_kind": "file", "content": PICTURE}, am.ImageBlock(am.Base64Source("AAAA", "image/png"))),
    (
        {"part_kind": "speech", "speaker": "assistant", "transcript": "Hi",
         "audio": {"kind": "binary", "data": "AAAA", "media_type": "audio/wav"}},
        am.AudioBlock(am.Base64Source("AAAA", "audio/wav"), transcript="Hi"),
    ),
    ({"part_kind": "speech", "speaker": "assistant", "transcript": "Hi", "audio": None}, am.TextBlock("Hi")),
    (
        {"part_kind": "compaction", "content": None, "provider_details": {"encrypted_content": "x"}},
        am.CompactionBlock(encrypted="x"),
    ),
]  # fmt: skip
RETURNED: list[tuple[Any, dict[str, Any]]] = [
    ("21 degrees", {"content": "21 degrees"}),
    ({"degrees": 21}, {"structured": {"degrees": 21}}),
    (["a", "b"], {"structured": ["a", "b"]}),
    (PICTURE, {"content": [am.ImageBlock(am.Base64Source("AAAA", "image/png"))]}),
    (
        ["Look", PICTURE, {"n": 1}],
        {
            "content": [
                am.TextBlock("Look"),
                am.ImageBlock(am.Base64Source("AAAA", "image/png")),
                am.DataBlock({"n": 1}),
            ]
        },
    ),
    # Without a media type, a link in a result is JSON to the library.
    ([{"kind": "image-url", "url": "u"}], {"structured": [{"kind": "image-url", "url": "u"}]}),
]


@pytest.mark.parametrize(("item", "block"), SAID, ids=range(len(SAID)))
def test_what_users_say(item: Any, block: am.Block) -> None:
    """Each item of a user's content is a block."""
    history = returned([request({"part_kind": "user-prompt", "content": ["First", item]})])
    assert history[0].content[1] == block


@pytest.mark.parametrize(("part", "block"), ANSWERED, ids=range(len(ANSWERED)))
def test_what_models_say(part: dict[str, Any], block: am.Block) -> None:
    """Each part of a response is a block of one message."""
    history = returned([response({"part_kind": "text", "content": "x"}, part)])
    assert history[0].content[1] == block


@pytest.mark.parametrize(("content", "fields"), RETURNED, ids=range(len(RETURNED)))
def test_what_tools_return(content: Any, fields: dict[str, Any]) -> None:
    """A text and a list with media are content; any other JSON is structured."""
    part = {"part_kind": "tool-return", "tool_name": "f", "content": content, "tool_call_id": "c", "metadata": {"a": 1}}
    history = returned([request({**part, "outcome": "success"})])
    assert history[0].content[0] == am.ToolResultBlock("c", name="f", status="success", artifact={"a": 1}, **fields)


def test_a_request_is_several_messages() -> None:
    """Its parts are joined again; its other keys are on the first."""
    document = [
        request(
            {"part_kind": "system-prompt", "content": "Be brief", "timestamp": "2026-01-02T03:04:05Z"},
            {"part_kind": "user-prompt", "content": "Hi"},
            run_id="r",
        ),
        response({"part_kind": "tool-call", "tool_name": "f", "args": "{}", "tool_call_id": "c"}),
        request(
            {"part_kind": "retry-prompt", "content": "Again", "tool_name": "f", "tool_call_id": "c"},
            {"part_kind": "retry-prompt", "content": "Answer in JSON"},
            {"part_kind": "tool-availability-delta", "tools_added": ["g"]},
        ),
    ]
    history = returned(document)
    assert [message.role for message in history] == ["system", "user", "assistant", "tool", "user", "native"]
    assert history[0].extras == {"pydantic-ai.request": {"run_id": "r"}}
    assert history[3].is_error
    two = returned([*document[:1], request({"part_kind": "user-prompt", "content": "More"})])
    assert [message.role for message in two] == ["system", "user", "user"]


def test_instructions_are_a_system_message() -> None:
    """Instructions repeated by a later request make no message, and follow an edit; others are another message."""
    asked = request({"part_kind": "user-prompt", "content": "Hi"}, instructions="Be brief")
    said = response({"part_kind": "text", "content": "Hello"})
    document = [asked, said, asked, said, {**asked, "instructions": "Be kind"}]
    history = returned(document)
    assert [(message.role, message.text) for message in history if message.role != "assistant"] == [
        ("system", "Be brief"), ("user", "Hi"), ("user", "Hi"), ("system", "Be kind"), ("user", "Hi"),
    ]  # fmt: skip
    edited = history.evolve(messages=[history[0].evolve(content="Be quick"), *history[1:]])
    told = [native.get("instructions") for native in am.encode(edited, "pydantic-ai")]
    assert told == ["Be quick", None, "Be quick", None, "Be kind"]


def test_metadata_is_that_of_the_request() -> None:
    """A message with metadata opens a request."""
    parts = [{"part_kind": "user-prompt", "content": word} for word in "ab"]
    history = returned([request(parts[0]), request(parts[1], metadata={"n": 1})])
    assert [message.metadata for message in history] == [{}, {"n": 1}]
    document = written(msg("user", am.TextBlock("a")), msg("user", am.TextBlock("b"), metadata={"n": 1}))
    assert [native["metadata"] for native in document] == [None, {"n": 1}]


def test_a_cache_point_is_of_what_it_follows() -> None:
    """One that follows nothing stays unchanged."""
    content = ["a", {"kind": "cache-point", "ttl": "1h"}, PICTURE, {"kind": "cache-point"}]
    (message,) = returned([request({"part_kind": "user-prompt", "content": content})])
    assert [block.cache for block in message.content] == [am.CacheHint(ttl="1h"), am.CacheHint()]
    (message,) = returned([request({"part_kind": "user-prompt", "content": content[1:]})])
    assert type(message.content[0]) is am.NativeBlock


def test_a_response_says_more() -> None:
    """Its model, time, cost and finish reason have fields."""
    usage = {"input_tokens": 5, "output_tokens": 2, "output_reasoning_tokens": 1, "cost": "0.00012"}
    (message,) = returned([
        response(usage=usage, model_name="m", timestamp="2026-01-02T03:04:05Z", finish_reason="tool_call",
                 provider_response_id="r", provider_details={"tier": "x"}),
    ])  # fmt: skip
    assert (message.id, message.model, message.finish_reason) == ("r", "m", "tool_use")
    assert message.usage == am.Usage(input=5, output=2, reasoning=1, cost=0.00012)
    assert message.response_metadata == {"tier": "x"}


@pytest.mark.parametrize(
    ("message", "told", "level"),
    [
        (
            msg(
                "tool",
                am.ToolResultBlock("c", [am.TextBlock("a"), am.TextBlock("b")], name="f", error="no", status="x"),
            ),
            {"content": "a\nb\nno", "outcome": "failed"},
            "annotation",
        ),
        (
            msg("tool", am.ToolResultBlock("c", [am.DataBlock({"n": 1})], name="f")),
            {"content": {"n": 1}},
            "annotation",
        ),
        (
            msg("tool", am.ToolResultBlock("c", [am.TextBlock("a")], name="f", structured={"n": 1})),
            {"content": "a"},
            "content",
        ),
        (msg("developer", am.TextBlock("a"), am.TextBlock("b")), {"content": "a\nb"}, "annotation"),
        (msg("user", am.FileBlock(am.TextSource("words"), title="T")), {"content": "T\n\nwords"}, "content"),
    ],
    ids=["several texts", "data", "text and data", "developer", "text document"],
)
def test_what_has_no_place(message: am.Msg, told: dict[str, Any], level: str) -> None:
    """Content that the library lacks is written differently; the report shows it, and restores it."""
    losses: list[am.Loss] = []
    document = written(message, losses=losses)
    (part,) = document[0]["parts"]
    assert {key: part[key] for key in told} == told
    assert {loss.level for loss in losses} >= {level}
    assert am.same(am.restore(am.decode(document, "pydantic-ai"), losses), am.History([message]))


def test_what_is_no_document_is_refused() -> None:
    """The error has the path."""
    assert refused([request(), 1], codec="pydantic-ai")[0] == (1,)


_OLD_USAGE: dict[str, Any] = {
    "requests": 1,
    "request_tokens": 30,
    "response_tokens": 9,
    "total_tokens": 39,
    "details": {},
}


@pytest.mark.parametrize("usage", [_OLD_USAGE, {"request_tokens": 30, "response_tokens": 9, "total_tokens": 39}])
def test_versions_before_1_have_other_names(usage: dict[str, Any]) -> None:
    """Counts of usage, and the id of a response; edited ones are written under these names, too."""
    answer = response({"part_kind": "text", "content": "Hi"}, usage=usage, vendor_id="r", vendor_details={"a": 1})
    (message,) = returned([answer])
    assert message.usage is not None
    assert (message.usage.input, message.usage.output, message.usage.total) == (30, 9, 39)
    assert (message.id, message.response_metadata) == ("r", {"a": 1})
    edited = message.evolve(id="s", usage=message.usage.evolve(input=31, cache_read=2))
    losses: list[am.Loss] = []
    assert written(edited, losses=losses)[0] == {**answer, "usage": {**usage, "request_tokens": 31}, "vendor_id": "s"}
    assert [loss.path[-1] for loss in losses] == ["usage"]


def test_newer_usage_has_no_total() -> None:
    """The library computes it."""
    losses: list[am.Loss] = []
    (answer,) = written(msg("assistant", am.TextBlock("Hi"), usage=am.Usage(input=1, total=1)), losses=losses)
    assert answer["usage"]["input_tokens"] == 1
    assert [loss.path[-1] for loss in losses] == ["usage"]


def test_transcripts_of_users_are_texts() -> None:
    """A transcript in a request is what the user said."""
    (message,) = returned([request({"part_kind": "speech", "speaker": "user", "transcript": "Hi", "audio": None})])
    assert (message.role, message.text) == ("user", "Hi")


def test_results_without_names_have_those_of_their_calls() -> None:
    """A result that lacks a name is written without it; a changed name is written."""
    call: dict[str, Any] = {"part_kind": "tool-call", "tool_name": "f", "args": {}, "tool_call_id": "c"}
    result = {"part_kind": "tool-return", "tool_call_id": "c", "content": "r"}
    history = returned([response(call), request(result)])
    (block,) = history[1].tool_results
    assert block.name == "f"
    renamed = am.History([history[0], history[1].with_content([block.evolve(name="g")])])
    assert am.encode(renamed, "pydantic-ai")[1]["parts"][0]["tool_name"] == "g"
    assert returned([request(result)])[0].tool_results[0].name is None


_KINDS: tuple[Any, ...] = ({}, [], {"a": 1}, 5, None)


@pytest.mark.parametrize("kind", _KINDS)
def test_a_kind_may_be_anything(kind: Any) -> None:
    """The likeness of a document is a number whatever it holds."""
    assert CODEC.likeness([{"kind": kind, "parts": []}]) == 0.0


_ASKED = {"part_kind": "user-prompt", "content": "a"}
_SPOKE = {"part_kind": "speech", "transcript": "a"}


@pytest.mark.parametrize(
    ("parts", "roles"),
    [
        ([_ASKED, {"part_kind": "new"}], ["user", "native"]),
        ([{"part_kind": "text", "content": "a"}, {"part_kind": "new"}], ["assistant"]),
        ([_SPOKE], ["assistant"]),
        ([{**_SPOKE, "speaker": "user"}], ["user"]),
        ([_ASKED, {"part_kind": "text", "content": "a"}], ["native"]),
        ([{"part_kind": "new"}], ["native"]),
        ([], ["native"]),
    ],
)
def test_the_parts_of_a_message_tell_its_kind(parts: list[Any], roles: list[str]) -> None:
    """Stores that have a column for it leave it out; where the parts don't tell, the message is kept whole."""
    assert [message.role for message in returned([{"parts": parts}])] == roles
    for message in ({"parts": parts}, {"parts": parts, "instructions": "i"}):
        history = returned([message, message])
        for messages in ([*history, *history], history.messages[1:], history.messages[::-1]):
            honest_account(CODEC, history.evolve(messages=messages))


@pytest.mark.parametrize("link", [{}, {"tool_call_id": None}], ids=["absent", "null"])
def test_calls_without_ids_have_their_results(link: dict[str, Any]) -> None:
    """The library makes missing ids; here they follow from names and order, and edits keep them."""
    call: dict[str, Any] = {"part_kind": "tool-call", "tool_name": "f", "args": {}, **link}
    answers = [
        {"part_kind": "tool-return", "tool_name": "g", "content": "x", **link},
        {"part_kind": "retry-prompt", "tool_name": "f", "content": "no", **link},
    ]
    history = returned([response(call, {**call, "tool_name": "g"}), request(*answers)])
    first, second = (made.id for made in history[0].tool_calls)
    assert [message.tool_call_id for message in history[1:]] == [second, first]
    assert [message.tool_results[0].status for message in history[1:]] == [None, "error"]
    assert not am.convert(am.encode(history, CODEC), CODEC, "gemini").losses
    given = am.History([history[0], history[1].evolve(content=[am.ToolResultBlock("mine", "x", name="g")])])
    assert written(*given)[1]["parts"][0]["tool_call_id"] == "mine"


# -- versions of 2024, which had a role in place of parts -----------------------------------------------------------

_TIME = {"timestamp": "2024-12-10T18:58:27Z"}
BY_ROLE: list[tuple[dict[str, Any], am.Msg]] = [
    ({"role": "system", "content": "Be kind."}, msg("system", am.TextBlock("Be kind."))),
    ({"role": "user", "content": "Hi", **_TIME}, msg("user", am.TextBlock("Hi"))),
    ({"role": "model-text-response", "content": "Hi!", **_TIME}, msg("assistant", am.TextBlock("Hi!"))),
    (
        {"role": "model-structured-response", "calls": [
            {"tool_name": "f", "args": {"args_json": '{"a":1}'}, "tool_id": "c"},
            {"tool_name": "g", "args": {"args_dict": {"a": 1}}, "tool_id": "d"},
        ], **_TIME},
        msg("assistant", am.ToolUseBlock("c", "f", {"a": 1}), am.ToolUseBlock("d", "g", {"a": 1})),
    ),
    (
        {"role": "tool-return", "tool_name": "f", "content": {"x": 1}, "tool_id": "c", **_TIME},
        msg("tool", am.ToolResultBlock("c", (), name="f", structured={"x": 1})),
    ),
    (
        {"role": "retry-prompt", "tool_name": "f", "content": "Again.", "tool_id": "c", **_TIME},
        msg("tool", am.ToolResultBlock("c", "Again.", name="f", status="error")),
    ),
    (
        {"role": "retry-prompt", "tool_name": None, "content": "No JSON.", "tool_id": None, **_TIME},
        msg("user", am.TextBlock("No JSON.")),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("native", "message"), BY_ROLE)
def test_a_message_of_2024_says_what_one_of_today_says(native: dict[str, Any], message: am.Msg) -> None:
    """Messages with a role are read as the parts of today, and come back; in a list they don't share a request."""
    assert returned(native)[0].same_content(message)
    assert len(returned([native, native, request({"part_kind": "user-prompt", "content": "Hi"})])) > 1
    for more in ({"new": [1]}, {"tool_name": 1}, {"timestamp": "?"}):
        returned([native, {**native, **more}])


def test_a_dump_of_2024_is_recognised() -> None:
    """The roles of answers and results tell; a system prompt alone doesn't, and chats stay chats."""
    assert am.recognize([native for native, _ in BY_ROLE]) == "pydantic-ai"
    for chat in ([BY_ROLE[0][0]], [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hi!"}]):
        assert am.recognize(chat) == "openai"


def test_an_edited_message_of_2024_is_one_of_today_if_it_must_be() -> None:
    """What a message with a role can't say makes it a message with parts."""
    native = BY_ROLE[2][0]
    message = am.decode(native, CODEC)[0]
    assert written(message.with_content("Ho")) == [{**native, "content": "Ho"}]
    thoughtful = message.with_content([am.ThinkingBlock("Hm"), am.TextBlock("Ho")])
    document = written(thoughtful)
    assert [part["part_kind"] for part in document[0]["parts"]] == ["thinking", "text"]
    assert am.decode(document, CODEC)[0].same_content(thoughtful)
