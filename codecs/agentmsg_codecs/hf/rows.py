"""Rows: where the messages of a row are, by its columns.

| columns | messages |
| --- | --- |
| messages; conversations, with roles | the list |
| prompt, completion | those of both; each is a list, or a text |
| prompt, chosen | those of both, but for a text beside a list that holds it already |
| chosen | the list, which is the whole conversation |
| prompt | the list, or the text |
| text | none: a whole conversation that some template wrote |

Marks: on the history ``/container`` (the first of these columns; "list" or "single" without any) and ``/texts`` (which
of them are texts); on each message of an answer ``/answer`` (its column).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs

from agentmsg import DecodeError, thaw
from agentmsg.formats import EMPTY, Native, excerpt, is_list, is_mapping, is_object, is_sequence, mark_of
from agentmsg_codecs.hf.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import agentmsg as am

MANY = "this is a list of rows, and one row is a document: read each, or a file that has one on each line (load_lines)"
ANSWERS = ("completion", "chosen")
_WHOLE = ("messages", "conversations", "chosen")
COLUMNS = frozenset({*_WHOLE, *ANSWERS, "prompt"})
_ROLES: Mapping[str, str] = {"prompt": "user", "completion": "assistant", "chosen": "assistant"}


@attrs.frozen
class Row:
    """A row taken apart.

    Attributes:
        place: the column of its messages; "list", "single" or "text".
        parts: the native messages of each column that holds some.
        texts: those of the columns that are texts.
        rest: the other columns.
    """

    place: str
    parts: Mapping[str, list[Any]]
    texts: tuple[str, ...]
    rest: Native

    def each(self) -> Iterable[tuple[str, Any, tuple[str | int, ...]]]:
        """Yield the native messages, each with its column and its path in the document."""
        for column, natives in self.parts.items():
            for index, native in enumerate(natives):
                path = (index,) if self.place == "list" else () if self.place == "single" else (column, index)
                yield column, native, path


def row_of(document: Any) -> Row:
    """Return a document taken apart.

    Raises:
        DecodeError: if it isn't a row, a list of messages, or one message.
    """
    if is_list(document):
        if document and _is_row(document[0]):
            raise DecodeError(MANY)
        return Row("list", {"list": document}, (), {})
    if not is_object(document):
        raise DecodeError(f"a row must be an object, not {excerpt(document)}")
    columns = _columns(document)
    if not columns:
        if "role" in document:
            return Row("single", {"single": [document]}, (), {})
        if type(document.get("text")) is not str:
            raise DecodeError("a row must have messages, or a prompt", path=("messages",))
    texts = tuple(column for column in columns if type(document[column]) is str)
    parts = {column: _messages(column, document[column]) for column in columns}
    rest = {key: value for key, value in document.items() if key not in parts}
    return Row(columns[0] if columns else "text", parts, texts, rest)


def _is_row(value: Any) -> bool:
    return is_object(value) and "role" not in value and bool(_columns(value) or type(value.get("text")) is str)


def _columns(row: Native) -> tuple[str, ...]:
    """Return the columns that hold the conversation of a row."""
    if is_list(row.get("messages")):
        return ("messages",)
    if is_list(row.get("conversations")) and all(is_object(each) and "role" in each for each in row["conversations"]):
        return ("conversations",)
    prompt = row.get("prompt")
    answer = next((key for key in ANSWERS if type(row.get(key)) is str or (is_list(row.get(key)) and row[key])), None)
    is_told = type(prompt) in (str, list)
    if is_told and answer == "chosen" and type(prompt) is str and is_list(row["chosen"]):
        return ("chosen",)
    if is_told:
        return ("prompt",) if answer is None else ("prompt", answer)
    return ("chosen",) if answer == "chosen" and is_list(row["chosen"]) else ()


def _messages(column: str, value: Any) -> list[Any]:
    return [{"role": _ROLES[column], "content": value}] if type(value) is str else value


# -- writing ----------------------------------------------------------------------------------------------------------


def place_of(history: am.History) -> str | None:
    """Return where the messages of a history were read from; None if they are new."""
    place = mark_of(history, FAMILY, "/container") if history.notes else None
    known = ("list", "single", "text", "prompt", *_WHOLE)
    return place if isinstance(place, str) and place in known else None


def answer_of(messages: Sequence[am.Msg]) -> tuple[int, str | None]:
    """Return where the answer to a prompt begins, and its column; None if there is none."""
    for index, message in enumerate(messages):
        column = mark_of(message, FAMILY, "/answer") if message.notes else None
        if column in ANSWERS:
            return index, column
    return len(messages), None


def written(history: am.History, natives: list[Any], place: str) -> Native:
    """Return the columns of the messages of a row.

    Args:
        history: that fits.
        natives: its messages, written.
        place: the column of the messages.
    """
    if place != "prompt":
        return {place: natives}
    start, column = answer_of(history.messages)
    noted: Any = mark_of(history, FAMILY, "/texts")
    texts = noted if is_sequence(noted) else ()
    answer = {} if column is None else {column: _as_text(column, natives[start:], texts)}
    if column == "chosen" and is_list(answer[column]):
        # Beside a text it would be the whole conversation.
        texts = ()
    return {"prompt": _as_text("prompt", natives[:start], texts), **answer}


def _as_text(column: str, natives: list[Any], texts: Sequence[Any]) -> Any:
    """Return a column that was a text as one, if it can be; else the messages."""
    if column not in texts or len(natives) != 1:
        return natives
    native = natives[0]
    is_text = is_object(native) and native.keys() == {"role", "content"} and type(native["content"]) is str
    return native["content"] if is_text and native["role"] == _ROLES[column] else natives


def columns_of(history: am.History) -> frozenset[str]:
    """Return the columns that hold the messages of a history that is written as a row."""
    place = place_of(history)
    if place == "text" and not history.messages and type(_own(history).get("text")) is str:
        return frozenset()
    if place == "prompt":
        column = answer_of(history.messages)[1]
        return frozenset({place} if column is None else {place, column})
    # An empty list of what was chosen is no conversation.
    is_empty = place == "chosen" and not history.messages
    return frozenset({place if place in _WHOLE and not is_empty else "messages"})


def taken(history: am.History) -> frozenset[str]:
    """Return the columns among the extras of a history that would be read as those of messages."""
    own, ours = _own(history), columns_of(history)
    rest: Any = {key: thaw(own[key]) for key in own if key in COLUMNS and key not in ours}
    if not rest:
        return ours
    found = _columns({**rest, **{key: [{"role": "user"}] for key in ours}})
    return ours if frozenset(found) == ours else COLUMNS


def _own(history: am.History) -> Mapping[str, Any]:
    own: Any = history.extras.get(FAMILY) if history.extras else None
    return own if is_mapping(own) else EMPTY


def without_nulls(native: Any) -> Any:
    """Return a native message without the keys that a column of messages gives to all: those that are null."""
    kept = _kept(native)
    if is_object(kept) and is_list(kept.get("tool_calls")):
        kept["tool_calls"] = [_kept_call(call) for call in kept["tool_calls"]]
    return kept


def _kept_call(call: Any) -> Any:
    kept = _kept(call)
    return {**kept, "function": _kept(kept["function"])} if is_object(kept) and "function" in kept else kept


def _kept(value: Any) -> Any:
    return {key: each for key, each in value.items() if each is not None} if is_object(value) else value
