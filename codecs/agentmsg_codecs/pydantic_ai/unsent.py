"""What messages of Pydantic AI hold, and its clients don't send (pydantic-ai 2.x)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Unsent, is_mapping, mark_of, media

if TYPE_CHECKING:
    from collections.abc import Mapping

# Of the Responses API, and of Anthropic but for its web searches.
_CITED = re.compile(r".*_citation|file_path|(?!web_search_result_).*_location")
# The names that the clients give.
_THEIRS = re.compile(r"filename\.\w+|Document \d+")
_UNFOUND = "the clients send searches, code and calls of MCP servers without what they found"
_CODE_OF_NOVA = "nova_code_interpreter"
# What the clients send of what a search is to find; more of it is left out.
_SOUGHT: Mapping[str, frozenset[str]] = {
    "tool_search": frozenset({"queries"}),
    "tool_search_tool_regex": frozenset({"pattern"}),
    "tool_search_tool_bm25": frozenset({"query"}),
}


def _is_in_details(block: am.ThinkingBlock, _: am.Msg) -> bool:
    return bool(mark_of(block, "openai", "/place") == "reasoning_details")


def _is_anybodys(block: am.ThinkingBlock, message: am.Msg) -> bool:
    is_own = block.signature or block.redacted or block.item_id or mark_of(block, "openai", "/place")
    return message.provider is None and not is_own and mark_of(block, "gemini", "/unsigned") is None


def _is_bare(block: am.ThinkingBlock, _: am.Msg) -> bool:
    return block.item_id is not None and not block.thinking and block.signature is None and block.redacted is None


def _is_found(block: am.ToolResultBlock, _: am.Msg) -> bool:
    if block.provider == "openai":
        return block.name != "image_generation"
    return block.provider == "anthropic" and block.name == "tool_search" and block.ok


def _cites(block: am.TextBlock, _: am.Msg) -> bool:
    return any(_is_left_out(each, block) for each in block.citations)


def _is_left_out(each: am.Citation, block: am.TextBlock) -> bool:
    """Whether a citation isn't sent: of those of Responses, the links in a text are, and files."""
    if block.item_id is not None and each.kind == "file_citation":
        return False
    if block.item_id is not None and each.kind == "url_citation" and each.url:
        return each.url not in block.text[each.start : each.end]
    return bool(_CITED.fullmatch(each.kind or "")) or "bedrock" in each.extras


def _is_made(block: am.ImageBlock, _: am.Msg) -> bool:
    return block.item_id is not None


def _is_broken(block: am.ToolUseBlock, _: am.Msg) -> bool:
    return block.kind == "function" and not (block.is_valid and is_mapping(block.input))


def _is_paused(block: am.ToolUseBlock, message: am.Msg) -> bool:
    results = (each.tool_call_id for each in message.content if type(each) is am.ToolResultBlock)
    return block.kind == "server" and block.provider == "anthropic" and block.id not in results


def _is_called(block: am.ToolUseBlock, _: am.Msg) -> bool:
    caller: Any = block.extras.get("anthropic", {}).get("caller")
    return block.kind == "function" and is_mapping(caller) and caller.get("type") != "direct"


def _seeks_more(block: am.ToolUseBlock, _: am.Msg) -> bool:
    if not is_mapping(block.input) or block.kind != "server":
        return False
    if block.name == "web_search":
        return block.provider == "openai" and bool(block.input.get("sources"))
    return not block.input.keys() <= _SOUGHT.get(block.name, block.input.keys())


def _is_of_bedrock(block: am.ToolUseBlock | am.ToolResultBlock, message: am.Msg) -> bool:
    calls = {each.id: each.name for each in message.content if type(each) is am.ToolUseBlock}
    name = block.name if isinstance(block, am.ToolUseBlock) else calls.get(block.tool_call_id)
    return block.kind == "server" and block.provider == "bedrock" and name != _CODE_OF_NOVA


def _lists_tools(block: am.NativeBlock, _: am.Msg) -> bool:
    held = block.value
    return is_mapping(held) and held.get("type") == "mcp_list_tools" and bool(held.get("tools"))


def _always(_: am.BaseBlock, __: am.Msg) -> bool:
    return True


def _is_thought(block: Any, _: am.Msg) -> bool:
    return block.extras.get("gemini", {}).get("thought") is True


def _is_named(block: am.FileBlock, _: am.Msg) -> bool:
    return block.name is not None and not _THEIRS.fullmatch(block.name)


def _is_in_store(block: Any, message: am.Msg) -> bool:
    source = block.source
    return message.role == "tool" and isinstance(source, am.URLSource) and source.url.startswith("s3:")


_MEDIA = tuple(media.KINDS)
UNSENT = (
    Unsent(am.ThinkingBlock, "only OpenRouterModel sends the details of reasoning", _is_in_details),
    Unsent(am.ThinkingBlock, "all clients but Google's send reasoning of nobody as text, in tags", _is_anybodys),
    Unsent(am.ThinkingBlock, "OpenAIResponsesModel sends no reasoning that is empty", _is_bare),
    Unsent(am.TextBlock, "the clients send no citations but of web searches of Anthropic, links and files of OpenAI",
           _cites, field="citations"),
    Unsent(am.ImageBlock, "OpenAIResponsesModel sends an image that OpenAI made only beside its call", _is_made),
    Unsent(_MEDIA, "GoogleModel sends media of thoughts as those of an answer", _is_thought, field="extras"),
    Unsent(am.ToolUseBlock, "the clients send arguments that are no JSON object inside one", _is_broken),
    Unsent(am.ToolUseBlock, "AnthropicModel sends no calls of servers without their results", _is_paused),
    Unsent(am.ToolUseBlock, "AnthropicModel doesn't say that code called a tool", _is_called, field="extras"),
    Unsent(am.ToolUseBlock, "the clients send of searches only what they look for", _seeks_more, field="input"),
    Unsent((am.ToolUseBlock, am.ToolResultBlock), "BedrockConverseModel sends nothing that Bedrock ran but code",
           _is_of_bedrock),
    Unsent(am.ToolResultBlock, _UNFOUND, _is_found),
    Unsent(am.NativeBlock, "OpenAIResponsesModel lists no tools of MCP servers", _lists_tools),
    Unsent(am.CompactionBlock, "the clients send nothing of what stands before a compaction", _always, is_later=True),
    Unsent(am.FileBlock, "the clients name files themselves", _is_named, field="name", is_given=True),
    Unsent(am.DataBlock, "BedrockConverseModel sends JSON in a result as text", _always, is_given=True),
    Unsent(_MEDIA, "BedrockConverseModel sends the address of a file in a result as text", _is_in_store, is_given=True),
)  # fmt: skip
