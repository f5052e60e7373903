"""Images, audio, videos and files: the media type tells which of these a part is; its data may be given in many ways.

Data is base64 text, a URL, or an object with a tag for either; or bytes as JSON.stringify writes them.
Marks of a source: ``/url`` (a ``data:`` URL, "typed" if the media type was beside it, else "alone"), ``/tag`` (an
object, though a text would do), ``/bare`` (a reference without a tag), and ``/bytes``.

Inside results a tag tells how media are given: ``image-data``, ``file-url``, ``file-id`` and the like. Version 5 has
``media`` for data; the current one has ``file``, as elsewhere. The mark ``/as`` is the tag that was read.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import (
    KEEP,
    Native,
    Unreadable,
    adopt,
    is_marked,
    is_object,
    mark_of,
    marked,
    media,
    natives,
    speed,
    text_at,
)
from agentmsg.formats.forms import Form, Hatch, Key, Text
from agentmsg_codecs.vercel.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


_MIME = "mimeType"
_URL = r"(?i)[a-z][a-z0-9+.-]*:"


def is_url(text: str) -> bool:
    """Whether a text is an absolute URL."""
    return speed.compiled(_URL).match(text) is not None


def type_in(source: Any) -> str | None:
    """Return the media type of a source; sources made of blocks have none."""
    return getattr(source, "media_type", None)


# -- texts ------------------------------------------------------------------------------------------------------------


def _read_text(value: str, media_type: str | None) -> Any:
    """Return the source for a text: a URL, or base64."""
    if not is_url(value):
        return am.Base64Source(value, media_type)
    source = am.URLSource(value, media_type)
    data = data_in(source)
    return source if data is None else marked(data, FAMILY, url="alone" if media_type is None else "typed")


def data_in(source: am.URLSource) -> am.Base64Source | None:
    """Return the data that a ``data:`` URL is read as; None for any other URL."""
    data = _data_of(source.url)
    return data if data is not None and source.media_type in (None, data.media_type) else None


def _data_of(url: str) -> am.Base64Source | None:
    """Return the data in a ``data:`` URL that would be written the same."""
    data = media.read_data_url(url)
    return None if data is None or not data.media_type or media.data_url(data) != url else data


def read_bytes(value: Any, media_type: str | None) -> am.Base64Source | None:
    """Return the source for bytes that JavaScript dumped, marked ``/bytes``; None for anything else."""
    found = media.read_dumped_bytes(value)
    return None if found is None else marked(am.Base64Source(found[0], media_type), FAMILY, bytes=found[1])


def write_base64(source: am.Base64Source) -> Any:
    """Write base64 text, or the form in which the source was read."""
    return media.dumped_bytes(source.data, mark_of(source, FAMILY, "/bytes"))


def _is_plain(source: Any) -> bool:
    """Whether a text expresses a source."""
    if isinstance(source, am.Base64Source):
        return not is_url(source.data)
    return isinstance(source, am.URLSource) and is_url(source.url) and data_in(source) is None


def _write_text(source: Any) -> Any:
    if isinstance(source, am.URLSource):
        return source.url
    return media.data_url(source) if _url_mark(source) else write_base64(source)


def _url_mark(source: Any) -> str | None:
    """Return the mark of data that is written as a ``data:`` URL; None for other sources."""
    mark = mark_of(source, FAMILY, "/url")
    if mark not in ("alone", "typed") or not isinstance(source, am.Base64Source) or not source.media_type:
        return None
    data = _data_of(media.data_url(source))
    return mark if data is not None and am.same(data, source) else None


# -- objects ----------------------------------------------------------------------------------------------------------

_TAGS = frozenset({"data", "url", "text", "reference"})


def read_reference(value: Any, media_type: str | None = None) -> am.FileSource:
    """Return the file that a provider stores; its ids at other providers are extras of the source.

    Raises:
        Unreadable: if there is no provider.
    """
    if not is_object(value) or not value or "type" in value or not all(type(each) is str for each in value.values()):
        raise Unreadable
    (provider, file_id), *others = value.items()
    return am.FileSource(file_id, provider, media_type, extras=adopt({FAMILY: dict(others)}) if others else {})


def write_reference(source: am.FileSource) -> Native:
    """Return the ids of a file, by provider."""
    return {str(source.provider): source.file_id, **natives.extras_copy(source, FAMILY)}


def _read_plain(value: Any, media_type: str | None) -> Any:
    """Return the source for a text, dumped bytes or a reference without a tag."""
    if type(value) is str:
        return _read_text(value, media_type)
    data = read_bytes(value, media_type)
    return read_reference(value, media_type) if data is None else data


def read_data(value: Any, media_type: str | None) -> Any:
    """Return the source for the data of a file.

    Raises:
        Unreadable: if it has another shape.
    """
    tag: Any = value.get("type") if is_object(value) else None
    if type(tag) is not str or tag not in _TAGS:
        plain = _read_plain(value, media_type)
        return marked(plain, FAMILY, bare=True) if type(plain) is am.FileSource else plain
    if value.keys() != {"type", tag}:
        raise Unreadable
    if tag == "reference":
        return read_reference(value[tag], media_type)
    data = read_bytes(value[tag], media_type) if tag == "data" else None
    if data is not None:
        return marked(data, FAMILY, tag=True)
    text = text_at(value, tag)
    if tag == "text":
        return am.TextSource(text, media_type)
    source: Any = am.Base64Source(text, media_type) if tag == "data" else am.URLSource(text, media_type)
    return marked(source, FAMILY, tag=True)


def write_data(source: Any) -> Any:
    """Return the data of a file."""
    if isinstance(source, am.FileSource):
        ids = write_reference(source)
        return ids if is_marked(source, FAMILY, "/bare") else {"type": "reference", "reference": ids}
    if isinstance(source, am.TextSource):
        return {"type": "text", "text": source.text}
    if _is_plain(source) and not is_marked(source, FAMILY, "/tag"):
        return _write_text(source)
    is_data = isinstance(source, am.Base64Source)
    return {"type": "data", "data": write_base64(source)} if is_data else {"type": "url", "url": source.url}


# -- forms ------------------------------------------------------------------------------------------------------------


def source_hatch(
    key: str,
    read: Callable[[Any, Any], Any],
    write: Callable[[Any], Any],
    schema: Any,
    *,
    is_typed: bool = False,
    type_of: Callable[[Any], str | None] = type_in,
) -> Hatch:
    """Return the hatch of a source under a key, and of the media type beside it.

    Args:
        key: the key of the source.
        read: returns the source for a native one and a media type.
        write: returns the native source.
        schema: the JSON Schema of native sources.
        is_typed: whether the media type is required.
        type_of: returns the media type to write.
    """

    def get(native: Native) -> dict[str, Any]:
        kind = native.get("mediaType")
        if type(kind) is str and _MIME not in native:
            return {"source": read(native[key], kind)}
        # Without a media type, another key has it; see format.py.
        is_other = kind is None and (is_typed or type(native.get(_MIME)) is str)
        if is_other or not isinstance(kind, (str, type(None))):
            raise Unreadable
        notes = {"mediaType": "null"} if kind is None and "mediaType" in native else {}
        return {"source": read(native[key], kind), "notes": notes, "odd": (_MIME,) if _MIME in native else ()}

    def put(block: Any) -> Native:
        kind = type_of(block.source)
        return {key: write(block.source), **({} if kind is None else {"mediaType": kind})}

    return Hatch(keys=(key, "mediaType", _MIME), cells={"source": KEEP}, get=get, put=put, must=(key,), odd=(_MIME,),
                 schema={key: schema, "mediaType": STRING}, about="source")  # fmt: skip


def with_types(hatch: Hatch, kind: str) -> Hatch:
    """Return the hatch of a source whose media type is of a kind."""
    return hatch.evolve(schema={**hatch.schema, "mediaType": media.types_schema(kind)})


def of_kind(kind: str) -> Callable[[Native], bool]:
    """Return the test whether a native object has media of a kind."""
    return lambda native: media.kind_of(native.get("mediaType") or native.get(_MIME)) == kind


STRING: Mapping[str, Any] = {"type": "string"}
REFERENCE: Mapping[str, Any] = {
    "type": "object", "properties": {"type": {"not": {}}}, "additionalProperties": STRING, "minProperties": 1,
    "examples": [{"openai": "file-1"}],
}  # fmt: skip


def _tagged(tag: str, schema: Mapping[str, Any]) -> Native:
    return {"type": "object", "properties": {"type": {"const": tag}, tag: schema}, "required": ["type", tag],
            "additionalProperties": False}  # fmt: skip


TAGGED = [_tagged("reference", REFERENCE), _tagged("data", {"anyOf": [STRING, media.BYTES_SCHEMA]}),
          *(_tagged(tag, STRING) for tag in ("url", "text"))]  # fmt: skip
_DATA = [STRING, media.BYTES_SCHEMA, REFERENCE]
NAME = Key("filename", "name", Text(), "may")
_FILE = source_hatch("data", read_data, write_data, {"anyOf": [*_DATA, *TAGGED]}, is_typed=True)


def file_form(kind: str, name: str, options: Hatch, **others: Any) -> Form:
    """Return the form of a ``file`` of a kind."""
    names = (NAME,) if kind == "file" else ()
    return Form(name, media.CLASSES[kind], "file", (with_types(_FILE, kind), *names, options),
                fits=of_kind(kind), schema={"required": ["mediaType"]}, **others)  # fmt: skip


# -- images of users --------------------------------------------------------------------------------------------------


def is_image(block: Any) -> bool:
    """Whether an image of a user is written as an ``image``: it can be, and wasn't read as a file."""
    if is_marked(block, FAMILY, "/file") and media.kind_of(type_in(block.source)) == "image":
        return False
    return isinstance(block.source, am.FileSource) or _is_plain(block.source)


