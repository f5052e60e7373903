"""The calls of users on files: load and dump one document; load_lines and dump_lines for many, and logs that grow.

A file is a path, or an open file object, binary or text, which stays open.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, Protocol, TypeAlias, Unpack, cast

import attrs

from agentmsg.api.joining import EACH
from agentmsg.api.reading import loads
from agentmsg.api.writing import dumps, writer_for
from agentmsg.checking.detection import recognize
from agentmsg.checking.inside import with_places
from agentmsg.errors import (
    AgentMsgError,
    DecodeError,
    EncodeError,
    FileError,
    InvalidMessage,
    NotUnderstood,
    excerpt,
    is_a,
    refused,
)
from agentmsg.files.documents import Found
from agentmsg.files.file_names import check_column, is_remote, kind_of
from agentmsg.files.job import Piece, Source
from agentmsg.files.overwriting import check_free
from agentmsg.files.packing import compressed, framing_of, packed
from agentmsg.files.places import nothing_at, pointers
from agentmsg.files.plan import form_fault, format_of, sample, with_columns
from agentmsg.files.reading import Reading
from agentmsg.files.storage import asking, named, naming, place_of, whole_file
from agentmsg.formats.codec import Codec
from agentmsg.limits import DEFAULT_LIMITS, as_limits
from agentmsg.model.checks import flag, one_of
from agentmsg.model.history import History
from agentmsg.model.msg import Msg
from agentmsg.registry import get_codec

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from agentmsg.api.reading import Unknown
    from agentmsg.files.file_names import Form, Kind
    from agentmsg.limits import Limits
    from agentmsg.model.history import Messages, MsgLike
    from agentmsg.values.text import Duplicates
    from agentmsg_codecs import CodecName
    from agentmsg_codecs.options import CodecOptions, CodecWriting


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
class _Given:
    """A caller's path or file object.

    Attributes:
        name: the path, or the file's own name, for errors.
        file: the file object; None for a path.
    """

    name: str
    file: Any = None


def _given(value: ToRead | ToWrite, *needed: str) -> _Given:
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
            return _Given(name if is_a(name, str) and 0 < len(name) <= _LONGEST else "the file", value)
    except Exception:  # noqa: BLE001 - whatever a foreign object raises, it is neither
        path = None
    if not is_a(path, str) or not 0 < len(path) <= _LONGEST:
        raise refused("path_or_file", value, "a path or an open file")
    return _Given(path)


def _readable(
    source: _Given,
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
        return Reading(Piece(source=known), limits)
    kind = attrs.evolve(kind_of("-", default), form=default)
    stream = cast("BinaryIO", io.BufferedReader(_Bytes(source), _BUFFER))
    known = Source(path=source.name, kind=kind, codec="", at=at, is_stream=True)
    return Reading(Piece(source=known), limits, lambda: stream)


class _Bytes(io.RawIOBase):
    """The bytes of a file object, line by line if possible, so that it never waits for bytes that aren't needed."""

    def __init__(self, source: _Given) -> None:
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


def _writer_of(target: _Given, *, is_binary: bool) -> Callable[[bytes], None]:
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


def load(
    path_or_file: ToRead,
    codec: CodecName | Codec | None = None,
    *,
    at: str | Sequence[str] | None = None,
    limits: Limits = DEFAULT_LIMITS,
    duplicates: Duplicates = "last",
    unknown: Unknown = "keep",
    **options: Unpack[CodecOptions],
) -> History:
    """Read the only document of a file.

    Args:
        path_or_file: a path or URL, or a file open for reading, binary or text, which stays open. A path that ends in
            ``.gz``, ``.bz2``, ``.xz`` or ``.zst`` is decompressed; a file object is read as it is.
        codec: the format; None to detect it, see ``recognize``.
        at: the place of the document inside the file's JSON: a JSON pointer (RFC 6901), in which a step ``*`` means
            every item or value, and ``~2`` a key ``*``; or several. A text there that holds JSON is the document. In an
            SQLite database of a framework, it is the key of the document, such as the id of a thread: ``/42``.
        limits: bounds on what is read.
        duplicates: as for ``loads``.
        unknown: as for ``loads``.
        options: codec options.

    Raises:
        FileError: if the file can't be read (code "file", "compression" ...).
        NotUnderstood: if no codec is given, and the format can't be recognised with certainty; if documents stand
            inside the file's JSON, its ``inside`` has their places for ``at``.
        DecodeError: if it isn't such a document; code "schema" if a ``.jsonl`` file holds several (see ``load_lines``);
            code "required" if there is none at the places.
        CodecLookupError: if there is no such codec or option.
        InvalidMessage: code "option" if a pointer isn't one.
    """
    chosen = None if codec is None else get_codec(codec, **options)
    bounds = _bounds(limits, duplicates, unknown)
    source = _given(path_or_file, "read", "readline")
    data = _only(source, limits, pointers(at))
    if chosen is None:
        with naming(source.name):
            try:
                found = recognize(data, limits=limits)
            except NotUnderstood as error:
                raise with_places(error, [data]) from error.__cause__
        chosen = get_codec(found, **options)
    with naming(source.name):
        return loads(data, chosen, **bounds)


