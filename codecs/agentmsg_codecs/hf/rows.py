"""Rows: where the messages of a row are, by its columns.

| columns | messages |
| --- | --- |
| messages; conversations, conversation, trajectory, traj or turns, with roles | the list; also as JSON text |
| prompt, completion | those of both; the prompt is a list, or a text; the answer may be one message, too |
| prompt, chosen | the same; but beside a prompt that is a text, a list that begins with no answer holds that already |
| chosen | the list, which is the whole conversation |
| prompt | the list, or the text |
| text | none: a whole conversation in a template's format |
| input, preferred_output, non_preferred_output (OpenAI) | like prompt, chosen, rejected |
| context; completions, each with a rank (NeMo RL) | like prompt; chosen is the completion with the lowest rank |
| prompt_messages, chosen_messages, rejected_messages | like prompt, chosen, rejected |
| messages (or another list), chosen and rejected, each an answer (Axolotl) | those of both |
| system, a text, unless the first message is a system message | a system message before the others |

Beside a prompt and a chosen answer, the rejected one is a list of messages, too.

Marks: on the history ``/container`` (the first of these columns; or "list", "single"), ``/texts`` (which of them are
texts), ``/objects`` (which answers are one message instead of a list), ``/json`` (the style of JSON text, and its
orders of keys) and ``/preference`` (True: the columns are OpenAI's; "ranked": NeMo's; "messages": those with longer
names); on each message of an answer ``/answer`` (its column), on a
system message ``/column``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from agentmsg import DecodeError, thaw
from agentmsg.formats import (
    Native,
    is_list,
    is_mapping,
    is_marked,
    is_object,
    is_sequence,
    mark_of,
    marked,
    natives,
    speed,
    spelling,
)
from agentmsg.formats.bodies import Pairs, check_document
from agentmsg_codecs.hf.names import ANSWERS, CHOSEN, COLUMNS, FAMILY, LISTS, REJECTED

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence

    import agentmsg as am


_TAKEN = COLUMNS | {"rejected", "text"}
_OUTPUTS: Mapping[str, str] = {"preferred_output": "chosen", "non_preferred_output": "rejected"}
_NAMED: Mapping[str, str] = {f"{column}_messages": column for column in ("prompt", "chosen", "rejected")}
_LONGER: Mapping[str, str] = {column: key for key, column in _NAMED.items()}


class _Kind(speed.Record):
    """One kind of such rows.

    Attributes:
        read: returns the usual columns for those of a row; None for any other row.
        write: returns the row for usual columns, if these are complete; ``read`` shows if they are.
        paths: where the messages of the usual columns are, for errors.
    """

    read: Callable[[Any], Native | None]
    write: Callable[[Native], Native | None]
    paths: Mapping[str, tuple[str, ...]]


# -- OpenAI -----------------------------------------------------------------------------------------------------------


def _read_outputs(row: Any) -> Native | None:
    given: Any = row.get("input")
    if {*row} != {*_OUTPUTS, "input"} or not is_mapping(given) or not all(is_sequence(row[key]) for key in _OUTPUTS):
        return None
    others = {key: given[key] for key in given if key != "messages"}
    if not is_sequence(given.get("messages")) or not (_TAKEN - {"text"}).isdisjoint(others):
        return None
    return {"prompt": given["messages"], **{_OUTPUTS[key]: row[key] for key in _OUTPUTS}, **others}


def _write_outputs(row: Native) -> Native | None:
    if not row.keys() >= {"prompt", *_OUTPUTS.values()}:
        return None
    others = {key: value for key, value in row.items() if key not in _LONGER}
    return {"input": {"messages": row["prompt"], **others}, **{key: row[own] for key, own in _OUTPUTS.items()}}


# -- NeMo RL: the chosen answer is the one with the lowest rank -------------------------------------------------------


def _read_ranked(row: Any) -> Native | None:
    ranked: Any = row.get("completions")
    if not is_sequence(row.get("context")) or not is_sequence(ranked) or not ranked or not all(map(_is_ranked, ranked)):
        return None
    best = min(range(len(ranked)), key=lambda index: ranked[index]["rank"])
    left = [*ranked]
    left[best] = {key: value for key, value in ranked[best].items() if key != "completion"}
    others = {key: row[key] for key in row if key != "context"}
    answer = ranked[best]["completion"]
    is_free = _TAKEN.isdisjoint(row)
    return {**others, "prompt": row["context"], "chosen": answer, "completions": left} if is_free else None


def _is_ranked(value: Any) -> bool:
    answer: Any = value.get("completion") if is_mapping(value) else None
    return is_sequence(answer) and bool(answer) and type(value.get("rank")) is int


def _write_ranked(row: Native) -> Native | None:
    ranked: Any = row.get("completions")
    if not row.keys() >= {"prompt", "chosen"} or not is_list(ranked) or not all(map(is_object, ranked)):
        return None
    whole = [each if "completion" in each else {**each, "completion": row["chosen"]} for each in ranked]
    others = {key: value for key, value in row.items() if key not in ("prompt", "chosen")}
    return {"context": row["prompt"], **others, "completions": whole}


# -- longer names -----------------------------------------------------------------------------------------------------


def _read_named(row: Any) -> Native | None:
    is_named = is_sequence(row.get("chosen_messages")) and row["chosen_messages"] and _TAKEN.isdisjoint(row)
    return {_NAMED.get(key, key): row[key] for key in row} if is_named else None


def _write_named(row: Native) -> Native | None:
    return {_LONGER.get(key, key): value for key, value in row.items()}


_PREFERENCES: Mapping[Any, _Kind] = {
    True: _Kind(_read_outputs, _write_outputs, {"prompt": ("input", "messages"), "chosen": ("preferred_output",)}),
    "ranked": _Kind(_read_ranked, _write_ranked, {"prompt": ("context",), "chosen": ("completions",)}),
    "messages": _Kind(_read_named, _write_named, {column: (key,) for column, key in _LONGER.items()}),
}
"""The kinds, by the mark ``/preference`` of the history."""


def usual_columns(row: Any) -> tuple[Any, Any]:
    """Return a row with the usual columns of preferences, and the mark of those that it had, or None."""
    for mark, kind in _PREFERENCES.items() if is_mapping(row) else ():
        found = kind.read(row)
        if found is not None:
            return found, mark
    return row, None


def own_columns(row: Native, mark: Any) -> Native:
    """Return a row with the columns that a mark names, if it would be read as the same."""
    kind = _PREFERENCES.get(mark) if isinstance(mark, (bool, str)) else None
    found = None if kind is None else kind.write(row)
    return row if kind is None or found is None or kind.read(found) != row else found


def path_of(column: str, mark: Any) -> tuple[str, ...]:
    """Return the path of the messages of a column in a row with such a mark."""
    return (column,) if mark is None else _PREFERENCES[mark].paths[column]


_WHOLE = (*LISTS, "chosen")
_ROLES: Mapping[str, str] = {
    "prompt": "user",
    **dict.fromkeys(("completion", "chosen", "rejected"), "assistant"),
}
PAIRS = Pairs(owner=FAMILY)


class Row(NamedTuple):
    """The parts of a document.

    Attributes:
        place: the first column of messages; or "list", "single" or "text".
        parts: the native messages, by column.
        texts: the columns of messages that are texts.
        rest: the other columns.
        objects: the columns of messages that are one.
        preference: the mark of other columns that these stand for.
        json: the JSON text that holds the messages.
    """

    place: str
    parts: Mapping[str, list[Any]]
    texts: tuple[str, ...]
    rest: Native
    objects: tuple[str, ...] = ()
    preference: Any = None
    json: str | None = None

    def each(self) -> Iterable[tuple[str, int, Any]]:
        """Yield the native messages, each with its column and its index there."""
        for column, messages in self.parts.items():
            for index, native in enumerate(messages):
                yield column, index, native

    def path_of(self, column: str, index: int) -> tuple[str | int, ...]:
        """Return the path of a message in the document."""
        if self.place == "single":
            return ()
        last = () if column in self.objects else (index,)
        return (index,) if self.place == "list" else (*path_of(column, self.preference), *last)


def row_of(document: Any) -> Row:
    """Take a document apart.

    Raises:
        DecodeError: if it isn't a row, a list of messages, or one message.
    """
    check_document(document, _is_row)
    if is_list(document):
        return Row("list", {"list": document}, (), {})
    usual, mark = usual_columns(document)
    if mark is not None:
        return row_of(usual)._replace(preference=mark)
    columns = _columns(document)
    if not columns:
        if "role" in document:
            return Row("single", {"single": [document]}, (), {})
        if type(document.get("text")) is not str:
            raise DecodeError("a row must have messages, or a prompt", path=("messages",))
    parts = {column: _messages(column, document[column]) for column in columns}
    rest = {key: value for key, value in document.items() if key not in parts}
    rejected = usual_rejected(rest.get(REJECTED)) if is_pair(parts) else None
    answers = columns if rejected is None else (*columns, REJECTED)
    texts = tuple(column for column in answers if type(document[column]) is str)
    objects = tuple(column for column in answers if is_object(document[column]))
    rest |= {} if rejected is None else {REJECTED: rejected}
    if texts and columns[0] in LISTS:
        return Row(columns[0], parts, (), rest, objects, json=document[columns[0]])
    return Row(columns[0] if columns else "text", parts, texts, rest, objects)


def _is_row(value: Any) -> bool:
    return is_object(value) and "role" not in value and bool(_columns(value) or type(value.get("text")) is str)


def _columns(row: Native) -> tuple[str, ...]:
    """Return the columns with the messages of a row."""
    for column in LISTS:
        found = parsed(row.get(column))
        if is_list(found) and (column == "messages" or all(map(_has_role, found))):
            return (column, CHOSEN) if _is_answered(row) else (column,)
    prompt = row.get("prompt")
    answer = next((key for key in ANSWERS if _is_said(row.get(key))), None)
    is_text = type(prompt) is str
    if answer == CHOSEN and is_list(row[CHOSEN]) and not is_list(prompt):
        return ("prompt", CHOSEN) if is_text and PAIRS.is_answer(row[CHOSEN]) else (CHOSEN,)
    if not is_list(prompt) and not is_text:
        return ()
    return ("prompt",) if answer is None else ("prompt", answer)


def _is_said(value: Any) -> bool:
    """Whether a value is an answer: a text, a list that isn't empty, or one message."""
    return type(value) is str or (is_list(value) and bool(value)) or (is_object(value) and PAIRS.is_answer([value]))


