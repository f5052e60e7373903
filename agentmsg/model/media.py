"""Media sources between formats: ``data:`` URLs and base64, and what kind of data it is.

Nothing is fetched, and base64 text is never decoded and encoded again.
"""

from __future__ import annotations

from agentmsg.model.media_types import guess_media_type
from agentmsg.model.sources import Base64Source

__all__ = ["data_url", "guess_media_type", "read_data_url"]


def read_data_url(url: str) -> Base64Source | None:
    """Return the source that a base64 ``data:`` URL holds; None for any other URL.

    Parameters of the media type (``;charset=...``) are left to the caller, as spelling.
    """
    head, comma, data = url.partition(",")
    if not comma or head[:5].lower() != "data:" or not head.lower().endswith(";base64"):
        return None
    return Base64Source(data, head[5:-7].partition(";")[0] or None)


def data_url(source: Base64Source) -> str:
    """Return the ``data:`` URL of a source (RFC 2397)."""
    return f"data:{source.media_type or ''};base64,{source.data}"
