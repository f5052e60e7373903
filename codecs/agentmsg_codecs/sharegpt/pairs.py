"""Pairs: the column ``rejected`` beside ``chosen``, both turns or both texts.

| rejected | extras["hf"]["rejected"], where all rows have it |
| --- | --- |
| a text; a turn of gpt | one message with the text as its content |
| a turn of function_call: the JSON of a call, or of a list of them | one message with the calls as its tool_calls |

Any other rejected answer is an extra of this family. The mark ``/alone`` is on a history whose row has no column
``chosen``.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import adopt, is_list, is_marked, is_object, natives, spelling
from agentmsg.formats.bodies import Pairs
from agentmsg_codecs.sharegpt.messages import write_turns
from agentmsg_codecs.sharegpt.names import CALL_WORDS, FAMILY, PAIRED, WORDS
from agentmsg_codecs.sharegpt.rows import written

if TYPE_CHECKING:
    from agentmsg.formats import Native

PAIRS = Pairs(owner=PAIRED)
_REJECTED = "rejected"
_SAID = WORDS["assistant"]


def message_of(rejected: Any, chosen: Any) -> Native | None:
    """Return the message in a rejected answer beside a chosen one; None if it is none that would come back."""
    turn: Any = {"from": _SAID, "value": rejected} if type(rejected) is type(chosen) is str else rejected
    if is_list(rejected) and is_list(chosen) and len(rejected) == 1:
        turn = rejected[0]
    if not is_object(turn) or turn.keys() != {"from", "value"} or (turn is rejected and type(chosen) in (str, list)):
        return None
    message: Native = {"role": "assistant", "content": turn["value"]}
    if turn["from"] == CALL_WORDS[0]:
        message |= {"content": "", "tool_calls": _calls_in(turn["value"])}
    return message if turn_of(message) == turn else None


def _calls_in(value: Any) -> list[Native]:
    found = spelling.parse_told(value) if type(value) is str else None
    listed: Any = None if found is None else found[0] if is_list(found[0]) else [found[0]]
    return [{"type": "function", "function": call} for call in listed or ()]


def turn_of(message: Native) -> Native | None:
    """Return the turn for a message; None if a turn can't hold it."""
    said = message.get("content")
    calls: Any = message.get("tool_calls")
    if message.get("role") != "assistant" or not message.keys() <= {"role", "content", "tool_calls"}:
        return None
    if not calls and type(said) is str:
        return {"from": _SAID, "value": said}
    functions = list(map(_function, calls)) if is_list(calls) and not said else []
    if not functions or None in functions:
        return None
    value: Any = functions if len(functions) > 1 else functions[0]
    return {"from": CALL_WORDS[0], "value": spelling.dump_styled(value)}


def _function(call: Any) -> Native | None:
    """Return the name and the arguments of a call; None if these aren't objects."""
    function: Any = call.get("function") if is_object(call) and call.keys() <= {"id", "type", "function"} else None
    if not is_object(function) or function.keys() != {"name", "arguments"} or type(function["name"]) is not str:
        return None
    given = function["arguments"]
    found = spelling.parse_told(given) if type(given) is str else (given, None)
    is_held = found is not None and is_object(found[0])
    return {"name": function["name"], "arguments": found[0]} if found is not None and is_held else None


def row_of(history: am.History, turns: list[Any] | None = None) -> Native:
    """Return the columns of the turns of a history, and of its rejected answer if a turn can hold that."""
    found = PAIRS.rejected(history)
    is_alone = is_marked(history, FAMILY, "/alone") or not _ends_with_answer(history)
    # An answer of several messages has no column: the rejected one would stand alone.
    is_last = found is not None and PAIRS.start(history) == len(history.messages) - 1
    rejected = _turn_for(found) if found is not None and (is_last or is_alone) else None
    turns = write_turns(history.messages) if turns is None else turns
    return written(history, turns, rejected, is_alone=rejected is None or not is_last or is_alone)


def _ends_with_answer(history: am.History) -> bool:
    return bool(history.messages) and history.messages[-1].role == "assistant"


def _turn_for(rejected: list[Native]) -> Native | None:
    """Return the turn for a rejected answer, or the nearest one; None if there is none."""
    turn = turn_of(rejected[0]) if len(rejected) == 1 else None
    if turn is not None:
        return turn
    with suppress(am.AgentMsgError):
        made: Any = am.convert({"messages": rejected}, am.get_codec(PAIRED), am.get_codec(FAMILY)).document
        turns = made["conversations"]
        return turns[0] if len(turns) == 1 and message_of(turns[0], None) is not None else None
    return None


def _fitting(_: list[Native], history: am.History) -> list[Native] | None:
    """Return the rejected answer as it is read from its column."""
    row = {} if {"chosen", _REJECTED} & natives.extras_of(history, FAMILY).keys() else row_of(history)
    found = message_of(row[_REJECTED], row.get("chosen")) if _REJECTED in row else None
    return None if found is None else [found]


def taken_out(rest: Native, document: Any, *, is_chosen: bool) -> list[Native] | None:
    """Remove the rejected answer from the other columns of a row, and return it; None if it stays there.

    Args:
        rest: the other columns.
        document: the row.
        is_chosen: whether the last message is in the column ``chosen``.
    """
    if _REJECTED not in rest or is_chosen != ("chosen" in document):
        return None
    found = message_of(rest[_REJECTED], document.get("chosen"))
    if found is None:
        return None
    del rest[_REJECTED]
    return [found]


def told(extras: Any, history: am.History) -> Any:
    """Return extras with a rejected answer of this family where it is read."""
    own = natives.extras_of(history, FAMILY)
    if _REJECTED not in own or "chosen" in own:
        return extras
    found = message_of(thaw(own[_REJECTED]), row_of(history).get("chosen"))
    if found is None:
        return extras
    rest = {key: own[key] for key in own if key != _REJECTED}
    pair = {**natives.extras_of(history, PAIRED), _REJECTED: [found]}
    return adopt({**extras, FAMILY: rest, PAIRED: pair})


CELL = PAIRS.cell(_fitting)
