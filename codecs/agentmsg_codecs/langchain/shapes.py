"""The other shapes of content parts: a dozen generations of LangChain, and what providers wrote.

Each shape knows its parts, reads them, and writes a block back in its own spelling. A block keeps the name of its
shape as a note; parts.py honours it only while what is written reads back as the same block. Imports v1 and the model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs

import agentmsg as am
from agentmsg.json_values import EMPTY, adopt
from agentmsg_codecs.langchain import v1, v1_media
from agentmsg_codecs.langchain.plain import is_list, is_mapping, is_object, is_sequence
from agentmsg_codecs.langchain.v1 import Unreadable, common_of, text_at, word_at
from agentmsg_codecs.langchain.words import FAMILY

__all__ = ["CONTENT_SHAPES", "Shape", "put", "with_common"]

Part = dict[str, Any]


@attrs.frozen
class Shape:
    """One shape of content parts.

    Attributes:
        name: kept on the block as a note.
        keys: of the part that the shape reads; others are unknown fields.
        read: gives the block of a part, or raises Unreadable.
        write: gives the part of a block that was read in this shape.
    """

    name: str
    keys: frozenset[str]
    read: Callable[[Part], Any]
    write: Callable[[Any], Part]


def put(part: Part, **fields: Any) -> Part:
    """Put fields that are not None into a part."""
    part.update({key: value for key, value in fields.items() if value is not None})
    return part


def with_common(part: Part, block: Any, *, id_key: str | None = "id") -> Part:
    """Put the id and the cache hint of a block into a part of a shape that has no `extras`."""
    if id_key and block.item_id is not None:
        part[id_key] = block.item_id
    if block.cache is not None:
        part["cache_control"] = v1.write_cache(block.cache)
    return part


def _nested(part: Part, key: str) -> Part:
    value = part.get(key)
    if not is_object(value):
        raise Unreadable
    return value


# -- text and thinking ------------------------------------------------------------------------------------------------


def _read_anthropic_text(part: Part) -> Any:
    native = part.get("citations")
    if not is_list(native) or "annotations" in part:
        raise Unreadable
    citations: list[am.Citation] = []
    for item in native:
        if not is_object(item):
            raise Unreadable
        known = {key: text_at(item, key) for key in ("type", "url", "title", "cited_text") if key in item}
        rest = {key: value for key, value in item.items() if key not in known}
        kind = known.pop("type", None)
        extras = adopt({FAMILY: rest}) if rest else EMPTY
        if rest.keys() & {"start_index", "end_index"} or kind in (None, "citation"):
            raise Unreadable
        citations.append(v1.make_citation(kind=kind, extras=extras, **known))
    return v1.make_text(text=text_at(part, "text"), citations=tuple(citations), **common_of(part))


def _write_anthropic_text(block: Any) -> Part:
    citations: list[Part] = []
    for citation in block.citations:
        native = put({}, type=citation.kind, url=citation.url, title=citation.title, cited_text=citation.cited_text)
        rest = citation.extras.get(FAMILY) if citation.extras else None
        citations.append({**rest, **native} if is_mapping(rest) else native)
    return with_common({"type": "text", "text": block.text, "citations": citations}, block)


def _text_shape(name: str, tag: str | None) -> Shape:
    def read(part: Part) -> Any:
        if tag is None and "type" in part:
            raise Unreadable
        return v1.read_text({key: value for key, value in part.items() if key != "extras"})

    def write(block: Any) -> Part:
        part = v1.write_text(block)
        if tag is None:
            return {key: value for key, value in part.items() if key != "type"}
        return {**part, "type": tag}

    return Shape(name, frozenset({"type", "text", "annotations", "id", "cache_control"}), read, write)


def _read_summary(part: Part) -> Any:
    summary = part.get("summary")
    if not is_list(summary) or "reasoning" in part or "extras" in part:
        raise Unreadable
    texts: list[str] = []
    for item in summary:
        if not is_object(item) or len(item) != 2 or item.get("type") != "summary_text":  # noqa: PLR2004
            raise Unreadable
        texts.append(text_at(item, "text"))
    sealed = word_at(part, "encrypted_content")
    signature = None if sealed is None else v1.make_signature(provider="openai", value=sealed)
    note = adopt({FAMILY: {"/cuts": [len(text) for text in texts]}})
    return v1.make_thinking(thinking="\n\n".join(texts), signature=signature, notes=note, **common_of(part))


def _write_summary(block: Any) -> Part:
    texts = _cut(block.thinking, block.notes.get(FAMILY))
    part: Part = {"type": "reasoning", "summary": [{"type": "summary_text", "text": text} for text in texts]}
    if block.signature is not None:
        part["encrypted_content"] = block.signature.value
    return with_common(part, block)


def _cut(text: str, note: Any) -> list[str]:
    """Return the summaries that a text was joined of, by their noted lengths; else the text as one."""
    cuts = note.get("/cuts") if is_mapping(note) else None
    if not is_sequence(cuts) or not all(type(cut) is int and cut >= 0 for cut in cuts):
        return [text]
    texts: list[str] = []
    at = 0
    for cut in cuts:
        texts.append(text[at : at + cut])
        at += cut + 2
    return texts if "\n\n".join(texts) == text else [text]


def _read_thinking(part: Part) -> Any:
    value = word_at(part, "signature")
    signature = None if value is None else v1.make_signature(provider="anthropic", value=value)
    return v1.make_thinking(thinking=text_at(part, "thinking"), signature=signature, **common_of(part))


def _write_thinking(block: Any) -> Part:
    part: Part = {"type": "thinking", "thinking": block.thinking}
    if block.signature is not None:
        part["signature"] = block.signature.value
    return with_common(part, block)


def _read_redacted(part: Part) -> Any:
    return v1.make_thinking(thinking="", redacted=text_at(part, "data"), **common_of(part))


def _write_redacted(block: Any) -> Part:
    return with_common({"type": "redacted_thinking", "data": block.redacted}, block)


# -- media ------------------------------------------------------------------------------------------------------------


def _source_of_url(url: str) -> Any:
    """Return the source of a URL; a base64 data URL holds its bytes itself."""
    head, comma, data = url.partition(",")
    if comma and head.startswith("data:") and head.endswith(";base64") and ";" not in head[5:-7]:
        return v1_media.make_base64(data=data, media_type=head[5:-7] or None)
    return v1_media.make_url(url=url)


def _url_of(source: Any) -> str | None:
    if type(source) is am.URLSource:
        return source.url
    if type(source) is am.Base64Source:
        return f"data:{source.media_type or ''};base64,{source.data}"
    return None


def _read_image_url(part: Part) -> Any:
    value = part.get("image_url")
    if type(value) is str:
        return v1_media.MEDIA["image"](source=_source_of_url(value), **common_of(part))
    image = _nested(part, "image_url")
    return v1_media.MEDIA["image"](
        source=_source_of_url(text_at(image, "url")), detail=word_at(image, "detail"), **common_of(part)
    )


def _write_image_url(block: Any) -> Part:
    image = put({"url": _url_of(block.source)}, detail=block.detail)
    return with_common({"type": "image_url", "image_url": image}, block)


def _write_image_url_text(block: Any) -> Part:
    return with_common({"type": "image_url", "image_url": _url_of(block.source)}, block)


def _read_input_audio(part: Part) -> Any:
    audio = _nested(part, "input_audio")
    media_type = f"audio/{text_at(audio, 'format')}"
    source = v1_media.make_base64(data=text_at(audio, "data"), media_type=media_type)
    return v1_media.MEDIA["audio"](source=source, **common_of(part))


def _write_input_audio(block: Any) -> Part:
    form = (block.source.media_type or "").removeprefix("audio/")
    return with_common({"type": "input_audio", "input_audio": {"data": _data(block.source), "format": form}}, block)


def _data(source: Any) -> Any:
    return getattr(source, "data", None)


def _file_source(file: Part, url_key: str = "file_url") -> Any:
    if file.get("file_data") is not None:
        return _source_of_url(text_at(file, "file_data"))
    if file.get("file_id") is not None:
        return v1_media.make_file_id(file_id=text_at(file, "file_id"), provider="openai")
    return v1_media.make_url(url=text_at(file, url_key))


def _file_fields(block: Any) -> Part:
    source = block.source
    if type(source) is am.FileSource:
        return put({"file_id": source.file_id}, filename=block.name)
    if type(source) is am.URLSource and not source.url.startswith("data:"):
        return put({"file_url": source.url}, filename=block.name)
    return put({"file_data": _url_of(source)}, filename=block.name)


def _read_openai_file(part: Part) -> Any:
    file = _nested(part, "file")
    return v1_media.MEDIA["file"](source=_file_source(file), name=word_at(file, "filename"), **common_of(part))


def _write_openai_file(block: Any) -> Part:
    return with_common({"type": "file", "file": _file_fields(block)}, block)


def _read_input_file(part: Part) -> Any:
    return v1_media.MEDIA["file"](source=_file_source(part), name=word_at(part, "filename"), **common_of(part))


def _write_input_file(block: Any) -> Part:
    return with_common({"type": "input_file", **_file_fields(block)}, block)


def _read_input_image(part: Part) -> Any:
    if part.get("image_url") is not None:
        source = _source_of_url(text_at(part, "image_url"))
    else:
        source = v1_media.make_file_id(file_id=text_at(part, "file_id"), provider="openai")
    return v1_media.MEDIA["image"](source=source, detail=word_at(part, "detail"), **common_of(part))


def _write_input_image(block: Any) -> Part:
    part: Part = {"type": "input_image"}
    if type(block.source) is am.FileSource:
        part["file_id"] = block.source.file_id
    else:
        part["image_url"] = _url_of(block.source)
    return with_common(put(part, detail=block.detail), block)


_ANTHROPIC = {"image": "image", "document": "file"}


def _read_anthropic_media(part: Part) -> Any:
    native = _nested(part, "source")
    kind, media_type = native.get("type"), word_at(native, "media_type")
    source: Any
    if kind == "base64":
        source = v1_media.make_base64(data=text_at(native, "data"), media_type=media_type)
    elif kind == "url":
        source = v1_media.make_url(url=text_at(native, "url"), media_type=media_type)
    elif kind == "file":
        source = v1_media.make_file_id(file_id=text_at(native, "file_id"), provider="anthropic", media_type=media_type)
    elif kind == "text" and part["type"] == "document":
        source = v1_media.make_text_source(text=text_at(native, "data"), media_type=media_type)
    else:
        raise Unreadable
    fields = common_of(part)
    if part["type"] == "document":
        fields |= {"title": word_at(part, "title"), "context": word_at(part, "context")}
    return v1_media.MEDIA[_ANTHROPIC[part["type"]]](source=source, **fields)


def _write_anthropic_media(block: Any) -> Part:
    source = block.source
    native: Part = {"type": "base64", "media_type": source.media_type, "data": _data(source)}
    if type(source) is am.URLSource:
        native = {"type": "url", "url": source.url, "media_type": source.media_type}
    elif type(source) is am.FileSource:
        native = {"type": "file", "file_id": source.file_id, "media_type": source.media_type}
    elif type(source) is am.TextSource:
        native = {"type": "text", "media_type": source.media_type, "data": source.text}
    if native["media_type"] is None:
        del native["media_type"]
    part: Part = {"type": "image" if type(block) is am.ImageBlock else "document", "source": native}
    if type(block) is am.FileBlock:
        put(part, title=block.title, context=block.context)
    return with_common(part, block)


def _read_v0(part: Part) -> Any:
    kind, media_type = part.get("source_type"), word_at(part, "mime_type")
    source: Any
    if kind == "base64":
        source = v1_media.make_base64(data=text_at(part, "data"), media_type=media_type)
    elif kind == "url":
        source = v1_media.make_url(url=text_at(part, "url"), media_type=media_type)
    elif kind == "id":
        source = v1_media.make_file_id(file_id=text_at(part, "id"), media_type=media_type)
    elif kind == "text" and part["type"] == "file":
        # Some writers put the text under `url`.
        source = v1_media.make_text_source(
            text=text_at(part, "text" if "text" in part else "url"), media_type=media_type
        )
    else:
        raise Unreadable
    fields = common_of(part, id_key=None if kind == "id" else "id")
    metadata = part.get("metadata")
    if is_object(metadata) and metadata:
        fields["metadata"] = adopt(metadata)
    if part["type"] == "file":
        fields["name"] = word_at(part, "filename")
    return v1_media.MEDIA[part["type"]](source=source, **fields)


_V0_TAGS: Mapping[type, str] = {am.ImageBlock: "image", am.AudioBlock: "audio", am.FileBlock: "file"}
_V0_SOURCES: Mapping[type, tuple[str, str, str]] = {
    am.Base64Source: ("base64", "data", "data"),
    am.URLSource: ("url", "url", "url"),
    am.FileSource: ("id", "id", "file_id"),
    am.TextSource: ("text", "text", "text"),
}


def _write_v0(block: Any) -> Part:
    kind, key, field = _V0_SOURCES[type(block.source)]
    part: Part = {"type": _V0_TAGS[type(block)], "source_type": kind}
    with_common(part, block)
    part[key] = getattr(block.source, field)
    put(part, mime_type=block.source.media_type, filename=getattr(block, "name", None))
    if block.metadata:
        part["metadata"] = block.metadata
    return part


def _write_v0_text_url(block: Any) -> Part:
    part = _write_v0(block)
    if "text" not in part:
        raise Unreadable
    part["url"] = part.pop("text")
    return part


def _tag_of_media(media_type: str) -> str:
    head = media_type.partition("/")[0]
    return head if head in {"image", "audio", "video"} else "file"


def _read_google(part: Part) -> Any:
    media_type = text_at(part, "mime_type")
    if part.get("data") is not None:
        source: Any = v1_media.make_base64(data=text_at(part, "data"), media_type=media_type)
    else:
        source = v1_media.make_url(url=text_at(part, "file_uri"), media_type=media_type)
    return v1_media.MEDIA[_tag_of_media(media_type)](source=source, **common_of(part))


def _write_google(block: Any) -> Part:
    part: Part = {"type": "media", "mime_type": block.source.media_type}
    if type(block.source) is am.URLSource:
        part["file_uri"] = block.source.url
    else:
        part["data"] = _data(block.source)
    return with_common(part, block)


def _read_bedrock(part: Part) -> Any:
    image = _nested(part, "image")
    source = _nested(image, "source")
    if "type" in part or len(source) != 1:
        raise Unreadable
    media_type = f"image/{text_at(image, 'format')}"
    return v1_media.MEDIA["image"](source=v1_media.make_base64(data=text_at(source, "bytes"), media_type=media_type))


def _write_bedrock(block: Any) -> Part:
    form = (block.source.media_type or "").removeprefix("image/")
    return {"image": {"format": form, "source": {"bytes": _data(block.source)}}}


def _read_plain_media(part: Part) -> Any:
    fields = {"title": word_at(part, "title"), "context": word_at(part, "context")}
    if part.get("text") is not None:
        raise Unreadable
    block = v1_media.read_media({**{key: part[key] for key in part if key != "extras"}, "type": "file"})
    return block.evolve(**fields)


def _write_plain_media(block: Any) -> Part:
    bare = block.evolve(title=None, context=None, name=None)
    part = v1_media.media_writer("file")(bare)
    return put({**part, "type": "text-plain"}, title=block.title, context=block.context)


_ID = frozenset({"type", "id", "cache_control"})


def _shape(name: str, keys: str, read: Callable[[Part], Any], write: Callable[[Any], Part]) -> Shape:
    return Shape(name, _ID | frozenset(keys.split()), read, write)


# By the tag in `type` (None: there is none). The first that reads a part and returns it exactly wins.
CONTENT_SHAPES: Mapping[str | None, tuple[Shape, ...]] = {
    "text": (_shape("anthropic-text", "text citations", _read_anthropic_text, _write_anthropic_text),),
    "input_text": (_text_shape("input_text", "input_text"),),
    "output_text": (_text_shape("output_text", "output_text"),),
    "reasoning": (_shape("summary", "summary encrypted_content", _read_summary, _write_summary),),
    "thinking": (_shape("thinking", "thinking signature", _read_thinking, _write_thinking),),
    "redacted_thinking": (_shape("redacted_thinking", "data", _read_redacted, _write_redacted),),
    "image_url": (
        _shape("image_url", "image_url", _read_image_url, _write_image_url),
        _shape("image_url-text", "image_url", _read_image_url, _write_image_url_text),
    ),
    "input_audio": (_shape("input_audio", "input_audio", _read_input_audio, _write_input_audio),),
    "input_image": (_shape("input_image", "image_url file_id detail", _read_input_image, _write_input_image),),
    "input_file": (_shape("input_file", "file_data file_id file_url filename", _read_input_file, _write_input_file),),
    "document": (_shape("anthropic", "source title context", _read_anthropic_media, _write_anthropic_media),),
    "media": (_shape("google", "mime_type data file_uri", _read_google, _write_google),),
    "text-plain": (
        _shape("text-plain", "mime_type url base64 file_id title context", _read_plain_media, _write_plain_media),
    ),
    "image": (
        _shape("v0", "source_type data url mime_type metadata", _read_v0, _write_v0),
        _shape("anthropic", "source", _read_anthropic_media, _write_anthropic_media),
    ),
    "audio": (_shape("v0", "source_type data url mime_type metadata", _read_v0, _write_v0),),
    "file": (
        _shape("v0", "source_type data url text mime_type metadata filename", _read_v0, _write_v0),
        _shape("v0-text-url", "source_type url mime_type metadata filename", _read_v0, _write_v0_text_url),
        _shape("file", "file", _read_openai_file, _write_openai_file),
    ),
    None: (
        _text_shape("bare-text", None),
        _shape("bedrock", "image", _read_bedrock, _write_bedrock),
    ),
}
