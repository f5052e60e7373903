"""Messages with roles of ms-swift and others, and a call as OpenAI's functions had it.

| message | read like |
| --- | --- |
| role tool_call; content: the JSON of a call | an assistant's message with one call and no text |
| role tool_response, tool_result, environment or function | a tool's |
| role human; gpt or ai | a user's; an assistant's |
| function_call: a name and arguments | one call |

Marks of the message: ``/role`` (its role), ``/json`` (how the JSON is spelt, if not by default), ``/function_call``
(its call is there).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.formats import Native, is_list, is_mapping, is_object, mark_of, spelling
from agentmsg_codecs.hf.called import read_called, write_called
from agentmsg_codecs.hf.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Mapping

    import agentmsg as am

CALL = "tool_call"
_USUAL: Mapping[str, str] = {
    **dict.fromkeys(("tool_response", "tool_result", "environment", "function"), "tool"),
    "human": "user",
    **dict.fromkeys(("gpt", "ai"), "assistant"),
}
ROLES = frozenset({CALL, *_USUAL})
_FUNCTION_CALL = "function_call"


def usual(native: Native, role: Any) -> tuple[Native, Mapping[str, Any]] | None:
    """Return a message with its usual role and calls, and the marks of its message; None if these are usual."""
    if role in _USUAL:
        return {**native, "role": _USUAL[role]}, {"role": role}
    if role == "assistant":
        if not has_function_call(native):
            return None
        function = native[_FUNCTION_CALL]
        rest = {key: value for key, value in native.items() if key != _FUNCTION_CALL}
        noted = spelling.spelling_of(native["tool_calls"]) if "tool_calls" in native else True
        return {**rest, "tool_calls": [{"type": "function", "function": function}]}, {_FUNCTION_CALL: noted}
    found = read_called(native.get("content")) if role == CALL and "tool_calls" not in native else None
    if found is None:
        return None
    function, told = found
    link = {"id": function.pop("id")} if "id" in function else {}
    call = {**link, "type": "function", "function": function}
    marks = {} if told == "python" else {"json": told}
    return {**native, "role": "assistant", "content": "", "tool_calls": [call]}, {"role": role, **marks}


def has_function_call(native: Mapping[str, Any]) -> bool:
    """Whether an assistant's message has its call as OpenAI's functions had it."""
    function: Any = native.get(_FUNCTION_CALL)
    if (
        not is_mapping(function)
        or function.keys() != {"name", "arguments"}
        or native.get("tool_calls") not in (None, [])
    ):
        return False
    return isinstance(function["name"], str) and isinstance(function["arguments"], (str, dict))


def unusual(native: Native, message: am.Msg) -> Native:
    """Return a message with the role and calls that were read, if it still has nothing that these can't hold."""
    role: Any = mark_of(message, FAMILY, "/role")
    if isinstance(role, str) and _USUAL.get(role) == message.role:
        native = {**native, "role": role}
    noted = mark_of(message, FAMILY, f"/{_FUNCTION_CALL}")
    calls = native.get("tool_calls")
    is_call = role == CALL and native.get("content") == ""
    if message.role != "assistant" or not (is_call or noted) or not is_list(calls) or len(calls) != 1:
        return native
    call = calls[0]
    function = call.get("function") if is_object(call) and call.keys() <= {"id", "type", "function"} else None
    if not is_object(function) or function.keys() != {"name", "arguments"} or call.get("type") != "function":
        return native
    said = {**({"id": call["id"]} if "id" in call else {}), **function}
    rest = {key: value for key, value in native.items() if key != "tool_calls"}
    if not is_call:
        nothings: Mapping[Any, Native] = {"null": {"tool_calls": None}, "[]": {"tool_calls": []}}
        nothing = nothings.get(noted, {}) if isinstance(noted, str) else {}
        return native if "id" in said or _FUNCTION_CALL in rest else {**rest, _FUNCTION_CALL: function, **nothing}
    return {**rest, "role": role, "content": write_called(said, mark_of(message, FAMILY, "/json"))}
