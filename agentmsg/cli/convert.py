"""``agentmsg convert``: documents, files of documents and folders of them, from one format into another."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Any, cast

import attrs
import click

from agentmsg._registry import get_codec
from agentmsg.cli.options import CODEC, codec_options
from agentmsg.cli.progress import progress_of
from agentmsg.cli.telling import counted, tell_doubt, tell_losses, tell_outcome
from agentmsg.cli.terminal import is_terminal, say, standard_in, standard_out
from agentmsg.errors import LossError
from agentmsg.files.engines import ENGINES
from agentmsg.files.job import Job
from agentmsg.files.names import STANDARD, Kind, renamed
from agentmsg.files.piping import stream
from agentmsg.files.plan import doubts_of, targets_of
from agentmsg.files.run import Outcome, Request, run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentmsg.files.plan import Target
    from agentmsg.losses import Loss

__all__ = ["command"]

_PUT_ASIDE = 3
_EXAMPLES = """\b
Examples:
  agentmsg convert history.json --to anthropic
  agentmsg convert history.json out.json --to langchain --losses account.jsonl
  agentmsg convert history.json out.json --to langchain --carry
  agentmsg convert train.jsonl.gz out.jsonl --from openai --to anthropic --jobs 4
  agentmsg convert 'logs/*.jsonl' converted/ --to json --resume
  cat history.json | agentmsg convert - --to json --pretty
"""


@click.command("convert", short_help="Convert documents, and account for what is lost.", epilog=_EXAMPLES)
@click.argument("files", metavar="SRC... [DST]", nargs=-1, required=True)
@click.option("--to", "codec", required=True, type=CODEC, help="The format to write.")
@click.option("--from", "source", type=CODEC, help="The format of all SRC; detected by default.")
@codec_options
@click.option(
    "--form", type=click.Choice(["json", "jsonl", "msgpack"]), help="What files hold whose names do not tell, and -."
)
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
@click.option("--losses", metavar="FILE", help="Write the account of all losses there; a folder where DST is one.")
@click.option("--losses-flat", "flat", metavar="FILE", help="Write there a line for each loss, for tables.")
@click.option("--carry", is_flag=True, help="Put lost content into the metadata of messages, where there are any.")
@click.option("--bad", metavar="FILE", help="Put documents aside there that cannot be converted; else DST.bad.jsonl.")
@click.option("--verify", is_flag=True, help="Read back all that is written, and prove that it gives SRC again.")
@click.option("-j", "--jobs", type=click.IntRange(1), default=1, metavar="N", help="So many processes; 1 by default.")
@click.option(
    "--engine",
    type=click.Choice(sorted(ENGINES)),
    default="local",
    show_default=True,
    help="Who converts: processes of this machine, or a cluster.",
)
@click.option("--resume", is_flag=True, help="Go on with a run that was stopped.")
@click.option("-q", "--quiet", is_flag=True, help="Print errors only.")
@click.pass_context
def command(
    ctx: click.Context,
    *,
    files: tuple[str, ...],
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
    patterns, URLs where fsspec is installed; - means stdin. The last name is DST, if there are several: a file, or
    a folder, in which each SRC gets a file. With one name, documents go to stdout, as for -.

    The account (--losses) and the converted documents together give the originals again: see "agentmsg restore". With
    --carry, documents hold what they lost of content themselves, and accounts the rest.

    Where SRC hold many documents, those that cannot be converted are put aside in DST.bad.jsonl; where DST is stdout,
    only --bad keeps them. The exit code is 3 then, and where content would be lost and --on-loss is error.
    """
    names, written = (files[:-1], files[-1]) if len(files) > 1 else (files, STANDARD)
    job = Job(codec=codec, options=options, kind=Kind("json"), on_loss=on_loss, verify=verify, pretty=pretty)
    job = attrs.evolve(job, losses=losses is not None, flat=flat is not None, carry=carry)
    _check(job, source, written, losses, flat, bad)
    targets = targets_of(names, written, job, codec=source, form=form, split=split, array=array)
    _check_targets(targets, losses, flat, bad)
    # A document that stands alone and cannot be converted is an error, unless there is a place for it.
    is_one = len(targets) == 1 and targets[0].is_one and bad is None
    _tell_formats(targets, job, source, quiet=quiet)
    with progress_of(targets, quiet=quiet) as progress:
        request = Request(
            work=_work_folder(targets, written),
            engine=engine,
            jobs=jobs,
            resume=resume,
            losses=_beside(targets, written, losses),
            flat=_beside(targets, written, flat),
            bad=_beside(targets, written, bad),
            progress=progress,
            detected=_ignore if quiet else _tell_format,
            doubted=_ignore if quiet else tell_doubt,
        )
        outcome = _converted(attrs.evolve(job, quarantine=not is_one), targets, request)
    tell_outcome(outcome, written, is_one=is_one, is_silent=quiet or on_loss == "ignore")
    ctx.exit(_PUT_ASIDE if outcome.bad else 0)


