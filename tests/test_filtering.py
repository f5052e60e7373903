"""History.filter, History.exclude and filter_messages: which messages stay, and that the others are the rest."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentmsg as am
from agentmsg.testing import histories

CALL = am.ToolUseBlock("c1", "get_weather", {"city": "Paris"})
TALK = am.History(
    [
        am.Msg.system("Be brief.", id="s"),
        am.Msg.user("Weather?", id="u", name="ada"),
        am.Msg.assistant(tool_calls=[CALL], id="a"),
        am.Msg.tool("Sunny.", tool_call_id="c1", name="get_weather", id="t"),
        am.Msg.assistant("Sunny.", id="b", name="bob"),
        am.Msg.chat("moderator", "Fine.", id=None),
        am.Msg.chat("ai", "Beep.", id="r"),
    ],
    id="talk",
    metadata={"k": 1},
)


def _ids(messages: am.History) -> str:
    return "".join(message.id or "-" for message in messages)


def _has_y(message: am.Msg) -> bool:
    return "y" in message.text


# -- filter and exclude ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("conditions", "kept"),
    [
        ({}, "suatb-r"),
        ({"role": "user"}, "u"),
        ({"role": "human"}, "u"),
        ({"role": "ai"}, "abr"),
        ({"role": "assistant"}, "ab"),
        ({"role": ("system", "moderator")}, "s-"),
        ({"role": []}, ""),
        ({"name": "ada"}, "u"),
        ({"name": "get_weather"}, "t"),
        ({"name": None}, "sa-r"),
        ({"name": {"bob", None}}, "sab-r"),
        ({"id": "t"}, "t"),
        ({"id": None}, "-"),
        ({"id": ("a", None)}, "a-"),
        ({"block": am.ToolUseBlock}, "a"),
        ({"block": [am.ToolUseBlock, am.ToolResultBlock]}, "at"),
        ({"block": am.BaseBlock}, "suatb-r"),
        ({"where": _has_y}, "tb"),
        ({"role": "assistant", "block": am.TextBlock}, "b"),
        ({"role": "assistant", "name": None, "id": ["a", "b"], "where": bool}, "a"),
        ({"role": "user", "name": "bob"}, ""),
    ],
)
def test_filter_takes_what_meets_all_conditions(conditions: dict[str, Any], kept: str) -> None:
    """A message stays if it has one of the values that each condition names; exclude returns all others."""
    assert _ids(TALK.filter(**conditions)) == kept
    assert _ids(TALK.exclude(**conditions)) == "".join(each for each in "suatb-r" if each not in kept)


def test_several_values_may_come_from_a_generator() -> None:
    """A condition is read once, so any iterable works."""
    assert _ids(TALK.filter(id=iter(("a", "b")), role=iter(("assistant",)))) == "ab"


def test_the_rest_of_the_history_stays() -> None:
    """The result is the history with other messages, or the history itself if all of them stay."""
    kept = TALK.filter(role="user")
    assert (kept.id, kept.metadata, len(TALK)) == ("talk", {"k": 1}, 7)
    assert TALK.filter() is TALK
    assert TALK.exclude(role="nobody") is TALK


def test_the_tool_of_a_result_is_known_by_its_call() -> None:
    """A result without a name has the name that its reader found at its call."""
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    native = [{"role": "assistant", "tool_calls": [call]}, {"role": "tool", "tool_call_id": "c1", "content": "ok"}]
    assert [message.role for message in am.decode({"messages": native}, "openai").filter(name="f")] == ["tool"]


@pytest.mark.parametrize(
    ("conditions", "path"),
    [
        ({"role": 1}, "role"),
        ({"role": ["user", None]}, "role"),
        ({"role": b"user"}, "role"),
        ({"role": {"user": True}}, "role"),
        ({"name": 1}, "name"),
        ({"name": [1]}, "name"),
        ({"id": {"a": 1}}, "id"),
        ({"block": "text"}, "block"),
        ({"block": [am.TextBlock, str]}, "block"),
        ({"block": am.Msg}, "block"),
        ({"where": "yes"}, "where"),
    ],
)
def test_conditions_of_the_wrong_kind_are_refused(conditions: dict[str, Any], path: str) -> None:
    """A condition whose type nothing could meet is an error, which names it."""
    for choose in (TALK.filter, TALK.exclude):
        with pytest.raises(am.InvalidMessage) as raised:
            choose(**conditions)
        assert (raised.value.code, raised.value.path[0]) == ("type", path)


_CONDITIONS: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {},
    optional={
        "role": st.lists(st.sampled_from(("user", "ai", "tool", "moderator", "")), max_size=3),
        "name": st.one_of(st.none(), st.just("hi"), st.lists(st.sampled_from((None, "hi", "")), max_size=2)),
        "id": st.one_of(st.none(), st.lists(st.sampled_from((None, "c1", "made_2")), max_size=2)),
        "block": st.sampled_from((am.TextBlock, am.BaseBlock, (am.ToolUseBlock, am.ImageBlock))),
        "where": st.sampled_from((bool, _has_y)),
    },
)


@given(histories(6), _CONDITIONS)
def test_filter_and_exclude_are_the_two_halves(history: am.History, conditions: dict[str, Any]) -> None:
    """Each message is in one of the two, in its order, and choosing again changes nothing."""
    kept, rest = history.filter(**conditions), history.exclude(**conditions)
    mine, others = iter(kept), iter(rest)
    assert len(kept) + len(rest) == len(history)
    chosen = {id(message) for message in kept}
    for message in history:
        assert next(mine if id(message) in chosen else others) is message
    assert kept.filter(**conditions) is kept
    assert len(kept.exclude(**conditions)) == 0
    assert am.same(kept.evolve(messages=()), history.evolve(messages=()))


# -- filter_messages ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("match", "conditions", "kept"),
    [
        ("any", {"include_names": "bob", "include_ids": ["s"]}, "sb"),
        ("all", {"include_names": "bob", "include_ids": ["s"]}, ""),
        ("all", {"include_names": ["bob", "ada"], "include_ids": ["b", "s"]}, "b"),
        ("any", {"include_types": ["chat"]}, "-r"),
        ("all", {"include_types": ["chat"]}, ""),
        ("any", {"include_types": ["ai"], "exclude_types": "assistant"}, "r"),
        ("any", {"include_names": [], "include_types": ["human"]}, "u"),
        ("any", {"exclude_names": [], "exclude_ids": []}, "suatb-r"),
    ],
)
def test_the_two_meanings_of_filter_messages(match: Any, conditions: dict[str, Any], kept: str) -> None:
    """One inclusion suffices with "any", all are needed with "all"; exclusions count in both."""
    assert _ids(am.filter_messages(TALK, match=match, **conditions)) == kept


def test_developers_are_the_system_with_langchain_only() -> None:
    """LangChain has no developer: its system messages are both; our role selects the developer alone."""
    talk = am.History([am.Msg.system("a"), am.Msg.developer("b")])
    assert am.filter_messages(talk, include_types="system") is talk
    assert len(am.filter_messages(talk, include_types="system", match="all")) == 1
    assert len(am.filter_messages(talk, include_types="developer")) == 1


def test_calls_are_taken_out_by_their_ids() -> None:
    """A call goes with its result; the rest of the message stays if it still has a call."""
    other = CALL.evolve(id="c2")
    talk = am.History(
        [
            am.Msg.assistant("Both.", tool_calls=[CALL, other]),
            am.Msg.tool("1", tool_call_id="c1"),
            am.Msg.tool("2", tool_call_id="c2"),
            am.Msg("tool", [am.ToolResultBlock("c1", "1"), am.ToolResultBlock("c2", "2")]),
        ]
    )
    left = am.filter_messages(talk, exclude_tool_calls=["c1"])
    assert [message.text for message in left] == ["Both.", "2", "2"]
    assert left[0].tool_calls == (other,)
    assert left[1] is talk[2]
    assert len(am.filter_messages(talk, exclude_tool_calls={"c1", "c2"})) == 0
    assert am.filter_messages(talk, exclude_tool_calls=["c3"]) is talk


def test_calls_of_server_tools_belong_to_their_answer() -> None:
    """A call that the provider ran isn't the client's: it stays, with its result, whatever is excluded."""
    done = am.ToolResultBlock("c1", "Found.", kind="server")
    answer = am.Msg("assistant", [CALL.evolve(kind="server"), done, am.TextBlock("There.")])
    talk = am.History([answer])
    assert am.filter_messages(talk, exclude_tool_calls=True) is talk
    assert am.filter_messages(talk, exclude_tool_calls=["c1"]) is talk


def test_invalid_calls_are_calls() -> None:
    """A call whose arguments aren't JSON goes with all calls; LangChain overlooks it."""
    broken = am.Msg.assistant(tool_calls=[am.ToolUseBlock("c1", "f", raw_input="{bad")])
    assert len(am.filter_messages([broken], exclude_tool_calls=True)) == 0


