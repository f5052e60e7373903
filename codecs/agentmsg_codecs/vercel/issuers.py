"""Issuers: the parts in which the SDK's clients keep the answers of each provider, and send them back.

Learnt from ai 7.0.173 with @ai-sdk/anthropic 4.0.105, @ai-sdk/openai 4.0.118 and @ai-sdk/google 4.0.121. In messages for
users the same values stand under ``providerMetadata``, ``callProviderMetadata`` and ``resultProviderMetadata``.

| Anthropic | part; providerOptions.anthropic |
| --- | --- |
| text: citations | text; citations |
| compaction | text; type "compaction", signature |
| tool_use: caller | tool-call; caller: type, toolId |
| server_tool_use | tool-call, providerExecuted; caller |
| bash_code_execution, text_editor_code_execution | code_execution, the input with the name as its type |
| code_execution | the same, of the type "programmatic-tool-call" |
| web_search_tool_result, web_fetch_tool_result | the content in camel case |
| code execution's results | Anthropic's content, of the tool code_execution |
| tool_search_tool_result | a list of type and toolName, of the tool of its call |
| mcp_tool_use, mcp_tool_result | type "mcp-tool-use", serverName; the result's content |
| a result that is an error | error-json |
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import Native, Unreadable, dump_json, is_list, is_mapping, speed
from agentmsg_codecs.vercel.names import FAMILY, ITEMS, OPTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_KEY = "providerOptions"


class Issuer(NamedTuple):
    """How the client of a provider keeps its answers.

    Attributes:
        codec: of the provider's parts.
        provider: the provider, as messages say.
        api: which of its APIs, if it has several.
        key: the provider's key among the options.
        is_own: whether a block has a form of its own here; others are kept as those of anybody.
        is_kept: whether a block that was read has such a form.
        into: parts of the SDK, of parts of the provider, their blocks, and all blocks of the message.
        back: parts of the provider, of parts of the SDK and all blocks of the message.
        linked: blocks of these parts of the provider, with what they need of the SDK's parts.
    """

    codec: str
    provider: str
    api: str | None
    key: str
    is_own: Callable[[Any], bool]
    is_kept: Callable[[Any], bool]
    into: Callable[[list[Native], Sequence[Any], Sequence[Any]], list[Native]]
    back: Callable[[list[Native], Sequence[Any]], list[Native]]
    linked: Callable[[Sequence[Any], list[Native]], list[Any]]


def _is_server(block: Any, provider: str) -> bool:
    is_tool = type(block) is am.ToolUseBlock or type(block) is am.ToolResultBlock
    return is_tool and block.kind == "server" and block.provider in (provider, None)


def _has_options(block: Any, key: str) -> bool:
    options: Any = block.extras.get(OPTIONS) if block.extras else None
    return is_mapping(options) and key in options


def _with(key: str, options: Native) -> Native:
    return {_KEY: {key: options}} if options else {}


def _options(part: Native, key: str) -> Native:
    return {**part.get(_KEY, {}).get(key, {})}


def _call(link: Any, name: str, given: Any, options: Native, *, is_run: bool = True) -> Native:
    run = {"providerExecuted": True} if is_run else {}
    return {"type": "tool-call", "toolCallId": link, "toolName": name, "input": given, **run, **options}


def _result(link: Any, name: str, value: Any, options: Native, *, has_failed: bool = False) -> Native:
    output = {"type": "error-json" if has_failed else "json", "value": value}
    return {"type": "tool-result", "toolCallId": link, "toolName": name, "output": output, **options}


def _value_of(part: Native) -> Any:
    output = part["output"]
    if output["type"] not in ("json", "error-json"):
        raise Unreadable
    return output["value"]


def _renamed(value: Any, names: Native) -> Any:
    """Return JSON with other keys, in the same order."""
    if is_mapping(value):
        return {names.get(key, key): _renamed(item, names) for key, item in value.items()}
    return [_renamed(item, names) for item in value] if is_list(value) else value


def _unlinked(blocks: Sequence[Any], _: list[Native]) -> list[Any]:
    return list(blocks)


def _only(native: Native, known: Native) -> Native:
    """Return keys under other names.

    Raises:
        Unreadable: if there are other keys: the client has no place for them.
    """
    if not native.keys() <= known.keys():
        raise Unreadable
    return {known[key]: value for key, value in native.items()}


def _inverse(names: Native) -> Native:
    return {value: key for key, value in names.items()}


# -- Anthropic --------------------------------------------------------------------------------------------------------

_ANTHROPIC = "anthropic"
_CAMEL = {
    "page_age": "pageAge", "encrypted_content": "encryptedContent", "retrieved_at": "retrievedAt",
    "media_type": "mediaType", "error_code": "errorCode", "tool_name": "toolName", "stop_reason": "stopReason",
}  # fmt: skip
_SNAKE = _inverse(_CAMEL)
# The keys beside a part's own, and the options that they are.
_BESIDE = {"citations": "citations", "caller": "caller", "cache_control": "cacheControl", "signature": "signature"}
_OF_ANTHROPIC = _inverse(_BESIDE)
_CALLER, _MCP, _TOOL_RESULT = {"tool_id": "toolId"}, "mcp-tool-use", "_tool_result"
# Code is run by tools of several names, which are one here; the kind of a call's input tells which.
_CODE, _PROGRAM, _EXECUTIONS = "code_execution", "programmatic-tool-call", ("bash_", "text_editor_", "")


def _anthropic_own(block: Any) -> bool:
    if type(block) is am.CompactionBlock:
        return block.text is not None
    is_said = type(block) is am.TextBlock and block.citations
    return bool(is_said) or _ANTHROPIC in block.extras or _is_server(block, _ANTHROPIC)


def _anthropic_kept(block: Any) -> bool:
    return _is_server(block, _ANTHROPIC) or _has_options(block, _ANTHROPIC)


def _beside(item: Native, *own: str, **more: Any) -> Native:
    """Return the options for the keys of a part that aren't its own."""
    options = _only({key: value for key, value in item.items() if key not in own and key != "type"}, _BESIDE)
    if "caller" in options:
        options["caller"] = _renamed(options["caller"], _CALLER)
    return _with(_ANTHROPIC, {**more, **options})


