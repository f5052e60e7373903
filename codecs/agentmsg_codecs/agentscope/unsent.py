"""What messages of AgentScope for Python hold, and its clients don't send (agentscope 1.x and 2.x)."""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg.formats import Unsent, mark_of, media

_PDF = "application/pdf"
_MEDIA = tuple(media.KINDS)


def _cites(block: am.TextBlock, _: am.Msg) -> bool:
    return bool(block.citations)


def _is_of_chat(block: am.ThinkingBlock, _: am.Msg) -> bool:
    return mark_of(block, "openai", "/place") is not None


def _is_unsigned(block: am.ThinkingBlock, _: am.Msg) -> bool:
    return mark_of(block, "anthropic", "/unsigned") is not None


def _is_made(block: am.ImageBlock, _: am.Msg) -> bool:
    return block.item_id is not None


def _is_thought(block: Any, _: am.Msg) -> bool:
    return block.extras.get("gemini", {}).get("thought") is True


def _failed(block: am.ToolResultBlock, _: am.Msg) -> bool:
    return block.is_error


def _is_odd(block: am.FileBlock, _: am.Msg) -> bool:
    source = block.source
    if isinstance(source, am.URLSource) and source.media_type is None:
        return not source.url.lower().endswith(".pdf")
    return isinstance(source, (am.Base64Source, am.URLSource)) and source.media_type != _PDF


def _is_value(block: am.ToolResultBlock, _: am.Msg) -> bool:
    return block.structured is not None and not isinstance(block.structured, (str, int, float))


def _has_media(block: am.ToolResultBlock, _: am.Msg) -> bool:
    return mark_of(block, "gemini", "/parts") is not None


UNSENT = (
    Unsent(am.TextBlock, "the models keep no citations", _cites, field="citations"),
    Unsent(am.ThinkingBlock, "OpenAIChatModel sends no reasoning to Chat Completions", _is_of_chat),
    Unsent(am.ThinkingBlock, "AnthropicChatModel sends no thinking that isn't signed", _is_unsigned),
    Unsent(am.ImageBlock, "OpenAIResponseModel sends an image that OpenAI made as one that it is given", _is_made),
    Unsent(_MEDIA, "GeminiChatModel sends media of thoughts as those of an answer", _is_thought, field="extras"),
    Unsent(am.ToolResultBlock, "the models don't say that a tool failed", _failed, field="status", is_given=True),
    Unsent(am.ToolResultBlock, "the models send values of results as text", _is_value, "structured", is_given=True),
    Unsent(am.ToolResultBlock, "GeminiChatModel sends media of a result behind it", _has_media, is_given=True),
    Unsent(am.FileBlock, "the models send no files but PDF", _is_odd, is_given=True),
)
