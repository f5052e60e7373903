"""What a model thought, in the fields of compatible servers; OpenAI's own messages have none.

| field | of | blocks |
| --- | --- | --- |
| reasoning_content | DeepSeek, Qwen, vLLM | one text |
| reasoning | OpenRouter, Groq, vLLM | one text |
| reasoning_details | OpenRouter | reasoning.text, .summary, .encrypted, signed by the maker of the model |
| thinking_blocks | LiteLLM | thinking and redacted_thinking of Anthropic |

A block remembers its field (mark ``/place``); a field that only repeats the fullest one's texts is a copy, noted on the
message (mark ``/copies``) and written again from the blocks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

import agentmsg as am
from agentmsg import AgentMsgError
from agentmsg.formats import (
    Native,
    Shape,
    Unreadable,
    is_list,
    maker,
    mark_of,
    marked,
    read_as,
    text_at,
    word_at,
    write_as,
)
from agentmsg_codecs.openai.names import FAMILY, REASONING_KEYS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


make_thinking = maker(am.ThinkingBlock)
make_signature = maker(am.Signature)
LISTS = frozenset({"reasoning_details", "thinking_blocks"})
# Who signs, and the word in `format` that says so.
_FORMATS: Mapping[str, str] = {
    "anthropic": "anthropic-claude-v1",
    "google": "google-gemini-v1",
    "openai": "openai-responses-v1",
    "xai": "xai-responses-v1",
}


# Where thinking goes that was not read from a field of its own: nowhere, into the text in tags, or into a field.
Thinking = Literal["drop", "text", "reasoning_content", "reasoning", "reasoning_details", "thinking_blocks"]
THINKING: tuple[str, ...] = get_args(Thinking)


def place_of_option(thinking: str) -> str | None:
    """Return the field that an option names, if it names one."""
    return thinking if thinking in REASONING_KEYS else None


def providers_at(place: str) -> frozenset[str]:
    """Return whose signatures a field can hold."""
    return {"reasoning_details": frozenset(_FORMATS), "thinking_blocks": frozenset({"anthropic"})}.get(
        place, frozenset()
    )


def provider_of(word: Any) -> str | None:
    """Return who signs, by the word in ``format``; it stays an unknown field, for it says more than that."""
    head = word.partition("-")[0] if isinstance(word, str) else ""
    return head if head in _FORMATS else None


def _read_detail(native: Native, _: Any) -> am.ThinkingBlock:
    kind, provider, own_id = text_at(native, "type"), provider_of(word_at(native, "format")), word_at(native, "id")
    if kind == "reasoning.encrypted":
        data = text_at(native, "data")
        if provider == "anthropic":
            return make_thinking(redacted=data, item_id=own_id)
        sealed = make_signature(provider=provider, value=data)
        return marked(make_thinking(signature=sealed, item_id=own_id), FAMILY, encrypted=True)
    value = word_at(native, "signature")
    signature = None if value is None else make_signature(provider=provider, value=value)
    if kind == "reasoning.summary":
        block = make_thinking(text_at(native, "summary"), signature=signature, item_id=own_id)
        return marked(block, FAMILY, summary=True)
    if kind != "reasoning.text":
        raise Unreadable
    # The entry that ends a stream of them has the signature alone.
    return make_thinking(word_at(native, "text") or "", signature=signature, item_id=own_id)


def _tag_of_detail(block: Any) -> str:
    sealed = block.signature is not None and not block.thinking and mark_of(block, FAMILY, "/encrypted") is True
    if block.redacted is not None or sealed:
        return "reasoning.encrypted"
    return "reasoning.summary" if mark_of(block, FAMILY, "/summary") is True else "reasoning.text"


def _write_detail(block: Any) -> Native:
    signature: Any = block.signature
    tag = _tag_of_detail(block)
    provider = signature.provider if signature is not None else "anthropic" if block.redacted is not None else None
    native: Native = {"type": tag}
    if tag == "reasoning.encrypted":
        native["data"] = block.redacted if signature is None or block.redacted is not None else signature.value
    else:
        native[tag.removeprefix("reasoning.")] = block.thinking
        if signature is not None:
            native["signature"] = signature.value
    own: Any = block.extras.get(FAMILY) if block.extras else None
    if provider is not None and not (own and "format" in own):
        native["format"] = _FORMATS[provider]
    return native if block.item_id is None else {**native, "id": block.item_id}


def _read_thinking(native: Native, _: Any) -> am.ThinkingBlock:
    if native.get("type") == "redacted_thinking":
        return make_thinking(redacted=text_at(native, "data"))
    if native.get("type") != "thinking":
        raise Unreadable
    sealed = word_at(native, "signature")
    signature = None if sealed is None else make_signature(provider="anthropic", value=sealed)
    return make_thinking(text_at(native, "thinking"), signature=signature)


def _write_thinking(block: Any) -> Native:
    if block.redacted is not None:
        return {"type": "redacted_thinking", "data": block.redacted}
    native: Native = {"type": "thinking", "thinking": block.thinking}
    return native if block.signature is None else {**native, "signature": block.signature.value}


_ENTRY_SHAPES: Mapping[str, Shape] = {
    "reasoning_details": Shape(
        cls=am.ThinkingBlock,
        keys={
            "reasoning.text": frozenset({"type", "id", "signature", "text"}),
            "reasoning.summary": frozenset({"type", "id", "signature", "summary"}),
            "reasoning.encrypted": frozenset({"type", "id", "data"}),
        },
        read=_read_detail,
        write=_write_detail,
        tag_of=_tag_of_detail,
    ),
    "thinking_blocks": Shape(
        cls=am.ThinkingBlock,
        keys={
            "thinking": frozenset({"type", "thinking", "signature"}),
            "redacted_thinking": frozenset({"type", "data"}),
        },
        read=_read_thinking,
        write=_write_thinking,
        tag_of=lambda block: "thinking" if block.redacted is None else "redacted_thinking",
    ),
}


def entry_keys(place: str | None, block: Any) -> frozenset[str] | None:
    """Return the keys of the entry of a field that thinking is written as; None if the field isn't a list."""
    shape = _ENTRY_SHAPES.get(place or "")
    return None if shape is None else shape.keys[shape.tag_of(block)]


