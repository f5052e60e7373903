"""``agentmsg convert``: documents, files of documents and folders of them, from one format into another."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Any, cast

import attrs
import click

from agentmsg.cli.json_colours import screen
from agentmsg.cli.options import (
    at_option,
    codec_options,
    column_option,
    form_option,
    from_option,
    output_option,
    quiet_option,
    to_option,
)
from agentmsg.cli.progress import progress_of, size_of
from agentmsg.cli.report import counted, tell_columns, tell_doubt, tell_losses, tell_outcome, tell_skipped
from agentmsg.cli.terminal import is_terminal, say, standard_in, standard_out
from agentmsg.errors import FileError, LossError
from agentmsg.files.engines import ENGINES
from agentmsg.files.file_names import STANDARD, Kind, check_lines, is_pattern, renamed
from agentmsg.files.job import Job
from agentmsg.files.overwriting import check_below
from agentmsg.files.piping import stream
from agentmsg.files.plan import EACH, doubts_of, targets_of
from agentmsg.files.run import Outcome, Request, run
from agentmsg.files.storages import place_of
from agentmsg.registry import get_codec

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentmsg.files.finding import Skipped
    from agentmsg.files.plan import Target
    from agentmsg.fitting.losses import Loss

__all__ = ["command"]

_QUARANTINED = 3
_EXAMPLES = """\b
Examples:
  agentmsg convert history.json -t anthropic
  agentmsg convert history.json -t langchain -o out.json --losses losses.jsonl
  agentmsg convert history.json -t langchain -o out.json --carry
  agentmsg convert train.jsonl.gz -f openai -t anthropic -o out.jsonl --jobs 4
  agentmsg convert logs/*.jsonl -t json -o converted/ --resume
  agentmsg convert cassette.json -t json --at '/interactions/*/request/body' -o out.jsonl
  agentmsg convert mixed.jsonl -f each -t openai -o out.jsonl
  agentmsg convert logs.parquet --column request -t anthropic -o out.parquet
  cat history.json | agentmsg convert - -t json --pretty
