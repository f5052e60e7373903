"""What messages of Pydantic AI hold, and its clients don't send (pydantic-ai 2.x)."""

from __future__ import annotations

import agentmsg as am
from agentmsg.formats import Unsent, is_mapping, mark_of

# Tools of OpenAI whose results are sent.
_MAKERS = frozenset({"code_interpreter", "image_generation"})
_UNFOUND = "the clients send searches, and calls of MCP servers, without what they found"


def _is_in_details(block: am.ThinkingBlock, _: am.Msg) -> bool:
    return bool(mark_of(block, "openai", "/place") == "reasoning_details")


def _is_anybodys(block: am.ThinkingBlock, message: am.Msg) -> bool:
    is_own = block.signature or block.redacted or block.item_id or mark_of(block, "openai", "/place")
    return message.provider is None and not is_own


def _is_found(block: am.ToolResultBlock, _: am.Msg) -> bool:
    if block.provider == "openai":
        return block.name not in _MAKERS
    return block.provider == "anthropic" and block.name == "tool_search"


def _cites_for_openai(block: am.TextBlock, _: am.Msg) -> bool:
    return any((each.kind or "") in ("url_citation", "file_citation") for each in block.citations)


def _lists_tools(block: am.NativeBlock, _: am.Msg) -> bool:
    return is_mapping(block.value) and block.value.get("type") == "mcp_list_tools"


def _is_compaction(_: am.CompactionBlock, __: am.Msg) -> bool:
    return True


UNSENT = (
    Unsent(am.ThinkingBlock, "only OpenRouterModel sends the details of reasoning", _is_in_details),
    Unsent(am.ThinkingBlock, "the clients send reasoning of nobody as text, in tags", _is_anybodys),
    Unsent(am.TextBlock, "OpenAIResponsesModel sends no citations with a text", _cites_for_openai, field="citations"),
    Unsent(am.ToolResultBlock, _UNFOUND, _is_found),
    Unsent(am.NativeBlock, "OpenAIResponsesModel lists no tools of MCP servers", _lists_tools),
    Unsent(am.CompactionBlock, "the clients send nothing of what stands before a compaction", _is_compaction),
)
