"""Files of a user: images and documents, given by URL or as data.

Which of the two a file is, its media type tells, or the ending of its URL. What is read though the library refuses it
(another media type), or does not understand (data in a URL), is marked ``/odd``.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import (
    KEEP,
    Cell,
    Drop,
    Native,
    Row,
    Shape,
    Swap,
    Unreadable,
    carried_extras,
    dispatch,
    is_object,
    maker,
    media,
    read_as,
    rules,
    text_at,
    word_at,
    write_as,
)
from agentmsg_codecs.riffer.names import FAMILY, is_odd, odd

if TYPE_CHECKING:
    from collections.abc import Callable


_make_base64 = maker(am.Base64Source)
_make_url = maker(am.URLSource)
_IMAGES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
_DOCUMENTS = frozenset({"application/pdf", "text/plain", "text/csv", "text/html"})
# The endings of URLs that tell the media type.
_IMAGE_ENDINGS = frozenset({"jpg", "jpeg", "png", "gif", "webp"})
_DOCUMENT_ENDINGS = frozenset({"pdf", "txt", "md", "csv", "html"})


def _ending(source: Any) -> str:
    """Return the ending of a URL's path; data has none."""
    if not isinstance(source, am.URLSource):
        return ""
    path = source.url.partition("?")[0].partition("#")[0].rpartition("/")[2]
    return path.rpartition(".")[2].lower() if "." in path else ""


def _class_of(source: Any) -> type[Any]:
    kind = source.media_type
    is_image = kind.startswith("image/") if kind else _ending(source) in _IMAGE_ENDINGS
    return am.ImageBlock if is_image else am.FileBlock


def _is_allowed(source: Any) -> bool:
    if source.media_type is not None:
        return source.media_type in _IMAGES or source.media_type in _DOCUMENTS
    return _ending(source) in _IMAGE_ENDINGS or _ending(source) in _DOCUMENT_ENDINGS


def _holds_data(source: Any) -> bool:
    """Whether the data of a file is in its URL, where the library does not look for it."""
    return isinstance(source, am.URLSource) and media.read_data_url(source.url) is not None


# -- shapes -----------------------------------------------------------------------------------------------------------


def _read(native: Native, cls: Any) -> Any:
    kind = word_at(native, "media_type")
    if native.get("data") is not None:
        source: Any = _make_base64(text_at(native, "data"), kind)
    else:
        source = _make_url(text_at(native, "url"), kind)
    if _class_of(source) is not cls:
        raise Unreadable
    name: dict[str, Any] = {"name": word_at(native, "filename")} if cls is am.FileBlock else {}
    block = _MAKERS[cls](source=source, **name)
    return block if _is_allowed(source) and not _holds_data(source) else odd(block)


def _write(block: Any) -> Native:
    source = block.source
    native: Native = {} if source.media_type is None else {"media_type": source.media_type}
    if isinstance(source, am.Base64Source):
        native["data"] = source.data
    else:
        native["url"] = source.url
    name = getattr(block, "name", None)
    return native if name is None else {**native, "filename": name}


def _shape(cls: type[Any], *held: str) -> Shape:
    # An image has no name in the model: its file name is an unknown field.
    own = {"media_type", *held, *(("filename",) if cls is am.FileBlock else ())}
    return Shape(cls=cls, keys={None: frozenset(own)}, read=_read, write=_write)


_MAKERS: dict[type[Any], Callable[..., Any]] = {cls: maker(cls) for cls in (am.ImageBlock, am.FileBlock)}
_SHAPES: dict[tuple[type[Any], type[Any]], Shape] = {
    **{(cls, am.Base64Source): _shape(cls, "data") for cls in _MAKERS},
    # Beside data, a URL is an unknown field; but nothing is data beside a URL.
    **{(cls, am.URLSource): _shape(cls, "url", "data") for cls in _MAKERS},
}


def _shape_of(block: Any) -> Shape:
    return _SHAPES[type(block), type(block.source)]


