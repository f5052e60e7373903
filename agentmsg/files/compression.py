"""gzip, bzip2, XZ and Zstandard streams; files of several members or frames are read to their end."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from agentmsg.errors import AgentMsgError, FileError
from agentmsg.optional import extra

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

_BUFFER = 1 << 18


def _zstd() -> Any:
    # Part of Python since 3.14; the package provides it for earlier versions.
    module = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    return extra(module, "zstd", ".zst")


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise FileError(f"this Python was built without {name}", code="unavailable") from None


# Files to read or write, by suffix. Those of gzip are without name and time, so that the same documents give the same
# bytes.
_FILES: Mapping[str, Callable[[BinaryIO, str], Any]] = {
    ".bz2": lambda stream, mode: _library("bz2").BZ2File(stream, mode),
    ".gz": lambda stream, mode: gzip.GzipFile("", mode, 6, stream, 0),
    ".xz": lambda stream, mode: _library("lzma").LZMAFile(stream, mode),
    ".zst": lambda stream, mode: _zstd().ZstdFile(stream, mode),
}


class _Steady(io.RawIOBase):
    """Returns all bytes decompressed so far before it reports damage; a whole read would lose them."""

    def __init__(self, stream: Any, name: str) -> None:
        self._stream = stream
        self._name = name

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read what there is, up to the size of a buffer."""
        try:
            data: bytes = self._stream.read1(len(buffer))
        except Exception as error:
            # The modules of some errors may be missing; those of the system have numbers.
            is_damage = isinstance(error, (EOFError, zlib.error)) or type(error).__name__ in ("LZMAError", "ZstdError")
            if not is_damage and (isinstance(error, AgentMsgError) or getattr(error, "errno", 0) is not None):
                raise
            raise FileError(f"{self._name}: damaged or cut: {error}", code="compression") from None
        buffer[: len(data)] = data
        return len(data)


@contextmanager
def decompressed(stream: BinaryIO, compression: str, name: str) -> Generator[BinaryIO]:
    """Open the decompressed bytes of a stream; the stream itself if it isn't compressed.

    Args:
        stream: as it is on disk; left open.
        compression: a suffix, or empty.
        name: of the file, for errors.

    Raises:
        FileError: code "compression" if the bytes are damaged or cut; code "unavailable" if a package is missing.
    """
    if compression:
        files = _FILES[compression](stream, "rb")
        stream = cast("BinaryIO", io.BufferedReader(_Steady(files, name), _BUFFER))
    yield stream


@contextmanager
def compressed(stream: BinaryIO, compression: str) -> Generator[BinaryIO]:
    """Open a stream that compresses into the given one, which stays open."""
    if not compression:
        yield stream
        return
    with _FILES[compression](stream, "wb") as writer:
        yield writer
