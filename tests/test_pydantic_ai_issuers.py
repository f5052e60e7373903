"""Pydantic AI keeps an answer as the client of its provider does: then this client sends it back."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import pytest

import agentmsg as am
from support.checked import returned

CODEC = am.get_codec("pydantic-ai")
_SEARCH = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "q"}}
_CITED = {"type": "web_search_result_location", "url": "https://x.test", "title": "T", "cited_text": "c",
          "encrypted_index": "e"}  # fmt: skip
_FOUND = [{"type": "web_search_result", "url": "https://x.test", "title": "T", "encrypted_content": "e",
           "page_age": None}]  # fmt: skip

# Of each issuer: a part of its answer, and what the parts of its client say (of pydantic-ai 2.68).
ANTHROPIC: list[tuple[Any, list[dict[str, Any]]]] = [
    ({"type": "thinking", "thinking": "t", "signature": "x"},
     [{"part_kind": "thinking", "content": "t", "signature": "x"}]),
    ({"type": "redacted_thinking", "data": "x"},
     [{"part_kind": "thinking", "content": "", "id": "redacted_thinking", "signature": "x"}]),
    ({"type": "text", "text": "abc", "citations": [_CITED]},
     [{"part_kind": "text", "provider_details": {"citations": [_CITED]}, "citations": [
         {"sources": [{"kind": "web", "url": "https://x.test", "title": "T", "excerpts": ["c"]}],
          "anchor": {"kind": "content", "start": 0, "end": 3}}]}]),
    (_SEARCH, [{"part_kind": "builtin-tool-call", "tool_name": "web_search", "args": {"query": "q"}}]),
    ({"type": "web_search_tool_result", "tool_use_id": "s", "content": _FOUND},
     [{"part_kind": "builtin-tool-return", "tool_name": "web_search", "content": _FOUND}]),
    ({**_SEARCH, "name": "bash_code_execution"},
     [{"tool_name": "code_execution", "provider_details": {"anthropic_tool_name": "bash_code_execution"}}]),
    ({**_SEARCH, "name": "tool_search_tool_bm25"},
     [{"tool_name": "tool_search", "tool_kind": "tool-search", "args": {"queries": ["q"]},
       "provider_details": {"strategy": "bm25"}}]),
    ({"type": "mcp_tool_use", "id": "m", "name": "ask", "input": {}, "server_name": "wiki"},
     [{"tool_name": "mcp_server:wiki", "args": {"action": "call_tool", "tool_name": "ask", "tool_args": {}}}]),
    ({"type": "mcp_tool_result", "tool_use_id": "m", "is_error": False, "content": "a"},
     [{"tool_name": "mcp_server", "content": {"content": "a", "is_error": False}}]),
    ({"type": "compaction", "content": "s"}, [{"part_kind": "compaction", "content": "s"}]),
]  # fmt: skip
RESPONSES: list[tuple[Any, list[dict[str, Any]]]] = [
    ({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "phase": "commentary",
      "content": [{"type": "output_text", "text": "a", "annotations": []}]},
     [{"part_kind": "text", "content": "a", "id": "msg_1", "provider_details": {"phase": "commentary"}}]),
    ({"type": "message", "id": "msg_1", "role": "assistant",
      "content": [{"type": "output_text", "text": "a", "annotations": [], "logprobs": []}]},
     [{"part_kind": "text", "content": "a", "id": "msg_1"}]),
    ({"type": "web_search_call", "id": "ws_1", "action": {"type": "search", "query": "q"}},
     [{"tool_name": "web_search", "id": "ws_1"}, {"part_kind": "builtin-tool-return", "tool_name": "web_search"}]),
    ({"type": "reasoning", "id": "rs_1", "encrypted_content": "e",
      "summary": [{"type": "summary_text", "text": each} for each in ("a", "b")]},
     [{"content": "a", "id": "rs_1", "signature": "e"}, {"content": "b", "id": "rs_1", "signature": None}]),
    ({"type": "reasoning", "id": "rs_1", "summary": [], "content": [{"type": "reasoning_text", "text": "r"}]},
     [{"content": "", "id": "rs_1", "provider_details": {"raw_content": ["r"]}}]),
    ({"type": "function_call", "id": "fc_1", "call_id": "c", "name": "f", "arguments": "{}", "namespace": "n"},
     [{"part_kind": "tool-call", "tool_call_id": "c", "id": "fc_1", "provider_details": {"namespace": "n"}}]),
    ({"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "q"}},
     [{"tool_name": "web_search", "tool_call_id": "ws_1", "id": "ws_1", "args": {"type": "search", "query": "q"}},
      {"part_kind": "builtin-tool-return", "content": {"status": "completed"}}]),
    ({"type": "code_interpreter_call", "id": "ci_1", "code": "1", "container_id": "k", "status": "completed",
      "outputs": [{"type": "logs", "logs": "2"}]},
     [{"tool_name": "code_execution", "args": {"container_id": "k", "code": "1"}},
      {"content": {"status": "completed", "logs": ["2"]}}]),
    ({"type": "mcp_call", "id": "mcp_1", "server_label": "wiki", "name": "ask", "arguments": "{}", "output": "o",
      "error": None},
     [{"tool_name": "mcp_server:wiki"}, {"content": {"output": "o", "error": None}}]),
    ({"type": "image_generation_call", "id": "ig_1", "status": "failed", "result": None},
     [{"tool_name": "image_generation"}, {"content": {"status": "failed"}}]),
    ({"type": "code_interpreter_call", "id": "ci_1", "code": None, "container_id": "k", "status": "incomplete",
      "outputs": None},
     [{"args": {"container_id": "k", "code": ""}}, {"content": {"status": "incomplete"}}]),
]  # fmt: skip
GEMINI: list[tuple[Any, list[dict[str, Any]]]] = [
    ({"functionCall": {"name": "f", "args": {}, "id": "c"}, "thoughtSignature": "QQ=="},
     [{"part_kind": "tool-call", "provider_details": {"thought_signature": "QQ=="}}]),
    ({"text": "a", "thoughtSignature": "QQ=="}, [{"content": "a", "provider_details": {"thought_signature": "QQ=="}}]),
    ({"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}, "thoughtSignature": "QQ=="},
     [{"part_kind": "file", "provider_details": {"thought_signature": "QQ=="}}]),
    ({"toolResponse": {"toolType": "GOOGLE_SEARCH_WEB", "response": {"a": 1}}},
     [{"part_kind": "builtin-tool-return", "tool_name": "web_search", "content": {"a": 1}}]),
    ({"executableCode": {"language": "PYTHON", "code": "1"}},
     [{"part_kind": "builtin-tool-call", "tool_name": "code_execution", "args": {"language": "PYTHON", "code": "1"}}]),
    ({"text": "", "thoughtSignature": "QQ=="}, [{"content": "", "provider_details": {"thought_signature": "QQ==",
                                                                                    "text": ""}}]),
    ({"toolCall": {"toolType": "GOOGLE_SEARCH_WEB", "args": {"queries": ["q"]}, "id": "g"}},
     [{"tool_name": "web_search", "args": {"queries": ["q"]}, "tool_call_id": "g"}]),
]  # fmt: skip
BEDROCK: list[tuple[Any, list[dict[str, Any]]]] = [
    ({"reasoningContent": {"reasoningText": {"text": "t", "signature": "x"}}}, [{"content": "t", "signature": "x"}]),
    ({"reasoningContent": {"redactedContent": "ZGF0YQ=="}}, [{"id": "redacted_content", "signature": "data"}]),
    ({"toolUse": {"toolUseId": "t", "name": "nova_code_interpreter", "input": {"snippet": "1"},
                  "type": "server_tool_use"}},
     [{"tool_name": "code_execution", "args": {"snippet": "1"}}]),
]  # fmt: skip

DETAIL = {"type": "reasoning.text", "id": "r", "index": 0, "format": "anthropic-claude-v1"}
CHAT: list[tuple[Any, list[dict[str, Any]]]] = [
    ({"reasoning_content": "t"}, [{"content": "t", "id": "reasoning_content"}]),
    ({"reasoning": "t", "reasoning_details": [{**DETAIL, "text": "t", "signature": "x"}]},
     [{"content": "t", "id": "reasoning", "signature": "x", "provider_details": DETAIL}]),
]  # fmt: skip


def _answers() -> list[tuple[am.CodecName, Any, str, list[dict[str, Any]]]]:
    """Return responses with one part, by codec, and the parts and provider that are wanted."""
    found: list[Any] = []
    found += [("anthropic-response", {"id": "m", "type": "message", "role": "assistant", "model": "claude",
               "content": [p], "stop_reason": "end_turn", "stop_sequence": None,
               "usage": {"input_tokens": 1, "output_tokens": 1}},
               "anthropic", wanted) for p, wanted in ANTHROPIC]  # fmt: skip
    found += [("openai-responses-response", {"id": "resp_1", "object": "response", "created_at": 1, "model": "gpt",
               "status": "completed", "output": [p]}, "openai", wanted) for p, wanted in RESPONSES]  # fmt: skip
    found += [("gemini-response", {"candidates": [{"content": {"role": "model", "parts": [p]}}]}, "google", wanted)
              for p, wanted in GEMINI]  # fmt: skip
    found += [("bedrock-response", {"output": {"message": {"role": "assistant", "content": [p]}},
               "stopReason": "end_turn", "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}},
               "bedrock", wanted) for p, wanted in BEDROCK]  # fmt: skip
    found += [("openai-response", {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m",
               "choices": [{"index": 0, "message": {"role": "assistant", "content": "a", **p},
                            "finish_reason": "stop"}]}, "openai", wanted) for p, wanted in CHAT]  # fmt: skip
    return found


@pytest.mark.parametrize(("codec", "answer", "provider", "wanted"), _answers())
def test_parts_are_those_of_the_client(
    codec: am.CodecName, answer: Any, provider: str, wanted: list[dict[str, Any]]
) -> None:
    """Each part of an answer becomes what the client makes of it, comes back as it was, and nothing of it is lost."""
    history, losses = am.decode(answer, codec), list[am.Loss]()
    document: Any = am.encode(history, "pydantic-ai", losses=losses)
    assert document[0]["provider_name"] == provider
    for part, told in zip(document[0]["parts"], wanted, strict=False):
        assert {"provider_name": provider, **told}.items() <= part.items()
    assert not [loss for loss in losses if "content" in loss.path and loss.kind != "unsent"]
    back = returned(document, codec=CODEC)
    assert am.same(back[0].content, history[0].content)
    assert (back[0].provider, back[0].api) == (history[0].provider, history[0].api)


def _response(*parts: dict[str, Any], **more: Any) -> list[Any]:
    return [{"kind": "response", "parts": list(parts), **more}]


def test_the_word_for_a_provider_is_kept() -> None:
    """Older names of Google's provider are Google, and come back."""
    history = returned(_response({"part_kind": "text", "content": "a"}, provider_name="google-gla"), codec=CODEC)
    assert history[0].provider == "google"


