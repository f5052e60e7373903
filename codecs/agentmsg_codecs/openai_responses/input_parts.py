"""The description of parts: what users and tools give.

Sound and video are parts of compatible servers, and texts may have the tags of other APIs; they are written as they
were read (``/odd``; ``/inside`` for sound in an inner object), and nothing else is written like that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import (
    KEEP,
    Native,
    Parts,
    Unreadable,
    is_object,
    mark_of,
    marked,
    media,
)
from agentmsg.formats.forms import Form, Hatch, Inside, Key, Nested, Spare, Spread, Text, Via, Words, Wrapped
from agentmsg_codecs.openai_responses.names import FAMILY, PROVIDER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DETAILS = ("low", "high", "original")
TTLS = ("30m", "12h")


def _nearest_hint(value: am.CacheHint, _: Any) -> am.CacheHint:
    """Keep a cache hint that the schema has, or that was read; of any other, its being there."""
    is_usual = value.kind == "ephemeral" and value.ttl in (None, *TTLS)
    if is_usual or mark_of(value, FAMILY, "/odd") is True:
        return value
    return value.evolve(kind="ephemeral", ttl=TTLS[0] if value.ttl else None)


def _is_other_hint(native: Native) -> bool:
    return native["mode"] != "explicit" or native.get("ttl") not in (None, *TTLS)


HINT = Form("breakpoint", am.CacheHint, None, (
    Key("mode", "kind", Words({"explicit": "ephemeral"})), Key("ttl", "ttl", Text(), "may"),
), marks={"odd": _is_other_hint})  # fmt: skip
_CACHE = Key("prompt_cache_breakpoint", "cache", Nested(("breakpoint",)), "may", cell=_nearest_hint)


def _read_url(url: Any) -> Any:
    held = _held(url)
    return am.URLSource(url) if held is None else held


def _read_data(url: Any) -> Any:
    held = _held(url)
    if held is not None:
        return held
    if ":" in url:
        raise Unreadable("no data")
    # As people write it: no base64 has a colon.
    return marked(am.Base64Source(url), FAMILY, raw=True)


def is_raw(source: Any) -> bool:
    """Whether data was read without a URL around it."""
    return source.media_type is None and mark_of(source, FAMILY, "/raw") is True and ":" not in source.data


def _write_data(source: Any) -> str:
    return source.data if is_raw(source) else media.write_url(source)


def _held(url: Any) -> am.Base64Source | None:
    if type(url) is not str:
        raise Unreadable
    held = media.read_data_url(url) if url[:5].lower() == "data:" else None
    if held is not None and held.media_type is None:
        raise Unreadable
    return held


def _read_detail(native: Native) -> dict[str, Any]:
    """Read how closely to look; ``auto`` says no more than that the schema wants the key."""
    word = native.get("detail")
    if "detail" not in native or word is None:
        return {"notes": {"/plain": "absent" if "detail" not in native else "null"}}
    if type(word) is not str or word not in ("auto", *DETAILS):
        raise Unreadable
    return {"detail": None if word == "auto" else word}


def _write_detail(block: Any) -> Native:
    if block.detail is not None:
        return {"detail": block.detail}
    how = mark_of(block, FAMILY, "/plain") if block.notes else None
    return {} if how == "absent" else {"detail": None if how == "null" else "auto"}


def _nearest_detail(value: str, _: Any) -> str | None:
    return value if value in DETAILS else None


def _is_file(block: Any) -> bool:
    return isinstance(block.source, am.FileSource)


_URL = Via(_read_url, media.write_url, {"type": "string"}, supports=KEEP, is_spelt=True)
_DATA = Via(_read_data, _write_data, {"type": "string"}, supports=KEEP, is_spelt=True)
_BY_ID = Wrapped(am.FileSource, "file_id", {"provider": PROVIDER})
_DETAIL = Hatch(keys=("detail",), cells={"detail": _nearest_detail}, get=_read_detail, put=_write_detail,
                schema={"detail": {"enum": ["auto", *DETAILS]}}, about="detail")  # fmt: skip
_FILENAME = Key("filename", "name", Text(), "may")


def unused(*keys: str) -> tuple[Spare, ...]:
    """Return keys that are usually absent; null says nothing, any other value is an extra."""
    return tuple(Spare(key, is_written=False) for key in keys)


def says(key: str) -> Callable[[Native], bool]:
    """Return the test whether a key holds a text."""
    return lambda native: type(native.get(key)) is str


def _is_linked(native: Native) -> bool:
    """Whether a file is given by a URL that doesn't hold its data, which another form reads."""
    url = native.get("file_url")
    return type(url) is str and media.read_data_url(url) is None


