"""What LangChain's messages hold, and its clients don't send (those of LangChain 1.x for four providers)."""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg.formats import Unsent, is_mapping, mark_of, media

_OF_CODE = "code_execution"


def _is_readable(block: am.ThinkingBlock, message: am.Msg) -> bool:
    if mark_of(block, "openai", "/place") is not None:
        return True  # Chat Completions has no field for it: servers that speak it have
    is_sealed = block.signature is not None or block.redacted is not None or block.item_id is not None
    is_googles = message.provider in ("google", "deepseek") or mark_of(block, "gemini", "/unsigned") is not None
    return not is_sealed and not is_googles


def _is_of_bedrock(block: am.ToolUseBlock, _: am.Msg) -> bool:
    return block.kind == "server" and block.provider == "bedrock"


def _is_of_google(block: am.ToolUseBlock | am.ToolResultBlock, _: am.Msg) -> bool:
    return block.kind == "server" and block.provider == "google" and block.name != _OF_CODE


def _is_signed_code(block: am.ToolUseBlock | am.ToolResultBlock, _: am.Msg) -> bool:
    return block.provider == "google" and block.name == _OF_CODE and block.signature is not None


def _is_made(block: am.ImageBlock, _: am.Msg) -> bool:
    return block.item_id is not None


def _cites_pages(block: am.TextBlock, _: am.Msg) -> bool:
    return any("bedrock" in each.extras and each.cited_text is None for each in block.citations)


def _is_thought(block: Any, _: am.Msg) -> bool:
    return block.extras.get("gemini", {}).get("thought") is True


def _cites_in_chat(block: am.TextBlock, _: am.Msg) -> bool:
    return block.item_id is None and any(each.kind == "url_citation" for each in block.citations)


def _is_signed_in_chat(block: am.ToolUseBlock, _: am.Msg) -> bool:
    return mark_of(block, "openai", "/signed") is not None


def _is_no_object(block: am.ToolUseBlock, _: am.Msg) -> bool:
    return block.kind == "function" and block.is_valid and not is_mapping(block.input)


def _failed(block: am.ToolResultBlock, _: am.Msg) -> bool:
    return mark_of(block, "gemini", "/word") == "error"


def _has_parts(block: am.ToolResultBlock, _: am.Msg) -> bool:
    return mark_of(block, "gemini", "/parts") is not None


_MEDIA, _ACTS = tuple(media.KINDS), (am.ToolUseBlock, am.ToolResultBlock)
_UNSIGNED = "ChatOpenAI, ChatAnthropic and ChatBedrockConverse send no reasoning that isn't signed"
_CODE = "ChatGoogleGenerativeAI sends code that Google ran without signatures"
_AS_CODE = "ChatGoogleGenerativeAI sends what Google's tools found as the output of code"
UNSENT = (
    Unsent(am.ThinkingBlock, _UNSIGNED, _is_readable),
    Unsent(am.ImageBlock, "ChatOpenAI sends an image that OpenAI made by its id alone", _is_made),
    Unsent(am.TextBlock, "ChatBedrockConverse sends no citations without their text", _cites_pages, field="citations"),
    Unsent(am.TextBlock, "ChatOpenAI sends no citations to Chat Completions", _cites_in_chat, field="citations"),
    Unsent(_MEDIA, "ChatGoogleGenerativeAI sends media of thoughts as those of an answer", _is_thought, field="extras"),
    Unsent(_ACTS, _CODE, _is_signed_code, field="signature"),
    Unsent(_ACTS, _AS_CODE, _is_of_google),
    Unsent(am.ToolUseBlock, "ChatOpenAI sends no signatures with calls of chat", _is_signed_in_chat, field="signature"),
    Unsent(am.ToolUseBlock, "the clients send arguments that are no JSON object inside one", _is_no_object),
    Unsent(am.ToolResultBlock, "ChatGoogleGenerativeAI doesn't say that a tool failed", _failed, field="status",
           is_given=True),
    Unsent(am.ToolResultBlock, "ChatGoogleGenerativeAI sends media of a result beside it", _has_parts, is_given=True),
    Unsent(am.ToolUseBlock, "ChatBedrockConverse sends calls that the server ran as the client's", _is_of_bedrock),
)  # fmt: skip
