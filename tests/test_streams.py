"""Streams of providers: another spelling of the response. Laws over all recorded streams and responses.

What a stream brings is the response; a response is brought by its events; chunks add up to it; other providers' events
bring what converting it gives. Frames are cut anywhere, and streams end anywhere.
"""

from __future__ import annotations

import asyncio
import copy
import json
from contextlib import aclosing, closing, nullcontext
from random import Random
from typing import TYPE_CHECKING, Any, get_args

import pytest

import agentmsg as am
from agentmsg.formats import is_list
from agentmsg.formats.events import Thinking, events_of
from agentmsg.stream.live import chunk_of
from agentmsg.testing import any_events, cut_anywhere, damages, emit_return, live_sum, mutate, stream_return, transcoded
from agentmsg_codecs.wire.live import Writer
from data import effort, some
from support.streams import PROVIDERS, folded, read_live, recorded_streams, response_of, responses, transcoded_to
from support.timing import check_growth

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator

# Recorded streams that the provider ended with an error.
_FAILED = ("test_openrouter_stream_error.0", "test_tool_use_failed_error_streaming.0")
# The list of an MCP server's tools is never announced as done, so its chunk comes last.
_LATE = ("test_openai_responses_model_mcp_list_tools_stream_backfills_missing_results.0",)
# What no chunk has: the format of reasoning whose text came as the key beside it; a function's call that is empty as a
# custom tool's, too.
_UNSAID = ("test_openrouter_file_annotation", "test_snowflake_thinking")
providers = pytest.mark.parametrize("provider", PROVIDERS)


# -- a stream is the response -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("provider", "name", "raw"), [pytest.param(*each, id=each[1]) for each in recorded_streams()])
def test_recorded_streams_are_responses(provider: am.CodecName, name: str, raw: bytes) -> None:
    """What they bring comes back exactly, whole or as events of any form; chunks add up to the same message."""
    events = list(am.stream.events(raw))
    document = folded(events, provider)
    history = am.decode(document, response_of(provider))
    assert am.encode(history, response_of(provider)) == document
    failed = any(word in name for word in _FAILED)
    got = am.collect(raw, provider, partial="keep" if failed else "error")
    if failed:
        (message,) = got
        assert message.metadata["partial"] is True
        assert message.metadata["error"]
        assert am.same(message.evolve(metadata={}), history.messages[0])
        with pytest.raises(am.StreamBroken) as caught:
            am.collect(raw, provider)
        assert (caught.value.code, am.same(caught.value.history, got)) == ("failed", True)
        return
    assert am.same(got, history)
    is_late = any(word in name for word in _LATE)
    with pytest.raises(AssertionError, match="chunks add up to another message") if is_late else nullcontext():
        live_sum(am.get_codec(provider), events)
    cut_anywhere(am.get_codec(provider), events, Random(name))
    is_cut = any("partial" in message.metadata for message in am.collect(events, provider, partial="keep"))
    for target in set() if is_cut else set(PROVIDERS) - {provider}:  # Snowflake says only in its last line that it ends
        transcoded(am.get_codec(provider), events, am.get_codec(target))


def test_all_recorded_streams_are_read() -> None:
    """Of each provider that has recordings, all."""
    assert len(recorded_streams()) == 36


@providers
def test_responses_are_brought_by_their_events(provider: am.CodecName) -> None:
    """Folding what was unfolded is the same document; so is what chunks add up to."""
    codec = am.get_codec(provider)
    for name, document, _ in some(responses(provider), 400):
        if any("index" in call for call in _calls_of(document)):  # Mistral and Hugging Face: no stream has it
            continue
        unfolded = stream_return(codec, document, size=7)
        assert unfolded is not None
        assert folded(unfolded, provider) == document, name
        if not any(word in name for word in _UNSAID):
            live_sum(codec, unfolded)


def _calls_of(document: Any) -> list[Any]:
    choices: Any = () if is_list(document) else document.get("choices") or ()
    return [call for choice in choices for call in choice.get("message", {}).get("tool_calls") or ()]


@providers
@pytest.mark.parametrize("thinking", get_args(Thinking))
def test_other_providers_events_bring_what_converting_gives(provider: am.CodecName, thinking: Thinking) -> None:
    """Texts and calls, the reason and the usage; the losses are those of the conversion."""
    codec = am.get_codec(provider)
    for name, document, message in some(responses(provider), 60):
        events = list(events_of(codec).unfold(document, 9))
        for target in PROVIDERS:
            if target == provider or _is_respelt(document) or any("index" in call for call in _calls_of(document)):
                continue
            found, want = transcoded(codec, events, am.get_codec(target), thinking=thinking)
            assert found is not None
            assert want is not None
            # The chunks tell the reason where the message doesn't.
            if target == "vercel-ui":
                assert found.finish_reason == _OF_UI.get(message.finish_reason, message.finish_reason or None), name
            elif message.finish_reason is not None or not message.tool_calls:
                assert found.finish_reason == (want.finish_reason or "stop"), (name, target)
            if target in ("openai", "openai-responses"):
                assert _cited(found) == _cited(want), (name, target)
            if thinking == "show":
                assert _thought(found) == _thought(message), (name, target)
                if target == "openai-responses":
                    assert set(_sealed(want)) <= set(_sealed(found)), name


