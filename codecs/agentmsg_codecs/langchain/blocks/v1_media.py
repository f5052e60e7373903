"""Images, sound, video and files as v1 blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import agentmsg as am
from agentmsg.formats import Native, Unreadable, maker, text_at, word_at
from agentmsg_codecs.langchain.blocks.v1 import Extras, common_of, v1_part

if TYPE_CHECKING:
    from collections.abc import Callable


make_url = maker(am.URLSource)
make_base64 = maker(am.Base64Source)
make_file_id = maker(am.FileSource)
make_text_source = maker(am.TextSource)
MEDIA = {
    "image": maker(am.ImageBlock),
    "audio": maker(am.AudioBlock),
    "video": maker(am.VideoBlock),
    "file": maker(am.FileBlock),
}

_GIVEN = ("url", "base64", "file_id")


def read_media(part: Native, _: Any = None) -> Any:
    """Read an image, audio, video or file given by url, base64 or file_id."""
    given = [key for key in _GIVEN if part.get(key) is not None]
    if len(given) != 1 or "source_type" in part or "source" in part:
        raise Unreadable
    tag, extras = part["type"], Extras(part)
    value, media_type = text_at(part, given[0]), word_at(part, "mime_type")
    fields: Native = {}
    if given[0] == "url":
        source: Any = make_url(url=value, media_type=media_type)
    elif given[0] == "base64":
        source = make_base64(data=value, media_type=media_type)
    else:
        source = make_file_id(file_id=value, provider=extras.text("provider"), media_type=media_type)
    if tag == "image":
        fields["detail"] = extras.text("detail")
    elif tag == "audio":
        fields["transcript"] = extras.text("transcript")
    elif tag == "file":
        fields = {
            "name": extras.text("filename"),
            "title": extras.text("title"),
            "context": extras.text("context"),
        }
    return MEDIA[tag](source=source, **fields, **common_of(part, extras))


def media_writer(tag: str) -> Callable[[Any], Native]:
    """Return the writer of media blocks under a tag."""
    names = {
        "image": (("detail", "detail"),),
        "audio": (("transcript", "transcript"),),
        "file": (("name", "filename"), ("title", "title"), ("context", "context")),
    }.get(tag, ())

    def write(block: Any) -> Native:
        source = block.source
        if type(source) is am.TextSource:
            return _write_text_plain(block)
        part: Native = {"type": tag}
        own: Native = {}
        for name, key in names:
            value = getattr(block, name)
            if value is not None:
                own[key] = value
        if type(source) is am.URLSource:
            part["url"] = source.url
        elif type(source) is am.Base64Source:
            part["base64"] = source.data
        else:
            part["file_id"] = source.file_id
            if source.provider is not None:
                own["provider"] = source.provider
        if source.media_type is not None:
            part["mime_type"] = source.media_type
        return v1_part(block, part, own)

    return write


def read_text_plain(part: Native, _: Any = None) -> am.FileBlock:
    """Read ``{"type": "text-plain", "mime_type", "text", "title", "context"}``."""
    extras = Extras(part)
    make: Any = MEDIA["file"]
    block: am.FileBlock = make(
        source=make_text_source(text=text_at(part, "text"), media_type=word_at(part, "mime_type")),
        name=extras.text("filename"),
        title=word_at(part, "title"),
        context=word_at(part, "context"),
        **common_of(part, extras),
    )
    if any(key in part for key in _GIVEN) or extras.rest.keys() & {"title", "context"}:
        raise Unreadable
    return block


def _write_text_plain(block: am.FileBlock) -> Native:
    source = cast("am.TextSource", block.source)
    part: Native = {"type": "text-plain"}
    for key, value in (
        ("mime_type", source.media_type),
        ("text", source.text),
        ("title", block.title),
        ("context", block.context),
    ):
        if value is not None:
            part[key] = value
    return v1_part(block, part, {} if block.name is None else {"filename": block.name})


def quick_media(part: Native) -> Any:
    """Read media that have nothing but a source; None if they have more."""
    media_type = part.get("mime_type")
    if len(part) == 3:  # noqa: PLR2004 - type, source, mime_type
        if type(media_type) is not str:
            return None
    elif len(part) != 2 or media_type is not None:  # noqa: PLR2004 - type, source
        return None
    data = part.get("base64")
    if type(data) is str:
        return MEDIA[part["type"]](source=make_base64(data=data, media_type=media_type))
    url = part.get("url")
    if type(url) is str:
        return MEDIA[part["type"]](source=make_url(url=url, media_type=media_type))
    return None
