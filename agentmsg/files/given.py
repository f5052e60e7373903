"""Callers' files: a path, or their open file object, binary or text, which stays open."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, TypeAlias, cast

import attrs

from agentmsg.errors import AgentMsgError, DecodeError, FileError, excerpt, is_a, refused
from agentmsg.files.file_names import check_column, kind_of
from agentmsg.files.job import Piece, Source
from agentmsg.files.reading import Reading
from agentmsg.files.storage import place_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmsg.files.file_names import Form
    from agentmsg.limits import Limits


class _Reads(Protocol):
    def read(self, size: int, /) -> Any: ...


class _Writes(Protocol):
    def write(self, data: Any, /) -> Any: ...


ToRead: TypeAlias = str | os.PathLike[str] | _Reads
ToWrite: TypeAlias = str | os.PathLike[str] | _Writes

_BUFFER = 1 << 18
# No system accepts a longer path.
_LONGEST = 4096


@attrs.frozen
class Given:
    """A caller's path or file object.

    Attributes:
        name: the path, or the file's own name, for errors.
        file: the file object; None for a path.
    """

    name: str
    file: Any = None


def given(value: ToRead | ToWrite, *needed: str) -> Given:
    """Return a path, or a file object that has one of some methods.

    Raises:
        InvalidMessage: code "type" if it is neither.
    """
    path: object = value
    try:
        if isinstance(value, os.PathLike):
            path = os.fsdecode(value)
        elif any(callable(getattr(value, method, None)) for method in needed):
            name = getattr(value, "name", None)
            return Given(name if is_a(name, str) and 0 < len(name) <= _LONGEST else "the file", value)
    except Exception:  # noqa: BLE001 - whatever a foreign object raises, it is neither
        path = None
    if not is_a(path, str) or not 0 < len(path) <= _LONGEST:
        raise refused("path_or_file", value, "a path or an open file")
    return Given(path)


def readable(
    source: Given,
    default: Form,
    limits: Limits,
    *,
    wanted: Form | None = None,
    at: tuple[str, ...] = (),
    column: str | None = None,
) -> Reading:
    """Return the documents of a caller's file, not opened yet.

    Args:
        source: the file; the name of a path says whether it is compressed.
        default: the form of a file object, and of a file whose name doesn't say.
        limits: bounds on what is held in memory.
        wanted: the form of a ``.json`` file that isn't one document.
        at: JSON pointers to the documents inside the records, see ``places``.
        column: the Parquet column that holds the documents.
    """
    if source.file is None:
        kind = kind_of(source.name, default, column)
        check_column(column, kind)
        if wanted is not None and kind.form == "json":
            kind = attrs.evolve(kind, form=wanted)
        is_stream = place_of(source.name).is_stream(source.name)
        size = None if is_stream else place_of(source.name).size(source.name)
        known = Source(path=source.name, kind=kind, codec="", at=at, size=size, is_stream=is_stream)
        return Reading(Piece(source=known), limits, None)
    kind = attrs.evolve(kind_of("-", default), form=default)
    stream = cast("BinaryIO", io.BufferedReader(_Bytes(source), _BUFFER))
    known = Source(path=source.name, kind=kind, codec="", at=at, is_stream=True)
    return Reading(Piece(source=known), limits, lambda: stream)


class _Bytes(io.RawIOBase):
    """The bytes of a file object, line by line if possible, so that it never waits for bytes that aren't needed."""

    def __init__(self, source: Given) -> None:
        self._source = source
        file = source.file
        self._more: Callable[[int], object] = file.readline if hasattr(file, "readline") else file.read
        self._rest = b""
        # They tell whether more is there, see ``Reading.ahead``.
        for name in ("fileno", "seekable"):
            if hasattr(file, name):
                setattr(self, name, getattr(file, name))

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read what there is, up to the size of a buffer."""
        if not self._rest:
            self._rest = self._piece(len(buffer))
        data, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)

    def _piece(self, size: int) -> bytes:
        name = self._source.name
        try:
            piece = self._more(size)
            if isinstance(piece, str):
                return piece.encode()
        except AgentMsgError:
            raise
        except UnicodeError as error:
            code = "surrogate" if isinstance(error, UnicodeEncodeError) else "syntax"
            msg = f"the text is not UTF-8: {excerpt(str(error))[1:-1]}"
            raise DecodeError(msg, code=code) from error
        except Exception as error:
            msg = f"{name}: it cannot be read: {type(error).__name__}: {excerpt(str(error))[1:-1]}"
            raise FileError(msg, code="file") from error
        if isinstance(piece, (bytes, bytearray, memoryview)):
            return bytes(cast("bytes", piece))
        msg = f"{name}: reading gives {excerpt(piece)}, neither bytes nor text"
        raise FileError(msg, code="type")


def writer_of(target: Given, *, is_binary: bool) -> Callable[[bytes], None]:
    """Return a function that writes bytes to a file object, as text if the file takes text.

    Args:
        target: with a file object.
        is_binary: whether the bytes aren't text.

    Raises:
        FileError: code "form" if the file takes text only, and the bytes aren't text; code "file" on writing, if the
            file refuses.
    """
    is_text = is_a(target.file, io.TextIOBase) or is_a(getattr(target.file, "encoding", None), str)
    if is_text and is_binary:
        msg = f'{target.name}: the format is binary, and the file takes text; open it with mode "wb"'
        raise FileError(msg, code="form")

    def write(data: bytes) -> None:
        try:
            if is_text:
                target.file.write(data.decode())
                return
            while data:
                done = target.file.write(data)
                # A raw file may take only a part; one that doesn't say has taken all of it.
                data = data[done:] if type(done) is int and 0 < done < len(data) else b""
        except AgentMsgError:
            raise
        except Exception as error:
            msg = f"{target.name}: it cannot be written: {type(error).__name__}: {excerpt(str(error))[1:-1]}"
            raise FileError(msg, code="file") from error

    return write
