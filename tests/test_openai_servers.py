"""The codec ``openai``: compatible servers' keys beside content, and the forms of tool results in requests."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest
from hypothesis import given

import agentmsg as am
from agentmsg.testing import floor, histories, honest_account
from agentmsg_codecs.openai import OpenAICodec
from support.openai_messages import assistant, call

CODEC = OpenAICodec()
HINT = {"type": "ephemeral", "ttl": "1h"}
SIGNED = {"google": {"thought_signature": "c2ln"}}
SIGNATURE = am.Signature("google", "c2ln")
TEXT_PART = {"type": "text", "text": "a"}


def returned(*messages: Any) -> am.History:
    """Return the history of messages that come back, directly and from Anthropic with the loss report."""
    document = list(messages)
    history = am.decode(document, CODEC)
    assert am.encode(history, CODEC) == document
    result = am.convert(document, CODEC, "anthropic")
    assert am.encode(am.restore(am.decode(result.document, "anthropic"), result.losses), CODEC) == document
    return history


# -- what each spelling means -----------------------------------------------------------------------------------------

SIGNED_KEYS = {"thought_signature": "c2ln"}
PICTURE = {"type": "image_url", "image_url": {"url": "https://x/1.png"}}
IMAGE_BLOCK = am.ImageBlock(am.URLSource("https://x/1.png"))
URL_CITATION = {"type": "url_citation", "url_citation": {"url": "u", "title": "t"}}
SPELT: dict[str, tuple[dict[str, Any], tuple[Any, ...]]] = {
    "args": (assistant(tool_calls=[{"name": "f", "args": {"a": 1}}]), (am.ToolUseBlock(None, "f", {"a": 1}),)),
    "arguments": (
        assistant(tool_calls=[{"id": "c", "type": "tool_call", "name": "f", "arguments": '{"a": 1}'}]),
        (am.ToolUseBlock("c", "f", raw_input='{"a": 1}'),),
    ),
    "a flat call of the type function": (
        assistant(tool_calls=[{"type": "function", "name": "f", "arguments": None, "index": 0}]),
        (am.ToolUseBlock(None, "f", raw_input="", extras={"openai": {"index": 0}}),),
    ),
    "arguments under two keys": (
        assistant(tool_calls=[{"name": "f", "args": {}, "arguments": "x"}]),
        (am.ToolUseBlock(None, "f", {}, extras={"openai": {"arguments": "x"}}),),
    ),
    "a call of another type": (
        assistant(tool_calls=[{"type": "mcp", "name": "f", "args": {}}]),
        (am.NativeBlock("openai", {"type": "mcp", "name": "f", "args": {}}),),
    ),
    **{
        f"signed with {[*more]}": (
            assistant(tool_calls=[call(**more)]),
            (am.ToolUseBlock("c1", "f", {}, signature=SIGNATURE, extras={"openai": rest} if rest else {}),),
        )
        for more, rest in (
            ({"provider_specific_fields": SIGNED_KEYS}, {}),
            (SIGNED_KEYS, {}),
            ({"extra_content": SIGNED, **SIGNED_KEYS}, SIGNED_KEYS),
            ({"provider_specific_fields": {"x": 1}, **SIGNED_KEYS}, {"provider_specific_fields": {"x": 1}}),
        )
    },
    "images": (
        assistant("a", images=[{**PICTURE, "index": 0}], tool_calls=[call()]),
        (am.TextBlock("a"), IMAGE_BLOCK.evolve(extras={"openai": {"index": 0}}), am.ToolUseBlock("c1", "f", {})),
    ),
    "images alone": (assistant("", images=[PICTURE]), (IMAGE_BLOCK,)),
    "images of a user": (
        {"role": "user", "content": [PICTURE, TEXT_PART], "images": [PICTURE]},
        (IMAGE_BLOCK, am.TextBlock("a"), IMAGE_BLOCK),
    ),
    "images beside a refusal": (
        assistant("a", refusal="no", images=[PICTURE], cache_control=HINT, annotations=[URL_CITATION]),
        (
            am.TextBlock("a", citations=[am.Citation("u", "t", kind="url_citation")]),
            am.RefusalBlock("no"),
            IMAGE_BLOCK.evolve(cache=am.CacheHint("ephemeral", "1h")),
        ),
    ),
    "a span beside the source": (
        assistant("a", annotations=[{**URL_CITATION, "start_index": 0, "end_index": 1}]),
        (am.TextBlock("a", citations=[am.Citation("u", "t", None, 0, 1, "url_citation")]),),
    ),
    "a flat citation": (
        assistant("a", annotations=[{"type": "url_citation", "url": "u", "start_index": 0}]),
        (am.TextBlock("a", citations=[am.Citation("u", None, None, 0, None, "url_citation")]),),
    ),
    "entries of unknown kinds": (
        assistant(
            "a",
            reasoning="b",
            reasoning_details=[{"type": "reasoning.text", "text": "b"}, {"type": "summary", "text": "c"}, {"data": 1}],
        ),
        (
            am.ThinkingBlock("b"),
            am.ThinkingBlock("c", extras={"openai": {"type": "summary"}}),
            am.ThinkingBlock("", extras={"openai": {"data": 1}}),
            am.ThinkingBlock("b"),
            am.TextBlock("a"),
        ),
    ),
    "input_text": (
        {"role": "user", "content": [{"type": "input_text", "text": "a"}, {"type": "output_text", "text": "b"}]},
        (am.TextBlock("a"), am.TextBlock("b")),
    ),
    "input_image": (
        {
            "role": "user",
            "content": [
                {"type": "input_image", "image_url": "https://x/1.png", "detail": "low"},
                {"type": "input_image", "image_url": {"url": "https://x/1.png", "detail": "tiny"}},
            ],
        },
        (IMAGE_BLOCK.evolve(detail="low"), IMAGE_BLOCK.evolve(detail="tiny")),
    ),
    "audio_url": (
        {"role": "user", "content": [{"type": "audio_url", "audio_url": {"url": "https://x/1.mp3"}}]},
        (am.AudioBlock(am.URLSource("https://x/1.mp3")),),
    ),
    "document_url": (
        {"role": "user", "content": [{"type": "document_url", "document_url": "https://x", "document_name": "n"}]},
        (am.FileBlock(am.URLSource("https://x"), name="n"),),
    ),
    **{
        repr(part): ({"role": "user", "content": [part, TEXT_PART]}, (block, am.TextBlock("a")))
        for part, block in (
            ({"type": "file_url", "file_url": {"url": "https://x/a.pdf", "filename": "a.pdf"}},
             am.FileBlock(am.URLSource("https://x/a.pdf"), name="a.pdf")),
            ({"type": "file_url", "file_url": "data:application/pdf;base64,JVBE"},
             am.FileBlock(am.Base64Source("JVBE", "application/pdf"))),
            ({"type": "file", "file": {"file_url": "https://x/a.pdf"}}, am.FileBlock(am.URLSource("https://x/a.pdf"))),
            ({"type": "input_audio", "input_audio": {"url": "https://x/a.amr", "format": "amr"}},
             am.AudioBlock(am.URLSource("https://x/a.amr"), extras={"openai.item": {"format": "amr"}})),
            ({"type": "input_audio", "input_audio": {"data": "data:audio/wav;base64,AAAA"}},
             am.AudioBlock(am.Base64Source("AAAA", "audio/wav"))),
            ({"type": "input_audio", "input_audio": {"data": "https://x/a.wav", "format": "wav"}},
             am.AudioBlock(am.URLSource("https://x/a.wav"), extras={"openai.item": {"format": "wav"}})),
            ({"type": "video", "video": "https://x/a.mp4", "fps": 2},
             am.VideoBlock(am.URLSource("https://x/a.mp4"), extras={"openai": {"fps": 2}})),
            ({"type": "input_video", "input_video": {"url": "https://x/a.mp4"}},
             am.VideoBlock(am.URLSource("https://x/a.mp4"))),
            ({"type": "input_video", "input_video": {"data": "AAAA", "format": "mp4"}},
             am.VideoBlock(am.Base64Source("AAAA"), extras={"openai.item": {"format": "mp4"}})),
        )
    },
    "parts without a type": (
        assistant([{"text": "a"}, "b", {"text": "c", "x": 1}]),
        (am.TextBlock("a"), am.TextBlock("b"), am.TextBlock("c", extras={"openai": {"x": 1}})),
    ),
    "an image without a type": (
        {"role": "user", "content": [{"image_url": {"url": "https://x/a.png"}}, "a"]},
        (am.ImageBlock(am.URLSource("https://x/a.png")), am.TextBlock("a")),
    ),
    "a text in a list": ({"role": "user", "content": ["a"]}, (am.TextBlock("a"),)),
    "thinking of Copilot": (
        assistant("a", reasoning_text="b", reasoning_opaque="c"),
        (am.ThinkingBlock("b"), am.TextBlock("a")),
    ),
    "thinking of Databricks": (
        assistant([
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "b", "signature": "c"}]},
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "d"}]},
            TEXT_PART,
        ]),
        (am.ThinkingBlock("b", signature=am.Signature("anthropic", "c")), am.ThinkingBlock("d"), am.TextBlock("a")),
    ),
    "a part of Kimi's with thinking": (
        assistant([{"type": "think", "think": "b", "encrypted": None}, TEXT_PART]),
        (am.ThinkingBlock("b", extras={"openai": {"encrypted": None}}), am.TextBlock("a")),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", SPELT)
def test_spellings_of_servers_mean_this(case: str) -> None:
    """What compatible servers spell otherwise has these blocks, in requests and in responses."""
    native, content = SPELT[case]
    (message,) = returned(native)
    assert am.same(message.content, content)
    if native["role"] == "assistant":
        document = {"choices": [{"message": native}]}
        answer = am.decode(document, "openai-response")
        assert am.same(answer[0].content, content)
        assert am.encode(answer, "openai-response") == document


def test_a_reminder_is_a_developers() -> None:
    """The role ``latest_reminder`` is the developer's, and is written again."""
    message = returned({"role": "latest_reminder", "content": "a"})[0]
    assert (message.role, message.text) == ("developer", "a")