def test_a_summary_in_a_request_is_its_providers() -> None:
    """Only Anthropic's can be read, and its client sends back no other."""
    history = am.History.of(am.Msg("assistant", [am.CompactionBlock("Before.")], id=None, created_at=None))
    document: Any = am.encode(history, "pydantic-ai")
    assert document[0]["parts"][0]["provider_name"] == "anthropic"
    assert am.same(am.decode(document, "pydantic-ai").messages[0].content, history.messages[0].content)


def test_parts_that_no_client_made_come_back() -> None:
    """An item's id without a provider, which earlier documents have, stays so: it isn't what the client writes."""
    text = {"part_kind": "text", "content": "a", "id": "msg_1", "provider_name": None}
    history = returned(_response(text, provider_name="openai", provider_response_id="resp_1"), codec=CODEC)
    block: Any = history[0].content[0]
    assert (history[0].api, block.item_id) == ("responses", "msg_1")


_CITING = {"role": "assistant", "content": "abc", "annotations": [{"type": "url_citation", "url_citation": {
    "url": "https://x.test", "title": "T", "start_index": 0, "end_index": 3}}]}  # fmt: skip
_SEALED = {"role": "assistant", "content": [{"reasoningContent": {"redactedContent": "//79"}}, {"text": "a"}]}
_HOLLOW = [{"type": "reasoning", "id": "rs_1", "summary": []}, {"role": "assistant", "content": "a"}]


