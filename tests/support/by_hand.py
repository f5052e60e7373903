"""Documents hand-written after the declared types, for systems with few golden documents."""

from __future__ import annotations

from typing import Any

__all__ = ["LIONPRIDE", "SYNAPTIC"]

SYNAPTIC: list[Any] = [
    {
        "role": "human",
        "content": "What is this?",
        "id": "m1",
        "name": "Ada",
        "content_blocks": [
            {"type": "text", "text": "What is this?"},
            {"type": "image", "url": "https://example.org/a.png", "detail": "low"},
            {"type": "image", "url": "data:image/png;base64,AA=="},
            {"type": "audio", "url": "https://example.org/a.wav"},
            {"type": "video", "url": "https://example.org/a.mp4"},
            {"type": "file", "url": "https://example.org/a.pdf", "mime_type": "application/pdf"},
            {"type": "data", "data": {"k": [1, 2.5, None]}},
        ],
    },
    {
        "role": "assistant",
        "content": "Calling.",
        "tool_calls": [
            {"id": "c1", "name": "add", "arguments": {"a": 1}},
            {"id": "c2", "name": "say", "arguments": "as text"},
        ],
        "content_blocks": [{"type": "reasoning", "content": "Hm."}],
        "usage_metadata": {
            "input_tokens": 1,
            "output_tokens": 2,
            "total_tokens": 3,
            "output_details": {"reasoning": 1, "audio": 0},
        },
        "invalid_tool_calls": [{"id": "c3", "name": "add", "arguments": '{"a": ', "error": "EOF while parsing"}],
    },
    {"role": "tool", "content": "1", "tool_call_id": "c1", "name": "add", "response_metadata": {"seconds": 0.5}},
    {"role": "tool", "content": "said", "tool_call_id": "c2"},
    {"role": "chat", "custom_role": "moderator", "content": "Approved.", "additional_kwargs": {"level": 2}},
    {"role": "remove", "id": "m1"},
]

_CLASS = {"lion_class": "lionpride.session.messages.message.Message"}
_REQUEST = "22222222-2222-4222-8222-222222222222"


def _node(content: dict[str, Any], number: int, **fields: Any) -> dict[str, Any]:
    return {
        "id": f"{number}" * 8 + f"-{f'{number}' * 4}-4{f'{number}' * 3}-8{f'{number}' * 3}-" + f"{number}" * 12,
        "created_at": f"2026-01-15T10:30:0{number}.000250+00:00",
        "metadata": {**_CLASS},
        "content": content,
        "embedding": None,
        "sender": None,
        "recipient": None,
        **fields,
    }


LIONPRIDE: list[Any] = [
    _node({"system_message": "Be brief.", "system_datetime": "2026-01-15T10:30"}, 1, sender="system"),
    _node({"function": "search", "arguments": {"query": "docs", "limit": 2}}, 2, sender="agent", recipient="tools"),
    _node({"result": ["a", {"b": 1}], "request_id": _REQUEST}, 3, embedding=[0.5, -1.25]),
    _node({"error": "boom", "request_id": _REQUEST}, 4),
    _node({"result": "as text", "request_id": "req_123"}, 5),
    _node({"instruction": {"task": "sum", "of": [1, 2]}, "context": ["a", {"k": 1}]}, 6),
    _node(
        {
            "instruction": "Describe these",
            "images": ["https://example.org/a.png", "https://example.org/b.png"],
            "image_detail": "low",
            "tool_schemas": ["search(q: str)"],
        },
        7,
        metadata={
            "clone_from": _REQUEST,
            "original_created_at": "2026-01-15T10:30:00+00:00",
            **_CLASS,
        },
    ),
    _node({"assistant_response": ""}, 8),
    _node({"function": "now", "arguments": {}}, 9, created_at="2026-01-15T10:30:00"),
    {"content": {"instruction": "Hello"}},
    {"content": {"result": None}, "created_at": "2026-01-15T10:30:00Z"},
    {"content": {"assistant_response": 42}, "node_metadata": {**_CLASS}, "created_at": 1700000000},
    {"content": {}},
]
