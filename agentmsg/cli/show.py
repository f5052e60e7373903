"""``agentmsg show``: a conversation in the terminal or as a web page."""

from __future__ import annotations

import shutil
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import click

from agentmsg.cli.options import quiet_option, reading_options
from agentmsg.cli.output import Output, check_ending, printing
from agentmsg.cli.reading import history_at
from agentmsg.cli.terminal import has_colours, say, write_bytes
from agentmsg.files.file_names import STANDARD
from agentmsg.files.plan import Input
from agentmsg.show.view import Lengths, view_of

if TYPE_CHECKING:
    from agentmsg.show.view import View

_EXAMPLES = """\b
Examples:
  agentmsg show history.json
  agentmsg show runs.jsonl --index 3 --all | less
  agentmsg show history.json -o history.html
"""
# How much a terminal shows of each text, and of each argument, result or value; and a page, which folds.
_IN_TERMINALS = Lengths(text=8_000, detail=1_500)
_ON_PAGES = Lengths(text=500_000, detail=100_000)
_WIDTH = 80
_PAGES = (".html", ".htm", ".xhtml")


@click.command("show", epilog=_EXAMPLES)
@click.argument("file", metavar="FILE")
@printing("The file to write: .txt, or .html for a page", (".txt", *_PAGES))
@reading_options('The format of FILE, or "each" for that of the shown document alone (default: detected).')
@click.option(
    "--index", type=click.IntRange(min=0), default=0, metavar="N", help="Which document of the file, counted from 0."
)
@click.option("--html", "page", metavar="FILE", help="Write a web page here instead (- for stdout).")
@click.option(
    "--width", type=click.IntRange(min=20), metavar="N", help="Columns of text (default: the width of the window)."
)
@click.option("--all", "uncut", is_flag=True, help="Show everything; by default long texts are cut.")
@quiet_option
def command(
    *,
    file: str,
    out: Output,
    index: int,
    page: str | None,
    width: int | None,
    uncut: bool,
    quiet: bool,
    **how: Any,
) -> None:
    r"""Show a conversation in the terminal or as a web page.

    You see roles, text, thinking, media, citations, usage, and each tool call with its result. Control characters,
    direction marks and invisible characters appear as escapes such as \x1b, so data can't play tricks. A page is one
    HTML file without scripts, and it loads nothing from the network.
    """
    out, is_page = _target(out, page)
    out.check([file])
    history, is_one_of_many = history_at(file, index, Input(**how))
    if is_one_of_many and not quiet:
        say(f"document {index}; --index N shows another")
    lengths = Lengths() if uncut else _ON_PAGES if is_page else _IN_TERMINALS
    title = None if file == STANDARD else Path(file).name
    view = view_of(history, title=title, lengths=lengths)
    if is_page:
        # Imported late: program says what to install if a package is missing.
        out.write(import_module("agentmsg.show.page").page(view).encode())
    else:
        with out.printed():
            _print(view, width)


def _target(out: Output, page: str | None) -> tuple[Output, bool]:
    """Return the file to write, and whether it is a page."""
    if page is None:
        return out, check_ending(out.name, (".txt", *_PAGES)) in _PAGES
    if out.name != STANDARD:
        msg = "use either --output or --html: both name the file to write"
        raise click.UsageError(msg)
    check_ending(page, _PAGES)
    return attrs.evolve(out, name=page), True


def _print(view: View, width: int | None) -> None:
    from rich.console import Console  # noqa: PLC0415 - may be missing, see program

    from agentmsg.show.terminal import COLOURS, text  # noqa: PLC0415 - the same

    # Use this console only to find out whether there are colours; old Windows terminals are unknown.
    colours = COLOURS.get(Console(file=sys.stdout).color_system or "") if has_colours(sys.stdout) else None
    columns = width or shutil.get_terminal_size((_WIDTH, 24)).columns
    shown = text(view, width=columns, colours=colours)
    write_bytes(shown.encode(sys.stdout.encoding or "utf-8", "backslashreplace"))
