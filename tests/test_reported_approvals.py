"""Approvals of tools, and thinking that providers need back: what was reported, and the rules behind it."""

from __future__ import annotations

import json
from functools import cache
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import agentmsg as am
from agentmsg.testing import laws
from data import effort, shared_dir

CODECS = tuple(am.get_codec(name) for name in am.codec_names())
each_codec = pytest.mark.parametrize("codec", CODECS, ids=lambda codec: codec.name)
BARE: Any = {"id": None, "created_at": None}
CALL = {"type": "tool-call", "toolCallId": "toolu_1", "toolName": "delete", "input": {"id": 7}}
REQUEST = {"type": "tool-approval-request", "approvalId": "ap1", "toolCallId": "toolu_1"}
RESPONSE = {"type": "tool-approval-response", "approvalId": "ap1", "approved": True}


def _reported(name: str) -> Any:
    return json.loads((shared_dir() / "reported" / f"{name}.json").read_text("utf-8"))


def _history(*contents: Any) -> am.History:
    """Return the history of messages, each given by its role and blocks."""
    return am.History([am.Msg(role, blocks, **BARE) for role, *blocks in contents])


# -- what was reported ------------------------------------------------------------------------------------------------

# By the input: its format, the target, the model asked, and the messages after the first that are expected.
REPORTED: dict[str, tuple[Any, Any, str | None, list[Any]]] = {
    "vercel-ui-approval-requested": ("vercel-ui", "vercel", None, [
        {"role": "assistant", "content": [CALL, REQUEST]}, {"role": "user", "content": "what would that do?"},
    ]),
    "vercel-ui-approval-responded": ("vercel-ui", "vercel", None, [
        {"role": "assistant", "content": [CALL, REQUEST]}, {"role": "tool", "content": [RESPONSE]},
    ]),
    "deepseek-v4-reasoning": ("anthropic", "openai", "deepseek-v4-pro", [
        {"role": "assistant", "content": None, "reasoning_content": "I need the tool",
         "tool_calls": [{"id": "t1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "t1", "content": "18"},
    ]),
}  # fmt: skip


@pytest.mark.parametrize("name", REPORTED)
def test_reported_inputs_are_converted_as_expected(name: str) -> None:
    """Each input gives the messages that its reporters needed, whole but for signatures, and is restored from them."""
    source, target, model, wanted = REPORTED[name]
    document = _reported(name)
    done = am.convert(document, source, target, model=model)
    written: Any = done.document
    messages = cast("Any", written if isinstance(written, list) else written["messages"])
    assert messages[1:] == wanted
    assert {loss.path[-1] for loss in done.losses.content} <= {"signature"}
    restored = am.restore(am.decode(done.document, target), done.losses)
    assert am.encode(restored, source) == document


@pytest.mark.parametrize("name", ["vercel-ui-approval-requested", "vercel-ui-approval-responded"])
def test_approvals_come_back_to_messages_for_users(name: str) -> None:
    """From messages for models, the part of a call has its state and approval again."""
    document = _reported(name)
    there = am.convert(document, "vercel-ui", "vercel").document
    back = am.convert(there, "vercel", "vercel-ui")
    assert not back.losses
    assert back.document[1]["parts"] == document[1]["parts"][1:]


# -- elsewhere, a denied call has a result ----------------------------------------------------------------------------

_CALL = am.ToolUseBlock("c1", "delete", {"id": 7})
_ASKED = am.ApprovalRequestBlock("ap1", "c1")
_DENIED = am.ApprovalResponseBlock("ap1", approved=False, reason="not that one")
HELD = {"json", "msgpack", "vercel", "vercel-ui"}


def _without_place() -> list[Any]:
    return [codec for codec in CODECS if codec.holds_messages and codec.name not in HELD]


@pytest.mark.parametrize("codec", _without_place(), ids=lambda codec: codec.name)
def test_a_denied_call_has_a_result_with_the_reason(codec: Any) -> None:
    """A format without decisions gets a result with the reason; approvals are dropped. Both are content losses."""
    denied = _history(("user", am.TextBlock("go")), ("assistant", _CALL, _ASKED), ("user", _DENIED))
    losses: list[am.Loss] = []
    document = am.encode(denied, codec, losses=losses)
    assert "not that one" in json.dumps(document)
    assert any(loss.level == "content" and loss.path[:2] == ("messages", 2) for loss in losses)
    back = am.decode(document, codec)
    assert am.same(am.restore(back, losses), denied)
    approved = denied.evolve(messages=[*denied[:2], am.Msg("user", [_DENIED.evolve(approved=True)], **BARE)])
    with pytest.raises(am.LossError):
        am.encode(approved, codec)


@pytest.mark.parametrize("target", ["openai", "anthropic", "gemini", "bedrock", "openai-responses"])
def test_providers_accept_a_denied_call(target: Any) -> None:
    """What is sent for a denied call has a result behind it, so that no rule finds a call without one."""
    denied = _history(("user", am.TextBlock("go")), ("assistant", _CALL, _ASKED), ("user", _DENIED))
    sent = am.decode(am.encode(denied, target, losses=[]), target)
    assert not {each.code for each in am.check(sent, target)} & {"call-unanswered", "call-pending", "result-orphan"}


@pytest.mark.parametrize("target", ["openai", "anthropic"])
def test_a_result_that_is_there_stays_alone(target: Any) -> None:
    """A denied call that has a result gets no second one."""
    result = am.ToolResultBlock("c1", "no", status="denied")
    history = _history(("user", am.TextBlock("go")), ("assistant", _CALL, _ASKED), ("user", _DENIED), ("tool", result))
    back = am.decode(am.encode(history, target, losses=[]), target)
    assert [message.role for message in back] == ["user", "assistant", "tool"]
    assert back[2].text == "no"


@pytest.mark.parametrize("target", ["openai", "anthropic"])
def test_a_repair_says_why_a_call_has_no_result(target: Any) -> None:
    """Where a call lacks its result because a person denied it, repair adds that, not that nothing was recorded."""
    denied = _history(("user", am.TextBlock("go")), ("assistant", _CALL, _ASKED), ("user", _DENIED))
    done = am.repair(denied, target)
    assert [result.text for message in done.history for result in message.tool_results] == ["not that one"]
    assert am.same(am.restore(done.history, done.losses), denied)


# -- parts of messages for users --------------------------------------------------------------------------------------

# By case: the state and other keys of a part, and the blocks that it is read as, without the call.
PARTS: dict[str, tuple[dict[str, Any], list[type[Any]]]] = {
    "asked": ({"state": "approval-requested", "approval": {"id": "a", "requestReason": "r"}},
              [am.ApprovalRequestBlock]),
    "asked in another state": ({"state": "input-available", "approval": {"id": "a"}}, [am.ApprovalRequestBlock]),
    "asked without saying so": ({"state": "approval-requested"}, []),
    "signed": ({"state": "approval-requested", "approval": {"id": "a", "signature": "s", "isAutomatic": True, "x": 1}},
               [am.ApprovalRequestBlock]),
    "decided": ({"state": "approval-responded", "approval": {"id": "a", "approved": False, "reason": "no"}},
                [am.ApprovalRequestBlock, am.ApprovalResponseBlock]),
    "done": ({"state": "output-available", "output": 1, "approval": {"id": "a", "approved": True}},
             [am.ApprovalRequestBlock, am.ApprovalResponseBlock, am.ToolResultBlock]),
    "served": ({"state": "output-available", "output": 1, "approval": {"id": "a", "approved": True},
                "providerExecuted": True}, [am.ApprovalRequestBlock, am.ToolResultBlock, am.ApprovalResponseBlock]),
    "denied": ({"state": "output-denied", "approval": {"id": "a", "approved": False, "reason": "no"}},
               [am.ApprovalRequestBlock, am.ApprovalResponseBlock, am.ToolResultBlock]),
    "denied unasked": ({"state": "output-denied", "approval": {"id": "c1", "approved": False, "reason": "no"}},
                       [am.ToolResultBlock]),
    "not an approval": ({"state": "input-available", "approval": {"id": 1}}, []),
}  # fmt: skip


@pytest.mark.parametrize("case", PARTS)
def test_parts_with_approvals(case: str) -> None:
    """A part is read as its call, the request, the decision and the result, and written as it was."""
    keys, wanted = PARTS[case]
    document: Any = [
        {"id": "m", "role": "assistant", "parts": [{"type": "tool-f", "toolCallId": "c1", "input": {}, **keys}]}
    ]
    history = am.decode(document, "vercel-ui")
    assert [type(block) for message in history for block in message.content] == [am.ToolUseBlock, *wanted]
    assert am.encode(history, "vercel-ui") == document
    for name in ("vercel", "openai", "json"):
        done = am.convert(document, "vercel-ui", name)
        assert am.encode(am.restore(am.decode(done.document, name), done.losses), "vercel-ui") == document


def test_siblings_keep_what_both_say_of_an_approval() -> None:
    """Reasons, signatures and shared keys go from messages for users to those for models, and back."""
    keys = {"id": "a", "requestReason": "why", "signature": "s", "isAutomatic": True, "inputSchemaInput": {"a": 1}}
    part = {"type": "tool-f", "toolCallId": "c1", "input": {}, "state": "approval-requested", "approval": keys}
    done = am.convert([{"id": "m", "role": "assistant", "parts": [part]}], "vercel-ui", "vercel")
    (_, request) = done.document[0]["content"]
    assert request == {"type": "tool-approval-request", "approvalId": "a", "toolCallId": "c1", "reason": "why",
                       "signature": "s", "isAutomatic": True, "inputSchemaInput": {"a": 1}}  # fmt: skip
    assert am.convert(done.document, "vercel", "vercel-ui").document[0]["parts"] == [part]


def test_a_decision_that_a_result_contradicts_makes_it_a_denial() -> None:
    """For users, a denied call has no output: a result in words is the denial."""
    history = _history(("assistant", _CALL, _ASKED), ("user", _DENIED), ("tool", am.ToolResultBlock("c1", "denied!")))
    (message,) = am.encode(history, "vercel-ui", losses=[])
    (part,) = message["parts"]
    assert part["state"] == "output-denied"
    assert part["approval"] == {"id": "ap1", "approved": False, "reason": "not that one"}


# -- OpenAI's Responses -----------------------------------------------------------------------------------------------

_MCP = {"id": "mcpr_1", "name": "f", "arguments": '{"a":1}', "server_label": "s"}
# By case: an item, and the blocks that it is read as.
ITEMS: dict[str, tuple[dict[str, Any], list[type[Any]]]] = {
    "asked": ({"type": "mcp_approval_request", **_MCP}, [am.ToolUseBlock, am.ApprovalRequestBlock]),
    "asked, with more keys": ({"type": "mcp_approval_request", **_MCP, "x": 1},
                              [am.ToolUseBlock, am.ApprovalRequestBlock]),
    "asked without a server": ({"type": "mcp_approval_request", "id": "mcpr_1", "name": "f", "arguments": "{}"},
                               [am.NativeBlock]),
    "asked, and run": ({"type": "mcp_approval_request", **_MCP, "output": "1"}, [am.NativeBlock]),
    "decided": ({"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True},
                [am.ApprovalResponseBlock]),
    "decided, why": ({"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": False,
                      "reason": "no", "id": "mcprs_1"}, [am.ApprovalResponseBlock]),
    "not decided": ({"type": "mcp_approval_response", "approval_request_id": "mcpr_1"}, [am.NativeBlock]),
}  # fmt: skip


@pytest.mark.parametrize("case", ITEMS)
def test_items_of_approvals(case: str) -> None:
    """An item that asks is a call and a request, one that decides is a decision; each is written as it was."""
    item, wanted = ITEMS[case]
    document = {"input": [{"role": "user", "content": "go"}, item]}
    history = am.decode(document, "openai-responses")
    assert [type(block) for block in history[1].content] == wanted
    assert am.encode(history, "openai-responses") == document
    for name in ("vercel", "vercel-ui", "openai", "json"):
        done = am.convert(document, "openai-responses", name)
        assert am.encode(am.restore(am.decode(done.document, name), done.losses), "openai-responses") == document


def test_mcp_approvals_go_to_vercel() -> None:
    """What OpenAI asks for a server's tool is a provider's call with a request there, and so is the decision."""
    items = [ITEMS["asked"][0], ITEMS["decided, why"][0]]
    messages = am.convert({"input": items}, "openai-responses", "vercel").document
    call, request = messages[0]["content"]
    assert call == {"type": "tool-call", "toolCallId": "mcpr_1", "toolName": "mcp.f", "input": {"a": 1},
                    "providerExecuted": True, "providerOptions": {"openai": {"server_label": "s"}}}  # fmt: skip
    assert request == {"type": "tool-approval-request", "approvalId": "mcpr_1", "toolCallId": "mcpr_1"}
    assert messages[1] == {"role": "tool", "content": [
        {"type": "tool-approval-response", "approvalId": "mcpr_1", "approved": False, "reason": "no",
         "providerExecuted": True},
    ]}  # fmt: skip
    back = am.convert(messages, "vercel", "openai-responses").document["input"]
    assert back == [items[0], {key: items[1][key] for key in items[1] if key != "id"}]
    del call["providerOptions"]  # so the SDK's client has it; no item can do without its server
    assert am.encode(am.decode(messages, "vercel"), "vercel") == messages
    assert am.decode(messages, "vercel")[0].tool_calls[0].name == "mcp.f"


def test_nobody_decides_on_what_was_not_asked() -> None:
    """If the request has no place, the decision has none either; one on an earlier response stays."""
    server = _CALL.evolve(kind="server", provider="openai")
    decision = _DENIED.evolve(kind="server")
    asked = _history(("assistant", server, _ASKED), ("user", decision))
    assert "mcp_approval_response" not in json.dumps(am.encode(asked, "openai-responses", losses=[]))
    (item,) = am.encode(_history(("user", decision)), "openai-responses")["input"]
    assert item["approval_request_id"] == "ap1"


# -- AgentScope -------------------------------------------------------------------------------------------------------

_RESULT: dict[str, Any] = {"type": "tool_result", "id": "c1", "name": "f", "output": "1", "state": "success"}
# By case: the role of a message, the keys of its call, and the blocks that the message is read as.
STATES: dict[str, tuple[str, dict[str, Any], list[type[Any]]]] = {
    "asked": ("assistant", {"state": "asking"}, [am.ToolUseBlock, am.ApprovalRequestBlock]),
    "asked, with rules": ("assistant", {"state": "asking", "suggested_rules": [{"tool_name": "f"}], "x": 1},
                          [am.ToolUseBlock, am.ApprovalRequestBlock]),
    "allowed": ("assistant", {"state": "allowed"}, [am.ToolUseBlock]),
    "asked without an id": ("assistant", {"id": None, "state": "asking"}, [am.ToolUseBlock]),
    "asked elsewhere": ("user", {"state": "asking"}, [am.ToolUseBlock]),
}  # fmt: skip


@pytest.mark.parametrize("codec", ["agentscope", "agentscope-java"])
@pytest.mark.parametrize("has_result", [False, True])
@pytest.mark.parametrize("case", STATES)
def test_states_of_calls(case: str, has_result: bool, codec: Any) -> None:
    """A call that a person is asked about is read with a request behind it; each is written as it was."""
    role, keys, wanted = STATES[case]
    is_java = codec == "agentscope-java"
    call: dict[str, Any] = {"type": "tool_use", "input": {}} if is_java else {"type": "tool_call", "input": "{}"}
    content: list[Any] = [{**call, "id": "c1", "name": "f", **keys}]
    if has_result:
        content.append({**_RESULT, "output": [{"type": "text", "text": "1"}]} if is_java else _RESULT)
    document: Any = [{"name": "a", "role": role.upper() if is_java else role, "content": content, "metadata": {}}]
    history = am.decode(document, codec)
    read = [type(block) for message in history for block in message.content]
    assert read == [*wanted, *[am.ToolResultBlock] * has_result]
    assert am.encode(am.loads(am.dumps(history, "json"), "json"), codec) == document
    for name in ("vercel", "vercel-ui", "openai", "openai-responses", "agentscope"):
        done = am.convert(document, codec, name)
        assert am.encode(am.restore(am.decode(done.document, name), done.losses), codec) == document


@pytest.mark.parametrize("codec", ["agentscope", "agentscope-java"])
def test_requests_are_states_of_calls(codec: Any) -> None:
    """What Vercel asks is asked there, and comes back, under the id of the call; but not if the call has its result."""
    asked: list[Any] = [{"role": "assistant", "content": [CALL, REQUEST]}]
    there = am.convert(asked, "vercel", codec)
    (call,) = there.document[0]["content"]
    assert call["state"] == "asking"
    assert [(loss.path[-1], loss.level) for loss in there.losses if loss.level != "annotation"] == []
    again: Any = am.convert(there.document, codec, "vercel").document
    (_, request) = again[0]["content"]
    assert request == {**REQUEST, "approvalId": "toolu_1"}
    output = {"type": "text", "value": "1"}
    result = {"type": "tool-result", "toolCallId": "toolu_1", "toolName": "delete", "output": output}
    answered = [*asked, {"role": "tool", "content": [result]}]
    assert "asking" not in json.dumps(am.convert(answered, "vercel", codec).document)


@pytest.mark.parametrize("codec", ["agentscope", "agentscope-java"])
def test_a_state_without_a_request_is_told(codec: Any) -> None:
    """A state by hand is no request, which a reader would find: losing it loses content."""
    losses: list[am.Loss] = []
    am.encode(_history(("assistant", _CALL.evolve(status="asking"))), codec, losses=losses)
    assert [(loss.path[-1], loss.level) for loss in losses] == [("status", "content")]


@pytest.mark.parametrize("target", ["anthropic", "openai", "gemini"])
def test_that_a_person_is_asked_is_content(target: am.CodecName) -> None:
    """Losing that somebody is asked whether a tool may be called loses content."""
    call = {"type": "tool_call", "id": "c1", "name": "f", "input": "{}", "state": "asking"}
    document = [{"id": "m1", "name": "a", "role": "assistant", "content": [call], "created_at": "2026-01-01T00:00:00"}]
    assert [loss.path for loss in am.convert(document, "agentscope", target).losses.content] == [
        ("messages", 0, "content", 1)
    ]
    call["state"] = "finished"
    assert not am.convert(document, "agentscope", target).losses.content


# -- operations -------------------------------------------------------------------------------------------------------


def test_a_decision_begins_no_turn() -> None:
    """A decision goes on with the turn that asks; a user who says something begins a turn."""
    history = _history(("user", am.TextBlock("go")), ("assistant", _CALL, _ASKED), ("user", _DENIED))
    assert len(history.turns()) == 1
    assert len(history.extended(am.Msg.user("and now?")).turns()) == 2


def test_excluded_calls_take_their_approvals_along() -> None:
    """Filtering out a call removes its request and the decision, too."""
    history = _history(("user", am.TextBlock("go")), ("assistant", _CALL, _ASKED), ("user", _DENIED))
    for what in (True, ["c1"]):
        left = am.filter_messages(history, exclude_tool_calls=what)
        assert [message.role for message in left] == ["user"]


# -- thinking ---------------------------------------------------------------------------------------------------------

MODELS = {
    "deepseek-v4-pro": True, "deepseek-ai/DeepSeek-V4-Flash": True, "mimo-v2-pro": True,
    "XiaomiMiMo/MiMo-V2-Flash": True, "kimi-k2.5": True, "Pro/moonshotai/Kimi-K2.6": True,
    "kimi-k2-thinking-turbo": True, "kimi-for-coding": True,
    "moonshotai.kimi-k2-thinking": True, "us.deepseek.v4": True,
    "gpt-5.1": False, "openai/o3": False, "kimi-k2-0905-preview": None, "qwen3-max": None, None: None,
}  # fmt: skip


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_thinking_goes_back_to_models_that_need_it(model: str | None) -> None:
    """By its name a model gets its thinking, or none; where the name doesn't tell, check names the option."""
    thought = am.ThinkingBlock("I need the tool")
    history = _history(
        ("user", am.TextBlock("?")), ("assistant", thought, _CALL), ("tool", am.ToolResultBlock("c1", "1"))
    )
    history = history.with_settings(model=model) if model else history
    needs = MODELS[model]
    sent = am.encode(history, "openai", losses=[])["messages"][1]
    assert sent.get("reasoning_content") == ("I need the tool" if needs else None)
    assert (
        am.dumps(history, "openai", losses=[])
        == json.dumps(am.encode(history, "openai", losses=[]), separators=(",", ":")).encode()
    )
    found = [each for each in am.check(history, "openai") if each.code == "reasoning-missing"]
    assert [each.path for each in found] == ([("messages", 1)] if needs is None else [])
    assert all(each.severity == "warning" and "thinking=reasoning_content" in each.fix for each in found)
    assert not any(
        each.code == "reasoning-missing" for each in am.check(history, "openai", thinking="reasoning_content")
    )


def test_an_option_wins_over_the_name() -> None:
    """Whoever says where thinking goes is not overruled, and is warned."""
    history = _history(("assistant", am.ThinkingBlock("hm"), _CALL)).with_settings(model="deepseek-v4-pro")
    sent = am.encode(history, "openai", losses=[], thinking="drop")["messages"][0]
    assert "reasoning_content" not in sent
    assert "reasoning-missing" in {each.code for each in am.check(history, "openai", thinking="drop")}


# -- laws -------------------------------------------------------------------------------------------------------------


@cache
def _linked() -> st.SearchStrategy[am.History]:
    """Return histories of calls, requests, decisions and results with few ids, in any order."""
    ids, requests = st.sampled_from(("c1", "c2")), st.sampled_from(("a1", "a2", "c1"))
    kinds, reasons = st.sampled_from(("function", "function", "server")), st.sampled_from((None, "no", "why"))
    extras = st.sampled_from(({}, {"vercel-ui": {"approval": {"id": "x"}}}, {"vercel.approval": {"isAutomatic": True}},
                              {"vercel-ui": {"approved": 1}}))  # fmt: skip
    calls = st.builds(am.ToolUseBlock, ids, st.just("f"), kind=kinds, extras=extras, provider=st.just("openai"),
                      server=st.sampled_from((None, "s")),
                      item_id=st.sampled_from((None, "mcpr_1")), status=st.sampled_from((None, "asking", "allowed"))
                      )  # fmt: skip
    asked = st.builds(am.ApprovalRequestBlock, requests, ids, reason=reasons, extras=extras)
    decided = st.builds(am.ApprovalResponseBlock, requests, st.booleans(), reason=reasons, kind=kinds, extras=extras)
    results = st.builds(am.ToolResultBlock, ids, st.sampled_from(("", "1", "no")), kind=kinds,
                        status=st.sampled_from((None, "denied", "error")), error=reasons)  # fmt: skip
    texts = st.builds(am.TextBlock, st.sampled_from(("hi", "")))
    said = st.lists(st.one_of(calls, calls, asked, asked, results, texts, decided), max_size=5)
    given_ = st.lists(st.one_of(decided, decided, decided, texts), min_size=1, max_size=3)
    ids_of = st.sampled_from((None, None, "m1"))
    messages = st.one_of(
        st.builds(am.Msg, st.just("assistant"), said, id=ids_of, created_at=st.none()),
        st.builds(am.Msg, st.sampled_from(("user", "user", "tool")), given_, id=ids_of, created_at=st.none()),
        st.builds(am.Msg, st.just("tool"), st.lists(results, min_size=1, max_size=2), id=ids_of, created_at=st.none()),
    )
    return st.builds(am.History, st.lists(messages, max_size=6))


@each_codec
def test_linked_approvals_keep_the_laws(codec: Any) -> None:
    """Calls, requests, decisions and results in any order are told whole, and mended; decisions come back in order."""

    @settings(max_examples=effort(150))
    @given(_linked())
    def holds(history: am.History) -> None:
        laws.honest_account(codec, history)
        laws.sendable(codec, history)

    holds()


HOLDING = ("openai-responses", "vercel", "vercel-ui", "langchain", "langchain-lc", "langgraph")


@pytest.mark.parametrize("target", [name for name in am.codec_names() if not name.endswith("response")])
def test_a_denied_call_of_a_provider_is_told_in_words(target: Any) -> None:
    """What a provider would have run is told in words elsewhere, and so is why a person denied it."""
    asked = {"type": "mcp_approval_request", "id": "mcpr_1", "name": "rm", "arguments": "{}", "server_label": "s"}
    told = {
        "type": "mcp_approval_response",
        "approval_request_id": "mcpr_1",
        "approve": False,
        "reason": "Not this one",
    }
    document: list[Any] = [{"role": "user", "content": "rm"}, asked, told]
    done = am.convert(document, "openai-responses", target)
    words = am.dumps(am.decode(done.document, target), "json").decode()
    assert "Not this one" in words
    assert ("server_tool_result" in words) is not (target in HOLDING or am.get_codec(target).caps.everything)
    assert am.same(am.restore(am.decode(done.document, target), done.losses), am.decode(document, "openai-responses"))
