"""The one timer: every competitor does its work on fresh input in every round, rounds interleaved.

So a slow moment of the machine hits all alike. The collector is on, and runs once before each
run. What a run needs (fresh bytes, freshly decoded objects) is made, and what it gives is freed, outside
of the time. Imports nothing of the project.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Mapping
from operator import add
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter_ns
from typing import Any

import attrs

__all__ = ["Case", "Times", "copy_all", "copy_bytes", "do_each", "interleave", "interleave_processes", "kept_bytes"]


@attrs.frozen
class Case:
    """One thing to time: ``run`` gets what ``fresh`` made for this round."""

    fresh: Callable[[], Any]
    run: Callable[[Any], Any]


@attrs.frozen
class Times:
    """Nanoseconds of all runs of one case."""

    runs: tuple[int, ...]

    def best(self, count: int = 1) -> float:
        """Return the shortest run in microseconds, divided by ``count``."""
        return min(self.runs) / count / 1000

    def middle(self, count: int = 1) -> float:
        """Return the median run in microseconds, divided by ``count``."""
        return median(self.runs) / count / 1000

    def each(self, count: int) -> Times:
        """Return the runs divided by a number, where those of several cases did so many things."""
        return Times(tuple(run // count for run in self.runs))

    def plus(self, other: Times) -> Times:
        """Return the sums of the runs of each round."""
        return Times(tuple(map(add, self.runs, other.runs)))

    def beside(self, other: Times) -> float:
        """Return the median, over the rounds, of this run divided by the other's run of the same round.

        Where a machine is slow for seconds at a time, the two best runs may come from different moments; the two
        runs of one round do not.
        """
        return median(one / two for one, two in zip(self.runs, other.runs, strict=True))


def copy_bytes(raw: bytes) -> bytes:
    """Return equal bytes that nobody has seen before."""
    return bytes(bytearray(raw))


def copy_all(raws: list[bytes]) -> list[bytes]:
    """Return equal documents that nobody has seen before."""
    return list(map(copy_bytes, raws))


def do_each(work: Callable[[Any], Any], given: list[Any]) -> list[Any]:
    """Do some work on each of what is given."""
    return [work(one) for one in given]


def _timed(case: Case) -> int:
    # Before the input is made, not after: walking the whole heap would leave it cold, and a slow memory would be timed.
    gc.collect()
    given = case.fresh()
    start = perf_counter_ns()
    kept = case.run(given)
    spent = perf_counter_ns() - start
    del kept, given
    return spent


def interleave(cases: Mapping[str, Case], rounds: int) -> dict[str, Times]:
    """Run all cases ``rounds`` times, each round beginning with another one.

    Before that each runs once, uncounted.
    """
    for case in cases.values():
        _timed(case)
    names = list(cases)
    runs: dict[str, list[int]] = {name: [] for name in names}
    for number in range(rounds):
        turn = number % len(names) if names else 0
        for name in names[turn:] + names[:turn]:
            runs[name].append(_timed(cases[name]))
    return {name: Times(tuple(spent)) for name, spent in runs.items()}


def interleave_processes(statements: Mapping[str, str], rounds: int) -> dict[str, Times]:
    """Time whole interpreters that each run one statement, interleaved.

    The first start of each, uncounted, compiles what it imports into a cache of their own: a checkout may have none.
    """
    with TemporaryDirectory() as cache:
        env = os.environ | {
            "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry),
            "PYTHONPYCACHEPREFIX": cache,
        }
        env.pop("PYTHONDONTWRITEBYTECODE", None)

        def starter(statement: str) -> Callable[[Any], Any]:
            command = [sys.executable, "-c", statement]
            return lambda _: subprocess.run(command, env=env, check=True)

        cases = {name: Case(lambda: None, starter(statement)) for name, statement in statements.items()}
        return interleave(cases, rounds)


def kept_bytes(make: Callable[[], Any]) -> int:
    """Return how much memory the result of a function holds, as tracemalloc counts it."""
    make()
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        kept = make()
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
        del kept
    finally:
        tracemalloc.stop()
    return after - before
