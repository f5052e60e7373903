"""Streams of providers against their own SDKs.

What the SDK collects of a stream is what we fold of it, whoever made the stream: the provider, or we of a response or
of another provider's events. The SDK's types accept the events that we make.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

import agentmsg as am
from agentmsg.formats import is_list, is_object
from agentmsg.formats.events import events_of
from data import some
from support.streams import PROVIDERS, folded, recorded_streams, responses

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from real.library import Library

pytestmark = pytest.mark.slow

COLLECTORS: tuple[am.CodecName, ...] = ("anthropic", "openai", "openai-responses")
# test_real_vercel_stream.py has the other one.
_WITH_SDK = tuple(provider for provider in PROVIDERS if provider != "vercel-ui")
_PAIRS = [(source, target) for target in _WITH_SDK for source in _WITH_SDK if source != target]

# Streams that an SDK can't collect: its message, and the reason.
REFUSED = {
    ("test_openrouter_web_search_annotations_stream", "Expected list delta entry to have an `index` key"):
        "it knows no list without indexes",
    ("test_tool_use_failed_error_streaming.0", "'NoneType' object is not iterable"):
        "it takes an error for a chunk",
}  # fmt: skip
# Where the document that OpenAI's SDK collects of chunks differs from ours, and the reason. The others don't differ.
DIFFER = {
    r"\.choices\[\d+\]\.message\.tool_calls\[\d+\]\.index: only theirs": "no response has it",
    r"\.choices\[0\]\.message\.role: .* theirs 'assistantassistant": "it joins all texts, also repeated",
    r"\.choices\[0\]\.message\.channel: .* theirs 'analysisanalysis": "the same",
    r"\.choices\[0\]\.message\.reasoning_details\[0\]\.format: .* theirs '(.+)\1": "the same",
    r"\.choices\[0\]\.message\.reasoning_details: ours .*'index': 0": "it joins all of one index",
    r"\.choices\[0\]\.(?!message|finish_reason)\w+: only ours": "it takes other keys of a choice from its first chunk",
    r"\.x_groq\.usage: only ours": "it takes other keys from the first chunk",
    r"\.sla_metrics\.ts_us: ": "the same; this one counts on",
    r"\.usage: only ours": "a chunk with null behind that with the usage erases it",
    r"\.choices\[0\]\.finish_reason: only ours ''": "it takes an empty reason for none: Snowflake's",
}  # fmt: skip
# What an SDK's types refuse of the events that we transcode: the source, the target, the message, and the reason.
UNTYPED = {
    ("openai-responses", "openai", ".tool_calls.0.type: Input should be 'function'"):
        "its type of chunks knows no custom tools, that of responses does",
    ("openai", "openai-responses", "response.service_tier: Input should be 'auto'"):
        "converting a response takes over the tier: an empty one of Snowflake's, and one of another server",
}  # fmt: skip
# Data in stored documents that isn't base64.
_DAMAGED = ("bytes_invalid_encoding", "Incorrect padding", "Invalid base64", "Only base64 data")


def _without_none(value: Any) -> Any:
    if is_object(value):
        return {key: _without_none(held) for key, held in value.items() if held is not None}
    return list(map(_without_none, value)) if is_list(value) else value


def _places(ours: Any, theirs: Any, place: str = "") -> Iterator[str]:
    """Yield where two documents differ, and how."""
    if is_object(ours) and is_object(theirs):
        for key in sorted(ours.keys() | theirs.keys()):
            if key not in ours or key not in theirs:
                held = ours.get(key, theirs.get(key))
                yield f"{place}.{key}: {'only ours' if key in ours else 'only theirs'} {str(held)[:80]!r}"
            else:
                yield from _places(ours[key], theirs[key], f"{place}.{key}")
    elif is_list(ours) and is_list(theirs) and len(ours) == len(theirs):
        for number, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            yield from _places(one, other, f"{place}[{number}]")
    elif ours != theirs:
        yield f"{place}: ours {str(ours)[:80]!r}, theirs {str(theirs)[:80]!r}"


def _collected(library: Library, provider: am.CodecName, streams: Iterable[tuple[str, list[Any]]]) -> set[Any]:
    """Return the rows of the tables that were met; any other difference fails."""
    named = list(streams)
    answers = library.ask({"collect": events, "provider": provider} for _, events in named)
    met: set[Any] = set()
    odd: list[str] = []
    for (name, events), answer in zip(named, answers, strict=True):
        rows: dict[Any, str] = {}
        if "error" in answer:
            known = [row for row in REFUSED if row[0] in name and row[1] in answer["error"]]
            rows[known[0] if known else None] = answer["error"]
        else:
            for told in _places(_without_none(folded(events, provider)), _without_none(answer["document"])):
                joined = [row for row in DIFFER if provider == "openai" and re.match(row, told)]
                rows[joined[0] if joined else None] = told
        odd += [f"{name}: {told[:300]}" for row, told in rows.items() if row is None]
        met |= rows.keys()
    assert not odd, "\n".join(odd)
    return met


@pytest.mark.parametrize("provider", COLLECTORS)
def test_recorded_and_emitted_streams_are_collected_alike(provider: am.CodecName, sdks: Library) -> None:
    """Every stream that was recorded; and what every response is unfolded to brings that response."""
    streams = [(name, list(am.stream.events(raw))) for codec, name, raw in recorded_streams() if codec == provider]
    assert len(streams) >= 5
    unfold = events_of(am.get_codec(provider)).unfold
    streams += [(name, list(unfold(document, 9))) for name, document, _ in responses(provider)]
    met = _collected(sdks, provider, streams)
    assert met == ({*REFUSED, *DIFFER} if provider == "openai" else set()), "a row that no stream needs by now goes"


@cache
def _transcoded(source: am.CodecName, target: am.CodecName) -> list[tuple[str, list[Any]]]:
    unfold = events_of(am.get_codec(source)).unfold
    found = some(responses(source), 60)
    return [(name, list(am.transcode(unfold(document, 9), source, target))) for name, document, _ in found]


@pytest.mark.parametrize(("source", "target"), [pair for pair in _PAIRS if pair[1] in COLLECTORS])
def test_transcoded_streams_are_collected_alike(source: am.CodecName, target: am.CodecName, sdks: Library) -> None:
    """Every provider's, in the events of one whose SDK collects; what they bring is what converting gives."""
    _collected(sdks, target, _transcoded(source, target))


