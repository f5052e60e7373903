"""The codec ``openai-response``: a response in the model, the schema's requirements, invented values.

Exact return, damaged documents, planted notes and the other laws are tested in test_laws.py.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import assume, given

import agentmsg as am
from agentmsg.fitting.fit import fit
from agentmsg.formats.spelling import same_document
from agentmsg.testing import exact_return, honest_account, messages, notes_never_matter
from agentmsg.values.frozen import plain_copy
from agentmsg_codecs.openai import OpenAICodec
from agentmsg_codecs.openai.response import OpenAIResponseCodec
from support.checked import refused
from support.documents import documents
from support.openai_messages import CITATION, PNG, TEXT, call, msg, own, thought
from support.strict import openai_request_problems, openai_response_problems

CODEC = OpenAIResponseCodec()
TIME = datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)
COUNTS = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
USAGE = am.Usage(input=1, output=2, total=3)


def cited(start: int, end: int, url: str = "u", title: str = "t") -> dict[str, Any]:
    """Return an annotation."""
    inner = {"url": url, "title": title, "start_index": start, "end_index": end}
    return {"type": "url_citation", "url_citation": inner}


def _of(url: str, title: str | None = None) -> am.Citation:
    return am.Citation(url, title, kind="url_citation")


CITED = cited(0, 1)


def choice(content: Any = "a", reason: Any = "stop", **fields: Any) -> dict[str, Any]:
    """Return a choice whose message has these fields."""
    message = {"role": "assistant", "content": content, "refusal": None, **fields}
    return {"index": 0, "finish_reason": reason, "logprobs": None, "message": message}


def answer(*choices: Any, **fields: Any) -> dict[str, Any]:
    """Return a response with these choices."""
    native = {"id": "r1", "object": "chat.completion", "created": 1_700_000_000, "model": "m"}
    return {**native, "choices": list(choices), "usage": dict(COUNTS), **fields}


def reply(*content: Any, **fields: Any) -> am.Msg:
    """Return the message of such a response."""
    told: dict[str, Any] = {
        "id": "r1", "created_at": TIME, "model": "m", "provider": "openai", "api": "chat", "usage": USAGE,
        "finish_reason": "stop",
    }  # fmt: skip
    return am.Msg("assistant", content, **{**told, **fields})


def told(*content: Any, **fields: Any) -> am.Msg:
    """Return the message of a response that says nothing around it: its format tells who answered."""
    return msg("assistant", *content, provider="openai", api="chat", **fields)


def read(document: Any) -> am.Msg:
    """Return the message of a response that comes back exactly, directly and through canonical JSON."""
    history = exact_return(CODEC, document)
    assert history is not None
    again = am.decode(am.encode(history, "json"), "json")
    assert same_document(plain_copy(am.thaw(CODEC.write(again))), document)
    return history[0]


def write(message: am.Msg, losses: list[am.Loss] | None = None) -> Any:
    """Return a message written as a response."""
    found: list[am.Loss] = [] if losses is None else losses
    return plain_copy(am.thaw(am.encode([message], CODEC, losses=found)))


# -- the content of a response ------------------------------------------------------------------------------------

SOUND = {"id": "s", "data": "QUJD", "transcript": "t", "expires_at": 5}
OWN: dict[str, tuple[Any, am.Msg]] = {
    "text": (answer(choice()), reply(TEXT)),
    "nothing": (answer(choice("")), reply()),
    "refusal": (answer(choice(None, refusal="no")), reply(am.RefusalBlock("no"))),
    "both": (answer(choice("a", refusal="no")), reply(TEXT, am.RefusalBlock("no"))),
    "calls": (
        answer(choice("a", "tool_calls", tool_calls=[call('{"a":1}')])),
        reply(TEXT, am.ToolUseBlock("c1", "f", {"a": 1}), finish_reason="tool_use"),
    ),
    "annotations": (
        answer(choice("ab", annotations=[CITED])),
        reply(am.TextBlock("ab", citations=[CITATION])),
    ),
    "sound": (
        answer(choice(None, audio=SOUND)),
        reply(am.AudioBlock(am.Base64Source("QUJD"), transcript="t", item_id="s", **own({"expires_at": 5}))),
    ),
    "no usage": (answer(choice(), usage=None), reply(TEXT, usage=None)),
    "usage": (
        answer(
            choice(),
            usage={
                **COUNTS,
                "prompt_tokens_details": {"cached_tokens": 4, "audio_tokens": 5, "cache_write_tokens": 6},
                "completion_tokens_details": {
                    "reasoning_tokens": 7, "audio_tokens": 8, "accepted_prediction_tokens": 9,
                },
            },
        ),
        reply(
            TEXT,
            usage=am.Usage(
                input=1, output=2, total=3, cache_read=4, input_audio=5, cache_write=6, reasoning=7, output_audio=8,
                extras={"openai.output": {"accepted_prediction_tokens": 9}},
            ),
        ),
    ),
    "what stands around": (
        answer(
            {**choice(), "logprobs": {"content": [], "refusal": None}}, system_fingerprint="fp", service_tier="flex"
        ),
        reply(
            TEXT,
            response_metadata={
                "logprobs": {"content": [], "refusal": None}, "system_fingerprint": "fp", "service_tier": "flex",
            },
        ),
    ),
    "two choices": (
        answer(choice(), {**choice("b"), "index": 1}),
        reply(TEXT, **own({"further": [{**choice("b"), "index": 1}]}, "openai.choices")),
    ),
    **{
        reason: (answer(choice(reason=reason)), reply(TEXT, finish_reason=reason))
        for reason in ("length", "content_filter")
    },
}  # fmt: skip


@pytest.mark.parametrize("case", OWN)
def test_openais_own_answers_mean_this(case: str) -> None:
    """Each OpenAI response is this message, and the message is written as this response."""
    native, message = OWN[case]
    assert am.same(read(native), message)
    losses: list[am.Loss] = []
    assert same_document(write(message, losses), native)
    assert losses == []
    assert openai_response_problems(native) == []


SERVERS: dict[str, tuple[Any, am.Msg]] = {
    "function_call": (
        answer(choice(None, "function_call", function_call={"name": "f", "arguments": "{}"})),
        reply(am.ToolUseBlock("call_0_0_f", "f", {}), finish_reason="tool_use"),
    ),
    "reasoning": (answer(choice(reasoning_content="t")), reply(thought(), TEXT)),
    "one text in a list": (answer(choice([{"type": "text", "text": "a"}])), reply(TEXT)),
    "refusal in a list": (
        answer(choice([{"type": "refusal", "refusal": "no"}, {"type": "text", "text": ""}])),
        reply(am.RefusalBlock("no"), am.TextBlock("")),
    ),
    "nulls": (
        answer(choice(tool_calls=None, function_call=None, audio=None, annotations=[]), system_fingerprint=None),
        reply(TEXT),
    ),
    "no keys": ({"choices": [{"message": {"role": "assistant", "content": "a"}}]}, told(TEXT)),
    "no role": ({"choices": [{"message": {"content": "a"}}]}, told(TEXT)),
    "a null role": ({"choices": [{"message": {"content": "a", "role": None}}]}, told(TEXT)),
    "no role, annotations": (
        {"choices": [{"message": {"content": "ab", "annotations": [CITED]}}]},
        told(am.TextBlock("ab", citations=[CITATION])),
    ),
    "an error": ({"choices": [{"finish_reason": "error"}]}, told(finish_reason="error")),
    "an error of a choice": (
        {"choices": [{"error": {"code": 402}, "message": None}]},
        told(**own({"error": {"code": 402}}, "openai.choice")),
    ),
    "annotations beside calls": (
        answer(choice(None, "tool_calls", annotations=[CITED], tool_calls=[call()])),
        reply(am.TextBlock("", citations=[CITATION]), am.ToolUseBlock("c1", "f", {}), finish_reason="tool_use"),
    ),
    "no expiry": (
        answer(choice(None, audio={"id": "s", "data": "QUJD"})),
        reply(am.AudioBlock(am.Base64Source("QUJD"), item_id="s")),
    ),
    "sound by id": (answer(choice(None, audio={"id": "s"})), reply(am.AudioBlock(am.FileSource("s", "openai")))),
    "no reason": (answer(choice(reason=None)), reply(TEXT, finish_reason=None)),
    "another reason": (answer(choice(reason="eos_token")), reply(TEXT, finish_reason="eos_token")),
    "our word": (answer(choice(reason="tool_use")), reply(TEXT, finish_reason="tool_use")),
    "another index": (answer({**choice(), "index": 3}), reply(TEXT, response_metadata={"index": 3})),
    "another object": (answer(choice(), object="x"), reply(TEXT, response_metadata={"object": "x"})),
    "an id that is no text": (answer(choice(), id=5), reply(TEXT, id=None, response_metadata={"id": 5})),
    "a counter that is none": (
        answer(choice(), usage={"prompt_tokens": 1.0}),
        reply(TEXT, usage=None, response_metadata={"usage": {"prompt_tokens": 1.0}}),
    ),
    "a reason that is no word": (
        answer(choice(reason=["x"])),
        reply(TEXT, finish_reason=None, response_metadata={"finish_reason": ["x"]}),
    ),
    "time before 1970": (answer(choice(), created=-1), reply(TEXT, created_at=TIME - timedelta(seconds=1_700_000_001))),
    **{
        f"time, {odd!r}": (
            answer(choice(), created=odd),
            reply(TEXT, created_at=None, response_metadata={"created": odd} if odd else {}),
        )
        for odd in (1.5, "x", 10**30, None)
    },
    "cost": (answer(choice(), usage={**COUNTS, "cost": 0.5}), reply(TEXT, usage=USAGE.evolve(cost=0.5))),
    "costs of the parts": (
        answer(choice(), usage={**COUNTS, "cost": {"total_cost": 0.5, "request_cost": 0.1}}),
        reply(TEXT, usage=USAGE.evolve(cost=0.5, extras={"openai.cost": {"request_cost": 0.1}})),
    ),
    "costs without a sum": (
        answer(choice(), usage={**COUNTS, "cost": {"request_cost": 0.1}}),
        reply(TEXT, usage=USAGE.evolve(**own({"cost": {"request_cost": 0.1}}))),
    ),
    "unknown counters": (
        answer(choice(), usage={**COUNTS, "x": 1, "prompt_tokens_details": {"y": 2}}),
        reply(TEXT, usage=USAGE.evolve(extras={"openai.input": {"y": 2}, "openai": {"x": 1}})),
    ),
    **{
        f"{field} in {key}": (
            answer(choice(), usage={**COUNTS, key: 4, "prompt_cache_miss_tokens": 5}),
            reply(TEXT, usage=USAGE.evolve(**{field: 4}, **own({"prompt_cache_miss_tokens": 5}))),
        )
        for key, field in (
            ("prompt_cache_hit_tokens", "cache_read"),
            ("cache_read_input_tokens", "cache_read"),
            ("num_cached_tokens", "cache_read"),
            ("cached_tokens", "cache_read"),
            ("cache_creation_input_tokens", "cache_write"),
            ("reasoning_tokens", "reasoning"),
        )
    },
    "a count told twice": (
        answer(choice(), usage={**COUNTS, "num_cached_tokens": 4, "prompt_tokens_details": {"cached_tokens": 4}}),
        reply(TEXT, usage=USAGE.evolve(cache_read=4, **own({"num_cached_tokens": 4}))),
    ),
    "usage of a choice": (answer({**choice(), "usage": COUNTS}, usage=None), reply(TEXT)),
    "usage of a choice, too": (
        answer({**choice(), "usage": COUNTS}),
        reply(TEXT, **own({"usage": COUNTS}, "openai.choice")),
    ),
    **{
        f"sources in {[*sources]}": (
            answer(choice(), **sources),
            reply(TEXT.evolve(citations=citations), **own(sources, "openai.response")),
        )
        for sources, citations in (
            ({"citations": ["u", "v"], "search_results": [{"url": "v", "title": "t"}]}, (_of("u"), _of("v", "t"))),
            ({"search_results": [{"url": "v", "title": None}, {"url": "v", "title": "t"}, 5]}, (_of("v", "t"),)),
            ({"web_search": [{"link": "u", "title": "t"}, {"title": "x"}]}, (_of("u", "t"),)),
            ({"search_info": {"search_results": [{"url": "u", "title": "t"}]}}, (_of("u", "t"),)),
        )
    },
    "sources beside annotations": (
        answer(choice(annotations=[CITED]), citations=["v"]),
        reply(TEXT.evolve(citations=[CITATION]), **own({"citations": ["v"]}, "openai.response")),
    ),
    "sources beside no annotations": (
        answer(choice(annotations=[]), citations=["v"]),
        reply(TEXT, **own({"citations": ["v"]}, "openai.response")),
    ),
    "sources beside annotations that aren't citations": (
        answer(choice(annotations=[5]), citations=["v"]),
        reply(TEXT, extras={"openai": {"annotations": [5]}, "openai.response": {"citations": ["v"]}}),
    ),
    "null details": (answer(choice(), usage={**COUNTS, "completion_tokens_details": None}), reply(TEXT)),
    "one counter": (answer(choice(), usage={"prompt_tokens": 1}), reply(TEXT, usage=am.Usage(input=1))),
    "unknown keys": (
        answer({**choice(x=1), "y": 2}, z=3),
        reply(TEXT, extras={"openai": {"x": 1}, "openai.choice": {"y": 2}, "openai.response": {"z": 3}}),
    ),
}


@pytest.mark.parametrize("case", SERVERS)
def test_answers_of_servers_mean_this(case: str) -> None:
    """A compatible server's response is this message, and comes back exactly."""
    native, message = SERVERS[case]
    assert am.same(read(native), message)


