"""A user's files: images and documents, by URL or as data; how to distinguish them, and the rules for others.

The media type, or the suffix of the URL, decides whether a file is an image or a document.
"""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg.formats import Drop, Native, Swap, cells, is_marked, media, rules
from agentmsg_codecs.riffer.names import FAMILY

_IMAGES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
_DOCUMENTS = frozenset({"application/pdf", "text/plain", "text/csv", "text/html"})
# The endings of URLs that imply a media type.
_IMAGE_ENDINGS = frozenset({"jpg", "jpeg", "png", "gif", "webp"})
_DOCUMENT_ENDINGS = frozenset({"pdf", "txt", "md", "csv", "html"})


def _ending(url: Any) -> str:
    """Return the ending of a URL's path; data has none."""
    if not isinstance(url, str):
        return ""
    path = url.partition("?")[0].partition("#")[0].rpartition("/")[2]
    return path.rpartition(".")[2].lower() if "." in path else ""


def _is_image(media_type: Any, url: Any) -> bool:
    return media_type.startswith("image/") if media_type else _ending(url) in _IMAGE_ENDINGS


def _is_usual(media_type: Any, url: Any) -> bool:
    if media_type is not None:
        return media_type in _IMAGES or media_type in _DOCUMENTS
    return _ending(url) in _IMAGE_ENDINGS or _ending(url) in _DOCUMENT_ENDINGS


def is_image(native: Native) -> bool:
    """Whether a file is an image."""
    media_type = native.get("media_type")
    return isinstance(media_type, str | None) and _is_image(media_type, None if has_data(native) else native.get("url"))


def has_data(native: Native) -> bool:
    """Whether a file is given as data; then its URL is ignored."""
    return native.get("data") is not None


def is_refused(native: Native) -> bool:
    """Whether the library refuses a file, or doesn't understand it: data in a URL, which it doesn't decode."""
    url = None if has_data(native) else native["url"]
    held = None if url is None else media.read_data_url(url)
    return held is not None or not _is_usual(native.get("media_type"), url)


# -- what is supported -------------------------------------------------------------------------------------------------


def _class_of(source: Any) -> type[Any]:
    return am.ImageBlock if _is_image(source.media_type, getattr(source, "url", None)) else am.FileBlock


def _is_allowed(source: Any) -> bool:
    return _is_usual(source.media_type, getattr(source, "url", None))


def _nearest(block: Any) -> Any:
    """Return the nearest source that is supported, or Drop."""
    source = block.source
    if isinstance(source, am.TextSource):
        if not source.text:
            return Drop("the document is empty", "annotation")
        known = source.media_type if source.media_type in _DOCUMENTS else "text/plain"
        import base64  # noqa: PLC0415 - needed by few

        return am.Base64Source(base64.b64encode(source.text.encode()).decode(), known)
    source = media.unwrapped(source)
    if isinstance(source, am.Base64Source):
        kind = source.media_type or media.guess_media_type(source.data)
        if kind not in _IMAGES and kind not in _DOCUMENTS:
            if not (kind or "").startswith("text/"):
                return Drop(f"no files of {kind or 'an unknown type'} here")
            kind = "text/plain"
        return source if kind == source.media_type else am.Base64Source(source.data, kind)
    if not isinstance(source, am.URLSource):
        return Drop("a file is given by URL or as data here")
    if _is_allowed(source):
        return source
    told = am.URLSource(source.url)
    if _is_allowed(told):
        return told
    # An image needs a media type; whoever fetches it will see the real one.
    return (
        am.URLSource(source.url, "image/jpeg")
        if isinstance(block, am.ImageBlock)
        else Drop("the type of the file is unknown")
    )


_BARE = "a file has a media type and a file name"


def carried_file(block: Any) -> Any:
    """Keep a file of a type that the library supports; write a document given as text as data."""
    source = block.source
    is_odd = is_marked(block, FAMILY, "/odd") and type(source) in (am.Base64Source, am.URLSource)
    if is_odd and _class_of(source) is type(block):
        return Swap(block.evolve(source=cells.bare(source)), _BARE, "annotation") if source.extras else block
    if isinstance(source, am.BlocksSource):
        answer = rules.document_as_text(block) if isinstance(block, am.FileBlock) else block
        return Drop("this kind of document isn't supported") if answer is block else answer
    new = _nearest(block)
    if isinstance(new, Drop):
        return new
    new = cells.bare(new)
    cls = _class_of(new)
    name = (block.name if block.name is not None else block.title) if isinstance(block, am.FileBlock) else None
    if cls is not type(block):
        fields: dict[str, Any] = {"name": name} if cls is am.FileBlock else {}
        return Swap(cls(new, **fields), "the media type tells what kind of file it is", "annotation")
    changes: dict[str, Any] = {} if new is source else {"source": new}
    if cls is am.FileBlock and block.name is None and name is not None:
        changes |= {"name": name, "title": None}
    return Swap(block.evolve(**changes), _BARE, "annotation") if changes else block
