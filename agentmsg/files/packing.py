"""Turn documents into a file's content: what goes around them, and compressed, rows of Parquet, or unchanged."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, cast

import attrs

from agentmsg.files.arrow_values import Lent, arrow, parquet
from agentmsg.files.columns import Columns
from agentmsg.files.compression import compressed
from agentmsg.files.file_names import WHOLE

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from agentmsg.files.file_names import Kind

# The name of the written column, if none was given.
_COLUMN = "document"
# A row group is written once its documents have this many bytes.
_GROUP = 16 << 20


# -- around documents: line ends, or the brackets and commas of an array


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
    "parquet": LINES,  # becomes rows
}


def framing_of(kind: Kind, *, pretty: bool) -> Framing:
    """Return what goes around documents in a file of a kind; an indented document ends with a line end."""
    return LINES if pretty and kind.form == "json" else _FRAMINGS[kind.form]


# -- the content of the file


def is_packed(kind: Kind) -> bool:
    """Whether a file of a kind holds other bytes than those of its documents."""
    return kind.form == "parquet" or bool(kind.compression)


@contextmanager
def packed(stream: BinaryIO, kind: Kind) -> Generator[BinaryIO]:
    """Open a stream that takes documents, and writes a file's content to the given one, which stays open.

    Raises:
        FileError: code "unavailable" if a package is missing.
    """
    if kind.form != "parquet":
        with compressed(stream, kind.compression) as sink:
            yield sink
        return
    rows = Columns(stream, _GROUP) if kind.column == WHOLE else _Rows(stream, kind.column or _COLUMN)
    try:
        yield cast("BinaryIO", rows)
        rows.finish()
    finally:
        rows.release()


class _Rows:
    """Turns lines into row groups, whose ends depend on the lines only."""

    def __init__(self, stream: BinaryIO, column: str) -> None:
        module = self._arrow = arrow()
        self._schema = module.schema([module.field(column, module.string(), nullable=False)])
        # Long texts: statistics of their minimum and maximum are useless.
        self._writer = parquet().ParquetWriter(
            Lent(stream), self._schema, compression="zstd", use_dictionary=False, write_statistics=False
        )
        self._rest = b""
        self._lines: list[bytes] = []
        self._size = 0

    def write(self, data: bytes) -> int:
        """Take some bytes of one line or many."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in filter(None, lines):
            self._lines.append(line)
            self._size += len(line)
            if self._size >= _GROUP:
                self._end_group()
        return len(data)

    def flush(self) -> None:
        """Do nothing: rows are written by groups."""

    def _end_group(self) -> None:
        module = self._arrow
        texts = module.array(self._lines, module.binary()).cast(module.string())
        self._writer.write_table(module.table([texts], schema=self._schema))
        self._lines.clear()
        self._size = 0

    def finish(self) -> None:
        """Write the last rows, and the end of the file."""
        if self._lines:
            self._end_group()
        self._writer.close()

    def release(self) -> None:
        """Leave the file as it is: an open writer would write its end when it is collected, into a closed stream."""
        self._writer.is_open = False
