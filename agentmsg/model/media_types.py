"""Guess media types from the first bytes or from the file name.

The table is our own: the standard library's depends on the machine.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# The first bytes of the common kinds, as base64 text.
_SIGNATURES: Mapping[str, str] = MappingProxyType(
    {
        "/9j/": "image/jpeg",
        "iVBORw0KGgo": "image/png",
        "R0lGOD": "image/gif",
        "JVBERi0": "application/pdf",
        "T2dnU": "audio/ogg",
        "ZkxhQ": "audio/flac",
        "SUQz": "audio/mpeg",
    }
)
_SUFFIXES: Mapping[str, str] = MappingProxyType(
    {
        "aac": "audio/aac",
        "avi": "video/x-msvideo",
        "bmp": "image/bmp",
        "csv": "text/csv",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "flac": "audio/flac",
        "gif": "image/gif",
        "heic": "image/heic",
        "html": "text/html",
        "jpeg": "image/jpeg",
        "jpg": "image/jpeg",
        "json": "application/json",
        "m4a": "audio/mp4",
        "md": "text/markdown",
        "mov": "video/quicktime",
        "mp3": "audio/mpeg",
        "mp4": "video/mp4",
        "ogg": "audio/ogg",
        "pdf": "application/pdf",
        "png": "image/png",
        "svg": "image/svg+xml",
        "tiff": "image/tiff",
        "txt": "text/plain",
        "wav": "audio/wav",
        "webm": "video/webm",
        "webp": "image/webp",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    }
)


def guess_media_type(data: str) -> str | None:
    """Guess the media type from the first bytes of base64 data; None if they aren't a common kind."""
    if data.startswith("UklGR"):  # RIFF, four bytes of length, WEBP or WAVE
        return {"XRUJQ": "image/webp", "XQVZF": "audio/wav"}.get(data[11:16])
    return next((kind for start, kind in _SIGNATURES.items() if data.startswith(start)), None)


def media_type_of_name(name: str) -> str | None:
    """Return the media type for a file name's suffix; None if it isn't a common one."""
    return _SUFFIXES.get(name.rpartition(".")[2].lower()) if "." in name else None
