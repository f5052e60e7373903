"""Turns: a user message and all that follows until the next one."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import attrs

from agentmsg.model.blocks import ToolUseBlock
from agentmsg.model.history import History, as_history
from agentmsg.model.tool_links import is_decision

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentmsg.model.history import MsgLike
    from agentmsg.model.msg import Msg


@attrs.frozen
class Turn:
    """A user message and all that follows until the next one.

    Attributes:
        messages: the messages of the turn, the user's first; a history with the id, tools, metadata and settings of the
            whole.
    """

    messages: History

    @property
    def user(self) -> Msg | None:
        """The user message; None for the turn before the first user message."""
        first = self.messages[0] if self.messages else None
        return first if first is not None and first.is_user else None

    @property
    def answer(self) -> Msg | None:
        """The assistant's last message; None if there is none, or if it still calls tools of the client."""
        last = self.messages.last(role="assistant")
        if last is None or any(call.kind != "server" for call in last.blocks(ToolUseBlock)):
            return None
        return last


def turns_of(messages: History | Iterable[MsgLike]) -> tuple[Turn, ...]:
    """Return the turns, in order: together they are the history.

    Each user message begins a turn, even if two stand side by side (see ``History.merge_runs``), but for decisions on
    tool calls, which go on with theirs. Messages before the first of them, such as the system's, are a turn without a
    user. Without messages there are no turns.
    """
    history = as_history(messages)
    starts = [
        index for index, message in enumerate(history) if index == 0 or (message.is_user and not is_decision(message))
    ]
    return tuple(Turn(history[start:end]) for start, end in pairwise((*starts, len(history))))
