"""``agentmsg restore``: the originals of converted documents, with the help of their accounts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from agentmsg._registry import get_codec
from agentmsg.cli.options import CODEC, codec_options
from agentmsg.cli.telling import tell_losses
from agentmsg.cli.terminal import is_terminal, standard_in, standard_out
from agentmsg.errors import FileError
from agentmsg.files.names import STANDARD, Form, as_array, kind_of
from agentmsg.files.restoring import Restoring

if TYPE_CHECKING:
    from agentmsg.losses import Losses

__all__ = ["command"]

_EXAMPLES = """\b
Examples:
  agentmsg restore out.json account.jsonl
  agentmsg restore out.jsonl account.jsonl original.jsonl
  agentmsg restore out.json account.jsonl --to openai --pretty
  agentmsg restore carrying.json > original.json
"""


@click.command("restore", short_help="Give back the originals of converted documents.", epilog=_EXAMPLES)
@click.argument("converted", metavar="OUT")
@click.argument("accounts", metavar="[LOSSES]", required=False)
@click.argument("target", metavar="[DST]", default=STANDARD)
@click.option(
    "--to",
    "codec",
    type=CODEC,
    help="The format to write; else the one that the account names.",
)
@click.option(
    "--from",
    "source",
    type=CODEC,
    help="The format of OUT; else the one that LOSSES names, or is detected.",
)
@codec_options
@click.option(
    "--form", type=click.Choice(["json", "jsonl", "msgpack"]), help="What files hold whose names do not tell, and -."
)
@click.option("--split", is_flag=True, help="Read OUT as a JSON array of many documents.")
@click.option("--array", is_flag=True, help="Write a JSON array of all documents.")
@click.option("--pretty", is_flag=True, help="Indent JSON for people to read.")
def command(
    *,
    converted: str,
    accounts: str | None,
    target: str,
    codec: str | None,
    source: str | None,
    options: tuple[tuple[str, Any], ...],
    form: Form | None,
    split: bool,
    array: bool,
    pretty: bool,
) -> None:
    """Give back the originals of converted documents.

    OUT is what "agentmsg convert" wrote, LOSSES the account that it wrote with --losses. This gives the same JSON
    values, and the same bytes where the originals were compact JSON with their keys in the order in which agentmsg
    writes them. Messages added at the end of a document are kept; any other change is refused.

    Without LOSSES, what the documents carry themselves ("agentmsg convert --carry") is given back: all content, but
    not ids, times and the like. OUT's format is detected then.
    """
    if converted == accounts == STANDARD:
        msg = "only one of OUT and LOSSES can be stdin"
        raise click.UsageError(msg)
    kind = kind_of(converted, form or "json")
    if split:
        kind = as_array(kind)
    usual: Form = "msgpack" if codec is not None and get_codec(codec).binary else _usual(kind.form)
    target_kind = kind_of(target, "json" if array else usual)
    if array:
        target_kind = as_array(target_kind)
    if pretty and target_kind.form != "json":
        msg = f"{target}: only a .json file of one document can be pretty"
        raise FileError(msg, code="form")
    Restoring(
        converted=converted,
        kind=kind,
        accounts=accounts,
        accounts_kind=kind_of(accounts or STANDARD, "jsonl"),
        source=source,
        codec=codec,
        options=options,
        target=target,
        target_kind=target_kind,
        pretty=pretty,
    ).run(standard_in, standard_out, _tell)
    if target == STANDARD:
        out = standard_out()
        if is_terminal(out) and target_kind.form == "json" and not pretty:
            out.write(b"\n")


def _usual(form: Form) -> Form:
    return "json" if form == "json" else "jsonl"


def _tell(number: int, losses: Losses) -> None:
    del number
    tell_losses(losses)