def test_flat_calls_are_linked() -> None:
    """A result without an id answers the flat call before it."""
    document = [assistant(tool_calls=[{"name": "f", "args": {"a": 1}}]), {"role": "tool", "content": "1"}]
    asked, told = am.convert(document, CODEC, "anthropic").document["messages"]
    assert asked["content"][0]["input"] == {"a": 1}
    assert asked["content"][0]["id"] == told["content"][0]["tool_use_id"]


def test_an_edit_of_a_spelling_is_written() -> None:
    """New input is written under the same key; a call of another kind is written as the schema has it."""
    native = assistant(tool_calls=[{"name": "f", "arguments": '{"a": 1}'}])
    (message,) = am.decode([native], CODEC)
    edited = message.evolve(content=[message.content[0].evolve(input={"a": 2})])
    (changed,) = am.encode(edited, CODEC)["messages"]
    assert changed["tool_calls"] == [{"name": "f", "arguments": '{"a":2}'}]
    custom = message.evolve(content=[am.ToolUseBlock("c", "f", "x", kind="custom", notes=message.content[0].notes)])
    (changed,) = am.encode(custom, CODEC)["messages"]
    assert changed["tool_calls"][0]["custom"] == {"name": "f", "input": "x"}


def test_images_beside_the_content_follow_it() -> None:
    """If a user's image from ``images`` is put before a text, it is written behind it, which is reported."""
    (message,) = am.decode([{"role": "user", "content": "a", "images": [PICTURE]}], CODEC)
    losses: list[am.Loss] = []
    turned = am.History([message.evolve(content=message.content[::-1])])
    assert am.encode(turned, CODEC, losses=losses)["messages"] == [
        {"role": "user", "content": "a", "images": [PICTURE]}
    ]
    assert [loss.kind for loss in losses] == ["moved"]
    honest_account(CODEC, turned)


