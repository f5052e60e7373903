"""What messages of AgentScope for Python hold, and its clients don't send (agentscope 1.x and 2.x)."""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg.formats import Unsent, mark_of, media
from agentmsg_codecs.wire.unsent import asks_for_citations, is_of_a_thought

_PDF = "application/pdf"


def _is_odd(block: Any, _: am.Msg) -> bool:
    source = block.source
    if isinstance(source, am.URLSource) and source.media_type is None:
        return not source.url.lower().endswith(".pdf")
    return isinstance(source, (am.Base64Source, am.URLSource)) and source.media_type != _PDF


UNSENT = (
    Unsent(am.TextBlock, "the models keep no citations", lambda block, _: bool(block.citations), "citations"),
    Unsent(am.ThinkingBlock, "OpenAIChatModel sends no reasoning to Chat Completions",
           lambda block, _: mark_of(block, "openai", "/place") is not None),
    Unsent(am.ThinkingBlock, "AnthropicChatModel sends no thinking that isn't signed",
           lambda block, _: mark_of(block, "anthropic", "/unsigned") is not None),
    Unsent(am.ImageBlock, "OpenAIResponseModel sends an image that OpenAI made as one that it is given",
           lambda block, _: block.item_id is not None),
    Unsent(tuple(media.KINDS), "GeminiChatModel sends media of thoughts as those of an answer",
           is_of_a_thought, "extras"),
    Unsent(am.ToolResultBlock, "the models don't say that a tool failed, unless its text does",
           lambda block, _: block.is_error and (not block.text or mark_of(block, "gemini", "/word") == "error"),
           "status", is_given=True),
    Unsent(am.ToolResultBlock, "the models send values of results as text",
           lambda block, _: not isinstance(block.structured, (str, int, float, type(None))), "structured",
           is_given=True),
    Unsent(am.ToolResultBlock, "GeminiChatModel sends media of a result behind it",
           lambda block, _: mark_of(block, "gemini", "/parts") is not None, is_given=True),
    Unsent(am.FileBlock, "the models ask for no citations of a document", asks_for_citations, "extras", is_given=True),
    Unsent(am.FileBlock, "the models send no files but PDF", _is_odd, is_given=True),
)  # fmt: skip
