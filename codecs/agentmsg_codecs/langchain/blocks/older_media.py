"""The variants of images, sound, video and files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
import agentmsg_codecs.langchain.blocks.v1_media as v1_media
from agentmsg.formats import (
    Native,
    Unreadable,
    adopt,
    is_object,
    media,
    natives,
    object_at,
    text_at,
    word_at,
)
from agentmsg_codecs.langchain.blocks.anthropic import BLOCKS
from agentmsg_codecs.langchain.blocks.older_text import text_variant
from agentmsg_codecs.langchain.blocks.v1 import common_of
from agentmsg_codecs.langchain.blocks.variant import Variant, put, variant, with_common
from agentmsg_codecs.langchain.names import ANTHROPIC

if TYPE_CHECKING:
    from collections.abc import Mapping


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
        return media.data_url(source)
    return None


def _read_image_url(part: Native) -> Any:
    value = part.get("image_url")
    if type(value) is str:
        return v1_media.MEDIA["image"](source=_source_of_url(value), **common_of(part))
    image = object_at(part, "image_url")
    return v1_media.MEDIA["image"](
        source=_source_of_url(text_at(image, "url")), detail=word_at(image, "detail"), **common_of(part)
    )


def _write_image_url(block: Any) -> Native:
    image = put({"url": _url_of(block.source)}, detail=block.detail)
    return with_common({"type": "image_url", "image_url": image}, block)


def _write_image_url_text(block: Any) -> Native:
    return with_common({"type": "image_url", "image_url": _url_of(block.source)}, block)


def _read_input_audio(part: Native) -> Any:
    audio = object_at(part, "input_audio")
    media_type = f"audio/{text_at(audio, 'format')}"
    source = v1_media.make_base64(data=text_at(audio, "data"), media_type=media_type)
    return v1_media.MEDIA["audio"](source=source, **common_of(part))


def _write_input_audio(block: Any) -> Native:
    form = (block.source.media_type or "").removeprefix("audio/")
    return with_common({"type": "input_audio", "input_audio": {"data": _data(block.source), "format": form}}, block)


def _data(source: Any) -> Any:
    return getattr(source, "data", None)


def _file_source(file: Native, url_key: str = "file_url") -> Any:
    if file.get("file_data") is not None:
        return _source_of_url(text_at(file, "file_data"))
    if file.get("file_id") is not None:
        return v1_media.make_file_id(file_id=text_at(file, "file_id"), provider="openai")
    return v1_media.make_url(url=text_at(file, url_key))


def _file_fields(block: Any) -> Native:
    source = block.source
    if type(source) is am.FileSource:
        return put({"file_id": source.file_id}, filename=block.name)
    if type(source) is am.URLSource and not source.url.startswith("data:"):
        return put({"file_url": source.url}, filename=block.name)
    return put({"file_data": _url_of(source)}, filename=block.name)


def _read_openai_file(part: Native) -> Any:
    file = object_at(part, "file")
    return v1_media.MEDIA["file"](source=_file_source(file), name=word_at(file, "filename"), **common_of(part))


def _write_openai_file(block: Any) -> Native:
    return with_common({"type": "file", "file": _file_fields(block)}, block)


def _read_input_file(part: Native) -> Any:
    return v1_media.MEDIA["file"](source=_file_source(part), name=word_at(part, "filename"), **common_of(part))


def _write_input_file(block: Any) -> Native:
    return with_common({"type": "input_file", **_file_fields(block)}, block)


def _read_input_image(part: Native) -> Any:
    if part.get("image_url") is not None:
        source = _source_of_url(text_at(part, "image_url"))
    else:
        source = v1_media.make_file_id(file_id=text_at(part, "file_id"), provider="openai")
    return v1_media.MEDIA["image"](source=source, detail=word_at(part, "detail"), **common_of(part))


def _write_input_image(block: Any) -> Native:
    part: Native = {"type": "input_image"}
    if type(block.source) is am.FileSource:
        part["file_id"] = block.source.file_id
    else:
        part["image_url"] = _url_of(block.source)
    return with_common(put(part, detail=block.detail), block)


_ANTHROPIC = {"image": "image", "document": "file"}


def _read_anthropic_media(part: Native) -> Any:
    native = object_at(part, "source")
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


def _write_anthropic_media(block: Any) -> Native:
    source = block.source
    native: Native = {"type": "base64", "media_type": source.media_type, "data": _data(source)}
    if type(source) is am.URLSource:
        native = {"type": "url", "url": source.url, "media_type": source.media_type}
    elif type(source) is am.FileSource:
        native = {"type": "file", "file_id": source.file_id, "media_type": source.media_type}
    elif type(source) is am.TextSource:
        native = {"type": "text", "media_type": source.media_type, "data": source.text}
    if native["media_type"] is None:
        del native["media_type"]
    part: Native = {"type": "image" if type(block) is am.ImageBlock else "document", "source": native}
    if type(block) is am.FileBlock:
        put(part, title=block.title, context=block.context)
    return with_common(part, block)


def _read_document(part: Native) -> Any:
    """Read a document; whether it is to be cited is an extra of Anthropic's family."""
    block = _read_anthropic_media(part)
    if "citations" not in part:
        return block
    return block.evolve(extras={**block.extras, ANTHROPIC: adopt({"citations": part["citations"]})})