def place_of(block: Any, default: str | None) -> str | None:
    """Return the field that a block stands in: the one that it was read from, else the default."""
    place = mark_of(block, FAMILY, "/place") if block.notes else None
    return place if isinstance(place, str) and place in REASONING_KEYS else default


def _read_field(key: str, value: Any) -> list[Any]:
    if key not in LISTS:
        if type(value) is not str:
            raise Unreadable
        return [marked(make_thinking(value), FAMILY, place=key)] if value else []
    if not is_list(value):
        raise Unreadable
    return [marked(read_as(_ENTRY_SHAPES[key], entry, FAMILY), FAMILY, place=key) for entry in value]


def read_reasoning(native: Native) -> tuple[list[Any], list[str]]:
    """Return the blocks of all fields, and which of the fields are only copies."""
    blocks: list[Any] = []
    copies: list[str] = []
    first = ""
    for key in REASONING_KEYS:
        value = native.get(key)
        if value is None:
            continue
        if key not in LISTS and value and value == first:
            copies.append(key)
        else:
            try:
                found = _read_field(key, value)
            except (Unreadable, AgentMsgError):
                continue  # it is kept as it is
            first = "".join(block.thinking for block in found) if not blocks else first
            blocks += found
    return blocks, copies


def write_reasoning(blocks: Sequence[Any], copies: Any, default: str | None, native: Native) -> None:
    """Put blocks into their fields, and the copies that are noted."""
    for block in blocks:
        place = place_of(block, default)
        assert place is not None  # noqa: S101 - the capability table lets no other through
        if place in LISTS:
            native.setdefault(place, []).append(write_as(_ENTRY_SHAPES[place], block, FAMILY))
        else:
            native[place] = block.thinking
    if not isinstance(copies, list):
        return
    for key in REASONING_KEYS[2:]:
        if key in copies and key not in native:
            first = min((_rank(block, default) for block in blocks), default=0)
            text = "".join(block.thinking for block in blocks if _rank(block, default) == first)
            if text and first < REASONING_KEYS.index(key):
                native[key] = text


def _rank(block: Any, default: str | None) -> int:
    return REASONING_KEYS.index(place_of(block, default) or REASONING_KEYS[0])
