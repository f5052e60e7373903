"""The UI message stream of the AI SDK: what its client makes of chunks, and what a front end gets."""

from __future__ import annotations

import json
from typing import Any

import pytest

import agentmsg as am
from agentmsg.formats.events import events_of
from support.ui_chunks import STREAMS

_EVENTS = events_of(am.get_codec("vercel-ui"))


def _folded(chunks: list[Any]) -> Any:
    fold = _EVENTS.fold()
    for chunk in chunks:
        fold.add(chunk)
    return json.loads(json.dumps(fold.document()))


@pytest.mark.parametrize("name", STREAMS)
def test_chunks_make_the_parts_that_the_client_makes(name: str) -> None:
    """In the order in which they begin; tests/real asks the package."""
    chunks, parts = STREAMS[name]
    (message,) = _folded(chunks)
    assert message["parts"] == parts
    again = _folded(list(_EVENTS.unfold([message], 3)))[0]["parts"]
    assert [part for part in again if part not in parts] == []


@pytest.mark.parametrize("chunk", [
    {"type": "text-delta", "id": "a", "delta": "x"}, {"type": "text-end", "id": "a"}, {"type": "reasoning-end"},
    {"type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": "x"}, {"type": "file", "url": "x"},
    {"type": "tool-output-available", "toolCallId": "c", "output": 1}, {"type": 1}, {},
    {"type": "tool-approval-response", "approvalId": "p", "approved": True}, {"type": "tool-input-start"},
])  # fmt: skip
def test_a_chunk_without_its_beginning_is_refused(chunk: Any) -> None:
    """As the client refuses it, with its number."""
    for work in (
        lambda: am.collect([{"type": "start"}, chunk], "vercel-ui"),
        lambda: am.ChunkReader("vercel-ui")(chunk),
    ):
        with pytest.raises(am.DecodeError) as caught:
            work()
        assert caught.value.code == "schema"


def test_metadata_is_merged() -> None:
    """Objects inside, too; lists are replaced."""
    found = [{"a": {"x": 1}, "l": [1]}, {"a": {"y": 2}}, {"l": [2]}]
    kinds = ("start", "message-metadata", "finish")
    chunks = [{"type": kind, "messageMetadata": each} for kind, each in zip(kinds, found, strict=True)]
    (message,) = am.collect(chunks, "vercel-ui")
    assert am.thaw(message.metadata) == {"a": {"x": 1, "y": 2}, "l": [2]}


def test_the_stream_tells_why_the_answer_ended() -> None:
    """The message doesn't; of several steps the last one ended so."""
    call: Any = {"type": "tool-input-available", "toolCallId": "c", "toolName": "f", "input": {}}
    result = {"type": "tool-output-available", "toolCallId": "c", "output": "1"}
    step: list[Any] = [{"type": "start-step"}, call, result, {"type": "finish-step"}]
    text = [{"type": f"text-{what}", "id": "t", "delta": "One."} for what in ("start", "delta", "end")]
    chunks = [{"type": "start", "messageId": "m"}, *step, {"type": "start-step"}, *text, {"type": "finish-step"}]
    history = am.collect([*chunks, {"type": "finish", "finishReason": "content-filter"}], "vercel-ui")
    assert [(message.role, message.finish_reason) for message in history] == [
        ("assistant", None), ("tool", None), ("assistant", "content_filter"),
    ]  # fmt: skip
    cut = am.collect(chunks, "vercel-ui", partial="keep")
    assert [message.metadata.get("partial") for message in cut] == [None, None, True]
    stream = am.transcode([*chunks, {"type": "finish"}], "vercel-ui", "anthropic")
    assert [event["content_block"]["type"] for event in stream if "content_block" in event] == ["tool_use"]
    assert [loss.path for loss in stream.losses.content] == [("messages", 1), ("messages", 2)]


def test_unknown_chunks_are_kept() -> None:
    """As those of other providers are."""
    chunks = [{"type": "start", "messageId": "m"}, {"type": "new", "x": 1}, {"type": "finish"}]
    (message,) = _folded(chunks)
    assert message["events"] == [{"type": "new", "x": 1}]
    assert list(_EVENTS.unfold([message], 9)) == chunks