def _is_answered(row: Native) -> bool:
    """Whether a row with a list of messages has both answers to them, none of which is a text."""
    return all(
        type(row.get(key)) is not str and PAIRS.is_answer(usual_rejected(row.get(key))) for key in (CHOSEN, REJECTED)
    )


def is_pair(columns: Container[str]) -> bool:
    """Whether the columns of messages are a prompt and its chosen answer."""
    return CHOSEN in columns and any(column in columns for column in ("prompt", *LISTS))


def usual_rejected(value: Any) -> Any:
    """Return a rejected answer as a list of messages, if it is a text or one message; None for any other value."""
    if type(value) is str:
        return [{"role": "assistant", "content": value}]
    if is_object(value) and type(value.get("role")) is str:
        return [value]
    return value if is_list(value) and value else None


def _has_role(value: Any) -> bool:
    return is_object(value) and "role" in value


def parsed(value: Any) -> Any:
    """Return the messages in a JSON text; any other value as it is."""
    return spelling.listed(value, _has_role)


def _messages(column: str, value: Any) -> list[Any]:
    if column in LISTS:
        return parsed(value)  # type: ignore[no-any-return]
    if is_object(value):
        return [value]
    return [{"role": _ROLES[column], "content": value}] if type(value) is str else value


# -- writing ----------------------------------------------------------------------------------------------------------


