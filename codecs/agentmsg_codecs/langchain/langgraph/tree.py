"""MessagePack as plain data: what its values that JSON lacks become, and its bytes.

| MessagePack | plain data |
| --- | --- |
| ext of a code of LangGraph's (0 to 7) | ``{"__ext__": code, "value": its payload, which is MessagePack again}`` |
| ext of another code | ``{"__ext__": code, "bytes": base64}`` |
| binary | ``{"__bin__": base64}`` |
| NaN, infinities | ``{"__float__": hex of its bytes}`` |
| a map with keys that aren't text, or with a key of this table | ``{"__map__": [key, value, key, value ...]}`` |
| ext 0 ``["builtins", "int", digits]`` | an integer beyond 64 bits |

MessagePack can spell one value in several ways. LangGraph writes the shortest, and floats of 64 bits. Any other
spelling gets a mark: the number of the value, counted by first bytes, and its first byte. A payload is data: nothing
that it names is looked up.
"""

from __future__ import annotations

import re
import struct
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from math import isfinite
from typing import Any

import msgpack
import orjson

from agentmsg import DecodeError, EncodeError, InvalidMessage
from agentmsg.formats import excerpt, is_list, is_mapping, is_object, is_sequence, speed

# -- first bytes: what each begins, and which spelling is the shortest ------------------------------------------------


# The largest integer that a first byte is by itself.
MOST = 0x7F
FIXED_EXT = {1: 0xD4, 2: 0xD5, 4: 0xD6, 8: 0xD7, 16: 0xD8}
_FIXED_SIZE = {byte: size for size, byte in FIXED_EXT.items()}
FLOAT32, FLOAT64 = 0xCA, 0xCB
# The first bytes of each kind, by the number of bytes that its length or number takes, shortest first.
_SIZED: dict[str, dict[int, int]] = {
    "str": {1: 0xD9, 2: 0xDA, 4: 0xDB},
    "bin": {1: 0xC4, 2: 0xC5, 4: 0xC6},
    "ext": {1: 0xC7, 2: 0xC8, 4: 0xC9},
    "array": {2: 0xDC, 4: 0xDD},
    "map": {2: 0xDE, 4: 0xDF},
    "uint": {1: 0xCC, 2: 0xCD, 4: 0xCE, 8: 0xCF},
    "int": {1: 0xD0, 2: 0xD1, 4: 0xD2, 8: 0xD3},
    "float": {4: FLOAT32, 8: FLOAT64},
}
# By first byte, the kind and that number of bytes.
WIDE = {byte: (kind, size) for kind, table in _SIZED.items() for size, byte in table.items()}
# The kinds whose first byte may hold a short length itself: the first of these bytes, and the bits of the length.
_SHORT = {"map": (0x80, 0x0F), "array": (0x90, 0x0F), "str": (0xA0, 0x1F)}
MASKS = {kind: mask for kind, (_, mask) in _SHORT.items()}
_BROKEN = 0xC1


def kind_of(byte: int) -> tuple[str, int]:
    """Return what a first byte begins, and how many bytes its number has: 0 if the byte holds it."""
    if byte in WIDE:
        return WIDE[byte]
    if byte <= MOST or byte >= 0xE0:  # noqa: PLR2004 - a small integer
        return "int", 0
    if byte == _BROKEN:
        raise DecodeError("not MessagePack: a byte 0xc1", code="syntax")
    if byte in _FIXED_SIZE:
        return "ext", _FIXED_SIZE[byte]
    return next(kind for kind, (base, mask) in _SHORT.items() if byte & ~mask == base), 0


def first_of(kind: str, length: int) -> int:
    """Return the first byte of the shortest spelling of a text, bytes, list, map or extension of a length."""
    if kind == "ext" and length in FIXED_EXT:
        return FIXED_EXT[length]
    if kind in _SHORT and length <= MASKS[kind]:
        return _SHORT[kind][0] | length
    for size, byte in _SIZED[kind].items():
        if length < 1 << (8 * size):
            return byte
    raise EncodeError(f"{length} bytes or items are more than MessagePack has room for", code="bytes")


