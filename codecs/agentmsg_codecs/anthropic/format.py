"""The description: blocks, sources, citations, results, tools and usage in Anthropic's Messages API.

Values that the schema refuses are read with the mark ``/odd`` (thinking without a signature: ``/unsigned``; a call or
result without an id: ``/no-id``). The capability table supports marked values, and changes others.

Follows the Python package anthropic 2.12, beta blocks included.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import attrs

import agentmsg as am
from agentmsg.formats import KEEP, Codec, Native, Parts, adopt, cells, is_object, issuers, natives
from agentmsg.formats.forms import (
    Content,
    Described,
    Each,
    Form,
    Grouped,
    Hatch,
    Input,
    Inside,
    Key,
    Link,
    Nested,
    Object,
    Text,
    Total,
    Truth,
    Whole,
    Words,
    Wrapped,
)
from agentmsg_codecs.anthropic.cells import citations, document_source, hint, image_source, status, video_source
from agentmsg_codecs.anthropic.kinds import (
    DOCUMENT_TYPES,
    IMAGE_TYPES,
    ON_THE_WEB,
    VIDEO_TYPES,
    is_known_place,
    is_mcp_call,
    is_of_mcp,
    is_search_result,
    is_upload,
    is_usual,
)
from agentmsg_codecs.anthropic.names import FAMILY, KIND, OUTPUT, PLACES, SERVER_CALLS, SERVER_RESULTS, TTLS, UPLOAD
from agentmsg_codecs.anthropic.server_results import given_schema, read_given, write_given

# Anthropic's ``input_tokens`` excludes tokens read from a cache or written to one; ours includes them.
USAGE = Form("usage", am.Usage, None, (
    Key("input_tokens", "input", Total(0, beside=("cache_read", "cache_write")), "may", lacks="partial"),
    Key("cache_creation_input_tokens", "cache_write", Whole(0), "may"),
    Key("cache_read_input_tokens", "cache_read", Whole(0), "may"),
    Key("output_tokens", "output", Whole(0), "may", lacks="partial"),
    Inside("output_tokens_details", (Key("thinking_tokens", "reasoning", Whole(), "may"),), "may", space=OUTPUT),
))  # fmt: skip
_SIGNATURE = Wrapped(am.Signature, "value", {"provider": FAMILY}, full=True)
_CACHE = Key("cache_control", "cache", Nested(("cache",)), "may", cell=hint)
_TYPE = Key("media_type", "media_type", Text(), "may")


def carried(rows: Any) -> Any:
    """Return the cell for usage, given those of its fields."""
    cached = ("cache_read", "cache_write")
    least = {"output": (), **dict.fromkeys(cached, ()), "input": cached}
    return cells.usage(rows, needs=("input", "output"), family=FAMILY, least=least)


def _call(*named: Key) -> tuple[Key, ...]:
    return (Key("id", "id", Link(), "may", lacks="no-id"), *named, Key("input", "input", Input()), _CACHE)


def _sealer(native: Native) -> str | None:
    """Return who can read a summary, if it isn't in words alone: no other provider."""
    return FAMILY if native.get("encrypted_content") else None


_NAME = Key("name", "name", Text())
_CALLED = Key("tool_use_id", "tool_call_id", Link(), "may", lacks="no-id")
_SERVER = {"kind": "server", "provider": FAMILY}


# -- forms ------------------------------------------------------------------------------------------------------------


def _citation(kind: str) -> Form:
    title, _ = PLACES[kind]
    items = (Key("cited_text", "cited_text", Text(), "may"), Key(title, "title", Text(), "null"))
    return Form(
        kind,
        am.Citation,
        kind,
        (*items, Key("url", "url", Text(), "may")) if kind == ON_THE_WEB else items,
        fixed={"kind": kind},
        marks={"odd": lambda native: not is_known_place(native, kind)},
        about="its indexes are extras",
    )


