"""What messages of the Vercel AI SDK hold, and its clients don't send (ai 6.x, @ai-sdk/openai 3.x)."""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg.formats import Unsent, is_mapping, mark_of

_KEPT_BY_OPENAI = frozenset({"code_interpreter", "file_search"})
_CITED = ("url_citation", "file_citation", "container_file_citation", "file_path")
_SEARCH = "tool_search"
_Acts = am.ToolUseBlock | am.ToolResultBlock


def _is_of_responses(block: am.ThinkingBlock) -> bool:
    return block.item_id is not None and mark_of(block, "openai", "/place") is None


def _is_sealed(block: am.ThinkingBlock) -> bool:
    return block.signature is not None or block.redacted is not None


def _is_readable(block: am.ThinkingBlock, message: am.Msg) -> bool:
    if mark_of(block, "openai", "/place") is not None:
        return True
    is_googles = message.provider in ("google", "deepseek") or mark_of(block, "gemini", "/unsigned") is not None
    return not _is_sealed(block) and not is_googles and not _is_of_responses(block)


def _is_kept(block: am.ThinkingBlock, _: am.Msg) -> bool:
    return _is_of_responses(block) and (not _is_sealed(block) or (block.raw and block.thinking != ""))


def _is_encrypted(block: am.ThinkingBlock | am.CompactionBlock, _: am.Msg) -> bool:
    if isinstance(block, am.CompactionBlock):
        return block.item_id is not None and block.encrypted is not None
    return _is_of_responses(block) and _is_sealed(block)


def _cites_for_openai(block: am.TextBlock, _: am.Msg) -> bool:
    return any((each.kind or "") in _CITED for each in block.citations)


def _is_stored(block: _Acts, _: am.Msg) -> bool:
    if block.kind != "server" or block.provider != "openai":
        return False
    return block.name in _KEPT_BY_OPENAI or (block.item_id or "").startswith("mcp")


def _is_broken(block: am.ToolUseBlock, _: am.Msg) -> bool:
    return block.kind == "function" and not (block.is_valid and is_mapping(block.input))


def _is_called(block: am.ToolUseBlock, _: am.Msg) -> bool:
    caller: Any = block.extras.get("anthropic", {}).get("caller")
    return block.kind == "function" and is_mapping(caller) and caller.get("type") != "direct"


def _is_uploaded(block: am.FileBlock, _: am.Msg) -> bool:
    return type(block.source) is am.FileSource and block.source.provider == "anthropic"


def _is_made(block: am.ImageBlock, _: am.Msg) -> bool:
    return block.item_id is not None


def _is_signed_code(block: _Acts, _: am.Msg) -> bool:
    return block.provider == "google" and block.name == "code_execution" and block.signature is not None


def _is_signed_in_chat(block: am.ToolUseBlock, _: am.Msg) -> bool:
    return mark_of(block, "openai", "/signed") is not None


def _is_custom(block: am.ToolUseBlock, _: am.Msg) -> bool:
    return block.kind == "custom"


def _is_run_otherwise(block: _Acts, _: am.Msg) -> bool:
    """Whether the SDK tells something else of a tool search: a call with an id is the client's, any output isn't."""
    if block.provider != "openai" or block.name != _SEARCH:
        return False
    link, told = (block.id, "client") if isinstance(block, am.ToolUseBlock) else (block.tool_call_id, "server")
    own: Any = block.extras.get("openai-responses", {})
    return link is not None and own.get("execution") != told


def _is_alone(block: am.ToolResultBlock, message: am.Msg) -> bool:
    calls = [(each.id, each.name) for each in message.content if type(each) is am.ToolUseBlock]
    if block.kind != "server" or any(block.tool_call_id == link for link, _ in calls if link is not None):
        return False
    if block.provider == "anthropic":
        return (block.tool_call_id or "").startswith("mcp")
    return (block.provider, block.name) in (("google", "code_execution"), ("openai", _SEARCH)) and not any(
        name == block.name for _, name in calls
    )


def _has_words(block: am.ToolResultBlock, _: am.Msg) -> bool:
    return block.provider == "anthropic" and block.error is not None


def _is_object(block: am.ToolResultBlock, _: am.Msg) -> bool:
    return mark_of(block, "gemini", "/whole") is not None


def _has_address(block: am.ToolResultBlock, _: am.Msg) -> bool:
    sources = (getattr(each, "source", None) for each in block.content)
    return mark_of(block, "gemini", "/parts") is not None and any(isinstance(each, am.URLSource) for each in sources)


_ACTS = (am.ToolUseBlock, am.ToolResultBlock)
_STORED = "with `store` false, the SDK sends nothing of what OpenAI ran but web searches"
UNSENT = (
    Unsent(am.ThinkingBlock, "the SDKs of OpenAI, Anthropic and Bedrock send no readable reasoning", _is_readable),
    Unsent(am.ThinkingBlock, "with `store` false, the SDK sends only encrypted reasoning of OpenAI", _is_kept),
    Unsent((am.ThinkingBlock, am.CompactionBlock),
           "unless `store` is false, the SDK sends only the id of what OpenAI encrypted", _is_encrypted),
    Unsent(am.TextBlock, "the SDK sends no citations with an answer's text", _cites_for_openai, field="citations"),
    Unsent(_ACTS, _STORED, _is_stored),
    Unsent(am.ImageBlock, _STORED, _is_made),
    Unsent(am.FileBlock, "the SDK sends no files of an answer to Anthropic", _is_uploaded),
    Unsent(am.ToolUseBlock, "the SDK sends no arguments that are no JSON object, or sends them as a text", _is_broken),
    Unsent(am.ToolUseBlock, "the SDK doesn't say that code called a tool", _is_called, field="extras"),
    Unsent(_ACTS, "the SDK sends code that Google ran without signatures", _is_signed_code, field="signature"),
    Unsent(am.ToolUseBlock, "the SDK sends no signatures to Chat Completions", _is_signed_in_chat, field="signature"),
    Unsent(am.ToolUseBlock, "the SDK sends calls of custom tools as calls of functions", _is_custom),
    Unsent(_ACTS, "the SDK takes a tool search with an id for the client's, and what it found for the server's",
           _is_run_otherwise, field="extras"),
    Unsent(am.ToolResultBlock, "the SDK sends no results of such tools without their calls", _is_alone),
    Unsent(am.ToolResultBlock, "the SDK sends the code of an error without its words", _has_words, field="error"),
    Unsent(am.ToolResultBlock, "the SDK sends an object to Google as the `content` of the response", _is_object,
           field="structured", is_given=True),
    Unsent(am.ToolResultBlock, "the SDK sends the addresses of files in a result to Google as text", _has_address,
           is_given=True),
)  # fmt: skip
