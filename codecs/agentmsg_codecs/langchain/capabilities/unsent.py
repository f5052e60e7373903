"""What LangChain's messages hold, and its clients don't send (those of LangChain 1.x for four providers)."""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg.formats import Unsent, is_mapping, mark_of, media, natives


def _is_readable(block: Any, message: am.Msg) -> bool:
    if mark_of(block, "openai", "/place") is not None:
        return True  # Chat Completions has no field for it: servers that speak it have
    is_sealed = block.signature is not None or block.redacted is not None or block.item_id is not None
    is_googles = message.provider in ("google", "deepseek") or mark_of(block, "gemini", "/unsigned") is not None
    return not is_sealed and not is_googles


_CODE, _ACTS = "code_execution", (am.ToolUseBlock, am.ToolResultBlock)
UNSENT = (
    Unsent(am.ThinkingBlock, "ChatOpenAI, ChatAnthropic and ChatBedrockConverse send no reasoning that isn't signed",
           _is_readable),
    Unsent(am.ImageBlock, "ChatOpenAI sends an image that OpenAI made by its id alone",
           lambda block, _: block.item_id is not None),
    Unsent(am.TextBlock, "ChatBedrockConverse sends no citations without their text", lambda block, _: any(
        "bedrock" in each.extras and each.cited_text is None for each in block.citations), "citations"),
    Unsent(am.TextBlock, "ChatOpenAI sends no citations to Chat Completions", lambda block, _: block.item_id is None
           and any(each.kind == "url_citation" for each in block.citations), "citations"),
    Unsent(tuple(media.KINDS), "ChatGoogleGenerativeAI sends media of thoughts as those of an answer",
           lambda block, _: natives.extras_of(block, "gemini").get("thought") is True, "extras"),
    Unsent(_ACTS, "ChatGoogleGenerativeAI sends code that Google ran without signatures", lambda block, _:
           block.provider == "google" and block.name == _CODE and block.signature is not None, "signature"),
    Unsent(_ACTS, "ChatGoogleGenerativeAI sends what Google's tools found as the output of code", lambda block, _:
           block.kind == "server" and block.provider == "google" and block.name != _CODE),
    Unsent(am.ToolUseBlock, "ChatOpenAI sends no signatures with calls of chat",
           lambda block, _: mark_of(block, "openai", "/signed") is not None, "signature"),
    Unsent(am.ToolUseBlock, "the clients send arguments that are no JSON object inside one", lambda block, _:
           block.kind == "function" and block.raw_input and block.is_valid and not is_mapping(block.input)),
    Unsent(am.ToolUseBlock, "ChatBedrockConverse sends calls that the server ran as the client's", lambda block, _:
           block.kind == "server" and block.provider == "bedrock"),
    Unsent(am.ToolResultBlock, "ChatGoogleGenerativeAI doesn't say that a tool failed",
           lambda block, _: mark_of(block, "gemini", "/word") == "error", "status", is_given=True),
    Unsent(am.ToolResultBlock, "ChatGoogleGenerativeAI sends media of a result beside it",
           lambda block, _: mark_of(block, "gemini", "/parts") is not None, is_given=True),
)  # fmt: skip
