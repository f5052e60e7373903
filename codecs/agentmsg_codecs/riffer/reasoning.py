"""The parts of ``reasoning``.

``format`` says whose wire format a part has, which is more than who signed: it is kept as ``extras["riffer.part"]``
if it is not what is written for that provider anyway. What is encrypted without a signature is, but for Anthropic,
itself what the provider wants back: a signature without text.

Mark: ``/type`` (the type is not the one that is written by default).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import (
    KEEP,
    Drop,
    Native,
    Row,
    Shape,
    Swap,
    Unreadable,
    adopt,
    carried_extras,
    is_mapping,
    maker,
    mark_of,
    marked,
    read_as,
    text_at,
    word_at,
    write_as,
)
from agentmsg_codecs.riffer.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Mapping


_make_thinking = maker(am.ThinkingBlock)
_make_signature = maker(am.Signature)
_TYPES = frozenset({"text", "summary", "encrypted"})
_PART = "riffer.part"
_KEYS = frozenset({"type", "text", "data", "signature", "id", "format"})
# Who signs, and the word in `format` that is written for it.
_FORMATS: Mapping[str, str] = {
    "anthropic": "anthropic-messages-v1",
    "google": "google-gemini-v1",
    "openai": "openai-responses-v1",
    "xai": "xai-responses-v1",
}
_ANYBODY = "*"


def _provider_of(word: Any) -> str | None:
    head = word.partition("-")[0] if isinstance(word, str) else ""
    return head if head in _FORMATS else None


def _is_sealed(block: am.ThinkingBlock) -> bool:
    """Whether the signature is all there is, and not one of Anthropic, which signs readable text."""
    if block.thinking or block.redacted is not None or block.signature is None:
        return False
    return block.signature.provider != "anthropic"


def _type_of(block: am.ThinkingBlock, *, default: bool = False) -> str:
    noted = None if default or not block.notes else mark_of(block, FAMILY, "/type")
    if isinstance(noted, str) and noted in _TYPES:
        return noted
    return "encrypted" if _is_sealed(block) or (block.redacted is not None and not block.thinking) else "text"


def _owner_of(block: am.ThinkingBlock) -> str | None:
    """Return the provider that ``format`` must tell; an opaque payload that is not signed is one of Anthropic."""
    if block.signature is not None:
        return block.signature.provider
    is_opaque = block.redacted is not None and not block.thinking and _type_of(block) == "encrypted"
    return "anthropic" if is_opaque else _ANYBODY


def _word_of(block: am.ThinkingBlock) -> str | None:
    """Return the format that is written where nothing else is told."""
    return _FORMATS.get(_owner_of(block) or "")


def _told(block: am.ThinkingBlock) -> Any:
    own: Any = block.extras.get(_PART) if block.extras else None
    return own.get("format") if is_mapping(own) else None


def _read(native: Native, _: Any) -> am.ThinkingBlock:
    kind = text_at(native, "type")
    if kind not in _TYPES:
        raise Unreadable
    told = native.get("format")
    provider = _provider_of(told)
    text, data, proof = (word_at(native, key) for key in ("text", "data", "signature"))
    if kind == "encrypted" and not text and data is not None and proof is None and provider != "anthropic":
        data, proof = None, data
    block = _make_thinking(
        text or "",
        redacted=data,
        signature=None if proof is None else _make_signature(provider, proof),
        item_id=word_at(native, "id"),
    )
    if kind != _type_of(block, default=True):
        block = marked(block, FAMILY, type=kind)
    is_usual = told is None or told == _word_of(block)
    return block if is_usual else block.evolve(extras=adopt({_PART: {"format": told}}))


def _write(block: am.ThinkingBlock) -> Native:
    kind = _type_of(block)
    native: Native = {"type": kind}
    if kind == "encrypted" and _is_sealed(block):
        native["data"] = block.signature.value if block.signature is not None else ""
    else:
        if block.thinking or kind != "encrypted":
            native["text"] = block.thinking
        if block.redacted is not None:
            native["data"] = block.redacted
        if block.signature is not None:
            native["signature"] = block.signature.value
    if block.item_id is not None:
        native["id"] = block.item_id
    told = _told(block)
    word = _word_of(block) if told is None else thaw(told)
    return native if word is None else {**native, "format": word}


_SHAPE = Shape(cls=am.ThinkingBlock, keys={None: _KEYS}, read=_read, write=_write)


def read_part(part: Any) -> am.ThinkingBlock:
    """Return the block of a part of reasoning.

    Raises:
        Unreadable: if it is none.
    """
    block: am.ThinkingBlock = read_as(_SHAPE, part, FAMILY)
    return block


def write_part(block: am.ThinkingBlock) -> Native:
    """Return the part of a block of thinking."""
    return write_as(_SHAPE, block, FAMILY)


# -- what is supported -------------------------------------------------------------------------------------------------


def _is_foreign(signature: am.Signature) -> bool:
    return signature.provider is not None and signature.provider not in _FORMATS


def _rule(block: am.ThinkingBlock) -> Any:
    """Keep thinking; what only a provider can read that the library does not know is dropped."""
    if block.signature is None or not _is_foreign(block.signature):
        return block
    why = f"only {block.signature.provider} can read this"
    if not block.thinking:
        return Drop(why)
    return block if block.redacted is None else Swap(block.evolve(redacted=None), why)


def _signature(signature: am.Signature, _: Any) -> am.Signature | None:
    if _is_foreign(signature):
        return None
    return signature.evolve(extras={}) if signature.extras else signature


def _taken(block: am.ThinkingBlock) -> frozenset[str]:
    """Return all but a format that agrees with the signature, and is not written anyway."""
    own: Any = block.extras[_PART]
    owner, told = _owner_of(block), own.get("format")
    agrees = owner == _ANYBODY or _provider_of(told) == owner
    is_told = told is not None and agrees and told != _word_of(block)
    return frozenset(own) - {"format"} if is_told else frozenset(own)


def thinking_row() -> Row:
    """Return the row of an assistant's thinking."""
    cells = {"thinking": KEEP, "redacted": KEEP, "item_id": KEEP}
    return Row(
        {**cells, "signature": _signature, "extras": carried_extras((_PART, _taken), (FAMILY, lambda _: _KEYS))}, _rule
    )
