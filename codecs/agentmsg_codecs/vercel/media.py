"""Images, sound, videos and files: the meaning of the media type, and how their data is given.

Data is base64 text, a URL, or an object that says which it is. Marks of a source: ``/url`` (data in a ``data:`` URL:
"typed" with the media type beside it, else "alone"), ``/tag`` (an object, where a text is usual), and ``/bare`` (a
reference without a tag).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import KEEP, Native, Unreadable, adopt, is_object, mark_of, marked, media, natives
from agentmsg.formats.forms import Form, Hatch, Key, Text
from agentmsg_codecs.vercel.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_URL = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def is_url(text: str) -> bool:
    """Whether a text is an absolute URL."""
    return _URL.match(text) is not None


# -- texts ------------------------------------------------------------------------------------------------------------


def read_text(value: str, media_type: str | None) -> Any:
    """Return the source that a text is: a URL, or base64."""
    if not is_url(value):
        return am.Base64Source(value, media_type)
    held = _held(value)
    if held is not None and media_type in (None, held.media_type):
        return marked(held, FAMILY, url="alone" if media_type is None else "typed")
    return am.URLSource(value, media_type)


def _held(value: str) -> am.Base64Source | None:
    """Return the data of a ``data:`` URL that is written the same."""
    held = media.read_data_url(value)
    return None if held is None or not held.media_type or media.data_url(held) != value else held


def _is_plain(source: Any) -> bool:
    """Whether a text says a source."""
    if isinstance(source, am.Base64Source):
        return not is_url(source.data)
    return isinstance(source, am.URLSource) and is_url(source.url) and held_in(source) is None


def type_in(source: Any) -> str | None:
    """Return the media type that a source tells; one of blocks has no place for it."""
    return getattr(source, "media_type", None)


def held_in(source: am.URLSource) -> am.Base64Source | None:
    """Return the data that a URL holds, as which it is read; None of any other."""
    held = _held(source.url)
    return held if held is not None and source.media_type in (None, held.media_type) else None


def _write_text(source: Any) -> str:
    if isinstance(source, am.URLSource):
        return source.url
    return media.data_url(source) if _url_mark(source) else source.data


def _url_mark(source: Any) -> str | None:
    """Return how the ``data:`` URL stood that data is written as; None if it isn't written so."""
    found = mark_of(source, FAMILY, "/url") if source.notes else None
    if found not in ("alone", "typed") or not isinstance(source, am.Base64Source) or not source.media_type:
        return None
    held = _held(media.data_url(source))
    return found if held is not None and am.same(held, source) else None


# -- objects ----------------------------------------------------------------------------------------------------------


def read_reference(value: Any, media_type: str | None = None) -> am.FileSource:
    """Return the file that a provider keeps; what others keep of it are extras of the source.

    Raises:
        Unreadable: where no provider is told.
    """
    if not is_object(value) or not value or "type" in value or not all(type(each) is str for each in value.values()):
        raise Unreadable
    (provider, file_id), *others = value.items()
    return am.FileSource(file_id, provider, media_type, extras=adopt({FAMILY: dict(others)}) if others else {})


def write_reference(source: am.FileSource) -> Native:
    """Return the ids of a file, by provider."""
    return {str(source.provider): source.file_id, **thaw(natives.extras_of(source, FAMILY))}


_TAGGED = {"data": "data", "url": "url", "text": "text", "reference": "reference"}


def read_data(value: Any, media_type: str | None) -> Any:
    """Return the source that the data of a file is.

    Raises:
        Unreadable: where it is another.
    """
    if type(value) is str:
        return read_text(value, media_type)
    tag: Any = value.get("type") if is_object(value) else None
    if tag is None:
        return marked(read_reference(value, media_type), FAMILY, bare=True)
    key = _TAGGED.get(tag) if type(tag) is str else None
    if key is None or value.keys() != {"type", key}:
        raise Unreadable
    given = value[key]
    if key == "reference":
        return read_reference(given, media_type)
    if type(given) is not str:
        raise Unreadable
    if key == "text":
        return am.TextSource(given, media_type)
    source: Any = am.Base64Source(given, media_type) if key == "data" else am.URLSource(given, media_type)
    return marked(source, FAMILY, tag=True)


