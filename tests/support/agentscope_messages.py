"""AgentScope documents, hand-written after the real types: every block, field and state of both libraries."""

from __future__ import annotations

from typing import Any

__all__ = ["AGENTSCOPE_0", "AGENTSCOPE_1", "AGENTSCOPE_2", "AGENTSCOPE_JAVA", "MEMORY"]

_TIME = "2026-01-15T10:30:00.123456"
_OLD_TIME = "2026-01-15 10:30:00.123"
_PDF = {"type": "base64", "data": "JVBERi0=", "media_type": "application/pdf"}


def _part(tag: str, **fields: Any) -> dict[str, Any]:
    return {"type": tag, **fields, "created_at": _TIME, "finished_at": None}


def _new(role: str, *content: Any, **fields: Any) -> dict[str, Any]:
    return {
        "name": role if role != "assistant" else "Friday",
        "content": [*content],
        "role": role,
        "id": f"{len(content):032x}",
        "metadata": {},
        "created_at": _TIME,
        "usage": None,
        "finished_at": None,
        "finished_reason": None,
        "structured_output": None,
        "error": None,
        **fields,
    }


_RULE = {"tool_name": "search", "rule_content": "*", "behavior": "allow", "source": "user"}
_CALL: dict[str, Any] = {"name": "search", "state": "finished", "suggested_rules": []}
_RESULT: dict[str, Any] = {"name": "search", "state": "success", "metadata": {}}

AGENTSCOPE_2: list[Any] = [
    _new("system", _part("text", text="Be brief.", id="t0")),
    _new("user", _part("text", text="Look", id="t1"), _part("data", id="d1", source=_PDF, name="r.pdf")),
    _new(
        "assistant",
        _part("thinking", thinking="hm", id="k1", signature="sig=="),
        _part("thinking", thinking="", id="k2", redacted_thinking_data="b3BhcXVl"),
        _part("tool_call", **{"id": "c1", **_CALL, "input": '{"q": "a", "n": 1.0}'}),
        _part("tool_call", **{"id": "c2", **_CALL, "input": '{"q": ', "state": "asking", "suggested_rules": [_RULE]}),
        _part("tool_result", **{"id": "c1", **_RESULT, "output": "found"}),
        _part(
            "tool_result",
            **{"id": "c2", **_RESULT, "state": "denied", "metadata": {"k": [None]}},
            output=[_part("text", text="no", id="t2"), _part("data", id="d2", source=_PDF, name=None)],
        ),
        _part("hint", hint="Go on", id="h1", source="system"),
        _part("text", text="There.", id="t3"),
        usage={"input_tokens": 9, "output_tokens": 4, "cache_input_tokens": 2, "cache_creation_input_tokens": 0},
        finished_at=_TIME,
        finished_reason="completed",
        structured_output={"answer": [42]},
        metadata={"mine": True},
    ),
    _new(
        "assistant",
        _part("tool_call", **{"id": "c3", **_CALL, "input": "{}"}),
        _part("tool_result", **{"id": "c3", **_RESULT, "output": "", "state": "running"}),
        finished_reason="error",
        error={"type": "upstream", "message": "gone"},
    ),
    _new("assistant", _part("tool_result", **{"id": "c4", **_RESULT, "output": "late"})),
    _new("user", _part("text", text="Thanks", id="t4")),
]


def _old(role: str, content: Any, **fields: Any) -> dict[str, Any]:
    message: dict[str, Any] = {
        "id": "AbCdEfGhJkLmNpQrStUvWx",
        "name": role,
        "role": role,
        "content": content,
        "metadata": {},
    }
    return {**message, "timestamp": _OLD_TIME, **fields}


AGENTSCOPE_1: list[Any] = [
    _old("system", "Be brief."),
    _old(
        "user", [{"type": "text", "text": "Hi"}, {"type": "audio", "source": {"type": "url", "url": "https://e.com/a"}}]
    ),
    _old(
        "assistant",
        [
            {"type": "thinking", "thinking": "hm"},
            {"type": "text", "text": "Let me see."},
            {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}, "raw_input": '{ "a": 1 }'},
            {"type": "tool_use", "id": "c2", "name": "f", "input": {"a": 2}},
            {"type": "tool_use", "id": "c3", "name": "f", "input": {"a": "x"}, "raw_input": '{"a": "x'},
        ],
        name="Friday",
        metadata={"answer": 42},
    ),
    _old("system", [{"type": "tool_result", "id": "c1", "name": "f", "output": "one"}]),
    _old(
        "system",
        [
            {"type": "tool_result", "id": "c2", "name": "f", "output": [{"type": "text", "text": "two"}]},
            {"type": "tool_result", "id": "c3", "name": "f", "output": []},
        ],
    ),
    _old("assistant", "Done.", name="Friday"),
]


