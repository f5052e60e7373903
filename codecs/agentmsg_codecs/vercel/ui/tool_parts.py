"""Native parts of tools: ``tool-NAME``, ``dynamic-tool``, and ``tool-invocation`` of version 4, as one kind.

A ``tool-invocation`` has the keys of the call under ``toolInvocation`` (or in snake case under ``tool_invocation``), or
beside its type. Keys and states may be those of version 4 or today's; applications also put the name beside the type of
``tool-NAME``, and leave out the state where the name is a key. Such a call gets the mark ``/old``, see ``as_today``.
"""

from __future__ import annotations

from typing import Any

from agentmsg.formats import Native, is_mapping, is_object, same_document
from agentmsg_codecs.vercel.issuers.parts import inverse, renamed_keys

DYNAMIC, OLD = "dynamic-tool", "tool-invocation"
NESTED = "nested"
_OBJECT: Any = dict  # so that type checkers ask nothing about what is inside
_TOOL = "tool-"
# By shape, the key that holds the call.
_INSIDE = {NESTED: "toolInvocation", "snake": "tool_invocation"}
# Keys beside such a call that Mastra adds, by those in it.
_BESIDE = {"callProviderMetadata": "providerMetadata", "createdAt": "createdAt"}
_SNAKE = {"toolCallId": "tool_call_id", "toolName": "tool_name"}
_STATES = {"partial-call": "input-streaming", "call": "input-available", "result": "output-available"}
# The keys of an approval that tell the decision, and those of the request that are others in its part.
_DECIDED, _OF_REQUEST = ("approved", "reason"), {"id": "approvalId", "requestReason": "reason"}
OF_APPROVAL = frozenset({*_DECIDED, *_OF_REQUEST})
_KEYS_OF_PARTS = frozenset({"type", "approvalId", "toolCallId"})
KEYS_OF_REQUESTS = _KEYS_OF_PARTS | {"reason", "signature"}
_TYPES = {NESTED: OLD, "snake": OLD, "flat": OLD, "dynamic": DYNAMIC}
_OLD_STATES = inverse(_STATES)
# The keys of version 4, by today's, and the reverse.
_OLD_KEYS = {"input": "args", "output": "result"}
_KEYS = inverse(_OLD_KEYS)


def tool_of(part: Any) -> Native | None:
    """Return a tool's part as a dynamic one; None for any other part."""
    tag: Any = part.get("type") if type(part) is _OBJECT else None
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


def is_approval(value: Any) -> bool:
    """Whether a value says that somebody is asked, or has decided; ``split_approval`` reads it."""
    if not is_mapping(value) or not isinstance(value.get("id"), str) or not _KEYS_OF_PARTS.isdisjoint(value):
        return False
    is_decided = isinstance(value.get("approved"), bool)
    texts = [value[key] for key in ("reason", "requestReason", "signature") if key in value]
    return (
        ("approved" not in value or is_decided)
        and ("reason" not in value or is_decided)
        and all(isinstance(text, str) for text in texts)
    )


def split_approval(approval: Native, link: Any) -> tuple[Native, Native | None]:
    """Return an approval as the parts of messages for models: the request, and the response or None."""
    asked = {key: value for key, value in approval.items() if key not in _DECIDED}
    request = {"type": "tool-approval-request", "toolCallId": link, **renamed_keys(asked, _OF_REQUEST)}
    if "approved" not in approval:
        return request, None
    told = {key: approval[key] for key in _DECIDED if key in approval}
    return request, {"type": "tool-approval-response", "approvalId": approval["id"], **told}


def joined_approval(request: Native, response: Native | None) -> Native:
    """Return the approval for these parts."""
    asked = {key: value for key, value in request.items() if key not in ("type", "toolCallId")}
    told = {key: response[key] for key in _DECIDED if key in response} if response else {}
    return {"id": request["approvalId"], **told, **renamed_keys(asked, inverse(_OF_REQUEST))}


