"""Arrow values as documents: the bytes of each row, or why there are none. Arrow, if installed, is loaded here.

Null members of structs are left out, null items of lists stay. A value that JSON can't express is an error.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

from agentmsg.errors import AgentMsgError, DecodeError, excerpt
from agentmsg.limits import beyond
from agentmsg.optional import extra
from agentmsg.values.text import dump_json, parse_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

# The bytes of a document, or why there are none.
Document: TypeAlias = "tuple[bytes | None, AgentMsgError | None]"


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


def _sized(data: bytes, longest: int | None) -> tuple[bytes | None, AgentMsgError | None]:
    if longest is not None and len(data) > longest:
        return None, DecodeError(beyond(f"a document of more than {longest} bytes", "line"), code="bytes")
    return data, None


_NULL = "the row has no document: it is null"


def texts(batch: Any, column: str, *, longest: int | None = None) -> Iterator[Document]:
    """Yield the documents in a column of texts or bytes."""
    array = batch.column(column)
    array = getattr(array, "storage", array)
    if arrow().types.is_dictionary(array.type):
        array = array.dictionary_decode()
    # As bytes, whether they are UTF-8 or not: the parser reports that.
    for data in array.cast(arrow().large_binary()).to_pylist():
        yield (None, DecodeError(_NULL, code="required")) if data is None else _sized(data, longest)


def nested(batch: Any, column: str, *, longest: int | None = None) -> Iterator[Document]:
    """Yield the documents in a column of structs or lists."""
    for value in _values(batch.column(column)):
        if isinstance(value, AgentMsgError):
            yield None, value.at(column)
        elif value is None:
            yield None, DecodeError(_NULL, code="required")
        else:
            yield _rendered(value, longest)


def whole(batch: Any, *, longest: int | None = None) -> Iterator[Document]:
    """Yield whole rows, as objects."""
    names = batch.schema.names
    if len(set(names)) < len(names):
        error = DecodeError("several columns have one name", code="duplicate-key")
        yield from [(None, error)] * batch.num_rows
        return
    # A column of JSON may hold null, which isn't the same as nothing.
    held = [array.is_valid().to_pylist() for array in batch.columns]
    for there, *values in zip(zip(*held, strict=True), *(_values(array) for array in batch.columns), strict=True):
        fault = next(((name, each) for name, each in zip(names, values, strict=True) if _is_fault(each)), None)
        if fault is not None:
            yield None, fault[1].at(fault[0])
            continue
        row = {name: value for name, value, is_there in zip(names, values, there, strict=True) if is_there}
        yield _rendered(row, longest)


def _is_fault(value: Any) -> bool:
    return isinstance(value, AgentMsgError)


def _rendered(value: Any, longest: int | None) -> tuple[bytes | None, AgentMsgError | None]:
    try:
        return _sized(dump_json(value), longest)
    except AgentMsgError as error:
        return None, error


# -- values


def _values(array: Any) -> Iterator[Any]:
    """Yield the JSON values of an array, or the error for one that isn't JSON."""
    plain = _plain(array.type)
    try:
        found: Sequence[Any] = array.to_pylist()
    except Exception:  # noqa: BLE001 - Python has no such value, or no package for it; the others are still read
        found = [_one(scalar) for scalar in array]
    for value in found:
        if value is None or plain is None or _is_fault(value):
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
    return any(test(_stored(kind)) for test in (*_tests(_TEXTS), *_tests(_BYTES)))


def is_nested(kind: Any) -> bool:
    """Whether a type is a struct or a list, or JSON, which may hold them."""
    return _stored(kind) is not kind or any(test(kind) for test in (*_tests(_LISTS), arrow().types.is_struct))


def is_plain(kind: Any) -> bool:
    """Whether all values of a type are JSON, apart from non-finite numbers."""
    kind, types = _stored(kind), arrow().types
    if types.is_struct(kind):
        return all(is_plain(kind.field(at).type) for at in range(kind.num_fields))
    if types.is_dictionary(kind) or any(test(kind) for test in _tests(_LISTS)):
        return is_plain(kind.value_type)
    return types.is_floating(kind) or any(test(kind) for test in _tests(_AS_THEY_ARE))


def _stored(kind: Any) -> Any:
    """Return the storage type of a JSON type; any other type as it is."""
    return kind.storage_type if getattr(kind, "extension_name", None) == "arrow.json" else kind


_TEXTS = ("is_string", "is_large_string", "is_string_view")
_BYTES = ("is_binary", "is_large_binary", "is_binary_view")
_LISTS = ("is_list", "is_large_list", "is_fixed_size_list", "is_list_view", "is_large_list_view")
_AS_THEY_ARE = ("is_boolean", "is_integer", "is_null", *_TEXTS)


def _tests(names: Iterable[str]) -> list[Callable[[Any], bool]]:
    types = arrow().types
    return [getattr(types, name) for name in names if hasattr(types, name)]


def _plain(kind: Any) -> Any:
    """Return a function that turns a non-null value of a type into JSON; None if it already is JSON."""
    types = arrow().types
    if _stored(kind) is not kind:
        return parse_json
    if types.is_dictionary(kind):
        return _plain(kind.value_type)
    if any(test(kind) for test in _tests(_AS_THEY_ARE)):
        return None
    if types.is_struct(kind):
        members = {field.name: _plain(field.type) for field in (kind.field(at) for at in range(kind.num_fields))}
        return partial(_plain_struct, members)
    if any(test(kind) for test in _tests(_LISTS)):
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
