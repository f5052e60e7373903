"""Histories that grow in one way each, and a meter of work."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import agentmsg as am

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from types import FrameType

__all__ = ["DOCUMENTS", "GROWTH", "LISTS", "OF_ANSWERS", "STREAMS", "work_of"]


def work_of(function: Callable[[], Any]) -> tuple[int, Any]:
    """Return the number of calls that a function makes, of Python and C functions, and its result.

    Unlike time, the number is the same each time and everywhere.
    """
    count = 0

    def note(frame: FrameType, event: str, arg: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        result = function()
    finally:
        sys.setprofile(before)
    return count, result


def _msg(role: Any, *blocks: Any, **fields: Any) -> am.Msg:
    given: dict[str, Any] = {"id": None, "created_at": None, **fields}
    return am.Msg(role=role, content=blocks, **given)


def _text(number: int, **fields: Any) -> am.TextBlock:
    return am.TextBlock(f"text {number}", **fields)


def _call(number: int, link: str | None = "", **fields: Any) -> am.ToolUseBlock:
    given: dict[str, Any] = fields if "raw_input" in fields else {"input": {"a": number}, **fields}
    return am.ToolUseBlock(f"c{number}" if link == "" else link, "f", **given)


def _result(number: int, link: str | None = "", **fields: Any) -> am.ToolResultBlock:
    return am.ToolResultBlock(f"c{number}" if link == "" else link, f"result {number}", name="f", **fields)


def _said(blocks: Iterable[Any], *behind: am.Msg, **fields: Any) -> am.History:
    """Return a question, and one answer with these blocks."""
    return am.History((_msg("user", _text(0)), _msg("assistant", *blocks, **fields), *behind))


def _tools(results: Iterable[Any]) -> list[am.Msg]:
    return [_msg("tool", result) for result in results]


def _one(role: str, **fields: Any) -> am.History:
    return am.History((_msg(role, _text(0), **fields),))


def _entries(n: int) -> dict[str, Any]:
    return {f"k{number}": [number] for number in range(n)}


def _pairs(n: int) -> list[am.Msg]:
    return [each for i in range(n) for each in (_msg("user", _text(i)), _msg("assistant", _text(i), id=f"a{i}"))]


def _turns(n: int) -> list[am.Msg]:
    return [each for i in range(n) for each in (_msg("assistant", _call(i)), _msg("tool", _result(i)))]


GROWTH: Mapping[str, Callable[[int], am.History]] = {
    "messages": lambda n: am.History(_pairs(n)),
    "questions": lambda n: am.History([_msg("user", _text(i)) for i in range(n)]),
    "answers": lambda n: am.History([_msg("user"), *(_msg("assistant", _text(i)) for i in range(n))]),
    "instructions": lambda n: am.History(
        [m for i in range(n) for m in (_msg("user", _text(i)), _msg("system", _text(i)))]
    ),
    "blocks": lambda n: am.History((_msg("user", *map(_text, range(n))),)),
    "texts of an answer": lambda n: _said(map(_text, range(n))),
    "thoughts": lambda n: _said(b for i in range(n) for b in (am.ThinkingBlock(f"t{i}"), _text(i))),
    "media": lambda n: am.History(
        (_msg("user", *(am.ImageBlock(am.URLSource(f"https://x/{i}.png")) for i in range(n))),)
    ),
    "data": lambda n: am.History((_msg("user", *(am.DataBlock([{"i": i}], name="context") for i in range(n))),)),
    "calls in one message": lambda n: _said(map(_call, range(n)), *_tools(map(_result, range(n)))),
    "calls between texts": lambda n: _said(b for i in range(n) for b in (_call(i), _text(i))),
    "calls one by one": lambda n: am.History((_msg("user", _text(0)), *_turns(n))),
    "calls of many names": lambda n: _said(
        (am.ToolUseBlock(f"c{i}", f"f{i}", {"a": i}) for i in range(n)),
        *_tools(am.ToolResultBlock(f"c{i}", f"result {i}", name=f"f{i}") for i in range(n)),
    ),
    "results in reverse": lambda n: _said(map(_call, range(n)), *_tools(map(_result, reversed(range(n))))),
    "results later": lambda n: am.History(
        [_msg("assistant", _call(i)) for i in range(n)] + [_msg("user", _result(i), _text(i)) for i in range(n)]
    ),
    "calls of one id, and results of none": lambda n: _said(
        (_call(i, "c") for i in range(n)), *_tools(_result(i, None) for i in range(n))
    ),
    "calls with signatures": lambda n: _said(
        b for i in range(n) for b in (am.ThinkingBlock(f"t{i}", signature=am.Signature("google", "QUJD")), _call(i))
    ),
    "documents of one name": lambda n: am.History(
        (_msg("user", *(am.FileBlock(am.URLSource(f"u{i}"), name="same") for i in range(n))),)
    ),
    "results in one message": lambda n: _said(map(_call, range(n)), _msg("tool", *map(_result, range(n)))),
    "results of a user": lambda n: _said(map(_call, range(n)), _msg("user", *map(_result, range(n)))),
    "results without call": lambda n: am.History(_tools(map(_result, range(n)))),
    "blocks of a result": lambda n: _said(
        [_call(0)], _msg("tool", am.ToolResultBlock("c0", [b for i in range(n) for b in (_text(i), am.DataBlock(i))]))
    ),
    "ids alike": lambda n: _said((_call(i, "c") for i in range(n)), *_tools(_result(i, "c") for i in range(n))),
    "no ids": lambda n: _said((_call(i, None) for i in range(n)), *_tools(_result(i, None) for i in range(n))),
    "messages of one id": lambda n: am.History([_msg("user", _text(i), id="same") for i in range(n)]),
    "citations": lambda n: _said(
        [am.TextBlock("x" * n, citations=[am.Citation(f"https://x/{i}", "t", "x", i, i + 1) for i in range(n)])]
    ),
    "texts with a citation": lambda n: _said(
        am.TextBlock(f"text {i}", citations=[am.Citation(f"https://x/{i}", "t", "text", 0, 4)]) for i in range(n)
    ),
    "tools": lambda n: am.History(
        (_msg("user", _text(0)),), tools=[am.ToolSpec(f"t{i}", "d", {"type": "object"}) for i in range(n)]
    ),
    "metadata": lambda n: _one("user", metadata=_entries(n)),
    "arguments as text": lambda n: _said(_call(i, raw_input=f'{{ "a" : {i} }}') for i in range(n)),
    "arguments that are none": lambda n: _said(_call(i, raw_input=f'{{ "a" : {i}') for i in range(n)),
    "arguments that are free": lambda n: _said(_call(i, raw_input=f"x{i}", kind="custom") for i in range(n)),
    "calls of a server": lambda n: _said(
        b for i in range(n) for b in (_call(i, kind="server"), _result(i, kind="server"))
    ),
    "native blocks": lambda n: _said(am.NativeBlock("x", {"type": "odd", "a": i}, fallback="f") for i in range(n)),
    "native messages": lambda n: am.History([_msg("native", am.NativeBlock("x", {"a": i})) for i in range(n)]),
    "extras": lambda n: _one("user", extras={"openai": _entries(n)}),
    "extras of blocks": lambda n: am.History(
        (_msg("user", *(_text(i, extras={"openai": {"k": i}}) for i in range(n))),)
    ),
    "refusals": lambda n: _said(am.RefusalBlock(f"no {i}") for i in range(n)),
    "what is dropped": lambda n: am.History([_msg("user", am.VideoBlock(am.URLSource(f"u{i}"))) for i in range(n)]),
    "roles": lambda n: am.History([_msg(f"r{i}", _text(i)) for i in range(n)]),
    "extras of a history": lambda n: am.History((_msg("user", _text(0)),), extras={"hf": _entries(n)}),
    "settings": lambda n: am.History(
        (_msg("user", _text(0)),), settings=am.Settings(stop=[f"s{i}" for i in range(n)], temperature=0.5)
    ),
    "structured output": lambda n: _said([_text(0)], structured=_entries(n)),
}
"""By name, what makes a history that has so many of something."""


def _chunk(links: Iterable[str | None]) -> dict[str, Any]:
    """Return a chunk of LangChain that says its calls twice, as LangChain stores it."""
    calls = [(link, {"a": number}) for number, link in enumerate(links)]
    return {
        "type": "AIMessageChunk",
        "content": [{"type": "text", "text": "t", "index": 0}],
        "tool_calls": [{"name": "f", "args": args, "id": link, "type": "tool_call"} for link, args in calls],
        "tool_call_chunks": [
            {"name": "f", "args": f'{{"a": {args["a"]}}}', "id": link, "index": None, "type": "tool_call_chunk"}
            for link, args in calls
        ],
    }


DOCUMENTS: Mapping[str, tuple[am.CodecName, Callable[[int], Any]]] = {
    "calls of a chunk": ("langchain", lambda n: [_chunk(f"c{i}" for i in range(n))]),
    "calls of one id in a chunk": ("langchain", lambda n: [_chunk("c" for _ in range(n))]),
    "calls without id in a chunk": ("langchain", lambda n: [_chunk(None for _ in range(n))]),
    "chunks of one id": ("langchain", lambda n: [{**_chunk(["c"]), "id": "m"} for _ in range(n)]),
}
"""By name, a format and what makes a document of its own kind that has so many of something."""


OF_ANSWERS = (
    "calls in one message", "calls between texts", "thoughts", "texts with a citation", "arguments that are free",
    "calls of a server", "refusals",
)  # fmt: skip
"""The names of histories whose answer grows, so that a stream of it does."""


def _delta(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}  # fmt: skip


def _calls_of_one_index(n: int) -> list[Any]:
    body = {"name": "f", "arguments": "{}"}
    calls = [{"index": 0, "id": f"c{i}", "type": "function", "function": body} for i in range(n)]
    return [*(_delta(tool_calls=[call]) for call in calls), _delta("tool_calls")]


def _details(n: int) -> list[Any]:
    said = [{"type": "reasoning.text", "index": i, "text": "t", "signature": "s"} for i in range(n)]
    return [*(_delta(reasoning_details=[detail]) for detail in said), _delta("stop", content="x")]


def _annotated(n: int) -> list[Any]:
    """Return a text of the Responses API with annotations."""
    place, item = {"output_index": 0, "content_index": 0}, {"type": "message", "role": "assistant", "content": []}
    begun: dict[str, Any] = {"id": "r", "object": "response", "model": "m", "created_at": 1, "output": []}
    cited = [{"type": "url_citation", "url": f"u{i}", "title": "t", "start_index": 0, "end_index": 1} for i in range(n)]
    return [
        {"type": "response.created", "response": {**begun, "status": "in_progress"}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.content_part.added", **place, "part": {"type": "output_text", "text": "x"}},
        *({"type": "response.output_text.annotation.added", **place, "annotation": each} for each in cited),
        {"type": "response.completed", "response": {**begun, "status": "completed"}},
    ]


def _cited(n: int) -> list[Any]:
    """Return a text of Anthropic with citations."""
    place = {"type": "content_block_delta", "index": 0}
    cited = [{"type": "web_search_result_location", "url": f"u{i}", "title": "t", "cited_text": "x",
              "encrypted_index": "e"} for i in range(n)]  # fmt: skip
    return [
        {"type": "message_start", "message": {"role": "assistant", "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {**place, "delta": {"type": "text_delta", "text": "x"}},
        *({**place, "delta": {"type": "citations_delta", "citation": each}} for each in cited),
        {"type": "message_stop"},
    ]


STREAMS: Mapping[str, tuple[am.CodecName, Callable[[int], list[Any]]]] = {
    "calls of one index": ("openai", _calls_of_one_index),
    "details of reasoning": ("openai", _details),
    "annotations": ("openai-responses", _annotated),
    "citations": ("anthropic", _cited),
    "unknown events": ("openai", lambda n: [*({"type": "new", "x": i} for i in range(n)), _delta("stop", content="x")]),
}
"""By name, a provider and what makes events of its that nothing emits, with so many of something."""
LISTS = ("annotations", "citations", "unknown events")
"""The names of those that grow a list."""
