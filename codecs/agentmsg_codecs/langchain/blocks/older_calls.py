"""The variants of tool calls and of results of server tools; and all variants, by tag and by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
import agentmsg_codecs.langchain.blocks.v1 as v1
import agentmsg_codecs.langchain.blocks.v1_calls as v1_calls
from agentmsg.formats import Native, Unreadable, text_at, word_at
from agentmsg_codecs.langchain.blocks.anthropic import ANTHROPIC_VARIANTS, RESULT
from agentmsg_codecs.langchain.blocks.anthropic_v1 import V1_VARIANTS
from agentmsg_codecs.langchain.blocks.older import TEXT_VARIANTS, Variant, with_common
from agentmsg_codecs.langchain.blocks.older_media import MEDIA_VARIANTS
from agentmsg_codecs.langchain.blocks.v1 import common_of

if TYPE_CHECKING:
    from collections.abc import Mapping


def _read_function_call(part: Native) -> Any:
    return v1.make_call(
        id=word_at(part, "call_id"),
        name=text_at(part, "name"),
        raw_input=text_at(part, "arguments"),
        **common_of(part),
    )


def _write_function_call(block: Any) -> Native:
    part: Native = {
        "type": "function_call",
        "call_id": block.id,
        "name": block.name,
        "arguments": v1_calls.raw_text(block),
    }
    return with_common(part, block)


def _write_chunk(block: Any) -> Native:
    return {**v1_calls.write_call_text(block.evolve(kind="server")), "type": "tool_call_chunk"}


def _write_invalid(block: Any) -> Native:
    return v1_calls.write_call_text(block)


_CALL_KEYS = frozenset({"type", "id", "name", "args", "extras", "cache_control"})

_CALL_VARIANTS: Mapping[str | None, tuple[Variant, ...]] = {
    "function_call": (
        Variant(
            "function_call",
            frozenset({"type", "id", "call_id", "name", "arguments", "cache_control"}),
            _read_function_call,
            _write_function_call,
        ),
    ),
    "invalid_tool_call": (
        Variant("invalid_tool_call", _CALL_KEYS | {"error"}, v1_calls.read_call_text, _write_invalid),
    ),
    "tool_call_chunk": (Variant("tool_call_chunk", _CALL_KEYS, v1_calls.read_call_text, _write_chunk),),
    "server_tool_call_chunk": (
        Variant("server_tool_call_chunk", _CALL_KEYS, v1_calls.read_call_text, v1_calls.write_call_text),
    ),
}

BY_TAG: Mapping[str | None, tuple[Variant, ...]] = {
    **TEXT_VARIANTS,
    **MEDIA_VARIANTS,
    **_CALL_VARIANTS,
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


def in_non_standard(variant: Variant) -> Variant:
    """Return the variant of parts that LangChain has wrapped, since v1 has none like them."""

    def read(part: Native) -> Any:
        block = variant.read(part["value"])
        if type(block) is am.ToolUseBlock and block.kind == "function":
            raise Unreadable
        return block

    def write(block: Any) -> Native:
        return {"type": "non_standard", "value": variant.write(block)}

    return Variant(f"non_standard {variant.name}", frozenset({"type", "value"}), read, write)
