"""What messages of Pydantic AI hold, and its clients don't send (pydantic-ai 2.x)."""

from __future__ import annotations

import re
from typing import Any

import agentmsg as am
from agentmsg.formats import Unsent, is_mapping, mark_of, media
from agentmsg_codecs.wire.unsent import asks_for_citations, is_called_by_code, is_of_a_thought

# Of the Responses API, and of Anthropic but for its web searches.
_CITED = re.compile(r".*_citation|file_path|(?!web_search_result_).*_location")
# The names that the clients give.
_THEIRS = re.compile(r"filename\.\w+|Document \d+")
# What the clients send of what a search is to find; more of it is left out.
_SOUGHT: Any = {"tool_search": {"queries"}, "tool_search_tool_regex": {"pattern"}, "tool_search_tool_bm25": {"query"}}


def _is_left_out(each: am.Citation, block: Any) -> bool:
    """Whether a citation isn't sent: of those of Responses, the links in a text are, and files."""
    if block.item_id is not None and each.kind == "file_citation":
        return False
    if block.item_id is not None and each.kind == "url_citation" and each.url:
        return each.url not in block.text[each.start : each.end]
    return bool(_CITED.fullmatch(each.kind or "")) or "bedrock" in each.extras


def _seeks_more(block: Any, _: am.Msg) -> bool:
    if not is_mapping(block.input) or block.kind != "server":
        return False
    if block.name == "web_search":
        return block.provider == "openai" and bool(block.input.get("sources"))
    return not block.input.keys() <= _SOUGHT.get(block.name, block.input.keys())


def _is_of_bedrock(block: Any, message: am.Msg) -> bool:
    names = {each.id: each.name for each in message.content if type(each) is am.ToolUseBlock}
    link = block.id if isinstance(block, am.ToolUseBlock) else block.tool_call_id
    return block.kind == "server" and block.provider == "bedrock" and names.get(link) != "nova_code_interpreter"


UNSENT = (
    Unsent(am.ThinkingBlock, "only OpenRouterModel sends the details of reasoning",
           lambda block, _: mark_of(block, "openai", "/place") == "reasoning_details"),
    Unsent(am.ThinkingBlock, "all clients but Google's send reasoning of nobody as text", lambda block, message:
           message.provider is None and mark_of(block, "gemini", "/unsigned") is None
           and not (block.signature or block.redacted or block.item_id or mark_of(block, "openai", "/place"))),
    Unsent(am.ThinkingBlock, "OpenAIResponsesModel sends no reasoning that is empty", lambda block, _:
           block.item_id is not None and not block.thinking and block.signature is None and block.redacted is None),
    Unsent(am.TextBlock, "the clients send no citations but of web searches of Anthropic, links and files of OpenAI",
           lambda block, _: any(_is_left_out(each, block) for each in block.citations), "citations"),
    Unsent(am.ImageBlock, "OpenAIResponsesModel sends an image that OpenAI made only beside its call",
           lambda block, _: block.item_id is not None),
    Unsent(tuple(media.KINDS), "GoogleModel sends media of thoughts as those of an answer",
           is_of_a_thought, "extras"),
    Unsent(am.ToolUseBlock, "the clients send arguments that are no JSON object inside one",
           lambda block, _: block.kind == "function" and not (block.is_valid and is_mapping(block.input))),
    Unsent(am.ToolUseBlock, "AnthropicModel sends no calls of servers without their results", lambda block, message:
           block.kind == "server" and block.provider == "anthropic"
           and all(getattr(each, "tool_call_id", None) != block.id for each in message.content)),
    Unsent(am.ToolUseBlock, "AnthropicModel doesn't say that code called a tool", is_called_by_code, "extras"),
    Unsent(am.ToolUseBlock, "the clients send of searches only what they look for", _seeks_more, "input"),
    Unsent((am.ToolUseBlock, am.ToolResultBlock), "BedrockConverseModel sends nothing that Bedrock ran but code",
           _is_of_bedrock),
    Unsent(am.ToolResultBlock, "the clients send searches, code and calls of MCP servers without what they found",
           lambda block, _: block.name != "image_generation" if block.provider == "openai" else
           block.provider == "anthropic" and block.name == "tool_search" and block.ok),
    Unsent(am.NativeBlock, "OpenAIResponsesModel lists no tools of MCP servers", lambda block, _:
           is_mapping(block.value) and block.value.get("type") == "mcp_list_tools" and bool(block.value.get("tools"))),
    Unsent(am.CompactionBlock, "the clients send nothing of what stands before a compaction", lambda _, __: True,
           is_later=True),
    Unsent(am.FileBlock, "the clients name files themselves",
           lambda block, _: not _THEIRS.fullmatch(block.name or "filename.x"), "name", is_given=True),
    Unsent(am.FileBlock, "the clients ask for no citations of a document", asks_for_citations, "extras", is_given=True),
    Unsent(am.DataBlock, "BedrockConverseModel sends JSON in a result as text",
           lambda _, message: message.role == "tool", is_given=True),
    Unsent(tuple(media.KINDS), "BedrockConverseModel sends the address of a file in a result as text",
           lambda block, message: message.role == "tool" and str(getattr(block.source, "url", "")).startswith("s3:"),
           is_given=True),
)  # fmt: skip
