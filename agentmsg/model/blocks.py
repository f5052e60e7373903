"""Content blocks: the parts of a message's content.

``Block`` is the union of our classes, for type checkers. ``ContentBlock`` is the protocol that all blocks meet. To add
your own, derive an attrs-frozen class from ``BaseBlock`` and name its tag with ``register_block``. Every codec then
reads and writes it: canonical forms as a tagged object, others if they have a place for it.
"""

from __future__ import annotations

from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Protocol, Self, TypeAlias, TypeVar, cast

import attrs

from agentmsg.errors import InvalidMessage, excerpt, is_a, refused
from agentmsg.model.base import BaseBlock, CacheHint, Citation, Noted, Signature, Tagged, as_blocks, free_json
from agentmsg.model.checks import instance, items_of, optional_text, text, truth
from agentmsg.model.sources import Base64Source, BlocksSource, FileSource, Source, TextSource, URLSource
from agentmsg.model.tool_use import UNSET, ToolUseBlock
from agentmsg.model.tools import Tool, as_tools
from agentmsg.values.frozen import JSON

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from os import PathLike

__all__ = [
    "BLOCK_TAGS",
    "TEXT_OF",
    "UNSET",
    "ApprovalRequestBlock",
    "ApprovalResponseBlock",
    "AudioBlock",
    "BaseBlock",
    "Block",
    "CacheHint",
    "Citation",
    "CompactionBlock",
    "ContentBlock",
    "DataBlock",
    "FileBlock",
    "ImageBlock",
    "NativeBlock",
    "Noted",
    "RefusalBlock",
    "Signature",
    "SourceBlock",
    "TextBlock",
    "ThinkingBlock",
    "ToolResultBlock",
    "ToolUseBlock",
    "ToolsBlock",
    "VideoBlock",
    "as_content",
    "register_block",
]


class ContentBlock(Protocol):
    """What every content block has, for functions that take any block.

    Any stands for ``Mapping[str, JSON]``: pyright takes a field with a converter for a descriptor, which matches
    nothing else.
    """

    @property
    def item_id(self) -> str | None:
        """Id of the item in its native document."""
        ...

    @property
    def phase(self) -> str | None:
        """The part of the response that it belongs to."""
        ...

    @property
    def metadata(self) -> Any:
        """The application's own."""
        ...

    @property
    def cache(self) -> CacheHint | None:
        """The cache request."""
        ...

    @property
    def signature(self) -> Signature | None:
        """The provider's proof."""
        ...

    @property
    def extras(self) -> Any:
        """Unknown native fields."""
        ...


_is_source = instance(URLSource, Base64Source, FileSource, TextSource, BlocksSource)


def _source(block: object, attribute: Any, value: Any) -> None:
    if value is None:
        msg = "a source is needed"
        raise InvalidMessage(msg, code="required", path=("source",))
    _is_source(block, attribute, value)


def _citations(value: Iterable[Citation]) -> tuple[Citation, ...]:
    return items_of(value, "citations", lambda citation: isinstance(citation, Citation), "not a citation:")


@attrs.frozen(repr=False, eq=False)
class TextBlock(BaseBlock):
    """Text and its sources.

    Attributes:
        text: the words.
        citations: the sources of the text.
    """

    text: str = attrs.field(validator=text)
    citations: tuple[Citation, ...] = attrs.field(default=(), converter=_citations, kw_only=True)


@attrs.frozen(repr=False, eq=False)
class _Media(BaseBlock):
    source: Source = attrs.field(validator=_source)

    @classmethod
    def from_url(cls, url: str, media_type: str | None = None) -> Self:
        """Return a block that refers to a URL; nothing is fetched."""
        return cls(URLSource(url, media_type))

    @classmethod
    def from_bytes(cls, data: bytes, media_type: str | None = None) -> Self:
        """Return a block that holds these bytes, as base64."""
        return cls(Base64Source.from_bytes(data, media_type))

    @classmethod
    def from_file(cls, path: str | PathLike[str], media_type: str | None = None) -> Self:
        """Return a block that holds the bytes of a file, as base64; see ``Base64Source.from_file``."""
        return cls(Base64Source.from_file(path, media_type))


@attrs.frozen(repr=False, eq=False)
class ImageBlock(_Media):
    """An image.

    Attributes:
        detail: the wanted resolution ("low", "high", "auto").
    """

    detail: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)


@attrs.frozen(repr=False, eq=False)
class AudioBlock(_Media):
    """Sound, with the words spoken if known.

    Attributes:
        transcript: the words spoken.
    """

    transcript: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)


