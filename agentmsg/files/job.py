"""The heart: a range of a file in, part files and counts out. ``convert_range`` depends on its arguments only.

What cannot be converted is quarantined: its bytes, its place, and why.
"""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from contextlib import ExitStack
from hashlib import sha256
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

import attrs

from agentmsg._fast import paused
from agentmsg.account_lines import to_lines
from agentmsg.errors import AgentMsgError
from agentmsg.files.compression import compressed, decompressed
from agentmsg.files.converting import Converter
from agentmsg.files.documents import Found, documents
from agentmsg.files.framing import framing_of
from agentmsg.files.names import Kind
from agentmsg.files.places import asking, place_of
from agentmsg.json_text import dump_json
from agentmsg.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmsg.files.converting import Converted
    from agentmsg.losses import Losses

__all__ = [
    "TOLD",
    "Job",
    "Piece",
    "Report",
    "Sinks",
    "Source",
    "convert_documents",
    "convert_range",
    "digest_of",
    "documents_of",
]

OnLoss = Literal["error", "ignore", "report"]
# So many content losses are told in words.
TOLD = 5
# So much of a source is read at once for its digest.
_CHUNK = 1 << 20


@attrs.frozen(kw_only=True)
class Source:
    """A file to read.

    Attributes:
        path: a path, a URL, or "-".
        kind: how documents stand in it.
        codec: their format.
        size: in bytes; None for stdin.
    """

    path: str
    kind: Kind
    codec: str
    size: int | None = None


@attrs.frozen(kw_only=True)
class Job:
    """What to do with each document.

    Attributes:
        codec: the format to write.
        options: of that codec, as name and value.
        kind: how documents stand in what is written.
        on_loss: "error" quarantines documents that would lose content, "report" counts losses, "ignore" does not look.
        losses: whether accounts are written.
        flat: whether losses are written one by one, for tables.
        carry: whether documents carry their content losses themselves, where the format has a place for them.
        verify: whether each document that was written is read again and must give back its source.
        pretty: whether JSON is indented.
        quarantine: whether a document that cannot be converted is put aside; else its error is raised.
        limits: bounds on what is read.
    """

    codec: str
    kind: Kind
    options: tuple[tuple[str, Any], ...] = ()
    on_loss: OnLoss = "report"
    losses: bool = False
    flat: bool = False
    carry: bool = False
    verify: bool = False
    pretty: bool = False
    quarantine: bool = True
    limits: Limits = DEFAULT_LIMITS


@attrs.frozen(kw_only=True)
class Piece:
    """A range of a source; the lines that begin in it, or the frames.

    Attributes:
        source: the file.
        start: its first byte.
        end: the byte after its last; None means the end of the file.
    """

    source: Source
    start: int = 0
    end: int | None = None


@attrs.define(kw_only=True)
class Report:
    """What became of a piece; numbers count from 1 in it.

    Attributes:
        documents: how many were written.
        messages: how many were in them.
        bad: how many were quarantined.
        lines: the number of the last line or frame that was read.
        levels: losses by level; "carried": those that documents carry themselves.
        told: the first content losses, with the number of their document.
        first_bad: what was wrong first, with its line.
        sizes: bytes written, by part.
        digest: of the source's bytes.
    """

    documents: int = 0
    messages: int = 0
    bad: int = 0
    lines: int = 0
    levels: dict[str, int] = attrs.field(factory=dict[str, int])
    told: list[tuple[int, str]] = attrs.field(factory=list[tuple[int, str]])
    first_bad: tuple[int, str] | None = None
    sizes: dict[str, int] = attrs.field(factory=dict[str, int])
    digest: str = ""


@attrs.frozen
class Sinks:
    """Where the bytes go: each a file that is open, or None where nobody asked for it.

    Attributes:
        out: documents.
        losses: their accounts.
        flat: their losses one by one.
        bad: what cannot be converted.
        is_live: whether somebody waits for each document.
    """

    out: BinaryIO
    losses: BinaryIO | None
    flat: BinaryIO | None
    bad: BinaryIO | None
    is_live: bool = False


