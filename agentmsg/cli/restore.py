"""``agentmsg restore``: the original of a converted document, with the help of its account."""

from __future__ import annotations

import click

from agentmsg.account import account
from agentmsg.account_lines import from_lines
from agentmsg.cli.disk import STANDARD, read_file
from agentmsg.cli.writing import Target, output_options, report
from agentmsg.conversion import loads, restore

__all__ = ["command"]


@click.command("restore", short_help="Give back the original of a converted document.")
@click.argument("file", metavar="FILE")
@click.argument("account_file", metavar="LOSSES")
@click.option("--from", "source", metavar="CODEC", help="The format of FILE; else the one that LOSSES names.")
@output_options
def command(
    *,
    file: str,
    account_file: str,
    source: str | None,
    codec: str,
    output: str,
    options: tuple[str, ...],
    pretty: bool,
) -> None:
    """Give back the original of a converted document.

    FILE is what "agentmsg convert" wrote, LOSSES the account that it wrote with --losses. With the format of
    the original after --to this is the same JSON value, and the same bytes where the original was compact
    JSON with its keys in the order in which agentmsg writes them. Messages added at the end of FILE are kept;
    any other change is refused.
    """
    if file == account_file == STANDARD:
        msg = "only one of FILE and LOSSES can be stdin"
        raise click.UsageError(msg)
    target = Target.of(codec, output, options, pretty=pretty)
    losses = from_lines(read_file(account_file).splitlines())
    converted = loads(read_file(file), source or losses.codec, duplicates="error")
    fitted = target.fit(restore(converted, losses))
    target.save(target.render(fitted.history))
    if fitted.history is not fitted.source:
        report(account(fitted))
