"""Remembers bytes that were written or read: messages and histories never change, so their bytes stay valid.

It compares by identity, never by equality: 1, 1.0 and True are equal, and so are two spellings of one message. All of
it is bounded, also in bytes, and several threads may use it: each entry is stored complete, by one assignment.

``Body``: an agent writes its history after each turn, and everything but the end is as before. A history that grew by
``+`` shares a body with those it grew from: the history last written, and its bytes. If a history begins with these
very messages, and all else is the same, only the rest is written. If not, only the comparison was wasted, which ends at
the first message that differs. ``BODIES`` bounds all of them together.

``Seen``: the histories of texts that were read, for logs that are read again. ``reader_of``: a message's reader.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from operator import attrgetter, is_
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple

from agentmsg.model.construction import setter
from agentmsg.model.msg import Msg

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    # history.py imports this module.
    History = Any

_MOST_BYTES = 64 * 2**20

remember_reader: Callable[[Msg, object], None] = setter(Msg, "_read_by")
"""Notes what read a message: who writes it again with the same forms need not try whether its spellings hold.

As a message is immutable, they do; a copy with other fields, or other notes, is another message, and remembers nothing.
"""

reader_of: Callable[[Msg], object] = attrgetter("_read_by")
"""Returns what read a message, if it is known."""

remember_fit: Callable[[Msg, object], None] = setter(Msg, "_fits")
"""Notes the codec that read a message: it fits there (see ``Codec.fits_as_read``), until it is copied with changes."""

fit_of: Callable[[Msg], object] = attrgetter("_fits")
"""Returns that codec, or the capability table that the message last fitted; None if nothing is known."""


class Body:
    """The last written bytes of a history that grows."""

    __slots__ = ("__weakref__", "_last", "_ref")

    def __init__(self) -> None:
        self._last: _Last | None = None
        self._ref: weakref.ref[Body] | None = None

    def get(
        self,
        writer: object,
        history: History,
        frame: Callable[[History], tuple[bytes, bytes]],
        write: Callable[[Sequence[Msg]], bytes],
    ) -> bytes:
        """Return the bytes of a history; messages at its beginning that were written before aren't written again.

        Args:
            writer: who writes; another writer's bytes are of no use.
            history: one with at least one message.
            frame: returns the bytes before and after all messages of a history.
            write: returns the bytes of some messages, with commas between them.
        """
        last, messages, rest = self._last, history.messages, _rest(history)
        count = 0 if last is None or last.writer is not writer else _same(last, messages, rest)
        if last is None or not count:
            before, behind = frame(history)
            raw = b"".join((before, write(messages), behind))
        elif count == len(messages):
            return last.raw
        else:
            behind = last.behind
            # The only copy of the earlier bytes.
            kept = memoryview(last.raw)[: len(last.raw) - len(behind)]
            raw = b"".join((kept, b",", write(messages[count:]), behind))
        # Whichever thread comes last stores a complete entry.
        self._last = _Last(writer, messages, rest, raw, behind)
        BODIES.keep(self, len(raw))
        return raw

    def forget(self) -> None:
        """Forget what was written."""
        self._last = None


class _Last(NamedTuple):
    # Not the history itself: it holds the body, and a reference cycle would keep both until the collector runs.
    writer: object
    messages: tuple[Msg, ...]
    rest: tuple[object, ...]
    raw: bytes
    behind: bytes


def _rest(history: History) -> tuple[object, ...]:
    return history.id, history.tools, history.metadata, history.settings, history.extras, history.notes


def _same(last: _Last, messages: tuple[Msg, ...], rest: tuple[object, ...]) -> int:
    """Return how many messages of a history were written before; 0 if it doesn't continue the last one."""
    count = len(last.messages)
    # A changed field is another object: a history that grew shares those of the one it grew from.
    is_same = count <= len(messages) and all(map(is_, last.rest, rest))
    return count if is_same and all(map(is_, last.messages, messages)) else 0


class Bodies:
    """All bodies that are kept.

    Args:
        most: the bytes they may hold together; a body larger than a quarter of this isn't kept.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._sizes: OrderedDict[weakref.ref[Body], int] = OrderedDict()
        self._total = 0
        # The collector may end a body, and so call us, while we hold the lock.
        self._lock = RLock()

    @property
    def total(self) -> int:
        """The number of bytes kept."""
        return self._total

    def keep(self, body: Body, size: int) -> None:
        """Count a body that was just written; if there are too many bytes, forget the bodies written longest ago."""
        with self._lock:
            ref = body._ref  # pyright: ignore[reportPrivateUsage] - both live here
            if ref is None:
                ref = body._ref = weakref.ref(body, self._gone)  # pyright: ignore[reportPrivateUsage]
            self._total -= self._sizes.pop(ref, 0)
            if size * 4 > self.most:
                body.forget()
                return
            self._sizes[ref] = size
            self._total += size
            while self._total > self.most:
                oldest, freed = self._sizes.popitem(last=False)
                self._total -= freed
                owner = oldest()
                if owner is not None:
                    owner.forget()

    def _gone(self, ref: weakref.ref[Body]) -> None:
        with self._lock:
            self._total -= self._sizes.pop(ref, 0)


BODIES = Bodies(_MOST_BYTES)


class Seen:
    """The histories of texts that were read; if there are too many, all are forgotten.

    Args:
        most: the number to keep, of 64 MiB at most.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._bytes = 0
        self._known: dict[bytes, tuple[object, object, History]] = {}

    def get(self, raw: bytes, limits: object, duplicates: object) -> History | None:
        """Return the history of a text that was read before with the same limits and policy; None if there is none."""
        known = self._known.get(raw)
        return known[2] if known is not None and known[0] is limits and known[1] == duplicates else None

    def keep(self, raw: bytes, limits: object, duplicates: object, history: History) -> None:
        """Remember the history of a text."""
        if len(self._known) >= self._most or self._bytes + len(raw) > _MOST_BYTES:
            self._known.clear()
            self._bytes = 0
        if len(raw) <= _MOST_BYTES:
            self._bytes += len(raw)
            self._known[raw] = (limits, duplicates, history)
