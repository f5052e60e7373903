"""The core: a range of a file in, part files and counts out. ``convert_range`` depends on its arguments only.

What can't be converted is quarantined: its bytes, its place, and why.
"""

from __future__ import annotations

from base64 import b64encode
from contextlib import ExitStack
from itertools import zip_longest
from time import monotonic
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias, cast

import attrs

from agentmsg.api.joining import EACH
from agentmsg.errors import AgentMsgError, DecodeError, EncodeError, excerpt
from agentmsg.files.columns import checked_row
from agentmsg.files.converting import Converter, Restorer
from agentmsg.files.file_names import WHOLE, told_name
from agentmsg.files.groups import LossGroups
from agentmsg.files.job import Piece, Report, digest_of
from agentmsg.files.packing import compressed, framing_of
from agentmsg.files.plan import format_of, reader_of
from agentmsg.files.reading import reading_of
from agentmsg.files.storage import asking, place_of
from agentmsg.fitting.account_file import to_lines
from agentmsg.model.construction import paused
from agentmsg.values.text import dump_json, parse_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from agentmsg.files.converting import Converted
    from agentmsg.files.documents import Found
    from agentmsg.files.job import Job, Source
    from agentmsg.files.reading import Reading
    from agentmsg.fitting.losses import Loss

# Called while a range is read, with the numbers of bytes read and documents written.
Advance: TypeAlias = "Callable[[int, int], None]"
# Seconds between two such calls.
_EVERY = 0.1


@attrs.frozen
class Sinks:
    """Where the bytes go: each an open file, or None if not asked for.

    Attributes:
        out: documents.
        losses: their loss reports.
        flat: their losses one by one.
        bad: what can't be converted.
        is_live: whether somebody waits for each document.
    """

    out: BinaryIO
    losses: BinaryIO | None
    flat: BinaryIO | None
    bad: BinaryIO | None
    is_live: bool = False


def _converting(job: Job, source: Source) -> Callable[[Found], tuple[str, Converted]]:
    """Return what converts documents: all from one format or, if the source has none for all, each from its own."""
    converters: dict[str, Converter] = {}

    def convert(item: Found) -> tuple[str, Converted]:
        """Return a document's format, and the converted document; raise an AgentMsgError if it can't be converted."""
        data = item.content()
        codec, reader = reader_of(item, source)
        if codec not in converters:
            converters[codec] = Converter(job, reader)
        return codec, converters[codec](data, item.beside)

    return convert


def convert_documents(
    job: Job, source: Source, reading: Reading, sinks: Sinks, *, is_first: bool = True, advance: Advance | None = None
) -> Report:
    """Convert documents as they come, and write them; what can't be converted goes to ``sinks.bad``.

    Args:
        job: what to do.
        source: where they come from.
        reading: the documents.
        sinks: where they go.
        is_first: whether they are the first in the output.
        advance: called now and then.
    """
    report, groups = Report(), LossGroups()
    due = monotonic() + _EVERY
    framing = framing_of(job.kind, pretty=job.pretty)
    between = b"" if is_first else framing.between
    with ExitStack() as files:
        convert = _converting(job, source) if job.restores is None else Restorer(job, job.restores, source, files)
        for item in reading if job.rejected is None else _pairs(reading, job.rejected, job):
            report.lines = item.number
            if advance is not None and monotonic() > due:
                advance(reading.position, report.documents)
                due = monotonic() + _EVERY
            try:
                codec, done = convert(item)
                data = done.data if job.losses_key is None else _with_losses(done, codec, job.losses_key)
                data = checked_row(data) if job.kind.column == WHOLE else data
            except AgentMsgError as error:
                if not job.quarantine:
                    raise _placed(error, item) from None
                _quarantine(job, report, source, item, error, sinks.bad)
                continue
            sinks.out.write(b"".join((between, framing.lead, data, framing.tail)))
            between = framing.between
            if sinks.is_live:
                sinks.out.flush()
            report.documents += 1
            report.messages += done.messages
            report.read += done.read
            if not source.codec or item.is_joined:
                report.formats[codec] += 1
            if job.on_loss != "ignore":
                _count(report, done)
                groups.add([*done.losses, *done.beside], report.documents)
            if sinks.losses is not None:
                _write_account(sinks.losses, report.documents, codec, done, source, item)
            if sinks.flat is not None:
                _write_flat(sinks.flat, report.documents, [*done.losses, *done.beside], source, item)
    report.lines, report.missing, report.blank = max(report.lines, reading.lines), reading.missing, reading.blank
    report.groups = groups.all()
    return report


def _count(report: Report, done: Converted) -> None:
    told = {"carried": done.losses.carried, "redacted": done.redacted}
    report.levels.update({word: count for word, count in told.items() if count})
    report.levels.update(loss.tally for loss in (*done.losses, *done.beside))
    report.levels.update(done.refused)


def _pairs(chosen: Reading, rejected: Source, job: Job) -> Iterator[Found]:
    """Yield documents, each with the one that stands beside it; those that are alone are faults."""
    with reading_of(Piece(source=rejected), job.limits) as reading:
        for item, beside in zip_longest(chosen, reading):
            if item is None or beside is None:
                of = f" of {rejected.path}" if item is None else ""
                fault = DecodeError(f"a document{of} that has no other beside it, for a pair", code="pair")
                yield attrs.evolve(cast("Found", item or beside), fault=fault)
            else:
                yield attrs.evolve(item, beside=beside)