@pytest.mark.parametrize(
    "document",
    [
        answer(None),
        answer({"index": 0, "text": "a"}),
        answer(choice(role="user")),
        answer(choice(5)),
        answer({"index": 0, "finish_reason": "stop"}),
        answer({"index": 0, "finish_reason": "error", "delta": {"content": "a"}}),
    ],
    ids=["null", "no message", "a user", "content", "no error", "a delta"],
)
def test_what_cannot_be_told_is_kept_whole(document: Any) -> None:
    """An unreadable response is a message of the role native, and comes back exactly."""
    message = read(document)
    assert message.role == "native"
    assert am.same(message.content, (am.NativeBlock("openai", document),))


@pytest.mark.parametrize("rest", [{}, {"id": "r1", "usage": COUNTS}])
def test_no_choice_is_no_message(rest: Any) -> None:
    """A response without choices is an empty history, and its other keys are kept."""
    history = exact_return(CODEC, {**rest, "choices": []})
    assert history is not None
    assert (len(history), history.extras) == (0, {"openai.response": rest} if rest else {})


@pytest.mark.parametrize(
    ("document", "path"),
    [
        *((odd, ()) for odd in (None, 5, "text", ["x"])),
        ({}, ("choices",)),
        ({"choices": None}, ("choices",)),
        ({"choices": {}}, ("choices",)),
    ],
    ids=repr,
)
def test_what_is_no_answer_is_refused(document: Any, path: tuple[Any, ...]) -> None:
    """Anything without a list of choices is a DecodeError with the path."""
    assert refused(document, codec=CODEC) == (path, "schema", "openai-response")


