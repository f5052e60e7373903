"""Who does the work: this process, several processes of this machine, Dask, or Ray. Each maps a function over pieces.

An engine yields ``(number, result)`` of each call as it ends, in any order, and tells meanwhile how far those under
way are, where it can know. The function and its arguments are pickled; files are reached by their paths, so machines
of a cluster need them in a place that all see.
"""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager
from functools import partial
from threading import Thread, current_thread, main_thread
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from agentmsg.errors import FileError
from agentmsg.optional import extra

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
    from concurrent.futures import Executor, Future
    from multiprocessing.connection import Connection

__all__ = ["ENGINES", "Advance", "Engine"]

_R = TypeVar("_R")
# Told of a call under way, by its number: how many bytes it has read and documents written. Functions that are run
# take it without the number, as ``advance``.
Advance: TypeAlias = "Callable[[int, int, int], None]"
Engine: TypeAlias = "Callable[[Callable[..., _R], Sequence[tuple[Any, ...]], int, Advance], Iterator[tuple[int, _R]]]"
# Seconds between two looks at how far processes are.
_EVERY = 0.1


def _local(
    function: Callable[..., _R], calls: Sequence[tuple[Any, ...]], jobs: int, advance: Advance
) -> Iterator[tuple[int, _R]]:
    """Run the calls here, or in so many processes, of which this is one: others take long to begin."""
    if jobs <= 1 or len(calls) <= 1:
        for number, call in enumerate(calls):
            yield number, function(*call, advance=partial(advance, number))
        return
    from concurrent.futures import FIRST_COMPLETED, wait  # noqa: PLC0415 - only for several jobs

    with _pool(min(jobs, len(calls)) - 1, len(calls)) as (pool, counts):
        with _uninterrupted():
            waiting = {pool.submit(_counting, number, function, *call): number for number, call in enumerate(calls)}

        def tell(number: int, size: int, documents: int) -> None:
            """Tell how far the call is that is run here, and the others."""
            advance(number, size, documents)
            look()

        def look() -> None:
            for number in waiting.values():
                if counts[2 * number]:
                    advance(number, counts[2 * number], counts[2 * number + 1])

        while waiting:
            # What no process has taken yet is taken here.
            free = next((future for future in waiting if future.cancel()), None)
            if free is not None:
                number = waiting.pop(free)
                yield number, function(*calls[number], advance=partial(tell, number))
            done, _ = wait(waiting, timeout=_EVERY if free is None else 0, return_when=FIRST_COMPLETED)
            for future in done:
                yield waiting.pop(future), _result(future)
            look()


@contextmanager
def _pool(jobs: int, calls: int = 0) -> Generator[tuple[Executor, Any]]:
    """Give processes for calls, and what these have read and written so far; if anything goes wrong they end at once.

    Nobody vouches for the parts of ranges under way then: whoever presses Ctrl-C shall not wait for them.
    """
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - only for several jobs
    from multiprocessing import get_context  # noqa: PLC0415

    # Fresh processes: those that are forked would share open files and locks with this one.
    context = get_context("spawn")
    # Of each call two numbers, written by the one process that runs it, and read here.
    counts = context.RawArray("Q", 2 * calls)
    # Not an event, which waits for those who wait for it: one may have died. A pipe ends with this process, too.
    ended, lives = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(jobs, context, initializer=_begin, initargs=(counts, ended))
    try:
        yield pool, counts
    except BaseException:
        lives.close()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
        lives.close()
        ended.close()


def _result(future: Future[_R]) -> _R:
    from concurrent.futures import BrokenExecutor  # noqa: PLC0415 - only for several jobs

    try:
        return future.result()
    except BrokenExecutor:
        msg = "a worker process was killed, or ran out of memory; --resume continues from here"
        raise FileError(msg, code="file") from None


@contextmanager
def _uninterrupted() -> Generator[None]:
    """Start processes that ignore Ctrl-C from their first moment: they inherit it."""
    if current_thread() is not main_thread():
        yield  # only the main thread may say so
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


# Of a process that runs calls: where it tells how far they are.
_counts: Any = None


def _begin(counts: Any, ended: Connection) -> None:
    """Leave Ctrl-C to the process that started this one, and end with it, or when it says so.

    Where that is killed this one must not write into a work folder that another run has taken over.
    """
    global _counts  # noqa: PLW0603 - a process has no other place from call to call
    _counts = counts
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_at, args=(ended,), daemon=True).start()


def _end_at(ended: Connection) -> None:
    """End this process when a pipe ends, into which nobody writes."""
    ended.poll(None)
    os._exit(1)


def _counting(number: int, function: Callable[..., _R], *call: Any) -> _R:
    """Run a call, and note how far it is where the process that started this one looks."""

    def advance(size: int, documents: int) -> None:
        _counts[2 * number + 1] = documents
        _counts[2 * number] = size

    return function(*call, advance=advance)


def _dask(
    function: Callable[..., _R], calls: Sequence[tuple[Any, ...]], jobs: int, advance: Advance
) -> Iterator[tuple[int, _R]]:
    """Run the calls on the cluster of the current Dask client; without one, in processes of this machine."""
    del advance  # only whole ranges are known
    dask = extra("dask", "dask", "--engine dask")
    tasks = [dask.delayed(function, pure=False)(*call) for call in calls]
    # A client of a cluster, where there is one, has put itself there.
    if dask.config.get("scheduler", None):
        yield from enumerate(dask.compute(*tasks))
        return
    with _pool(jobs) as (pool, _):
        with _uninterrupted():
            for _ in range(jobs):
                pool.submit(int)  # each starts a process
        yield from enumerate(dask.compute(*tasks, scheduler="processes", pool=pool))


def _ray(
    function: Callable[..., _R], calls: Sequence[tuple[Any, ...]], jobs: int, advance: Advance
) -> Iterator[tuple[int, _R]]:
    """Run the calls on the Ray cluster that this process is connected to; without one, on this machine."""
    del advance  # only whole ranges are known
    ray = extra("ray", "ray", "--engine ray")
    if not ray.is_initialized():
        ray.init(num_cpus=jobs, include_dashboard=False, log_to_driver=False)
    remote = ray.remote(function)
    numbers = {remote.remote(*call): number for number, call in enumerate(calls)}
    waiting = list(numbers)
    while waiting:
        (done,), waiting = ray.wait(waiting, num_returns=1)
        yield numbers[done], ray.get(done)


ENGINES: Mapping[str, Engine[Any]] = {"dask": _dask, "local": _local, "ray": _ray}
