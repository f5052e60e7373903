"""Media inside results, whose tag says how they are given: ``image-data``, ``file-url``, ``file-id`` and the like.

Version 5 has ``media`` for data; the current one has ``file``, as elsewhere. The mark ``/as`` is the tag that was read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import KEEP, Native, Unreadable, is_object, mark_of, marked, media
from agentmsg.formats.forms import Form, Hatch
from agentmsg_codecs.vercel.media import (
    NAME,
    OBJECT,
    of_kind,
    read_data,
    read_reference,
    type_in,
    type_of,
    typed,
    with_type,
    write_data,
    write_reference,
)
from agentmsg_codecs.vercel.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# -- how they are given ---------------------------------------------------------------------------------------------


def _read_tagged(value: Any, media_type: str | None) -> Any:
    """Return the source that a file inside a result is: an object always says which."""
    if not is_object(value) or "type" not in value:
        raise Unreadable
    source = read_data(value, media_type)
    return source.evolve(notes={}) if source.notes else source


def _write_tagged(source: Any) -> Any:
    return write_data(marked(source, FAMILY, tag=True, bare=False))


def _given(key: str, read: Callable[[Any], Any], write: Callable[[Any], Any], schema: Mapping[str, Any]) -> Hatch:
    """Return what says media that tell no type, or may tell one, under a key."""

    def get(native: Native) -> dict[str, Any]:
        kind, notes = type_of(native)
        source = read(native[key])
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
_TYPED = typed("data", lambda v, kind: am.Base64Source(_string(v), kind), lambda s: s.data, {"type": "string"})
_TAGGED_FILE = typed("data", _read_tagged, _write_tagged, OBJECT)


def _as(block: Any) -> Any:
    return mark_of(block, FAMILY, "/as") if block.notes else None


def inner_forms(options: Hatch) -> tuple[Form, ...]:
    """Return the forms of media inside results: those that tell in their tag how they are given, and files."""
    forms: list[Form] = []
    for way, (hatch, source) in _WAYS.items():
        tag = "image-file-" + way.removeprefix("file-") if source is am.FileSource else f"image-{way}"
        forms.append(_inner(tag, "image", hatch, source, options))
    for kind in media.CLASSES:
        forms += (
            _inner("file", kind, with_type(_TAGGED_FILE, kind), None, options),
            _inner("media", kind, with_type(_TYPED, kind), am.Base64Source, options),
            _inner("file-data", kind, with_type(_TYPED, kind), am.Base64Source, options),
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

    said = (NAME,) if kind == "file" and tag in ("file", "file-data", "media") else ()
    name = f"given_{kind}_{tag.replace('-', '_')}"
    return Form(name, media.CLASSES[kind], tag, (hatch, *said, options), when=when, notes={"as": tag}, is_apart="inner",
                fits=None if is_image else of_kind(kind))  # fmt: skip


def inner_tag(block: Any) -> str:
    """Return the tag of media inside a result: that which was read, where it can say them; else the usual one."""
    source, kind = block.source, media.KINDS[type(block)]
    can: dict[str, bool] = _possible(source, kind)
    noted = _as(block)
    if isinstance(noted, str) and can.get(noted, False):
        return noted
    return next((tag for tag, fits in can.items() if fits), "file")


def _possible(source: Any, kind: str) -> dict[str, bool]:
    """Return by tag whether it can say media of a kind; the usual ones first."""
    told = type_in(source)
    is_typed = told is not None and media.kind_of(told) == kind
    of = {"image": kind == "image", "file": kind == "file"}
    if isinstance(source, am.Base64Source):
        return {"image-data": of["image"], "file-data": is_typed, "media": is_typed, "file": is_typed}
    if isinstance(source, am.URLSource):
        is_untyped = told is None and of["file"]
        return {"image-url": of["image"], "file-url": is_typed or is_untyped, "file": is_typed}
    if isinstance(source, am.FileSource):
        has_owner = source.provider is not None
        is_file = of["file"] and (is_typed or told is None)
        return {
            "image-file-id": of["image"], "file-id": is_file, "file": is_typed and has_owner,
            "image-file-reference": of["image"] and has_owner, "file-reference": is_file and has_owner,
        }  # fmt: skip
    return {"file": is_typed}