# -- required by the schema ---------------------------------------------------------------------------------------


PLANTED: dict[str, Any] = {
    "no choices": {"openai.response": {"choices": "absent"}},
    "choices that are an object": {"openai.response": {"choices": ["=", {"a": 1}]}},
    "choices without a message": {"openai.response": {"choices": ["=", [{"index": 0}]]}},
    "no message": {"openai.choice": {"message": "absent"}},
    "another message": {"openai.choice": {"message": ["=", {"role": "assistant", "content": "b"}]}},
    "a time too large": {"openai.response": {"created": ["=", 10**30]}},
}


@pytest.mark.parametrize("case", PLANTED)
def test_planted_notes_do_not_touch_what_holds_the_message(case: str) -> None:
    """Whatever notes claim about the levels of a response, its message is written, and reads back."""
    notes_never_matter(CODEC, am.History([reply(am.TextBlock("a"), notes=PLANTED[case])]))


def test_what_the_schema_requires_is_invented_and_reported() -> None:
    """Id, time, model and finish reason are invented if a message has none: all are annotations."""
    losses: list[am.Loss] = []
    native = write(msg("assistant", TEXT), losses)
    assert openai_response_problems(native) == []
    assert (native["created"], native["model"], native["id"][:9]) == (0, "unknown", "chatcmpl-")
    assert native["choices"][0]["finish_reason"] == "stop"
    assert {(loss.path[-1], loss.kind, loss.level) for loss in losses} == {
        (name, "invented", "annotation") for name in ("id", "created_at", "model", "provider", "api", "finish_reason")
    }
    assert same_document(write(msg("assistant", TEXT)), native)


