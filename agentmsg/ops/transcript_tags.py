"""What a transcript shows of each block: a tag, attributes and words.

One table for all forms of ``to_text``. Never shown: the data of media, and what isn't for the model: artifacts,
metadata, signatures and opaque payloads.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from agentmsg.model.blocks import (
    BLOCK_TAGS,
    ApprovalRequestBlock,
    ApprovalResponseBlock,
    AudioBlock,
    BaseBlock,
    CompactionBlock,
    DataBlock,
    FileBlock,
    ImageBlock,
    NativeBlock,
    RefusalBlock,
    SourceBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolsBlock,
    ToolUseBlock,
    VideoBlock,
)
from agentmsg.model.sources import BlocksSource, FileSource, TextSource, URLSource
from agentmsg.model.tool_arguments import input_text
from agentmsg.values.text import dump_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


_NOTHING: Mapping[str, str | None] = MappingProxyType({})


class Piece(NamedTuple):
    """What to show of a block.

    Attributes:
        tag: its kind; empty for plain text.
        words: its text.
        attributes: what is said about it; None if not known.
        inner: the pieces inside it.
    """

    tag: str
    words: str = ""
    attributes: Mapping[str, str | None] = _NOTHING
    inner: Sequence[Piece] = ()


def piece_of(block: BaseBlock) -> Piece:
    """Return what to show of a block of any class."""
    make = _BY_CLASS.get(type(block))
    return Piece("block", "", {"type": BLOCK_TAGS.get(type(block))}) if make is None else make(block)


def result_pieces(result: ToolResultBlock) -> list[Piece]:
    """Return what to show of a tool result: content, structured content, and what went wrong."""
    pieces = [piece_of(block) for block in result.content]
    if result.structured is not None:
        pieces.append(Piece("data", _json(result.structured)))
    if result.error is not None or result.error_type is not None:
        pieces.append(Piece("error", result.error or "", {"type": result.error_type}))
    return pieces


def _json(value: Any) -> str:
    return dump_json(value).decode()


def _media(block: Any) -> Piece:
    source = block.source
    about: dict[str, str | None] = {name: getattr(block, name, None) for name in ("name", "title", "context")}
    words: str = getattr(block, "transcript", None) or ""
    inner: list[Piece] = []
    if isinstance(source, URLSource) and source.url[:5].lower() != "data:":
        about["url"] = source.url
    elif isinstance(source, FileSource):
        about["file_id"] = source.file_id
    elif isinstance(source, TextSource):
        words = source.text
    elif isinstance(source, BlocksSource):
        inner = [piece_of(each) for each in source.content]
    about["media_type"] = getattr(source, "media_type", None)
    return Piece(BLOCK_TAGS[type(block)], words, about, inner)


def _call(block: ToolUseBlock) -> Piece:
    tag = "server_tool_call" if block.kind == "server" else "tool_call"
    return Piece(tag if block.is_valid else f"invalid_{tag}", input_text(block), {"id": block.id, "name": block.name})


def _result(block: ToolResultBlock) -> Piece:
    tag = "server_tool_result" if block.kind == "server" else "tool_result"
    about = {"tool_call_id": block.tool_call_id, "name": block.name, "status": block.status}
    return Piece(tag, "", about, result_pieces(block))


def _tools(block: ToolsBlock) -> Piece:
    return Piece("tools", ", ".join(getattr(tool, "name", tool.__class__.__name__) for tool in block.tools))


_BY_CLASS: Mapping[type[BaseBlock], Callable[[Any], Piece]] = MappingProxyType({
    TextBlock: lambda block: Piece("", block.text),
    ThinkingBlock: lambda block: Piece("reasoning", block.thinking),
    RefusalBlock: lambda block: Piece("refusal", block.refusal),
    ImageBlock: _media,
    AudioBlock: _media,
    VideoBlock: _media,
    FileBlock: _media,
    DataBlock: lambda block: Piece("data", _json(block.data), {"name": block.name}),
    ToolUseBlock: _call,
    ToolResultBlock: _result,
    ApprovalRequestBlock: lambda block: Piece(
        "approval_request", block.reason or "", {"id": block.id, "tool_call_id": block.tool_call_id}
    ),
    ApprovalResponseBlock: lambda block: Piece(
        "approval_response", block.reason or "", {"id": block.id, "approved": "true" if block.approved else "false"}
    ),
    SourceBlock: lambda block: Piece("source", "", {"url": block.url, "title": block.title}),
    CompactionBlock: lambda block: Piece("compaction", block.text or ""),
    ToolsBlock: _tools,
    NativeBlock: lambda block: Piece("native", block.fallback or "", {"codec": block.codec}),
})  # fmt: skip
