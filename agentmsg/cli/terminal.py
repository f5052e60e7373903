"""Print text to the right stream, escaped because data may hold control characters."""

from __future__ import annotations

import io
import os
import sys
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import click

from agentmsg.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from rich.console import Console


# Values of TERM for terminals without colours.
_COLOURLESS = {"dumb", "unknown"}
# Without a window, no cell is cut.
_WIDE = 10_000


def printable(text: str) -> str:
    """Return a text with escapes for all that could control a terminal: controls, line ends, text direction."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def has_colours(stream: Any) -> bool:
    """Whether to use colours on a stream: a terminal with colours. NO_COLOR forbids and FORCE_COLOR forces them.

    Every command uses this rule.
    """
    if os.environ.get("NO_COLOR") or isinstance(stream, _Held):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (is_terminal(stream) and os.environ.get("TERM") not in _COLOURLESS)


def say(text: str, *, colour: str | None = None) -> None:
    """Print one line of status on stderr."""
    words = printable(text)
    is_coloured = colour is not None and has_colours(sys.stderr)
    click.echo(f"agentmsg: {click.style(words, fg=colour) if is_coloured else words}", err=True, color=is_coloured)


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows of cells as lines with aligned columns."""
    safe = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*safe, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in safe)
    return [line.rstrip() for line in lines]


def is_terminal(stream: Any) -> bool:
    """Whether somebody may be looking at a stream."""
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError):
        return False  # it is closed, or there is none


def standard_in() -> BinaryIO:
    """Return stdin.

    Raises:
        FileError: if it is closed.
    """
    return _bytes_of(sys.stdin, "stdin")


def standard_out() -> BinaryIO:
    """Return stdout.

    Raises:
        FileError: if it is closed.
    """
    return _bytes_of(sys.stdout, "stdout")


def _bytes_of(stream: Any, name: str) -> BinaryIO:
    if stream is None or getattr(stream, "closed", False):
        msg = f"{name} is closed"
        raise FileError(msg, code="file")
    buffer: BinaryIO = stream.buffer
    return buffer


def write_bytes(data: bytes) -> None:
    """Write bytes to stdout unchanged; on a terminal a line end follows, which isn't part of them."""
    stream = standard_out()
    stream.write(data)
    if stream.isatty() and not data.endswith(b"\n"):
        stream.write(b"\n")
    stream.flush()


class _Held(io.TextIOWrapper):
    """A stdout kept in memory."""


@contextmanager
def held_output() -> Generator[Callable[[], bytes]]:
    """Keep everything printed meanwhile; yields a function that returns it."""
    held = _Held(io.BytesIO(), encoding="utf-8", newline="")

    def printed() -> bytes:
        held.flush()
        return cast("io.BytesIO", held.buffer).getvalue()

    with redirect_stdout(held):
        yield printed


def abandon_output() -> None:
    """Discard what is still buffered, so that Python doesn't complain about a closed pipe at exit."""
    try:
        output = sys.stdout.fileno()
    except (OSError, ValueError):
        return  # stdout isn't a system file: nothing is buffered there
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, output)
    os.close(nowhere)


# -- by rich; every cell is escaped, never read as markup


def console() -> Console:
    """Return a console for stdout: coloured for a terminal, plain and as wide as necessary for a file or a pipe."""
    from rich.console import Console  # noqa: PLC0415 - slow to import, and may be missing, see program

    return Console(
        color_system="auto" if has_colours(sys.stdout) else None,
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=False,
        width=None if sys.stdout.isatty() else _WIDE,
    )


def show_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], *, words: int = 1) -> None:
    """Print a table.

    Args:
        title: is printed above.
        columns: their names.
        rows: a cell for each column.
        words: how many columns hold words, which are left-aligned; the others hold numbers, right-aligned.
    """
    from rich import box  # noqa: PLC0415 - as above
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim", show_edge=False)
    for index, column in enumerate(columns):
        table.add_column(column, justify="left" if index < words else "right", overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    screen = console()
    screen.print(Text(f"\n{title}", style="bold"))
    screen.print(table)
