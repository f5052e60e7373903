"""Documents in the rows of Parquet files, row group by row group; ``packing`` writes them.

A document is a row, or its value in one column: a JSON text, or a struct or list of structs, as data sets of OpenAI's
messages have them. Null members of structs are left out: Arrow gives each struct all members that any of them has, so a
null member can't be told from an absent one. Null items stay. A value that JSON can't express is an error. Arrow, if
installed, is loaded here.
"""

from __future__ import annotations

import math
from contextlib import contextmanager, suppress
from functools import partial
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

from agentmsg.checking.detection import recognize_all
from agentmsg.errors import AgentMsgError, DecodeError, FileError, excerpt
from agentmsg.files.file_names import WHOLE
from agentmsg.limits import beyond
from agentmsg.optional import extra
from agentmsg.values.text import dump_json, parse_json
from agentmsg.values.types import is_list, is_mapping

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

# The bytes of a document, or why there are none.
Document: TypeAlias = "bytes | AgentMsgError"


def arrow() -> Any:
    """Import pyarrow.

    Raises:
        FileError: code "unavailable" if it isn't installed.
    """
    return extra("pyarrow", "parquet", ".parquet")


def parquet() -> Any:
    """Import pyarrow's Parquet module; raises as ``arrow``."""
    arrow()
    return extra("pyarrow.parquet", "parquet", ".parquet")


class Lent:
    """A file that Arrow doesn't close."""

    closed = False

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.read, self.write, self.seek, self.tell = stream.read, stream.write, stream.seek, stream.tell
        self.readable, self.writable, self.seekable = stream.readable, stream.writable, stream.seekable
        self.flush = stream.flush

    def close(self) -> None:
        """Leave it open."""


# -- documents of a batch


def _null() -> DecodeError:
    return DecodeError("the row has no document: it is null", code="required")


def texts(batch: Any, column: str) -> Iterator[Document]:
    """Yield the documents in a column of texts or bytes."""
    array = batch.column(column)
    array = getattr(array, "storage", array)
    if arrow().types.is_dictionary(array.type):
        array = array.dictionary_decode()
    # As bytes, whether they are UTF-8 or not: the parser reports that.
    for data in array.cast(arrow().large_binary()).to_pylist():
        yield _null() if data is None else data


def nested(batch: Any, column: str) -> Iterator[Document]:
    """Yield the documents in a column of structs or lists."""
    for value in _values(batch.column(column)):
        if isinstance(value, AgentMsgError):
            yield value.at(column)
        else:
            yield _null() if value is None else _rendered(value)


def whole(batch: Any) -> Iterator[Document]:
    """Yield whole rows, as objects."""
    names = batch.schema.names
    if len(set(names)) < len(names):
        yield from [DecodeError("several columns have one name", code="duplicate-key")] * batch.num_rows
        return
    # A column of JSON may hold null, which isn't the same as nothing.
    held = [array.is_valid().to_pylist() for array in batch.columns]
    for there, *values in zip(zip(*held, strict=True), *(_values(array) for array in batch.columns), strict=True):
        for name, value in zip(names, values, strict=True):
            if isinstance(value, AgentMsgError):
                yield value.at(name)
                break
        else:
            yield _rendered({name: value for name, value, is_held in zip(names, values, there, strict=True) if is_held})


def _rendered(value: Any) -> Document:
    try:
        return dump_json(value)
    except AgentMsgError as error:
        return error


# -- values


def _values(array: Any) -> Iterator[Any]:
    """Yield the JSON values of an array, or the error for one that isn't JSON."""
    plain = _plain(array.type)
    try:
        found: Sequence[Any] = array.to_pylist()
    except Exception:  # noqa: BLE001 - Python has no such value, or no package for it; the others are still read
        found = [_one(scalar) for scalar in array]
    for value in found:
        if value is None or plain is None or isinstance(value, AgentMsgError):
            yield value
            continue
        try:
            yield plain(value)
        except DecodeError as error:
            yield error


def _one(scalar: Any) -> Any:
    try:
        return scalar.as_py() if scalar.is_valid else None
    except Exception as error:  # noqa: BLE001 - as above
        return _no_json(scalar.type, f": {excerpt(str(error))[1:-1]}")


