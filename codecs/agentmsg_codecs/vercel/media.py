"""Images, sound, videos and files: what the media type tells, and how their data is given.

Data is base64 text, a URL, or an object that says which of them it is. Marks of a source: ``/url`` (data that stood in
a ``data:`` URL: "typed" with the media type beside it, else "alone"), ``/tag`` (an object, where a text is usual), and
``/bare`` (a reference without a tag).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import KEEP, Drop, Native, Swap, Unreadable, adopt, is_marked, is_object, mark_of, marked, media, natives, rules
from agentmsg.formats.forms import Form, Hatch, Key, Text
from agentmsg_codecs.vercel.names import FAMILY, USUAL

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MEDIA: dict[str, type[Any]] = {
    "image": am.ImageBlock, "audio": am.AudioBlock, "video": am.VideoBlock, "file": am.FileBlock,
}  # fmt: skip
KINDS = {cls: kind for kind, cls in MEDIA.items()}
_URL = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def kind_of(media_type: Any) -> str:
    """Return the kind of media: image, audio, video, else file."""
    kind = media_type.partition("/")[0] if isinstance(media_type, str) else ""
    return kind if kind in MEDIA else "file"


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
    return isinstance(source, am.URLSource) and is_url(source.url) and not _is_held(source)


def _is_held(source: am.URLSource) -> bool:
    held = _held(source.url)
    return held is not None and source.media_type in (None, held.media_type)


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


def _read_tagged(value: Any, media_type: str | None) -> Any:
    """Return the source that a file inside a result is: an object always says which."""
    if not is_object(value) or "type" not in value:
        raise Unreadable
    source = read_data(value, media_type)
    return source.evolve(notes={}) if source.notes else source


def _write_tagged(source: Any) -> Any:
    return write_data(marked(source, FAMILY, tag=True, bare=False))


# -- forms ------------------------------------------------------------------------------------------------------------


def _typed(key: str, read: Callable[[Any, Any], Any], write: Callable[[Any], Any], schema: Mapping[str, Any]) -> Hatch:
    """Return what says media that tell their type, under a key."""

    def get(native: Native) -> dict[str, Any]:
        kind = native.get("mediaType")
        if type(kind) is not str or key not in native:
            raise Unreadable
        return {"source": read(native[key], kind)}

    def put(block: Any) -> Native:
        return {key: write(block.source), "mediaType": block.source.media_type}

    return Hatch(keys=(key, "mediaType"), cells={"source": KEEP}, get=get, put=put, must=(key, "mediaType"),
                 schema={key: schema}, about="source")  # fmt: skip


def _with_type(hatch: Hatch, kind: str) -> Hatch:
    told = {"enum": [f"{kind}/x"] if kind != "file" else ["application/pdf", "text/plain"]}
    return Hatch(keys=hatch.keys, cells=hatch.cells, get=hatch.get, put=hatch.put, must=hatch.must, about=hatch.about,
                 schema={**hatch.schema, "mediaType": told})  # fmt: skip


_TEXT: Mapping[str, Any] = {"type": "string", "pattern": "^[A-Za-z0-9]*$"}
_OBJECT: Mapping[str, Any] = {
    "type": "object", "properties": {"type": {"const": "url"}, "url": {"type": "string"}},
    "required": ["type", "url"], "additionalProperties": False,
}  # fmt: skip
_FILE = _typed("data", read_data, write_data, {"anyOf": [_TEXT, _OBJECT]})
_NAME = Key("filename", "name", Text(), "may")


def _of_kind(kind: str) -> Callable[[Native], bool]:
    return lambda native: kind_of(native.get("mediaType")) == kind


def file_form(kind: str, name: str, options: Hatch, **others: Any) -> Form:
    """Return the form of a ``file`` of a kind."""
    said = (_NAME,) if kind == "file" else ()
    return Form(name, MEDIA[kind], "file", (_with_type(_FILE, kind), *said, options), fits=_of_kind(kind),
                schema={"required": ["mediaType"]}, **others)  # fmt: skip


# -- images of users --------------------------------------------------------------------------------------------------


def _type_of(native: Native) -> tuple[str | None, Native]:
    """Return the media type that may stand there, and the note of one that says nothing."""
    kind = native.get("mediaType")
    if kind is not None and type(kind) is not str:
        raise Unreadable
    return kind, {"mediaType": "null"} if kind is None and "mediaType" in native else {}


def _read_image(native: Native) -> dict[str, Any]:
    kind, notes = _type_of(native)
    value = native.get("image")
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
    if block.notes and mark_of(block, FAMILY, "/file") is True and kind_of(block.source.media_type) == "image":
        return False
    return isinstance(block.source, am.FileSource) or _is_plain(block.source)


IMAGE = Hatch(
    keys=("image", "mediaType"), cells={"source": KEEP}, get=_read_image, put=_write_image, must=("image",),
    schema={"image": _TEXT, "mediaType": {"type": "string"}}, about="source",
)  # fmt: skip


# -- media inside results ---------------------------------------------------------------------------------------------


def _given(key: str, read: Callable[[Any], Any], write: Callable[[Any], Any], schema: Mapping[str, Any]) -> Hatch:
    """Return what says media that tell no type, or may tell one, under a key."""

    def get(native: Native) -> dict[str, Any]:
        kind, notes = _type_of(native)
        source = read(native.get(key))
        return {"source": source if kind is None else source.evolve(media_type=kind), "notes": notes}

    def put(block: Any) -> Native:
        kind = block.source.media_type
        return {key: write(block.source), **({} if kind is None else {"mediaType": kind})}

    return Hatch(keys=(key, "mediaType"), cells={"source": KEEP}, get=get, put=put, must=(key,),
                 schema={key: schema, "mediaType": {"enum": ["application/pdf"]}}, about="source")  # fmt: skip


def _string(value: Any) -> str:
    if type(value) is not str:
        raise Unreadable
    return value


def _read_id(value: Any) -> Any:
    return am.FileSource(value) if type(value) is str else read_reference(value)


def _write_id(source: am.FileSource) -> Any:
    return source.file_id if source.provider is None else write_reference(source)


_REFERENCE: Mapping[str, Any] = {
    "type": "object", "properties": {"openai": {"type": "string"}}, "required": ["openai"],
    "additionalProperties": False,
}  # fmt: skip
_WAYS: Mapping[str, tuple[Hatch, type[Any]]] = {
    "data": (_given("data", lambda v: am.Base64Source(_string(v)), lambda s: s.data, {"type": "string"}),
             am.Base64Source),
    "url": (_given("url", lambda v: am.URLSource(_string(v)), lambda s: s.url, {"type": "string"}), am.URLSource),
    "file-id": (_given("fileId", _read_id, _write_id, {"anyOf": [{"type": "string"}, _REFERENCE]}), am.FileSource),
    "reference": (_given("providerReference", read_reference, write_reference, _REFERENCE), am.FileSource),
}  # fmt: skip
_TYPED = _typed("data", lambda v, kind: am.Base64Source(_string(v), kind), lambda s: s.data, {"type": "string"})
_TAGGED_FILE = _typed("data", _read_tagged, _write_tagged, _OBJECT)


def _as(block: Any) -> Any:
    return mark_of(block, FAMILY, "/as") if block.notes else None


def inner_forms(options: Hatch) -> tuple[Form, ...]:
    """Return the forms of media inside results: those that tell in their tag how they are given, and files."""
    forms: list[Form] = []
    for way, (hatch, source) in _WAYS.items():
        tag = "image-file-" + way.removeprefix("file-") if source is am.FileSource else f"image-{way}"
        forms.append(_inner(tag, "image", hatch, source, options))
    for kind in MEDIA:
        forms += (
            _inner("file", kind, _with_type(_TAGGED_FILE, kind), None, options),
            _inner("media", kind, _with_type(_TYPED, kind), am.Base64Source, options),
            _inner("file-data", kind, _with_type(_TYPED, kind), am.Base64Source, options),
            _inner("file-url", kind, _WAYS["url"][0], am.URLSource, options),
        )
    forms += (
        _inner("file-id", "file", _WAYS["file-id"][0], am.FileSource, options),
        _inner("file-reference", "file", _WAYS["reference"][0], am.FileSource, options),
    )
    return tuple(forms)


def _inner(tag: str, kind: str, hatch: Hatch, source: type[Any] | None, options: Hatch) -> Form:
    is_image = tag.startswith("image-")

    def when(block: Any) -> bool:
        return inner_tag(block) == tag

    said = (_NAME,) if kind == "file" and tag in ("file", "file-data", "media") else ()
    return Form(
        f"given_{kind}_{tag.replace('-', '_')}", MEDIA[kind], tag, (hatch, *said, options), when=when, notes={"as": tag},
        fits=None if is_image else _of_kind(kind), is_apart="inner",
    )  # fmt: skip


def inner_tag(block: Any) -> str:
    """Return the tag of media inside a result: that which was read, where it can say them; else the usual one."""
    source, kind = block.source, KINDS[type(block)]
    can: dict[str, bool] = _possible(source, kind)
    noted = _as(block)
    if isinstance(noted, str) and can.get(noted, False):
        return noted
    return next((tag for tag, fits in can.items() if fits), "file")


def _possible(source: Any, kind: str) -> dict[str, bool]:
    """Return by tag whether it can say media of a kind; the usual ones first."""
    is_typed = source.media_type is not None and kind_of(source.media_type) == kind
    of = {"image": kind == "image", "file": kind == "file"}
    if isinstance(source, am.Base64Source):
        return {"image-data": of["image"], "file-data": is_typed, "media": is_typed, "file": is_typed}
    if isinstance(source, am.URLSource):
        is_untyped = source.media_type is None and of["file"]
        return {"image-url": of["image"], "file-url": is_typed or is_untyped, "file": is_typed}
    if isinstance(source, am.FileSource):
        has_owner = source.provider is not None
        is_file = of["file"] and (is_typed or source.media_type is None)
        return {
            "image-file-id": of["image"], "file-id": is_file, "file": is_typed and has_owner,
            "image-file-reference": of["image"] and has_owner, "file-reference": is_file and has_owner,
        }  # fmt: skip
    return {"file": is_typed}


# -- what is supported ------------------------------------------------------------------------------------------------


def carried(*, is_typed: bool, inner: bool = False) -> Callable[[Any], Any]:
    """Return the rule for media: their type tells what they are.

    Args:
        is_typed: whether they must tell it.
        inner: whether they stand inside a result.
    """

    def rule(block: Any) -> Any:
        source, kind = block.source, KINDS[type(block)]
        if isinstance(source, am.BlocksSource):
            said = rules.document_as_text(block) if kind == "file" else block
            return Drop("no place for what is given so") if said is block else said
        if isinstance(source, am.FileSource) and source.provider is None and not (inner and kind in ("image", "file")):
            return Drop("a file belongs to a provider here")
        if isinstance(source, am.TextSource) and kind != "file":
            return Drop("no place for what is given so")
        if isinstance(source, am.URLSource) and not (inner or is_url(source.url) or is_marked(source, FAMILY, "/tag")):
            return Drop("a URL is absolute here")
        near = _bare(_told(source, kind, is_typed=is_typed, inner=inner))
        told = kind_of(near.media_type)
        if kind == "file" and told != "file":
            return Swap(MEDIA[told](near, cache=block.cache), "the media type tells what it is here", "annotation")
        if near is source:
            return block
        return Swap(block.evolve(source=near), "media tell their type here", "annotation")

    return rule


def _told(source: Any, kind: str, *, is_typed: bool, inner: bool) -> Any:
    """Return a source with a media type, where one is needed; it tells the kind of media."""
    told = source.media_type
    if told is not None and kind_of(told) == kind:
        return source
    if kind == "image" and not is_typed:
        return source
    if kind == "file" and (told is not None or (inner and isinstance(source, (am.URLSource, am.FileSource)))):
        return source
    guess = media.guess_media_type(source.data) if isinstance(source, am.Base64Source) else None
    usual = "text/plain" if isinstance(source, am.TextSource) else USUAL[kind]
    return source.evolve(media_type=guess if guess is not None and kind_of(guess) == kind else usual)


def _bare(source: Any) -> Any:
    """Return a source without what has no place beside it: only a reference says more."""
    if not source.extras:
        return source
    own = natives.extras_of(source, FAMILY) if isinstance(source, am.FileSource) and source.provider else {}
    kept = {key: value for key, value in own.items() if isinstance(value, str) and key not in ("type", source.provider)}
    if source.extras.keys() == {FAMILY} and len(kept) == len(own):
        return source
    return source.evolve(extras={FAMILY: kept} if kept else {})