# -- cache hints ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "message",
    [
        {"role": "system", "content": "a"},
        {"role": "user", "content": "a"},
        {"role": "user", "content": [TEXT_PART, TEXT_PART]},
        {"role": "user", "content": [TEXT_PART]},
        {"role": "tool", "tool_call_id": "c", "content": "a"},
        {"role": "function", "name": "f", "content": "a"},
        assistant("a", tool_calls=[call()]),
        assistant(None, function_call={"name": "f", "arguments": "{}"}),
        assistant(None, refusal="a"),
    ],
    ids=str,
)
def test_a_message_may_have_a_cache_hint(message: dict[str, Any]) -> None:
    """The ``cache_control`` of a message is the hint of its last block, which others support."""
    block = returned({**message, "cache_control": HINT})[0].content[-1]
    assert block.cache == am.CacheHint("ephemeral", "1h")


def test_a_call_may_have_a_cache_hint() -> None:
    """The ``cache_control`` of a call is the call's own."""
    (message,) = returned(assistant("a", tool_calls=[call(cache_control=HINT)]))
    assert [block.cache for block in message.content] == [None, am.CacheHint("ephemeral", "1h")]


def test_the_hint_of_a_message_stays_a_hint_where_more_is_said() -> None:
    """A hint on a block that is no longer the last goes to its part, with the same meaning."""
    message = am.decode([{"role": "user", "content": "a", "cache_control": HINT}], CODEC)[0]
    longer = message.with_content([*message.content, am.TextBlock("b")])
    natives = [{"role": "user", "content": [{**TEXT_PART, "cache_control": HINT}, {"type": "text", "text": "b"}]}]
    assert am.encode(am.History([longer]), CODEC) == {"messages": natives}


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": "a", "cache_control": "x"},
        {"role": "user", "content": "", "cache_control": HINT},
        assistant(None, reasoning="a", cache_control=HINT, extra_content=SIGNED),
        assistant(None, tool_calls=[call(extra_content={"google": {"thought": True}})], extra_content=SIGNED),
        {"role": "user", "content": "a", "extra_content": SIGNED},
    ],
    ids=str,
)
def test_what_has_no_block_to_stand_on_is_unknown(message: dict[str, Any]) -> None:
    """An invalid hint or signature, or one without an owner, is kept like any unknown key."""
    (found,) = returned(message)
    assert found.role == message["role"]
    assert "cache_control" in str(found.to_dict()) or "extra_content" in str(found.to_dict())


