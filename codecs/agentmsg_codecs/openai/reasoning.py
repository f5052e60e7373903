"""A model's thinking in the fields of compatible servers; OpenAI's own messages have none.

| field | of | blocks |
| --- | --- | --- |
| reasoning_content | DeepSeek, Qwen, vLLM | one text |
| reasoning | OpenRouter, Groq, vLLM | one text |
| reasoning_text | GitHub Copilot | one text |
| reasoning_details | OpenRouter | reasoning.text, .summary, .encrypted, signed by the maker of the model |
| thinking_blocks | LiteLLM | thinking and redacted_thinking of Anthropic |

An entry of reasoning_details of any other kind is thinking, too, marked ``/other``; its text is under ``text``.

The mark ``/place`` on a block names its field. A field that only repeats the text of the fullest one is a copy: the
mark ``/copies`` on the message names it, and it is written again from the blocks.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Literal, get_args

import agentmsg as am
from agentmsg import AgentMsgError
from agentmsg.formats import (
    KEEP,
    Native,
    Shape,
    Unreadable,
    is_list,
    is_marked,
    is_sequence,
    maker,
    mark_of,
    marked,
    natives,
    read_as,
    spelling,
    text_at,
    word_at,
    write_as,
)
from agentmsg.formats.forms import Described, Form, Hatch, Key, Text, Wrapped
from agentmsg_codecs.openai.names import FAMILY, REASONING_KEYS
from agentmsg_codecs.openai.places import place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

LISTS = frozenset({"reasoning_details", "thinking_blocks"})
# The value of `format`, by who signs.
FORMATS: Mapping[str | None, str] = {
    "anthropic": "anthropic-claude-v1",
    "google": "google-gemini-v1",
    "openai": "openai-responses-v1",
    "xai": "xai-responses-v1",
}
# Where to write thinking that wasn't read from a field: nowhere, into the text in tags, or into a field.
Thinking = Literal["drop", "text", "reasoning_content", "reasoning", "reasoning_details", "thinking_blocks"]
THINKING: tuple[str, ...] = get_args(Thinking)
_make_thinking = maker(am.ThinkingBlock)
_make_signature = maker(am.Signature)


# Models that refuse a tool call without the thinking before it, by maker; hosts put a path before the name. So their
# errors say: "The `reasoning_content` in the thinking mode must be passed back to the API" (DeepSeek, MiMo; so says
# DeepSeek's guide to the thinking mode), "thinking is enabled but reasoning_content is missing in assistant tool call
# message" (Kimi).
NEED_REASONING: Mapping[str, str] = {
    "DeepSeek": r"deepseek[-.](v[4-9]|flash|pro)",
    "Kimi": r"kimi-(.*thinking|for-coding|k2[.p-][5-9]|k[3-9])",
    "MiMo": r"mimo-v\d",
}
_OF_OPENAI = r"(chat)?gpt-|o\d|codex"


@cache
def needs_reasoning(model: str | None) -> bool | None:
    """Whether a model must get its thinking back, by its name; None if the name doesn't tell."""
    import re  # noqa: PLC0415 - readers need no names of models

    def is_one(names: str) -> bool:
        return model is not None and re.match(rf"(.*[/.:])?({names})", model, re.IGNORECASE) is not None

    return True if any(map(is_one, NEED_REASONING.values())) else False if is_one(_OF_OPENAI) else None


def place_of_option(thinking: str | None) -> str | None:
    """Return the field that an option names, if any."""
    return thinking if thinking in REASONING_KEYS else None


# -- the entries of lists ---------------------------------------------------------------------------------------------


def provider_of(word: Any) -> str | None:
    """Return who signs, from the value of ``format``."""
    head = word.partition("-")[0] if isinstance(word, str) else ""
    return head if head in FORMATS else None


def _signer(native: Native, *, is_signed: bool) -> tuple[str | None, dict[str, Any]]:
    """Return who signed an entry, and its format as an extra, if the signer doesn't determine it."""
    word = native.get("format")
    provider = provider_of(word)
    is_known = is_signed and provider is not None and word == FORMATS[provider]
    return provider, {"odd": ("format",)} if "format" in native and not is_known else {}


def _get_signature(native: Native) -> dict[str, Any]:
    value = word_at(native, "signature")
    provider, rest = _signer(native, is_signed=value is not None)
    if value is None:
        return {**rest, "notes": {"signature": "null"} if "signature" in native else {}}
    return {**rest, "signature": _make_signature(provider=provider, value=value)}


def _get_encrypted(native: Native) -> dict[str, Any]:
    data = text_at(native, "data")
    provider, rest = _signer(native, is_signed=True)
    if provider == "anthropic":
        return {**rest, "redacted": data}
    return {**rest, "signature": _make_signature(provider=provider, value=data), "notes": {"/encrypted": True}}


def _put_signature(block: Any) -> Native:
    signature = block.signature
    return {} if signature is None else {"signature": signature.value, **_format(block, signature.provider)}


def _put_encrypted(block: Any) -> Native:
    signature, redacted = block.signature, block.redacted
    if redacted is None:
        return {"data": signature.value, **_format(block, signature.provider)}
    return {"data": redacted, **_format(block, "anthropic" if signature is None else signature.provider)}


def _format(block: Any, provider: str | None) -> Native:
    """Return the key for who signed, unless there is an extra of that name."""
    return {} if provider is None or natives.has_extra(block, FAMILY, "format") else {"format": FORMATS[provider]}


def _is_encrypted(block: Any) -> bool:
    sealed = block.signature is not None and not block.thinking and is_marked(block, FAMILY, "/encrypted")
    return block.redacted is not None or sealed


