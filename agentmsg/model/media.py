"""Media sources between formats: ``data:`` URLs, base64, and the kind of data.

Nothing is fetched, and base64 text is never decoded and encoded again.
"""

from __future__ import annotations

from string import ascii_letters, digits
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from agentmsg.model.blocks import AudioBlock, FileBlock, ImageBlock, VideoBlock
from agentmsg.model.media_types import guess_media_type
from agentmsg.model.sources import Base64Source, URLSource
from agentmsg.values.types import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "BYTES_SCHEMA",
    "CLASSES",
    "KINDS",
    "as_url",
    "data_url",
    "dumped_bytes",
    "guess_media_type",
    "kind_of",
    "read_data_url",
    "read_dumped_bytes",
    "standard_base64",
    "types_schema",
    "unwrapped",
    "write_url",
]

_BUFFER = "Buffer"
_LETTERS = frozenset(f"{ascii_letters}{digits}+/")
_TO_STANDARD = str.maketrans("-_", "+/")
BYTES_SCHEMA: Mapping[str, Any] = MappingProxyType(
    {
        "type": ["array", "object"],
        "examples": [[104, 105], {"type": _BUFFER, "data": [104, 105]}, {"0": 104, "1": 105}],
    }
)
"""The JSON Schema of dumped bytes."""

CLASSES: Mapping[str, type[Any]] = MappingProxyType(
    {"image": ImageBlock, "audio": AudioBlock, "video": VideoBlock, "file": FileBlock}
)
"""The blocks of media, by their kind."""
KINDS: Mapping[type[Any], str] = MappingProxyType({cls: kind for kind, cls in CLASSES.items()})
"""The kinds of media, by their block."""


def standard_base64(text: str) -> str:
    """Return base64 in the standard alphabet, padded; a text that isn't base64 in one alphabet stays as it is."""
    is_safe = "-" in text or "_" in text  # the alphabet for URLs
    if not (is_safe or len(text) % 4) or (is_safe and ("+" in text or "/" in text)):
        return text
    data = text.translate(_TO_STANDARD).rstrip("=")
    padded = data + "=" * (-len(data) % 4)
    is_base64 = len(data) % 4 != 1 and _LETTERS.issuperset(data) and len(text) in (len(data), len(padded))
    return padded if is_base64 else text


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


def kind_of(media_type: Any) -> str:
    """Return the kind of media for a media type: image, audio, video, else file."""
    kind = media_type.partition("/")[0] if isinstance(media_type, str) else ""
    return kind if kind in CLASSES else "file"


def types_schema(kind: str) -> dict[str, Any]:
    """Return the JSON Schema of the media types of a kind."""
    if kind != "file":
        return {"type": "string", "pattern": f"^{kind}(/|$)", "examples": [f"{kind}/x"]}
    others = "|".join(each for each in CLASSES if each != kind)
    return {"type": "string", "pattern": f"^(?!({others})(/|$))", "examples": ["application/pdf", "text/plain"]}


def read_data_url(url: str) -> Base64Source | None:
    """Return the source that a base64 ``data:`` URL holds; None for any other URL.

    Parameters of the media type (``;charset=...``) are left to the caller, as spelling.
    """
    head, comma, data = url.partition(",")
    if not comma or head[:5].lower() != "data:" or not head.lower().endswith(";base64"):
        return None
    return Base64Source(data, head[5:-7].partition(";")[0] or None)


def unwrapped(source: Any) -> Any:
    """Return the data of a source that is a ``data:`` URL; any other source unchanged."""
    return (read_data_url(source.url) if isinstance(source, URLSource) else None) or source


def data_url(source: Base64Source) -> str:
    """Return the ``data:`` URL of a source (RFC 2397)."""
    return f"data:{source.media_type or ''};base64,{source.data}"


def write_url(source: URLSource | Base64Source) -> str:
    """Return the URL of a source; for data, a ``data:`` URL."""
    return data_url(source) if isinstance(source, Base64Source) else source.url


def as_url(source: URLSource | Base64Source, *, is_untyped: bool = False) -> URLSource | Base64Source:
    """Return the nearest source that a URL can express: a data URL becomes data, others lose their media type.

    Args:
        source: the source; it is returned as it is if its URL says everything.
        is_untyped: whether data without a media type stays so; else the type is guessed.
    """
    if isinstance(source, URLSource):
        held = read_data_url(source.url)
        if held is not None:
            return held
        return source if source.media_type is None and not source.extras else URLSource(source.url, None)
    back = read_data_url(data_url(source))
    told = back.media_type if back is not None and back.data == source.data else None
    if told is None and not is_untyped:
        told = guess_media_type(source.data)
    if told != source.media_type:
        return Base64Source(source.data, told)
    return source.evolve(extras={}) if source.extras else source