def _check(job: Job, source: str | None, *written: str | None) -> None:
    """Refuse what no file need be read for."""
    get_codec(job.codec, **dict(job.options))
    if source is not None:
        get_codec(source)
    names = [name for name in written if name is not None]
    if len(set(names)) < len(names):
        msg = "DST, --losses, --losses-flat and --bad need a file each"
        raise click.UsageError(msg)


def _check_targets(targets: Sequence[Target], *beside: str | None) -> None:
    """Refuse to write an account over a document (only DST may be what was read), or bytes to a terminal."""
    for name in {source.path for target in targets for source in target.sources} - {STANDARD}:
        if name in beside:
            msg = f"{name} is one of SRC: name another file for what belongs to DST"
            raise click.UsageError(msg)
    if targets[0].path == STANDARD and targets[0].kind.form == "msgpack" and is_terminal(sys.stdout):
        msg = "binary is not for a terminal: give DST"
        raise click.UsageError(msg)


def _converted(job: Job, targets: Sequence[Target], request: Request) -> Outcome:
    try:
        piped = any(STANDARD in (target.path, *(source.path for source in target.sources)) for target in targets)
        if job.quarantine and not piped:
            return _run(job, targets, request)
        outcome = stream(job, targets[0], request, standard_in, standard_out)
        if targets[0].path == STANDARD:
            out = standard_out()
            if is_terminal(out) and targets[0].kind.form == "json" and not job.pretty:
                out.write(b"\n")
    except LossError as error:
        tell_losses(cast("Sequence[Loss]", error.losses))
        raise
    return outcome


def _run(job: Job, targets: Sequence[Target], request: Request) -> Outcome:
    try:
        return run(job, targets, request)
    except KeyboardInterrupt:
        msg = "stopped; --resume goes on from here"
        raise KeyboardInterrupt(msg) from None


def _tell_formats(targets: Sequence[Target], job: Job, given: str | None, *, quiet: bool) -> None:
    """Tell what formats were detected, or what the one that was given doesn't know."""
    if quiet:
        return
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


def _ignore(*_: str) -> None:
    pass


def _work_folder(targets: Sequence[Target], written: str) -> str:
    """Return the work folder of a run: beside its target, or in it where that is a folder."""
    if [target.path for target in targets] != [written]:
        return f"{written.rstrip('/')}/.agentmsg"
    folder, slash, name = written.rpartition("/")
    return f"{folder}{slash}.{name}.agentmsg"


def _beside(targets: Sequence[Target], written: str, given: str | None) -> tuple[str, ...] | None:
    """Return where the accounts of each target go: the file that was given, or files in that folder."""
    if given is None:
        return None
    if [target.path for target in targets] == [written]:
        return (given,)
    root = written.rstrip("/") + "/"
    below = [renamed(target.path.removeprefix(root), Kind("jsonl")) for target in targets]
    return tuple(f"{given.rstrip('/')}/{name}" for name in below)
