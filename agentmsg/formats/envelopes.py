"""Envelopes: how a framework keeps an answer, which is in the form of the one who gave it.

The client of a framework sends back what a provider needs back (signatures, encrypted reasoning, ids of items, calls of
the provider's own tools) only if it stands where this client itself would have put it. So the codec of a framework has
two layers. Below, it reads and writes the framework's objects in its own words, whoever answered. Above, an envelope
turns the answers of known providers into these words and back: ``wrap`` before writing, ``unwrap`` after reading.

Both are proved each time: what is wrapped is unwrapped again, and what is unwrapped is wrapped again. A message for
which this doesn't hold stays as it is, in the framework's words; one that was read so is marked, and written so. So no
envelope can lose anything, or change how a document comes back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar
from weakref import ref

from agentmsg.errors import AgentMsgError
from agentmsg.formats.key_orders import orders_of, reordered
from agentmsg.formats.natives import is_marked
from agentmsg.formats.shapes import Unreadable, marked
from agentmsg.formats.spelling import changed
from agentmsg.model.blocks import ToolResultBlock
from agentmsg.model.equality import same
from agentmsg.model.generated import given
from agentmsg.model.remembering import reader_of, remember_reader

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmsg.model.history import History
    from agentmsg.model.msg import Msg

__all__ = ["UNFIT", "Envelope", "as_written", "is_just_as", "orders_of", "reordered"]

UNFIT: tuple[type[Exception], ...] = (Unreadable, AgentMsgError, AttributeError, LookupError, TypeError, ValueError)
"""What a table between two forms raises for what isn't in them, whatever kinds of values that has."""
_AS_READ, _EACH = "/as-read", "/each"