def _anthropic_into(items: list[Native], _: Sequence[Any], content: Sequence[Any]) -> list[Native]:
    calls = {block.id: block for block in content if type(block) is am.ToolUseBlock}
    return [_anthropic_part(item, calls) for item in items]


def _anthropic_part(item: Native, calls: dict[Any, Any]) -> Native:
    kind: Any = item.get("type")
    if kind == "text":
        return {"type": "text", "text": item["text"], **_beside(item, "text")}
    if kind == "compaction" and item.get("content"):
        return {"type": "text", "text": item["content"], **_beside(item, "content", type="compaction")}
    if kind == "tool_use":
        return _call(item["id"], item["name"], item["input"], _beside(item, "id", "name", "input"), is_run=False)
    if kind == "server_tool_use":
        name, given = item["name"], item["input"]
        if name != _CODE and name.endswith(_CODE):
            name, given = _CODE, {"type": name, **given}
        elif name == _CODE and "code" in given:
            given = {"type": _PROGRAM, **given}
        return _call(item["id"], name, given, _beside(item, "id", "name", "input"))
    if kind == "mcp_tool_use":
        told = _beside(item, "id", "name", "input", "server_name", type=_MCP, serverName=item["server_name"])
        return _call(item["id"], item["name"], item["input"], told)
    if type(kind) is str and kind.endswith(_TOOL_RESULT):
        return _anthropic_result(item, kind[: -len(_TOOL_RESULT)], calls.get(item["tool_use_id"]))
    raise Unreadable


def _anthropic_result(item: Native, tool: str, call: Any) -> Native:
    link, value = item["tool_use_id"], item["content"]
    own = ("tool_use_id", "content", "is_error")
    if tool == "mcp":
        if call is None:
            raise Unreadable  # nothing tells its tool
        server = call.extras[_ANTHROPIC]["server_name"]
        told = _beside(item, *own, type=_MCP, serverName=server)
        return _result(link, call.name, value, told, has_failed=bool(item.get("is_error")))
    has_failed = is_mapping(value) and str(value.get("type")).endswith("_error")
    told = _beside(item, *own)
    if tool.endswith(_CODE):
        is_plain = tool == _CODE and has_failed
        return _result(link, _CODE, _renamed(value, _CAMEL) if is_plain else value, told, has_failed=is_plain)
    if tool == "tool_search" and not has_failed:
        tool, value = "tool_search_tool_regex" if call is None else call.name, _references(value)
    value = _renamed(value, _CAMEL)
    if tool == "web_search" and not has_failed:
        value = [_with_null(result, "pageAge") for result in value]
    if tool == "web_fetch" and not has_failed:
        value = _complete(value)
    return _result(link, tool, value, told, has_failed=has_failed)