def _is_summary(block: Any) -> bool:
    return is_marked(block, FAMILY, "/summary") and not _is_encrypted(block) and not _is_other(block)


def _is_other(block: Any) -> bool:
    return is_marked(block, FAMILY, "/other") and not _is_encrypted(block)


_ID = Key("id", "item_id", Text(), "may")
_SIGNATURE = Hatch(
    keys=("signature", "format"),
    cells={"signature": KEEP},
    get=_get_signature,
    put=_put_signature,
    odd=("format",),
    is_optional=True,
)
_DETAILS = Described(FAMILY, (
    # The entry that ends a stream has only the signature.
    Form("detail_text", am.ThinkingBlock, "reasoning.text", (Key("text", "thinking", Text(), '""'), _SIGNATURE, _ID)),
    Form("detail_summary", am.ThinkingBlock, "reasoning.summary", (
        Key("summary", "thinking", Text()), _SIGNATURE, _ID,
    ), when=_is_summary, notes={"summary": True}),
    Form("detail_encrypted", am.ThinkingBlock, "reasoning.encrypted", (
        Hatch(
            keys=("data", "format"),
            cells={"redacted": KEEP, "signature": KEEP},
            get=_get_encrypted,
            put=_put_encrypted,
            odd=("format",),
            must=("data",),
            schema={"data": {"type": "string"}},
        ),
        _ID,
    ), when=_is_encrypted),
    # The kind of an unknown entry is an extra.
    Form("detail_other", am.ThinkingBlock, None, (
        Key("text", "thinking", Text(), "may", default=""), _SIGNATURE, _ID,
    ), when=_is_other, notes={"other": True}),
), {"reasoning_details": ("detail_text", "detail_summary", "detail_encrypted")})  # fmt: skip
_BLOCKS = Described(FAMILY, (
    Form("signed_thinking", am.ThinkingBlock, "thinking", (
        Key("thinking", "thinking", Text()),
        Key("signature", "signature", Wrapped(am.Signature, "value", {"provider": "anthropic"}), "may"),
    )),
    Form("redacted_thinking", am.ThinkingBlock, "redacted_thinking", (
        Key("data", "redacted", Text()),
    ), when=lambda block: block.redacted is not None),
), {"thinking_blocks": ("signed_thinking", "redacted_thinking")})  # fmt: skip
ENTRIES = (_DETAILS, _BLOCKS)
_ENTRY_SHAPES: Mapping[str, Shape] = {
    "reasoning_details": _DETAILS.shapes["detail_text"],
    "thinking_blocks": _BLOCKS.shapes["signed_thinking"],
}


def entry_keys(place: str | None, block: Any) -> frozenset[str] | None:
    """Return the keys of the entry that thinking is written as in a field; None if the field isn't a list."""
    shape = _ENTRY_SHAPES.get(place or "")
    if shape is None:
        return None
    tag, kind = shape.tag_of(block), natives.extras_of(block, FAMILY).get("type")
    is_unknown = tag is None and (kind is None or (isinstance(kind, str) and kind not in shape.keys))
    return shape.keys[tag] - ({"format", "type"} if is_unknown else {"format"})


# -- the fields of a message ------------------------------------------------------------------------------------------


def _read_field(key: str, value: Any) -> list[Any]:
    if key not in LISTS:
        if type(value) is not str:
            raise Unreadable
        return [marked(_make_thinking(value), FAMILY, place=key)]
    if not is_list(value):
        raise Unreadable
    return [marked(read_as(_ENTRY_SHAPES[key], entry, FAMILY), FAMILY, place=key) for entry in value]


def read_reasoning(native: Native) -> tuple[tuple[Any, ...], Mapping[str, Any], Sequence[str]]:
    """Return the blocks of all fields, notes on fields that are copies or empty, and keys without meaning."""
    blocks: list[Any] = []
    notes: dict[str, Any] = {}
    copies: list[str] = []
    odd: list[str] = []
    first = ""
    for key in REASONING_KEYS:
        if key not in native:
            continue
        value = native[key]
        nothing = spelling.spelling_of_nothing(value)
        if nothing is not None:
            notes[key] = nothing
        elif key not in LISTS and value == first:
            copies.append(key)
        else:
            try:
                found = _read_field(key, value)
            except (Unreadable, AgentMsgError):
                odd.append(key)
                continue
            first = "".join(block.thinking for block in found) if not blocks else first
            blocks += found
    return tuple(blocks), {**notes, "/copies": copies} if copies else notes, odd


def write_reasoning(default: str | None) -> Callable[[Sequence[Any], Any], Native]:
    """Return the function that writes blocks into their fields, and the copies that are noted on their message."""

    def rank(block: Any) -> int:
        return REASONING_KEYS.index(place_of(block, default) or REASONING_KEYS[0])

    def write(blocks: Sequence[Any], message: Any) -> Native:
        native: Native = {}
        for block in blocks:
            place = place_of(block, default)
            assert place is not None  # noqa: S101 - the capability table lets no other through
            if place in LISTS:
                native.setdefault(place, []).append(write_as(_ENTRY_SHAPES[place], block, FAMILY))
            else:
                native[place] = block.thinking
        copies = mark_of(message, FAMILY, "/copies") if message.notes else None
        for key in REASONING_KEYS[2:]:
            if is_sequence(copies) and key in copies and key not in native:
                first = min(map(rank, blocks), default=0)
                text = "".join(block.thinking for block in blocks if rank(block) == first)
                if text and first < REASONING_KEYS.index(key):
                    native[key] = text
        return native

    return write