def _bounds(limits: Limits, duplicates: Duplicates, unknown: Unknown) -> dict[str, Any]:
    """Return what bounds the reading, checked before any file is opened."""
    as_limits(limits)
    one_of(duplicates, "duplicates", "last", "error")
    one_of(unknown, "unknown", "keep", "error")
    return {"limits": limits, "duplicates": duplicates, "unknown": unknown}


def _only(source: _Given, limits: Limits, at: tuple[str, ...]) -> bytes:
    """Return the bytes of a file's only document."""
    reading = _readable(source, "json", limits, at=at)
    with reading, naming(source.name):
        try:
            found = list(islice(reading, 2))
        except FileError as error:
            if source.file is None and source.name.lstrip()[:1] in ("{", "["):
                msg = f"{error.message}; loads reads a text that is a document"
                raise FileError(msg, code=error.code) from None
            raise
        if reading.missing and not found:
            raise nothing_at(at)
        if len(found) == 1:
            return found[0].content()
    words = "several documents; load_lines reads them one by one" if found else "no document"
    raise DecodeError(f"{source.name} holds {words}", code="schema" if found else "syntax")


def dump(
    history: Messages,
    path_or_file: ToWrite,
    codec: CodecName | Codec,
    *,
    force: bool = False,
    **options: Unpack[CodecWriting],
) -> None:
    """Write a history as the only document of a file.

    Args:
        history: as for ``encode``.
        path_or_file: a path or URL, or a file open for writing, binary or text, which stays open. A path's file appears
            only when complete; if anything goes wrong, nothing changes. One that ends in ``.gz``, ``.bz2``,
            ``.xz`` or ``.zst`` is compressed.
        codec: the format to write.
        force: whether to replace an existing file.
        options: those of ``encode``, and of the codec.

    Raises:
        FileError: code "exists" if the file exists; code "form" if its name says that it holds something else; code
            "file" if it can't be written.
        LossError: as for ``encode``.
        CodecLookupError: as for ``encode``.
        EncodeError: as for ``dumps``.
    """
    flag(force, "force")
    chosen, writing = writer_for(codec, options)
    target = _given(path_or_file, "write")
    if target.file is not None:
        write = _writer_of(target, is_binary=chosen.binary)
        write(dumps(history, chosen, **writing))
        return
    kind = _kind_to_write(target.name, chosen, "json")
    with _new_file(target.name, kind, force=force) as file:
        file.write(dumps(history, chosen, **writing))
        file.write(framing_of(kind, pretty=False).tail)


def _kind_to_write(name: str, codec: Codec, default: Form) -> Kind:
    """Return how a file to write holds a codec's documents.

    Raises:
        FileError: code "form" if its name says that it holds something else.
    """
    kind = kind_of(name, "msgpack" if codec.binary else default)
    if words := form_fault(codec.name, kind.form, binary=codec.binary):
        msg = f"{name}: {words}"
        raise FileError(msg, code="form")
    return with_columns(kind, codec)


@contextmanager
def _new_file(name: str, kind: Kind, *, force: bool) -> Generator[BinaryIO]:
    """Open a file to write, which appears when complete; see ``whole_file``.

    Raises:
        FileError: code "exists", before anything is done, if the file exists.
    """
    try:
        check_free((name,), force=force)
        with whole_file(name, force=force) as raw, packed(raw, kind) as file:
            yield file
    except FileError as error:
        if error.code != "exists":
            raise
        raise FileError(error.message.replace("--force", "force=True"), code="exists") from None


