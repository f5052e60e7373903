"""``agentmsg convert``: one document from one format into another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from agentmsg.account import account
from agentmsg.account_lines import to_lines
from agentmsg.cli.disk import read_file, write_file
from agentmsg.cli.terminal import say
from agentmsg.cli.writing import Target, output_options, report
from agentmsg.conversion import detect, loads
from agentmsg.errors import DecodeError, LossError

if TYPE_CHECKING:
    from agentmsg.losses import Losses

__all__ = ["command"]


@click.command("convert", short_help="Convert one document, and account for what is lost.")
@click.argument("file", metavar="FILE")
@click.option("--from", "source", metavar="CODEC", help="The format of FILE; detected by default.")
@output_options
@click.option(
    "--on-loss",
    type=click.Choice(["report", "error", "ignore"]),
    default="report",
    show_default=True,
    help="Tell what is lost, refuse to lose content (exit code 3), or keep silent.",
)
@click.option("--losses", "account_file", metavar="FILE", help="Write the account of all losses there.")
def command(
    *,
    file: str,
    source: str | None,
    codec: str,
    output: str,
    options: tuple[str, ...],
    pretty: bool,
    on_loss: str,
    account_file: str | None,
) -> None:
    """Convert one document, and account for what is lost.

    FILE is a document of any format that "agentmsg formats" lists; - means stdin. The account and the
    converted document together give the original again: see "agentmsg restore".
    """
    if account_file is not None and account_file == output:
        msg = "--losses and --output name the same file"
        raise click.UsageError(msg)
    target = Target.of(codec, output, options, pretty=pretty)
    raw = read_file(file)
    history = loads(raw, source or _detected(raw), duplicates="error")
    fitted = target.fit(history)
    losses = account(fitted)
    if on_loss == "error":
        _refuse_content_losses(losses)
    data = target.render(fitted.history)
    # The account first: should we be stopped between, there is no document without its account.
    if account_file is not None:
        # Bound to what readers will find: what is written may leave out ids that agentmsg made.
        lines = to_lines(losses, loads(data, target.codec))
        write_file(account_file, b"".join(line + b"\n" for line in lines))
    target.save(data)
    if on_loss != "ignore":
        report(losses)


def _detected(raw: bytes) -> str:
    """Return the name of the one format that a document most looks like, and say so."""
    found = detect(raw)
    if not found:
        msg = "no format is recognised; name it with --from (agentmsg formats lists all)"
        raise DecodeError(msg)
    best = [name for name, score in found if score == found[0][1]]
    if len(best) > 1:
        msg = f"this may be {' or '.join(best)}; say which with --from"
        raise DecodeError(msg)
    say(f"read as {best[0]}")
    return best[0]


def _refuse_content_losses(losses: Losses) -> None:
    content = losses.content
    if content:
        report(losses)
        msg = "content would be lost, so nothing is written"
        raise LossError(msg, codec=losses.codec, losses=content)
