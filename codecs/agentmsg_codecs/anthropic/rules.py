"""The rules of the capability table: for blocks that this format represents differently, or lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import Drop, Swap, given, is_marked, issuers, rules
from agentmsg_codecs.anthropic.kinds import is_known_server, is_mcp_call, is_search_result, is_upload, result_tag
from agentmsg_codecs.anthropic.names import FAMILY, SERVER_CALLS
from agentmsg_codecs.anthropic.server_results import form_of, is_typed

if TYPE_CHECKING:
    from collections.abc import Callable


# -- thinking ---------------------------------------------------------------------------------------------------------


def thinking_rule(lacking: str | None) -> Callable[[am.ThinkingBlock], Any]:
    """Return the rule for thinking, which needs this provider's signature or opaque payload.

    Args:
        lacking: what to do with other thinking: "drop" or "text".
    """

    def otherwise(block: am.ThinkingBlock) -> Any:
        owner, why = issuers.issuer_of(block), "thinking needs a signature here"
        is_foreign = owner and owner != FAMILY and not (lacking == "text" and block.thinking)
        return rules.thinking_otherwise(block, lacking, f"only {owner} can read this" if is_foreign else why)

    def rule(block: am.ThinkingBlock) -> Any:
        signature = block.signature
        if issuers.is_foreign(block, FAMILY, (FAMILY,)):
            return otherwise(block)
        if signature is not None and FAMILY not in (signature.provider, issuers.issuer_of(block)):
            return otherwise(block)
        is_signed = signature is not None and bool(signature.value)
        if block.redacted is None:
            is_unsigned = signature is None and is_marked(block, FAMILY, "/unsigned")
            return block if is_signed or is_unsigned else otherwise(block)
        if is_signed and block.thinking:
            return Swap(block.evolve(redacted=None), "thinking is readable or opaque here")
        if block.thinking or signature is not None:
            return Swap(block.evolve(thinking="", signature=None), "thinking is readable or opaque here")
        return block

    return rule


# -- documents --------------------------------------------------------------------------------------------------------


def video(block: am.VideoBlock) -> Any:
    """Keep a video that was read; the schema has none."""
    return block if is_marked(block, FAMILY, "/odd") else Drop("no place for a video block here")


def document(block: am.FileBlock) -> Any:
    """Keep a document; its name becomes its title. A search result has both."""
    if given(block.name) is None or is_upload(block):
        return block
    if is_search_result(block):
        if block.title is not None or is_marked(block, FAMILY, "/untitled"):
            return block
        return Swap(block.evolve(title=block.name), "search results have a title here", "annotation")
    title = block.name if block.title is None else block.title
    return Swap(block.evolve(name=None, title=title), "documents have a title, not a name", "annotation")


# -- calls and results ------------------------------------------------------------------------------------------------


_own_call = rules.call_of(FAMILY)


def call(block: am.ToolUseBlock) -> Any:
    """Keep a call; if the provider runs the tool, only one of the schema, of an MCP server, or one that was read."""
    is_named = block.name in SERVER_CALLS or is_mcp_call(block) or is_marked(block, FAMILY, "/odd")
    return _own_call(block) if is_named or block.kind != "server" else rules.server_as_text(block)


def client_result(block: am.ToolResultBlock) -> Any:
    """Keep a result; its structured content and its error become content and status."""
    if block.structured is None and block.error is None:
        return block
    answer = rules.structured_as_text(block)
    new: am.ToolResultBlock = answer.new if isinstance(answer, Swap) else block
    if new.error is not None and new.status is None:
        new = new.evolve(status="error")
    if new is block:
        return block
    # An error that the text contains isn't lost.
    is_lost = new.structured is not None or (new.error is not None and new.error not in new.text)
    if new.error is not None and not is_lost:
        new = new.evolve(error=None)
    return Swap(new, "a result shows this in its content and status", "content" if is_lost else "annotation")


def server_result(block: am.ToolResultBlock) -> Any:
    """Keep a result of a tool that this provider runs, in one of its forms."""
    if block.kind != "server":
        return rules.result_as_text(block)
    # Calls of such names are text, too: another SDK's word for a tool, and another content.
    is_foreign = block.name not in (None, *SERVER_CALLS) and not is_typed(block.structured) and not block.error_type
    if not is_known_server(block) or (is_foreign and not is_marked(block, FAMILY, "/odd")):
        return rules.server_as_text(block)
    new = _of_mcp(block) if block.name is None else _in_one_form(block)
    if new is None:
        return rules.server_as_text(block)
    return block if new is block else Swap(new, "results of the provider's tools have one form here")


def _of_mcp(block: am.ToolResultBlock) -> am.ToolResultBlock:
    answer = client_result(block)
    block = answer.new if isinstance(answer, Swap) else block
    texts = tuple(item for item in block.content if type(item) in (am.TextBlock, am.NativeBlock))
    return _settled(
        block,
        content=texts if len(texts) < len(block.content) else block.content,
        status=block.status if block.status in ("success", "error", None) else "error" if block.is_error else None,
    )


def _in_one_form(block: am.ToolResultBlock) -> am.ToolResultBlock | None:
    if block.structured is not None and "structured" in form_of(result_tag(block), thaw(block.structured)):
        return _settled(block, structured=block.structured)
    if block.error_type is not None:
        return _settled(block, error_type=block.error_type, error=block.error, status="error")
    sources = tuple(item for item in block.content if type(item) is am.SourceBlock)
    if block.name == "web_search" and (sources or not block.content):
        return _settled(block, content=sources if len(sources) < len(block.content) else block.content)
    return None


def _settled(block: am.ToolResultBlock, **form: Any) -> am.ToolResultBlock:
    """Return a result with these fields and no others."""
    wanted: dict[str, Any] = {"content": (), "structured": None, "error": None, "error_type": None, "status": None}
    wanted |= form
    changes = {name: value for name, value in wanted.items() if getattr(block, name) != value}
    return block.evolve(**changes) if changes else block
