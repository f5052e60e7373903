"""``agentmsg bench``: how fast each codec reads and writes a file of the user's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import attrs
import click
import orjson

from agentmsg.api.reading import loads
from agentmsg.api.writing import convert, dumps
from agentmsg.checking.detection import detect, doubt
from agentmsg.cli.options import CODEC, at_option, column_option, form_option, quiet_option
from agentmsg.cli.output import Output, reporting, write_json
from agentmsg.cli.progress import progress_of
from agentmsg.cli.reading import documents_at
from agentmsg.cli.report import counted, tell_doubt
from agentmsg.cli.terminal import say, show_table
from agentmsg.cli.timing import Case, Rounds, Times, copy_all, do_each, interleave
from agentmsg.errors import DecodeError
from agentmsg.files.file_names import STANDARD
from agentmsg.files.plan import Input
from agentmsg.files.storage import named
from agentmsg.formats.understanding import BAR
from agentmsg.registry import get_codec

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agentmsg.formats.codec import Codec

# The most bytes of documents to measure; fewer than the least are repeated until a run is long enough for the clock.
_MOST, _LEAST = 8 << 20, 1 << 18
# Documents to look at to detect their format.
_LOOKED_AT = 20
_ROUNDS = 10
_WAYS = ("decode", "encode")
# A codec, or a bare parser: its name, its reader and its writer.
_Measured = tuple[str, Callable[[bytes], Any], Callable[[Any], bytes]]

_EXAMPLES = """\b
Examples:
  agentmsg bench history.json
  agentmsg bench train.jsonl.gz --to anthropic --to json
  agentmsg bench logs.jsonl --from openai --rounds 30 --json
