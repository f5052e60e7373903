"""Twice the input takes about twice the work, whatever grows, for every format and operation."""

from __future__ import annotations

import pickle
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

import agentmsg as am
from agentmsg.fitting.account import account
from agentmsg.fitting.fit import fit
from agentmsg.redacting.redactor import Redactor
from data import effort, share, some
from support.growth import DOCUMENTS, GROWTH, LISTS, OF_ANSWERS, STREAMS, work_of
from support.streams import PROVIDERS as STREAMING
from support.streams import folded, read_live, transcoded_to
from support.timing import check_growth

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agentmsg.formats.codec import Codec

# The highest ratio of times for twice the input.
MOST = 2.3
SIZE = min(effort(16, least=12), 60)


def _steps(history: am.History, codec: Codec) -> Iterator[tuple[str, int]]:
    """Yield the steps for a history and a format, each with its amount of work."""
    work, fitted = work_of(lambda: fit(history, codec))
    yield "fit", work
    work, losses = work_of(lambda: account(fitted)[:])
    yield "account", work
    work, document = work_of(lambda: am.thaw(codec.write(fitted.history)))
    yield "write", work
    work, raw = work_of(lambda: codec.to_bytes(fitted.history))
    yield "write bytes", work
    work, back = work_of(lambda: am.loads(raw, codec))
    yield "loads", work
    yield "decode", work_of(lambda: am.decode(document, codec))[0]
    yield "write again", work_of(lambda: codec.to_bytes(fit(back, codec).history))[0]
    work, restored = work_of(lambda: am.restore(back, account(fitted)))
    assert am.same(restored, history)
    yield "restore", work
    work, lines = work_of(lambda: am.dump_losses(losses, back))
    yield "dump_losses", work
    work, loaded = work_of(lambda: am.load_losses(lines))
    yield "load_losses", work
    yield "restore of what was loaded", work_of(lambda: am.restore(back, loaded))[0]
    yield "sniff", work_of(lambda: codec.sniff(document))[0]
    yield "detect", work_of(lambda: am.detect(document))[0]
    yield "carry", work_of(lambda: am.encode(history, codec, losses=[], carry=True))[0]
    yield "convert", work_of(lambda: am.convert(raw, codec, "json"))[0]


def _check(name: str, works: list[int]) -> None:
    """Compare the work for three sizes, each twice the one before; one-time work doesn't count."""
    small, middle, large = works
    assert large <= MOST * middle, (name, works)
    # Quadratic work shows in the differences long before it is most of the work.
    # Work on a sample grows only in steps, and may even fall.
    if not name.endswith((": sniff", ": detect")):
        # A binary search takes one more step now and then; quadratic work adds four times as much.
        most = 3 if name.endswith("trim to a part") else MOST
        assert large - middle <= most * (middle - small) + 1000, (name, works)


@pytest.mark.parametrize("kind", GROWTH)
def test_formats_take_work_that_grows_with_the_input(kind: str) -> None:
    """Reading, writing, detecting, loss reports and restoring take at most 2.3 times the work for twice the input."""
    for name in share(am.codec_names(), list(GROWTH).index(kind)):
        codec = am.get_codec(name)
        list(_steps(GROWTH[kind](2), codec))  # compile now everything that is compiled once
        sizes = [dict(_steps(GROWTH[kind](SIZE * factor), codec)) for factor in (1, 2, 4)]
        assert sizes[0].keys() == sizes[1].keys() == sizes[2].keys()
        for step in sizes[0]:
            _check(f"{kind}, {name}: {step}", [works[step] for works in sizes])


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_reading_takes_work_that_grows_with_the_document(kind: str) -> None:
    """Reading, detecting and writing back what no history is written as takes twice the work for twice the size."""
    name, make = DOCUMENTS[kind]
    steps: dict[str, Callable[[Any], Any]] = {
        "decode": lambda document: am.decode(document, name),
        "encode": lambda document: am.encode(am.decode(document, name), name),
        "convert": lambda document: am.convert(document, name, "anthropic"),
    }
    for step, act in steps.items():
        act(make(2))
        works = [work_of(lambda: act(document))[0] for document in map(make, (SIZE, 2 * SIZE, 4 * SIZE))]  # noqa: B023 - called at once
        _check(f"{kind}: {step}", works)


REDACTOR = Redactor(words=["text", "0"])
OPERATIONS: dict[str, Callable[[am.History], Any]] = {
    "stats": lambda history: history.stats(),
    "merge_runs": lambda history: history.merge_runs(),
    "dedupe": lambda history: history.dedupe(),
    "apply_removals": lambda history: am.History((*history, am.Msg.remove("a1"))).apply_removals("ignore"),
    "turns": lambda history: history.turns(),
    "pair_tools": lambda history: history.pair_tools(),
    "to_text": lambda history: history.to_text(),
    "to_text as XML": lambda history: history.to_text(format="xml"),
    "filter": lambda history: history.filter(role=["user", "tool"], id=["a1", None]),
    "filter_messages": lambda history: am.filter_messages(history, exclude_tool_calls=["c1", "c"]),
    "trim from the end": lambda history: history.trim(max_tokens=len(history) * 4, allow_partial=True),
    "trim from the beginning": lambda history: history.trim(
        max_tokens=len(history) * 4, strategy="first", allow_partial=True
    ),
    "trim to a part": lambda history: history.trim(max_tokens=len(history[-1].content) * 3, allow_partial=True),
    "redact": lambda history: [*REDACTOR(history).losses],
    "digest": lambda history: [message.digest(exact=True) for message in history],
    "pickle": lambda history: pickle.loads(pickle.dumps(history)),
    "same": lambda history: am.same(history, pickle.loads(pickle.dumps(history))),
    "repr": repr,
    "record": lambda history: am.Recorder().add(*history).pending_tool_calls,
    "chunks": lambda history: [
        am.Accumulator(am.chunks_of(message, size=100)).snapshot() for message in history if not message.is_remove
    ],
}  # fmt: skip