def test_messages_may_come_as_any_iterable() -> None:
    """A list, a generator or one message become a history."""
    assert am.filter_messages(iter(TALK), include_ids=["u"]) == am.History([TALK[1]])
    assert am.filter_messages(TALK[1], include_ids="u") == am.History([TALK[1]])


@pytest.mark.parametrize(
    ("conditions", "path", "code"),
    [
        ({"match": "some"}, "match", "option"),
        ({"match": None}, "match", "option"),
        ({"include_names": [None]}, "include_names", "type"),
        ({"exclude_ids": 7}, "exclude_ids", "type"),
        ({"include_types": [am.Msg]}, "include_types", "type"),
        ({"exclude_tool_calls": "c1"}, "exclude_tool_calls", "type"),
        ({"exclude_tool_calls": 1}, "exclude_tool_calls", "type"),
        ({"exclude_tool_calls": [1]}, "exclude_tool_calls", "type"),
    ],
)
def test_arguments_of_the_wrong_kind_are_refused(conditions: dict[str, Any], path: str, code: str) -> None:
    """Impossible arguments raise an error with their name; messages must be messages."""
    with pytest.raises(am.InvalidMessage) as raised:
        am.filter_messages(TALK, **conditions)
    assert (raised.value.code, raised.value.path[0]) == (code, path)
    with pytest.raises(am.InvalidMessage):
        am.filter_messages([7])  # type: ignore[list-item]  # possible for a caller without a type checker