def _chunk_by_chunk(events: Iterable[Any], provider: am.CodecName, target: am.CodecName) -> list[Any]:
    """Return what transcoding gives if each event becomes a chunk."""
    codec, ours, theirs = (
        am.get_codec(response_of(target)),
        events_of(am.get_codec(provider)),
        events_of(am.get_codec(target)),
    )
    writer, fold = theirs.writer(codec, "show"), ours.fold()
    read = ours.reader(am.get_codec(ours.response), whole=False)
    writer.told_ends = ours.tells_ends
    out: list[Any] = []
    for event in events:
        fold.add(event)
        said = read(event)
        out += [] if said is None else writer.add(chunk_of(said) if isinstance(said, tuple) else said)
        over, read.over = read.over, ()
        out += writer.over(over) if over else []
    converted = am.convert(fold.document(), response_of(provider), codec)
    reason = ours.reason(fold) or converted.history.messages[0].finish_reason or None
    return out + writer.end(converted.document, reason)


@providers
def test_pieces_of_texts_are_written_as_their_chunks_are(provider: am.CodecName) -> None:
    """The quick way writes the same events as the other."""
    for name, document, _ in some(responses(provider), 60):
        events = list(events_of(am.get_codec(provider)).unfold(document, 3))
        for target in PROVIDERS:
            wanted = events if target == provider else _chunk_by_chunk(events, provider, target)
            assert transcoded_to(events, provider, target) == wanted, (name, target)


@providers
def test_a_provider_to_itself_keeps_all(provider: am.CodecName) -> None:
    """The events are those that came, and nothing is lost; only thinking may be left out."""
    given: list[Any] = [raw for whose, name, raw in recorded_streams()
                        if whose == provider and not any(word in name for word in _FAILED)]  # fmt: skip
    unfold = events_of(am.get_codec(provider)).unfold
    for raw in [*given, *(b"".join(am.stream.sse(unfold(each, 5))) for _, each, _ in some(responses(provider), 30))]:
        stream = am.transcode(raw, provider, provider)
        assert list(map(json.dumps, stream)) == list(map(json.dumps, am.stream.events(raw)))
        assert list(stream.losses) == []
    thought = [am.ThinkingBlock("hm"), am.TextBlock("yes")]
    if provider != "bedrock":
        events = list(am.emit(am.Msg("assistant", thought), provider, on_loss="ignore"))
        assert "hm" not in str(list(am.transcode(events, provider, provider, thinking="drop")))


