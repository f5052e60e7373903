"""The one table of the canonical form: each class of the model, its tag, and its fields in order.

The order of the fields is the order of keys in JSON and of positions in MessagePack. **Version 1 is fixed**: names,
order, kinds, tags and numbers never change, and new fields, classes and roles are only ever appended. A reader of
version 1 that meets fields added later keeps them (see reading.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from agentmsg import (
    ApprovalRequestBlock,
    ApprovalResponseBlock,
    AudioBlock,
    Base64Source,
    BaseBlock,
    BlocksSource,
    CacheHint,
    Citation,
    CompactionBlock,
    DataBlock,
    FileBlock,
    FileSource,
    History,
    ImageBlock,
    Msg,
    NativeBlock,
    NativeTool,
    RefusalBlock,
    Settings,
    Signature,
    SourceBlock,
    TextBlock,
    TextSource,
    ThinkingBlock,
    ToolResultBlock,
    ToolsBlock,
    ToolSpec,
    ToolUseBlock,
    URLSource,
    Usage,
    VideoBlock,
    same,
)
from agentmsg.formats import EMPTY, blocks

if TYPE_CHECKING:
    from collections.abc import Mapping


FAMILY = "agentmsg"
VERSION = 1
REQUIRED: Any = object()

# In MessagePack a role is its index here; any other role is its text.
ROLES = ("system", "developer", "user", "assistant", "tool", "remove", "native", "unset")
ROLE_NUMBERS = {role: number for number, role in enumerate(ROLES)}


class Field(NamedTuple):
    """One field of a class.

    Attributes:
        name: the constructor's argument, and the key in JSON.
        kind: the kind of its values; see kinds.py.
        default: the value of an absent field, or REQUIRED. None is a value only if it is the default.
        of: the class of the values for the kind "object", their type for the kind "typed"; of extras and notes the
            namespaces in which an earlier version kept a field.
        always: whether the default is written too.
    """

    name: str
    kind: str
    default: Any = REQUIRED
    of: Any = None
    always: bool = False

    @property
    def takes_null(self) -> bool:
        """Whether null is the same as no key: of optional ones, those of a single value."""
        is_single = self.default is None or (self.kind in ("text", "truth") and self.default is not REQUIRED)
        return is_single and self.kind != "typed"

    def is_default(self, value: Any) -> bool:
        """Whether a value equals the default."""
        default = self.default
        if default is None:
            return value is None
        return default is not REQUIRED and (value is default or same(value, default))


class Spec(NamedTuple):
    """One class: its tag as text (JSON) and as number (MessagePack), or None; its fields; the key of its tag."""

    cls: type
    tag: Any
    number: int | None
    fields: tuple[Field, ...]
    key: str = "type"

    @property
    def is_named(self) -> bool:
        """Whether this is a user's class, whose fields have no positions."""
        return self.number is None and self.tag is not None

    @property
    def names(self) -> frozenset[str]:
        """The known keys of JSON objects of this class."""
        own = {field.name for field in self.fields}
        return frozenset(own if self.tag is None else own | {self.key})


def _text(name: str, default: Any = None) -> Field:
    return Field(name, "text", default)


def _may(kind: str, *names: str) -> tuple[Field, ...]:
    return tuple(Field(name, kind, None) for name in names)


def _must(name: str, kind: str = "text") -> Field:
    return Field(name, kind)


def _mapping(name: str) -> Field:
    return Field(name, "mapping", EMPTY)


_REST = (Field("extras", "mapping", EMPTY), Field("notes", "mapping", EMPTY))
_CACHE = Field("cache", "object", None, CacheHint)

COMMON = (
    _text("item_id"),
    _text("phase"),
    _mapping("metadata"),
    _CACHE,
    Field("signature", "object", None, Signature),
    *_REST,
)
_SOURCE = _must("source", "source")
_KIND = _text("kind", "function")

# Blocks, sources and tools are numbered separately.
_BLOCKS: Mapping[type[BaseBlock], tuple[int, tuple[Field, ...]]] = {
    TextBlock: (1, (_must("text"), Field("citations", "citations", ()))),
    ImageBlock: (2, (_SOURCE, _text("detail"))),
    AudioBlock: (3, (_SOURCE, _text("transcript"))),
    VideoBlock: (4, (_SOURCE,)),
    FileBlock: (5, (_SOURCE, *_may("text", "name", "title", "context"))),
    DataBlock: (6, (_must("data", "json"), _text("name"))),
    ThinkingBlock: (7, (_text("thinking", ""), _text("redacted"))),
    ToolUseBlock: (
        8,
        (
            _must("name"),
            _text("id"),
            Field("input", "input", EMPTY, always=True),
            _text("raw_input"),
            _KIND,
            *_may("text", "provider", "status"),
        ),
    ),
    ToolResultBlock: (
        9,
        (
            _text("tool_call_id"),
            Field("content", "blocks", ()),
            *_may("text", "name", "status", "error", "error_type"),
            _KIND,
            _text("provider"),
            *_may("json", "structured", "artifact"),
        ),
    ),
    RefusalBlock: (10, (_must("refusal"),)),
    SourceBlock: (11, _may("text", "url", "title", "media_type")),
    CompactionBlock: (12, _may("text", "text", "encrypted")),
    ToolsBlock: (13, (_must("tools", "tools"),)),
    NativeBlock: (14, (_must("codec"), _must("value", "json"), _text("fallback"))),
    ApprovalRequestBlock: (15, (_must("id"), *_may("text", "tool_call_id", "reason"))),
    ApprovalResponseBlock: (16, (_must("id"), _must("approved", "truth"), _text("reason"), _KIND)),
}


