"""What is no document of its format is refused, and the error says what it is, where, and what to call instead."""

from __future__ import annotations

import json
import random
from functools import partial
from typing import TYPE_CHECKING, Any

import anthropic
import attrs
import httpx
import openai
import pytest
from openai.types.chat import ChatCompletionContentPartTextParam, ChatCompletionMessageFunctionToolCall
from pydantic import BaseModel, TypeAdapter, ValidationError

import agentmsg as am
from agentmsg.formats.events import events_of
from data import effort
from support.documents import documents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NAMES = am.codec_names()
STREAMS = [name for name in NAMES if am.get_codec(name).events is not None]
ANSWER = am.Msg.assistant(
    "Hello", tool_calls=[{"id": "c1", "name": "f", "input": {"a": 1}}], id="m1", created_at=None, model="m"
)
PROVIDER = "the provider answered with an error"
# What providers say in place of an answer, and its words.
FAILURES: dict[str, tuple[Any, str]] = {
    "OpenAI": (
        {"error": {"message": "Slow down", "type": "requests", "param": None, "code": "rate_limit_exceeded"}},
        "requests: Slow down",
    ),
    "Anthropic": (
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}, "request_id": "r"},
        "overloaded_error: Overloaded",
    ),
    "Gemini": (
        {"error": {"code": 429, "message": "Too much", "status": "RESOURCE_EXHAUSTED"}}, "RESOURCE_EXHAUSTED: Too much"
    ),
    "Gemini, streamed": ([{"error": {"code": 400, "message": "Bad", "status": "INVALID"}}], "INVALID: Bad"),
    "Bedrock": ({"message": "Too many", "__type": "ThrottlingException"}, "ThrottlingException: Too many"),
    "boto3": (
        {"Error": {"Message": "Too many", "Code": "ThrottlingException"}, "ResponseMetadata": {}},
        "ThrottlingException: Too many",
    ),
    "Bedrock, streamed": ({"throttlingException": {"message": "Too many"}}, "throttlingException: Too many"),
    "Responses, streamed": (
        {"type": "error", "code": "server_error", "message": "Oops", "param": None, "sequence_number": 1},
        "server_error: Oops",
    ),
    "AI SDK, streamed": ({"type": "error", "errorText": "Oops"}, "Oops"),
    "vLLM": ({"object": "error", "message": "No model", "type": "NotFound", "code": 404}, "NotFound: No model"),
    "Ollama": ({"error": "model not found"}, "model not found"),
    "TGI": ({"error": "Model overloaded", "error_type": "overloaded"}, "Model overloaded"),
    "Mistral": (
        {"object": "error", "message": {"detail": [{"type": "missing", "loc": ["body"], "msg": "Field required"}]},
         "type": "invalid_request_error", "param": None, "code": None},
        "invalid_request_error: missing: Field required",
    ),
    "FastAPI": ({"detail": [{"type": "missing", "loc": ["body"], "msg": "No"}, {"msg": "Bad"}]}, "missing: No; Bad"),
    "problem details": (
        {"type": "https://a.example/quota", "title": "No quota", "status": 403, "detail": "All used", "instance": "/1"},
        "https://a.example/quota: All used",
    ),
    "Azure's gateway": ({"statusCode": 401, "message": "Access denied"}, "Access denied"),
    "a gateway": ({"id": "", "choices": None, "error": {"message": "Oops", "code": 500}}, "Oops"),
    "Anthropic's batches": (
        {"custom_id": "x", "result": {"type": "errored", "error": {
            "type": "error", "error": {"type": "invalid_request_error", "message": "Bad"}}}},
        "invalid_request_error: Bad",
    ),
    "OpenAI's batches": (
        {"id": "b", "custom_id": "x", "error": None, "response": {
            "status_code": 400, "body": {"error": {"message": "Bad", "type": "invalid", "code": None}}}},
        "invalid: Bad",
    ),
}  # fmt: skip


