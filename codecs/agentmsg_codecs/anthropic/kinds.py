"""Tests that tell objects of one class apart, and objects of the schema from others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg_codecs.anthropic.names import FAMILY, KIND, PLACES, SERVER_RESULTS, UPLOAD

if TYPE_CHECKING:
    from collections.abc import Mapping

# The media types that the schema allows, by class of source; other classes aren't allowed.
_UNTYPED: Mapping[type[Any], frozenset[str | None]] = dict.fromkeys((am.URLSource, am.FileSource), frozenset({None}))
IMAGE_TYPES: Mapping[type[Any], frozenset[str | None]] = {
    am.Base64Source: frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"}), **_UNTYPED,
}  # fmt: skip
# The schema has no videos; a compatible server (MiniMax) takes them as Anthropic takes images.
VIDEO_TYPES: Mapping[type[Any], frozenset[str | None]] = {
    am.Base64Source: frozenset({"video/mp4", "video/quicktime", "video/x-matroska", "video/webm"}), **_UNTYPED,
}  # fmt: skip
DOCUMENT_TYPES: Mapping[type[Any], frozenset[str | None]] = {
    am.Base64Source: frozenset({"application/pdf"}), **_UNTYPED,
    am.TextSource: frozenset({"text/plain"}),
    am.BlocksSource: frozenset({None}),
}  # fmt: skip
ON_THE_WEB = "web_search_result_location"


def is_usual(source: Any, types: Mapping[type[Any], frozenset[str | None]]) -> bool:
    """Whether the schema allows a source."""
    return getattr(source, "media_type", None) in types.get(source.__class__, ())


def is_upload(block: am.FileBlock) -> bool:
    """Whether a document is an upload to the container."""
    source = block.source
    return type(source) is am.FileSource and source.provider == FAMILY and block.extras.get(KIND) == UPLOAD


def is_search_result(block: am.FileBlock) -> bool:
    """Whether a document is a search result: texts with a name."""
    source = block.source
    if type(source) is not am.BlocksSource or block.name is None:
        return False
    return all(type(item) is am.TextBlock for item in source.content)


def is_known_place(citation: Mapping[str, Any], kind: str) -> bool:
    """Whether a native citation has everything that the schema requires of its kind."""
    if citation.get("cited_text") is None or (kind == ON_THE_WEB and citation.get("url") is None):
        return False
    return all(type(citation.get(key)) is wanted for key, wanted in PLACES[kind][1].items())


def is_of_mcp(native: Any) -> bool:
    """Whether a native call names its MCP server."""
    return type(native.get("server_name")) is str


def is_mcp_call(block: am.ToolUseBlock) -> bool:
    """Whether the provider calls a tool of an MCP server."""
    return block.kind == "server" and block.server is not None


def result_tag(block: am.ToolResultBlock) -> str:
    """Return the tag for the result of a tool that the provider runs."""
    return "mcp_tool_result" if block.name is None else f"{block.name}_tool_result"


def is_known_server(block: am.ToolResultBlock) -> bool:
    """Whether a result is of a tool that this provider runs, and has a tag."""
    return block.provider == FAMILY and result_tag(block) in SERVER_RESULTS and block.name != "mcp"
