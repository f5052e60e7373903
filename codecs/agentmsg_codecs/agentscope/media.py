"""Sources of media, and images, sound, videos and files.

A ``data`` block holds any of them, told apart by the media type; Java and Python 1.x also have a block for each kind.
Every block that was read is marked ``/as`` with its kind, "flat" or "url" if it was one of 0.x.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

import agentmsg as am
from agentmsg.formats import (
    KEEP,
    Cell,
    Drop,
    Native,
    Swap,
    Unreadable,
    is_list,
    is_object,
    maker,
    mark_of,
    marked,
    media,
    rules,
    spelling,
    word_at,
)
from agentmsg.formats.forms import Form, Hatch, Key, Link, Nested, Spare, Text, Wrapped
from agentmsg_codecs.agentscope.calls import aside
from agentmsg_codecs.agentscope.urls import is_url

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

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
_ID = Key("id", "item_id", Link(), "may")
_make_url = maker(am.URLSource)
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


def _is_usual(source: Any) -> bool:
    """Whether a source is one that the library writes."""
    return source.media_type is not None and (type(source) is am.Base64Source or is_url(source.url))


def _by_ending(url: str) -> str | None:
    head = url.partition("?")[0].partition("#")[0]
    return _ENDINGS.get(head.rpartition(".")[2].lower())


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
    spare: tuple[Spare, ...]
    writes_spare: bool
    flat: bool
    as_read: bool

    # -- forms --------------------------------------------------------------------------------------------------------

    sources: ClassVar[tuple[str, ...]] = ("url", "base64")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the forms of blocks."""
        return tuple(form.name for form in self.forms() if form.cls in MEDIA)

    def forms(self) -> tuple[Form, ...]:
        """Return the forms of sources and of the four classes, each of its own kind, as ``data``, and flat."""
        data = (Key("data", "data", Text()), self._type("media_type"))
        found = [
            Form("url", am.URLSource, "url", (Key("url", "url", Text()), self._type(self.url_key))),
            Form("base64", am.Base64Source, "base64", data if self.data_first else data[::-1]),
        ]
        for cls, name in MEDIA.items():
            found += self._forms_of(cls, name)
        return tuple(found)

    def _forms_of(self, cls: type[Any], name: str) -> list[Form]:
        source = Key("source", "source", Nested(self.sources, _is_usual))
        ids = {tag: (_ID,) if tag in self.ids else () for tag in (name, "data", "file")}
        is_file = cls is am.FileBlock
        own: Key | Spare = Key("name", "name", Text(), "null" if self.writes_spare else "may")
        if not is_file:
            own = Spare("name", is_written=self.writes_spare)
        of_kind = Form(
            name, cls, name, (*ids[name], source), notes={"as": name}, fits=lambda native: not self._is_flat(native)
        )
        data = Form(
            f"{name}_data" if not is_file else name,
            cls,
            "data",
            (*ids["data"], source, own, *self.spare),
            notes={"as": "data"},
            fits=lambda native: self._class_in(native) is cls,
            schema={"properties": {"source": {"anyOf": [*map(partial(self._schema_of, cls), self.sources)]}}},
        )
        flat = Form(
            f"flat_{name}",
            cls,
            "file" if is_file else name,
            (*ids["file" if is_file else name], Key("url", "source", Wrapped(am.URLSource, "url"))),
            notes={"as": "flat"},
            fits=self._is_flat,
            when=self.is_flat,
            schema={"properties": {"source": {"not": {}}}},
        )
        kinds = [data] if is_file else self._by_tag(of_kind, data)
        return [flat, *kinds] if self.flat else kinds

    def _schema_of(self, cls: type[Any], tag: str) -> dict[str, Any]:
        """Return the schema of sources with a tag that make a ``data`` block one of a class."""
        key, kind = ("url", self.url_key) if tag == "url" else ("data", "media_type")
        properties = {"type": {"const": tag}, key: {"type": "string"}, kind: {"const": f"{MEDIA[cls]}/x"}}
        return {"type": "object", "properties": properties, "required": [*properties]}

    def _by_tag(self, of_kind: Form, data: Form) -> list[Form]:
        """Return both kinds of a class; the usual one is for what the other was not read from."""
        usual, other = (of_kind, data) if self.by_kind else (data, of_kind)
        if not self.as_read:
            return [usual, attrs.evolve(other, is_only_read=True)]

        def is_other(block: Any) -> bool:
            return self.tag_of(block) == other.tag

        return [attrs.evolve(other, when=is_other), usual]

    def _type(self, key: str) -> Key | Hatch:
        """Return the media type of a source, which stands under one of several keys."""
        if not self.aliases:
            return Key(key, "media_type", Text(), "may")
        keys = tuple(dict.fromkeys((key, *self.aliases)))

        def read(native: Native) -> dict[str, Any]:
            told = self._told_by(native, key)
            kind = word_at(native, told)
            if kind is None:
                return aside(native, *keys)
            found = aside(native, *(other for other in keys if other != told))
            if told != key:
                note = {told: spelling.spelling_of(kind) or ["=", kind]}
                found["notes"] |= note if key in native else {key: "absent", **note}
            return {"media_type": kind, **found}

        def write(source: Any) -> Native:
            return {} if source.media_type is None else {key: source.media_type}

        schema = {each: {"type": ["string", "null"]} for each in keys}
        return Hatch(keys=keys, cells={"media_type": KEEP}, get=read, put=write, odd=keys, schema=schema)

    def _told_by(self, native: Mapping[str, Any], key: str) -> str:
        return next((name for name in (key, *self.aliases) if native.get(name) is not None), key)

    def _class_in(self, native: Mapping[str, Any]) -> type[Any]:
        """Return the class that the media type of a ``data`` block tells."""
        source: Any = native.get("source")
        if not is_object(source):
            return am.FileBlock
        kind = source.get(self._told_by(source, self.url_key if source.get("type") == "url" else "media_type"))
        return _class_of(kind) if type(kind) is str else am.FileBlock

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

    # -- what is supported ---------------------------------------------------------------------------------------------

    def id_cell(self, item_id: str, block: Any) -> str | None:
        """Keep the id of a block of a kind that has one."""
        return item_id if self.tag_of(block) in self.ids else None

    def takes_url_of(self, source: Any) -> bool:
        """Whether the URL of a source is one that the library takes, or was read."""
        if not self.typed or not isinstance(source, am.URLSource) or is_url(source.url):
            return True
        return self.as_read and mark_of(source, self.family, "/odd") is True

    def source_cell(self, source: Any, block: Any, extras_of: Mapping[type[Any], Cell]) -> Any:
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
            extras = extras_of[type(source)](source.extras, source)
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
