"""The description: parts, calls, tools and sound in OpenAI's Chat Completions.

What the schema doesn't allow, or not in this role, is read with the mark ``/odd``: it is written as it was read, and
nothing else is written like that.

Follows the Python package openai 3.54. Fields of compatible servers are read, and written back where they were read.
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg.formats import (
    KEEP,
    Native,
    Parts,
    Unreadable,
    cells,
    is_list,
    is_mapping,
    is_marked,
    is_object,
    is_sequence,
    maker,
    mark_of,
    marked,
    media,
    spelling,
    text_at,
)
from agentmsg.formats.forms import (
    Arguments,
    Described,
    Form,
    Hatch,
    Inside,
    Key,
    Link,
    Object,
    Spare,
    Spread,
    Text,
    Truth,
    Via,
    Wrapped,
)
from agentmsg_codecs.openai.beside import SIGNED, SIGNED_CALL
from agentmsg_codecs.openai.hints import CACHE, CALL_CACHE, ODD_CACHE, odd
from agentmsg_codecs.openai.names import FAMILY, ITEM

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

AUDIO_FORMATS = frozenset({"audio/mp3", "audio/wav"})
_DETAILS = frozenset({"auto", "low", "high", "original"})
# The keys for the arguments of calls without an object `function`, and their types.
FLAT_KEYS = ("args", "arguments")
_FLAT_TYPES = ("function", "tool_call")
_NO_TYPES = frozenset({"", "function", "custom", "server"})
_make_url = maker(am.URLSource)


# -- thinking as a part of the content --------------------------------------------------------------------------------
# Mistral's is ``{"type": "thinking", "thinking": [{"type": "text", "text": ...}, ...], "signature"?, "closed"?}``.
# Other servers write the thinking as a text. Kimi's programs have ``{"type": "think", "think": ...}``; Databricks has
# ``{"type": "reasoning", "summary": [{"type": "summary_text", "text": ..., "signature"?}]}``. Marks: ``/str`` (it is a
# text), ``/cuts`` (the lengths of its texts, if there are several), ``/think`` (Kimi's), ``/summaries`` (Databricks').
# https://docs.mistral.ai/capabilities/reasoning
# https://docs.databricks.com/aws/en/machine-learning/model-serving/query-reason-models


def _text_of_chunk(chunk: Any) -> str:
    if not is_object(chunk) or chunk.get("type") != "text" or len(chunk) != 2:  # noqa: PLR2004 - type and text
        raise Unreadable
    return text_at(chunk, "text")


def _read_thinking(part: Native) -> dict[str, Any]:
    value = part["thinking"]
    if type(value) is str:
        return {"thinking": value, "notes": {"/str": True}}
    if not is_list(value):
        raise Unreadable
    texts = list(map(_text_of_chunk, value))
    text = "".join(texts)
    return {"thinking": text, "notes": {} if texts == _cut(text, None) else {"/cuts": list(map(len, texts))}}


def _cut(text: str, cuts: Any) -> list[str]:
    """Return the texts that a text was read from; one if it has changed since."""
    sizes: list[Any] = list(cuts) if is_sequence(cuts) else []
    is_known = is_sequence(cuts) and all(type(size) is int and size >= 0 for size in sizes) and sum(sizes) == len(text)
    if not is_known:
        return [text] if text else []
    return [text[start:end] for start, end in pairwise(accumulate(sizes, initial=0))]


def _write_thinking(block: am.ThinkingBlock) -> Native:
    text = block.thinking
    if is_marked(block, FAMILY, "/str"):
        return {"thinking": text}
    return {"thinking": [{"type": "text", "text": each} for each in _cut(text, mark_of(block, FAMILY, "/cuts"))]}


_THOUGHT = Form("thinking", am.ThinkingBlock, "thinking", (
    Hatch(keys=("thinking",), cells={"thinking": KEEP}, get=_read_thinking, put=_write_thinking, must=("thinking",),
        about="thinking"),
    Key("signature", "signature", Wrapped(am.Signature, "value", {"provider": "mistral"}), "may",
        cell=cells.signed_by("mistral", is_empty=True)),
))  # fmt: skip


def _is_think(block: Any) -> bool:
    return is_marked(block, FAMILY, "/think")


_THINK = Form("think", am.ThinkingBlock, "think", (
    Key("think", "thinking", Text()),
), when=_is_think, notes={"think": True})  # fmt: skip


def _get_summary(part: Native) -> dict[str, Any]:
    entries = part["summary"]
    if not is_list(entries) or len(entries) != 1 or not is_object(entries[0]) or not entries[0].keys() <= _ENTRY:
        raise Unreadable
    entry = entries[0]
    found = {"thinking": text_at(entry, "text")}
    if entry.get("type") != "summary_text":
        raise Unreadable
    return (
        {**found, "signature": am.Signature("anthropic", text_at(entry, "signature"))}
        if "signature" in entry
        else found
    )


def _put_summary(block: am.ThinkingBlock) -> Native:
    signed = {} if block.signature is None else {"signature": block.signature.value}
    return {"summary": [{"type": "summary_text", "text": block.thinking, **signed}]}


def _is_summary(block: Any) -> bool:
    return is_marked(block, FAMILY, "/summaries") and not _is_think(block)


_ENTRY = frozenset({"type", "text", "signature"})
_SUMMARY = Form("summary", am.ThinkingBlock, "reasoning", (
    Hatch(keys=("summary",), cells={"thinking": KEEP, "signature": cells.signed_by("anthropic", is_empty=True)},
          get=_get_summary, put=_put_summary, must=("summary",), about="thinking, signature"),
), when=_is_summary, notes={"summaries": True})  # fmt: skip


# -- URLs and data ----------------------------------------------------------------------------------------------------


def _read_url(url: Any) -> Any:
    """Return the data in a base64 ``data:`` URL, or the URL as a reference."""
    if type(url) is not str:
        raise Unreadable
    data = media.read_data_url(url) if url[:5].lower() == "data:" else None
    if data is None:
        return _make_url(url=url)
    return data if data.media_type is not None else odd(data)


def _read_data(text: Any) -> Any:
    """Return the source of a file: the data in a ``data:`` URL. Some servers take bare base64, or another URL."""
    source = _read_url(text)
    if not isinstance(source, am.URLSource):
        return source
    # Every URL has a colon, and no base64 has one.
    return odd(source) if ":" in text else marked(am.Base64Source(text), FAMILY, odd=True, raw=True)


def _write_data(source: Any) -> str:
    raw = isinstance(source, am.Base64Source) and is_marked(source, FAMILY, "/raw")
    return source.data if raw and source.media_type is None and ":" not in source.data else media.write_url(source)


def _sound_format(word: Any) -> str:
    if type(word) is not str:
        raise Unreadable
    return f"audio/{word}"


def _sound_word(media_type: str | None) -> str:
    return (media_type or "").removeprefix("audio/")


def _inside(key: str, inner: str) -> Callable[[Native], bool]:
    """Return the test whether a part has an inner object with a value under a key."""

    def test(native: Native) -> bool:
        held = native.get(key)
        return is_mapping(held) and held.get(inner) is not None

    return test


def _is_data(native: Native) -> bool:
    """Whether sound is data with a format, rather than a URL, as some servers take it."""
    held: Any = native.get("input_audio")
    data = held.get("data") if is_mapping(held) else None
    return type(data) is str and ":" not in data and held.get("format") is not None


def _is_other_data(native: Native) -> bool:
    return _inside("input_audio", "data")(native) and not _is_data(native)


def _is_file(native: Native) -> bool:
    return not any(_inside("file", key)(native) for key in ("file_id", "file_url"))


def _unknown_detail(held: Any) -> str | None:
    detail = held.get("detail") if is_mapping(held) else None
    return detail if detail not in _DETAILS else None


def _inner_detail(native: Native) -> str | None:
    return _unknown_detail(native["image_url"])


def _carried_detail(detail: str, block: Any) -> str | None:
    """Keep a detail that the schema has, or that was read."""
    return detail if detail in _DETAILS or mark_of(block, FAMILY, "/detail") == detail else None


# -- parts of compatible servers -------------------------------------------------------------------------------------

TEXT_ALIASES = ("input_text", "output_text")


def is_alias(block: Any, form: str) -> bool:
    """Whether media were read in a form that only compatible servers have."""
    return mark_of(block, FAMILY, "/part") == form and not isinstance(block.source, am.FileSource)


def _alias(form: str, detail: Callable[[Native], str | None] | None = None) -> dict[str, Any]:
    """Return the arguments of the form of a part that only compatible servers have.

    Args:
        form: its name, which is a mark of its blocks.
        detail: returns a detail that the schema doesn't have.
    """

    def when(block: Any) -> bool:
        return is_alias(block, form)

    return {"when": when, "notes": {"part": form}, "marks": {} if detail is None else {"detail": detail}}


# -- the forms --------------------------------------------------------------------------------------------------------


def is_other_type(block: Any) -> bool:
    """Whether a call was read with a type that the schema doesn't have."""
    return bool(block.notes) and is_marked(block, FAMILY, "/type") and block.kind not in _NO_TYPES


