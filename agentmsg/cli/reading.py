"""Reading of documents for commands that take any format: which bytes, and what format they have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmsg.cli.disk import read_file
from agentmsg.cli.terminal import say
from agentmsg.conversion import detect, loads
from agentmsg.errors import DecodeError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmsg.history import History

__all__ = ["detected", "documents_of", "history_of"]

_LINES = (".jsonl", ".ndjson")


def documents_of(name: str) -> Iterator[bytes]:
    """Yield the documents of a file: each line that is not empty of a ``.jsonl``, else the file as a whole."""
    raw = read_file(name)
    if name.lower().endswith(_LINES):
        yield from (line for line in raw.splitlines() if line.strip())
    else:
        yield raw


def history_of(raw: bytes, codec: str | None) -> History:
    """Return the history of a document; its format is detected where no codec is named."""
    return loads(raw, codec or detected(raw), duplicates="error")


def detected(raw: bytes) -> str:
    """Return the name of the one format that a document most looks like, and say so.

    Raises:
        DecodeError: where it looks like none, or like several.
    """
    found = detect(raw)
    if not found:
        msg = "no format is recognised; name it with --from (agentmsg formats lists all)"
        raise DecodeError(msg)
    best = [name for name, score in found if score == found[0][1]]
    if len(best) > 1:
        msg = f"this may be {' or '.join(best)}; say which with --from"
        raise DecodeError(msg)
    say(f"read as {best[0]}")
    return best[0]