@providers
def test_pieces_of_texts_make_no_chunks(provider: am.CodecName, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of texts, thinking and arguments, however long, all but the first go the quick way, between any two providers."""
    made: list[Any] = []
    add = Writer.add

    def counted(writer: Writer, chunk: am.MsgChunk) -> Any:
        made.append(chunk)
        return add(writer, chunk)

    monkeypatch.setattr(Writer, "add", counted)
    text = "ab " * 99
    blocks = [am.TextBlock(text), am.ThinkingBlock(text), am.ToolUseBlock("c", "f", {"x": text})]
    for block in blocks:
        events: list[Any] = list(am.emit(am.Msg("assistant", [block]), "vercel-ui", size=3, on_loss="ignore"))
        events = events if provider == "vercel-ui" else transcoded_to(events, "vercel-ui", provider)
        for target in PROVIDERS:
            if isinstance(block, am.ToolUseBlock) and "gemini" in (provider, target):
                continue  # whole
            made.clear()
            assert len(transcoded_to(events, provider, target)) > 99
            assert len(made) < 9, (type(block), target)


# The reasons that UI message streams have no word for.
_OF_UI: dict[str | None, str] = {"pause_turn": "other"}


def _cited(message: am.Msg) -> list[Any]:
    """Return the citations of a message, each with the text that it is of."""
    texts = [block for block in message.content if isinstance(block, am.TextBlock)]
    return [
        (cited.url, cited.title, cited.kind, block.text[cited.start or 0 : cited.end])
        for block in texts
        for cited in block.citations
    ]


def _sealed(message: am.Msg) -> list[Any]:
    """Return the encrypted reasoning of a message; an API takes it only back with its id."""
    thoughts = [block for block in message.content if isinstance(block, am.ThinkingBlock)]
    return [(block.item_id, block.signature.value) for block in thoughts if block.signature]


def _thought(message: am.Msg) -> str:
    return "".join(block.thinking for block in message.content if isinstance(block, am.ThinkingBlock))


def _is_respelt(document: Any) -> bool:
    """Whether arguments are JSON inside JSON, as Snowflake writes them: the pieces show that only when all came."""
    return any(str(call.get("function", {}).get("arguments")).startswith('"') for call in _calls_of(document))


# Streams whose first events hold objects that later ones go on with.
_BEGUN: dict[str, list[Any]] = {
    "openai": [[
        {"choices": [{"index": 0, "delta": {"content": "a"}, "logprobs": {}}]},
        {"choices": [{"index": 0, "delta": {"content": "b"}, "logprobs": {"content": [{"token": "b"}]}}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    ]],
    "bedrock": [[
        {"messageStart": {"role": "assistant"}},
        {"contentBlockStart": {"contentBlockIndex": 0, "start": {
            "reasoningContent": {"reasoningText": {"text": "a"}},
        }}},
        {"contentBlockDelta": {"delta": {"reasoningContent": {"text": "b"}}, "contentBlockIndex": 0}},
        {"contentBlockDelta": {"delta": {"toolResult": {"toolUseId": "t"}}, "contentBlockIndex": 1}},
        {"contentBlockDelta": {"delta": {"toolResult": [{"text": "b"}]}, "contentBlockIndex": 1}},
    ]],
}  # fmt: skip


@providers
def test_events_stay_what_they_are(provider: am.CodecName) -> None:
    """Neither reading them changes those of the caller, nor do later ones change those that were given out."""
    streams = [list(am.stream.events(raw)) for codec, _, raw in recorded_streams() if codec == provider]
    unfold = events_of(am.get_codec(provider)).unfold
    streams += [list(unfold(document, 9)) for _, document, _ in some(responses(provider), 40)]
    streams += _BEGUN.get(provider, [])
    for events in streams:
        before = copy.deepcopy(events)
        am.collect(events, provider, partial="keep")
        read_live(events, provider)
        for target in PROVIDERS:
            given, held = [], []
            try:
                for event in am.transcode(events, provider, target):
                    given.append(event)
                    held.append(copy.deepcopy(event))
            except am.StreamBroken:
                pass
            assert given == held, target
            am.collect(given, target, partial="keep")
            assert given == held, target
        assert events == before


@pytest.mark.parametrize("provider", ["openai", "openai-responses", "anthropic", "gemini", "bedrock"])
@pytest.mark.parametrize("target", ["openai", "openai-responses"])
def test_citations_come_with_their_text(provider: am.CodecName, target: am.CodecName) -> None:
    """As converting spells them, also of a text behind others."""
    cited = am.Citation("https://a.example", "A", start=4, end=8, kind="url_citation")
    texts = [am.TextBlock(f"See {name} for more. ", citations=[cited]) for name in ("this", "that")]
    called = [texts[0], am.ToolUseBlock("c", "f", {})]  # behind which Chat Completions tell the citations
    for content in (texts[:1], texts, [am.TextBlock("Well. "), *texts], [am.ThinkingBlock("Hm."), texts[0]], called):
        events = list(am.emit(am.Msg("assistant", content), provider, on_loss="ignore"))
        stream = am.transcode(events, provider, target)
        (got,) = am.collect(list(stream), target)
        wanted = am.decode(stream.converted.document, response_of(target)).messages[0]
        assert _cited(got) == _cited(wanted), content


@pytest.mark.parametrize(("summary", "words", "shown"), [("sum", "", "sum"), ("", "raw", "raw"), ("sum", "raw", "sum")])
def test_reasoning_shows_what_the_response_reads_as(summary: str, words: str, shown: str) -> None:
    """A summary, or the words themselves if there is none; with what is encrypted, and its id."""
    item = {
        "id": "rs_7", "type": "reasoning", "encrypted_content": "X",
        "summary": [{"type": "summary_text", "text": summary}] if summary else [],
        "content": [{"type": "reasoning_text", "text": words}] if words else [],
    }  # fmt: skip
    document = {"id": "r", "object": "response", "model": "m", "status": "completed", "output": [item]}
    events = list(events_of(am.get_codec("openai-responses")).unfold(document, 2))
    again = list(am.transcode(events, "openai-responses", "openai-responses"))
    shaped = [am.collect(each, "openai-responses").messages[0] for each in (events, again)]
    for message in (*shaped, read_live(events, "openai-responses")):
        assert (_thought(message), _sealed(message)) == (shown, [("rs_7", "X")])


def test_encrypted_reasoning_of_a_router_is_kept() -> None:
    """OpenRouter brings OpenAI's in a detail of its own."""
    detail = {"type": "reasoning.encrypted", "index": 0, "data": "X", "id": "rs_1", "format": "openai-responses-v1"}
    deltas: list[Any] = [{"reasoning_details": [detail]}, {"content": "a"}]
    events = [{"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    (*_, last) = am.transcode([*events, _chunk(finish="stop")], "openai", "openai-responses")
    first = last["response"]["output"][0]
    assert (first["type"], first["id"], first["summary"], first["encrypted_content"]) == ("reasoning", "rs_1", [], "X")


@pytest.mark.parametrize("content", [
    [am.ToolUseBlock("c", "f", {"x": 1})], [am.ToolUseBlock("c", "f", raw_input="ls", kind="custom")],
    [am.ThinkingBlock("Hm."), am.TextBlock("a"), am.TextBlock("b"), am.RefusalBlock("No.")],
])  # fmt: skip
@pytest.mark.parametrize("source", [None, "openai", "anthropic"])
def test_events_of_responses_name_their_items(content: list[Any], source: am.CodecName | None) -> None:
    """Its events tell an id, its own, that of the item if it has one; emitting leaves the response as it is."""
    message = am.Msg("assistant", content)
    events: Any = am.emit(message, source or "openai-responses", on_loss="ignore")
    events = list(am.transcode(events, source, "openai-responses") if source else events)
    ids: dict[int, str] = {event["output_index"]: event["item_id"] for event in events if "item_id" in event}
    assert len(set(ids.values())) == len(ids) > 0
    for event in events[2:-1]:
        link = event.get("item_id", event.get("item", {}).get("id"))
        assert link == ids[event["output_index"]] or (source is None and link is None and "call_id" in event["item"])
    if source is None:
        response = am.encode(message, "openai-responses-response", on_loss="ignore")
        assert {**response, "status": "completed"} == {**events[-1]["response"], "status": "completed"}


@pytest.mark.parametrize(("provider", "event"), [
    ("openai", {"type": "new", "x": "kept"}), ("openai-responses", {"type": "response.new.delta", "x": "kept"}),
    ("openai-responses", {"type": "response.output_item.changed", "x": "kept"}),
    ("openai-responses", {"type": "new", "x": "kept"}), ("anthropic", {"type": "new", "x": "kept"}),
    ("bedrock", {"new": {"x": "kept"}}), ("gemini", {"new": {"x": "kept"}}),
    ("vercel-ui", {"type": "new", "x": "kept"}),
])  # fmt: skip
def test_unknown_events_are_kept(provider: am.CodecName, event: Any) -> None:
    """Where unknown fields of the response are, wherever they come; its events bring them again."""
    message = am.Msg("assistant", [am.TextBlock("One. Two.", item_id="msg_1")])
    events: list[Any] = list(am.emit(message, provider, size=4, on_loss="ignore"))
    for place in (1, 2, len(events) - 1):
        more = [*events[:place], event, *events[place:]]
        history = am.collect(more, provider)
        document = am.encode(history, response_of(provider))
        assert folded(more, provider) == document
        assert "'kept'" in repr(document)
        again = list(events_of(am.get_codec(provider)).unfold(document, 4))
        assert folded(again, provider) == document
        if provider.startswith("openai") and place < len(events) - 1:
            live_sum(am.get_codec(provider), more)


@pytest.mark.parametrize("event", [
    {"type": "keepalive", "sequence_number": 3}, {"type": "response.web_search_call.searching", "item_id": "i"},
])  # fmt: skip
def test_events_that_only_tell_of_progress_are_dropped(event: Any) -> None:
    """They hold nothing."""
    events: list[Any] = list(am.emit(am.Msg("assistant", "One."), "openai-responses", on_loss="ignore"))
    assert folded([*events[:2], event, *events[2:]], "openai-responses") == folded(events, "openai-responses")


@providers
def test_what_is_no_answer_is_not_emitted(provider: am.CodecName) -> None:
    """Also where losses may be."""
    for given in (am.Msg.user("Hi"), am.History(messages=(am.Msg.user("Hi"), am.Msg.system("Be brief")))):
        with pytest.raises(am.EncodeError, match="there is none"):
            am.emit(given, provider, losses=[])
        with pytest.raises(am.EncodeError, match="there is none"):
            am.emit(given, provider, on_loss="ignore")


def _choice(**message: Any) -> Any:
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{"index": 0, "message": {"role": "assistant", **message}}]}  # fmt: skip


@pytest.mark.parametrize(("provider", "document"), [
    ("openai", _choice(reasoning=["x"])),
    ("bedrock", {"output": {"message": {"role": "assistant", "content": [{"text": "x", "toolUse": None}]}}}),
])  # fmt: skip
def test_responses_that_no_event_can_bring_are_refused(provider: am.CodecName, document: Any) -> None:
    """By one typed error, with the codec."""
    history = am.decode(document, response_of(provider))
    with pytest.raises(am.EncodeError, match="no form in a stream") as caught:
        list(am.emit(history, provider, on_loss="ignore"))
    assert (caught.value.code, caught.value.codec) == ("schema", response_of(provider))


def test_arguments_that_are_an_object_are_brought_in_one_piece() -> None:
    """As some servers write them; their own lists stay as they are."""
    rows = [{"index": 0, "type": "text", "text": "a"}, {"index": 0, "type": "text", "text": "b"}]
    calls = [{"id": "t", "type": "function", "function": {"name": "f", "arguments": {"a": 1, "rows": rows}}}]
    history = am.decode(_choice(tool_calls=calls), "openai-response")
    assert am.same(
        am.collect(am.emit(history, "openai"), "openai").messages[0].tool_calls, history.messages[0].tool_calls
    )


@providers
def test_damaged_answers_are_emitted_with_their_losses_or_refused(provider: am.CodecName) -> None:
    """What no event can bring is in the report, of whatever kind it is."""
    rng = Random(provider)
    for _, document, _ in some(responses(provider), 60):
        for _ in range(5):
            emit_return(am.get_codec(provider), mutate(document, rng))


@providers
def test_messages_are_emitted(provider: am.CodecName) -> None:
    """A message of the user's own making is brought by the events, with pieces of any size."""
    call = am.ToolUseBlock("call_1", "find", {"q": "x" * 40, "n": [1, None]})
    message = am.Msg("assistant", [am.TextBlock("Let me look. " * 5), call], id="msg_9", model="m",
                     usage=am.Usage(input=7, output=9), finish_reason="tool_use")  # fmt: skip
    for size in (1, 24, 10_000):
        (got,) = am.collect(am.emit(message, provider, size=size, on_loss="ignore"), provider)
        assert (got.text, got.tool_calls) == (message.text, (call,))
        if provider == "vercel-ui":  # messages for users have neither
            continue
        assert got.finish_reason == "tool_use"
        assert got.usage is not None
        assert (got.usage.input, got.usage.output) == (7, 9)
    for wrong in (0, -1, True, 2.5):
        with pytest.raises(am.InvalidMessage, match="size must be"):
            am.emit(message, provider, size=wrong)  # type: ignore[arg-type]
    with pytest.raises(am.LossError):
        am.emit(am.Msg("user", "no answer"), provider)


# -- ends -------------------------------------------------------------------------------------------------------------


@providers
def test_a_cut_stream_holds_what_came(provider: am.CodecName) -> None:
    """After any event: the texts are the beginning of the whole ones."""
    codec, rng = am.get_codec(provider), Random(provider)
    for _, document, _ in some(responses(provider), 12):
        unfolded = list(events_of(codec).unfold(document, 5))
        cut_anywhere(codec, unfolded, rng)
        # The usage may come behind what ends a message.
        for count in range(0, len(unfolded) - 1 - (provider in ("openai", "bedrock")), max(1, len(unfolded) // 9)):
            with pytest.raises(am.StreamBroken, match="the stream ended before"):
                am.collect(unfolded[:count], provider)


def test_a_cut_call_keeps_the_text_of_its_arguments() -> None:
    """In all formats."""
    message = am.Msg("assistant", [am.ToolUseBlock("c1", "find", {"query": "weather in Ulm"})], id="m", model="m",
                     usage=am.Usage(input=1, output=1), finish_reason="tool_use")  # fmt: skip
    for provider in ("anthropic", "openai", "bedrock", "vercel-ui"):
        events = list(am.emit(message, provider, size=8, on_loss="ignore"))
        last = min(index for index, event in enumerate(events) if '"quer' in json.dumps(event).replace("\\", ""))
        (got,) = am.collect(events[: last + 1], provider, partial="keep")
        (call,) = got.invalid_tool_calls
        assert (call.id, call.name, '{"query":"weather'.startswith(call.raw_input or "-")) == ("c1", "find", True)


class _Lost(OSError):
    """What a connection raises."""


def test_a_lost_connection_is_a_cut_stream() -> None:
    """Its exception is the cause."""

    def pieces() -> Iterator[bytes]:
        yield recorded_streams()[0][2][:2000]
        raise _Lost

    provider = recorded_streams()[0][0]
    with pytest.raises(am.StreamBroken) as caught:
        am.collect(pieces(), provider)
    assert isinstance(caught.value.__cause__, _Lost)
    assert caught.value.code == "cut"
    assert caught.value.history.messages[0].metadata["partial"] is True


@pytest.mark.parametrize(("provider", "event", "error"), [
    ("anthropic", {"type": "error", "error": {"type": "overloaded_error"}}, {"type": "overloaded_error"}),
    ("openai", {"error": {"code": 429}}, {"code": 429}),
    ("openai-responses", {"type": "error", "code": "x", "message": "m", "param": None}, {"code": "x", "message": "m",
                                                                                         "param": None}),
    ("gemini", {"error": {"code": 503}}, {"code": 503}),
    ("bedrock", {"throttlingException": {"message": "m"}}, {"throttlingException": {"message": "m"}}),
    ("vercel-ui", {"type": "error", "errorText": "m"}, "m"),
    ("vercel-ui", {"type": "abort", "reason": "r"}, {"type": "abort", "reason": "r"}),
])  # fmt: skip
def test_an_error_ends_a_stream(provider: am.CodecName, event: Any, error: Any) -> None:
    """It is what the provider said; what comes behind isn't read."""
    events = [*list(events_of(am.get_codec(provider)).unfold(responses(provider)[0][1], 9))[:3], event, {"x": 1}]
    with pytest.raises(am.StreamBroken) as caught:
        am.collect(events, provider)
    assert (caught.value.code, caught.value.error) == ("failed", error)
    assert caught.value.message.startswith("the provider ended the stream with an error: ") is (
        "code': " not in str(error) or "m" in str(error)
    )
    with pytest.raises(am.StreamBroken):
        list(am.transcode(events, provider, "openai" if provider == "anthropic" else "anthropic"))


# -- hostile ----------------------------------------------------------------------------------------------------------


@providers
def test_damaged_events_give_a_message_or_one_typed_error(provider: am.CodecName) -> None:
    """Whatever is wrong with an event: collecting, reading live and transcoding."""
    events = events_of(am.get_codec(provider))
    rng = Random(provider)
    _, document, _ = max(responses(provider), key=lambda each: _size(each[1]))
    call = am.Msg("assistant", [am.TextBlock("One."), am.ToolUseBlock("c", "f", {"x": "abcdef"})])
    emitted: list[Any] = list(am.emit(call, provider, size=9, on_loss="ignore"))
    streams = [(emitted, place) for place in range(len(emitted))]
    unfolded = list(events.unfold(document, 12))[:60]
    streams += [(unfolded, place) for place in range(len(unfolded))]
    for stream, place in streams:
        for damage in some(damages([("event", stream[place])]), effort(20)):
            broken = [*stream[:place], damage.document, *stream[place + 1 :]]
            any_events(am.get_codec(provider), broken, am.get_codec(rng.choice(PROVIDERS)))


def _size(document: Any) -> int:
    return len(document[0]["parts"]) if is_list(document) else len(document.get("output") or document)


# -- calls side by side -----------------------------------------------------------------------------------------------


def _chunk(*calls: Any, finish: str | None = None) -> Any:
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
            "choices": [{"index": 0, "delta": {"tool_calls": list(calls)}, "finish_reason": finish}]}  # fmt: skip


def _begun(index: int, id: str, name: str, text: str = "") -> Any:
    return {"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": text}}


def _more(index: int, text: str, **fields: Any) -> Any:
    return {"index": index, **fields, "function": {"arguments": text}}


def _called(index: int, said: tuple[Any, Any], text: str) -> Any:
    """Return a piece of a call with or without its id and name."""
    link, name = said
    named = {} if name is None else {"name": name}
    return {"index": index, **({} if link is None else {"id": link}), "function": {**named, "arguments": text}}


@pytest.mark.parametrize("pieces", [
    [_chunk(_begun(0, "a", "f")), _chunk(_more(0, '{"x"')), _chunk(_begun(1, "b", "g", '{"y": ')),
     _chunk(_more(0, ": 1}")), _chunk(_more(1, "2}"))],
    [_chunk(_begun(0, "a", "f", '{"x": 1}'), _begun(1, "b", "g", '{"y": 2}'))],
    [_chunk(_begun(0, "a", "f"), _begun(1, "b", "g")), _chunk(_more(1, '{"y": 2}'), _more(0, '{"x": 1}'))],
    # Later fragments repeat an empty id and name.
    [_chunk(_begun(0, "a", "f")), _chunk({"index": 0, "id": "", "function": {"name": "", "arguments": '{"x": 1}'}}),
     _chunk(_begun(1, "b", "g", '{"y": 2}'))],
    # Two calls with one index.
    [_chunk(_begun(0, "a", "f", '{"x": 1}')), _chunk(_begun(0, "b", "g", '{"y": 2}'))],
    # A piece of a call that was whole: of nothing, of a blank, of its id and name.
    *[[_chunk(_begun(0, "a", "f", '{"x": 1}'), _begun(1, "b", "g")), _chunk(late, _more(1, '{"y": 2}'))]
      for late in (_more(0, ""), _more(0, " \n"), _begun(0, "a", "f"))],
    # The id, the name or both come later, behind arguments, and while another call goes on.
    *[[_chunk(_called(0, first, '{"x"'), _begun(1, "b", "g", '{"y"')), _chunk(_called(0, then, ": 1}")),
       _chunk(_more(1, ": 2}"))]
      for first, then in ((("a", None), (None, "f")), ((None, "f"), ("a", None)), ((None, None), ("a", "f")))],
])  # fmt: skip
def test_calls_side_by_side_stay_apart(pieces: list[Any]) -> None:
    """However their pieces alternate; a target that has one block at a time gets one after the other."""
    events = [*pieces, _chunk(finish="tool_calls")]
    wanted = [("a", "f", {"x": 1}), ("b", "g", {"y": 2})]
    for message in (am.collect(events, "openai").messages[0], read_live(events, "openai")):
        assert [(call.id, call.name, am.thaw(call.input)) for call in message.tool_calls] == wanted
    for target in PROVIDERS[2:] + PROVIDERS[:1]:
        out = list(am.transcode(events, "openai", target))
        (message,) = am.collect(out, target)
        assert [(call.id, call.name, am.thaw(call.input)) for call in message.tool_calls] == wanted
    opened: list[int] = []
    for event in am.transcode(events, "openai", "anthropic"):
        if event["type"] == "content_block_start":
            assert not opened
            opened.append(event["index"])
        elif event["type"] == "content_block_stop":
            assert opened.pop() == event["index"]


# What says of which block an event is.
_PLACES = ("index", "output_index", "contentBlockIndex", "id", "toolCallId")
_ALTERNATING = [provider for provider in PROVIDERS if events_of(am.get_codec(provider)).tells_ends]


def _place(event: Any) -> Any:
    fields = event if "type" in event else next(iter(event.values()))
    return next((fields[key] for key in _PLACES if key in fields), None)


def _mixed(events: list[Any], rng: Random) -> list[Any]:
    """Return events whose blocks alternate, in the order in which these began: with their first piece."""
    places = list(map(_place, events))
    groups = [[e for e, at in zip(events, places, strict=True) if at == place] for place in dict.fromkeys(places)]
    loose, (first, *others) = groups[0], groups[1:]
    start = events.index(first[0])
    mixed, going = first[:3], [first[3:]]
    while going or others:
        if others and (not going or rng.random() < 0.5):
            mixed += others[0][:3]
            going.append(others.pop(0)[3:])
        else:
            mixed.append(rng.choice(going).pop(0))
        going = [group for group in going if group]
    return [*loose[:start], *mixed, *loose[start:]]


def _parts(content: Iterable[Any]) -> Iterator[Any]:
    for block in content:
        if isinstance(block, am.TextBlock | am.ToolUseBlock):
            yield block.text if isinstance(block, am.TextBlock) else (block.id, am.thaw(block.input))


@pytest.mark.parametrize("provider", _ALTERNATING)
def test_blocks_side_by_side_stay_apart(provider: am.CodecName) -> None:
    """However their pieces alternate, each is one block of any target; so is a call without arguments."""
    rng = Random(7)
    calls = [am.ToolUseBlock(f"c{number}", "f", {"x": number} if number % 2 else {}) for number in range(4)]
    content = [am.TextBlock("one two"), *calls[:2], am.TextBlock("three"), *calls[2:], am.TextBlock("four five")]
    events = list(am.emit(am.Msg("assistant", content), provider, size=3, on_loss="ignore"))
    wanted = list(_parts(content))
    for _ in range(30):
        mixed = _mixed(events, rng)
        for target in set(PROVIDERS) - {provider, "openai"}:
            (message,) = am.collect(transcoded_to(mixed, provider, target), target)
            assert list(_parts(message.content)) == wanted, target
        (message,) = am.collect(transcoded_to(mixed, provider, "openai"), "openai")
        assert message.text == "one twothreefour five"
        assert [(call.id, json.loads(call.raw_input or "")) for call in message.tool_calls] == [
            (call.id, call.input) for call in calls
        ]


def _noting(events: Iterable[Any], read: list[Any]) -> Iterator[Any]:
    for event in events:
        read.append(event)
        yield event


@pytest.mark.parametrize("provider", _ALTERNATING)
def test_nothing_waits_for_the_end_of_the_stream(provider: am.CodecName) -> None:
    """Behind a call without arguments, or with broken ones, texts are written as they come."""
    for given in ("", "{}", "[", "nothing"):
        content = [am.ToolUseBlock("c", "f", raw_input=given), am.TextBlock("uvwxyz")]
        events = list(am.emit(am.Msg("assistant", content), provider, size=3, on_loss="ignore"))
        last = max(number for number, event in enumerate(events) if "xyz" in str(event) and "uvw" not in str(event))
        for target in PROVIDERS:
            read: list[Any] = []
            source = _noting(json.loads(json.dumps(events)), read)
            seen = [len(read) for event in am.transcode(source, provider, target) if "xyz" in str(event)]
            assert seen[0] == last + 1, (given, target)


@pytest.mark.parametrize("text", ["", " ", "\n", "null", "[1]", "5", " {}", '{"a": 1}', "nothing"])
def test_arguments_are_those_of_the_conversion(text: str) -> None:
    """Also none, and those that are no object: a strict client reads them."""
    events = [_chunk(_begun(0, "a", "f")), *(_chunk(_more(0, letter)) for letter in text), _chunk(finish="tool_calls")]
    document = folded(events, "openai")
    for target in set(PROVIDERS) - {"openai"}:
        got = am.collect(transcoded_to(events, "openai", target), target)
        want = am.convert(document, "openai-response", response_of(target)).document
        if target == "openai-responses" and not text.strip():
            want["output"][0]["arguments"] = "{}"  # clients of streams parse it
        assert _calls_in(got) == _calls_in(am.decode(want, response_of(target))), target


def _calls_in(history: am.History) -> list[Any]:
    return [(call.name, am.thaw(call.input), call.raw_input and call.raw_input.strip())
            for message in history for call in message.tool_calls]  # fmt: skip


def test_calls_with_one_id_stay_two() -> None:
    """For clients that know calls by their ids, the second has another."""
    events = [_chunk(_begun(n, "a", "f", f'{{"x": {n}}}')) for n in range(3)] + [_chunk(finish="tool_calls")]
    (message,) = am.collect(transcoded_to(events, "openai", "vercel-ui"), "vercel-ui")
    assert [call.input["x"] for call in message.tool_calls if isinstance(call.input, dict)] == [0, 1, 2]


@pytest.mark.parametrize("item", [
    {"type": "web_search_call", "action": {"type": "search", "query": "q"}},
    {"type": "mcp_call", "name": "f", "server_label": "s", "arguments": "{}", "output": "o"},
    {"type": "code_interpreter_call", "code": "1", "container_id": "k", "outputs": [{"type": "logs", "logs": "o"}]},
])  # fmt: skip
def test_items_with_one_id_stay_two(item: Any) -> None:
    """Also those that come whole."""
    output = [{**item, "id": "i", "status": "completed"}] * 2
    document = {"id": "r", "object": "response", "model": "m", "status": "completed", "output": output}
    events = stream_return(am.get_codec("openai-responses"), document)
    assert events is not None
    for target in set(PROVIDERS) - {"openai-responses"}:
        transcoded(am.get_codec("openai-responses"), events, am.get_codec(target))


def test_compaction_keeps_what_is_encrypted() -> None:
    """Beside its text, or in its place."""
    for text in ("so far", None):
        delta = {"type": "compaction_delta", "content": text, "encrypted_content": "X"}
        events: list[Any] = [
            {"type": "message_start", "message": {"role": "assistant", "content": []}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "compaction", "content": None}},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "message_stop"},
        ]
        for message in (am.collect(events, "anthropic").messages[0], read_live(events, "anthropic")):
            assert list(message.content) == [am.CompactionBlock(text, encrypted="X")]


