"""A file's content: what goes around its documents, compression, and rows of Parquet; or the documents unchanged."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import attrs

from agentmsg.errors import AgentMsgError, FileError
from agentmsg.files.arrow_values import Lent, arrow, parquet
from agentmsg.files.columns import Columns
from agentmsg.files.file_names import WHOLE
from agentmsg.optional import extra

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

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


_BUFFER = 1 << 18


def _zstd() -> Any:
    # Part of Python since 3.14; the package provides it for earlier versions.
    module = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    return extra(module, "zstd", ".zst")


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise FileError(f"this Python was built without {name}", code="unavailable") from None


# Files to read or write, by suffix. Those of gzip are without name and time, so that the same documents give the same
# bytes.
_FILES: Mapping[str, Callable[[BinaryIO, str], Any]] = {
    ".bz2": lambda stream, mode: _library("bz2").BZ2File(stream, mode),
    ".gz": lambda stream, mode: gzip.GzipFile("", mode, 6, stream, 0),
    ".xz": lambda stream, mode: _library("lzma").LZMAFile(stream, mode),
    ".zst": lambda stream, mode: _zstd().ZstdFile(stream, mode),
}


class _Steady(io.RawIOBase):
    """Returns all bytes decompressed so far before it reports damage; a whole read would lose them."""

    def __init__(self, stream: Any, name: str) -> None:
        self._stream = stream
        self._name = name

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read what there is, up to the size of a buffer."""
        try:
            data: bytes = self._stream.read1(len(buffer))
        except Exception as error:
            # The modules of some errors may be missing; those of the system have numbers.
            is_damage = isinstance(error, (EOFError, zlib.error)) or type(error).__name__ in ("LZMAError", "ZstdError")
            if not is_damage and (isinstance(error, AgentMsgError) or getattr(error, "errno", 0) is not None):
                raise
            raise FileError(f"{self._name}: damaged or cut: {error}", code="compression") from None
        buffer[: len(data)] = data
        return len(data)


@contextmanager
def decompressed(stream: BinaryIO, compression: str, name: str) -> Generator[BinaryIO]:
    """Open the decompressed bytes of a stream; the stream itself if it isn't compressed.

    Args:
        stream: as it is on disk; left open.
        compression: a suffix, or empty.
        name: of the file, for errors.

    Raises:
        FileError: code "compression" if the bytes are damaged or cut; code "unavailable" if a package is missing.
    """
    if compression:
        files = _FILES[compression](stream, "rb")
        stream = cast("BinaryIO", io.BufferedReader(_Steady(files, name), _BUFFER))
    yield stream


@contextmanager
def compressed(stream: BinaryIO, compression: str) -> Generator[BinaryIO]:
    """Open a stream that compresses into the given one, which stays open."""
    if not compression:
        yield stream
        return
    with _FILES[compression](stream, "wb") as writer:
        yield writer
