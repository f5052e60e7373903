"""Earlier writing or reading is remembered: the bytes stay the same, the memory is bounded, threads agree."""

from __future__ import annotations

import copy
import gc
import pickle
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentmsg as am
from agentmsg.fitting.account import account
from agentmsg.fitting.fit import fit
from agentmsg.model.history import forgetful
from agentmsg.model.remembering import BODIES, Bodies, Body, Seen
from agentmsg.testing.strategies import histories
from agentmsg_codecs.json import JsonCodec
from data import effort
from support.documents import documents
from support.transcript import TranscriptCodec

if TYPE_CHECKING:
    from collections.abc import Callable

# Equal messages with equal hashes, whose bytes differ.
TWINS = [am.Msg("user", "1", id="a", created_at=None, metadata={"k": value}) for value in (1, 1.0, True, 2**70)]
REMEMBERING = am.get_codec("json", remember=3)


def _plain(history: am.History) -> bytes:
    """Return the bytes of a history without any memory of it."""
    return am.dumps(pickle.loads(pickle.dumps(history)), "json")


GROW: dict[str, Callable[[am.History, list[am.Msg]], am.History]] = {
    "plus": lambda history, new: history + new,
    "extended": lambda history, new: history.extended(*new),
    "recorder": lambda history, new: am.Recorder(history).add(*new).history,
}
CHANGE: dict[str, Callable[[am.History], am.History]] = {
    "nothing": lambda history: history,
    "first": lambda history: history.evolve(messages=(TWINS[0], *history.messages[1:])),
    "last gone": lambda history: history[:-1],
    "front gone": lambda history: history[1:],
    "id": lambda history: history.evolve(id="other"),
    "tools": lambda history: history.evolve(tools=(am.ToolSpec("f"),)),
    "metadata": lambda history: history.evolve(metadata={"big": 2**70}),
}


@given(histories(), st.lists(st.sampled_from(TWINS), min_size=1, max_size=3), st.data())
def test_a_history_that_grows_is_written_as_any_other(
    start: am.History, new: list[am.Msg], data: st.DataObject
) -> None:
    """However a history grows or changes in between, its bytes are those of a history without a past."""
    history = start
    for _ in range(4):
        history = GROW[data.draw(st.sampled_from(sorted(GROW)))](history, new)
        assert am.dumps(history, "json") == _plain(history)
        assert am.dumps(history, REMEMBERING) == _plain(history)
        history = CHANGE[data.draw(st.sampled_from(sorted(CHANGE)))](history)


@pytest.mark.parametrize("raw", [b'[{"role":"user","content":"x"}]', b'{"role":"user","content":"x"}'])
def test_a_list_stays_a_list(raw: bytes) -> None:
    """A document that was a list of messages stays a list when it grows; one message becomes a history."""
    history = am.loads(raw, "json")
    for _ in range(3):
        history = history.extended(am.Msg.user("y"))
        assert am.dumps(history, "json") == _plain(history)


def test_branches_are_written_apart() -> None:
    """Histories that grew from one, each differently, share only their beginning."""
    start = am.History.of("a", "b").extended("c")
    left, right = start.extended("left"), start.extended("right")
    for history in (left, right, left, start, right.extended("more"), left[:2].extended("other")):
        assert am.dumps(history, "json") == _plain(history)


def test_a_changed_history_keeps_what_it_is() -> None:
    """A history of a user's class grows as itself, and no copy or pickle takes the memory along."""

    class Mine(am.History):
        """A history with nothing new."""

    assert type(Mine(["a"]).extended("b")) is Mine
    grown = am.History(["a"]).extended("b")
    raw = am.dumps(grown, "json")
    for same in (copy.copy(grown), copy.deepcopy(grown), pickle.loads(pickle.dumps(grown))):
        assert same == grown
        assert am.dumps(same, "json") == raw


@am.register_block("test_remembering.ballot")
@attrs.frozen
class _Ballot(am.BaseBlock):
    """A block of a user with a mutable value."""

    votes: dict[str, int] = attrs.field(factory=dict[str, int])


def test_blocks_of_yours_are_written_each_time() -> None:
    """A user's block may have changed since it was written, so it isn't remembered."""
    # A codec that has met such a block remembers nothing any more, so this test has its own.
    mine, ballot = JsonCodec(), _Ballot({"yes": 1})
    history = am.History([am.Msg.of(ballot)]).extended("b")
    assert b'"yes":1' in am.dumps(history, mine)
    ballot.votes["yes"] = 2
    assert b'"yes":2' in am.dumps(history.extended("c"), mine)


def test_a_class_of_yours_is_refused_as_ever() -> None:
    """A history of a class unknown to every codec is refused with one typed error, grown or not."""

    class Mine(am.History):
        """A history with nothing new."""

    for history in (Mine(["a"]), Mine(["a", "b"]).extended("c")):
        with pytest.raises(am.EncodeError):
            am.dumps(history, "json")


def test_what_another_codec_wrote_is_not_taken() -> None:
    """Each codec remembers its own output: a user's hook is used from the first message on."""
    history = am.History(["a"]).extended("b")
    am.dumps(history, "json")
    mine = JsonCodec()

    def write(_: am.TextBlock) -> dict[str, str]:
        return {"type": "text", "text": "mine"}

    mine.engine.converter.register_unstructure_hook(am.TextBlock, write)
    assert am.dumps(history.extended("c"), mine).count(b'"mine"') == 3


