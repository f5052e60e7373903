"""loads, dumps, decode, encode, convert, detect, and the registry of codecs."""

from __future__ import annotations

import gc
import importlib.metadata
import sys
from typing import Any, ClassVar, cast

import attrs
import pytest

import agentmsg as am
from agentmsg import registry as _registry
from agentmsg.formats.capabilities import KEEP, Caps, MessageRow, Row, Swap
from agentmsg.formats.codec import Codec
from agentmsg.testing import honest_account
from support.toys import StrictToy, Toy

HISTORY = am.History.of("Hello", {"role": "assistant", "content": "Hi", "id": "a1"})
LOSSY = am.History([am.Msg("user", [am.TextBlock("a"), am.DataBlock(1)], id="u1", model="m")])


def test_bytes_and_plain_data_lead_to_the_same_history() -> None:
    """``loads`` and ``decode``, ``dumps`` and ``encode`` are two ways to do the same."""
    raw = am.dumps(HISTORY, "json")
    assert am.same(am.loads(raw, "json"), HISTORY)
    assert am.same(am.decode(am.encode(HISTORY, "json"), "json"), HISTORY)
    for given in (raw, bytearray(raw), memoryview(raw), raw.decode()):
        assert am.same(am.loads(given, "json"), HISTORY)


def test_a_history_a_message_or_messages_are_written() -> None:
    """Writing accepts a History, one Msg, or any iterable of them."""
    for given in (HISTORY, HISTORY.messages, list(HISTORY), iter(HISTORY)):
        assert am.loads(am.dumps(given, "json"), "json") == HISTORY
    assert am.loads(am.dumps(HISTORY[0], "json"), "json") == HISTORY[:1]
    for wrong in (b"", 3, None, {"role": "user"}, {"content": "Hi"}, [3]):
        with pytest.raises(am.InvalidMessage):
            am.dumps(wrong, "json")  # type: ignore[arg-type]


def test_content_is_never_lost_in_silence() -> None:
    """Writing refuses to lose content, unless the caller asks for the losses or ignores them."""
    with pytest.raises(am.LossError) as caught:
        am.encode(LOSSY, StrictToy())
    assert caught.value.code == "content-loss"
    assert caught.value.codec == "strict-toy"
    assert [loss.path for loss in caught.value.losses] == [("messages", 0, "content", 1)]
    losses: list[am.Loss] = []
    document = am.encode(LOSSY, StrictToy(), losses=losses)
    assert [loss.path[-1] for loss in losses] == ["id", "model", 1]
    assert am.encode(LOSSY, StrictToy(), on_loss="ignore") == document
    assert am.encode(LOSSY[0].with_content("a"), StrictToy()) == document, "annotations alone do not refuse"


@attrs.frozen(kw_only=True)
class _UsersOnly(Toy):
    """Supports users only: its rule makes everybody one."""

    @property
    def caps(self) -> Caps:
        return _USERS_ONLY


_USERS_ONLY = Caps(
    messages={
        "user": MessageRow(blocks={am.TextBlock: Row({"text": KEEP})}),
        "*": MessageRow(otherwise=lambda message: Swap(message.evolve(role="user"), "users only")),
    }
)


def test_another_role_is_a_content_loss() -> None:
    """A rule that gives a message another role loses content, and writing refuses it like any such loss."""
    history = am.History([am.Msg("assistant", "hi", id=None, created_at=None)])
    with pytest.raises(am.LossError) as caught:
        am.encode(history, _UsersOnly())
    assert [str(loss) for loss in caught.value.losses] == ["messages/0/role changed (content): users only"]
    honest_account(_UsersOnly(), history)


def test_documents_are_plain_and_nobodys() -> None:
    """``encode`` returns plain dicts and lists that may be changed; ``decode`` keeps nothing of its argument."""
    history = am.History([am.Msg.user("hi", metadata={"k": [1]})])
    document = am.encode(history, "json")
    document["messages"][0]["metadata"]["k"].append(2)
    assert history[0].metadata == {"k": [1]}
    read = am.decode(document, "json")
    document["messages"][0]["metadata"]["k"].append(3)
    assert read[0].metadata == {"k": [1, 2]}


def test_conversion_gives_document_account_and_history() -> None:
    """``convert`` returns bytes for bytes and plain data for plain data, never raises for a loss, and can be undone."""
    plain = am.convert(am.encode(LOSSY, "json"), "json", StrictToy())
    raw = am.convert(am.dumps(LOSSY, "json"), "json", StrictToy())
    assert isinstance(raw.document, bytes)
    assert isinstance(plain.document, dict)
    assert plain.losses == raw.losses
    for result in (plain, raw):
        read = am.loads if isinstance(result.document, bytes) else am.decode
        restored = am.restore(read(result.document, StrictToy()), result.losses)
        assert am.same(restored, LOSSY)
        assert am.same(result.history, LOSSY)