def _complete(page: Native) -> Native:
    """Return a page as the client demands it; ``_restored`` tells what it was."""
    content = page["content"]
    if content.get("citations", content) is None:
        content = {f"_{key}" if key == "citations" else key: value for key, value in content.items()}
    return _with_null({**page, "content": _with_null(content, "title")}, "retrievedAt")


def _with_null(found: Native, key: str) -> Native:
    """Return an object that has a key, and beside it one that tells that it had none."""
    return found if key in found else {**found, key: None, f"_{key}": None}


def _restored(found: Native) -> Native:
    """Return an object without the keys that were added, and with those that were renamed."""
    known = {
        key: value for key, value in found.items() if not {key.removeprefix("_"), f"_{key}"} & found.keys() - {key}
    }
    return {key.removeprefix("_"): _restored(value) if is_mapping(value) else value for key, value in known.items()}


def _references(found: Native) -> Any:
    """Return the tools that a search found."""
    if found.keys() != {"type", "tool_references"}:
        raise Unreadable
    return found["tool_references"]


def _search(references: Any) -> Native:
    """Return what a search of tools found; its keys have the order of those inside."""
    found = {"type": "tool_search_tool_search_result", "tool_references": references}
    is_sorted = any(next(iter(reference), "type") != "type" for reference in references)
    return dict(reversed(found.items())) if is_sorted else found


def _anthropic_back(parts: list[Native], _: Sequence[Any]) -> list[Native]:
    return list(map(_anthropic_item, parts))


def _anthropic_item(part: Native) -> Native:
    kind, options = part["type"], _options(part, _ANTHROPIC)
    tag, server = options.pop("type", None), options.pop("serverName", None)
    beside = _only(options, _OF_ANTHROPIC)
    if "caller" in beside:
        beside["caller"] = _renamed(beside["caller"], _inverse(_CALLER))
    if kind == "text":
        if tag == "compaction":
            return {"type": "compaction", "content": part["text"], **beside}
        return {"type": "text", "text": part["text"], **beside}
    link, name = part.get("toolCallId"), part.get("toolName")
    if kind == "tool-call":
        given = part["input"]
        call: Native = {"id": link, "name": name, "input": given, **beside}
        if tag == _MCP:
            return {"type": "mcp_tool_use", **call, "server_name": server}
        if not part.get("providerExecuted"):
            return {"type": "tool_use", **call}
        if name == _CODE and is_mapping(given) and "type" in given:
            real = given["type"]
            call["name"] = _CODE if real == _PROGRAM else real
            call["input"] = {key: value for key, value in given.items() if key != "type"}
        return {"type": "server_tool_use", **call}
    if kind == "tool-result":
        told, value = _anthropic_content(part, is_mcp=tag == _MCP)
        failed = {"is_error": part["output"]["type"] == "error-json"} if tag == _MCP else {}
        return {"type": told + _TOOL_RESULT, "tool_use_id": link, **failed, "content": value, **beside}
    raise Unreadable


def _anthropic_content(part: Native, *, is_mcp: bool) -> tuple[str, Any]:
    """Return which tool's result a part is, and its content."""
    name, value = part["toolName"], _value_of(part)
    if is_mcp:
        return "mcp", value
    if name == _CODE and is_mapping(value):
        tag = str(value.get("type"))
        is_plain = tag == "code_execution_tool_result_error"
        start = next(start for start in _EXECUTIONS if tag.startswith(start))
        return start + _CODE, _renamed(value, _SNAKE) if is_plain else value
    if name.startswith("tool_search_tool"):
        return "tool_search", _renamed(_search(value) if is_list(value) else value, _SNAKE)
    if name == "web_search" and is_list(value):
        value = list(map(_restored, value))
    if name == "web_fetch" and is_mapping(value):
        value = _restored(value)
    return name, _renamed(value, _SNAKE)


# -- OpenAI Responses -------------------------------------------------------------------------------------------------