def is_flat(block: Any) -> bool:
    """Whether a call was read without an object ``function``."""
    return block.kind == "function" and mark_of(block, FAMILY, "/flat") in FLAT_KEYS


def _is_flat_entry(native: Native) -> bool:
    return native.keys().isdisjoint(("function", "custom"))


def _get_other(_: Native) -> dict[str, Any]:
    raise Unreadable("arguments under two keys")


def _put_nothing(_: Any) -> Native:
    return {}


def _get_flat_type(native: Native) -> dict[str, Any]:
    word = native["type"]
    if word in _FLAT_TYPES:
        return {"notes": {"/word": word}}
    if word not in (None, ""):
        raise Unreadable("a call of another type")
    return {"notes": {"type": spelling.spelling_of(word)}}


def _put_flat_type(block: Any) -> Native:
    word = mark_of(block, FAMILY, "/word")
    return {"type": word} if word in _FLAT_TYPES else {}


_AS_URL = Via(_read_url, media.write_url, supports=KEEP, is_spelt=True)
_AS_DATA = Via(_read_data, _write_data, supports=KEEP, is_spelt=True)
_URL, _DATA = Key("url", "source", _AS_URL), Key("file_data", "source", _AS_DATA)
_BY_ID = Wrapped(am.FileSource, "file_id", {"provider": "openai"})
_FILENAME = Key("filename", "name", Text(), "may")
_DETAIL = Key("detail", "detail", Text(), "may", cell=_carried_detail)
_SOUND = Spread("source", am.Base64Source, (
    Key("data", "data", Text()),
    Key("format", "media_type", Via(_sound_format, _sound_word), known=AUDIO_FORMATS),
))  # fmt: skip


