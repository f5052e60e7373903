"""A whole run: pieces to an engine, parts to targets, and a report of it all.

A target gets its final name when all its pieces are done, after its side files (loss reports, quarantine): a document
never appears without its loss report.
"""

from __future__ import annotations

import io
import re
import shutil
from collections import deque
from collections.abc import Callable
from contextlib import ExitStack, suppress
from itertools import chain
from typing import TYPE_CHECKING, BinaryIO

import attrs

from agentmsg.api.reading import loads
from agentmsg.errors import AgentMsgError, FileError
from agentmsg.files.converting import convert_range
from agentmsg.files.engines import ENGINES, Crew, Tally
from agentmsg.files.file_names import STANDARD, Kind, lines_kind
from agentmsg.files.groups import LossGroups
from agentmsg.files.job import Counts, Job, Piece, Report, Source
from agentmsg.files.overwriting import check_distinct, check_free
from agentmsg.files.packing import LINES, Framing, compressed, decompressed, framing_of, is_packed, packed
from agentmsg.files.places import nothing_at
from agentmsg.files.plan import pieces_in
from agentmsg.files.reading import Reading, counted
from agentmsg.files.storage import asking, make_folder_of, named, place_of
from agentmsg.files.work_folder import Work, fingerprint, is_work
from agentmsg.registry import get_codec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from agentmsg.files.plan import Target

_BUFFER = 1 << 20
# Begins with a line end, which is found at once.
_LEAD = re.compile(rb'\n\{"line":(\d+)(?:(,"(?:file_line|index)":)(\d+))?')


@attrs.frozen(kw_only=True)
class Request:
    """How to run a job.

    Attributes:
        work: the work folder; see ``Work``.
        engine: one of ENGINES.
        jobs: how many pieces to convert at once on this machine.
        address: that of a cluster.
        resume: whether to continue a stopped run.
        force: whether to replace existing files, and discard what a stopped run left.
        losses: for each target the file for its loss reports, or None.
        flat: for each target the file for its single losses, or None.
        bad: for each target the file for what can't be converted; None: beside it.
        detected: called with the format of stdin, if that was not given.
        stopped: called if an earlier run was stopped before it finished any piece, and this one starts anew.
        doubted: called with "-" and what stdin's given format doesn't know, if that is most of it.
        progress: called with the bytes and documents done, when there are more.
    """

    work: str
    engine: str = "local"
    jobs: int = 1
    address: str | None = None
    resume: bool = False
    force: bool = False
    losses: tuple[str, ...] | None = None
    flat: tuple[str, ...] | None = None
    bad: tuple[str, ...] | None = None
    detected: Callable[[str], None] = lambda codec: None
    stopped: Callable[[], None] = lambda: None
    doubted: Callable[[str, str], None] = lambda path, words: None
    progress: Callable[[int, int], None] = lambda size, documents: None

    def sides(self, index: int, target: str) -> dict[str, str]:
        """Return the side files of a target, by the suffix of their parts."""
        given = {".losses": self.losses, ".flat": self.flat, ".bad": self.bad}
        sides = {suffix: paths[index] for suffix, paths in given.items() if paths is not None}
        return sides if target == STANDARD else {".bad": f"{target}.bad.jsonl", **sides}


@attrs.define(kw_only=True)
class Outcome(Counts):
    """The result of a run.

    Attributes:
        resumed: number of pieces that were done before.
        groups: the losses by what they have in common.
        first_bad: the first fault, with its place.
        bad_files: the files of quarantined documents.
        was_done: whether all was done by an earlier run.
        ran: where the work was done, in words; empty for the usual processes of this machine.
    """

    resumed: int = 0
    groups: LossGroups = attrs.field(factory=LossGroups)
    first_bad: str | None = None
    bad_files: list[str] = attrs.field(factory=list[str])
    was_done: bool = False
    ran: str = ""

    def add(self, report: Report, piece: Piece, target: str, before: Count) -> None:
        """Add a piece, given the counts before it."""
        self.count(report)
        self.groups.merge(report.groups, target, before.documents)
        if self.first_bad is None and report.first_bad is not None:
            number, words = report.first_bad
            self.first_bad = f"{piece.source.path}:{before.lines + number}{words}"

    @property
    def is_nothing(self) -> bool:
        """Whether there were records, but no document in any of them."""
        return self.missing > 0 and not self.documents and not self.bad

    def checked(self, targets: Iterable[Target]) -> Outcome:
        """Return the outcome of a run over targets.

        Raises:
            DecodeError: code "required" if there were records, but no document in any of them.
        """
        if self.is_nothing:
            sources = [source for target in targets for source in target.sources]
            error = nothing_at(sources[0].at)
            raise error if sources[1:] else named(error, sources[0].path)
        return self


