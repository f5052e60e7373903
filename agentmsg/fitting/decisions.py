"""Decisions on tool calls in formats without a place for them: a call that a person denied has a result that says so.

Approvals are dropped there. The loss report tells both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.formats import rules
from agentmsg.formats.capabilities import Drop, Swap
from agentmsg.model.blocks import ApprovalRequestBlock, ApprovalResponseBlock, TextBlock, ToolResultBlock
from agentmsg.model.tool_links import denials

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentmsg.model.msg import Msg

# In other messages decisions are blocks without a place.
_ROLES = frozenset({"user", "tool"})
_NO_PLACE = "no place for a decision on a tool call here"


def decided(
    messages: Sequence[Msg], ruled: Sequence[Msg], is_held: Callable[[str, Any], bool]
) -> dict[int, Drop | Swap]:
    """Return what becomes of messages with decisions that a format can't hold, by their index.

    Args:
        messages: all messages.
        ruled: the same after the rules for whole messages, which may have given them other roles, and calls other ids.
        is_held: whether the format can hold a block in messages of a role.
    """
    decisions = [
        ((index, place), block)
        for index, message in enumerate(messages)
        if ruled[index].role in _ROLES
        for place, block in enumerate(message.content)
        if type(block) is ApprovalResponseBlock
    ]
    if not decisions:
        return {}
    # Nobody can decide on what isn't asked any more; what was asked in an earlier request, perhaps.
    unasked = _asked(messages) - _asked(ruled, is_held)
    lost = {at for at, block in decisions if block.id in unasked or not is_held(ruled[at[0]].role, block)}
    results = denials(messages, "server") if lost else {}
    # What a provider runs is told in words, and so is that it was denied.
    told: dict[Any, Any] = {
        at: rules.as_text(result) if result.kind == "server" else result for at, result in results.items() if at in lost
    }
    found: dict[int, Drop | Swap] = {}
    for index in {index for index, _ in lost}:
        blocks = [told.get((index, place), block) for place, block in enumerate(messages[index].content)]
        denied = [block for block in blocks if type(block) is ToolResultBlock]
        words = [block for block in blocks if type(block) is TextBlock]
        if words and len(words) == len(blocks):
            found[index] = Swap(ruled[index].evolve(role="user", content=words), "a denied call is told in words here")
        elif any(type(block) not in (ApprovalResponseBlock, ToolResultBlock) for block in blocks):
            found[index] = Swap(ruled[index].evolve(content=blocks), _NO_PLACE)
        elif denied:
            found[index] = Swap(ruled[index].evolve(role="tool", content=denied), "a denied call has a result here")
        else:
            found[index] = Drop(_NO_PLACE)
    return found


def _asked(messages: Sequence[Msg], is_held: Callable[[str, Any], bool] = lambda _, __: True) -> set[str]:
    """Return the ids of the requests that a format can hold."""
    blocks = ((message.role, block) for message in messages for block in message.content)
    return {block.id for role, block in blocks if isinstance(block, ApprovalRequestBlock) and is_held(role, block)}
