"""The core: convert a document, and a range of a file, into part files and counts. It depends on its arguments only.

A document is read, fitted, written with its loss report and, if asked, proved: the written document and its loss report
rebuild the source. Restore one: find its loss report, rebuild the original, and write that. What can't be converted is
quarantined: its bytes, its place, and why.
"""

from __future__ import annotations

from base64 import b64encode
from contextlib import ExitStack
from itertools import zip_longest
from time import monotonic
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias, cast

import attrs

from agentmsg.api.joining import EACH, JOINED, Joined
from agentmsg.api.reading import decode, loads
from agentmsg.api.writing import writing_codec
from agentmsg.errors import AgentMsgError, DecodeError, EncodeError, FileError, LossError, excerpt
from agentmsg.files.accounts import Account, Index, account_of
from agentmsg.files.file_names import WHOLE, told_name
from agentmsg.files.groups import LossGroups
from agentmsg.files.job import Piece, Report, source_digest
from agentmsg.files.packing import checked_row, compressed, framing_of
from agentmsg.files.plan import detected, form_fault, format_of, reader_of
from agentmsg.files.reading import Reading
from agentmsg.files.storage import asking, place_of
from agentmsg.fitting.account import account
from agentmsg.fitting.account_file import to_lines
from agentmsg.fitting.allowing import allowed, refusal
from agentmsg.fitting.carry import carried, carried_text, restore, uncarried
from agentmsg.fitting.digest import canonical, digest_of
from agentmsg.fitting.edited import over, with_asked
from agentmsg.fitting.fit import fit
from agentmsg.fitting.losses import Loss, Losses
from agentmsg.fitting.repairing import errors, repaired
from agentmsg.formats.plain_messages import SAID, how_bare
from agentmsg.formats.spelling import same_document
from agentmsg.limits import room_of
from agentmsg.model.blocks import NativeBlock, ToolUseBlock
from agentmsg.model.construction import paused
from agentmsg.model.equality import same
from agentmsg.model.history import History
from agentmsg.model.settings import Settings
from agentmsg.model.tool_arguments import are_broken, is_broken
from agentmsg.redacting.rule import REDACTED
from agentmsg.registry import codec_of_family, get_codec
from agentmsg.values.frozen import thaw
from agentmsg.values.text import dump_json, parse_json
from agentmsg.values.types import is_mapping

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterable, Iterator

    from agentmsg.files.accounts import Accounts, Entry
    from agentmsg.files.documents import Found
    from agentmsg.files.job import Job, Source
    from agentmsg.formats.codec import Codec


@attrs.frozen
class Converted:
    """A converted document.

    Attributes:
        data: its bytes, without line end.
        messages: number of its messages.
        read: number of messages in the source.
        losses: their loss report.
        report: the losses to write: these or, if something was hidden, also those that bring it back.
        redacted: number of messages that hide something.
        output: the history that the document reads back as, without its carried losses; None if it isn't needed.
        beside: what is lost of a rejected answer, which no report brings back.
        refused: as the levels of a report count it: "broken" for arguments and, if it was checked, "refused" or, of a
            repaired one, "unmended"; "unset" if nothing but settings is missing, and "unset model" ...
    """

    data: bytes
    messages: int
    read: int
    losses: Losses
    report: Losses
    redacted: int
    output: History | None
    refused: frozenset[str]
    beside: tuple[Loss, ...] = ()


