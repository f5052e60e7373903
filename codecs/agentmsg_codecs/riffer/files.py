"""A user's files: images and documents, by URL or as data; how to distinguish them, and what becomes of others.

The media type, or the suffix of the URL, decides whether a file is an image or a document.
"""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg.formats import Native, cells, is_marked, media, rules
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


# -- any file ----------------------------------------------------------------------------------------------------------


def _class_of(source: Any) -> type[Any]:
    return am.ImageBlock if _is_image(source.media_type, getattr(source, "url", None)) else am.FileBlock


def _nearest(block: Any) -> Any:
    """Return the nearest source that the library takes; None if there is none."""
    source = block.source
    if isinstance(source, am.TextSource) and source.text:
        import base64  # noqa: PLC0415 - needed by few

        known = source.media_type if source.media_type in _DOCUMENTS else "text/plain"
        return am.Base64Source(base64.b64encode(source.text.encode()).decode(), known)
    source = media.unwrapped(source)
    if isinstance(source, am.Base64Source):
        kind = source.media_type or media.guess_media_type(source.data) or ""
        near = kind if kind in _IMAGES or kind in _DOCUMENTS else "text/plain" if kind.startswith("text/") else None
        return near and (source if near == source.media_type else am.Base64Source(source.data, near))
    if not isinstance(source, am.URLSource):
        return None
    # An image needs a media type; whoever fetches it will see the real one.
    guesses = (source.media_type, None, *(("image/jpeg",) if isinstance(block, am.ImageBlock) else ()))
    usual = [kind for kind in guesses if _is_usual(kind, source.url)]
    return None if not usual else source if usual[0] == source.media_type else am.URLSource(source.url, usual[0])


def near_file(block: Any) -> Any:
    """Return a file of a type that the library knows, or the text of a document; None if there is nothing to write."""
    source = block.source
    if isinstance(source, am.BlocksSource):
        return rules.as_text(block)
    is_read = is_marked(block, FAMILY, "/odd") and type(source) in (am.Base64Source, am.URLSource)
    new = source if is_read and _class_of(source) is type(block) else _nearest(block)
    if new is None:
        return None
    new, cls = cells.bare(new), _class_of(new)
    name = (block.title if block.name is None else block.name) if isinstance(block, am.FileBlock) else None
    if cls is not type(block):
        return cls(new, **({"name": name} if cls is am.FileBlock else {}))
    changes: dict[str, Any] = {} if new is source else {"source": new}
    if cls is am.FileBlock and block.name is not name:
        changes["name"] = name
    return block.evolve(**changes) if changes else block
