"""Media sources. A URL is a text, a file id belongs to its provider, and nothing is ever fetched.

A file is read only if a caller names it (``Base64Source.from_file``), never because data does.
"""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Annotated, TypeAlias

import attrs

from agentmsg.errors import FileError, InvalidMessage, excerpt, is_a, refused
from agentmsg.limits import DEFAULT_LIMITS, Limits, as_limits, beyond
from agentmsg.model.base import Noted, Tagged, as_blocks
from agentmsg.model.checks import optional_text, text
from agentmsg.model.media_types import guess_media_type, media_type_of_name

if TYPE_CHECKING:
    from agentmsg.model.blocks import Block  # noqa: TC004 - blocks know sources


@attrs.frozen(repr=False, eq=False)
class URLSource(Noted):
    """A reference by URL of any scheme, including ``data:``; kept as text and never opened.

    Attributes:
        url: the reference.
        media_type: such as "image/png", if known.
    """

    url: str = attrs.field(validator=text)
    media_type: str | None = attrs.field(default=None, validator=optional_text)


@attrs.frozen(repr=False, eq=False)
class Base64Source(Noted):
    """Bytes as base64 text, kept exactly as given (standard or URL-safe alphabet, padded or not).

    Attributes:
        data: the base64 text; ``decode`` returns the bytes.
        media_type: such as "image/png", if known.
    """

    data: str = attrs.field(validator=text)
    media_type: str | None = attrs.field(default=None, validator=optional_text)

    @classmethod
    def from_bytes(cls, data: bytes, media_type: str | None = None) -> Base64Source:
        """Return the source that holds these bytes."""
        import base64  # noqa: PLC0415 - needed by few

        if not is_a(data, (bytes, bytearray, memoryview)):
            raise refused("data", data, "bytes")
        return cls(base64.b64encode(bytes(data)).decode(), media_type)

    @classmethod
    def from_file(
        cls, path: str | PathLike[str], media_type: str | None = None, *, limits: Limits = DEFAULT_LIMITS
    ) -> Base64Source:
        """Return a source with the bytes of a file, read now.

        Args:
            path: the file's path.
            media_type: if not given, guessed from the first bytes, else from the file name.
            limits: the most bytes.

        Raises:
            FileError: if the file can't be read.
            InvalidMessage: code "bytes" if it is larger than the limit.
        """
        from pathlib import Path  # noqa: PLC0415 - needed by few

        as_limits(limits)
        if not is_a(path, (str, PathLike)):
            raise refused("path", path, "a path")
        try:
            with Path(path).open("rb") as file:
                data = file.read(limits.inline_media + 1)
        except (OSError, ValueError, TypeError) as error:
            words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            msg = f"{excerpt(str(path))} cannot be read: {words}"
            raise FileError(msg, code="file") from error
        if len(data) > limits.inline_media:
            words = f"{excerpt(str(path))} is larger than the limit of {limits.inline_media} bytes"
            msg = beyond(words, "inline_media")
            raise InvalidMessage(msg, code="bytes", path=("data",))
        source = cls.from_bytes(data)
        return cls(source.data, media_type or guess_media_type(source.data) or media_type_of_name(Path(path).name))

    def decode(self, limits: Limits = DEFAULT_LIMITS) -> bytes:
        """Return the bytes.

        Raises:
            InvalidMessage: code "syntax" if the text isn't base64, "bytes" if it is longer than the limit.
        """
        import base64  # noqa: PLC0415 - needed by few
        import binascii  # noqa: PLC0415 - needed by few

        as_limits(limits)
        if len(self.data) * 3 // 4 > limits.inline_media:
            words = f"{len(self.data) * 3 // 4} bytes are more than the limit of {limits.inline_media}"
            msg = beyond(words, "inline_media")
            raise InvalidMessage(msg, code="bytes", path=("data",))
        compact = "".join(self.data.split()).rstrip("=").replace("-", "+").replace("_", "/")
        try:
            return base64.b64decode(compact + "=" * (-len(compact) % 4), validate=True)
        except (binascii.Error, ValueError) as error:
            msg = f"not base64: {error}"
            raise InvalidMessage(msg, code="syntax", path=("data",)) from None


@attrs.frozen(repr=False, eq=False)
class FileSource(Noted):
    """A file that a provider keeps; the id means nothing to others.

    Attributes:
        file_id: the provider's id.
        provider: who keeps it.
        media_type: such as "application/pdf", if known.
    """

    file_id: str = attrs.field(validator=text)
    provider: str | None = attrs.field(default=None, validator=optional_text)
    media_type: str | None = attrs.field(default=None, validator=optional_text)


@attrs.frozen(repr=False, eq=False)
class TextSource(Noted):
    """A document given as text.

    Attributes:
        text: the document.
        media_type: such as "text/plain", if known.
    """

    text: str = attrs.field(validator=text)
    media_type: str | None = attrs.field(default=None, validator=optional_text)


@attrs.frozen(repr=False, eq=False)
class BlocksSource(Noted):
    """A document given as content blocks.

    Attributes:
        content: the blocks.
    """

    content: tuple[Block, ...] = attrs.field(converter=as_blocks)


Source: TypeAlias = Annotated[URLSource | Base64Source | FileSource | TextSource | BlocksSource, Tagged("Source")]
"""Where an image, a file or other media come from."""
