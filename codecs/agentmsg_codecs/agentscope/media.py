"""Sources of media, and images, sound, videos and files.

A ``data`` block holds any of them, told apart by the media type; Java and Python 1.x also have a block for each kind.
Every block that was read is marked ``/as`` with its kind, "flat" or "url" if it was one of 0.x.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

import attrs

import agentmsg as am
from agentmsg.formats import (
    Drop,
    Native,
    Shape,
    Swap,
    Unreadable,
    carried_extras,
    is_list,
    is_object,
    is_odd,
    maker,
    mark_of,
    marked,
    media,
    natives,
    object_at,
    read_as,
    rules,
    text_at,
    word_at,
)
from agentmsg_codecs.agentscope.shapes import Spared, spared, with_spare, write_marked
from agentmsg_codecs.agentscope.urls import is_url

MEDIA: Mapping[type[Any], str] = {
    am.ImageBlock: "image",
    am.AudioBlock: "audio",
    am.VideoBlock: "video",
    am.FileBlock: "data",
}
_CLASSES: Mapping[str, type[Any]] = {"image": am.ImageBlock, "audio": am.AudioBlock, "video": am.VideoBlock}
_MAKERS: Mapping[type[Any], Callable[..., Any]] = {cls: maker(cls) for cls in MEDIA}
# The kinds of 0.x, and what all of them have.
_FLAT = frozenset({*_CLASSES, "file"})
_FLAT_KEYS = frozenset({"type", "url"})
_SOURCES: Mapping[str, type[Any]] = {"url": am.URLSource, "base64": am.Base64Source}
_make_url = maker(am.URLSource)
_make_base64 = maker(am.Base64Source)
_NO_SPARE: Mapping[str, Any] = MappingProxyType({})
# The endings of URLs that tell a media type.
_ENDINGS: Mapping[str, str] = {
    **{ending: f"image/{ending}" for ending in ("png", "gif", "webp", "bmp", "jpeg")},
    **{ending: f"audio/{ending}" for ending in ("wav", "ogg", "flac", "aac")},
    **{ending: f"video/{ending}" for ending in ("mp4", "webm", "mpeg")},
    "jpg": "image/jpeg",
    "mp3": "audio/mpeg",
    "pdf": "application/pdf",
    "txt": "text/plain",
}


def _class_of(media_type: str | None) -> type[Any]:
    return _CLASSES.get((media_type or "").partition("/")[0], am.FileBlock)


def _kind(source: Any) -> type[Any]:
    return am.URLSource if isinstance(source, am.URLSource) else am.Base64Source


def _by_ending(url: str) -> str | None:
    head = url.partition("?")[0].partition("#")[0]
    return _ENDINGS.get(head.rpartition(".")[2].lower())


@attrs.frozen(kw_only=True)
class _MediaShape(Spared):
    """The shape of a class of media.

    Attributes:
        flat_keys: returns the keys of a flat block, which has none of the others.
    """

    flat_keys: Callable[[str, Any], frozenset[str] | None]

    def known(self, native: Mapping[str, Any]) -> frozenset[str]:
        """Return the keys that a native object models."""
        return self.flat_keys(native["type"], native) or Spared.known(self, native)

    def taken(self, owner: Any) -> frozenset[str]:
        """Return the keys that no unknown field of a block may have."""
        return self.flat_keys(str(self.tag_of(owner)), owner) or Spared.taken(self, owner)


@attrs.frozen(kw_only=True)
class Media:
    """The media of one dialect.

    Attributes:
        family: whose extras and marks these are.
        by_kind: whether the usual block for an image is ``image``, not ``data``.
        url_key: the key of a URL's media type.
        aliases: other keys of a media type, which are read only.
        typed: whether a URL has a media type; data always has one.
        data_first: whether base64 data stands before its media type.
        ids: the kinds of blocks that have an id.
        spare: the spare keys of ``data`` blocks; the name of what isn't a file is another.
        writes_spare: whether spare keys are written where they say nothing.
        flat: whether media of Python's 0.x are read, whose URL is a field of the block (0.1.6) or, as one of a list,
            of the message (0.1.1). They have no media type.
        as_read: whether each is written as the kind of block that it was read from.
    """

    family: str
    by_kind: bool
    url_key: str
    aliases: tuple[str, ...]
    typed: bool
    data_first: bool
    ids: frozenset[str]
    spare: Mapping[str, Any]
    writes_spare: bool
    flat: bool
    as_read: bool
    _sources: Mapping[Any, Shape] = attrs.field(
        init=False, repr=False, eq=False, default=attrs.Factory(lambda self: self._source_shapes(), takes_self=True)
    )

    _spare_beside_name: Mapping[str, Any] = attrs.field(
        init=False,
        repr=False,
        eq=False,
        default=attrs.Factory(lambda self: {"name": None, **self.spare}, takes_self=True),
    )

    # -- sources ------------------------------------------------------------------------------------------------------

    def _source_shapes(self) -> Mapping[Any, Shape]:
        """Return the shapes of the sources, by class."""
        url = frozenset({"type", "url", self.url_key, *self.aliases})
        data = frozenset({"type", "data", "media_type", *self.aliases})
        # One of them tells the media type; the others are unknown fields.
        others = frozenset(self.aliases)
        return {
            am.URLSource: Shape(
                cls=am.URLSource, keys={"url": url}, read=self._read_url, write=self._write_url, odd=others
            ),
            am.Base64Source: Shape(
                cls=am.Base64Source, keys={"base64": data}, read=self._read_base64, write=self._write_base64, odd=others
            ),
        }

    def _type_in(self, native: Mapping[str, Any], key: str) -> str | None:
        named = next((name for name in (key, *self.aliases) if native.get(name) is not None), key)
        return word_at(native, named)

    def _read_url(self, native: Native, _: Any) -> am.URLSource:
        return _make_url(text_at(native, "url"), self._type_in(native, self.url_key))

    def _read_base64(self, native: Native, _: Any) -> am.Base64Source:
        return _make_base64(text_at(native, "data"), self._type_in(native, "media_type"))

    def _write_url(self, source: am.URLSource) -> Native:
        native: Native = {"type": "url", "url": source.url}
        if source.media_type is not None:
            native[self.url_key] = source.media_type
        return native

    def _write_base64(self, source: am.Base64Source) -> Native:
        kind = source.media_type
        if kind is None:
            return {"type": "base64", "data": source.data}
        if self.data_first:
            return {"type": "base64", "data": source.data, "media_type": kind}
        return {"type": "base64", "media_type": kind, "data": source.data}

    def _read_source(self, native: Native) -> Any:
        value = object_at(native, "source")
        tag = value.get("type")
        cls = _SOURCES.get(tag) if type(tag) is str else None
        if cls is None:
            raise Unreadable
        source = read_as(self._sources[cls], value, self.family)
        is_odd = source.media_type is None or (tag == "url" and not is_url(source.url))
        return marked(source, self.family, odd=True) if is_odd else source

    def _write_source(self, source: Any) -> Native:
        shape = self._sources[_kind(source)]
        return write_marked(shape, source, self.family) if source.notes or source.extras else shape.write(source)

    # -- blocks -------------------------------------------------------------------------------------------------------

    def tag_of(self, block: Any) -> str:
        """Return the kind of block that something is written as."""
        own = MEDIA[type(block)]
        found = mark_of(block, self.family, "/as") if block.notes and self.as_read else None
        if found in (own, "data"):
            return str(found)
        if self.flat and self.is_flat(block):
            return "file" if own == "data" else own
        return own if self.by_kind else "data"

    def is_flat(self, block: Any) -> bool:
        """Whether a block is written as 0.x has it: it was read so, and says nothing but its URL."""
        if not (block.notes and self.flat and self.as_read and type(block) in MEDIA):
            return False
        if mark_of(block, self.family, "/as") not in ("flat", "url"):
            return False
        source = block.source
        is_bare = isinstance(source, am.URLSource) and source.media_type is None and not source.extras
        return is_bare and block.phase is None and getattr(block, "name", None) is None

    def _is_flat(self, native: Mapping[str, Any]) -> bool:
        return self.flat and native["type"] in _FLAT and "source" not in native and type(native.get("url")) is str

    # -- URLs of messages ---------------------------------------------------------------------------------------------

    def read_urls(self, value: Any) -> list[Any]:
        """Return the blocks of the URLs of a message of 0.1.1, which has one as a text, or a list.

        Raises:
            Unreadable: where they are anything else.
        """
        urls: Any = [value] if type(value) is str else value
        if not is_list(urls) or not all(type(url) is str for url in urls):
            raise Unreadable
        return [
            marked(_MAKERS[_class_of(_by_ending(url))](_make_url(url)), self.family, **{"as": "url"}) for url in urls
        ]

    def urls_of(self, blocks: Sequence[Any]) -> list[str]:
        """Return the URLs at the end of some blocks that are written as those of their message."""
        urls: list[str] = []
        for block in reversed(blocks):
            if not block.notes or mark_of(block, self.family, "/as") != "url" or not self.is_flat(block):
                break
            if block.item_id is not None or block.extras or _class_of(_by_ending(block.source.url)) is not type(block):
                break
            urls.append(block.source.url)
        return urls[::-1]

    # -- shapes -------------------------------------------------------------------------------------------------------

    def _class_in(self, native: Mapping[str, Any]) -> type[Any]:
        cls = _CLASSES.get(native["type"])
        source: Any = native.get("source")
        if cls is not None or not is_object(source):
            return cls or am.FileBlock
        try:
            return _class_of(self._type_in(source, self.url_key if source.get("type") == "url" else "media_type"))
        except Unreadable:
            return am.FileBlock

    def _spare(self, tag: str, cls: type[Any]) -> Mapping[str, Any]:
        if tag != "data":
            return _NO_SPARE
        return self.spare if cls is am.FileBlock else self._spare_beside_name

    def shapes(self) -> tuple[Spared, ...]:
        """Return the shapes of the four classes; that of ``data`` is the last."""
        data: frozenset[str] = frozenset({"type", "id", "source", "name", *self.spare})
        kinds: dict[str | None, frozenset[str]] = {
            tag: frozenset({"type", "source", *(["id"] if tag in self.ids else [])}) for tag in _CLASSES
        }
        return tuple(
            _MediaShape(
                cls=cls,
                keys={tag: kinds.get(tag, data), "data": data, **({"file": _FLAT_KEYS} if tag == "data" else {})},
                read=self._read,
                write=self._write,
                tag_of=self.tag_of,
                family=self.family,
                spare_in=lambda native: self._spare(native["type"], self._class_in(native)),
                spare_of=lambda block: self._spare(self.tag_of(block), block.__class__),
                flat_keys=self._flat_keys,
            )
            for cls, tag in MEDIA.items()
        )

    def _flat_keys(self, tag: str, item: Any) -> frozenset[str] | None:
        """Return the keys of a flat block, native or ours, of a kind; None if it is none."""
        is_flat = self._is_flat if is_object(item) else self.is_flat
        if not is_flat(item):
            return None
        return _FLAT_KEYS | {"id"} if tag in self.ids else _FLAT_KEYS

    def _read(self, native: Native, _: Any) -> Any:
        tag, cls = native["type"], self._class_in(native)
        if self._is_flat(native):
            item_id = word_at(native, "id") if tag in self.ids else None
            return marked(_MAKERS[cls](_make_url(native["url"]), item_id=item_id), self.family, **{"as": "flat"})
        fields: dict[str, Any] = {"extras": spared(native, self._spare(tag, cls), self.family)}
        if tag in self.ids:
            fields["item_id"] = word_at(native, "id")
        if cls is am.FileBlock:
            fields["name"] = word_at(native, "name")
        return marked(_MAKERS[cls](self._read_source(native), **fields), self.family, **{"as": tag})

    def _write(self, block: Any) -> Native:
        tag = self.tag_of(block)
        native: Native = {"type": tag}
        if block.item_id is not None and tag in self.ids:
            native["id"] = natives.link_of(block.item_id)
        if tag != "data" and self.flat and self.is_flat(block):
            native["url"] = block.source.url
            return native
        native["source"] = self._write_source(block.source)
        if type(block) is am.FileBlock and (block.name is not None or self.writes_spare):
            native["name"] = block.name
        if self.writes_spare:
            with_spare(native, block, self._spare(tag, block.__class__), self.family)
        return native

    # -- what is supported ---------------------------------------------------------------------------------------------

    def id_cell(self, item_id: str, block: Any) -> str | None:
        """Keep the id of a block of a kind that has one."""
        return item_id if self.tag_of(block) in self.ids else None

    def takes_url_of(self, source: Any) -> bool:
        """Whether the URL of a source is one that the library takes, or was read."""
        if not self.typed or not isinstance(source, am.URLSource) or is_url(source.url):
            return True
        return self.as_read and mark_of(source, self.family, "/odd") is True

    def source_cell(self, source: Any, block: Any) -> Any:
        """Keep a source; its media type is found out if it is not told, or would tell another class."""
        if not isinstance(source, (am.URLSource, am.Base64Source)):
            return Drop("media are given as a URL or as data here")
        if not (self.takes_url_of(source) or self.is_flat(block)):
            return Drop("a URL is absolute here")
        changes: dict[str, Any] = {}
        wanted = self._media_type(source, block)
        if wanted is not source.media_type:
            changes["media_type"] = wanted
        if source.extras:
            shape = self._sources[_kind(source)]
            keys = next(iter(shape.keys.values()))
            extras = carried_extras((self.family, lambda _: keys), odd=partial(is_odd, shape))(source.extras, source)
            changes |= {} if extras is source.extras else {"extras": extras}
        return source.evolve(**changes) if changes else source

    def _media_type(self, source: Any, block: Any) -> str | None:
        kind: str | None = source.media_type
        if self.is_flat(block):
            return kind
        told = self.tag_of(block) == "data"
        if not told or _class_of(kind) is type(block):
            is_needed = self.typed or isinstance(source, am.Base64Source)
            if kind is not None or not is_needed or mark_of(source, self.family, "/odd") is True:
                return kind if kind is None else str(kind)
        guessed = media.guess_media_type(source.data) if isinstance(source, am.Base64Source) else _by_ending(source.url)
        if guessed is not None and _class_of(guessed) is type(block):
            return guessed
        name = MEDIA[type(block)]
        return "application/octet-stream" if name == "data" else f"{name}/*"

    def file_rule(self, block: am.FileBlock) -> Any:
        """Keep a file; one that is an image is an image, one that is given as text is text."""
        if isinstance(block.source, (am.URLSource, am.Base64Source)):
            cls = _class_of(block.source.media_type)
            if cls is am.FileBlock:
                return block
            new = cls(block.source, item_id=block.item_id, extras=block.extras)
            return Swap(new, "the media type tells what it is here", "annotation")
        return rules.document_as_text(block)
