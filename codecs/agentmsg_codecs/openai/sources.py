"""URLs and data: the values of ``url`` and ``file_data``."""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg.formats import Unreadable, maker, mark_of, marked, media
from agentmsg_codecs.openai.hints import odd
from agentmsg_codecs.openai.names import FAMILY

_make_url = maker(am.URLSource)


def read_url(url: Any) -> Any:
    """Return the source of a URL: what a base64 ``data:`` URL holds, or the reference.

    Raises:
        Unreadable: if it isn't a text.
    """
    if type(url) is not str:
        raise Unreadable
    held = media.read_data_url(url) if url[:5].lower() == "data:" else None
    if held is None:
        return _make_url(url=url)
    return held if held.media_type is not None else odd(held)


def read_data(text: Any) -> Any:
    """Return the source of a file: what a ``data:`` URL holds; some write the base64 alone, or another URL.

    Raises:
        Unreadable: if it isn't a text.
    """
    source = read_url(text)
    if not isinstance(source, am.URLSource):
        return source
    # Every URL has a colon, and no base64 has one.
    return odd(source) if ":" in text else marked(am.Base64Source(text), FAMILY, odd=True, raw=True)


def write_data(source: Any) -> str:
    """Return the ``file_data`` of a source."""
    raw = mark_of(source, FAMILY, "/raw") is True and isinstance(source, am.Base64Source)
    return source.data if raw and source.media_type is None and ":" not in source.data else media.write_url(source)
