"""gzip and Zstandard streams; files of several members or frames are read to their end."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from agentmsg.errors import FileError
from agentmsg.optional import extra

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

_BUFFER = 1 << 18


def _zstd() -> Any:
    # Part of Python since 3.14; the package provides it for earlier versions.
    module = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    return extra(module, "zstd", ".zst")


class _Steady(io.RawIOBase):
    """Returns all bytes decompressed so far before it reports damage; a whole read would lose them."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read what there is, up to the size of a buffer."""
        data: bytes = self._stream.read1(len(buffer))
        buffer[: len(data)] = data
        return len(data)


_READERS: Mapping[str, Callable[[BinaryIO], Any]] = {
    ".gz": lambda stream: gzip.GzipFile(fileobj=stream, mode="rb"),
    ".zst": lambda stream: _zstd().ZstdFile(stream),
}
_WRITERS: Mapping[str, Callable[[BinaryIO], Any]] = {
    # Without name and time, so that the same documents give the same bytes.
    ".gz": lambda stream: gzip.GzipFile(filename="", fileobj=stream, mode="wb", compresslevel=6, mtime=0),
    ".zst": lambda stream: _zstd().ZstdFile(stream, "wb"),
}


@contextmanager
def decompressed(stream: BinaryIO, compression: str, name: str) -> Generator[BinaryIO]:
    """Open the decompressed bytes of a stream; the stream itself if it isn't compressed.

    Args:
        stream: as it is on disk; left open.
        compression: "", ".gz" or ".zst".
        name: of the file, for errors.

    Raises:
        FileError: code "compression" if the bytes are damaged or cut; code "unavailable" if a package is missing.
    """
    if not compression:
        yield stream
        return
    try:
        yield cast("BinaryIO", io.BufferedReader(_Steady(_READERS[compression](stream)), _BUFFER))
    except Exception as error:
        # The module of ZstdError may be missing.
        if not (isinstance(error, (EOFError, gzip.BadGzipFile, zlib.error)) or type(error).__name__ == "ZstdError"):
            raise
        raise FileError(f"{name}: damaged or cut: {error}", code="compression") from None


@contextmanager
def compressed(stream: BinaryIO, compression: str) -> Generator[BinaryIO]:
    """Open a stream that compresses into the given one, which stays open."""
    if not compression:
        yield stream
        return
    with _WRITERS[compression](stream) as writer:
        yield writer
