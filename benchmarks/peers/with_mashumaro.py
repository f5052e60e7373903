"""mashumaro without tuning: dataclasses that mirror the model, unions by their tag, its mixin for orjson."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from mashumaro.config import BaseConfig
from mashumaro.mixins.orjson import DataClassORJSONMixin
from mashumaro.types import Discriminator

import agentmsg as am
from benchmarks.competitors import Competitor
from benchmarks.peers import plain_data

__all__ = ["History", "json"]


@dataclass(frozen=True, kw_only=True)
class Noted(DataClassORJSONMixin):
    """Shared by all."""

    class Config(BaseConfig):
        """Leaves out defaults."""

        omit_none = True
        lazy_compilation = True  # blocks hold sources that hold blocks

    extras: dict[str, Any] | None = None


@dataclass(frozen=True, kw_only=True)
class URLSource(Noted):
    """As in the model."""

    type: Literal["url"] = "url"
    url: str
    media_type: str | None = None


@dataclass(frozen=True, kw_only=True)
class Base64Source(Noted):
    """As in the model."""

    type: Literal["base64"] = "base64"
    data: str
    media_type: str | None = None


@dataclass(frozen=True, kw_only=True)
class FileSource(Noted):
    """As in the model."""

    type: Literal["file"] = "file"
    file_id: str
    provider: str | None = None
    media_type: str | None = None


@dataclass(frozen=True, kw_only=True)
class TextSource(Noted):
    """As in the model."""

    type: Literal["text"] = "text"
    text: str
    media_type: str | None = None


@dataclass(frozen=True, kw_only=True)
class BlocksSource(Noted):
    """As in the model."""

    type: Literal["blocks"] = "blocks"
    content: tuple[Block, ...]


Source = Annotated[
    URLSource | Base64Source | FileSource | TextSource | BlocksSource,
    Discriminator(field="type", include_supertypes=True),
]


@dataclass(frozen=True, kw_only=True)
class Signature(Noted):
    """As in the model."""

    value: str
    provider: str | None = None


@dataclass(frozen=True, kw_only=True)
class CacheHint(Noted):
    """As in the model."""

    kind: str | None = None
    ttl: str | None = None


@dataclass(frozen=True, kw_only=True)
class Citation(Noted):
    """As in the model."""

    url: str | None = None
    title: str | None = None
    cited_text: str | None = None
    start: int | None = None
    end: int | None = None
    kind: str | None = None


@dataclass(frozen=True, kw_only=True)
class BaseBlock(Noted):
    """Shared by all blocks."""

    item_id: str | None = None
    phase: str | None = None
    metadata: dict[str, Any] | None = None
    cache: CacheHint | None = None
    signature: Signature | None = None


@dataclass(frozen=True, kw_only=True)
class TextBlock(BaseBlock):
    """As in the model."""

    type: Literal["text"] = "text"
    text: str
    citations: tuple[Citation, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class ImageBlock(BaseBlock):
    """As in the model."""

    type: Literal["image"] = "image"
    source: Source
    detail: str | None = None


@dataclass(frozen=True, kw_only=True)
class AudioBlock(BaseBlock):
    """As in the model."""

    type: Literal["audio"] = "audio"
    source: Source
    transcript: str | None = None


@dataclass(frozen=True, kw_only=True)
class VideoBlock(BaseBlock):
    """As in the model."""

    type: Literal["video"] = "video"
    source: Source


@dataclass(frozen=True, kw_only=True)
class FileBlock(BaseBlock):
    """As in the model."""

    type: Literal["file"] = "file"
    source: Source
    name: str | None = None
    title: str | None = None
    context: str | None = None


@dataclass(frozen=True, kw_only=True)
class DataBlock(BaseBlock):
    """As in the model."""

    type: Literal["data"] = "data"
    data: Any
    name: str | None = None


@dataclass(frozen=True, kw_only=True)
class ThinkingBlock(BaseBlock):
    """As in the model."""

    type: Literal["thinking"] = "thinking"
    thinking: str | None = None
    redacted: str | None = None


@dataclass(frozen=True, kw_only=True)
class ToolUseBlock(BaseBlock):
    """As in the model."""

    type: Literal["tool_use"] = "tool_use"
    name: str
    id: str | None = None
    input: Any = None
    raw_input: str | None = None
    kind: str | None = None
    provider: str | None = None
    status: str | None = None


@dataclass(frozen=True, kw_only=True)
class ToolResultBlock(BaseBlock):
    """As in the model."""

    type: Literal["tool_result"] = "tool_result"
    tool_call_id: str | None = None
    content: tuple[Block, ...] | None = None
    name: str | None = None
    status: str | None = None
    error: str | None = None
    error_type: str | None = None
    kind: str | None = None
    provider: str | None = None
    structured: Any = None
    artifact: Any = None


@dataclass(frozen=True, kw_only=True)
class RefusalBlock(BaseBlock):
    """As in the model."""

    type: Literal["refusal"] = "refusal"
    refusal: str


@dataclass(frozen=True, kw_only=True)
class SourceBlock(BaseBlock):
    """As in the model."""

    type: Literal["source"] = "source"
    url: str | None = None
    title: str | None = None
    media_type: str | None = None


@dataclass(frozen=True, kw_only=True)
class CompactionBlock(BaseBlock):
    """As in the model."""

    type: Literal["compaction"] = "compaction"
    text: str | None = None
    encrypted: str | None = None


@dataclass(frozen=True, kw_only=True)
class NativeBlock(BaseBlock):
    """As in the model."""

    type: Literal["native"] = "native"
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
    Discriminator(field="type", include_supertypes=True),
]


@dataclass(frozen=True, kw_only=True)
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


@dataclass(frozen=True, kw_only=True)
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
    metadata: dict[str, Any] | None = None
    response_metadata: dict[str, Any] | None = None
    structured: Any = None
    embedding: tuple[float, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class History(Noted):
    """As in the model."""

    agentmsg: int
    messages: tuple[Msg, ...]
    id: str | None = None
    metadata: dict[str, Any] | None = None


def json(name: str, history: am.History) -> Competitor:
    """Return mashumaro on canonical JSON."""
    return Competitor(
        name=name,
        raw=am.dumps(history, "json"),
        decode=History.from_json,
        encode=History.to_jsonb,
        plain=plain_data.from_json,
    )
