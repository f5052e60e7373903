"""Rows: their columns, and those of Alpaca: a question, its answer, and the turns before them.

| columns of Alpaca | messages |
| --- | --- |
| system | a system message |
| history: pairs of texts | a user's message and an assistant's each |
| instruction; input, after a line break | a user's message |
| output, else chosen | an assistant's message |

Marks of the history: ``/container`` ("row", "alpaca", "list", "single"), ``/answer`` (Alpaca's column of the answer),
``/split`` (the length of the instruction, if there is an input), ``/no-input`` (there is no column ``input``),
``/history`` (the column ``history`` is empty). Marks of a message: ``/column`` (it is in the column ``system``),
``/chosen`` (it is in that column).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import agentmsg as am
from agentmsg import DecodeError
from agentmsg.formats import excerpt, is_list, is_mapping, is_marked, is_object, mark_of, natives
from agentmsg_codecs.sharegpt.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg.formats import Native

_MANY = "this is a list of rows, and one row is a document: read each, or a file that has one on each line (load_lines)"
_ANSWERS = ("output", "chosen")


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


def is_single(document: Native) -> bool:
    """Whether an object would be read as one turn: it has a sender, and isn't a row."""
    is_row = "conversations" in document or ("value" not in document and is_alpaca(document))
    return "from" in document and not is_row


def taken_apart(document: Any) -> Row:
    """Take a document apart.

    Raises:
        DecodeError: if it isn't a row, a list of turns, or one turn.
    """
    if is_list(document):
        if document and _is_row(document[0]):
            raise DecodeError(_MANY)
        return Row([(turn, (index,), None) for index, turn in enumerate(document)], {}, {"/container": "list"})
    if not is_object(document):
        raise DecodeError(f"a row must be an object, not {excerpt(document)}")
    if is_single(document):
        return Row([(document, (), None)], {}, {"/container": "single"})
    rest, given = dict(document), document.get("conversations")
    marks: Native = {"/container": "row"}
    if is_list(given):
        del rest["conversations"]
        turns: list[Any] = [(turn, ("conversations", index), None) for index, turn in enumerate(given)]
    elif is_alpaca(document):
        turns, marks = _questions(rest)
    else:
        raise DecodeError("a row must have conversations, or an instruction and its output", path=("conversations",))
    if type(rest.get("system")) is str and rest["system"]:
        turns.insert(0, (_turn("system", rest.pop("system")), ("system",), "column"))
    if is_list(given) and is_turn(rest.get("chosen")):
        turns.append((rest.pop("chosen"), ("chosen",), "chosen"))
    return Row(turns, rest, marks)


def _is_row(value: Any) -> bool:
    return is_object(value) and "from" not in value and (is_list(value.get("conversations")) or is_alpaca(value))


def written(history: am.History, turns: list[Any]) -> Native:
    """Write the columns of turns."""
    own = natives.extras_of(history, FAMILY)
    row: Native = {}
    is_column = bool(turns) and is_marked(history.messages[0], FAMILY, "/column")
    if is_column and "system" not in own and _is_plain(turns[0], "system"):
        row["system"] = turns[0]["value"]
        turns = turns[1:]
    answered = _answered(history, turns, own)
    if answered is not None:
        return row | answered
    if turns and is_marked(history.messages[-1], FAMILY, "/chosen") and "chosen" not in own and is_turn(turns[-1]):
        return {**row, "conversations": turns[:-1], "chosen": turns[-1]}
    return {**row, "conversations": turns}


def taken(own: Mapping[str, Any], columns: Callable[[], Native]) -> set[str]:
    """Return the columns that the extras of a history must not use: they would be read as turns.

    Args:
        own: the extras.
        columns: returns the columns of the turns.
    """
    # A row of Alpaca may have this column as an extra, if it isn't a list.
    is_free = "conversations" in own and not is_list(own["conversations"]) and "conversations" not in columns()
    found: set[str] = set() if is_free else {"conversations"}
    found |= {"system"} if isinstance(own.get("system"), str) and own["system"] else set()
    return found | ({"chosen"} if is_turn(own.get("chosen")) else set())


def _turn(word: str, text: str) -> Native:
    return {"from": word, "value": text}


def _is_plain(turn: Any, word: str) -> bool:
    """Whether a turn has only this sender and a text."""
    is_text = is_object(turn) and turn.keys() == {"from", "value"} and type(turn["value"]) is str
    return is_text and turn["from"] == word and (bool(turn["value"]) or word != "system")


# -- Alpaca -----------------------------------------------------------------------------------------------------------


def is_alpaca(row: Any) -> bool:
    """Whether an object has the columns of Alpaca."""
    is_pair = is_object(row.get("chosen"))
    return type(row.get("instruction")) is str and not is_pair and any(type(row.get(key)) is str for key in _ANSWERS)


def _questions(rest: Native) -> tuple[list[Any], Native]:
    """Remove the columns of a row's turns; return the turns, and the marks of the history."""
    answer = next(key for key in _ANSWERS if type(rest.get(key)) is str)
    marks: Native = {"/container": "alpaca", **({} if answer == _ANSWERS[0] else {"/answer": answer})}
    texts: list[str] = []
    if _are_pairs(rest.get("history")):
        texts = [text for pair in rest.pop("history") for text in pair]
        marks |= {} if texts else {"/history": True}
    question, more = rest.pop("instruction"), rest.pop("input") if type(rest.get("input")) is str else None
    if more:
        marks["/split"] = len(question)
        question = f"{question}\n{more}"
    marks |= {"/no-input": True} if more is None else {}
    texts += [question, rest.pop(answer)]
    return [(_turn(("human", "gpt")[number % 2], text), (), None) for number, text in enumerate(texts)], marks


def _are_pairs(value: Any) -> bool:
    if not is_list(value):
        return False
    return all(is_list(pair) and len(pair) == 2 and all(type(text) is str for text in pair) for pair in value)  # noqa: PLR2004


def _answered(history: am.History, turns: list[Any], own: Mapping[str, Any]) -> Native | None:
    """Return the columns of Alpaca; None if no row of Alpaca was read, or if they can't hold all turns."""
    if mark_of(history, FAMILY, "/container") != "alpaca" or len(turns) < 2 or len(turns) % 2:  # noqa: PLR2004
        return None
    if not all(map(_is_plain, turns, ("human", "gpt") * (len(turns) // 2))):
        return None
    *before, question, said = [turn["value"] for turn in turns]
    answer = next((key for key in _ANSWERS if key == mark_of(history, FAMILY, "/answer")), _ANSWERS[0])
    at = mark_of(history, FAMILY, "/split")
    row: Native = {"instruction": question}
    if type(at) is int and 0 <= at < len(question) - 1 and question[at] == "\n":
        row = {"instruction": question[:at], "input": question[at + 1 :]}
    elif not is_marked(history, FAMILY, "/no-input"):
        row["input"] = ""
    row[answer] = said
    if before or is_marked(history, FAMILY, "/history"):
        row["history"] = [before[index : index + 2] for index in range(0, len(before), 2)]
    # Extras must not be read as columns of Alpaca; an output comes before a chosen answer.
    is_taken = not row.keys().isdisjoint(own) or type(own.get(_ANSWERS[0])) is str
    is_read = type(own.get("input")) is str or _are_pairs(own.get("history")) or is_single({**row, **own})
    return None if is_taken or is_read else row
