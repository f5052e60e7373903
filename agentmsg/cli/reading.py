"""Input of commands that look at data: files of histories in any format.

As for convert, a file's name says what it holds: one document, one per line, or frames; compressed or not.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from time import monotonic
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import attrs

from agentmsg.api.joining import EACH, JOINED
from agentmsg.api.reading import Unknown, loads
from agentmsg.checking.detection import BAR, detect, doubt, recognize_all
from agentmsg.checking.inside import with_places
from agentmsg.cli.progress import progress_of, size_of
from agentmsg.cli.report import Trouble, tell_absent, tell_doubt, tell_uncut
from agentmsg.cli.terminal import standard_in
from agentmsg.errors import AgentMsgError, DecodeError, FileError, NotUnderstood, excerpt
from agentmsg.files.engines import ENGINES
from agentmsg.files.file_names import STANDARD, Form, check_column, kind_of
from agentmsg.files.job import Piece, Source
from agentmsg.files.places import nothing_at
from agentmsg.files.plan import detected, few, named, pieces_in, sample, with_format
from agentmsg.files.reading import reading_of
from agentmsg.files.storages import place_of
from agentmsg.limits import DEFAULT_LIMITS, Limits
from agentmsg.model.history import History
from agentmsg.registry import get_codec

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence

    from agentmsg.files.documents import Found
    from agentmsg.files.ranges import Advance
    from agentmsg.files.reading import Reading
    from agentmsg_codecs import CodecName

__all__ = [
    "Collector",
    "Formats",
    "Input",
    "Place",
    "Read",
    "Unread",
    "documents_at",
    "formats_of",
    "history_at",
    "history_of",
    "read_each",
]


# Seconds between two progress reports while reading a file.
_EVERY = 0.1


@attrs.frozen(kw_only=True)
class Input:
    """How to read files: the parameters of the options for that, by their names.

    Attributes:
        source: the format of all documents, EACH if each has its own; None to detect that of each file.
        form: how a file holds documents, if its name doesn't say.
        at: JSON pointers to the documents, if they are inside records.
        join: whether they are parts of conversations; see ``Source``.
        column: the column of a Parquet file that holds the documents.
        limits: bounds on what is read.
        unknown: as for ``agentmsg.loads``.
    """

    source: str | None = None
    form: Form | None = None
    at: tuple[str, ...] = ()
    join: bool = False
    column: str | None = None
    limits: Limits = DEFAULT_LIMITS
    unknown: Unknown = "keep"

    @property
    def is_named(self) -> bool:
        """Whether the format is given."""
        return self.source not in (None, EACH)

    def of(self, name: str) -> Source:
        """Return a file to read; "-" is stdin.

        Raises:
            FileError: if its name and the options don't fit.
            CodecLookupError: if there is no such codec.
        """
        codec = get_codec(self.source).name if self.source and self.is_named else ""
        kind = kind_of(name, "json", self.column, form=self.form)
        check_column(self.column, kind)
        is_stream = name == STANDARD or place_of(name).is_stream(name)
        return Source(
            path=name,
            kind=kind,
            codec=codec,
            size=None if is_stream else place_of(name).size(name),
            is_stream=is_stream,
            is_mixed=self.source == EACH,
            at=self.at,
            join=self.join,
        )


@attrs.frozen
class Place:
    """Where a document is: the file, its line, and its place in that, as far as there are several."""

    name: str
    words: str = ""
    number: int = 0
    at: str | None = None

    def __str__(self) -> str:
        """Return it as words."""
        place = self.name + self.words.format(self.number)
        return place if self.at is None else f"{place}, at {excerpt(self.at)[1:-1]}"

    def after(self, lines: int) -> Place:
        """Return the place, given the number of lines before the piece that it was found in."""
        return attrs.evolve(self, number=self.number + lines)


@attrs.frozen(kw_only=True)
class Read:
    """A history, its codec, and its place."""

    history: History
    codec: str
    place: Place


@attrs.frozen(kw_only=True)
class Unread:
    """The error of a document that can't be read, and its place."""

    error: AgentMsgError
    place: Place


@attrs.frozen(kw_only=True)
class Formats:
    """The formats a file may have, best first, each with its score; and the recognised one, or why there is none."""

    scores: tuple[tuple[str, float], ...]
    codec: str | None = None
    trouble: AgentMsgError | None = None


class Collector(Protocol):
    """What a command makes of histories, piece by piece of files; it crosses process boundaries."""

    def add(self, read: Read) -> None:
        """Take in a history."""

    def merge(self, other: Any, lines: int) -> None:
        """Take in what was made of the next piece, given the number of lines of its file before it."""


_C = TypeVar("_C", bound=Collector)