_OPENAI, _RESPONSES, _DONE, _SEARCH = "openai", "openai-responses", "completed", "tool_search"
# The kinds of what a search of the web does.
_ACTIONS = {"open_page": "openPage", "find_in_page": "findInPage"}
_WORDS = _inverse(_ACTIONS)
_FILE = {"file_id": "fileId"}


def _openai_own(block: Any) -> bool:
    cls = type(block)
    if cls is am.ThinkingBlock:
        return block.item_id is not None
    if cls is am.TextBlock and (block.citations or not (block.item_id or "msg_").startswith(ITEMS)):
        return True
    is_custom = cls is am.ToolUseBlock and block.kind == "custom"
    is_apart = cls is am.RefusalBlock or (cls is am.CompactionBlock and block.encrypted is not None)
    return is_custom or is_apart or _RESPONSES in block.extras or _is_server(block, _OPENAI)


def _openai_kept(block: Any) -> bool:
    cls = type(block)
    if cls is am.ThinkingBlock:
        return block.item_id is not None or _has_options(block, _OPENAI)
    if cls is am.ToolUseBlock and block.kind == "function":
        # The client turns a custom tool's text into a string.
        return not (block.is_valid and is_mapping(block.input)) or _has_options(block, _OPENAI)
    return _has_options(block, _OPENAI) or _is_server(block, _OPENAI)


def _told(item: Native, *own: str, **more: Any) -> Native:
    """Return the options for the keys of an item that aren't its own; the client passes over those."""
    rest = {key: value for key, value in item.items() if key not in own and value not in (None, [])}
    if rest.pop("status", _DONE) != _DONE:
        rest["status"] = item["status"]
    del rest["type"]
    if not all(key.islower() for key in rest):
        raise Unreadable
    return _with(_OPENAI, {**{key: value for key, value in more.items() if value is not None}, **rest})


def _openai_into(items: list[Native], _: Sequence[Any], __: Sequence[Any]) -> list[Native]:
    found: list[Native] = []
    searches: list[str] = []
    for item in items:
        kind = item.get("type", "message")
        link = item.get("call_id") or item.get("id") or _made_link("tsc_", [len(found), item])
        if kind == "tool_search_call":
            searches.append(link)
        elif kind == "tool_search_output" and searches:
            link = searches.pop(0)
        found += _openai_parts({"type": kind, **item}, link)
    return found


def _runner(call_id: Any) -> str:
    return "server" if call_id is None else "client"


def _made_link(start: str, seed: Any) -> str:
    """Return an id for a call that has none; the same for the same, so that it needs no place."""
    return start + sha256(dump_json(seed)).hexdigest()[:16]


def _openai_parts(item: Native, search: str) -> list[Native]:
    """Return the parts of an item.

    Args:
        item: the item.
        search: the id for a search of tools, and for its output.
    """
    kind, link = item["type"], item.get("id")
    if kind == "message":
        return [_openai_text(item, part) for part in item["content"]]
    if kind == "reasoning":
        sealed = {"reasoningEncryptedContent": item.get("encrypted_content")} if link else {}
        told = _told(item, "id", "summary", "encrypted_content", itemId=link)
        told = _with(_OPENAI, {**sealed, **told.get(_KEY, {}).get(_OPENAI, {})})
        summaries = item.get("summary") or [{"text": ""}]
        return [{"type": "reasoning", "text": summary["text"], **told} for summary in summaries]
    if kind == "compaction":
        sealed = {"itemId": link, "encryptedContent": item.get("encrypted_content")}
        told = _told(item, "id", "encrypted_content", type=kind, **sealed)
        return [{"type": "custom", "kind": "openai.compaction", **told}]
    if kind in ("function_call", "custom_tool_call"):
        given = item["input"] if kind == "custom_tool_call" else _parsed(item["arguments"])
        own = ("id", "call_id", "name", "arguments", "input")
        return [_call(item["call_id"], item["name"], given, _told(item, *own, itemId=link), is_run=False)]
    if kind == "tool_search_call" and "execution" in item:
        # The client sends a call that has an id as its own; who runs it otherwise stands beside.
        runs = {} if item["execution"] == _runner(item.get("call_id")) else {"execution": item["execution"]}
        given = {"arguments": item["arguments"], "call_id": item.get("call_id")}
        told = _told(item, "id", "call_id", "arguments", "execution", itemId=link, **runs)
        return [_call(search, _SEARCH, given, told)]
    if kind == "tool_search_output" and "execution" in item:
        runs = {} if item["execution"] == "server" else {"execution": item["execution"]}
        told = _told(item, "id", "call_id", "tools", "execution", itemId=link, **runs)
        return [_result(search, _SEARCH, {"tools": item["tools"]}, told)]
    name, given, value, told = _openai_hosted(item)
    return [_call(link, name, given, {}), _result(link, name, value, told)]


