"""The description: parts, calls, tools, annotations and usage in OpenAI's Chat Completions.

What the schema doesn't have, or not in this role, is read with the mark ``/odd``: it is written again as it was, and
nothing else is written like that.

Follows the Python package openai 3.54. Fields of compatible servers are read, and written back where they were read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import KEEP, Native, Unreadable, is_mapping, mark_of, media
from agentmsg.formats.forms import (
    Arguments,
    Described,
    Form,
    Hatch,
    Inside,
    Key,
    Link,
    Number,
    Object,
    Spare,
    Spread,
    Text,
    Truth,
    Via,
    Whole,
    Wrapped,
)
from agentmsg_codecs.openai.hints import cache, own_cache
from agentmsg_codecs.openai.names import FAMILY, INPUT, ITEM, OUTPUT
from agentmsg_codecs.openai.server_fields import SIGNED_KEY, carried_signature, read_signature, write_signature
from agentmsg_codecs.openai.sources import read_data, read_url, write_data
from agentmsg_codecs.openai.thinking_parts import THOUGHT

if TYPE_CHECKING:
    from collections.abc import Iterable

DETAILS = frozenset({"auto", "low", "high", "original"})
AUDIO_FORMATS = frozenset({"audio/mp3", "audio/wav"})
_CITED = ("url", "title", "start_index", "end_index")
_NO_TYPES = frozenset({"", "function", "custom", "server"})
_CACHE = cache()
_ODD_CACHE = cache(is_usual=False)
_SIGNED = Hatch(
    keys=(SIGNED_KEY,),
    cells={"signature": carried_signature},
    get=read_signature,
    put=write_signature,
    is_optional=True,
    odd=(SIGNED_KEY,),
    about="signature of Google",
)
_URL = Key("url", "source", Via(read_url, media.write_url, supports=KEEP, is_spelt=True))
_FILENAME = Key("filename", "name", Text(), "may")
_ID = Key("id", "id", Link(), "may", lacks="no-id")
_NAME = Key("name", "name", Text())
_ABOUT = (_NAME, Key("description", "description", Text(), "may"))
_CALLED = Inside(
    "function", (_NAME, Key("arguments", "input", Arguments(is_any=True, is_eager=True), '""')), space=ITEM
)
_FUNCTION = (*_ABOUT, Key("parameters", "parameters", Object(), "may"), Key("strict", "strict", Truth(), "may"))


def is_other_type(block: Any) -> bool:
    """Whether a call was read with a word for its type that the schema does not have."""
    return bool(block.notes) and mark_of(block, FAMILY, "/type") is True and block.kind not in _NO_TYPES


def _word(native: Native) -> str | None:
    detail = native["image_url"].get("detail") if is_mapping(native["image_url"]) else None
    return detail if detail not in DETAILS else None


def _is_other(native: Native) -> bool:
    return native["type"] not in _NO_TYPES


def carried_detail(detail: str, block: Any) -> str | None:
    """Keep how closely to look: a word of the schema, or the one that was read."""
    return detail if detail in DETAILS or mark_of(block, FAMILY, "/detail") == detail else None


def _is_by_id(native: Native) -> bool:
    held = native.get("file")
    return is_mapping(held) and held.get("file_id") is not None


def _sound_format(word: Any) -> str:
    if type(word) is not str:
        raise Unreadable
    return f"audio/{word}"


def _sound_word(media_type: str | None) -> str:
    return (media_type or "").removeprefix("audio/")


PARTS = (
    Form("text", am.TextBlock, "text", (Key("text", "text", Text()), _CACHE)),
    Form("said", am.TextBlock, "text", (Key("text", "text", Text()), _CACHE, _SIGNED),
         when=lambda block: block.signature is not None),
    Form("refusal", am.RefusalBlock, "refusal", (Key("refusal", "refusal", Text()), _ODD_CACHE)),
    Form("image", am.ImageBlock, "image_url", (
        Inside("image_url", (_URL, Key("detail", "detail", Text(), "may", cell=carried_detail)), space=ITEM,
               bare="url"),
        _CACHE,
    ), marks={"detail": _word}),
    Form("video", am.VideoBlock, "video_url", (Inside("video_url", (_URL,), space=ITEM, bare="url"), _CACHE)),
    Form("audio", am.AudioBlock, "input_audio", (
        Inside("input_audio", (Spread("source", am.Base64Source, (
            Key("data", "data", Text()),
            Key("format", "media_type", Via(_sound_format, _sound_word),
                known=AUDIO_FORMATS),
        )),), space=ITEM),
        _CACHE,
    )),
    Form("file", am.FileBlock, "file", (
        Inside("file", (_FILENAME, Key("file_data", "source", Via(read_data, write_data, supports=KEEP, is_spelt=True)),
                        Spare("file_id", is_written=False)), space=ITEM),
        _CACHE,
    ), fits=lambda native: not _is_by_id(native)),
    Form("file_by_id", am.FileBlock, "file", (
        Inside("file", (_FILENAME,
                        Key("file_id", "source", Wrapped(am.FileSource, "file_id", {"provider": "openai"})),
                        Spare("file_data", is_written=False)), space=ITEM),
        _CACHE,
    ), fits=_is_by_id, when=lambda block: isinstance(block.source, am.FileSource)),
    THOUGHT,
)  # fmt: skip

CALLS = (
    Form("call", am.ToolUseBlock, "function", (_ID, _CALLED, own_cache(), _SIGNED), tagged="usual", tag_at=1,
         is_apart="calls"),
    Form("custom", am.ToolUseBlock, "custom", (
        _ID, Inside("custom", (_NAME, Key("input", "input", Arguments(is_free=True))), space=ITEM),
        own_cache(), _SIGNED,
    ), tag_at=1, fixed={"kind": "custom"}, is_apart="calls"),
    Form("other_call", am.ToolUseBlock, None, (
        _ID, Key("type", "kind", Text()), _CALLED, own_cache(), _SIGNED,
    ), when=is_other_type, fits=_is_other, notes={"type": True}, is_apart="calls"),
    Form("function_call", am.ToolUseBlock, None, (
        _NAME, Key("arguments", "input", Arguments(is_any=True), '""'),
    ), fixed={"id": None}, notes={"legacy": True}, space=ITEM, spelt=FAMILY, is_apart=True),
)  # fmt: skip

TOOLS = (
    Form("tool", am.ToolSpec, "function", (Inside("function", _FUNCTION, space=ITEM), _ODD_CACHE),
         tagged="usual", is_apart=True),
    Form("custom_tool", am.ToolSpec, "custom", (Inside("custom", _ABOUT, space=ITEM), _ODD_CACHE),
         fixed={"kind": "custom"}, is_apart=True),
    Form("legacy_tool", am.ToolSpec, None, _FUNCTION, notes={"legacy": True}, space=ITEM, spelt=FAMILY, is_apart=True),
)  # fmt: skip

SOUND = (
    Form("sound", am.AudioBlock, None, (
        Key("id", "item_id", Text()),
        Key("data", "source", Wrapped(am.Base64Source, "data")),
        Key("transcript", "transcript", Text(), "may"),
    ), fits=lambda native: native.get("data") is not None, is_apart="sound"),
    Form("sound_by_id", am.AudioBlock, None, (
        Key("id", "source", Wrapped(am.FileSource, "file_id", {"provider": "openai"})),
        Key("transcript", "transcript", Text(), "may"),
        Spare("data", is_written=False),
    ), fits=lambda native: native.get("data") is None, when=lambda block: isinstance(block.source, am.FileSource),
         is_apart="sound"),
)  # fmt: skip


def _lacks_some(native: Native) -> bool:
    return any(native["url_citation"].get(key) is None for key in _CITED)


CITATIONS = (
    Form("url_citation", am.Citation, "url_citation", (
        Inside("url_citation", (
            Key("start_index", "start", Whole(), "may"),
            Key("end_index", "end", Whole(), "may"),
            Key("title", "title", Text(), "may"),
            Key("url", "url", Text(), "may"),
        ), space=ITEM),
    ), fixed={"kind": "url_citation"}, marks={"odd": _lacks_some}, is_apart="citation"),
    Form("other_citation", am.Citation, None, (Key("type", "kind", Text()),), notes={"odd": True},
         fits=lambda native: bool(native.get("type")), is_apart="citation"),
)  # fmt: skip


def _details(counts: Iterable[tuple[str, str]]) -> tuple[Key, ...]:
    return tuple(Key(native, field, Whole(), "may") for native, field in counts)


USAGE = Form("usage", am.Usage, None, (
    Key("prompt_tokens", "input", Whole(), "may", lacks="partial"),
    Key("completion_tokens", "output", Whole(), "may", lacks="partial"),
    Key("total_tokens", "total", Whole(), "may", lacks="partial"),
    Inside("prompt_tokens_details", _details((
        ("cached_tokens", "cache_read"), ("cache_write_tokens", "cache_write"), ("audio_tokens", "input_audio"),
    )), "may", space=INPUT),
    Inside("completion_tokens_details", _details((
        ("reasoning_tokens", "reasoning"), ("audio_tokens", "output_audio"),
    )), "may", space=OUTPUT),
    Key("cost", "cost", Number(), "may", said="cost"),
), is_apart=True)  # fmt: skip

_MEDIA = ("image", "audio", "file", "file_by_id", "video")
_PLACES = {
    "text": ("text",),
    "user": ("text", *_MEDIA),
    "assistant": ("said", "refusal", *_MEDIA, "thinking"),
    "answer": ("said", "refusal", *_MEDIA, "thinking"),
    "tool": ("text", *_MEDIA),
}
_ODD = {
    "user": ("video",),
    "assistant": (*_MEDIA, "thinking"),
    "answer": ("said", "refusal", *_MEDIA, "thinking"),
    "tool": _MEDIA,
}


def describe(messages: Iterable[Form]) -> Described:
    """Return the description.

    Args:
        messages: the forms of messages.
    """
    return Described(FAMILY, (*PARTS, *CALLS, *TOOLS, *SOUND, *CITATIONS, *messages), _PLACES, odd=_ODD)
