"""The trees of tree.py through the C library, for what LangGraph itself writes.

The unpacked data is packed again, which must give the same bytes, and is written as JSON once, which refuses anything
that isn't JSON or is too deep. Anything odd is read by ``read_tree``, so that all errors come from there. The payloads
of extensions are unpacked in a loop, not inside the library, so that no input can nest calls.
"""

from __future__ import annotations

import re
from typing import Any

import msgpack
import orjson

from agentmsg.formats import is_mapping, is_sequence, speed
from agentmsg_codecs.langchain.langgraph.tree import (
    BIG,
    BINARY,
    CODES,
    EXT,
    FLOAT,
    MAP,
    MARKERS,
    big_integer,
    read_tree,
    write_tree,
)

# A key of the table, or a float that isn't finite.
_ODD = re.compile(rb"__(?:ext|bin|map|float|wire)__|\xcb[\x7f\xff][\xf0-\xff]")
_ODD_JSON = tuple(f'"{key}"'.encode() for key in (MAP, FLOAT, BINARY))
_EXT_JSON = f'"{EXT}"'.encode()
# More payloads inside payloads are left to ``read_tree``, which copies none.
_NESTED = 32
WIDEST = 0xFFFF
"""The most items that the library may expect in a list or an object."""

UNPACKING: dict[str, Any] = {
    "strict_map_key": True,
    "max_bin_len": 0,
    "max_array_len": WIDEST,
    "max_map_len": WIDEST,
}
"""The options of the library's ``unpackb`` for untrusted bytes."""

_library: Any = msgpack
_ext_type: Any = _library.ExtType
REFUSALS: tuple[type[Exception], ...] = (ValueError, TypeError, OverflowError, MemoryError, _library.UnpackException)
"""The library's errors for bytes and values that it refuses; they have no common base."""


def unpack(data: bytes, depth: int) -> tuple[Any, list[list[int]]]:
    """Return the plain data of one MessagePack value and the marks of its spelling.

    Raises:
        DecodeError: as ``read_tree``.
    """
    if not _ODD.search(data):
        try:
            return _unpack(data, depth), []
        except REFUSALS:
            pass  # the other reader raises the error, or reads what is odd
    return read_tree(data, depth)


class _OddError(ValueError):
    """Something that LangGraph doesn't write today."""


def _unpack(data: bytes, depth: int) -> Any:
    whole: list[Any] = [None]
    waiting: list[tuple[bytes, Any, Any]] = [(data, whole, 0)]
    for _ in range(_NESTED):
        inner: list[tuple[bytes, Any, Any]] = []
        for raw, holder, place in waiting:
            found = _unpack_one(raw, inner)
            big = big_integer(found) if place == "value" and holder[EXT] == BIG else None
            if big is not None:
                raise _OddError
            holder[place] = found
        if not inner:
            speed.written_within(whole[0], depth)
            return whole[0]
        waiting = inner
    raise _OddError


def _unpack_one(raw: bytes, inner: list[tuple[bytes, Any, Any]]) -> Any:
    """Return one value; ``inner`` gets the payloads of its extensions, each with its place."""
    found: list[Any] = []

    def keep(code: int, payload: bytes) -> Any:
        found.append(code)
        return _ext_type(code, payload)

    value = _library.unpackb(raw, ext_hook=keep, **UNPACKING)
    if _library.packb(value) != raw:
        raise _OddError
    if not found:
        return value
    if not all(code in CODES for code in found):
        raise _OddError

    def hang(code: int, payload: bytes) -> Any:
        holder: dict[str, Any] = {EXT: code, "value": None}
        inner.append((payload, holder, "value"))
        return holder

    return _library.unpackb(raw, ext_hook=hang, **UNPACKING)


def pack(tree: Any, marks: Any = ()) -> bytes:
    """Return the MessagePack of plain data, as LangGraph writes it except for the marks.

    Raises:
        EncodeError: as ``write_tree``.
    """
    if marks:
        return write_tree(tree, marks)
    try:
        text = orjson.dumps(tree)
        if not any(key in text for key in _ODD_JSON):
            packed: bytes = _library.packb(_packable(tree))
            return packed
    except (TypeError, ValueError, OverflowError, RecursionError):
        pass  # it has integers beyond 64 bits, or is too deep
    return write_tree(tree)


def _packable(value: Any) -> Any:
    """Return a value with the library's objects in place of its extensions."""
    if is_mapping(value):
        if MARKERS.isdisjoint(value):
            return {
                key: _packable(item) if item and isinstance(item, (dict, list)) else item for key, item in value.items()
            }
        code = value.get(EXT)
        if len(value) != 2 or code not in CODES or type(code) is not int or "value" not in value:  # noqa: PLR2004 - code and value
            raise _OddError
        inner = value["value"]
        # Most contain no other: searching their text takes a tenth of the time of a walk.
        return _ext_type(code, _library.packb(_packable(inner) if _EXT_JSON in orjson.dumps(inner) else inner))
    if is_sequence(value):
        return [_packable(item) if item and isinstance(item, (dict, list)) else item for item in value]
    return value