"""


@attrs.frozen(kw_only=True)
class _Row:
    """The timings of one codec, or of the floor.

    Attributes:
        name: of the codec, or of the parser that is the floor.
        messages: their number.
        size: of the documents, in bytes.
        times: by operation: "decode", "encode", and the name of each target codec.
        ratios: by operation, this divided by the floor.
    """

    name: str
    messages: int
    size: int
    times: Mapping[str, Times]
    ratios: Mapping[str, float]

    def a_message(self, what: str) -> float:
        return self.times[what].middle(self.messages or 1)

    def speed(self, what: str) -> float:
        """Return megabytes per second, that is bytes per microsecond."""
        return self.size / self.times[what].middle()

    def as_data(self) -> dict[str, Any]:
        done = {
            what: {"us": self.a_message(what), "mb_s": self.speed(what), "ratio": self.ratios.get(what)}
            for what in self.times
        }
        ways = {what: done.pop(what) for what in _WAYS}
        return {"name": self.name, "messages": self.messages, "bytes": self.size, **ways, "convert": done}


@click.command("bench", short_help="Measure how fast codecs read and write a file.", epilog=_EXAMPLES)
@click.argument("file", metavar="FILE", type=click.Path())
@reporting
@click.option(
    "-f", "--from", "sources", type=CODEC, multiple=True, help="A codec to measure (default: all that fit). Repeatable."
)
@click.option("-t", "--to", "targets", type=CODEC, multiple=True, help="Also convert to this format. Repeatable.")
@click.option("--rounds", type=click.IntRange(1), default=_ROUNDS, show_default=True, help="How often each is timed.")
@form_option
@at_option
@column_option
@quiet_option
def command(
    *,
    file: str,
    out: Output,
    sources: tuple[str, ...],
    targets: tuple[str, ...],
    rounds: int,
    quiet: bool,
    **how: Any,
) -> None:
    """Measure how fast each codec reads and writes the documents of a file.

    FILE is a file, or - for stdin. .json holds one document, .jsonl one per line, .msgpack one per frame, .parquet one
    per row. All but .parquet may also be compressed, as .gz, .bz2, .xz or .zst.

    Every codec takes part that recognises the documents and reads all of them. Beside them are orjson.loads and
    orjson.dumps on the same bytes: the floor. At most 8 MB of documents are measured, from the start of the file.

    Times are medians of all rounds. Rounds are interleaved, so that a slow moment of the machine hits all alike.
    """
    out.check([file])
    aims = [get_codec(name) for name in dict.fromkeys(targets)]
    documents, is_all = _taken(file, documents_at(file, Input(**how)))
    codecs = _readers(file, documents, sources)
    if not quiet:
        for name in sources:
            if words := doubt(documents[0], name):
                tell_doubt(file, words)
    rows = _measured(documents, codecs, aims, rounds, quiet=quiet)
    if not is_all and not quiet:
        say(f"measured the first {counted(len(documents), 'document')} of {file}")
    with out.printed():
        if out.as_json:
            codec_rows, floor_rows = rows[: len(codecs)], rows[len(codecs) :]
            floor = floor_rows[0].as_data() if floor_rows else None
            told = {"file": file, "documents": len(documents), "is_all": is_all, "rounds": rounds}
            write_json({**told, "codecs": [row.as_data() for row in codec_rows], "floor": floor})
        else:
            title = f"{'stdin' if file == STANDARD else file}: {counted(len(documents), 'document')}"
            _print(title, rows, [aim.name for aim in aims])


def _taken(file: str, found: Iterable[bytes]) -> tuple[list[bytes], bool]:
    """Return the documents to measure, and whether they are all in the file.

    Raises:
        DecodeError: code "required" if there are none.
    """
    documents: list[bytes] = []
    size = 0
    for raw in found:
        if documents and size + len(raw) > _MOST:
            return documents, False
        documents.append(raw)
        size += len(raw)
    if not documents:
        msg = f"{file} holds no documents"
        raise DecodeError(msg, code="required")
    return documents, True


def _readers(file: str, documents: list[bytes], given: Sequence[str]) -> list[Codec]:
    """Return the codecs that read all documents: the given ones, or else those that recognise the first ones.

    Raises:
        CodecLookupError: if there is no such codec.
        DecodeError: if a given codec can't read them, or none can.
    """
    scores: dict[str, float] = dict.fromkeys(given, 1.0)
    if not given:
        for raw in documents[:_LOOKED_AT]:
            scores |= {name: score for name, score in detect(raw) if score >= max(BAR, scores.get(name, 0))}
    found: list[Codec] = []
    trouble: DecodeError | None = None
    for name in sorted(scores, key=lambda name: -scores[name]):
        try:
            do_each(partial(loads, codec=get_codec(name)), documents)
        except DecodeError as error:
            trouble = trouble or error
        else:
            found.append(get_codec(name))
    if trouble is not None and (given or not found):
        raise named(trouble, file)
    if not found:
        msg = f"no codec recognises {file}; --from CODEC measures one anyway"
        raise DecodeError(msg, code="not-understood")
    return found


def _measured(
    documents: list[bytes], codecs: Sequence[Codec], aims: Sequence[Codec], rounds: int, *, quiet: bool
) -> list[_Row]:
    """Return the rows of the codecs and, last, that of the floor."""
    size = sum(map(len, documents))
    messages = {codec.name: sum(len(loads(raw, codec)) for raw in documents) for codec in codecs}
    floor = _floor(documents)
    measured: list[_Measured] = [
        (codec.name, partial(loads, codec=codec), partial(dumps, codec=codec)) for codec in codecs
    ]
    measured += [] if floor is None else [floor]
    repeats = -(-_LEAST // max(size, 1)) if size < _LEAST else 1
    documents = documents * repeats
    fresh = partial(copy_all, documents)
    decode = {name: Case(fresh, partial(do_each, read)) for name, read, _ in measured}
    encode = {name: Case(partial(do_each, read, documents), partial(do_each, write)) for name, read, write in measured}
    ways = {"decode": decode, "encode": encode} | {
        aim.name: {
            codec.name: Case(fresh, partial(do_each, partial(convert, source=codec, target=aim))) for codec in codecs
        }
        for aim in aims
    }
    runs = sum(map(len, ways.values())) * rounds
    times: dict[str, dict[str, Times]] = {}
    with progress_of(runs * size * repeats, quiet=quiet) as progress:
        before = 0
        for way, cases in ways.items():

            def tell(done: int, _: int, *, before: int = before) -> None:
                progress((before + done) * size * repeats, (before + done) * len(documents))

            found = interleave(cases, Rounds(rounds, tell=tell))
            times[way] = {name: spent.each(repeats) for name, spent in found.items()}
            before += len(cases) * rounds
    return [_row(name, messages.get(name, messages[codecs[0].name]), size, times, floor) for name, _, _ in measured]


def _row(
    name: str, messages: int, size: int, times: Mapping[str, Mapping[str, Times]], floor: _Measured | None
) -> _Row:
    own = {way: runs[name] for way, runs in times.items() if name in runs}
    ratios: dict[str, float] = {}
    if floor is not None:
        least = {way: times[way][floor[0]] for way in _WAYS}
        # A conversion reads and writes.
        both = least["decode"].plus(least["encode"])
        ratios = {way: spent.beside(least.get(way, both)) for way, spent in own.items()}
    return _Row(name=name, messages=messages, size=size, times=own, ratios=ratios)


def _floor(documents: list[bytes]) -> _Measured | None:
    """Return the bare parser of the documents; None if none reads and writes them."""
    import msgpack  # noqa: PLC0415 - only where documents aren't JSON

    packer: Any = msgpack  # ships no types
    floors: tuple[_Measured, ...] = (
        ("orjson", orjson.loads, orjson.dumps),
        ("msgpack", packer.unpackb, packer.packb),
    )
    for name, parse, render in floors:
        with suppress(ValueError, TypeError):
            do_each(render, do_each(parse, documents))
            return name, parse, render
    return None


def _print(title: str, rows: Sequence[_Row], aims: Sequence[str]) -> None:
    floor = rows[-1].name if rows[-1].ratios.get("decode") == 1 else "floor"
    columns = ("", "messages", "bytes", "µs a message", "MB/s", f"/ {floor}")
    # Rows to compare are adjacent: all decoding, then all encoding.
    cells = [_cells(row, way) for way in (*_WAYS, *aims) for row in rows if way in row.times]
    show_table(title, columns, cells)


def _cells(row: _Row, way: str) -> tuple[str, ...]:
    name = f"{row.name}: {way if way in _WAYS else f'to {way}'}"
    ratio = f"{row.ratios[way]:.2f}" if way in row.ratios else ""
    return name, f"{row.messages:,}", f"{row.size:,}", f"{row.a_message(way):.2f}", f"{row.speed(way):,.1f}", ratio
