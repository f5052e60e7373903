"""Streams of chunks for the AI SDK's client, by what they show, and the parts that it makes of them."""

from __future__ import annotations

from typing import Any

__all__ = ["STREAMS"]


def _text(link: str, *texts: str, **end: Any) -> list[Any]:
    deltas = [{"type": "text-delta", "id": link, "delta": text} for text in texts]
    return [{"type": "text-start", "id": link}, *deltas, {"type": "text-end", "id": link, **end}]


def _start(link: str = "c1", **more: Any) -> Any:
    return {"type": "tool-input-start", "toolCallId": link, "toolName": "f", **more}


def _delta(text: str, link: str = "c1") -> Any:
    return {"type": "tool-input-delta", "toolCallId": link, "inputTextDelta": text}


def _call(link: str = "c1", given: Any = None, **more: Any) -> Any:
    return {"type": "tool-input-available", "toolCallId": link, "toolName": "f", "input": given or {}, **more}


def _tool(state: str, link: str = "c1", **more: Any) -> Any:
    return {"type": "tool-f", "toolCallId": link, "state": state, **more}


def _output(value: Any, link: str = "c1", **more: Any) -> Any:
    return {"type": "tool-output-available", "toolCallId": link, "output": value, **more}


def _done(text: str, **more: Any) -> Any:
    return {"type": "text", "text": text, "state": "done", **more}