def _openai_text(item: Native, part: Native) -> Native:
    told = {"itemId": item.get("id"), "phase": item.get("phase"), "annotations": part.get("annotations") or None}
    if part["type"] == "refusal":
        options = _told({**part, **item}, "id", "content", "role", "phase", "refusal", **told, type="refusal")
        return {"type": "text", "text": part["refusal"], **options}
    options = _told({**part, **item}, "id", "content", "role", "phase", "text", "annotations", **told)
    return {"type": "text", "text": part["text"], **options}


def _parsed(text: str) -> Any:
    is_valid, value, _ = speed.parse_arguments(text)
    if not is_valid:
        raise Unreadable
    return value


def _openai_hosted(item: Native) -> tuple[str, Any, Any, Native]:
    """Return the tool that an item ran, its input, its result, and the result's options."""
    kind = item["type"]
    if kind == "web_search_call":
        action = {**item.get("action", {})}
        sources = {"sources": action.pop("sources")} if "sources" in action else {}
        if action:
            action["type"] = _ACTIONS.get(action["type"], action["type"])
        return "web_search", {}, {**({"action": action} if action else {}), **sources}, _told(item, "id", "action")
    if kind == "file_search_call":
        results = _renamed(item.get("results"), _FILE)
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
    return f"mcp.{name}", _parsed(text or "{}"), value, _told(item, *own, itemId=item["id"])


def _openai_back(parts: list[Native], _: Sequence[Any]) -> list[Native]:
    found: list[Native] = []
    calls: dict[Any, Native] = {}
    for part in parts:
        options = _options(part, _OPENAI)
        kind, link, name = part["type"], options.pop("itemId", None), part.get("toolName")
        last = found[-1] if found and link is not None and found[-1].get("id") == link else {}
        is_run = kind == "tool-call" and part.get("providerExecuted")
        if is_run:
            calls[part["toolCallId"]] = part
        if is_run and name != _SEARCH:
            if options:
                raise Unreadable
        elif kind == "text" and last.get("type") == "message":
            last["content"] += _openai_item(part, link, options)["content"]
        elif kind == "reasoning" and last.get("type") == "reasoning":
            last["summary"].append({"type": "summary_text", "text": part["text"]})
        elif kind == "tool-result":
            found.append(_openai_result(part, link, options, calls))
        else:
            found.append(_openai_item(part, link, options))
    if any(part["toolName"] != _SEARCH for part in calls.values()):
        raise Unreadable  # a call without its result isn't sent
    if not all(key.islower() for item in found for key in item):
        raise Unreadable  # these are no keys of items
    return found


def _openai_item(part: Native, link: Any, options: Native) -> Native:
    """Return the item of a part that isn't a result."""
    kind, text = part["type"], part.get("text")
    own = {"id": link, "status": options.pop("status", _DONE)} if link is not None else {}
    if kind == "text":
        is_refusal = options.pop("type", None) == "refusal"
        said = {"type": "refusal", "refusal": text} if is_refusal else {"type": "output_text", "text": text}
        said |= {} if is_refusal else {"annotations": options.pop("annotations", [])}
        said |= {key: options.pop(key) for key in ("logprobs",) if key in options}
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
    if name == _SEARCH and part.get("providerExecuted"):
        call_id = given["call_id"]
        call = {"type": "tool_search_call", "execution": _runner(call_id), "call_id": call_id, "status": _DONE}
        return {**call, **own, "arguments": given["arguments"], **options}
    call = {"call_id": part["toolCallId"], "name": name, **own, **options}
    if type(given) is str:
        return {"type": "custom_tool_call", **call, "input": given}
    return {"type": "function_call", **call, "arguments": dump_json(given).decode()}