IMAGE = source_hatch(
    "image", _read_plain,
    lambda source: write_reference(source) if isinstance(source, am.FileSource) else _write_text(source),
    {"anyOf": _DATA}, type_of=lambda source: None if _url_mark(source) == "alone" else type_in(source),
)  # fmt: skip


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


def _read_tagged(value: Any, media_type: str | None) -> Any:
    """Return the source for the data of a file inside a result, which is always an object with a tag."""
    if not is_object(value) or "type" not in value:
        raise Unreadable
    source = read_data(value, media_type)
    how = mark_of(source, FAMILY, "/bytes")
    bare = source.evolve(notes={}) if source.notes else source
    return bare if how is None else marked(bare, FAMILY, bytes=how)


# -- forms ------------------------------------------------------------------------------------------------------------

_BYTES = source_hatch("data", _read_base64, write_base64, STRING)
_URL_HATCH = source_hatch("url", _read_url, attrgetter("url"), STRING)
_ID_HATCH = source_hatch(
    "fileId", _read_id, lambda source: source.file_id if source.provider is None else write_reference(source),
    {"anyOf": [STRING, REFERENCE]},
)  # fmt: skip
_REFERENCE = source_hatch("providerReference", read_reference, write_reference, REFERENCE)
_TYPED = source_hatch("data", _read_base64, write_base64, STRING, is_typed=True)
_TAGGED_FILE = source_hatch(
    "data", _read_tagged, lambda source: write_data(marked(source, FAMILY, tag=True, bare=False)), {"anyOf": TAGGED},
    is_typed=True,
)  # fmt: skip


def inner_forms(options: Hatch) -> tuple[Form, ...]:
    """Return the forms of media inside results."""
    found = [
        ("image", "image-data", _BYTES),
        ("image", "image-url", _URL_HATCH),
        ("image", "image-file-id", _ID_HATCH),
        ("image", "image-file-reference", _REFERENCE),
    ]
    for kind in media.CLASSES:
        found += [
            (kind, "file", with_types(_TAGGED_FILE, kind)),
            (kind, "media", with_types(_TYPED, kind)),
            (kind, "file-data", with_types(_TYPED, kind)),
            (kind, "file-url", with_types(_URL_HATCH, kind)),
        ]
    found += [("file", "file-id", _ID_HATCH), ("file", "file-reference", _REFERENCE)]
    return tuple(_inner_form(kind, tag, hatch, options) for kind, tag, hatch in found)


def _inner_form(kind: str, tag: str, hatch: Hatch, options: Hatch) -> Form:
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
