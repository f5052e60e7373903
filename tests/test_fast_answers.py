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
from agentmsg_codecs.openai import response as openai_response
from agentmsg_codecs.openai import usage as openai_usage
from agentmsg_codecs.openai.quick_answer import fast_answer as fast_openai
from benchmarks.data import mixed_history
from data import effort
from support.changed_once import changed_once
from support.documents import documents

if TYPE_CHECKING:
    from agentmsg.formats.codec import Codec

CODECS = {name: am.get_codec(name) for name in ("openai-response",)}
# What the straight line is tried with, by codec: each general path has no such shortcut.
SHORTCUTS = {
    "openai-response": ((openai_response, "fast_answer"), (openai_usage, "quick_usage")),
}
MUTANTS = effort(300)

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


def _is_straight(document: Any) -> bool:
    """Tell whether the straight line reads a document."""
    return fast_openai(plain_copy(document)) is not None


@pytest.mark.parametrize(("name", "native"), CASES)
def test_usual_answers_take_the_straight_line(name: str, native: Any, general: Any) -> None:
    """What the straight line is made for, it reads, and as the general path does."""
    assert _is_straight(native)
    assert _check(CODECS[name], native, general)


@pytest.mark.parametrize(("name", "native"), CASES)
def test_both_paths_agree_on_each_single_change(name: str, native: Any, general: Any) -> None:
    """An answer that is usual but for one value, one key less or one key more reads as in the general path."""
    for document in changed_once(native):
        _check(CODECS[name], document, general)


@pytest.mark.parametrize("name", CODECS)
def test_both_paths_agree_on_damaged_answers(name: str, general: Any) -> None:
    """A damaged answer, recorded or usual, reads as in the general path."""
    rng = random.Random(9)
    whole = [*USUAL[name], *(document for _, document in documents(name))]
    read = sum(_check(CODECS[name], mutate(rng.choice(whole), rng), general) for _ in range(MUTANTS))
    assert read > MUTANTS // 4


@pytest.mark.parametrize(("name", "least"), [("openai-response", 0.5)])
def test_most_recorded_answers_take_the_straight_line(name: str, least: float, general: Any) -> None:
    """Golden and recorded answers read as in the general path, and most of them in a straight line."""
    recorded = [document for _, document in documents(name)]
    assert all(_check(CODECS[name], document, general) for document in recorded)
    assert sum(_is_straight(document) for document in recorded) >= least * len(recorded)


@pytest.mark.parametrize("name", CODECS)
def test_what_we_write_takes_the_straight_line(name: am.CodecName, general: Any) -> None:
    """The answers that are written of a history read in a straight line."""
    for message in mixed_history(40):
        if message.role == "assistant":
            document = am.encode([message], name, on_loss="ignore")
            assert _is_straight(document)
            assert _check(CODECS[name], document, general)


def test_counters_are_written_as_their_table_says() -> None:
    """Usage of OpenAI is the same, keys in their order, whether the table is asked for it or not."""
    for given in product((None, 0, 7), (None, 0, 7), (None, 5), (None, 0), (None, 3), (None, 2)):
        names = ("input", "cache_read", "total", "cache_write", "input_audio", "reasoning")
        counters: Any = dict(zip(names, given, strict=True))
        usage = am.Usage(**counters, output=1, output_audio=given[0])
        written = openai_usage.write_usage(usage)
        assert list(written.items()) == list(openai_usage.COUNTERS.write(usage).items())
