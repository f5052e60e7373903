"""``agentmsg convert``: documents, files of documents and folders of them, from one format into another."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Any, cast

import attrs
import click

from agentmsg.cli.json_colours import screen
from agentmsg.cli.options import codec_options, form_option, from_option, output_option, quiet_option, to_option
from agentmsg.cli.progress import progress_of, size_of
from agentmsg.cli.report import counted, tell_doubt, tell_losses, tell_outcome, tell_skipped
from agentmsg.cli.terminal import is_terminal, say, standard_in, standard_out
from agentmsg.errors import FileError, LossError
from agentmsg.files.engines import ENGINES
from agentmsg.files.file_names import STANDARD, Kind, check_lines, is_pattern, renamed
from agentmsg.files.job import Job
from agentmsg.files.overwriting import check_below
from agentmsg.files.piping import stream
from agentmsg.files.plan import doubts_of, targets_of
from agentmsg.files.run import Outcome, Request, run
from agentmsg.files.storages import place_of
from agentmsg.registry import get_codec

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentmsg.files.finding import Skipped
    from agentmsg.files.plan import Target
    from agentmsg.fitting.losses import Loss

__all__ = ["command"]

_PUT_ASIDE = 3
_EXAMPLES = """\b
Examples:
  agentmsg convert history.json -t anthropic
  agentmsg convert history.json -t langchain -o out.json --losses account.jsonl
  agentmsg convert history.json -t langchain -o out.json --carry
  agentmsg convert train.jsonl.gz -f openai -t anthropic -o out.jsonl --jobs 4
  agentmsg convert logs/*.jsonl -t json -o converted/ --resume
  cat history.json | agentmsg convert - -t json --pretty
"""


@click.command("convert", short_help="Convert documents, and account for what is lost.", epilog=_EXAMPLES)
@click.argument("files", metavar="SRC...", nargs=-1, required=True)
@output_option("The file to write, or the folder")
@to_option("The format to write.", required=True)
@from_option("The format of all SRC (default: detected).")
@codec_options
@form_option
@click.option("--split", is_flag=True, help="Read a JSON array at the top as many documents.")
@click.option("--array", is_flag=True, help="Write a JSON array of all documents: the opposite of --split.")
@click.option("--pretty", is_flag=True, help="Indent JSON for people to read.")
@click.option(
    "--on-loss",
    type=click.Choice(["report", "error", "ignore"]),
    default="report",
    show_default=True,
    help="Tell what is lost, refuse documents that would lose content, or keep silent.",
)
@click.option("--losses", metavar="FILE", help="Write the account of all losses there; a folder if --output is one.")
@click.option("--losses-flat", "flat", metavar="FILE", help="Write one line for each loss there, for tables.")
@click.option("--carry", is_flag=True, help="Put lost content into the metadata of messages, where there are any.")
@click.option(
    "--bad", metavar="FILE", help="Write documents there that cannot be converted (default: OUTPUT.bad.jsonl)."
)
@click.option("--verify", is_flag=True, help="Read back all that is written, and prove that it gives SRC again.")
@click.option("-j", "--jobs", type=click.IntRange(1), default=1, metavar="N", help="Number of processes (default: 1).")
@click.option(
    "--engine",
    type=click.Choice(sorted(ENGINES)),
    default="local",
    show_default=True,
    help="Who converts: processes of this machine, or a cluster.",
)
@click.option("--resume", is_flag=True, help="Go on with a run that was stopped.")
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
    """Convert documents, and account for what is lost.

    SRC are files of any format that "agentmsg formats" lists: .json (one document, or with --split an array of
    them), .jsonl (a document a line), .msgpack (frames), each also as .gz or .zst; folders of such files,
    patterns, URLs where fsspec is installed; - means stdin. Without --output, documents go to stdout. If --output
    is a folder, each SRC gets a file there. No SRC is ever written over, and no file that exists without --force.

    What cannot be converted, be it a document or a file among several, is kept in OUTPUT.bad.jsonl; of what goes to
    stdout, only --bad keeps it. The exit code is 3 then, and if content would be lost and --on-loss is error.

    The account (--losses) and the converted documents together give the originals again: see "agentmsg restore". With
    --carry, documents hold what they lost of content themselves, and accounts the rest.
    """
    job = Job(codec=codec, options=options, kind=Kind("json"), on_loss=on_loss, verify=verify, pretty=pretty)
    job = attrs.evolve(job, losses=losses is not None, flat=flat is not None, carry=carry)
    _check(job, source, files, output)
    targets = _planned(files, output, job, codec=source, form=form, split=split, array=array, quiet=quiet)
    # A document that stands alone and cannot be converted is an error, unless there is a place for it.
    is_one = len(targets) == 1 and targets[0].is_alone and bad is None
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
    ctx.exit(_PUT_ASIDE if outcome.bad else 0)


def _planned(
    files: Sequence[str], output: str, job: Job, *, codec: str | None, quiet: bool, **how: Any
) -> list[Target]:
    """Return the files to write, each with its sources; tell what is skipped, and which formats were detected."""
    skipped: Counter[Skipped] = Counter()
    targets = targets_of(files, output, job, codec=codec, skip=lambda why: skipped.update([why]), **how)
    if not quiet:
        tell_skipped(skipped)
        _tell_formats(targets, job, codec)
    return targets


def _size(targets: Sequence[Target], output: str) -> int | None:
    """Return how many bytes there are to read; 0 where somebody sees what comes of it anyway."""
    if output == STANDARD and is_terminal(sys.stdout):
        return 0
    return size_of(source.path for target in targets for source in target.sources)


def _check(job: Job, source: str | None, files: Sequence[str], output: str) -> None:
    """Refuse what no file need be read for."""
    codec = get_codec(job.codec, **dict(job.options))
    if source is not None:
        get_codec(source)
    if output == STANDARD and codec.binary and is_terminal(sys.stdout):
        msg = "binary is not for a terminal: name a file with -o"
        raise click.UsageError(msg)
    last = files[-1]
    if output == STANDARD and len(files) > 1 and not is_pattern(last) and last != STANDARD:
        place = place_of(last)
        if not place.is_folder(last) and place.size(last) is None:
            msg = f"{last}: No such file or directory; all names are sources: name the file to write with -o"
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
        msg = "stopped; --resume goes on from here"
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
    say("a run was stopped here before a range of it was done: begun anew; --resume goes on where there is more")


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