def _other(name: str, cls: Any, tag: str, key: str, more: tuple[Key, ...] = (), **how: Any) -> Form:
    """Return the form of media whose inner object has its URL or data under another key."""
    source = Inside(tag, (*more, Key(key, "source", _AS_DATA)), space=ITEM)
    return Form(name, cls, tag, (source, CACHE), **how, **_alias(name))


_TEXT = Form("text", am.TextBlock, "text", (Key("text", "text", Text()), CACHE))
PARTS = (
    _TEXT,
    Form("said", am.TextBlock, "text", (Key("text", "text", Text()), CACHE, SIGNED),
         when=lambda block: block.signature is not None),
    Form("refusal", am.RefusalBlock, "refusal", (Key("refusal", "refusal", Text()), ODD_CACHE)),
    Form("image", am.ImageBlock, "image_url", (
        Inside("image_url", (_URL, _DETAIL), space=ITEM, bare="url"), CACHE,
    ), marks={"detail": _inner_detail}),
    Form("video", am.VideoBlock, "video_url", (Inside("video_url", (_URL,), space=ITEM, bare="url"), CACHE)),
    Form("audio", am.AudioBlock, "input_audio", (Inside("input_audio", (_SOUND,), space=ITEM), CACHE),
         fits=_is_data),
    Form("file", am.FileBlock, "file", (
        Inside("file", (_FILENAME, _DATA, Spare("file_id", is_written=False)), space=ITEM), CACHE,
    ), fits=_is_file),
    Form("file_by_id", am.FileBlock, "file", (
        Inside("file", (
            _FILENAME, Key("file_id", "source", _BY_ID), Spare("file_data", is_written=False),
        ), space=ITEM),
        CACHE,
    ), fits=_inside("file", "file_id"), when=lambda block: isinstance(block.source, am.FileSource)),
    _THOUGHT,
    _THINK,
    _SUMMARY,
    *map(_TEXT.alias, TEXT_ALIASES),
    Form("input_image", am.ImageBlock, "input_image", (
        Key("image_url", "source", _AS_URL), _DETAIL, CACHE,
    ), fits=lambda native: type(native.get("image_url")) is str, **_alias("input_image", _unknown_detail)),
    Form("input_image_url", am.ImageBlock, "input_image", (
        Inside("image_url", (_URL, _DETAIL), space=ITEM), CACHE,
    ), fits=lambda native: is_mapping(native.get("image_url")), **_alias("input_image_url", _inner_detail)),
    Form("audio_url", am.AudioBlock, "audio_url", (
        Inside("audio_url", (_URL,), space=ITEM, bare="url"), CACHE,
    ), **_alias("audio_url")),
    Form("document", am.FileBlock, "document_url", (
        Key("document_url", "source", _AS_DATA), Key("document_name", "name", Text(), "may"), CACHE,
    ), **_alias("document")),
    Form("file_url", am.FileBlock, "file_url", (
        Inside("file_url", (Key("url", "source", _AS_DATA), _FILENAME), space=ITEM, bare="url"), CACHE,
    ), **_alias("file_url")),
    Form("video_part", am.VideoBlock, "video", (Key("video", "source", _AS_URL), CACHE), **_alias("video_part")),
    _other("file_by_url", am.FileBlock, "file", "file_url", (_FILENAME,), fits=_inside("file", "file_url")),
    _other("audio_data", am.AudioBlock, "input_audio", "data", fits=_is_other_data),
    _other("audio_by_url", am.AudioBlock, "input_audio", "url", fits=_inside("input_audio", "url")),
    _other("video_data", am.VideoBlock, "input_video", "data", fits=_inside("input_video", "data")),
    _other("video_by_url", am.VideoBlock, "input_video", "url", fits=_inside("input_video", "url")),
)  # fmt: skip