# -- signatures of Gemini's -------------------------------------------------------------------------------------------


def test_calls_and_texts_may_be_signed() -> None:
    """Google's endpoint signs the calls and the answer: the signature belongs to the call, and to the last text."""
    (message,) = returned(assistant("a", extra_content=SIGNED, tool_calls=[call(extra_content=SIGNED), call(id="c2")]))
    assert [block.signature for block in message.content] == [SIGNATURE, SIGNATURE, None]
    (message,) = returned(assistant([{**TEXT_PART, "extra_content": SIGNED}, {"type": "text", "text": "b"}]))
    assert [block.signature for block in message.content] == [SIGNATURE, None]


def test_a_signed_answer_comes_back() -> None:
    """A response of Google's endpoint has it too."""
    said = assistant("a", refusal=None, extra_content=SIGNED, tool_calls=[call(extra_content=SIGNED)])
    choice = {"index": 0, "finish_reason": "tool_calls", "logprobs": None, "message": said}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    document = {"id": "r", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}
    message = am.decode(document, "openai-response")[0]
    assert [block.signature for block in message.content] == [SIGNATURE, SIGNATURE]
    assert am.encode(message, "openai-response") == document


def test_a_signature_of_others_is_not_written() -> None:
    """OpenAI's schema has no signature: it is written only if it was read like this."""
    signed = am.Msg("assistant", [am.TextBlock("a", signature=SIGNATURE)], id=None, created_at=None)
    losses: list[am.Loss] = []
    assert am.encode(am.History([signed]), CODEC, losses=losses) == {
        "messages": [{"role": "assistant", "content": "a"}]
    }
    assert [str(loss) for loss in losses] == ["messages/0/content/0/signature dropped (content)"]


