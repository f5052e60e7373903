"""Preferences: rows whose prompt and answers are in other columns than ``prompt``, ``chosen`` and ``rejected``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.formats import Native, is_list, is_mapping, is_object, is_sequence, speed
from agentmsg_codecs.hf.names import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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


_KINDS: Mapping[Any, _Kind] = {
    True: _Kind(_read_outputs, _write_outputs, {"prompt": ("input", "messages"), "chosen": ("preferred_output",)}),
    "ranked": _Kind(_read_ranked, _write_ranked, {"prompt": ("context",), "chosen": ("completions",)}),
    "messages": _Kind(_read_named, _write_named, {column: (key,) for column, key in _LONGER.items()}),
}
"""The kinds, by the mark ``/preference`` of the history."""


def usual_columns(row: Any) -> tuple[Any, Any]:
    """Return a row with the usual columns of preferences, and the mark of those that it had, or None."""
    for mark, kind in _KINDS.items() if is_mapping(row) else ():
        found = kind.read(row)
        if found is not None:
            return found, mark
    return row, None


def own_columns(row: Native, mark: Any) -> Native:
    """Return a row with the columns that a mark names, if it would be read as the same."""
    kind = _KINDS.get(mark) if isinstance(mark, (bool, str)) else None
    found = None if kind is None else kind.write(row)
    return row if kind is None or found is None or kind.read(found) != row else found


def path_of(column: str, mark: Any) -> tuple[str, ...]:
    """Return the path of the messages of a column in a row with such a mark."""
    return (column,) if mark is None else _KINDS[mark].paths[column]
