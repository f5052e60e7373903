"""Images and documents, and where they come from.

A search result is a document that is made of texts and has a name; an upload to the container is a document whose
extras say so, under ``anthropic.kind``.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

import agentmsg as am
from agentmsg.formats import (
    Native,
    Shape,
    Unreadable,
    adopt,
    is_bare_text,
    is_list,
    is_object,
    maker,
    mark_of,
    marked,
    object_at,
    read_as,
    text_at,
    word_at,
    write_as,
)
from agentmsg_codecs.anthropic.names import FAMILY, KIND, UPLOAD
from agentmsg_codecs.anthropic.shapes import TEXT, cache_of, items_at, make_text, with_cache

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


_make_base64 = maker(am.Base64Source)
_make_blocks = maker(am.BlocksSource)
_make_document = maker(am.FileBlock)
_make_file = maker(am.FileSource)
_make_image = maker(am.ImageBlock)
_make_text_source = maker(am.TextSource)
_make_url = maker(am.URLSource)

# The media types that the schema has, by class of source; where a class is missing, it has no place.
IMAGE_TYPES: Mapping[type[Any], frozenset[str | None]] = MappingProxyType(
    {
        am.Base64Source: frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"}),
        am.URLSource: frozenset({None}),
        am.FileSource: frozenset({None}),
    }
)
DOCUMENT_TYPES: Mapping[type[Any], frozenset[str | None]] = MappingProxyType(
    {
        am.Base64Source: frozenset({"application/pdf"}),
        am.URLSource: frozenset({None}),
        am.FileSource: frozenset({None}),
        am.TextSource: frozenset({"text/plain"}),
        am.BlocksSource: frozenset({None}),
    }
)


# -- sources ----------------------------------------------------------------------------------------------------------


def _typed(native: Native, key: str, source: Any) -> Native:
    if source.media_type is not None:
        native["media_type"] = source.media_type
    native[key] = source.data if key == "data" and isinstance(source, am.Base64Source) else source.text
    return native


def _read_blocks(native: Native, _: Any) -> am.BlocksSource:
    value = native.get("content")
    if type(value) is str:
        return marked(_make_blocks((make_text(value),) if value else ()), FAMILY, str=True)
    if not is_list(value):
        raise Unreadable
    return _make_blocks(tuple(map(_read_inner, items_at(native, "content"))))


def _read_inner(part: Any) -> Any:
    tag: Any = part.get("type") if is_object(part) else None
    shape = _INNER.get(tag) if type(tag) is str else None
    if shape is None:
        raise Unreadable
    return read_as(shape, part, FAMILY)


def _write_inner(block: Any) -> Native:
    return write_as(TEXT if isinstance(block, am.TextBlock) else IMAGE, block, FAMILY)


def _write_blocks(source: am.BlocksSource) -> Native:
    content = source.content
    if (
        mark_of(source, FAMILY, "/str") is True
        and len(content) <= 1
        and all(is_bare_text(block, FAMILY) for block in content)
    ):
        words: Any = content[0] if content else None
        return {"type": "content", "content": words.text if words else ""}
    return {"type": "content", "content": list(map(_write_inner, content))}


def _source(
    cls: type[Any], tag: str, keys: set[str], read: Callable[[Native, Any], Any], write: Callable[[Any], Native]
) -> Shape:
    return Shape(cls=cls, keys={tag: frozenset({"type", *keys})}, read=read, write=write, never=frozenset({"content"}))


_SOURCES: Mapping[str, Shape] = {
    "base64": _source(
        am.Base64Source,
        "base64",
        {"media_type", "data"},
        lambda native, _: _make_base64(text_at(native, "data"), word_at(native, "media_type")),
        lambda source: _typed({"type": "base64"}, "data", source),
    ),
    "url": _source(
        am.URLSource,
        "url",
        {"url"},
        lambda native, _: _make_url(text_at(native, "url")),
        lambda source: {"type": "url", "url": source.url},
    ),
    "file": _source(
        am.FileSource,
        "file",
        {"file_id"},
        lambda native, _: _make_file(text_at(native, "file_id"), FAMILY),
        lambda source: {"type": "file", "file_id": source.file_id},
    ),
    "text": _source(
        am.TextSource,
        "text",
        {"media_type", "data"},
        lambda native, _: _make_text_source(text_at(native, "data"), word_at(native, "media_type")),
        lambda source: _typed({"type": "text"}, "data", source),
    ),
    "content": _source(am.BlocksSource, "content", {"content"}, _read_blocks, _write_blocks),
}
_BY_CLASS: Mapping[type[Any], Shape] = {shape.cls: shape for shape in _SOURCES.values()}


def source_keys(source: Any) -> frozenset[str]:
    """Return the keys that a source has of its own."""
    return next(iter(_BY_CLASS[source.__class__].keys.values()))


def is_usual(source: Any, types: Mapping[type[Any], frozenset[str | None]]) -> bool:
    """Whether a source is one that the schema has here."""
    return getattr(source, "media_type", None) in types.get(source.__class__, ())


def _read_source(native: Native, types: Mapping[type[Any], frozenset[str | None]]) -> Any:
    value = object_at(native, "source")
    tag = value.get("type")
    shape = _SOURCES.get(tag) if isinstance(tag, str) else None
    if shape is None or shape.cls not in types:
        raise Unreadable
    source = read_as(shape, value, FAMILY)
    return source if is_usual(source, types) else marked(source, FAMILY, odd=True)


def _write_source(source: Any) -> Native:
    return write_as(_BY_CLASS[type(source)], source, FAMILY)


# -- images -----------------------------------------------------------------------------------------------------------


def _read_image(native: Native, _: Any) -> am.ImageBlock:
    return _make_image(source=_read_source(native, IMAGE_TYPES), cache=cache_of(native))


def _write_image(block: am.ImageBlock) -> Native:
    return with_cache({"type": "image", "source": _write_source(block.source)}, block)


IMAGE = Shape(
    cls=am.ImageBlock,
    keys={"image": frozenset({"type", "source", "cache_control"})},
    read=_read_image,
    write=_write_image,
)
_INNER: Mapping[Any, Shape] = {"text": TEXT, "image": IMAGE}


# -- documents --------------------------------------------------------------------------------------------------------


def is_upload(block: am.FileBlock) -> bool:
    """Whether a document is an upload to the container."""
    source = block.source
    return type(source) is am.FileSource and source.provider == FAMILY and block.extras.get(KIND) == UPLOAD


def is_search_result(block: am.FileBlock) -> bool:
    """Whether a document is a search result: texts that have a name."""
    source = block.source
    if type(source) is not am.BlocksSource or block.name is None:
        return False
    return all(type(item) is am.TextBlock for item in source.content)


def _tag_of_file(block: am.FileBlock) -> str:
    return "container_upload" if is_upload(block) else "search_result" if is_search_result(block) else "document"


def _read_document(native: Native) -> am.FileBlock:
    return _make_document(
        source=_read_source(native, DOCUMENT_TYPES), title=word_at(native, "title"), context=word_at(native, "context")
    )


def _read_search_result(native: Native) -> am.FileBlock:
    if not is_list(native.get("content")):
        raise Unreadable
    texts = tuple(map(_read_inner, items_at(native, "content")))
    if not all(type(item) is am.TextBlock for item in texts):
        raise Unreadable
    block = _make_document(source=_make_blocks(texts), name=text_at(native, "source"), title=word_at(native, "title"))
    return block if block.title is not None else marked(block, FAMILY, untitled=True)


def _read_upload(native: Native) -> am.FileBlock:
    return _make_document(
        source=_make_file(text_at(native, "file_id"), FAMILY), extras=adopt({KIND: {"type": UPLOAD["type"]}})
    )


def _write_document(block: am.FileBlock) -> Native:
    native: Native = {"type": "document", "source": _write_source(block.source)}
    if block.title is not None:
        native["title"] = block.title
    if block.context is not None:
        native["context"] = block.context
    return native


def _write_search_result(block: am.FileBlock) -> Native:
    source = cast("am.BlocksSource", block.source)
    native: Native = {"type": "search_result", "source": block.name}
    if block.title is not None:
        native["title"] = block.title
    native["content"] = list(map(_write_inner, source.content))
    return native


def _write_upload(block: am.FileBlock) -> Native:
    return {"type": "container_upload", "file_id": cast("am.FileSource", block.source).file_id}


_FILES: Mapping[str, tuple[set[str], Callable[[Native], am.FileBlock], Callable[[am.FileBlock], Native]]] = {
    "document": ({"source", "title", "context"}, _read_document, _write_document),
    "search_result": ({"source", "title", "content"}, _read_search_result, _write_search_result),
    "container_upload": ({"file_id"}, _read_upload, _write_upload),
}


def _read_file(native: Native, _: Any) -> am.FileBlock:
    block = _FILES[native["type"]][1](native)
    hint = cache_of(native)
    return block if hint is None else block.evolve(cache=hint)


def _write_file(block: am.FileBlock) -> Native:
    return with_cache(_FILES[_tag_of_file(block)][2](block), block)


FILE = Shape(
    cls=am.FileBlock,
    keys={tag: frozenset({"type", "cache_control", *keys}) for tag, (keys, _, _) in _FILES.items()},
    read=_read_file,
    write=_write_file,
    tag_of=_tag_of_file,
    never=frozenset({"content", "source"}),
)