def test_what_chunks_say_of_themselves_adds_up() -> None:
    """Groq tells the seed in the first and the usage in the last; null erases nothing."""
    events: list[Any] = [
        {"x_groq": {"id": "r", "seed": 7}, "usage": {"prompt_tokens": 1}, "choices": [{"index": 0, "delta": {}}]},
        {"x_groq": {"id": "r", "usage": {}}, "usage": None, "choices": []},
    ]
    found = folded(events, "openai")
    assert (found["x_groq"], found["usage"]) == ({"id": "r", "seed": 7, "usage": {}}, {"prompt_tokens": 1})


def test_items_of_a_response_have_ids_of_their_own() -> None:
    """Also those that are written whole; and the response has the id that was announced."""
    run = {"executableCode": {"language": "PYTHON", "code": "1"}}
    parts = [run, {"text": "One."}, run]
    event = {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]}
    *_, last = am.transcode([event], "gemini", "openai-responses")
    ids = [item["id"] for item in last["response"]["output"]]
    assert len(set(ids)) == len(ids) > 1
    assert all((last["response"]["id"], *ids))


def test_an_event_gives_its_events_before_the_next_is_read() -> None:
    """Nothing waits for the end."""
    read: list[int] = []

    def source() -> Iterator[Any]:
        for number, event in enumerate(am.emit(am.Msg.assistant("a b c d e f"), "anthropic", size=2)):
            read.append(number)
            yield event

    seen = [
        (len(read), event["choices"][0]["delta"].get("content"))
        for event in _first(am.transcode(source(), "anthropic", "openai"), 4)
    ]
    assert seen == [(1, ""), (3, "a "), (4, "b "), (5, "c ")]


