"""Native parts of tools: ``tool-NAME``, ``dynamic-tool``, and ``tool-invocation`` of version 4, told as one kind.

A ``tool-invocation`` holds the call under ``toolInvocation``, or itself; early ones of version 5 already say ``input``
and ``output`` in it. How it was told is a word, the mark ``/old`` of its call: see ``as_today``.
"""

from __future__ import annotations

from typing import Any

from agentmsg.formats import Native, is_mapping, is_object, same_document

DYNAMIC, OLD = "dynamic-tool", "tool-invocation"
_TOOL = "tool-"
_HELD = "toolInvocation"
_STATES = {"partial-call": "input-streaming", "call": "input-available", "result": "output-available"}
_OLD_STATES = {new: old for old, new in _STATES.items()}
# The keys of version 4, by those of today.
_NAMES = {"input": "args", "output": "result"}
NESTED = "nested"


def tool_of(part: Any) -> Native | None:
    """Return a tool's part as a dynamic one; None if it is none."""
    tag: Any = part.get("type") if is_object(part) else None
    if type(tag) is not str:
        return None
    if tag == DYNAMIC:
        return dict(part)
    if not tag.startswith(_TOOL) or "toolName" in part:
        return None
    return {**part, "type": DYNAMIC, "toolName": tag[len(_TOOL) :]}


def static_tool(native: Native) -> Native:
    """Return a tool's part with the name in its type."""
    made = {"type": "", **native}
    made["type"] = f"{_TOOL}{made.pop('toolName')}"
    return made


def is_tool(tag: object) -> bool:
    """Whether parts with a type are those of tools."""
    return type(tag) is str and (tag == DYNAMIC or tag.startswith(_TOOL))


def is_own_denial(approval: Any, link: Any) -> bool:
    """Whether an approval says no more than why the call with an id was denied."""
    if not is_mapping(approval) or not {"id", "approved"} <= approval.keys() <= {"id", "approved", "reason"}:
        return False
    is_text = isinstance(approval.get("reason", ""), str)
    return approval["id"] == link and approval["approved"] is False and is_text


def take_reason(told: Native, given: Native) -> None:
    """Move the reason of a denial to its result: the approval says no more than that."""
    approval = told.pop("approval")
    if "reason" in approval:
        given["errorText"] = approval["reason"]


# -- version 4 --------------------------------------------------------------------------------------------------------


def as_today(part: Any) -> tuple[Native, str] | None:
    """Return a call of version 4 as a dynamic tool's part of today, and how it was told; None for any other part.

    How: "nested" or "flat", then the keys in it that are those of today.
    """
    if not is_object(part) or part.get("type") != OLD:
        return None
    is_nested = part.keys() == {"type", _HELD}
    held: Any = part[_HELD] if is_nested else {key: value for key, value in part.items() if key != "type"}
    state: Any = held.get("state") if is_object(held) else None
    if type(state) is not str or state not in _STATES or type(held.get("toolName")) is not str or "type" in held:
        return None
    how = " ".join([NESTED if is_nested else "flat", *(key for key in _NAMES if key in held)])
    if any(new in held and old in held for new, old in _NAMES.items()):
        return None
    names = {old: new for new, old in _NAMES.items()}
    native = {names.get(key, key): value for key, value in held.items()}
    return {**native, "type": DYNAMIC, "state": _STATES[state]}, how


def as_old(native: Native, how: Any) -> Native | None:
    """Return a dynamic tool's part as one of version 4; None where that would not be read as the same.

    Args:
        native: the part.
        how: as ``as_today`` gives it.
    """
    state: Any = native.get("state")
    if type(how) is not str or type(state) is not str or state not in _OLD_STATES:
        return None
    shape, *new = how.split(" ")
    names = {key: name for key, name in _NAMES.items() if key not in new}
    held: Native = {names.get(key, key): value for key, value in native.items() if key != "type"}
    held["state"] = _OLD_STATES[state]
    part: Native = {"type": OLD, _HELD: held} if shape == NESTED else {"type": OLD, **held}
    back = as_today(part)
    return part if back is not None and back[1] == how and same_document(back[0], native) else None