@attrs.frozen
class Count:
    """Counts before a piece: the documents of its target, and the lines and documents of its source."""

    documents: int = 0
    lines: int = 0
    read: int = 0

    def at(self, piece: Piece) -> Count:
        """Return the counts before the next piece, given those before this one; each source counts its own lines."""
        return self if piece.start else Count(self.documents)

    def after(self, report: Report) -> Count:
        """Return the counts after this piece."""
        read = self.read + report.documents + report.bad
        return Count(self.documents + report.documents, self.lines + report.lines, read)


@attrs.frozen
class _Task:
    """A piece with its number in the run, and its target."""

    number: int
    target: int
    piece: Piece
    job: Job

    @property
    def size(self) -> int:
        """Bytes of the source; of the whole file if it isn't cut."""
        end = self.piece.source.size if self.piece.end is None else self.piece.end
        return (end or 0) - self.piece.start


def run(job: Job, targets: Sequence[Target], request: Request) -> Outcome:
    """Convert all sources into their targets, and return the result.

    The written bytes depend on the job and the sources only, not on engine, jobs, or stops and resumes.

    Args:
        job: what to do with a document; its ``kind`` is replaced by that of each target.
        targets: the files to write.
        request: how.

    Raises:
        FileError: if files can't be read or written. The work folder then stays, for a run that resumes, if any piece
            is done. Code "exists" if a file to write already exists, and "same-file" if it is one of the sources.
        DecodeError: if there is nothing at the places to look for documents.
    """
    sides = [request.sides(index, target.path) for index, target in enumerate(targets)]
    written = [[target.path, *side.values()] for target, side in zip(targets, sides, strict=True)]
    sources = [source.path for target in targets for source in target.sources]
    check_distinct(chain.from_iterable(written), chain(job.reads, sources))
    is_new = request.force or not request.resume or is_work(request.work)
    # What was quarantined may be nothing; all other files are there once a run is done.
    asked = [path for index, names in enumerate(written) for path in names if path != sides[index].get(".bad")]
    if not is_new and all(map(_is_there, asked)) and all(_may_be(target, job) for target in targets):
        return _finished(job, targets, sides)
    if request.force or not is_work(request.work):
        check_free(chain.from_iterable(written), force=request.force)
    if job.restores is not None:
        job = attrs.evolve(job, restores=attrs.evolve(job.restores, folder=request.work))
    tasks = [_Task(number, *each) for number, each in enumerate(_tasks(job, targets))]
    print_of_run = fingerprint(job, targets, sides, [task.piece for task in tasks])
    work = Work(request.work, print_of_run, resume=request.resume, force=request.force)
    try:
        if not request.force:
            own = [name for index, names in enumerate(written) if work.is_publishing(index) for name in names]
            check_free(chain.from_iterable(written), own=frozenset(own))
        if work.was_stopped:
            request.stopped()
        if job.restores is not None:
            job.restores.prepare(job.limits)
        outcome = _Run(targets, tasks, request, work).run()
        work.finish()
    except AgentMsgError:
        work.abandon()
        raise
    finally:
        work.release()
    return outcome.checked(targets)


def _tasks(job: Job, targets: Sequence[Target]) -> Iterator[tuple[int, Piece, Job]]:
    """Yield the pieces of all targets, each with the index of its target, and with its job."""
    for index, target in enumerate(targets):
        # What stands beside another file isn't cut.
        cut = ([Piece(source=each)] if job.rejected else pieces_in(each, job.limits) for each in target.sources)
        for piece, own in counted(attrs.evolve(job, kind=target.kind), chain.from_iterable(cut)):
            yield index, piece, own


def _is_there(path: str) -> bool:
    return place_of(path).size(path) is not None


def _may_be(target: Target, job: Job) -> bool:
    """Whether a file that is there may be a target: its first document has the format."""
    source = Source(path=target.path, kind=target.kind, codec=job.codec)
    try:
        with Reading(Piece(source=source), job.limits) as reading:
            first = next(iter(reading), None)
            if first is not None and job.codec:
                loads(first.content(), get_codec(job.codec), limits=job.limits)
    except AgentMsgError:
        return False
    return True


def _finished(job: Job, targets: Sequence[Target], sides: Sequence[Mapping[str, str]]) -> Outcome:
    """Return the outcome of a run that is asked to go on, and whose targets are there: each was named when complete.

    Raises:
        FileError: code "source-changed" if a source was written after its target.
    """
    outcome = Outcome(was_done=True)
    for target, side in zip(targets, sides, strict=True):
        done = place_of(target.path).changed(target.path)
        for path in (*job.reads, *(source.path for source in target.sources)):
            then = place_of(path).changed(path)
            if done is not None and then is not None and then > done:
                msg = f"{path}: changed since {target.path} was written; --force starts over"
                raise FileError(msg, code="source-changed")
        if _is_there(bad := side[".bad"]):
            with place_of(bad).open(bad) as stream:
                outcome.codes[""] += sum(1 for _ in decompressed(stream, lines_kind(bad).compression, bad))
            outcome.bad_files.append(bad)
    return outcome