def _spec(
    cls: type, *fields: Field, tag: str | None = None, number: int | None = None, later: tuple[Field, ...] = ()
) -> Spec:
    """Return the spec of a class that isn't a block; ``later`` are fields that were appended."""
    return Spec(cls, tag, number, (*fields, *_REST, *later))


SOURCES: Mapping[type, Spec] = {
    spec.cls: spec
    for spec in (
        _spec(URLSource, _must("url"), _text("media_type"), tag="url", number=1),
        _spec(Base64Source, _must("data"), _text("media_type"), tag="base64", number=2),
        _spec(FileSource, _must("file_id"), *_may("text", "provider", "media_type"), tag="file", number=3),
        _spec(TextSource, _must("text"), _text("media_type"), tag="text", number=4),
        _spec(BlocksSource, _must("content", "blocks"), tag="blocks", number=5),
    )
}

TOOLS: Mapping[type, Spec] = {
    ToolSpec: _spec(
        ToolSpec,
        _must("name"),
        _text("description"),
        *_may("mapping", "parameters"),
        *_may("truth", "strict"),
        _KIND,
        _CACHE,
        _mapping("metadata"),
        tag="tool",
        number=1,
    ),
    NativeTool: _spec(NativeTool, _must("codec"), _must("value", "json"), tag="native", number=2),
}

_COUNTERS = ("input", "output", "total", "cache_read", "cache_write", "reasoning", "input_audio", "output_audio")

_PLAIN: tuple[Spec, ...] = (
    _spec(Citation, *_may("text", "url", "title", "cited_text"), *_may("whole", "start", "end"), _text("kind")),
    _spec(Signature, _must("value"), _text("provider")),
    _spec(CacheHint, _text("kind", "ephemeral"), _text("ttl")),
    _spec(Usage, *_may("whole", *_COUNTERS), *_may("number", "cost", "seconds")),
    _spec(
        Settings,
        _text("model"),
        *_may("whole", "max_tokens"),
        *_may("number", "temperature", "top_p"),
        *_may("whole", "top_k"),
        Field("stop", "texts", ()),
        *_may("whole", "seed"),
        *_may("asked", "tool_choice"),
        *_may("truth", "parallel_tool_calls"),
        *_may("asked", "response_format", "reasoning"),
        *_may("truth", "stream", "store"),
        _text("user"),
        _mapping("metadata"),
    ),
    _spec(
        Msg,
        _must("role", "role"),
        Field("content", "blocks", (), always=True),
        _text("id"),
        *_may("time", "created_at"),
        *_may("text", "name", "model", "finish_reason"),
        Field("usage", "object", None, Usage),
        _text("recipient"),
        _mapping("metadata"),
        _mapping("response_metadata"),
        *_may("json", "structured"),
        *_may("embedding", "embedding"),
        later=_may("text", "provider", "api"),
    ),
    Spec(
        History,
        VERSION,
        VERSION,
        (
            _must("messages", "messages"),
            _text("id"),
            Field("tools", "tools", ()),
            _mapping("metadata"),
            *_REST,
            Field("settings", "object", None, Settings),
        ),
        key=FAMILY,
    ),
)

# Fields of blocks that were appended: in MessagePack a field is known by its place.
_LATER: Mapping[type[BaseBlock], tuple[Field, ...]] = {
    ThinkingBlock: (Field("raw", "truth", False),),
    ToolUseBlock: _may("text", "server", "namespace"),
}

# The ids that the library makes if a document has none; see ``Engine.made_again``.
LINKS: Mapping[type, str] = {ToolUseBlock: "id", ToolResultBlock: "tool_call_id"}

# What was an extra or a note before it had a field: the field, the kinds of calls that have it, and its place.
EARLIER: Mapping[type, tuple[tuple[str, tuple[str, ...], tuple[str, str, str]], ...]] = {
    ThinkingBlock: (("raw", (), ("notes", "openai-responses", "/raw")),),
    ToolUseBlock: (
        ("server", ("server",), ("extras", "anthropic", "server_name")),
        ("server", ("server",), ("extras", "openai-responses", "server_label")),
        ("namespace", ("function", "custom"), ("extras", "openai-responses", "namespace")),
    ),
}


def _common(cls: type[BaseBlock]) -> tuple[Field, ...]:
    """Return the common fields of a class, with the namespaces whose extras or notes need the plain path."""
    places = [place for _, _, place in EARLIER.get(cls, ())]
    spaces = {field.name: tuple(space for held, space, _ in places if held == field.name) for field in _REST}
    return tuple(field._replace(of=spaces[field.name]) if spaces.get(field.name) else field for field in COMMON)


SPECS: Mapping[type, Spec] = {
    **{
        cls: Spec(cls, blocks.BLOCK_TAGS[cls], number, (*own, *_common(cls), *_LATER.get(cls, ())))
        for cls, (number, own) in _BLOCKS.items()
    },
    **SOURCES,
    **TOOLS,
    **{spec.cls: spec for spec in _PLAIN},
}
