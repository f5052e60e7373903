"""Decisions on tool calls in formats without a place for them: a call that a person denied has a result that says so.

Approvals are dropped there. The loss report tells both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.formats.capabilities import Drop, Swap
from agentmsg.model.blocks import ApprovalRequestBlock, ApprovalResponseBlock, ToolResultBlock, ToolUseBlock

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentmsg.model.msg import Msg

__all__ = ["decided"]

# In other messages decisions are blocks without a place.
_ROLES = frozenset({"user", "tool"})
_DENIED = "Tool execution denied."
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
    denials = _denials(messages, lost) if lost else {}
    found: dict[int, Drop | Swap] = {}
    for index in {index for index, _ in lost}:
        blocks = [denials.get((index, place), block) for place, block in enumerate(messages[index].content)]
        results = [block for block in blocks if type(block) is ToolResultBlock]
        if any(type(block) not in (ApprovalResponseBlock, ToolResultBlock) for block in blocks):
            found[index] = Swap(ruled[index].evolve(content=blocks), _NO_PLACE)
        elif results:
            found[index] = Swap(ruled[index].evolve(role="tool", content=results), "a denied call has a result here")
        else:
            found[index] = Drop(_NO_PLACE)
    return found


def _asked(messages: Sequence[Msg], is_held: Callable[[str, Any], bool] = lambda _, __: True) -> set[str]:
    """Return the ids of the requests that a format can hold."""
    blocks = ((message.role, block) for message in messages for block in message.content)
    return {block.id for role, block in blocks if isinstance(block, ApprovalRequestBlock) and is_held(role, block)}


def _denials(messages: Sequence[Msg], lost: set[tuple[int, int]]) -> dict[tuple[int, int], ToolResultBlock]:
    """Return the results of denied calls of the client's tools, by the place of the decision."""
    blocks = [
        ((index, place), block) for index, message in enumerate(messages) for place, block in enumerate(message.content)
    ]
    answered = {block.tool_call_id for _, block in blocks if isinstance(block, ToolResultBlock)}
    calls: dict[str | None, ToolUseBlock] = {}
    asked: dict[str, ToolUseBlock] = {}
    found: dict[tuple[int, int], ToolResultBlock] = {}
    for place, block in blocks:
        if isinstance(block, ToolUseBlock) and block.kind != "server":
            calls[block.id] = block
        elif isinstance(block, ApprovalRequestBlock) and block.tool_call_id in calls:
            asked[block.id] = calls[block.tool_call_id]
        elif isinstance(block, ApprovalResponseBlock) and place in lost and not block.approved and block.id in asked:
            call = asked[block.id]
            if call.id not in answered:
                answered.add(call.id)
                said = block.reason or _DENIED
                found[place] = ToolResultBlock(call.id, name=call.name, status="denied", error=said, kind=call.kind)
    return found
