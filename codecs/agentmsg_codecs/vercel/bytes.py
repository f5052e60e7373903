"""Bytes as JSON.stringify writes them: a list of numbers, a Uint8Array as an object, or a Buffer.

They are read as base64 data with the mark ``/bytes``: "list", "object" or "buffer".
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import is_list, is_object, mark_of, marked
from agentmsg_codecs.vercel.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Iterable

_BUFFER = "Buffer"


def read_bytes(value: Any, media_type: str | None) -> am.Base64Source | None:
    """Return the source for bytes; None for anything else, or if there are none."""
    if is_list(value):
        how, numbers = "list", value
    elif not is_object(value):
        return None
    elif value.keys() == {"type", "data"} and value["type"] == _BUFFER and is_list(value["data"]):
        how, numbers = "buffer", value["data"]
    elif list(value) == [str(place) for place in range(len(value))]:
        how, numbers = "object", list(value.values())
    else:
        return None
    data = _bytes(numbers)
    return None if not data else marked(am.Base64Source(b64encode(data).decode(), media_type), FAMILY, bytes=how)


def _bytes(numbers: list[Any]) -> bytes | None:
    """Return numbers as bytes; None if one isn't a byte."""
    try:
        return bytes(numbers) if set(map(type, numbers)) == {int} else None
    except ValueError:
        return None


def write_base64(source: am.Base64Source) -> Any:
    """Return base64 data, in the spelling that it was read in if that can express it."""
    how = mark_of(source, FAMILY, "/bytes")
    if how not in ("list", "object", "buffer"):
        return source.data
    try:
        data = b64decode(source.data, validate=True)
    except ValueError:
        return source.data
    if not data or b64encode(data).decode() != source.data:
        return source.data
    if how == "list":
        return list(data)
    return {"type": _BUFFER, "data": list(data)} if how == "buffer" else dict(_numbered(data))


def _numbered(data: Iterable[int]) -> Iterable[tuple[str, int]]:
    return ((str(place), byte) for place, byte in enumerate(data))