def convert_documents(
    job: Job, source: Source, found: Iterator[Found], sinks: Sinks, *, is_first: bool = True
) -> Report:
    """Convert documents as they come, and write them; what cannot be converted goes to ``sinks.bad``.

    Args:
        job: what to do.
        source: where they come from.
        found: the documents.
        sinks: where they go.
        is_first: whether nothing is before them in what is written.
    """
    report = Report()
    convert = Converter(job, source.codec)
    counts: Counter[str] = Counter()
    framing = framing_of(job.kind, pretty=job.pretty)
    between = b"" if is_first else framing.between
    for item in found:
        report.lines = item.number
        try:
            if item.fault is not None or item.data is None:
                raise item.fault or AssertionError
            done = convert(item.data)
        except AgentMsgError as error:
            if not job.quarantine:
                raise
            _quarantine(report, source, item, error, sinks.bad)
            continue
        sinks.out.write(between + framing.lead + done.data + framing.tail)
        if sinks.is_live:
            sinks.out.flush()
        between = framing.between
        report.documents += 1
        report.messages += done.messages
        if job.on_loss != "ignore":
            _count(report, counts, done.losses)
        if sinks.losses is not None:
            _write_account(sinks.losses, source, report.documents, done)
        if sinks.flat is not None:
            _write_flat(sinks.flat, report.documents, done.losses)
    report.levels = dict(counts)
    return report


def _count(report: Report, counts: Counter[str], losses: Losses) -> None:
    if losses.carried:
        counts["carried"] += losses.carried
    for loss in losses:
        counts[loss.level] += 1
        if loss.level == "content" and len(report.told) < TOLD:
            report.told.append((report.documents, str(loss)))


def _write_account(sink: BinaryIO, source: Source, number: int, done: Converted) -> None:
    lines = to_lines(done.losses, done.output)
    # The header of an account, led by the number of its document and the format that this was read from.
    sink.write(b'{"line":%d,"from":"%b",' % (number, source.codec.encode()) + next(lines)[1:] + b"\n")
    sink.writelines(line + b"\n" for line in lines)


def _write_flat(sink: BinaryIO, number: int, losses: Losses) -> None:
    for loss in losses:
        row = {
            "line": number,
            "path": "/" + "/".join(map(str, loss.path)),
            "kind": loss.kind,
            "level": loss.level,
            "codec": loss.codec,
            "why": loss.why,
        }
        sink.write(dump_json(row) + b"\n")


def _quarantine(report: Report, source: Source, item: Found, error: AgentMsgError, sink: BinaryIO | None) -> None:
    report.bad += 1
    reason = str(error)
    if report.first_bad is None:
        report.first_bad = (item.number, f"[{error.code}] {reason}")
    if sink is None:
        return
    row: dict[str, Any] = {
        "line": item.number,
        "offset": item.offset,
        "length": item.length,
        "file": source.path,
        "code": error.code,
        "reason": reason,
    }
    if item.data is not None:
        try:
            row["text"] = item.data.decode()
        except UnicodeDecodeError:
            row["base64"] = b64encode(item.data).decode()
    sink.write(dump_json(row) + b"\n")


def documents_of(piece: Piece, stream: BinaryIO, limits: Limits) -> Iterator[Found]:
    """Yield the documents of a piece of a source that is open."""
    return documents(stream, piece.source.kind.form, limits, piece.start, piece.end)


def convert_range(job: Job, piece: Piece, base: str) -> Report:
    """Convert a range of a file into part files: ``base`` + ".out", ".losses", ".flat", ".bad".

    The same arguments give the same bytes, in any process and on any machine that reaches the files. The numbers in
    the parts count from 1 in this piece; see ``joining``.

    Args:
        job: what to do.
        piece: what to read.
        base: the path of the parts, without their suffixes.

    Raises:
        FileError: where files cannot be read or written, or compressed data is damaged.
    """
    place = place_of(base)
    with asking(base), ExitStack() as files, paused():
        source = files.enter_context(place_of(piece.source.path).open(piece.source.path))
        stream = files.enter_context(decompressed(source, piece.source.kind.compression, piece.source.path))
        parts = {suffix: files.enter_context(place.create(base + suffix)) for suffix in _parts(job)}
        with compressed(parts[".out"], job.kind.compression) as out:
            sinks = Sinks(out, parts.get(".losses"), parts.get(".flat"), parts[".bad"])
            report = convert_documents(job, piece.source, documents_of(piece, stream, job.limits), sinks)
        report.sizes = {suffix: part.tell() for suffix, part in parts.items()}
    report.digest = digest_of(piece)
    return report


def _parts(job: Job) -> Iterator[str]:
    yield from (".out", ".bad")
    if job.losses:
        yield ".losses"
    if job.flat:
        yield ".flat"


def digest_of(piece: Piece) -> str:
    """Return a digest of the bytes of a range as they are on disk."""
    state = sha256()  # processors have instructions for it
    left = -1 if piece.end is None else piece.end - piece.start
    with place_of(piece.source.path).open(piece.source.path) as stream:
        stream.seek(piece.start)
        while left and (chunk := stream.read(_CHUNK if left < 0 else min(_CHUNK, left))):
            state.update(chunk)
            left -= len(chunk) if left > 0 else 0
    return state.hexdigest()
