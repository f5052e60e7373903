"""Tool calls with their results, as ``tool_links`` pairs them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from agentmsg.model.blocks import ToolResultBlock, ToolUseBlock
from agentmsg.model.history import as_history
from agentmsg.model.tool_links import links

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentmsg.model.history import History, MsgLike


@attrs.frozen
class ToolPair:
    """A tool call and its result; one of the two may be missing.

    Attributes:
        call: None if the result has no earlier call.
        result: None if the call has no result.
        call_index: index of the message with the call; None without a call.
        result_index: index of the message with the result; None without a result.
    """

    call: ToolUseBlock | None = None
    result: ToolResultBlock | None = None
    call_index: int | None = None
    result_index: int | None = None


def pair_tools(messages: History | Iterable[MsgLike]) -> tuple[ToolPair, ...]:
    """Return each call with its result, in the order of the calls.

    Every call and every result is in exactly one pair, including calls with invalid arguments and those of server
    tools. A result with an id belongs to the first earlier call with that id that has no result yet, so repeated ids
    pair in order. A result without an id belongs to the first such call of its tool, or, without a name, of any tool.
    A result without a call is a pair of its own, in its place.
    """
    history = as_history(messages)
    calls = links(history)
    results = {call: result for result, call in calls.items()}
    pairs: list[ToolPair] = []
    for index, message in enumerate(history):
        for k, block in enumerate(message.content):
            if isinstance(block, ToolUseBlock):
                place = results.get((index, k))
                result = None if place is None else history[place[0]].content[place[1]]
                assert result is None or isinstance(result, ToolResultBlock)  # noqa: S101 - what links pairs
                pairs.append(ToolPair(block, result, index, None if place is None else place[0]))
            elif isinstance(block, ToolResultBlock) and (index, k) not in calls:
                pairs.append(ToolPair(result=block, result_index=index))
    return tuple(pairs)
