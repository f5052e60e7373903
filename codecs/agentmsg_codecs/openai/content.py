"""Content parts: text, image_url, input_audio, file, refusal, video_url and thinking of compatible servers.

Parts that the schema has nowhere, or not in this role, are marked ``/odd`` when they are read: they are written again
as they were, and nothing else is written so (see block_capabilities.py).
"""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg.formats import (
    Native,
    Parts,
    Shape,
    Unreadable,
    is_object,
    maker,
    mark_of,
    marked,
    media,
    natives,
    object_at,
    read_as,
    speed,
    text_at,
    word_at,
    write_as,
)
from agentmsg_codecs.openai.names import FAMILY, ITEM
from agentmsg_codecs.openai.thinking_parts import THINKING_PART

make_text = maker(am.TextBlock)
make_refusal = maker(am.RefusalBlock)
make_url = maker(am.URLSource)
AUDIO_FORMATS = frozenset({"audio/mp3", "audio/wav"})
BREAKPOINT_TTLS = ("30m", "12h")
DETAILS = frozenset({"auto", "low", "high", "original"})
CACHE_AT = "/at"
CONTROL = "cache_control"
_CACHE_KEYS = frozenset({"prompt_cache_breakpoint", CONTROL})
# Where other hints than breakpoints stand: beside a message, in an object with or without one.
_CONTROLLED = ("message", CONTROL)


def odd(obj: Any) -> Any:
    """Mark what was read though the schema does not have it, so that it is written again."""
    return marked(obj, FAMILY, odd=True)


def is_odd(obj: Any) -> bool:
    """Whether an object was read from a document that says what the schema does not have."""
    return bool(obj.notes) and mark_of(obj, FAMILY, "/odd") is True


# -- cache hints ------------------------------------------------------------------------------------------------------


def _read_breakpoint(native: Native, _: Any) -> am.CacheHint:
    mode = text_at(native, "mode")
    hint = am.CacheHint("ephemeral" if mode == "explicit" else mode, word_at(native, "ttl"))
    return hint if hint.ttl in (None, *BREAKPOINT_TTLS) and mode == "explicit" else odd(hint)


def _write_breakpoint(hint: am.CacheHint) -> Native:
    native: Native = {"mode": "explicit" if hint.kind == "ephemeral" else hint.kind}
    return native if hint.ttl is None else {**native, "ttl": hint.ttl}


def _read_control(native: Native, _: Any) -> am.CacheHint:
    return marked(am.CacheHint(text_at(native, "type"), word_at(native, "ttl")), FAMILY, at="cache_control")


def _write_control(hint: am.CacheHint) -> Native:
    native: Native = {"type": hint.kind}
    return native if hint.ttl is None else {**native, "ttl": hint.ttl}


_BREAKPOINT = Shape(
    cls=am.CacheHint, keys={None: frozenset({"mode", "ttl"})}, read=_read_breakpoint, write=_write_breakpoint
)
_CONTROL = Shape(cls=am.CacheHint, keys={None: frozenset({"type", "ttl"})}, read=_read_control, write=_write_control)


def hint_keys(hint: am.CacheHint) -> frozenset[str]:
    """Return the keys of the objects that a cache hint is written as: those of the one of them, or of both."""
    at = mark_of(hint, FAMILY, CACHE_AT) if hint.notes else None
    of_point = frozenset[str]() if at in _CONTROLLED else _BREAKPOINT.keys[None]
    return of_point | _CONTROL.keys[None] if at in _CONTROLLED or at == "both" else of_point


def is_controlled(hint: am.CacheHint) -> bool:
    """Whether a cache hint is written as compatible servers have it."""
    return bool(hint.notes) and mark_of(hint, FAMILY, CACHE_AT) in _CONTROLLED


def read_control(value: Any) -> am.CacheHint:
    """Return the hint of a ``cache_control``.

    Raises:
        Unreadable: if it is none.
    """
    hint: am.CacheHint = read_as(_CONTROL, value, FAMILY)
    return hint


def write_control(hint: am.CacheHint) -> Native:
    """Return the ``cache_control`` of a hint."""
    return write_as(_CONTROL, hint, FAMILY)


def read_cache(native: Native) -> am.CacheHint | None:
    """Return the cache hint of a part or tool: OpenAI's own, or the ``cache_control`` of compatible servers."""
    point, control = native.get("prompt_cache_breakpoint"), native.get("cache_control")
    if point is None:
        return None if control is None else read_control(control)
    hint: am.CacheHint = read_as(_BREAKPOINT, point, FAMILY)
    if control is None:
        return hint
    if hint.notes or not am.same(read_as(_CONTROL, control, FAMILY), hint):
        raise Unreadable
    return marked(hint, FAMILY, at="both")


