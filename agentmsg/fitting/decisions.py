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

_DENIED = "Tool execution denied."
_NO_PLACE = "no place for a decision on a tool call here"


def decided(messages: Sequence[Msg], is_held: Callable[[Msg, Any], bool]) -> dict[int, Drop | Swap]:
    """Return what becomes of messages with decisions that a format can't hold, by their index.

    Args:
        messages: all messages.
        is_held: whether the format can hold a block of a message.
    """
    lost = {
        (index, place)
        for index, message in enumerate(messages)
        for place, block in enumerate(message.content)
        if type(block) is ApprovalResponseBlock and not is_held(message, block)
    }
    denials = _denials(messages, lost) if lost else {}
    found: dict[int, Drop | Swap] = {}
    for index in {index for index, _ in lost}:
        message = messages[index]
        blocks = [denials.get((index, place), block) for place, block in enumerate(message.content)]
        results = [block for block in blocks if type(block) is ToolResultBlock]
        if any(type(block) not in (ApprovalResponseBlock, ToolResultBlock) for block in blocks):
            found[index] = Swap(message.evolve(content=blocks), _NO_PLACE)
        elif results:
            found[index] = Swap(message.evolve(role="tool", content=results), "a denied call has a result here")
        else:
            found[index] = Drop(_NO_PLACE)
    return found


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
