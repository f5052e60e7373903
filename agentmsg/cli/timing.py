"""The timer: every case does its work on fresh input in every round, with interleaved rounds.

So a slow moment of the machine affects all alike. The collector is on, and runs once before each run. A run's input
(fresh bytes, freshly decoded objects) is made, and its result is freed, outside the measured time.
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


@attrs.frozen
class Case:
    """A case to time: ``run`` gets what ``fresh`` made for this round."""

    fresh: Callable[[], Any]
    run: Callable[[Any], Any]


@attrs.frozen
class Times:
    """The times of all runs of a case, in nanoseconds."""

    runs: tuple[int, ...]

    def middle(self, count: int = 1) -> float:
        """Return the median run in microseconds, divided by ``count``."""
        return median(self.runs) / count / 1000

    def each(self, count: int) -> Times:
        """Return the runs divided by a number, for cases that each did that many things."""
        return Times(tuple(run // count for run in self.runs))

    def plus(self, other: Times) -> Times:
        """Return the sums of the runs of each round."""
        return Times(tuple(map(add, self.runs, other.runs)))

    def beside(self, other: Times) -> float:
        """Return the median, over the rounds, of this run divided by the other's run in the same round.

        If a machine is slow for seconds at a time, the two best runs may come from different moments; the two runs of
        one round don't. The case timed for longer had more rounds: those without a counterpart don't count.
        """
        return median(one / two for one, two in zip(self.runs, other.runs, strict=False))


@attrs.frozen
class Rounds:
    """How often each case runs.

    Attributes:
        most: the most rounds.
        seconds: after this many seconds per case, no further round begins ...
        least: ... once there were this many.
        clock: returns nanoseconds: the processor time of this thread, which other programs don't lengthen. Use
            ``perf_counter_ns`` if the work waits for processes or files.
        tell: called after each run with the number of runs so far, and the most there will be.
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
        """Yield the numbers of the rounds, while there is time for another one."""
        began = perf_counter_ns()
        for number in range(self.most):
            if number >= self.least and perf_counter_ns() - began > self.seconds * cases * 1e9:
                return
            yield number


def copy_bytes(raw: bytes) -> bytes:
    """Return a fresh, equal bytes object."""
    return bytes(bytearray(raw))


def copy_all(raws: list[bytes]) -> list[bytes]:
    """Return fresh, equal documents."""
    return list(map(copy_bytes, raws))


def do_each(work: Callable[[Any], Any], given: list[Any]) -> list[Any]:
    """Do some work on each item."""
    return [work(one) for one in given]


def interleave(cases: Mapping[str, Case], rounds: Rounds) -> dict[str, Times]:
    """Run all cases in rounds, each round beginning with another case.

    Before that, each runs once, uncounted. The collector ignores what was in memory before: it belongs to no case, and
    scanning it took most of the time.
    """
    names = list(cases)
    runs: dict[str, list[int]] = {name: [] for name in names}
    # What the host froze stays frozen: only all of it can be unfrozen.
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
    # Before the input is made, not after: a walk of the whole heap would leave the input cold, and slow memory would be
    # timed.
    gc.collect()
    given = case.fresh()
    start = clock()
    kept = case.run(given)
    spent = clock() - start
    del kept, given
    return spent