def refusal(call: Callable[[], Any]) -> am.AgentMsgError:
    """Return the error that a call raises."""
    with pytest.raises(am.AgentMsgError) as caught:
        call()
    return caught.value


def ways_in(document: Any, name: str) -> Iterator[Callable[[], Any]]:
    """Yield the calls that read a document."""
    codec: Any = name
    yield lambda: am.decode(document, codec)
    yield lambda: am.convert(document, codec, "json")
    yield lambda: am.History.decode(document, codec)
    if not am.get_codec(codec).binary:
        raw = json.dumps(document)
        yield lambda: am.loads(raw, codec)
        yield lambda: am.convert(raw.encode(), codec, "json")


@pytest.mark.parametrize("provider", STREAMS)
@pytest.mark.parametrize("name", NAMES)
def test_events_are_no_documents(name: str, provider: am.CodecName) -> None:
    """An event, and a list of them, is refused by every format; the error names ``collect``."""
    events = list(am.emit(ANSWER, provider, on_loss="ignore"))
    are_responses = events_of(am.get_codec(provider)).are_responses
    for document in (events, [] if are_responses else events[0], [] if are_responses else events[-1]):
        for read in ways_in(document, name) if document else ():
            error = refusal(read)
            assert (error.codec, error.code) == (name, "schema")
            assert f'agentmsg.collect(events, "{provider.removesuffix("-response")}")' in str(error)


def test_each_event_of_gemini_is_a_response() -> None:
    """A chunk of Gemini's can't be told from a response, so it is read as one."""
    for event in am.emit(ANSWER, "gemini"):
        assert am.decode(event, "gemini-response")[0].role == "assistant"
        assert '"gemini-response") reads it' in str(refusal(partial(am.decode, event, "gemini")))


def test_server_sent_events_are_collected() -> None:
    """Bytes as a server sends them are no JSON; the error says what reads them."""
    for raw in (b'data: {"id": "x"}\n\n', "event: message_start\ndata: {}\n\n"):
        for name in NAMES:
            if not am.get_codec(name).binary:
                assert "agentmsg.collect" in str(refusal(partial(am.loads, raw, name)))


@pytest.mark.parametrize("provider", list(FAILURES))
@pytest.mark.parametrize("name", NAMES)
def test_errors_say_what_the_provider_said(name: str, provider: str) -> None:
    """A provider's error is refused by every format, with what it says."""
    document, words = FAILURES[provider]
    for read in ways_in(document, name):
        error = refusal(read)
        assert (error.codec, error.code) == (name, "failed")
        assert error.message == f"the provider answered with an error: {words}"


@pytest.mark.parametrize("name", [name for name in NAMES if f"{name}-response" in NAMES])
def test_requests_and_responses_name_each_other(name: str) -> None:
    """A response given to a request's codec, and the other way round, is told what reads it."""
    answer: Any = f"{name}-response"
    codec: Any = name
    response = am.encode(ANSWER, answer, on_loss="ignore")
    request = am.encode(am.History.of("Hi").with_settings(model="m"), codec)
    for document, wrong, right in ((response, codec, answer), (request, answer, codec)):
        for read in ways_in(document, wrong):
            error = refusal(read)
            assert (error.codec, error.code) == (wrong, "schema")
            assert f'agentmsg.decode(..., "{right}") reads it' in str(error)


@pytest.mark.parametrize("name", NAMES)
def test_raw_and_plain_name_each_other(name: am.CodecName) -> None:
    """``decode`` names ``loads`` for bytes and texts, ``loads`` names ``decode`` for anything else."""
    for raw in ("{}", b"{}", bytearray(b"[]")):
        assert "agentmsg.loads" in str(refusal(partial(am.decode, raw, name)))
    plains: tuple[Any, ...] = ({}, [], None, 7)
    for plain in plains:
        assert "agentmsg.decode" in str(refusal(partial(am.loads, plain, name)))