_ID = Key("id", "id", Link(), "may", lacks="no-id")
_NAME = Key("name", "name", Text())
_CALLED = Inside(
    "function", (_NAME, Key("arguments", "input", Arguments(is_any=True, is_eager=True), '""')), space=ITEM
)
_FLAT_TYPE = Hatch(keys=("type",), cells={}, get=_get_flat_type, put=_put_flat_type, is_optional=True, about="kind")
# Arguments under both keys have one meaning only.
_NOT_BOTH = Hatch(keys=FLAT_KEYS[:1], cells={}, get=_get_other, put=_put_nothing, is_optional=True, about="nothing")


def _flat_call(key: str) -> Form:
    """Return the form of calls without an object ``function``, with their arguments under a key."""
    arguments = Key(key, "input", Arguments(is_any=True), '""')
    return Form(
        f"flat_{key}",
        am.ToolUseBlock,
        None,
        (_ID, _NAME, arguments, _FLAT_TYPE, *(() if key in _NOT_BOTH.keys else (_NOT_BOTH,)), CALL_CACHE, SIGNED_CALL),
        when=lambda block: is_flat(block) and mark_of(block, FAMILY, "/flat") == key,
        fits=lambda native: key in native and _is_flat_entry(native),
        notes={"flat": key},
        is_apart="flat",
    )


