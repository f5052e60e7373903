"""All variants of content parts, by their tags and by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Native, Unreadable
from agentmsg_codecs.langchain.blocks.anthropic import ANTHROPIC_VARIANTS, RESULT
from agentmsg_codecs.langchain.blocks.anthropic_v1 import V1_VARIANTS
from agentmsg_codecs.langchain.blocks.older_calls import CALL_VARIANTS
from agentmsg_codecs.langchain.blocks.older_media import MEDIA_VARIANTS
from agentmsg_codecs.langchain.blocks.older_text import TEXT_VARIANTS
from agentmsg_codecs.langchain.blocks.variant import Variant

if TYPE_CHECKING:
    from collections.abc import Mapping

BY_TAG: Mapping[str | None, tuple[Variant, ...]] = {
    **TEXT_VARIANTS,
    **MEDIA_VARIANTS,
    **CALL_VARIANTS,
    **ANTHROPIC_VARIANTS,
}
BY_NAME: Mapping[str, Variant] = {
    variant.name: variant for variants in (*BY_TAG.values(), (RESULT, *V1_VARIANTS.values())) for variant in variants
}


def variants_of(part: Native) -> tuple[Variant, ...]:
    """Return the variants that may read a part, those of v1 aside."""
    tag = part.get("type")
    if tag is not None and type(tag) is not str:
        return ()
    variants = BY_TAG.get(tag, ())
    if not variants and tag is not None and tag.endswith("_tool_result"):
        return (RESULT,)
    return variants


def wrapped(variant: Variant) -> Variant:
    """Return the variant of parts that LangChain has wrapped, since v1 has none like them."""

    def read(part: Native) -> Any:
        block = variant.read(part["value"])
        if type(block) is am.ToolUseBlock and block.kind == "function":
            raise Unreadable
        return block

    def write(block: Any) -> Native:
        return {"type": "non_standard", "value": variant.write(block)}

    return Variant(f"non_standard {variant.name}", frozenset({"type", "value"}), read, write)
