"""Anthropic's own parts in LangChain's content: calls and results of its server tools, and documents.

They become the blocks that the codec ``anthropic`` reads, so that a conversation can go there and back. Keys that only
Anthropic's parts have are extras of its family. Follows langchain-anthropic 1.x (``_format_messages`` and ``_compat``)
and ``block_translators/anthropic`` of langchain-core.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError
from agentmsg.formats import (
    KEEP,
    Native,
    Shape,
    Unreadable,
    adopt,
    is_list,
    is_object,
    maker,
    natives,
    plain_copy,
    read_as,
    text_at,
    word_at,
    write_as,
)
from agentmsg.formats.forms import Arguments, Each, Form, Hatch, Key, Link, Text, Via, Wrapped
from agentmsg_codecs.langchain.blocks.dialects import inner_object
from agentmsg_codecs.langchain.blocks.v1 import CACHE, ID, is_only_text, make_text, via
from agentmsg_codecs.langchain.blocks.v1_forms import TITLES, args_of, call_input
from agentmsg_codecs.langchain.names import ANTHROPIC

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


_make_source = maker(am.SourceBlock)
# The namespace that says what a block is, if no field does.
KIND = "anthropic.kind"
_UPLOAD = adopt({KIND: {"type": "container_upload"}})
# The tools that run at Anthropic, by the tag of their results.
TOOLS: Mapping[str, str] = {
    f"{name}_tool_result": name
    for name in (
        "web_search", "web_fetch", "code_execution", "bash_code_execution", "text_editor_code_execution",
        "tool_search", "advisor",
    )
}  # fmt: skip


def foreign(*keys: str) -> Hatch:
    """Return the item of keys that are extras of Anthropic's family."""

    def get(part: Native) -> Native:
        return {"extras": {ANTHROPIC: {key: part[key] for key in part if key in keys}}}

    def put(block: Any) -> Native:
        extras = natives.extras_of(block, ANTHROPIC)
        return {key: extras[key] for key in extras if key in keys}

    return Hatch(keys=keys, cells={}, get=get, put=put, is_optional=True, spaces=(ANTHROPIC,))


# -- calls ------------------------------------------------------------------------------------------------------------

_SERVER = {"kind": "server", "provider": ANTHROPIC}
_FUNCTION = {"kind": "function"}


def _read_input(value: Any) -> Any:
    if not is_object(value):
        raise Unreadable
    return call_input(value)


_INPUT = Key("input", "input", Via(_read_input, args_of, {"type": "object"}))
_CALL = (Key("id", "id", Link(), "null"), Key("name", "name", Text()), _INPUT, CACHE)


def _has_object(block: am.ToolUseBlock) -> bool:
    """Whether the input of a call says all of its arguments."""
    return block.is_valid and block.significant_text is None


def server_name(block: Any) -> str | None:
    """Return the name of the MCP server of a call, or None."""
    name = natives.extras_of(block, ANTHROPIC).get("server_name")
    return name if isinstance(name, str) else None


OF_USES = ("caller", "toolset_name")
_CALLS = (
    Form("tool_use", am.ToolUseBlock, "tool_use", _CALL, fixed=_FUNCTION, when=_has_object, notes={"shape": "tool_use"},
         fits=lambda part: "caller" not in part and "toolset_name" not in part),
    # What is left of a stream.
    Form("tool_use_text", am.ToolUseBlock, "tool_use", (
        *_CALL[:2], Key("input", "input", Arguments()), CACHE,
    ), fixed=_FUNCTION, notes={"shape": "tool_use-text"}, fits=lambda part: type(part.get("input")) is str),
    Form("used", am.ToolUseBlock, "tool_use", (*_CALL, foreign(*OF_USES)), fixed=_FUNCTION,
         when=lambda block: ANTHROPIC in block.extras and _has_object(block)),
)  # fmt: skip


# -- results ----------------------------------------------------------------------------------------------------------


