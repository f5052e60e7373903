"""load and dump: one whole document in a file, compressed if its name says so."""

from __future__ import annotations

from contextlib import closing, contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Unpack

from agentmsg.api.reading import loads
from agentmsg.api.writing import dumps, writer_for
from agentmsg.checking.detection import recognize
from agentmsg.checking.inside import with_places
from agentmsg.errors import DecodeError, FileError, NotUnderstood
from agentmsg.files.file_names import kind_of
from agentmsg.files.given import given, readable, writer_of
from agentmsg.files.overwriting import check_free
from agentmsg.files.packing import framing_of, packed
from agentmsg.files.places import nothing_at, pointers
from agentmsg.files.plan import form_fault, naming, with_columns
from agentmsg.files.storage import whole_file
from agentmsg.limits import DEFAULT_LIMITS, as_limits
from agentmsg.model.checks import flag, one_of
from agentmsg.registry import get_codec

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from typing import BinaryIO

    from agentmsg.api.reading import Unknown
    from agentmsg.files.file_names import Form, Kind
    from agentmsg.files.given import Given, ToRead, ToWrite
    from agentmsg.formats.codec import Codec
    from agentmsg.limits import Limits
    from agentmsg.model.history import History, Messages
    from agentmsg.values.text import Duplicates
    from agentmsg_codecs import CodecName
    from agentmsg_codecs.options import CodecOptions, CodecWriting


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
    as_limits(limits)
    one_of(duplicates, "duplicates", "last", "error")
    one_of(unknown, "unknown", "keep", "error")
    source = given(path_or_file, "read", "readline")
    data = _only(source, limits, pointers(at))
    if chosen is None:
        with naming(source.name):
            try:
                found = recognize(data, limits=limits)
            except NotUnderstood as error:
                raise with_places(error, [data]) from error.__cause__
        chosen = get_codec(found, **options)
    with naming(source.name):
        return loads(data, chosen, limits=limits, duplicates=duplicates, unknown=unknown)


def _only(source: Given, limits: Limits, at: tuple[str, ...]) -> bytes:
    """Return the bytes of a file's only document."""
    reading = readable(source, "json", limits, at=at)
    with closing(reading), naming(source.name):
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
    target = given(path_or_file, "write")
    if target.file is not None:
        write = writer_of(target, is_binary=chosen.binary)
        write(dumps(history, chosen, **writing))
        return
    kind = kind_to_write(target.name, chosen, "json")
    with new_file(target.name, kind, force=force) as file:
        file.write(dumps(history, chosen, **writing))
        file.write(framing_of(kind, pretty=False).tail)


def kind_to_write(name: str, codec: Codec, default: Form) -> Kind:
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
def new_file(name: str, kind: Kind, *, force: bool) -> Generator[BinaryIO]:
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
