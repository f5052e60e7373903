"""A whole run: pieces to an engine, parts to targets, and an account of it all.

A target gets its final name when all its pieces are done, after the files that belong to it (accounts, quarantine):
there is never a document without its account.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from itertools import chain
from typing import TYPE_CHECKING, BinaryIO

import attrs

from agentmsg.files.compression import compressed, decompressed
from agentmsg.files.engines import ENGINES
from agentmsg.files.job import TOLD, Job, Piece, Report, Sinks, convert_documents, convert_range, documents_of
from agentmsg.files.joining import join, renumber
from agentmsg.files.names import STANDARD, is_remote, kind_of
from agentmsg.files.places import asking, place_of, whole_file
from agentmsg.files.plan import detected, pieces_of
from agentmsg.files.work import Work, fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentmsg.files.documents import Found
    from agentmsg.files.plan import Target

__all__ = ["Outcome", "Request", "bad_path", "run", "stream"]


@attrs.frozen(kw_only=True)
class Request:
    """How to run a job.

    Attributes:
        work: the work folder; see ``Work``.
        engine: one of ENGINES.
        jobs: so many at once.
        resume: whether to go on with a run that was stopped.
        losses: for each target where its accounts go, or None.
        flat: for each target where its losses go one by one, or None.
        detected: called with the format of stdin, where that was not given.
        progress: called with the bytes and documents that are done, when more are.
    """

    work: str
    engine: str = "local"
    jobs: int = 1
    resume: bool = False
    losses: tuple[str, ...] | None = None
    flat: tuple[str, ...] | None = None
    detected: Callable[[str], None] = lambda codec: None
    progress: Callable[[int, int], None] = lambda size, documents: None


@attrs.define(kw_only=True)
class Outcome:
    """What became of a run.

    Attributes:
        documents: how many were written.
        messages: how many were in them.
        bad: how many were put aside.
        resumed: how many pieces were done before.
        levels: losses by level.
        told: the first content losses, each with the place of its document.
        first_bad: what was wrong first, with its place.
        bad_files: that hold what was put aside.
    """

    documents: int = 0
    messages: int = 0
    bad: int = 0
    resumed: int = 0
    levels: Counter[str] = attrs.field(factory=Counter[str])
    told: list[tuple[str, str]] = attrs.field(factory=list[tuple[str, str]])
    first_bad: str | None = None
    bad_files: list[str] = attrs.field(factory=list[str])

    def add(self, report: Report, piece: Piece, target: str, *, documents: int, lines: int) -> None:
        """Add a piece, before which its target has so many documents and its source so many lines."""
        self.documents += report.documents
        self.messages += report.messages
        self.bad += report.bad
        self.levels.update(report.levels)
        room = max(0, TOLD - len(self.told))
        self.told += [(f"{target}:{documents + number}", words) for number, words in report.told[:room]]
        if self.first_bad is None and report.first_bad is not None:
            number, words = report.first_bad
            self.first_bad = f"{piece.source.path}:{lines + number}: {words}"


@attrs.frozen
class _Task:
    """A piece with its number in the run, and the target it belongs to."""

    number: int
    target: int
    piece: Piece
    job: Job

    @property
    def size(self) -> int:
        """Bytes of the source; of a whole file where it is not cut."""
        end = self.piece.source.size if self.piece.end is None else self.piece.end
        return (end or 0) - self.piece.start


def bad_path(target: str) -> str:
    """Return where what cannot be converted goes, for a target."""
    return f"{target}.bad.jsonl"


def run(job: Job, targets: Sequence[Target], request: Request) -> Outcome:
    """Convert all sources into their targets, and return what became of them.

    The bytes that are written depend on the job and the sources only, not on engine, jobs, or stops and resumes.

    Args:
        job: what to do with a document; its ``kind`` is replaced by that of each target.
        targets: the files to write.
        request: how.

    Raises:
        FileError: where files cannot be read or written. The work folder stays then, for a run that resumes.
    """
    tasks = list(_tasks(job, targets))
    print_of_run = fingerprint(job, targets, [task.piece for task in tasks])
    work = Work(request.work, print_of_run, resume=request.resume)
    try:
        outcome = _Run(targets, tasks, request, work).run()
        work.finish()
    finally:
        work.release()
    return outcome


def _tasks(job: Job, targets: Sequence[Target]) -> Iterator[_Task]:
    number = 0
    for index, target in enumerate(targets):
        own = attrs.evolve(job, kind=target.kind)
        for piece in pieces_of(target, job.limits):
            yield _Task(number, index, piece, own)
            number += 1


class _Run:
    """The state of a run: which pieces are done, which targets are whole."""

    def __init__(self, targets: Sequence[Target], tasks: list[_Task], request: Request, work: Work) -> None:
        self._targets = targets
        self._request = request
        self._work = work
        self._tasks: list[list[_Task]] = [[] for _ in targets]
        for task in tasks:
            self._tasks[task.target].append(task)
        self._reports: dict[int, Report] = {}
        self._bytes = self._documents = 0

    def run(self) -> Outcome:
        todo = [task for tasks in self._tasks for task in tasks if not self._is_done(task)]
        resumed = len(self._reports)
        for index in range(len(self._targets)):
            self._publish_if_whole(index)
        calls = [(task.job, task.piece, self._work.base(task.number)) for task in todo]
        for position, report in ENGINES[self._request.engine](convert_range, calls, self._request.jobs):
            task = todo[position]
            self._work.mark_done(task.number, report)
            self._note(task, report)
            self._publish_if_whole(task.target)
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
        return self._work.is_published(index) and place_of(path).size(path) is not None

    def _note(self, task: _Task, report: Report) -> None:
        self._reports[task.number] = report
        self._bytes += task.size
        self._documents += report.documents
        self._request.progress(self._bytes, self._documents)

    def _publish_if_whole(self, index: int) -> None:
        tasks = self._tasks[index]
        if not all(task.number in self._reports for task in tasks) or (
            self._work.resumed and self._is_published(index)
        ):
            return
        self._publish(index, self._targets[index])
        self._work.mark_published(index)
        for task in tasks:
            self._work.drop_parts(task.number, self._reports[task.number])

    def _publish(self, index: int, target: Target) -> None:
        """Give a target and the files that belong to it their final names; the target last."""
        documents, lines = self._before(index)
        bad = bad_path(target.path)
        if any(self._reports[task.number].bad for task in self._tasks[index]):
            self._join(index, ".bad", bad, lines)
        else:
            place_of(bad).remove(bad)
        if self._request.losses is not None:
            self._join(index, ".losses", self._request.losses[index], documents)
        if self._request.flat is not None:
            self._join(index, ".flat", self._request.flat[index], documents)
        # One document that could not be converted makes no file: an empty one would be no document.
        if target.kind.form != "json" or documents[-1]:
            self._join(index, ".out", target.path, None)

    def _before(self, index: int) -> tuple[list[int], list[int]]:
        """Return for each piece of a target how many documents are before it, and how many lines of its source."""
        documents, lines = [0], [0]
        tasks = self._tasks[index]
        for task, following in zip(tasks, [*tasks[1:], None], strict=True):
            report = self._reports[task.number]
            documents.append(documents[-1] + report.documents)
            goes_on = following is not None and following.piece.source == task.piece.source and following.piece.start
            lines.append(lines[-1] + report.lines if goes_on else 0)
        return documents, lines

    def _join(self, index: int, suffix: str, path: str, before: list[int] | None) -> None:
        """Make one file of the parts of a target, and give it its final name."""
        parts = [self._work.base(task.number) + suffix for task in self._tasks[index]]
        place = place_of(path)
        folder = path.rpartition("/")[0]
        if folder and not is_remote(path):
            place.make_folder(folder)
        if before is None and len(parts) == 1:
            place.publish(parts[0], path)
            return
        joined = f"{self._work.path}/{index}{suffix}.joined"
        with asking(path), place_of(joined).create(joined) as file:
            if before is None:
                join(parts, file)
            else:
                with compressed(file, kind_of(path, "jsonl").compression) as sink:
                    renumber(zip(parts, before, strict=False), sink)
        place.publish(joined, path)

    def _outcome(self, resumed: int) -> Outcome:
        outcome = Outcome(resumed=resumed)
        for index, target in enumerate(self._targets):
            known = outcome.bad
            for task, documents, lines in zip(self._tasks[index], *self._before(index), strict=False):
                report = self._reports[task.number]
                outcome.add(report, task.piece, target.path, documents=documents, lines=lines)
            if outcome.bad > known:
                outcome.bad_files.append(bad_path(target.path))
        return outcome


def _noting(found: Iterator[Found], seen: list[Found]) -> Iterator[Found]:
    for item in found:
        seen.append(item)
        yield item


def stream(job: Job, target: Target, request: Request, standard_in: BinaryIO, standard_out: BinaryIO) -> Outcome:
    """Convert the sources of one target as they come; for stdin and stdout, which cannot be cut or resumed.

    Args:
        job: what to do with a document; its ``kind`` is replaced by that of the target.
        target: with its sources.
        request: only its accounts and progress count.
        standard_in: what the source "-" is.
        standard_out: what the target "-" is.

    Raises:
        FileError: where files cannot be read or written; nothing has its final name then.
    """
    outcome = Outcome()
    own = attrs.evolve(job, kind=target.kind)
    with ExitStack() as files:
        enter = files.enter_context
        losses, flat = (
            enter(compressed(enter(whole_file(paths[0])), kind_of(paths[0], "jsonl").compression)) if paths else None
            for paths in (request.losses, request.flat)
        )
        keeps_bad = job.quarantine and target.path != STANDARD
        bad = enter(whole_file(bad_path(target.path))) if keeps_bad else None
        sink = standard_out if target.path == STANDARD else enter(whole_file(target.path))
        out = enter(compressed(sink, target.kind.compression))
        for source in target.sources:
            raw = standard_in if source.path == STANDARD else enter(place_of(source.path).open(source.path))
            piece = Piece(source=source)
            read = enter(decompressed(raw, source.kind.compression, source.path))
            found = documents_of(piece, read, job.limits)
            if not source.codec:
                seen: list[Found] = []
                source = attrs.evolve(source, codec=detected(_noting(found, seen), "stdin"))  # noqa: PLW2901
                request.detected(source.codec)
                found = chain(seen, found)
            report = convert_documents(own, source, found, Sinks(out, losses, flat, bad))
            outcome.add(report, piece, target.path, documents=outcome.documents, lines=0)
            request.progress(source.size or 0, outcome.documents)
    if bad is not None and not outcome.bad:
        place_of(target.path).remove(bad_path(target.path))
    outcome.bad_files = [bad_path(target.path)] if bad is not None and outcome.bad else []
    return outcome