_SIGNED = {"google": {"thought_signature": "QQ=="}}
_CALLING = {"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "extra_content": _SIGNED,
                                                 "function": {"name": "f", "arguments": "{}"}}]}  # fmt: skip


@pytest.mark.parametrize(
    ("codec", "request_", "kinds"),
    [
        ("openai", {"messages": [_CITING]}, ["text"]),
        ("openai", {"messages": [_CALLING]}, ["tool-call"]),
        ("bedrock", {"modelId": "anthropic.claude", "messages": [_SEALED]}, ["text"]),
        ("openai-responses", {"input": _HOLLOW}, ["text"]),
    ],
)
def test_what_a_request_repeats_comes_back(codec: am.CodecName, request_: Any, kinds: list[str]) -> None:
    """Nobody says there who answered; what the client would send as something else isn't written, and is told."""
    history, losses = am.decode(request_, codec), list[am.Loss]()
    document: Any = am.encode(history, "pydantic-ai", losses=losses)
    assert [part["part_kind"] for part in document[0]["parts"]] == kinds
    details = document[0]["parts"][0]["provider_details"] or {}
    assert ("extra_content" in details) is ("tool-call" in kinds), "the client of Chat Completions sends nothing else"
    assert am.same(am.restore(am.decode(am.thaw(document), "pydantic-ai"), losses), history)