def _first(events: Iterator[Any], count: int) -> Iterator[Any]:
    return (event for _, event in zip(range(count), events, strict=False))


def test_a_strict_client_of_anthropic_is_served() -> None:
    """Thinking of others is closed with a signature; there is one message_delta; kinds of blocks fit their deltas."""
    events: list[Any] = [
        {"choices": [{"index": 0, "delta": {"reasoning_content": "Hm."}}]},
        {"choices": [{"index": 0, "delta": {"content": "Yes."}}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    ]
    out = list(am.transcode(events, "openai", "anthropic"))
    kinds = [event.get("delta", event.get("content_block", {})).get("type", event["type"]) for event in out]
    assert kinds == [
        "message_start", "thinking", "thinking_delta", "signature_delta", "content_block_stop", "text", "text_delta",
        "content_block_stop", "message_delta", "message_stop",
    ]  # fmt: skip
    dropped = list(am.transcode(events, "openai", "anthropic", thinking="drop"))
    assert [event["type"] for event in dropped].count("content_block_start") == 1


# -- frames -----------------------------------------------------------------------------------------------------------


def _cut(raw: bytes, rng: Random) -> list[bytes]:
    cuts = sorted(rng.randrange(len(raw) + 1) for _ in range(40))
    return [raw[start:end] for start, end in zip([0, *cuts], [*cuts, len(raw)], strict=True)]


def _framed(events: list[Any]) -> Iterator[bytes]:
    """Yield the carriers of a stream."""
    lines = [json.dumps(event, ensure_ascii=False) for event in events]
    for end in ("\n", "\r\n", "\r"):
        yield "".join(f": comment{end}event: x{end}data: {line}  {end}{end}" for line in lines).encode()
        yield ("\ufeff" + f"{end}{end}".join(f"data:{line}" for line in lines)).encode()
    yield "\n".join(lines).encode()
    yield f"[{','.join(lines)}]".encode()
    yield json.dumps(events, indent=2).encode()
    yield b"".join(am.stream.sse(events))


def test_frames_are_cut_anywhere() -> None:
    """Also inside a character, and between CR and LF; lines without their ends are lines."""
    events: list[Any] = [
        {"type": "a", "text": 'é\r\n\u2028 "[{\\ data: x'},
        {"type": "b", "list": [[], {"x": "}"}]},
        {"type": "c"},
    ]
    rng = Random("frames")
    for raw in _framed(events):
        assert list(am.stream.events(raw)) == events
        assert list(am.stream.events(raw.decode())) == events
        assert list(am.stream.events(bytes([byte]) for byte in raw)) == events
        for _ in range(effort(20)):
            assert list(am.stream.events(_cut(raw, rng))) == events
    sse = "\n\n".join(f"event: x\ndata: {json.dumps(event)}" for event in events).split("\n")
    assert list(am.stream.events(sse)) == events
    assert list(am.stream.events(line.encode() for line in sse)) == events
    assert list(am.stream.events(["data: {}\n\ndata: [DONE]\n\ndata: {}\n\n"])) == [{}]


@pytest.mark.parametrize(("raw", "code"), [
    (b"data: {\n\n", "syntax"), (b"data: 1\n\ndata: x\n\n", "syntax"),
    (b'[{"a": 1}, {"b"', "cut"), (b'data: {"a": [1', "cut"),
    (b"data: " + b"x" * 3000, "bytes"), (b"[" + b'{"a": "' + b"x" * 3000, "bytes"),
    (b"data: x\n" * 3000, "bytes"),
])  # fmt: skip
def test_bytes_that_are_no_stream_are_refused(raw: bytes, code: str) -> None:
    """With the number of the event; nothing is kept beyond the limit."""
    with pytest.raises(am.DecodeError) as caught:
        list(am.stream.events(_cut(raw, Random(1)), limits=am.Limits(line=2000)))
    assert caught.value.code == code
    assert isinstance(caught.value.path[0], int)


def test_streams_may_be_asynchronous() -> None:
    """With the same results."""
    provider, _, raw = next(each for each in recorded_streams() if each[0] == "anthropic")

    async def pieces() -> AsyncIterator[bytes]:
        for piece in _cut(raw, Random(3)):
            yield piece

    async def run() -> tuple[am.History, list[Any], am.Losses, list[bytes]]:
        stream = am.transcode(pieces(), provider, "openai")
        history, events = await am.collect(pieces(), provider), [event async for event in stream]
        framed = am.stream.sse(am.transcode(pieces(), provider, "openai"))
        return history, events, stream.losses, [frame async for frame in framed]

    history, events, losses, frames = asyncio.run(run())
    assert frames == list(am.stream.sse(events))
    wanted = am.transcode(raw, provider, "openai")
    assert am.same(history, am.collect(raw, provider))
    assert events == list(wanted)
    assert list(losses) == list(wanted.losses)


def test_streams_are_closed_with_their_source() -> None:
    """By whoever leaves one early."""
    left: list[str] = []
    events = list(am.emit(am.Msg.assistant("a b c d"), "anthropic", size=2))

    def source() -> Iterator[Any]:
        try:
            yield from events
        finally:
            left.append("plain")

    async def later() -> AsyncIterator[Any]:
        try:
            for event in events:
                yield event
        finally:
            left.append("asynchronous")

    class Plain:
        """An asynchronous iterable whose ``close`` isn't asynchronous."""

        def __aiter__(self) -> AsyncIterator[Any]:
            return later()

        def close(self) -> None:
            left.append("closed")

    async def first(pieces: Any) -> None:
        async with aclosing(am.transcode(pieces, "anthropic", "openai")) as stream:
            await anext(stream)

    with closing(am.transcode(source(), "anthropic", "openai")) as stream:
        next(stream)
        assert left == []
    assert left == ["plain"]
    assert list(stream) == []
    asyncio.run(first(later()))
    assert left == ["plain", "asynchronous"]
    asyncio.run(first(Plain()))
    assert "closed" in left
    am.transcode(events, "anthropic", "openai").close()  # what can't be closed stays as it is


def test_objects_of_an_sdk_are_events() -> None:
    """Models, data classes and whatever dumps itself."""

    class Event:
        def __init__(self, held: Any) -> None:
            self._held = held

        def model_dump(self, **_: Any) -> Any:
            return self._held

    message = am.Msg.assistant("Hello there")
    events = list(map(Event, am.emit(message, "anthropic")))
    assert am.collect(events, "anthropic").messages[0].text == "Hello there"


@pytest.mark.parametrize("codec", ["hf", "json", "sharegpt"])
def test_formats_without_streams_say_so(codec: am.CodecName) -> None:
    """By name."""
    for work in (
        lambda: am.collect([], codec),
        lambda: am.ChunkReader(codec),
        lambda: am.emit(am.Msg.assistant("x"), codec),
    ):
        with pytest.raises(am.CodecLookupError, match="no streams of events"):
            work()


@providers
def test_an_event_takes_the_same_however_many_came(provider: am.CodecName) -> None:
    """Folding, live and transcoding."""

    def work_of(count: int) -> Any:
        events = list(am.emit(am.Msg.assistant("ab " * count), provider, size=3, on_loss="ignore"))
        target: am.CodecName = "openai" if provider == "anthropic" else "anthropic"

        def work() -> None:
            read_live(events, provider)
            for _ in am.transcode(events, provider, target):
                pass

        return work

    check_growth(work_of, (400, 3200), 8 * 1.6)