def _no_json(kind: Any, more: str = "") -> DecodeError:
    return DecodeError(f"a value of the type {kind} isn't JSON{more}", code="type")


def is_text(kind: Any) -> bool:
    """Whether a type is text or bytes."""
    types = arrow().types
    if types.is_dictionary(kind):
        kind = kind.value_type
    return _is_one(_stored(kind), (*_TEXTS, *_BYTES))


def is_nested(kind: Any) -> bool:
    """Whether a type is a struct or a list, or JSON, which may hold them."""
    return _stored(kind) is not kind or _is_one(kind, ("is_struct", *_LISTS))


def is_plain(kind: Any) -> bool:
    """Whether all values of a type are JSON, apart from non-finite numbers."""
    kind, types = _stored(kind), arrow().types
    if types.is_struct(kind):
        return all(is_plain(kind.field(at).type) for at in range(kind.num_fields))
    if types.is_dictionary(kind) or _is_one(kind, _LISTS):
        return is_plain(kind.value_type)
    return _is_one(kind, ("is_floating", *_AS_THEY_ARE))


def _stored(kind: Any) -> Any:
    """Return the storage type of a JSON type; any other type as it is."""
    return kind.storage_type if getattr(kind, "extension_name", None) == "arrow.json" else kind


_TEXTS = ("is_string", "is_large_string", "is_string_view")
_BYTES = ("is_binary", "is_large_binary", "is_binary_view")
_LISTS = ("is_list", "is_large_list", "is_fixed_size_list", "is_list_view", "is_large_list_view")
_AS_THEY_ARE = ("is_boolean", "is_integer", "is_null", *_TEXTS)


def _is_one(kind: Any, tests: Iterable[str]) -> bool:
    """Whether a type passes one of Arrow's tests, of which older versions have fewer."""
    types = arrow().types
    return any(getattr(types, test)(kind) for test in tests if hasattr(types, test))


def _plain(kind: Any) -> Any:
    """Return a function that turns a non-null value of a type into JSON; None if it already is JSON."""
    types = arrow().types
    if _stored(kind) is not kind:
        return parse_json
    if types.is_dictionary(kind):
        return _plain(kind.value_type)
    if _is_one(kind, _AS_THEY_ARE):
        return None
    if types.is_struct(kind):
        members = {field.name: _plain(field.type) for field in (kind.field(at) for at in range(kind.num_fields))}
        return partial(_plain_struct, members)
    if _is_one(kind, _LISTS):
        item = _plain(kind.value_type)
        return None if item is None else partial(_plain_list, item)
    return _plain_number if types.is_floating(kind) else partial(_refuse, kind)


