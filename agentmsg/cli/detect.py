"""``agentmsg detect``: what format a file has."""

from __future__ import annotations

from typing import Any

import attrs
import click

from agentmsg.cli.reading import Formats, formats_of
from agentmsg.cli.terminal import aligned, say, write_bytes
from agentmsg.errors import AgentMsgError, FileError
from agentmsg.json_text import dump_json

__all__ = ["command"]

_EXAMPLES = """\b
Examples:
  agentmsg detect history.json
  agentmsg detect logs/*.json --json
  curl -s https://example.org/chat.json | agentmsg detect -
"""


_NONE = Formats(scores=())


@attrs.frozen
class _Found:
    """The formats that a file may have, or why it cannot be read."""

    file: str
    formats: Formats = _NONE
    error: AgentMsgError | None = None

    @property
    def words(self) -> str:
        words = ", ".join(f"{codec} {score:.2f}" for codec, score in self.formats.scores) or "unknown"
        return words if self.formats.codec or not self.formats.scores else f"unsure: {words}"

    def as_data(self) -> dict[str, Any]:
        formats = [{"codec": codec, "score": score} for codec, score in self.formats.scores]
        trouble = self.error or self.formats.trouble
        error = {} if trouble is None else {"error": {"code": trouble.code, "message": str(trouble)}}
        return {"file": self.file, "formats": formats, **error}


@click.command("detect", short_help="Tell what format files have.", epilog=_EXAMPLES)
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def command(ctx: click.Context, *, files: tuple[str, ...], as_json: bool) -> None:
    """Tell what format files have, with a score from 0 to 1; - means stdin.

    The exit code is 1 if a file cannot be read, or its format isn't recognised: no score reaches 0.8, or two formats
    score alike and read it differently.
    """
    found = [_look_at(name) for name in files]
    if as_json:
        write_bytes(dump_json([each.as_data() for each in found]) + b"\n")
    else:
        for line in aligned([(f"{each.file}:", each.words) for each in found]):
            click.echo(line)
    ctx.exit(0 if all(each.formats.codec for each in found) else 1)


def _look_at(name: str) -> _Found:
    try:
        found = _Found(name, formats_of(name))
    except AgentMsgError as error:
        # A FileError names the file itself.
        lead = "" if isinstance(error, FileError) else f"{name}: "
        say(f"error [{error.code}] {lead}{error}")
        return _Found(name, error=error)
    if found.formats.scores and not found.formats.codec:
        say(f"{name}: {found.formats.trouble}")
    return found
