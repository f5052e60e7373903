"""The items of a JSON array, one after the other, each as its bytes: in the memory of one, however many there are.

Only bounds are looked for. Whoever reads an item decides whether it is well-formed, by the rules for any document.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, BinaryIO

import attrs

from agentmsg.errors import DecodeError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ArrayReader", "Item"]

_CHUNK = 1 << 18
_BOM = b"\xef\xbb\xbf"
_SPACES = re.compile(rb"[ \t\n\r]*+")
# What isn't a bracket outside of strings, up to the next one, or to a string that isn't complete yet.
_PLAIN = re.compile(rb'[^"\[\]{}]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"\[\]{}]*+)*+', re.DOTALL)
# The rest of a string, without its end.
_TEXT = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
# A number or a word.
_WORD = re.compile(rb'[^ \t\n\r,"\[\]{}]*+')


@attrs.frozen
class Item:
    """An item of an array.

    Attributes:
        offset: of its first byte in the stream.
        length: in bytes.
        data: its bytes; None if it is longer than allowed.
    """

    offset: int
    length: int
    data: bytes | None


class ArrayReader:
    """Splits a stream that is a JSON array into items, without parsing them.

    Args:
        stream: bytes.
        longest: the most bytes to hold of an item.
        start: the place of the stream: 0, or that of an item.
    """

    def __init__(self, stream: BinaryIO, longest: int, start: int = 0) -> None:
        self._stream = stream
        self._longest = longest
        self._is_inside = start > 0
        self._held = b""
        self._at = 0  # the next byte to look at
        self._kept: int | None = 0  # where the item begins that is to be held
        self._before = start  # number of bytes before those held
        self._begin = start  # where the item begins in the stream

    @property
    def position(self) -> int:
        """The place of the next byte in the stream."""
        return self._before + self._at

    def is_array(self) -> bool:
        """Whether the stream is an array; nothing is lost of one that isn't, see ``rest``."""
        while len(self._held) < len(_BOM) and self._feed():
            pass
        if not self._before and self._held.startswith(_BOM):
            self._kept = self._at = len(_BOM)
        return self._is_inside or self._next() == b"["

    def items(self) -> Iterator[Item]:
        """Yield the items of an array.

        Raises:
            DecodeError: code "syntax", where it goes on as no array does; ``rest`` then gives what is left.
        """
        begins = not self._is_inside
        self._at += begins
        while True:
            self._kept = None
            following = self._next()
            if begins and following == b"]":
                break
            self._kept = self._at
            if following in (b"", b"]", b",") or not self._pass_value():
                raise self._fault("an array that is cut, or has an item missing")
            offset, end = self._begin, self.position
            is_held = self._kept is not None and end - offset <= self._longest
            yield Item(offset, end - offset, self._held[self._kept : self._at] if is_held else None)
            self._kept = self._at
            begins, following = False, self._next()
            if following not in (b",", b"]"):
                raise self._fault("an array that is cut, or misses a comma")
            if following == b"]":
                break
            self._at += 1
        self._at += 1
        self._kept = self._at
        if self._next():
            raise self._fault("more than an array")

    def rest(self, most: int) -> tuple[int, int, bytes | None]:
        """Return what wasn't yielded: its place, its length, and its bytes, if there are no more than so many."""
        kept = self._at if self._kept is None else self._kept
        offset, data = self._before + kept, self._held[kept:]
        data += self._stream.read(max(0, most + 1 - len(data)))
        length = len(data)
        while length > most and (piece := self._stream.read(_CHUNK)):
            length += len(piece)
        return offset, length, data if length <= most else None

    def _fault(self, words: str) -> DecodeError:
        return DecodeError(f"{words}, at byte {self.position}", code="syntax")

    def _next(self) -> bytes:
        """Go to the next byte that isn't a space, and return it; empty at the end."""
        while True:
            found = _SPACES.match(self._held, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._held) or not self._feed():
                return self._held[self._at : self._at + 1]

    def _pass_value(self) -> bool:
        """Go past a value; whether it has an end."""
        self._begin = self.position
        if self._held[self._at] not in b'"[{':
            while True:
                found = _WORD.match(self._held, self._at)
                self._at = found.end() if found else self._at
                if self._at < len(self._held) or not self._feed():
                    return self.position > self._begin
        depth, is_text = 0, self._held[self._at] in b'"'
        self._at += is_text
        while True:
            found = (_TEXT if is_text else _PLAIN).match(self._held, self._at)
            self._at = found.end() if found else self._at
            # A backslash alone is the last byte that is there.
            if self._held[self._at : self._at + 1] in (b"", b"\\"):
                if not self._feed():
                    return False
                continue
            byte = self._held[self._at]
            self._at += 1
            if byte in b'"':
                is_text = not is_text
            else:
                depth += 1 if byte in b"[{" else -1
            if not depth and not is_text:
                return True

    def _feed(self) -> bool:
        """Read more; whether there is any. What isn't needed any more is forgotten."""
        if self._kept is not None and self._at - self._kept > self._longest:
            self._kept = None
        rest = self._held[self._at if self._kept is None else self._kept :]
        # Twice as much each time, so that a long item isn't copied again and again.
        piece = self._stream.read(max(_CHUNK, len(rest)))
        forgotten = len(self._held) - len(rest)
        self._before, self._at = self._before + forgotten, self._at - forgotten
        self._kept = None if self._kept is None else 0
        self._held = rest + piece
        return bool(piece)
