"""``agentmsg detect``: the format of a file."""

from __future__ import annotations

from typing import Any

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
            write_json([_as_data(each) for each in found])
        else:
            click.echo("\n".join(aligned([(f"{each.file}:", _words(each)) for each in found])))
    lost = any(is_unreadable(each.trouble) and each.file not in files for each in found)
    return UNREADABLE if lost else int(not all(each.codec for each in found))


def _look_at(name: str, given: Input) -> Formats:
    """Return the formats that a file may have, or why it can't be read."""
    try:
        found = formats_of(name, given)
    except AgentMsgError as error:
        # A FileError names the file itself.
        lead = "" if isinstance(error, FileError) else f"{name}: "
        say(f"error [{error.code}] {lead}{error}", colour="red")
        return Formats(file=name, scores=(), trouble=error)
    trouble = found.trouble
    is_inside = isinstance(trouble, NotUnderstood) and bool(trouble.inside or trouble.parts)
    if trouble is not None and (found.scores or is_inside):
        say(f"{name}: {trouble}")
    return found


def _words(found: Formats) -> str:
    words = ", ".join(f"{codec} {score:.2f}" for codec, score in found.scores) or "unknown"
    if found.codec or not found.scores:
        return words
    return f"unsure: {words}" if found.scores[0][1] >= BAR else f"unsure: {words} (a guess)"


def _as_data(found: Formats) -> dict[str, Any]:
    formats = [{"codec": codec, "score": score} for codec, score in found.scores]
    trouble = found.trouble
    error = {} if trouble is None else {"error": {"code": trouble.code, "message": str(trouble)}}
    return {"file": found.file, "formats": formats, **error}