def test_all_bodies_together_are_bounded() -> None:
    """The body written longest ago is forgotten first; one that would take most of the room isn't kept."""
    bodies = Bodies(100)
    several = [Body() for _ in range(6)]
    for number in range(6):
        bodies.keep(several[number], 20)
    assert bodies.total == 100
    bodies.keep(several[0], 26)
    assert bodies.total == 100
    del several[1:]
    gc.collect()
    assert bodies.total == 0


def test_a_body_ends_with_its_history() -> None:
    """Bytes are kept only as long as a history that may grow from them."""
    gc.collect()
    before = BODIES.total
    history = am.History(["a" * 1000]).extended("b")
    am.dumps(history, JsonCodec())
    assert BODIES.total > before + 1000
    del history  # no cycle: nothing waits for the garbage collector
    assert BODIES.total == before


def test_entries_are_bounded_by_number_and_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """If there are too many entries or bytes, all are forgotten; larger ones are never kept."""
    monkeypatch.setattr("agentmsg.model.remembering._MOST_BYTES", 10)
    seen, history = Seen(3), am.History()

    def kept(*raws: bytes) -> list[bytes]:
        for raw in raws:
            seen.keep(raw, None, "last", history)
        return [raw for raw in raws if seen.get(raw, None, "last") is history]

    assert kept(b"1", b"2", b"3") == [b"1", b"2", b"3"]
    assert kept(b"1", b"2", b"3", b"4") == [b"4"]
    assert kept(b"1234", b"12345678") == [b"12345678"]
    assert kept(b"12345678901") == []
    assert kept(b"4") == [b"4"]
    assert seen.get(b"4", None, "error") is None


def test_lines_that_come_again_are_the_same_history() -> None:
    """A codec that remembers reads bytes once; other limits, and another rule for duplicate keys, read them again."""
    line = am.dumps(am.History(["a"]), "json")
    first = am.loads(line, REMEMBERING)
    assert am.loads(bytes(bytearray(line)), REMEMBERING) is first
    assert am.loads(line, "json") is not am.loads(line, "json")
    assert am.same(am.loads(line, "json"), first)
    twice = b'{"agentmsg":1,"agentmsg":1,"messages":[]}'
    am.loads(twice, REMEMBERING)
    with pytest.raises(am.DecodeError):
        am.loads(twice, REMEMBERING, duplicates="error")
    with pytest.raises(am.DecodeError):
        am.loads(line, REMEMBERING, limits=am.Limits(bytes=10))


def test_threads_that_write_one_history_agree() -> None:
    """Several threads may write branches of one history, and add to one recorder, at the same time."""
    start = am.History(["a"]).extended("b")
    recorder = am.Recorder(start)

    def work(number: int) -> bool:
        history = start
        for step in range(50):
            history = history.extended(f"{number} {step}")
            recorder.add(f"{number} {step}")
            am.dumps(recorder.history, "json")
            if am.dumps(history, "json") != _plain(history):
                return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(4)))
    assert len(recorder) == len(recorder.history) == 202
    assert am.dumps(recorder.history, "json") == _plain(recorder.history)


# -- codecs that messages remember ------------------------------------------------------------------------------------


def _cut(histories: list[am.History], rng: Random) -> am.History:
    """Return a history of some messages of others, a few of them changed, in any order."""
    messages = [message for history in histories for message in history if rng.random() < 0.8]
    if rng.random() < 0.5:
        rng.shuffle(messages)
    changed = [message.evolve(name="x") if rng.random() < 0.1 else message for message in messages]
    return histories[0].evolve(messages=changed)


@pytest.mark.parametrize("name", am.codec_names())
def test_what_messages_remember_changes_nothing(name: am.CodecName) -> None:
    """However read messages are cut, mixed and changed, they fit, and lose, as if nobody knew who read them."""
    codec, rng = am.get_codec(name), Random(name)
    read: list[am.History] = []
    for _, document in documents(name):
        with suppress(am.AgentMsgError):
            read.append(am.decode(document, codec))
    for _ in range(effort(200)):
        history = _cut(rng.choices(read, k=2), rng)
        remembering, anew = fit(history, codec), fit(forgetful(history), codec)
        assert (remembering.history is history) == (anew.history is anew.source)
        assert am.same(remembering.history, anew.history)
        assert list(account(remembering)) == list(account(anew))


def test_only_codecs_with_usual_options_are_remembered() -> None:
    """All shipped codecs with tables are remembered, unless options change what fits; a codec of others isn't."""
    for name in am.codec_names():
        codec = am.get_codec(name)
        assert codec.is_remembered is not codec.caps.everything
    assert not am.get_codec("agentscope", version=1).is_remembered
    assert not TranscriptCodec().is_remembered


def test_a_codec_that_is_not_remembered_tests_what_it_reads() -> None:
    """What such a codec reads, and its table doesn't have, is reported."""
    with pytest.raises(am.LossError):
        am.dumps(am.loads('[{"judge": ["Hi"]}]', TranscriptCodec()), TranscriptCodec())
