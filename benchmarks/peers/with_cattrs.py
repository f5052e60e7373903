"""cattrs without tuning: attrs classes that mirror the model, tagged unions, the converter for orjson."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import attrs
from cattrs.preconf.orjson import OrjsonConverter, make_converter
from cattrs.strategies import configure_tagged_union

import agentmsg as am
from benchmarks.competitors import Competitor
from benchmarks.peers import plain_data

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["History", "json"]


@attrs.frozen(kw_only=True)
class Noted:
    """Shared by all."""

    extras: dict[str, Any] = attrs.field(factory=dict[str, Any])


@attrs.frozen(kw_only=True)
class URLSource(Noted):
    """As in the model."""

    url: str
    media_type: str | None = None


@attrs.frozen(kw_only=True)
class Base64Source(Noted):
    """As in the model."""

    data: str
    media_type: str | None = None


@attrs.frozen(kw_only=True)
class FileSource(Noted):
    """As in the model."""

    file_id: str
    provider: str | None = None
    media_type: str | None = None


@attrs.frozen(kw_only=True)
class TextSource(Noted):
    """As in the model."""

    text: str
    media_type: str | None = None


@attrs.frozen(kw_only=True)
class BlocksSource(Noted):
    """As in the model."""

    content: tuple[Block, ...]


Source = URLSource | Base64Source | FileSource | TextSource | BlocksSource


@attrs.frozen(kw_only=True)
class Signature(Noted):
    """As in the model."""

    value: str
    provider: str | None = None


@attrs.frozen(kw_only=True)
class CacheHint(Noted):
    """As in the model."""

    kind: str = "ephemeral"
    ttl: str | None = None


@attrs.frozen(kw_only=True)
class Citation(Noted):
    """As in the model."""

    url: str | None = None
    title: str | None = None
    cited_text: str | None = None
    start: int | None = None
    end: int | None = None
    kind: str | None = None


@attrs.frozen(kw_only=True)
class BaseBlock(Noted):
    """Shared by all blocks."""

    item_id: str | None = None
    phase: str | None = None
    metadata: dict[str, Any] = attrs.field(factory=dict[str, Any])
    cache: CacheHint | None = None
    signature: Signature | None = None


@attrs.frozen(kw_only=True)
class TextBlock(BaseBlock):
    """As in the model."""

    text: str
    citations: tuple[Citation, ...] = ()


@attrs.frozen(kw_only=True)
class ImageBlock(BaseBlock):
    """As in the model."""

    source: Source
    detail: str | None = None


@attrs.frozen(kw_only=True)
class AudioBlock(BaseBlock):
    """As in the model."""

    source: Source
    transcript: str | None = None


@attrs.frozen(kw_only=True)
class VideoBlock(BaseBlock):
    """As in the model."""

    source: Source


@attrs.frozen(kw_only=True)
class FileBlock(BaseBlock):
    """As in the model."""

    source: Source
    name: str | None = None
    title: str | None = None
    context: str | None = None


@attrs.frozen(kw_only=True)
class DataBlock(BaseBlock):
    """As in the model."""

    data: Any
    name: str | None = None


@attrs.frozen(kw_only=True)
class ThinkingBlock(BaseBlock):
    """As in the model."""

    thinking: str = ""
    redacted: str | None = None


@attrs.frozen(kw_only=True)
class ToolUseBlock(BaseBlock):
    """As in the model."""

    name: str
    id: str | None = None
    input: Any = None
    raw_input: str | None = None
    kind: str = "function"
    provider: str | None = None
    status: str | None = None


@attrs.frozen(kw_only=True)
class ToolResultBlock(BaseBlock):
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


@attrs.frozen(kw_only=True)
class RefusalBlock(BaseBlock):
    """As in the model."""

    refusal: str


@attrs.frozen(kw_only=True)
class SourceBlock(BaseBlock):
    """As in the model."""

    url: str | None = None
    title: str | None = None
    media_type: str | None = None


@attrs.frozen(kw_only=True)
class CompactionBlock(BaseBlock):
    """As in the model."""

    text: str | None = None
    encrypted: str | None = None


@attrs.frozen(kw_only=True)
class NativeBlock(BaseBlock):
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


@attrs.frozen(kw_only=True)
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


@attrs.frozen(kw_only=True)
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
    metadata: dict[str, Any] = attrs.field(factory=dict[str, Any])
    response_metadata: dict[str, Any] = attrs.field(factory=dict[str, Any])
    structured: Any = None
    embedding: tuple[float, ...] | None = None


@attrs.frozen(kw_only=True)
class History(Noted):
    """As in the model."""

    agentmsg: int
    messages: tuple[Msg, ...]
    id: str | None = None
    metadata: dict[str, Any] = attrs.field(factory=dict[str, Any])


_TAGS: Mapping[type, str] = {
    URLSource: "url",
    Base64Source: "base64",
    FileSource: "file",
    TextSource: "text",
    BlocksSource: "blocks",
    TextBlock: "text",
    ImageBlock: "image",
    AudioBlock: "audio",
    VideoBlock: "video",
    FileBlock: "file",
    DataBlock: "data",
    ThinkingBlock: "thinking",
    ToolUseBlock: "tool_use",
    ToolResultBlock: "tool_result",
    RefusalBlock: "refusal",
    SourceBlock: "source",
    CompactionBlock: "compaction",
    NativeBlock: "native",
}


def _converter() -> OrjsonConverter:
    converter = make_converter(omit_if_default=True)
    for union in (Source, Block):
        configure_tagged_union(union, converter, tag_generator=_TAGS.__getitem__, tag_name="type")
    return converter


def json(name: str, history: am.History) -> Competitor:
    """Return cattrs on canonical JSON."""
    converter = _converter()
    return Competitor(
        name=name,
        raw=am.dumps(history, "json"),
        decode=lambda raw: converter.loads(raw, History),
        encode=converter.dumps,
        plain=plain_data.from_json,
    )
