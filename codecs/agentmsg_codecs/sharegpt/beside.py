"""Calls beside the text of a turn: a list under ``tool_calls``, or one whose keys are those of the turn.

| turn | blocks |
| --- | --- |
| ``tool_calls``: a list of calls, each with its name and arguments, or as OpenAI has them | ToolUseBlock |
| ``name`` and ``arguments``, without a value | ToolUseBlock |

Marks: on the message ``/beside`` ("list" or "keys"); on a call ``/beside``, and ``/nested`` (its name and arguments are
under ``function``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import is_list, is_marked, is_object, marked
from agentmsg_codecs.sharegpt.names import FAMILY
from agentmsg_codecs.sharegpt.values import called, object_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentmsg.formats import Native

_CALL = ("name", "arguments")
_LIST = "tool_calls"


def read_beside(turn: Native) -> tuple[Native, tuple[Any, ...], Mapping[str, Any]] | None:
    """Return the rest of a turn, the calls beside its text, and the mark of its message; None if there are none."""
    if "value" not in turn and turn.keys() >= {*_CALL}:
        call = called({key: turn[key] for key in _CALL})
        if call is not None:
            rest = {key: turn[key] for key in turn if key not in _CALL}
            return rest, (marked(call, FAMILY, beside=True),), {"beside": "keys"}
    given = turn.get(_LIST)
    calls = list(map(_entry, given)) if is_list(given) else []
    if not calls or None in calls:
        return None
    return {key: turn[key] for key in turn if key != _LIST}, tuple(calls), {"beside": "list"}


def _entry(value: Any) -> Any:
    """Return the call in an entry of a list; None if it is anything else."""
    inner = value.get("function") if is_object(value) else None
    if inner is None:
        call = called(value)
        return None if call is None else marked(call, FAMILY, beside=True)
    if not is_object(inner) or value.get("type") != "function" or not value.keys() <= {"id", "type", "function"}:
        return None
    call = called({**inner, **({"id": value["id"]} if "id" in value else {})}) if "id" not in inner else None
    return None if call is None else marked(call, FAMILY, beside=True, nested=True)


def is_beside(block: Any) -> bool:
    """Whether a call was read beside the text of its turn."""
    return type(block) is am.ToolUseBlock and is_marked(block, FAMILY, "/beside")


def write_beside(turn: Native, calls: Sequence[Any], mark: Any) -> Native | None:
    """Return a turn with calls beside its text; None if it has no place for them."""
    is_list_wanted = mark != "keys"
    if not is_list_wanted and (len(calls) != 1 or "value" in turn):
        return None
    new = {_LIST: list(map(_written, calls))} if is_list_wanted else _written(calls[0])
    return {**turn, **new} if turn.keys().isdisjoint(new) else None


def _written(call: Any) -> Native:
    said: Native = thaw(object_of(call, is_usual=False))
    if not is_marked(call, FAMILY, "/nested"):
        return said
    link = {"id": said.pop("id")} if "id" in said else {}
    return {**link, "type": "function", "function": said}
