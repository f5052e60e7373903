"""History: an immutable sequence of messages; Recorder: collects messages."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Sequence
from typing import Any

import pytest

from agentmsg import (
    History,
    InvalidMessage,
    Msg,
    NativeTool,
    Recorder,
    TextBlock,
    ToolSpec,
    ToolUseBlock,
    same,
)
from agentmsg.model.history import as_history

A, B, C = Msg.user("a"), Msg.assistant("b"), Msg.user("c")
WHOLE = History(
    (A, B, C),
    id="h1",
    tools=(ToolSpec("add"), NativeTool("openai", {"type": "web_search"})),
    metadata={"k": [1]},
    extras={"openai": {"x": 1}},
    notes={"openai": {"list": "single"}},
)


def _rest(history: History) -> tuple[Any, ...]:
    return (history.id, history.tools, history.metadata, history.extras, history.notes)


def test_a_history_is_a_sequence() -> None:
    """Indexing, iteration, membership, reversal, index and count work as for tuples."""
    assert isinstance(WHOLE, Sequence)
    assert len(WHOLE) == 3
    assert WHOLE[0] is A
    assert WHOLE[-1] is C
    assert list(WHOLE) == [A, B, C]
    assert list(reversed(WHOLE)) == [C, B, A]
    assert B in WHOLE
    assert Msg.user("a") not in WHOLE
    assert (WHOLE.index(B), WHOLE.count(B)) == (1, 1)
    with pytest.raises(IndexError):
        WHOLE[3]


@pytest.mark.parametrize("part", [slice(1), slice(1, None), slice(None, None, 2), slice(None, None, -1), slice(9, 9)])
def test_a_slice_keeps_the_rest(part: slice) -> None:
    """A slice is a history of those messages with the id, tools, metadata, extras and notes of the whole."""
    piece = WHOLE[part]
    assert isinstance(piece, History)
    assert piece.messages == WHOLE.messages[part]
    assert _rest(piece) == _rest(WHOLE)


def test_adding_keeps_the_rest_of_the_left() -> None:
    """``history + messages`` and ``extended`` return new histories with everything else of the left one."""
    for longer in (WHOLE.__add__([A]), WHOLE.__add__((A,)), WHOLE + History([A], id="h2"), WHOLE.extended(A)):
        assert longer.messages == (A, B, C, A)
        assert _rest(longer) == _rest(WHOLE)
    assert len(WHOLE) == 3
    assert WHOLE.extended() is WHOLE


def test_a_history_cannot_change() -> None:
    """There is no append, no field can be set, and passed lists stay the caller's own."""
    messages = [A]
    tools = [ToolSpec("add")]
    history = History(messages, tools=tools)
    messages.append(B)
    tools.clear()
    assert history.messages == (A,)
    assert len(history.tools) == 1
    assert not hasattr(history, "append")
    with pytest.raises(AttributeError):
        history.id = "x"  # type: ignore[misc]
    with pytest.raises(TypeError):
        history[0] = B  # type: ignore[index]


def test_equality_hash_pickle_and_copy() -> None:
    """Histories are equal by value, notes aside, hash alike, and come back from pickle and copies."""
    for again in (
        pickle.loads(pickle.dumps(WHOLE)),
        copy.copy(WHOLE),
        copy.deepcopy(WHOLE),
        WHOLE.evolve(notes={}),
    ):
        assert again == WHOLE
        assert hash(again) == hash(WHOLE)
        assert same(again, WHOLE)
    assert pickle.loads(pickle.dumps(WHOLE)).notes == WHOLE.notes
    assert WHOLE[:2] != WHOLE
    assert WHOLE.evolve(id="h2") != WHOLE
    assert not same(WHOLE.evolve(extras={}), WHOLE)
    assert WHOLE.__eq__(WHOLE.messages) is NotImplemented


def test_of_takes_messages_texts_and_mappings() -> None:
    """Texts become user messages; the factory of its role makes each mapping a message."""
    call = {"id": "c1", "name": "add", "arguments": '{"a": 1}'}
    history = History.of(
        "Hello",
        {"role": "system", "content": "Be brief."},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "content": "2", "tool_call_id": "c1", "name": "add", "error": "no"},
        {"role": "moderator", "content": "Approved.", "name": "Bob"},
        {"role": "user", "content": [TextBlock("Hi")], "metadata": {"a": 1}},
        A,
    )
    assert [message.role for message in history] == [
        "user", "system", "assistant", "tool", "moderator", "user", "user",
    ]  # fmt: skip
    assert [message.text for message in history] == ["Hello", "Be brief.", "", "2", "Approved.", "Hi", "a"]
    assert history[2].tool_calls[0].input == {"a": 1}
    assert (history[3].tool_call_id, history[3].error) == ("c1", "no")
    assert history[4].name == "Bob"
    assert history[6] is A


