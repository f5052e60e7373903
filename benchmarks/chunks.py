"""Adding up the chunks of a tool call, by us and by langchain-core; its growth with their number. Imports timing."""

from __future__ import annotations

from functools import reduce
from importlib import import_module
from operator import add
from typing import TYPE_CHECKING, Any

import agentmsg as am
from benchmarks.competitors import Missing
from benchmarks.timing import Case, Rounds, Times, interleave

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CHUNKS", "MANY", "OFTEN", "ONE_BY_ONE", "measure"]

CHUNKS = 500
ONE_BY_ONE = "langchain-core, one by one"
# What the many are: the same chunks again and again. Other ones would not fit into the cache, and memory be timed.
_TIMES = 100
# As many in as long a time, but few at once: what a busy machine does to a long run, it does to both.
OFTEN = f"agentmsg, {_TIMES} times"
MANY = f"agentmsg, {CHUNKS * _TIMES:,} chunks"
_PEER = "langchain_core.messages"


def _pieces(count: int) -> list[dict[str, Any]]:
    """Return the pieces of one call with long arguments, as OpenAI streams them: the first has id and name."""
    texts = ['{"text": "', *["word "] * (count - 2), '"}']
    named = {"id": "call_1", "name": "write_file"}
    return [
        {"index": 0, "args": text, **(named if number == 0 else {"id": None, "name": None})}
        for number, text in enumerate(texts)
    ]


def _ours(pieces: list[dict[str, Any]]) -> list[am.MsgChunk]:
    return [
        am.MsgChunk(
            "assistant",
            [am.ChunkPart(am.ToolUseBlock(piece["id"], piece["name"] or "", raw_input=piece["args"]), piece["index"])],
            id="msg_1",
        )
        for piece in pieces
    ]


def _message(chunks: list[am.MsgChunk]) -> am.Msg:
    return am.Accumulator(chunks).to_msg()


def _shown(chunks: list[am.MsgChunk]) -> list[am.Msg]:
    acc = am.Accumulator()
    return [acc.add(chunk).snapshot() for chunk in chunks]


def _theirs(pieces: list[dict[str, Any]]) -> dict[str, Case]:
    messages = import_module(_PEER)
    at_once = import_module(f"{_PEER}.ai").add_ai_message_chunks
    chunks = [messages.AIMessageChunk(content="", id="msg_1", tool_call_chunks=[piece]) for piece in pieces]
    whole = at_once(chunks[0], *chunks[1:])
    ours = _message(_ours(pieces)).tool_calls
    assert [(call["id"], call["args"]) for call in whole.tool_calls] == [(call.id, call.input) for call in ours]
    return {
        "langchain-core": Case(lambda: chunks, lambda given: at_once(given[0], *given[1:])),
        ONE_BY_ONE: Case(lambda: chunks, lambda given: reduce(add, given)),
    }


def measure(rounds: Rounds) -> tuple[Mapping[str, Times], tuple[Missing, ...]]:
    """Return the time per chunk, in all rounds, by library and way of adding."""
    chunks = _ours(_pieces(CHUNKS))
    # In each of the many, the arguments go on behind their end: nobody looks before the last.
    many = chunks * _TIMES
    cases = {
        "agentmsg": Case(lambda: chunks, _message),
        MANY: Case(lambda: many, _message),
        OFTEN: Case(lambda: [chunks] * _TIMES, lambda given: list(map(_message, given))),
        "agentmsg, a snapshot each": Case(lambda: chunks, _shown),
        "agentmsg, one by one": Case(lambda: chunks, lambda given: sum(given, am.MsgChunk())),
    }
    missing: tuple[Missing, ...] = ()
    try:
        cases |= _theirs(_pieces(CHUNKS))
    except ImportError as error:
        missing = (Missing("langchain-core", f"not installed ({error})"),)
    times = interleave(cases, rounds)
    return {name: spent.each(len(many) if name in {MANY, OFTEN} else CHUNKS) for name, spent in times.items()}, missing
