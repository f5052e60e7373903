"""AgentScope keeps an answer as the client of its provider does: then this client sends it back."""

from __future__ import annotations

from typing import Any

import pytest

import agentmsg as am
from support.checked import returned

CODEC = am.get_codec("agentscope")
_REASONING = {"type": "reasoning", "id": "rs_1", "encrypted_content": "e",
              "summary": [{"type": "summary_text", "text": each} for each in ("a", "b")]}  # fmt: skip
_EMPTY: dict[str, Any] = {"type": "reasoning", "id": "rs_1", "summary": []}
_CALL: dict[str, Any] = {"functionCall": {"name": "f", "args": {}, "id": "c"}, "thoughtSignature": "QQ=="}


def _kept(item: Any, *texts: str) -> list[dict[str, Any]]:
    own = {"type": "thinking", "reasoning_item_id": "rs_1", "reasoning_item_raw": item}
    return [{**own, "thinking": text} for text in texts]


# An answer, and what the blocks of its client say (of agentscope 2.0.11).
ANSWERS: list[tuple[am.CodecName, dict[str, Any], list[dict[str, Any]]]] = [
    ("openai-responses", {"input": [_REASONING]}, _kept(_REASONING, "a", "b")),
    ("openai-responses", {"input": [_EMPTY]}, _kept(_EMPTY, "")),
    ("gemini", {"contents": [{"role": "model", "parts": [_CALL]}]},
     [{"type": "tool_call", "id": "gemini_ts:QQ=="}]),
    ("anthropic", {"messages": [{"role": "assistant", "content": [
        {"type": "thinking", "thinking": "t", "signature": "x"}, {"type": "redacted_thinking", "data": "d"}]}]},
     [{"thinking": "t", "signature": "x"}, {"thinking": "", "redacted_thinking_data": "d"}]),
]  # fmt: skip


@pytest.mark.parametrize(("codec", "answer", "wanted"), ANSWERS)
def test_blocks_are_those_of_the_client(codec: am.CodecName, answer: Any, wanted: list[dict[str, Any]]) -> None:
    """Each part of an answer becomes what the client makes of it, and comes back as it was."""
    history = am.decode(answer, codec)
    document: Any = am.encode(history, "agentscope")
    for block, told in zip(document[0]["content"], wanted, strict=True):
        assert told.items() <= block.items()
    assert am.same(returned(document, codec=CODEC)[0].content, history[0].content)


@pytest.mark.parametrize("said", [{"output": "r"}, {"temperature": 71}])
def test_results_name_the_signature(said: dict[str, Any]) -> None:
    """The signature of a call replaces its id, in its results, too, whatever becomes of these; both come back."""
    answer = {"functionResponse": {"name": "f", "id": "c", "response": said}}
    turns: list[Any] = [{"role": "model", "parts": [_CALL]}, {"role": "user", "parts": [answer]}]
    history = am.decode({"contents": turns}, "gemini")
    document: Any = am.encode(history, "agentscope")
    assert [block["id"] for block in document[0]["content"]] == ["gemini_ts:QQ=="] * 2
    assert document[0]["metadata"] == {"gemini_call_ids": {"gemini_ts:QQ==": "c"}}
    back = returned(document, codec=CODEC)
    call, result = (block for each in back for block in each.content)
    assert isinstance(call, am.ToolUseBlock)
    assert isinstance(result, am.ToolResultBlock)
    assert (call.id, result.tool_call_id, call.signature) == ("c", "c", am.Signature("google", "QQ=="))


def test_an_id_beside_its_call_comes_back() -> None:
    """Earlier versions of this codec wrote the id that a signature replaces as an unknown field of the call."""
    (document,) = am.encode(am.decode({"contents": [{"role": "model", "parts": [_CALL]}]}, "gemini"), "agentscope")
    document["metadata"] = {}
    document["content"][0]["call_id"] = "d"
    (message,) = returned([document], codec=CODEC)
    (call,) = message.tool_calls
    assert call.id == "d"


def test_ids_of_chat_stay() -> None:
    """In Chat Completions a signature stands beside the id of the call, which goes out as it is."""
    signed = {"google": {"thought_signature": "QQ=="}}
    call = {"id": "c", "type": "function", "extra_content": signed, "function": {"name": "f", "arguments": "{}"}}
    history = am.decode({"messages": [{"role": "assistant", "tool_calls": [call]}]}, "openai")
    losses: list[am.Loss] = []
    document: Any = am.encode(history, "agentscope", losses=losses)
    assert document[0]["content"][0]["id"] == "c"
    assert [(loss.path[-1], loss.level) for loss in losses] == [("signature", "content")]


def test_what_the_client_made_comes_back() -> None:
    """Reasoning that AgentScope itself made has ids and times of its own."""
    ids: dict[str, Any] = {"id": "b1", "created_at": "2026-01-05T09:30:07.250000", "finished_at": None}
    call: dict[str, Any] = {**ids, "type": "tool_call", "id": "gemini_ts:QQ==", "name": "f", "input": "{}",
            "state": "pending",
            "suggested_rules": []}  # fmt: skip
    blocks = [{**ids, **block} for block in _kept(_REASONING, "a", "b")]
    history = returned([{"name": "assistant", "role": "assistant", "content": [*blocks, call]}], codec=CODEC)
    content: Any = history[0].content
    thinking, used = content
    assert (thinking.signature, thinking.item_id) == (am.Signature("openai", "e"), "rs_1")
    assert used.signature == am.Signature("google", "QQ==")


def test_tools_of_a_provider_are_told() -> None:
    """The client keeps nothing of them: they aren't text, and the loss is one of content."""
    call = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "q"}}
    history = am.decode(
        {"messages": [{"role": "assistant", "content": [{"type": "text", "text": "a"}, call]}]}, "anthropic"
    )
    losses: list[am.Loss] = []
    document: Any = am.encode(history, "agentscope", losses=losses)
    assert [block["type"] for block in document[0]["content"]] == ["text"]
    assert [loss.level for loss in losses] == ["content"]


def test_what_a_loader_adds_to_reasoning_is_no_edit() -> None:
    """Each block gets an id and a time: the report of the conversion still restores what was there."""
    summary = [{"type": "summary_text", "text": text} for text in ("a", "b")]
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": "gAAA"}
    request: dict[str, Any] = {"input": [{"role": "user", "content": "x"}, reasoning]}
    done = am.convert(request, "openai-responses", "agentscope")
    document: Any = am.thaw(done.document)
    document[1]["content"] = [
        {"type": "thinking", "thinking": block.pop("thinking"), "id": f"b{number}", "created_at": "2026-11-28", **block}
        for number, block in enumerate(document[1]["content"])
    ]
    history = am.decode(document, "agentscope")
    assert am.encode(am.restore(history, done.losses), "openai-responses") == request
    assert am.encode(history, "agentscope") == document


@pytest.mark.parametrize(("codec", "written"), [("openai-responses", "{}"), ("openai", "")])
def test_no_arguments_are_an_empty_object(codec: Any, written: str) -> None:
    """OpenAIResponseModel keeps no arguments as `{}`, and OpenAIChatModel as they are."""
    item = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": "", "status": "completed"}
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": ""}}
    said = {"role": "assistant", "content": None, "tool_calls": [call]}
    document: Any = {"input": [item]} if codec == "openai-responses" else {"messages": [said]}
    done = am.convert(document, codec, "agentscope")
    assert done.document[0]["content"][0]["input"] == written
    assert am.encode(am.restore(am.decode(done.document, "agentscope"), done.losses), codec) == document
