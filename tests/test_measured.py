"""Codecs without a capability table: a reader and a writer of any history; what doesn't come back is lost."""

from __future__ import annotations

from typing import Any

import pytest

import agentmsg as am
from agentmsg import History, Msg, TextBlock, ToolUseBlock, same
from agentmsg.fitting.account_file import from_lines, to_lines
from agentmsg.fitting.fit import fit
from agentmsg.formats import because, is_list
from agentmsg.testing import CodecBroken, check_codec
from support.checked import msg


class Lines(am.Codec):
    """Lines such as "user: Hello"."""

    name = "lines"

    def read(self, document: Any) -> History:
        if not is_list(document) or not all(isinstance(line, str) and ": " in line for line in document):
            words = "a list of texts such as 'user: Hello' is needed"
            raise am.DecodeError(words, code="type")
        pairs = (line.split(": ", 1) for line in document)
        return History(Msg(role=role, content=text, id=None, created_at=None) for role, text in pairs)

    def write(self, history: History) -> Any:
        return [f"{message.role}: {message.text}" for message in history]


class Noted(am.Codec):
    """Keeps roles, texts and metadata."""

    name = "noted"

    def read(self, document: Any) -> History:
        if not is_list(document):
            words = "a list is needed"
            raise am.DecodeError(words, code="type")
        return History(self._read(entry) for entry in document)

    def _read(self, entry: Any) -> Msg:
        match entry:
            case {"role": str(), "content": str(), "metadata": dict()} if len(entry) == 3:
                return Msg(**entry, id=None, created_at=None)
            case _:
                pass
        words = "an object with a role, a text and metadata is needed"
        raise am.DecodeError(words, code="schema")

    def write(self, history: History) -> Any:
        return [{"role": m.role, "content": m.text, "metadata": m.metadata} for m in history]


class Fails(Lines):
    """Can't write names."""

    def write(self, history: History) -> Any:
        return [{"x": message.name.upper()} for message in history]  # type: ignore[union-attr]


class Grows(Lines):
    """Writes more each time."""

    def write(self, history: History) -> Any:
        return [*super().write(history), "user: more"]


_CALL = ToolUseBlock("c1", "f", {"a": 1})
_SENT = History([Msg("user", "Hi", name="Ada", id=None, created_at=None), msg("assistant", TextBlock("Look"), _CALL)])


def test_what_does_not_come_back_is_lost() -> None:
    """Without a table and without a word in the codec, the loss report is exact, and restores."""
    codec = Lines()
    done = am.convert(_SENT.encode("json"), "json", codec)
    assert done.document == ["user: Hi", "assistant: Look"]
    assert [str(loss) for loss in done.losses] == [
        "messages/0/name dropped (annotation)",
        "messages/1/content/1 dropped (content): no place for a tool_use block here",
    ]
    back = am.decode(done.document, codec)
    for losses in (done.losses, from_lines(to_lines(done.losses, back))):
        assert same(am.restore(back, losses), done.history)
        edited = back.evolve(messages=[Msg("user", "New", id=None, created_at=None), *back])
        assert same(am.restore(edited, losses, edits="keep")[1:], done.history)


def test_content_is_not_lost_in_silence() -> None:
    """It is refused, unless losses are collected or ignored; what is covered is written as it is."""
    with pytest.raises(am.LossError) as caught:
        am.dumps(_SENT, Lines())
    told: list[Any] = list(caught.value.losses)
    assert [loss.path for loss in told] == [("messages", 1, "content", 1)]
    losses: list[am.Loss] = []
    assert am.dumps(_SENT, Lines(), losses=losses) == am.dumps(_SENT, Lines(), on_loss="ignore")
    assert losses
    plain = am.decode(["user: Hi"], Lines())
    assert fit(plain, Lines()).history is plain
    assert am.encode(plain, Lines()) == ["user: Hi"]


def test_a_place_for_carried_losses_is_found_by_trying() -> None:
    """If metadata comes back, lost content travels there; else it is lost."""
    codec = Noted()
    document = am.encode(_SENT, codec, carry=True)
    back = am.decode(document, codec)
    assert am.restore(back)[1].tool_calls == _SENT[1].tool_calls
    with pytest.raises(am.LossError):
        am.encode(_SENT, Lines(), carry=True)


def test_settings_that_do_not_come_back_can_not_be_asked_for() -> None:
    """A format that keeps no settings has no place for the name of a model."""
    with pytest.raises(am.CodecLookupError) as caught:
        am.convert(["user: Hi"], Lines(), Lines(), model="m")
    assert caught.value.code == "option"


@pytest.mark.parametrize("codec", [Fails(), Grows()], ids=lambda codec: type(codec).__name__)
def test_what_a_codec_does_wrong_is_a_typed_error(codec: am.Codec) -> None:
    """A writer that fails, or never settles, is told as the fault of its codec."""
    with pytest.raises(am.EncodeError) as caught:
        am.encode(History([Msg("user", "Hi")]), codec, losses=[])
    assert (caught.value.code, caught.value.codec) == ("codec", "lines")


class Telling(Lines):
    """Says why it leaves out calls."""

    def write(self, history: History) -> Any:
        for message in history:
            for block in message.tool_calls:
                because(block, "lines are said, not done")
        return super().write(history)


def test_a_writer_may_say_why() -> None:
    """It says so of blocks of the history, also when nobody listens; what it doesn't tell has a general reason."""
    losses: list[am.Loss] = []
    document = am.encode(_SENT, Telling(), losses=losses)
    assert [loss.why for loss in losses] == ["", "lines are said, not done"]
    assert Telling().write(_SENT) == document


class Covering(Lines):
    """Knows that texts of one role are kept."""

    def read(self, document: Any) -> History:
        assert document != ["user: covered"], "it need not be read back"
        return super().read(document)

    def covers(self, history: History) -> bool:
        return all(message.text == "covered" for message in history)


def test_what_a_codec_covers_is_not_read_back() -> None:
    """A codec that knows a cheap test saves the reading; its word is taken."""
    history = History([Msg("user", "covered", id=None, created_at=None)])
    assert am.encode(history, Covering()) == ["user: covered"]


@pytest.mark.parametrize("codec", [Lines(), Noted()], ids=lambda codec: codec.name)
def test_all_laws_hold_for_a_reader_and_a_writer(codec: am.Codec) -> None:
    """``check_codec`` takes codecs without a table."""
    check_codec(codec, examples=4)


class Forgetful(Noted):
    """Writes what reads as something else."""

    def write(self, history: History) -> Any:
        return [{"role": m.role, "content": f"{m.text}{m.text[:1]}", "metadata": {}} for m in history]


def test_laws_find_a_writer_that_is_not_stable() -> None:
    """A document written again must be the same: nothing else can be told as lost."""
    with pytest.raises(CodecBroken) as caught:
        check_codec(Forgetful(), examples=2)
    assert "stable writing" in {fault.law for fault in caught.value.broken}