def _of_anthropic() -> list[Any]:
    found = [{"type": "web_search_result", "title": "T", "url": "https://x.test", "encrypted_content": "e"}]
    blocks: list[tuple[Any, list[Any]]] = [
        ({"type": "thinking", "thinking": "", "signature": ""},
         [{"type": "thinking_delta", "thinking": "Hm"}, {"type": "signature_delta", "signature": "EqQB"}]),
        ({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}},
         [{"type": "input_json_delta", "partial_json": '{"query": "x"}'}]),
        ({"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": found}, []),
        ({"type": "text", "text": ""}, [{"type": "text_delta", "text": "So."}]),
        ({"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}},
         [{"type": "input_json_delta", "partial_json": '{"a"'}, {"type": "input_json_delta", "partial_json": ": 1}"}]),
    ]  # fmt: skip
    head: dict[str, Any] = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None,
        "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
    }  # fmt: skip
    events: list[Any] = [{"type": "message_start", "message": head}]
    for index, (block, deltas) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events += ({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas)
        events.append({"type": "content_block_stop", "index": index})
    told = {"stop_reason": "tool_use", "stop_sequence": None}
    return [*events, {"type": "message_delta", "delta": told, "usage": {"output_tokens": 9}}, {"type": "message_stop"}]


def test_a_front_end_gets_chunks_of_a_provider() -> None:
    """Texts and arguments as they come; a server's tool whole, its result with its call; the reason at the end."""
    raw = b"".join(am.stream.sse(am.transcode(_of_anthropic(), "anthropic", "vercel-ui")))
    frames = raw.decode().split("\n\n")
    assert frames[-2:] == ["data: [DONE]", ""]
    assert all(frame.startswith("data: ") and "\n" not in frame for frame in frames[:-1])
    chunks = [json.loads(frame[6:]) for frame in frames[:-2]]
    assert [chunk["type"] for chunk in chunks] == [
        "start", "start-step", "reasoning-start", "reasoning-delta", "reasoning-end", "tool-input-start",
        "tool-input-delta", "tool-input-available", "tool-output-available", "text-start", "text-delta", "text-end",
        "tool-input-start", "tool-input-delta", "tool-input-delta", "tool-input-available", "finish-step", "finish",
    ]  # fmt: skip
    assert chunks[0] == {"type": "start", "messageId": "msg_1"}
    assert chunks[4]["providerMetadata"] == {"anthropic": {"signature": "EqQB"}}
    assert chunks[7]["providerExecuted"] is True
    assert chunks[-3]["input"] == {"a": 1}
    assert chunks[-1] == {"type": "finish", "finishReason": "tool-calls"}
    (got,) = am.collect(chunks, "vercel-ui")
    (wanted,) = am.collect(_of_anthropic(), "anthropic")
    assert [block.evolve(extras={}) for block in got.content] == [block.evolve(extras={}) for block in wanted.content]
    assert got.provider == "anthropic"


def test_a_call_that_waits_for_approval_has_no_output() -> None:
    """Though it is the server's: a front end asks for what has none."""
    item = {"id": "q", "type": "mcp_approval_request", "server_label": "s", "name": "t", "arguments": "{}"}
    document: Any = {"id": "r", "object": "response", "created_at": 1, "model": "m", "status": "completed"}
    events = list(events_of(am.get_codec("openai-responses")).unfold({**document, "output": [item]}, 9))
    chunks = list(am.transcode(events, "openai-responses", "vercel-ui"))
    assert [chunk["type"] for chunk in chunks[2:-2]] == [
        "tool-input-start", "tool-input-delta", "tool-input-available", "tool-approval-request",
    ]  # fmt: skip
    (message,) = _folded(chunks)
    assert [part.get("state") for part in message["parts"]] == [None, "approval-requested"]


@pytest.mark.parametrize("chunk", [
    {"type": "start-step"}, {"type": "text-start", "id": "0"}, {"type": "data-x", "data": 1}, {"type": "abort"},
    {"type": "error", "errorText": "m"}, {"type": "custom", "kind": "a.b"}, {"type": "finish"},
])  # fmt: skip
def test_frames_are_those_of_the_sdk_whatever_comes_first(chunk: Any) -> None:
    """Without names, and with the last frame that its servers send; other providers' errors have names."""
    first, *rest = am.stream.sse([chunk])
    assert first.startswith(b"data: ")
    assert rest == [b"data: [DONE]\n\n"]
    assert list(am.stream.sse([{"type": "error", "error": {}}])) == [
        b'event: error\ndata: {"type":"error","error":{}}\n\n'
    ]


def test_what_chunks_cannot_bring_is_reported() -> None:
    """The name of a file, other messages; chunks bring all steps of an answer."""
    file = am.FileBlock(am.URLSource("https://x.test/a.pdf", "application/pdf"), name="a.pdf")
    call, result = am.ToolUseBlock("c", "f", {}), am.ToolResultBlock("c", structured=1)
    history = am.History([am.Msg.user("Hi"), am.Msg("assistant", [call, file], id="m"), am.Msg("tool", [result]),
                          am.Msg("assistant", "So"), am.Msg.user("Thanks")])  # fmt: skip
    losses: list[am.Loss] = []
    chunks = list(am.emit(history, "vercel-ui", losses=losses))
    assert [("/".join(map(str, loss.path)), loss.level) for loss in losses] == [
        ("messages/0", "content"), ("messages/1/content/1/name", "annotation"), ("messages/4", "content"),
    ]  # fmt: skip
    assert [message.role for message in am.collect(chunks, "vercel-ui")] == ["assistant", "tool", "assistant"]
    with pytest.raises(am.LossError):
        am.emit(history, "vercel-ui")


def test_an_answer_as_the_sdk_stores_it_is_in_its_providers_words() -> None:
    """Though texts are marked as done, and reasoning has an id; also where a call and its result are one item."""
    item: Any = {"openai": {"itemId": "msg_1"}}
    search: Any = {"type": "tool-web_search", "toolCallId": "ws_1", "state": "output-available", "input": {},
                   "providerExecuted": True, "output": {"action": {"type": "search", "query": "x"}}}  # fmt: skip
    thought: Any = {"type": "reasoning", "id": "rs_1:0", "text": "", "state": "done",
                    "providerMetadata": {"openai": {"itemId": "rs_1", "reasoningEncryptedContent": "e"}}}  # fmt: skip
    custom: Any = {"type": "tool-w", "toolCallId": "call_1", "state": "input-available", "input": "Some text",
                   "callProviderMetadata": {"openai": {"itemId": "ctc_1"}}}  # fmt: skip
    text: Any = {"type": "text", "text": "So.", "state": "done", "providerMetadata": item}
    for parts in ([search, text], [thought, custom], [thought, search, text]):
        document = [{"id": "m", "role": "assistant", "parts": parts}]
        (message,) = history = am.decode(document, "vercel-ui")
        assert message.provider == "openai"
        assert am.encode(history, "vercel-ui") == document