@pytest.mark.parametrize("document", [FAILURES["OpenAI"][0], FAILURES["Ollama"][0]])
def test_an_error_has_no_format_either(document: Any) -> None:
    """What isn't recognised says it, too."""
    assert "the provider answered with an error" in str(refusal(lambda: am.recognize(document)))


class Response(BaseModel):
    """A response of an SDK."""

    choices: list[Any]
    object: str = "chat.completion"


@attrs.frozen
class Chunk:
    """An event of an SDK."""

    choices: list[Any]
    object: str = "chat.completion.chunk"


def test_sdk_objects_are_not_added_to_a_history() -> None:
    """Whatever takes messages says how to read an object that is none."""
    history: Any = am.History.of("Hi")
    response: Any = Response(choices=[{"index": 0, "message": {"role": "assistant", "content": "Hello"}}])
    chunk: Any = Chunk(choices=[{"index": 0, "delta": {"content": "Hello"}}])
    for thing, how in ((response, 'agentmsg.decode(..., "openai-response")'), (chunk, "agentmsg.collect")):
        for call in (
            lambda thing=thing: history + thing,
            lambda thing=thing: history + [thing],  # noqa: RUF005 - the sum is meant
            lambda thing=thing: history.extended(thing),
            lambda thing=thing: am.History.of(thing),
            lambda thing=thing: am.encode(thing, "openai"),
            lambda thing=thing: am.dumps([thing], "json"),
            lambda thing=thing: list(am.emit(thing, "openai")),
        ):
            error = refusal(call)
            assert (type(error), error.code) == (am.InvalidMessage, "type")
            assert how in str(error)


def test_pydantic_says_it_too() -> None:
    """A body that is a chunk, or an error, is refused with these words."""
    of_responses: Any = am.As
    for kind in (of_responses["openai-response"], am.History):
        with pytest.raises(ValidationError, match=r"agentmsg\.collect"):
            TypeAdapter[Any](kind).validate_python(attrs.asdict(Chunk(choices=[])))


@pytest.mark.parametrize("name", ["temperature", "top_p"])
def test_settings_of_any_number(name: str) -> None:
    """A setting that may be a fraction doesn't ask for a whole number."""
    values: tuple[Any, ...] = ("hot", True, [1])
    for value in values:
        error = refusal(partial(am.Settings, **{name: value}))
        assert (error.path, error.message.split(", not")[0]) == ((name,), f"{name} must be a number")


REQUEST: Any = httpx.Request("POST", "http://x")


def _status_error(module: Any, body: Any) -> Exception:
    """Return what a client raises for a body that says why there is no answer."""
    response = httpx.Response(429, request=REQUEST, json=body)
    error: Exception = module.APIStatusError("Error code: 429", response=response, body=body)
    return error


class ClientError(Exception):
    """What clients of Google and Amazon raise: they keep the body under another name."""

    def __init__(self, key: str, body: Any) -> None:
        super().__init__(str(body))
        setattr(self, key, body)


RAISED: dict[str, tuple[Exception, str]] = {
    "openai": (_status_error(openai, FAILURES["OpenAI"][0]["error"]), f"{PROVIDER}: requests: Slow down"),
    "anthropic": (_status_error(anthropic, FAILURES["Anthropic"][0]), f"{PROVIDER}: overloaded_error: Overloaded"),
    "no answer": (openai.APIConnectionError(request=REQUEST), "Connection error."),
    "google": (ClientError("details", FAILURES["Gemini"][0]), f"{PROVIDER}: RESOURCE_EXHAUSTED: Too much"),
    "boto3": (ClientError("response", FAILURES["boto3"][0]), f"{PROVIDER}: ThrottlingException: Too many"),
    "any": (ValueError("boom"), "this is an exception: ValueError: boom"),
}


@pytest.mark.parametrize("raised", list(RAISED))
@pytest.mark.parametrize("name", NAMES)
def test_an_exception_says_what_the_provider_said(name: am.CodecName, raised: str) -> None:
    """What a client raised in place of an answer is refused with the provider's words, by all that takes messages."""
    error, words = RAISED[raised]
    found = refusal(partial(am.decode, error, name))
    assert (found.codec, found.code) == (name, "failed")
    assert words in found.message
    added: Any = error
    assert words in refusal(lambda: am.History.of("Hi") + added).message


