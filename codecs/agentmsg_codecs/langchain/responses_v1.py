"""Answers of OpenAI Responses as v1 content: the parts that LangChain makes of its own, and back.

Only messages that say so (``output_version`` "v1") hold such parts. Follows langchain-core 1.8 (which makes v1) and
langchain-openai 1.7 (which makes items of it).

| part of Responses | v1 |
| --- | --- |
| reasoning | a ``reasoning`` for each summary; other keys on the first, or in ``extras`` if there is no summary |
| function_call | ``tool_call``; its other keys in ``extras`` |
| a call of OpenAI's tools | ``server_tool_call`` and ``server_tool_result``, which share its keys |
| annotations of a text | ``citation``, or ``non_standard_annotation`` |
| a refusal's phase | in ``extras`` |
| any other | ``non_standard`` |
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from agentmsg.formats import Native, Unreadable, dump_json, is_object, speed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_STATUS: Mapping[Any, str] = {"completed": "success", "failed": "error"}
_STATUS_OF = {ours: word for word, ours in _STATUS.items()}
_ALIKE = ("status", "namespace", "async")


def _rest(part: Native, *keys: str) -> Native:
    return {key: value for key, value in part.items() if key not in keys}


def _given(**fields: Any) -> Native:
    return {key: value for key, value in fields.items() if value is not None}


# -- calls of OpenAI's tools ------------------------------------------------------------------------------------------


class _Tool(speed.Record):
    """How v1 divides a call of one tool.

    Attributes:
        name: in v1.
        args: the arguments, of an item; None if it has none.
        unargs: the keys of the item, of arguments.
        output: the key of the output.
        keys: all keys of the item that these say.
        is_flat: whether other keys stand in the call itself, rather than in its ``extras``.
        has_error: whether the result's status is by the item's error, rather than its own status.
    """

    name: str
    args: Callable[[Native], Any]
    unargs: Callable[[Any], Native]
    output: str
    keys: tuple[str, ...] = ()
    is_flat: bool = False
    has_error: bool = False


def _arguments(item: Native) -> Any:
    try:
        return json.loads(item["arguments"])
    except ValueError:
        raise Unreadable from None


_TOOLS: Mapping[str, _Tool] = {
    "web_search_call": _Tool("web_search", lambda item: _rest(item.get("action", {}), "sources"),
                             lambda args: {"action": args} if args else {}, "sources", ("action",), is_flat=True),
    "file_search_call": _Tool("file_search", lambda item: {"queries": item.get("queries", [])},
                              lambda args: {"queries": args["queries"]}, "results", ("queries",), is_flat=True),
    "code_interpreter_call": _Tool("code_interpreter", lambda item: _given(code=item.get("code")) or None,
                                   lambda args: _given(code=args["code"] if args else None), "outputs", ("code",)),
    "mcp_call": _Tool("remote_mcp", _arguments, lambda args: {"arguments": dump_json(args).decode()}, "output",
                      ("arguments",), has_error=True),
    "mcp_list_tools": _Tool("mcp_list_tools", lambda item: {}, lambda args: {}, "tools", has_error=True),
}  # fmt: skip
_TAG_OF = {tool.name: tag for tag, tool in _TOOLS.items()}
# The one key of an item that v1 calls otherwise.
_TOOL_NAME = {"name": "tool_name"}
_NAME_OF = {"tool_name": "name"}


def _divided(item: Native) -> list[Native]:
    tool, link = _TOOLS[item["type"]], item["id"]
    sources = item.get("action", {}).get("sources") if tool.output == "sources" else None
    output = {"sources": sources} if sources else item.get(tool.output)
    taken = ("type", "id", "error" if tool.has_error else "status", tool.output, *tool.keys)
    more = {_TOOL_NAME.get(key, key): value for key, value in _rest(item, *taken).items()}
    call = {"type": "server_tool_call", "name": tool.name, **_given(args=tool.args(item)), "id": link}
    call |= (more if tool.is_flat else {"extras": more}) if more else {}
    result: Native = {"type": "server_tool_result", "tool_call_id": link, **({"output": output} if output else {})}
    error, status = item.get("error") if tool.has_error else None, item.get("status")
    if tool.has_error:
        result["status"] = "error" if error else "success"
    elif status in _STATUS:
        result["status"] = _STATUS[status]
    extras = {"error": error} if error else {} if status is None or "status" in result else {"status": status}
    return [call, {**result, "extras": extras} if extras else result]


def _united(call: Native, result: Native) -> Native:
    tag = _TAG_OF[call["name"]]
    tool, output, extras = _TOOLS[tag], result.get("output"), result.get("extras", {})
    if result["type"] != "server_tool_result" or result["tool_call_id"] != call["id"]:
        raise Unreadable
    item: Native = {"type": tag, "id": call["id"], **tool.unargs(call.get("args"))}
    more = _rest(call, "type", "id", "name", "args", "extras") if tool.is_flat else call.get("extras", {})
    item |= {_NAME_OF.get(key, key): value for key, value in more.items()}
    if output is not None and tool.output == "sources":
        item["action"] = {**item.get("action", {}), **output}
    elif output is not None:
        item[tool.output] = output
    if not tool.has_error and "status" in result:
        item["status"] = _STATUS_OF[result["status"]]
    return {**item, **extras}


# -- other parts ------------------------------------------------------------------------------------------------------


def _to_annotation(note: Native) -> Native:
    kind = note.get("type")
    if kind == "url_citation":
        more = _rest(note, "type", "url", "title", "start_index", "end_index")
        own: Native = {key: note[key] for key in ("end_index", "start_index", "title") if key in note}
        return {**own, "type": "citation", "url": note["url"], **({"extras": more} if more else {})}
    if kind == "file_citation":
        more = _rest(note, "type", "filename")
        return {"type": "citation", **_given(title=note.get("filename")), **({"extras": more} if more else {})}
    return {"type": "non_standard_annotation", "value": note}


def _from_annotation(note: Native) -> Native:
    if note["type"] != "citation":
        value: Native = note["value"]
        return value
    rest = {**_rest(note, "type", "extras"), **note.get("extras", {})}
    if "url" in note:
        return {"type": "url_citation", **rest}
    return {"type": "file_citation", **{{"title": "filename"}.get(key, key): value for key, value in rest.items()}}


def _exploded(item: Native) -> list[Native]:
    more = _rest(item, "type", "id", "summary")
    own = {"type": "reasoning", **_given(id=item.get("id"))}
    if not item["summary"]:
        return [{**own, **({"extras": more} if more else {})}]
    texts = [{**own, "reasoning": part["text"]} for part in item["summary"]]
    return [{**texts[0], **more}, *texts[1:]]


def _imploded(first: Native, rest: list[Native]) -> Native:
    """Return the item of reasoning; take what belongs to it from the parts that follow."""
    item: Native = {**_rest(first, "reasoning", "extras"), **first.get("extras", {}), "summary": list[Any]()}
    if "reasoning" not in first:
        return item
    texts = [first["reasoning"]]
    while rest and rest[0].keys() == {"type", "id", "reasoning"} and rest[0]["id"] == first.get("id"):
        texts.append(rest.pop(0)["reasoning"])
    return {**item, "summary": [{"type": "summary_text", "text": text} for text in texts]}


def to_v1(parts: list[Any]) -> list[Any]:
    """Return parts of Responses in LangChain's content as v1."""
    return [new for part in parts for new in _made(part)]


