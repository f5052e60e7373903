"""OpenAI Responses: what ``OpenAIResponsesModel`` of pydantic-ai 2.68 (openai 3.57) keeps of an answer.

All parts have the provider; those of the library's own tools are a call and a return with the item's id.

| item of Responses | part |
| --- | --- |
| message: a text | text: id; in provider_details citations, logprobs, phase |
| reasoning: each summary | thinking: id; on the first, encrypted_content (signature), content (details.raw_content) |
| function_call | tool-call: tool_call_id is call_id; id; provider_details.namespace |
| web_search_call, file_search_call | id, too; args: the action, queries; content: status, sources or results |
| code_interpreter_call | code_execution: container_id, code; status, logs |
| image_generation_call without an image | image_generation: status, size, quality ... |
| mcp_call; mcp_list_tools | mcp_server:LABEL: action, tool_name, tool_args; output, error; tools, error |
| tool_search_call; tool_search_output | tool_search; provider_details: call_id, execution, status; id of the output |
| compaction | compaction: provider_details is the item |

What the client keeps nothing of stands in provider_details: rest, of a text more. The client takes no notice of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg.formats import Native, Unreadable, dump_json, is_object, parse_json
from agentmsg_codecs.pydantic_ai.issuers.base import (
    CALL,
    RETURN,
    SEARCH,
    Blocks,
    Kit,
    Table,
    args_of,
    chosen,
    details_of,
    joined,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_MCP = "mcp_server:"
_REST, _ORDER, _MORE = "rest", "order", "more"
_BY_CLIENT = "search_tools"
_CITED = ("url_citation", "file_citation")
_OF_IMAGE = ("background", "quality", "size", "revised_prompt")
_OF_SEARCH = ("call_id", "execution", "status")
_DONE = "completed"


class Responses(Table):
    """Items of Responses: one is a text or several, or a call with its result."""

    codec: ClassVar[str] = "openai-responses"

    def is_special(self, block: Any) -> bool:
        """Whether the client keeps a block in another way; a call of a function has a namespace, or an id."""
        return super().is_special(block) or (type(block) is am.ToolUseBlock and bool(block.extras or block.namespace))

    def units(self, blocks: Sequence[Any]) -> list[list[Any]]:
        """Return the blocks of each item."""
        return joined(blocks)

    def into(self, blocks: Sequence[Any], kit: Kit) -> list[Native]:
        """Return the parts of items."""
        if _is_asked(blocks[0], kit.message):
            raise Unreadable  # the client makes nothing of a request for approval
        make = _into_whole if type(blocks[0]) is am.NativeBlock else _into
        found = [part for item in kit.parts(blocks) for part in make(item, kit)]
        if not found:
            raise Unreadable
        return found

    def back(self, natives: Sequence[Native], kit: Kit) -> Blocks:
        """Return the blocks of an item's parts."""
        return kit.blocks([_back(natives)])


def _is_asked(block: Any, message: am.Msg) -> bool:
    """Whether a call waits for the approval that the same message asks for."""
    asked = {each.tool_call_id for each in message.content if type(each) is am.ApprovalRequestBlock}
    return type(block) is am.ToolUseBlock and block.id in asked


def _into(item: Native, kit: Kit) -> list[Native]:
    """Return the parts of an item; the first holds what the others don't tell."""
    parts = _INTO[item.get("type", "message")](item, kit)
    again = _back(parts) if parts else {}
    rest = {key: value for key, value in item.items() if _differs(value, again.get(key))}
    if not rest:
        return parts
    order = _said_keys(item)
    return _with_rest(parts, rest, order if order != _said_keys({**again, **rest}) else None)


def _said_keys(item: Native) -> list[str]:
    return [key for key, value in item.items() if value is not None]


def _into_whole(item: Native, kit: Kit) -> list[Native]:
    """Return the parts of an item for which the model has no block: it has its own order of keys, too."""
    parts = _INTO[str(item["type"])](item, kit)
    return _with_rest(parts, item) if _differs(_back(parts), item) else parts


