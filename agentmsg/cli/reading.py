"""Input of commands that look at data: files of histories in any format.

As for convert, a file's name says what it holds: one document, one per line, or frames; compressed or not.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from itertools import islice
from time import monotonic
from typing import TYPE_CHECKING, Any

import attrs

from agentmsg.api.joining import JOINED, Joined
from agentmsg.api.reading import loads
from agentmsg.checking.detection import BAR, detect, doubt, recognize_all
from agentmsg.checking.inside import with_places
from agentmsg.cli.progress import progress_of, size_of
from agentmsg.cli.report import Trouble, tell_absent, tell_doubt
from agentmsg.cli.terminal import standard_in
from agentmsg.errors import AgentMsgError, DecodeError, FileError, NotUnderstood, excerpt
from agentmsg.files.file_names import STANDARD, check_column, kind_of
from agentmsg.files.job import Piece, Source
from agentmsg.files.places import nothing_at
from agentmsg.files.plan import LOOKED_AT, detected, named
from agentmsg.files.reading import reading_of
from agentmsg.limits import DEFAULT_LIMITS
from agentmsg.model.history import History
from agentmsg.registry import get_codec

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence

    from agentmsg.api.reading import Unknown
    from agentmsg.files.documents import Found
    from agentmsg.files.file_names import Form
    from agentmsg.files.ranges import Advance
    from agentmsg.files.reading import Reading
    from agentmsg_codecs import CodecName

__all__ = [
    "Absent",
    "Formats",
    "Read",
    "Unread",
    "documents_at",
    "formats_of",
    "histories_of",
    "history_at",
    "history_of",
    "read_each",
]


# Seconds between two progress reports while reading a file.
_EVERY = 0.1


@attrs.frozen
class Read:
    """A history, its codec, and its place (the file, and the line if there are several)."""

    history: History
    codec: str
    place: str


@attrs.frozen(kw_only=True)
class Unread:
    """The error of a document that can't be read, and its place."""

    error: AgentMsgError
    place: str


@attrs.frozen(kw_only=True)
class Absent:
    """The number of a file's records without a document at the given places."""

    count: int


@attrs.frozen(kw_only=True)
class Formats:
    """The formats a file may have, best first, each with its score; and the recognised one, or why there is none."""

    scores: tuple[tuple[str, float], ...]
    codec: str | None = None
    trouble: AgentMsgError | None = None


def histories_of(
    name: str,
    source: str | None = None,
    form: Form | None = None,
    at: tuple[str, ...] = (),
    *,
    join: bool = False,
    column: str | None = None,
    unknown: Unknown = "keep",
    advance: Advance = lambda size, documents: None,
) -> Iterator[Read | Unread | Absent]:
    """Yield the histories of a file, one after the other, and records without any; "-" is stdin.

    Args:
        name: of the file.
        source: the format of all documents; None to detect that of each.
        form: how the file holds documents, if its name doesn't say.
        at: JSON pointers to the documents, if they are inside records.
        join: whether they are parts of conversations; see ``Source``.
        column: the column of a Parquet file that holds the documents.
        unknown: as for ``agentmsg.loads``.
        advance: called with the numbers of bytes and documents read.

    Raises:
        CodecLookupError: if there is no such codec.
    """
    if source is not None:
        get_codec(source)
    try:
        with _opened(name, form, at, column, join=join) as (reading, place):
            due = monotonic() + _EVERY
            for number, found in enumerate(reading, 1):
                if source is not None and number == 1:
                    _warn(name, found, source)
                yield _read(place(found), found, source, unknown)
                if monotonic() > due:
                    advance(reading.position, number)
                    due = monotonic() + _EVERY
            if reading.missing:
                yield Absent(count=reading.missing)
    except FileError as error:
        yield Unread(error=error, place=name)


def read_each(files: Sequence[str], take: Callable[[Read], object], *, quiet: bool = False, **how: Any) -> int:
    """Read the histories of several files, with progress, and report documents that can't be read.

    Args:
        files: their names.
        take: called with each history.
        quiet: whether to report errors only.
        how: the other arguments of ``histories_of``.

    Returns:
        The number of documents that can't be read.

    Raises:
        DecodeError: code "required" if there were records, but no document in any of them.
    """
    unread = Trouble()
    size = taken = absent = 0
    with progress_of(size_of(files), quiet=quiet) as progress:
        for name in files:

            def advance(read: int, documents: int, *, before: tuple[int, int] = (size, taken)) -> None:
                progress(before[0] + read, before[1] + documents)

            for found in histories_of(name, **how, advance=advance):
                if isinstance(found, Read):
                    take(found)
                    taken += 1
                elif isinstance(found, Unread):
                    unread.add(name, found)
                else:
                    absent += found.count
            size += size_of([name]) or 0
            unread.tell(name)
        unread.tell_rest()
    if absent and not quiet:
        tell_absent(absent)
    if absent and not taken and not unread.count:
        raise nothing_at(how["at"])
    return unread.count


def history_of(name: str, *, at: tuple[str, ...] = (), **how: Any) -> Read:
    """Return the only history of a file; as for ``histories_of``.

    Raises:
        AgentMsgError: if it can't be read, or there isn't exactly one.
    """
    found: list[Read] = []
    # Don't read a file of a million documents to its end only to count them.
    for each in islice(histories_of(name, at=at, **how), 2):
        if isinstance(each, Unread):
            raise named(each.error, each.place)
        if isinstance(each, Read):
            found.append(each)
    if len(found) == 1:
        return found[0]
    if at and not found:
        raise named(nothing_at(at), name)
    msg = f"{name} must hold one conversation, and holds {'several' if found else 'none'}"
    raise DecodeError(msg)