def _made(part: Native) -> list[Native]:
    tag = part["type"]
    if tag in _TOOLS:
        return _divided(part)
    if tag == "reasoning" and "summary" in part:
        return _exploded(part)
    if tag == "text":
        notes = part.get("annotations")
        return [part if notes is None else {**part, "annotations": list(map(_to_annotation, notes))}]
    if tag == "refusal":
        more = _rest(part, "type", "refusal", "id")
        return [{**_rest(part, *more), **({"extras": more} if more else {})}]
    if tag == "function_call":
        extras = {**_given(item_id=part.get("id")), **{key: part[key] for key in _ALIKE if key in part}}
        call = {"type": "tool_call", "name": part["name"], "args": _arguments(part), "id": part["call_id"]}
        return [{**call, **({"extras": extras} if extras else {})}]
    if tag == "tool_search_call" and part.get("execution") == "server":
        more = _rest(part, "type", "id", "arguments")
        call = {"type": "server_tool_call", "name": "tool_search", "id": part["id"], "args": part["arguments"]}
        return [{**call, "extras": more}]
    if tag == "tool_search_output" and part.get("execution") == "server":
        extras = {"name": "tool_search", **_rest(part, "type", "id", "status", "tools")}
        result = {"type": "server_tool_result", "tool_call_id": part["id"], "output": {"tools": part["tools"]}}
        return [{**result, **_given(status=_STATUS.get(part.get("status"))), "extras": extras}]
    return [{"type": "non_standard", "value": part}]


def from_v1(parts: list[Any]) -> list[Any]:
    """Return v1 parts as those of Responses in LangChain's content."""
    return list(_unmade(list(parts)))


def _unmade(rest: list[Any]) -> Iterator[Native]:
    while rest:
        part = rest.pop(0)
        tag, extras = part["type"], part.get("extras", {})
        if tag == "reasoning":
            yield _imploded(part, rest)
        elif tag == "text":
            notes = part.get("annotations")
            yield part if notes is None else {**part, "annotations": list(map(_from_annotation, notes))}
        elif tag == "refusal":
            yield {**_rest(part, "extras"), **extras}
        elif tag == "tool_call":
            more = {"id" if key == "item_id" else key: value for key, value in extras.items()}
            call: Native = {"type": "function_call", "call_id": part["id"], "name": part["name"]}
            yield {**call, "arguments": dump_json(part["args"]).decode(), **more}
        elif tag == "server_tool_call" and part["name"] == "tool_search":
            yield {"type": "tool_search_call", "id": part["id"], "arguments": part["args"], **extras}
        elif tag == "server_tool_call":
            yield _united(part, rest.pop(0))
        elif tag == "server_tool_result":
            own = {"type": "tool_search_output", "id": part["tool_call_id"], "tools": part["output"]["tools"]}
            yield {**own, **_given(status=_STATUS_OF.get(part.get("status"))), **_rest(extras, "name")}
        else:
            value: Native = part["value"]
            yield value


_TAGS = frozenset(
    {"text", "reasoning", "refusal", "tool_call", "server_tool_call", "server_tool_result", "non_standard"}
)


def is_of_v1(part: Any) -> bool:
    """Whether a part is of v1."""
    return is_object(part) and type(tag := part.get("type")) is str and tag in _TAGS
