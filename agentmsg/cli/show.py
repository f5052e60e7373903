"""``agentmsg show``: a conversation to look at, in the terminal or as a page of HTML."""

from __future__ import annotations

import shutil
import sys
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from agentmsg.cli.disk import STANDARD, write_file
from agentmsg.cli.reading import documents_of, history_of
from agentmsg.cli.terminal import say, write_bytes
from agentmsg.errors import DecodeError
from agentmsg.show.view import Lengths, View, view_of

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["command"]

_EXAMPLES = """\b
Examples:
  agentmsg show history.json
  agentmsg show runs.jsonl --index 3 --all | less
  agentmsg show history.json --html history.html
"""
# What a terminal shows of each text and of each argument, result or value; and a page, which folds.
_IN_TERMINALS = Lengths(text=8_000, detail=1_500)
_ON_PAGES = Lengths(text=500_000, detail=100_000)
_WIDTH = 80


@click.command("show", short_help="Show a conversation in the terminal, or make a page of it.", epilog=_EXAMPLES)
@click.argument("file", metavar="FILE")
@click.option("--index", type=click.IntRange(min=0), default=0, metavar="N", help="Which document of a .jsonl; from 0.")
@click.option("--from", "source", metavar="CODEC", help="The format of FILE; detected by default.")
@click.option("--html", "output", metavar="OUT", help="Write a page of HTML there instead; - means stdout.")
@click.option("--width", type=click.IntRange(min=20), metavar="N", help="Columns of text; by default the window's.")
@click.option("--all", "uncut", is_flag=True, help="Show everything, however long; else long texts are cut.")
def command(*, file: str, index: int, source: str | None, output: str | None, width: int | None, uncut: bool) -> None:
    r"""Show a conversation in the terminal, or make a page of it.

    Roles, texts, thinking, each tool call with its result, media, citations and usage. What data says is never
    obeyed: control characters, text directions and what has no width stand there as escapes such as \x1b. The
    page is one file that needs no network and no script.
    """
    drawing = _drawing("terminal", "rich", "cli") if output is None else _drawing("page", "jinja2", "html")
    history = history_of(_document(file, index), source)
    lengths = Lengths() if uncut else _IN_TERMINALS if output is None else _ON_PAGES
    title = None if file == STANDARD else Path(file).name
    view = view_of(history, title=title, lengths=lengths)
    if output is not None:
        write_file(output, drawing.page(view).encode())
    else:
        _print(drawing, view, width)


def _drawing(module: str, package: str, extra: str) -> ModuleType:
    """Return the module that draws; where a package is missing say so, and stop."""
    try:
        return import_module(f"agentmsg.show.{module}")
    except ModuleNotFoundError as error:
        if error.name not in {package, "markdown_it"}:
            raise
        say(f"this needs a package more: pip install 'agentmsg[{extra}]'")
        sys.exit(2)


def _document(file: str, index: int) -> bytes:
    documents = documents_of(file)
    chosen = next(islice(documents, index, None), None)
    if chosen is None:
        msg = f"there is no document {index}: count from 0"
        raise DecodeError(msg, code="required")
    more = sum(1 for _ in documents)
    if more or index:
        say(f"document {index}, the last is {index + more}")
    return chosen


def _print(drawing: Any, view: View, width: int | None) -> None:
    from rich.console import Console  # noqa: PLC0415 - may be missing, see _drawing

    # Only whether there are colours is taken from this console.
    system = Console(file=sys.stdout).color_system
    colours = None if system == "windows" else system
    columns = width or shutil.get_terminal_size((_WIDTH, 24)).columns
    encoding = sys.stdout.encoding or "utf-8"
    write_bytes(drawing.text(view, width=columns, colours=colours).encode(encoding, "backslashreplace"))