class Converter:
    """Converts the bytes of documents, one by one.

    Args:
        job: what to do.
        source: the format to read.
    """

    def __init__(self, job: Job, source: Codec) -> None:
        self._job = job
        self._source = source
        self._target = writing_codec(cast("Any", job.codec or source), dict(job.options), repair=job.repair)
        self._allow = self._target.decided | allowed(job.allow)
        self._reads_back = job.losses or job.verify or job.losses_key is not None

    def __call__(self, data: bytes, beside: Found | None = None) -> Converted:
        """Convert a document, with the one that has the rejected answer, if both are a pair.

        Raises:
            AgentMsgError: if it can't be read or written, would lose content although that isn't allowed, or fails the
                proof.
        """
        job = self._job
        original = history = loads(data, self._source, limits=job.limits, duplicates="error", unknown=job.unknown)
        read = len(history)
        untold: list[Loss] = []
        if beside is not None:
            original = history = self._paired(history, beside, untold)
        is_told = bool(job.leaves_out) or (job.on_loss != "ignore" and job.change is None)
        broken = _broken_in(history) if is_told else None
        if broken is not None and "arguments" in job.leaves_out:
            msg = "the arguments of a call are broken: they are no object"
            raise DecodeError(msg, code="arguments", path=broken)
        if job.change is not None:
            history = job.change(history)
        asked = with_asked(history, self._target, **dict(job.asks))
        target = self._target.suited(asked)
        fitted = alone = fit(asked, target)
        if job.repair:
            fitted = repaired(fitted, target)
        fitted = over(fitted, history, is_secret=False)
        written, losses = fitted.history, account(fitted)
        if job.carry:
            written, losses = carried(fitted, target, self._source.name)
        if job.on_loss == "error" and not losses.carried:
            lost = account(over(alone, history, is_secret=False)) if job.repair else losses
            error = refusal(lost, history, self._allow, "--allow {words} allows it", "content would be lost")
            if error is not None:
                raise error
        report, redacted = losses, 0
        if job.hides is not None:
            redacted = sum(one is not other for one, other in zip(original, history, strict=True))
            report = account(over(fitted, original, is_secret=True)) if job.losses else losses
        document = rendered(target, written, pretty=job.pretty)
        output = loads(document, target, limits=job.limits) if self._reads_back else None
        if job.verify:
            self._prove(data, history, losses, output)
        output = None if output is None else uncarried(output, losses)
        refused = self._refused(target, asked, alone.history, written) if job.checks else frozenset[str]()
        refused |= frozenset() if broken is None else {"broken"}
        return Converted(document, len(history), read, losses, report, redacted, output, refused, tuple(untold))

    def _paired(self, chosen: History, beside: Found, lost: list[Loss]) -> History:
        """Return a history with the answer of the document that stands beside it as the rejected one."""
        job = self._job
        try:
            _, reader = reader_of(beside, cast("Source", job.rejected))
            rejected = loads(beside.content(), reader, limits=job.limits, duplicates="error", unknown=job.unknown)
        except AgentMsgError as error:
            raise error.at("rejected") from error.__cause__
        codec = get_codec(cast("Any", self._target.pairs))
        own: list[Loss] = []
        history = codec.pair(chosen, rejected, own)
        losses = Losses(own, codec=codec.name)
        fault = refusal(losses, rejected, self._allow, "--allow {words} allows it", "content would be lost")
        if job.on_loss == "error" and fault is not None:
            raise fault
        lost += [attrs.evolve(loss, path=("rejected", *loss.path)) for loss in own]
        return history

    def _refused(self, target: Codec, asked: History, fitted: History, written: History) -> frozenset[str]:
        """Return what the provider would refuse, as a report counts it: what ``check`` finds, or what a repair left."""
        if self._job.repair:
            if written.settings is None and asked.settings is not None:
                # A request stays one, even if none of its settings are left.
                written = written.evolve(settings=Settings())
            asked = fitted = written
        found = errors(asked, fitted, target)
        lacking = {f"unset {each.path[-1]}" for each in found if each.code == "required-setting"}
        is_unset = bool(lacking) and all(each.code == "required-setting" for each in found)
        word = "unmended" if self._job.repair else "refused"
        return frozenset({*lacking, *["unset"] * is_unset, *[word] * bool(found)})

    def _prove(self, data: bytes, history: History, losses: Losses, output: Any) -> None:
        """Raise unless the written document and its loss report rebuild the source, including its spelling."""
        restored = restore(output, losses)
        again = self._source.write(fit(restored, self._source).history)
        read = self._source.parse(data, room_of(self._job.limits), "last")
        if not same(restored, history) or not same_document(again, read):
            msg = "the output and its loss report don't restore the input"
            raise LossError(msg, code="verify", codec=self._target.name)