def _plain_struct(members: dict[str, Any], value: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, member in value.items():
        if member is not None:
            plain = members[key]
            try:
                made[key] = member if plain is None else plain(member)
            except DecodeError as error:
                raise error.at(key) from None
    return made


def _plain_list(item: Callable[[Any], Any], value: list[Any]) -> list[Any]:
    made: list[Any] = []
    for index, member in enumerate(value):
        try:
            made.append(None if member is None else item(member))
        except DecodeError as error:
            raise error.at(index) from None
    return made


def _plain_number(value: float) -> float:
    if not math.isfinite(value):
        msg = f"{value} isn't JSON"
        raise DecodeError(msg, code="number")
    return value


def _refuse(kind: Any, value: object) -> Any:
    raise _no_json(kind)


# What the schema of a file of such rows says beside its columns: each of its rows is a document.
ROWS = {b"agentmsg": b"rows"}
# Rows to look at to find the column.
_LOOKED_AT = 8
# Bytes of a row group to hold in memory at once, and rows.
_BATCH = 4 << 20
_ROWS = 64
# The most bytes of the rows in memory once dictionaries are unpacked.
_UNPACKED = 2 << 30
_BUFFER = 1 << 18
# The most columns to name.
_NAMED = 20


# The number of a row in its range, from 1; about where its row group begins in the file; its length and bytes, or why
# they can't be a document; and the byte up to which the file is done once this document is.
Row: TypeAlias = "tuple[int, int, int, bytes | None, AgentMsgError | None, int]"


# Which part of a row is the document: the name of a column, None for the whole row; and the columns beside it.
Choice: TypeAlias = "tuple[str | None, tuple[str, ...]]"


@contextmanager
def _opened(stream: BinaryIO, name: str) -> Generator[Any]:
    """Open a Parquet file with Arrow, whose errors become FileErrors.

    Raises:
        FileError: code "syntax" if it isn't one, or is damaged; "form" if it is a stream.
    """
    opened = parquet().ParquetFile
    if not stream.seekable():
        msg = f"{name}: Parquet can't be read from a stream; name a file"
        raise FileError(msg, code="form")
    try:
        # In pieces, not a row group's whole column at once.
        yield opened(Lent(stream), pre_buffer=False, buffer_size=_BUFFER)
    except AgentMsgError:
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno:  # an error of the disk, not of Arrow
            raise
        words = str(error).partition("\n")[0] or type(error).__name__
        msg = f"{name}: not Parquet, or damaged: {excerpt(words)[1:-1]}"
        raise FileError(msg, code="syntax") from None


def read_rows(
    stream: BinaryIO, name: str, column: str | None = None, *, longest: int, start: int = 0, end: int | None = None
) -> Iterator[Row]:
    """Yield the documents of the row groups that begin in a range of a file.

    Args:
        stream: must be seekable.
        name: of the file, for errors.
        column: the column that holds the documents; WHOLE for the whole row. None: the whole row if the file says so,
            as ours do; or if it is JSON, with
            structs or lists, and recognised; else the only struct or list that is recognised; else the only text that
            is JSON and recognised; else the whole row if that is; else the only text that is JSON. A text that is the
            only column is always taken.
        longest: a document with more bytes is a fault.
        start: first byte of the range.
        end: the byte after it; None means to the end.

    Raises:
        FileError: code "syntax" if it isn't such a file, or is damaged; "column" if no column can be chosen, or there
            is none of that name; "unavailable" if a package is missing.
    """
    with _opened(stream, name) as file:
        size = stream.seek(0, 2)
        column = _choice(file, name, column)[0]
        starts = _starts(file, size)
        number = 0
        for index, (begin, after) in enumerate(zip(starts, [*starts, size][1:], strict=True)):
            if begin < start or (end is not None and begin >= end):
                continue
            before, count = number, max(1, file.metadata.row_group(index).num_rows)
            for batch in _batches(file, index, column):
                for document in _documents(batch, column):
                    number += 1
                    until = begin + (after - begin) * min(number - before, count) // count
                    if isinstance(document, AgentMsgError):
                        yield number, begin, 0, None, document, until
                    elif len(document) > longest:
                        words = beyond(f"a document of more than {longest} bytes", "line")
                        yield number, begin, 0, None, DecodeError(words, code="bytes"), until
                    else:
                        yield number, begin, len(document), document, None, until


def read_choice(stream: BinaryIO, name: str, column: str | None) -> Choice:
    """Return which part of a file's rows is the document; arguments and errors as for ``read_rows``."""
    with _opened(stream, name) as file:
        return _choice(file, name, column)


def group_cuts(stream: BinaryIO, name: str, every: int) -> Iterator[int]:
    """Yield where a file can be cut: at beginnings of row groups, at least so many unpacked bytes apart.

    Raises:
        FileError: as ``read_rows``.
    """
    with _opened(stream, name) as file:
        unpacked = 0
        for index, start in enumerate(_starts(file, stream.seek(0, 2))):
            if unpacked >= every:
                yield start
                unpacked = 0
            unpacked += max(0, file.metadata.row_group(index).total_byte_size)


def _starts(file: Any, size: int) -> list[int]:
    """Return where row groups begin, the first at 0: each gets a share of the file by its unpacked bytes.

    Don't ask where their columns really begin: if that is damaged, asking Arrow ends the process.
    """
    groups = map(file.metadata.row_group, range(file.metadata.num_row_groups))
    ends = list(accumulate(max(1, group.total_byte_size) for group in groups))
    return [size * end // ends[-1] for end in [0, *ends[:-1]]] if ends else []


def _batches(file: Any, index: int, column: str | None, most: int = _ROWS) -> Iterator[Any]:
    group = file.metadata.row_group(index)
    usual = max(1, group.total_byte_size // max(1, group.num_rows))
    # A long value that is in a dictionary once may be the value of every row. (Don't ask which columns have a
    # dictionary: with damaged metadata of a column, Arrow ends the process.)
    rows = max(1, min(most, _BATCH // usual, _UNPACKED // max(1, group.total_byte_size)))
    columns = None if column is None else [column]
    yield from file.iter_batches(batch_size=rows, row_groups=[index], columns=columns, use_threads=False)


def _documents(batch: Any, column: str | None) -> Iterator[Document]:
    if column is None:
        return whole(batch)
    return (texts if is_text(batch.schema.field(column).type) else nested)(batch, column)


# -- which column


def _choice(file: Any, name: str, column: str | None) -> Choice:
    schema = file.schema_arrow
    if column == WHOLE:
        return None, ()
    if column is None:
        column = _guessed(file, name)
        if column is None:
            return None, ()
    elif schema.names.count(column) != 1:
        words = "several columns are" if column in schema.names else "no column is"
        msg = f"{name}: {words} named {excerpt(column)[1:-1]}; the columns are {_listed(schema)}"
        raise FileError(msg, code="column")
    elif not (is_text(schema.field(column).type) or is_nested(schema.field(column).type)):
        msg = f"{name}: column {excerpt(column)[1:-1]} holds {_said(schema.field(column).type)}, which is no document"
        raise FileError(msg, code="column")
    return column, tuple(each for each in schema.names if each != column)


def _guessed(file: Any, name: str) -> str | None:
    """Return the column that holds documents; None for the whole row.

    Raises:
        FileError: code "column".
    """
    schema, first = file.schema_arrow, _first(file)
    if first is None or ROWS.items() <= (schema.metadata or {}).items():
        return None
    if len(schema) == 1 and is_text(schema.field(0).type):
        return str(schema.field(0).name)  # whatever its first rows hold: there is no other choice
    fields = [field for field in schema if schema.names.count(field.name) == 1]
    structured = [field.name for field in fields if is_nested(field.type)]
    is_row = all(is_plain(field.type) for field in schema) and _is_known(whole(first))
    if structured and is_row:
        return None
    found = [each for each in structured if _is_known(nested(first, each))]
    if not found:
        found = [field.name for field in fields if is_text(field.type) and _is_json(texts(first, field.name))]
        known = [each for each in found if _is_known(texts(first, each))]
        if is_row and len(known) != 1:  # columns of texts, some of which may be JSON
            return None
        found = known or found
    if len(found) == 1:
        return str(found[0])
    several = ", ".join(excerpt(each)[1:-1] for each in found[:_NAMED])
    words = f"several columns hold documents: {several}" if found else "no column is recognised as documents"
    msg = f'{name}: {words}; name one with --column ("{WHOLE}" for the whole row). The columns are {_listed(schema)}'
    raise FileError(msg, code="column")


def _first(file: Any) -> Any:
    """Return the first rows; None if there are none."""
    groups = (_batches(file, index, None, _LOOKED_AT) for index in range(file.metadata.num_row_groups))
    return next((batch for batch in chain.from_iterable(groups) if batch.num_rows), None)


def _listed(schema: Any) -> str:
    shown = [f"{excerpt(field.name)[1:-1]} ({_said(field.type)})" for field in list(schema)[:_NAMED]]
    return ", ".join(shown) + (f" and {len(schema) - _NAMED} more" if len(schema) > _NAMED else "")


def _said(kind: Any) -> str:
    return excerpt(str(kind).partition("<")[0])[1:-1]


def _held(documents: Iterable[Document]) -> list[bytes]:
    return [each for each in documents if isinstance(each, bytes)]


def _is_known(documents: Iterable[Document]) -> bool:
    """Whether documents have a known format."""
    held = _held(documents)
    with suppress(AgentMsgError):
        return bool(held) and bool(recognize_all(held))
    return False


def _is_json(documents: Iterable[Document]) -> bool:
    """Whether documents are JSON objects or arrays; a few may be broken."""
    held = _held(documents)
    return 2 * sum(map(_is_tree, held)) > len(held)


def _is_tree(data: bytes) -> bool:
    try:
        value = parse_json(data)
    except DecodeError:
        return False
    return is_mapping(value) or is_list(value)
