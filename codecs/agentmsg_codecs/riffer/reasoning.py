"""The parts of ``reasoning``: their keys beside the text, and what becomes of any thinking.

``format`` names the wire format of a part, which is more than its provider: it is kept as ``extras["riffer.part"]`` if
it isn't the default for that provider. Encrypted reasoning without a signature is itself a signature without text,
which the provider wants back; Anthropic's isn't.

Mark: ``/type`` (the type isn't the default one).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import KEEP, Native, cells, is_mapping, maker, mark_of, speed, word_at
from agentmsg.formats.forms import Hatch
from agentmsg_codecs.riffer.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Mapping

_make_signature = maker(am.Signature)
PART = "riffer.part"
TYPES = ("text", "summary", "encrypted")
_KEYS = ("data", "signature", "id", "format")
# The default `format` of each provider.
_FORMATS: Mapping[str | None, str] = {
    "anthropic": "anthropic-messages-v1",
    "google": "google-gemini-v1",
    "openai": "openai-responses-v1",
    "xai": "xai-responses-v1",
}
_ANY = "*"


def _provider_of(word: Any) -> str | None:
    head = word.partition("-")[0] if isinstance(word, str) else ""
    return head if head in _FORMATS else None


def _is_sealed(text: str | None, data: str | None, signature: am.Signature | None) -> bool:
    """Whether there is only a signature, and not one of Anthropic, which signs readable text."""
    return not text and data is None and signature is not None and signature.provider != "anthropic"


def _usual_type(text: str | None, data: str | None, signature: am.Signature | None) -> str:
    return "encrypted" if _is_sealed(text, data, signature) or (data is not None and not text) else "text"


def _payload(block: am.ThinkingBlock) -> tuple[str, str | None, am.Signature | None]:
    return block.thinking, block.redacted, block.signature


def type_of(block: am.ThinkingBlock) -> str:
    """Return the type of part that a block of thinking becomes."""
    noted = mark_of(block, FAMILY, "/type") if block.notes else None
    return noted if isinstance(noted, str) and noted in TYPES else _usual_type(*_payload(block))


def _owner(kind: str, text: str | None, data: str | None, signature: am.Signature | None) -> str | None:
    """Return the provider that ``format`` must name; an unsigned opaque payload is Anthropic's."""
    if signature is not None:
        return signature.provider
    return "anthropic" if data is not None and not text and kind == "encrypted" else _ANY


def sealed(kind: str) -> Hatch:
    """Return the hatch for the keys beside the text, in parts of a type."""

    def read(native: Native) -> dict[str, Any]:
        text, data, proof = (word_at(native, key) for key in ("text", "data", "signature"))
        told = native.get("format")
        provider = _provider_of(told)
        notes: dict[str, Any] = {key: "null" for key in _KEYS if key in native and native[key] is None}
        if kind == "encrypted" and not text and provider != "anthropic" and (data is None or proof is None):
            # The only one of them is the signature, which is written as data.
            if proof is not None:
                notes |= {"data": "null" if "data" in native else "absent", "signature": ["=", proof]}
            data, proof = None, data if proof is None else proof
        signature = None if proof is None else _make_signature(provider, proof)
        if kind != _usual_type(text, data, signature):
            notes["/type"] = kind
        found = {"redacted": data, "signature": signature, "item_id": word_at(native, "id"), "notes": notes}
        if told is not None and told != _FORMATS.get(_owner(kind, text, data, signature)):
            found["extras"] = {PART: {"format": told}}
        return found

    def write(block: am.ThinkingBlock) -> Native:
        said = _payload(block)
        _, data, signature = said
        native: Native = {} if data is None else {"data": data}
        if signature is not None:
            native["data" if kind == "encrypted" and _is_sealed(*said) else "signature"] = signature.value
        if block.item_id is not None:
            native["id"] = block.item_id
        own: Any = speed.peek(block.extras, PART) if block.extras else None
        told = speed.peek(own, "format") if is_mapping(own) else None
        word = _FORMATS.get(_owner(kind, *said)) if told is None else thaw(told)
        return native if word is None else {**native, "format": word}

    return Hatch(
        keys=_KEYS,
        cells={"redacted": cells.sealed_by("anthropic"), "signature": KEEP, "item_id": KEEP},
        get=read,
        put=write,
        spaces=(PART,),
        about='redacted; signature; item_id; extras["riffer.part"], unless the signature implies it',
    )


# -- any thinking ------------------------------------------------------------------------------------------------------


def _is_foreign(signature: am.Signature) -> bool:
    return signature.provider is not None and signature.provider not in _FORMATS


def near_thinking(block: am.ThinkingBlock) -> am.ThinkingBlock | None:
    """Leave out payloads of providers that the library doesn't know."""
    if block.signature is None or not _is_foreign(block.signature):
        return block
    return block.evolve(redacted=None) if block.thinking else None


def near_signature(signature: am.Signature, _: Any) -> am.Signature | None:
    """Keep the signatures of providers that the library knows."""
    return None if _is_foreign(signature) else cells.bare(signature)


def taken_in_part(block: am.ThinkingBlock) -> frozenset[str]:
    """Return all keys but a format that agrees with the signature and isn't the default."""
    own: Any = block.extras[PART]
    owner, told = _owner(type_of(block), *_payload(block)), own.get("format")
    agrees = owner in (_ANY, _provider_of(told))
    is_told = told is not None and agrees and told != _FORMATS.get(owner)
    return frozenset(own) - {"format"} if is_told else frozenset(own)
