"""Stats: what a history holds, in numbers. Imports the model, and which result answers which call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import attrs

from agentmsg.blocks import ToolResultBlock, ToolUseBlock
from agentmsg.json_values import FrozenDict
from agentmsg.link import links
from agentmsg.msg import Msg
from agentmsg.usage import Usage

if TYPE_CHECKING:
    from agentmsg.history import History

__all__ = ["HistoryStats", "stats_of"]

_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - only differences are used


@attrs.frozen(kw_only=True)
class HistoryStats:
    """What a history holds, in numbers.

    Attributes:
        messages: how many there are.
        by_role: how many of each role, in the order in which the roles first appear.
        length: characters of text of all messages together (see ``Msg.length``).
        average_length: characters of text a message; 0.0 where there are none.
        last_user_message: the last message of the role "user", or None.
        tool_executions: how many results of tools there are, those of server tools included.
        by_tool: how many results of each tool, in the order in which the tools first appear. A result without
            name counts for the tool of the call that it answers; where that is not known either, it counts in
            ``tool_executions`` only.
        usage: the sum of all usage; None where no message has any.
        duration: from the earliest to the latest time, whatever the order of the messages. None where fewer
            than two messages have times, and where some times are naive and some aware: nobody knows how far
            those are apart.
    """

    messages: int
    by_role: Mapping[str, int]
    length: int
    average_length: float
    last_user_message: Msg | None
    tool_executions: int
    by_tool: Mapping[str, int]
    usage: Usage | None
    duration: timedelta | None


def stats_of(history: History) -> HistoryStats:
    """Return what a history holds, in numbers; of any history, an empty one too."""
    length = sum(message.length for message in history)
    tools = list(_tools(history))
    return HistoryStats(
        messages=len(history),
        by_role=_counts(message.role for message in history),
        length=length,
        average_length=length / len(history) if history else 0.0,
        last_user_message=history.last(role="user"),
        tool_executions=len(tools),
        by_tool=_counts(name for name in tools if name is not None),
        usage=_usage(history),
        duration=_duration(message.created_at for message in history),
    )


def _counts(words: Iterable[str]) -> Mapping[str, int]:
    return FrozenDict(Counter(str(word) for word in words))


def _tools(history: History) -> Iterator[str | None]:
    """Yield the name of the tool of each result, from its call where it has none; None where nobody knows."""
    answered = links(history)
    for i, message in enumerate(history):
        for k, block in enumerate(message.content):
            if not isinstance(block, ToolResultBlock):
                continue
            name, place = block.name, answered.get((i, k))
            if name is None and place is not None:
                call = history[place[0]].content[place[1]]
                name = call.name if isinstance(call, ToolUseBlock) else None
            yield name


def _usage(history: History) -> Usage | None:
    total: Usage | None = None
    for message in history:
        if message.usage is not None:
            total = message.usage if total is None else total + message.usage
    return total


def _duration(times: Iterable[datetime | None]) -> timedelta | None:
    known = [_since_epoch(time) for time in times if time is not None]
    if len(known) < 2 or len({aware for aware, _ in known}) > 1:  # noqa: PLR2004 - it takes two to be apart
        return None
    moments = [moment for _, moment in known]
    return max(moments) - min(moments)


def _since_epoch(time: datetime) -> tuple[bool, timedelta]:
    """Return whether a time is aware, and how long after the beginning of 1970 it is.

    Not by subtracting two times: of two in one zone Python gives what the clock on the wall shows, which jumps.
    """
    wall, offset = time.replace(tzinfo=None) - _EPOCH, time.utcoffset()
    return offset is not None, wall - (offset or timedelta())
