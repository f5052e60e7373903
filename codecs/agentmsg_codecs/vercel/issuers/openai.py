"""Answers of OpenAI's Responses API, as @ai-sdk/openai 4.0.118 keeps them.

| item | part; providerOptions.openai |
| --- | --- |
| message: output_text | text; itemId, phase, annotations |
| reasoning | reasoning for each summary, or an empty one; itemId, reasoningEncryptedContent |
| function_call; custom_tool_call | tool-call; itemId, namespace; its input is the text |
| function_call whose arguments are cut short | the same; type "function_call" |
| shell_call, local_shell_call | shell, local_shell: action; of hosted shells, a tool-result: output |
| apply_patch_call; computer_call | apply_patch: callId, operation; computer: actions, pendingSafetyChecks, status |
| program; program_output | programmatic_tool_calling: code, fingerprint; result, status |
| web_search_call | tool-call web_search without input; tool-result: action, sources |
| file_search_call | file_search; queries, results |
| code_interpreter_call | code_interpreter with code, containerId; outputs |
| image_generation_call | image_generation; result |
| mcp_approval_request | tool-call mcp.NAME; server_label; then a tool-approval-request |
| mcp_call | mcp.NAME; type "call", serverLabel, name, arguments, output, error; itemId |
| tool_search_call; tool_search_output | tool_search with arguments, call_id; tools; itemId |
| compaction | custom, kind "openai.compaction"; type, itemId, encryptedContent |
| other keys of an item, such as a status but "completed" | as they are; `_rest` and `_absent` have what is left |
| other keys of a text | `_text` |

The client sends a server tool's result only by reference (store true) or, of web_search and tool_search, in full.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Native, Unreadable, dump_json, is_mapping, mark_of, speed
from agentmsg_codecs.vercel.issuers.parts import (
    Issuer,
    call_part,
    has_options,
    inverse,
    is_server,
    made_link,
    options_of,
    renamed,
    renamed_keys,
    result_part,
    value_of,
    with_options,
)
from agentmsg_codecs.vercel.names import ITEMS, PROVIDER_OPTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

_OPENAI, _RESPONSES, _DONE, _SEARCH = "openai", "openai-responses", "completed", "tool_search"
# The start of the names of servers' tools, and the part that asks a person whether one may be called.
_SERVER, _ASKED = "mcp.", "tool-approval-request"
# The kinds of what a search of the web does.
_ACTIONS = {"open_page": "openPage", "find_in_page": "findInPage"}
_WORDS = inverse(_ACTIONS)
_FILE = {"file_id": "fileId"}
_CALLER = {"caller_id": "callerId"}
# Tools whose calls are items of their own: the items, the tools, their inputs, and what they name otherwise.
_PROGRAM, _CALL = "program", "function_call"
_CALLS = {
    "shell_call": "shell", "local_shell_call": "local_shell", "apply_patch_call": "apply_patch",
    "computer_call": "computer", _PROGRAM: "programmatic_tool_calling",
}  # fmt: skip
_OUTPUTS = {"shell_call_output": "shell", "program_output": "programmatic_tool_calling"}
_CALLED, _GIVEN_BY = inverse(_CALLS), inverse(_OUTPUTS)
CLIENT_TOOLS = {
    _SEARCH: {"arguments", "call_id"},
    "shell": {"action"}, "local_shell": {"action"}, "apply_patch": {"callId", "operation"},
    "computer": {"actions", "pendingSafetyChecks", "status"}, "programmatic_tool_calling": {"code", "fingerprint"},
}  # fmt: skip
_OF_CALLS = (
    "id", "call_id", "action", "actions", "operation", "pending_safety_checks", "code", "fingerprint", "environment",
)  # fmt: skip
_SHELL = {"timeout_ms": "timeoutMs", "max_output_length": "maxOutputLength"}
_SCROLL, _EXIT = {"scroll_x": "scrollX", "scroll_y": "scrollY"}, {"exit_code": "exitCode"}
# Where a part says what else its item says.
_REST, _ABSENT, _TEXT = "_rest", "_absent", "_text"
_NATIVES = ("message", "reasoning", _CALL, "tool_search_output", *_CALLS)
_APART = (_SEARCH, *_GIVEN_BY)


def _own(block: Any) -> bool:
    cls: Any = block.__class__
    if cls is am.ThinkingBlock:
        return block.item_id is not None and mark_of(block, _OPENAI, "/place") is None  # the other API has such, too
    if cls is am.TextBlock and (block.citations or not (block.item_id or "msg_").startswith(ITEMS)):
        return True
    if cls is am.NativeBlock:
        return block.codec == _RESPONSES and is_mapping(block.value) and block.value.get("type") in _NATIVES
    is_custom = cls is am.ToolUseBlock and (
        block.kind in ("custom", *CLIENT_TOOLS) or block.namespace is not None or not block.is_valid
    )
    is_apart = cls is am.RefusalBlock or (cls is am.CompactionBlock and block.encrypted is not None)
    return is_custom or is_apart or _RESPONSES in block.extras or is_server(block, _OPENAI)


def _kept(block: Any) -> bool:
    cls: Any = block.__class__
    if cls is am.ThinkingBlock:
        return block.item_id is not None or has_options(block, _OPENAI)
    if cls is am.ToolUseBlock and block.kind == "function":
        # The client turns a custom tool's text into a string.
        is_given = _is_given(block.name, block.input) if block.name in CLIENT_TOOLS else not is_mapping(block.input)
        return is_given or not block.is_valid or has_options(block, _OPENAI)
    return has_options(block, _OPENAI) or is_server(block, _OPENAI)


def _told(item: Native, *own: str, **more: Any) -> Native:
    """Return the options for the keys of an item that aren't its own; the client passes over those."""
    rest = {key: value for key, value in item.items() if key not in own and value not in (None, [])}
    if rest.pop("status", _DONE) != _DONE:
        rest["status"] = item["status"]
    if "caller" in rest:
        rest["caller"] = renamed(rest["caller"], _CALLER)
    del rest["type"]
    if not all(key.islower() for key in rest):
        raise Unreadable
    return with_options(_OPENAI, {**{key: value for key, value in more.items() if value is not None}, **rest})


