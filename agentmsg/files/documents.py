"""The documents of a stream of bytes, one by one, each with its place; anything else is reported, not raised.

A range of a file of lines holds the lines that *begin* in it, so adjacent ranges hold each line once, wherever the file
is cut. Nothing here looks into a document, but for what to tell of one that is too long.
"""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import islice, starmap, takewhile
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, TypeAlias, cast

import attrs
import msgpack

from agentmsg.checking.inside import places_in
from agentmsg.errors import AgentMsgError, DecodeError, excerpt
from agentmsg.files.parquet import read_rows
from agentmsg.files.yaml_values import yaml_value
from agentmsg.limits import AROUND, beyond
from agentmsg.model.construction import maker
from agentmsg.values.pointers import onward_of, step_to, way_of
from agentmsg.values.text import dump_json, parse_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from agentmsg.files.file_names import Form
    from agentmsg.limits import Limits
    from agentmsg.values.pointers import Way

_BOM = b"\xef\xbb\xbf"
_LINE_FEED = 10
_CHUNK = 1 << 18
_SPACES = re.compile(rb"[ \t\n\r]*+")
# What isn't a bracket outside of strings, up to the next one, or to a string that isn't complete yet.
_PLAIN = re.compile(rb'[^"\[\]{}]*+(?>(?:"[^"\\]*+(?>(?:\\.[^"\\]*+)*)"[^"\[\]{}]*+)*)', re.DOTALL)
# The rest of a string, without its end.
_TEXT = re.compile(rb'[^"\\]*+(?>(?:\\.[^"\\]*+)*)', re.DOTALL)
# A number or a word.
_WORD = re.compile(rb'[^ \t\n\r,"\[\]{}]*+')
_MOST = 2**31 - 1
# How much of what is too long is looked at, to tell what stands in it.
_LOOKED_AT = 1 << 20
# How many arrays in an object too long are looked into.
_ARRAYS = 8
_NO_ARRAY = "only an array can be split: leave out --split, or name the form of the input with --form"


@attrs.frozen
class Found:
    """One document, as found in its file.

    Attributes:
        number: of the line or frame in its range, from 1.
        offset: of its first byte in the file (after decompression); for a row, about where its row group begins.
        length: in bytes, without its line end.
        data: its bytes; None if it is longer than allowed, or a blank line.
        fault: what is already known to be wrong with it, or None.
        until: the byte up to which the file is done once this document is; None means to its end.
        at: the JSON pointer to its place in its line, frame or file; number, offset and length then refer to that. None
            if it is the whole of it.
        is_joined: whether it is a JSON array of documents that are one conversation.
        beside: the document with the rejected answer, if both are a pair.
    """

    number: int
    offset: int
    length: int
    data: bytes | None
    fault: AgentMsgError | None = None
    until: int | None = None
    at: str | None = None
    is_joined: bool = False
    beside: Found | None = None

    @property
    def is_blank(self) -> bool:
        """Whether it is a blank line, and thus not a document."""
        return self.data is None and self.fault is None

    def content(self) -> bytes:
        """Return its bytes.

        Raises:
            AgentMsgError: what is known to be wrong with it.
        """
        if self.fault is not None or self.data is None:
            raise self.fault or AssertionError
        return self.data

    @property
    def end(self) -> int:
        """The byte up to which the file is done once this document is."""
        return self.offset + self.length if self.until is None else self.until


# The place of a value, its length, and its bytes; None if it is longer than allowed.
_Span: TypeAlias = "tuple[int, int, bytes | None]"
_make_found = maker(Found, "number", "offset", "length", "data")


def records(
    stream: BinaryIO,
    form: Form,
    limits: Limits,
    start: int = 0,
    end: int | None = None,
    *,
    name: str = "the file",
    column: str | None = None,
) -> Iterator[Found]:
    """Yield the documents of a range of a stream, in order, and blank lines, so that lines can be counted.

    Args:
        stream: bytes; seekable if ``start`` isn't 0.
        form: how the stream holds documents.
        limits: the longest line or document to hold in memory.
        start: first byte of the range.
        end: the byte after the range; None means to the end of the stream.
        name: of the file, for errors about all of it.
        column: the Parquet column that holds the documents; see ``parquet``.
    """
    if form == "parquet":
        return starmap(Found, read_rows(stream, name, column, longest=limits.line, start=start, end=end))
    return _READERS[form](stream, limits, start, end)


