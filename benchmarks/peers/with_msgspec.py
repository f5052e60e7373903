"""msgspec: tagged, frozen Structs that mirror the model, for canonical JSON, and for MessagePack as maps."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec
from msgspec import UNSET, Struct

import agentmsg as am
from benchmarks.competitors import Competitor
from benchmarks.peers import plain_data

__all__ = ["History", "json", "msgpack"]


class Noted(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Shared by all."""

    extras: dict[str, Any] = {}


class URLSource(Noted, frozen=True, kw_only=True, tag="url", omit_defaults=True):
    """As in the model."""

    url: str
    media_type: str | None = None


class Base64Source(Noted, frozen=True, kw_only=True, tag="base64", omit_defaults=True):
    """As in the model."""

    data: str
    media_type: str | None = None


class FileSource(Noted, frozen=True, kw_only=True, tag="file", omit_defaults=True):
    """As in the model."""

    file_id: str
    provider: str | None = None
    media_type: str | None = None


class TextSource(Noted, frozen=True, kw_only=True, tag="text", omit_defaults=True):
    """As in the model."""

    text: str
    media_type: str | None = None


class BlocksSource(Noted, frozen=True, kw_only=True, tag="blocks", omit_defaults=True):
    """As in the model."""

    content: tuple[Block, ...]


Source = URLSource | Base64Source | FileSource | TextSource | BlocksSource


class Signature(Noted, frozen=True, kw_only=True, omit_defaults=True):
    """As in the model."""

    value: str
    provider: str | None = None


class CacheHint(Noted, frozen=True, kw_only=True, omit_defaults=True):
    """As in the model."""

    kind: str = "ephemeral"
    ttl: str | None = None


class Citation(Noted, frozen=True, kw_only=True, omit_defaults=True):
    """As in the model."""

    url: str | None = None
    title: str | None = None
    cited_text: str | None = None
    start: int | None = None
    end: int | None = None
    kind: str | None = None


class BaseBlock(Noted, frozen=True, kw_only=True, omit_defaults=True):
    """Shared by all blocks."""

    item_id: str | None = None
    phase: str | None = None
    metadata: dict[str, Any] = {}
    cache: CacheHint | None = None
    signature: Signature | None = None


class TextBlock(BaseBlock, frozen=True, kw_only=True, tag="text", omit_defaults=True):
    """As in the model."""

    text: str
    citations: tuple[Citation, ...] = ()


class ImageBlock(BaseBlock, frozen=True, kw_only=True, tag="image", omit_defaults=True):
    """As in the model."""

    source: Source
    detail: str | None = None


class AudioBlock(BaseBlock, frozen=True, kw_only=True, tag="audio", omit_defaults=True):
    """As in the model."""

    source: Source
    transcript: str | None = None


class VideoBlock(BaseBlock, frozen=True, kw_only=True, tag="video", omit_defaults=True):
    """As in the model."""

    source: Source


class FileBlock(BaseBlock, frozen=True, kw_only=True, tag="file", omit_defaults=True):
    """As in the model."""

    source: Source
    name: str | None = None
    title: str | None = None
    context: str | None = None


class DataBlock(BaseBlock, frozen=True, kw_only=True, tag="data", omit_defaults=True):
    """As in the model."""

    data: Any
    name: str | None = None


class ThinkingBlock(BaseBlock, frozen=True, kw_only=True, tag="thinking", omit_defaults=True):
    """As in the model."""

    thinking: str = ""
    redacted: str | None = None


class ToolUseBlock(BaseBlock, frozen=True, kw_only=True, tag="tool_use", omit_defaults=True):
    """As in the model."""

    name: str
    id: str | None = None
    input: Any = UNSET
    raw_input: str | None = None
    kind: str = "function"
    provider: str | None = None
    status: str | None = None


class ToolResultBlock(BaseBlock, frozen=True, kw_only=True, tag="tool_result", omit_defaults=True):
    """As in the model."""

    tool_call_id: str | None = None
    content: tuple[Block, ...] = ()
    name: str | None = None
    status: str | None = None
    error: str | None = None
    error_type: str | None = None
    kind: str = "function"
    provider: str | None = None
    structured: Any = None
    artifact: Any = None


class RefusalBlock(BaseBlock, frozen=True, kw_only=True, tag="refusal", omit_defaults=True):
    """As in the model."""

    refusal: str


class SourceBlock(BaseBlock, frozen=True, kw_only=True, tag="source", omit_defaults=True):
    """As in the model."""

    url: str | None = None
    title: str | None = None
    media_type: str | None = None


class CompactionBlock(BaseBlock, frozen=True, kw_only=True, tag="compaction", omit_defaults=True):
    """As in the model."""

    text: str | None = None
    encrypted: str | None = None


class NativeBlock(BaseBlock, frozen=True, kw_only=True, tag="native", omit_defaults=True):
    """As in the model."""

    codec: str
    value: Any
    fallback: str | None = None


Block = (
    TextBlock
    | ImageBlock
    | AudioBlock
    | VideoBlock
    | FileBlock
    | DataBlock
    | ThinkingBlock
    | ToolUseBlock
    | ToolResultBlock
    | RefusalBlock
    | SourceBlock
    | CompactionBlock
    | NativeBlock
)


class Usage(Noted, frozen=True, kw_only=True, omit_defaults=True):
    """As in the model."""

    input: int | None = None
    output: int | None = None
    total: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None
    input_audio: int | None = None
    output_audio: int | None = None
    cost: int | float | None = None
    seconds: int | float | None = None


class Msg(Noted, frozen=True, kw_only=True, omit_defaults=True):
    """As in the model."""

    role: str
    content: tuple[Block, ...]
    id: str | None = None
    created_at: datetime | None = None
    name: str | None = None
    model: str | None = None
    finish_reason: str | None = None
    usage: Usage | None = None
    recipient: str | None = None
    metadata: dict[str, Any] = {}
    response_metadata: dict[str, Any] = {}
    structured: Any = None
    embedding: tuple[float, ...] | None = None


class History(Noted, frozen=True, kw_only=True, omit_defaults=True):
    """As in the model."""

    agentmsg: int
    messages: tuple[Msg, ...]
    id: str | None = None
    metadata: dict[str, Any] = {}


def json(name: str, history: am.History) -> Competitor:
    """Return msgspec on canonical JSON."""
    raw = am.dumps(history, "json")
    decode, encode = msgspec.json.Decoder(History).decode, msgspec.json.Encoder().encode
    return Competitor(name=name, raw=raw, decode=decode, encode=encode, plain=plain_data.from_json)


def msgpack(name: str, history: am.History) -> Competitor:
    """Return msgspec on MessagePack, as maps: its own form of these Structs."""
    encode = msgspec.msgpack.Encoder().encode
    raw = encode(msgspec.json.decode(am.dumps(history, "json"), type=History))
    decode = msgspec.msgpack.Decoder(History).decode
    return Competitor(name=name, raw=raw, decode=decode, encode=encode, plain=plain_data.from_msgpack)