def _placed(error: AgentMsgError, item: Found) -> AgentMsgError:
    """Return an error that names its place in a record."""
    if item.at is not None:
        error.message = f"{error.message} (at {excerpt(item.at)[1:-1]})"
    return error


def _numbers(number: int, source: Source, item: Found) -> dict[str, int]:
    """Return a document's number and, if there are several files, its line in its own; see ``run``."""
    return {"line": number, "file_line": item.number} if source.is_one_of_many else {"line": number}


def _stood(source: Source, item: Found) -> dict[str, Any]:
    """Return the file of a document that was one of many, and its place in a record."""
    at = {} if item.at is None else {"offset": item.offset, "at": item.at}
    return {"file": told_name(source.path), **at} if at or source.is_one_of_many else {}


def _with_losses(done: Converted, codec: str, key: str) -> bytes:
    """Return a document with its loss report under a key, as a text.

    Raises:
        EncodeError: code "form" if it is no object, or has such a key.
    """
    name, (head, brace, _) = dump_json(key), done.data.rpartition(b"}")
    if not done.data.startswith(b"{") or (name in head and key in parse_json(done.data)):
        words = "there is such a key already" if brace and done.data.startswith(b"{") else "the document is no object"
        raise EncodeError(f"no place for the loss report under {key!r}: {words}", code="form")
    text = b"\n".join(to_lines(done.report, done.output, {"from": codec})).decode()
    comma = b"" if head.strip() == b"{" else b","
    return head.rstrip() + comma + name + b":" + dump_json(text) + b"}"


def _write_account(  # noqa: PLR0917 - all that is known of it
    sink: BinaryIO, number: int, codec: str, done: Converted, source: Source, item: Found
) -> None:
    told = {**_numbers(number, source, item), "from": codec, **_stood(source, item)}
    sink.writelines(line + b"\n" for line in to_lines(done.report, done.output, told))


def _write_flat(sink: BinaryIO, number: int, losses: Iterable[Loss], source: Source, item: Found) -> None:
    for loss in losses:
        row = {
            **_numbers(number, source, item),
            "path": "/" + loss.where,
            "kind": loss.kind,
            "level": loss.level,
            "codec": loss.codec,
            "why": loss.why,
            **_stood(source, item),
        }
        sink.write(dump_json(row) + b"\n")


def _hint(source: Source, item: Found) -> str:
    """Return a hint for a document whose format differs from its source's."""
    if not source.codec or item.data is None or item.is_joined:
        return ""
    try:
        codec = format_of((item,))
    except AgentMsgError:
        return ""
    is_other = codec not in (None, source.codec)
    return f"; it looks like {codec}: --from {EACH} detects the format of each document" if is_other else ""


def _quarantine(  # noqa: PLR0917 - all that is known of it
    job: Job, report: Report, source: Source, item: Found, error: AgentMsgError, sink: BinaryIO | None
) -> None:
    index = report.documents + report.bad
    report.codes[error.code] += 1
    reason = str(error) if job.hides is None else job.hides.words(str(error))
    if report.first_bad is None:
        where = "" if item.at is None else f" at {excerpt(item.at)[1:-1]}"
        report.first_bad = (item.number, f"{where}: [{error.code}] {reason}{_hint(source, item)}")
    if sink is None:
        return
    row: dict[str, Any] = {
        "line": item.number,
        "index": index,
        "offset": item.offset,
        "length": item.length,
        "file": told_name(source.path),
        **({} if item.at is None else {"at": item.at}),
        "code": error.code,
        "reason": reason,
    }
    # If secrets can't be found in a document, it isn't copied; its place says where it is.
    if item.data is not None and job.hides is None:
        try:
            row["text"] = item.data.decode()
        except UnicodeDecodeError:
            row["base64"] = b64encode(item.data).decode()
    sink.write(dump_json(row) + b"\n")


def convert_range(job: Job, piece: Piece, base: str, *, advance: Advance | None = None) -> Report:
    """Convert a range of a file into part files: ``base`` + ".out", ".losses", ".flat", ".bad".

    The same arguments give the same bytes, in any process and on any machine with access to the files. The numbers in
    the parts count from 1 in this piece; see ``run``.

    Args:
        job: what to do.
        piece: what to read.
        base: the path of the parts, without their suffixes.
        advance: called now and then.

    Raises:
        FileError: if files can't be read or written, or compressed data is damaged.
    """
    place = place_of(base)
    with asking(base), ExitStack() as files, paused():
        reading = files.enter_context(reading_of(piece, job.limits))
        parts = {
            suffix: files.enter_context(
                place.create(base + suffix, is_private=job.hides is not None and suffix != ".out")
            )
            for suffix in (".out", ".bad", *[".losses"] * job.losses, *[".flat"] * job.flat)
        }
        with compressed(parts[".out"], job.kind.compression) as out:
            sinks = Sinks(out, parts.get(".losses"), parts.get(".flat"), parts[".bad"])
            report = convert_documents(job, piece.source, reading, sinks, advance=advance)
        report.sizes = {suffix: part.tell() for suffix, part in parts.items()}
    report.digest = digest_of(piece)
    return report