# -- thinking as a part -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "thinking",
    [[{"type": "text", "text": "Hm."}], [{"type": "text", "text": "H"}, {"type": "text", "text": "m."}], "Hm."],
    ids=str,
)
def test_thinking_may_be_a_part(thinking: Any) -> None:
    """Mistral's part of thinking is thinking in its place, with its signature if it has one."""
    part = {"type": "thinking", "thinking": thinking, "closed": True, "signature": "s"}
    (message,) = returned(assistant([TEXT_PART, part, {"type": "text", "text": "b"}]))
    block = message.content[1]
    assert isinstance(block, am.ThinkingBlock)
    assert (block.thinking, block.signature) == ("Hm.", am.Signature("mistral", "s"))
    assert block.extras == {"openai": {"closed": True}}


def test_an_edit_of_a_thinking_part_is_written() -> None:
    """A division of the text never outlives the text."""
    thinking = [{"type": "text", "text": "H"}, {"type": "text", "text": "m."}]
    (message,) = am.decode([assistant([{"type": "thinking", "thinking": thinking}])], CODEC)
    edited = message.with_content([message.content[0].evolve(thinking="So it is.")])
    (native,) = am.encode(am.History([edited]), CODEC)["messages"]
    assert native["content"] == [{"type": "thinking", "thinking": [{"type": "text", "text": "So it is."}]}]


def test_thinking_with_other_parts_inside_is_native() -> None:
    """A part with more than texts is kept whole, visibly."""
    part = {"type": "thinking", "thinking": [{"type": "reference", "reference_ids": [1]}]}
    assert isinstance(returned(assistant([TEXT_PART, part]))[0].content[1], am.NativeBlock)


# -- results ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [{"a": 1}, {}, 5, 0, False, 1.5], ids=repr)
@pytest.mark.parametrize("head", [{"role": "tool", "tool_call_id": "c"}, {"role": "function", "name": "f"}], ids=str)
def test_a_value_is_a_structured_result(head: dict[str, Any], value: Any) -> None:
    """A tool's content that is neither text nor list is its structured value; other formats get its text."""
    native = {**head, "content": value}
    block = returned(native)[0].content[0]
    assert isinstance(block, am.ToolResultBlock)
    assert (block.structured, block.content) == (value, ())
    (shown,) = am.convert([native], CODEC, "anthropic").document["messages"][0]["content"]
    assert shown["content"] == json.dumps(value, separators=(",", ":"))


def test_a_structured_result_of_others_is_text() -> None:
    """The schema requires a text: a value that wasn't read as one is written as text."""
    block = am.ToolResultBlock("c", structured={"a": 1})
    (native,) = am.encode(am.History([am.Msg("tool", [block])]), CODEC, losses=[])["messages"]
    assert native == {"role": "tool", "tool_call_id": "c", "content": '{"a":1}'}


