"""Streams of providers: folding, reading live, transcoding and framing their events, by us and by others.

The events are those of one long call, and of Anthropic's those of a text as well. All but frames are given as plain
data, as a client has parsed them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import is_list, is_object
from agentmsg.formats.events import events_of
from benchmarks.competitors import Missing
from benchmarks.section import Scale, Section, joined, two
from benchmarks.timing import Case, Times, do_each, interleave

if TYPE_CHECKING:
    from agentmsg_codecs import CodecName

__all__ = ["EVENTS", "MANY", "MEASURES", "OFTEN", "SDK", "streams_section"]

EVENTS = 500
_TIMES = 100
SDK = "the provider's SDK"
# As many in as long a time, but few at once: what a busy machine does to a long run, it does to both.
OFTEN = f"agentmsg, {_TIMES} times"
MANY = f"agentmsg, {EVENTS * _TIMES:,} events"
_OTHER: Mapping[CodecName, CodecName] = {"openai": "anthropic", "anthropic": "openai"}
# What is done, and whose events it is done with. Transcoding is named by its source.
MEASURES: Mapping[str, tuple[str, CodecName]] = {
    f"{work} {provider}": (work, provider) for work in ("fold", "chunks", "transcode", "frames") for provider in _OTHER
}
Work = Callable[[Any], Any]
# The names in the report, and where the functions of each are, by measure.
_PEERS: Mapping[str, str] = {
    SDK: "benchmarks.peers.with_sdks:STREAMS",
    "llm-babel": "benchmarks.peers.with_llm_babel:STREAMS",
    "llm-rosetta": "benchmarks.peers.with_llm_rosetta:STREAMS",
    "martian-linguafranca": "benchmarks.peers.with_linguafranca:STREAMS",
    "orjson, each event": "benchmarks.peers.plain_data:STREAMS",
}


def _events(provider: CodecName, count: int) -> list[dict[str, Any]]:
    """Return about as many events of a provider: an answer with one long call, whose pieces have five characters."""
    half = count // 2 * "lorem"
    is_mixed = provider == "anthropic"
    call = am.ToolUseBlock("call_1", "write_file", {"text": half if is_mixed else half * 2})
    content = [am.TextBlock(half), call] if is_mixed else [call]
    usage = am.Usage(input=5, output=9, total=14)
    message = am.Msg("assistant", content, id="msg_1", model="m", usage=usage, finish_reason="tool_use")
    events = list(am.emit(message, provider, size=5, on_loss="ignore"))
    if provider == "anthropic":
        events[-2]["usage"]["input_tokens"] = 5  # as most models say; martian-linguafranca refuses others
    return events


def _said(events: list[dict[str, Any]], provider: CodecName) -> list[Any]:
    """Return what a stream says: its text and calls."""
    return _meant(am.collect(events, provider).messages[0])


def _meant(message: am.Msg) -> list[Any]:
    return [message.text, *((call.name, am.thaw(call.input)) for call in message.tool_calls)]


def _plain(value: Any) -> Any:
    """Return events whose numbers are numbers: llm-babel has a class for them."""
    if is_object(value):
        return {key: _plain(held) for key, held in value.items()}
    if is_list(value):
        return list(map(_plain, value))
    return value if value is None or isinstance(value, (str, int, float)) else json.loads(value.token)


def _fold(provider: CodecName) -> Work:
    events = events_of(am.get_codec(provider))

    def work(given: list[Any]) -> Any:
        fold = events.fold()
        for event in given:
            fold.add(event)
        return fold.document()

    return work


def _chunks(provider: CodecName) -> Work:
    def work(given: list[Any]) -> am.Msg:
        read, message = am.ChunkReader(provider), am.Accumulator()
        for event in given:
            chunk = read(event)
            if chunk is not None:
                message.add(chunk)
        return message.to_msg()

    return work


def _transcode(provider: CodecName) -> Work:
    def work(given: list[Any]) -> Any:
        return list(am.transcode(given, provider, _OTHER[provider]))

    return work


def _frames(_: CodecName) -> Work:
    return lambda given: list(am.stream.events(given))


_OURS: Mapping[str, Callable[[CodecName], Work]] = {
    "fold": _fold, "chunks": _chunks, "transcode": _transcode, "frames": _frames,
}  # fmt: skip


def _given(work: str, events: list[dict[str, Any]]) -> list[Any]:
    """Return what is worked on: the events, or the bytes of them in the pieces that a connection brings."""
    if work != "frames":
        return events
    raw = b"".join(am.stream.sse(events))
    return [raw[start : start + 4096] for start in range(0, len(raw), 4096)]


def _often(work: str, events: list[dict[str, Any]]) -> list[Any]:
    return [_given(work, events)] * _TIMES


def _checked(name: str, measure: str, work: Work) -> None:
    """Do the work once, and assert that it is the same as ours."""
    kind, provider = MEASURES[measure]
    events = _events(provider, 40)
    found, wanted = work(_given(kind, events)), _said(events, provider)
    if kind == "frames":
        assert found == events, name
    elif kind == "transcode":
        assert _said(_plain(found), _OTHER[provider]) == wanted, name
    else:
        got = (
            found
            if isinstance(found, am.Msg)
            else am.decode(found, am.get_codec(events_of(am.get_codec(provider)).response))
        )
        assert _meant(got if isinstance(got, am.Msg) else got.messages[0]) == wanted, name


def _entered() -> tuple[dict[str, dict[str, Work]], tuple[Missing, ...]]:
    """Return the work of all, by name and measure, after each has done it correctly; and who is missing."""
    found = {"agentmsg": {measure: _OURS[kind](provider) for measure, (kind, provider) in MEASURES.items()}}
    missing: tuple[Missing, ...] = ()
    for name, home in _PEERS.items():
        module, _, attribute = home.partition(":")
        try:
            found[name] = getattr(import_module(module), attribute)
        except ImportError as error:
            missing = (*missing, Missing(name, f"not installed ({error})"))
    for name, works in found.items():
        for measure, work in works.items():
            _checked(name, measure, work)
    return found, missing


def streams_section(scale: Scale) -> Section:
    """Measure all work on streams, of 500 events by all, and of many by us."""
    found, missing = _entered()
    times: dict[str, dict[str, Times]] = {}
    for measure, (kind, provider) in MEASURES.items():
        few, many = (_events(provider, count) for count in (EVENTS, EVENTS * _TIMES))
        cases = {
            name: Case(partial(_given, kind, few), works[measure]) for name, works in found.items() if measure in works
        }
        ours = found["agentmsg"][measure]
        long = {
            MANY: Case(partial(_given, kind, many), ours),
            OFTEN: Case(partial(_often, kind, few), partial(do_each, ours)),
        }
        counts = {MANY: len(many), OFTEN: len(few) * _TIMES}
        # By themselves: whatever runs after one of these finds no cache warm, and it would always be the same case.
        timed = interleave(cases, scale.rounds) | interleave(long, scale.rounds.at_most(10))
        times[measure] = {name: spent.each(counts.get(name, len(few))) for name, spent in timed.items()}
    rows = joined(*(two(measure, runs, 1) for measure, runs in times.items()))
    return Section(f"Streams of {EVENTS} events; times of one event", rows, missing, times)
