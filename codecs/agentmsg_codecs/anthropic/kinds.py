"""What tells objects of one class apart, and those that the schema has from others."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import is_mapping
from agentmsg_codecs.anthropic.names import FAMILY, KIND, PLACES, SERVER_RESULTS, UPLOAD

if TYPE_CHECKING:
    from collections.abc import Mapping

# The media types that the schema has, by class of source; where a class is missing, it has no place.
IMAGE_TYPES: Mapping[type[Any], frozenset[str | None]] = MappingProxyType(
    {
        am.Base64Source: frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"}),
        am.URLSource: frozenset({None}),
        am.FileSource: frozenset({None}),
    }
)
DOCUMENT_TYPES: Mapping[type[Any], frozenset[str | None]] = MappingProxyType(
    {
        am.Base64Source: frozenset({"application/pdf"}),
        am.URLSource: frozenset({None}),
        am.FileSource: frozenset({None}),
        am.TextSource: frozenset({"text/plain"}),
        am.BlocksSource: frozenset({None}),
    }
)
ON_THE_WEB = "web_search_result_location"


def is_usual(source: Any, types: Mapping[type[Any], frozenset[str | None]]) -> bool:
    """Whether a source is one that the schema has here."""
    return getattr(source, "media_type", None) in types.get(source.__class__, ())


def is_upload(block: am.FileBlock) -> bool:
    """Whether a document is an upload to the container."""
    source = block.source
    return type(source) is am.FileSource and source.provider == FAMILY and block.extras.get(KIND) == UPLOAD


def is_search_result(block: am.FileBlock) -> bool:
    """Whether a document is a search result: texts that have a name."""
    source = block.source
    if type(source) is not am.BlocksSource or block.name is None:
        return False
    return all(type(item) is am.TextBlock for item in source.content)


def is_known_place(citation: Mapping[str, Any], kind: str) -> bool:
    """Whether a native citation has all that the schema wants of its kind."""
    if citation.get("cited_text") is None or (kind == ON_THE_WEB and citation.get("url") is None):
        return False
    return all(type(citation.get(key)) is wanted for key, wanted in PLACES[kind][1].items())


def is_of_mcp(native: Any) -> bool:
    """Whether a native call names its MCP server, by which it is told from others."""
    return type(native.get("server_name")) is str


def is_mcp_call(block: am.ToolUseBlock) -> bool:
    """Whether a call is of the tool of an MCP server, which the provider calls."""
    own: Any = block.extras.get(FAMILY)
    return block.kind == "server" and is_mapping(own) and isinstance(own.get("server_name"), str)


def result_tag(block: am.ToolResultBlock) -> str:
    """Return the tag of the result of a tool that runs at the provider."""
    return "mcp_tool_result" if block.name is None else f"{block.name}_tool_result"


def is_known_server(block: am.ToolResultBlock) -> bool:
    """Whether the result is of a tool that runs at this provider and has a tag."""
    return block.provider == FAMILY and result_tag(block) in SERVER_RESULTS and block.name != "mcp"