def place_of(history: am.History) -> str | None:
    """Return where the messages of a history were read from; None if they are new."""
    place = mark_of(history, FAMILY, "/container")
    known = ("list", "single", "text", "prompt", *_WHOLE)
    if place is None and _is_split(history):
        return "prompt"
    return place if isinstance(place, str) and place in known else None


def _is_split(history: am.History) -> bool:
    """Whether a history has a rejected answer, and messages that are the chosen one."""
    own = natives.extras_of(history, FAMILY)
    is_answer = REJECTED in own and PAIRS.is_answer(usual_rejected(thaw(own[REJECTED])))
    return is_answer and answer_of(history.messages)[1] == CHOSEN


def as_prompt(history: am.History) -> am.History:
    """Return a new history as if it were read from a prompt and a completion, which is its last answer."""
    start, messages = PAIRS.start(history), history.messages
    if start is not None:
        messages = (*messages[:start], *(marked(each, FAMILY, answer="completion") for each in messages[start:]))
    return marked(history.evolve(messages=messages), FAMILY, container="prompt")


def answer_of(messages: Sequence[am.Msg]) -> tuple[int, str | None]:
    """Return the index of the answer to a prompt, and its column; without answer, the end and None."""
    for index, message in enumerate(messages):
        column = mark_of(message, FAMILY, "/answer") if message.notes else None
        if column in ANSWERS:
            return index, column
    return len(messages), None