def test_notes_come_back_with_the_account() -> None:
    """The loss report restores the source's spelling too, so that the source document is exact."""
    document = [{"role": "user", "content": "Hi", "name": None}]
    result = am.convert(document, "json", StrictToy())
    restored = am.restore(am.decode(result.document, StrictToy()), result.losses)
    assert cast("Any", am.encode(restored, "json")) == document


def test_messages_added_behind_keep_their_own_spelling() -> None:
    """Restoring puts back the source's spelling, and leaves that of later messages unchanged."""
    result = am.convert([{"role": "user", "content": "Hi", "name": None}], "json", StrictToy())
    added = am.loads(b'[{"role":"user","content":"more","model":null}]', "json")[0]
    output = am.decode(result.document, StrictToy())
    for losses in (result.losses, am.load_losses(am.dump_losses(result.losses, output))):
        restored = am.restore(output.extended(added), losses)
        assert [bool(message.notes) for message in restored] == [True, True]
        assert restored[1].notes == added.notes


def test_errors_name_codec_path_and_code() -> None:
    """An error of reading has codec, path and reason, in attributes and in words."""
    with pytest.raises(am.DecodeError) as caught:
        am.loads(b'{"agentmsg":1,"messages":[{"role":"user","content":[{"type":"text","text":5}]}]}', "json")
    error = caught.value
    assert (error.codec, error.path, error.code) == ("json", ("messages", 0, "content", 0, "text"), "type")
    assert str(error).startswith("json, /messages/0/content/0/text: ")


def test_detect_knows_what_was_written() -> None:
    """The best guess for a codec's output is that codec, as bytes and as plain data."""
    # Texts alone are the same in many formats; a call identifies it.
    called = am.History([am.Msg.assistant(tool_calls=[{"name": "f", "id": "c", "args": {"a": 1}}])])
    for name in am.codec_names():
        raw = am.dumps(called, name, on_loss="ignore")
        assert am.detect(raw)[0][0] == name
    assert am.detect({"nothing": "known"}) == []
    with pytest.raises(am.DecodeError):
        am.detect(b"\xc1")


def test_the_collector_is_paused_and_restored() -> None:
    """Reading a large document leaves the garbage collector on or off as before, error or not."""
    raw = am.dumps(am.History([am.Msg.user("x" * 100)] * 200), "json")
    for was_on in (True, False):
        (gc.enable if was_on else gc.disable)()
        try:
            am.loads(raw, "json")
            assert gc.isenabled() is was_on
            with pytest.raises(am.DecodeError):
                am.loads(raw[:-1], "json")
            assert gc.isenabled() is was_on
        finally:
            gc.enable()


def test_unknown_codecs_and_options_are_refused_with_help() -> None:
    """A wrong name brings close matches, a wrong option the known ones; no name is imported."""
    with pytest.raises(am.CodecLookupError, match="did you mean json") as caught:
        am.loads(b"", "jsno")  # type: ignore[arg-type]
    assert caught.value.code == "unknown-codec"
    for name in ("../x", "os:system", "agentmsg_codecs.json:JsonCodec", "", "\x1b[0m"):
        with pytest.raises(am.CodecLookupError) as caught:
            am.get_codec(name)
        assert "\x1b" not in str(caught.value)
    with pytest.raises(am.CodecLookupError) as caught:
        am.get_codec("json", colour="red")
    assert caught.value.code == "option"
    with pytest.raises(am.CodecLookupError):
        am.get_codec(3)  # type: ignore[arg-type]


@attrs.frozen(kw_only=True)
class Stranger(Toy):
    """A codec with an option, as in a third party's package."""

    name: ClassVar[str] = "stranger"
    version: int = 2


class _Point:
    """An entry point that is already loaded."""

    def __init__(self, name: str, target: Any) -> None:
        self.name, self.value, self._target = name, f"tests:{name}", target

    def load(self) -> Any:
        if isinstance(self._target, Exception):
            raise self._target
        return self._target


