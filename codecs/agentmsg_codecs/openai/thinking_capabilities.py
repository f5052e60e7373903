"""Which thinking OpenAI's messages support: thinking with a field of compatible servers, or as a part."""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg.formats import KEEP, Drop, Row, Swap, carried_extras, cells, natives
from agentmsg_codecs.openai.names import FAMILY
from agentmsg_codecs.openai.places import place_of
from agentmsg_codecs.openai.reasoning import FORMATS, LISTS, entry_keys, provider_of

# The signers by field; those of reasoning_details may be unknown.
_SIGNERS: dict[str | None, frozenset[str | None]] = {
    "reasoning_details": frozenset({*FORMATS, None}),
    "thinking_blocks": frozenset({"anthropic"}),
}
_SEALED = cells.sealed_by("anthropic", family=FAMILY)


def part(block: Any) -> Any:
    """Keep thinking that is a part; an empty unsigned one is what was read."""
    unreadable = block.redacted is not None and not block.thinking and block.signature is None
    return Drop("what only its provider can read has no place") if unreadable else block


def field_row(default: str | None, *, as_text: bool) -> Row:
    """Return the row of thinking that isn't a part.

    Args:
        default: the field for thinking that wasn't read from one; None if there is none.
        as_text: whether thinking without a field becomes text, in tags.
    """

    def rule(block: Any) -> Any:
        place = place_of(block, default)
        if place is None:
            if as_text and block.thinking:
                return Swap(am.TextBlock(f"<thinking>{block.thinking}</thinking>"), "thinking is text here")
            return Drop("no place for thinking")
        if place not in LISTS:
            return block if block.thinking else Drop("what only its provider can read has no place")
        if block.redacted is None or not (block.thinking or block.signature is not None):
            return block
        # An entry holds one of the two.
        changes: dict[str, Any] = {"redacted": None} if block.thinking else {"signature": None}
        return Swap(block.evolve(**changes), "an entry is readable or opaque")

    def signature(value: am.Signature, block: Any) -> am.Signature | None:
        signers = _SIGNERS.get(place_of(block, default), ())
        kept: am.Signature | None = cells.bare(value) if value.provider in signers else None
        return kept

    def taken(block: Any) -> frozenset[str] | None:
        place = place_of(block, default)
        keys = entry_keys(place, block)
        if keys is None or place != "reasoning_details":
            return keys
        signed = block.signature is not None or block.redacted is not None
        return keys | {"format"} if signed and not _may_say_format(block) else keys

    return Row(
        {
            "thinking": KEEP,
            "redacted": lambda value, block: _SEALED(value, block) if place_of(block, default) in LISTS else None,
            "signature": signature,
            "item_id": lambda value, block: value if place_of(block, default) == "reasoning_details" else None,
            "extras": carried_extras((FAMILY, taken)),
        },
        rule,
    )


def _may_say_format(block: Any) -> bool:
    """Whether the extra ``format`` stays: it names the same signer in a word that isn't written by default."""
    provider = block.signature.provider if block.signature is not None else None
    provider = "anthropic" if block.redacted is not None else provider
    word = natives.extras_of(block, FAMILY).get("format")
    return provider_of(word) == provider and (provider is None or word != FORMATS.get(provider))