def _each(items: list[Native]) -> Iterator[tuple[Native, list[Native]]]:
    """Yield each item with its parts."""
    searches: list[str] = []
    served = {item.get("call_id") for item in items if item.get("type") in (*_OUTPUTS, "tool_search_output")}
    for number, item in enumerate(items):
        kind = item.get("type", "message")
        link = item.get("call_id") or item.get("id") or made_link("tsc_", [number, item])
        if kind == "tool_search_call":
            searches.append(link)
        elif kind == "tool_search_output" and searches:
            link = searches.pop(0)
        yield item, _parts({"type": kind, **item}, link, is_run=link in served)


def _with_rest(parts: list[Native], item: Native) -> list[Native]:
    """Return the parts of an item; the last has what they don't tell, which the client passes over."""
    try:
        again = _back(parts)[0]
    except (Unreadable, LookupError):
        return parts  # parts of a pair
    rest = {key: value for key, value in item.items() if key not in again or dump_json(value) != dump_json(again[key])}
    if rest and "type" in item and [*item] != [*{**again, **rest}]:
        rest = item  # what the model has no block for has its own order of keys
    beside: Native = {_REST: rest} if rest else {}
    absent = [key for key in again if key not in item]
    beside |= {_ABSENT: absent} if absent else {}
    if beside:
        parts[-1] = {**parts[-1], **with_options(_OPENAI, {**options_of(parts[-1], _OPENAI), **beside})}
    return parts


def _runner(call_id: Any) -> str:
    return "server" if call_id is None else "client"


