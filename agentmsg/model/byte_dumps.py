"""Bytes in JSON that JavaScript wrote: a list of numbers, a Buffer, or a Uint8Array as an object by index."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from agentmsg.values.types import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Mapping

_BUFFER = "Buffer"
BYTES_SCHEMA: Mapping[str, Any] = MappingProxyType(
    {
        "type": ["array", "object"],
        "examples": [[104, 105], {"type": _BUFFER, "data": [104, 105]}, {"0": 104, "1": 105}],
    }
)
"""The JSON Schema of dumped bytes."""


def read_dumped_bytes(value: Any) -> tuple[str, str] | None:
    """Return the base64 text of dumped bytes, and how they are dumped: "list", "buffer" or "object".

    Returns:
        None for anything else, and for no bytes at all.
    """
    import base64  # noqa: PLC0415 - needed by few

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
    try:
        data = bytes(numbers) if set(map(type, numbers)) == {int} else b""
    except ValueError:  # one isn't a byte
        return None
    return (base64.b64encode(data).decode(), how) if data else None


def dumped_bytes(data: str, how: Any) -> Any:
    """Return base64 text as bytes dumped in one of these ways; the text itself if it would read otherwise."""
    import base64  # noqa: PLC0415 - needed by few

    if how not in ("list", "buffer", "object"):
        return data
    try:
        held = base64.b64decode(data, validate=True)
    except ValueError:
        return data
    if not held or base64.b64encode(held).decode() != data:
        return data
    if how == "list":
        return list(held)
    return {"type": _BUFFER, "data": list(held)} if how == "buffer" else {str(i): byte for i, byte in enumerate(held)}
