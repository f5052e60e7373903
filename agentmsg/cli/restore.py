"""``agentmsg restore``: the originals of converted documents, rebuilt with their loss reports."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import attrs
import click

from agentmsg.api.joining import EACH
from agentmsg.cli.json_colours import screen
from agentmsg.cli.options import (
    codec_options,
    column_option,
    form_option,
    from_option,
    limits_option,
    output_option,
    quiet_option,
    to_option,
)
from agentmsg.cli.report import Lost
from agentmsg.cli.terminal import is_terminal, standard_in, standard_out
from agentmsg.errors import FileError
from agentmsg.files.file_names import STANDARD, Form, Kind, as_array, check_column, kind_of, written_kind
from agentmsg.files.restoring import Restoring
from agentmsg.registry import get_codec

if TYPE_CHECKING:
    from agentmsg.fitting.restore import Edits
    from agentmsg.limits import Limits

__all__ = ["command"]

_EXAMPLES = """\b
Examples:
  agentmsg restore out.json losses.jsonl
  agentmsg restore out.jsonl losses.jsonl -o original.jsonl
  agentmsg restore out.json losses.jsonl -t openai --pretty
  agentmsg restore carrying.json -o original.json
  agentmsg restore edited.json losses.jsonl --edits keep
"""


_edits_option = click.option(
    "--edits",
    type=click.Choice(["refuse", "keep"]),
    default="refuse",
    show_default=True,
    help="Refuse documents that were edited since, or keep the edits and restore the rest.",
)


@click.command("restore", short_help="Rebuild the originals of converted documents.", epilog=_EXAMPLES)
@click.argument("converted", metavar="CONVERTED")
@click.argument("accounts", metavar="[LOSSES]", required=False)
@output_option("The file to write")
@to_option("The format to write (default: the one named in LOSSES).")
@from_option("The format of CONVERTED (default: the one named in LOSSES, or detected).")
@codec_options
@form_option
@column_option
@_edits_option
@limits_option
@click.option("--array", is_flag=True, help="Write all documents as one JSON array.")
@click.option("--pretty", is_flag=True, help="Indent the JSON.")
@quiet_option
def command(
    *,
    converted: str,
    accounts: str | None,
    output: str,
    force: bool,
    codec: str | None,
    source: str | None,
    options: tuple[tuple[str, Any], ...],
    form: Form | None,
    column: str | None,
    edits: Edits,
    limits: Limits,
    array: bool,
    pretty: bool,
    quiet: bool,
) -> None:
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
    kind = kind_of(converted, "json", column, form=form)
    usual: Form = "msgpack" if codec is not None and get_codec(codec).binary else _usual(kind.form)
    target_kind = written_kind(output, "json" if array else usual, column)
    check_column(column, kind, target_kind)
    if array:
        target_kind = as_array(target_kind)
    _check_output(output, target_kind, pretty=pretty)
    # A terminal gets the readable form.
    is_shown = output == STANDARD and is_terminal(sys.stdout)
    lost = Lost()
    Restoring(
        converted=converted,
        kind=kind,
        accounts=accounts,
        # Lines, whatever the file is called.
        accounts_kind=attrs.evolve(kind_of(accounts or STANDARD, "jsonl"), form="jsonl"),
        source=None if source == EACH else source,
        codec=codec,
        options=options,
        edits=edits,
        limits=limits,
        target=output,
        target_kind=target_kind,
        pretty=pretty or is_shown,
        force=force,
    ).run(standard_in, screen if is_shown else standard_out, lost.add)
    if not quiet:
        lost.tell()


def _check_output(output: str, kind: Kind, *, pretty: bool) -> None:
    if pretty and kind.form != "json":
        msg = f"{output}: --pretty needs a .json file with one document"
        raise FileError(msg, code="form")
    if output == STANDARD and kind.form == "msgpack" and is_terminal(sys.stdout):
        msg = "won't write binary data to a terminal: name a file with -o"
        raise click.UsageError(msg)


def _usual(form: Form) -> Form:
    return "json" if form == "json" else "jsonl"