def test_sdk_objects_are_no_blocks() -> None:
    """Content and calls of an SDK say what reads them, too."""
    content: Any = ChatCompletionContentPartTextParam(text="x", type="text")
    call: Any = ChatCompletionMessageFunctionToolCall.model_construct(id="c", type="function")
    for make in (lambda: am.Msg("user", [content]), lambda: am.Msg("user", call), lambda: am.Msg.of(content)):
        assert "agentmsg.decode reads content of other formats" in refusal(make).message
    assert (
        "agentmsg.decode reads calls of other formats"
        in refusal(lambda: am.Msg.assistant("x", tool_calls=[call])).message
    )


class Part(BaseModel, extra="allow"):
    """A part of a response, as an object of an SDK."""


CHOICE: dict[str, Any] = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hi"}}
CANDIDATE: dict[str, Any] = {"content": {"role": "model", "parts": [{"text": "Hi"}]}, "finishReason": "STOP"}


@pytest.mark.parametrize("name", NAMES)
def test_a_part_of_a_response_is_told_how_to_read_it(name: am.CodecName) -> None:
    """A choice or a candidate alone, or a list of them, is told the object that it is from."""
    for part, how in (
        (CHOICE, '{"choices": [...]}, "openai-response"'),
        (CANDIDATE, '{"candidates": [...]}, "gemini-'),
    ):
        added: Any = Part(**part)
        calls: list[Callable[[], Any]] = [*ways_in(part, name), *ways_in([part], name)]
        calls.append(partial(am.History.of, added))
        for call in calls:
            assert f"agentmsg.decode({how}" in refusal(call).message


def test_an_old_completion_is_no_response() -> None:
    """A completion of texts is refused by its name; it was a native message."""
    document = {
        "object": "text_completion",
        "choices": [{"text": "hi", "index": 0, "finish_reason": "stop"}],
        "model": "m",
    }
    error = refusal(partial(am.decode, document, "openai-response"))
    assert (error.code, error.path) == ("schema", ("object",))
    assert "text_completion" in error.message


# A misspelt key of a message, and where readers say it; those of requests keep a message that they don't understand.
MISSPELT: list[tuple[am.CodecName, Any, str]] = [
    ("openai", [{"rol": "user", "content": "x"}], "did you mean role by 'rol'?"),
    ("openai", {"messages": [{"role": "user", "content": "x"}, {"rol": "user"}]}, "did you mean role by 'rol'?"),
    ("openai", {"mesages": []}, "did you mean messages by 'mesages'?"),
    ("json", [{"rol": "user"}], "did you mean role by 'rol'?"),
    (
        "json",
        {"agentmsg": 1, "messages": [{"role": "user", "content": [{"type": "text", "txt": "x"}]}]},
        "text by 'txt'",
    ),
    ("anthropic-response", {"type": "message", "contnt": []}, "did you mean content by 'contnt'?"),
    ("gemini", {"content": []}, "did you mean contents by 'content'?"),
]


@pytest.mark.parametrize(("name", "document", "words"), MISSPELT)
def test_a_misspelt_key_is_told(name: am.CodecName, document: Any, words: str) -> None:
    """Where a key is missing, the error names the one that looks like it."""
    assert words in refusal(partial(am.decode, document, name)).message


@pytest.mark.parametrize(
    ("wrong", "right"), [("rol", "role"), ("contnt", "content"), ("nme", "name"), ("Role", "role")]
)
def test_a_misspelt_key_of_a_message_is_told(wrong: str, right: str) -> None:
    """A mapping in place of a message names the misspelt key and the right one, whatever takes it."""
    given: Any = {"role": "user", "content": "Hi", "name": "Ada"}
    given[wrong] = given.pop(right)
    for call in (lambda: am.History.of("Hi", given), lambda: am.encode(["Hi", given], "openai")):
        error = refusal(call)
        assert error.path == ("messages", 1, wrong)
        assert error.message.startswith(f"Msg has no field {wrong!r}; did you mean {right}? agentmsg.decode reads")


