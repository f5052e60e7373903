"""Rows whose keys are the columns of a Parquet file, of types that their values have in common.

A key without a value is null there, and left out when it is read. So a value that is null itself, or has no type that
all rows share, is JSON, of Arrow's type for that: ``datasets`` gives the value back. So are arguments of tools and
their schemas, where each tool has keys of its own.
"""

from __future__ import annotations

from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, BinaryIO

from agentmsg.errors import EncodeError
from agentmsg.files.arrow_values import Lent, arrow, parquet
from agentmsg.values.text import dump_json, parse_json
from agentmsg.values.types import is_list, is_mapping

if TYPE_CHECKING:
    from typing import TypeAlias

    # The name of a type, those of members or of items; None if nothing is known yet.
    _Shape: TypeAlias = "str | dict[str, Any] | list[Any] | None"

# What the schema of such a file says beside its columns: each of its rows is a document.
ROWS = {b"agentmsg": b"rows"}

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


class Columns:
    """Turns documents, one in a line, into rows with columns; their types are known at the end only.

    Args:
        stream: the file to write.
        group: how many bytes of documents become a row group.
    """

    def __init__(self, stream: BinaryIO, group: int) -> None:
        self._stream = stream
        self._group = group
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

    def flush(self) -> None:
        """Do nothing: rows are written at the end."""

    def finish(self) -> None:
        """Write all rows, and the end of the file."""
        json, text = arrow().json_(), arrow().string()
        kinds = {key: (_type(shape, json), _type(shape, text)) for key, shape in self._shape.items()}
        schema = arrow().schema([(key, kind) for key, (kind, _) in kinds.items()], ROWS)
        self._writer = parquet().ParquetWriter(Lent(self._stream), schema, compression="zstd")
        self._lines.seek(0)
        while lines := self._lines.readlines(self._group):
            rows = [parse_json(line) for line in lines]
            columns = [
                # Arrow makes no arrays of that type, but casts to it.
                arrow().array([_stored(row[key], shape) if key in row else None for row in rows], stored).cast(kind)
                for (key, (kind, stored)), shape in zip(kinds.items(), self._shape.values(), strict=True)
            ]
            self._writer.write_table(arrow().table(columns, schema=schema))
        self._writer.close()

    def release(self) -> None:
        """Leave the file as it is; see ``packing``."""
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