@attrs.define
class _Piece(Generic[_C]):
    """What was made of a piece of a file.

    Attributes:
        taken: of the histories.
        count: their number.
        unread: number of documents that can't be read.
        first: the first of these.
        lines: number of its lines.
        absent: number of records without a document at the given places.
        doubt: what the given format doesn't know of the first document.
    """

    taken: _C
    count: int = 0
    unread: int = 0
    first: Unread | None = None
    lines: int = 0
    absent: int = 0
    doubt: str | None = None

    def add(self, found: Read | Unread) -> None:
        if isinstance(found, Read):
            self.count += 1
            self.taken.add(found)
        else:
            self.unread += 1
            self.first = self.first or found


def _collect(
    piece: Piece, given: Input, new: Callable[[], _C], *, advance: Advance = lambda size, documents: None
) -> _Piece[_C]:
    """Read the histories of a piece of a file."""
    done = _Piece(new())
    source, limits = piece.source, given.limits
    try:
        # A file whose documents differ is read by documents.
        source = attrs.evolve(with_format(attrs.evolve(source, is_one_of_many=True), limits), is_one_of_many=False)
        with _opened(attrs.evolve(piece, source=source), limits) as (reading, place):
            if source.is_stream:
                source = _looked_at(source, reading)
            due = monotonic() + _EVERY
            for number, found in enumerate(reading, 1):
                if number == 1 and given.is_named and not piece.start:
                    done.doubt = _doubt(found, source.codec)
                done.add(_read(place(found), found, source, given))
                if monotonic() > due:
                    advance(reading.position, number)
                    due = monotonic() + _EVERY
            done.lines, done.absent = reading.lines, reading.missing
    except FileError as error:
        done.add(Unread(error=error, place=Place(source.path)))
    return done


def _looked_at(source: Source, reading: Reading) -> Source:
    """Return a stream with its format, unless its documents differ."""
    if not (source.codec or source.is_mixed or source.join):
        with suppress(AgentMsgError):
            return attrs.evolve(source, codec=detected(reading.ahead(), empty=""))
    return source


def read_each(
    files: Sequence[str], new: Callable[[], _C], given: Input, *, jobs: int = 1, quiet: bool = False
) -> tuple[_C, Trouble]:
    """Read the histories of several files, with progress, and report documents that can't be read.

    Args:
        files: their names.
        new: makes what takes in the histories of a piece of a file.
        given: how to read them.
        jobs: how many pieces to read at once.
        quiet: whether to report errors only.

    Returns:
        All that was taken in, and the documents that can't be read.

    Raises:
        CodecLookupError: if there is no such codec.
        DecodeError: code "required" if there were records, but no document in any of them.
    """
    unread, taken = Trouble(), new()
    count = absent = lines = 0
    pieces = [piece for name in files for piece in _pieces(name, given)]
    if not quiet:
        tell_uncut((piece.source for piece in pieces), jobs)
    with progress_of(size_of(files), quiet=quiet) as progress:
        for piece, done in _in_order(pieces, given, new, jobs, progress):
            name, lines = piece.source.path, lines if piece.start else 0
            if done.doubt:
                tell_doubt(name, done.doubt)
            taken.merge(done.taken, lines)
            if done.first is not None:
                first = attrs.evolve(done.first, place=done.first.place.after(lines))
                unread.add(name, first, done.unread)
            lines, count, absent = lines + done.lines, count + done.count, absent + done.absent
            if piece.end in (None, piece.source.size):
                unread.tell(name)
        unread.tell_rest()
    if absent and not quiet:
        tell_absent(absent)
    if absent and not count and not unread.count:
        raise nothing_at(given.at)
    return taken, unread


def _pieces(name: str, given: Input) -> list[Piece]:
    """Return the pieces of a file, which has its format if there are several; one to fail, if it can't be read."""
    source = given.of(name)
    try:
        pieces = list(pieces_in(source, given.limits))
    except FileError:
        return [Piece(source=source)]
    if len(pieces) == 1:
        return pieces
    known = attrs.evolve(with_format(attrs.evolve(source, is_one_of_many=True), given.limits), is_one_of_many=False)
    return [attrs.evolve(piece, source=known) for piece in pieces]


def _in_order(
    pieces: Sequence[Piece], given: Input, new: Callable[[], _C], jobs: int, progress: Callable[[int, int], None]
) -> Iterator[tuple[Piece, _Piece[_C]]]:
    """Yield the pieces, in order, with what was made of them; those of streams are read here, when it is their turn."""
    calls = [(piece, given, new) for piece in pieces if not piece.source.is_stream]
    running: dict[int, tuple[int, int]] = {}

    def advance(number: int, size: int, documents: int) -> None:
        running[number] = size, documents
        sizes, counts = zip(*running.values(), strict=True)
        progress(sum(sizes), sum(counts))

    engine = ENGINES["local"](_collect, calls, jobs, advance)
    early: dict[int, _Piece[_C]] = {}
    number = -1
    for piece in pieces:
        if piece.source.is_stream:
            yield piece, _collect(piece, given, new, advance=partial(advance, -1))
            continue
        number += 1
        while number not in early:
            other, done = next(engine)
            early[other] = done
            size = (calls[other][0].end or calls[other][0].source.size or 0) - calls[other][0].start
            advance(other, size, done.count)
        yield piece, early.pop(number)


