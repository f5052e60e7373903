"""Convert sources as they come: for stdin and stdout, which can't be cut or resumed, and for one document."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import count, islice
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

import attrs

from agentmsg.files.converting import Sinks, convert_documents
from agentmsg.files.engines import Tally
from agentmsg.files.file_names import STANDARD, lines_kind
from agentmsg.files.job import Piece
from agentmsg.files.overwriting import check_distinct, check_free
from agentmsg.files.packing import framing_of, packed
from agentmsg.files.plan import doubt_of, with_format
from agentmsg.files.reading import Reading, counted
from agentmsg.files.run import Count, Outcome, Request
from agentmsg.files.storage import asking, make_folder_of, naming, whole_file

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from agentmsg.files.file_names import Kind
    from agentmsg.files.job import Job, Report, Source
    from agentmsg.files.plan import Target

# Returns stdin or stdout; raises FileError if it is closed.
Standard: TypeAlias = Callable[[], BinaryIO]


def stream(
    job: Job, targets: Sequence[Target], request: Request, standard_in: Standard, standard_out: Standard
) -> Outcome:
    """Convert the sources of targets as they come; for stdin and stdout, which can't be cut or resumed.

    Args:
        job: what to do with a document; its ``kind`` is replaced by that of each target.
        targets: with their sources.
        request: only its loss reports, its progress and ``force`` count.
        standard_in: returns the stream for the source "-".
        standard_out: returns the stream for the target "-".

    Raises:
        FileError: if files can't be read or written; a target and its side files appear only when complete. Codes
            "exists" and "same-file" as for ``run``.
        DecodeError: if a single document can't be read, or as for ``run``.
    """
    sides = [request.sides(index, target.path) for index, target in enumerate(targets)]
    if not job.quarantine:
        sides = [{suffix: path for suffix, path in side.items() if suffix != ".bad"} for side in sides]
    written = [path for target, side in zip(targets, sides, strict=True) for path in (target.path, *side.values())]
    check_distinct(written, [*job.reads, *(source.path for target in targets for source in target.sources)])
    check_free(written, force=request.force)
    with ExitStack() as folders:
        if job.restores is not None:
            folder = folders.enter_context(TemporaryDirectory(prefix="agentmsg-"))
            restores = attrs.evolve(job.restores, folder=folder, is_piped=STANDARD in written)
            restores.prepare(job.limits, standard_in)
            job = attrs.evolve(job, restores=restores)
        streaming = _Streaming(job, request, standard_in, standard_out)
        for target, side in zip(targets, sides, strict=True):
            streaming.convert(target, side)
    return streaming.outcome.checked(targets)


class _Streaming:
    """The state of a run over streams, and its result so far."""

    def __init__(self, job: Job, request: Request, standard_in: Standard, standard_out: Standard) -> None:
        self._job = job
        self._request = request
        self._standard_in = standard_in
        self._standard_out = standard_out
        self._tally = Tally(request.progress)
        self._sources = count()
        self.outcome = Outcome()

    def convert(self, target: Target, sides: Mapping[str, str]) -> None:
        """Convert the sources of a target."""
        job = attrs.evolve(self._job, kind=target.kind)
        framing = framing_of(target.kind, pretty=job.pretty)
        documents, bad = self.outcome.documents, self.outcome.bad
        is_wanted = partial(self._is_wanted, before=attrs.evolve(self.outcome))
        with ExitStack() as files:
            # Entered first, so that it gets its name last: never a document without its loss report.
            out = files.enter_context(self._sink(target.path, target.kind, partial(is_wanted, ".out")))
            side: dict[str, BinaryIO] = {}
            for suffix, path in sides.items():
                sink = self._sink(path, lines_kind(path), partial(is_wanted, suffix), is_private=job.hides is not None)
                side[suffix] = files.enter_context(sink)
            is_live = target.path == STANDARD
            sinks = Sinks(out, side.get(".losses"), side.get(".flat"), side.get(".bad"), is_live=is_live)
            out.write(framing.head)
            for source in target.sources:
                before = self.outcome.documents - documents
                report = self._streamed(job, source, sinks, is_first=not before)
                self.outcome.add(report, Piece(source=source), target.path, Count(before))
            out.write(framing.end if self.outcome.documents > documents else framing.end.lstrip())
        if ".bad" in side and self.outcome.bad > bad:
            self.outcome.bad_files.append(sides[".bad"])

    @contextmanager
    def _sink(
        self, path: str, kind: Kind, is_wanted: Callable[[], bool], *, is_private: bool = False
    ) -> Generator[BinaryIO]:
        """Open a file to write, or stdout."""
        with ExitStack() as files:
            if path == STANDARD:
                files.enter_context(asking("stdout"))
                file = self._standard_out()
            else:
                make_folder_of(path)
                new = whole_file(path, force=self._request.force, is_private=is_private, is_wanted=is_wanted)
                file = files.enter_context(new)
            yield files.enter_context(packed(file, kind))

    def _is_wanted(self, suffix: str, *, before: Outcome) -> bool:
        """Whether a file has content; a quarantine has none if no more documents were bad than before."""
        now = self.outcome
        if suffix == ".bad" or now.bad > before.bad:
            return now.bad > before.bad
        return now.documents > before.documents or now.missing == before.missing

    def _streamed(self, job: Job, source: Source, sinks: Sinks, *, is_first: bool) -> Report:
        """Convert one source as it comes."""
        is_standard = source.path == STANDARD
        advance = partial(self._tally, next(self._sources))
        piece = Piece(source=source)
        with (
            naming("stdin" if is_standard else source.path),
            Reading(piece, job.limits, self._standard_in if is_standard else None) as reading,
        ):
            if source.is_stream:
                source = self._looked_at(source, reading)
            ((_, job),) = counted(job, (piece,))
            report = convert_documents(job, source, reading, sinks, is_first=is_first, advance=advance)
            advance(reading.position if source.size is None else source.size, report.documents)
            return report

    def _looked_at(self, source: Source, reading: Reading) -> Source:
        """Return a stream with its format; if that can't be detected, raise, unless it is one of many sources.

        If the format is given, report what it doesn't know of the first document.
        """
        if source.codec and not source.join:
            for item in islice(reading.ahead(), 1):
                if words := doubt_of(item, source.codec):
                    self._request.doubted(source.path, words)
        known = with_format(source, self._job.limits, empty=self._job.codec, reading=reading)
        if known.codec != source.codec and reading.has_seen:
            self._request.detected(known.codec)
        return known
