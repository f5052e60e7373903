"""The straight-line readers of answers against the general paths, which are the truth."""

from __future__ import annotations

import random
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

import agentmsg as am
from agentmsg.errors import AgentMsgError
from agentmsg.formats.spelling import same_document
from agentmsg.testing import mutate
from agentmsg.values.frozen import plain_copy
from agentmsg.values.types import is_list, is_object
from agentmsg_codecs.anthropic import response as anthropic_response
from agentmsg_codecs.anthropic import usage as anthropic_usage
from agentmsg_codecs.anthropic.quick_answer import fast_answer as fast_anthropic
from agentmsg_codecs.openai import response as openai_response
from agentmsg_codecs.openai import usage as openai_usage
from agentmsg_codecs.openai.quick_answer import fast_answer as fast_openai
from benchmarks.data import mixed_history
from data import effort
from support.documents import documents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmsg.formats.codec import Codec

CODECS = {name: am.get_codec(name) for name in ("anthropic-response", "openai-response")}
# What the straight line is tried with, by codec: each general path has no such shortcut.
SHORTCUTS = {
    "anthropic-response": ((anthropic_response, "fast_answer"), (anthropic_usage, "quick_usage")),
    "openai-response": ((openai_response, "fast_answer"), (openai_usage, "quick_usage")),
}
MUTANTS = effort(300)
# What may stand wherever something else is usual.
ODD: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    1,
    -1,
    1.0,
    -0.0,
    2**70,
    "",
    "x",
    "stop",
    [],
    {},
    [0],
    [[]],
    {"x": 1},
    "é",
)

_CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
_IN = {"cached_tokens": 4, "audio_tokens": 5, "cache_write_tokens": 6}
_OUT = {"reasoning_tokens": 7, "audio_tokens": 8, "accepted_prediction_tokens": 9}
_COUNTS = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}


def _openai(said: Any, *, choice: Any = None, **fields: Any) -> dict[str, Any]:
    native = {"id": "r1", "object": "chat.completion", "created": 1_700_000_000, "model": "m", "usage": _COUNTS}
    whole: dict[str, Any] = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", **said},
        **(choice or {}),
    }
    return {**native, "choices": [whole], **fields}


def _anthropic(*parts: Any, **fields: Any) -> dict[str, Any]:
    native: dict[str, Any] = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude"}
    native |= {"content": [*parts], "stop_reason": "end_turn", "stop_sequence": None}
    return {**native, "usage": {"input_tokens": 5, "output_tokens": 7}, **fields}


