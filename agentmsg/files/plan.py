"""Plan the work: from the user's names to sources, targets and ranges, by file sizes and first documents.

Ranges depend on the source only, not on the number of jobs: so the same sources always give the same parts, and the
same bytes.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, cast

import attrs

from agentmsg.api.joining import EACH, JOINED
from agentmsg.api.reading import Unknown
from agentmsg.checking.detection import doubt, recognize_all
from agentmsg.checking.inside import with_places
from agentmsg.errors import AgentMsgError, DecodeError, FileError, NotUnderstood
from agentmsg.files.documents import beginnings
from agentmsg.files.file_names import (
    READ_ONLY,
    STANDARD,
    WHOLE,
    Form,
    Kind,
    check_column,
    kind_of,
    renamed,
    written_kind,
)
from agentmsg.files.finding import expand
from agentmsg.files.job import Piece, Source
from agentmsg.files.overwriting import check_below
from agentmsg.files.parquet import group_cuts, read_choice
from agentmsg.files.reading import Reading
from agentmsg.files.storage import named, place_of
from agentmsg.limits import DEFAULT_LIMITS, Limits
from agentmsg.registry import get_codec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from agentmsg.files.documents import Found
    from agentmsg.files.finding import Skipped
    from agentmsg.files.job import Job
    from agentmsg.formats.codec import Codec

# Large enough to make starting one negligible, small enough to lose little when a run is stopped.
PIECE = 16 << 20
# Documents to look at to detect a file's format, from all over its first bytes; if it isn't small and can be cut, from
# so many places in it.
LOOKED_AT, _ENOUGH = 16, 4 << 20
_SMALL, _PARTS = 1 << 20, 4
# Documents to look at stand at irregular distances: a file's rows may take turns.
_GOLDEN = 0.618
# Forms that can be cut into pieces.
_CUT: tuple[Form, ...] = ("array", "jsonl", "msgpack", "parquet")
# Forms of several documents that often hold one, with nothing in a name that tells.
_FRAMES: tuple[Form, ...] = ("msgpack", "sqlite")
# Files to look at to doubt the named format.
_DOUBTED = 100


@attrs.frozen
class Target:
    """A file to write, and its sources.

    Attributes:
        path: a path, a URL, or "-".
        kind: how it holds documents.
        sources: in order.
    """

    path: str
    kind: Kind
    sources: tuple[Source, ...]

    @property
    def is_one(self) -> bool:
        """Whether its source is one file with one document."""
        return len(self.sources) == 1 and self.sources[0].holds_one and self.kind.form != "array"

    @property
    def is_alone(self) -> bool:
        """Whether its only source is one document that the user named."""
        return self.is_one and not self.sources[0].is_one_of_many


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
        """Return a file to read, alone; "-" is stdin.

        Raises:
            FileError: if its name and the form don't fit.
            CodecLookupError: if there is no such codec.
        """
        codec = (self.is_named and self.source) or ""
        if codec:
            get_codec(codec)
        is_stream = name == STANDARD or place_of(name).is_stream(name)
        kind = kind_of(name, "json", self.column, form=self.form)
        if not is_stream and (whole := with_columns(kind, codec)) != kind:
            try:
                with place_of(name).open(name) as stream:
                    read_choice(stream, name, None)
            except OSError as error:  # a FileError is one; any other one is told when the file is read
                kind = whole if getattr(error, "code", "") == "column" else kind
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


def form_fault(codec: str, form: Form, *, binary: bool) -> str | None:
    """Return why a file of a form can't hold a codec's documents; None if it can."""
    if binary and form != "msgpack":
        return f"{codec} is binary: name the target .msgpack"
    if not binary and form == "msgpack":
        return f"{codec} is JSON: name the target .json or .jsonl"
    return None


def format_of(found: Iterable[Found]) -> str | None:
    """Return the format of a file's first documents; None if there are none.

    Raises:
        NotUnderstood: if it isn't recognised, see ``recognize``.
        AgentMsgError: if none of the documents can be read.
    """
    first = few(found)
    item = next(first, None)
    if item is None:
        return None
    held: list[bytes] = []
    try:
        return recognize_all(_kept(chain((item,), first), held))
    except NotUnderstood as error:
        raise with_places(error, held) from None


def few(found: Iterable[Found], parts: int = 1) -> Iterator[Found]:
    """Yield some of the first documents of a part of a file, from the first one to the last that isn't far away."""
    held: list[Found] = []
    size = 0
    try:
        for each in found:
            held.append(each)
            size += each.length
            if size > _ENOUGH // parts:
                break
    except AgentMsgError:
        if not held:  # else whoever reads on will meet it
            raise
    step = max(1.0, len(held) / (LOOKED_AT // parts))
    for index in range(min(len(held), LOOKED_AT // parts)):
        yield held[int(step * (index + index * _GOLDEN % 1))]


def _kept(found: Iterable[Found], held: list[bytes]) -> Iterator[bytes]:
    """Yield the data of documents, and keep them in a list; if all are faulty, raise the first fault."""
    fault: AgentMsgError | None = None
    for each in found:
        if each.fault is None and each.data is not None:
            held.append(each.data)
            yield each.data
        fault = fault or each.fault
    if fault is not None and not held:
        raise fault


def detected(found: Iterable[Found], *, empty: str | None = None) -> str:
    """Return the format of a file's first documents, as ``format_of``, for a command.

    Args:
        found: the documents.
        empty: the result if there are none.

    Raises:
        DecodeError: if it isn't recognised, or can't be parsed.
    """
    try:
        codec = format_of(found) or empty
        return recognize_all(()) if codec is None else codec
    except NotUnderstood as error:
        help_words = "choose with --from" if error.guesses else 'name it with --from ("agentmsg formats" lists all)'
        if error.inside:
            help_words = f"read them with --at '{error.inside[0][0]}'"
        if error.parts:
            help_words = f"read them with --join --at '{error.parts[0]}'"
        if error.is_mixed:
            help_words = f"--from {EACH} detects the format of each document"
        msg = f"{error.message}; {help_words}"
        raise DecodeError(msg, code=error.code) from None


def reader_of(found: Found, source: Source) -> tuple[str, Codec]:
    """Return the format of a document, with what reads it.

    Raises:
        DecodeError: as ``detected``.
    """
    if found.is_joined:
        return JOINED, source.reader
    codec = source.codec or detected((found,))
    return codec, get_codec(cast("Any", codec))


def doubt_of(found: Found, codec: str) -> str | None:
    """Return what the named format doesn't know of a document; None if it knows most of it."""
    return None if found.data is None or found.is_joined else doubt(found.data, codec)


def doubts_of(targets: Iterable[Target], job: Job) -> Iterator[tuple[str, str]]:
    """Yield what the given format doesn't know of each file's first document, with the file's name.

    Args:
        targets: with their sources, of which the first 100 are checked; stdin isn't.
        job: what will be done.
    """
    sources = (source for target in targets for source in target.sources if source.codec and not source.join)
    for source in islice((source for source in sources if not source.is_stream), _DOUBTED):
        # Converting the file will report any fault in it.
        with suppress(AgentMsgError), Reading(Piece(source=source), job.limits) as reading:
            found = next(iter(reading), None)
            if found is not None and (words := doubt_of(found, source.codec)):
                yield source.path, words


def sample(source: Source, limits: Limits) -> Iterator[Found]:
    """Yield some documents of a file, to detect its format: the first one and others, of lines from all over it.

    Raises:
        FileError: if it can't be read, even if it is one of many.
    """
    source = attrs.evolve(source, is_one_of_many=False)
    size = (_can_be_cut(source) and source.kind.form == "jsonl" and source.size) or 0
    starts = [size * part // _PARTS for part in range(_PARTS)] if size > _SMALL else [0]
    for start in starts:
        with Reading(Piece(source=source, start=start), limits) as reading:
            yield from few(reading, len(starts))


def with_format(source: Source, limits: Limits, *, empty: str | None = None, reading: Reading | None = None) -> Source:
    """Return a file with the format that reads it best, unless it has one, or each of its documents has its own.

    Args:
        source: the file. If it is one of many whose format isn't detected, each document is detected by itself.
        limits: bounds on what is read.
        empty: the result if there are no documents.
        reading: the documents of a stream that is read; without it, nothing is done with a stream.

    Raises:
        AgentMsgError: as ``detected``; or if it can't be read.
    """
    if source.codec or source.is_mixed or source.join or (source.is_stream and reading is None):
        return source
    found = sample(source, limits) if reading is None else reading.ahead()
    try:
        return attrs.evolve(source, codec=detected(found, empty="" if source.at else empty))
    except AgentMsgError as error:
        # One of many: each document is detected by itself, or quarantined with its fault.
        if source.is_one_of_many:
            return source
        raise (named(error, source.path) if reading is None else error) from None


def targets_of(
    names: Sequence[str],
    target: str,
    job: Job,
    given: Input,
    *,
    array: bool = False,
    skip: Callable[[Skipped], None] = lambda _: None,
) -> list[Target]:
    """Return the files to write, each with its sources.

    Args:
        names: of files, folders, patterns; "-" is stdin.
        target: a file, or a folder, where each source gets its own file; "-" is stdout.
        job: what will be done; its ``kind`` doesn't count.
        given: how to read the files.
        array: whether targets are JSON arrays of documents.
        skip: called with the reason for each file of a folder that is left out.

    Raises:
        FileError: if sources can't be found, or can't be put into the target; "same-file" if two would be one.
        DecodeError: if the format of a single file isn't recognised.
    """
    files = expand(names, skip=skip)
    many = _is_folder(target, files, names)
    if not many and target != STANDARD:
        place_of(target).check_folder(target)
    targets: dict[str, list[Source]] = {}
    kinds: dict[str, Kind] = {}
    is_alone = [path for path, _ in files] == list(names) and len(files) == 1
    for source, below in _sources(files, job, given, is_alone=is_alone):
        usual: Form = "array" if array else _usual_form(source, job)
        if target == STANDARD and usual == "json" and len(files) > 1:
            usual = "jsonl"
        own: Form = usual if array or given.form in ("array", "parquet", *READ_ONLY) else given.form or usual
        into = Kind(usual, source.kind.compression) if many else written_kind(target, own, given.column)
        into = attrs.evolve(into, form="array") if array and into.form == "json" else into
        into = with_columns(into, job.codec or ("" if job.restores else source.codec))
        written = f"{target.rstrip('/')}/{renamed(below, into)}" if many else target
        if many and written in targets:
            msg = f"{written}: {targets[written][0].path} and {source.path} would both be written there"
            raise FileError(msg, code="same-file")
        targets.setdefault(written, []).append(source)
        kinds[written] = into
    check_below(target, targets if many else ())
    made = [Target(path, kinds[path], _counted(sources, kinds[path], job)) for path, sources in targets.items()]
    check_column(given.column, *kinds.values(), *(source.kind for one in made for source in one.sources))
    for one in made:
        _check_kind(one, job, array=array)
    return made


def with_columns(kind: Kind, codec: str | Codec) -> Kind:
    """Return the kind of a file to write: rows of training data have columns, unless one is named for all."""
    is_whole = kind.form == "parquet" and kind.column is None and codec and get_codec(cast("Any", codec)).is_rows
    return attrs.evolve(kind, column=WHOLE) if is_whole else kind


def _counted(sources: list[Source], kind: Kind, job: Job) -> tuple[Source, ...]:
    """Return the sources of a target; if it can only hold one document, with whether there is one."""
    source = sources[0]
    if kind.form != "json" or len(sources) > 1 or source.kind.form not in _FRAMES or source.is_stream:
        return tuple(sources)
    with Reading(Piece(source=source), job.limits) as reading:
        return (attrs.evolve(source, is_single=len(list(islice(reading, 2))) == 1),)


def _sources(
    files: Sequence[tuple[str, str]], job: Job, given: Input, *, is_alone: bool
) -> Iterator[tuple[Source, str]]:
    """Yield the sources for files, each with its path below the named folder."""
    for path, below in files:
        source = attrs.evolve(given.of(path), is_one_of_many=not is_alone)
        if source.size is None and not source.is_stream:
            place_of(path).open(path).close()  # raises the reason
        # A file without documents has no format, and needs none to be written.
        yield with_format(source, job.limits, empty="" if job.codec else None), below


def _usual_form(source: Source, job: Job) -> Form:
    """Return the form of a file whose name doesn't say: its source's, if possible."""
    if job.is_binary(source):
        return "msgpack"
    return "json" if source.holds_one else "jsonl"


def _check_kind(target: Target, job: Job, *, array: bool) -> None:
    source, form = target.sources[0], target.kind.form
    codec, binary = job.codec or source.codec or "this format", job.is_binary(source)
    # Reports name the formats of originals: whether these fit is seen one by one.
    is_open = job.restores is not None and not job.codec
    words = None if is_open else form_fault(codec, form, binary=binary)
    if array and (binary or form != "array"):
        words = "--array makes JSON: name the target .json" if not binary else f"{codec} is binary: no --array"
    elif words is None and form == "json" and not target.is_one:
        words = "a .json file holds one document: use .jsonl, a folder, or --array"
    elif words is None and job.pretty and form != "json":
        words = "--pretty needs a .json file with one document"
    if words is not None:
        msg = f"{target.path}: {words}"
        raise FileError(msg, code="form")


def _is_folder(target: str, files: Sequence[tuple[str, str]], names: Sequence[str]) -> bool:
    if target == STANDARD:
        return False
    if target.endswith("/") or place_of(target).is_folder(target):
        return True
    # A folder or a pattern of files becomes a folder, unless the target has a file's name.
    written_kind(target, "json")
    try:
        kind_of(target)
    except FileError:
        return len(files) > 1 or [path for path, _ in files] != list(names)
    return False


def pieces_in(source: Source, limits: Limits) -> Iterator[Piece]:
    """Yield the pieces of a file, in order."""
    last = 0
    for cut in _cuts(source, limits):
        yield Piece(source=source, start=last, end=cut)
        last = cut
    yield Piece(source=source, start=last, end=source.size if _can_be_cut(source) else None)


def _can_be_cut(source: Source) -> bool:
    if source.is_one_conversation:
        return False
    return source.size is not None and not source.kind.compression and source.kind.form in _CUT


def _cuts(source: Source, limits: Limits) -> Iterator[int]:
    """Yield where to cut a source: lines anywhere; frames, items and row groups at their ends; others nowhere."""
    if not _can_be_cut(source) or source.size is None or (source.size <= PIECE and source.kind.form != "parquet"):
        return
    if source.kind.form == "jsonl":
        cut = 0
        # The last ones are shorter, so that nobody waits long for the others at the end.
        while (cut := cut + min(PIECE, max(PIECE // 4, (source.size - cut) // 4))) < source.size:
            yield cut
        return
    try:
        with place_of(source.path).open(source.path) as stream:
            if source.kind.form == "parquet":
                cuts = group_cuts(stream, source.path, PIECE)
            else:
                cuts = beginnings(stream, source.kind.form, limits, PIECE)
            yield from (cut for cut in cuts if cut < source.size)
    except FileError:
        if not source.is_one_of_many:
            raise