def test_calls_without_a_reason_are_the_reason() -> None:
    """A message with calls and no finish reason ends with that of calls."""
    native = write(reply(am.ToolUseBlock("c1", "f", {}), finish_reason=None))
    assert native["choices"][0]["finish_reason"] == "tool_calls"


def test_an_edited_count_is_written_where_it_was_read() -> None:
    """A count keeps its key; one that is gone leaves none."""
    message = read(answer(choice(), usage={**COUNTS, "num_cached_tokens": 4}))
    for edited, expected in ((5, {**COUNTS, "num_cached_tokens": 5}), (None, COUNTS)):
        assert message.usage is not None
        assert write(message.evolve(usage=message.usage.evolve(cache_read=edited)))["usage"] == expected


@pytest.mark.parametrize("annotations", [{}, {"annotations": None}, {"annotations": []}], ids=repr)
def test_edited_citations_are_written_beside_sources(annotations: Any) -> None:
    """Citations that differ from the sources beside them are annotations; without any, these are an empty list."""
    sources = {"citations": ["u"]}
    message = read(answer(choice(**annotations), **sources))
    for citations in ((), (CITATION,), (_of("u"), CITATION)):
        edited = message.evolve(content=[TEXT.evolve(citations=citations)])
        losses: list[am.Loss] = []
        written = write(edited, losses)
        assert len(written["choices"][0]["message"]["annotations"]) == len(citations)
        assert written["citations"] == ["u"]
        assert am.same(am.restore(am.decode(written, CODEC), losses), am.History([edited]))


