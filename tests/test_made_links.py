"""Made ids: calls of documents without ids stay apart in one history, and no comparison of the laws sees them."""

from __future__ import annotations

import json
from functools import reduce
from typing import TYPE_CHECKING, Any

import attrs
import pytest
from pydantic import TypeAdapter

import agentmsg as am
from agentmsg.model.tool_links import links

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmsg_codecs import CodecName

OLD = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}
FUNCTION: dict[str, Any] = {"name": "f", "args": {}}
NAMED: dict[str, Any] = {"name": "f", "arguments": {}}
# A document with one call that has no id, by format.
CALLS: dict[CodecName, Any] = {
    "gemini-response": {
        "candidates": [{"content": {"role": "model", "parts": [{"functionCall": FUNCTION}]}, "index": 0}]
    },
    "gemini": [{"role": "model", "parts": [{"functionCall": FUNCTION}]}],
    "openai": [OLD],
    "openai-response": {"choices": [{"index": 0, "message": OLD, "finish_reason": "function_call"}]},
    "hf": [{"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": NAMED}]}],
    "sharegpt": [{"from": "function_call", "value": '{"name": "f", "arguments": {}}'}],
    "pydantic-ai": [{"kind": "response", "parts": [{"part_kind": "tool-call", "tool_name": "f", "args": {}}]}],
    "vercel-ui": [{"role": "assistant", "parts": [{"type": "tool-f", "state": "input-available", "input": {}}]}],
}  # fmt: skip
# The others need the made id to tell a call from its neighbours: their spelling without one is for the first.
LEAVING_OUT = ("gemini", "gemini-response", "hf", "pydantic-ai")
each_call = pytest.mark.parametrize("name", list(CALLS))


def recorded(history: am.History, messages: am.History) -> am.History:
    """Return a history with more messages, as a recorder collects them."""
    return am.Recorder(history).add(*messages).history


FIELD: TypeAdapter[am.History] = TypeAdapter(am.History)
GROW: dict[str, Callable[[am.History, am.History], am.History]] = {
    "sum": lambda history, messages: history + messages,
    "sum of lists": lambda history, messages: history + list(messages),
    "extended": lambda history, messages: history.extended(*messages),
    "one by one": lambda history, messages: reduce(am.History.__add__, messages, history),
    "recorder": recorded,
    "of": lambda history, messages: am.History.of(*history, *messages),
    "constructor": lambda history, messages: am.History([*history, *messages]),
    "generator": lambda history, messages: am.History(each for part in (history, messages) for each in part),
    "evolve": lambda history, messages: history.evolve(messages=(*history, *messages)),
    "copy": lambda history, messages: attrs.evolve(history, messages=[*history, *messages]),
    "function": lambda history, messages: am.trim_messages([*history, *messages], max_messages=99),
    "filter": lambda history, messages: am.filter_messages([*history, *messages]),
    "field": lambda history, messages: FIELD.validate_python([*history, *messages]),
}


def call_of(messages: am.History) -> am.ToolUseBlock:
    """Return the only call."""
    (call,) = [call for message in messages for call in message.tool_calls]
    return call


def loop(
    name: CodecName, grow: Callable[[am.History, am.History], am.History], link: Callable[[Any], str]
) -> am.History:
    """Return a history of three calls, each with its result, as an agent's loop makes it."""
    history = am.History.of("Hi")
    for number in range(3):
        answer = am.decode(CALLS[name], name)
        history = grow(history, answer)
        result = am.Msg.tool(str(number), tool_call_id=link(call_of(answer)))
        history = grow(history, am.History.of(result))
    return history


def check_links(history: am.History) -> None:
    """Assert that each call has an id of its own, and its result."""
    calls = [call.id for message in history for call in message.tool_calls]
    results = [message.tool_call_id for message in history if message.role == "tool"]
    assert len(set(calls)) == 3
    assert calls == results


@pytest.mark.parametrize("how", list(GROW))
@each_call
def test_made_ids_never_collide(name: CodecName, how: str) -> None:
    """Answers without ids are added as they come, with their results; so is an id that became a plain text."""
    ways: list[Callable[[Any], str]] = [lambda call: call.id, lambda call: str(call.id)]
    for link in ways:
        check_links(loop(name, GROW[how], link))