def write_data(source: Any) -> Any:
    """Return the data of a file."""
    if isinstance(source, am.FileSource):
        found = write_reference(source)
        is_bare = source.notes and mark_of(source, FAMILY, "/bare") is True
        return found if is_bare else {"type": "reference", "reference": found}
    if isinstance(source, am.TextSource):
        return {"type": "text", "text": source.text}
    if not _is_plain(source) or (source.notes and mark_of(source, FAMILY, "/tag") is True):
        is_data = isinstance(source, am.Base64Source)
        return {"type": "data", "data": source.data} if is_data else {"type": "url", "url": source.url}
    return _write_text(source)


# -- forms ------------------------------------------------------------------------------------------------------------


def typed(key: str, read: Callable[[Any, Any], Any], write: Callable[[Any], Any], schema: Mapping[str, Any]) -> Hatch:
    """Return what says media that tell their type, under a key."""

    def get(native: Native) -> dict[str, Any]:
        kind = native["mediaType"]
        if type(kind) is not str:
            raise Unreadable
        return {"source": read(native[key], kind)}

    def put(block: Any) -> Native:
        return {key: write(block.source), "mediaType": block.source.media_type}

    return Hatch(keys=(key, "mediaType"), cells={"source": KEEP}, get=get, put=put, must=(key, "mediaType"),
                 schema={key: schema}, about="source")  # fmt: skip


def with_type(hatch: Hatch, kind: str) -> Hatch:
    """Return what says media, of a kind."""
    told = {"enum": [f"{kind}/x"] if kind != "file" else ["application/pdf", "text/plain"]}
    return Hatch(keys=hatch.keys, cells=hatch.cells, get=hatch.get, put=hatch.put, must=hatch.must, about=hatch.about,
                 schema={**hatch.schema, "mediaType": told})  # fmt: skip


_TEXT: Mapping[str, Any] = {"type": "string", "pattern": "^[A-Za-z0-9]*$"}
OBJECT: Mapping[str, Any] = {
    "type": "object", "properties": {"type": {"const": "url"}, "url": {"type": "string"}},
    "required": ["type", "url"], "additionalProperties": False,
}  # fmt: skip
_FILE = typed("data", read_data, write_data, {"anyOf": [_TEXT, OBJECT]})
NAME = Key("filename", "name", Text(), "may")


def of_kind(kind: str) -> Callable[[Native], bool]:
    """Return the test whether media are of a kind."""
    return lambda native: media.kind_of(native.get("mediaType")) == kind


def file_form(kind: str, name: str, options: Hatch, **others: Any) -> Form:
    """Return the form of a ``file`` of a kind."""
    said = (NAME,) if kind == "file" else ()
    return Form(name, media.CLASSES[kind], "file", (with_type(_FILE, kind), *said, options), fits=of_kind(kind),
                schema={"required": ["mediaType"]}, **others)  # fmt: skip


# -- images of users --------------------------------------------------------------------------------------------------


def type_of(native: Native) -> tuple[str | None, Native]:
    """Return the media type that may stand there, and the note of one that says nothing."""
    kind = native.get("mediaType")
    if kind is not None and type(kind) is not str:
        raise Unreadable
    return kind, {"mediaType": "null"} if kind is None and "mediaType" in native else {}


def _read_image(native: Native) -> dict[str, Any]:
    kind, notes = type_of(native)
    value = native["image"]
    return {"source": read_text(value, kind) if type(value) is str else read_reference(value, kind), "notes": notes}


def _write_image(block: Any) -> Native:
    source = block.source
    if isinstance(source, am.FileSource):
        told: Native = {"image": write_reference(source)}
    else:
        told = {"image": _write_text(source)}
    is_typed = source.media_type is not None and _url_mark(source) != "alone"
    return {**told, "mediaType": source.media_type} if is_typed else told


def is_image(block: Any) -> bool:
    """Whether an image of a user is written as an ``image``: it wasn't read as a file, and can be."""
    if block.notes and mark_of(block, FAMILY, "/file") is True and media.kind_of(type_in(block.source)) == "image":
        return False
    return isinstance(block.source, am.FileSource) or _is_plain(block.source)


IMAGE = Hatch(
    keys=("image", "mediaType"), cells={"source": KEEP}, get=_read_image, put=_write_image, must=("image",),
    schema={"image": _TEXT, "mediaType": {"type": "string"}}, about="source",
)  # fmt: skip
