"""``agentmsg detect``: what format a file has."""

from __future__ import annotations

import click

from agentmsg.cli.disk import read_file
from agentmsg.cli.terminal import aligned, say
from agentmsg.conversion import detect
from agentmsg.errors import AgentMsgError, FileError

__all__ = ["command"]


@click.command("detect", short_help="Tell what format files have.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.pass_context
def command(ctx: click.Context, *, files: tuple[str, ...]) -> None:
    """Tell what format files have, with a score from 0 to 1; - means stdin.

    The exit code is 1 if a file cannot be read, or is of no format that is known.
    """
    rows: list[tuple[str, str]] = []
    code = 0
    for name in files:
        try:
            found = _formats(name)
        except AgentMsgError as error:
            # A FileError names the file itself.
            lead = "" if isinstance(error, FileError) else f"{name}: "
            say(f"error [{error.code}] {lead}{error}")
            found, code = "", 1
        else:
            code = code if found else 1
        rows.append((f"{name}:", found or "unknown"))
    for line in aligned(rows):
        click.echo(line)
    ctx.exit(code)


def _formats(name: str) -> str:

    return ", ".join(f"{codec} {score:.2f}" for codec, score in detect(read_file(name)))
