"""The variants of tool calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg_codecs.langchain.blocks.v1 as v1
import agentmsg_codecs.langchain.blocks.v1_calls as v1_calls
from agentmsg.formats import Native, text_at, word_at
from agentmsg_codecs.langchain.blocks.v1 import common_of
from agentmsg_codecs.langchain.blocks.variant import Variant, variant, with_common

if TYPE_CHECKING:
    from collections.abc import Mapping


def _read_function_call(part: Native) -> Any:
    return v1.make_call(
        id=word_at(part, "call_id"), name=text_at(part, "name"), raw_input=text_at(part, "arguments"), **common_of(part)
    )


def _write_function_call(block: Any) -> Native:
    part: Native = {"type": "function_call", "call_id": block.id, "name": block.name}
    return with_common({**part, "arguments": v1_calls.raw_text(block)}, block)


def _write_chunk(block: Any) -> Native:
    return {**v1_calls.write_call_text(block.evolve(kind="server")), "type": "tool_call_chunk"}


# By the tag in `type`.
CALL_VARIANTS: Mapping[str | None, tuple[Variant, ...]] = {
    "function_call": (variant("function_call", "call_id name arguments", _read_function_call, _write_function_call),),
    "invalid_tool_call": (
        variant("invalid_tool_call", "name args extras error", v1_calls.read_call_text, v1_calls.write_call_text),
    ),
    "tool_call_chunk": (variant("tool_call_chunk", "name args extras", v1_calls.read_call_text, _write_chunk),),
    "server_tool_call_chunk": (
        variant("server_tool_call_chunk", "name args extras", v1_calls.read_call_text, v1_calls.write_call_text),
    ),
}
