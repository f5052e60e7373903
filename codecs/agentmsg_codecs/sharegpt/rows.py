"""Rows: their columns, and those of Alpaca and ms-swift: a question, its answer, and the turns before them.

``conversations`` is a list, or the JSON text of one.

| columns of Alpaca; of ms-swift | messages |
| --- | --- |
| system | a system message |
| history: pairs of texts | a user's message and an assistant's each |
| instruction; input, after a line break; or query; question | a user's message |
| output, else chosen; or response; answer | an assistant's message |
| instruction; context, after a line break; response (Dolly) | the same |
| query; answers, the JSON of calls (xLAM) | a user's message; an assistant's with calls |
| conversation: pairs, each with a text under human and one under assistant | a user's message and an assistant's each |

Marks of the history: ``/container`` ("row", "alpaca", "pairs", "list", "single"), ``/answer`` (the column of an answer
that isn't ``output``), ``/asked`` (that of its question), ``/split`` (the length of the instruction, if there is an
input), ``/no-input`` (there is no column ``input``), ``/context`` (that is ``context``), ``/history`` (the column
``history`` is empty), ``/json`` (the style of JSON text, and its orders of keys). Marks of a message: ``/column`` (it
is in the column ``system``), ``/chosen`` (it is in that column), ``/chosen_text`` (its text is).

In a pair the column ``rejected`` is beside ``chosen``, both turns or both texts:

| rejected | extras["hf"]["rejected"], where all rows have it |
| --- | --- |
| a text; a turn of gpt | one message with the text as its content |
| a turn of function_call: the JSON of a call, or of a list of them | one message with the calls as its tool_calls |

Any other rejected answer is an extra of this family. The mark ``/alone`` is on a history whose row has no column
``chosen``.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import agentmsg as am
from agentmsg import DecodeError
from agentmsg.formats import is_list, is_mapping, is_marked, is_object, is_sequence, mark_of, natives, spelling
from agentmsg.formats.bodies import Pairs, check_document
from agentmsg_codecs.sharegpt.messages import write_turns
from agentmsg_codecs.sharegpt.names import CALL_WORDS, FAMILY, PAIRED, ROLES, WORDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmsg.formats import Native


# The columns of questions and their answers; the first that a row has are read, the very first are written.
_ASKED = (
    ("instruction", "output"),
    ("instruction", "chosen"),
    ("query", "response"),
    ("query", "answers"),
    ("instruction", "response"),
    ("question", "response"),
    ("question", "answer"),
)
# The question of an answer, unless the mark ``/asked`` says another.
_OF_ANSWER = {answer: asked for asked, answer in reversed(_ASKED)}
_PAIR = ("human", "assistant")


class Row(NamedTuple):
    """The parts of a document.

    Attributes:
        turns: the turns, each with its path and the mark of its message.
        rest: the other columns.
        marks: of the history.
    """

    turns: list[tuple[Any, tuple[str | int, ...], str | None]]
    rest: Native
    marks: Native


def is_turn(turn: Any) -> bool:
    """Whether an object has a sender and a value."""
    return is_mapping(turn) and isinstance(turn.get("from"), str) and "value" in turn and "role" not in turn


def _is_listed(value: Any) -> bool:
    """Whether a value is a list of one turn."""
    return is_sequence(value) and len(value) == 1 and is_turn(value[0])


def is_single(document: Native) -> bool:
    """Whether an object would be read as one turn: it has a sender, and isn't a row."""
    is_row = "conversations" in document or ("value" not in document and is_alpaca(document))
    return "from" in document and not is_row


def taken_apart(document: Any) -> Row:
    """Take a document apart.

    Raises:
        DecodeError: if it isn't a row, a list of turns, or one turn.
    """
    check_document(document, _is_row)
    if is_list(document):
        return Row([(turn, (index,), None) for index, turn in enumerate(document)], {}, {"/container": "list"})
    if is_single(document):
        return Row([(document, (), None)], {}, {"/container": "single"})
    rest, given = dict(document), parsed(document.get("conversations"))
    marks: Native = {"/container": "row"}
    if is_list(given):
        if rest.pop("conversations") is not given:
            marks["/json"] = document["conversations"]
        turns: list[Any] = [(turn, ("conversations", index), None) for index, turn in enumerate(given)]
    elif is_alpaca(document):
        turns, marks = _questions(rest)
    elif are_pairs(document):
        texts = [pair[key] for pair in rest.pop("conversation") for key in _PAIR]
        turns, marks = _alternating(texts, ("conversation",)), {"/container": "pairs"}
    else:
        raise DecodeError("a row must have conversations, or an instruction and its output", path=("conversations",))
    if type(rest.get("system")) is str and rest["system"]:
        turns.insert(0, (_turn("system", rest.pop("system")), ("system",), "column"))
    if is_list(given) and is_turn(rest.get("chosen")):
        turns.append((rest.pop("chosen"), ("chosen",), "chosen"))
    elif is_list(given) and _is_listed(rest.get("chosen")):
        turns.append((rest.pop("chosen")[0], ("chosen", 0), "chosen_list"))
    elif is_list(given) and _is_answer(rest, turns):
        turns.append((_turn("gpt", rest.pop("chosen")), ("chosen",), "chosen_text"))
    return Row(turns, rest, marks)