def _openai_result(part: Native, link: Any, options: Native, calls: dict[Any, Native]) -> Native:
    """Return the item of a result; its call is taken."""
    name, value, call_id = part["toolName"], _value_of(part), part["toolCallId"]
    call = calls.pop(call_id, None)
    if name == _SEARCH:
        # An id of its own is that of the call, or of the item.
        is_own = link != call_id if call is None else call["input"]["call_id"] is not None
        found = {"type": "tool_search_output", "execution": "server", "call_id": call_id if is_own else None}
        return {**found, "status": _DONE, **({} if link is None else {"id": link}), "tools": value["tools"], **options}
    if call is None:
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
        results = _renamed(value["results"], _inverse(_FILE))
        return {"type": "file_search_call", **own, "queries": value["queries"], "results": results}
    if name == "code_interpreter":
        run = {"code": given["code"], "container_id": given["containerId"]}
        return {"type": "code_interpreter_call", **own, **run, **value}
    if name == "image_generation":
        return {"type": "image_generation_call", **own, **value}
    if name.startswith("mcp.") and is_mapping(value) and "serverLabel" in value:
        said = {("server_label" if key == "serverLabel" else key): value[key] for key in value if key != "type"}
        return {"type": "mcp_call", **said, **own}
    raise Unreadable


# -- Google -----------------------------------------------------------------------------------------------------------

_GOOGLE, _SIGNED, _SERVER = "google", "thoughtSignature", "server:"


def _google_own(block: Any) -> bool:
    return _is_server(block, _GOOGLE)


def _google_into(items: list[Native], run: Sequence[Any], _: Sequence[Any]) -> list[Native]:
    found: list[Native] = []
    made = ""
    for item, block in zip(items, run, strict=True):
        is_call = type(block) is am.ToolUseBlock
        if is_call or not made:
            made = _made_link("code_", [len(found), item])
        link = block.id if is_call else block.tool_call_id
        found.append(_google_part(item, made if link is None else str.__str__(link)))
    return found


def _google_part(item: Native, link: str) -> Native:
    signed = {_SIGNED: item.pop(_SIGNED)} if _SIGNED in item else {}
    ((kind, own),) = item.items()
    if kind in ("executableCode", "codeExecutionResult"):
        own = {key: value for key, value in own.items() if key != "id" or value != link}
    if kind == "executableCode":
        return _call(link, _CODE, own, _with(_GOOGLE, signed))
    if kind == "codeExecutionResult":
        return _result(link, _CODE, {**own, "output": own.get("output", "")}, _with(_GOOGLE, signed))
    tool = own["toolType"]
    told = _with(_GOOGLE, {**signed, "serverToolCallId": own.get("id", link), "serverToolType": tool})
    if not own.keys() <= {"id", "toolType", "args", "response"}:
        raise Unreadable
    if kind == "toolCall":
        return _call(link, _SERVER + tool, own.get("args", {}), told)
    return _result(link, _SERVER + tool, own.get("response", {}), told)


def _google_back(parts: list[Native], _: Sequence[Any]) -> list[Native]:
    return list(map(_google_item, parts))


def _google_item(part: Native) -> Native:
    options = _options(part, _GOOGLE)
    signed = {_SIGNED: options.pop(_SIGNED)} if _SIGNED in options else {}
    name, is_call = part["toolName"], part["type"] == "tool-call"
    value = part["input"] if is_call else _value_of(part)
    if name == _CODE and not options:
        return {("executableCode" if is_call else "codeExecutionResult"): value, **signed}
    known = _only(options, {"serverToolCallId": "id", "serverToolType": "toolType"})
    if is_call:
        return {"toolCall": {**known, **({"args": value} if value else {})}, **signed}
    return {"toolResponse": {**known, **({"response": value} if value else {})}, **signed}


def _google_linked(blocks: Sequence[Any], parts: list[Native]) -> list[Any]:
    """Return blocks of Google's parts, which have no ids, with those that the SDK made."""
    return [
        _with_link(block, am.Made(part["toolCallId"])) if part["toolName"] == _CODE else block
        for block, part in zip(blocks, parts, strict=True)
    ]


def _with_link(block: Any, link: Any) -> Any:
    return block.evolve(id=link) if type(block) is am.ToolUseBlock else block.evolve(tool_call_id=link)