# Written by InMemoryMemory.state_dict() of 1.0.21: each message with its marks.
MEMORY: dict[str, Any] = {
    "_compressed_summary": "They spoke of tea.",
    "content": [
        [message, ["plan", "keep"] if message["role"] == "assistant" and message["metadata"] else []]
        for message in AGENTSCOPE_1
    ],
}


def _oldest(role: str, content: Any, **fields: Any) -> dict[str, Any]:
    """Return a message as 0.1.x wrote it: no milliseconds, and the name of its class."""
    message = {"__module__": "agentscope.message.msg", "__name__": "Msg", "id": "0" * 32, "name": "Bob", "role": role}
    return {**message, "content": content, "metadata": None, "timestamp": "2024-10-01 10:00:00", **fields}


# 0.1.1 has the URLs of media beside content, 0.1.6 in blocks; 0.0.5 names the class differently, without metadata.
AGENTSCOPE_0: list[Any] = [
    _oldest("system", "Be brief.", url=None),
    _oldest("user", "Look", url=["https://e.com/a.png", "b.mp3", "c"]),
    _oldest("user", "Look", url="https://e.com/a.mp4?x=1"),
    _oldest("user", [{"type": "text", "text": "Look"}, {"type": "image", "url": "https://e.com/a"}]),
    _oldest("assistant", [{"type": "file", "url": "f.pdf"}, {"type": "audio", "url": "https://e.com/b.wav"}]),
    _oldest("assistant", [{"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}}], metadata={"k": 1}),
    _oldest("system", [{"type": "tool_result", "id": "c1", "name": "f", "output": {"celsius": [25, 1.5]}}]),
    {"__type": "Msg", "id": "1", "timestamp": "2024-03-01 10:00:00", "name": "Bob", "content": "", "role": "user"}
    | {"url": "https://e.com/a.JPG"},
]


def _java(role: str, *content: Any, **fields: Any) -> dict[str, Any]:
    message: dict[str, Any] = {
        "id": "m",
        "name": "Bob",
        "role": role,
        "content": [*content],
        "metadata": {},
        "timestamp": _OLD_TIME,
    }
    return {**message, "usage": None, **fields}


_TEXT = {"type": "text", "text": "hi"}
_USE: dict[str, Any] = {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}, "content": None, "metadata": {}}
_ANSWER: dict[str, Any] = {"type": "tool_result", "id": "c1", "name": "f", "output": [_TEXT], "metadata": {}}
_COUNTS = {"inputTokens": 9, "outputTokens": 4, "cachedTokens": 0, "time": 1.25, "totalTokens": 13}

AGENTSCOPE_JAVA: list[Any] = [
    _java("SYSTEM", _TEXT),
    _java("USER", _TEXT, {"type": "data", "source": _PDF, "id": "d", "name": "r.pdf"}),
    _java(
        "ASSISTANT",
        {"type": "thinking", "thinking": "hm", "metadata": {"thoughtSignature": "s", "reasoningDetails": []}},
        {**_USE, "content": '{"a":1}', "state": "finished"},
        {
            **_USE,
            "id": "c2",
            "input": {},
            "content": '{"a": ',
            "metadata": {"thoughtSignature": "t"},
            "state": "asking",
        },
        {"type": "hint", "id": "h", "hint": "Go on", "source": None},
        usage=_COUNTS,
        metadata={"_structured_output": {"k": 1}, "agentscope_generate_reason": "TOOL_CALLS", "mine": [1]},
    ),
    _java("TOOL", {**_ANSWER, "state": "success"}),
    _java("TOOL", {**_ANSWER, "state": "error", "metadata": {"k": 1}}, {**_ANSWER, "id": "c2", "state": "denied"}),
    _java("ASSISTANT", {**_USE, "state": "pending"}, {**_ANSWER, "state": "success"}, _TEXT, usage=_COUNTS),
    _java("ASSISTANT", _TEXT, metadata={"_chat_usage": {"inputTokens": 1, "outputTokens": 2, "time": 0.5}}),
    _java("ASSISTANT", {"type": "tool_use", "id": "c3", "name": "f", "arguments": {"a": 1}}),
    _java("TOOL", {"type": "tool_result", "id": "c3", "name": "f", "result": _TEXT}, name=None),
]