def read_file(item: Any) -> Any:
    """Return the block of a file.

    Raises:
        Unreadable: if it is none.
    """
    if not is_object(item):
        raise Unreadable
    held = am.Base64Source if item.get("data") is not None else am.URLSource
    kind, url = word_at(item, "media_type"), item.get("url")
    told = _make_url(url if type(url) is str and held is am.URLSource else "", kind)
    return read_as(_SHAPES[_class_of(told), held], item, FAMILY)


def write_file(block: Any) -> Native:
    """Return the file of an image or a document."""
    return write_as(_shape_of(block), block, FAMILY)


# -- what is supported -------------------------------------------------------------------------------------------------


def _nearest(block: Any) -> Any:
    """Return the nearest source that is supported, or Drop."""
    source = block.source
    if isinstance(source, am.TextSource):
        if not source.text:
            return Drop("there is no text in it", "annotation")
        known = source.media_type if source.media_type in _DOCUMENTS else "text/plain"
        return am.Base64Source(base64.b64encode(source.text.encode()).decode(), known)
    held = media.read_data_url(source.url) if isinstance(source, am.URLSource) else None
    source = held or source
    if isinstance(source, am.Base64Source):
        kind = source.media_type or media.guess_media_type(source.data)
        if kind not in _IMAGES and kind not in _DOCUMENTS:
            if not (kind or "").startswith("text/"):
                return Drop(f"no files of the type {kind or 'that is not told'} here")
            kind = "text/plain"
        return source if kind == source.media_type else am.Base64Source(source.data, kind)
    if not isinstance(source, am.URLSource):
        return Drop("a file is given by URL or as data here")
    if _is_allowed(source):
        return source
    told = am.URLSource(source.url)
    if _is_allowed(told):
        return told
    # An image must say of what type it is; those who fetch it will see.
    return am.URLSource(source.url, "image/jpeg") if isinstance(block, am.ImageBlock) else Drop("of no type known here")


_BARE = "a file has a media type and a file name"


def _bare(source: Any) -> Any:
    """Return a source without unknown fields: there is no object for it here."""
    return source.evolve(extras={}) if source.extras else source


def _carried(block: Any) -> Any:
    """Keep a file of a type that the library has; a document that is given as text is data."""
    source = block.source
    if is_odd(block) and type(source) in (am.Base64Source, am.URLSource) and _class_of(source) is type(block):
        return Swap(block.evolve(source=_bare(source)), _BARE, "annotation") if source.extras else block
    if isinstance(source, am.BlocksSource):
        answer = rules.document_as_text(block) if isinstance(block, am.FileBlock) else block
        return Drop("no place for such a document") if answer is block else answer
    new = _nearest(block)
    if isinstance(new, Drop):
        return new
    new = _bare(new)
    cls = _class_of(new)
    name = (block.name if block.name is not None else block.title) if isinstance(block, am.FileBlock) else None
    if cls is not type(block):
        fields: dict[str, Any] = {"name": name} if cls is am.FileBlock else {}
        return Swap(cls(new, **fields), "the media type tells what kind of file it is", "annotation")
    changes: dict[str, Any] = {} if new is source else {"source": new}
    if cls is am.FileBlock and block.name is None and name is not None:
        changes |= {"name": name, "title": None}
    return Swap(block.evolve(**changes), _BARE, "annotation") if changes else block


def file_rows() -> dict[type[am.BaseBlock], Row]:
    """Return the rows of a user's files."""

    def keys(block: Any) -> frozenset[str] | None:
        shape = _SHAPES.get((dispatch.class_of(block), dispatch.class_of(block.source)))
        return None if shape is None else shape.keys[None]

    cells: dict[str, Cell] = {"source": KEEP, "extras": carried_extras((FAMILY, keys))}
    return {am.ImageBlock: Row(cells, _carried), am.FileBlock: Row({**cells, "name": KEEP}, _carried)}
