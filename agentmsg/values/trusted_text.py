"""Parse JSON text that certainly says no more than its value, without a second pass.

For codecs that prove a document's depth while they read it. ``parse_json`` proves it by writing the value again, which
would take a tenth of their time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.limits import USUAL, Limits
from agentmsg.values.depth import PROVABLE, written_within
from agentmsg.values.text import UNUSUAL, as_bytes, library, may_round

if TYPE_CHECKING:
    from collections.abc import Iterator


def parse_undoubted(raw: bytes | bytearray | memoryview | str, limits: Limits) -> Any:
    """Return the value of a JSON text in which no number can be rounded; else UNUSUAL.

    For a codec that proves the depth itself, or calls ``is_shallow`` for the rest. For duplicate keys the last one
    wins.

    Args:
        raw: as for ``parse_json``.
        limits: bounds on size and depth; if the depth is below USUAL, every text is UNUSUAL.

    Raises:
        DecodeError: if it isn't text at all.
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
    """Yield the items of a JSON array one by one, as ``parse_undoubted`` reads them, each with the position of its end.

    An item is still in the processor's cache when it is read, and its memory is reused for the next: parsing and
    reading a long array takes a tenth less time. The text is cut before each object that begins like the first; a
    string can't contain such a beginning, because its quotes follow a backslash. If a piece isn't JSON, because the cut
    was inside an item, this stops, and the caller reads the rest in another way. The last item ends at -1, before the
    bracket.

    Args:
        data: the text, without surrounding spaces.
        begin: how each object begins, such as ``{"lc": 1, ``; it contains a quote after a brace.
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
    """Whether a parsed value has at most 254 levels, including those around it."""
    try:
        written_within(value, PROVABLE - around)
    except TypeError:
        return False
    return True
