"""The progress of a run: a bar on a terminal, a line for each section elsewhere; both on stderr."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich import progress as bars
from rich.console import Console

if TYPE_CHECKING:
    from collections.abc import Generator

__all__ = ["Progress", "progress_of"]


class Progress:
    """Prints a line for each section that begins."""

    def __init__(self, sections: int) -> None:
        """Set the number of sections."""
        self.sections = sections
        self.begun = 0

    def begin(self, name: str) -> None:
        """Begin a section."""
        self.begun += 1
        print(f"{self.begun} of {self.sections}: {name}", file=sys.stderr, flush=True)

    def tell(self, done: int, most: int) -> None:
        """Update the number of finished runs of the section's current cases, and their highest number."""

    def end(self) -> None:
        """End a section before its table is printed."""


class _Bar(Progress):
    """A bar that moves."""

    def __init__(self, sections: int, bar: bars.Progress) -> None:
        super().__init__(sections)
        self._bar = bar
        self._all = bar.add_task("", total=sections, words="")
        self._now = bar.add_task("", total=None, words="")

    def begin(self, name: str) -> None:
        self._bar.update(self._all, completed=self.begun, words=f"{self.begun} of {self.sections} sections")
        self._bar.update(self._now, completed=0, total=None, words=name)
        self.begun += 1
        self._bar.start()

    def tell(self, done: int, most: int) -> None:
        self._bar.update(self._now, completed=done, total=most)

    def end(self) -> None:
        self._bar.stop()


@contextmanager
def progress_of(sections: int) -> Generator[Progress]:
    """Return the object that shows the progress of a run."""
    if not sys.stderr.isatty():
        yield Progress(sections)
        return
    columns = (
        bars.SpinnerColumn(),
        bars.BarColumn(),
        bars.TimeElapsedColumn(),
        bars.TextColumn("{task.fields[words]}", markup=False),
    )
    # It is gone whenever a table is printed, which may go elsewhere.
    bar = bars.Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False)
    try:
        yield _Bar(sections, bar)
    finally:
        bar.stop()
