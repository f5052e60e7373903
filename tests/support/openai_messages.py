"""Native messages of OpenAI Chat and compatible servers, each with its message of the model."""

from __future__ import annotations

from typing import Any

import agentmsg as am

__all__ = [
    "CITATION",
    "OWN",
    "PNG",
    "SERVERS",
    "SIGNED",
    "TEXT",
    "USE",
    "assistant",
    "call",
    "image",
    "msg",
    "own",
    "sound",
    "thought",
    "user",
]

PNG = am.Base64Source("QUJD", "image/png")
HINT = am.CacheHint()


def msg(role: Any, *content: Any, **fields: Any) -> am.Msg:
    """Return a message without id and time, as requests have them."""
    return am.Msg(role=role, content=content, id=None, created_at=None, **fields)


def user(*parts: Any) -> dict[str, Any]:
    """Return a user's message with these parts."""
    return {"role": "user", "content": list(parts)}


def assistant(content: Any = None, **fields: Any) -> dict[str, Any]:
    """Return a model's message."""
    return {"role": "assistant", "content": content, **fields}


def call(arguments: Any = "{}", **fields: Any) -> dict[str, Any]:
    """Return an entry of tool_calls."""
    return {"id": "c1", "type": "function", "function": {"name": "f", "arguments": arguments}, **fields}


def image(url: str, **fields: Any) -> dict[str, Any]:
    """Return a part for an image."""
    return {"type": "image_url", "image_url": {"url": url, **fields}}


def sound(**fields: Any) -> dict[str, Any]:
    """Return a part for sound."""
    return {"type": "input_audio", "input_audio": {"data": "QUJD", "format": "mp3", **fields}}


def file(**fields: Any) -> dict[str, Any]:
    """Return a part for a file."""
    return {"type": "file", "file": fields}


# -- OpenAI's own content: both ways ------------------------------------------------------------------------------

