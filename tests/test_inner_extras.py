"""Extras of objects inside blocks: sources, citations, hints, signatures. Each is written, or reported as lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs
import pytest

import agentmsg as am
from agentmsg.testing.laws import honest_account
from data import share

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


@pytest.mark.parametrize("name", am.codec_names())
@pytest.mark.parametrize("value", [None, "x", 1, [1], {"x": "y"}, {"provider": "x", "value": None}], ids=repr)
def test_extras_called_like_fields_of_the_model_are_extras(name: am.CodecName, value: Any) -> None:
    """What a key of extras is called says nothing about the type of its value: it is written, or reported as lost."""
    codec = am.get_codec(name)
    for space in (codec.family, "stranger"):
        extras = {space: dict.fromkeys(sorted(_FIELDS), value)}
        call = am.Msg("assistant", (am.TextBlock("t", extras=extras), am.ToolUseBlock("c", "f", {}, extras=extras)))
        result = am.Msg("tool", (am.ToolResultBlock("c", (am.TextBlock("r"),), extras=extras),))
        history = am.History.of("Hi", call.evolve(extras=extras), result).evolve(extras=extras)
        honest_account(codec, history)
