"""Parse JSON text that certainly says no more than its value, without a second pass.

For codecs that prove a document's depth while they read it. ``parse_json`` proves it by writing the value again, which
would take a tenth of their time.
"""

from __future__ import annotations

from typing import Any

from agentmsg.limits import USUAL, Limits
from agentmsg.values.depth import PROVABLE, written_within
from agentmsg.values.text import UNUSUAL, as_bytes, library, may_round


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


def is_shallow(value: object, around: int = 0) -> bool:
    """Whether a parsed value has at most 254 levels, including those around it."""
    try:
        written_within(value, PROVABLE - around)
    except TypeError:
        return False
    return True