# -- version 4, and mixtures with today's -----------------------------------------------------------------------------


def as_today(part: Any) -> tuple[Native, str] | None:
    """Return an unusual part of a tool as a usual dynamic one, and its mark; None for any other part.

    The mark is the shape, then what is today's: "input" and "output" for these keys, and "state" or "no-state"; then
    the keys beside the call.
    """
    found = _call_in(part)
    if found is None:
        return None
    call, shape, beside = found
    if type(call.get("toolName")) is not str or any(new in call and old in call for new, old in _OLD_KEYS.items()):
        return None
    native = renamed_keys(call, _KEYS)
    state, how = _state_of(native)
    if state is None or (shape in ("static", "dynamic") and how == "state"):
        return None
    mark = " ".join([shape, *(key for key in _OLD_KEYS if key in call), *([how] if how else []), *beside])
    return {**native, "type": DYNAMIC, "state": state}, mark


def _call_in(part: Any) -> tuple[Native, str, list[str]] | None:
    """Return the keys of the call in a part, with its name, the part's shape, and the keys beside the call."""
    tag: Any = part.get("type") if is_object(part) else None
    if not is_tool(tag):
        return None
    beside = {key: value for key, value in part.items() if key != "type"}
    if tag == DYNAMIC:
        return beside, "dynamic", []
    for shape, key in _INSIDE.items() if tag == OLD else ():
        if key in beside:
            inside: Any = beside.pop(key)
            more = {new: beside[old] for new, old in _BESIDE.items() if old in beside}
            if len(beside) > len(more) or not is_object(inside) or not inside.keys().isdisjoint({"type", *more}):
                return None
            call = inside if shape == NESTED else _renamed(inside)
            return None if call is None else ({**call, **more}, shape, list(more))
    name = tag[len(_TOOL) :]
    if "toolName" not in beside:
        return None if tag == OLD else ({**beside, "toolName": name}, "static", [])
    shape = "flat" if tag == OLD else "named"
    return (beside, shape, []) if tag == OLD or beside["toolName"] == name else None


def _renamed(call: Native) -> Native | None:
    """Return a call in snake case with today's keys; None if it mixes both."""
    if not call.keys().isdisjoint(_SNAKE):
        return None
    return renamed_keys(call, inverse(_SNAKE))


def _state_of(call: Native) -> tuple[str | None, str]:
    """Return today's state of a call, and what the mark says of it; None if it has another."""
    state: Any
    if "state" not in call:
        state = "output-available" if "output" in call else "input-available"
        return ("output-error" if "errorText" in call else state), "no-state"
    state = call["state"]
    if type(state) is not str:
        return None, ""
    return (_STATES[state], "") if state in _STATES else (state, "state")


def as_old(native: Native, mark: Any) -> Native | None:
    """Return a dynamic tool's part as the unusual one that it was read from; None if it would not be read as the same.

    Args:
        native: the part.
        mark: as from ``as_today``.
    """
    state: Any = native.get("state")
    if type(mark) is not str or type(state) is not str:
        return None
    shape, *today = mark.split(" ")
    names = {key: old for key, old in _OLD_KEYS.items() if key not in today}
    if shape == "snake":
        names |= _SNAKE
    call: Native = {names.get(key, key): value for key, value in native.items() if key != "type"}
    if "no-state" in today:
        del call["state"]
    elif "state" not in today:
        call["state"] = _OLD_STATES.get(state)
    part: Native = {"type": _TYPES.get(shape, f"{_TOOL}{native['toolName']}")}
    if shape == "static":
        del call["toolName"]
    beside = {old: call.pop(new) for new, old in _BESIDE.items() if new in today and new in call}
    part |= {_INSIDE[shape]: call, **beside} if shape in _INSIDE else call
    back = as_today(part)
    return part if back is not None and back[1] == mark and same_document(back[0], native) else None