def load_lines(
    path_or_file: ToRead,
    codec: CodecName | Codec | Literal["each"] | None = None,
    *,
    at: str | Sequence[str] | None = None,
    column: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    duplicates: Duplicates = "last",
    unknown: Unknown = "keep",
    **options: Unpack[CodecOptions],
) -> Lines:
    """Read the histories of a file on demand: one for each line, frame (MessagePack), row (Parquet) or thread.

    Args:
        path_or_file: as for ``load``; a file object is read only as far as needed.
        codec: the format of all lines; None to detect it from the first ones, "each" to detect it for each line.
        at: where documents are inside each line, as for ``load``. A ``.json`` file is then one value, of which each
            document at these places is read by itself. In a database, the keys of documents.
        column: the column of a Parquet file that holds the documents; "*" for the whole row. None: the whole row if it
            is recognised as a document, else the only column that is.
        limits: bounds on what is read.
        duplicates: as for ``loads``.
        unknown: as for ``loads``.
        options: codec options.

    Returns:
        An iterator. A line that can't be read raises an error; the next call continues with the next line.

    Raises:
        FileError: if there is no such file; later, if it can't be read any further.
        DecodeError: from the iterator: the message names the line.
        CodecLookupError: if there is no such codec or option.
        InvalidMessage: code "option" if a pointer isn't one.
    """
    is_mixed = is_a(codec, str) and codec == EACH
    chosen = None if codec is None or is_mixed else get_codec(cast("Any", codec), **options)
    places = pointers(at)
    bounds = _bounds(limits, duplicates, unknown)
    source = _given(path_or_file, "read", "readline")
    if source.file is None and not (place := place_of(source.name)).is_stream(source.name):
        place.open(source.name).close()  # raises early if the file can't be opened
    default: Form = "msgpack" if chosen is not None and chosen.binary else "jsonl"
    reading = _readable(source, default, limits, wanted=None if places else "jsonl", at=places, column=column)
    return Lines(reading=reading, codec=chosen, is_mixed=is_mixed, options=options, bounds=bounds)


@attrs.define(kw_only=True, eq=False)
class Lines(AbstractContextManager["Lines"], Iterator[History]):
    """The histories of a file, one after the other; see ``load_lines``. The file is closed at its end, or by ``close``.

    A line that can't be read raises an error that names it, and the next call continues after it.
    """

    _reading: Reading = attrs.field(alias="reading")
    _codec: Codec | None = attrs.field(alias="codec")
    _is_mixed: bool = attrs.field(alias="is_mixed")
    _options: Mapping[str, Any] = attrs.field(alias="options")
    _bounds: Mapping[str, Any] = attrs.field(alias="bounds")
    _found: Iterator[Found] = attrs.field(
        init=False, default=attrs.Factory(lambda self: iter(self._reading), takes_self=True)
    )
    _is_begun: bool = attrs.field(init=False, default=False)

    def __next__(self) -> History:
        """Return the history of the next line.

        Raises:
            DecodeError: if it can't be read.
            FileError: if the file can't be read.
        """
        source = self._reading.source
        if self._codec is None and not self._is_mixed:
            is_file = not source.is_stream
            self._codec = self._detected(sample(source, self._bounds["limits"]) if is_file else self._reading.ahead())
        with naming(source.path):
            found = next(self._found, None)
        is_first, self._is_begun = not self._is_begun, True
        if found is None:
            if is_first and self._reading.missing:
                raise named(nothing_at(source.at), source.path)
            raise StopIteration
        with naming(source.place(found.number, found.at)):
            data = found.content()
            return loads(data, self._codec or get_codec(recognize(data), **self._options), **self._bounds)

    def _detected(self, found: Iterator[Found]) -> Codec | None:
        try:
            name = format_of(found)
        except AgentMsgError as error:
            self.close()
            if isinstance(error, NotUnderstood) and error.is_mixed:
                error.message += f'; load_lines(..., "{EACH}") detects that of each line'
            raise named(error, self._reading.source.path) from error.__cause__
        return None if name is None else get_codec(name, **self._options)

    def close(self) -> None:
        """Close the file, unless it is the caller's; there are no more lines then."""
        self._reading.close()
        self._found = iter(())

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self.close()


