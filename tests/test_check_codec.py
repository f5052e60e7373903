"""check_codec: it names what a third party's codec loses, and finds nothing in ours."""

from __future__ import annotations

import subprocess
import sys
from itertools import chain, pairwise, product
from random import Random
from typing import TYPE_CHECKING, Any

import attrs
import pytest

import agentmsg as am
from agentmsg.fitting.fit import fit
from agentmsg.formats.capabilities import KEEP, Caps, MessageRow, Row
from agentmsg.formats.spelling import same_document
from agentmsg.testing import CodecBroken, check_codec, honest_account, streaming_codecs
from agentmsg.testing.check import of_streams, single_values
from agentmsg_codecs.anthropic.events import AnthropicEvents
from agentmsg_codecs.anthropic.live import AnthropicReader, AnthropicWriter
from data import effort, share
from support.toys import Toy

if TYPE_CHECKING:
    from collections.abc import Iterator

_TEXTS = MessageRow(fields={"name": KEEP}, blocks={am.TextBlock: Row({"text": KEEP, "phase": KEEP})})
CODECS = [am.get_codec(name) for name in am.codec_names()]


class Sound(Toy):
    """Keeps names, texts and phases, as its table says."""

    def make_caps(self) -> Caps:
        return Caps(messages={"user": _TEXTS, "assistant": _TEXTS})

    def read(self, document: Any) -> am.History:
        read = super().read(document)
        if fit(read, self).history is not read or not same_document(super().write(read), document):
            msg = "more than this format says"
            raise am.DecodeError(msg, codec=self.name)
        return read

    def write(self, history: am.History) -> Any:
        # Ids and times that agentmsg made are no loss, and aren't written.
        bare = [message.evolve(id=None, created_at=None) for message in history]
        return super().write(am.History(bare, notes=history.notes))


class NoName(Sound):
    """Forgets the names, which its table promises to keep."""

    def write(self, history: am.History) -> Any:
        return super().write(am.History([message.evolve(name=None) for message in history]))


class NoPhase(Sound):
    """Forgets a field of blocks when reading."""

    def read(self, document: Any) -> am.History:
        read = super().read(document)
        content = [[block.evolve(phase=None) for block in message.content] for message in read]
        return read.evolve(messages=[message.evolve(content=new) for message, new in zip(read, content, strict=True)])


class Raises(Sound):
    """Raises an error that isn't agentmsg's."""

    def read(self, document: Any) -> am.History:
        if not isinstance(document, dict) or "agentmsg" not in document:
            raise KeyError("agentmsg")
        return super().read(document)


class Refuses(Sound):
    """Refuses a document given as one of its format."""

    def read(self, document: Any) -> am.History:
        if document.get("messages") == []:
            msg = "no messages"
            raise am.DecodeError(msg, codec=self.name)
        return super().read(document)


BROKEN: dict[type[Toy], tuple[str, str]] = {
    NoName: ("honest report", "messages/0/name: 'x1' came back as nothing"),
    NoPhase: ("honest report", "messages/0/content/0/phase: 'x1' came back as nothing"),
    Raises: ("typed errors", "KeyError"),
    Refuses: ("typed errors", "a document of the format is refused: toy: no messages"),
}
EMPTY = am.encode(am.History(), "json")


@pytest.mark.parametrize("cls", BROKEN, ids=lambda cls: cls.__name__)
def test_what_a_codec_loses_is_named(cls: type[Toy]) -> None:
    """A broken law is named, with the very value that is lost; the error has all of them as objects."""
    law, words = BROKEN[cls]
    with pytest.raises(CodecBroken) as caught:
        check_codec(cls(), [EMPTY], examples=5)
    found = [broken for broken in caught.value.broken if broken.law == law]
    assert any(words in broken.why for broken in found), str(caught.value)
    assert law in str(caught.value)
    assert words in str(caught.value)
    assert isinstance(caught.value, AssertionError)


def _forgets(events: Iterator[Any]) -> Iterator[Any]:
    """Yield events but for the last delta of each text."""
    for event, after in pairwise(chain(events, [{}])):
        if not (event["type"] == "content_block_delta" and after.get("type") == "content_block_stop"):
            yield event


