"""Results of tools that the provider runs: sources, an error, or any JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import Native, Unreadable, adopt, is_list, is_mapping, is_object, is_sequence, mark_of
from agentmsg_codecs.anthropic.kinds import result_tag
from agentmsg_codecs.anthropic.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable

_ERROR = {"type", "error_code", "error_message"}


def form_of(tag: str, content: Any) -> Native:
    """Return the fields of a result with some content; sources are still native.

    Raises:
        Unreadable: if there is no content.
    """
    if content is None:
        raise Unreadable
    if tag == "web_search_tool_result" and is_list(content) and all(map(_is_source, content)):
        return {"content": content}
    if is_object(content):
        native: Native = content
        if native.get("type") == f"{tag}_error" and set(native) <= _ERROR:
            code, message = native.get("error_code"), native.get("error_message")
            if type(code) is str and (message is None or type(message) is str):
                return {"error_type": code, "error": message, "status": "error"}
    return {"structured": adopt(content)}


def _is_source(item: Any) -> bool:
    if not is_object(item) or item.get("type") != "web_search_result":
        return False
    return all(type(item.get(key)) in (str, type(None)) for key in ("title", "url"))


def is_typed(content: Any) -> bool:
    """Whether content is a list, or an object with a type, as all objects of the provider's have."""
    return is_sequence(content) or (is_mapping(content) and isinstance(content.get("type"), str))


def given_schema(tag: str) -> Native:
    """Return the JSON Schema of the content of a result: an error, or anything else but null."""
    text = {"type": "string"}
    keys = {"type": {"const": f"{tag}_error"}, "error_code": text, "error_message": {"anyOf": [text, {"type": "null"}]}}
    error = {"type": "object", "properties": keys, "required": ["type", "error_code"]}
    found = {"type": "array", "items": {"$ref": "#/$defs/web_search_result"}}
    return {"anyOf": [error, found, {"type": ["object", "array", "string", "number", "boolean"]}]}


def read_given(native: Native, source: Callable[[Any], Any]) -> dict[str, Any]:
    """Read the content of a result."""
    content = native["content"]
    fields = form_of(native["type"], content)
    if "content" in fields:
        return {"content": tuple(map(source, fields["content"]))}
    if not is_typed(content):
        return {**fields, "notes": {"/odd": True}}
    is_null = "error_type" in fields and fields["error"] is None and is_object(content) and "error_message" in content
    return {**fields, "notes": {"/message": "null"}} if is_null else fields


def write_given(block: am.ToolResultBlock, source: Callable[[Any], Any]) -> Native:
    """Write the content of a result that fits."""
    if block.structured is not None:
        return {"content": thaw(block.structured)}
    if block.error_type is None:
        return {"content": list(map(source, block.content))}
    native: Native = {"type": f"{result_tag(block)}_error", "error_code": block.error_type}
    if block.error is not None or mark_of(block, FAMILY, "/message") == "null":
        native["error_message"] = block.error
    return {"content": native}
