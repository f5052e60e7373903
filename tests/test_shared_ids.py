"""Calls that share an id, of one tool and of several: each short order of calls and results, through each format."""

from __future__ import annotations

from itertools import chain, product
from typing import Any

import pytest

import agentmsg as am
from agentmsg.testing import laws
from data import some

SOURCE = am.get_codec("vercel")  # names the tool of each call, and of each result
# "c": a call in a message of its own, "+": in the message before; "r" and "*": a result, in the same way.
EVENTS = ("ca", "cb", "+a", "+b", "ra", "rb", "*b", "user")
CALL: dict[str, Any] = {"type": "tool-call", "toolCallId": "x", "input": {}}
RESULT: dict[str, Any] = {"type": "tool-result", "toolCallId": "x", "output": {"type": "text", "value": "r"}}


def _document(events: tuple[str, ...]) -> list[Any] | None:
    """Return a document of these events; None if one needs another message before it."""
    out: list[Any] = []
    for event in events:
        kind, tool = event[0], event[1:]
        role, part = ("assistant", CALL) if kind in "c+" else ("tool", RESULT)
        if kind == "u":
            out.append({"role": "user", "content": "u"})
        elif kind in "cr":
            out.append({"role": role, "content": [{**part, "toolName": tool}]})
        elif not out or out[-1]["role"] != role:
            return None
        else:
            out[-1]["content"].append({**part, "toolName": tool})
    return out


DOCUMENTS = [
    found
    for events in chain.from_iterable(product(EVENTS, repeat=length) for length in range(1, 5))
    if (found := _document(events)) is not None
]
assert len(DOCUMENTS) == 1460


@pytest.mark.parametrize("codec", am.codec_names())
def test_calls_that_share_an_id_keep_their_results(codec: str) -> None:
    """Results that move to their calls come back with their names, even if the format names calls alone."""
    middle = am.get_codec(codec)
    for document in some(DOCUMENTS, len(DOCUMENTS) // 4):
        laws.returns_through(SOURCE, document, middle)


@pytest.mark.parametrize("codec", am.codec_names())
def test_results_without_ids_take_no_names_from_others(codec: str) -> None:
    """A result is given the id of a call that a later one answers: the name of that one comes back all the same."""

    def part(kind: str, **fields: Any) -> dict[str, Any]:
        return {"part_kind": kind, "tool_name": "f", **fields}

    calls = [part("tool-call", args="{}", tool_call_id=link) for link in "ab"]
    results = [part("tool-return", content="r"), part("retry-prompt", content="again", tool_call_id="a")]
    document = [{"kind": "response", "parts": calls}, {"kind": "request", "parts": results}]
    laws.returns_through(am.get_codec("pydantic-ai"), document, am.get_codec(codec))


@pytest.mark.parametrize(
    ("events", "parts"),
    [
        (("ca", "cb", "ra"), ["a r", "step", "b"]),
        (("ca", "cb", "rb"), ["a", "b r"]),
        (("ca", "user", "ca", "ra"), ["a", "a r"]),
        (("ca", "cb", "+a", "ra"), ["a r", "step", "b", "a"]),
        (("ca", "cb", "rb", "rb"), ["a r", "step", "b r"]),  # a result of no tool that still waits
    ],
)
def test_results_stand_with_calls_of_their_tool(events: tuple[str, ...], parts: list[str]) -> None:
    """A part is a call and its result: that of its tool if one waits, and of the nearest call if several do."""
    document = _document(events)
    laws.returns_through(SOURCE, document, am.get_codec("vercel-ui"))
    written: Any = am.convert(document, source="vercel", target="vercel-ui").document
    names = {"step-start": "step", "tool-a": "a", "tool-b": "b"}
    found = [
        names[part["type"]] + (" r" if "output" in part else "")
        for message in written
        if message["role"] == "assistant"
        for part in message["parts"]
    ]
    assert found == parts
