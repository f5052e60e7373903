"""What goes around the documents of a written file: line ends, or the brackets and commas of an array."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmsg.files.file_names import Kind


@attrs.frozen
class Framing:
    """What goes around documents.

    Attributes:
        head: before all.
        lead: before each document.
        tail: after each document.
        between: after each document but the last.
        end: after all.
    """

    head: bytes = b""
    lead: bytes = b""
    tail: bytes = b""
    between: bytes = b""
    end: bytes = b""


LINES = Framing(tail=b"\n")
_FRAMINGS: Mapping[str, Framing] = {
    "array": Framing(head=b"[", lead=b"\n", between=b",", end=b"\n]\n"),
    "json": Framing(),
    "jsonl": LINES,
    "msgpack": Framing(),
    "parquet": LINES,  # becomes rows, see ``packing``
}


def framing_of(kind: Kind, *, pretty: bool) -> Framing:
    """Return what goes around documents in a file of a kind; an indented document ends with a line end."""
    return LINES if pretty and kind.form == "json" else _FRAMINGS[kind.form]
