"""What messages of Pydantic AI hold, and its clients don't send (pydantic-ai 2.x)."""

from __future__ import annotations

import re

import agentmsg as am
from agentmsg.formats import Unsent, is_mapping, mark_of

# Of the Responses API, and of Anthropic but for its web searches.
_CITED = re.compile(r".*_citation|file_path|(?!web_search_result_).*_location")
_UNFOUND = "the clients send searches, code and calls of MCP servers without what they found"


def _is_in_details(block: am.ThinkingBlock, _: am.Msg) -> bool:
    return bool(mark_of(block, "openai", "/place") == "reasoning_details")


def _is_anybodys(block: am.ThinkingBlock, message: am.Msg) -> bool:
    is_own = block.signature or block.redacted or block.item_id or mark_of(block, "openai", "/place")
    return message.provider is None and not is_own


def _is_found(block: am.ToolResultBlock, _: am.Msg) -> bool:
    if block.provider == "openai":
        return block.name != "image_generation"
    return block.provider == "anthropic" and block.name == "tool_search"


def _cites(block: am.TextBlock, _: am.Msg) -> bool:
    return any(_CITED.fullmatch(each.kind or "") or "bedrock" in each.extras for each in block.citations)


def _is_made(block: am.ImageBlock, _: am.Msg) -> bool:
    return block.item_id is not None


def _is_broken(block: am.ToolUseBlock, _: am.Msg) -> bool:
    return block.kind == "function" and not block.is_valid


def _is_paused(block: am.ToolUseBlock, message: am.Msg) -> bool:
    results = (each.tool_call_id for each in message.content if type(each) is am.ToolResultBlock)
    return block.kind == "server" and block.provider == "anthropic" and block.id not in results


def _lists_tools(block: am.NativeBlock, _: am.Msg) -> bool:
    return is_mapping(block.value) and block.value.get("type") == "mcp_list_tools"


def _is_compaction(_: am.CompactionBlock, __: am.Msg) -> bool:
    return True


UNSENT = (
    Unsent(am.ThinkingBlock, "only OpenRouterModel sends the details of reasoning", _is_in_details),
    Unsent(am.ThinkingBlock, "the clients send reasoning of nobody as text, in tags", _is_anybodys),
    Unsent(am.TextBlock, "the clients send no citations but of Anthropic's web searches", _cites, field="citations"),
    Unsent(am.ImageBlock, "OpenAIResponsesModel sends an image that OpenAI made only beside its call", _is_made),
    Unsent(am.ToolUseBlock, "the clients send arguments that aren't JSON inside an object", _is_broken),
    Unsent(am.ToolUseBlock, "AnthropicModel sends no calls of servers without their results", _is_paused),
    Unsent(am.ToolResultBlock, _UNFOUND, _is_found),
    Unsent(am.NativeBlock, "OpenAIResponsesModel lists no tools of MCP servers", _lists_tools),
    Unsent(am.CompactionBlock, "the clients send nothing of what stands before a compaction", _is_compaction),
)