@pytest.mark.parametrize(("owner", "name", "change", "law"), [
    (AnthropicEvents, "unfold", lambda own: lambda *given: _forgets(own(*given)), "stream_return"),
    (AnthropicReader, "_start", lambda own: lambda self, block, index: am.TextBlock(""), "live_sum"),
    (AnthropicReader, "_start", lambda own: lambda self, block, index: 1 // 0, "any_events"),
    (AnthropicWriter, "delta", lambda own: lambda self, text: own(self, text + text), "transcoded"),
])  # fmt: skip
def test_what_a_stream_loses_is_named(
    owner: Any, name: str, change: Any, law: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If it isn't the response, or its chunks aren't, or another provider's aren't what converting gives."""
    given = [[*am.emit(am.Msg.assistant("One. Two."), "anthropic")]]
    monkeypatch.setattr(owner, name, change(getattr(owner, name)))
    assert law in {broken.law for broken in of_streams(am.get_codec("anthropic"), given, 2)}


@pytest.mark.parametrize("codec", streaming_codecs(), ids=lambda codec: codec.name)
def test_a_codec_with_events_passes(codec: am.Codec) -> None:
    """Its streams keep all laws, also those that come from another's."""
    assert list(of_streams(codec, [], effort(60))) == []


@pytest.mark.parametrize("codec", [Sound(), am.get_codec("riffer")], ids=lambda codec: codec.name)
def test_a_sound_codec_passes(codec: am.Codec) -> None:
    """A codec that keeps what its table promises breaks no law, whatever else it loses."""
    check_codec(codec, examples=effort(20))


@pytest.mark.parametrize("codec", CODECS, ids=lambda codec: codec.name)
def test_each_value_alone_comes_back_or_is_told(codec: am.Codec) -> None:
    """Law 3 for every field of every class, alone and in every role: none is reached by luck only."""
    for history in share(single_values(), CODECS.index(codec), least=effort(200)):
        honest_account(codec, history)


_VIDEO = am.VideoBlock(am.URLSource("https://x.org/y.mp4"))
_ODD = am.TextBlock("hi", extras={"x": {"y": 1}})
# The values that the fields of a result, and of its call, may have together.
_TOGETHER: list[tuple[Any, ...]] = list(
    product(
        ([], ["hi"], ["hi", "hi"], [""], ["[]"], [_VIDEO], [_VIDEO, "hi"], [_ODD]),
        (None, [], {"a": 1}, "x"),
        (None, "hi", "no", ""),
        (None, "ok", "error", "denied"),
        ("function", "server", "custom"),
    )
)


@pytest.mark.parametrize("codec", CODECS, ids=lambda codec: codec.name)
def test_what_a_result_says_in_several_ways_comes_back_or_is_told(codec: am.Codec) -> None:
    """Law 3 for words, values, errors and statuses of one result, in every combination."""
    tried = Random(codec.name).sample(_TOGETHER, min(effort(300), len(_TOGETHER)))
    for content, structured, error, status, kind in tried:
        call = am.ToolUseBlock("c", "f", {"a": 1}, kind=kind)
        texts = [am.TextBlock(item) if isinstance(item, str) else item for item in content]
        result = am.ToolResultBlock("c", texts, structured=structured, error=error, status=status, kind=kind)
        for role in ("tool", "user"):
            honest_account(codec, am.History([am.Msg("assistant", [call]), am.Msg(role, [result])]))


def test_single_values_are_of_all_classes_and_fields() -> None:
    """The histories cover the model itself: each field of each block has a value in one of them."""
    blocks = [block for history in single_values() for message in history for block in message.content]
    for cls in {type(block) for block in blocks}:
        for field in attrs.fields(cls):
            if field.init and field.alias != "notes":
                assert any(getattr(block, field.alias) for block in blocks if type(block) is cls), (cls, field.alias)
    assert len({type(block) for block in blocks}) == 16


@pytest.mark.parametrize("name", ["check_codec", "histories"])
def test_without_hypothesis_the_install_line_is_told(name: str) -> None:
    """Functions that draw from Hypothesis name the install command; the laws themselves don't need it."""
    code = f"""
import sys
sys.modules["hypothesis"] = None
from agentmsg import AgentMsgError
from agentmsg.testing import honest_account
try:
    from agentmsg.testing import {name}
except AgentMsgError as error:
    print(error.code, error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().startswith("unavailable")
    assert f"agentmsg.testing.{name} needs another package: pip install 'agentmsg[testing]'" in done.stdout
