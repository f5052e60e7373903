"""The one timer: every case does its work on fresh input in every round, rounds interleaved.

So a slow moment of the machine hits all alike. The collector is on, and runs once before each run. What a run needs
(fresh bytes, freshly decoded objects) is made, and what it gives is freed, outside of the time.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from operator import add
from statistics import median
from time import perf_counter_ns, thread_time_ns
from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Case", "Rounds", "Times", "copy_all", "copy_bytes", "do_each", "interleave"]


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

    def first(self, number: int) -> Times:
        """Return the first so many runs."""
        return Times(self.runs[:number])

    def plus(self, other: Times) -> Times:
        """Return the sums of the runs of each round."""
        return Times(tuple(map(add, self.runs, other.runs)))

    def beside(self, other: Times) -> float:
        """Return the median, over the rounds, of this run divided by the other's run of the same round.

        Where a machine is slow for seconds at a time, the two best runs may come from different moments; the two
        runs of one round do not. Who was timed for longer had more rounds: those without a counterpart don't count.
        """
        return median(one / two for one, two in zip(self.runs, other.runs, strict=False))


@attrs.frozen
class Rounds:
    """How often each case runs.

    Attributes:
        most: so often at most.
        seconds: after so many seconds for each case, no other round begins ...
        least: ... once there were so many.
        clock: what tells nanoseconds: the processor time of this thread, which other programs don't lengthen. Where
            processes or files are waited for, ``perf_counter_ns``.
        tell: told after each run how many there were, and how many there will be at most.
    """

    most: int
    seconds: float = float("inf")
    least: int = 5
    clock: Callable[[], int] = thread_time_ns
    tell: Callable[[int, int], None] = lambda _, __: None

    def at_most(self, most: int) -> Rounds:
        """Return the same, with fewer rounds."""
        return attrs.evolve(self, most=min(self.most, most))

    def numbers(self, cases: int) -> Iterator[int]:
        """Yield the numbers of the rounds, as long as there is time for another one."""
        began = perf_counter_ns()
        for number in range(self.most):
            if number >= self.least and perf_counter_ns() - began > self.seconds * cases * 1e9:
                return
            yield number


def copy_bytes(raw: bytes) -> bytes:
    """Return equal bytes that nobody has seen before."""
    return bytes(bytearray(raw))


def copy_all(raws: list[bytes]) -> list[bytes]:
    """Return equal documents that nobody has seen before."""
    return list(map(copy_bytes, raws))


def do_each(work: Callable[[Any], Any], given: list[Any]) -> list[Any]:
    """Do some work on each of what is given."""
    return [work(one) for one in given]


def interleave(cases: Mapping[str, Case], rounds: Rounds) -> dict[str, Times]:
    """Run all cases so often, each round beginning with another one.

    Before that each runs once, uncounted. What was in memory before, the collector doesn't look at meanwhile: it is
    nobody's work, and to look at it took most of the time.
    """
    names = list(cases)
    runs: dict[str, list[int]] = {name: [] for name in names}
    # What the host froze stays frozen: nothing can be let go but all.
    was_frozen = gc.get_freeze_count() > 0
    gc.collect()
    gc.freeze()
    try:
        for case in cases.values():
            _timed(case, rounds.clock)
        for number in rounds.numbers(len(names)):
            turn = number % len(names) if names else 0
            for place, name in enumerate(names[turn:] + names[:turn], 1):
                runs[name].append(_timed(cases[name], rounds.clock))
                rounds.tell(number * len(names) + place, rounds.most * len(names))
    finally:
        if not was_frozen:
            gc.unfreeze()
    return {name: Times(tuple(spent)) for name, spent in runs.items()}


def _timed(case: Case, clock: Callable[[], int]) -> int:
    # Before the input is made, not after: walking the whole heap would leave it cold, and a slow memory would be timed.
    gc.collect()
    given = case.fresh()
    start = clock()
    kept = case.run(given)
    spent = clock() - start
    del kept, given
    return spent