class _Run:
    """The state of a run: which pieces are done, and how far their targets have grown."""

    def __init__(self, targets: Sequence[Target], tasks: list[_Task], request: Request, work: Work) -> None:
        self._targets = targets
        self._request = request
        self._work = work
        self._tasks: list[list[_Task]] = [[] for _ in targets]
        for task in tasks:
            self._tasks[task.target].append(task)
        self._waiting = [deque(own) for own in self._tasks]
        self._counts = [Count() for _ in targets]
        self._growing: dict[int, dict[str, _Growing]] = {}
        self._reports: dict[int, Report] = {}
        self._places: dict[int, Count] = {}
        self._crew = Crew(jobs=request.jobs, address=request.address)
        self._tally = Tally(request.progress)

    def run(self) -> Outcome:
        todo = [task for tasks in self._tasks for task in tasks if not self._is_done(task)]
        resumed = len(self._reports)
        try:
            for index in range(len(self._targets)):
                self._grow(index)
            calls = [(task.job, task.piece, self._work.base(task.number)) for task in todo]

            def advance(position: int, size: int, documents: int) -> None:
                self._tally(todo[position].number, size, documents)

            for position, report in ENGINES[self._request.engine](convert_range, calls, self._crew, advance):
                task = todo[position]
                self._work.mark_done(task.number, report)
                self._note(task, report)
                self._grow(task.target)
        finally:
            for files in self._growing.values():
                for file in files.values():
                    file.abandon()
        return self._outcome(resumed)

    def _is_done(self, task: _Task) -> bool:
        if not self._work.resumed:
            return False
        report = self._work.done(task.number, task.piece)
        if report is None or not (self._is_published(task.target) or self._work.has_parts(task.number, report)):
            return False
        self._note(task, report)
        return True

    def _is_published(self, index: int) -> bool:
        path = self._targets[index].path
        return self._work.resumed and self._work.is_published(index) and place_of(path).size(path) is not None

    def _note(self, task: _Task, report: Report) -> None:
        self._reports[task.number] = report
        self._tally(task.number, task.size, report.documents)

    def _grow(self, index: int) -> None:
        """Append the next parts to the files of a target; name the files once all parts are there."""
        waiting = self._waiting[index]
        if not waiting or waiting[0].number not in self._reports:
            return
        is_published = self._is_published(index)
        while waiting and waiting[0].number in self._reports:
            task = waiting.popleft()
            report = self._reports[task.number]
            count = self._counts[index].at(task.piece)
            self._places[task.number] = count
            self._counts[index] = count.after(report)
            if not is_published:
                self._append(task, report, count)
        if not waiting and not is_published:
            self._publish(index)

    def _append(self, task: _Task, report: Report, count: Count) -> None:
        if not self._work.has_parts(task.number, report):
            msg = f"{self._work.path}: something else changed the files in it"
            raise FileError(msg, code="busy")
        base = self._work.base(task.number)
        for suffix, file in self._files(task.target).items():
            if suffix == ".out":
                file.add(base + suffix, is_empty=not report.documents)
            else:
                numbers = (count.lines, count.read) if suffix == ".bad" else (count.documents, count.lines)
                file.add(base + suffix, *numbers, is_empty=not report.sizes[suffix])

    def _files(self, index: int) -> dict[str, _Growing]:
        """Return the files of a target, by the suffix of their parts."""
        if index not in self._growing:
            target, request = self._targets[index], self._request
            base, is_one_part = f"{self._work.path}/{index}", len(self._tasks[index]) == 1
            files = {
                suffix: _Growing(
                    path=path,
                    until=f"{base}{suffix}.joined",
                    kind=lines_kind(path),
                    is_one_part=is_one_part,
                    is_private=any(task.job.hides is not None for task in self._tasks[index]),
                )
                for suffix, path in request.sides(index, target.path).items()
            }
            files[".out"] = _Growing(
                path=target.path,
                until=f"{base}.out.joined",
                framing=framing_of(target.kind, pretty=False),
                # Its parts are already compressed.
                kind=attrs.evolve(target.kind, compression=""),
                parts_compression=target.kind.compression,
                is_one_part=is_one_part,
            )
            self._growing[index] = files
        return self._growing[index]

    def _publish(self, index: int) -> None:
        """Give a target and its side files their final names; the target last."""
        target, files = self._targets[index], self._growing.pop(index)
        if self._is_nothing(index):
            for file in files.values():
                file.abandon()
            return
        # Files under these names that an earlier part of this run began to publish are its own.
        force = self._request.force or self._work.is_publishing(index)
        self._work.mark(index, word="publishing")
        bad = files.pop(".bad")
        if bad.is_empty:
            bad.abandon()
            if force:
                place_of(bad.path).remove(bad.path)
        else:
            bad.publish(force=force)
        out = files.pop(".out")
        for file in files.values():
            file.publish(force=force)
        # A single document that couldn't be converted gives no file: an empty one wouldn't be a document.
        if target.kind.form != "json" or not out.is_empty:
            out.publish(force=force)
        self._work.mark(index, word="published")
        for task in self._tasks[index]:
            self._work.drop_parts(task.number, self._reports[task.number])

    def _is_nothing(self, index: int) -> bool:
        outcome = Outcome()
        self._add(index, outcome)
        return outcome.is_nothing

    def _add(self, index: int, outcome: Outcome) -> None:
        for task in self._tasks[index]:
            report = self._reports[task.number]
            outcome.add(report, task.piece, self._targets[index].path, self._places[task.number])

    def _outcome(self, resumed: int) -> Outcome:
        outcome = Outcome(resumed=resumed, ran=str(self._crew))
        for index in range(len(self._targets)):
            known = outcome.bad
            self._add(index, outcome)
            if outcome.bad > known:
                outcome.bad_files.append(self._request.sides(index, self._targets[index].path)[".bad"])
        return outcome