# -- parts of other APIs and of compatible servers -------------------------------------------------------------------

_SOUND = "audio/"


def _read_format(word: Any) -> str:
    if type(word) is not str or not word or "," in word or ";" in word:  # no data URL can hold these
        raise Unreadable
    return f"{_SOUND}{word}"


def _write_format(kind: str) -> str:
    return kind.removeprefix(_SOUND)


def _is_inside(block: Any) -> bool:
    """Whether sound is written in an inner object, as in Chat Completions."""
    source = block.source
    is_sound = isinstance(source, am.Base64Source) and (source.media_type or "").startswith(_SOUND)
    return is_sound and source.media_type != _SOUND and mark_of(block, FAMILY, "/inside") is True


def _media(word: str, cls: Any) -> Iterator[Form]:
    """Yield the forms of sound or video: by the id of a file, and by URL or as data."""
    tag, url = f"input_{word}", f"{word}_url"
    yield Form(f"{word}_by_id", cls, tag, (Key("file_id", "source", _BY_ID), _CACHE, *unused(url)),
               fits=says("file_id"), when=_is_file)  # fmt: skip
    yield Form(word, cls, tag, (Key(url, "source", _URL), _CACHE, *unused("file_id")), fits=says(url))


_TEXT = Form("input_text", am.TextBlock, "input_text", (Key("text", "text", Text()), _CACHE))
# The tags of texts in other APIs.
_ALIASES = ("text", "output_text")
_OTHERS = (
    Form("audio_inside", am.AudioBlock, "input_audio", (
        Inside("input_audio", (
            Spread("source", am.Base64Source, (
                Key("data", "data", Text()),
                Key("format", "media_type", Via(_read_format, _write_format)),
            )),
        ), space=f"{FAMILY}.audio"), _CACHE,
    ), fits=lambda native: is_object(native.get("input_audio")), when=_is_inside, notes={"inside": True}),
    *_media("audio", am.AudioBlock),
    *_media("video", am.VideoBlock),
)  # fmt: skip
ODD = tuple(form.name for form in _OTHERS)
PARTS = (
    HINT,
    _TEXT,
    *map(_TEXT.alias, _ALIASES),
    Form("image_by_id", am.ImageBlock, "input_image", (
        Key("file_id", "source", _BY_ID), _DETAIL, _CACHE, *unused("image_url"),
    ), fits=says("file_id"), when=_is_file),
    Form("image", am.ImageBlock, "input_image", (
        Key("image_url", "source", _URL), _DETAIL, _CACHE, *unused("file_id"),
    ), schema={"properties": {"file_id": {"type": "null"}}}),
    Form("file_by_id", am.FileBlock, "input_file", (
        Key("file_id", "source", _BY_ID), _FILENAME, _CACHE, *unused("file_data", "file_url"),
    ), fits=says("file_id"), when=_is_file),
    Form("file_by_url", am.FileBlock, "input_file", (
        Key("file_url", "source", Wrapped(am.URLSource, "url")), _FILENAME, _CACHE, *unused("file_id", "file_data"),
    ), fits=_is_linked, when=lambda block: isinstance(block.source, am.URLSource)),
    Form("file", am.FileBlock, "input_file", (
        Key("file_data", "source", _DATA), _FILENAME, _CACHE, *unused("file_id", "file_url"),
    ), fits=says("file_data"), when=lambda block: isinstance(block.source, am.Base64Source)),
    *_OTHERS,
)  # fmt: skip
TEXTS = ("input_text", *_ALIASES)
INPUTS = tuple(form.name for form in PARTS[1:])


class InputParts(Parts):
    """Parts of users and tools: a text may have no type, and an image its URL in an object."""

    @staticmethod
    def usual(part: Any) -> Any:
        """Return a part with a type, and an image with its URL by itself, which Chat Completions have in an object."""
        nested: Any = part.get("image_url") if is_object(part) else None
        if not is_object(nested) or not nested.keys() <= {"url", "detail"} or not nested.keys().isdisjoint(part):
            return Parts.typed(part, {"text": "input_text"})
        beside = {key: value for key, value in nested.items() if key != "url"}
        return {**part, "image_url": nested.get("url"), **beside}
