"""Engines that do the work: this process, several local processes, Dask, or Ray. Each maps a function over pieces.

An engine yields ``(number, result)`` of each call when it ends, in any order, and meanwhile reports progress if it can.
The function and its arguments are pickled. Files are reached by their paths, so the machines of a cluster need them in
a shared place.
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
    from contextlib import AbstractContextManager
    from multiprocessing.connection import Connection
    from types import FrameType

__all__ = ["ENGINES", "Advance", "Engine"]

_R = TypeVar("_R")
# Called with the number of a running call, and how many bytes it has read and documents written. The functions to run
# get it without the number, as ``advance``.
Advance: TypeAlias = "Callable[[int, int, int], None]"
_Handler: TypeAlias = "Callable[[int, FrameType | None], Any]"
Engine: TypeAlias = "Callable[[Callable[..., _R], Sequence[tuple[Any, ...]], int, Advance], Iterator[tuple[int, _R]]]"
# Seconds between two checks of the processes' progress.
_EVERY = 0.1


def _local(
    function: Callable[..., _R], calls: Sequence[tuple[Any, ...]], jobs: int, advance: Advance
) -> Iterator[tuple[int, _R]]:
    """Run the calls in this process and others, ``jobs`` in all: other processes take long to start."""
    if jobs <= 1 or len(calls) <= 1:
        for number, call in enumerate(calls):
            yield number, function(*call, advance=partial(advance, number))
        return
    from concurrent.futures import FIRST_COMPLETED, wait  # noqa: PLC0415 - only for several jobs

    with _pool(min(jobs, len(calls)) - 1, len(calls)) as (pool, counts):
        with _ignored():
            waiting = {pool.submit(_counting, number, function, *call): number for number, call in enumerate(calls)}

        def tell(number: int, size: int, documents: int) -> None:
            """Report the progress of the local call and of the others."""
            advance(number, size, documents)
            look()

        def look() -> None:
            for number in waiting.values():
                if counts[2 * number]:
                    advance(number, counts[2 * number], counts[2 * number + 1])

        while waiting:
            # Run here whatever no process has taken yet.
            with _held():
                free = next((future for future in waiting if future.cancel()), None)
            if free is not None:
                number = waiting.pop(free)
                yield number, function(*calls[number], advance=partial(tell, number))
            with _held():
                done, _ = wait(waiting, timeout=_EVERY if free is None else 0, return_when=FIRST_COMPLETED)
                results = [(waiting.pop(future), _result(future)) for future in done]
            yield from results
            look()


@contextmanager
def _pool(jobs: int, calls: int = 0) -> Generator[tuple[Executor, Any]]:
    """Start processes for calls, and count what these have read and written so far; on any error they end at once.

    Ranges in progress are then incomplete anyway: someone who presses Ctrl-C should not have to wait for them.
    """
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - only for several jobs
    from multiprocessing import get_context  # noqa: PLC0415

    # Fresh processes: forked ones would share open files and locks with this one.
    context = get_context("spawn")
    # Two numbers for each call, written by the process that runs it, and read here.
    counts = context.RawArray("Q", 2 * calls)
    # Not an event, which waits for its waiters: one may have died. A pipe closes with this process, too.
    ended, lives = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(jobs, context, initializer=_begin, initargs=(counts, ended))
    try:
        yield pool, counts
    except BaseException:
        lives.close()
        raise
    finally:
        with _held():
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


def _ignored() -> AbstractContextManager[None]:
    """Start processes that ignore Ctrl-C from the beginning: they inherit this."""
    return _at_ctrl_c(lambda before: signal.SIG_IGN)


@contextmanager
def _held() -> Generator[None]:
    """Let Ctrl-C wait for the end of a block; pressed twice, it stops at once.

    The locks of ``threading`` and ``concurrent.futures`` are Python code. An exception that cuts in there leaves them
    in disorder: another error follows, or a wait without end.
    """
    pressed = False

    def holding(before: _Handler) -> _Handler:
        def press(number: int, frame: FrameType | None) -> None:
            nonlocal pressed
            if pressed:
                before(number, frame)
            pressed = True

        return press

    with _at_ctrl_c(holding):
        yield
    if pressed:
        signal.raise_signal(signal.SIGINT)


@contextmanager
def _at_ctrl_c(action: Callable[[_Handler], _Handler | signal.Handlers]) -> Generator[None]:
    """Replace the handler of Ctrl-C for a block, if this process has one, and this is the thread that may."""
    before = signal.getsignal(signal.SIGINT)
    if not callable(before) or current_thread() is not main_thread():
        yield
        return
    signal.signal(signal.SIGINT, action(before))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


# In a worker process: where it records its progress.
_counts: Any = None


def _begin(counts: Any, ended: Connection) -> None:
    """Leave Ctrl-C to the parent process, and end with it, or when it says so.

    If the parent is killed, this process must not write into a work folder that another run has taken over.
    """
    global _counts  # noqa: PLW0603 - a process has no other place that lasts between calls
    _counts = counts
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_at, args=(ended,), daemon=True).start()


def _end_at(ended: Connection) -> None:
    """End this process when a pipe closes to which nobody writes."""
    ended.poll(None)
    os._exit(1)


def _counting(number: int, function: Callable[..., _R], *call: Any) -> _R:
    """Run a call, and record its progress where the parent process reads it."""

    def advance(size: int, documents: int) -> None:
        _counts[2 * number + 1] = documents
        _counts[2 * number] = size

    return function(*call, advance=advance)


def _dask(
    function: Callable[..., _R], calls: Sequence[tuple[Any, ...]], jobs: int, advance: Advance
) -> Iterator[tuple[int, _R]]:
    """Run the calls on the cluster of the current Dask client; without one, in processes of this machine."""
    del advance  # progress is known for whole ranges only
    dask = extra("dask", "dask", "--engine dask")
    tasks = [dask.delayed(function, pure=False)(*call) for call in calls]
    # A cluster's client, if there is one, has registered itself here.
    if dask.config.get("scheduler", None):
        yield from enumerate(dask.compute(*tasks))
        return
    with _pool(jobs) as (pool, _):
        with _ignored():
            for _ in range(jobs):
                pool.submit(int)  # starts a process each
        yield from enumerate(dask.compute(*tasks, scheduler="processes", pool=pool))


def _ray(
    function: Callable[..., _R], calls: Sequence[tuple[Any, ...]], jobs: int, advance: Advance
) -> Iterator[tuple[int, _R]]:
    """Run the calls on the Ray cluster that this process is connected to; without one, on this machine."""
    del advance  # progress is known for whole ranges only
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
