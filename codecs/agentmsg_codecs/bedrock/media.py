"""Images, sound, videos and documents: bytes as base64 text, an S3 location, or the text of a document.

JavaScript dumps bytes as JSON in ways of its own (``media.read_dumped_bytes``), and Strands writes
``{"__bytes_encoded__": true, "data": "..."}``. A mark records which.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import (
    KEEP,
    Native,
    Unreadable,
    is_list,
    is_object,
    mark_of,
    marked,
    media,
    natives,
    object_at,
    text_at,
)
from agentmsg.formats.forms import Hatch
from agentmsg_codecs.bedrock.names import DOCUMENTS, FAMILY, ITEM, S3

if TYPE_CHECKING:
    from collections.abc import Mapping

_ENCODED = "__bytes_encoded__"
MEDIUM_KEYS = frozenset({"format", "source"})
_S3_KEYS = frozenset({"uri"})


def _source(held: Any, media_type: str | None) -> Any:
    """Read bytes, or an S3 location, as a source.

    Raises:
        Unreadable: if it is neither.
    """
    if not is_object(held) or len(held) != 1:
        raise Unreadable
    ((key, value),) = held.items()
    if key == "bytes":
        data, kind = read_bytes(value)
        source = am.Base64Source(data, media_type)
        return source if kind is None else marked(source, FAMILY, bytes=kind)
    uri: Any = value.get("uri") if key == "s3Location" and is_object(value) else None
    if type(uri) is not str or not uri.startswith(S3):
        raise Unreadable
    return am.URLSource(uri, media_type, extras=natives.rest_of(value, _S3_KEYS, FAMILY))


def texts_in(parts: list[Any]) -> list[str]:
    """Return the texts of parts that are nothing more; none if there is any other part."""
    texts = [part["text"] for part in parts if is_object(part) and part.keys() == {"text"}]
    return texts if len(texts) == len(parts) and all(type(text) is str for text in texts) else []


def read_bytes(value: Any) -> tuple[str, str | None]:
    """Return the base64 text of bytes, and how they are dumped, if they are: "encoded", or as in JavaScript.

    Raises:
        Unreadable: if they are neither text nor dumped.
    """
    if type(value) is str:
        return value, None
    if is_object(value) and type(value.get("data")) is str and value == {_ENCODED: True, "data": value["data"]}:
        return value["data"], "encoded"
    found = media.read_dumped_bytes(value)
    if found is None:
        raise Unreadable
    return found


def write_bytes(data: str, owner: Any) -> Any:
    """Write base64 text, or the form in which its owner was read."""
    kind = mark_of(owner, FAMILY, "/bytes") if owner.notes else None
    return {_ENCODED: True, "data": data} if kind == "encoded" else media.dumped_bytes(data, kind)


def _write_source(source: Any) -> Native:
    if isinstance(source, am.Base64Source):
        return {"bytes": write_bytes(source.data, source)}
    return {"s3Location": {"uri": source.url, **natives.extras_copy(source, FAMILY)}}


def _only(key: str, schema: Mapping[str, Any]) -> Native:
    """Return the schema of an object with one key."""
    return {"type": "object", "properties": {key: schema}, "required": [key], "additionalProperties": False}


_TEXT: Mapping[str, Any] = {"type": "string"}
BYTES: Mapping[str, Any] = {"anyOf": [_TEXT, media.BYTES_SCHEMA]}
_STORED = {"type": "object", "properties": {"uri": _TEXT}, "required": ["uri"]}
_SOURCES = (_only("bytes", BYTES), _only("s3Location", _STORED))


def media_hatch(key: str, formats: Mapping[str, str]) -> Hatch:
    """Return the hatch for media of a kind.

    Args:
        key: the key of the part.
        formats: the media types, by format.
    """
    words = {media_type: word for word, media_type in formats.items()}

    def read(native: Native) -> dict[str, Any]:
        held = object_at(native, key)
        word = text_at(held, "format")
        if word not in formats:
            raise Unreadable
        source = _source(held.get("source"), formats[word])
        return {"source": source, "extras": natives.rest_of(held, MEDIUM_KEYS, ITEM)}

    def write(block: Any) -> Native:
        held = {"format": words[block.source.media_type], "source": _write_source(block.source)}
        return {key: {**held, **natives.extras_copy(block, ITEM)} if block.extras else held}

    schema = {"type": "object", "required": ["format", "source"], "properties": {
        "format": {"enum": list(formats)}, "source": {"anyOf": [*_SOURCES]},
    }}  # fmt: skip
    return Hatch(keys=(key,), cells={"source": KEEP}, get=read, put=write, must=(key,), schema={key: schema},
                 about="source", spaces=(ITEM,))  # fmt: skip


# -- documents --------------------------------------------------------------------------------------------------------

_WORDS = {media_type: word for word, media_type in DOCUMENTS.items()}
DOCUMENT_KEYS = MEDIUM_KEYS | {"name", "context"}


def _read_document(native: Native) -> dict[str, Any]:
    held = object_at(native, "document")
    word = text_at(held, "format") if "format" in held else None
    context = text_at(held, "context") if "context" in held else None
    if word is not None and word not in DOCUMENTS:
        raise Unreadable
    media_type = None if word is None else DOCUMENTS[word]
    source, notes = _document_source(held.get("source"), media_type)
    return {
        "source": source, "name": text_at(held, "name"), "context": context, "notes": notes,
        "extras": natives.rest_of(held, DOCUMENT_KEYS, ITEM),
    }  # fmt: skip


def _document_source(held: Any, media_type: str | None) -> tuple[Any, Native]:
    """Return the source of a document, and the mark of its format if the source has no field for it."""
    if is_object(held) and held.keys() == {"text"} and type(held["text"]) is str:
        return am.TextSource(held["text"], media_type), {}
    parts: Any = held.get("content") if is_object(held) and len(held) == 1 else None
    if is_list(parts):
        texts = texts_in(parts)
        if not texts:
            raise Unreadable
        notes = {} if media_type is None else {"/format": _WORDS[media_type]}
        return am.BlocksSource(tuple(map(am.TextBlock, texts))), notes
    return _source(held, media_type), {}


def _write_document(block: am.FileBlock) -> Native:
    source: Any = block.source
    if isinstance(source, am.BlocksSource):
        word = mark_of(block, FAMILY, "/format")
        given: Native = {"content": [{"text": part.text} for part in source.content if isinstance(part, am.TextBlock)]}
        word = word if word in DOCUMENTS else None
    else:
        word = _WORDS.get(source.media_type or "")
        given = {"text": source.text} if isinstance(source, am.TextSource) else _write_source(source)
    held: Native = {"name": block.name, "source": given}
    if word is not None:
        held = {"format": word, **held}
    if block.context is not None:
        held["context"] = block.context
    return {"document": {**held, **natives.extras_copy(block, ITEM)}}


_TEXTS = {"type": "array", "items": _only("text", _TEXT), "minItems": 1}
DOCUMENT = Hatch(
    keys=("document",),
    cells={"source": KEEP, "name": KEEP, "context": KEEP},
    get=_read_document,
    put=_write_document,
    must=("document",),
    schema={"document": {
        "type": "object",
        "properties": {
            "format": {"enum": list(DOCUMENTS)}, "name": _TEXT, "context": _TEXT,
            "source": {"anyOf": [*_SOURCES, _only("text", _TEXT), _only("content", _TEXTS)]},
        },
        "required": ["name", "source"],
    }},
    about="source, name, context",
    spaces=(ITEM,),
)  # fmt: skip
