"""Which thinking OpenAI's messages support: thinking with a field of compatible servers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import KEEP, Drop, Row, Swap, carried_extras, is_mapping
from agentmsg_codecs.openai.names import FAMILY, MAKER_OF_PARTS
from agentmsg_codecs.openai.reasoning import LISTS, entry_keys, format_of, place_of, provider_of, providers_at
from agentmsg_codecs.openai.thinking_parts import THOUGHT, is_thinking_part

if TYPE_CHECKING:
    from agentmsg.formats import Cell


class Thinking:
    """The row of thinking.

    Args:
        place: the field for thinking that was not read from one; None: there is none.
        as_text: whether thinking without a field is text, in tags.
    """

    def __init__(self, place: str | None, *, as_text: bool) -> None:
        self._place = place
        self._as_text = as_text

    def rule(self, block: Any) -> Any:
        """Keep thinking that has a field, or was read from a part, and says what that can hold."""
        if is_thinking_part(block):
            # Nothing thought and nothing signed is what was read there, too.
            unreadable = block.redacted is not None and not block.thinking and block.signature is None
            return Drop("what only its provider can read has no place") if unreadable else block
        place = place_of(block, self._place)
        if place is None:
            if self._as_text and block.thinking:
                return Swap(am.TextBlock(f"<thinking>{block.thinking}</thinking>"), "thinking is text here")
            return Drop("no place for thinking")
        if place not in LISTS:
            return block if block.thinking else Drop("what only its provider can read has no place")
        if block.redacted is not None and (block.thinking or block.signature is not None):
            # One entry says one of the two.
            return Swap(
                block.evolve(redacted=None) if block.thinking else block.evolve(signature=None), "one or the other"
            )
        return block

    def _signature(self, signature: am.Signature, block: Any) -> Any:
        if is_thinking_part(block):
            known = signature.provider == MAKER_OF_PARTS
            return (signature.evolve(extras={}) if signature.extras else signature) if known else None
        place = place_of(block, self._place) or ""
        known = signature.provider in providers_at(place) or (
            place == "reasoning_details" and signature.provider is None
        )
        if not known:
            return None
        return signature.evolve(extras={}) if signature.extras else signature

    def _in_list(self, block: Any) -> bool:
        return not is_thinking_part(block) and place_of(block, self._place) in LISTS

    def _taken(self, block: Any) -> frozenset[str] | None:
        if is_thinking_part(block):
            return THOUGHT.keys
        place = place_of(block, self._place)
        keys = entry_keys(place, block)
        if keys is None or place != "reasoning_details":
            return keys
        own: Any = block.extras.get(FAMILY)
        provider = block.signature.provider if block.signature is not None else None
        provider = "anthropic" if block.redacted is not None else provider
        word = own.get("format") if is_mapping(own) else None
        # The word for who signed is written again, and no extra; another one that tells the same is.
        is_same = provider_of(word) == provider and (provider is None or word != format_of(provider))
        signed = block.signature is not None or block.redacted is not None
        return keys | {"format"} if signed and not is_same else keys

    def row(self) -> Row:
        """Return the row of assistant messages."""

        def in_list(value: Any, block: Any) -> Any:
            return value if self._in_list(block) else None

        def item_id(value: Any, block: Any) -> Any:
            return value if self._in_list(block) and place_of(block, self._place) == "reasoning_details" else None

        cells: dict[str, Cell] = {
            "thinking": KEEP,
            "redacted": in_list,
            "signature": self._signature,
            "item_id": item_id,
            "extras": carried_extras((FAMILY, self._taken)),
        }
        return Row(cells, self.rule)