def _parts(item: Native, search: str, *, is_run: bool) -> list[Native]:
    """Return the parts of an item.

    Args:
        item: the item.
        search: the id for a search of tools, and for its output.
        is_run: whether the provider runs it, as its output tells.
    """
    kind, link = item["type"], item.get("id")
    if kind == "message":
        return [_text(item, part) for part in item["content"]]
    if kind == "reasoning":
        sealed = {"reasoningEncryptedContent": item.get("encrypted_content")} if link else {}
        told = _told(item, "id", "summary", "encrypted_content", itemId=link)
        told = with_options(_OPENAI, {**sealed, **told.get(PROVIDER_OPTIONS, {}).get(_OPENAI, {})})
        summaries = item.get("summary") or [{"text": ""}]
        return [{"type": "reasoning", "text": summary["text"], **told} for summary in summaries]
    if kind == "compaction":
        sealed = {"itemId": link, "encryptedContent": item.get("encrypted_content")}
        told = _told(item, "id", "encrypted_content", type=kind, **sealed)
        return [{"type": "custom", "kind": "openai.compaction", **told}]
    if kind in (_CALL, "custom_tool_call"):
        is_json, value, _ = (True, item["input"], "") if kind != _CALL else speed.parse_arguments(item["arguments"])
        told = {"itemId": link} if is_json else {"itemId": link, "type": kind}
        options = _told(item, "id", "call_id", "name", "arguments", "input", **told)
        given = value if is_json else item["arguments"]
        return [call_part(item["call_id"], item["name"], given, options, is_run=False)]
    if kind in _CALLS:
        name, given = _CALLS[kind], _given(item)
        return [
            call_part(
                item["call_id"], name, given, _told(item, *_OF_CALLS, itemId=link), is_run=is_run or kind == _PROGRAM
            )
        ]
    if kind in _OUTPUTS:
        told = _told(item, "id", "call_id", "output", "max_output_length", "result", "status", itemId=link)
        return [result_part(item["call_id"], _OUTPUTS[kind], _output(item), told)]
    if kind == "tool_search_call" and "execution" in item:
        # The client sends a call that has an id as its own; who runs it otherwise stands beside.
        runs = {} if item["execution"] == _runner(item.get("call_id")) else {"execution": item["execution"]}
        given = {"arguments": item["arguments"], "call_id": item.get("call_id")}
        told = _told(item, "id", "call_id", "arguments", "execution", itemId=link, **runs)
        return [call_part(search, _SEARCH, given, told, is_run=is_run or item["execution"] != "client")]
    if kind == "tool_search_output" and "execution" in item:
        runs = {} if item["execution"] == "server" else {"execution": item["execution"]}
        told = _told(item, "id", "call_id", "tools", "execution", itemId=link, **runs)
        return [result_part(search, _SEARCH, {"tools": item["tools"]}, told)]
    if kind == "mcp_approval_request":
        told = _told(item, "id", "name", "arguments")
        asked = {"type": _ASKED, "approvalId": link, "toolCallId": link}
        return [call_part(link, f"{_SERVER}{item['name']}", _parsed(item["arguments"]), told), asked]
    name, given, value, told = _hosted(item)
    return [call_part(link, name, given, {}), result_part(link, name, value, told)]


def _text(item: Native, part: Native) -> Native:
    told = {"itemId": item.get("id"), "phase": item.get("phase"), "annotations": part.get("annotations") or None}
    if part["type"] == "refusal":
        raise Unreadable  # the SDK has none: it would be sent as the text that the report tells
    own = {key: value for key, value in part.items() if key not in ("type", "text", "annotations", "logprobs")}
    shared = {"logprobs": part.get("logprobs"), **item}
    options = _told(shared, "id", "content", "role", "phase", **told, **({_TEXT: own} if own else {}))
    return {"type": "text", "text": part["text"], **options}


def _given(item: Native) -> Native:
    """Return the input of a tool whose calls are items of their own."""
    kind = item["type"]
    if kind == _PROGRAM:
        return {"code": item["code"], "fingerprint": item["fingerprint"]}
    if kind == "apply_patch_call":
        return {"callId": item["call_id"], "operation": item["operation"]}
    if kind != "computer_call":
        action = {key: value for key, value in item["action"].items() if value is not None}
        return {"action": renamed(action, _SHELL) if kind == "shell_call" else action}
    actions = item["actions"] if item.get("actions") else [item["action"]]
    checks: Any = item.get("pending_safety_checks") or []
    told = {"pendingSafetyChecks": checks, "status": item.get("status", _DONE)}
    return {"actions": [renamed_keys(action, _SCROLL) for action in actions], **told}


def _limit(value: Native, key: str, name: str) -> Native:
    return {} if value.get(key) is None else {name: value[key]}


def _output(item: Native) -> Native:
    """Return what such a tool gave."""
    if item["type"] == "program_output":
        return {"result": item["result"], "status": item.get("status", _DONE)}
    return {**_limit(item, "max_output_length", "maxOutputLength"), "output": renamed(item["output"], _EXIT)}


def _parsed(text: str) -> Any:
    is_valid, value, _ = speed.parse_arguments(text)
    if not is_valid:
        raise Unreadable
    return value


