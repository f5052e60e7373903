"""Where media come from. A URL is a text, a file id belongs to its provider, nothing is ever fetched.

Imports only what is below the blocks: base, field checks, errors, limits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import attrs

from agentmsg._base import Noted, as_blocks
from agentmsg._fields import optional_text, text
from agentmsg.errors import InvalidMessage
from agentmsg.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from agentmsg.blocks import Block  # noqa: TC004 - blocks know sources

__all__ = ["Base64Source", "BlocksSource", "FileSource", "Source", "TextSource", "URLSource"]


@attrs.frozen(repr=False, eq=False)
class URLSource(Noted):
    """A reference by URL, of any scheme, ``data:`` included; kept as text and never opened."""

    url: str = attrs.field(validator=text)
    media_type: str | None = attrs.field(default=None, validator=optional_text)


@attrs.frozen(repr=False, eq=False)
class Base64Source(Noted):
    """Bytes as base64 text, kept exactly as given (standard or URL-safe alphabet, padded or not)."""

    data: str = attrs.field(validator=text)
    media_type: str | None = attrs.field(default=None, validator=optional_text)

    @classmethod
    def from_bytes(cls, data: bytes, media_type: str | None = None) -> Base64Source:
        """Return the source that holds these bytes."""
        import base64  # noqa: PLC0415 - needed by few

        return cls(base64.b64encode(data).decode(), media_type)

    def decode(self, limits: Limits = DEFAULT_LIMITS) -> bytes:
        """Return the bytes.

        Raises:
            InvalidMessage: code "syntax" where the text is no base64, "bytes" where it is longer than the
                limit.
        """
        import base64  # noqa: PLC0415 - needed by few
        import binascii  # noqa: PLC0415 - needed by few

        if len(self.data) * 3 // 4 > limits.inline_media:
            msg = f"{len(self.data) * 3 // 4} bytes are more than the limit of {limits.inline_media}"
            raise InvalidMessage(msg, code="bytes", path=("data",))
        compact = "".join(self.data.split()).rstrip("=").replace("-", "+").replace("_", "/")
        try:
            return base64.b64decode(compact + "=" * (-len(compact) % 4), validate=True)
        except (binascii.Error, ValueError) as error:
            msg = f"not base64: {error}"
            raise InvalidMessage(msg, code="syntax", path=("data",)) from None


@attrs.frozen(repr=False, eq=False)
class FileSource(Noted):
    """A file that a provider keeps; the id means nothing to others."""

    file_id: str = attrs.field(validator=text)
    provider: str | None = attrs.field(default=None, validator=optional_text)
    media_type: str | None = attrs.field(default=None, validator=optional_text)


@attrs.frozen(repr=False, eq=False)
class TextSource(Noted):
    """A document given as text."""

    text: str = attrs.field(validator=text)
    media_type: str | None = attrs.field(default=None, validator=optional_text)


@attrs.frozen(repr=False, eq=False)
class BlocksSource(Noted):
    """A document given as content blocks."""

    content: tuple[Block, ...] = attrs.field(converter=as_blocks)


Source: TypeAlias = URLSource | Base64Source | FileSource | TextSource | BlocksSource
