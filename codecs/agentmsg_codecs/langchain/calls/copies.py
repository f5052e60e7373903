"""The copies of a tool call in their default spelling; see joining.py."""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg.formats import Native, is_mapping, is_marked, mark_of, natives
from agentmsg_codecs.langchain.blocks.v1_calls import call_args, raw_text
from agentmsg_codecs.langchain.names import FAMILY


def is_function_call(block: Any) -> bool:
    """Whether a block is a call that `tool_calls` may list."""
    return type(block) is am.ToolUseBlock and block.kind == "function"


def _valid_entry(block: am.ToolUseBlock) -> Native:
    bare = not is_mapping(block.input) and is_marked(block, FAMILY, "/bare")
    return {"name": block.name, "args": block.input if bare else call_args(block), "id": block.id, "type": "tool_call"}


def _invalid_entry(block: am.ToolUseBlock) -> Native:
    bare = block.is_valid and type(block.input) is not str and is_marked(block, FAMILY, "/bare")
    return {
        "type": "invalid_tool_call",
        "id": block.id,
        "name": block.name,
        "args": block.input if bare else raw_text(block),
        "error": natives.extras_of(block, FAMILY).get("error"),
    }


def openai_entry(block: am.ToolUseBlock) -> Native:
    """Return the entry of ``additional_kwargs.tool_calls``."""
    return {"id": block.id, "type": "function", "function": function_of(block)}


def function_of(block: am.ToolUseBlock) -> Native:
    """Return ``additional_kwargs.function_call``."""
    return {"name": block.name, "arguments": raw_text(block)}


def chunk_of(block: am.ToolUseBlock) -> Native:
    """Return the one piece that a whole call is in a chunk, as LangChain makes it."""
    import json  # noqa: PLC0415 - its spelling of arguments is the one that LangChain writes

    args = raw_text(block) if listed_invalid(block) else json.dumps(am.thaw(_valid_entry(block)["args"]))
    return {"name": block.name, "args": args, "id": block.id, "index": None, "type": "tool_call_chunk"}


WRITERS = {"a": openai_entry, "f": function_of, "k": chunk_of}


def listed_invalid(block: am.ToolUseBlock) -> bool:
    """Whether a call stands in invalid_tool_calls."""
    return not block.is_valid or mark_of(block, FAMILY, "/list") == "invalid"


def entry_of(block: am.ToolUseBlock) -> Native:
    """Return the entry of ``tool_calls`` or ``invalid_tool_calls``."""
    return _invalid_entry(block) if listed_invalid(block) else _valid_entry(block)
