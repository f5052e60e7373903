"""``agentmsg convert``: convert documents, files of documents and folders of them between formats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs
import click

from agentmsg.cli.options import allow_option, codec_options, losses_key_option, to_option
from agentmsg.cli.report import found_in
from agentmsg.cli.running import Run, input_options, run_job, running_options, taken
from agentmsg.files.file_names import STANDARD, Kind
from agentmsg.files.job import Job
from agentmsg.files.plan import with_format
from agentmsg.fitting.edited import with_asked
from agentmsg.fitting.repairing import check
from agentmsg.model.history import History
from agentmsg.registry import get_codec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmsg.files.job import Source
    from agentmsg.formats.codec import Codec

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
  agentmsg convert good.jsonl --rejected bad.jsonl -t hf -o pairs.jsonl
  agentmsg convert checkpoints.sqlite --thread 42 -t openai
  agentmsg convert request.json -t anthropic --repair --model claude-opus-5 --max-tokens 1024
  cat history.json | agentmsg convert - -t json --pretty
"""


@click.command("convert", short_help="Convert documents, and report exactly what is lost.", epilog=_EXAMPLES)
@to_option('The format to write (see "agentmsg formats").', required=True)
@input_options
@codec_options
@click.option(
    "--on-loss",
    type=click.Choice(["report", "error", "ignore"]),
    default="report",
    show_default=True,
    help="Report losses, refuse documents that would lose content, or say nothing.",
)
@allow_option
@click.option(
    "--losses", metavar="FILE", help='Write the loss report here, for "agentmsg restore" (a folder if --output is one).'
)
@losses_key_option("Put each document's loss report into it, as a text under this key; restore reads it there.")
@click.option("--losses-flat", "flat", metavar="FILE", help="Write one line per loss here, for tables.")
@click.option(
    "--carry", is_flag=True, help="Keep lost content in the metadata of the output's messages, if the format has any."
)
@click.option("--repair", is_flag=True, help="Mend what the provider would refuse, and report it as losses.")
@click.option(
    "--check/--no-check", "checks", default=True, help="Whether to count documents that the provider would refuse."
)
@click.option("--model", metavar="NAME", help="The model to ask; another provider's name for one is left out.")
@click.option("--max-tokens", type=click.IntRange(1), help="The most tokens to write.")
@click.option(
    "--quarantine",
    "leaves_out",
    type=click.Choice(["arguments"]),
    multiple=True,
    help="Put documents aside that could be converted: arguments, for calls whose arguments are no JSON object.",
)
@click.option(
    "--rejected",
    metavar="FILE",
    help="Make pairs: each row of SRC has the chosen answer, the same row of FILE the rejected one.",
)
@click.option("--verify", is_flag=True, help="Read every output back, and check that it restores SRC.")
@running_options
def command(
    *,
    model: str | None,
    max_tokens: int | None,
    rejected: str | None,
    **how: Any,
) -> int:
    """Convert documents, and report exactly what is lost.

    SRC is a file, a folder, a pattern, a URL (with fsspec installed), or - for stdin. The name gives the kind of file:
    .json holds one document, .jsonl one per line, .msgpack one per frame. Each may also be compressed, as .gz, .bz2,
    .xz or .zst. .parquet holds one per row: in one column (--column), or as the whole row. .sqlite holds one per thread
    (--thread).

    Documents go to stdout unless you name an --output. If that is a folder, each SRC gets a file of its own there. A
    SRC is never overwritten. Other files are overwritten only with --force.

    Documents that can't be converted are quarantined in OUTPUT.bad.jsonl, and the exit code is 3. When the output is
    stdout, only --bad keeps them.

    The converted documents and the loss report (--losses) rebuild the originals: see "agentmsg restore". With
    --carry, the documents keep their lost content themselves, and the report holds the rest.
    """
    job, run = Job(kind=Kind("json"), **taken(Job, how)), Run(**how)
    target = get_codec(job.codec, **dict(job.options))
    asks = {"model": model, "max_tokens": max_tokens}
    _check(target, asks, job)
    job = attrs.evolve(
        job,
        on_loss="error" if job.allow and job.on_loss == "report" else job.on_loss,
        asks=tuple((name, value) for name, value in asks.items() if value is not None),
        checks=job.checks and bool(target.rules) and job.on_loss != "ignore",
        rejected=None if rejected is None else _beside(rejected, run, target, verify=job.verify),
    )
    return run_job(job, run)


def _beside(rejected: str, run: Run, target: Codec, *, verify: bool) -> Source:
    """Return the file with the rejected answers, with its format."""
    if not target.pairs:
        msg = f"--rejected makes pairs, and {target.name} has none: see agentmsg guide training-data"
        raise click.UsageError(msg)
    if rejected == STANDARD or run.jobs > 1 or verify or len(found_in(run.files, quiet=True)) > 1:
        msg = "--rejected takes one SRC and one FILE, which isn't stdin, without --jobs and --verify"
        raise click.UsageError(msg)
    return with_format(run.of(rejected), run.limits, empty="")


def _check(target: Codec, asks: Mapping[str, Any], job: Job) -> None:
    """Refuse options that the format to write can't take, before any file is read."""
    if job.losses_key is not None and target.binary:
        msg = f"--losses-key needs JSON, and {target.name} is binary"
        raise click.UsageError(msg)
    if job.repair:
        check(History(), target)
    with_asked(History(), target, **asks)