@attrs.frozen(repr=False, eq=False)
class VideoBlock(_Media):
    """A video."""


@attrs.frozen(repr=False, eq=False)
class FileBlock(_Media):
    """A document.

    Attributes:
        name: the file name.
        title: a title for the model.
        context: what the model should know about the document.
    """

    name: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)
    title: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)
    context: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)


@attrs.frozen(repr=False, eq=False)
class DataBlock(BaseBlock):
    """Structured data: any JSON value, optionally named.

    Attributes:
        data: the value.
        name: its name.
    """

    data: JSON = attrs.field(converter=free_json)
    name: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)


@attrs.frozen(repr=False, eq=False)
class ThinkingBlock(BaseBlock):
    """A model's thinking.

    Attributes:
        thinking: the words.
        redacted: an opaque payload that only its provider can read.
        raw: whether the words are known to be the model's own, not a summary of them.
    """

    thinking: str = attrs.field(default="", validator=text)
    redacted: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)
    raw: bool = attrs.field(default=False, validator=truth, kw_only=True)


def as_content(value: str | Iterable[BaseBlock]) -> tuple[Block, ...]:
    """Return blocks as a tuple; a text becomes one TextBlock, an empty text no block.

    Raises:
        InvalidMessage: code "type" if an item isn't a block.
    """
    if is_a(value, str):
        return (TextBlock(value),) if value else ()
    return as_blocks(cast("Any", value))


@attrs.frozen(repr=False, eq=False)
class ToolResultBlock(BaseBlock):
    """The result of a tool call.

    Args:
        tool_call_id: the id of the call; None if the source has none.
        content: blocks; a text becomes one TextBlock.
        name: the tool's name.
        structured: the result as any JSON, for the model; None if there is none.
        artifact: any accompanying JSON, never for the model.
        status: "success", "error", "denied", "interrupted" or another word; None if not stated.
        error: what went wrong, in words, if stated apart from the content.
        error_type: the kind of error.
        kind: as for the call.
        provider: as for the call.
    """

    tool_call_id: str | None = attrs.field(validator=optional_text)
    content: tuple[Block, ...] = attrs.field(default=(), converter=as_content)
    name: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)
    structured: JSON = attrs.field(default=None, converter=free_json, kw_only=True)
    artifact: JSON = attrs.field(default=None, converter=free_json, kw_only=True)
    status: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)
    error: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)
    error_type: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)
    kind: str = attrs.field(default="function", validator=text, kw_only=True)
    provider: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)

    @property
    def is_error(self) -> bool:
        """Whether the call failed, was denied or was interrupted."""
        return self.error is not None or self.status in {"error", "denied", "interrupted"}

    @property
    def ok(self) -> bool:
        """Whether the result reports no failure."""
        return not self.is_error

    @property
    def text(self) -> str:
        """The text blocks, joined with newlines."""
        return "\n".join(block.text for block in self.content if isinstance(block, TextBlock))


@attrs.frozen(repr=False, eq=False)
class ApprovalRequestBlock(BaseBlock):
    """A person is asked whether a tool may be called; it follows the call, in the assistant's message.

    Attributes:
        id: links the request with its response.
        tool_call_id: the id of the call; None if the source has none.
        reason: why approval is needed.
    """

    id: str = attrs.field(validator=text)
    tool_call_id: str | None = attrs.field(default=None, validator=optional_text)
    reason: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)


@attrs.frozen(repr=False, eq=False)
class ApprovalResponseBlock(BaseBlock):
    """A person's decision on a tool call, in a user message.

    Attributes:
        id: the id of the request.
        approved: whether the tool may be called.
        reason: why, or why not.
        kind: "server" if the provider runs the tool, else "function"; as for the call.
    """

    id: str = attrs.field(validator=text)
    approved: bool = attrs.field(validator=truth)
    reason: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)
    kind: str = attrs.field(default="function", validator=text, kw_only=True)


@attrs.frozen(repr=False, eq=False)
class RefusalBlock(BaseBlock):
    """A model's refusal to respond.

    Attributes:
        refusal: the words.
    """

    refusal: str = attrs.field(validator=text)


@attrs.frozen(repr=False, eq=False)
class SourceBlock(BaseBlock):
    """A source cited by a response as a whole.

    Attributes:
        url: where the source is.
        title: its title.
        media_type: its media type.
    """

    url: str | None = attrs.field(default=None, validator=optional_text)
    title: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)
    media_type: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)


