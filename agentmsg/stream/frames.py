"""Events of a stream from bytes and texts cut anywhere, and server-sent events from events.

| first character | carrier |
| --- | --- |
| ``[`` | a JSON array of events |
| ``{`` | NDJSON: an event a line |
| any other | server-sent events, as the WHATWG's HTML standard frames them, up to the end or ``data: [DONE]`` |

Lines end in LF, CRLF or CR. Comments, names of events, ids and times to retry say nothing that the events don't. Pieces
that are whole lines without their ends (``iter_lines`` of most clients) are understood, too.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast, overload

from agentmsg.errors import DecodeError, excerpt, is_a
from agentmsg.formats.refusals import is_raw
from agentmsg.limits import DEFAULT_LIMITS
from agentmsg.values.copies import copy_document
from agentmsg.values.text import dump_json, parse_json
from agentmsg.values.types import is_mapping

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator

    from agentmsg.limits import Limits
    from agentmsg.model.fields import Untold

_CUT = "the stream ends inside an event"
_LAST = b"data: [DONE]\n\n"
_BOM, _DONE = b"\xef\xbb\xbf", b"[DONE]"
# Before such a line another one has ended, even if nothing says so.
_FIELD = re.compile(rb"(?:data|event|id|retry):|: |:?\Z")
_NO_DATA = re.compile(rb"(?::|(?:event|id|retry):)[^{}]*\Z")
_IN_ARRAY = re.compile(rb'["\\\[\]{}]')
_OPENS, _CLOSES = b"[{", b"]}"


class Frames:
    """Turns pieces into events, as far as they are complete.

    Attributes:
        limits: those of the events.
        is_done: whether the stream has said that it ends, as OpenAI's do.

    Args:
        limits: ``line`` bounds what is kept of a line or event that isn't complete; the others bound each event.
    """

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        self.limits = limits
        self.is_done = False
        self._tail = b""
        self._kind = b""
        self._data: list[bytes] = []
        self._size = 0
        self._array = _Array()
        self._count = 0

    def feed(self, piece: bytes | bytearray | memoryview | str) -> Iterator[Any]:
        """Yield the events that are complete with another piece.

        Raises:
            DecodeError: code "syntax" if an event isn't JSON; "bytes" if a line is longer than the limit. Its path is
                the number of the event.
        """
        found = piece.encode("utf-8", "surrogatepass") if isinstance(piece, str) else bytes(piece)
        begins = found.startswith(b"{") if self._kind == b"{" else _FIELD.match(found)
        if begins and self._tail and not self._tail.endswith(b"\r") and _is_whole(self._tail):
            found = b"\n" + (found or b"\n")
        yield from self._take(self._tail + found)

    def end(self) -> Iterator[Any]:
        """Yield the last event, if its end is missing.

        Raises:
            DecodeError: code "cut" if the stream ends inside an event.
        """
        try:
            yield from self._take(self._tail + b"\n\n")
        except DecodeError as error:
            if error.code == "syntax":
                raise DecodeError(_CUT, code="cut", path=error.path) from None
            raise
        if self._kind == b"[" and self._array.is_open:
            raise DecodeError(_CUT, code="cut", path=(self._count,))

    def _take(self, buffer: bytes) -> Iterator[Any]:
        if not self._kind:
            buffer = buffer.removeprefix(_BOM).lstrip() if len(buffer) >= len(_BOM) else buffer
            self._kind = buffer[:1] if not _BOM.startswith(buffer) else b""
        if self._kind == b"[":
            self._tail = b""
            for text in self._array.elements(buffer):
                yield self._event(text)
            self._check(self._array.size)
            return
        # A final CR may be the first half of CRLF.
        rest = b"\r" if buffer.endswith(b"\r") else b""
        lines = buffer[: len(buffer) - len(rest)].replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._tail = lines.pop() + rest
        for line in lines:
            yield from self._line(line)
        self._check(len(self._tail) + self._size)

    def _line(self, line: bytes) -> Iterator[Any]:
        if self.is_done:
            return
        if line.startswith(b"data:"):
            data = line[5:].removeprefix(b" ")
            self._data.append(data)
            self._size += len(data)
        elif line.startswith(b"{"):
            yield self._event(line)
        elif not line.strip() and self._data:
            data = b"\n".join(self._data).strip()
            self._data.clear()
            self._size = 0
            if data == _DONE:
                self.is_done = True
            elif data:
                yield self._event(data)

    def _event(self, data: bytes) -> Any:
        place = self._count
        self._count += 1
        try:
            return parse_json(data, limits=self.limits)
        except DecodeError as error:
            error.path = (place,)
            raise

    def _check(self, size: int) -> None:
        if size > self.limits.line:
            msg = f"an event has more than {self.limits.line} bytes; Limits(line=...) allows more"
            raise DecodeError(msg, code="bytes", path=(self._count,))


def _is_whole(line: bytes) -> bool:
    """Whether a line ends here even if nothing says so: it isn't data, or its data is."""
    if not line.startswith((b"data:", b"{")):
        return _NO_DATA.match(line) is not None
    data = line.removeprefix(b"data:").strip()
    if data == _DONE:
        return True
    try:
        return data.endswith((b"}", b"]")) and is_a(parse_json(data), (dict, list))
    except DecodeError:
        return False


