"""Tokens of an image, estimated from its size in pixels, which the first bytes of PNG, JPEG, GIF and WebP tell.

The estimate is what Anthropic documents for Claude ("Vision", Calculate image costs): width x height / 750, of an image
that is first made smaller if a side is over 1568 pixels or it would cost over 1600 tokens. With ``detail="low"``, and
if no size can be read (a URL, a file id, another kind of image), it is 85: what OpenAI documents for an image of low
detail ("Images and vision", Calculating costs). Both providers have other numbers for other models.
"""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING, TypeAlias

from agentmsg.errors import InvalidMessage
from agentmsg.model.media import unwrapped
from agentmsg.model.sources import Base64Source

if TYPE_CHECKING:
    from agentmsg.model.blocks import ImageBlock

UNKNOWN_SIZE = 85
_PIXELS_PER_TOKEN, _MOST_TOKENS, _LONGEST_SIDE = 750, 1600, 1568
# Characters of base64 text to look at, a multiple of 4; a JPEG may begin with a small picture of itself.
_START = 1 << 18
# The markers of a JPEG's frame header, which are those of the kinds of coding but three for other tables.
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_Size: TypeAlias = tuple[int, int]


def image_tokens(block: ImageBlock) -> int:
    """Return about how many tokens an image costs; see this module."""
    source = unwrapped(block.source)
    size = _size(source) if isinstance(source, Base64Source) and block.detail != "low" else None
    if size is None:
        return UNKNOWN_SIZE
    scale = min(1, _LONGEST_SIDE / max(size))
    return min(_MOST_TOKENS, math.ceil(size[0] * scale * size[1] * scale / _PIXELS_PER_TOKEN))


def _size(source: Base64Source) -> _Size | None:
    """Return the width and height of an image; None if its bytes don't tell them."""
    start = "".join(source.data[:_START].split())
    try:
        data = Base64Source(start[: len(start) // 4 * 4] if len(source.data) > _START else start).decode()
    except InvalidMessage:
        return None
    try:
        size = _told(data)
    except struct.error:  # the header ends too early
        return None
    return size if size and all(size) else None


def _told(data: bytes) -> _Size | None:
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return struct.unpack_from(">II", data, 16)
    if data.startswith((b"GIF87a", b"GIF89a")):
        return struct.unpack_from("<HH", data, 6)
    if data.startswith(b"\xff\xd8"):
        return _of_jpeg(data)
    return _of_webp(data) if data[:4] == b"RIFF" and data[8:12] == b"WEBP" else None


def _of_jpeg(data: bytes) -> _Size:
    """Return the size from the frame header (ITU-T T.81, B.2.2), after segments that each tell their length."""
    place = 2
    while True:
        _, marker, length, _, height, width = struct.unpack_from(">BBHBHH", data, place)
        if marker in _FRAMES:
            return width, height
        place += 2 + length


def _of_webp(data: bytes) -> _Size | None:
    """Return the size from the first chunk (RFC 9649): lossy, lossless, or with more to come."""
    if data[12:16] == b"VP8 ":
        width, height = struct.unpack_from("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    if data[12:16] == b"VP8L":
        (bits,) = struct.unpack_from("<I", data, 21)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if data[12:16] == b"VP8X":
        low, high, wide, tall = struct.unpack_from("<HBHB", data, 24)
        return low + (high << 16) + 1, wide + (tall << 16) + 1
    return None
