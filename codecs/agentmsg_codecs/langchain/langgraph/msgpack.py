"""How MessagePack spells values: what a first byte begins, and which is the shortest."""

from __future__ import annotations

from agentmsg import DecodeError, EncodeError

# The largest integer that a first byte is.
MOST = 0x7F
FIXED_EXT = {1: 0xD4, 2: 0xD5, 4: 0xD6, 8: 0xD7, 16: 0xD8}
# First bytes by how many bytes their number takes, shortest first.
_STR, _BIN, _EXT = {1: 0xD9, 2: 0xDA, 4: 0xDB}, {1: 0xC4, 2: 0xC5, 4: 0xC6}, {1: 0xC7, 2: 0xC8, 4: 0xC9}
_ARRAY, _MAP = {2: 0xDC, 4: 0xDD}, {2: 0xDE, 4: 0xDF}
_UINT, _INT = {1: 0xCC, 2: 0xCD, 4: 0xCE, 8: 0xCF}, {1: 0xD0, 2: 0xD1, 4: 0xD2, 8: 0xD3}
FLOAT32, FLOAT64 = 0xCA, 0xCB
# What a first byte begins, and how many bytes its number or float has.
WIDE: dict[int, tuple[str, int]] = {
    byte: (kind, size)
    for kind, table in (
        ("str", _STR), ("bin", _BIN), ("ext", _EXT), ("array", _ARRAY), ("map", _MAP), ("uint", _UINT), ("int", _INT),
        ("float", {4: FLOAT32, 8: FLOAT64}),
    )
    for size, byte in table.items()
}  # fmt: skip
MASKS = {"str": 0x1F, "array": 0x0F, "map": 0x0F}
_BROKEN = 0xC1


def kind_of(byte: int) -> tuple[str, int]:
    """Return what a first byte begins, and how many bytes its number has: none where the byte says it."""
    if byte in WIDE:
        return WIDE[byte]
    if byte <= MOST or byte >= 0xE0:  # noqa: PLR2004 - as MessagePack has it
        return "int", 0
    if byte == _BROKEN:
        raise DecodeError("not MessagePack: a byte 0xc1", code="syntax")
    fixed = next((size for size, first in FIXED_EXT.items() if first == byte), None)
    if fixed is not None:
        return "ext", fixed
    return "map" if byte < 0x90 else "array" if byte < 0xA0 else "str", 0  # noqa: PLR2004 - as MessagePack has it


def first_of_int(value: int) -> int:
    """Return the first byte of the shortest spelling of an integer."""
    if -32 <= value <= MOST:  # noqa: PLR2004 - the byte is the number
        return value & 0xFF
    if value >= 0:
        return next(byte for size, byte in _UINT.items() if value < 1 << (8 * size))
    return next(byte for size, byte in _INT.items() if value >= -(1 << (8 * size - 1)))


_SHORT = {"str": (32, 0xA0, _STR), "array": (16, 0x90, _ARRAY), "map": (16, 0x80, _MAP), "bin": (0, 0, _BIN)}


def first_of(kind: str, length: int) -> int:
    """Return the first byte of the shortest spelling of what has a length."""
    if kind == "ext":
        fixed = FIXED_EXT.get(length)
        return fixed if fixed is not None else _sized(_EXT, length)
    short, base, table = _SHORT[kind]
    return base | length if length < short else _sized(table, length)


def _sized(table: dict[int, int], length: int) -> int:
    for size, byte in table.items():
        if length < 1 << (8 * size):
            return byte
    raise EncodeError(f"{length} bytes or items are more than MessagePack has room for", code="bytes")
