"""What Arcaelas holds, and what becomes of the rest: one thought, one text, the calls; lists for users and tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import agentmsg as am
from agentmsg.formats import ANY_ROLE, KEEP, MessageRow, Row, carried_extras, cells, media, rules
from agentmsg.formats.forms import Rows
from agentmsg.formats.nearest import Nearest, Orders, told
from agentmsg_codecs.arcaelas.format import SOURCE_KEYS, SOURCES
from agentmsg_codecs.arcaelas.names import FAMILY, NO_ROLES, SIGNER, is_odd

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentmsg.formats import Parts

Blocks: TypeAlias = "dict[type[am.BaseBlock], Row]"
_SOURCE_EXTRAS = carried_extras((FAMILY, lambda source: SOURCE_KEYS[type(source)]))


def _nearest_source(block: Any) -> Any:
    """Return the nearest source that a block may have; None if there is none. Only data has a media type."""
    source = block.source
    if isinstance(block, am.AudioBlock):
        data = media.unwrapped(source)
        source = data if getattr(data, "media_type", None) is not None else source
    if type(source) not in SOURCES[type(block)]:
        return None
    changes: dict[str, Any] = {}
    if not isinstance(source, am.Base64Source):
        # The library passes the id of a file to the provider that it is configured for.
        words = ("media_type", "provider") if isinstance(source, am.FileSource) else ("media_type",)
        changes |= {name: None for name in words if getattr(source, name) is not None}
    elif source.media_type is None and not is_odd(source):
        changes["media_type"] = media.guess_media_type(source.data)
        if changes["media_type"] is None:
            return None
    extras = _SOURCE_EXTRAS(source.extras, source) if source.extras else source.extras
    changes |= {} if extras is source.extras else {"extras": extras}
    return source.evolve(**changes) if changes else source


def _media(block: Any) -> Any:
    """Return media with the nearest source, or what they say in words; None if they say nothing."""
    document = told(rules.document_as_text(block)) if isinstance(block, am.FileBlock) else block
    if document is not block:
        return document
    source = _nearest_source(block)
    if source is None:
        return rules.as_text(block) if isinstance(block, am.AudioBlock) else None
    return block if source is block.source else block.evolve(source=source)


def _text_row(parts: Parts) -> Blocks:
    """Return the rows of one text, or of a list of texts that was read."""

    def keys(block: Any) -> frozenset[str] | None:
        return parts.keys_of(block) if is_odd(block) else None

    text = Row({"text": KEEP, "extras": carried_extras((FAMILY, keys))}, _with_words)
    return {am.TextBlock: text, am.NativeBlock: rules.native_block_row(FAMILY, parts.comes_back)}


def _with_words(block: am.TextBlock) -> am.TextBlock | None:
    return block if block.text or is_odd(block) else None


def _thinking(block: am.ThinkingBlock) -> am.ThinkingBlock | None:
    """Leave out what only its provider can read, unless it is the one that signs here."""
    signature = block.signature
    is_own = signature is not None and signature.provider == SIGNER and bool(signature.value)
    return block if block.thinking or is_own else None


class ArcaelasNearest(Nearest):
    """Finds the nearest history that Arcaelas holds."""

    derives_names = True
    orders: ClassVar[Orders] = {"assistant": ((am.ThinkingBlock,), (am.TextBlock, am.NativeBlock), (am.ToolUseBlock,))}

    def rows(self) -> Mapping[str, MessageRow]:
        """Return what messages hold."""
        forms, parts = Rows(self.described), self.described.parts
        words, others = _text_row(parts["words"]), _text_row(parts["everything"])
        listed = forms.place("everything", dict.fromkeys(SOURCES, _media), others)
        thinking = Row({"thinking": KEEP, "signature": cells.signed_by(SIGNER)}, _thinking)
        call = forms.row("call", rules={am.ToolUseBlock: rules.call_as_function})
        result: Blocks = {am.ToolResultBlock: Row({"tool_call_id": KEEP}, rules.structured_as_text)}
        results = forms.message("both_2", "other_2", "tool_2")
        answer: Blocks = {**words, am.ThinkingBlock: thinking, am.ToolUseBlock: call}
        return {
            "system": MessageRow(fields=forms.message("system"), blocks=words),
            "user": MessageRow(fields=forms.message("user"), blocks=listed),
            "assistant": MessageRow(fields=forms.message("assistant"), blocks=answer),
            "tool": MessageRow(fields=results, blocks=result, results=listed),
            ANY_ROLE: MessageRow(fields=forms.message("other"), blocks=words),
        }

    def role_of(self, message: am.Msg) -> str | None:
        """Return the role; any that was read stays, for the library checks none at run time."""
        is_kept = is_odd(message) and message.role not in NO_ROLES
        return message.role if is_kept else super().role_of(message)

    def are_one(self, left: Any, right: Any, role: str) -> bool:
        """Whether two blocks are thoughts, or texts outside of lists."""
        is_text = type(left) is am.TextBlock and role != "user" and not is_odd(left) and not is_odd(right)
        return type(left) is type(right) and (is_text or type(left) is am.ThinkingBlock)

    def as_one(self, blocks: Sequence[Any]) -> Any:
        """Join blocks; of thoughts as many as come before a signature, which is for one block only."""
        signed = (index for index, block in enumerate(blocks) if block.signature is not None)
        return super().as_one(blocks[: max(next(signed, len(blocks)), 1)])
