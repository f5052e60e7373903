"""Objects cross process borders: pickles, copies and process pools return the same objects, which still work."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

import pytest

import agentmsg as am
from agentmsg.formats.spelling import same_document
from data import share, some
from support.documents import documents
from support.grand_tour import grand_tour

if TYPE_CHECKING:
    from collections.abc import Callable

CODECS = am.codec_names()
WAYS: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda value: pickle.loads(pickle.dumps(value)),
    "the oldest pickle": lambda value: pickle.loads(pickle.dumps(value, 2)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}
CHUNKS = [
    am.MsgChunk(parts=[am.ChunkPart(am.TextBlock("Hel"))], role="assistant"),
    am.MsgChunk(parts=[am.ChunkPart(am.TextBlock("lo"))]),
    am.MsgChunk(parts=[am.ChunkPart(am.ToolUseBlock("c", "f", raw_input='{"a"'), 1)]),
    am.MsgChunk(parts=[am.ChunkPart(am.ToolUseBlock("", "", raw_input=": 1}"), 1)], usage=am.Usage(output=1)),
    am.MsgChunk(done=True),
]


def _letters(text: str) -> list[str]:
    return list(text)


def _error(function: Callable[[], object]) -> am.AgentMsgError:
    with pytest.raises(am.AgentMsgError) as caught:
        function()
    return caught.value


def _values() -> dict[str, Any]:
    """Return users' objects that can be compared."""
    history = grand_tour()
    return {
        "history": history,
        "message": history[0],
        "limits": am.Limits(depth=7),
        "made": am.Made("x"),
        "role": am.Role.USER,
        "frozen": am.FrozenDict({"a": [1, {"b": None}]}),
        "usage": am.Usage(input=1, cost=0.5),
        "stats": history.stats(),
        "turns": history.turns(),
        "pairs": history.pair_tools(),
        "chunks": tuple(chunk for message in history for chunk in am.chunks_of(message)),
        "counter": am.token_counter(_letters),
        "loss": am.Loss(("messages", 0, "name"), "dropped", "x", "annotation", "a", None, "why"),
        **{f"codec {name}": am.get_codec(name) for name in CODECS},
        "codec with an option": am.get_codec("agentscope", version=1),
        "codec of one's own": type(am.get_codec("openai"))(),
        "public class": am.Msg,
        "function": am.convert,
    }


@pytest.mark.parametrize("way", WAYS)
def test_what_users_hold_is_the_same_behind_a_border(way: str) -> None:
    """Every value equals its pickled copy and has the same class, whether it was used before or not."""
    for name, value in _values().items():
        again = WAYS[way](value)
        assert again == value, name
        assert isinstance(again, type(value)), name
        if isinstance(value, am.History):
            assert am.same(again, value)
            assert am.dumps(again, "json") == am.dumps(value, "json")


@pytest.mark.parametrize("codec", CODECS)
def test_a_codec_works_on_behind_a_border(codec: str) -> None:
    """A used codec pickles; without options, the result is the one that all others use."""
    chosen = am.get_codec(codec)
    raw = am.dumps(grand_tour(), chosen, losses=[])
    again = WAYS["pickle"](chosen)
    assert again is chosen
    assert am.dumps(grand_tour(), again, losses=[]) == raw
    assert copy.copy(chosen) is copy.deepcopy(chosen) is chosen


@pytest.mark.parametrize("way", WAYS)
def test_errors_keep_their_attributes_behind_a_border(way: str) -> None:
    """Errors keep message, code, path and codec; loss errors keep the losses."""
    errors = [
        _error(lambda: am.loads(b"{", "json")),
        _error(lambda: am.decode([{"role": "user", "content": "\ud800"}], "openai")),
        _error(lambda: am.get_codec("nope")),
        _error(lambda: am.Msg("user", 3)),  # type: ignore[arg-type]
        _error(lambda: am.dumps(grand_tour(), "openai")),
        am.FileError("no", code="file", path=("x",)),
    ]
    for error in errors:
        again = WAYS[way](error)
        assert type(again) is type(error)
        assert vars(again) == vars(error)
        assert str(again) == str(error)
        assert again.args == error.args
    losses = [error.losses for error in errors if isinstance(error, am.LossError)]
    assert losses[0]


