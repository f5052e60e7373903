"""Calls of tools with what answers them, as ``tool_links`` pairs them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from agentmsg.model.blocks import ToolResultBlock, ToolUseBlock
from agentmsg.model.history import as_history
from agentmsg.model.tool_links import links

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentmsg.model.history import History, MsgLike

__all__ = ["ToolPair", "pair_tools"]


@attrs.frozen
class ToolPair:
    """A call of a tool and its result; one of the two may be missing.

    Attributes:
        call: None where a result answers no call that stands before it.
        result: None where nothing answers the call.
        call_index: of the message that holds the call; None where there is none.
        result_index: of the message that holds the result; None where there is none.
    """

    call: ToolUseBlock | None = None
    result: ToolResultBlock | None = None
    call_index: int | None = None
    result_index: int | None = None


def pair_tools(messages: History | Iterable[MsgLike]) -> tuple[ToolPair, ...]:
    """Return each call with the result that answers it, in the order of the calls.

    Every call and every result of the messages is in exactly one pair, calls with invalid arguments and those of
    server tools among them. A result with an id answers the first call of that id before it that is not answered
    yet, so ids that repeat pair in order; a result without id the first such call of its tool, or of any where it
    names none. A result that answers no call is a pair of its own and stands where it is.
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
