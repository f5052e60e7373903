"""Messages with the roles of ms-swift: a call, and its result.

| message | read like |
| --- | --- |
| role tool_call; content: the JSON of a call | an assistant's message with one call and no text |
| role tool_response or tool_result | a tool's |

Marks of the message: ``/role`` (its role), ``/json`` (how the JSON is spelt, if not by default).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg import AgentMsgError
from agentmsg.formats import Native, is_list, is_object, is_sequence, mark_of, parse_json, spelling
from agentmsg_codecs.hf.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Mapping

    import agentmsg as am

CALL = "tool_call"
RESULTS = ("tool_response", "tool_result")
ROLES = frozenset({CALL, *RESULTS})


def usual(native: Native, role: Any) -> tuple[Native, Mapping[str, Any]] | None:
    """Return a message with its usual role, and the marks of its message; None if it has no such role."""
    if role in RESULTS:
        return {**native, "role": "tool"}, {"role": role}
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


def unusual(native: Native, message: am.Msg) -> Native:
    """Return a message with the role that was read, if it still has nothing that this role can't hold."""
    role = mark_of(message, FAMILY, "/role")
    if message.role == "tool":
        return {**native, "role": role} if role in RESULTS else native
    calls = native.get("tool_calls")
    if role != CALL or native.get("content") != "" or not is_list(calls) or len(calls) != 1:
        return native
    call = calls[0]
    function = call.get("function") if is_object(call) and call.keys() <= {"id", "type", "function"} else None
    if not is_object(function) or function.keys() != {"name", "arguments"} or call.get("type") != "function":
        return native
    said = {**({"id": call["id"]} if "id" in call else {}), **function}
    rest = {key: value for key, value in native.items() if key != "tool_calls"}
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