def _hosted(item: Native) -> tuple[str, Any, Any, Native]:
    """Return the tool that an item ran, its input, its result, and the result's options."""
    kind = item["type"]
    if kind == "web_search_call":
        action = {**item.get("action", {})}
        sources = {"sources": action.pop("sources")} if "sources" in action else {}
        if action:
            action["type"] = _ACTIONS.get(action["type"], action["type"])
        return "web_search", {}, {**({"action": action} if action else {}), **sources}, _told(item, "id", "action")
    if kind == "file_search_call":
        results = renamed(item.get("results"), _FILE)
        value = {"queries": item["queries"], "results": results}
        return "file_search", {}, value, _told(item, "id", "queries", "results")
    if kind == "code_interpreter_call":
        given = {"code": item.get("code"), "containerId": item["container_id"]}
        value = {"outputs": item["outputs"]} if "outputs" in item else {}
        return "code_interpreter", given, value, _told(item, "id", "code", "container_id", "outputs")
    if kind == "image_generation_call":
        return "image_generation", {}, {"result": item.get("result")}, _told(item, "id", "result")
    if kind != "mcp_call":
        raise Unreadable
    name, text = item["name"], item["arguments"]
    value = {"type": "call", "serverLabel": item["server_label"], "name": name, "arguments": text}
    value |= {key: item[key] for key in ("output", "error") if item.get(key) is not None}
    own = ("id", "name", "arguments", "server_label", "output", "error")
    return f"{_SERVER}{name}", _parsed(text or "{}"), value, _told(item, *own, itemId=item["id"])


def _back(parts: list[Native]) -> list[Native]:
    found: list[Native] = []
    calls: dict[Any, Native] = {}
    for part in parts:
        options = options_of(part, _OPENAI)
        kind, link, name = part["type"], options.pop("itemId", None), part.get("toolName")
        last = found[-1] if found and link is not None and found[-1].get("id") == link else {}
        is_run = kind == "tool-call" and part.get("providerExecuted")
        if is_run:
            calls[part["toolCallId"]] = part
        rest, absent = options.pop(_REST, {}), options.pop(_ABSENT, ())
        if "caller" in options:
            options["caller"] = renamed(options["caller"], inverse(_CALLER))
        if is_run and name not in _APART:
            continue  # its result, or the request, has its item
        if kind == "text" and last.get("type") == "message":
            last["content"] += _item(part, link, options)["content"]
        elif kind == "reasoning" and last.get("type") == "reasoning":
            last["summary"].append({"type": "summary_text", "text": part["text"]})
        elif kind == "tool-result":
            found.append(_result(part, link, options, calls))
        elif kind == _ASKED:
            found.append(_asked(part, calls.pop(part["toolCallId"])))
        else:
            found.append(_item(part, link, options))
        if "type" in rest:
            found[-1] = rest
        elif rest or absent:
            found[-1] = {key: value for key, value in {**found[-1], **rest}.items() if key not in absent}
    if any(part["toolName"] not in _APART for part in calls.values()):
        raise Unreadable  # a call without its result isn't sent
    if not all(key.islower() for item in found for key in item):
        raise Unreadable  # these are no keys of items
    return found


def _item(part: Native, link: Any, options: Native) -> Native:
    """Return the item of a part that isn't a result."""
    kind, text = part["type"], part.get("text")
    own = {"id": link, "status": options.pop("status", _DONE)} if link is not None else {}
    if kind == "text":
        said = {"type": "output_text", "text": text, "annotations": options.pop("annotations", [])}
        said |= {key: options.pop(key) for key in ("logprobs",) if key in options} | options.pop(_TEXT, {})
        return {"type": "message", "role": "assistant", **own, "content": [said], **options}
    if kind == "reasoning":
        sealed = options.pop("reasoningEncryptedContent", None)
        item = {"type": "reasoning", "id": link, "summary": [{"type": "summary_text", "text": text}] if text else []}
        return {**item, **({} if sealed is None else {"encrypted_content": sealed}), **options}
    if kind == "custom":
        sealed = options.pop("encryptedContent", None)
        own = {} if link is None else {"id": link}
        return {**own, **({} if sealed is None else {"encrypted_content": sealed}), **options}
    if kind != "tool-call":
        raise Unreadable
    name, given = part["toolName"], part["input"]
    if name == _SEARCH and is_mapping(given) and given.keys() == CLIENT_TOOLS[_SEARCH]:
        call_id = given["call_id"]
        call = {"type": "tool_search_call", "execution": _runner(call_id), "call_id": call_id, "status": _DONE}
        return {**call, **own, "arguments": given["arguments"], **options}
    kind = _CALLED.get(name)
    if kind is not None and _is_given(name, given):
        return {"type": kind, "call_id": part["toolCallId"], **own, **_taken(kind, given), **options}
    is_broken = options.pop("type", None) == _CALL
    call = {"call_id": part["toolCallId"], "name": name, **own, **options}
    if is_broken:
        return {"type": _CALL, **call, "arguments": given}
    if type(given) is str:
        return {"type": "custom_tool_call", **call, "input": given}
    return {"type": _CALL, **call, "arguments": dump_json(given).decode()}


