"""How MessagePack spells values: what a first byte begins, and which spelling is the shortest."""

from __future__ import annotations

from agentmsg import DecodeError, EncodeError

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
