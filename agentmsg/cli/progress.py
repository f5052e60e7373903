"""Progress of a run: a bar on a terminal, an occasional line elsewhere, nothing for short runs."""

from __future__ import annotations

import sys
from contextlib import ExitStack, contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any

from agentmsg.cli.terminal import has_colours, is_terminal, say, standard_in
from agentmsg.errors import FileError
from agentmsg.files.file_names import STANDARD
from agentmsg.files.storage import place_of

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

# Less than this is done before anybody could look.
_SMALL = 4 << 20
# Seconds until the first report, if the total is unknown; and between two lines.
_SOON, _EVERY = 1.0, 10.0
_MEGABYTE = 1_000_000


def size_of(names: Iterable[str]) -> int | None:
    """Return the total size of files in bytes; None if unknown, because one is a stream."""
    total = 0
    for name in names:
        try:
            if name == STANDARD or place_of(name).is_stream(name):
                return None
            total += place_of(name).size(name) or 0
        except FileError:
            continue  # reported on opening it
    return total


class Progress:
    """Takes reports of a run's progress; shows nothing."""

    def __call__(self, size: int, documents: int) -> None:
        """Report the bytes read and documents done."""

    def share(self, done: float, words: str) -> None:
        """Report the current step and the share done, for work not measured in bytes."""


@contextmanager
def progress_of(total: int | None, *, quiet: bool) -> Generator[Progress]:
    """Open a progress display on stderr.

    Args:
        total: number of bytes to read; None if unknown.
        quiet: whether to show nothing.
    """
    is_small = total is not None and total < _SMALL
    if quiet or is_small or (total is None and _is_typed()):
        yield Progress()
    elif is_terminal(sys.stderr):
        with ExitStack() as stack:
            yield _Bar(total, stack)
    else:
        yield _Lines(total)


def _is_typed() -> bool:
    try:
        return is_terminal(standard_in())
    except FileError:
        return True


class _Bar(Progress):
    """A bar that moves on a terminal, and disappears at the end."""

    def __init__(self, total: int | None, stack: ExitStack) -> None:
        self._total = total
        self._stack = stack
        self._began = monotonic()
        self._bar: Any = None
        self._task: Any = None

    def __call__(self, size: int, documents: int) -> None:
        if self._total is not None:
            self._shown().update(self._task, completed=size, words=f"{documents:,} documents")
        elif monotonic() - self._began > _SOON:
            self._shown().update(self._task, words=f"{size / _MEGABYTE:,.1f} MB, {documents:,} documents")

    def share(self, done: float, words: str) -> None:
        total = self._total or 1
        self._shown().update(self._task, total=total, completed=done * total, words=words)

    def _shown(self) -> Any:
        if self._bar is None:
            from rich import progress as rich  # noqa: PLC0415 - slow to import, and not for small files
            from rich.console import Console  # noqa: PLC0415

            known = (rich.TaskProgressColumn(), rich.DownloadColumn(), rich.TransferSpeedColumn())
            columns = (
                rich.BarColumn(bar_width=None),
                *(known if self._total is not None else ()),
                rich.TimeRemainingColumn() if self._total is not None else rich.TimeElapsedColumn(),
                rich.TextColumn("{task.fields[words]}", markup=False),
            )
            screen = Console(stderr=True, color_system="auto" if has_colours(sys.stderr) else None)
            self._bar = self._stack.enter_context(rich.Progress(*columns, console=screen, transient=True))
            self._task = self._bar.add_task("", total=self._total, words="")
        return self._bar


class _Lines(Progress):
    """An occasional line, for logs."""

    def __init__(self, total: int | None) -> None:
        self._total = total
        self._began = self._last = monotonic()

    def __call__(self, size: int, documents: int) -> None:
        now = monotonic()
        if now - self._last < _EVERY:
            return
        self._last = now
        rate = size / (now - self._began) / _MEGABYTE
        words = f"{documents:,} documents, {rate:.1f} MB/s"
        if self._total:
            left = f", {(self._total - size) / _MEGABYTE / rate:.0f} s left" if rate else ""
            words = f"{min(size / self._total, 1):.0%}: {words}{left}"
        say(words)

    def share(self, done: float, words: str) -> None:
        now = monotonic()
        if now - self._last >= _EVERY:
            self._last = now
            say(f"{done:.0%}: {words}")