_CITATION: Any = {"source": {"type": "source", "sourceType": "url", "id": "s", "url": "https://x.test"}, "endIndex": 1}
_STEP: Any = {"type": "step-start"}
_HEAD: Any = {"type": "start", "messageId": "m1"}
_BEGIN, _RESET, _END = {"type": "start-step"}, {"type": "reset-step"}, {"type": "finish-step"}
_META_1, _META_2 = {"a": {"x": 1}}, {"b": {"y": 2}}
_ASK: Any = {"type": "tool-approval-request", "approvalId": "p1", "toolCallId": "c1"}
_ANSWER: Any = {"type": "tool-approval-response", "approvalId": "p1"}
STREAMS: dict[str, tuple[list[Any], list[Any]]] = {
    "texts alternate": (
        [{"type": "text-start", "id": "a"}, {"type": "text-start", "id": "b"},
         {"type": "text-delta", "id": "b", "delta": "2"}, {"type": "text-delta", "id": "a", "delta": "1"},
         {"type": "text-end", "id": "a"}],
        [_done("1"), {"type": "text", "text": "2", "state": "streaming"}],
    ),
    "an id is used again": ([*_text("0", "a", "b"), *_text("0", "c")], [_done("ab"), _done("c")]),
    "metadata of a later chunk replaces": (
        [{"type": "text-start", "id": "a", "providerMetadata": _META_1},
         *_text("a", "x", providerMetadata=_META_2)[1:]],
        [_done("x", providerMetadata=_META_2)],
    ),
    "citations at the end": (
        _text("a", "x", citations=[_CITATION]),
        [_done("x", citations=[_CITATION])],
    ),
    "reasoning keeps its id": (
        [{"type": "reasoning-start", "id": "r"}, {"type": "reasoning-delta", "id": "r", "delta": "Hm"},
         {"type": "reasoning-end", "id": "r", "providerMetadata": _META_1}],
        [{"type": "reasoning", "id": "r", "text": "Hm", "state": "done", "providerMetadata": _META_1}],
    ),
    "whole parts, of the keys that they have": (
        [{"type": "file", "url": "https://x.test/a", "mediaType": "a/b", "filename": "a"},
         {"type": "reasoning-file", "url": "https://x.test/b", "mediaType": "a/b", "providerMetadata": _META_1},
         {"type": "source-url", "sourceId": "s", "url": "https://x.test", "more": 1},
         {"type": "source-document", "sourceId": "s", "mediaType": "a/b", "title": "T", "filename": "f"},
         {"type": "custom", "kind": "a.b", "providerMetadata": _META_1},
         {"type": "steering-message", "id": "m", "parts": [{"type": "text", "text": "Stop"}]}],
        [{"type": "file", "url": "https://x.test/a", "mediaType": "a/b"},
         {"type": "reasoning-file", "url": "https://x.test/b", "mediaType": "a/b", "providerMetadata": _META_1},
         {"type": "source-url", "sourceId": "s", "url": "https://x.test"},
         {"type": "source-document", "sourceId": "s", "mediaType": "a/b", "title": "T", "filename": "f"},
         {"type": "custom", "kind": "a.b", "providerMetadata": _META_1},
         {"type": "steering-message", "id": "m", "parts": [{"type": "text", "text": "Stop"}]}],
    ),
    "data is replaced by id; transient data isn't kept": (
        [{"type": "data-w", "id": "1", "data": {"t": 1}}, {"type": "data-w", "data": 0}, {"type": "data-w", "data": 0},
         {"type": "data-v", "id": "1", "data": 2}, {"type": "data-w", "id": "1", "data": {"t": 3}},
         {"type": "data-w", "id": "1", "data": 4, "transient": True}],
        [{"type": "data-w", "id": "1", "data": {"t": 3}}, {"type": "data-w", "data": 0}, {"type": "data-w", "data": 0},
         {"type": "data-v", "id": "1", "data": 2}],
    ),
    "a step that begins anew": (
        [_BEGIN, *_text("a", "kept"), _END, _BEGIN, *_text("a", "lost"), _call(),
         {"type": "data-w", "id": "1", "data": 1}, _RESET, *_text("a", "again"),
         {"type": "data-w", "id": "1", "data": 2}, _END],
        [_STEP, _done("kept"), _STEP, _done("again"), {"type": "data-w", "id": "1", "data": 2}],
    ),
    "a call, step by step": (
        [_start(title="F", providerExecuted=True), _delta('{"q"'), _delta(": 1}"),
         _call(given={"q": 1}, providerMetadata=_META_1), _output("half", preliminary=True),
         _output("all", providerMetadata=_META_2)],
        [_tool("output-available", title="F", providerExecuted=True, input={"q": 1}, output="all",
               callProviderMetadata=_META_1, resultProviderMetadata=_META_2)],
    ),
    "calls side by side": (
        [_start("c1"), _start("c2", dynamic=True), _delta("{}", "c2"), _delta('{"a": 1}', "c1"),
         _call("c2", {"b": 2}, dynamic=True), _call("c1", {"a": 1}),
         {"type": "tool-output-error", "toolCallId": "c2", "errorText": "no"}],
        [_tool("input-available", "c1", input={"a": 1}),
         {"type": "dynamic-tool", "toolName": "f", "toolCallId": "c2", "state": "output-error", "input": {"b": 2},
          "errorText": "no"}],
    ),
    "an input that is no JSON": (
        [_start(inputEncoding="text"), _delta("so"), _call(given="so"), _start("c2"), _delta("{", "c2"),
         {"type": "tool-input-error", "toolCallId": "c2", "toolName": "f", "input": "{", "errorText": "no JSON"}],
        [_tool("input-available", input="so"), _tool("output-error", "c2", input="{", errorText="no JSON")],
    ),
    "a result in a later step": (
        [_BEGIN, _call(), _END, _BEGIN, _output(1), *_text("a", "x"), _END],
        [_STEP, _tool("output-available", input={}, output=1), _STEP, _done("x")],
    ),
    "an id that two steps use": (
        [_BEGIN, _call(given={"n": 1}), _output(1), _END, _BEGIN, _call(given={"n": 2}), _output(2), _END],
        [_STEP, _tool("output-available", input={"n": 1}, output=1), _STEP,
         _tool("output-available", input={"n": 2}, output=2)],
    ),
    "approvals": (
        [_call(), {**_ASK, "reason": "why", "isAutomatic": True, "signature": "s", "approvalDescriptor": {"d": 1}},
         {**_ANSWER, "approved": True, "reason": "fine"}, _output(1), _call("c2"),
         {**_ASK, "approvalId": "p2", "toolCallId": "c2", "isAutomatic": False, "inputSchemaInput": None},
         {**_ANSWER, "approvalId": "p2", "approved": False}, {"type": "tool-output-denied", "toolCallId": "c2"}],
        [_tool("output-available", input={}, output=1, approval={
            "id": "p1", "descriptor": {"d": 1}, "requestReason": "why", "isAutomatic": True, "signature": "s",
            "approved": True, "reason": "fine"}),
         _tool("output-denied", "c2", input={}, approval={"id": "p2", "inputSchemaInput": None, "approved": False})],
    ),
    "another message": (
        [{"type": "start", "messageId": "m0"}, *_text("a", "x"), _HEAD, *_text("a", "y")],
        [_done("y")],
    ),
    "another start of the same": (
        [_HEAD, *_text("a", "x"), _HEAD, {"type": "start"}],
        [_done("x")],
    ),
}  # fmt: skip
