"""Sources to one target as they come: for stdin and stdout, which cannot be cut or resumed, and for one document."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, contextmanager
from itertools import chain, islice
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

import attrs

from agentmsg.detection import doubt
from agentmsg.errors import DecodeError
from agentmsg.files.compression import compressed, decompressed
from agentmsg.files.framing import framing_of
from agentmsg.files.job import Job, Piece, Report, Sinks, Source, convert_documents, documents_of
from agentmsg.files.names import STANDARD, kind_of
from agentmsg.files.places import asking, place_of, whole_file
from agentmsg.files.plan import detected, named
from agentmsg.files.run import Count, Outcome, Request

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from agentmsg.files.documents import Found
    from agentmsg.files.plan import Target

__all__ = ["stream"]

# Gives stdin or stdout; raises FileError where it is closed.
Standard: TypeAlias = Callable[[], BinaryIO]


def _noting(found: Iterator[Found], seen: list[Found]) -> Iterator[Found]:
    for item in found:
        seen.append(item)
        yield item


def _doubting(found: Iterator[Found], codec: str, request: Request) -> Iterator[Found]:
    """Yield documents; tell first what the format of the first one doesn't know."""
    for item in islice(found, 1):
        if item.data is not None and (words := doubt(item.data, codec)):
            request.doubted(STANDARD, words)
        yield item
    yield from found


def stream(job: Job, target: Target, request: Request, standard_in: Standard, standard_out: Standard) -> Outcome:
    """Convert the sources of one target as they come; for stdin and stdout, which cannot be cut or resumed.

    Args:
        job: what to do with a document; its ``kind`` is replaced by that of the target.
        target: with its sources.
        request: only its accounts and progress count.
        standard_in: gives what the source "-" is.
        standard_out: gives what the target "-" is.

    Raises:
        FileError: where files cannot be read or written; nothing has its final name then.
    """
    outcome = Outcome()
    own = attrs.evolve(job, kind=target.kind)
    framing = framing_of(target.kind, pretty=job.pretty)
    sides = request.sides(0, target.path)
    with ExitStack() as files:
        # Entered first, so that it gets its name last: never a document without its account.
        out = files.enter_context(_sink(target.path, target.kind.compression, standard_out))
        side = {
            suffix: files.enter_context(_sink(path, kind_of(path, "jsonl").compression, standard_out))
            for suffix, path in sides.items()
            if suffix != ".bad" or job.quarantine
        }
        sinks = Sinks(out, side.get(".losses"), side.get(".flat"), side.get(".bad"), is_live=target.path == STANDARD)
        out.write(framing.head)
        for source in target.sources:
            report = _streamed(own, source, sinks, request, standard_in, is_first=not outcome.documents)
            outcome.add(report, Piece(source=source), target.path, Count(outcome.documents))
            request.progress(source.size or 0, outcome.documents)
        out.write(framing.end if outcome.documents else framing.end.lstrip())
    if ".bad" in side and not outcome.bad:
        place_of(sides[".bad"]).remove(sides[".bad"])
    outcome.bad_files = [sides[".bad"]] if ".bad" in side and outcome.bad else []
    return outcome


@contextmanager
def _sink(path: str, compression: str, standard: Standard) -> Generator[BinaryIO]:
    """Give a file to write, or stdout."""
    with ExitStack() as files:
        if path == STANDARD:
            files.enter_context(asking("stdout"))
        file = standard() if path == STANDARD else files.enter_context(whole_file(path))
        yield files.enter_context(compressed(file, compression))


@contextmanager
def _naming(place: str) -> Generator[None]:
    try:
        yield
    except DecodeError as error:
        raise named(error, place) from None


def _streamed(
    job: Job, source: Source, sinks: Sinks, request: Request, standard_in: Standard, *, is_first: bool
) -> Report:
    """Convert one source as it comes."""
    with ExitStack() as files, _naming("stdin" if source.path == STANDARD else source.path):
        raw = standard_in() if source.path == STANDARD else files.enter_context(place_of(source.path).open(source.path))
        read = files.enter_context(decompressed(raw, source.kind.compression, source.path))
        found = documents_of(Piece(source=source), read, job.limits)
        if not source.codec:
            seen: list[Found] = []
            source = attrs.evolve(source, codec=detected(_noting(found, seen), empty=job.codec, is_live=True))
            if seen:
                request.detected(source.codec)
            found = chain(seen, found)
        elif source.path == STANDARD:
            found = _doubting(found, source.codec, request)
        return convert_documents(job, source, found, sinks, is_first=is_first)
