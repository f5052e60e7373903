"""A file's content: what goes around its documents, compression, and rows of Parquet; or the documents unchanged."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from contextlib import contextmanager
from importlib import import_module
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias, cast

import attrs

from agentmsg.errors import AgentMsgError, EncodeError, FileError
from agentmsg.files.file_names import WHOLE
from agentmsg.files.parquet import ROWS, Lent, arrow, parquet
from agentmsg.optional import extra
from agentmsg.values.text import dump_json, parse_json
from agentmsg.values.types import is_list, is_mapping

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
    rows = _Columns(stream) if kind.column == WHOLE else _Rows(stream, kind.column or _COLUMN)
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


# -- compression


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


def decompressed(stream: BinaryIO, compression: str, name: str) -> BinaryIO:
    """Return the decompressed bytes of a stream; the stream itself if it isn't compressed.

    Args:
        stream: as it is on disk; left open.
        compression: a suffix, or empty.
        name: of the file, for errors.

    Raises:
        FileError: code "compression" if the bytes are damaged or cut; code "unavailable" if a package is missing.
    """
    if not compression:
        return stream
    return cast("BinaryIO", io.BufferedReader(_Steady(_FILES[compression](stream, "rb"), name), _BUFFER))


@contextmanager
def compressed(stream: BinaryIO, compression: str) -> Generator[BinaryIO]:
    """Open a stream that compresses into the given one, which stays open."""
    if not compression:
        yield stream
        return
    with _FILES[compression](stream, "wb") as writer:
        yield writer


# -- rows whose keys are the columns of a Parquet file, of types that their values have in common
#
# A key without a value is null there, and left out when it is read. So a value that is null itself, or has no type that
# all rows share, is JSON, of Arrow's type for that: ``datasets`` gives the value back. So are arguments of tools and
# their schemas, where each tool has keys of its own.


# The name of a type, those of members or of items; None if nothing is known yet.
_Shape: TypeAlias = "str | dict[str, Any] | list[Any] | None"
_JSON = "json"
# Keys whose objects are different for each tool.
_FREE = frozenset({"arguments", "input", "input_schema", "inputSchema", "parameters"})
_LONGEST = 2**63
_NAMES = {str: "string", bool: "bool_", int: "int64", float: "float64"}


def checked_row(data: bytes) -> bytes:
    """Return a document that can be a row.

    Raises:
        EncodeError: code "form" if it is no object.
    """
    if not data.startswith(b"{"):
        msg = "a row with columns is an object: --column NAME writes documents as texts of one column"
        raise EncodeError(msg, code="form")
    return data


class _Columns:
    """Turns documents, one in a line, into rows with columns; their types are known at the end only."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lines: Any = TemporaryFile()  # noqa: SIM115 - closed by ``release``
        self._shape: dict[str, Any] = {}
        self._rest = b""
        self._writer: Any = None

    def write(self, data: bytes) -> int:
        """Take some bytes of one line or many."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in filter(None, lines):
            self._shape = _joined(self._shape, _members(parse_json(checked_row(line))))
            self._lines.write(line + b"\n")
        return len(data)

    def finish(self) -> None:
        """Write all rows, and the end of the file."""
        json, text = arrow().json_(), arrow().string()
        kinds = {key: (_type(shape, json), _type(shape, text)) for key, shape in self._shape.items()}
        schema = arrow().schema([(key, kind) for key, (kind, _) in kinds.items()], ROWS)
        self._writer = parquet().ParquetWriter(Lent(self._stream), schema, compression="zstd")
        self._lines.seek(0)
        while lines := self._lines.readlines(_GROUP):
            rows = [parse_json(line) for line in lines]
            columns = [
                # Arrow makes no arrays of that type, but casts to it.
                arrow().array([_stored(row[key], shape) if key in row else None for row in rows], stored).cast(kind)
                for (key, (kind, stored)), shape in zip(kinds.items(), self._shape.values(), strict=True)
            ]
            self._writer.write_table(arrow().table(columns, schema=schema))
        self._writer.close()

    def release(self) -> None:
        """Leave the file as it is; see ``_Rows``."""
        self._lines.close()
        if self._writer is not None:
            self._writer.is_open = False


def _members(value: dict[str, Any]) -> dict[str, _Shape]:
    return {key: _JSON if key in _FREE or member is None else _shape(member) for key, member in value.items()}


def _shape(value: Any) -> _Shape:
    if is_mapping(value):
        return _members(value) or _JSON
    if is_list(value):
        shape: _Shape = None
        for item in value:
            shape = shape if item is None else _merged(shape, _shape(item))
        return [shape]
    is_long = type(value) is int and not -_LONGEST <= value < _LONGEST
    return _JSON if is_long else _NAMES[type(value)]


def _merged(one: _Shape, other: _Shape) -> _Shape:
    """Return the shape of values of two shapes."""
    if one is None or other is None or one == other:
        return other if one is None else one
    if isinstance(one, list) and isinstance(other, list):
        return [_merged(one[0], other[0])]
    if isinstance(one, dict) and isinstance(other, dict):
        return _joined(one, other)
    return _JSON


def _joined(one: dict[str, _Shape], other: dict[str, _Shape]) -> dict[str, _Shape]:
    return {key: _merged(one.get(key), other.get(key)) for key in {**one, **other}}


def _type(shape: _Shape, json: Any) -> Any:
    """Return the Arrow type of a shape, given that of JSON."""
    if isinstance(shape, dict):
        return arrow().struct([(key, _type(member, json)) for key, member in shape.items()])
    if isinstance(shape, list):
        return arrow().list_(_type(shape[0], json))
    return json if shape == _JSON else getattr(arrow(), shape or "string")()


def _stored(value: Any, shape: _Shape) -> Any:
    """Return a value as Arrow takes it for a shape, with texts for JSON."""
    if isinstance(shape, dict):
        return {key: _stored(member, shape[key]) for key, member in value.items()}
    if isinstance(shape, list):
        return [None if item is None else _stored(item, shape[0]) for item in value]
    return dump_json(value).decode() if shape == _JSON else value