def test_an_empty_result_is_told_what_to_call() -> None:
    """A tool may have nothing to say; the error of the strict factory says how."""
    error = refusal(lambda: am.Msg.tool("", tool_call_id="c"))
    assert (error.path, error.code) == (("text",), "required")
    assert 'call.result("")' in error.message
    assert am.ToolUseBlock(id="c", name="f").result("").text == ""


TYPOS: dict[str, dict[str, Any]] = {
    "nam": {"id": "c", "nam": "f", "input": {}},
    "inputs": {"id": "c", "name": "f", "inputs": {}},
    "idd": {"idd": "c", "name": "f"},
    "type": {"id": "c", "type": "function", "function": {"name": "f"}},
}


@pytest.mark.parametrize("typo", list(TYPOS))
def test_a_typo_in_a_call_is_the_only_thing_blamed(typo: str) -> None:
    """The error of a tool call names the wrong key alone, and its place."""
    calls = [{"id": "b", "name": "g"}, TYPOS[typo]]
    made = refusal(lambda: am.Msg.assistant(tool_calls=calls))
    assert (made.path, made.code) == (("tool_calls", 1, typo), "schema")
    assert made.message.startswith(f"a tool call has no '{typo}'; ")
    listed = refusal(lambda: am.History.of("Hi", {"role": "assistant", "content": "", "tool_calls": calls}))
    assert listed.path == ("messages", 1, "tool_calls", 1, typo)


@pytest.mark.parametrize("name", NAMES)
def test_settings_are_no_options(name: am.CodecName) -> None:
    """A setting given as an option is told where it belongs, by all that takes options."""
    history = am.History.of("Hi")
    codec: Any = name
    wrong: Any = {"model": "m"}
    for call in (
        lambda: am.encode(history, codec, **wrong),
        lambda: am.dumps(history, codec, **wrong),
        lambda: am.decode([], codec, **wrong),
        lambda: history.encode(codec, **wrong),
        lambda: history.messages_for(codec, **wrong),
        lambda: am.As(codec, **wrong),
        lambda: am.get_codec(codec, model="m"),
    ):
        error = refusal(call)
        assert error.code == "option"
        assert "history.with_settings(model=...)" in str(error)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the paths of all that is inside a document."""
    if type(value) not in (dict, list):
        return
    items: Any = value.items() if hasattr(value, "items") else enumerate(value)
    for step, inner in items:
        yield (*path, step)
        yield from places(inner, (*path, step))


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """Return a document with something else at a path."""
    if not path:
        return new
    copied: Any = type(value)(value)
    copied[path[0]] = replaced(value[path[0]], path[1:], new)
    return copied


JUNK: tuple[Any, ...] = (7, "x", None, True, [], {}, [7], {"zz": 1}, {1: 2}, float("nan"), "\ud800", object())


# The arrays of msgpack have names in their paths.
@pytest.mark.parametrize("name", [name for name in NAMES if name != "msgpack"])
def test_paths_begin_at_the_document(name: am.CodecName) -> None:
    """What is wrong in one place of a document is reported there, or around it, and nowhere else."""
    rng, found = random.Random(1), [document for _, document in documents(name)]
    for _ in range(effort(1_000)):
        document = rng.choice(found)
        inside = list(places(document))
        place = rng.choice(inside or [()])
        try:
            am.decode(replaced(document, place, rng.choice(JUNK)), name)
        except am.AgentMsgError as error:
            path, shorter = error.path, min(len(error.path), len(place))
            # Beside the place stands what a part lacks; ("messages",) is what a row lacks without it.
            is_there = path[:shorter] == place[:shorter] or path[:-1] == place[:-1] or path == ("messages",)
            assert is_there, (place, str(error))  # noqa: PT017 - many are read