def _lines(stream: BinaryIO, limits: Limits, start: int, end: int | None) -> Iterator[Found]:
    longest = limits.line + len(_BOM) + len(b"\r\n")
    position = _first_line(stream, start, end)
    number = 0
    while end is None or position < end:
        line = stream.readline(longest)
        if not line:
            return
        number += 1
        offset, rest, end_of_line, is_blank = position, 0, line[-2:], line.isspace()
        if line[-1] != _LINE_FEED and len(line) == longest:
            rest, end_of_line, is_rest_blank = _skip_line(stream, None, end_of_line)
            is_blank = is_blank and is_rest_blank
        position += len(line) + rest
        if not offset and line.startswith(_BOM):
            line, offset = line[len(_BOM) :], len(_BOM)
        length = len(line) + rest - len(end_of_line) + len(end_of_line.removesuffix(b"\n").removesuffix(b"\r"))
        if is_blank or not length:
            skipped, lines = _skip_blank(stream, None if end is None else end - position)
            position, number = position + skipped, number + lines
            yield Found(number, position, 0, None)
        elif length > limits.line:
            yield Found(number, offset, length, None, too_long("line", "line", limits))
        else:
            yield _make_found(number, offset, length, line[:length])


def _first_line(stream: BinaryIO, start: int, end: int | None) -> int:
    """Go to the first line that begins at or after a byte, and return its position; don't search beyond the range."""
    if not start:
        return 0
    # If the byte before is a line end, a line begins here.
    stream.seek(start - 1)
    return start - 1 + _skip_line(stream, None if end is None else end - start + 1)[0]


def _skip_line(stream: BinaryIO, most: int | None, before: bytes = b"") -> tuple[int, bytes, bool]:
    """Read up to the next line end, or at most so many bytes.

    Returns:
        The number read, the last two of all, and whether they are blank.
    """
    skipped, last, is_blank = 0, before, True
    while most is None or skipped < most:
        piece = stream.readline(_CHUNK)
        skipped += len(piece)
        last = (last + piece[-2:])[-2:]
        is_blank = is_blank and (not piece or piece.isspace())
        if not piece or piece[-1] == _LINE_FEED:
            break
    return skipped, last, is_blank


def _skip_blank(stream: BinaryIO, most: int | None) -> tuple[int, int]:
    """Go past blank lines, many at a time, of at most so many bytes; return the numbers of bytes and of lines."""
    peek: Callable[[int], bytes] | None = getattr(stream, "peek", None)
    skipped = lines = 0
    while peek is not None and (most is None or skipped < most):
        ahead = peek(_CHUNK)[: None if most is None else most - skipped]
        blank = ahead[: len(ahead) - len(ahead.lstrip())].rfind(b"\n") + 1
        if not blank:
            break
        lines += stream.read(blank).count(b"\n")
        skipped += blank
    return skipped, lines


def too_long(what: str, limit: Literal["bytes", "line"], limits: Limits) -> DecodeError:
    """Return the error for what is longer than a limit."""
    return DecodeError(beyond(f"a {what} of more than {getattr(limits, limit)} bytes", limit), code="bytes")


class _Reader:
    """A stream of which a part is in memory; what isn't needed any more is forgotten."""

    def __init__(self, stream: BinaryIO, longest: int, start: int = 0) -> None:
        self._stream = stream
        self._longest = longest
        self._held = b""
        self._at = 0  # the next byte to look at
        self._kept: int | None = 0  # where begins what is to be held
        self._before = start  # number of bytes before those held
        self.beginning = b""  # of what ``rest`` went past

    def rest(self, most: int) -> tuple[int, int, bytes | None]:
        """Return what wasn't yielded: its place, its length, and its bytes, if there are no more than so many."""
        kept = self._at if self._kept is None else self._kept
        offset, data = self._before + kept, self._held[kept:]
        data += self._stream.read(max(0, most + 1 - len(data)))
        length = len(data)
        self.beginning = data[:_LOOKED_AT]
        while length > most and (piece := self._stream.read(_CHUNK)):
            length += len(piece)
        return offset, length, data if length <= most else None

    def _feed(self) -> bytes:
        """Read more, and return it."""
        if self._kept is not None and self._at - self._kept > self._longest:
            self._kept = None
        rest = self._held[self._at if self._kept is None else self._kept :]
        # Twice as much each time, so that what is long isn't copied again and again.
        piece = self._stream.read(max(_CHUNK, len(rest)))
        forgotten = len(self._held) - len(rest)
        self._before, self._at = self._before + forgotten, self._at - forgotten
        self._kept = None if self._kept is None else 0
        self._held = rest + piece
        return piece


