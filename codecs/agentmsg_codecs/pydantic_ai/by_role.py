"""Messages of the first versions, to 0.0.12 (2024), which had a role instead of parts.

They are read as messages of today that say the same: each is a request with one part, or a response. Such messages are
marked ``/by-role``, and stay by themselves.

| Until 0.0.12 | Since |
| --- | --- |
| role: system, user, tool-return, retry-prompt | a request with a part of that kind |
| role: model-text-response; model-structured-response | a response with a text; with calls |
| tool_id | tool_call_id |
| args: args_json; args_dict | args: a text; an object |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.formats import Native, is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Mapping

_PARTS: Mapping[str, str] = {
    "system": "system-prompt", "user": "user-prompt", "tool-return": "tool-return", "retry-prompt": "retry-prompt",
}  # fmt: skip
_ROLES = {kind: role for role, kind in _PARTS.items()}
TEXT, CALLS = "model-text-response", "model-structured-response"
OWN_ROLES = frozenset({TEXT, CALLS, "tool-return", "retry-prompt"})
_LINK, _OLD_LINK = "tool_call_id", "tool_id"
# What the messages of today call themselves and their parts.
_NEW = frozenset({"kind", "parts", "part_kind", _LINK})
# What an answer's parts of today say where they say nothing.
_UNSAID = frozenset({"citations", "id", "provider_details", "provider_name", "tool_kind"})
_ARGS = {"args_json": str, "args_dict": dict}


def modern(native: Native) -> Native | None:
    """Return the message of today that says what a message with a role says; None if there is none."""
    role = native.get("role")
    if type(role) is not str or not _NEW.isdisjoint(native):
        return None
    rest = {key: value for key, value in native.items() if key != "role"}
    if role in _PARTS:
        return {"kind": "request", "parts": [{"part_kind": _PARTS[role], **_relinked(rest, _OLD_LINK, _LINK)}]}
    if role == TEXT and "content" in rest:
        text = {"part_kind": "text", "content": rest.pop("content")}
        return {"kind": "response", "parts": [text], **rest}
    calls: Any = rest.pop("calls", None)
    if role != CALLS or not is_list(calls) or not calls:
        return None
    parts = list(map(_modern_call, calls))
    return None if None in parts else {"kind": "response", "parts": parts, **rest}


def by_role(native: Native) -> Native:
    """Return the message with a role that says what a message of today says; that itself if there is none."""
    given = native
    parts: Any = [_said(part) for part in native["parts"]]
    native = {**native, "parts": parts}
    rest = {key: value for key, value in native.items() if key not in ("kind", "parts")}
    if native["kind"] == "request":
        kind = parts[0].get("part_kind") if len(parts) == 1 and not rest else None
        if kind not in _ROLES:
            return given
        held = {key: value for key, value in parts[0].items() if key != "part_kind"}
        return _sound({"role": _ROLES[kind], **_relinked(held, _LINK, _OLD_LINK)}, native) or given
    if len(parts) == 1 and parts[0].keys() == {"part_kind", "content"} and parts[0]["part_kind"] == "text":
        return _sound({"role": TEXT, "content": parts[0]["content"], **rest}, native) or given
    if not parts or any(part.get("part_kind") != "tool-call" for part in parts):
        return given
    return _sound({"role": CALLS, "calls": list(map(_old_call, parts)), **rest}, native) or given


def _said(part: Native) -> Native:
    return {key: value for key, value in part.items() if value is not None or key not in _UNSAID}


def _sound(old: Native, native: Native) -> Native | None:
    """Return a message with a role if it is read as the one of today that it was made of."""
    return old if modern(old) == native else None


def _relinked(native: Native, old: str, new: str) -> Native:
    return {new if key == old else key: value for key, value in native.items()}


def _modern_call(call: Any) -> Native | None:
    if not is_object(call) or not (_NEW | _UNSAID).isdisjoint(call):
        return None
    args: Any = call.get("args")
    for key, kind in _ARGS.items():
        if is_object(args) and args.keys() == {key} and type(args[key]) is kind:
            return {"part_kind": "tool-call", **_relinked({**call, "args": args[key]}, _OLD_LINK, _LINK)}
    return None


def _old_call(part: Native) -> Native:
    call = _relinked({key: value for key, value in part.items() if key != "part_kind"}, _LINK, _OLD_LINK)
    args: Any = call.get("args")
    return {**call, "args": {"args_json" if type(args) is str else "args_dict": args}}
