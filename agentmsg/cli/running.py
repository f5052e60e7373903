"""Shared by all commands that run jobs on files: their options, and a run with progress and a report."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Any, TypeVar, cast

import attrs
import click

from agentmsg.api.joining import EACH
from agentmsg.cli.options import jobs_option, output_option, quiet_option, reading_options, with_options
from agentmsg.cli.output import screen
from agentmsg.cli.progress import progress_of, size_of
from agentmsg.cli.report import (
    UNREADABLE,
    counted,
    tell_columns,
    tell_doubt,
    tell_losses,
    tell_outcome,
    tell_skipped,
    tell_uncut,
)
from agentmsg.cli.terminal import is_terminal, say, standard_in, standard_out
from agentmsg.errors import FileError, LossError
from agentmsg.files.engines import ENGINES
from agentmsg.files.file_names import STANDARD, Kind, check_lines, is_pattern, renamed
from agentmsg.files.overwriting import check_below
from agentmsg.files.piping import stream
from agentmsg.files.plan import Input, doubts_of, targets_of
from agentmsg.files.run import Outcome, Request
from agentmsg.files.run import run as run_pieces
from agentmsg.files.storage import place_of
from agentmsg.registry import get_codec

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from agentmsg.files.finding import Skipped
    from agentmsg.files.job import Job
    from agentmsg.files.plan import Target
    from agentmsg.fitting.losses import Loss

_F = TypeVar("_F", bound="Callable[..., object]")


@attrs.frozen(kw_only=True)
class Run(Input):
    """The user's choices for a run: the parameters of the options below, by their names."""

    files: tuple[str, ...]
    output: str
    force: bool
    array: bool
    pretty: bool
    bad: str | None
    jobs: int
    engine: str
    address: str | None
    resume: bool
    quiet: bool
    losses: str | None = None
    flat: str | None = None


def taken(cls: type[attrs.AttrsInstance], options: dict[str, Any]) -> dict[str, Any]:
    """Take the fields of a class out of a command's options; those of ``Run`` stay."""
    names = {field.name for field in attrs.fields(cls)} - {field.name for field in attrs.fields(Run)}
    return {name: options.pop(name) for name in names & options.keys()}


def input_options(command: _F) -> _F:
    """Give a command the files to read and to write, and the options for reading them."""
    return with_options(
        command,
        click.argument("files", metavar="SRC...", nargs=-1, required=True),
        output_option("The file or folder to write"),
        reading_options(),
    )


def running_options(command: _F) -> _F:
    """Give a command the options for writing its output, and for who does the work."""
    return with_options(
        command,
        click.option("--array", is_flag=True, help="Write all documents as one JSON array (the reverse of --split)."),
        click.option("--pretty", is_flag=True, help="Indent the JSON."),
        click.option("--bad", metavar="FILE", help="Write unconvertible documents here (default: OUTPUT.bad.jsonl)."),
        jobs_option,
        click.option(
            "--engine",
            type=click.Choice(sorted(ENGINES)),
            default="local",
            show_default=True,
            help="Where to convert: on this machine, or on a cluster.",
        ),
        click.option(
            "--address",
            metavar="ADDRESS",
            help="Of the cluster (default: RAY_ADDRESS, or DASK_SCHEDULER_ADDRESS; else this machine).",
        ),
        click.option("--resume", is_flag=True, help="Continue a run that was stopped."),
        quiet_option,
    )


def run_job(job: Job, run: Run) -> int:
    """Run a job on files, with progress, and report what it did; return the exit code.

    Args:
        job: what to do with each document; its ``kind`` doesn't count.
        run: on which files, and how.
    """
    job = attrs.evolve(job, unknown=run.unknown, pretty=run.pretty, limits=run.limits)
    job = attrs.evolve(job, losses=run.losses is not None, flat=run.flat is not None)
    _check(job, run)
    targets = _planned(job, run)
    # If one document can't be converted, that is an error, unless there is a file for it.
    is_one = len(targets) == 1 and targets[0].is_alone and run.bad is None
    # Of output that somebody sees, no progress is shown.
    is_seen = run.output == STANDARD and is_terminal(sys.stdout)
    size = 0 if is_seen else size_of(source.path for target in targets for source in target.sources)
    with progress_of(size, quiet=run.quiet) as progress:
        beside: Any = {name: _beside(targets, run.output, getattr(run, name)) for name in ("losses", "flat", "bad")}
        request = Request(
            work=_work_folder(targets, run.output),
            **{name: getattr(run, name) for name in ("engine", "jobs", "address", "resume", "force")},
            **beside,
            progress=progress,
            **({} if run.quiet else _TELLING),
        )
        outcome = _converted(attrs.evolve(job, quarantine=not is_one), targets, request)
    tell_outcome(outcome, job, run.output, is_one=is_one, quiet=run.quiet)
    return UNREADABLE if outcome.bad else 0