class JsonReader(_Reader):
    """Splits a stream that is one JSON value into parts: in the memory of one, however many there are.

    Only bounds are looked for. Whoever reads a part decides whether it is well-formed, by the rules for any document.

    Args:
        stream: bytes.
        longest: the most bytes to hold of a part.
        start: the place of the stream: 0, or that of an item of an array.

    Attributes:
        pointer: the JSON pointer to the part that is read.
    """

    def __init__(self, stream: BinaryIO, longest: int, start: int = 0) -> None:
        super().__init__(stream, longest, start)
        self._is_inside = start > 0
        self.pointer = ""

    def opens(self, *brackets: bytes) -> bool:
        """Whether the stream begins with one of some brackets; nothing is lost if it doesn't, see ``rest``."""
        while len(self._held) < len(_BOM) and self._feed():
            pass
        if not self._before and self._held.startswith(_BOM):
            self._kept = self._at = len(_BOM)
        return self._is_inside or self._next() in brackets

    def parts(self, ways: tuple[Way, ...]) -> Iterator[_Span]:
        """Yield what stands at the ends of ways, or at their last steps to every member, in order.

        Yields:
            The place of each, its length and its bytes; None if it is longer than allowed.

        Raises:
            DecodeError: codes "syntax" and "duplicate-key", where it goes on as no JSON does; ``rest`` then gives what
                is left.
        """
        yield from self._parts(ways, "")
        if self._next():
            raise self._fault("more than one value, which is JSON Lines if each has a line (--form jsonl)")

    def _parts(self, ways: tuple[Way, ...], pointer: str) -> Iterator[_Span]:
        is_inside, self._is_inside = self._is_inside, False
        is_object = not is_inside and self._next() == b"{"
        if not is_inside and self._next() not in (b"{", b"["):
            yield self._taken()
            return
        self._at += not is_inside
        led: set[str] = set()
        for number, _ in enumerate(self._stops(b"}" if is_object else b"]", is_first=not is_inside)):
            key = self._key() if is_object else str(number)
            onward = () if key is None else onward_of(ways, key)
            self.pointer = pointer + step_to(key or "")
            if key in led:
                raise DecodeError(f"the key {excerpt(key)} occurs twice", code="duplicate-key")
            if not onward or key is None:
                self._kept = None
                self._pass()
                continue
            if is_object:
                led.add(key)
            # What is broken inside of a part spoils that alone, so it is taken whole.
            if any(None not in way for way in onward) or pointer.count("/") > AROUND:
                yield self._taken()
            else:
                yield from self._parts(onward, self.pointer)

    def heads(self) -> Iterator[bytes]:
        """Yield the first bytes of an array, or of an object as it begins with its first member, or with an array."""
        is_object = self._next() == b"{"
        self._at += is_object
        for number, _ in enumerate(self._stops(b"}", is_first=True) if is_object else (None,)):
            key = self._key() if is_object else None
            if not number or self._next() == b"[":
                while len(self._held) - self._at < _LOOKED_AT and self._feed():
                    pass
                before = b"" if key is None else b"{%b:" % dump_json(key)
                yield before + self._held[self._at : self._at + _LOOKED_AT]
            if is_object:
                self._pass()

    def _key(self) -> str | None:
        """Go past a key and its colon, and return it; None if it is longer than any that a pointer names."""
        if self._next() != b'"':
            raise self._fault("an object with a key that is no text")
        _, _, data = self._taken()
        if self._next() != b":":
            raise self._fault("an object that is cut, or misses a colon")
        self._at += 1
        return None if data is None else parse_json(data)

    def _stops(self, close: bytes, *, is_first: bool) -> Iterator[None]:
        """Stop at each member of an array or object, for the caller to go past it; then go past the end."""
        kind = "array" if close == b"]" else "object"
        while not (self._next() == close and is_first):
            self._kept, is_first = self._at, False
            if self._next() in (b"", b"]", b"}", b","):
                raise self._fault(f"an {kind} that is cut, or has an item missing")
            yield
            following = self._next()
            if following not in (b",", close):
                raise self._fault(f"an {kind} that is cut, or misses a comma")
            if following == close:
                break
            self._at += 1
            self._kept = None
        self._at += 1
        self._kept = self._at

    def _taken(self) -> _Span:
        """Go past a value, and return its place, its length, and its bytes if it isn't longer than allowed.

        Raises:
            DecodeError: if it is cut.
        """
        self._next()
        self._kept = self._at
        begin = self._before + self._at
        data = self._pass()
        length = self._before + self._at - begin
        self._kept = self._at
        return begin, length, data if length <= self._longest else None

    def _pass(self) -> bytes | None:
        """Go past a value, and return what is held of it; None if it became too long, or isn't held."""
        if self._next() in (b"", b",", b":", b"]", b"}") or not self._pass_value():
            raise self._fault("a value that is cut or missing")
        return None if self._kept is None else self._held[self._kept : self._at]

    def _fault(self, words: str) -> DecodeError:
        return DecodeError(f"{words}, at byte {self._before + self._at}", code="syntax")

    def _next(self) -> bytes:
        """Go to the next byte that isn't a space, and return it; empty at the end."""
        while True:
            found = _SPACES.match(self._held, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._held) or not self._feed():
                return self._held[self._at : self._at + 1]

    def _pass_value(self) -> bool:
        """Go past a value; whether it has an end."""
        begin, first = self._before + self._at, self._held[self._at]
        depth, is_text = 0, first in b'"'
        self._at += is_text
        while True:
            form = _TEXT if is_text else _PLAIN if first in b'"[{' else _WORD
            found = form.match(self._held, self._at)
            self._at = found.end() if found else self._at
            # A backslash alone is the last byte that is there.
            if self._held[self._at : self._at + 1] in (b"", b"\\"):
                if not self._feed():
                    return form is _WORD and self._before + self._at > begin
                continue
            if form is _WORD:
                return self._before + self._at > begin
            byte = self._held[self._at]
            self._at += 1
            if byte in b'"':
                is_text = not is_text
            else:
                depth += 1 if byte in b"[{" else -1
            if not depth and not is_text:
                return True


