"""JSON text that certainly says no more than its value, parsed without a second look.

For codecs that prove the depth of a document while they read it: to write the value again, which is how ``parse_json``
proves it of any text, takes a tenth of their time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.limits import USUAL, Limits
from agentmsg.values.depth import PROVABLE, written_within
from agentmsg.values.text import UNUSUAL, as_bytes, library, may_round

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["is_shallow", "parse_undoubted", "undoubted_items"]


def parse_undoubted(raw: bytes | bytearray | memoryview | str, limits: Limits) -> Any:
    """Return the value of a JSON text in which no number can be rounded; else UNUSUAL.

    For a codec that proves the depth by itself, or asks ``is_shallow`` of what it can't prove it of. Of duplicate
    keys the last is taken.

    Args:
        raw: as for ``parse_json``.
        limits: bounds on size and depth; where the depth is below USUAL, all is UNUSUAL.

    Raises:
        DecodeError: if it is no text at all.
    """
    data = as_bytes(raw)
    if len(data) > limits.bytes or limits.depth < USUAL:
        return UNUSUAL
    try:
        value = library()[0](data)
    except ValueError:
        return UNUSUAL
    return UNUSUAL if may_round(data) else value


def undoubted_items(data: bytes, begin: bytes, limits: Limits) -> Iterator[tuple[int, Any]]:
    """Yield the items of a JSON array one by one, as ``parse_undoubted`` reads them, each with where it ends.

    So an item is in the processor's cache while it is read, and its memory is that of the next: to parse and read a
    long array takes a tenth less time. The text is cut before each object that begins like the first; a string holds
    no such beginning, as a quote in it has a backslash before. Where a piece is no JSON, as the cut was inside of an
    item, this ends, and the rest is for others to read. The last item ends at -1, before the bracket.

    Args:
        data: the text, without spaces around.
        begin: how each object begins, such as ``{"lc": 1, ``; it holds a quote that follows a brace.
        limits: as for ``parse_undoubted``.
    """
    if len(data) > limits.bytes or limits.depth < USUAL or not (data.startswith(b"[" + begin) and data.endswith(b"]")):
        return
    if may_round(data):
        return
    loads, find = library()[0], data.find
    comma = b", " if b" " in begin else b","
    between, start, end = comma + begin, 1, 0
    while end >= 0:
        end = find(between, start)
        try:
            value = loads(data[start:end])
        except ValueError:
            return
        yield end, value
        start = end + len(comma)


def is_shallow(value: object, around: int = 0) -> bool:
    """Tell whether a value that was parsed has at most 254 levels, with those around it."""
    try:
        written_within(value, PROVABLE - around)
    except TypeError:
        return False
    return True