@pytest.mark.parametrize("kind", GROWTH)
def test_operations_take_work_that_grows_with_the_input(kind: str) -> None:
    """Every operation on a history twice as large takes at most 2.3 times the work."""
    for name, operation in OPERATIONS.items():
        operation(GROWTH[kind](SIZE))  # do one-time work, such as loading a codec, now
        works = [work_of(lambda: operation(history))[0] for history in map(GROWTH[kind], (SIZE, 2 * SIZE, 4 * SIZE))]  # noqa: B023 - called at once
        _check(f"{kind}: {name}", works)


def test_an_accumulator_takes_each_chunk_alike() -> None:
    """The n-th chunk takes no more work than the first ones, of texts, calls and indexes."""
    pieces: dict[str, Callable[[int], am.MsgChunk]] = {
        "texts": lambda i: am.MsgChunk(parts=[am.TextBlock(f"t{i}")]),
        "arguments": lambda i: am.MsgChunk(parts=[am.ChunkPart(am.ToolUseBlock("c", "f", raw_input=f"{i},"), 0)]),
        "calls": lambda i: am.MsgChunk(parts=[am.ChunkPart(am.ToolUseBlock(f"c{i}", "f", raw_input="{}"), i)]),
        "media": lambda i: am.MsgChunk(parts=[am.ImageBlock(am.URLSource(f"u{i}"))]),
        "metadata": lambda i: am.MsgChunk(metadata={f"k{i}": i}),
        "usage": lambda i: am.MsgChunk(usage=am.Usage(output=i)),
    }
    for name, make in pieces.items():
        am.Accumulator([make(0), make(1)]).snapshot()
        works: list[int] = []
        for size in (SIZE, 2 * SIZE, 4 * SIZE):
            chunks = [make(number) for number in range(size)]
            works.append(work_of(lambda: am.Accumulator(chunks).snapshot())[0])  # noqa: B023 - called at once
        _check(name, works)


def _stream_steps(events: list[Any], provider: am.CodecName) -> Iterator[tuple[str, int]]:
    """Yield the work of reading a stream in each way."""
    yield "fold", work_of(lambda: folded(events, provider))[0]
    yield "chunks", work_of(lambda: read_live(events, provider))[0]
    for target in STREAMING:
        yield f"to {target}", work_of(partial(transcoded_to, events, provider, target))[0]


def _check_streams(name: str, make: Callable[[int], list[Any]], provider: am.CodecName) -> None:
    list(_stream_steps(make(2), provider))
    works = [dict(_stream_steps(make(SIZE * factor), provider)) for factor in (1, 2, 4)]
    for step in works[0]:
        _check(f"{name}, {provider}: {step}", [found[step] for found in works])


@pytest.mark.parametrize("provider", STREAMING)
def test_streams_take_work_that_grows_with_their_blocks(provider: am.CodecName) -> None:
    """Emitting, folding, reading live and transcoding: of many blocks, each takes what the first ones take."""
    for kind in share(OF_ANSWERS, STREAMING.index(provider)):

        def emitted(size: int, kind: str = kind) -> list[Any]:
            message = next(each for each in GROWTH[kind](size) if each.role == "assistant")
            return list(am.emit(message, provider, on_loss="ignore"))

        emitted(2)
        _check(f"{kind}, {provider}: emit", [work_of(lambda: emitted(SIZE * factor))[0] for factor in (1, 2, 4)])  # noqa: B023 - called at once
        _check_streams(kind, emitted, provider)


@pytest.mark.parametrize("name", STREAMS)
def test_streams_as_servers_send_them_take_work_that_grows_with_them(name: str) -> None:
    """Those that nothing emits."""
    provider, make = STREAMS[name]
    _check_streams(name, make, provider)


def test_lists_of_a_stream_grow_in_the_time_of_what_is_added() -> None:
    """Citations, annotations and unknown events aren't copied for each new one."""

    def folding(provider: am.CodecName, make: Callable[[int], list[Any]], size: int) -> Callable[[], Any]:
        return partial(folded, make(size), provider)

    for name in LISTS:
        check_growth(partial(folding, *STREAMS[name]), (2000, 16000), 8 * 3)


# Copies of texts or lists in one C call can't be counted: they are timed, on an input large enough to show them.
TIMED = ("texts of an answer", "thoughts", "refusals", "results in one message")


@pytest.mark.parametrize("kind", some(TIMED, 4, least=1))
def test_time_grows_with_the_input(kind: str) -> None:
    """Fitting and writing four times the input takes far less than sixteen times as long."""
    size = min(effort(1000, least=400), 1000)
    for name in am.codec_names():
        codec = am.get_codec(name)

        def work(count: int, codec: am.Codec = codec) -> Callable[[], Any]:
            history = GROWTH[kind](count)
            return lambda: codec.to_bytes(fit(history, codec).history)

        check_growth(work, (size, 4 * size), 9, floor=0.005)


@pytest.mark.slow
def test_many_calls_in_one_message_take_linear_time() -> None:
    """Eight times the calls in one message take far less than 64 times as long: no message is copied for each call."""
    for name in am.codec_names():
        codec = am.get_codec(name)

        def work(count: int, codec: am.Codec = codec) -> Callable[[], Any]:
            history = GROWTH["calls in one message"](count)
            return lambda: codec.to_bytes(fit(history, codec).history)

        check_growth(work, (500, 4000), 8 * 3, floor=0.005)
