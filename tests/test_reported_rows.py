"""Pairs of answers: hf's, sharegpt's and OpenAI's rows hold a chosen and a rejected one, each in places of its own."""

from __future__ import annotations

import json
from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest

import agentmsg as am
from agentmsg.formats import natives
from agentmsg.testing import honest_account
from data import SHARED
from support.checked import returned

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ROWS: tuple[am.CodecName, ...] = ("hf", "sharegpt", "openai")
_PARAMETERS: Any = {"type": "object", "properties": {"k": {"type": "string"}}}
_FUNCTION: Any = {"name": "get", "description": "Get", "parameters": _PARAMETERS}
TOOLS: Any = [{"type": "function", "function": _FUNCTION}]
REPORTED: Any = json.loads((SHARED / "reported" / "dpo-with-tools.jsonl").read_text())


def said(text: str, role: str = "assistant") -> Any:
    """Return a raw message of a chat."""
    return {"role": role, "content": text}


def turn(text: str, sender: str = "gpt") -> Any:
    """Return a turn."""
    return {"from": sender, "value": text}


PAIR: Mapping[am.CodecName, Any] = {
    "hf": {"prompt": [said("Sky?", "user")], "chosen": [said("Blue.")], "rejected": [said("Green.")]},
    "sharegpt": {"conversations": [turn("Sky?", "human")], "chosen": turn("Blue."), "rejected": turn("Green.")},
    "openai": {
        "input": {"messages": [said("Sky?", "user")]},
        "preferred_output": [said("Blue.")],
        "non_preferred_output": [said("Green.")],
    },
}
"""One pair in its usual form."""


def _with_tools(codec: am.CodecName) -> Any:
    row = PAIR[codec]
    if codec == "sharegpt":
        return {**row, "tools": json.dumps([_FUNCTION])}
    return {**row, "input": {**row["input"], "tools": TOOLS}} if codec == "openai" else {**row, "tools": TOOLS}


# Other forms of the same pair.
SPELT: tuple[tuple[am.CodecName, Any], ...] = (
    ("hf", {"prompt": "Sky?", "chosen": "Blue.", "rejected": "Green."}),
    ("hf", {**PAIR["hf"], "chosen": said("Blue."), "rejected": said("Green."), "messages": PAIR["hf"]["prompt"]}),
    ("hf", {f"{key}_messages": value for key, value in PAIR["hf"].items()}),
    ("hf", PAIR["openai"]),
    ("sharegpt", {**PAIR["sharegpt"], "chosen": "Blue.", "rejected": "Green."}),
    ("sharegpt", {"instruction": "Sky?", "input": "", "chosen": "Blue.", "rejected": "Green."}),
)
del SPELT[1][1]["prompt"]


@pytest.mark.parametrize("told", [PAIR.__getitem__, _with_tools], ids=["alone", "with tools"])
@pytest.mark.parametrize(("source", "target"), [*permutations(ROWS, 2)])
def test_a_pair_stands_in_the_places_of_each_format(
    source: am.CodecName, target: am.CodecName, told: Callable[[am.CodecName], Any]
) -> None:
    """Nothing is lost, and it comes back exactly."""
    returned(told(source), codec=am.get_codec(source))
    done = am.convert(told(source), source, target)
    assert done.document == told(target)
    assert not done.losses
    assert am.convert(done.document, target, source).document == told(source)


@pytest.mark.parametrize("target", ROWS)
@pytest.mark.parametrize(("source", "row"), SPELT, ids=str)
def test_however_it_is_spelt(source: am.CodecName, row: Any, target: am.CodecName) -> None:
    """Texts, objects and lists are the same pair; each comes back as it was."""
    returned(row, codec=am.get_codec(source))
    done = am.convert(row, source, target)
    assert done.document == (row if source == target else PAIR[target])
    assert not done.losses