def _with_rest(parts: list[Native], rest: Native, order: list[str] | None = None) -> list[Native]:
    """Return parts of which the first has what they don't tell, and in which order: extras have one."""
    if parts:
        told = {_REST: rest, **({_ORDER: order} if order else {})}
        parts[0]["provider_details"] = {**details_of(parts[0]), **told}
    return parts


def _differs(value: Any, other: Any) -> bool:
    return value is not other and dump_json(value) != dump_json(other)


def _back(natives: Sequence[Native]) -> Native:
    first, last, rest = natives[0], natives[-1], details_of(natives[0]).get(_REST, {})
    if "type" in rest:
        return rest  # type: ignore[no-any-return]
    kind, name = first["part_kind"], str(first.get("tool_name"))
    if kind in (CALL, RETURN):
        found = _TOOLS_BACK["mcp_server" if name.startswith(_MCP) else name](first, last)
    else:
        found = _BACK[kind](natives)
    order = details_of(first).get(_ORDER)
    found = {**found, **rest}
    if order is None:
        return found
    return {key: found[key] for key in (*order, *found) if key in found and (key in order or found[key] is None)}


# -- texts and reasoning ----------------------------------------------------------------------------------------------


def _message(item: Native, kit: Kit) -> list[Native]:
    content: Any = item["content"]
    texts = [{"text": content}] if isinstance(content, str) else content
    if not all(each.get("text") for each in texts):
        raise Unreadable  # an empty text makes no part, nor does a refusal
    return [_said(each, item, kit) for each in texts]


def _said(text: Native, item: Native, kit: Kit) -> Native:
    cited = [each for each in text.get("annotations") or () if each["type"] in _CITED]
    shown = [each for each in (_citation(each, text["text"]) for each in cited) if each is not None]
    details = {**({"citations": cited} if shown else {}), **chosen(text, "logprobs"), **chosen(item, "phase")}
    part = kit.part("text", details, content=text["text"], id=item.get("id"), citations=shown or None)
    again = _text_back(part)
    keys = {**again, **text}  # null stands for a key that the text lacks
    if more := {key: text.get(key) for key in keys if _differs(text.get(key), again.get(key))}:
        part["provider_details"] = {**details, _MORE: more}  # the text itself stands once, so that an edit wins
    return part


def _citation(cited: Native, text: str) -> Native | None:
    if cited["type"] == "file_citation":
        source: Native = {"document_id": cited.get("file_id"), "title": cited.get("filename"), "excerpts": []}
        named = source["document_id"] or source["title"]
        return {"sources": [{**source, "kind": "document"}], "anchor": None} if named else None
    start, end = cited["start_index"], cited["end_index"]
    anchor = {"start": start, "end": end, "kind": "marker"} if 0 <= start < end <= len(text) else None
    return {"sources": [{**chosen(cited, "url", "title"), "excerpts": [], "kind": "web"}], "anchor": anchor}


def _text_back(native: Native) -> Native:
    details = details_of(native)
    said = {"type": "output_text", "text": native["content"], "annotations": details.get("citations", [])}
    found = {**said, **chosen(details, "logprobs"), **details.get(_MORE, {})}
    return {key: value for key, value in found.items() if value is not None}


def _message_back(natives: Sequence[Native]) -> Native:
    first = natives[0]
    own = {"id": first["id"], "status": _DONE} if first.get("id") else {}
    said = {**own, "content": list(map(_text_back, natives)), **chosen(details_of(first), "phase")}
    return {"type": "message", "role": "assistant", **said}


def _reasoning(item: Native, kit: Kit) -> list[Native]:
    raw = [each["text"] for each in item.get("content") or ()]
    details, sealed = {"raw_content": raw} if raw else None, item.get("encrypted_content")
    texts = [each["text"] for each in item.get("summary") or ()] or ([""] if raw or sealed else [])
    first = [{"details": details, "signature": sealed}] + [{}] * len(texts)
    return [
        kit.part("thinking", content=text, id=item.get("id"), **more) for text, more in zip(texts, first, strict=False)
    ]