_library: Any = msgpack
_packb = _library.packb
Mark = list[int]
EXT, BINARY, FLOAT, MAP, WIRE = "__ext__", "__bin__", "__float__", "__map__", "__wire__"
# The keys of objects that are no maps of MessagePack.
MARKERS = frozenset({EXT, BINARY, FLOAT, MAP, WIRE})
# The codes whose payload is MessagePack; BIG also holds integers that are too big for MessagePack.
CODES = range(8)
BIG = 0
_INT64 = 2**63
_MAX_DIGITS = 4300
_CONSTANTS: dict[int, Any] = {0xC0: None, 0xC2: False, 0xC3: True}


def big_integer(value: Any) -> int | None:
    """Return the integer beyond 64 bits in the payload of an ext 0; None if it holds anything else."""
    if not is_list(value) or len(value) != 3 or value[:2] != ["builtins", "int"] or type(value[2]) is not str:  # noqa: PLR2004 - module, class, digits
        return None
    text = value[2]
    digits = text.removeprefix("-")
    if len(digits) > _MAX_DIGITS or not (digits.isascii() and digits.isdigit()):
        return None
    number = int(text)
    return number if str(number) == text and not -_INT64 <= number < 2 * _INT64 else None


# -- reading ----------------------------------------------------------------------------------------------------------


def read_tree(data: bytes, depth: int) -> tuple[Any, list[Mark]]:
    """Return the plain data of a MessagePack value, and the marks of what LangGraph would spell differently.

    Raises:
        DecodeError: codes "syntax", "depth", "duplicate-key", "key".
    """
    reader = _Reader(data)
    try:
        value = reader.value(depth)
    except RecursionError:
        raise _too_deep() from None
    if reader.at != len(data):
        raise DecodeError(f"{len(data) - reader.at} bytes follow the document", code="syntax")
    try:
        speed.plain_copy(value, depth)
    except InvalidMessage as error:
        raise DecodeError(error.message, code=error.code) from None
    return value, reader.marks


def _too_deep() -> DecodeError:
    return DecodeError("nested too deep", code="depth")