def _broken_in(history: History) -> tuple[str | int, ...] | None:
    """Return the path of the first call whose arguments are broken, in raw messages too; None if there is none."""
    for index, message in enumerate(history.messages):
        if how_bare(message) == SAID:
            continue
        for place, block in enumerate(message.content):
            if isinstance(block, ToolUseBlock) and is_broken(block):
                return "messages", index, "content", place
            if isinstance(block, NativeBlock) and _has_broken(block.codec, block.value):
                return "messages", index, "content", place
    for family, own in history.extras.items():
        for path in _has_broken(family, own):
            return "extras", family, *path
    return None


def _has_broken(family: str, own: Any) -> list[tuple[str | int, ...]]:
    """Return the paths of calls whose arguments are broken in what is raw."""
    codec = codec_of_family(family)
    return [] if codec is None else [path for path, given in codec.raw_arguments(own) if are_broken(given)]


def rendered(codec: Codec, history: History, *, pretty: bool) -> bytes:
    """Write a fitted history as bytes; if asked, as indented JSON for people, with integers of any size.

    Raises:
        AgentMsgError: if it can't be written.
    """
    try:
        if not pretty:
            return codec.to_bytes(history)
        import json  # noqa: PLC0415 - only where somebody asks for it

        return json.dumps(thaw(codec.write(history)), ensure_ascii=False, indent=2).encode()
    except AgentMsgError as error:
        raise error.at(codec=codec.name) from error.__cause__