def parsed(value: Any) -> Any:
    """Return the turns in a JSON text; any other value as it is."""
    return spelling.listed(value, is_turn)


def as_json(row: Native, noted: Any) -> Native:
    """Return a row with its turns as JSON text in the noted style, if that reads as the same."""
    turns: Any = row.get("conversations")
    return {**row, "conversations": spelling.dump_listed(turns, noted, is_turn)} if is_list(turns) else row


def _is_answer(row: Mapping[str, Any], turns: list[Any]) -> bool:
    """Whether the column ``chosen`` is the text of an answer to the last turn, beside a rejected one."""
    last: Any = turns[-1][0] if turns else None
    word: Any = last.get("from", last.get("role")) if is_object(last) else None
    are_texts = type(row.get("chosen")) is type(row.get("rejected")) is str and bool(row["chosen"])
    return are_texts and type(word) is str and ROLES.get(word) in ("user", "tool")


def _is_row(value: Any) -> bool:
    return (
        is_object(value)
        and "from" not in value
        and (is_list(parsed(value.get("conversations"))) or is_alpaca(value) or are_pairs(value))
    )


def written(history: am.History, turns: list[Any], rejected: Native | None, *, is_alone: bool) -> Native:
    """Write the columns of turns.

    Args:
        history: that fits.
        turns: of its messages.
        rejected: the turn that was rejected.
        is_alone: whether the last turn isn't the one chosen instead.
    """
    own = natives.extras_of(history, FAMILY)
    row: Native = {}
    is_column = bool(turns) and is_marked(history.messages[0], FAMILY, "/column")
    if is_column and "system" not in own and _is_plain(turns[0], "system"):
        row["system"] = turns[0]["value"]
        turns = turns[1:]
    text = rejected["value"] if rejected is not None and _is_plain(rejected, "gpt") else None
    other: Native = {} if rejected is None else {"rejected": rejected}
    answered = _answered(history, turns, own)
    if answered is not None and rejected is not None:
        is_text = "chosen" in answered
        other = {"rejected": text} if is_text else other
        answered = None if is_text == is_alone or (is_text and text is None) else answered
    if answered is not None:
        return {**row, **answered, **other}
    other = {} if rejected is None else {"rejected": rejected}
    pair = _pair(history, turns, other, text, is_alone=is_alone) if turns and "chosen" not in own else None
    return {**row, "conversations": turns, **other} if pair is None else {**row, "conversations": turns[:-1], **pair}


def _pair(history: am.History, turns: list[Any], other: Native, text: str | None, *, is_alone: bool) -> Native | None:
    """Return the columns of a chosen and a rejected answer; None if the last turn isn't in one."""
    last = history.messages[-1]
    if is_marked(last, FAMILY, "/chosen_text"):
        said = turns[-1]["value"] if _is_plain(turns[-1], "gpt") else ""
        rejected = text if other else natives.extras_of(history, FAMILY).get("rejected")
        if _is_answer({"chosen": said, "rejected": rejected}, [(turn,) for turn in turns[:-1]]):
            return {"chosen": said, **({"rejected": text} if other else {})}
    is_listed = is_marked(last, FAMILY, "/chosen_list")
    is_chosen = is_listed or is_marked(last, FAMILY, "/chosen") or not is_alone
    pair = {"chosen": turns[-1], **other}
    if is_listed:
        pair = {key: [turn] for key, turn in pair.items()}
    return pair if is_chosen and is_turn(turns[-1]) else None


def _turn(word: str, text: str) -> Native:
    return {"from": word, "value": text}


def _is_plain(turn: Any, word: str) -> bool:
    """Whether a turn has only this sender and a text."""
    is_text = is_object(turn) and turn.keys() == {"from", "value"} and type(turn["value"]) is str
    return is_text and turn["from"] == word and (bool(turn["value"]) or word != "system")


# -- Alpaca -----------------------------------------------------------------------------------------------------------


def is_alpaca(row: Any) -> bool:
    """Whether an object has the columns of Alpaca."""
    return not is_object(row.get("chosen")) and _asked(row) is not None


