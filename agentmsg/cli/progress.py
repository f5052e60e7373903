"""How far a run is: a bar on a terminal, a line now and then elsewhere, nothing for what is done at once."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, TypeAlias

from agentmsg.cli.terminal import is_terminal, say

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from agentmsg.files.plan import Target

__all__ = ["progress_of"]

Progress: TypeAlias = "Callable[[int, int], None]"
# Less than this is done before anybody could look.
_SMALL = 4 << 20
# Seconds between two lines where there is no terminal.
_EVERY = 10.0
_MEGABYTE = 1_000_000


@contextmanager
def progress_of(targets: Sequence[Target], *, quiet: bool) -> Generator[Progress]:
    """Give a function that is told how many bytes are read and documents written, and shows it on stderr."""
    total = sum(source.size or 0 for target in targets for source in target.sources)
    if quiet or total < _SMALL:
        yield lambda size, documents: None
    elif is_terminal(sys.stderr):
        with _bar(total) as progress:
            yield progress
    else:
        yield _lines(total)


@contextmanager
def _bar(total: int) -> Generator[Progress]:
    from rich import progress as rich  # noqa: PLC0415 - slow to import, and not for small files
    from rich.console import Console  # noqa: PLC0415

    columns = (
        rich.BarColumn(bar_width=None),
        rich.TaskProgressColumn(),
        rich.DownloadColumn(),
        rich.TransferSpeedColumn(),
        rich.TimeRemainingColumn(),
        rich.TextColumn("{task.fields[documents]:,} documents"),
    )
    with rich.Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total, documents=0)
        yield lambda size, documents: bar.update(task, completed=size, documents=documents)


def _lines(total: int) -> Progress:
    began = last = monotonic()

    def progress(size: int, documents: int) -> None:
        nonlocal last
        now = monotonic()
        if now - last >= _EVERY:
            last = now
            rate = size / (now - began) / _MEGABYTE
            left = (total - size) / _MEGABYTE / rate
            say(f"{size / total:.0%}: {documents:,} documents, {rate:.0f} MB/s, {left:.0f} s left")

    return progress
