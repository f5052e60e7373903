"""The items of a JSON array, one after the other, each as its bytes: in the memory of one, however many there are.

Only bounds are looked for. Whoever reads an item decides whether it is well-formed, by the rules for any document.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, BinaryIO

from agentmsg.errors import DecodeError

if TYPE_CHECKING:
    from collections.abc import Iterator

_CHUNK = 1 << 18
_BOM = b"\xef\xbb\xbf"
_SPACES = re.compile(rb"[ \t\n\r]*+")
# What isn't a bracket outside of strings, up to the next one, or to a string that isn't complete yet.
_PLAIN = re.compile(rb'[^"\[\]{}]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"\[\]{}]*+)*+', re.DOTALL)
# The rest of a string, without its end.
_TEXT = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
# A number or a word.
_WORD = re.compile(rb'[^ \t\n\r,"\[\]{}]*+')


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

    def is_array(self) -> bool:
        """Whether the stream is an array; nothing is lost of one that isn't, see ``rest``."""
        while len(self._held) < len(_BOM) and self._feed():
            pass
        if not self._before and self._held.startswith(_BOM):
            self._kept = self._at = len(_BOM)
        return self._is_inside or self._next() == b"["

    def items(self) -> Iterator[tuple[int, int, bytes | None]]:
        """Yield the items of an array: the place of each, its length and its bytes; None if it is longer than allowed.

        Raises:
            DecodeError: code "syntax", where it goes on as no array does; ``rest`` then gives what is left.
        """
        self._at += not self._is_inside
        is_first = not self._is_inside
        while not (self._next() == b"]" and is_first):
            self._kept = self._at
            begin = self._before + self._at
            if self._next() in (b"", b"]", b",") or not self._pass_value():
                raise self._fault("an array that is cut, or has an item missing")
            length = self._before + self._at - begin
            yield begin, length, self._passed() if length <= self._longest else None
            self._kept, is_first = self._at, False
            following = self._next()
            if following not in (b",", b"]"):
                raise self._fault("an array that is cut, or misses a comma")
            if following == b"]":
                break
            self._at += 1
            self._kept = None
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

    def _passed(self) -> bytes | None:
        """Return what is held of the item, up to here; None if it became too long."""
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
