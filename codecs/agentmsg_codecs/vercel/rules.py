"""What becomes of blocks that this format has otherwise, or not at all: the rules of the capability table."""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg.formats import Drop, Swap, dump_json, rules
from agentmsg_codecs.vercel.options import ALL_SIGNERS


def thinking(block: am.ThinkingBlock) -> Any:
    """Keep thoughts, signed or not; drop what is only for a provider that has no place here."""
    owner = block.signature.provider if block.signature is not None else None
    if block.thinking or block.redacted is not None or owner in (None, *ALL_SIGNERS):
        return block
    return Drop(f"only {owner} can read this")


def server_result(block: am.ToolResultBlock) -> Any:
    """Keep what a tool gave that its provider ran."""
    return result(block) if block.kind == "server" else rules.result_as_text(block)


def result(block: am.ToolResultBlock) -> Any:
    """Tell what a tool gave in one way: as words, as a value, or as parts; or that it was denied."""
    changes: dict[str, Any] = {}
    level: Any = "annotation"
    if block.status == "denied" and not block.content and block.structured is None:
        return block
    status = "error" if block.is_error else None
    words = block.error if block.error is not None and block.error not in block.text else None
    if block.structured is not None and (block.content or words is not None):
        # Words that are the value itself are said by the value.
        is_said = dump_json(block.structured).decode() == block.text and words is None
        changes["content" if is_said else "structured"] = () if is_said else None
        level = "annotation" if is_said else "content"
    content = changes.get("content", block.content)
    if words is not None:
        content = (*content, am.TextBlock(words))
    if status == "error" and block.structured is None and len(content) > 1:
        said = [rules.as_text(item) if not isinstance(item, am.TextBlock) else item for item in content]
        texts = [item.text for item in said if item is not None]
        level = "content" if len(texts) < len(content) else level
        content = (am.TextBlock("\n".join(texts)),) if any(texts) else ()
    if content is not block.content:
        changes["content"] = content
    if block.error is not None:
        changes["error"] = None
    if status != block.status:
        changes["status"] = status
    # That all went well has no place, and the cell of the status leaves it out.
    if not changes or (changes.keys() == {"status"} and status is None):
        return block
    return Swap(block.evolve(**changes), "a result is told in one way here", level)


def status(value: str, block: am.ToolResultBlock) -> str | None:
    """Keep that a call failed, or was denied."""
    if value == "denied" and not block.content and block.structured is None:
        return value
    return "error" if block.is_error else None


def error(value: str, block: am.ToolResultBlock) -> str | None:
    """Keep why a call was denied."""
    return value if block.status == "denied" and not block.content and block.structured is None else None