STORE: dict[str, Callable[[am.History], am.History]] = {
    "json": lambda history: am.loads(am.dumps(history, "json"), "json"),
    "data": lambda history: am.decode(am.encode(history, "json"), "json"),
    "msgpack": lambda history: am.loads(am.dumps(history, "msgpack"), "msgpack"),
    "rows": lambda history: am.History([am.Msg.from_json(row.to_json()) for row in history]),
    "rows by +": lambda history: reduce(
        am.History.__add__, [am.Msg.from_json(row.to_json()) for row in history], am.History()
    ),
    "list": lambda history: am.decode([am.encode(each, "json")["messages"][0] for each in history], "json"),
    "field": lambda history: FIELD.validate_json(FIELD.dump_json(history)),
}  # fmt: skip


@pytest.mark.parametrize("how", list(STORE))
@each_call
def test_made_ids_stay_made_in_a_store(name: CodecName, how: str) -> None:
    """A history that is stored after each step is as one that wasn't, also as it is written again."""
    store = STORE[how]
    stored = loop(name, lambda history, messages: store(history) + store(messages), lambda call: str(call.id))
    kept = loop(name, GROW["sum"], lambda call: call.id)
    check_links(stored)
    assert [str(message) for message in store(stored)] == [str(message) for message in kept]
    for target in ("gemini", "hf", "openai"):
        assert am.encode(store(stored), target) == am.encode(kept, target)


@pytest.mark.parametrize("how", ["json", "data", "msgpack", "rows", "field"])
@each_call
def test_answers_that_were_stored_are_joined(name: CodecName, how: str) -> None:
    """Rows and documents that were stored one by one are told apart; an id that somebody set is not made."""
    answer = am.decode(CALLS[name], name)
    part = answer + [am.Msg.tool("x", tool_call_id=call_of(answer).id)]  # noqa: RUF005 - a history
    stored = STORE[how](part)
    check_links(stored + stored + stored)
    check_links(stored + part + stored)
    check_links(am.History([*stored, *stored, *stored]))
    own = answer[-1].evolve(content=[call_of(answer).evolve(id="own")])
    assert [type(call_of(STORE[how](am.History([message]))).id) for message in (own, answer[-1])] == [str, am.Made]


@each_call
def test_a_result_of_the_answer_in_hand_is_its_own(name: CodecName) -> None:
    """Of calls that wait under one id, the last gets the result; the first, if the result was made for it."""
    one, two = (am.decode(CALLS[name], name) for _ in range(2))
    history = am.History.of("Hi") + one + "Never mind" + two
    first, second = (call.id for message in history for call in message.tool_calls)
    assert (history + call_of(two).result("2"))[-1].tool_call_id == second
    assert (history + call_of(history[:-1]).result("1"))[-1].tool_call_id == first
    assert (history + call_of(history[-1:]).result("2"))[-1].tool_call_id == second


@each_call
def test_answers_that_come_with_their_results(name: CodecName) -> None:
    """A call that is added together with its result keeps it, after others of the same id."""
    answer = am.decode(CALLS[name], name)
    both = answer + [am.Msg.tool("1", tool_call_id=str(call_of(answer).id))]  # noqa: RUF005 - a history
    check_links(both + both + both)
    stored = am.loads(am.dumps(both, "json"), "json")
    check_links(stored + both + both)
    check_links(am.History.of(*stored, *both, *both))
    check_links(am.History.of(*both, *both, *both))


@each_call
def test_others_see_calls_with_ids_of_their_own(name: CodecName) -> None:
    """Every format writes such a history so that each result answers its call, and reads it so."""
    history = loop(name, GROW["sum"], lambda call: call.id)
    for target in am.codec_names():
        if not target.endswith("-response"):
            back = am.decode(am.encode(history, target, on_loss="ignore"), target)
            assert len(links(back.messages)) == 3, target