@attrs.define(kw_only=True)
class _Growing:
    """A file made of parts.

    Attributes:
        path: its final name.
        until: its name until it is published.
        framing: what goes around documents; the parts have it inside, not at their ends.
        kind: the kind of a file whose parts are used as they are.
        parts_compression: the compression of the parts, so that what goes between them is compressed, too.
        is_one_part: whether there will be only one part, which may then become the file.
        is_private: whether only the owner may read it.
        is_empty: whether it has no documents or lines yet.
    """

    path: str
    until: str
    framing: Framing = LINES
    kind: Kind
    parts_compression: str = ""
    is_one_part: bool
    is_private: bool = False
    is_empty: bool = True
    _files: ExitStack = attrs.field(init=False, factory=ExitStack)
    _file: BinaryIO | None = attrs.field(init=False, default=None)
    _sink: BinaryIO | None = attrs.field(init=False, default=None)

    @property
    def _takes_part(self) -> bool:
        return self.is_one_part and not is_packed(self.kind) and not self.framing.head

    def add(self, part: str, before: int = 0, beside: int = 0, *, is_empty: bool) -> None:
        """Append a part.

        Args:
            part: its path.
            before: the number to add to line numbers, if lines begin with one.
            beside: the number to add to the one that follows it, if one does: of a line in its file, or of a document.
            is_empty: whether it has no documents or lines.
        """
        if self._takes_part:
            self.until = part
        elif not is_empty:
            with asking(self.path), place_of(part).open(part) as source:
                sink = self._opened()
                if not self.is_empty:
                    sink.write(self._packed(self.framing.between))
                _append(source, sink, before, beside)
                if self._file is not None:
                    place_of(self.until).write_back(self._file)
        self.is_empty = self.is_empty and is_empty

    def _opened(self) -> BinaryIO:
        if self._sink is None:
            new = place_of(self.until).create(self.until, is_private=self.is_private)
            self._file = self._files.enter_context(new)
            self._sink = self._files.enter_context(packed(self._file, self.kind))
            self._sink.write(self._packed(self.framing.head))
        return self._sink

    def _packed(self, data: bytes) -> bytes:
        if not data or not self.parts_compression:
            return data
        held = io.BytesIO()
        with compressed(held, self.parts_compression) as sink:
            sink.write(data)
        return held.getvalue()

    def publish(self, *, force: bool) -> None:
        """Give the file its final name, replacing another only with ``force``; first make sure it is on disk."""
        if not self._takes_part:
            with asking(self.path):
                end = self.framing.end.lstrip() if self.is_empty else self.framing.end
                self._opened().write(self._packed(end))
                self._files.close()
        make_folder_of(self.path)
        place_of(self.path).publish(self.until, self.path, force=force)

    def abandon(self) -> None:
        """Close the file as it is."""
        with suppress(FileError, OSError):
            self._files.close()


def _append(source: BinaryIO, sink: BinaryIO, before: int, beside: int) -> None:
    if not before and not beside:
        shutil.copyfileobj(source, sink, _BUFFER)
        return

    def renumbered(found: re.Match[bytes]) -> bytes:
        own = b"%b%d" % (found[2], int(found[3]) + beside) if found[2] else b""
        return b'\n{"line":%d%b' % (int(found[1]) + before, own)

    while lines := source.read(_BUFFER) + source.readline():
        sink.write(_LEAD.sub(renumbered, b"\n" + lines)[1:])
