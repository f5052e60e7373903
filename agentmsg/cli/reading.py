"""Input of commands that look at data: files of histories in any format.

As for convert, a file's name says what it holds: one document, one per line, or frames; compressed or not.
"""

from __future__ import annotations

from functools import partial
from itertools import islice
from time import monotonic
from typing import TYPE_CHECKING, Generic, TypeVar

import attrs

from agentmsg.api.reading import loads
from agentmsg.checking.detection import detect, recognize_all
from agentmsg.checking.inside import with_places
from agentmsg.cli.progress import progress_of, size_of
from agentmsg.cli.report import Trouble, tell_absent, tell_doubt, tell_uncut
from agentmsg.cli.terminal import standard_in
from agentmsg.errors import AgentMsgError, DecodeError, FileError, NotUnderstood
from agentmsg.files.engines import ENGINES, Crew, Tally
from agentmsg.files.file_names import STANDARD, check_column
from agentmsg.files.job import Piece, Source
from agentmsg.files.places import nothing_at
from agentmsg.files.plan import doubt_of, few, pieces_in, reader_of, sample, with_format
from agentmsg.files.reading import Reading
from agentmsg.files.storage import named, naming
from agentmsg.model.history import History

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from agentmsg.files.converting import Advance
    from agentmsg.files.documents import Found
    from agentmsg.files.plan import Input
    from agentmsg_codecs import CodecName


_T = TypeVar("_T")
# Seconds between two progress reports while reading a file.
_EVERY = 0.1


@attrs.frozen(kw_only=True)
class Read:
    """A history, its codec, and its place: the file, the line, and the place in that, as far as there are several."""

    history: History
    codec: str
    place: str


@attrs.frozen(kw_only=True)
class Formats:
    """The formats a file may have, best first, each with its score; and the recognised one, or why there is none."""

    file: str
    scores: tuple[tuple[str, float], ...]
    codec: str | None = None
    trouble: AgentMsgError | None = None


@attrs.define
class _Piece(Generic[_T]):
    """What was made of a piece of a file.

    Attributes:
        taken: what was made of each history, with the number of its line and its place in that.
        unread: number of documents that can't be read.
        first: the error of the first of these, also with its line and place.
        lines: number of its lines.
        absent: number of records without a document at the given places.
        doubt: what the given format doesn't know of the first document.
    """

    taken: list[tuple[int, str | None, _T]] = attrs.field(factory=list["tuple[int, str | None, _T]"])
    unread: int = 0
    first: tuple[int, str | None, AgentMsgError] | None = None
    lines: int = 0
    absent: int = 0
    doubt: str | None = None

    def add(self, found: Found, source: Source, given: Input, look: Callable[[History, str], _T]) -> None:
        try:
            self.taken.append((found.number, found.at, look(*_read(found, source, given))))
        except AgentMsgError as error:
            self.unread += 1
            self.first = self.first or (found.number, found.at, error)


def _collect(
    piece: Piece, given: Input, look: Callable[[History, str], _T], *, advance: Advance = lambda size, documents: None
) -> _Piece[_T]:
    """Read the histories of a piece of a file."""
    done = _Piece[_T]()
    source = piece.source
    try:
        # A file whose documents differ is read by documents.
        source = _known(source, given)
        with _opened(attrs.evolve(piece, source=source), given) as reading:
            if source.is_stream:
                source = _known(source, given, reading)
            due = monotonic() + _EVERY
            for number, found in enumerate(reading, 1):
                if number == 1 and given.is_named and not piece.start:
                    done.doubt = doubt_of(found, source.codec)
                done.add(found, source, given, look)
                if monotonic() > due:
                    advance(reading.position, number)
                    due = monotonic() + _EVERY
            done.lines, done.absent = reading.lines, reading.missing
    except FileError as error:
        done.unread, done.first = done.unread + 1, done.first or (0, None, error)
    return done


def _known(source: Source, given: Input, reading: Reading | None = None) -> Source:
    """Return a file, or a stream that is read, with its format, if it has one."""
    source = attrs.evolve(source, is_one_of_many=True)
    return attrs.evolve(with_format(source, given.limits, empty="", reading=reading), is_one_of_many=False)


def read_each(
    files: Sequence[str],
    look: Callable[[History, str], _T],
    take: Callable[[_T, str], object],
    given: Input,
    *,
    jobs: int = 1,
    quiet: bool = False,
) -> Trouble:
    """Read the histories of several files, with progress, and report documents that can't be read.

    Args:
        files: their names.
        look: called with each history and its codec, in any process.
        take: called with each result, in order, and the place of the document.
        given: how to read them.
        jobs: how many pieces to read at once.
        quiet: whether to report errors only.

    Returns:
        The documents that can't be read.

    Raises:
        CodecLookupError: if there is no such codec.
        DecodeError: code "required" if there were records, but no document in any of them.
    """
    unread = Trouble()
    count = absent = lines = 0
    pieces = [piece for name in files for piece in _pieces(name, given)]
    if not quiet:
        tell_uncut((piece.source for piece in pieces), jobs)
    with progress_of(size_of(files), quiet=quiet) as progress:
        for piece, done in _in_order(pieces, given, look, jobs, progress):
            source, lines = piece.source, lines if piece.start else 0
            if done.doubt:
                tell_doubt(source.path, done.doubt)
            for number, at, each in done.taken:
                take(each, source.place(number + lines, at))
            if done.first is not None:
                number, at, error = done.first
                unread.add(source.path, error, source.place(number + lines, at), done.unread)
            lines, count, absent = lines + done.lines, count + len(done.taken), absent + done.absent
            if piece.end in (None, source.size):
                unread.tell(source.path)
        unread.tell_rest()
    if absent and not quiet:
        tell_absent(absent)
    if absent and not count and not unread.count:
        raise nothing_at(given.at)
    return unread


