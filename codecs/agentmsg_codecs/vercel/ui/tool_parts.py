"""Native parts of tools: ``tool-NAME``, ``dynamic-tool``, and ``tool-invocation`` of version 4, as one kind.

A ``tool-invocation`` has the keys of the call under ``toolInvocation`` or beside its type; early ones of version 5
already have ``input`` and ``output`` there. Its call gets the mark ``/old``, see ``as_today``.
"""

from __future__ import annotations

from typing import Any

from agentmsg.formats import Native, is_mapping, is_object, same_document

DYNAMIC, OLD = "dynamic-tool", "tool-invocation"
NESTED = "nested"
_TOOL = "tool-"
_INSIDE = "toolInvocation"
_STATES = {"partial-call": "input-streaming", "call": "input-available", "result": "output-available"}
_OLD_STATES = {new: old for old, new in _STATES.items()}
# The keys of version 4, by today's, and the reverse.
_OLD_KEYS = {"input": "args", "output": "result"}
_KEYS = {old: new for new, old in _OLD_KEYS.items()}


def tool_of(part: Any) -> Native | None:
    """Return a tool's part as a dynamic one; None for any other part."""
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
    """Whether parts with this type are tools'."""
    return type(tag) is str and (tag == DYNAMIC or tag.startswith(_TOOL))


def is_own_denial(approval: Any, link: Any) -> bool:
    """Whether an approval only says that the call with this id was denied, and why."""
    if not is_mapping(approval) or not {"id", "approved"} <= approval.keys() <= {"id", "approved", "reason"}:
        return False
    is_text = isinstance(approval.get("reason", ""), str)
    return approval["id"] == link and approval["approved"] is False and is_text


# -- version 4 --------------------------------------------------------------------------------------------------------


def as_today(part: Any) -> tuple[Native, str] | None:
    """Return a call of version 4 as today's part of a dynamic tool, and its mark; None for any other part.

    The mark is "nested" or "flat", then those of its keys that are today's.
    """
    if not is_object(part) or part.get("type") != OLD:
        return None
    is_nested = part.keys() == {"type", _INSIDE}
    call: Any = part[_INSIDE] if is_nested else {key: value for key, value in part.items() if key != "type"}
    state: Any = call.get("state") if is_object(call) else None
    if type(state) is not str or state not in _STATES or type(call.get("toolName")) is not str or "type" in call:
        return None
    if any(new in call and old in call for new, old in _OLD_KEYS.items()):
        return None
    native = {_KEYS.get(key, key): value for key, value in call.items()}
    mark = " ".join([NESTED if is_nested else "flat", *(key for key in _OLD_KEYS if key in call)])
    return {**native, "type": DYNAMIC, "state": _STATES[state]}, mark


def as_old(native: Native, mark: Any) -> Native | None:
    """Return a dynamic tool's part as one of version 4; None if it would not be read as the same.

    Args:
        native: the part.
        mark: as from ``as_today``.
    """
    state: Any = native.get("state")
    if type(mark) is not str or type(state) is not str or state not in _OLD_STATES:
        return None
    shape, *new = mark.split(" ")
    names = {key: old for key, old in _OLD_KEYS.items() if key not in new}
    call: Native = {names.get(key, key): value for key, value in native.items() if key != "type"}
    call["state"] = _OLD_STATES[state]
    part: Native = {"type": OLD, _INSIDE: call} if shape == NESTED else {"type": OLD, **call}
    back = as_today(part)
    return part if back is not None and back[1] == mark and same_document(back[0], native) else None