_TEXT = {"type": "text", "text": "hi"}
USUAL: dict[str, list[Any]] = {
    "openai-response": [
        _openai({"content": "hi"}),
        _openai({"content": "hi", "refusal": None}, choice={"logprobs": None}, service_tier="flex", usage=None),
        _openai({"content": "hi", "refusal": None, "annotations": []}, system_fingerprint=None),
        _openai({"content": "hi", "annotations": []}, system_fingerprint="fp", service_tier="default"),
        _openai({"content": ""}),
        _openai({"content": None, "refusal": None, "tool_calls": [_CALL, _CALL]}, choice={"finish_reason": "length"}),
        _openai({"content": "é", "refusal": None, "tool_calls": [_CALL]}, choice={"finish_reason": "tool_calls"}),
        _openai(
            {"content": "hi"},
            usage={**_COUNTS, "prompt_tokens_details": _IN, "completion_tokens_details": _OUT, "x": {"y": [1]}},
        ),
    ],
    "anthropic-response": [
        _anthropic(_TEXT),
        _anthropic(stop_details=None),
        _anthropic({"type": "thinking", "thinking": "hm", "signature": "s"}, _TEXT, stop_reason="refusal"),
        _anthropic({"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1}}, stop_reason="tool_use"),
        # Parts that are not usual, but come back.
        _anthropic({**_TEXT, "citations": None}, {"type": "redacted_thinking", "data": "x"}, {"type": "unknown"}, "x"),
        _anthropic(
            _TEXT,
            usage={
                "input_tokens": 5,
                "output_tokens": 7,
                "cache_read_input_tokens": 1,
                "cache_creation_input_tokens": 2,
                "output_tokens_details": {"thinking_tokens": 3, "x": 1},
                "service_tier": "standard",
            },
        ),
    ],
}
CASES = [(name, native) for name, natives in USUAL.items() for native in natives]


@pytest.fixture(name="general")
def _general(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that reads without shortcuts."""

    def read(codec: Codec, document: Any) -> Any:
        with monkeypatch.context() as patch:
            for module, shortcut in SHORTCUTS[codec.name]:
                patch.setattr(module, shortcut, _nothing)
            return _outcome(codec, document)

    return read


def _nothing(*_: object) -> None:
    """Look at nothing, as a shortcut that never applies."""


def _outcome(codec: Codec, document: Any) -> Any:
    try:
        return codec.read(plain_copy(document))
    except AgentMsgError as error:
        return error.code, error.path


def _check(codec: Codec, document: Any, general: Any) -> bool:
    """Check that both paths read the same, notes and all; False: both refuse."""
    fast, slow = _outcome(codec, document), general(codec, document)
    if not isinstance(fast, am.History) or not isinstance(slow, am.History):
        assert fast == slow, document
        return False
    assert am.same(fast, slow), document
    # Canonical form, for that shows the notes.
    assert same_document(am.encode(fast, "json"), am.encode(slow, "json")), document
    assert same_document(codec.write(fast), document), document
    return True


def _is_straight(name: str, document: Any) -> bool:
    """Tell whether the straight line reads a document."""
    if name == "openai-response":
        return fast_openai(plain_copy(document)) is not None
    codec: Any = CODECS[name]
    codec.engine.fill()
    return fast_anthropic(plain_copy(document), codec.engine.answers) is not None


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each container of a document with each of its keys."""
    for key, item in list(value.items() if is_object(value) else enumerate(value) if is_list(value) else ()):
        yield value, key
        yield from _places(item)


def _changed_once(document: Any) -> Iterator[Any]:
    """Yield a document with each single value replaced or left out, and with each object given a key more."""
    for number in range(len(list(_places(document)))):
        for odd in ODD:
            copy = plain_copy(document)
            place, key = list(_places(copy))[number]
            place[key] = odd
            yield copy
        copy = plain_copy(document)
        place, key = list(_places(copy))[number]
        del place[key]
        yield copy
        if is_object(place):
            copy = plain_copy(document)
            list(_places(copy))[number][0]["x_more"] = {"a": []}
            yield copy


@pytest.mark.parametrize(("name", "native"), CASES)
def test_usual_answers_take_the_straight_line(name: str, native: Any, general: Any) -> None:
    """What the straight line is made for, it reads, and as the general path does."""
    assert _is_straight(name, native)
    assert _check(CODECS[name], native, general)


@pytest.mark.parametrize(("name", "native"), CASES)
def test_both_paths_agree_on_each_single_change(name: str, native: Any, general: Any) -> None:
    """An answer that is usual but for one value, one key less or one key more reads as in the general path."""
    for document in _changed_once(native):
        _check(CODECS[name], document, general)


@pytest.mark.parametrize("name", CODECS)
def test_both_paths_agree_on_damaged_answers(name: str, general: Any) -> None:
    """A damaged answer, recorded or usual, reads as in the general path."""
    rng = random.Random(9)
    whole = [*USUAL[name], *(document for _, document in documents(name))]
    read = sum(_check(CODECS[name], mutate(rng.choice(whole), rng), general) for _ in range(MUTANTS))
    assert read > MUTANTS // 4


@pytest.mark.parametrize(("name", "least"), [("anthropic-response", 0.9), ("openai-response", 0.5)])
def test_most_recorded_answers_take_the_straight_line(name: str, least: float, general: Any) -> None:
    """Golden and recorded answers read as in the general path, and most of them in a straight line."""
    recorded = [document for _, document in documents(name)]
    assert all(_check(CODECS[name], document, general) for document in recorded)
    assert sum(_is_straight(name, document) for document in recorded) >= least * len(recorded)


@pytest.mark.parametrize("name", CODECS)
def test_what_we_write_takes_the_straight_line(name: am.CodecName, general: Any) -> None:
    """The answers that are written of a history read in a straight line."""
    for message in mixed_history(40):
        if message.role == "assistant":
            document = am.encode([message], name, on_loss="ignore")
            assert _is_straight(name, document)
            assert _check(CODECS[name], document, general)


def test_hooks_of_yours_read_answers_too(general: Any) -> None:
    """Where hooks of yours read and write a part, the answer is what they say, in both paths."""

    def is_text(kind: Any) -> bool:
        return kind is am.TextBlock

    def read(native: Any, _: Any) -> am.TextBlock:
        return am.TextBlock(native["text"].upper())

    def write(block: am.TextBlock) -> dict[str, Any]:
        return {"type": "text", "text": block.text.lower()}

    codec: Any = anthropic_response.AnthropicResponseCodec()
    codec.engine.parts.converter.register_structure_hook_func(is_text, read)
    codec.engine.parts.converter.register_unstructure_hook_func(is_text, write)
    assert codec.read(_anthropic(_TEXT))[0].text == "HI"
    for native in (*USUAL["anthropic-response"], _anthropic({**_TEXT, "text": "Hi"})):
        assert _check(codec, native, general)


def test_counters_are_written_as_their_table_says() -> None:
    """Usage of OpenAI is the same, keys in their order, whether the table is asked for it or not."""
    for given in product((None, 0, 7), (None, 0, 7), (None, 5), (None, 0), (None, 3), (None, 2)):
        names = ("input", "cache_read", "total", "cache_write", "input_audio", "reasoning")
        counters: Any = dict(zip(names, given, strict=True))
        usage = am.Usage(**counters, output=1, output_audio=given[0])
        written = openai_usage.write_usage(usage)
        assert list(written.items()) == list(openai_usage.COUNTERS.write(usage).items())