@pytest.fixture
def strangers(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Install entry points, and remove them afterwards."""
    points = [
        _Point("stranger", Stranger),
        _Point("broken", ImportError("no such thing")),
        _Point("odd", dict),
        _Point("json", Stranger),
    ]

    def found(*, group: str) -> list[_Point]:
        return points

    monkeypatch.setattr(importlib.metadata, "entry_points", found)
    caches = (_registry._theirs, _registry.codec_class)
    monkeypatch.setattr(_registry, "_made", {})
    for cached in caches:
        cached.cache_clear()
    yield points
    for cached in caches:
        cached.cache_clear()


def test_a_strangers_codec_comes_through_its_entry_point(strangers: Any) -> None:
    """An entry point brings a codec of the same kind, with options; ours win over one of the same name."""
    with pytest.warns(UserWarning, match="the codec 'json' of .* isn't used"):
        assert {"stranger", "json"} <= set(am.codec_names())
    assert am.get_codec("stranger", version=1) == Stranger(version=1)
    assert am.get_codec(Stranger(), version=1) == Stranger(version=1)
    assert am.loads(am.dumps(HISTORY, am.get_codec("stranger")), am.get_codec("stranger")) == HISTORY
    assert type(am.get_codec("json")).__name__ == "JsonCodec"
    for name in ("broken", "odd"):
        with pytest.raises(am.CodecLookupError) as caught:
            am.get_codec(name)
        assert caught.value.code == "unavailable"
    assert len(strangers) == 4


def test_every_codec_of_ours_is_one_kind_of_object() -> None:
    """Each name of the table leads to a frozen attrs class derived from Codec, with its own name and a title."""
    for name in am.codec_names():
        codec = am.get_codec(name)
        assert isinstance(codec, Codec)
        assert codec.name == name
        assert codec.title
        assert codec.family
        assert sys.modules[type(codec).__module__].__doc__, "the module's docstring is its mapping table"


def test_digests_tell_contents_apart_and_nothing_else() -> None:
    """A digest is the same for the same content, whatever its ids, times and notes; other content changes it."""
    one, two = am.Msg.user("hi"), am.Msg.user("hi")
    assert one.digest() == two.digest() != am.Msg.user("ho").digest()
    assert one.digest(exact=True) != two.digest(exact=True)
    assert one.evolve(notes={"x": {"y": 1}}).digest(exact=True) == one.digest(exact=True)
    spelt = am.ToolUseBlock("c", "f", raw_input='{ "a": 1 }')
    plain = am.ToolUseBlock("c", "f", {"a": 1})
    assert am.Msg.of(spelt).digest() == am.Msg.of(plain).digest()
    fixed = am.Msg("user", "hi", id="m1", created_at=None)
    assert fixed.digest() == "45e62afd07e9a4ed993893e41b27edd09152d3b7ad621d3a29245e68f1704df7"


def test_conveniences_of_messages_lead_to_the_same_codecs() -> None:
    """to_json, from_json, to_dict, from_dict, encode and decode are loads and dumps of one message."""
    message = HISTORY[1]
    assert am.Msg.from_json(message.to_json()) == message
    assert am.Msg.from_dict(message.to_dict()) == message
    assert am.Msg.decode(message.encode("msgpack"), "msgpack") == message
    with pytest.raises(am.DecodeError):
        am.Msg.from_json(am.dumps(HISTORY, "json"))


def test_accounts_go_to_file_and_come_back() -> None:
    """dump_losses and load_losses keep a loss report, bound to the converted history as its document reads back."""
    result = am.convert(am.encode(LOSSY, "json"), "json", StrictToy())
    output = am.decode(result.document, StrictToy())
    losses = am.load_losses(am.dump_losses(result.losses, output))
    assert losses == result.losses
    assert am.same(am.restore(output, losses), LOSSY)
    with pytest.raises(am.DecodeError):
        am.load_losses(b"no account")


@pytest.mark.parametrize("name", am.codec_names())
def test_the_deepest_history_is_written_and_read(name: am.CodecName) -> None:
    """Everything that the model accepts (64 blocks deep, or JSON 128 deep) is read back within the default limits."""
    block: am.Block = am.TextBlock("deep inside")
    for _ in range(63):
        block = am.ToolResultBlock("c1", [block])
    deep: Any = []
    for _ in range(127):
        deep = [deep]
    for message in (am.Msg("tool", [block], id="m1"), am.Msg("user", "x", id="m1", metadata={"k": deep[0]})):
        losses: list[am.Loss] = []
        raw = am.dumps(message, name, losses=losses)
        assert am.same(am.restore(am.loads(raw, name), losses)[0], message)
    with pytest.raises(am.DecodeError):
        am.loads(b"[" * 300 + b"]" * 300, name)


def test_documents_hold_plain_texts_only() -> None:
    """An id made by the library is a plain string in a document."""
    document = am.encode(am.Msg.user("hi"), "json")
    assert type(document["messages"][0]["id"]) is str
    assert am.get_codec("json").read(document)[0].text == "hi"