class Restorer:
    """Restores the documents of a piece, one by one.

    Args:
        job: what to do.
        accounts: where the loss reports are.
        source: where the documents are.
        files: closes what is opened to read reports.
    """

    def __init__(self, job: Job, accounts: Accounts, source: Source, files: ExitStack) -> None:
        self._job = job
        self._accounts = accounts
        self._source = source
        self._index = Index(accounts, files) if accounts.files else None
        self._count = 0
        # Whether all documents so far stood where their reports do.
        self._is_in_order = True

    def __call__(self, item: Found) -> tuple[str, Converted]:
        """Return a document's original, with the format it has.

        Raises:
            LossError: code "edited" if it has no loss report here, or was edited since.
            AgentMsgError: if it can't be read or written.
        """
        self._count += 1
        if self._accounts.key is not None:
            history, own = self._keyed(item, self._accounts.key)
        elif self._index is not None:
            history, own = self._indexed(item, self._index)
        else:
            history, own = self._read(item, self._source.codec), None
        if own is None:
            text = carried_text(history)
            source = None if text is None else account_of(text.encode().splitlines()).source
        else:
            source = own.source
        original = restore(history, None if own is None else own.losses, edits=self._accounts.edits)
        return self._written(original, source)

    def _read(self, item: Found, codec: str) -> History:
        name = codec if codec and codec != REDACTED else detected((item,))
        return loads(item.content(), get_codec(name), limits=self._job.limits, duplicates="error")

    # -- reports in the documents

    def _keyed(self, item: Found, key: str) -> tuple[History, Account]:
        document = parse_json(item.content(), self._job.limits, "error")
        text = document.pop(key, None) if is_mapping(document) else None
        if not isinstance(text, str):
            msg = f"the document has no loss report under {key!r}"
            raise LossError(msg, code="edited")
        own = account_of(text.encode().splitlines())
        codec: Any = get_codec(self._source.codec or own.losses.codec)
        return decode(document, codec, limits=self._job.limits), own

    # -- reports in files

    def _indexed(self, item: Found, index: Index) -> tuple[History, Account]:
        """Return the history of a document and its loss report, found by digest, else by its place."""
        given = self._source.codec
        fault: AgentMsgError | None = None
        for codec in (given,) if given else index.codecs or ("",):
            try:
                history = self._read(item, codec)
                entry = self._with_digest(history, index)
            except AgentMsgError as error:
                fault = fault or error
                continue
            if entry is not None:
                own = index.read(entry)
                own.losses.guard = None  # it was just checked
                return history, self._known(own, codec, item)
        return self._at_its_place(item, index, fault)

    def _with_digest(self, history: History, index: Index) -> Entry | None:
        """Return the report with the digest of a history; if several say different things, the one at its place."""
        if carried_text(history) is not None:
            history = uncarried(history, Losses((), codec="", carried=1))
        digest = digest_of(canonical(history))
        if (entry := index.with_digest(digest)) is None:
            return None
        number = self._number(index)
        own = None if number is None else index.numbered(digest, *number)
        self._is_in_order = self._is_in_order and own is not None
        if own is None and not entry.is_same:
            msg = "several loss reports fit this document, and it doesn't stand where one of them does"
            raise LossError(msg, code="edited")
        return own or entry

    def _at_its_place(self, item: Found, index: Index, fault: AgentMsgError | None) -> tuple[History, Account]:
        """Return the report that stands where a document does, if that still says something: ``restore`` checks it."""
        number = self._number(index) if self._is_in_order else None
        entry = None if number is None else index.numbers.get(number)
        if entry is None:
            msg = "the document has no loss report here, or was edited since"
            raise fault or LossError(msg, code="edited")
        own = index.read(entry)
        codec = self._source.codec or own.losses.codec
        return self._read(item, codec), self._known(own, codec, item)

    def _known(self, own: Account, codec: str, item: Found) -> Account:
        """Return a report with the format of the original: a redacted document keeps its own."""
        if own.losses.codec == REDACTED and own.source is None:
            return attrs.evolve(own, source=codec if codec != REDACTED else detected((item,)))
        return own

    def _number(self, index: Index) -> tuple[int, int] | None:
        """Return the file and number of the report beside which a document stands, if none came or went since."""
        file = index.file_of(self._source.path)
        is_whole = file is not None and self._accounts.total in (None, index.counts[file])
        return (file, self._accounts.before + self._count) if file is not None and is_whole else None

    # -- originals

    def _written(self, history: History, source: str | None) -> tuple[str, Converted]:
        name = self._job.codec or source
        if name is None:
            msg = "the original format is unknown; name it with --to"
            raise DecodeError(msg)
        target = Joined() if name == JOINED else get_codec(name, **dict(self._job.options))
        words = form_fault(target.name, self._job.kind.form, binary=target.binary)
        # One document goes through a pipe as it is.
        if words is not None and not (self._accounts.is_piped and self._job.kind.form == "json"):
            msg = f"{words} (--to chooses another format)"
            raise FileError(msg, code="form")
        fitted = fit(history, target)
        losses = Losses((), codec=name) if fitted.history is fitted.source else account(fitted)
        data = rendered(target, fitted.history, pretty=self._job.pretty)
        return name, Converted(data, len(history), len(history), losses, losses, 0, None, frozenset())


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
                _count(report.levels, done)
                groups.add([*done.losses, *done.beside], report.documents)
            if sinks.losses is not None:
                _write_account(sinks.losses, report.documents, codec, done, source, item)
            if sinks.flat is not None:
                _write_flat(sinks.flat, report.documents, [*done.losses, *done.beside], source, item)
    report.lines, report.missing, report.blank = max(report.lines, reading.lines), reading.missing, reading.blank
    report.groups = groups.all()
    return report


def _count(levels: Counter[str], done: Converted) -> None:
    for loss in (*done.losses, *done.beside):
        levels[loss.tally] += 1
    for word in done.refused:
        levels[word] += 1
    for word, count in (("carried", done.losses.carried), ("redacted", done.redacted)):
        if count:
            levels[word] += count


def _pairs(chosen: Reading, rejected: Source, job: Job) -> Iterator[Found]:
    """Yield documents, each with the one that stands beside it; those that are alone are faults."""
    with Reading(Piece(source=rejected), job.limits) as reading:
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
        reading = files.enter_context(Reading(piece, job.limits))
        parts: dict[str, BinaryIO] = {}
        for suffix in (".out", ".bad", *[".losses"] * job.losses, *[".flat"] * job.flat):
            is_private = job.hides is not None and suffix != ".out"
            parts[suffix] = files.enter_context(place.create(base + suffix, is_private=is_private))
        with compressed(parts[".out"], job.kind.compression) as out:
            sinks = Sinks(out, parts.get(".losses"), parts.get(".flat"), parts[".bad"])
            report = convert_documents(job, piece.source, reading, sinks, advance=advance)
        report.sizes = {suffix: part.tell() for suffix, part in parts.items()}
    report.digest = source_digest(piece)
    return report
