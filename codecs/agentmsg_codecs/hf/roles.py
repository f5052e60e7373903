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

from agentmsg import AgentMsgError
from agentmsg.formats import Native, is_list, is_mapping, is_object, is_sequence, mark_of, parse_json, spelling
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
    text = native.get("content")
    if role != CALL or "tool_calls" in native or type(text) is not str:
        return None
    called = _called(text)
    if called is None:
        return None
    link = {"id": called["id"]} if "id" in called else {}
    function = {"name": called["name"], "arguments": called["arguments"]}
    call = {**link, "type": "function", "function": function}
    marks = {} if spelling.dump_styled({**link, **function}) == text else {"json": _style(called, text)}
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
    return {**rest, "role": role, "content": _spelt(said, mark_of(message, FAMILY, "/json"))}


def _called(text: str) -> Native | None:
    """Return the object in the JSON of a call; None if it is anything else."""
    try:
        value = parse_json(text, duplicates="error")
    except AgentMsgError:
        return None
    if not is_object(value) or not {"name", "arguments"} <= value.keys() <= {"id", "name", "arguments"}:
        return None
    is_call = is_object(value["arguments"]) or type(value["arguments"]) is str
    return value if is_call and type(value["name"]) is str and type(value.get("id", "")) is str else None


def _style(said: Native, text: str) -> Any:
    found = spelling.styled(text)
    return ["=", text] if found is None or list(said) != ["name", "arguments"] else found[1]


def _spelt(said: Native, noted: Any) -> str:
    """Return the JSON of a call, spelt as noted if that says the same."""
    if isinstance(noted, str) and noted in spelling.JSON_STYLES:
        return spelling.dump_styled(said, noted)
    if is_sequence(noted) and len(noted) == 2 and isinstance(noted[1], str):  # noqa: PLR2004 - a text, marked as such
        found = _called(noted[1])
        if found is not None and spelling.same_document(found, said):
            return noted[1]
    return spelling.dump_styled(said)