def test_counters_that_lack_are_filled() -> None:
    """The three counters of usage are required; seconds aren't supported, nor is a cost that no server stated."""
    native = write(reply(TEXT, usage=am.Usage(input=3, cost=1.0, seconds=2.0)))
    assert native["usage"] == {"prompt_tokens": 3, "completion_tokens": 0, "total_tokens": 3}


@pytest.mark.parametrize("own", [{"index": 1.0}, {"object": "x"}, {"id": 5}, {"usage": []}], ids=str)
def test_metadata_under_the_key_of_a_field_must_have_been_read(own: dict[str, Any]) -> None:
    """Otherwise the response would be invalid, so it is reported as lost."""
    fitted = honest_account(CODEC, am.History([reply(TEXT, response_metadata={**own, "service_tier": "x"})]))
    assert fitted.history[0].response_metadata == {"service_tier": "x"}


EAST = timezone(timedelta(hours=2))
WEST = timezone(timedelta(hours=-2))
TIMES: dict[datetime, datetime] = {
    datetime(2024, 1, 1, 1, 2, 3, 456, tzinfo=UTC): datetime(2024, 1, 1, 1, 2, 3, tzinfo=UTC),
    datetime(2024, 1, 1, 1, 2, 3, tzinfo=EAST): datetime(2023, 12, 31, 23, 2, 3, tzinfo=UTC),
    datetime(2024, 1, 1, 1, 2, 3): datetime(2024, 1, 1, 1, 2, 3, tzinfo=UTC),
    datetime(1, 1, 1, tzinfo=EAST): datetime(1, 1, 1, tzinfo=UTC),
    datetime(9999, 12, 31, 23, tzinfo=WEST): datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC),
}