USE = am.ToolUseBlock("c1", "f", raw_input='{"a": 1}')
OWN: dict[str, tuple[Any, am.Msg]] = {
    "system": ({"role": "system", "content": "s"}, msg("system", am.TextBlock("s"))),
    "developer": ({"role": "developer", "content": "s"}, msg("developer", am.TextBlock("s"))),
    "user": ({"role": "user", "content": "u"}, msg("user", am.TextBlock("u"))),
    "name": ({"role": "user", "content": "u", "name": "bob"}, msg("user", am.TextBlock("u"), name="bob")),
    "no content": ({"role": "user", "content": ""}, msg("user")),
    "texts": (
        user({"type": "text", "text": "a"}, {"type": "text", "text": "b"}),
        msg("user", am.TextBlock("a"), am.TextBlock("b")),
    ),
    "empty text": (user({"type": "text", "text": ""}), msg("user", am.TextBlock(""))),
    "image": (user(image("https://x/a")), msg("user", am.ImageBlock(am.URLSource("https://x/a")))),
    "detail": (user(image("u", detail="low")), msg("user", am.ImageBlock(am.URLSource("u"), detail="low"))),
    "image data": (user(image("data:image/png;base64,QUJD")), msg("user", am.ImageBlock(PNG))),
    "image data, cut": (
        user(image("data:image/png;base64,QU\nJD")),
        msg("user", am.ImageBlock(am.Base64Source("QU\nJD", "image/png"))),
    ),
    "image data, not base64": (
        user(image("data:image/svg+xml,<svg/>")),
        msg("user", am.ImageBlock(am.URLSource("data:image/svg+xml,<svg/>"))),
    ),
    "sound": (user(sound()), msg("user", am.AudioBlock(am.Base64Source("QUJD", "audio/mp3")))),
    "file": (user(file(file_id="f1")), msg("user", am.FileBlock(am.FileSource("f1", "openai")))),
    "file data": (
        user(file(filename="a.pdf", file_data="data:application/pdf;base64,QUJD")),
        msg("user", am.FileBlock(am.Base64Source("QUJD", "application/pdf"), name="a.pdf")),
    ),
    "cache": (
        user({"type": "text", "text": "a", "prompt_cache_breakpoint": {"mode": "explicit", "ttl": "12h"}}),
        msg("user", am.TextBlock("a", cache=am.CacheHint("ephemeral", "12h"))),
    ),
    "assistant": (assistant("a"), msg("assistant", am.TextBlock("a"))),
    "refusal part": (
        assistant([{"type": "refusal", "refusal": "no"}, {"type": "text", "text": "a"}]),
        msg("assistant", am.RefusalBlock("no"), am.TextBlock("a")),
    ),
    "sound by id": (assistant(audio={"id": "s1"}), msg("assistant", am.AudioBlock(am.FileSource("s1", "openai")))),
    "call": (assistant("a", tool_calls=[call('{"a": 1}')]), msg("assistant", am.TextBlock("a"), USE)),
    "custom call": (
        assistant(tool_calls=[{"id": "c1", "type": "custom", "custom": {"name": "f", "input": "x = 1"}}]),
        msg("assistant", am.ToolUseBlock("c1", "f", raw_input="x = 1", kind="custom")),
    ),
    "result": (
        {"role": "tool", "tool_call_id": "c1", "content": "r"},
        msg("tool", am.ToolResultBlock("c1", "r")),
    ),
    "parts of a result": (
        {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": t} for t in "ab"]},
        msg("tool", am.ToolResultBlock("c1", [am.TextBlock("a"), am.TextBlock("b")])),
    ),
    "empty result": ({"role": "tool", "tool_call_id": "c1", "content": ""}, msg("tool", am.ToolResultBlock("c1"))),
}


# -- keys and spellings of some servers: read, and written unchanged ------------------------------------------------


def thought(text: str = "t", **fields: Any) -> am.ThinkingBlock:
    """Return a block of thinking."""
    return am.ThinkingBlock(text, **fields)


SIGNED = am.Signature("anthropic", "s")
CLAUDE: dict[str, Any] = {"format": "anthropic-claude-v1", "index": 0}
GPT: dict[str, Any] = {"format": "openai-responses-v1", "index": 1}
# Beside a signature, the format only names who signed.
FIRST, SECOND = {"index": 0}, {"index": 1}
TEXT = am.TextBlock("a")
CITED = {"type": "url_citation", "url_citation": {"url": "u", "title": "t", "start_index": 0, "end_index": 1}}
CITATION = am.Citation("u", "t", None, 0, 1, "url_citation")


def own(value: Any, space: str = "openai") -> dict[str, Any]:
    """Return the extras for unknown keys."""
    return {"extras": {space: value}}


SERVERS: dict[str, tuple[Any, am.Msg]] = {
    "one text in a list": (user({"type": "text", "text": "a"}), msg("user", TEXT)),
    "null content": ({"role": "user", "content": None}, msg("user")),
    "empty list": (assistant([]), msg("assistant")),
    "no content at all": ({"role": "assistant"}, msg("assistant")),
    "nulls": (
        assistant("a", tool_calls=None, function_call=None, refusal=None, audio=None, annotations=None, name=None),
        msg("assistant", TEXT),
    ),
    "empty lists": (assistant("a", tool_calls=[], annotations=[], reasoning_details=[]), msg("assistant", TEXT)),
    "empty objects": (
        assistant("a", function_call={"name": "", "arguments": ""}, audio={"id": "", "data": None}),
        msg("assistant", TEXT),
    ),
    "empty refusal": (assistant(refusal=""), msg("assistant")),
    "refusal field": (assistant(refusal="no"), msg("assistant", am.RefusalBlock("no"))),
    "refusal behind a text": (assistant("a", refusal="no"), msg("assistant", TEXT, am.RefusalBlock("no"))),
    "image by text": (
        user({"type": "image_url", "image_url": "https://x"}),
        msg("user", am.ImageBlock(am.URLSource("https://x"))),
    ),
    "data URL in capitals": (
        user(image("DATA:IMAGE/PNG;BASE64,QUJD")),
        msg("user", am.ImageBlock(am.Base64Source("QUJD", "IMAGE/PNG"))),
    ),
    "data URL with parameters": (user(image("data:image/png;charset=x;base64,QUJD")), msg("user", am.ImageBlock(PNG))),
    "data URL of no type": (user(image("data:;base64,QUJD")), msg("user", am.ImageBlock(am.Base64Source("QUJD")))),
    "null detail": (user(image("u", detail=None)), msg("user", am.ImageBlock(am.URLSource("u")))),
    "a detail of its own": (
        user(image("u", detail="ultra")),
        msg("user", am.ImageBlock(am.URLSource("u"), detail="ultra")),
    ),
    "video": (
        user({"type": "video_url", "video_url": {"url": "u"}}),
        msg("user", am.VideoBlock(am.URLSource("u"))),
    ),
    **{
        f"sound, {kind}": (
            user(sound(format=kind)),
            msg("user", am.AudioBlock(am.Base64Source("QUJD", f"audio/{kind}"))),
        )
        for kind in ("flac", "mpeg", "x-wav", "MP3", "")
    },
    "file, base64 alone": (user(file(file_data="QUJD")), msg("user", am.FileBlock(am.Base64Source("QUJD")))),
    "file by URL": (user(file(file_data="https://x")), msg("user", am.FileBlock(am.URLSource("https://x")))),
    "cache_control": (
        user({"type": "text", "text": "a", "cache_control": {"type": "ephemeral", "ttl": "1h"}}),
        msg("user", am.TextBlock("a", cache=am.CacheHint("ephemeral", "1h"))),
    ),
    "both hints": (
        user({
            "type": "text", "text": "a",
            "cache_control": {"type": "ephemeral"}, "prompt_cache_breakpoint": {"mode": "explicit"},
        }),
        msg("user", am.TextBlock("a", cache=HINT)),
    ),
    "sound of an answer": (
        assistant(audio={"id": "s1", "data": "QUJD", "transcript": "t", "expires_at": 5}),
        msg(
            "assistant",
            am.AudioBlock(am.Base64Source("QUJD"), transcript="t", item_id="s1", **own({"expires_at": 5})),
        ),
    ),
    "image of a model": (
        assistant([{"type": "text", "text": "a"}, image("u")]),
        msg("assistant", TEXT, am.ImageBlock(am.URLSource("u"))),
    ),
    "image of a tool": (
        {"role": "tool", "tool_call_id": "c1", "content": [image("u")]},
        msg("tool", am.ToolResultBlock("c1", [am.ImageBlock(am.URLSource("u"))])),
    ),
    "tool with a name": (
        {"role": "tool", "tool_call_id": "c1", "content": "r", "name": "f"},
        msg("tool", am.ToolResultBlock("c1", "r", name="f")),
    ),
    "tool without id": ({"role": "tool", "content": "r"}, msg("tool", am.ToolResultBlock(None, "r"))),
    "arguments as object": (
        assistant(tool_calls=[call({"a": [1]})]),
        msg("assistant", am.ToolUseBlock("c1", "f", {"a": [1]})),
    ),
    "null arguments": (assistant(tool_calls=[call(None)]), msg("assistant", am.ToolUseBlock("c1", "f", raw_input=""))),
    "no arguments": (
        assistant(tool_calls=[{"id": "c1", "type": "function", "function": {"name": "f"}}]),
        msg("assistant", am.ToolUseBlock("c1", "f", raw_input="")),
    ),
    "call without id": (
        assistant(tool_calls=[{"type": "function", "function": {"name": "f", "arguments": "{}"}}]),
        msg("assistant", am.ToolUseBlock(None, "f", {})),
    ),
    "call without type": (
        assistant(tool_calls=[{"id": "c1", "function": {"name": "f", "arguments": "{}"}}]),
        msg("assistant", am.ToolUseBlock("c1", "f", {})),
    ),
    "annotations": (
        assistant("ab", annotations=[CITED]),
        msg("assistant", am.TextBlock("ab", citations=[CITATION])),
    ),
    "annotations beside calls": (
        assistant(annotations=[CITED], tool_calls=[call()]),
        msg("assistant", am.TextBlock("", citations=[CITATION]), am.ToolUseBlock("c1", "f", {})),
    ),
    "other annotations": (
        assistant("ab", annotations=[{"type": "file", "file": {"hash": "h"}}, {**CITED, "x": 1}]),
        msg(
            "assistant",
            am.TextBlock(
                "ab",
                citations=[
                    am.Citation(kind="file", **own({"file": {"hash": "h"}})),
                    CITATION.evolve(**own({"x": 1})),
                ],
            ),
        ),
    ),
    "reasoning_content": (assistant("a", reasoning_content="t"), msg("assistant", thought(), TEXT)),
    "empty reasoning_content": (assistant("a", reasoning_content=""), msg("assistant", TEXT)),
    "reasoning": (assistant("a", reasoning="t"), msg("assistant", thought(), TEXT)),
    "a copy": (assistant("a", reasoning="t", reasoning_content="t"), msg("assistant", thought(), TEXT)),
    "no copy": (
        assistant("a", reasoning="u", reasoning_content="t"),
        msg("assistant", thought(), thought("u"), TEXT),
    ),
    "copies of the fullest field": (
        assistant(
            "a",
            reasoning="t",
            reasoning_content="t",
            thinking_blocks=[{"type": "thinking", "thinking": "t", "signature": "s"}],
            reasoning_details=[{"type": "reasoning.text", "text": "t"}],
        ),
        msg("assistant", thought(), thought(signature=SIGNED), TEXT),
    ),
    "reasoning.text": (
        assistant("a", reasoning_details=[{"type": "reasoning.text", "text": "t", "signature": "s", **CLAUDE}]),
        msg("assistant", thought(signature=SIGNED, **own(FIRST)), TEXT),
    ),
    "reasoning.text, signature alone": (
        assistant("a", reasoning_details=[{"type": "reasoning.text", "signature": "s", **CLAUDE}]),
        msg("assistant", thought("", signature=SIGNED, **own(FIRST)), TEXT),
    ),
    "reasoning.text, signed by nobody": (
        assistant("a", reasoning_details=[{"type": "reasoning.text", "text": "t", "signature": "s", "format": None}]),
        msg("assistant", thought(signature=am.Signature(None, "s"), **own({"format": None})), TEXT),
    ),
    "reasoning.summary": (
        assistant("a", reasoning="t", reasoning_details=[{"type": "reasoning.summary", "summary": "t", **GPT}]),
        msg("assistant", thought(**own(GPT)), TEXT),
    ),
    "reasoning.encrypted": (
        assistant("a", reasoning_details=[{"type": "reasoning.encrypted", "data": "d", "id": "rs", **GPT}]),
        msg("assistant", thought("", signature=am.Signature("openai", "d"), item_id="rs", **own(SECOND)), TEXT),
    ),
    "reasoning.encrypted of Anthropic": (
        assistant("a", reasoning_details=[{"type": "reasoning.encrypted", "data": "d", **CLAUDE}]),
        msg("assistant", thought("", redacted="d", **own(FIRST)), TEXT),
    ),
    "thinking_blocks": (
        assistant(
            "a",
            reasoning_content="t",
            thinking_blocks=[
                {"type": "thinking", "thinking": "t", "signature": "s"},
                {"type": "redacted_thinking", "data": "r"},
            ],
        ),
        msg("assistant", thought(signature=SIGNED), thought("", redacted="r"), TEXT),
    ),
    # Unknown keys, at each level.
    "key of a message": (assistant("a", weight=0), msg("assistant", TEXT, **own({"weight": 0}))),
    "key of a part": (user({"type": "text", "text": "a", "x": 1}), msg("user", am.TextBlock("a", **own({"x": 1})))),
    "key inside a part": (
        user(image("u", x=1)),
        msg("user", am.ImageBlock(am.URLSource("u"), **own({"x": 1}, "openai.item"))),
    ),
    "key of a call": (
        assistant(tool_calls=[call(index=0)]),
        msg("assistant", am.ToolUseBlock("c1", "f", {}, **own({"index": 0}))),
    ),
    "key of a function": (
        assistant(tool_calls=[{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}", "x": 1}}]),
        msg("assistant", am.ToolUseBlock("c1", "f", {}, **own({"x": 1}, "openai.item"))),
    ),
    "key inside a citation": (
        assistant("ab", annotations=[{**CITED, "url_citation": {**CITED["url_citation"], "x": 1}}]),  # type: ignore[dict-item]
        msg("assistant", am.TextBlock("ab", citations=[CITATION.evolve(**own({"x": 1}, "openai.item"))])),
    ),
    # Values without a meaning in the model.
    "another part": (
        user({"type": "text", "text": "a"}, {"type": "hologram", "text": "h"}),
        msg("user", TEXT, am.NativeBlock("openai", {"type": "hologram", "text": "h"}, fallback="h")),
    ),
    "image of a system": (
        {"role": "system", "content": [image("u")]},
        msg("system", am.NativeBlock("openai", image("u"))),
    ),
    "another role": (
        {"role": "critic", "content": "a"},
        msg("native", am.NativeBlock("openai", {"role": "critic", "content": "a"}, fallback="a")),
    ),
    "a broken call": (
        assistant("a", tool_calls=[call('{"a": 1}'), {"id": "c2", "text": "f"}, None]),
        msg(
            "assistant",
            TEXT,
            USE,
            am.NativeBlock("openai", {"id": "c2", "text": "f"}, fallback="f"),
            am.NativeBlock("openai", None),
        ),
    ),
    "a broken call before one of old": (
        assistant(tool_calls=[{"id": "c1"}], function_call={"name": "f", "arguments": "{}"}),
        msg("assistant", am.NativeBlock("openai", {"id": "c1"}), am.ToolUseBlock("call_0_1_f", "f", {})),
    ),
    "calls that are no list": (
        assistant(tool_calls={"id": "c1"}),
        msg("assistant", extras={"openai": {"tool_calls": {"id": "c1"}}}),
    ),
}  # fmt: skip