@attrs.frozen(repr=False, eq=False)
class CompactionBlock(BaseBlock):
    """A provider's summary of earlier messages: readable text, an opaque payload, or both.

    Attributes:
        text: the summary in words.
        encrypted: an opaque payload that only its provider can read.
    """

    text: str | None = attrs.field(default=None, validator=optional_text)
    encrypted: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)


@attrs.frozen(repr=False, eq=False)
class ToolsBlock(BaseBlock):
    """Tools that arrive mid-conversation.

    Attributes:
        tools: their descriptions.
    """

    tools: tuple[Tool, ...] = attrs.field(converter=as_tools)


@attrs.frozen(repr=False, eq=False)
class NativeBlock(BaseBlock):
    """A foreign block without an equivalent, kept verbatim for its own family.

    Attributes:
        codec: the family of formats that may write it.
        value: the native value.
        fallback: text that other formats may write instead.
    """

    codec: str = attrs.field(validator=text)
    value: JSON = attrs.field(converter=free_json)
    fallback: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)


Block: TypeAlias = Annotated[
    TextBlock
    | ImageBlock
    | AudioBlock
    | VideoBlock
    | FileBlock
    | DataBlock
    | ThinkingBlock
    | ToolUseBlock
    | ToolResultBlock
    | ApprovalRequestBlock
    | ApprovalResponseBlock
    | RefusalBlock
    | SourceBlock
    | CompactionBlock
    | ToolsBlock
    | NativeBlock,
    Tagged("Block"),
]
"""Any of our content blocks, for type checkers: ``match`` exhausts it. Whatever takes blocks takes yours, too."""

_tags: dict[type[BaseBlock], str] = {
    TextBlock: "text",
    ImageBlock: "image",
    AudioBlock: "audio",
    VideoBlock: "video",
    FileBlock: "file",
    DataBlock: "data",
    ThinkingBlock: "thinking",
    ToolUseBlock: "tool_use",
    ToolResultBlock: "tool_result",
    ApprovalRequestBlock: "approval_request",
    ApprovalResponseBlock: "approval_response",
    RefusalBlock: "refusal",
    SourceBlock: "source",
    CompactionBlock: "compaction",
    ToolsBlock: "tools",
    NativeBlock: "native",
}
BLOCK_TAGS: Mapping[type[BaseBlock], str] = MappingProxyType(_tags)
"""The tag of each class of block: its ``type`` in the canonical format."""
TEXT_OF: Mapping[type[Any], str] = {
    TextBlock: "text", ThinkingBlock: "thinking", RefusalBlock: "refusal", ToolUseBlock: "raw_input",
}  # fmt: skip
"""The field that a piece of a block extends, by class."""
_C = TypeVar("_C", bound=type[BaseBlock])


@cache
def load_blocks() -> None:
    """Load the classes of blocks that other packages name in their entry points (group ``agentmsg.blocks``), once.

    Called when a document has a tag that no class has: looking for them takes long. An entry point is the class, whose
    name there is its tag if it has none yet; or a module that registers classes. What can't be loaded is a warning.
    """
    from importlib.metadata import entry_points  # noqa: PLC0415 - see above
    from warnings import warn  # noqa: PLC0415 - the same

    for point in entry_points(group="agentmsg.blocks"):
        try:
            found: Any = point.load()
            if isinstance(found, type) and found not in BLOCK_TAGS:
                register_block(point.name)(cast("Any", found))
        except Exception as error:  # noqa: BLE001 - whatever is wrong with a foreign module, the tag stays unknown
            msg = f"agentmsg: the block {excerpt(point.name)} of {point.value} can't be loaded: {error}"
            warn(msg, stacklevel=2)


def register_block(tag: str) -> Callable[[_C], _C]:
    """Return a class decorator that makes your block class known to every codec under ``tag``.

    Raises:
        InvalidMessage: code "type" if the class isn't an attrs-frozen BaseBlock, "key" if the tag is taken.
    """

    def register(cls: _C) -> _C:
        # Look in the class itself: a subclass without the decorator inherits its base's fields.
        is_block = isinstance(cls, type) and issubclass(cls, BaseBlock)
        if not is_block or "__attrs_attrs__" not in vars(cls):
            msg = f"{excerpt(cls)} is not an attrs class derived from BaseBlock"
            raise InvalidMessage(msg, code="type")
        if not is_a(tag, str) or not tag:
            raise refused("tag", tag, "a string")
        for known, name in list(_tags.items()):
            if name == tag and known.__qualname__ != cls.__qualname__:
                msg = f"the tag {excerpt(tag)} belongs to {known.__name__}"
                raise InvalidMessage(msg, code="key")
        _tags[cls] = tag
        return cls

    return register
