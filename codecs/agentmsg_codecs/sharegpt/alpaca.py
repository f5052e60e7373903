"""Alpaca's columns: a row of one question and its answer, and perhaps the turns before them.

| columns | messages |
| --- | --- |
| system | a system message |
| history: pairs of texts | a user's message and an assistant's each |
| instruction; input, behind a line break | a user's message |
| output, else chosen | an assistant's message |

Marks of the history: ``/container`` ("alpaca"), ``/answer`` (the column of the answer), ``/split`` (the length of the
instruction, where there is an input), ``/no-input`` (the column ``input`` is absent), ``/history`` (the column
``history`` is there, and empty).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.formats import is_list, is_object, mark_of
from agentmsg_codecs.sharegpt.names import FAMILY

if TYPE_CHECKING:
    import agentmsg as am
    from agentmsg.formats import Native

_ANSWERS = ("output", "chosen")
KEYS = frozenset({"instruction", "input", "history", *_ANSWERS})


def is_row(row: Any) -> bool:
    """Whether an object has the columns of Alpaca."""
    is_pair = is_object(row.get("chosen"))
    return type(row.get("instruction")) is str and not is_pair and any(type(row.get(key)) is str for key in _ANSWERS)


def read(row: Native) -> tuple[list[Native], Native, Native]:
    """Return the turns of a row, its other columns, and the marks of its history."""
    answer = next(key for key in _ANSWERS if type(row.get(key)) is str)
    marks: Native = {"/container": "alpaca"}
    used = {"instruction", answer}
    if answer != _ANSWERS[0]:
        marks["/answer"] = answer
    turns: list[Native] = []
    if _are_pairs(row.get("history")):
        used.add("history")
        turns = [_turn(number, text) for pair in row["history"] for number, text in enumerate(pair)]
        marks |= {} if turns else {"/history": True}
    question = row["instruction"]
    if type(row.get("input")) is str:
        used.add("input")
        if row["input"]:
            marks["/split"] = len(question)
            question = f"{question}\n{row['input']}"
    else:
        marks["/no-input"] = True
    turns += [_turn(0, question), _turn(1, row[answer])]
    return turns, {key: value for key, value in row.items() if key not in used}, marks


def _are_pairs(value: Any) -> bool:
    if not is_list(value):
        return False
    return all(is_list(pair) and len(pair) == 2 and all(type(text) is str for text in pair) for pair in value)  # noqa: PLR2004


def _turn(number: int, text: str) -> Native:
    return {"from": ("human", "gpt")[number], "value": text}


def write(history: am.History, turns: list[Any], rest: Any) -> Native | None:
    """Return the columns of some turns; None if they can't be said so.

    Args:
        history: whose marks say how.
        turns: those of its messages, but for the system message.
        rest: the other columns.
    """
    if mark_of(history, FAMILY, "/container") != "alpaca" or len(turns) < 2 or len(turns) % 2:  # noqa: PLR2004
        return None
    if not all(map(_is_turn, turns, ("human", "gpt") * (len(turns) // 2))):
        return None
    texts = [turn["value"] for turn in turns]
    noted = mark_of(history, FAMILY, "/answer")
    answer = noted if noted in _ANSWERS else _ANSWERS[0]
    row = {**_asked(history, texts[-2]), answer: texts[-1]}
    if len(texts) > 2 or mark_of(history, FAMILY, "/history") is True:  # noqa: PLR2004
        row["history"] = [texts[index : index + 2] for index in range(0, len(texts) - 2, 2)]
    # An output counts before what was chosen, and no column stands there twice.
    is_said = not row.keys().isdisjoint(rest) or (answer != _ANSWERS[0] and type(rest.get(_ANSWERS[0])) is str)
    is_read = type(rest.get("input")) is str or _are_pairs(rest.get("history"))
    return None if is_said or is_read else row


def _is_turn(turn: Any, word: str) -> bool:
    return is_object(turn) and turn.keys() == {"from", "value"} and turn["from"] == word and type(turn["value"]) is str


def _asked(history: am.History, question: str) -> Native:
    """Return the columns of a question."""
    at = mark_of(history, FAMILY, "/split")
    if type(at) is int and 0 <= at < len(question) - 1 and question[at] == "\n":
        return {"instruction": question[:at], "input": question[at + 1 :]}
    is_absent = mark_of(history, FAMILY, "/no-input") is True
    return {"instruction": question} if is_absent else {"instruction": question, "input": ""}