def _asked(row: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the columns of a question and its answer; None if there aren't both."""
    return next((pair for pair in _ASKED if all(type(row.get(column)) is str for column in pair)), None)


def _alternating(texts: list[str], path: tuple[str, ...] = ()) -> list[Any]:
    return [(_turn(("human", "gpt")[number % 2], text), path, None) for number, text in enumerate(texts)]


def _questions(rest: Native) -> tuple[list[Any], Native]:
    """Remove the columns of a row's turns; return the turns, and the marks of the history."""
    asked, answer = _asked(rest) or ("instruction", "output")
    marks: Native = {"/container": "alpaca", **({} if answer == "output" else {"/answer": answer})}
    marks |= {} if _OF_ANSWER[answer] == asked else {"/asked": asked}
    texts: list[str] = []
    if _are_pairs(rest.get("history")):
        texts = [text for pair in rest.pop("history") for text in pair]
        marks |= {} if texts else {"/history": True}
    key = _more_of(rest, asked, answer)
    marks |= {"/context": True} if key == "context" else {}
    question, more = rest.pop(asked), None if key is None else rest.pop(key)
    if more:
        marks["/split"] = len(question)
        question = f"{question}\n{more}"
    marks |= {"/no-input": True} if more is None else {}
    *turns, last = _alternating([*texts, question, rest.pop(answer)])
    return [*turns, (_turn(CALL_WORDS[0], last[0]["value"]), *last[1:]) if answer == "answers" else last], marks


def _more_of(row: Mapping[str, Any], asked: str, answer: str) -> str | None:
    """Return the column that follows the question; None if there is none."""
    keys = ("input",) if answer != "response" else ("input", "context")
    return next((key for key in keys if type(row.get(key)) is str), None) if asked == "instruction" else None


def _are_pairs(value: Any) -> bool:
    if not is_list(value):
        return False
    return all(is_list(pair) and len(pair) == 2 and all(type(text) is str for text in pair) for pair in value)  # noqa: PLR2004


def are_pairs(row: Mapping[str, Any]) -> bool:
    """Whether a row has a column with pairs of texts, each of a user and an assistant."""
    pairs: Any = row.get("conversation")
    if not is_list(pairs) or not pairs or is_object(row.get("chosen")):
        return False
    return all(
        is_object(pair) and {*pair} == {*_PAIR} and all(type(pair[key]) is str for key in _PAIR) for pair in pairs
    )


def _answered(history: am.History, turns: list[Any], own: Mapping[str, Any]) -> Native | None:
    """Return the columns of pairs; None if none were read, or if they can't hold all turns."""
    place = mark_of(history, FAMILY, "/container")
    if place not in ("alpaca", "pairs") or not turns or len(turns) % 2:
        return None
    last = CALL_WORDS[0] if mark_of(history, FAMILY, "/answer") == "answers" else "gpt"
    if not all(map(_is_plain, turns, (*("human", "gpt") * (len(turns) // 2 - 1), "human", last))):
        return None
    texts = [turn["value"] for turn in turns]
    pairs = [texts[index : index + 2] for index in range(0, len(texts), 2)]
    if place == "alpaca":
        return _asking(history, pairs, own)
    row = {"conversation": [dict(zip(_PAIR, pair, strict=True)) for pair in pairs]}
    is_other = is_list(parsed(own.get("conversations"))) or is_mapping(own.get("chosen"))
    is_read = is_other or is_alpaca(own) or is_single({**row, **own})
    return None if is_read or "conversation" in own else row


def _asking(history: am.History, pairs: list[list[str]], own: Mapping[str, Any]) -> Native | None:
    """Return the columns of a question, its answer, and the pairs before."""
    *before, (question, said) = pairs
    noted: Any = mark_of(history, FAMILY, "/answer")
    answer: str = noted if isinstance(noted, str) and noted in _OF_ANSWER else "output"
    other = (mark_of(history, FAMILY, "/asked"), answer)
    asked: str = other[0] if other in _ASKED else _OF_ANSWER[answer]
    key = "context" if is_marked(history, FAMILY, "/context") else "input"
    at = mark_of(history, FAMILY, "/split")
    row: Native = {asked: question}
    if asked != "instruction":
        pass
    elif type(at) is int and 0 <= at < len(question) - 1 and question[at] == "\n":
        row = {asked: question[:at], key: question[at + 1 :]}
    elif not is_marked(history, FAMILY, "/no-input"):
        row[key] = ""
    row[answer] = said
    if before or is_marked(history, FAMILY, "/history"):
        row["history"] = before
    # Extras must not be read as columns of these rows.
    is_said = not row.keys().isdisjoint(own) or _asked({**row, **own}) != (asked, answer)
    is_read = _more_of({**row, **own}, asked, answer) != (key if key in row else None)
    is_read = is_read or _are_pairs(own.get("history")) or is_single({**row, **own})
    return None if is_said or is_read else row


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
