"""``agentmsg restore``: the originals of converted documents, rebuilt with their loss reports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from agentmsg.cli.options import (
    at_option,
    codec_options,
    column_option,
    form_option,
    from_option,
    limits_option,
    losses_key_option,
    output_option,
    to_option,
)
from agentmsg.cli.running import Run, run_job, running_options, taken
from agentmsg.files.accounts import Accounts
from agentmsg.files.file_names import STANDARD, Kind, lines_kind
from agentmsg.files.finding import expand
from agentmsg.files.job import Job
from agentmsg.files.storage import place_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmsg.fitting.weaving import Edits

_EXAMPLES = """\b
Examples:
  agentmsg restore out.json losses.jsonl
  agentmsg restore out.jsonl losses.jsonl -o original.jsonl
  agentmsg restore out.json losses.jsonl -t openai --pretty
  agentmsg restore carrying.json -o original.json
  agentmsg restore edited.json losses.jsonl --edits keep
"""


@click.command("restore", short_help="Rebuild the originals of converted documents.", epilog=_EXAMPLES)
@click.argument("converted", metavar="CONVERTED")
@click.argument("accounts", metavar="[LOSSES]", required=False)
@output_option("The file or folder to write")
@to_option("The format to write (default: the one named in LOSSES).")
@from_option("The format of CONVERTED (default: the one named in LOSSES, or detected).")
@codec_options
@form_option
@at_option
@column_option
@click.option(
    "--edits",
    type=click.Choice(["refuse", "keep"]),
    default="refuse",
    show_default=True,
    help="Refuse documents that were edited since, or keep the edits and restore the rest.",
)
@limits_option
@losses_key_option("Read each document's loss report from it: it is a text under this key.")
@running_options
def command(
    *,
    converted: str,
    accounts: str | None,
    codec: str | None,
    edits: Edits,
    losses_key: str | None,
    **how: Any,
) -> int:
    """Rebuild the originals of converted documents.

    CONVERTED is the output of "agentmsg convert", and LOSSES is the report that it wrote with --losses. The JSON values
    are the same as before. So are the bytes, if the originals were compact JSON with their keys in the order in which
    agentmsg writes them. You may add messages at the end of a document. Any other change is refused, unless you pass
    --edits keep; but what a program adds when it loads and saves a document, such as ids and times, is no change.

    Without LOSSES, this restores the content that --carry kept in the documents. Neither file is ever overwritten.
    """
    if converted == accounts == STANDARD:
        msg = "only one of CONVERTED and LOSSES can be stdin"
        raise click.UsageError(msg)
    if accounts is not None and losses_key is not None:
        msg = "loss reports are in LOSSES or, with --losses-key, in CONVERTED"
        raise click.UsageError(msg)
    restores = Accounts(files=tuple(_files(accounts)), key=losses_key, edits=edits)
    job = Job(kind=Kind("json"), codec=codec or "", restores=restores, **taken(Job, how))
    return run_job(job, Run(files=(converted,), **how))


def _files(accounts: str | None) -> Iterator[tuple[str, Kind, int | None]]:
    """Yield the files of loss reports: lines, whatever they are called."""
    for path, _ in () if accounts is None else expand([accounts]):
        is_stream = path == STANDARD or place_of(path).is_stream(path)
        yield path, lines_kind(path), None if is_stream else place_of(path).size(path)
