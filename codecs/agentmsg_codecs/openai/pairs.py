"""Preferences: rows for fine-tuning with a request and two answers to it.

| row | agentmsg |
| --- | --- |
| input: messages, tools and parameters | the same |
| preferred_output: messages | the last messages |
| non_preferred_output: messages | extras["hf"]["rejected"], where all rows have it |

The mark ``/pair`` is on a history that was read from one: the rejected answer is written as it is.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import is_list, is_marked, is_object, spelling
from agentmsg.formats.bodies import Pairs
from agentmsg_codecs.openai.names import FAMILY, PAIRED

if TYPE_CHECKING:
    from agentmsg.formats import Native

PAIRS = Pairs(owner=PAIRED)
_INPUT, _CHOSEN, _REJECTED = "input", "preferred_output", "non_preferred_output"
_KEYS = frozenset({_INPUT, _CHOSEN, _REJECTED})


def taken_apart(document: Any) -> tuple[Native, int, list[Any]] | None:
    """Return the request in a row, with the chosen answer; the index of that; the rejected one. Else None."""
    request: Any = document[_INPUT] if is_object(document) and document.keys() == _KEYS else None
    if not is_object(request) or not is_list(request.get("messages")):
        return None
    prompt, chosen, rejected = request["messages"], document[_CHOSEN], document[_REJECTED]
    if not is_list(chosen) or not chosen or not is_list(rejected) or not PAIRS.is_answer(rejected):
        return None
    return {**request, "messages": [*prompt, *chosen]}, len(prompt), rejected


def place_in_row(path: tuple[str | int, ...], start: int) -> tuple[str | int, ...]:
    """Return the path in a row of what is at a path of its request; the chosen answer starts at an index."""
    match path:
        case ("messages", int(index), *rest) if index >= start:
            return (_CHOSEN, index - start, *rest)
        case _:
            return (_INPUT, *path)


def put_together(document: Any, history: am.History) -> Any:
    """Return the row of a request, if its history has a rejected answer; else the request."""
    rejected, start = PAIRS.rejected(history), PAIRS.start(history)
    if rejected is None or start is None:
        return document
    request: Any = {"messages": document} if is_list(document) else document
    if "messages" not in request:
        request = {"messages": [request]}
    natives = request["messages"]
    return {_INPUT: {**request, "messages": natives[:start]}, _CHOSEN: natives[start:], _REJECTED: rejected}


def _fitting(rejected: list[Native], history: am.History) -> list[Native] | None:
    """Return a rejected answer beside a chosen one as it would be written if it were that."""
    if PAIRS.start(history) is None:
        return None
    if is_marked(history, FAMILY, "/pair"):
        return rejected
    with suppress(am.AgentMsgError):
        told = {"messages": list(map(_called, rejected))}
        made: Any = am.convert(told, am.get_codec(PAIRED), am.get_codec(FAMILY)).document
        return made["messages"]  # type: ignore[no-any-return]
    return None


def _called(native: Native) -> Native:
    calls: Any = native.get("tool_calls")
    return {**native, "tool_calls": list(map(_with_text, calls))} if is_list(calls) else native


def _with_text(call: Any) -> Any:
    function: Any = call.get("function") if is_object(call) else None
    if not is_object(function) or not is_object(function.get("arguments")):
        return call
    return {**call, "function": {**function, "arguments": spelling.dump_styled(function["arguments"])}}


CELL = PAIRS.cell(_fitting)