def _whole(stream: BinaryIO, limits: Limits, start: int, end: int | None) -> Iterator[Found]:
    """Yield the whole stream as one document."""
    del start, end  # a document can't be cut
    yield _whole_of(stream, JsonReader(stream, limits.bytes), limits)


def _places(stream: BinaryIO) -> list[str]:
    """Return where documents stand in a stream that was read once; none if it can't be read again."""
    places: dict[str, None] = {}
    with suppress(DecodeError, OSError):
        stream.seek(0)
        reader = JsonReader(stream, _LOOKED_AT)
        if reader.opens(b"[", b"{"):
            for beginning in islice(reader.heads(), _ARRAYS):
                places.update(dict.fromkeys(places_in(beginning)))
                if any(place.startswith("/*") for place in places):
                    break  # it leads into all members
    return list(places)


def _whole_of(stream: BinaryIO, reader: JsonReader, limits: Limits) -> Found:
    reader.opens()  # goes past a BOM
    offset, length, data = reader.rest(limits.bytes)
    fault = too_long("document", "bytes", limits) if data is None else None
    if fault is not None and (places := _places(stream) or places_in(reader.beginning)):
        also = " (so does --split)" if places == ["/*"] else ""
        told = " ".join(f"--at {place!r}" for place in places)
        fault.message += f"; {told} reads what is there one by one{also}"
    return Found(1, offset, length, data, fault)


def _yaml(stream: BinaryIO, limits: Limits, start: int, end: int | None) -> Iterator[Found]:
    """Yield the whole stream, which is YAML, as one document of JSON."""
    (found,) = _whole(stream, limits, start, end)
    try:
        data = None if found.data is None else dump_json(yaml_value(found.data, limits))
        yield attrs.evolve(found, data=data, until=found.end)
    except DecodeError as error:
        yield attrs.evolve(found, fault=error)