_TITLE_AND_URL = ("title", "url")
_SOURCE = Shape(
    cls=am.SourceBlock,
    keys={"web_search_result": frozenset({"type", *_TITLE_AND_URL})},
    read=lambda native, _: _make_source(**{key: word_at(native, key) for key in _TITLE_AND_URL}),
    write=lambda block: {
        "type": "web_search_result",
        **{key: value for key in _TITLE_AND_URL if (value := getattr(block, key)) is not None},
    },
)


def _read_source(item: Any) -> Any:
    if not is_object(item) or item.get("type") != "web_search_result":
        raise Unreadable
    return read_as(_SOURCE, plain_copy(item), ANTHROPIC)


def form_of(tag: str, content: Any) -> Native:
    """Return the fields of a result for the output of Anthropic's tool: sources, an error, or anything structured."""
    if tag == "web_search_tool_result" and is_list(content):
        try:
            return {"content": tuple(map(_read_source, content))}
        except (Unreadable, AgentMsgError):
            pass
    if is_object(content) and content.get("type") == f"{tag}_error":
        code, message = content.get("error_code"), content.get("error_message")
        is_whole = len(content) == 2 + ("error_message" in content)  # type and code
        if is_whole and type(code) is str and type(content.get("error_message", "")) is str:
            return {"error_type": code, "error": message, "status": "error"}
    return {"structured": _read_structured(content)}


def _read_structured(content: Any) -> Any:
    if type(content) not in (list, dict):
        raise Unreadable
    return adopt(content)


def output_of(block: Any) -> Any:
    """Return the output of Anthropic's tool."""
    if block.structured is not None:
        return block.structured
    if block.error_type is None:
        return [write_as(_SOURCE, item, ANTHROPIC) for item in block.content]
    native: Native = {"type": f"{block.name}_tool_result_error", "error_code": block.error_type}
    return native if block.error is None else {**native, "error_message": block.error}


_GIVEN = ("content", "structured", "error", "error_type", "status")


def _says_given(tag: str) -> Callable[[Any], bool]:
    """Return the test of results that come back from the output of a tool."""
    absent = {**dict.fromkeys(_GIVEN), "content": ()}

    def test(block: Any) -> bool:
        try:
            found = {**absent, **form_of(tag, am.thaw(output_of(block)))}
        except (Unreadable, AgentMsgError, AttributeError):
            return False
        return all(am.same(getattr(block, name), found[name]) for name in _GIVEN)

    return test


def says_output(block: Any) -> bool:
    """Whether the output of Anthropic's tool says all of a result."""
    if block.name is not None:
        return _says_given(f"{block.name}_tool_result")(block)
    return all(map(is_only_text, block.content)) and block.structured is None and block.error_type is None


def read_text(part: Any) -> Any:
    """Return a plain text inside a result or document; one that says more makes the whole unreadable."""
    if not is_object(part) or part.get("type") != "text" or len(part) != 2:  # noqa: PLR2004 - type and text
        raise Unreadable
    return make_text(text=text_at(part, "text"))


def _write_text(block: Any) -> Native:
    return {"type": "text", "text": block.text}


def write_texts(blocks: Any) -> list[Native]:
    """Return the parts of plain texts."""
    return list(map(_write_text, blocks))


# For the codec ``anthropic``, which by default writes a single plain text as a string.
LISTED = adopt({ANTHROPIC: {"/list": True}})
_TEXT_PART = {
    "type": "object",
    "properties": {"type": {"const": "text"}, "text": {"type": "string"}},
    "required": ["type", "text"],
    "additionalProperties": False,
}
_TEXTS = Each(Via(read_text, _write_text, adopt(_TEXT_PART), KEEP))
# -- documents --------------------------------------------------------------------------------------------------------

# By kind of source: the class, the key of its data, and the field.
_KINDS: Mapping[str, tuple[type[Any], str, str]] = {
    "base64": (am.Base64Source, "data", "data"),
    "url": (am.URLSource, "url", "url"),
    "file": (am.FileSource, "file_id", "file_id"),
    "text": (am.TextSource, "data", "text"),
}
_KIND_OF = {cls: kind for kind, (cls, _, _) in _KINDS.items()}