@pytest.mark.parametrize(
    ("source", "target"),
    [(source, target) for turn, source in enumerate(CODECS) for target in share(CODECS, turn, least=5)],
)
def test_a_conversion_is_the_same_behind_a_border(source: am.CodecName, target: am.CodecName) -> None:
    """An unpickled conversion is equal, refuses an edited history and restores the document."""
    for name, document in some(documents(source), 5, least=1):
        result = am.convert(document, source, target)
        for way in WAYS.values():
            again = way(am.convert(document, source, target))  # this loss report is still unused
            assert again == result, name
            assert again.losses.content == result.losses.content
            output = am.decode(again.document, target)
            restored, expected = am.restore(output, again.losses), am.restore(output, result.losses)
            assert am.same(restored, result.history), name
            assert same_document(am.encode(restored, source), am.encode(expected, source)), name
            if len(output):
                with pytest.raises(am.LossError) as caught:
                    am.restore(output[1:], again.losses)
                assert caught.value.code == "edited"
            kept = way(again.losses.filter(level="content"))
            assert kept.guard is not None
            lines = am.dump_losses(again.losses, output)
            loaded = am.load_losses(lines)
            assert am.dump_losses(way(loaded), output) == am.dump_losses(loaded, output)


def test_a_carried_account_is_the_same_behind_a_border() -> None:
    """A document's carried losses are restored with an unpickled loss report."""
    result = am.convert(am.encode(grand_tour(), "json"), "json", "langchain", carry=True)
    assert result.losses.carried
    again = WAYS["pickle"](result.losses)
    assert again.carried == result.losses.carried
    assert am.same(am.restore(am.decode(result.document, "langchain"), again), result.history)


def test_an_account_may_be_given_by_a_generator() -> None:
    """A loss report takes an iterator's items at once, so that it can be read twice and pickled."""
    loss = am.Loss(("messages", 0), "dropped", "x", "content")
    account = am.Losses((each for each in [loss]), codec="x")
    assert list(account) == list(account) == list(WAYS["pickle"](account)) == [loss]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seen", range(len(CHUNKS)))
def test_what_collects_goes_on_by_itself(way: str, seen: int) -> None:
    """A copy of an accumulator, a recorder or a builder continues like the original, which doesn't change."""
    first = am.Accumulator(CHUNKS[:seen])
    again = WAYS[way](first)
    before = first.chunk
    for chunk in CHUNKS[seen:]:
        again.add(chunk)
    assert again.chunk == am.Accumulator(CHUNKS).chunk
    assert first.chunk == before
    recorder = am.Recorder(grand_tour()).add("Hello")
    other = WAYS[way](recorder).add("Bye")
    assert (len(recorder), len(other)) == (len(grand_tour()) + 1, len(grand_tour()) + 2)
    builder = am.Msg.builder().role("user").text("a")
    assert WAYS[way](builder).text("b").build().text == "a\nb"
    assert builder.build().text == "a"


@pytest.mark.parametrize(
    "name", [name for name in dir(am.History) if callable(getattr(grand_tour(), name)) and name[0] != "_"]
)
def test_methods_go_along(name: str) -> None:
    """A method of a history is pickled by its own name, also one that lives elsewhere."""
    method = getattr(grand_tour(), name)
    assert pickle.loads(pickle.dumps(method)).__name__ == method.__name__ == name


def test_errors_call_methods_by_their_name() -> None:
    """A misspelt argument is one of the method that was called."""
    filtered: Any = grand_tour().filter
    with pytest.raises(TypeError, match=r"History\.filter\(\) got"):
        filtered(rol="user")


def test_process_pools_convert() -> None:
    """Processes that share nothing take documents and codecs, and return conversions and errors."""
    found = documents("openai")[:3]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        given = [document for _, document in found]
        results = list(pool.map(am.convert, given, repeat("openai"), repeat(am.get_codec("anthropic"))))
        failed = pool.submit(am.decode, {"x": 1}, "json").exception()
    assert results == [am.convert(document, "openai", "anthropic") for document in given]
    for document, result in zip(given, results, strict=True):
        restored = am.restore(am.decode(result.document, "anthropic"), result.losses)
        assert same_document(am.encode(restored, "openai"), document)
    assert isinstance(failed, am.DecodeError)
    assert failed.codec == "json"