def dump_lines(
    items: Iterable[History | MsgLike | Iterable[MsgLike]],
    path_or_file: ToWrite,
    codec: CodecName | Codec = "json",
    *,
    append: bool = True,
    force: bool = False,
    **options: Unpack[CodecWriting],
) -> None:
    """Write messages or histories to a file, one per line (MessagePack: one per frame): a log that grows.

    Args:
        items: each is a message, or a history or list of messages, as for ``encode``. The messages of a history are
            items themselves, so ``[history]`` is one line, and ``history`` is a line for each message. Items are taken
            and written one by one: if one is refused, those before it are in the file.
        path_or_file: as for ``dump``.
        codec: the format to write.
        append: whether to append to an existing file. Otherwise the file is new, and appears only when complete.
        force: if ``append`` is False, whether to replace an existing file.
        options: those of ``encode``, and of the codec.

    Raises:
        FileError: as for ``dump``; also code "form" if the file's name says that it holds one document.
        InvalidMessage: if an item isn't a message; the path of every error about an item begins with its number.
        LossError: as for ``encode``.
        CodecLookupError: as for ``encode``.
        EncodeError: as for ``dumps``.
    """
    flag(append, "append")
    flag(force, "force")
    if append and force:
        raise refused("force", force, "False where lines are appended: nothing is replaced", code="option")
    chosen, writing = writer_for(codec, options)
    target = _given(path_or_file, "write")
    lines = _lines(_several(items), chosen, **writing)
    if target.file is not None:
        write = _writer_of(target, is_binary=chosen.binary)
        for line in lines:
            write(line)
        return
    kind = _kind_to_write(target.name, chosen, "jsonl")
    if kind.form == "json":
        msg = f"{target.name}: a .json file holds one document; let the name end with .jsonl"
        raise FileError(msg, code="form")
    with _appended(target.name, kind) if append else _new_file(target.name, kind, force=force) as file:
        for line in lines:
            file.write(line)


def _lines(items: Iterable[Any], codec: Codec, **writing: Any) -> Iterator[bytes]:
    """Yield the line of each item."""
    for number, item in enumerate(_each(items)):
        try:
            message = History.of(item)[0] if is_a(item, (str, Mapping)) else item
            data = dumps(message, codec, **writing)
        except AgentMsgError as error:
            raise error.at(number) from None
        if not codec.binary:
            if b"\n" in data:
                msg = "documents of this format have several lines"
                raise EncodeError(msg, codec=codec.name, path=(number,))
            data += b"\n"
        yield data


def _several(items: Any) -> Iterable[Any]:
    if is_a(items, (Msg, str, Mapping)):
        return (items,)
    if is_a(items, bytes) or not is_a(items, (Iterable,)):
        raise refused("items", items, "messages or histories")
    return cast("Iterable[Any]", items)


def _each(items: Iterable[Any]) -> Iterator[Any]:
    try:
        yield from items
    except AgentMsgError:
        raise
    except Exception as error:
        msg = f"items cannot be gone through: {excerpt(items)} ({type(error).__name__})"
        raise InvalidMessage(msg, code="type", path=("items",)) from error


@contextmanager
def _appended(name: str, kind: Kind) -> Generator[Any]:
    """Open the end of a file; first end a line that was cut there, so that the next doesn't merge with it."""
    if is_remote(name):
        msg = f"{name}: nothing can be appended to a file of that place; write a new one with append=False"
        raise FileError(msg, code="file")
    if kind.form == "parquet":
        msg = f"{name}: nothing can be appended to a Parquet file; write a new one with append=False"
        raise FileError(msg, code="form")
    with ExitStack() as files:
        files.enter_context(asking(name))
        # Each line is one write at the current end: others may append, too.
        raw: Any = files.enter_context(Path(name).open("ab", buffering=0))
        if kind.form == "jsonl" and not kind.compression and _is_cut(name):
            raw.write(b"\n")
        yield files.enter_context(compressed(raw, kind.compression))


def _is_cut(name: str) -> bool:
    """Whether a file ends within a line."""
    path = Path(name)
    if not path.is_file() or not path.stat().st_size:
        return False
    with path.open("rb") as file:
        file.seek(-1, 2)
        return file.read(1) != b"\n"