def _media_source(*kinds: str) -> tuple[Hatch, Callable[[Any], bool]]:
    """Return the item of the source of an image or document, and the test of blocks with one of these kinds."""

    def get(native: Native) -> Native:
        kind, media_type = native.get("type"), word_at(native, "media_type")
        if type(kind) is not str or kind not in kinds:
            raise Unreadable
        cls, key, field = _KINDS[kind]
        own = {"provider": ANTHROPIC} if kind == "file" else {}
        return {"source": cls(media_type=media_type, **{field: text_at(native, key)}, **own)}

    def put(block: Any) -> Native:
        source = block.source
        kind = _KIND_OF[type(source)]
        _, key, field = _KINDS[kind]
        return {"type": kind, "media_type": source.media_type, key: getattr(source, field)}

    def when(block: Any) -> bool:
        source = block.source
        own = ANTHROPIC if type(source) is am.FileSource else None
        is_plain = not source.extras and getattr(source, "provider", None) == own
        return is_plain and _KIND_OF.get(source.__class__) in kinds

    return inner_object("source", get, put, "source", must=2), when


def _read_texts(native: Any) -> Any:
    """Read the source of a document that consists of texts."""
    content = native.get("content") if is_object(native) and native.get("type") == "content" else None
    if not is_list(content) or len(native) != 2:  # noqa: PLR2004 - type and content
        raise Unreadable
    return am.BlocksSource(tuple(map(read_text, content)))


def is_of_texts(source: Any) -> bool:
    """Whether a source consists of plain texts."""
    return type(source) is am.BlocksSource and not source.extras and all(map(is_only_text, source.content))


_CITED = foreign("citations")
_MADE_OF_TEXTS = via(
    _read_texts,
    lambda source: {"type": "content", "content": write_texts(source.content)},
    {
        "type": "object",
        "properties": {"type": {"const": "content"}, "content": {"type": "array", "items": _TEXT_PART}},
        "required": ["type", "content"],
        "additionalProperties": False,
    },
)
_IMAGE, _is_image = _media_source("base64", "url", "file")
_DOCUMENT, _is_document = _media_source("base64", "url", "file", "text")
_DOCUMENTS = (
    Form("anthropic_image", am.ImageBlock, "image", (_IMAGE, ID, CACHE), notes={"shape": "anthropic"}, when=_is_image,
         fits=lambda part: "source" in part),
    Form("anthropic_video", am.VideoBlock, "video", (_IMAGE, ID, CACHE), notes={"shape": "anthropic"}, when=_is_image,
         fits=lambda part: "source" in part),
    Form("document", am.FileBlock, "document", (_DOCUMENT, *TITLES, ID, CACHE), notes={"shape": "document"},
         when=_is_document, fits=lambda part: "citations" not in part),
    Form("document_blocks", am.FileBlock, "document", (
        Key("source", "source", _MADE_OF_TEXTS), *TITLES, _CITED, CACHE,
    ), when=lambda block: block.name is None and is_of_texts(block.source)),
    Form("search_result", am.FileBlock, "search_result", (
        Key("source", "name", Text()), TITLES[0],
        Key("content", "source", Wrapped(am.BlocksSource, "content", of=_TEXTS)), _CITED, CACHE,
    ), when=lambda block: block.name is not None and is_of_texts(block.source)),
    Form("container_upload", am.FileBlock, "container_upload", (
        Key("file_id", "source", Wrapped(am.FileSource, "file_id", {"provider": ANTHROPIC})), CACHE,
    ), fixed={"extras": _UPLOAD}, when=lambda block: block.extras.get(KIND) == _UPLOAD[KIND]
        and am.same(block.source, am.FileSource(getattr(block.source, "file_id", ""), provider=ANTHROPIC))),
    Form("cited_document", am.FileBlock, "document", (_DOCUMENT, *TITLES, _CITED, ID, CACHE),
         fits=lambda part: "citations" in part,
         when=lambda block: ANTHROPIC in block.extras and _is_document(block)),
    Form("compaction", am.CompactionBlock, "compaction", (
        Key("content", "text", Text(), "null"), Key("encrypted_content", "encrypted", Text(), "may"), CACHE,
    ), notes={"shape": "compaction"}),
)  # fmt: skip

OWN = (*_CALLS, *_DOCUMENTS)