@each_call
def test_made_ids_are_not_written(name: CodecName) -> None:
    """A document without ids comes back without; so do answers of Gemini in a history that grew."""
    answer = am.decode(CALLS[name], name)
    assert am.encode(answer, name) == CALLS[name]
    twice = (answer + answer).messages
    alone = [am.encode(am.History(twice[at : at + 1]), name) for at in range(2)]
    if name in LEAVING_OUT:
        assert [json.dumps(document).count('"id"') for document in alone] == [0, 0]


def test_a_grown_history_of_gemini_has_no_ids() -> None:
    """Neither calls nor results of a loop are written with an id."""
    written = json.dumps(am.encode(loop("gemini-response", GROW["sum"], lambda call: call.id), "gemini"))
    assert '"id"' not in written


def test_results_out_of_order_keep_their_calls() -> None:
    """Where the order would pair a result with another call, ids are written."""
    answer = am.decode(CALLS["gemini-response"], "gemini-response")
    two = am.History.of("Hi") + answer + answer
    first, second = (call.id for message in two for call in message.tool_calls)
    history = two + [am.Msg.tool("2", tool_call_id=second), am.Msg.tool("1", tool_call_id=first)]  # noqa: RUF005
    back = am.decode(am.encode(history, "gemini"), "gemini")
    assert [message.text for message in back if message.role == "tool"] == ["2", "1"]
    assert links(back.messages) == links(history.messages) == {(3, 0): (2, 0), (4, 0): (1, 0)}


def test_parts_of_a_conversation_are_kept_apart() -> None:
    """Documents that are read as one conversation are joined in the same way, and come back."""
    parts = [CALLS["gemini-response"]] * 3
    history = am.decode_parts(parts)
    assert len({call.id for message in history for call in message.tool_calls}) == 3


def test_made_values_are_all_the_same() -> None:
    """``same`` sees no made id or time, but what somebody set, and which result answers which call."""
    one, two = (am.History.of("Hi", {"role": "assistant", "content": "Hello"}) for _ in range(2))
    assert one != two
    assert am.same(one, two)
    assert am.same(one[0], two[0])
    assert not am.same(one[0].evolve(id="m"), two[0])
    answer = am.decode(CALLS["gemini-response"], "gemini-response")
    call = call_of(answer)
    other = call.evolve(id=am.Made("call_7_0_f"))
    assert am.same(call, other)

    def linked(*ids: str) -> am.History:
        calls = [call.evolve(id=am.Made(link)) for link in ("a", "b")]
        results = [am.Msg("tool", (am.ToolResultBlock(am.Made(link), "x"),)) for link in ids]
        return am.History([am.Msg("assistant", calls), *results])

    renamed = am.History(
        [
            am.Msg("assistant", [call.evolve(id=am.Made(link)) for link in ("c", "d")]),
            *(am.Msg("tool", (am.ToolResultBlock(am.Made(link), "x"),)) for link in ("c", "d")),
        ]
    )
    assert am.same(linked("a", "b"), renamed)
    assert not am.same(linked("b", "a"), renamed)


# Documents in which calls have no ids of their own, or the same ids again: what a document says twice stays so.
QUESTION: dict[str, Any] = {"role": "user", "content": "Q"}
SERVED = {"type": "mcp_call", "id": "mcp_1", "server_label": "s", "name": "f", "arguments": "{}", "output": "1"}
AGAIN: dict[CodecName, list[Any]] = {
    "openai-responses": [{"type": "message", **QUESTION}, SERVED],
    "openai": [QUESTION, OLD, {"role": "function", "name": "f", "content": "1"}],
    "hf": [QUESTION, CALLS["hf"][0], {"role": "tool", "name": "f", "content": "1"}],
}


@pytest.mark.parametrize("name", list(AGAIN))
def test_a_document_that_repeats_ids_is_restored_exactly(name: CodecName) -> None:
    """No function inside renames what a document says, on the way to any format and back."""
    document = AGAIN[name] * 3
    for target in am.codec_names():
        done = am.convert(document, name, target, on_loss="ignore")
        back = am.restore(am.decode(done.document, target), done.losses)
        assert am.encode(back, name) == document, target