@pytest.mark.parametrize("target", ["sharegpt", "openai"])
def test_the_reported_row(target: am.CodecName) -> None:
    """Messages, tools, and both answers as objects, one of them a call."""
    history = returned(REPORTED, codec=am.get_codec("hf"))
    assert [message.role for message in history] == ["user", "assistant", "tool", "assistant"]
    is_chat = target == "openai"
    done = am.convert(REPORTED, "hf", am.get_codec("openai", thinking="reasoning_content") if is_chat else target)
    assert not done.losses.content
    assert am.same(am.restore(am.decode(done.document, target), done.losses), history)
    row: Any = done.document
    if is_chat:
        assert row["preferred_output"] == [REPORTED["chosen"]]
        assert row["non_preferred_output"] == [REPORTED["rejected"]]
        assert row["input"] == {key: REPORTED[key] for key in ("messages", "tools")}
    else:
        called = '<think>\nneed b\n</think>\n\n{"name": "get", "arguments": {"k": "b"}}'
        assert row["chosen"] == turn(called, "function_call")
        assert row["rejected"] == turn("dunno")


_CALL: Any = {"type": "function", "function": {"name": "get", "arguments": {"k": "b"}}}
_CALLED: Any = {**said(""), "tool_calls": [_CALL]}


def test_a_rejected_call_is_a_call() -> None:
    """A turn has its JSON; OpenAI's arguments are texts."""
    row = {**PAIR["hf"], "rejected": [_CALLED]}
    done = am.convert(row, "hf", "sharegpt")
    assert not done.losses
    assert done.document == {
        **PAIR["sharegpt"],
        "rejected": turn('{"name": "get", "arguments": {"k": "b"}}', "function_call"),
    }
    assert am.convert(done.document, "sharegpt", "hf").document == row
    returned(done.document, codec=am.get_codec("sharegpt"))
    chat = am.convert(row, "hf", "openai")
    (answer,) = chat.document["non_preferred_output"]
    assert answer["tool_calls"][0]["function"] == {"name": "get", "arguments": '{"k": "b"}'}
    assert [loss.where for loss in chat.losses] == ["extras/hf/rejected"]


@pytest.mark.parametrize("target", ["sharegpt", "openai"])
def test_a_repeated_prompt_is_left_out(target: am.CodecName) -> None:
    """Two whole conversations are one prompt and two answers; the loss holds what was repeated."""
    asked = PAIR["hf"]["prompt"]
    row = {"chosen": [*asked, said("Blue.")], "rejected": [*asked, said("Green.")]}
    done = am.convert(row, "hf", target)
    assert done.document == PAIR[target]
    assert [(loss.where, loss.kind) for loss in done.losses] == [("extras/hf/rejected", "changed")]
    assert am.encode(am.restore(am.decode(done.document, target), done.losses), "hf") == row


@pytest.mark.parametrize(
    ("target", "rejected"),
    [
        ("sharegpt", [said("a"), said("b")]),
        ("sharegpt", [{**said("a"), "weight": 0}]),
        ("sharegpt", [{**said(""), "name": 5}]),
        ("openai", [said("Ground?", "user"), said("Green.")]),
        ("anthropic", [said("a")]),
        ("sharegpt", [5]),
    ],
    ids=str,
)
def test_what_a_format_cannot_say_is_content(target: am.CodecName, rejected: Any) -> None:
    """The loss names the rejected answer, and restores it."""
    row = {**PAIR["hf"], "rejected": rejected}
    history = returned(row, codec=am.get_codec("hf"))
    done = am.convert(row, "hf", target)
    assert [loss.where for loss in done.losses.content] == ["extras/hf/rejected"]
    assert am.same(am.restore(am.decode(done.document, target), done.losses), history)