# -- what people and tools say ----------------------------------------------------------------------------------------

# Extras of media, by namespace and key, and the options that they are.
_OF_MEDIA = (
    (_ANTHROPIC, "citations", _ANTHROPIC, "citations"),
    ("anthropic.kind", "type", _ANTHROPIC, "containerUpload"),
    ("gemini", "videoMetadata", _GOOGLE, "videoMetadata"),
)
# Values that are other words there.
_AS_OPTION = {"container_upload": True}
_REFERENCE = "tool-reference"


def media_into(block: Any) -> Any:
    """Return media whose extras are options, where the client has some for them."""
    extras, options = _copies(block.extras), _copies(block.extras.get(OPTIONS, {}))
    for space, key, provider, name in _OF_MEDIA:
        if key in extras.get(space, {}):
            value = _move(extras, space, key)
            options.setdefault(provider, {})[name] = _AS_OPTION.get(value, value) if type(value) is str else value
    return block.evolve(extras={**extras, **({OPTIONS: options} if options else {})})


def media_back(block: Any) -> Any:
    """Return media whose options are extras of a provider."""
    extras, options = _copies(block.extras), _copies(block.extras.get(OPTIONS, {}))
    for space, key, provider, name in _OF_MEDIA:
        if name in options.get(provider, {}):
            value = _move(options, provider, name)
            extras.setdefault(space, {})[key] = next((w for w, v in _AS_OPTION.items() if v is value), value)
    extras.pop(OPTIONS, None)
    return block.evolve(extras={**extras, **({OPTIONS: options} if options else {})})


def _copies(value: Any) -> Native:
    """Return an object of objects that may be changed down to their keys."""
    return {key: {**own} if is_mapping(own) else own for key, own in value.items()}


def _move(owner: Native, space: str, key: str) -> Any:
    value = owner[space].pop(key)
    if not owner[space]:
        del owner[space]
    return value


def reference_into(block: Any) -> Any:
    """Return the tool that a search names as the client keeps it; any other block as it is."""
    value = thaw(block.value) if type(block) is am.NativeBlock and block.codec == _ANTHROPIC else None
    if not is_mapping(value) or value.get("type") != "tool_reference" or value.keys() != {"type", "tool_name"}:
        return block
    told = _with(_ANTHROPIC, {"type": _REFERENCE, "toolName": value["tool_name"]})
    part = {"type": "custom", **told}
    kept = part if [*value][0] == "type" else dict(reversed(part.items()))
    return block.evolve(codec=FAMILY, value=kept, fallback=None)


def reference_back(block: Any) -> Any:
    """Return the reverse of ``reference_into``."""
    value = thaw(block.value) if type(block) is am.NativeBlock and block.codec == FAMILY else None
    own = value.get(_KEY) if is_mapping(value) and value.get("type") == "custom" else None
    told = own.get(_ANTHROPIC) if is_mapping(own) and own.keys() == {_ANTHROPIC} else None
    if not is_mapping(told) or told.keys() != {"type", "toolName"} or told["type"] != _REFERENCE:
        return block
    named = {"type": "tool_reference", "tool_name": told["toolName"]}
    kept = named if [*value][0] == "type" else dict(reversed(named.items()))
    return block.evolve(codec=_ANTHROPIC, value=kept, fallback=told["toolName"])


def key_of_call(call: am.ToolUseBlock) -> str | None:
    """Return whose client makes calls of this shape, where nothing else needs to tell."""
    given: Any = call.input
    if call.kind != "server" or call.name not in (_CODE, _SEARCH) or not is_mapping(given):
        return None
    if call.name == _SEARCH:
        return _OPENAI if given.keys() == {"arguments", "call_id"} else None
    return _GOOGLE if {"language", "code"} <= given.keys() else None


# -- all --------------------------------------------------------------------------------------------------------------

ISSUERS = (
    Issuer("anthropic", "anthropic", None, _ANTHROPIC, _anthropic_own, _anthropic_kept, _anthropic_into,
           _anthropic_back, _unlinked),
    Issuer("openai-responses", "openai", "responses", _OPENAI, _openai_own, _openai_kept, _openai_into, _openai_back,
           _unlinked),
    Issuer("gemini", "google", None, _GOOGLE, _google_own, _google_own, _google_into, _google_back, _google_linked),
)  # fmt: skip
