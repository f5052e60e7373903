"""Messages of the Vercel AI SDK, hand-written after its declared types: every part, and every form of data."""

from __future__ import annotations

from typing import Any

__all__ = ["VERCEL", "VERCEL_OLD", "VERCEL_UI", "VERCEL_UI_ROWS"]

_PNG = "iVBORw0KGgo="
_RESULT = {"type": "web_search_result", "url": "https://x.test", "title": "X", "encrypted_content": "x"}
_CACHED = {"anthropic": {"cacheControl": {"type": "ephemeral", "ttl": "1h"}}}
VERCEL: list[Any] = [
    {"role": "system", "content": "Be brief.", "providerOptions": {**_CACHED, "openai": {"x": 1}}},
    {"role": "user", "content": "Hello", "providerOptions": _CACHED},
    {
        "role": "user",
        "content": [
            {"type": "text", "text": "Look", "providerOptions": _CACHED},
            {"type": "image", "image": f"data:image/png;base64,{_PNG}"},
            {"type": "image", "image": f"data:image/png;base64,{_PNG}", "mediaType": "image/png"},
            {
                "type": "image",
                "image": {"openai": "file-1", "google": "f2"},
                "providerOptions": {"openai": {"imageDetail": "low"}},
            },
            {"type": "file", "data": f"data:application/pdf;base64,{_PNG}", "mediaType": "application/pdf"},
            {"type": "file", "data": {"type": "data", "data": _PNG}, "mediaType": "image/png"},
            {"type": "file", "data": {"type": "url", "url": "https://x.test/a.mp3"}, "mediaType": "audio/mpeg"},
            {"type": "file", "data": "https://x.test/a.mp4", "mediaType": "video/mp4", "filename": "a.mp4"},
            {"type": "file", "data": {"type": "text", "text": "x"}, "mediaType": "text/plain", "filename": "a.txt"},
            {"type": "file", "data": {"anthropic": "file_1"}, "mediaType": "application/pdf"},
        ],
        "providerOptions": {"gateway": {"order": ["a"]}},
    },
    {
        "role": "assistant",
        "content": [
            {"type": "reasoning", "text": "Hm", "providerOptions": {"anthropic": {"signature": "s"}}},
            {"type": "reasoning", "text": "", "providerOptions": {"anthropic": {"redactedData": "AAAA"}}},
            {
                "type": "reasoning",
                "text": "Well",
                "providerOptions": {"openai": {"itemId": "rs_1", "reasoningEncryptedContent": None}},
            },
            {"type": "text", "text": "See", "providerOptions": {"openai": {"itemId": "msg_1", "phase": "commentary"}}},
            {"type": "file", "data": _PNG, "mediaType": "image/png"},
            {
                "type": "tool-call",
                "toolCallId": "c1",
                "toolName": "find",
                "input": {"q": [1, None]},
                "providerExecuted": False,
                "providerOptions": {"google": {"thoughtSignature": "g"}},
            },
            {"type": "tool-call", "toolCallId": "c2", "toolName": "find", "input": '{"q": '},
            {"type": "tool-call", "toolCallId": "c3", "toolName": "find", "input": {"_raw": '"x"'}},
            {
                "type": "tool-call",
                "toolCallId": "srvtoolu_1",
                "toolName": "web_search",
                "input": {"query": "x"},
                "providerExecuted": True,
            },
            {
                "type": "tool-result",
                "toolCallId": "srvtoolu_1",
                "toolName": "web_search",
                "output": {"type": "json", "value": [_RESULT]},
            },
            {"type": "tool-approval-request", "approvalId": "a1", "toolCallId": "c1"},
        ],
    },
    {
        "role": "tool",
        "content": [
            {"type": "tool-approval-response", "approvalId": "a1", "approved": True},
            {
                "type": "tool-result",
                "toolCallId": "c1",
                "toolName": "find",
                "output": {
                    "type": "content",
                    "value": [
                        {"type": "text", "text": "see"},
                        {"type": "file-data", "data": _PNG, "mediaType": "application/pdf", "filename": "a.pdf"},
                        {"type": "file-url", "url": "https://x.test/a.pdf"},
                        {"type": "file-id", "fileId": "file-1"},
                        {"type": "file-reference", "providerReference": {"openai": "file-1"}},
                        {"type": "image-url", "url": "https://x.test/a.png"},
                        {"type": "image-file-id", "fileId": {"openai": "file-1"}},
                        {
                            "type": "file",
                            "data": {"type": "url", "url": "https://x.test/a.wav"},
                            "mediaType": "audio/wav",
                        },
                    ],
                },
                "providerOptions": _CACHED,
            },
            {"type": "tool-result", "toolCallId": "c2", "toolName": "find", "output": {"type": "json", "value": None}},
        ],
    },
    {
        "role": "tool",
        "content": [
            {
                "type": "tool-result",
                "toolCallId": "c3",
                "toolName": "other",
                "output": {"type": "text", "value": "", "providerOptions": {"x": {}}},
            }
        ],
        "providerOptions": {"x": {"k": 1}},
    },
    {"role": "assistant", "content": "Done"},
]
VERCEL_OLD: list[Any] = [
    {
        "role": "user",
        "content": [
            {"type": "image", "image": _PNG, "mimeType": "image/png"},
            {"type": "file", "data": "JVBERi0=", "mimeType": "application/pdf"},
        ],
    },
    {
        "role": "tool",
        "content": [
            {
                "type": "tool-result",
                "toolCallId": "c",
                "output": {"type": "content", "value": [{"type": "media", "data": _PNG, "mediaType": "image/png"}]},
            }
        ],
    },
]
_SIGNED = {"google": {"thoughtSignature": "g"}}
VERCEL_UI: list[Any] = [
    {"id": "s", "role": "system", "parts": [{"type": "text", "text": "Be brief."}], "metadata": {}},
    {
        "id": "u",
        "role": "user",
        "parts": [
            {"type": "text", "text": "Look"},
            {"type": "file", "mediaType": "image/png", "url": f"data:image/png;base64,{_PNG}", "filename": "a.png"},
            {"type": "file", "mediaType": "application/pdf", "url": "https://x.test/a.pdf", "filename": "a.pdf"},
            {"type": "data-place", "id": "p", "data": None},
        ],
        "metadata": "none",
    },
    {
        "id": "a",
        "role": "assistant",
        "metadata": {"createdAt": 1},
        "parts": [
            {"type": "step-start"},
            {"type": "step-start"},
            {
                "type": "reasoning",
                "text": "Hm",
                "state": "streaming",
                "providerMetadata": {"anthropic": {"signature": "s"}},
            },
            {
                "type": "tool-find",
                "toolCallId": "c1",
                "state": "output-available",
                "input": {"q": 1},
                "output": [1, None],
                "callProviderMetadata": _SIGNED,
                "resultProviderMetadata": {"x": {"k": 1}},
                "title": "Find",
            },
            {"type": "text", "text": "Wait", "state": "done"},
            {
                "type": "dynamic-tool",
                "toolName": "run",
                "toolCallId": "c2",
                "state": "output-error",
                "rawInput": '{"a": ',
                "errorText": "no JSON",
            },
            {
                "type": "tool-find",
                "toolCallId": "c3",
                "state": "output-denied",
                "input": {},
                "approval": {"id": "ap", "approved": False, "reason": "no"},
            },
            {"type": "step-start"},
            {
                "type": "tool-web_search",
                "toolCallId": "srvtoolu_1",
                "state": "output-available",
                "input": {"query": "x"},
                "output": "found",
                "providerExecuted": True,
            },
            {"type": "source-url", "sourceId": "s1", "url": "https://x.test", "title": "X"},
            {
                "type": "source-document",
                "sourceId": "s2",
                "mediaType": "application/pdf",
                "title": "D",
                "filename": "d.pdf",
            },
            {"type": "tool-find", "toolCallId": "c4", "state": "input-streaming", "input": {"q": "par"}},
            {"type": "step-start"},
            {"type": "tool-find", "toolCallId": "c5", "state": "output-available", "input": 5, "output": None},
            {
                "type": "tool-find",
                "toolCallId": "c6",
                "state": "approval-requested",
                "input": {},
                "approval": {"id": "x"},
            },
            {
                "type": "tool-find",
                "toolCallId": "c7",
                "state": "output-denied",
                "input": {},
                "approval": {"id": "c7", "approved": False, "reason": "no"},
            },
            {"type": "step-start"},
        ],
    },
    {
        "id": "a2",
        "role": "assistant",
        "parts": [{"type": "text", "text": "x"}, {"type": "step-start"}, {"type": "text", "text": "y"}],
    },
    {"role": "assistant", "parts": [{"type": "text", "text": "z"}]},
]
_CALL: Any = {"toolCallId": "c", "toolName": "f", "args": {"a": 1}}
_DONE: Any = {**_CALL, "state": "result", "step": 0, "result": {"b": 2}}
# As stored in databases: version 4 without its duplicate text, and the forms of later versions in between.
VERCEL_UI_ROWS: list[Any] = [
    {
        "id": "m",
        "chatId": "h",
        "role": "assistant",
        "parts": [
            {"type": "step-start"},
            {"type": "reasoning", "reasoning": "Hm", "details": [{"type": "text", "text": "Hm", "signature": "s"}]},
            {"type": "tool-invocation", "toolInvocation": _DONE},
            {"type": "source", "source": {"sourceType": "url", "id": "s", "url": "https://x.test"}},
            {"type": "file", "mimeType": "image/png", "data": _PNG},
            {"type": "step-start"},
            {"type": "tool-invocation", "toolInvocation": {**_CALL, "state": "call"}},
            {"type": "tool-invocation", "toolInvocation": {**_CALL, "toolCallId": "d", "state": "partial-call"}},
            {"type": "text", "text": "So"},
        ],
        "attachments": [],
        "createdAt": "2025-05-01T10:00:02.000Z",
    },
    {
        "id": "n",
        "role": "assistant",
        "parts": [
            {
                "type": "tool-invocation",
                "toolInvocation": {"toolCallId": "c", "toolName": "f", "input": 1, "result": 2, "state": "result"},
            },
            {"type": "tool-invocation", **_DONE, "toolCallId": "d"},
            {
                "type": "tool-invocation",
                "toolInvocation": {"toolName": "f", "args": {"a": 1}, "result": "x", "state": "result"},
            },
            {"type": "tool-f", "toolCallId": None, "state": "output-available", "input": {}, "output": "x"},
            {"type": "dynamic-tool", "toolName": "g", "state": "input-available", "input": {}},
        ],
    },
    {
        "id": "o",
        "role": "assistant",
        "parts": [
            {"type": "tool-f", "toolCallId": "c", "state": "input-streaming"},
            {
                "type": "tool-g",
                "toolCallId": "b",
                "toolName": "g",
                "state": "output-available",
                "input": {},
                "output": "x",
            },
            {"type": "tool-f", "toolCallId": "d", "state": "input-streaming", "input": None},
            {"type": "tool-f", "toolCallId": "e", "state": "output-error", "errorText": "no"},
            {"type": "tool-f", "toolCallId": "g", "state": "output-error", "rawInput": {"a": 1}, "errorText": "no"},
            {
                "type": "tool-f",
                "toolCallId": "h",
                "state": "output-error",
                "input": None,
                "rawInput": "{",
                "errorText": "no",
            },
            {"type": "tool-f", "toolCallId": "i", "state": "output-error", "rawInput": None, "errorText": "no"},
        ],
    },
    {"id": "p", "role": "user", "content": "And?", "parts": [], "createdAt": "2025-05-01T10:00:02"},
]