def history_at(
    name: str,
    index: int,
    source: str | None = None,
    form: Form | None = None,
    at: tuple[str, ...] = (),
    *,
    join: bool = False,
    column: str | None = None,
    unknown: Unknown = "keep",
) -> tuple[History, bool]:
    """Return the history of one document of a file, and whether there are others.

    Args:
        name: of the file; "-" is stdin.
        index: of the document, from 0.
        source: its format; None to detect it. This and the others are as for ``histories_of``.
        form: how the file holds documents, if its name doesn't say.
        at: JSON pointers.
        join: whether they are parts of conversations.
        column: that of a Parquet file.
        unknown: as for ``agentmsg.loads``.

    Raises:
        AgentMsgError: if it can't be read; code "required" if there is no such document.
    """
    with _opened(name, form, at, column, join=join) as (reading, place):
        documents = iter(reading)
        before = sum(1 for _ in islice(documents, index))
        found = next(documents, None)
        if found is None and reading.missing and not before:
            raise named(nothing_at(at), name)
        if found is None:
            msg = f"there is no document {index}: {name} holds {before}, counted from 0"
            raise DecodeError(msg, code="required")
        if source is not None:
            _warn(name, found, source)
        read = _read(place(found), found, source, unknown)
        if isinstance(read, Unread):
            raise named(read.error, read.place)
        return read.history, index > 0 or next(documents, None) is not None


def documents_at(
    name: str, form: Form | None = None, at: tuple[str, ...] = (), column: str | None = None
) -> Iterator[bytes]:
    """Yield the documents of a file as bytes; as for ``histories_of``.

    Raises:
        AgentMsgError: if one of them can't be read.
    """
    with _opened(name, form, at, column) as (reading, place):
        is_empty = True
        for found in reading:
            is_empty = False
            if found.fault is not None or found.data is None:
                raise named(found.fault or DecodeError("too long", code="bytes"), place(found))
            yield found.data
        if reading.missing and is_empty:
            raise named(nothing_at(at), name)


def formats_of(name: str, form: Form | None = None, at: tuple[str, ...] = (), column: str | None = None) -> Formats:
    """Return the formats that the first documents of a file may have; as for ``histories_of``.

    Raises:
        AgentMsgError: if none of them can be read.
    """
    held: list[bytes] = []
    trouble: AgentMsgError | None = None
    scores: list[Sequence[tuple[CodecName, float]]] = []
    with _opened(name, form, at, column) as (reading, _):
        for found in islice(reading, LOOKED_AT):
            try:
                if found.fault is not None or found.data is None:
                    raise found.fault or AssertionError
                scores.append(detect(found.data))
                held.append(found.data)
            except AgentMsgError as error:
                trouble = trouble or error
        if reading.missing and not held:
            trouble = trouble or nothing_at(at)
    if trouble is not None and not held:
        raise trouble
    first = tuple(next(filter(None, scores), ()))
    try:
        codec = recognize_all(held)
    except NotUnderstood as error:
        return Formats(scores=first, trouble=with_places(error, held))
    except AgentMsgError as error:
        return Formats(scores=first, trouble=error)
    # Those of the first document that has the format: others may be mere guesses.
    sure = next((each for each in scores if dict(each).get(codec, 0.0) >= BAR), first)
    return Formats(scores=tuple(sure), codec=codec)


@contextmanager
def _opened(
    name: str, form: Form | None, at: tuple[str, ...], column: str | None, *, join: bool = False
) -> Generator[tuple[Reading, Callable[[Found], str]]]:
    """Open the documents of a file, with a function that returns the place of each."""
    kind = kind_of(name, "json", column, form=form)
    check_column(column, kind)
    piece = Piece(source=Source(path=name, kind=kind, codec="", at=at, join=join))
    with reading_of(piece, DEFAULT_LIMITS, standard_in if name == STANDARD else None) as reading:
        yield reading, partial(_place, name, _PLACES[kind.form])


def _place(name: str, line: str, found: Found) -> str:
    """Return a document's place: the file, its line, and its place in that, as far as there are several."""
    place = name + line.format(found.number)
    return place if found.at is None else f"{place}, at {excerpt(found.at)[1:-1]}"


_PLACES: Mapping[Form, str] = {
    "json": "",
    "jsonl": ", line {}",
    "msgpack": ", frame {}",
    "parquet": ", row {}",
    "sqlite": "",
    "yaml": "",
}


def _read(place: str, found: Found, codec: str | None, unknown: Unknown = "keep") -> Read | Unread:
    if found.fault is not None or found.data is None:
        return Unread(error=found.fault or DecodeError("too long", code="bytes"), place=place)
    try:
        name = JOINED if found.is_joined else codec or detected((found,))
        chosen = Joined(format=codec) if found.is_joined else get_codec(name)
        return Read(loads(found.data, chosen, duplicates="error", unknown=unknown), name, place)
    except AgentMsgError as error:
        return Unread(error=error, place=place)


def _warn(name: str, found: Found, codec: str) -> None:
    """Warn if a document is hardly of the named format."""
    if found.data is not None and not found.is_joined and (words := doubt(found.data, codec)):
        tell_doubt(name, words)
