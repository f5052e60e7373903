"""Media inside results, whose tag tells how they are given: ``image-data``, ``file-url``, ``file-id`` and the like.

Version 5 has ``media`` for data; the current one has ``file``, as elsewhere. The mark ``/as`` is the tag that was read.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import agentmsg as am
from agentmsg.formats import Unreadable, is_object, mark_of, marked, media
from agentmsg.formats.forms import Form, Hatch
from agentmsg_codecs.vercel.media import (
    NAME,
    REFERENCE,
    STRING,
    TAGGED,
    of_kind,
    read_bytes,
    read_data,
    read_reference,
    source_hatch,
    type_in,
    with_types,
    write_base64,
    write_data,
    write_reference,
)
from agentmsg_codecs.vercel.names import FAMILY

# -- sources ----------------------------------------------------------------------------------------------------------


def _read_base64(value: Any, media_type: str | None) -> Any:
    source = am.Base64Source(value, media_type) if type(value) is str else read_bytes(value, media_type)
    if source is None:
        raise Unreadable
    return source


def _read_url(value: Any, media_type: str | None) -> Any:
    if type(value) is not str:
        raise Unreadable
    return am.URLSource(value, media_type)


def _read_id(value: Any, media_type: str | None) -> Any:
    is_id = type(value) is str
    return am.FileSource(value, media_type=media_type) if is_id else read_reference(value, media_type)


def _write_id(source: am.FileSource) -> Any:
    return source.file_id if source.provider is None else write_reference(source)


def _read_tagged(value: Any, media_type: str | None) -> Any:
    """Return the source for the data of a file inside a result, which is always an object with a tag."""
    if not is_object(value) or "type" not in value:
        raise Unreadable
    source = read_data(value, media_type)
    how = mark_of(source, FAMILY, "/bytes")
    bare = source.evolve(notes={}) if source.notes else source
    return bare if how is None else marked(bare, FAMILY, bytes=how)


def _write_tagged(source: Any) -> Any:
    return write_data(marked(source, FAMILY, tag=True, bare=False))


def _any_type(hatch: Hatch) -> Hatch:
    """Return the hatch of a source whose media type may be of any kind."""
    return hatch.evolve(schema={**hatch.schema, "mediaType": STRING})


# -- forms ------------------------------------------------------------------------------------------------------------

_DATA = _any_type(source_hatch("data", _read_base64, write_base64, STRING))
_URL = _any_type(source_hatch("url", _read_url, attrgetter("url"), STRING))
_ID = _any_type(source_hatch("fileId", _read_id, _write_id, {"anyOf": [STRING, REFERENCE]}))
_REFERENCE = _any_type(source_hatch("providerReference", read_reference, write_reference, REFERENCE))
_TYPED = source_hatch("data", _read_base64, write_base64, STRING, is_typed=True)
_FILE = source_hatch("data", _read_tagged, _write_tagged, {"anyOf": TAGGED}, is_typed=True)


def inner_forms(options: Hatch) -> tuple[Form, ...]:
    """Return the forms of media inside results."""
    found = [
        ("image", "image-data", _DATA),
        ("image", "image-url", _URL),
        ("image", "image-file-id", _ID),
        ("image", "image-file-reference", _REFERENCE),
    ]
    for kind in media.CLASSES:
        found += [
            (kind, "file", with_types(_FILE, kind)),
            (kind, "media", with_types(_TYPED, kind)),
            (kind, "file-data", with_types(_TYPED, kind)),
            (kind, "file-url", with_types(_URL, kind)),
        ]
    found += [("file", "file-id", _ID), ("file", "file-reference", _REFERENCE)]
    return tuple(_form(kind, tag, hatch, options) for kind, tag, hatch in found)


def _form(kind: str, tag: str, hatch: Hatch, options: Hatch) -> Form:
    def when(block: Any) -> bool:
        return _tag_of(block) == tag

    names = (NAME,) if kind == "file" and tag in ("file", "file-data", "media") else ()
    name = f"given_{kind}_{tag.replace('-', '_')}"
    fits = None if tag.startswith("image-") else of_kind(kind)
    return Form(name, media.CLASSES[kind], tag, (hatch, *names, options), when=when, fits=fits, notes={"as": tag},
                is_apart="inner")  # fmt: skip


def _tag_of(block: Any) -> str:
    """Return the tag of media inside a result: the one that was read, if it can express them; else the usual one."""
    tags = _tags(block.source, media.KINDS[type(block)])
    read = mark_of(block, FAMILY, "/as")
    return read if read in tags else next(iter(tags), "file")


def _tags(source: Any, kind: str) -> list[str]:
    """Return the tags that can express media of a kind, the usual one first."""
    media_type = type_in(source)
    is_typed = media_type is not None and media.kind_of(media_type) == kind
    is_image, is_file = kind == "image", kind == "file" and (is_typed or media_type is None)
    if isinstance(source, am.Base64Source):
        tags = {"image-data": is_image, "file-data": is_typed, "media": is_typed, "file": is_typed}
    elif isinstance(source, am.URLSource):
        tags = {"image-url": is_image, "file-url": is_typed or is_file, "file": is_typed}
    elif isinstance(source, am.FileSource):
        has_owner = source.provider is not None
        tags = {
            "image-file-id": is_image, "file-id": is_file, "file": is_typed and has_owner,
            "image-file-reference": is_image and has_owner, "file-reference": is_file and has_owner,
        }  # fmt: skip
    else:
        tags = {"file": is_typed}
    return [tag for tag, can_express in tags.items() if can_express]
