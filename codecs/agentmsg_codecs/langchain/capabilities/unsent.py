"""What LangChain's messages hold, and its clients don't send (those of LangChain 1.x for four providers)."""

from __future__ import annotations

import agentmsg as am
from agentmsg.formats import Unsent, mark_of

_OF_CODE = "code_execution"


def _is_readable(block: am.ThinkingBlock, message: am.Msg) -> bool:
    if mark_of(block, "openai", "/place") is not None:
        return True  # Chat Completions has no field for it: servers that speak it have
    is_sealed = block.signature is not None or block.redacted is not None or block.item_id is not None
    return not is_sealed and message.provider not in ("google", "deepseek")


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


_UNSIGNED = "ChatOpenAI, ChatAnthropic and ChatBedrockConverse send no reasoning that isn't signed"
_CODE = "ChatGoogleGenerativeAI sends code that Google ran without signatures"
_AS_CODE = "ChatGoogleGenerativeAI sends what Google's tools found as the output of code"
UNSENT = (
    Unsent(am.ThinkingBlock, _UNSIGNED, _is_readable),
    Unsent(am.ImageBlock, "ChatOpenAI sends an image that OpenAI made by its id alone", _is_made),
    Unsent(am.TextBlock, "ChatBedrockConverse sends no citations without their text", _cites_pages, field="citations"),
    Unsent(am.ToolUseBlock, _CODE, _is_signed_code, field="signature"),
    Unsent(am.ToolResultBlock, _CODE, _is_signed_code, field="signature"),
    Unsent(am.ToolUseBlock, _AS_CODE, _is_of_google),
    Unsent(am.ToolResultBlock, _AS_CODE, _is_of_google),
    Unsent(am.ToolUseBlock, "ChatBedrockConverse sends calls that the server ran as the client's", _is_of_bedrock),
)
