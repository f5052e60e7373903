"""Extras and notes of any object, whatever they are called: extras are written, or reported as lost."""

from __future__ import annotations

from contextlib import suppress
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any

import attrs
import pytest

import agentmsg as am
from agentmsg.model.base import Noted
from agentmsg.testing.laws import honest_account
from data import share
from support.documents import documents

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_PROVIDERS = ("anthropic", "bedrock", "google", "openai")


def _sources(extras: Mapping[str, Any]) -> Iterator[Any]:
    yield am.Base64Source("aGk=", "image/png", extras=extras)
    for media_type in (None, "image/png"):
        yield am.URLSource("https://x.test/a.png", media_type, extras=extras)
    for provider in (None, *_PROVIDERS):
        yield am.FileSource("f", provider, extras=extras)
    yield am.TextSource("t", "text/plain", extras=extras)
    yield am.BlocksSource((am.TextBlock("t"),), extras=extras)


def _blocks(extras: Mapping[str, Any]) -> Iterator[Any]:
    for source in _sources(extras):
        yield from (cls(source) for cls in (am.ImageBlock, am.AudioBlock, am.VideoBlock, am.FileBlock))
    for kind in (None, "char_location", "url_citation", "web"):
        cited = am.Citation(kind=kind, url="https://x.test", title="T", start=0, end=1, extras=extras)
        yield am.TextBlock("t", citations=(cited,))
    for provider in _PROVIDERS:
        signature = am.Signature(provider, "s", extras=extras)
        yield am.ThinkingBlock("h", signature=signature)
        yield am.ToolUseBlock("c", "f", {}, signature=signature)
    yield am.TextBlock("t", cache=am.CacheHint("ephemeral", "1h", extras=extras))


def _histories(extras: Mapping[str, Any]) -> Iterator[am.History]:
    call = am.Msg("assistant", (am.ToolUseBlock("c", "f", {}),))
    for block in _blocks(extras):
        yield from (am.History.of(am.Msg(role, (block,))) for role in ("user", "assistant", "system"))
        yield am.History.of(call, am.Msg("tool", (am.ToolResultBlock("c", (block,)),)))


@pytest.mark.parametrize("name", am.codec_names())
def test_extras_of_inner_objects_are_written_or_reported(name: am.CodecName) -> None:
    """Law 3: whatever the extras are called, and whatever they hold."""
    codec = am.get_codec(name)
    for turn, own in enumerate(({"x": 1}, {"type": "text", "id": "a", "url": "u"}, "text")):
        for history in share(_histories({codec.family: own}), am.codec_names().index(name) + turn):
            honest_account(codec, history)


_FIELDS = {
    field.name
    for cls in (am.History, am.Msg, am.TextBlock, am.ThinkingBlock, am.ToolUseBlock, am.ToolResultBlock, am.ImageBlock)
    for field in attrs.fields(cls)
}
_AT_ONCE = 5
_VALUES: tuple[Any, ...] = (None, "x", 1, [], {}, [{"type": "text", "text": "x"}], True, {"a": "b"})


def _keys(value: Any) -> Iterator[str]:
    """Yield the keys of objects at any depth."""
    if isinstance(value, dict):
        yield from value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _keys(inner)


def _everywhere(**given: Any) -> am.History:
    """Return a history with these extras or notes wherever there may be some."""
    url, cited = am.URLSource("https://x.test/a.png", "image/png", **given), "https://x.test"
    user = (am.TextBlock("Hi", **given), am.ImageBlock(url, **given))
    answer = (
        am.ThinkingBlock("hm", signature=am.Signature("anthropic", "c2ln", **given), **given),
        am.TextBlock("t", citations=(am.Citation(kind="url_citation", url=cited, **given),), **given),
        am.ToolUseBlock("c", "f", {"a": 1}, **given),
    )
    result = am.ToolResultBlock("c", (am.TextBlock("r", **given),), name="f", **given)
    messages = (
        am.Msg("system", "Be brief.", **given),
        am.Msg("user", user, **given),
        am.Msg("assistant", answer, usage=am.Usage(input=1, output=2, total=3, **given), **given),
        am.Msg("tool", (result,), **given),
        am.Msg("assistant", "Done."),
    )
    tool = am.ToolSpec("f", "F.", {"type": "object", "properties": {}}, **given)
    return am.History(messages, tools=(tool,), **given)


@pytest.mark.parametrize("name", am.codec_names())
def test_a_key_that_means_something_elsewhere_is_an_extra(name: am.CodecName) -> None:
    """Extras called like a key of the format, or like a field of the model, are written, or reported as lost."""
    codec = am.get_codec(name)
    keys = sorted(_FIELDS.union(*(_keys(document) for _, document in documents(name))))
    for turn, start in enumerate(range(0, len(keys), _AT_ONCE)):
        extras = dict(zip(keys[start : start + _AT_ONCE], islice(cycle(_VALUES), turn, None), strict=False))
        honest_account(codec, _everywhere(extras={codec.family: extras}))


def _notes(value: Any) -> Iterator[tuple[str, str, Any]]:
    """Yield the notes of an object and of those inside it: namespace, mark, value."""
    if isinstance(value, Noted):
        notes: Mapping[str, Any] = value.notes
        for space, marks in notes.items():
            yield from ((space, mark, held) for mark, held in marks.items())
        value = [getattr(value, field.name) for field in attrs.fields(type(value)) if field.name != "extras"]
    for inner in value if isinstance(value, (list, tuple)) else ():
        yield from _notes(inner)


@pytest.mark.parametrize("name", am.codec_names())
def test_a_note_that_no_reader_wrote_there_changes_nothing(name: am.CodecName) -> None:
    """Notes say how an object was spelt. Where an object can't be spelt so, they say nothing."""
    codec = am.get_codec(name)
    notes: dict[tuple[str, str], Any] = {}
    for _, document in documents(name):
        with suppress(am.AgentMsgError):
            notes |= {(space, mark): value for space, mark, value in _notes(am.decode(document, name))}
    for (space, mark), value in notes.items():
        for other in (value, True, "x"):
            honest_account(codec, _everywhere(notes={space: {mark: am.thaw(other)}}))
