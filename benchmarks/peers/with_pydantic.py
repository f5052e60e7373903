"""pydantic: frozen models that mirror the model, blocks and sources as discriminated unions."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

import agentmsg as am
from benchmarks.competitors import Competitor
from benchmarks.peers import plain_data

__all__ = ["History", "json"]


class Noted(BaseModel):
    """Shared by all."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    extras: dict[str, Any] = {}


class URLSource(Noted):
    """As in the model."""

    type: Literal["url"]
    url: str
    media_type: str | None = None


class Base64Source(Noted):
    """As in the model."""

    type: Literal["base64"]
    data: str
    media_type: str | None = None


class FileSource(Noted):
    """As in the model."""

    type: Literal["file"]
    file_id: str
    provider: str | None = None
    media_type: str | None = None


class TextSource(Noted):
    """As in the model."""

    type: Literal["text"]
    text: str
    media_type: str | None = None


class BlocksSource(Noted):
    """As in the model."""

    type: Literal["blocks"]
    content: tuple[Block, ...]


Source = Annotated[
    URLSource | Base64Source | FileSource | TextSource | BlocksSource,
    Field(discriminator="type"),
]


class Signature(Noted):
    """As in the model."""

    value: str
    provider: str | None = None


class CacheHint(Noted):
    """As in the model."""

    kind: str = "ephemeral"
    ttl: str | None = None


class Citation(Noted):
    """As in the model."""

    url: str | None = None
    title: str | None = None
    cited_text: str | None = None
    start: int | None = None
    end: int | None = None
    kind: str | None = None


class BaseBlock(Noted):
    """Shared by all blocks."""

    item_id: str | None = None
    phase: str | None = None
    metadata: dict[str, Any] = {}
    cache: CacheHint | None = None
    signature: Signature | None = None


class TextBlock(BaseBlock):
    """As in the model."""

    type: Literal["text"]
    text: str
    citations: tuple[Citation, ...] = ()


class ImageBlock(BaseBlock):
    """As in the model."""

    type: Literal["image"]
    source: Source
    detail: str | None = None


class AudioBlock(BaseBlock):
    """As in the model."""

    type: Literal["audio"]
    source: Source
    transcript: str | None = None


class VideoBlock(BaseBlock):
    """As in the model."""

    type: Literal["video"]
    source: Source


class FileBlock(BaseBlock):
    """As in the model."""

    type: Literal["file"]
    source: Source
    name: str | None = None
    title: str | None = None
    context: str | None = None


class DataBlock(BaseBlock):
    """As in the model."""

    type: Literal["data"]
    data: Any
    name: str | None = None


class ThinkingBlock(BaseBlock):
    """As in the model."""

    type: Literal["thinking"]
    thinking: str = ""
    redacted: str | None = None


class ToolUseBlock(BaseBlock):
    """As in the model."""

    type: Literal["tool_use"]
    name: str
    id: str | None = None
    input: Any = None
    raw_input: str | None = None
    kind: str = "function"
    provider: str | None = None
    status: str | None = None


class ToolResultBlock(BaseBlock):
    """As in the model."""

    type: Literal["tool_result"]
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


class RefusalBlock(BaseBlock):
    """As in the model."""

    type: Literal["refusal"]
    refusal: str


class SourceBlock(BaseBlock):
    """As in the model."""

    type: Literal["source"]
    url: str | None = None
    title: str | None = None
    media_type: str | None = None


class CompactionBlock(BaseBlock):
    """As in the model."""

    type: Literal["compaction"]
    text: str | None = None
    encrypted: str | None = None


class NativeBlock(BaseBlock):
    """As in the model."""

    type: Literal["native"]
    codec: str
    value: Any
    fallback: str | None = None


Block = Annotated[
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
    | NativeBlock,
    Field(discriminator="type"),
]


class Usage(Noted):
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


class Msg(Noted):
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


class History(Noted):
    """As in the model."""

    agentmsg: int
    messages: tuple[Msg, ...]
    id: str | None = None
    metadata: dict[str, Any] = {}


def json(name: str, history: am.History) -> Competitor:
    """Return pydantic on canonical JSON; defaults are left out, as in ours."""
    return Competitor(
        name=name,
        raw=am.dumps(history, "json"),
        decode=History.model_validate_json,
        encode=lambda objects: History.__pydantic_serializer__.to_json(objects, exclude_defaults=True),
        plain=plain_data.from_json,
    )
