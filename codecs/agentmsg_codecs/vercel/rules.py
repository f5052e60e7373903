"""The rules of the capability table: for blocks that this format represents differently, or lacks."""

from __future__ import annotations

from operator import is_
from typing import Any

import agentmsg as am
from agentmsg.formats import Drop, Swap, dump_json, is_bare_text, is_marked, rules
from agentmsg_codecs.vercel.calls import runner_of
from agentmsg_codecs.vercel.names import FAMILY
from agentmsg_codecs.vercel.options import ALL_SIGNERS


def thinking(block: am.ThinkingBlock) -> Any:
    """Keep thoughts, signed or not; drop what is only for a provider that has no place here."""
    owner = block.signature.provider if block.signature is not None else None
    if block.thinking or block.redacted is not None or owner in (None, *ALL_SIGNERS):
        return block
    return Drop(f"only {owner} can read this")


def needs_id(block: Any) -> bool:
    """Whether a call or result must be given an id: the call of a server's tool may have that of its item."""
    if isinstance(block, am.ToolUseBlock):
        return block.id is None and not (block.kind == "server" and block.item_id)
    return block.tool_call_id is None


def call(block: am.ToolUseBlock) -> Any:
    """Keep a call; one of free text is a function's, and one without an id has that of its item."""
    if block.kind != "server":
        return rules.custom_as_function(block)
    link = block.id if block.id is not None else block.item_id
    owner = runner_of(None if link is None else str(link))
    if link is block.id and (owner is None or owner == block.provider):
        return block
    return Swap(block.evolve(id=link, provider=owner), "the id of a call tells who runs it here", "annotation")


def named(message: am.Msg) -> Any:
    """Give the results of a server's tools the names of their calls."""
    calls = {block.id: block.name for block in message.content if isinstance(block, am.ToolUseBlock)}
    blocks: Any = message.content
    content = tuple(
        block.evolve(name=calls[block.tool_call_id]) if _is_nameless(block) and block.tool_call_id in calls else block
        for block in blocks
    )
    if all(map(is_, content, blocks)):
        return message
    return Swap(message.evolve(content=content), "a result names its tool here", "annotation")


def _is_nameless(block: Any) -> bool:
    return isinstance(block, am.ToolResultBlock) and block.name is None and not is_marked(block, FAMILY, "/unnamed")


def server_result(block: am.ToolResultBlock) -> Any:
    """Keep what a tool gave that its provider ran."""
    return owned(block, result(block)) if block.kind == "server" else rules.result_as_text(block)


def owned(block: am.ToolResultBlock, answer: Any) -> Any:
    """Return the answer of a rule for what a provider's tool gave, with the provider that the id tells."""
    owner = runner_of(None if block.tool_call_id is None else str(block.tool_call_id))
    if owner is None or owner == block.provider or isinstance(answer, Drop):
        return answer
    new = answer.new if isinstance(answer, Swap) else block
    level = answer.level if isinstance(answer, Swap) else "annotation"
    return Swap(new.evolve(provider=owner), "the id of a call tells who runs it here", level)


def result(block: am.ToolResultBlock) -> Any:
    """Express a result in one way: as words, as a value, or as parts; or that it was denied."""
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
    is_one = len(content) == 1 and is_bare_text(content[0], FAMILY)
    if status == "error" and changes.get("structured", block.structured) is None and content and not is_one:
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
    return value if value == "error" else "error" if block.is_error else None


def error(value: str, block: am.ToolResultBlock) -> str | None:
    """Keep why a call was denied."""
    return value if block.status == "denied" and not block.content and block.structured is None else None