def test_items_are_done_one_after_the_other(sdks: Library) -> None:
    """What clients of the Responses API show: the items that are done, in order, are those of the whole response."""
    streams = [
        each for source, target in _PAIRS if target == "openai-responses" for each in _transcoded(source, target)
    ]
    answers = sdks.ask({"collect": events, "provider": "openai-responses"} for _, events in streams)
    for (name, _), answer in zip(streams, answers, strict=True):
        assert answer["done"] == answer["document"]["output"], name


@pytest.mark.parametrize(("source", "target"), _PAIRS)
def test_the_types_accept_transcoded_events(
    source: am.CodecName, target: am.CodecName, request: pytest.FixtureRequest
) -> None:
    """All events, in the types that the SDK has for them."""
    library: Library = request.getfixturevalue({"gemini": "gemini", "bedrock": "bedrock"}.get(target, "sdks"))
    refused = {
        f"{name}: {told}"
        for name, events in _transcoded(source, target)
        for told in _refused(library, target, events)
        if not any(row[:2] == (source, target) and row[2] in told for row in UNTYPED)
    }
    assert sorted(refused) == []


_CITED = am.TextBlock("See this.", citations=[am.Citation("https://a.example", "A", start=4, end=8)])
_CALLS = (am.ToolUseBlock("c", "f", {"x": 1}), am.ToolUseBlock("d", "g", raw_input="ls", kind="custom"))


@pytest.mark.parametrize("content", [[_CITED], [am.TextBlock("One."), _CALLS[0]], [_CALLS[1]], [am.RefusalBlock("No.")],
                                     [am.ThinkingBlock("Hm."), _CITED, *_CALLS]])  # fmt: skip
@pytest.mark.parametrize("provider", COLLECTORS)
def test_the_types_accept_emitted_events(provider: am.CodecName, content: list[am.Block], sdks: Library) -> None:
    """Of messages of the user's own making, which have no ids; also when they are transcoded."""
    message = am.Msg("assistant", content, id="m", model="m", finish_reason="stop",
                     usage=am.Usage(input=1, output=1, total=2))  # fmt: skip
    events = list(am.emit(message, provider, on_loss="ignore"))
    for target in COLLECTORS:
        made = events if target == provider else list(am.transcode(events, provider, target))
        told = _refused(sdks, target, made)
        assert [each for each in told if not any(row[1] == target and row[2] in each for row in UNTYPED)] == [], target
        _collected(sdks, target, [("", made)])


def _refused(library: Library, target: str, events: list[Any]) -> list[str]:
    """Return what a library refuses of events."""
    if target in COLLECTORS:
        return [told for answer in library.ask([{"types": events, "provider": target}]) for told in answer["refused"]]
    kind = "event" if target == "bedrock" else "response"
    errors = [answer.get("error", "") for answer in library.ask({kind: event} for event in events)]
    return [error for error in errors if error and not any(word in error for word in _DAMAGED)]