def _pieces(name: str, given: Input) -> list[Piece]:
    """Return the pieces of a file, which has its format if there are several; one to fail, if it can't be read."""
    source = _source(name, given)
    try:
        pieces = list(pieces_in(source, given.limits))
    except FileError:
        return [Piece(source=source)]
    known = _known(source, given) if pieces[1:] else source
    return [attrs.evolve(piece, source=known) for piece in pieces]


def _in_order(
    pieces: Sequence[Piece],
    given: Input,
    look: Callable[[History, str], _T],
    jobs: int,
    progress: Callable[[int, int], None],
) -> Iterator[tuple[Piece, _Piece[_T]]]:
    """Yield the pieces, in order, with what was made of them; those of streams are read here, when it is their turn."""
    calls = [(piece, given, look) for piece in pieces if not piece.source.is_stream]
    advance = Tally(progress)
    engine = ENGINES["local"](_collect, calls, Crew(jobs=jobs), advance)
    early: dict[int, _Piece[_T]] = {}
    number = -1
    for piece in pieces:
        if piece.source.is_stream:
            yield piece, _collect(piece, given, look, advance=partial(advance, -1))
            continue
        number += 1
        while number not in early:
            other, done = next(engine)
            early[other] = done
            whole = calls[other][0]
            advance(other, (whole.end or whole.source.size or 0) - whole.start, len(done.taken))
        yield piece, early.pop(number)


def history_of(name: str, given: Input) -> Read:
    """Return the only history of a file.

    Raises:
        AgentMsgError: if it can't be read, or there isn't exactly one.
    """
    source = _source(name, given)
    with _opened(Piece(source=source), given) as reading:
        # Don't read a file of a million documents to its end only to count them.
        found = list(islice(reading, 2))
    if given.at and not found:
        raise named(nothing_at(given.at), name)
    if len(found) != 1:
        msg = f"{name} must hold one conversation, and holds {'several' if found else 'none'}"
        raise DecodeError(msg)
    return _sure(found[0], source, given)


def _sure(found: Found, source: Source, given: Input) -> Read:
    if given.is_named and (words := doubt_of(found, source.codec)):
        tell_doubt(source.path, words)
    place = source.place(found.number, found.at)
    with naming(place):
        history, codec = _read(found, source, given)
    return Read(history=history, codec=codec, place=place)


def history_at(name: str, index: int, given: Input) -> tuple[History, bool]:
    """Return the history of one document of a file, and whether there are others.

    Args:
        name: of the file; "-" is stdin.
        index: of the document, from 0.
        given: how to read it.

    Raises:
        AgentMsgError: if it can't be read; code "required" if there is no such document.
    """
    source = _known(_source(name, given), given)
    with _opened(Piece(source=source), given) as reading:
        documents = iter(reading)
        before = sum(1 for _ in islice(documents, index))
        found = next(documents, None)
        if found is None and reading.missing and not before:
            raise named(nothing_at(given.at), name)
        if found is None:
            msg = f"there is no document {index}: {name} holds {before}, counted from 0"
            raise DecodeError(msg, code="required")
        return _sure(found, source, given).history, index > 0 or next(documents, None) is not None


def documents_at(name: str, given: Input) -> Iterator[bytes]:
    """Yield the documents of a file as bytes.

    Raises:
        AgentMsgError: if one of them can't be read.
    """
    source = _source(name, given)
    with _opened(Piece(source=source), given) as reading:
        is_empty = True
        for found in reading:
            is_empty = False
            with naming(source.place(found.number, found.at)):
                yield found.content()
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
    source = _source(name, given)
    with _opened(Piece(source=source), given) as reading:
        for found in few(reading.ahead()) if source.is_stream else sample(source, given.limits):
            try:
                scores.append(detect(found.content()))
                held.append(found.content())
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
        return Formats(file=name, scores=first, trouble=with_places(error, held))
    except AgentMsgError as error:
        return Formats(file=name, scores=first, trouble=error)
    # Those of the first document that has the format, and no better one: others may be mere guesses.
    sure = next((each for each in scores if each and each[0][0] == codec), first)
    return Formats(file=name, scores=tuple(sorted(sure, key=lambda each: each[0] != codec)), codec=codec)


def _source(name: str, given: Input) -> Source:
    """Return a file to read.

    Raises:
        FileError: if its name and the options don't fit.
    """
    made = given.of(name)
    check_column(given.column, made.kind)
    return made


def _opened(piece: Piece, given: Input) -> Reading:
    """Open the documents of a piece of a file."""
    return Reading(piece, given.limits, standard_in if piece.source.path == STANDARD else None)


def _read(found: Found, source: Source, given: Input) -> tuple[History, str]:
    data = found.content()
    codec, reader = reader_of(found, source)
    return loads(data, reader, limits=given.limits, duplicates="error", unknown=given.unknown), codec
