"""Differences in words, so that the laws say which value is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.formats.spelling import same_document
from agentmsg.ops.differences import differences
from agentmsg.values.types import is_list, is_object

if TYPE_CHECKING:
    from agentmsg.model.history import History

_FIRST, _LONGEST = 3, 120
_ABSENT = "nothing"


def history_differs(wanted: History, found: History) -> str:
    """Return the first differences of two histories, such as ``messages/0/name: 'ada' came back as nothing``."""
    told = differences(wanted, found)
    lines = [_line(each.path, each.was, each.now) for each in told[:_FIRST]]
    more = [f"and {len(told) - _FIRST} more"] if len(told) > _FIRST else []
    return "; ".join([*lines, *more])


def document_differs(wanted: Any, found: Any) -> str:
    """Return the first difference of two documents, in the same words."""
    path: list[str | int] = []
    while True:
        step = _step(wanted, found)
        if step is None:
            return _line(tuple(path), wanted, found)
        path.append(step)
        wanted, found = _item(wanted, step), _item(found, step)


def _step(wanted: Any, found: Any) -> str | int | None:
    """Return the first key or index at which two values of one kind differ; None if they differ as wholes."""
    if is_object(wanted) and is_object(found):
        keys = dict.fromkeys([*wanted, *found])
        return next((key for key in keys if not same_document(_item(wanted, key), _item(found, key))), None)
    if is_list(wanted) and is_list(found):
        longest = range(max(len(wanted), len(found)))
        return next((index for index in longest if not same_document(_item(wanted, index), _item(found, index))), None)
    return None


class _Nothing:
    """Stands for a missing key or item; it is the same as nothing else."""

    def __repr__(self) -> str:
        return _ABSENT


_NOTHING = _Nothing()


def _item(value: Any, step: Any) -> Any:
    try:
        return value[step]
    except (KeyError, IndexError):
        return _NOTHING


def _line(path: tuple[str | int, ...], was: object, now: object) -> str:
    place = "/".join(map(str, path)) or "the whole"
    return f"{place}: {shortened(was, _LONGEST)} came back as {shortened(now, _LONGEST)}"


def shortened(value: object, most: int) -> str:
    """Return the repr of a value, cut to this many characters; None is "nothing"."""
    if value is None:
        return _ABSENT
    text = repr(value)
    return text if len(text) <= most else text[: most - 3] + "..."
