"""Extras of any object, whatever they are called: each is written, or reported as lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs
import pytest

import agentmsg as am
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
_VALUES = (None, "x", 1, [], {}, [{"type": "text", "text": "x"}], True, {"a": "b"})


def _keys(value: Any) -> Iterator[str]:
    """Yield the keys of objects at any depth."""
    if isinstance(value, dict):
        yield from value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _keys(inner)


def _everywhere(extras: Mapping[str, Any]) -> am.History:
    """Return a history with these extras wherever there may be some."""
    url, cited = am.URLSource("https://x.test/a.png", "image/png", extras=extras), "https://x.test"
    user = (am.TextBlock("Hi", extras=extras), am.ImageBlock(url, extras=extras))
    answer = (
        am.ThinkingBlock("hm", signature=am.Signature("anthropic", "c2ln", extras=extras), extras=extras),
        am.TextBlock("t", citations=(am.Citation(kind="url_citation", url=cited, extras=extras),), extras=extras),
        am.ToolUseBlock("c", "f", {"a": 1}, extras=extras),
    )
    result = am.ToolResultBlock("c", (am.TextBlock("r", extras=extras),), extras=extras)
    messages = (
        am.Msg("system", "Be brief.", extras=extras),
        am.Msg("user", user, extras=extras),
        am.Msg("assistant", answer, usage=am.Usage(input=1, output=2, total=3, extras=extras), extras=extras),
        am.Msg("tool", (result,), extras=extras),
        am.Msg("assistant", "Done."),
    )
    tool = am.ToolSpec("f", "F.", {"type": "object", "properties": {}}, extras=extras)
    return am.History(messages, tools=(tool,), extras=extras)


@pytest.mark.parametrize("name", am.codec_names())
def test_a_key_that_means_something_elsewhere_is_an_extra(name: am.CodecName) -> None:
    """Extras called like a key of the format, or like a field of the model, are written, or reported as lost."""
    codec = am.get_codec(name)
    keys = _FIELDS.union(*(_keys(document) for _, document in documents(name)))
    for turn, key in enumerate(sorted(keys)):
        for value in share(_VALUES, turn, least=1):
            honest_account(codec, _everywhere({codec.family: {key: value}}))
