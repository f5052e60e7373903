"""What messages of the Vercel AI SDK hold, and its clients don't send (ai 6.x, @ai-sdk/openai 3.x)."""

from __future__ import annotations

import agentmsg as am
from agentmsg.formats import Unsent, mark_of

_KEPT_BY_OPENAI = frozenset({"code_interpreter", "file_search"})
_CITED = ("url_citation", "file_citation", "container_file_citation", "file_path")


def _is_readable(block: am.ThinkingBlock, message: am.Msg) -> bool:
    if mark_of(block, "openai", "/place") is not None or (block.raw and block.thinking):
        return True
    is_sealed = block.signature is not None or block.redacted is not None
    return not is_sealed and message.provider not in ("google", "deepseek")


def _cites_for_openai(block: am.TextBlock, _: am.Msg) -> bool:
    return any((each.kind or "") in _CITED for each in block.citations)


def _is_stored(block: am.ToolUseBlock | am.ToolResultBlock, _: am.Msg) -> bool:
    if block.kind != "server" or block.provider != "openai":
        return False
    return block.name in _KEPT_BY_OPENAI or (block.item_id or "").startswith("mcp")


def _is_broken(block: am.ToolUseBlock, _: am.Msg) -> bool:
    return block.kind == "function" and not block.is_valid


def _is_uploaded(block: am.FileBlock, _: am.Msg) -> bool:
    return type(block.source) is am.FileSource and block.source.provider == "anthropic"


def _is_made(block: am.ImageBlock, _: am.Msg) -> bool:
    return block.item_id is not None


def _is_signed_code(block: am.ToolUseBlock | am.ToolResultBlock, _: am.Msg) -> bool:
    return block.provider == "google" and block.name == "code_execution" and block.signature is not None


def _is_custom(block: am.ToolUseBlock, _: am.Msg) -> bool:
    return block.kind == "custom"


_STORED = "without `store`, the SDK sends nothing of what OpenAI ran but web searches"
_CODE = "the SDK sends code that Google ran without signatures"
_AS_FUNCTION = "the SDK sends calls of custom tools as calls of functions"
UNSENT = (
    Unsent(am.ThinkingBlock, "the SDKs of OpenAI, Anthropic and Bedrock send no readable reasoning", _is_readable),
    Unsent(am.TextBlock, "the SDK sends no citations with an answer's text", _cites_for_openai, field="citations"),
    Unsent(am.ToolUseBlock, _STORED, _is_stored),
    Unsent(am.ToolResultBlock, _STORED, _is_stored),
    Unsent(am.ImageBlock, _STORED, _is_made),
    Unsent(am.FileBlock, "the SDK sends no files of an answer to Anthropic", _is_uploaded),
    Unsent(am.ToolUseBlock, "the SDK sends no arguments that aren't JSON, or sends them as a text", _is_broken),
    Unsent(am.ToolUseBlock, _CODE, _is_signed_code, field="signature"),
    Unsent(am.ToolResultBlock, _CODE, _is_signed_code, field="signature"),
    Unsent(am.ToolUseBlock, _AS_FUNCTION, _is_custom),
)