def _server_result(tag: str, name: str | None) -> Form:
    if name is None:
        return Form(
            tag, am.ToolResultBlock, tag, (_CALLED, *_outcome("texts")), fixed=_SERVER, when=lambda b: b.name is None
        )
    given = Hatch(
        keys=("content",),
        cells=dict.fromkeys(("content", "structured", "error", "error_type", "status"), KEEP),
        get=read_given,
        put=write_given,
        forms=("web_search_result",),
        must=("content",),
        schema={"content": given_schema(tag)},
        about="content of sources; error_type and error; else structured",
    )
    fixed = {**_SERVER, "name": name}
    return Form(tag, am.ToolResultBlock, tag, (_CALLED, given, _CACHE), fixed=fixed, when=lambda b: b.name == name)


def _outcome(place: str) -> tuple[Key, ...]:
    return (
        Key("content", "content", Content(place), "may"),
        Key("is_error", "status", Words({True: "error", False: "success"}, is_closed=True), "may", cell=status),
        _CACHE,
    )


FORMS = (
    Form("cache", am.CacheHint, None, (
        Key("type", "kind", Text(), known=frozenset({"ephemeral"})),
        Key("ttl", "ttl", Text(), "may", known=frozenset(TTLS)),
    )),
    *map(_citation, PLACES),
    Form("base64", am.Base64Source, "base64", (_TYPE, Key("data", "data", Text()))),
    Form("url", am.URLSource, "url", (Key("url", "url", Text()),)),
    Form("file", am.FileSource, "file", (Key("file_id", "file_id", Text()),), fixed={"provider": FAMILY}),
    Form("plain", am.TextSource, "text", (_TYPE, Key("data", "text", Text()))),
    Form("blocks", am.BlocksSource, "content", (
        Key("content", "content", Content(of=Nested(("text", "image")), is_list=True)),
    )),
    Form("text", am.TextBlock, "text", (
        Key("text", "text", Text()),
        Key("citations", "citations", Each(Nested(tuple(PLACES))), "may", cell=citations),
        _CACHE,
    )),
    Form("image", am.ImageBlock, "image", (
        Key("source", "source", Nested(("base64", "url", "file"), lambda source: is_usual(source, IMAGE_TYPES)),
            cell=image_source),
        _CACHE,
    )),
    Form("video", am.VideoBlock, "video", (
        Key("source", "source", Nested(("base64", "url", "file"), lambda source: is_usual(source, VIDEO_TYPES)),
            cell=video_source),
        _CACHE,
    )),
    Form("document", am.FileBlock, "document", (
        Key("source", "source", Nested(
            ("base64", "url", "file", "plain", "blocks"), lambda source: is_usual(source, DOCUMENT_TYPES)
        ), cell=document_source),
        Key("title", "title", Text(), "may"),
        Key("context", "context", Text(), "may"),
        _CACHE,
    )),
    Form("search_result", am.FileBlock, "search_result", (
        Key("source", "name", Text()),
        Key("title", "title", Text(), "may", lacks="untitled"),
        Key("content", "source", Wrapped(am.BlocksSource, "content", of=Each(Nested(("text",)))), cell=document_source),
        _CACHE,
    ), when=is_search_result, about="made of texts"),
    Form("container_upload", am.FileBlock, "container_upload", (
        Key("file_id", "source", Wrapped(am.FileSource, "file_id", {"provider": FAMILY}), cell=document_source),
        _CACHE,
    ), fixed={"extras": adopt({KIND: dict(UPLOAD)})}, when=is_upload, about='extras["anthropic.kind"] tells it'),
    Form("thinking", am.ThinkingBlock, "thinking", (
        Key("thinking", "thinking", Text()),
        Key("signature", "signature", _SIGNATURE, "may", lacks="unsigned",
            cell=cells.signed_by(FAMILY, family=FAMILY)),
    )),
    Form("redacted_thinking", am.ThinkingBlock, "redacted_thinking", (
        Key("data", "redacted", Text()),
    ), when=lambda block: block.redacted is not None),
    Form("tool_use", am.ToolUseBlock, "tool_use", _call(_NAME)),
    Form("mcp_tool_use", am.ToolUseBlock, "mcp_tool_use", _call(_NAME, Key("server_name", "server", Text())),
         fixed=_SERVER, fits=is_of_mcp, when=is_mcp_call),
    Form("server_tool_use", am.ToolUseBlock, "server_tool_use",
         _call(Key("name", "name", Text(), known=SERVER_CALLS)), fixed=_SERVER,
         fits=lambda native: not is_of_mcp(native), when=lambda block: block.kind == "server",
         schema={"properties": {"server_name": {"type": ["null", "boolean", "number", "array", "object"]}}}),
    Form("compaction", am.CompactionBlock, "compaction", (
        Key("content", "text", Text(), "null"),
        Key("encrypted_content", "encrypted", Text(), "may"),
        _CACHE,
    ), marks={issuers.MARK[1:]: _sealer}),
    Form("tool_result", am.ToolResultBlock, "tool_result", (
        _CALLED, *_outcome("inner"),
    ), is_apart=True),
    Form("web_search_result", am.SourceBlock, "web_search_result", (
        Key("title", "title", Text(), "may"), Key("url", "url", Text(), "may"),
    )),
    USAGE,
    *(_server_result(tag, name) for tag, name in SERVER_RESULTS.items()),
    Form("tool", am.ToolSpec, "custom", (
        Key("name", "name", Text()),
        Key("description", "description", Text(), "may"),
        Key("input_schema", "parameters", Object()),
        Key("strict", "strict", Truth(is_flag=True), "may"),
        _CACHE,
    ), tagged="read"),
)  # fmt: skip