@pytest.mark.parametrize("target", ["openai", "anthropic"])
def test_a_result_of_media_alone_tells_what_is_structured(target: am.CodecName) -> None:
    """Media have no text: the text of the structured content comes before them."""
    image = am.ImageBlock(am.URLSource("https://x/y.png"))
    result = am.ToolResultBlock("c", (image,), structured={"a": 1})
    history = am.History([am.Msg("tool", [result], id=None, created_at=None)])
    losses: list[am.Loss] = []
    document = am.encode(history, target, losses=losses)
    assert '{"a":1}' in str(document)
    assert [loss.level for loss in losses] == ["content" if target == "openai" else "annotation"]
    assert am.restore(am.decode(document, target), losses) == history


# -- media after their results ----------------------------------------------------------------------------------------

APART = OpenAICodec(results="user")
IMAGE = {"type": "image", "source": {"type": "url", "url": "https://x/1.png"}}
SHOWN = {"type": "image_url", "image_url": {"url": "https://x/1.png"}}


def results(*contents: Any) -> list[Any]:
    """Return Anthropic messages: calls, and the tools' results."""
    links = [f"c{number}" for number in range(len(contents))]
    calls: Any = [{"type": "tool_use", "id": link, "name": "f", "input": {}} for link in links]
    given = zip(links, contents, strict=True)
    parts = [{"type": "tool_result", "tool_use_id": link, "content": content} for link, content in given]
    return [{"role": "assistant", "content": calls}, {"role": "user", "content": parts}]


def test_images_of_results_may_stand_behind_them() -> None:
    """With ``results="user"`` images in a run of results become a user's message after it: moved, and restored."""
    document = [*results([TEXT_PART, IMAGE], "b", [IMAGE]), {"role": "assistant", "content": "ok"}]
    result = am.convert(document, "anthropic", APART)
    told = [native.get("content") for native in result.document["messages"]]
    assert told == [None, "a", "b", "", [SHOWN, SHOWN], "ok"]
    assert [(loss.path[-1], loss.kind, loss.now) for loss in result.losses] == [
        (1, "moved", (4, 0)),
        (0, "moved", (4, 1)),
    ]
    output = am.decode(result.document, APART)
    for losses in (result.losses, am.load_losses(am.dump_losses(result.losses, output))):
        assert cast("Any", am.encode(am.restore(output, losses), "anthropic")) == document


def test_by_default_images_of_results_are_dropped() -> None:
    """Without the option the text stays, and the rest is a loss of content."""
    result = am.convert(results([TEXT_PART, IMAGE]), "anthropic", CODEC)
    assert [(loss.kind, loss.level) for loss in result.losses] == [("dropped", "content")]


def test_files_of_results_may_stand_behind_them_too() -> None:
    """Changed values are restored unchanged."""
    source = {"type": "base64", "media_type": "application/pdf", "data": "QUJD"}
    document = results([{"type": "document", "source": source, "title": "t"}], [{"type": "text", "text": "b"}])
    result = am.convert(document, "anthropic", APART)
    assert [native["role"] for native in result.document["messages"]] == ["assistant", "tool", "tool", "user"]
    output = am.decode(result.document, APART)
    assert cast("Any", am.encode(am.restore(output, result.losses), "anthropic")) == document


def test_structured_content_and_images_of_one_result() -> None:
    """The text of structured content stays in the result, the image comes after it."""
    image = am.ImageBlock(am.URLSource("https://x/1.png"))
    result = am.ToolResultBlock("c", (image,), structured={"a": 1})
    history = am.History([am.Msg("tool", [result], id=None, created_at=None)])
    losses: list[am.Loss] = []
    document = am.encode(history, APART, losses=losses)
    assert [native["content"] for native in document["messages"]] == ['{"a":1}', [SHOWN]]
    assert am.restore(am.decode(document, APART), losses) == history


@given(histories())
def test_the_laws_hold_with_media_behind_results(history: am.History) -> None:
    """The loss report is honest, and the table is true, whatever is separate."""
    honest_account(APART, history)
    floor(APART, history)
