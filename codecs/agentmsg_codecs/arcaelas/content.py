"""Content blocks: text, image, audio and document, and where they come from.

The library has lists of blocks for users and tools. A list of texts elsewhere is read too: its blocks are marked
``/odd`` and written so again, and nothing else is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Native, Parts, Shape, Unreadable, maker, object_at, read_as, text_at, word_at, write_as
from agentmsg_codecs.arcaelas.names import FAMILY, odd

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


make_text = maker(am.TextBlock)
_make_base64 = maker(am.Base64Source)
_make_file = maker(am.FileSource)
_make_url = maker(am.URLSource)


# -- sources ----------------------------------------------------------------------------------------------------------


def _read_base64(native: Native, _: Any) -> am.Base64Source:
    source = _make_base64(text_at(native, "data"), word_at(native, "media_type"))
    found: am.Base64Source = source if source.media_type is not None else odd(source)
    return found


def _write_base64(source: am.Base64Source) -> Native:
    kind: Native = {} if source.media_type is None else {"media_type": source.media_type}
    return {"type": "base64", **kind, "data": source.data}


_BASE64 = Shape(
    cls=am.Base64Source,
    keys={"base64": frozenset({"type", "media_type", "data"})},
    read=_read_base64,
    write=_write_base64,
)
_URL = Shape(
    cls=am.URLSource,
    keys={"url": frozenset({"type", "url"})},
    read=lambda native, _: _make_url(text_at(native, "url")),
    write=lambda source: {"type": "url", "url": source.url},
)
_FILE = Shape(
    cls=am.FileSource,
    keys={"file": frozenset({"type", "file_id"})},
    read=lambda native, _: _make_file(text_at(native, "file_id")),
    write=lambda source: {"type": "file", "file_id": source.file_id},
)
_SHAPES: Mapping[type[Any], Shape] = {shape.cls: shape for shape in (_BASE64, _URL, _FILE)}
_BY_TAG: Mapping[Any, Shape] = {tag: shape for shape in _SHAPES.values() for tag in shape.keys}
# The sources that each class of block may have.
SOURCES: Mapping[type[Any], frozenset[type[Any]]] = {
    am.ImageBlock: frozenset({am.Base64Source, am.URLSource}),
    am.AudioBlock: frozenset({am.Base64Source}),
    am.FileBlock: frozenset({am.Base64Source, am.URLSource, am.FileSource}),
}


def source_keys(source: Any) -> frozenset[str]:
    """Return the keys that a source has of its own."""
    return next(iter(_SHAPES[source.__class__].keys.values()))


# -- blocks -----------------------------------------------------------------------------------------------------------


def _reader(cls: type[Any]) -> Callable[[Native, Any], Any]:
    make, allowed = maker(cls), SOURCES[cls]

    def read(part: Native, _: Any) -> Any:
        native = object_at(part, "source")
        tag = native.get("type")
        shape = _BY_TAG.get(tag) if type(tag) is str else None
        if shape is None or shape.cls not in allowed:
            raise Unreadable
        return make(read_as(shape, native, FAMILY))

    return read


def _media(cls: type[Any], tag: str) -> Shape:
    def write(block: Any) -> Native:
        source = block.source
        return {"type": tag, "source": write_as(_SHAPES[type(source)], source, FAMILY)}

    return Shape(cls=cls, keys={tag: frozenset({"type", "source"})}, read=_reader(cls), write=write)


_TEXT = Shape(
    cls=am.TextBlock,
    keys={"text": frozenset({"type", "text"})},
    read=lambda part, _: make_text(text_at(part, "text")),
    write=lambda block: {"type": "text", "text": block.text},
)


def _quick_text(part: Native) -> Any:
    text = part.get("text")
    return make_text(text) if len(part) == 2 and type(text) is str else None  # noqa: PLR2004 - type and text


class ContentParts:
    """The blocks that content may hold; all tables share one Converter.

    Attributes:
        everything: of users and tools.
        words: of all others, whose content is a text.
    """

    def __init__(self) -> None:
        media = (
            _media(am.ImageBlock, "image"),
            _media(am.AudioBlock, "audio"),
            _media(am.FileBlock, "document"),
        )
        self.everything = Parts(FAMILY, (_TEXT, *media), ((am.TextBlock, "text", _quick_text),))
        self.words = self.everything.narrowed((am.TextBlock,), odd=(am.TextBlock,))

    def of(self, role: str) -> Parts:
        """Return the table of a role."""
        return self.everything if role in {"user", "tool"} else self.words

    def fill(self) -> None:
        """Fill the tables, on first use."""
        self.everything.fill()
        self.words.fill()