def test_a_call_without_an_id_leaves_the_other_parts_to_their_provider() -> None:
    """Its part says no more than who made it; so it stays as it is, and comes back."""
    call = {"part_kind": "tool-call", "tool_name": "f", "args": "{}", "tool_call_id": "c", "id": None}
    text = {"part_kind": "text", "content": "a", "id": "msg_1", "provider_details": {"phase": "commentary"}}
    parts: list[dict[str, Any]] = [{**part, "provider_name": "openai"} for part in (text, call)]
    blocks: Any = returned(_response(*parts, provider_name="openai"), codec=CODEC)[0].content
    assert (blocks[0].phase, blocks[0].extras) == ("commentary", {})
    assert (blocks[1].id, blocks[1].item_id) == ("c", None)


def test_a_tool_that_the_client_refuses_is_told() -> None:
    """GoogleModel raises for it, so that the whole conversation could not go on."""
    parts = [{"toolCall": {"id": "t", "toolType": "GOOGLE_MAPS", "args": {}}}, {"text": "a"},
             {"toolResponse": {"id": "t", "toolType": "GOOGLE_MAPS", "response": {}}}]  # fmt: skip
    losses: list[am.Loss] = []
    history = am.decode({"contents": [{"role": "model", "parts": parts}]}, "gemini")
    document: Any = am.encode(history, "pydantic-ai", losses=losses)
    assert [part["part_kind"] for part in document[0]["parts"]] == ["text"]
    assert [(loss.where, loss.level) for loss in losses] == [
        ("messages/0/content/0", "content"), ("messages/0/content/2", "content")
    ]  # fmt: skip


def test_data_are_in_the_standard_alphabet() -> None:
    """The library dumps bytes in the alphabet of URLs, which no provider takes."""
    image = {"kind": "binary", "data": "_-4=", "media_type": "image/png"}
    document = [{"kind": "request", "parts": [{"part_kind": "user-prompt", "content": [image]}]}]
    block: Any = returned(document, codec=CODEC)[0].content[0]
    assert block.source.data == "/+4="


@pytest.mark.parametrize(
    "dump",
    [
        {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "hi"}]},
        {"kind": "response", "parts": [
            {"part_kind": "builtin-tool-call", "tool_name": "mcp_server:d", "args": {"action": "list_tools"},
             "tool_call_id": "c", "provider_name": "openai"},
            {"part_kind": "builtin-tool-return", "tool_name": "mcp_server:d", "content": {"tools": [], "error": None},
             "tool_call_id": "c", "provider_name": "openai"}], "provider_name": "openai"},
    ],
    ids=["said", "native"],
)  # fmt: skip
def test_message_objects_go_in_as_they_are(monkeypatch: pytest.MonkeyPatch, dump: dict[str, Any]) -> None:
    """Objects of the library are dumped by its own adapter, alone, in a list and in an object."""

    @dataclass
    class ModelRequest:
        when: object = object

    class Adapter:
        def dump_python(self, messages: list[Any], *, mode: str) -> list[Any]:
            assert mode == "json"
            return [dump for _ in messages]

    module: Any = ModuleType("pydantic_ai.messages")
    module.ModelMessagesTypeAdapter = Adapter()
    ModelRequest.__module__ = module.__name__
    monkeypatch.setitem(sys.modules, module.__name__, module)
    wanted = am.decode([dump], "pydantic-ai")
    for document in (ModelRequest(), [ModelRequest()], (ModelRequest(),), {"messages": [ModelRequest()]}):
        assert am.same(am.decode(document, "pydantic-ai").messages, wanted.messages)


_FIRST = """
import agentmsg as am
sealed = {"reasoningContent": {"redactedContent": "cnNfMQ=="}}
history = am.decode({"messages": [{"role": "assistant", "content": [sealed]}]}, "bedrock")
losses = []
assert am.encode(history, "pydantic-ai", losses=losses)[0]["parts"][0]["signature"] == "rs_1"
assert not losses
"""


def test_the_first_history_is_wrapped_as_any_other() -> None:
    """Nothing was read or written before: the tables of parts are filled when a history is fitted."""
    subprocess.run([sys.executable, "-c", _FIRST], check=True)