_DOCUMENTS = ("document", "search_result", "container_upload")
_MEDIA = ("image", "video", *_DOCUMENTS)
_ANSWER = (
    "text",
    "thinking",
    "redacted_thinking",
    "tool_use",
    "mcp_tool_use",
    "server_tool_use",
    *SERVER_RESULTS,
    "compaction",
)


class _Parts(Parts):
    """Parts. References to tools and instructions amid a turn have no equivalent: other formats may write a text."""

    @staticmethod
    def said(part: Any) -> str | None:
        """Return the name of the tool, or the texts of the instructions."""
        tag = part.get("type") if is_object(part) else None
        name = part.get("tool_name") if tag == "tool_reference" else None
        if type(name) is str and name:
            return name
        return natives.native_texts(part) if tag == "mid_conv_system" else natives.native_text(part)


class Messages(Grouped):
    """Reads and writes messages of requests, and the content of responses."""

    def __init__(self) -> None:
        places = {
            "content": (*_ANSWER, *_MEDIA),
            "answer": (*_ANSWER, *_MEDIA),
            "inner": ("text", *_MEDIA),
            "texts": ("text",),
        }
        odd = {"content": ("video",), "answer": _MEDIA, "inner": ("video",)}
        described = Described(FAMILY, FORMS, places, odd=odd, table=_Parts)
        roles = {"system": "texts", "user": "content", "assistant": "content"}
        super().__init__(described, result="tool_result", roles=roles)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Anthropic(Codec):
    """Documents of Anthropic's Messages API.

    Attributes:
        thinking: what to do with thinking that Anthropic didn't sign: "drop" it, or write it as "text" in tags. None
            drops it, too, but ``encode`` then refuses to lose it.
        engine: reads and writes. Hooks registered on ``engine.parts.converter`` before first use replace ours.
    """

    family: ClassVar[str] = FAMILY
    events: ClassVar[str | None] = "agentmsg_codecs.anthropic.events"
    fits_as_read: ClassVar[bool] = True
    writes_plain: ClassVar[bool] = True
    kept: ClassVar[frozenset[str]] = frozenset(
        {"clear_at", "fallback", "tool_addition", "tool_reference", "tool_removal"}
    )

    thinking: Literal["drop", "text"] | None = attrs.field(
        default=None, validator=attrs.validators.in_((None, "drop", "text"))
    )
    engine: Messages = attrs.field(factory=Messages, init=False, eq=False, repr=False)

    @property
    def described(self) -> tuple[Described, ...]:
        """The forms of content and tools."""
        return (self.engine.described,)
