"""What messages of the Vercel AI SDK hold, and its clients don't send (ai 6.x, @ai-sdk/openai 3.x)."""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg.formats import Unsent, is_mapping, mark_of, media, natives
from agentmsg_codecs.wire.unsent import is_called_by_code

_KEPT_BY_OPENAI = frozenset({"code_interpreter", "file_search"})
_CITED = ("url_citation", "file_citation", "container_file_citation", "file_path")
_CODE, _SEARCH = "code_execution", "tool_search"


def _is_of_responses(block: Any) -> bool:
    return block.item_id is not None and mark_of(block, "openai", "/place") is None


def _is_sealed(block: Any) -> bool:
    return block.signature is not None or block.redacted is not None


def _is_readable(block: Any, message: am.Msg) -> bool:
    if mark_of(block, "openai", "/place") is not None:
        return True
    is_googles = message.provider in ("google", "deepseek") or mark_of(block, "gemini", "/unsigned") is not None
    return not _is_sealed(block) and not is_googles and block.item_id is None


def _is_stored(block: Any, _: am.Msg) -> bool:
    if isinstance(block, am.ImageBlock):
        return block.item_id is not None
    if block.kind != "server" or block.provider != "openai":
        return False
    return block.name in _KEPT_BY_OPENAI or (block.item_id or "").startswith("mcp")


def _is_run_otherwise(block: Any, _: am.Msg) -> bool:
    is_call = type(block) is am.ToolUseBlock
    execution: Any = natives.extras_of(block, "openai-responses").get("execution")
    is_search = block.provider == "openai" and block.name == _SEARCH
    link = block.id if is_call else block.tool_call_id
    return is_search and link is not None and execution != ("client" if is_call else "server")


def _is_alone(block: Any, message: am.Msg) -> bool:
    calls = [each for each in message.content if type(each) is am.ToolUseBlock]
    if block.kind != "server" or any(block.tool_call_id == each.id is not None for each in calls):
        return False
    if block.provider == "anthropic":
        return bool((block.tool_call_id or "").startswith("mcp"))
    is_paired = (block.provider, block.name) in (("google", _CODE), ("openai", _SEARCH))
    return is_paired and all(each.name != block.name for each in calls)


_ACTS = (am.ToolUseBlock, am.ToolResultBlock)
UNSENT = (
    Unsent(am.ThinkingBlock, "the SDKs of OpenAI, Anthropic and Bedrock send no readable reasoning", _is_readable),
    Unsent(am.ThinkingBlock, "with `store` false, the SDK sends only encrypted reasoning of OpenAI", lambda block, _:
           _is_of_responses(block) and (not _is_sealed(block) or (block.raw and block.thinking != ""))),
    Unsent(am.ThinkingBlock, "unless `store` is false, the SDK sends only the id of what OpenAI encrypted",
           lambda block, _: _is_of_responses(block) and _is_sealed(block)),
    Unsent(am.CompactionBlock, "unless `store` is false, the SDK sends only the id of what OpenAI encrypted",
           lambda block, _: block.item_id is not None and block.encrypted is not None),
    Unsent((*_ACTS, am.ImageBlock), "with `store` false, the SDK sends nothing of what OpenAI ran but web searches",
           _is_stored),
    Unsent(am.TextBlock, "the SDK sends no citations with an answer's text",
           lambda block, _: any((each.kind or "") in _CITED for each in block.citations), "citations"),
    Unsent(am.FileBlock, "the SDK sends no files of an answer to Anthropic", lambda block, _:
           type(block.source) is am.FileSource and block.source.provider == "anthropic"),
    Unsent(am.ToolUseBlock, "the SDK sends no arguments that are no JSON object, or sends them as a text",
           lambda block, _: block.kind == "function" and not (block.is_valid and is_mapping(block.input))),
    Unsent(am.ToolUseBlock, "the SDK doesn't say that code called a tool", is_called_by_code, "extras"),
    Unsent(am.ToolUseBlock, "the SDK sends no signatures to Chat Completions",
           lambda block, _: mark_of(block, "openai", "/signed") is not None, "signature"),
    Unsent(am.ToolUseBlock, "the SDK sends calls of custom tools as calls of functions",
           lambda block, _: block.kind == "custom"),
    Unsent(_ACTS, "the SDK sends code that Google ran without signatures", lambda block, _:
           block.provider == "google" and block.name == _CODE and block.signature is not None, "signature"),
    Unsent(_ACTS, "the SDK takes a tool search with an id for the client's, and what it found for the server's",
           _is_run_otherwise, "extras"),
    Unsent(am.ToolResultBlock, "the SDK sends no results of such tools without their calls", _is_alone),
    Unsent(am.ToolResultBlock, "the SDK sends the code of an error without its words",
           lambda block, _: block.provider == "anthropic" and block.error is not None, "error"),
    Unsent(am.ToolResultBlock, "the SDK sends an object to Google as the `content` of the response",
           lambda block, _: mark_of(block, "gemini", "/whole") is not None, "structured", is_given=True),
    Unsent(am.ToolResultBlock, "the SDK sends the addresses of files in a result to Google as text", lambda block, _:
           mark_of(block, "gemini", "/parts") is not None
           and any(isinstance(getattr(each, "source", None), am.URLSource) for each in block.content), is_given=True),
)  # fmt: skip
# Of messages for users.
CUT = [Unsent(tuple(media.KINDS), "the SDK cuts the media type of data at its first semicolon", lambda block, _:
              isinstance(block.source, am.Base64Source) and ";" in (block.source.media_type or ""), "source",
              is_given=is_given) for is_given in (False, True)]  # fmt: skip