def history_of(name: str, given: Input) -> Read:
    """Return the only history of a file.

    Raises:
        AgentMsgError: if it can't be read, or there isn't exactly one.
    """
    source = given.of(name)
    with _opened(Piece(source=source), given.limits) as (reading, place):
        # Don't read a file of a million documents to its end only to count them.
        found = list(islice(reading, 2))
    if given.at and not found:
        raise named(nothing_at(given.at), name)
    if len(found) != 1:
        msg = f"{name} must hold one conversation, and holds {'several' if found else 'none'}"
        raise DecodeError(msg)
    return _sure(found[0], place, source, given)


def _sure(found: Found, place: Callable[[Found], Place], source: Source, given: Input) -> Read:
    if given.is_named and (words := _doubt(found, source.codec)):
        tell_doubt(source.path, words)
    read = _read(place(found), found, source, given)
    if isinstance(read, Unread):
        raise named(read.error, str(read.place))
    return read


def history_at(name: str, index: int, given: Input) -> tuple[History, bool]:
    """Return the history of one document of a file, and whether there are others.

    Args:
        name: of the file; "-" is stdin.
        index: of the document, from 0.
        given: how to read it.

    Raises:
        AgentMsgError: if it can't be read; code "required" if there is no such document.
    """
    source = with_format(attrs.evolve(given.of(name), is_one_of_many=True), given.limits)
    with _opened(Piece(source=attrs.evolve(source, is_one_of_many=False)), given.limits) as (reading, place):
        documents = iter(reading)
        before = sum(1 for _ in islice(documents, index))
        found = next(documents, None)
        if found is None and reading.missing and not before:
            raise named(nothing_at(given.at), name)
        if found is None:
            msg = f"there is no document {index}: {name} holds {before}, counted from 0"
            raise DecodeError(msg, code="required")
        read = _sure(found, place, source, given)
        return read.history, index > 0 or next(documents, None) is not None


def documents_at(name: str, given: Input) -> Iterator[bytes]:
    """Yield the documents of a file as bytes.

    Raises:
        AgentMsgError: if one of them can't be read.
    """
    with _opened(Piece(source=given.of(name)), given.limits) as (reading, place):
        is_empty = True
        for found in reading:
            is_empty = False
            if found.fault is not None or found.data is None:
                raise named(found.fault or DecodeError("too long", code="bytes"), str(place(found)))
            yield found.data
        if reading.missing and is_empty:
            raise named(nothing_at(given.at), name)


def formats_of(name: str, given: Input) -> Formats:
    """Return the formats that a sample of a file's documents may have.

    Raises:
        AgentMsgError: if none of them can be read.
    """
    held: list[bytes] = []
    trouble: AgentMsgError | None = None
    scores: list[Sequence[tuple[CodecName, float]]] = []
    source = given.of(name)
    with _opened(Piece(source=source), given.limits) as (reading, _):
        for found in few(reading.ahead()) if source.is_stream else sample(source, given.limits):
            try:
                if found.fault is not None or found.data is None:
                    raise found.fault or AssertionError
                scores.append(detect(found.data))
                held.append(found.data)
            except AgentMsgError as error:
                trouble = trouble or error
    if given.at and not held:
        trouble = trouble or nothing_at(given.at)
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
def _opened(piece: Piece, limits: Limits) -> Generator[tuple[Reading, Callable[[Found], Place]]]:
    """Open the documents of a piece of a file, with a function that returns the place of each."""
    name = piece.source.path
    words = _PLACES.get(piece.source.kind.form, "")
    with reading_of(piece, limits, standard_in if name == STANDARD else None) as reading:
        yield reading, lambda found: Place(name, words, found.number, found.at)


_PLACES: Mapping[Form, str] = {
    "array": ", item {}",
    "jsonl": ", line {}",
    "msgpack": ", frame {}",
    "parquet": ", row {}",
}


def _read(place: Place, found: Found, source: Source, given: Input) -> Read | Unread:
    try:
        if found.fault is not None or found.data is None:
            raise found.fault or DecodeError("too long", code="bytes")
        name = JOINED if found.is_joined else source.codec or detected((found,))
        reader = source.reader if found.is_joined else get_codec(name)
        history = loads(found.data, reader, limits=given.limits, duplicates="error", unknown=given.unknown)
        return Read(history=history, codec=name, place=place)
    except AgentMsgError as error:
        return Unread(error=error, place=place)


def _doubt(found: Found, codec: str) -> str | None:
    """Return why a document is hardly of the named format, if it is."""
    return None if found.data is None or found.is_joined else doubt(found.data, codec)
