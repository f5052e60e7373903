"""The documents of a range of a file, from opening to end; what can't be read in one of many files is a fault."""

from __future__ import annotations

from collections import deque
from contextlib import AbstractContextManager, ExitStack
from itertools import accumulate, groupby
from select import select
from time import monotonic
from typing import TYPE_CHECKING, BinaryIO

import attrs

from agentmsg.errors import AgentMsgError, FileError
from agentmsg.files.documents import Found, parts, records
from agentmsg.files.packing import decompressed
from agentmsg.files.places import joined, parts_of
from agentmsg.files.storage import asking, place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from agentmsg.files.job import Job, Piece, Source
    from agentmsg.limits import Limits

# Seconds to wait for another document before the format is detected.
_MOMENT = 0.2
# Seconds to wait for all of them.
_MOMENTS = 2.0
# Codes of errors of damaged files.
_DAMAGED = ("compression", "syntax")


def counted(job: Job, pieces: Iterable[Piece]) -> Iterator[tuple[Piece, Job]]:
    """Yield pieces, each with its job; if originals are rebuilt, it says how many documents are around."""
    for _, group in groupby(pieces, lambda piece: piece.source):
        own = list(group)
        if job.restores is None or not job.restores.files or own[0].source.is_stream:
            yield from ((piece, job) for piece in own)
            continue
        counts = [_count(piece, job.limits) for piece in own]
        for piece, before in zip(own, accumulate(counts, initial=0), strict=False):
            yield piece, attrs.evolve(job, restores=attrs.evolve(job.restores, before=before, total=sum(counts)))


def _count(piece: Piece, limits: Limits) -> int:
    with Reading(piece, limits) as reading:
        return sum(1 for _ in reading)


class Reading(AbstractContextManager["Reading"]):
    """The documents of a piece while they are read, and the progress; the file is closed at the end of a block.

    Args:
        piece: what to read.
        limits: bounds on what is held in memory.
        standard_in: returns the stream to read instead of a file.

    Attributes:
        lines: the number of the last line or frame that was read.
        missing: number of records, or files, without a document at the given places.
        blank: number of blank lines.

    Raises:
        FileError: while documents are yielded, if the file can't be read; in one of many files, this is a fault of the
            last document, and so it is if the file is damaged after its first document.
    """

    def __init__(self, piece: Piece, limits: Limits, standard_in: Callable[[], BinaryIO] | None = None) -> None:
        self._piece = piece
        self.lines = self.missing = self.blank = 0
        self._raw: BinaryIO | None = None
        self._last = Found(0, piece.start, 0, None)
        self._found = self._read(limits, standard_in)
        self._seen: deque[Found] = deque()
        self._fault: AgentMsgError | None = None

    def __iter__(self) -> Iterator[Found]:
        """Yield the documents, including those that ``ahead`` has yielded."""
        while self._seen:
            yield self._seen.popleft()
        if self._fault is not None:
            raise self._fault
        yield from self._found

    def ahead(self) -> Iterator[Found]:
        """Yield documents to look at, before all are read; of a stream, those that are there within a moment.

        An error after the first of them is raised when all are read.
        """
        until = monotonic() + _MOMENTS
        try:
            for found in self._found:
                self._seen.append(found)
                yield found
                if not self._is_ready() or monotonic() > until:
                    break
        except AgentMsgError as error:
            if not self._seen:
                raise
            self._fault = error

    def _is_ready(self) -> bool:
        """Whether more of the file is there, or its end: somebody may be writing it."""
        try:
            return self._raw is None or self._raw.seekable() or bool(select([self._raw], [], [], _MOMENT)[0])
        except Exception:  # noqa: BLE001 - whatever a foreign object raises, or a system, it can't tell
            return False

    @property
    def source(self) -> Source:
        """The file."""
        return self._piece.source

    @property
    def has_seen(self) -> bool:
        """Whether ``ahead`` yielded any document."""
        return bool(self._seen)

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._found.close()

    @property
    def position(self) -> int:
        """How many bytes of the piece are done, as on disk."""
        if self._piece.source.kind.compression and self._raw is not None and self._raw.seekable():
            return self._raw.tell()
        # The last line of a range may end beyond it.
        end = self._last.end if self._piece.end is None else min(self._last.end, self._piece.end)
        return end - self._piece.start

    def _read(self, limits: Limits, standard_in: Callable[[], BinaryIO] | None) -> Generator[Found]:
        source = self._piece.source
        try:
            with asking(source.path), ExitStack() as files:
                self._raw = (
                    standard_in() if standard_in else files.enter_context(place_of(source.path).open(source.path))
                )
                stream = decompressed(self._raw, source.kind.compression, source.path)
                if source.join and source.kind.form in ("msgpack", "sqlite"):
                    msg = f"{source.path}: only JSON is joined, not MessagePack"
                    raise FileError(msg, code="form")
                records = self._records(stream, limits)
                for found in joined(records, limits) if source.is_one_conversation else records:
                    self._last = found
                    yield found
        except AgentMsgError as error:
            # What is damaged stays so: what was read before counts, unless it is a part of one document.
            is_rest = error.code in _DAMAGED and self._last.number > 0 and not source.holds_one
            if not (is_rest or source.is_one_of_many):
                raise
            yield Found(self._last.number + 1, self._last.end, 0, None, error)
        finally:
            self._raw = None

    def _records(self, stream: BinaryIO, limits: Limits) -> Iterator[Found]:
        """Yield records, or what is at some places of them."""
        source = self._piece.source
        if source.kind.form == "sqlite":
            yield from self._stored(limits)
            return
        is_each_joined = source.join and not source.is_one_conversation
        is_missing = source.is_in_parts
        for record in self._whole_records(stream, limits):
            before, self.lines = self.lines, record.number
            if record.is_blank:
                self.blank += self.lines - before
                continue
            inside = self._parts(record, limits) if source.at else (record,)
            for found in joined(inside, limits) if is_each_joined else inside:
                is_missing = False
                yield found
        if source.is_in_parts:
            self.missing = int(is_missing)

    def _whole_records(self, stream: BinaryIO, limits: Limits) -> Iterator[Found]:
        """Yield what the places are in: records, and blank lines; of a value that is read by parts, these."""
        piece, source = self._piece, self.source
        if source.is_in_parts:
            return parts(stream, limits, source.at)
        form, column = source.kind.form, source.kind.column
        return records(stream, form, limits, piece.start, piece.end, name=source.path, column=column)

    def _stored(self, limits: Limits) -> Iterator[Found]:
        """Yield the documents in a database."""
        from agentmsg.files.databases import documents_in  # noqa: PLC0415 - SQLite, for a database only

        for found in documents_in(self._piece.source, limits):
            self.lines = found.number
            yield found
        self.missing = int(bool(self._piece.source.at) and not self.lines)

    def _parts(self, record: Found, limits: Limits) -> Iterator[Found]:
        is_missing = True
        for part in parts_of(record, self._piece.source.at, self._piece.source.kind.form, limits):
            is_missing = False
            yield part
        self.missing += is_missing
        self._last = record