def write_cache(hint: am.CacheHint | None, native: Native) -> Native:
    """Add a cache hint to a part or tool."""
    if hint is None:
        return native
    at = mark_of(hint, FAMILY, CACHE_AT)
    if at in _CONTROLLED or at == "both":
        native[CONTROL] = write_control(hint)
    if at not in _CONTROLLED:
        native["prompt_cache_breakpoint"] = write_as(_BREAKPOINT, hint, FAMILY)
    return native


# -- parts ------------------------------------------------------------------------------------------------------------


def _read_text(part: Native, _: Any) -> am.TextBlock:
    return make_text(text=text_at(part, "text"), cache=read_cache(part))


def _write_text(block: am.TextBlock) -> Native:
    return write_cache(block.cache, {"type": "text", "text": block.text})


def _read_refusal(part: Native, _: Any) -> am.RefusalBlock:
    cache = read_cache(part)
    # The schema has no hints on refusals.
    return make_refusal(refusal=text_at(part, "refusal"), cache=None if cache is None else odd(cache))


def _write_refusal(block: am.RefusalBlock) -> Native:
    return write_cache(block.cache, {"type": "refusal", "refusal": block.refusal})


def read_url(url: str) -> Any:
    """Return the source of a URL: what a base64 ``data:`` URL holds, or the reference."""
    held = media.read_data_url(url)
    if held is None:
        return make_url(url=url)
    return held if held.media_type is not None else odd(held)


def write_url(source: Any) -> str:
    """Return the URL of a source."""
    return media.data_url(source) if isinstance(source, am.Base64Source) else source.url


def _linked(cls: type[Any], key: str, inner: frozenset[str]) -> Shape:
    """Return the shape of what is given by a URL in an object of its own."""
    make = maker(cls)

    def read(part: Native, _: Any) -> Any:
        """Read ``{key: {"url": ..., "detail"?}}``; compatible servers also take the URL alone."""
        if type(part.get(key)) is str:
            block = make(source=read_url(part[key]), cache=read_cache(part))
            return marked(block, FAMILY, bare=True)
        native = object_at(part, key)
        fields: dict[str, Any] = {"detail": word_at(native, "detail")} if "detail" in inner else {}
        source, extras = read_url(text_at(native, "url")), natives.rest_of(native, inner, ITEM)
        block = make(source=source, cache=read_cache(part), extras=extras, **fields)
        word = fields.get("detail")
        return block if word is None or word in DETAILS else marked(block, FAMILY, detail=word)

    def write(block: Any) -> Native:
        url, detail = write_url(block.source), getattr(block, "detail", None)
        native: Any = {"url": url} if detail is None else {"url": url, "detail": detail}
        native = natives.with_rest(native, block, ITEM)
        if len(native) == 1 and mark_of(block, FAMILY, "/bare") is True:
            native = url
        return write_cache(block.cache, {"type": key, key: native})

    return Shape(cls=cls, keys={key: _keys(key)}, read=read, write=write)


_URL_KEYS = frozenset({"url"})
_IMAGE_KEYS = frozenset({"url", "detail"})
_AUDIO_KEYS = frozenset({"data", "format"})
_FILE_KEYS = frozenset({"file_id", "file_data", "filename"})


def _read_audio(part: Native, _: Any) -> am.AudioBlock:
    native = object_at(part, "input_audio")
    source = am.Base64Source(text_at(native, "data"), f"audio/{text_at(native, 'format')}")
    source = source if source.media_type in AUDIO_FORMATS else odd(source)
    return _make_audio(source=source, cache=read_cache(part), extras=natives.rest_of(native, _AUDIO_KEYS, ITEM))


def _write_audio(block: Any) -> Native:
    form = (block.source.media_type or "").removeprefix("audio/")
    native = natives.with_rest({"data": block.source.data, "format": form}, block, ITEM)
    return write_cache(block.cache, {"type": "input_audio", "input_audio": native})


def _read_data(text: str) -> Any:
    """Return the source of a file: what a ``data:`` URL holds; some write the base64 alone, or another URL."""
    source = read_url(text)
    if not isinstance(source, am.URLSource):
        return source
    # Every URL has a colon, and no base64 has one.
    return odd(source) if ":" in text else marked(am.Base64Source(text), FAMILY, odd=True, raw=True)


def _write_data(source: Any) -> str:
    raw = mark_of(source, FAMILY, "/raw") is True and isinstance(source, am.Base64Source)
    return source.data if raw and source.media_type is None and ":" not in source.data else write_url(source)