class Envelope:
    """Base of the envelopes of frameworks; a subclass defines ``wrap`` and ``unwrap``.

    Attributes:
        family: of the framework's notes.
        roles: the roles of the messages that it wraps.
    """

    family: ClassVar[str]
    roles: ClassVar[frozenset[str]] = frozenset({"assistant"})
    # The last history, and where it may have something to wrap.
    _last: tuple[ref[History], tuple[int, ...]] | None = None

    def wrap(self, message: Msg) -> Msg:
        """Return a message in the framework's words; the message itself where there is nothing to do.

        It should be quick to say so. An error in ``UNFIT`` means the same.
        """
        raise NotImplementedError

    def wrap_each(self, message: Msg) -> Msg:
        """Return a message that doesn't come back as a whole, in which each part that does is wrapped; by default none.

        An error in ``UNFIT`` means the message itself, too.
        """
        return message

    def unwrap(self, message: Msg) -> Msg:
        """Return a message that was read, in the words of the one who answered; else the message itself."""
        raise NotImplementedError

    def is_usual(self, message: Msg) -> bool:
        """Whether there is nothing to wrap or unwrap, which should take no time to see; by default it is unknown."""
        return False

    def renewed(self, message: Msg) -> Msg:
        """Return a message that an earlier version read and stored as today's reader has it; by default itself."""
        return message

    def comes_back(self, message: Msg, wrapped: Msg) -> bool:
        """Whether a message that was read is written as it was when it is wrapped again."""
        return is_just_as(wrapped, message)

    def wrapped(self, history: History) -> History:
        """Return a history to write, in the framework's words; itself if nothing is to be wrapped."""
        return self.each(history, self._wrapped)

    def unwrapped(self, history: History) -> History:
        """Return a history that was read, in the words of those who answered; itself if nothing is wrapped."""
        found = self.each(history, self.opened)
        if found is not history:
            self._last = ref(found), self.places(history)
        return found

    def concerns(self, message: Msg) -> bool:
        """Whether there may be something to wrap or unwrap."""
        return not message._bare and message.role in self.roles and not self.is_usual(message)

    def places(self, history: History) -> tuple[int, ...]:
        """Return the indexes of the messages in which there may be something to wrap or unwrap.

        A history is read, fitted and written in turn: what was found for the last one is remembered.
        """
        last = self._last
        if last is not None and last[0]() is history:
            return last[1]
        concerns = self.concerns
        found = tuple([index for index, message in enumerate(history.messages) if concerns(message)])
        self._last = ref(history), found
        return found

    def each(self, history: History, change: Callable[[Msg], Msg]) -> History:
        """Return a history with other messages where there may be something to change."""
        given = history.messages
        new = {index: change(given[index]) for index in self.places(history)}
        if all(given[index] is message for index, message in new.items()):
            return history
        messages = list(given)
        for index, message in new.items():
            messages[index] = message
        return changed(history, {"messages": tuple(messages)})

    def _wrapped(self, message: Msg) -> Msg:
        kept = reader_of(message)
        if type(kept) is _Wrapped and kept.envelope is self and kept.source() is message:
            return kept.message
        if is_marked(message, self.family, _AS_READ):
            return message
        new = None if is_marked(message, self.family, _EACH) else self._proved(self.wrap, message)
        if new is None:
            new = self._proved(self.wrap_each, message)
        if new is None or new is message:
            return message
        if kept is None:
            self.remember(message, new)
        return new

    def _proved(self, wrap: Callable[[Msg], Msg], message: Msg) -> Msg | None:
        said = as_written(message)
        if said is not message:
            new = self._proved(wrap, said)  # in a form that tells by itself who answered
            if new is not None and new is not said:
                return new
        try:
            new = wrap(message)
            if new is message:
                return message
            written = as_written(new)
            # Without who answered, a reader may not see whose form it is.
            back = self.unwrap(written) if written is new else self.opened(written)
            return new if same(back, message) else None
        except UNFIT:
            return None

    def opened(self, message: Msg) -> Msg:
        """Return a message that was read, unwrapped if wrapping it again gives the same.

        Else it is the message itself, marked if wrapping it would change it.
        """
        try:
            new = self.unwrap(message)
            if new is not message:
                known = self.remember(new, message) if self.is_proved(new, message) else self.in_parts(new, message)
                if known is not None:
                    return known
        except UNFIT:
            pass
        return self.as_read(message)

    def is_proved(self, message: Msg, wrapped: Msg) -> bool:
        """Whether a message that was unwrapped is wrapped as it was, also by a writer that doesn't remember it."""
        try:
            new = self.wrap(message)
        except UNFIT:
            return False
        # What is just as the other is unwrapped as that was.
        return is_just_as(new, wrapped) or (
            self.comes_back(wrapped, new) and self._proved(self.wrap, message) is not None
        )

    def in_parts(self, message: Msg, wrapped: Msg) -> Msg | None:
        """Return a message of which each part was unwrapped; None if a writer that doesn't remember it fails.

        It is marked if it would be wrapped otherwise as a whole.
        """
        new = self._proved(self.wrap_each, message)
        if new is None or not self.comes_back(wrapped, new):
            return None
        is_whole = self._proved(self.wrap, message) is not None
        return self.remember(marked(message, self.family, **{_EACH[1:]: True}) if is_whole else message, wrapped)

    def reopened(self, message: Msg) -> Msg:
        """Return what a reader makes of a message that is written in the framework's words, although it wasn't read."""
        return self.opened(message)

    def agreeing(self, messages: list[Msg], inside: History) -> list[Msg]:
        """Return messages that were taken out of a history one by one as its reader makes them agree; by default so."""
        return messages

    def as_read(self, message: Msg) -> Msg:
        """Return a message that was read in the framework's words, and is written in them."""
        wrapped = self._wrapped(message)
        if wrapped is message or self.comes_back(message, wrapped):
            return message
        return marked(message, self.family, **{_AS_READ[1:]: True})

    def remember(self, message: Msg, wrapped: Msg) -> Msg:
        """Return a message that remembers in which form it was wrapped: nobody need wrap it again."""
        remember_reader(message, _Wrapped(self, message, wrapped))
        return message


def as_written(message: Msg) -> Msg:
    """Return a message without what a reader told of who answered: it isn't written."""
    provider, api = given(message.provider), given(message.api)
    is_stated = provider is message.provider and api is message.api
    return message if is_stated else message.evolve(provider=provider, api=api)


class _Wrapped:
    """What a message remembers as its reader: the form in which it was wrapped; a copy may have it, too."""

    __slots__ = ("envelope", "message", "source")

    def __init__(self, envelope: Envelope, source: Msg, message: Msg) -> None:
        self.envelope = envelope
        self.source = ref(source)
        self.message = message


def is_just_as(one: Msg, other: Msg) -> bool:
    """Whether two messages are the same, and spelt the same: their notes are, too."""
    return same(one, other) and _notes(one) == _notes(other)


def _notes(owner: Any) -> list[Any]:
    inside = (_notes(block) if isinstance(block, ToolResultBlock) else block.notes for block in owner.content)
    return [owner.notes, *inside]
