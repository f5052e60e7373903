"""Statistics of a history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import attrs

from agentmsg.model.blocks import ToolResultBlock, ToolUseBlock
from agentmsg.model.msg import Msg
from agentmsg.model.tool_links import links
from agentmsg.model.usage import COUNTERS, Usage
from agentmsg.ops.tokens import checked_counter, history_tokens, media_tokens, tool_tokens
from agentmsg.values.frozen import FrozenDict

if TYPE_CHECKING:
    from agentmsg.model.history import History
    from agentmsg.ops.tokens import Counter as TokenCounter

_NONE: Mapping[str, int] = FrozenDict()
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - only differences are used


@attrs.frozen(kw_only=True)
class HistoryStats:
    """Statistics of a history.

    Attributes:
        messages: number of messages.
        by_role: number of messages by role, in order of first appearance.
        length: characters of text in all messages (see ``Msg.length``).
        lengths: characters of text in each message, in order.
        average_length: characters of text per message; 0.0 without messages.
        last_user_message: the last message with the role "user", or None.
        tool_executions: number of tool results, those of server tools included.
        by_tool: number of results by tool, in order of first appearance. A result without a name counts for the tool of
            its call. If that is unknown, it counts in ``tool_executions`` only.
        tool_errors: number of results that report an error (see ``ToolResultBlock.is_error``).
        errors_by_tool: the same by tool, as in ``by_tool``.
        calls_by_tool: number of calls by tool, those with invalid arguments included.
        tokens: what the history costs as a prompt, its tools and media included. It is estimated, or counted by the
            counter given to ``History.stats``; see ``agentmsg.ops.tokens``.
        tool_tokens: how many of them its tools and the schema of its response format cost.
        media_tokens: how many of them its images, audio, video and files cost.
        usage: the sum of all usage; None if no message has any.
        usage_stated: number of messages that state each counter of ``usage``; counters that none states are left out.
        duration: from the earliest to the latest time, whatever the order of the messages. None if fewer than two
            messages have times, or if some times are naive and some aware.
    """

    messages: int
    by_role: Mapping[str, int]
    length: int
    lengths: tuple[int, ...] = ()
    average_length: float
    last_user_message: Msg | None
    tool_executions: int
    by_tool: Mapping[str, int]
    tool_errors: int = 0
    errors_by_tool: Mapping[str, int] = _NONE
    calls_by_tool: Mapping[str, int] = _NONE
    tokens: int = 0
    tool_tokens: int = 0
    media_tokens: int = 0
    usage: Usage | None
    usage_stated: Mapping[str, int] = _NONE
    duration: timedelta | None


def stats_of(history: History, *, counter: TokenCounter | None = None) -> HistoryStats:
    """Return the statistics of a history, which may be empty.

    Args:
        history: the history.
        counter: returns the tokens of a message; the default is ``agentmsg.approximate_tokens``.

    Raises:
        InvalidMessage: code "type" if the counter is no function that returns a number of tokens.
    """
    counter = checked_counter(counter)
    lengths = tuple(message.length for message in history)
    length = sum(lengths)
    tools = list(_tools(history))
    failed = [name for name, is_error in tools if is_error]
    usages = [message.usage for message in history if message.usage is not None]
    return HistoryStats(
        messages=len(history),
        by_role=_counts(message.role for message in history),
        length=length,
        lengths=lengths,
        average_length=length / len(history) if history else 0.0,
        last_user_message=history.last(role="user"),
        tool_executions=len(tools),
        by_tool=_counts(name for name, _ in tools),
        tool_errors=len(failed),
        errors_by_tool=_counts(failed),
        calls_by_tool=_counts(call.name for message in history for call in message.blocks(ToolUseBlock)),
        tokens=history_tokens(history, counter),
        tool_tokens=tool_tokens(history, counter),
        media_tokens=media_tokens(history, counter),
        usage=Usage.joined(usages) if usages else None,
        usage_stated=_counts(name for usage in usages for name in COUNTERS if getattr(usage, name) is not None),
        duration=_duration(message.created_at for message in history),
    )


def _counts(words: Iterable[str | None]) -> Mapping[str, int]:
    """Count each word, ignoring None."""
    return FrozenDict(Counter(str(word) for word in words if word is not None))


def _tools(history: History) -> Iterator[tuple[str | None, bool]]:
    """Yield the tool of each result (its call's if it names none), and whether it failed.

    The tool is None if it isn't known.
    """
    answered = links(history)
    for i, message in enumerate(history):
        for k, block in enumerate(message.content):
            if not isinstance(block, ToolResultBlock):
                continue
            name, place = block.name, answered.get((i, k))
            if name is None and place is not None:
                call = history[place[0]].content[place[1]]
                name = call.name if isinstance(call, ToolUseBlock) else None
            yield name, block.is_error


def _duration(times: Iterable[datetime | None]) -> timedelta | None:
    known = [_since_epoch(time) for time in times if time is not None]
    if len(known) < 2 or len({aware for aware, _ in known}) > 1:  # noqa: PLR2004 - it takes two to be apart
        return None
    moments = [moment for _, moment in known]
    return max(moments) - min(moments)


def _since_epoch(time: datetime) -> tuple[bool, timedelta]:
    """Return whether a time is aware, and its distance from the beginning of 1970.

    Subtracting two times wouldn't do: for two in the same zone Python uses wall-clock time, which jumps.
    """
    wall, offset = time.replace(tzinfo=None) - _EPOCH, time.utcoffset()
    return offset is not None, wall - (offset or timedelta())
