"""A clock for tests of growth: processor time, no garbage collector, the best of several rounds, again if disturbed.

A test never asserts the seconds of one run: the collector of a process that has run thousands of tests takes half a
second at any moment, and other work on the machine takes as much as it wants.
"""

from __future__ import annotations

import gc
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["check_growth", "seconds_of"]


def seconds_of(work: Callable[[], Any], rounds: int = 3) -> float:
    """Return the least processor time of several rounds, in seconds."""
    best = float("inf")
    enabled = gc.isenabled()
    gc.disable()  # it visits every container ever made, so its cost isn't a property of this work
    try:
        for _ in range(rounds):
            start = time.process_time()
            work()
            best = min(best, time.process_time() - start)
    finally:
        if enabled:
            gc.enable()
    return best


def check_growth(
    work_of: Callable[[int], Callable[[], Any]], sizes: tuple[int, int], at_most: float, *, floor: float = 0.002
) -> None:
    """Check that work on a larger input takes at most some times as long, and try again if it was disturbed.

    Args:
        work_of: returns the work on an input of a size; preparing it isn't measured.
        sizes: the smaller and the larger size.
        at_most: the greatest ratio; a square cost must lie far above it.
        floor: seconds below which caches and clocks decide; a shorter time counts as this.
    """
    small, large = map(work_of, sizes)
    ratios: list[float] = []
    for _ in range(6):
        ratios.append(seconds_of(large) / max(seconds_of(small), floor))
        if ratios[-1] <= at_most:
            return
    raise AssertionError(ratios)
