"""Images, audio, videos and files, and their sources.

A ``data`` block holds any of them, told apart by the media type; Java and Python 1.x also have a block for each kind.
Every block that was read is marked ``/as`` with its kind: "file" for a ``file`` with a source and a ``filename``, which
applications of 1.x write; "flat" or "url" for one of 0.x.

The URLs that AgentScope 2.x accepts as a source are those of pydantic's AnyUrl. The check of hosts is coarser: it
refuses a few rare ones that AnyUrl accepts, and never the reverse.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any
from unicodedata import bidirectional

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
    speed,
    spelling,
    word_at,
)
from agentmsg.formats.forms import Form, Hatch, Key, Link, Nested, Spare, Text, Wrapped
from agentmsg_codecs.agentscope.dialect import aside

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


_URL = r"(?i)([a-z][a-z0-9+.-]*):(//([^/?#]*))?"
_HOST = r"(?i)([a-z0-9._~!$&'()*+,;=:%-]*@)?(?P<name>[^\s:@%]*?)(:(?P<port>[0-9]{0,5}))?"
_NAME = r"(?i)[a-z0-9_-]+(\.[a-z0-9_-]+)*"
_QUAD = r"(?a)((25[0-5]|2[0-4]\d|1?\d?\d)(\.(?!$)|$)){4}"
_NUMBER = r"(?i)[0-9]+|0x[0-9a-f]*"
_SPECIAL = frozenset({"ftp", "http", "https", "ws", "wss"})
_REMOVED = frozenset("\t\r\n")
_LAST_PORT = 65535


def is_url(text: str) -> bool:
    """Whether a text is an absolute URL; web URLs need a host."""
    match = speed.compiled(_URL).match(text)
    if match is None or not _REMOVED.isdisjoint(text):
        return False
    scheme = match[1].lower()
    if "\\" in text and (match[2] is not None or scheme == "file"):
        return False
    if match[2] is None:
        return scheme not in _SPECIAL
    host = speed.compiled(_HOST).fullmatch(match[3])
    if host is None or int(host["port"] or 0) > _LAST_PORT:
        return False
    if not host["name"]:
        return scheme not in _SPECIAL and not match[3]
    return (scheme != "file" or host["name"] == match[3]) and _is_name(host["name"])


def _is_name(name: str) -> bool:
    """Whether a host is a name of letters and digits, or an IPv4 address."""
    if not name.isascii():
        name = "".join("x" if letter.isalpha() and bidirectional(letter) == "L" else letter for letter in name)
    if speed.compiled(_NAME).fullmatch(name) is None:
        return False
    if speed.compiled(_NUMBER).fullmatch(name.rpartition(".")[2]) is None:
        return True
    return speed.compiled(_QUAD).fullmatch(name) is not None


MEDIA: Mapping[type[Any], str] = {
    am.ImageBlock: "image", am.AudioBlock: "audio", am.VideoBlock: "video", am.FileBlock: "data",
}  # fmt: skip
_MAKERS: Mapping[type[Any], Callable[..., Any]] = {cls: maker(cls) for cls in MEDIA}
_make_url = maker(am.URLSource)
_ID = Key("id", "item_id", Link(), "may")
# The media types of URLs, by their ending.
_ENDINGS: Mapping[str, str] = {
    **{ending: f"image/{ending}" for ending in ("png", "gif", "webp", "bmp", "jpeg")},
    **{ending: f"audio/{ending}" for ending in ("wav", "ogg", "flac", "aac")},
    **{ending: f"video/{ending}" for ending in ("mp4", "webm", "mpeg")},
    "jpg": "image/jpeg", "mp3": "audio/mpeg", "pdf": "application/pdf", "txt": "text/plain",
}  # fmt: skip


def _class_of(media_type: str | None) -> type[Any]:
    return media.CLASSES[media.kind_of(media_type)]


def _is_usual(source: Any) -> bool:
    """Whether the library writes such sources."""
    return source.media_type is not None and (type(source) is am.Base64Source or is_url(source.url))


def _by_ending(url: str) -> str | None:
    path = url.partition("?")[0].partition("#")[0]
    return _ENDINGS.get(path.rpartition(".")[2].lower())


# The forms of sources.
SOURCES = ("url", "base64")


class Media(speed.Record):
    """The media of one dialect.

    Attributes:
        family: the family of extras and marks.
        is_new: whether this is Python's 2.x: a ``data`` block for each, a media type for each URL, base64 data before
            its media type, and spare keys with null.
        url_key: the key of a URL's media type.
        aliases: other keys of a media type, which are read only.
        ids: the kinds of blocks that have an id.
        spare: the spare keys of ``data`` blocks, besides the name of what isn't a file.
        has_flat: whether media of Python's 0.x are read. Their URL is a field of the block (0.1.6) or of the message
            (0.1.1, also as a list). They have no media type.
        as_read: whether each is written as the kind of block that it was read from.
    """

    family: str
    is_new: bool
    ids: frozenset[str]
    has_flat: bool
    as_read: bool
    url_key: str = "media_type"
    aliases: tuple[str, ...] = ()
    spare: tuple[Spare, ...] = ()

    # -- forms --------------------------------------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the forms of blocks."""
        return tuple(form.name for form in self.forms() if form.cls in MEDIA)

    def forms(self) -> tuple[Form, ...]:
        """Return the forms of sources and of the four classes: as their own kind, as ``data``, and flat."""
        data = (Key("data", "data", Text()), self._type("media_type"))
        found = [
            Form("url", am.URLSource, "url", (Key("url", "url", Text()), self._type(self.url_key))),
            Form("base64", am.Base64Source, "base64", data if self.is_new else data[::-1]),
        ]
        for cls, name in MEDIA.items():
            found += self._forms_of(cls, name)
        return tuple(found)

    def _forms_of(self, cls: type[Any], name: str) -> list[Form]:
        source = Key("source", "source", Nested(SOURCES, _is_usual))
        ids = {tag: (_ID,) if tag in self.ids else () for tag in (name, "data", "file")}
        is_file = cls is am.FileBlock
        own: Key | Spare = Spare("name", is_written=self.is_new)
        if is_file:
            own = Key("name", "name", Text(), "null" if self.is_new else "may")
        of_kind = Form(name, cls, name, (*ids[name], source), notes={"as": name},
                       fits=lambda native: not self._is_flat(native))  # fmt: skip
        data = Form(
            name if is_file else f"{name}_data", cls, "data", (*ids["data"], source, own, *self.spare),
            notes={"as": "data"}, fits=lambda native: self._class_in(native) is cls,
            schema={"properties": {"source": {"anyOf": [*map(partial(self._schema_of, cls), SOURCES)]}}},
        )  # fmt: skip
        tag = "file" if is_file else name
        flat = Form(
            f"flat_{name}", cls, tag, (*ids[tag], Key("url", "source", Wrapped(am.URLSource, "url"))),
            notes={"as": "flat"}, fits=self._is_flat, when=self.is_flat, schema={"properties": {"source": {"not": {}}}},
        )  # fmt: skip
        named = Form(
            "named_file", cls, "file", (*ids["file"], source, Key("filename", "name", Text(), "may")),
            notes={"as": "file"}, when=self._is_named if self.as_read else None, is_only_read=not self.as_read,
            fits=lambda native: not self._is_flat(native) and self._class_in(native) is am.FileBlock,
        )  # fmt: skip
        kinds = [named, data] if is_file and self.has_flat else [data] if is_file else self._by_tag(of_kind, data)
        return [flat, *kinds] if self.has_flat else kinds

    def _schema_of(self, cls: type[Any], tag: str) -> dict[str, Any]:
        """Return the schema of sources with a tag, for ``data`` blocks of a class."""
        key, kind = ("url", self.url_key) if tag == "url" else ("data", "media_type")
        properties = {"type": {"const": tag}, key: {"type": "string"}, kind: media.types_schema(media.KINDS[cls])}
        return {"type": "object", "properties": properties, "required": [*properties]}

    def _by_tag(self, of_kind: Form, data: Form) -> list[Form]:
        """Return both forms of a class; the usual one is for blocks that weren't read from the other."""
        usual, other = (data, of_kind) if self.is_new else (of_kind, data)
        if not self.as_read:
            return [usual, other.evolve(is_only_read=True)]

        def is_other(block: Any) -> bool:
            return self.tag_of(block) == other.tag

        return [other.evolve(when=is_other), usual]

    def _type(self, key: str) -> Key | Hatch:
        """Return the item of a source's media type, which is under one of several keys."""
        if not self.aliases:
            return Key(key, "media_type", Text(), "may")
        keys = tuple(dict.fromkeys((key, *self.aliases)))

        def read(native: Native) -> dict[str, Any]:
            own = self._type_key(native, key)
            kind = word_at(native, own)
            if kind is None:
                return aside(native, *keys)
            found = aside(native, *(other for other in keys if other != own))
            if own != key:
                note = {own: spelling.spelling_of(kind) or ["=", kind]}
                found["notes"] |= note if key in native else {key: "absent", **note}
            return {"media_type": kind, **found}

        def write(source: Any) -> Native:
            return {} if source.media_type is None else {key: source.media_type}

        schema = {each: {"type": ["string", "null"]} for each in keys}
        return Hatch(keys=keys, cells={"media_type": KEEP}, get=read, put=write, odd=keys, schema=schema)

    def _type_key(self, native: Mapping[str, Any], key: str) -> str:
        return next((name for name in (key, *self.aliases) if native.get(name) is not None), key)

    def _class_in(self, native: Mapping[str, Any]) -> type[Any]:
        """Return the class for the media type of a ``data`` block."""
        source: Any = native.get("source")
        if not is_object(source):
            return am.FileBlock
        kind = source.get(self._type_key(source, self.url_key if source.get("type") == "url" else "media_type"))
        return _class_of(kind) if type(kind) is str else am.FileBlock

    # -- blocks -------------------------------------------------------------------------------------------------------

    def tag_of(self, block: Any) -> str:
        """Return the kind of block that a block is written as."""
        own = MEDIA[type(block)]
        read = mark_of(block, self.family, "/as") if self.as_read else None
        if read in (own, "data") or (read == "file" and self._is_named(block)):
            return str(read)
        if self.is_flat(block):
            return "file" if own == "data" else own
        return "data" if self.is_new else own

    def is_flat(self, block: Any) -> bool:
        """Whether a block is written as in 0.x: it was read so, and has nothing but its URL."""
        if not (block.notes and self.has_flat and self.as_read and type(block) in MEDIA):
            return False
        if mark_of(block, self.family, "/as") not in ("flat", "url"):
            return False
        source = block.source
        is_bare = isinstance(source, am.URLSource) and source.media_type is None and not source.extras
        return is_bare and block.phase is None and getattr(block, "name", None) is None

    def _is_named(self, block: Any) -> bool:
        """Whether a block is written as a ``file`` with a source: it was read so."""
        return type(block) is am.FileBlock and self.has_flat and mark_of(block, self.family, "/as") == "file"

    def _is_flat(self, native: Mapping[str, Any]) -> bool:
        is_kind = native["type"] in media.CLASSES
        return self.has_flat and is_kind and "source" not in native and type(native.get("url")) is str

    # -- URLs of messages ---------------------------------------------------------------------------------------------

    def read_urls(self, value: Any) -> list[Any]:
        """Return a block for each URL of a message of 0.1.1, which has one, or a list.

        Raises:
            Unreadable: if it has anything else.
        """
        urls: Any = [value] if type(value) is str else value
        if not is_list(urls) or not all(type(url) is str for url in urls):
            raise Unreadable
        return [
            marked(_MAKERS[_class_of(_by_ending(url))](_make_url(url)), self.family, **{"as": "url"}) for url in urls
        ]

    def urls_of(self, blocks: Sequence[Any]) -> list[str]:
        """Return the URLs of the last blocks that are written as URLs of their message."""
        urls: list[str] = []
        for block in reversed(blocks):
            if not block.notes or mark_of(block, self.family, "/as") != "url" or not self.is_flat(block):
                break
            if block.item_id is not None or block.extras or _class_of(_by_ending(block.source.url)) is not type(block):
                break
            urls.append(block.source.url)
        return urls[::-1]

    # -- what is supported ---------------------------------------------------------------------------------------------

    def takes_url_of(self, source: Any) -> bool:
        """Whether the library accepts a source's URL, or it was read from one."""
        if not self.is_new or not isinstance(source, am.URLSource) or is_url(source.url):
            return True
        return self.as_read and mark_of(source, self.family, "/odd") is True

    def source_cell(self, source: Any, block: Any, extras_of: Mapping[type[Any], Cell]) -> Any:
        """Keep a source; guess a media type that is missing, or that would change the class."""
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
        if self.tag_of(block) != "data" or _class_of(kind) is type(block):
            is_needed = self.is_new or isinstance(source, am.Base64Source)
            if kind is not None or not is_needed or mark_of(source, self.family, "/odd") is True:
                return kind if kind is None else str(kind)
        guessed = media.guess_media_type(source.data) if isinstance(source, am.Base64Source) else _by_ending(source.url)
        if guessed is not None and _class_of(guessed) is type(block):
            return guessed
        name = MEDIA[type(block)]
        return "application/octet-stream" if name == "data" else f"{name}/*"

    def file_rule(self, block: am.FileBlock) -> Any:
        """Keep a file; its media type may make it another kind of media, and a document of text becomes text."""
        if isinstance(block.source, (am.URLSource, am.Base64Source)):
            cls = _class_of(block.source.media_type)
            if cls is am.FileBlock:
                return block
            new = cls(block.source, item_id=block.item_id, extras=block.extras)
            return Swap(new, "the media type tells what it is here", "annotation")
        from agentmsg.formats import rules  # noqa: PLC0415 - readers need no rules

        return rules.document_as_text(block)