def _reasoning_back(natives: Sequence[Native]) -> Native:
    first = natives[0]
    summary = [{"type": "summary_text", "text": each["content"]} for each in natives if each["content"]]
    raw = details_of(first).get("raw_content")
    content = {"content": [{"type": "reasoning_text", "text": each} for each in raw]} if raw else {}
    sealed = {"encrypted_content": first["signature"]} if first.get("signature") else {}
    return {"type": "reasoning", **chosen(first, "id"), "summary": summary, **sealed, **content}


# -- calls ------------------------------------------------------------------------------------------------------------


def _function(item: Native, kit: Kit) -> list[Native]:
    said = {"tool_name": item["name"], "args": item["arguments"], "tool_call_id": item["call_id"]}
    return [kit.part("tool-call", chosen(item, "namespace"), **said, id=item.get("id"))]


def _function_back(natives: Sequence[Native]) -> Native:
    first = natives[0]
    if first["tool_name"] == _BY_CLIENT and first.get("tool_kind") == SEARCH["tool_kind"]:
        told = {"execution": "client", "call_id": first["tool_call_id"], "status": _DONE}
        return {"type": "tool_search_call", "id": first.get("id"), **told, "arguments": args_of(first)}
    args = first.get("args")
    text = args if type(args) is str else dump_json(args or {}).decode()
    called = {"name": first["tool_name"], "arguments": text, "call_id": first["tool_call_id"]}
    own = {"id": first["id"], "status": _DONE} if first.get("id") else {}
    return {"type": "function_call", **called, **own, **chosen(details_of(first), "namespace")}


def _pair(kit: Kit, item: Native, name: str, args: Native | None, content: Native, **more: Any) -> list[Native]:
    link = item["id"]
    return [
        kit.part(CALL, tool_name=name, args=args, tool_call_id=link, **more),
        kit.part(RETURN, tool_name=name, content=content, tool_call_id=link),
    ]


def _status(item: Native) -> Native:
    return {"status": item.get("status")}


def _web(item: Native, kit: Kit) -> list[Native]:
    given: Native = item.get("action") or {}
    action = {key: value for key, value in given.items() if value is not None}
    sources = action.pop("sources", None)
    content: Native = {**_status(item), **({"sources": sources} if sources else {})}
    return _pair(kit, item, "web_search", action or None, content, id=item["id"])


def _told(first: Native, last: Native) -> Native:
    """Return the content of the return behind a call; nothing if there is none."""
    found: Any = last.get("content") if last is not first else None
    return found if is_object(found) else {}


def _served(tag: str, first: Native, last: Native, **said: Any) -> Native:
    status = _told(first, last).get("status", _DONE)
    own = {"id": first.get("id") or first["tool_call_id"], **({"status": status} if status else {})}
    return {"type": tag, **own, **said}


def _web_back(first: Native, last: Native) -> Native:
    action = {**args_of(first), **chosen(_told(first, last), "sources")}
    return _served("web_search_call", first, last, **({"action": action} if action else {}))


def _files(item: Native, kit: Kit) -> list[Native]:
    content = {**_status(item), **chosen(item, "results")}
    return _pair(kit, item, "file_search", {"queries": item["queries"]}, content, id=item["id"])


def _code(item: Native, kit: Kit) -> list[Native]:
    logs = [each["logs"] for each in item.get("outputs") or () if each["type"] == "logs"]
    args = {"container_id": item["container_id"], "code": item.get("code") or ""}
    return _pair(kit, item, "code_execution", args, {**_status(item), **({"logs": logs} if logs else {})})


def _code_back(first: Native, last: Native) -> Native:
    logs: Any = _told(first, last).get("logs")
    outputs = [{"type": "logs", "logs": each} for each in logs] if logs else None
    return _served("code_interpreter_call", first, last, **args_of(first), outputs=outputs)


def _image(item: Native, kit: Kit) -> list[Native]:
    if item.get("result"):
        raise Unreadable  # the library adds to the file between call and return: it stays as it is
    return _pair(kit, item, "image_generation", None, {**_status(item), **chosen(item, *_OF_IMAGE)})