@pytest.mark.parametrize("time", TIMES, ids=str)
def test_times_are_whole_seconds_of_utc(time: datetime) -> None:
    """A time is written as the nearest number of seconds that a reader understands, and the exact one is reported."""
    fitted = honest_account(CODEC, am.History([reply(TEXT, created_at=time)]))
    assert am.same(fitted.history[0].created_at, TIMES[time])


@pytest.mark.parametrize(
    ("reason", "word"),
    [
        ("stop", "stop"),
        ("length", "length"),
        ("tool_use", "tool_calls"),
        ("content_filter", "content_filter"),
        ("refusal", "content_filter"),
        ("error", "stop"),
        ("eos_token", "stop"),
    ],
)
def test_finish_reasons_are_words_of_the_schema(reason: str, word: str) -> None:
    """A new response ends with a reason of the schema, the nearest to ours."""
    assert write(reply(TEXT, finish_reason=reason))["choices"][0]["finish_reason"] == word


def test_an_edited_reason_does_not_keep_a_servers_word() -> None:
    """A server's word doesn't outlive the reason that it meant."""
    message = read(answer(choice(reason="eos_token")))
    assert write(message.evolve(finish_reason="length"))["choices"][0]["finish_reason"] == "length"
    old = read(answer(choice(None, "function_call", function_call={"name": "f", "arguments": "{}"})))
    assert write(old.evolve(finish_reason="stop"))["choices"][0]["finish_reason"] == "stop"


# -- one text, one refusal ----------------------------------------------------------------------------------------

SECOND = am.TextBlock("cd", citations=[CITATION, am.Citation("v", "w", None, None, None, "url_citation")])
JOINED: dict[str, tuple[am.Msg, Any]] = {
    "texts": (reply(TEXT, am.TextBlock("b")), choice("ab")),
    "citations": (
        reply(am.TextBlock("ab", citations=[CITATION]), SECOND),
        choice("abcd", annotations=[cited(0, 1), cited(2, 3), cited(2, 4, "v", "w")]),
    ),
    "around thinking": (reply(TEXT, thought(), am.TextBlock("b")), choice("ab")),
    "around an image": (reply(TEXT, am.ImageBlock(PNG), am.TextBlock("b")), choice("ab")),
    "refusal first": (reply(am.RefusalBlock("no"), TEXT), choice("a", refusal="no")),
    "refusals": (reply(am.RefusalBlock("no"), TEXT, am.RefusalBlock("!")), choice("a", refusal="no!")),
    "empty text": (reply(am.TextBlock("")), choice("")),
    "empty refusal": (reply(am.RefusalBlock(""), TEXT), choice("a")),
    "call between": (
        reply(TEXT, am.ToolUseBlock("c1", "f", {}), am.TextBlock("b")),
        choice("ab", tool_calls=[call()]),
    ),
    "cached": (reply(am.TextBlock("a", cache=am.CacheHint())), choice("a")),
    "sound": (
        reply(am.AudioBlock(am.Base64Source("QUJD", "audio/mp3"), item_id="s")),
        choice(None, audio={"id": "s", "data": "QUJD", "transcript": "", "expires_at": 0}),
    ),
    "sound by id": (reply(am.AudioBlock(am.FileSource("s", "openai"), transcript="t")), choice("t")),
}


