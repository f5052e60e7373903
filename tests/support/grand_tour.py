"""A tour through the whole model: every class, every field set, every role, odd texts and numbers.

The tour never changes: its bytes are frozen in tests/stored.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import agentmsg as am
from agentmsg.model.generated import Made

__all__ = ["grand_tour"]

_ODD = 'line\n"quoted" \\ tab\t nul\x00 \u2028 \uffff \U0001f642 e\u0301 \u05e9\u05dc'
_JSON: dict[str, Any] = {
    "z": [1, 1.0, True, None, "x"],
    "a": {"": {}, "empty": []},
    "big": 2**64,
    "neg": -(2**63) - 1,
    "-0": -0.0,
}
_EXTRAS = {"openai": {"logprobs": None, "n": [1.5]}, "agentmsg": "ours", "other": 7}
_NOTES = {"langchain": {"name": "null", "seat": 2}}
_REST: dict[str, Any] = {"extras": _EXTRAS, "notes": _NOTES}
_CACHE = am.CacheHint("ephemeral", "1h", **_REST)
_COMMON: dict[str, Any] = {
    "item_id": "item_1",
    "phase": "commentary",
    "metadata": {"mine": [_ODD]},
    "cache": _CACHE,
    "signature": am.Signature("anthropic", "c2ln", **_REST),
    **_REST,
}
_CITATIONS = [
    am.Citation("https://example.org/a", "A", "cited", 0, 5, "char_location", **_REST),
    am.Citation(),
    am.Citation(end=2**70),
]
_TOOLS = (
    am.ToolSpec("bare"),
    am.ToolSpec("empty", parameters={}, strict=False),
    am.ToolSpec(
        "add",
        "Adds numbers.",
        {"type": "object", "properties": {"b": {}, "a": {}}},
        strict=True,
        kind="custom",
        cache=am.CacheHint(),
        metadata={"k": "v"},
        **_REST,
    ),
    am.NativeTool("anthropic", {"type": "web_search_20250305"}, **_REST),
    am.NativeTool("agentmsg", {"type": "tool", "name": "looks like ours"}),
    am.NativeTool("agentmsg", {"type": "of a later version"}),
    am.NativeTool("x", None),
)


def _media() -> list[am.Block]:
    return [
        am.ImageBlock(am.URLSource("https://example.org/a.png")),
        am.ImageBlock(am.URLSource("data:image/png;base64,AA==", "image/png", **_REST), detail="high", **_COMMON),
        am.AudioBlock(am.Base64Source("UklGRg==", "audio/wav", **_REST), transcript="hello", **_COMMON),
        am.VideoBlock(am.FileSource("file_1", "google", "video/mp4", **_REST), **_COMMON),
        am.VideoBlock(am.FileSource("file_1")),
        am.FileBlock(am.TextSource("plain", "text/plain", **_REST), name="a.txt", title="A", context="why", **_COMMON),
        am.FileBlock(am.BlocksSource((am.TextBlock("in a document"), am.TextBlock("", item_id="x")), **_REST)),
    ]


def _blocks() -> list[am.Block]:
    return [
        am.TextBlock("plain"),
        am.TextBlock(""),
        am.TextBlock(_ODD, citations=_CITATIONS, **_COMMON),
        *_media(),
        am.DataBlock(None),
        am.DataBlock(_JSON, name="data", **_COMMON),
        am.ThinkingBlock(),
        am.ThinkingBlock("hm", redacted="b3BhcXVl", **_COMMON),
        am.RefusalBlock("no", **_COMMON),
        am.SourceBlock(),
        am.SourceBlock("https://example.org", title="T", media_type="text/html", **_COMMON),
        am.CompactionBlock(),
        am.CompactionBlock("so far", encrypted="eA==", **_COMMON),
        am.ToolsBlock((), **_COMMON),
        am.ToolsBlock(_TOOLS),
        am.NativeBlock("openai", {"type": "text", "text": "theirs"}, fallback="text", **_COMMON),
        am.NativeBlock("agentmsg", {"type": "text", "text": "looks like ours"}),
        am.NativeBlock("agentmsg", {"type": "of a later version", "n": 1}),
        am.NativeBlock("agentmsg", [99, "of a later version"]),
        am.NativeBlock("agentmsg", [1, "looks like ours"]),
        am.NativeBlock("agentmsg", "looks like ours"),
        am.NativeBlock("agentmsg", None),
    ]


def _calls() -> list[am.Block]:
    return [
        am.ToolUseBlock("c1", "add", {"b": 1, "a": 2**65}),
        am.ToolUseBlock(None, "none"),
        am.ToolUseBlock("c2", "null", None),
        am.ToolUseBlock("c2", "list", [1, [2.0]]),
        am.ToolUseBlock("c3", "text", raw_input='{ "b": 1 }'),
        am.ToolUseBlock("c4", "same", {"b": 1}, raw_input='{"b":1}'),
        am.ToolUseBlock("c5", "empty text", raw_input=""),
        am.ToolUseBlock("c6", "invalid", raw_input='{"b": '),
        am.ToolUseBlock("c7", "twice", raw_input='{"a":1,"a":2}'),
        am.ToolUseBlock("c8", "rounded", raw_input="[0.1000000000000000000001]"),
        am.ToolUseBlock("c9", "free", raw_input="any {text", kind="custom", status="asking", **_COMMON),
        am.ToolUseBlock(Made("call_1_0"), "web", {}, kind="server", provider="openai", status="done", **_COMMON),
    ]


def _results() -> list[am.Block]:
    nested = am.ToolResultBlock("deep", (am.ToolResultBlock("deeper", "at the bottom"), am.DataBlock([])))
    return [
        am.ToolResultBlock("c1"),
        am.ToolResultBlock(None, "3"),
        am.ToolResultBlock(
            Made("call_1_0"),
            (am.TextBlock("3"), nested, *_media()[:1]),
            name="web",
            structured={"sum": 3},
            artifact=[None],
            status="error",
            error="overflow",
            error_type="ArithmeticError",
            kind="server",
            provider="openai",
            **_COMMON,
        ),
    ]


def _usage() -> am.Usage:
    return am.Usage(
        input=1,
        output=2,
        total=2**64,
        cache_read=0,
        cache_write=5,
        reasoning=6,
        input_audio=7,
        output_audio=8,
        cost=0.1,
        seconds=2,
        **_REST,
    )


def _whole() -> am.Msg:
    return am.Msg(
        "assistant",
        "",
        id="m1",
        created_at=datetime(2026, 11, 21, 10, 0, 0, 123456, timezone(timedelta(hours=5, minutes=45))),
        name="Ada",
        recipient="Bob",
        model="m-1",
        metadata=_JSON,
        response_metadata={"system_fingerprint": None},
        structured={"answer": [42]},
        usage=_usage(),
        finish_reason="stop",
        embedding=(0.5, -0.0, 1e300),
        **_REST,
    )


_ROLES = ("system", "developer", "user", "assistant", "tool", "remove", "native", "unset", "moderator", "")


def grand_tour() -> am.History:
    """Return the history of the tour."""
    bare: dict[str, Any] = {"id": None, "created_at": None}
    times = (
        datetime(2026, 1, 2, 3, 4, 5),
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(9999, 12, 31, 23, 59, 59, 999999, timezone(-timedelta(hours=23, minutes=59, seconds=59))),
        datetime(2026, 1, 2, 3, 4, 5, 6, UTC, fold=1),
    )
    messages = [
        *(am.Msg(role=role, content="hi" if role else (), **bare) for role in _ROLES),
        *(am.Msg("user", "when", id=Made(f"m_{index}"), created_at=time) for index, time in enumerate(times)),
        am.Msg("user", _blocks(), **bare),
        am.Msg("assistant", _calls(), **bare),
        *(am.Msg("tool", (result,), **bare) for result in _results()),
        am.Msg("assistant", "free", structured=False, usage=am.Usage(cost=-0.0), embedding=(), **bare),
        am.Msg("user", "odd extras", extras={"agentmsg": {"role": "a name of ours"}}, **bare),
        am.Msg("user", "later fields", extras={"agentmsg": {"later": 1}}, **bare),
        _whole(),
    ]
    return am.History(messages, id="h1", tools=_TOOLS, metadata={"title": _ODD}, **_REST)