"""


@click.command("convert", short_help="Convert documents, and report exactly what is lost.", epilog=_EXAMPLES)
@click.argument("files", metavar="SRC...", nargs=-1, required=True)
@output_option("The file or folder to write")
@to_option('The format to write (see "agentmsg formats").', required=True)
@from_option('The format of all SRC, or "each" to detect that of each document (default: detected by file).')
@codec_options
@form_option
@at_option
@column_option
@click.option("--split", is_flag=True, help="Read a top-level JSON array as one document per item.")
@click.option("--array", is_flag=True, help="Write all documents as one JSON array (the reverse of --split).")
@click.option("--pretty", is_flag=True, help="Indent the JSON.")
@click.option(
    "--on-loss",
    type=click.Choice(["report", "error", "ignore"]),
    default="report",
    show_default=True,
    help="Report losses, refuse documents that would lose content, or say nothing.",
)
@click.option(
    "--losses", metavar="FILE", help='Write the loss report here, for "agentmsg restore" (a folder if --output is one).'
)
@click.option("--losses-flat", "flat", metavar="FILE", help="Write one line per loss here, for tables.")
@click.option(
    "--carry", is_flag=True, help="Keep lost content in the metadata of the output's messages, if the format has any."
)
@click.option("--bad", metavar="FILE", help="Write unconvertible documents here (default: OUTPUT.bad.jsonl).")
@click.option("--verify", is_flag=True, help="Read every output back, and check that it restores SRC.")
@click.option(
    "-j", "--jobs", type=click.IntRange(1), default=1, metavar="N", help="Number of worker processes (default: 1)."
)
@click.option(
    "--engine",
    type=click.Choice(sorted(ENGINES)),
    default="local",
    show_default=True,
    help="Where to convert: on this machine, or on a cluster.",
)
@click.option("--resume", is_flag=True, help="Continue a run that was stopped.")
@quiet_option
@click.pass_context
def command(
    ctx: click.Context,
    *,
    files: tuple[str, ...],
    output: str,
    force: bool,
    codec: str,
    source: str | None,
    options: tuple[tuple[str, Any], ...],
    form: Any,
    at: tuple[str, ...],
    column: str | None,
    split: bool,
    array: bool,
    pretty: bool,
    on_loss: Any,
    losses: str | None,
    flat: str | None,
    carry: bool,
    bad: str | None,
    verify: bool,
    jobs: int,
    engine: str,
    resume: bool,
    quiet: bool,
) -> None:
    """Convert documents, and report exactly what is lost.

    SRC is a file, a folder, a pattern, a URL (with fsspec installed), or - for stdin. The name gives the kind of file:
    .json holds one document, .jsonl one per line, .msgpack one per frame, .parquet one per row: in one column, or as
    the whole row. All but .parquet may also be compressed, as .gz or .zst.

    Documents go to stdout unless you name an --output. If that is a folder, each SRC gets a file of its own there. A
    SRC is never overwritten. Other files are overwritten only with --force.

    Documents that can't be converted are quarantined in OUTPUT.bad.jsonl (or in --bad), and the exit code is 3.

    With the report of --losses, "agentmsg restore" rebuilds the originals. --carry keeps lost content in documents.
    """
    job = Job(codec=codec, options=options, kind=Kind("json"), on_loss=on_loss, verify=verify, pretty=pretty)
    job = attrs.evolve(job, losses=losses is not None, flat=flat is not None, carry=carry)
    how: dict[str, Any] = {"codec": source, "form": form, "at": at, "column": column, "split": split}
    targets = _planned(files, output, job, **how, array=array, quiet=quiet)
    is_one = _is_one(targets, bad)
    with progress_of(_size(targets, output), quiet=quiet) as progress:
        request = Request(
            work=_work_folder(targets, output),
            engine=engine,
            jobs=jobs,
            resume=resume,
            force=force,
            losses=_beside(targets, output, losses),
            flat=_beside(targets, output, flat),
            bad=_beside(targets, output, bad),
            progress=progress,
            **({} if quiet else _TELLING),
        )
        outcome = _converted(attrs.evolve(job, quarantine=not is_one), targets, request)
    tell_outcome(outcome, output, is_one=is_one, is_silent=quiet or on_loss == "ignore")
    ctx.exit(_QUARANTINED if outcome.bad else 0)


def _is_one(targets: Sequence[Target], bad: str | None) -> bool:
    """Whether it is about one document: if it can't be converted, that is an error, unless there is a place for it."""
    return len(targets) == 1 and targets[0].is_alone and bad is None


def _planned(
    files: Sequence[str], output: str, job: Job, *, codec: str | None, quiet: bool, **how: Any
) -> list[Target]:
    """Return the files to write, each with its sources; tell what is skipped, and which formats were detected."""
    _check(job, codec, files, output)
    skipped: Counter[Skipped] = Counter()
    targets = targets_of(files, output, job, codec=codec, skip=lambda why: skipped.update([why]), **how)
    if not quiet:
        tell_skipped(skipped)
        _tell_formats(targets, job, codec)
        tell_columns(targets)
    return targets


def _size(targets: Sequence[Target], output: str) -> int | None:
    """Return how many bytes there are to read; 0 where somebody sees what comes of it anyway."""
    if output == STANDARD and is_terminal(sys.stdout):
        return 0
    return size_of(source.path for target in targets for source in target.sources)


