"""Anthropic's answers, as @ai-sdk/anthropic 4.0.105 keeps them.

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
| fallback | custom, kind "anthropic.fallback"; type, from, to |
| keys that the client doesn't know | options of the same names |
| a result's keys that the client demands | null, and beside them "_KEY", where Anthropic had none |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Native, Unreadable, is_list, is_mapping
from agentmsg_codecs.vercel.issuers.parts import (
    Issuer,
    call_part,
    has_options,
    inverse,
    is_server,
    options_of,
    renamed,
    renamed_keys,
    result_part,
    value_of,
    with_options,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

_ANTHROPIC = "anthropic"
_CAMEL = {
    "page_age": "pageAge", "encrypted_content": "encryptedContent", "retrieved_at": "retrievedAt",
    "media_type": "mediaType", "error_code": "errorCode", "tool_name": "toolName", "stop_reason": "stopReason",
}  # fmt: skip
_SNAKE = inverse(_CAMEL)
# The keys beside a part's own, and the options that they are.
_BESIDE = {"cache_control": "cacheControl"}
_OF_ANTHROPIC = inverse(_BESIDE)
_CALLER, _MCP, _TOOL_RESULT = {"tool_id": "toolId"}, "mcp-tool-use", "_tool_result"
# Code is run by tools of several names, which are one here; the kind of a call's input tells which.
_FALLBACK = "fallback"
_CODE, _PROGRAM, _EXECUTIONS = "code_execution", "programmatic-tool-call", ("bash_", "text_editor_", "")


def _own(block: Any) -> bool:
    if type(block) is am.CompactionBlock:
        return block.text is not None
    if type(block) is am.NativeBlock:
        return block.codec == _ANTHROPIC and _says(block, "type", _FALLBACK)
    is_said = type(block) is am.TextBlock and block.citations
    return bool(is_said) or _ANTHROPIC in block.extras or is_server(block, _ANTHROPIC)


def _kept(block: Any) -> bool:
    if type(block) is am.NativeBlock:
        return _says(block, "kind", f"{_ANTHROPIC}.{_FALLBACK}")
    return is_server(block, _ANTHROPIC) or has_options(block, _ANTHROPIC)


def _says(block: am.NativeBlock, key: str, word: str) -> bool:
    return is_mapping(block.value) and block.value.get(key) == word


def _beside(item: Native, *own: str, **more: Any) -> Native:
    """Return the options for the keys of a part that aren't its own; the client passes over those it doesn't know."""
    options = renamed_keys({key: value for key, value in item.items() if key not in own and key != "type"}, _BESIDE)
    if "caller" in options:
        options["caller"] = renamed(options["caller"], _CALLER)
    return with_options(_ANTHROPIC, {**more, **options})


def _part(item: Native, calls: Mapping[Any, Any]) -> Native:
    kind: Any = item.get("type")
    if kind == "text":
        return {"type": "text", "text": item["text"], **_beside(item, "text")}
    if kind == "compaction" and item.get("content"):
        return {"type": "text", "text": item["content"], **_beside(item, "content", type="compaction")}
    if kind == _FALLBACK:
        return {"type": "custom", "kind": f"{_ANTHROPIC}.{kind}", **_beside(item, type=kind)}
    if kind == "tool_use":
        return call_part(item["id"], item["name"], item["input"], _beside(item, "id", "name", "input"), is_run=False)
    if kind == "server_tool_use":
        name, given = item["name"], item["input"]
        if name != _CODE and name.endswith(_CODE):
            name, given = _CODE, {"type": name, **given}
        elif name == _CODE and "code" in given:
            given = {"type": _PROGRAM, **given}
        return call_part(item["id"], name, given, _beside(item, "id", "name", "input"))
    if kind == "mcp_tool_use":
        told = _beside(item, "id", "name", "input", "server_name", type=_MCP, serverName=item["server_name"])
        return call_part(item["id"], item["name"], item["input"], told)
    if type(kind) is str and kind.endswith(_TOOL_RESULT):
        return _result(item, kind[: -len(_TOOL_RESULT)], calls.get(item["tool_use_id"]))
    raise Unreadable


def _result(item: Native, tool: str, call: Any) -> Native:
    link: Any = item["tool_use_id"]
    value: Any = item["content"]
    own = ("tool_use_id", "content", "is_error")
    if tool == "mcp":
        if call is None:
            raise Unreadable  # nothing tells its tool
        server = call.server
        told = _beside(item, *own, type=_MCP, serverName=server)
        return result_part(link, call.name, value, told, has_failed=bool(item.get("is_error")))
    has_failed = is_mapping(value) and str(value.get("type")).endswith("_error")
    told = _beside(item, *own)
    if tool.endswith(_CODE):
        is_plain = tool == _CODE and has_failed
        return result_part(link, _CODE, renamed(value, _CAMEL) if is_plain else value, told, has_failed=is_plain)
    if tool == "tool_search":
        tool = "tool_search_tool_regex" if call is None else call.name
        value = value if has_failed else _references(value)
    value = renamed(value, _CAMEL)
    if tool == "web_search" and not has_failed:
        value = [_with_null(result, "pageAge") for result in value]
    if tool == "web_fetch" and not has_failed:
        value = _complete(value)
    return result_part(link, tool, value, told, has_failed=has_failed)


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


def _item(part: Native) -> Native:
    kind, options = part["type"], options_of(part, _ANTHROPIC)
    tag, server = options.pop("type", None), options.pop("serverName", None)
    beside = renamed_keys(options, _OF_ANTHROPIC)
    if not all(key.islower() for key in beside):
        raise Unreadable  # these are no keys of Anthropic's
    if "caller" in beside:
        beside["caller"] = renamed(beside["caller"], inverse(_CALLER))
    if kind == "text":
        if tag == "compaction":
            return {"type": "compaction", "content": part["text"], **beside}
        return {"type": "text", "text": part["text"], **beside}
    if kind == "custom" and tag == _FALLBACK:
        return {"type": tag, **beside}
    link, name = part.get("toolCallId"), part.get("toolName")
    if kind == "tool-call":
        given = part["input"]
        call: Native = {"id": link, "name": name, "input": given}
        if tag == _MCP:
            return {"type": "mcp_tool_use", **call, "server_name": server, **beside}
        call |= beside
        if not part.get("providerExecuted"):
            return {"type": "tool_use", **call}
        if name == _CODE and is_mapping(given) and "type" in given:
            real = given["type"]
            call["name"] = _CODE if real == _PROGRAM else real
            call["input"] = {key: value for key, value in given.items() if key != "type"}
        return {"type": "server_tool_use", **call}
    if kind == "tool-result":
        told, value = _content(part, is_mcp=tag == _MCP)
        failed = {"is_error": part["output"]["type"] == "error-json"} if tag == _MCP else {}
        return {"type": told + _TOOL_RESULT, "tool_use_id": link, **failed, "content": value, **beside}
    raise Unreadable


def _content(part: Native, *, is_mcp: bool) -> tuple[str, Any]:
    """Return which tool's result a part is, and its content."""
    name, value = part["toolName"], value_of(part)
    if is_mcp:
        return "mcp", value
    if name == _CODE and is_mapping(value):
        tag = str(value.get("type"))
        is_plain = tag == "code_execution_tool_result_error"
        start = next(start for start in _EXECUTIONS if tag.startswith(start))
        return start + _CODE, renamed(value, _SNAKE) if is_plain else value
    if name.startswith("tool_search_tool"):
        return "tool_search", renamed(_search(value) if is_list(value) else value, _SNAKE)
    if name == "web_search" and is_list(value):
        value = list(map(_restored, value))
    if name == "web_fetch" and is_mapping(value):
        value = _restored(value)
    return name, renamed(value, _SNAKE)


ANTHROPIC = Issuer(
    _ANTHROPIC, _ANTHROPIC, None, _own, _kept,
    into=lambda items, _, calls: [_part(item, calls) for item in items], back=lambda parts: list(map(_item, parts)),
)  # fmt: skip
