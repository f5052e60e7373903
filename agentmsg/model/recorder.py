"""Recorder: collects the messages of a running conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmsg.errors import is_a, refused
from agentmsg.model.checks import listed
from agentmsg.model.history import as_history, as_messages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from agentmsg.model.blocks import ToolUseBlock
    from agentmsg.model.history import History, MsgLike
    from agentmsg.model.msg import Msg


class Recorder:
    """Collects messages one after the other, and calls a listener for the agent's own.

    Args:
        start: the history to continue.
        on_message: called with each new message of one of the ``roles``.
        roles: by default the agent's own, assistant and tool.
    """

    def __init__(
        self,
        start: History | Iterable[MsgLike] = (),
        *,
        on_message: Callable[[Msg], object] | None = None,
        roles: Iterable[str] = ("assistant", "tool"),
    ) -> None:
        if on_message is not None and not callable(on_message):  # pyright: ignore[reportUnnecessaryComparison]
            raise refused("on_message", on_message, "a function of a message")
        self._history = as_history(start)
        self._before = len(self._history)
        self._messages: list[Msg] = []
        self._on_message = on_message
        self._roles = frozenset(role for role in listed(roles, "roles") if is_a(role, str))

    def add(self, *items: MsgLike) -> Recorder:
        """Add messages, texts or mappings, as ``History.of`` takes them; return the recorder itself."""
        for message in as_messages(items):
            self._messages.append(message)
            if self._on_message is not None and message.role in self._roles:
                self._on_message(message)
        return self

    @property
    def history(self) -> History:
        """All messages so far."""
        history = self._history
        # Another thread may add or read meanwhile; each extends a complete history.
        self._history = history = history.extended(*self._messages[len(history) - self._before :])
        return history

    @property
    def pending_tool_calls(self) -> tuple[ToolUseBlock, ...]:
        """The client's calls that have no result yet."""
        calls = (pair.call for pair in self.history.pair_tools() if pair.result is None)
        return tuple(call for call in calls if call is not None and call.kind != "server" and call.is_valid)

    def __copy__(self) -> Recorder:
        """Return an independent recorder with the same messages."""
        return Recorder(self.history, on_message=self._on_message, roles=self._roles)

    def __len__(self) -> int:
        """Return the number of messages so far."""
        return self._before + len(self._messages)