CALLS = (
    Form("call", am.ToolUseBlock, "function", (_ID, _CALLED, CALL_CACHE, SIGNED_CALL), tagged="usual", tag_at=1,
         is_apart="calls"),
    Form("custom", am.ToolUseBlock, "custom", (
        _ID, Inside("custom", (_NAME, Key("input", "input", Arguments(is_free=True))), space=ITEM),
        CALL_CACHE, SIGNED_CALL,
    ), tag_at=1, fixed={"kind": "custom"}, is_apart="calls"),
    Form("other_call", am.ToolUseBlock, None, (
        _ID, Key("type", "kind", Text()), _CALLED, CALL_CACHE, SIGNED_CALL,
    ), when=is_other_type, fits=lambda native: native["type"] not in _NO_TYPES, notes={"type": True}, is_apart="calls"),
    *(_flat_call(key) for key in FLAT_KEYS),
    Form("function_call", am.ToolUseBlock, None, (
        _NAME, Key("arguments", "input", Arguments(is_any=True), '""'),
    ), fixed={"id": None}, notes={"legacy": True}, space=ITEM, spelt=FAMILY, is_apart=True),
)  # fmt: skip

_ABOUT = (_NAME, Key("description", "description", Text(), "may"))
_FUNCTION = (
    *_ABOUT,
    Key("parameters", "parameters", Object(), "may"),
    Key("strict", "strict", Truth(is_flag=True), "may"),
)
TOOLS = (
    Form("tool", am.ToolSpec, "function", (Inside("function", _FUNCTION, space=ITEM), ODD_CACHE),
         tagged="usual", is_apart=True),
    Form("custom_tool", am.ToolSpec, "custom", (Inside("custom", _ABOUT, space=ITEM), ODD_CACHE),
         fixed={"kind": "custom"}, is_apart=True),
    Form("legacy_tool", am.ToolSpec, None, _FUNCTION, notes={"legacy": True}, space=ITEM, spelt=FAMILY, is_apart=True),
)  # fmt: skip

_TRANSCRIPT = Key("transcript", "transcript", Text(), "may")
SOUND = (
    Form("sound", am.AudioBlock, None, (
        Key("id", "item_id", Text()), Key("data", "source", Wrapped(am.Base64Source, "data")), _TRANSCRIPT,
    ), fits=lambda native: native.get("data") is not None, is_apart="sound"),
    Form("sound_by_id", am.AudioBlock, None, (
        Key("id", "source", _BY_ID), _TRANSCRIPT, Spare("data", is_written=False),
    ), fits=lambda native: native.get("data") is None, when=lambda block: isinstance(block.source, am.FileSource),
         is_apart="sound"),
)  # fmt: skip

SOUND_ALIASES = ("audio_url", "audio_data", "audio_by_url")
_ALIASES = (
    "input_image", "input_image_url", "document", "file_url", "file_by_url", *SOUND_ALIASES,
    "video_part", "video_data", "video_by_url",
)  # fmt: skip
_THINKING = ("thinking", "think", "summary")
_MEDIA = ("image", "audio", "file", "file_by_id", "video", *_ALIASES)
_PLACES = {
    "text": ("text", *TEXT_ALIASES),
    "user": ("text", *TEXT_ALIASES, *_MEDIA),
    "assistant": ("said", *TEXT_ALIASES, "refusal", *_MEDIA, *_THINKING),
    "answer": ("said", *TEXT_ALIASES, "refusal", *_MEDIA, *_THINKING),
    "tool": ("text", *TEXT_ALIASES, *_MEDIA),
}
_ODD = {
    "user": ("video", *_ALIASES),
    "assistant": (*_MEDIA, *_THINKING),
    "answer": ("said", *TEXT_ALIASES, "refusal", *_MEDIA, *_THINKING),
    "tool": _MEDIA,
}


def _part_of_text(part: Any) -> Any:
    return ({"type": "text", "text": part}, True) if type(part) is str else None


def _text_of_part(native: Native, _: Any) -> Any:
    return native.get("text")


class _Parts(Parts):
    """Parts, with or without a type, and texts that stand where parts do, as some servers and libraries have them.

    Marks: ``/untyped`` (an object without a type), ``/bare`` (a text that is no object).
    """

    other_spellings: ClassVar[Any] = {
        "bare": (_part_of_text, _text_of_part),
        "untyped": Parts.untyped({"text": "text", "image_url": "image_url"}),
    }


def describe(messages: Iterable[Form]) -> Described:
    """Return the description with the forms of messages."""
    return Described(FAMILY, (*PARTS, *CALLS, *TOOLS, *SOUND, *messages), _PLACES, odd=_ODD, table=_Parts)