def _read_file(part: Native, _: Any) -> am.FileBlock:
    native = object_at(part, "file")
    if native.get("file_id") is not None:
        source: Any = am.FileSource(text_at(native, "file_id"), "openai")
        if native.get("file_data") is not None:
            raise Unreadable
    else:
        source = _read_data(text_at(native, "file_data"))
    return _make_file(
        source=source,
        name=word_at(native, "filename"),
        cache=read_cache(part),
        extras=natives.rest_of(native, _FILE_KEYS, ITEM),
    )


def _write_file(block: Any) -> Native:
    source = block.source
    native: Native = {} if block.name is None else {"filename": block.name}
    if isinstance(source, am.FileSource):
        native["file_id"] = source.file_id
    else:
        native["file_data"] = _write_data(source)
    return write_cache(block.cache, {"type": "file", "file": natives.with_rest(native, block, ITEM)})


_make_image = maker(am.ImageBlock)
_make_audio = maker(am.AudioBlock)
_make_file = maker(am.FileBlock)
_INNER: dict[type[Any], frozenset[str]] = {
    am.ImageBlock: _IMAGE_KEYS,
    am.AudioBlock: _AUDIO_KEYS,
    am.VideoBlock: _URL_KEYS,
    am.FileBlock: _FILE_KEYS,
}


def inner_keys(block: Any) -> frozenset[str] | None:
    """Return the keys of the object inside a block's part; None if there is no such object."""
    return _INNER.get(block.__class__)


def _keys(*own: str) -> frozenset[str]:
    return _CACHE_KEYS.union({"type"}, own)


_TEXT = Shape(cls=am.TextBlock, keys={"text": _keys("text")}, read=_read_text, write=_write_text)
_REFUSAL = Shape(cls=am.RefusalBlock, keys={"refusal": _keys("refusal")}, read=_read_refusal, write=_write_refusal)
_IMAGE = _linked(am.ImageBlock, "image_url", _IMAGE_KEYS)
_AUDIO = Shape(cls=am.AudioBlock, keys={"input_audio": _keys("input_audio")}, read=_read_audio, write=_write_audio)
_FILE = Shape(cls=am.FileBlock, keys={"file": _keys("file")}, read=_read_file, write=_write_file)
_VIDEO = _linked(am.VideoBlock, "video_url", _URL_KEYS)


# The shortcuts keep nothing of a part but sound texts: they are also for parts that others hold.


def _quick_text(part: Native) -> Any:
    text = part.get("text")
    if len(part) != 2 or type(text) is not str:  # noqa: PLR2004 - type and text
        return None
    return make_text(text) if text.isascii() or speed.is_sound(text) else None


def _quick_image(part: Native) -> Any:
    native = part.get("image_url")
    if len(part) != 2 or not is_object(native) or len(native) != 1:  # noqa: PLR2004 - type and image_url; url alone
        return None
    url = native.get("url")
    if type(url) is not str or not (url.isascii() or speed.is_sound(url)):
        return None
    if url[:5].lower() != "data:":
        return _make_image(make_url(url))
    source = read_url(url)
    # A URL of another spelling is for the general path, which sees whether it comes back.
    return _make_image(source) if not source.notes and write_url(source) == url else None


_QUICK = ((am.TextBlock, "text", _quick_text), (am.ImageBlock, "image_url", _quick_image))


class ContentParts:
    """The parts that content may hold, by role; all share one Converter.

    Args:
        is_response: whether messages are those of responses, whose content is one text by the schema.

    Attributes:
        user, assistant, tool, system: the tables of parts.
    """

    def __init__(self, *, is_response: bool = False) -> None:
        pictured = (am.ImageBlock, am.AudioBlock, am.FileBlock, am.VideoBlock)
        everything = Parts(FAMILY, (_TEXT, _REFUSAL, _IMAGE, _AUDIO, _FILE, _VIDEO, THINKING_PART), _QUICK)
        self.everything = everything
        self.user = everything.narrowed((am.TextBlock, *pictured), odd=(am.VideoBlock,))
        words = (am.TextBlock, am.RefusalBlock)
        odd_parts = (*pictured, am.ThinkingBlock)
        own = (*words, *odd_parts)
        self.assistant = everything.narrowed(own, odd=own if is_response else odd_parts)
        self.tool = everything.narrowed((am.TextBlock, *pictured), odd=pictured)
        self.system = everything.narrowed((am.TextBlock,))

    def of(self, role: str) -> Parts:
        """Return the table of a role."""
        return {"user": self.user, "assistant": self.assistant, "tool": self.tool}.get(role, self.system)

    def fill(self) -> None:
        """Fill all tables, on first use."""
        if self.system.is_filled:  # the last one
            return
        for parts in (self.user, self.assistant, self.tool, self.system):
            parts.fill()
