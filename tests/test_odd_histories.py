"""Histories that no document holds: joined, cut and edited, so that odd values end up in new places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs
import pytest

import agentmsg as am
from agentmsg.testing.laws import carried_account, honest_account, sendable

if TYPE_CHECKING:
    from collections.abc import Callable

    Change = Callable[[am.Msg], am.Msg]

_JAVA: dict[str, Any] = {"role": "TOOL", "content": [{"type": "tool_result", "output": [{}], "result": [{}]}]}
_UNLINKED, _HALF_LINKED = {"role": "tool"}, {"role": "tool", "tool_call_id": None, "tool_id": ""}
_ENVELOPE = {"lc": 1, "type": "constructor", "id": ["HumanMessage"], "kwargs": {"content": "a"}}
_MORE_THAN_DATA = {"type": "human", "data": {"type": "human"}, "more": 1}
_LABELLED = [{"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "a"}], "metadata": []}]
_SAID = {"type": "text", "text": "a"}
_THOUGHT = {"type": "reasoning", "reasoning": "b", "details": [{"type": "text", "text": "b"}]}
_SAID_TWICE: Any = (
    ([_SAID, _SAID], {}), ([_THOUGHT, _THOUGHT], {"content": "", "reasoning": "b"}),
    ([_SAID, _SAID, {"type": "step-start"}, {**_SAID, "text": "b"}], {"content": "ab"}),
)  # fmt: skip
_SERVED: tuple[am.ToolUseBlock, ...] = (
    am.ToolUseBlock(None, "f", kind="server"), am.ToolUseBlock(None, "", raw_input='{"q', kind="server"),
)  # fmt: skip


def _together(name: am.CodecName, *documents: Any) -> am.History:
    """Return all documents joined, in the first one's container."""
    found = [am.decode(document, name) for document in documents]
    return found[0].evolve(messages=[message for history in found for message in history])


def _edited(name: am.CodecName, document: Any, change: Change) -> am.History:
    history = am.decode(document, name)
    return history.evolve(messages=[change(message) for message in history])


def _first_gone(message: am.Msg) -> am.Msg:
    return message.evolve(content=message.content[1:])


def _of_system(message: am.Msg) -> am.Msg:
    return message.evolve(role="system")


def _with_metadata(message: am.Msg) -> am.Msg:
    return message.evolve(metadata={"a": 1})


def _foreign_inside(message: am.Msg) -> am.Msg:
    """Return a message whose result holds an unknown block."""
    return message.evolve(content=(message.tool_results[0].evolve(content=(am.NativeBlock("x-other", {}),)),))


def _hinted(*options: Any) -> Any:
    parts = [{"type": "text", "text": "a", "providerOptions": {"anthropic": each}} for each in options]
    return [{"role": "user", "content": parts}]


def _old(**more: Any) -> Any:
    return [{"id": "m", "role": "assistant", "content": "a", **more}]


def _served(*calls: am.ToolUseBlock) -> am.History:
    """Return calls and a result of the provider's without ids, twice: the loss report pairs calls with one another."""
    return am.History.of(am.Msg(role="assistant", content=(*calls, am.ToolResultBlock(None, kind="server")) * 2))


# Of one provider, with a thought that isn't in its form: the model tells whose that is, too.
_SEALED = (am.TextBlock("a", phase="final_answer"), am.ThinkingBlock(redacted="ZGF0YQ=="))
_CASES: tuple[tuple[am.CodecName, am.History], ...] = (
    ("agentscope-java", _edited("agentscope-java", _JAVA, _foreign_inside)),
    ("arcaelas", _together("arcaelas", [_UNLINKED], [_HALF_LINKED])),
    ("bedrock", _together("bedrock", {"messages": [{"role": "user"}], "system": []}, {"system": [{}], "messages": []})),
    ("gemini-response", _edited("gemini-response", {"responseId": ""}, lambda message: message.evolve(id=None))),
    ("langchain", am.History.of(am.Msg("assistant", _SEALED, model="gpt-5", provider="openai", api="responses"))),
    ("langgraph", _together("langgraph", [_ENVELOPE], [_MORE_THAN_DATA])),
    ("openai-responses", am.History.of(am.Msg("user", (am.TextBlock("a", cache=am.CacheHint("x", "")),)))),
    ("pydantic-ai", _edited("pydantic-ai", _LABELLED, _with_metadata)),
    ("vercel", _edited("vercel", _hinted({}, {"cacheControl": {"type": "x"}}), _of_system)),
    ("vercel-ui", _edited("vercel-ui", _old(reasoning=[], parts=[{"type": "tool-f"}]), _first_gone)),
    ("vercel-ui", _edited("vercel-ui", _old(toolInvocations=[], parts=[{"type": "tool-invocation"}]), _first_gone)),
    *(("vercel-ui", _edited("vercel-ui", _old(parts=parts, **more), _first_gone)) for parts, more in _SAID_TWICE),
    *(("vercel-ui", _served(*calls)) for calls in (_SERVED, _SERVED[::-1])),
)


@pytest.mark.parametrize(("name", "history"), _CASES)
def test_odd_histories_are_told(name: am.CodecName, history: am.History) -> None:
    """Losses of such values are reported, carried or repaired or not, and only real losses are."""
    for law in (honest_account, carried_account, sendable):
        law(am.get_codec(name), history)


@am.register_block("test_odd_histories.toned")
@attrs.frozen
class Toned(am.TextBlock):
    """A text block of a user."""

    tone: str = attrs.field(default="calm", kw_only=True)


@pytest.mark.parametrize("name", am.codec_names())
@pytest.mark.parametrize("text", ["", "a"])
def test_a_text_block_of_ones_own_is_a_text_elsewhere(name: am.CodecName, text: str) -> None:
    """Its words stand where others do, also in the result of a call that failed; the rest is reported."""
    failed = am.ToolResultBlock("c", [Toned(text)], name="f", status="error", error="no")
    call = am.ToolUseBlock("c", "f", {})
    messages = [am.Msg("user", [Toned(text)]), am.Msg("assistant", [Toned(text), call]), am.Msg("tool", [failed])]
    codec = am.get_codec(name)
    for history in (am.History(messages), am.History(messages[-1:])):
        honest_account(codec, history)
        sendable(codec, history)