WRONG: dict[str, tuple[Any, str, tuple[str | int, ...]]] = {
    "no role": ({"content": "x"}, "required", ("messages", 1, "role")),
    "no text": ({"role": "user"}, "required", ("messages", 1, "text")),
    "no text and no id": ({"role": "tool"}, "required", ("messages", 1, "text")),
    "no tool id": ({"role": "tool", "content": "x"}, "required", ("messages", 1, "tool_call_id")),
    "nothing at all": ({}, "required", ("messages", 1, "role")),
    "number": (5, "type", ("messages", 1)),
    "odd call": ({"role": "assistant", "tool_calls": [5]}, "type", ("messages", 1, "tool_calls", 0)),
    "odd content": ({"role": "user", "content": 5}, "type", ("messages", 1, "content")),
    "unknown field": ({"role": "user", "content": "x", "contnet": 1}, "schema", ("messages", 1, "contnet")),
    "unknown field of a result": (
        {"role": "tool", "content": "x", "tool_call_id": "c", "y": 1}, "schema", ("messages", 1, "y"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", list(WRONG))
def test_of_says_which_item_is_wrong(name: str) -> None:
    """An item that makes no message is a typed error with its index; role, text, tool id in order."""
    item, code, path = WRONG[name]
    with pytest.raises(InvalidMessage) as caught:
        History.of("fine", item)
    assert (caught.value.code, caught.value.path) == (code, path)


def test_the_constructor_takes_messages_and_tools_only() -> None:
    """Anything else among messages or tools is refused, with its index."""
    cases: list[tuple[dict[str, Any], tuple[str | int, ...]]] = [
        ({"messages": [A, 5]}, ("messages", 1)),
        ({"messages": 5}, ("messages",)),
        ({"tools": [5]}, ("tools", 0)),
        ({"tools": "x"}, ("tools",)),
    ]
    for fields, path in cases:
        with pytest.raises(InvalidMessage) as caught:
            History(**fields)
        assert (caught.value.code, caught.value.path) == ("type", path)


def test_first_and_last() -> None:
    """The first and last message, of any role or of one; None if there is none."""
    assert (WHOLE.first(), WHOLE.last()) == (A, C)
    assert (WHOLE.first(role="assistant"), WHOLE.last(role="user")) == (B, C)
    assert WHOLE.first(role="tool") is None
    assert History().last() is None


def test_as_history() -> None:
    """A history is itself; a message or several make one; anything else is refused."""
    assert as_history(WHOLE) is WHOLE
    assert as_history(A).messages == (A,)
    assert as_history([A, B]).messages == (A, B)
    assert as_history(iter([A])).messages == (A,)
    one: Any
    for one in ("text", {"role": "user", "content": "text"}):
        for made in (as_history(one), History(one), History() + one, History().extended(one)):
            assert [(message.role, message.text) for message in made] == [("user", "text")]
    for wrong in (b"bytes", {"role": "user"}, 5, None):
        with pytest.raises(InvalidMessage):
            as_history(wrong)  # type: ignore[arg-type]


def test_a_recorder_collects() -> None:
    """A recorder continues a history, takes what History.of takes, and returns the history at any time."""
    recorder = Recorder(WHOLE)
    before = recorder.history
    assert recorder.add("more", {"role": "assistant", "content": "x"}) is recorder
    assert [message.text for message in recorder.history] == ["a", "b", "c", "more", "x"]
    assert _rest(recorder.history) == _rest(WHOLE)
    assert before == WHOLE
    assert len(recorder) == 5


def test_a_recorder_tells_what_the_agent_made() -> None:
    """``on_message`` is called for assistant and tool messages by default; never for inputs, nor for the start."""
    heard: list[str] = []
    recorder = Recorder([B], on_message=lambda message: heard.append(message.text))
    recorder.add("in", B, Msg.tool("out", tool_call_id="c"), Msg.system("s"))
    assert heard == ["b", "out"]
    Recorder(on_message=lambda message: heard.append(message.role), roles=["system"]).add(Msg.system("s"), B)
    assert heard == ["b", "out", "system"]


def test_a_recorder_takes_all_or_nothing() -> None:
    """If one of several items is wrong, none is added."""
    recorder = Recorder()
    with pytest.raises(InvalidMessage):
        recorder.add("fine", 5)  # type: ignore[arg-type]
    assert len(recorder) == 0


def test_pending_calls() -> None:
    """A call is pending until a result has its id; a call that the provider runs never is."""
    calls = [
        ToolUseBlock("c1", "add", {}),
        ToolUseBlock("c2", "add", {}),
        ToolUseBlock("c3", "web", {}, kind="server"),
    ]
    recorder = Recorder().add("q", Msg.assistant(tool_calls=calls))
    assert [call.id for call in recorder.pending_tool_calls] == ["c1", "c2"]
    recorder.add(Msg.tool("x", tool_call_id="c1"))
    assert [call.id for call in recorder.pending_tool_calls] == ["c2"]