def parts(stream: BinaryIO, limits: Limits, at: Iterable[str]) -> Iterator[Found]:
    """Yield what stands at pointers in a stream that is a JSON array or object, see ``JsonReader.parts``.

    If it is neither, or if a pointer leads to all of it, that is yielded.
    """
    reader = JsonReader(stream, limits.bytes)
    ways = tuple(map(way_of, at))
    if () in ways or not reader.opens(b"[", b"{"):
        yield _whole_of(stream, reader, limits)
        return
    for found in _spans(reader, ways, limits):
        yield attrs.evolve(found, number=1, at=None if found.fault and found.data is not None else reader.pointer)


def _items(stream: BinaryIO, limits: Limits, start: int, end: int | None) -> Iterator[Found]:
    """Yield the items of a JSON array as documents; if it isn't an array, the whole as a fault."""
    if start:
        stream.seek(start)
    reader = JsonReader(stream, limits.bytes, start)
    if reader.opens(b"["):
        found = _spans(reader, ((None,),), limits)
        yield from takewhile(lambda each: end is None or each.offset < end, found)
    else:
        whole = _whole_of(stream, reader, limits)
        yield attrs.evolve(whole, fault=whole.fault or DecodeError(_NO_ARRAY))


def _spans(reader: JsonReader, ways: tuple[Way, ...], limits: Limits) -> Iterator[Found]:
    number = 0
    try:
        for number, (offset, length, data) in enumerate(reader.parts(ways), 1):
            yield Found(number, offset, length, data, too_long("value", "bytes", limits) if data is None else None)
    except DecodeError as error:
        offset, length, data = reader.rest(limits.bytes)
        yield Found(number + 1, offset, length, data, error)


class _FrameReader(_Reader):
    """Splits a stream of MessagePack into frames, without unpacking them."""

    def __init__(self, stream: BinaryIO, longest: int) -> None:
        super().__init__(stream, longest)
        most = min(longest, _MOST)
        self._unpacker: Any = cast("Any", msgpack).Unpacker(
            max_buffer_size=_MOST,
            max_str_len=most,
            max_bin_len=most,
            max_ext_len=most,
            max_array_len=most,
            max_map_len=most // 2,
        )

    def frame(self) -> bytes | None:
        """Return the next frame, or None at the end of the stream; ``rest`` then says what remains.

        Raises:
            ValueError: if there is no frame, and thus no way to go on; several kinds of it.
        """
        while True:
            try:
                self._unpacker.skip()
            except msgpack.OutOfData:
                if len(self._held) - self._at > self._longest:
                    raise ValueError(beyond(f"a frame of more than {self._longest} bytes", "bytes")) from None
                if not (piece := self._feed()):
                    return None
                self._unpacker.feed(piece)
                continue
            begin, self._at = self._at, self._unpacker.tell() - self._before
            self._kept = self._at
            return self._held[begin : self._at]


def _frames(stream: BinaryIO, limits: Limits, start: int, end: int | None) -> Iterator[Found]:
    """Yield frames. After invalid bytes the next frame can't be found: they are one fault to the end."""
    if start:
        stream.seek(start)
    reader = _FrameReader(stream, limits.bytes)
    position, number = start, 0
    while end is None or position < end:
        number += 1
        words = "the last frame is cut"
        try:
            frame = reader.frame()
        except (ValueError, msgpack.UnpackException) as error:
            frame, words = None, f"not MessagePack: {error or type(error).__name__}"
        if frame is None:
            _, length, data = reader.rest(limits.bytes)
            if length:
                yield Found(number, position, length, data, DecodeError(words, code="syntax"))
            return
        if len(frame) <= limits.bytes:
            yield Found(number, position, len(frame), frame)
        else:
            yield Found(number, position, len(frame), None, too_long("frame", "bytes", limits))
        position += len(frame)


def beginnings(stream: BinaryIO, form: Form, limits: Limits, every: int) -> Iterator[int]:
    """Yield where a file of frames, or an array, can be cut: where documents begin, at least so many bytes apart."""
    last = 0
    for found in _READERS[form](stream, limits, 0, None):
        if found.offset - last >= every and found.fault is None:
            last = found.offset
            yield last


_READERS: Mapping[Form, Callable[[BinaryIO, Limits, int, int | None], Iterator[Found]]] = {
    "array": _items,
    "json": _whole,
    "jsonl": _lines,
    "msgpack": _frames,
    "yaml": _yaml,
}
