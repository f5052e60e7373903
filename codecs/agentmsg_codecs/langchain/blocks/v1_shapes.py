"""The shapes of content blocks v1: the class and the keys of each, its reader and its writer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
import agentmsg_codecs.langchain.blocks.v1 as v1
import agentmsg_codecs.langchain.blocks.v1_calls as v1_calls
import agentmsg_codecs.langchain.blocks.v1_media as v1_media
from agentmsg.formats import Native, Shape
from agentmsg_codecs.langchain.blocks.v1_results import Inner, result_reader, result_writer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# The keys of each block's part.
_BASE = frozenset({"type", "id", "extras", "cache_control"})
KEYS: Mapping[type, frozenset[str]] = {
    am.TextBlock: _BASE | {"text", "annotations"},
    am.ThinkingBlock: _BASE | {"reasoning"},
    am.RefusalBlock: _BASE | {"refusal"},
    am.ImageBlock: _BASE | {"mime_type"},
    am.AudioBlock: _BASE | {"mime_type"},
    am.VideoBlock: _BASE | {"mime_type"},
    am.FileBlock: _BASE | {"mime_type"},
    am.ToolUseBlock: _BASE | {"name", "args"},
    am.ToolResultBlock: _BASE | {"tool_call_id", "status", "output"},
}


def _shape(cls: type[Any], read: Callable[[Native, Any], Any], write: Callable[[Any], Native], *tags: str) -> Shape:
    return Shape(cls=cls, keys=dict.fromkeys(tags, KEYS[cls]), read=read, write=write)


def shapes(inner: Inner) -> tuple[Shape, ...]:
    """Return the shapes of the blocks of v1."""
    return (
        _shape(am.TextBlock, v1.read_text, v1.write_text, "text"),
        _shape(am.ThinkingBlock, v1.read_reasoning, v1.write_reasoning, "reasoning"),
        _shape(am.RefusalBlock, v1.read_refusal, v1.write_refusal, "refusal"),
        _shape(am.ImageBlock, v1_media.read_media, v1_media.media_writer("image"), "image"),
        _shape(am.AudioBlock, v1_media.read_media, v1_media.media_writer("audio"), "audio"),
        _shape(am.VideoBlock, v1_media.read_media, v1_media.media_writer("video"), "video"),
        _shape(am.FileBlock, v1_media.read_media, v1_media.media_writer("file"), "file"),
        _shape(am.ToolUseBlock, v1_calls.read_call, v1_calls.write_call, "tool_call", "server_tool_call"),
        _shape(am.ToolResultBlock, result_reader(inner), result_writer(inner), "server_tool_result"),
    )
