"""``agentmsg detect``: the format of a file."""

from __future__ import annotations

from typing import Any

import attrs
import click

from agentmsg.cli.options import at_option, column_option, form_option, limits_option
from agentmsg.cli.output import Output, reporting, write_json
from agentmsg.cli.reading import Formats, formats_of
from agentmsg.cli.report import UNREADABLE, found_in, is_unreadable
from agentmsg.cli.terminal import aligned, say
from agentmsg.errors import AgentMsgError, FileError, NotUnderstood
from agentmsg.files.plan import Input
from agentmsg.formats.understanding import BAR

_EXAMPLES = """\b
Examples:
  agentmsg detect history.json
  agentmsg detect logs/*.json --json
  curl -s https://example.org/chat.json | agentmsg detect -
"""


@attrs.frozen
class _Found:
    """The formats that a file may have, or why it can't be read."""

    file: str
    formats: Formats

    @property
    def words(self) -> str:
        words = ", ".join(f"{codec} {score:.2f}" for codec, score in self.formats.scores) or "unknown"
        if self.formats.codec or not self.formats.scores:
            return words
        return f"unsure: {words}" if self.formats.scores[0][1] >= BAR else f"unsure: {words} (a guess)"

    def as_data(self) -> dict[str, Any]:
        formats = [{"codec": codec, "score": score} for codec, score in self.formats.scores]
        trouble = self.formats.trouble
        error = {} if trouble is None else {"error": {"code": trouble.code, "message": str(trouble)}}
        return {"file": self.file, "formats": formats, **error}


@click.command("detect", short_help="Detect the format of files.", epilog=_EXAMPLES)
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path())
@reporting
@form_option
@at_option
@column_option
@limits_option
def command(
    *,
    files: tuple[str, ...],
    out: Output,
    **how: Any,
) -> int:
    """Detect the format of files, with a score from 0 to 1.

    FILE is a file, a folder or a pattern of files, or - for stdin.

    A format is recognised if its score reaches 0.8, and no other format with a similar score reads the file
    differently. The exit code is 1 if a file can't be read or its format isn't recognised, and 3 if a file of a folder
    can't be read.
    """
    names = found_in(files, quiet=False)
    out.check(names)
    found = [_look_at(name, Input(**how)) for name in names]
    with out.printed():
        if out.as_json:
            write_json([each.as_data() for each in found])
        else:
            for line in aligned([(f"{each.file}:", each.words) for each in found]):
                click.echo(line)
    lost = any(is_unreadable(each.formats.trouble) and each.file not in files for each in found)
    return UNREADABLE if lost else int(not all(each.formats.codec for each in found))


def _look_at(name: str, given: Input) -> _Found:
    try:
        found = _Found(name, formats_of(name, given))
    except AgentMsgError as error:
        # A FileError names the file itself.
        lead = "" if isinstance(error, FileError) else f"{name}: "
        say(f"error [{error.code}] {lead}{error}", colour="red")
        return _Found(name, Formats(scores=(), trouble=error))
    trouble = found.formats.trouble
    is_inside = isinstance(trouble, NotUnderstood) and bool(trouble.inside or trouble.parts)
    if trouble is not None and (found.formats.scores or is_inside):
        say(f"{name}: {trouble}")
    return found