def _is_given(name: str, given: Any) -> bool:
    """Whether an input is of a tool whose calls are items of their own; a function may have its name."""
    if not is_mapping(given) or given.keys() != CLIENT_TOOLS[name]:
        return False
    return name not in ("shell", "local_shell") or given["action"].keys() & {"commands", "command"}


def _taken(kind: str, given: Native) -> Native:
    """Return the keys of an item that such an input is."""
    if kind == "shell_call":
        return {"action": renamed(given["action"], inverse(_SHELL))}
    if kind == "apply_patch_call":
        return {"operation": given["operation"]}
    if kind != "computer_call":
        return given
    actions = [renamed_keys(action, inverse(_SCROLL)) for action in given["actions"]]
    return {"actions": actions, "pending_safety_checks": given["pendingSafetyChecks"], "status": given["status"]}


def _asked(part: Native, call: Native) -> Native:
    """Return the item of a request, which has its call; the SDK's client itself doesn't keep the server."""
    name, options = call["toolName"], options_of(call, _OPENAI)
    if not name.startswith(_SERVER) or "server_label" not in options:
        raise Unreadable
    given = {"name": name.removeprefix(_SERVER), "arguments": dump_json(call["input"]).decode()}
    return {"type": "mcp_approval_request", "id": part["approvalId"], **given, **options}


def _result(part: Native, link: Any, options: Native, calls: dict[Any, Native]) -> Native:
    """Return the item of a result; its call is taken."""
    name, value, call_id = part["toolName"], value_of(part), part["toolCallId"]
    call = calls.pop(call_id, None)
    if name == _SEARCH:
        # An id of its own is that of the call, or of the item.
        is_own = link != call_id if call is None else call["input"]["call_id"] is not None
        found = {"type": "tool_search_output", "execution": "server", "call_id": call_id if is_own else None}
        return {**found, "status": _DONE, **({} if link is None else {"id": link}), "tools": value["tools"], **options}
    if name in _GIVEN_BY and is_mapping(value):
        own = {"call_id": call_id, **({} if link is None else {"id": link}), **options}
        if name == "shell":
            limit = _limit(value, "maxOutputLength", "max_output_length")
            return {"type": _GIVEN_BY[name], **own, **limit, "output": renamed(value["output"], inverse(_EXIT))}
        return {"type": _GIVEN_BY[name], **own, "result": value["result"], "status": value["status"]}
    if call is None or options_of(call, _OPENAI).keys() - {"itemId"}:
        raise Unreadable
    own, given = {"id": call_id if link is None else link, "status": _DONE, **options}, call["input"]
    if name == "web_search":
        action = {**value.get("action", {})}
        if action:
            action["type"] = _WORDS.get(action["type"], action["type"])
        if "sources" in value:
            is_sorted = len(action) > 1 and [*action][-1] == "type"
            kind = {"type": action.pop("type")} if is_sorted else {}
            action = {**action, "sources": value["sources"], **kind}
        return {"type": "web_search_call", **own, **({"action": action} if action else {})}
    if name == "file_search":
        results = renamed(value["results"], inverse(_FILE))
        return {"type": "file_search_call", **own, "queries": value["queries"], "results": results}
    if name == "code_interpreter":
        run = {"code": given["code"], "container_id": given["containerId"]}
        return {"type": "code_interpreter_call", **own, **run, **value}
    if name == "image_generation":
        return {"type": "image_generation_call", **own, **value}
    if name.startswith(_SERVER) and is_mapping(value) and "serverLabel" in value:
        said = {("server_label" if key == "serverLabel" else key): value[key] for key in value if key != "type"}
        return {"type": "mcp_call", **said, **own}
    raise Unreadable


RESPONSES = Issuer(
    _RESPONSES, _OPENAI, "responses", _own, _kept,
    into=lambda items, _, __: [part for _, parts in _each(items) for part in parts],
    back=_back,
    makes=lambda call: call.name in CLIENT_TOOLS and _is_given(call.name, call.input),
    into_fully=lambda items, _, __: [part for item, parts in _each(items) for part in _with_rest(parts, item)],
    asks=True,
)  # fmt: skip