class _Reader:
    """Reads values one after the other.

    Attributes:
        at: the place of the next.
        marks: those of the values so far.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._end = len(data)
        self._count = 0
        self.at = 0
        self.marks: list[Mark] = []

    def value(self, depth: int) -> Any:
        """Return the next value."""
        if depth < 0:
            raise _too_deep()
        number = self._count
        self._count += 1
        byte = self._take(1)[0]
        if byte in _CONSTANTS:
            return _CONSTANTS[byte]
        kind, size = kind_of(byte)
        if kind in ("uint", "int"):
            found = self._number(size, signed=kind == "int") if size else byte - 256 if byte > MOST else byte
            return self._marked(number, byte, _packb(found)[0], found)
        if kind == "float":
            return self._float(number, byte, size)
        length = size if byte in FIXED_EXT.values() else byte & MASKS[kind] if size == 0 else self._number(size)
        if length > self._end - self.at:
            msg = f"byte {self.at}: {length} of something, and only {self._end - self.at} bytes left"
            raise DecodeError(msg, code="syntax")
        self._marked(number, byte, first_of(kind, length), None)
        result: Any = getattr(self, f"_{kind}")(length, depth - 1)
        return result

    def _take(self, size: int) -> bytes:
        start = self.at
        if size > self._end - start:
            raise DecodeError(f"the bytes end in the middle of a value, at byte {start}", code="syntax")
        self.at += size
        return self._data[start : self.at]

    def _number(self, size: int, *, signed: bool = False) -> int:
        return int.from_bytes(self._take(size), "big", signed=signed)

    def _marked(self, number: int, byte: int, usual: int, value: Any) -> Any:
        if byte != usual:
            self.marks.append([number, byte])
        return value

    def _float(self, number: int, byte: int, size: int) -> Any:
        raw = self._take(size)
        (value,) = struct.unpack(">f" if size == 4 else ">d", raw)  # noqa: PLR2004 - of 32 bits
        if not isfinite(value):
            return {FLOAT: bytes([byte]).hex() + raw.hex()}
        return self._marked(number, byte, FLOAT64, value)

    def _str(self, length: int, _: int) -> str:
        try:
            return self._take(length).decode()
        except UnicodeDecodeError as error:
            raise DecodeError(f"a text is not UTF-8: {error.reason}", code="syntax") from None

    def _bin(self, length: int, _: int) -> Any:
        return {BINARY: b64encode(self._take(length)).decode()}

    def _array(self, length: int, depth: int) -> Any:
        found: list[Any] = []
        while len(found) < length:
            found.append(self.value(depth))
        return found

    def _map(self, length: int, depth: int) -> Any:
        fields: dict[Any, Any] = {}
        flat: list[Any] = []
        plain = True
        for _ in range(length):
            key = self.value(depth)
            known = _hashable(key)
            if known in fields:
                raise DecodeError(f"the key {excerpt(key)} occurs twice in one map", code="duplicate-key")
            value = self.value(depth)
            fields[known] = value
            flat += [key, value]
            plain = plain and type(key) is str and key not in MARKERS
        return fields if plain else {MAP: flat}

    def _ext(self, length: int, depth: int) -> Any:
        code = self._number(1, signed=True)
        if code not in CODES:
            return {EXT: code, "bytes": b64encode(self._take(length)).decode()}
        outer, self._end = self._end, self.at + length
        if self._end > outer:
            raise DecodeError("the bytes end in the middle of an extension", code="syntax")
        marked, counted = len(self.marks), self._count
        value = self.value(depth)
        if self.at != self._end:
            raise DecodeError(f"extension {code}: bytes follow its value", code="syntax")
        self._end = outer
        big = big_integer(value) if code == BIG and len(self.marks) == marked else None
        if big is not None:
            # It is written as one value, so it counts as one.
            self._count = counted
            return big
        return {EXT: code, "value": value}


def _hashable(key: Any, *, is_nested: bool = False) -> Any:
    """Return a key as a hashable value, to find a second one.

    Args:
        key: the key.
        is_nested: whether it is inside an extension, where a map may be.

    Raises:
        DecodeError: code "key" for a map, which can't be a key in Python.
    """
    if is_list(key):
        return tuple(_hashable(item, is_nested=is_nested) for item in key)
    if not is_object(key):
        return key
    if not is_nested and (MAP in key or MARKERS.isdisjoint(key)):
        raise DecodeError("a map is a key of a map", code="key")
    return tuple((name, _hashable(value, is_nested=True)) for name, value in key.items())


# -- writing ----------------------------------------------------------------------------------------------------------


def write_tree(value: Any, marks: Any = ()) -> bytes:
    """Return the MessagePack of plain data.

    Args:
        value: the data.
        marks: those of ``read_tree``; one that doesn't fit its value is ignored.

    Raises:
        EncodeError: if an object has a key of this module's table but isn't in it.
    """
    writer = _Writer(dict(marks))
    try:
        writer.value(value)
    except RecursionError:
        raise EncodeError("nested too deep", code="depth") from None
    return b"".join(writer.out)


class _Writer:
    def __init__(self, marks: dict[int, int]) -> None:
        self._marks = marks
        self._count = 0
        self.out: list[bytes] = []

    def value(self, value: Any) -> None:
        number = self._count
        self._count += 1
        put = self.out.append
        if value is None or value is True or value is False:
            put(_packb(value))
        elif isinstance(value, str):
            raw = _utf8(value)
            put(self._head("str", len(raw), number) + raw)
        elif isinstance(value, int):
            self._int(value, number)
        elif isinstance(value, float):
            put(_float(value, self._marks.get(number)))
        elif is_sequence(value):
            put(self._head("array", len(value), number))
            for item in value:
                self.value(item)
        elif not is_mapping(value):
            raise EncodeError(f"not JSON: {excerpt(value)}", code="type")
        elif MARKERS.isdisjoint(value):
            self._pairs([item for pair in value.items() for item in pair], number)
        else:
            self._marker(value, number)

    def _head(self, kind: str, length: int, number: int) -> bytes:
        byte = self._marks.get(number)
        usual = first_of(kind, length)
        found = WIDE.get(byte) if byte is not None else None
        if byte is None or found is None or found[0] != kind or length >= 1 << (8 * found[1]):
            byte, found = usual, WIDE.get(usual)
        return bytes([byte]) + (length.to_bytes(found[1], "big") if found is not None else b"")

    def _int(self, value: int, number: int) -> None:
        if not -_INT64 <= value < 2 * _INT64:
            payload = write_tree(["builtins", "int", str(value)])
            self.out.append(self._head("ext", len(payload), number) + bytes([BIG]) + payload)
            return
        byte = self._marks.get(number, 0)
        kind, size = WIDE.get(byte, ("", 0))
        try:
            wide = value.to_bytes(size, "big", signed=kind == "int") if kind in ("int", "uint") else None
        except OverflowError:
            wide = None
        self.out.append(_packb(value) if wide is None else bytes([byte]) + wide)

    def _pairs(self, flat: list[Any], number: int) -> None:
        self.out.append(self._head("map", len(flat) // 2, number))
        for item in flat:
            self.value(item)

    def _marker(self, value: dict[str, Any], number: int) -> None:
        keys = set(value)
        code = value.get(EXT)
        if keys == {MAP} and is_sequence(value[MAP]) and len(value[MAP]) % 2 == 0:
            self._pairs(value[MAP], number)
        elif keys == {BINARY}:
            raw = _decoded(value[BINARY])
            self.out.append(self._head("bin", len(raw), number) + raw)
        elif keys == {FLOAT}:
            self.out.append(_odd_float(value[FLOAT]))
        elif type(code) is int and keys == {EXT, "value"} and code in CODES:
            start = len(self.out)
            self.value(value["value"])
            payload = b"".join(self.out[start:])
            self.out[start:] = [self._head("ext", len(payload), number), bytes([code]), payload]
        elif type(code) is int and keys == {EXT, "bytes"} and code not in CODES and -128 <= code < 128:  # noqa: PLR2004 - a signed byte
            raw = _decoded(value["bytes"])
            self.out.append(self._head("ext", len(raw), number) + code.to_bytes(1, "big", signed=True) + raw)
        else:
            raise _no_marker(value)


def check_marker(value: dict[str, Any]) -> None:
    """Check that an object with a key of the table, and everything inside it, can be written.

    Raises:
        DecodeError: if it can't.
    """
    try:
        write_tree(value)
    except EncodeError as error:
        raise DecodeError(error.message, code=error.code) from None


def _no_marker(value: Any) -> EncodeError:
    return EncodeError(f"an object with a key of MessagePack's but no meaning: {excerpt(value)}", code="type")


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise EncodeError(f"a lone surrogate in {excerpt(text)}", code="surrogate") from None


def _float(value: float, byte: int | None) -> bytes:
    if byte == FLOAT32:
        try:
            raw = struct.pack(">f", value)
        except OverflowError:
            raw = b""
        if raw and struct.unpack(">f", raw)[0] == value:
            return bytes([FLOAT32]) + raw
    packed: bytes = _packb(value)
    return packed


def _decoded(text: Any) -> bytes:
    try:
        return b64decode(text.encode("ascii"), validate=True)
    except (AttributeError, ValueError, Base64Error):
        raise _no_marker(text) from None


def _odd_float(text: Any) -> bytes:
    """Return the bytes of a float that is not finite."""
    try:
        raw = bytes.fromhex(text)
        (value,) = struct.unpack({FLOAT32: ">f", FLOAT64: ">d"}[raw[0]], raw[1:])
    except (TypeError, ValueError, LookupError, struct.error):
        raise _no_marker(text) from None
    if isfinite(value):
        raise _no_marker(text)
    return raw


# -- through the C library, for what LangGraph itself writes ----------------------------------------------------------
# The unpacked data is packed again, which must give the same bytes, and is written as JSON once, which refuses anything
# that isn't JSON or is too deep. Anything odd is read by ``read_tree``, so that all errors come from there. The
# payloads of extensions are unpacked in a loop, not inside the library, so that no input can nest calls.


# A key of the table, or a float that isn't finite.
_ODD = re.compile(rb"__(?:ext|bin|map|float|wire)__|\xcb[\x7f\xff][\xf0-\xff]")
_ODD_JSON = tuple(f'"{key}"'.encode() for key in (MAP, FLOAT, BINARY))
_EXT_JSON = f'"{EXT}"'.encode()
# More payloads inside payloads are left to ``read_tree``, which copies none.
_NESTED = 32
WIDEST = 0xFFFF
"""The most items that the library may expect in a list or an object."""

UNPACKING: dict[str, Any] = {"strict_map_key": True, "max_bin_len": 0, "max_array_len": WIDEST, "max_map_len": WIDEST}
"""The options of the library's ``unpackb`` for untrusted bytes."""

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