def _write_document(block: Any) -> Native:
    part, extras = _write_anthropic_media(block), natives.extras_of(block, ANTHROPIC)
    return {**part, "citations": extras["citations"]} if "citations" in extras else part


def _read_v0(part: Native) -> Any:
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


def _write_v0(block: Any) -> Native:
    kind, key, field = _V0_SOURCES[type(block.source)]
    part: Native = {"type": _V0_TAGS[type(block)], "source_type": kind}
    with_common(part, block)
    part[key] = getattr(block.source, field)
    put(part, mime_type=block.source.media_type, filename=getattr(block, "name", None))
    if block.metadata:
        part["metadata"] = block.metadata
    return part


def _write_v0_text_url(block: Any) -> Native:
    part = _write_v0(block)
    if "text" not in part:
        raise Unreadable
    part["url"] = part.pop("text")
    return part


def _tag_of_media(media_type: str) -> str:
    head = media_type.partition("/")[0]
    return head if head in {"image", "audio", "video"} else "file"


def _read_google(part: Native) -> Any:
    media_type = text_at(part, "mime_type")
    if part.get("data") is not None:
        source: Any = v1_media.make_base64(data=text_at(part, "data"), media_type=media_type)
    else:
        source = v1_media.make_url(url=text_at(part, "file_uri"), media_type=media_type)
    return v1_media.MEDIA[_tag_of_media(media_type)](source=source, **common_of(part))


def _write_google(block: Any) -> Native:
    part: Native = {"type": "media", "mime_type": block.source.media_type}
    if type(block.source) is am.URLSource:
        part["file_uri"] = block.source.url
    else:
        part["data"] = _data(block.source)
    return with_common(part, block)


def _read_bedrock(part: Native) -> Any:
    image = object_at(part, "image")
    source = object_at(image, "source")
    if "type" in part or len(source) != 1:
        raise Unreadable
    media_type = f"image/{text_at(image, 'format')}"
    return v1_media.MEDIA["image"](source=v1_media.make_base64(data=text_at(source, "bytes"), media_type=media_type))


def _write_bedrock(block: Any) -> Native:
    form = (block.source.media_type or "").removeprefix("image/")
    return {"image": {"format": form, "source": {"bytes": _data(block.source)}}}


def _read_plain_media(part: Native) -> Any:
    fields = {"title": word_at(part, "title"), "context": word_at(part, "context")}
    if part.get("text") is not None:
        raise Unreadable
    block = v1_media.read_media({**{key: part[key] for key in part if key != "extras"}, "type": "file"})
    return block.evolve(**fields)


def _write_plain_media(block: Any) -> Native:
    bare = block.evolve(title=None, context=None, name=None)
    part = v1_media.media_writer("file")(bare)
    return put({**part, "type": "text-plain"}, title=block.title, context=block.context)


# By the tag in `type` (None: there is none). The first that reads a part and returns it exactly wins.
MEDIA_VARIANTS: Mapping[str | None, tuple[Variant, ...]] = {
    "image_url": (
        variant("image_url", "image_url", _read_image_url, _write_image_url),
        variant("image_url-text", "image_url", _read_image_url, _write_image_url_text),
    ),
    "input_audio": (variant("input_audio", "input_audio", _read_input_audio, _write_input_audio),),
    "input_image": (variant("input_image", "image_url file_id detail", _read_input_image, _write_input_image),),
    "input_file": (variant("input_file", "file_data file_id file_url filename", _read_input_file, _write_input_file),),
    "document": (
        variant("document", "source title context citations", _read_document, _write_document),
        BLOCKS,
    ),
    "media": (variant("google", "mime_type data file_uri", _read_google, _write_google),),
    "text-plain": (
        variant("text-plain", "mime_type url base64 file_id title context", _read_plain_media, _write_plain_media),
    ),
    "image": (
        variant("v0", "source_type data url mime_type metadata", _read_v0, _write_v0),
        variant("anthropic", "source", _read_anthropic_media, _write_anthropic_media),
    ),
    "audio": (variant("v0", "source_type data url mime_type metadata", _read_v0, _write_v0),),
    "file": (
        variant("v0", "source_type data url text mime_type metadata filename", _read_v0, _write_v0),
        variant("v0-text-url", "source_type url mime_type metadata filename", _read_v0, _write_v0_text_url),
        variant("file", "file", _read_openai_file, _write_openai_file),
    ),
    None: (
        text_variant("bare-text", None),
        variant("bedrock", "image", _read_bedrock, _write_bedrock),
    ),
}