def _mcp(item: Native, kit: Kit) -> list[Native]:
    said: Any = parse_json(item["arguments"]) if item.get("arguments") else {}
    args = {"action": "call_tool", "tool_name": item["name"], "tool_args": said}
    told = {key: item.get(key) for key in ("output", "error")}
    return _pair(kit, item, f"{_MCP}{item['server_label']}", args, told)


def _mcp_tools(item: Native, kit: Kit) -> list[Native]:
    told = {key: item.get(key) for key in ("tools", "error")}
    return _pair(kit, item, f"{_MCP}{item['server_label']}", {"action": "list_tools"}, told)


def _mcp_back(first: Native, last: Native) -> Native:
    args, own = args_of(first), {"id": first["tool_call_id"]}
    own["server_label"] = first["tool_name"].removeprefix(_MCP)
    told = _told(first, last)
    if args["action"] == "list_tools":
        return {"type": "mcp_list_tools", **own, **told}
    arguments = dump_json(args["tool_args"]).decode()
    return {"type": "mcp_call", **own, "name": args["tool_name"], "arguments": arguments, **told}


def _search(item: Native, kit: Kit) -> list[Native]:
    given = item.get("arguments")
    said: Any = parse_json(given) if type(given) is str else given or {}
    queries: Any = said.get("queries") or said.get("paths") or []
    link = item.get("call_id") or item["id"]
    if item.get("execution") == "client":
        said = {**SEARCH, "tool_name": _BY_CLIENT}
        return [kit.part("tool-call", **said, args={"queries": queries}, tool_call_id=link, id=item.get("id"))]
    kit.memory.setdefault("searches", []).append(link)
    details = {key: item.get(key) for key in _OF_SEARCH}
    return [kit.part(CALL, details, **SEARCH, args={"queries": queries}, tool_call_id=link, id=item.get("id"))]


def _found(item: Native, kit: Kit) -> list[Native]:
    """Return the part of an output; one without the id of its call belongs to the oldest that has none yet."""
    waiting = kit.memory.get("searches")
    link = item.get("call_id") or (waiting.pop(0) if waiting else item["id"])
    names = [{"name": each["name"]} for each in item["tools"] if each["type"] == "function"]
    details = {"id": item.get("id"), **{key: item.get(key) for key in _OF_SEARCH}}
    return [kit.part(RETURN, details, **SEARCH, tool_call_id=link, content={"discovered_tools": names})]


def _search_back(first: Native, _: Native) -> Native:
    details = details_of(first)
    told = {key: details.get(key) for key in _OF_SEARCH}
    if first["part_kind"] == CALL:
        return {"type": "tool_search_call", "id": first.get("id"), **told, "arguments": args_of(first)}
    tools = [{"type": "function", **chosen(each, "name")} for each in first["content"]["discovered_tools"]]
    return {"type": "tool_search_output", "id": details.get("id"), **told, "tools": tools}


_INTO: dict[str, Callable[[Native, Kit], list[Native]]] = {
    "message": _message, "reasoning": _reasoning, "function_call": _function,
    "compaction": lambda item, kit: [kit.part("compaction", item, id=item.get("id"))],
    "web_search_call": _web, "file_search_call": _files, "code_interpreter_call": _code,
    "image_generation_call": _image, "mcp_call": _mcp, "mcp_list_tools": _mcp_tools, "tool_search_call": _search,
    "tool_search_output": _found,
}  # fmt: skip
_BACK: dict[str, Callable[[Sequence[Native]], Native]] = {
    "text": _message_back, "thinking": _reasoning_back, "tool-call": _function_back,
    "compaction": lambda natives: {
        key: value for key, value in details_of(natives[0]).items() if key not in (_REST, _ORDER)
    },
}  # fmt: skip
_TOOLS_BACK: dict[str, Callable[[Native, Native], Native]] = {
    "web_search": _web_back, "code_execution": _code_back, "mcp_server": _mcp_back, "tool_search": _search_back,
    "file_search": lambda first, last: _served(
        "file_search_call", first, last, **args_of(first), **chosen(_told(first, last), "results")),
    "image_generation": lambda first, last: _served(
        "image_generation_call", first, last, **chosen(_told(first, last), *_OF_IMAGE)),
}  # fmt: skip