def _planned(job: Job, run: Run) -> list[Target]:
    """Return the files to write, each with its sources; report skipped files and detected formats."""
    skipped: Counter[Skipped] = Counter()
    # A loss report names the format of its document.
    is_named = job.restores is not None and (job.restores.files or job.restores.key)
    targets = targets_of(
        run.files,
        run.output,
        job,
        attrs.evolve(run, source=run.source or (EACH if is_named else None)),
        array=run.array,
        skip=lambda why: skipped.update([why]),
    )
    if not run.quiet:
        tell_skipped(skipped)
        if job.restores is None:
            _tell_formats(targets, job, run.source)
        tell_columns(targets)
        tell_uncut((source for target in targets for source in target.sources), run.jobs)
    return targets


def _check(job: Job, run: Run) -> None:
    """Refuse invalid options before any file is read."""
    files, output, source = run.files, run.output, run.source
    codec = get_codec(job.codec, **dict(job.options)) if job.codec else None
    if source is not None and source != EACH:
        get_codec(source)
    if output == STANDARD and codec is not None and codec.binary and is_terminal(sys.stdout):
        msg = "won't write binary data to a terminal: name a file with -o"
        raise click.UsageError(msg)
    if run.address is not None and run.engine == "local":
        msg = "--address is that of a cluster: name it with --engine dask or --engine ray"
        raise click.UsageError(msg)
    if run.join and codec is None:
        msg = "--join reads parts that are no document to write: name a format with --to"
        raise click.UsageError(msg)
    last = files[-1]
    if output == STANDARD and len(files) > 1 and not is_pattern(last) and last != STANDARD:
        place = place_of(last)
        if not place.is_folder(last) and place.size(last) is None:
            msg = f"{last}: No such file or directory. Every name is an input: use -o to name the output"
            raise FileError(msg, code="file")


def _converted(job: Job, targets: Sequence[Target], request: Request) -> Outcome:
    is_streamed = _is_streamed(job, targets, request)
    if is_streamed and request.jobs > 1 and job.quarantine:
        say("--jobs: one process writes to a stream; name a file with -o")
    is_shown = any(target.path == STANDARD for target in targets) and is_terminal(sys.stdout)
    try:
        if is_streamed:
            job = attrs.evolve(job, pretty=job.pretty or is_shown)
            return stream(job, targets, request, standard_in, screen if is_shown else standard_out)
        return run_pieces(job, targets, request)
    except LossError as error:
        tell_losses(cast("Sequence[Loss]", error.losses))
        raise
    except KeyboardInterrupt:
        if is_streamed:
            raise
        msg = "stopped; --resume continues from here"
        raise KeyboardInterrupt(msg) from None


def _is_streamed(job: Job, targets: Sequence[Target], request: Request) -> bool:
    """Whether something is a stream, or a faulty document is an error: such a run can't be resumed."""
    sides = [name for index, target in enumerate(targets) for name in request.sides(index, target.path).values()]
    written = (
        name == STANDARD or place_of(name).is_stream(name) for name in [target.path for target in targets] + sides
    )
    read = (source.is_stream for target in targets for source in target.sources)
    return not job.quarantine or any(written) or any(read)


def _tell_formats(targets: Sequence[Target], job: Job, given: str | None) -> None:
    """Report the detected formats, or what the given one doesn't know."""
    if given is not None:
        for path, words in doubts_of(targets, job):
            tell_doubt(path, words)
        return
    sources = [source for target in targets for source in target.sources]
    counts = Counter(source.codec for source in sources if source.codec)
    many = sum(counts.values()) > 1
    if counts:
        _tell_format(", ".join(f"{codec} ({counted(counts[codec], 'file')})" if many else codec for codec in counts))


def _tell_format(codec: str) -> None:
    say(f"read as {codec}")


# What a run reports while it works.
_TELLING: Mapping[str, Any] = {
    "detected": _tell_format,
    "doubted": tell_doubt,
    "stopped": lambda: say("an earlier run stopped before it had saved any work: starting over"),
}


def _work_folder(targets: Sequence[Target], written: str) -> str:
    """Return the work folder of a run: beside its target, or in it if that is a folder."""
    if [target.path for target in targets] != [written]:
        return f"{written.rstrip('/')}/.agentmsg"
    folder, slash, name = written.rpartition("/")
    return f"{folder}{slash}.{name}.agentmsg"


def _beside(targets: Sequence[Target], written: str, given: str | None) -> tuple[str, ...] | None:
    """Return the file for each target's lines: the given file, or one in that folder."""
    if given is None:
        return None
    if [target.path for target in targets] == [written]:
        check_lines(given)
        return (given,)
    root = written.rstrip("/") + "/"
    below = [target.path.removeprefix(root) for target in targets]
    own = [renamed(name, Kind("jsonl")) for name in below]
    times = Counter(own)
    # For a.json and a.jsonl the files are a.json.jsonl and a.jsonl.jsonl.
    names = tuple(
        f"{given.rstrip('/')}/{last if times[last] == 1 else f'{name}.jsonl'}"
        for name, last in zip(below, own, strict=True)
    )
    check_below(given, names)
    return names
