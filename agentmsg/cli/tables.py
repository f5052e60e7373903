"""Tables on the terminal, by rich; every cell is escaped, never read as markup."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from agentmsg.cli.terminal import has_colours, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

# Without a window, no cell is cut.
_WIDE = 10_000


def terminal() -> Console:
    """Return a console for stdout: coloured for a terminal, plain and as wide as necessary for a file or a pipe."""
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
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim", show_edge=False)
    for index, column in enumerate(columns):
        table.add_column(column, justify="left" if index < words else "right", overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    screen = terminal()
    screen.print(Text(f"\n{title}", style="bold"))
    screen.print(table)
