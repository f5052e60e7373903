"""Envelopes: how a framework keeps an answer, which is in the form of the one who gave it.

The client of a framework sends back what a provider needs back (signatures, encrypted reasoning, ids of items, calls of
the provider's own tools) only if it stands where this client itself would have put it. So the codec of a framework has
two layers. Below, it reads and writes the framework's objects in its own words, whoever answered. Above, an envelope
turns the answers of known providers into these words and back: ``wrap`` before writing, ``unwrap`` after reading.

Both are proved each time: what is wrapped is unwrapped again, and what is unwrapped is wrapped again. A message for
which this doesn't hold stays as it is, in the framework's words. So no envelope can lose anything, or change how a
document comes back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from agentmsg.errors import AgentMsgError
from agentmsg.formats.shapes import Unreadable
from agentmsg.model.blocks import ToolResultBlock
from agentmsg.model.equality import same

if TYPE_CHECKING:
    from agentmsg.model.history import History
    from agentmsg.model.msg import Msg

__all__ = ["Envelope", "is_just_as"]


class Envelope:
    """Base of the envelopes of frameworks; a subclass defines ``wrap`` and ``unwrap``.

    Attributes:
        roles: the roles of the messages that it wraps.
    """

    roles: ClassVar[frozenset[str]] = frozenset({"assistant"})

    def wrap(self, message: Msg) -> Msg:
        """Return a message in the framework's words; the message itself where there is nothing to do.

        It should be quick to say so. An ``Unreadable`` or an ``AgentMsgError`` means the same.
        """
        raise NotImplementedError

    def unwrap(self, message: Msg) -> Msg:
        """Return a message that was read, in the words of the one who answered; else the message itself."""
        raise NotImplementedError

    def wrapped(self, history: History) -> History:
        """Return a history to write, in the framework's words; itself if nothing is to be wrapped."""
        return _changed(history, [self._wrapped(message) for message in history.messages])

    def unwrapped(self, history: History) -> History:
        """Return a history that was read, in the words of those who answered; itself if nothing is wrapped."""
        return _changed(history, [self._unwrapped(message) for message in history.messages])

    def _wrapped(self, message: Msg) -> Msg:
        if message._bare or message.role not in self.roles:
            return message
        try:
            new = self.wrap(message)
            return new if new is message or same(self.unwrap(new), message) else message
        except (AgentMsgError, Unreadable):
            return message

    def _unwrapped(self, message: Msg) -> Msg:
        return message if message._bare or message.role not in self.roles else self.opened(message)

    def opened(self, message: Msg) -> Msg:
        """Return a message that was read, unwrapped if wrapping it again gives the same; else the message itself."""
        try:
            new = self.unwrap(message)
            return new if new is message or is_just_as(self.wrap(new), message) else message
        except (AgentMsgError, Unreadable):
            return message


def _changed(history: History, messages: list[Msg]) -> History:
    if all(new is old for new, old in zip(messages, history.messages, strict=True)):
        return history
    return history.evolve(messages=tuple(messages))


def is_just_as(one: Msg, other: Msg) -> bool:
    """Whether two messages are the same, and spelt the same: their notes are, too."""
    return same(one, other) and _notes(one) == _notes(other)


def _notes(owner: Any) -> list[Any]:
    inside = (_notes(block) if isinstance(block, ToolResultBlock) else block.notes for block in owner.content)
    return [owner.notes, *inside]
