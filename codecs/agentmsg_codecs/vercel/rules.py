"""The rules of the capability table: for blocks that this format represents differently, or lacks."""

from __future__ import annotations

from operator import is_
from typing import Any

import agentmsg as am
from agentmsg.formats import Drop, Swap, dump_json, is_marked, issuers, mark_of, natives, rules
from agentmsg_codecs.vercel.calls import runner_of
from agentmsg_codecs.vercel.names import FAMILY
from agentmsg_codecs.vercel.options import SIGNERS
from agentmsg_codecs.vercel.outputs import is_denial


def thinking(block: am.ThinkingBlock) -> Any:
    """Keep thinking; drop it if only a provider without a place here can read it."""
    signer = None if block.signature is None else block.signature.provider
    if signer is not None and not block.thinking and mark_of(block, "openai", "/place") is not None:
        return Drop("the SDK sends nothing of what is encrypted to Chat Completions")
    if block.thinking or block.redacted is not None or signer is None or signer in SIGNERS:
        return block
    return Drop(f"only {signer} can read this")


def compaction(block: am.CompactionBlock) -> Any:
    """Keep a summary that OpenAI can read; express any other in words."""
    is_own = block.encrypted is not None and block.text is None and not issuers.is_foreign(block, FAMILY, ("openai",))
    return block if is_own else rules.compaction_as_text(block)


def request(block: am.ApprovalRequestBlock) -> Any:
    """Keep a request for approval that says for which call."""
    return Drop("a request for approval has the id of its call here") if block.tool_call_id is None else block


def needs_id(block: Any) -> bool:
    """Whether a call or result must be given an id; a server tool's call may use its item's."""
    if isinstance(block, am.ToolUseBlock):
        return block.id is None and not (block.kind == "server" and block.item_id)
    return block.tool_call_id is None


def call(block: am.ToolUseBlock) -> Any:
    """Keep a call; one of a custom tool becomes a function call, and a server tool's without an id gets its item's."""
    if block.kind != "server":
        return rules.custom_as_function(block)
    link = block.id if block.id is not None else block.item_id
    runner = runner_of(link)
    if link is block.id and (runner is None or runner == block.provider):
        return block
    return Swap(block.evolve(id=link, provider=runner), "the id of a call tells who runs it here", "annotation")


def named(message: am.Msg) -> Any:
    """Give the results of server tools the names of their calls."""
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
    """Keep the result of a server tool."""
    return with_runner(block, result(block)) if block.kind == "server" else rules.result_as_text(block)


def with_runner(block: am.ToolResultBlock, answer: Any) -> Any:
    """Return a rule's answer for the result of a server tool, with the provider that the id tells."""
    runner = runner_of(block.tool_call_id)
    if runner is None or runner == block.provider or isinstance(answer, Drop):
        return answer
    new = answer.new if isinstance(answer, Swap) else block
    level = answer.level if isinstance(answer, Swap) else "annotation"
    return Swap(new.evolve(provider=runner), "the id of a call tells who runs it here", level)


def result(block: am.ToolResultBlock) -> Any:
    """Express a result as words, as a value, as parts, or as a denial."""
    if is_denial(block):
        return block
    status = "error" if block.is_error else None
    content, structured = block.content, block.structured
    words = block.error if block.error is not None and block.error not in block.text else None
    changes: dict[str, Any] = {}
    level: Any = "annotation"
    if structured is not None and (content or words is not None):
        if words is None and dump_json(structured).decode() == block.text:
            content = ()
        else:
            changes["structured"] = structured = None
            level = "content"
    if words is not None:
        content = (*content, am.TextBlock(words))
    is_one = len(content) == 1 and natives.is_bare_text(content[0], FAMILY)
    if status == "error" and structured is None and content and not is_one:
        texts = [item if isinstance(item, am.TextBlock) else rules.as_text(item) for item in content]
        level = "content" if None in texts else level
        said = [text.text for text in texts if text is not None]
        content = (am.TextBlock("\n".join(said)),) if any(said) else ()
    if content is not block.content:
        changes["content"] = content
    if block.error is not None:
        changes["error"] = None
    if status != block.status:
        changes["status"] = status
    # The cell leaves out a status that means success, for which there is no place.
    if not changes or (changes.keys() == {"status"} and status is None):
        return block
    return Swap(block.evolve(**changes), "a result is told in one way here", level)