def _check(job: Job, source: str | None, files: Sequence[str], output: str) -> None:
    """Refuse what no file need be read for."""
    codec = get_codec(job.codec, **dict(job.options))
    if source is not None and source != EACH:
        get_codec(source)
    if output == STANDARD and codec.binary and is_terminal(sys.stdout):
        msg = "won't write binary data to a terminal: name a file with -o"
        raise click.UsageError(msg)
    last = files[-1]
    if output == STANDARD and len(files) > 1 and not is_pattern(last) and last != STANDARD:
        place = place_of(last)
        if not place.is_folder(last) and place.size(last) is None:
            msg = f"{last}: No such file or directory. Every name is an input: use -o to name the output"
            raise FileError(msg, code="file")


def _converted(job: Job, targets: Sequence[Target], request: Request) -> Outcome:
    try:
        return _streamed(job, targets, request) if _is_streamed(job, targets, request) else _run(job, targets, request)
    except LossError as error:
        tell_losses(cast("Sequence[Loss]", error.losses))
        raise


def _is_streamed(job: Job, targets: Sequence[Target], request: Request) -> bool:
    """Whether something is a stream, or a document is an error that cannot be converted: no run can resume that."""
    sides = [name for index, target in enumerate(targets) for name in request.sides(index, target.path).values()]
    written = (
        name == STANDARD or place_of(name).is_stream(name) for name in [target.path for target in targets] + sides
    )
    read = (source.is_stream for target in targets for source in target.sources)
    return not job.quarantine or any(written) or any(read)


def _streamed(job: Job, targets: Sequence[Target], request: Request) -> Outcome:
    is_shown = any(target.path == STANDARD for target in targets) and is_terminal(sys.stdout)
    if is_shown:
        job = attrs.evolve(job, pretty=True)
    return stream(job, targets, request, standard_in, screen if is_shown else standard_out)


def _run(job: Job, targets: Sequence[Target], request: Request) -> Outcome:
    try:
        return run(job, targets, request)
    except KeyboardInterrupt:
        msg = "stopped; --resume continues from here"
        raise KeyboardInterrupt(msg) from None


def _tell_formats(targets: Sequence[Target], job: Job, given: str | None) -> None:
    """Tell what formats were detected, or what the one that was given doesn't know."""
    if given is not None:
        for path, words in doubts_of(targets, job):
            tell_doubt(path, words)
        return
    sources = [source for target in targets for source in target.sources]
    # An empty file has no format.
    counts = Counter(source.codec for source in sources if source.codec and source.size != 0)
    many = sum(counts.values()) > 1
    if counts:
        _tell_format(", ".join(f"{codec} ({counted(counts[codec], 'file')})" if many else codec for codec in counts))


def _tell_format(codec: str) -> None:
    say(f"read as {codec}")


def _tell_stopped() -> None:
    say("an earlier run stopped before it had saved any work: starting over")


# What a run tells while it is at work.
_TELLING: Mapping[str, Any] = {"detected": _tell_format, "doubted": tell_doubt, "stopped": _tell_stopped}


def _work_folder(targets: Sequence[Target], written: str) -> str:
    """Return the work folder of a run: beside its target, or in it where that is a folder."""
    if [target.path for target in targets] != [written]:
        return f"{written.rstrip('/')}/.agentmsg"
    folder, slash, name = written.rpartition("/")
    return f"{folder}{slash}.{name}.agentmsg"


def _beside(targets: Sequence[Target], written: str, given: str | None) -> tuple[str, ...] | None:
    """Return where the lines of each target go: the file that was given, or files in that folder."""
    if given is None:
        return None
    if [target.path for target in targets] == [written]:
        check_lines(given)
        return (given,)
    root = written.rstrip("/") + "/"
    below = [target.path.removeprefix(root) for target in targets]
    own = [renamed(name, Kind("jsonl")) for name in below]
    times = Counter(own)
    # Of a.json and a.jsonl the lines go to a.json.jsonl and a.jsonl.jsonl.
    names = tuple(
        f"{given.rstrip('/')}/{last if times[last] == 1 else f'{name}.jsonl'}"
        for name, last in zip(below, own, strict=True)
    )
    check_below(given, names)
    return names