@pytest.mark.parametrize("case", JOINED)
def test_an_answer_is_one_text_and_one_refusal(case: str) -> None:
    """Texts are joined, and refusals after them; the output is valid, and the loss report rebuilds the message."""
    message, expected = JOINED[case]
    native = write(message)
    assert same_document(native, answer(expected))
    assert openai_response_problems(native) == []
    honest_account(CODEC, am.History([message]))


# -- beside requests ----------------------------------------------------------------------------------------------


def _servers_own(native: Any) -> bool:
    text = repr(native)
    return any(f"'{key}'" in text for key in ("reasoning", "reasoning_content", "reasoning_details", "extra_content"))


def test_answers_can_be_said_again() -> None:
    """A recorded response in OpenAI's schema, appended to a request, makes a request that OpenAI's types accept."""
    tried = 0
    for name, document in documents("openai-response"):
        if openai_response_problems(document) or _servers_own(document):
            continue
        history = am.History([am.Msg.user("q"), *am.decode(document, CODEC)])
        body = plain_copy(am.thaw(am.encode(history, OpenAICodec(), on_loss="ignore")))
        assert openai_request_problems(body) == [], name
        tried += 1
    assert tried * 3 > len(documents("openai-response"))


def test_an_answer_dumped_whole_can_be_said_again() -> None:
    """Fields of responses don't leak into a request: annotations, sound itself, nulls; a choice is content."""
    nulls = {"tool_calls": None, "function_call": None}
    document = answer(choice("ab", annotations=[CITED], audio=SOUND, **nulls), answer(choice("b"))["choices"][0])
    losses: list[am.Loss] = []
    (native,) = am.thaw(am.encode(am.decode(document, CODEC), OpenAICodec(), losses=losses))["messages"]
    assert native == {"role": "assistant", "content": "ab", "audio": {"id": "s"}}
    assert [loss.where for loss in losses if loss.level == "content"] == ["messages/0/extras/openai.choices/further"]
    empty = am.decode(answer(choice(annotations=[], audio=None, **nulls)), CODEC)
    assert am.encode(empty, OpenAICodec(), on_loss="ignore")["messages"] == [{"role": "assistant", "content": "a"}]


@given(messages())
def test_what_is_written_is_of_the_schema(message: am.Msg) -> None:
    """Any output of a model, in our blocks, makes a response that OpenAI's types accept."""
    fitted = fit(am.History([_plain(message)]), CODEC).history
    assume(len(fitted) == 1)
    assert openai_response_problems(plain_copy(am.thaw(CODEC.write(fitted)))) == []


def _plain(message: am.Msg) -> am.Msg:
    """Return a model's message without remains of other documents: those are written unchanged."""
    own = [block for block in message.content if not isinstance(block, am.NativeBlock)]
    content = [block.evolve(extras={}, notes={}) for block in own]
    usage = None if message.usage is None else message.usage.evolve(extras={}, notes={})
    bare: dict[str, Any] = {"extras": {}, "notes": {}, "response_metadata": {}, "usage": usage}
    return message.evolve(role="assistant", content=content, **bare)


@pytest.mark.parametrize(
    "calls", [{"tool_calls": [call()]}, {"function_call": {"name": "f", "arguments": "{}"}}], ids=str
)
@pytest.mark.parametrize("word", ["tool_calls", "function_call", "stop_sequence", "max_tokens"])
def test_words_for_the_end_map_one_to_one(calls: dict[str, Any], word: str) -> None:
    """Two words of the schema mean the same, and each comes back; a word outside the schema stays."""
    message = read(answer(choice(None, word, **calls)))
    assert message.finish_reason == {"tool_calls": "tool_use", "function_call": "tool_use"}.get(word, word)
    assert word not in str(message.notes)