class _Array:
    """Finds the elements of a JSON array that arrives in pieces."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._depth = 0
        self._in_text = self._escaped = False
        self.size = 0

    @property
    def is_open(self) -> bool:
        return self._depth > 0

    def elements(self, piece: bytes) -> Iterator[bytes]:
        """Yield the objects in the array that end in a piece."""
        if not piece:
            return
        start = 0
        if self._escaped:  # the character behind a backslash
            self._escaped, position = False, 1
        else:
            position = 0
        while True:
            sign = _IN_ARRAY.search(piece, position)
            if sign is None:
                break
            position = sign.end()
            byte = sign[0]
            if byte == b"\\":
                self._escaped = position == len(piece)
                position += 1
            elif byte == b'"':
                self._in_text = not self._in_text
            elif not self._in_text and byte in _OPENS:
                self._depth += 1
                if self._depth == 2:  # noqa: PLR2004 - an element of the array
                    start = sign.start()
                    self._pieces.clear()
            elif not self._in_text and byte in _CLOSES:
                self._depth -= 1
                if self._depth == 1:
                    yield b"".join((*self._pieces, piece[start:position]))
                    self._pieces.clear()
                    start = position
        if self._depth > 1:
            self._pieces.append(piece[start:])
        self.size = sum(map(len, self._pieces))


@overload
def events(pieces: Untold, *, limits: Limits = DEFAULT_LIMITS) -> Any: ...
@overload
def events(pieces: Iterable[Any] | bytes | str, *, limits: Limits = DEFAULT_LIMITS) -> Iterator[Any]: ...
@overload
def events(pieces: AsyncIterable[Any], *, limits: Limits = DEFAULT_LIMITS) -> AsyncIterator[Any]: ...
def events(pieces: Any, *, limits: Limits = DEFAULT_LIMITS) -> Any:
    """Yield the events of a stream as plain data, each as soon as it is complete.

    Args:
        pieces: bytes or texts of server-sent events, NDJSON or a JSON array, cut anywhere, or lines of them; or events
            that were parsed already, as plain data or objects of an SDK. A dict is passed on, not copied. An
            asynchronous iterable gives an asynchronous iterator.
        limits: bounds on what is read; ``line`` on a line or event.

    Raises:
        DecodeError: code "syntax" if bytes aren't a stream, "cut" if they end inside an event, "bytes" beyond the
            limit. Its path is the number of the event.
    """
    return async_events(pieces, Frames(limits)) if is_async(pieces) else events_in(pieces, Frames(limits))


def events_in(pieces: Iterable[Any] | bytes | str, frames: Frames, own_form: str | None = None) -> Iterator[Any]:
    """Do what ``events`` does, with frames that tell whether the stream said its end.

    Args:
        pieces: as for ``events``.
        frames: new ones.
        own_form: a method of an SDK's objects that returns their plain data, if it differs from their dump.
    """
    for piece in (cast("Any", pieces),) if is_raw(pieces) else cast("Iterable[Any]", pieces):
        if type(piece) is dict:  # the usual case
            yield piece
            continue
        if is_raw(piece):
            yield from frames.feed(piece)
        else:
            yield copy_document(piece, frames.limits.depth, own_form)
        if frames.is_done:
            return
    yield from frames.end()


async def async_events(pieces: AsyncIterable[Any], frames: Frames, own_form: str | None = None) -> AsyncIterator[Any]:
    """Yield what ``events_in`` does, of pieces that arrive asynchronously."""
    async for piece in pieces:
        if type(piece) is dict:
            yield piece
            continue
        if is_raw(piece):
            for event in frames.feed(piece):
                yield event
        else:
            yield copy_document(piece, frames.limits.depth, own_form)
        if frames.is_done:
            return
    for event in frames.end():
        yield event


@overload
def sse(events: Iterable[Any]) -> Iterator[bytes]: ...
@overload
def sse(events: AsyncIterable[Any]) -> AsyncIterator[bytes]: ...
def sse(events: Any) -> Any:
    """Yield each event framed as a server-sent event, as the provider does.

    Events that have a type are named by it, except in a UI message stream of Vercel's SDK; this, and a stream of
    OpenAI's chunks, end in ``data: [DONE]``.

    Args:
        events: plain data. An asynchronous iterable gives an asynchronous iterator.

    Raises:
        DecodeError: while iterating, code "type" if an event isn't an object.
    """
    return _framed_later(events) if is_async(events) else _framed(events)


def is_async(events: Any) -> bool:
    """Whether events arrive asynchronously; what can be iterated over either way is taken now."""
    kind: Any = events.__class__
    return hasattr(kind, "__aiter__") and not hasattr(kind, "__iter__")


def _framed(events: Iterable[Any]) -> Iterator[bytes]:
    ends = False
    for event in events:
        ends = ends or _ends_in_done(event)
        yield _frame(event, is_named=not ends)
    if ends:
        yield _LAST


async def _framed_later(events: AsyncIterable[Any]) -> AsyncIterator[bytes]:
    ends = False
    async for event in events:
        ends = ends or _ends_in_done(event)
        yield _frame(event, is_named=not ends)
    if ends:
        yield _LAST


def _ends_in_done(event: Any) -> bool:
    """Return whether a stream with such an event ends in ``[DONE]``, and doesn't name its events."""
    if not is_mapping(event):
        raise DecodeError(f"an event is an object, not {excerpt(event)}", code="type")
    kind = event.get("type")
    is_vercel = isinstance(kind, str) and _OF_VERCEL.match(kind) is not None
    return is_vercel or "errorText" in event or event.get("object") == "chat.completion.chunk"


def _frame(event: dict[str, Any], *, is_named: bool) -> bytes:
    kind = event.get("type")
    name = f"event: {kind}\n".encode() if is_named and isinstance(kind, str) and "\n" not in kind else b""
    return b"%sdata: %s\n\n" % (name, dump_json(event))


# The types of chunks of a UI message stream; no other stream's have a hyphen.
_OF_VERCEL = re.compile(r"[a-z]+-|(?:start|finish|abort|file|custom)\Z")