ODD: tuple[tuple[am.CodecName, Any], ...] = (
    ("hf", {"messages": [said("a", "user"), said("b")], "rejected": [said("c")]}),
    ("hf", {"messages": [said("a", "user")], "chosen": "b", "rejected": "c"}),
    ("hf", {"messages": [], "chosen": said("b"), "rejected": [said("c"), said("d", "user")]}),
    ("hf", {"turns": [said("a", "user")], "chosen": [said("b"), said("x", "user")], "rejected": said("c")}),
    ("hf", {"prompt": "a", "chosen": [said("b")], "rejected": said("c")}),
    ("hf", {"prompt": [said("a", "user")], "chosen": "b", "rejected": {"role": 5}}),
    ("hf", {"prompt": [said("a", "user")], "chosen": [said("b"), said("c", "user")], "rejected": ""}),
    ("hf", {"messages": json.dumps([said("a", "user")]), "chosen": said("b"), "rejected": said("c")}),
    ("hf", {"system": "s", "turns": json.dumps([said("a", "user")]), "chosen": [said("b")], "rejected": [said("c")]}),
    ("hf", {"prompt": "a", "completion": "b", "rejected": "c"}),
    ("sharegpt", {"conversations": [turn("a", "human"), turn("b")], "rejected": turn("c")}),
    ("sharegpt", {"conversations": [turn("a", "human"), turn("b")], "rejected": "c"}),
    ("sharegpt", {"conversations": [], "rejected": turn("c")}),
    ("sharegpt", {"conversations": [turn("a", "human")], "chosen": ["b"], "rejected": turn("c")}),
    ("sharegpt", {"conversations": [turn("a", "human")], "chosen": turn("b"), "rejected": {**turn("c"), "weight": 0}}),
    ("sharegpt", {"conversations": [turn("a", "human")], "chosen": turn("b"), "rejected": turn("{", "function_call")}),
    ("sharegpt", {"conversations": [turn("a", "human")], "chosen": turn("b", "nobody"), "rejected": turn("c")}),
    ("sharegpt", {"conversations": [turn("a", "human")], "chosen": turn("b", "tool"), "rejected": turn("c")}),
    ("sharegpt", {"instruction": "a", "output": "b", "rejected": turn("c")}),
    ("sharegpt", {"instruction": "a", "input": "", "output": "b", "chosen": "b", "rejected": "c"}),
    ("sharegpt", {"instruction": "a", "chosen": "b", "rejected": turn("c")}),
    ("openai", {**PAIR["openai"], "preferred_output": [said("b"), said("c", "user")]}),
    ("openai", {**PAIR["openai"], "non_preferred_output": [_CALLED, {"role": "tool"}]}),
    ("openai", {**PAIR["openai"], "input": {"messages": [], "model": "m", "rejected": 1, "input": "x"}}),
)


@pytest.mark.parametrize(("source", "row"), [*ODD, *SPELT, *PAIR.items(), ("hf", REPORTED)], ids=str)
def test_rows_come_back_and_edits_are_told(source: am.CodecName, row: Any) -> None:
    """Also odd ones; whatever is changed, removed or added, each format accounts for all of it."""
    history = returned(row, codec=am.get_codec(source))
    messages = history.messages
    more = am.Msg.user("more", created_at=None)
    old = {**history.extras, source: {**natives.extras_of(history, source), "rejected": row.get("rejected")}}
    for changed in (
        history,
        history.evolve(messages=(*messages, more)),
        history.evolve(messages=messages[:-1]),
        history.evolve(messages=()),
        history.evolve(messages=messages[::-1]),
        history.evolve(messages=[message.evolve(notes={}) for message in messages]),
        history.evolve(notes={}),
        history.evolve(messages=[message.evolve(notes={}) for message in messages], notes={}),
        history.evolve(extras=old),
    ):
        for target in ROWS:
            honest_account(am.get_codec(target), changed)


@pytest.mark.parametrize(
    "row",
    [
        {**PAIR["openai"], "preferred_output": []},
        {**PAIR["openai"], "non_preferred_output": [said("a", "user")]},
        {**PAIR["openai"], "input": []},
        {**PAIR["openai"], "more": 1},
    ],
    ids=str,
)
def test_other_rows_are_no_requests(row: Any) -> None:
    """A row without both answers isn't read as a request."""
    with pytest.raises(am.DecodeError):
        am.decode(row, "openai")