def written(history: am.History, messages: list[Any], place: str) -> Native:
    """Write the columns of messages.

    Args:
        history: that fits.
        messages: its messages, written.
        place: the column of the messages.
    """
    if place != "prompt":
        told = mark_of(history, FAMILY, "/json") if place in LISTS else None
        start = answer_of(history.messages)[0] if CHOSEN in columns_of(history) - {place} else len(messages)
        answers = _answers(history, messages[start:], ()) if start < len(messages) else {}
        asked = messages[:start]
        return {place: asked if told is None else spelling.dump_listed(asked, told, _has_role), **answers}
    start, column = answer_of(history.messages)
    noted: Any = mark_of(history, FAMILY, "/texts")
    texts = noted if is_sequence(noted) else ()
    if column == CHOSEN:
        answer = _answers(history, messages[start:], texts)
    else:
        answer = {} if column is None else {column: _as_read(history, column, messages[start:], texts)}
    if column == CHOSEN and is_list(answer[column]) and (column in texts or not PAIRS.is_answer(answer[column])):
        # Beside a text, the list might be the whole conversation.
        texts = ()
    return {"prompt": _as_text("prompt", messages[:start], texts), **answer}


def _answers(history: am.History, chosen: list[Any], texts: Sequence[Any]) -> Native:
    """Return the columns of a chosen and a rejected answer, each a text or one message if it was read from that."""
    rejected = usual_rejected(thaw(natives.extras_of(history, FAMILY).get(REJECTED)))
    answers = {CHOSEN: chosen, **({} if rejected is None else {REJECTED: rejected})}
    return {column: _as_read(history, column, answer, texts) for column, answer in answers.items()}


def _as_read(history: am.History, column: str, answer: list[Any], texts: Sequence[Any]) -> Any:
    """Return an answer as a text or one message if it was read from that, and is no more."""
    noted: Any = mark_of(history, FAMILY, "/objects")
    is_one = is_sequence(noted) and column in noted and len(answer) == 1
    return answer[0] if is_one and PAIRS.is_answer(answer) else _as_text(column, answer, texts)


def is_lifted(history: am.History, messages: list[Any]) -> bool:
    """Whether the first of a history's written messages is a system message that belongs in a column.

    Args:
        history: that fits.
        messages: its messages, written.
    """
    if len(messages) < 2 or history.messages[1].role == "system":  # noqa: PLR2004 - another
        return False
    native: Native = messages[0] if is_marked(history.messages[0], FAMILY, "/column") else {}
    is_text = native.keys() == {"role", "content"} and type(native["content"]) is str and bool(native["content"])
    return is_text and native["role"] == "system" and "system" not in natives.extras_of(history, FAMILY)


def _as_text(column: str, messages: list[Any], texts: Sequence[Any]) -> Any:
    """Return the text of a column that was a text; the messages if these are more than a text."""
    if column not in texts or len(messages) != 1:
        return messages
    native = messages[0]
    is_text = is_object(native) and native.keys() == {"role", "content"} and type(native["content"]) is str
    return native["content"] if is_text and native["role"] == _ROLES[column] else messages


def columns_of(history: am.History) -> frozenset[str]:
    """Return the columns of messages in the row of a history."""
    place = place_of(history)
    if place == "text" and not history.messages and type(natives.extras_of(history, FAMILY).get("text")) is str:
        return frozenset()
    if place == "prompt":
        column = answer_of(history.messages)[1]
        return frozenset({place} if column is None else {place, column})
    if place in LISTS and _is_split(history) and _may_answer(history.messages[answer_of(history.messages)[0]]):
        return frozenset({place, CHOSEN})
    # An empty list under "chosen" isn't read as messages.
    is_empty = place == "chosen" and not history.messages
    return frozenset({place if place in _WHOLE and not is_empty else "messages"})


def _may_answer(message: am.Msg) -> bool:
    """Whether the raw message is an assistant's."""
    native = natives.native_of(message, FAMILY) if message.role == "native" else None
    return message.role == "assistant" if native is None else PAIRS.is_answer([native])


def without_nulls(native: Any) -> Any:
    """Remove the keys that are null from a native message: in a column of messages, all have the same keys."""
    kept = _kept(native)
    if is_object(kept) and is_list(kept.get("tool_calls")):
        kept["tool_calls"] = [_kept_call(call) for call in kept["tool_calls"]]
    return kept


def _kept_call(call: Any) -> Any:
    kept = _kept(call)
    return {**kept, "function": _kept(kept["function"])} if is_object(kept) and "function" in kept else kept


def _kept(value: Any) -> Any:
    return {key: each for key, each in value.items() if each is not None} if is_object(value) else value
