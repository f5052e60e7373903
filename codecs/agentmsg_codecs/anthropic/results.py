"""What tools gave: results of the client's tools, and of those that run at the provider."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import (
    EMPTY,
    Native,
    Shape,
    Unreadable,
    adopt,
    is_bare_text,
    is_list,
    is_object,
    maker,
    mark_of,
    marked,
    natives,
    read_as,
    text_at,
    word_at,
    write_as,
)
from agentmsg_codecs.anthropic.names import FAMILY, SERVER_RESULTS
from agentmsg_codecs.anthropic.shapes import cache_of, with_cache

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


Read: TypeAlias = "Callable[[Any], Any]"
make_result = maker(am.ToolResultBlock)
_make_source = maker(am.SourceBlock)
_LISTED = adopt({FAMILY: {"/list": True}})
_STATUS: Mapping[Any, str | None] = {True: "error", False: "success", None: None}


# -- content: a text, or a list of parts ------------------------------------------------------------------------------


def _read_outcome(native: Native, read: Read) -> Native:
    """Return the fields for ``content`` and ``is_error``, as results of the client's tools and of MCP have them."""
    flag = native.get("is_error")
    if flag is not None and type(flag) is not bool:
        raise Unreadable
    blocks, listed = natives.read_content(native.get("content"), read, FAMILY)
    return {"content": blocks, "status": _STATUS[flag], "notes": _LISTED if listed else EMPTY}


def _write_outcome(native: Native, block: am.ToolResultBlock, write: Callable[[Any], Any]) -> Native:
    content: Any = block.content
    if content:
        bare = len(content) == 1 and is_bare_text(content[0], FAMILY)
        listed = not bare or (block.notes and mark_of(block, FAMILY, "/list") is True)
        native["content"] = list(map(write, content)) if listed else content[0].text
    if block.status is not None:
        native["is_error"] = block.status == "error"
    if block.cache is not None:
        with_cache(native, block)
    return native


_OUTCOME = {"type", "tool_use_id", "content", "is_error", "cache_control"}


def result_shape(read: Read, write: Callable[[Any], Any]) -> Shape:
    """Return the shape of results of the client's tools.

    Args:
        read: returns the block of a part inside such a result.
        write: returns the part of a block inside.
    """

    def read_result(native: Native, _: Any) -> am.ToolResultBlock:
        if native.get("type") != "tool_result":
            raise Unreadable
        link, cache = text_at(native, "tool_use_id"), cache_of(native)
        return make_result(tool_call_id=link, cache=cache, **_read_outcome(native, read))

    def write_result(block: am.ToolResultBlock) -> Native:
        content: Any = block.content
        is_usual = len(content) == 1 and block.status is None and block.cache is None and not block.notes
        if is_usual and is_bare_text(content[0], FAMILY):
            return {
                "type": "tool_result",
                "tool_use_id": natives.link_of(block.tool_call_id),
                "content": content[0].text,
            }
        return _write_outcome({"type": "tool_result", "tool_use_id": natives.link_of(block.tool_call_id)}, block, write)

    return Shape(
        cls=am.ToolResultBlock,
        keys={"tool_result": frozenset(_OUTCOME)},
        read=read_result,
        write=write_result,
        never=frozenset({"content"}),
    )


# -- what runs at the provider ----------------------------------------------------------------------------------------


def _read_source(native: Native, _: Any) -> am.SourceBlock:
    return _make_source(url=word_at(native, "url"), title=word_at(native, "title"))


def _write_source(block: am.SourceBlock) -> Native:
    native: Native = {"type": "web_search_result"}
    if block.title is not None:
        native["title"] = block.title
    if block.url is not None:
        native["url"] = block.url
    return native


SOURCE_KEYS = frozenset({"type", "title", "url"})
_SOURCE = Shape(cls=am.SourceBlock, keys={"web_search_result": SOURCE_KEYS}, read=_read_source, write=_write_source)


def tag_of_server(block: am.ToolResultBlock) -> str:
    """Return the tag of the result of a tool that runs at the provider."""
    return "mcp_tool_result" if block.name is None else f"{block.name}_tool_result"


def is_known_server(block: am.ToolResultBlock) -> bool:
    """Whether the result is of a tool that runs at this provider and has a tag."""
    return block.provider == FAMILY and tag_of_server(block) in SERVER_RESULTS and block.name != "mcp"


def form_of(tag: str, content: Any) -> Native:
    """Return the fields of a result for what a server's tool gave: sources, an error, or anything structured.

    Raises:
        Unreadable: where it gave nothing.
    """
    if content is None:
        raise Unreadable
    if tag == "web_search_tool_result" and is_list(content):
        try:
            return {"content": tuple(map(_one_source, content))}
        except Unreadable:
            pass
    if is_object(content):
        native: Native = content
        if native.get("type") == f"{tag}_error" and set(native) <= {"type", "error_code", "error_message"}:
            code, message = native.get("error_code"), native.get("error_message")
            if type(code) is str and (message is None or type(message) is str):
                return {"error_type": code, "error": message, "status": "error"}
    return {"structured": adopt(content)}


def _one_source(item: Any) -> am.SourceBlock:
    if not is_object(item) or item.get("type") != "web_search_result":
        raise Unreadable
    block: am.SourceBlock = read_as(_SOURCE, item, FAMILY)
    return block


def _write_form(tag: str, block: am.ToolResultBlock) -> Any:
    if block.structured is not None:
        return thaw(block.structured)
    if block.error_type is None:
        return [write_as(_SOURCE, item, FAMILY) for item in block.content]
    native: Native = {"type": f"{tag}_error", "error_code": block.error_type}
    if block.error is not None or mark_of(block, FAMILY, "/message") == "null":
        native["error_message"] = block.error
    return native


_SERVER_KEYS: Mapping[str | None, frozenset[str]] = {
    tag: frozenset(_OUTCOME if name is None else _OUTCOME - {"is_error"}) for tag, name in SERVER_RESULTS.items()
}


def server_shape(read: Read, write: Callable[[Any], Any]) -> Shape:
    """Return the shape of results of tools that run at the provider.

    Args:
        read: returns the block of a part inside a result of an MCP server.
        write: returns the part of a block inside.
    """

    def read_server(native: Native, _: Any) -> am.ToolResultBlock:
        tag: str = native["type"]
        name = SERVER_RESULTS[tag]
        content: Any = native.get("content")
        fields = _read_outcome(native, read) if name is None else form_of(tag, content)
        block = make_result(
            tool_call_id=text_at(native, "tool_use_id"),
            name=name,
            kind="server",
            provider=FAMILY,
            cache=cache_of(native),
            **fields,
        )
        if name is None:
            return block
        is_null = block.error_type is not None and "error_message" in content and block.error is None
        return marked(block, FAMILY, message="null") if is_null else block

    def write_server(block: am.ToolResultBlock) -> Native:
        tag = tag_of_server(block)
        native: Native = {"type": tag, "tool_use_id": natives.link_of(block.tool_call_id)}
        if block.name is None:
            return _write_outcome(native, block, write)
        native["content"] = _write_form(tag, block)
        return with_cache(native, block)

    return Shape(
        cls=am.ToolResultBlock,
        keys=_SERVER_KEYS,
        read=read_server,
        write=write_server,
        tag_of=tag_of_server,
        never=frozenset({"content"}),
    )
