"""Who does the work: this process, several processes of this machine, Dask, or Ray. Each maps a function over pieces.

An engine yields ``(number, result)`` of each call as it ends, in any order. The function and its arguments are
pickled; files are reached by their paths, so machines of a cluster need them in a place that all see.
"""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager
from threading import Thread, current_thread, main_thread
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from agentmsg._extras import extra

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
    from multiprocessing.process import BaseProcess

__all__ = ["ENGINES", "Engine"]

_R = TypeVar("_R")
Engine: TypeAlias = "Callable[[Callable[..., _R], Sequence[tuple[Any, ...]], int], Iterator[tuple[int, _R]]]"


def _local(function: Callable[..., _R], calls: Sequence[tuple[Any, ...]], jobs: int) -> Iterator[tuple[int, _R]]:
    """Run the calls here, or in so many processes."""
    if jobs <= 1 or len(calls) <= 1:
        for number, call in enumerate(calls):
            yield number, function(*call)
        return
    from concurrent.futures import ProcessPoolExecutor, as_completed  # noqa: PLC0415 - only for several jobs
    from multiprocessing import get_context  # noqa: PLC0415

    # Fresh processes: those that are forked would share open files and locks with this one.
    pool = ProcessPoolExecutor(min(jobs, len(calls)), get_context("spawn"), initializer=_begin)
    try:
        with _uninterrupted():
            numbers = {pool.submit(function, *call): number for number, call in enumerate(calls)}
        for future in as_completed(numbers):
            yield numbers[future], future.result()
    finally:
        pool.shutdown(cancel_futures=True)


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


def _begin() -> None:
    """Leave Ctrl-C to the process that started this one: it lets pieces under way end, and starts no more.

    Where that is killed this one ends, too: it must not write into a work folder that another run has taken over.
    """
    from multiprocessing import parent_process  # noqa: PLC0415 - only for several jobs

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if (parent := parent_process()) is not None:
        Thread(target=_end_after, args=(parent,), daemon=True).start()


def _end_after(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def _dask(function: Callable[..., _R], calls: Sequence[tuple[Any, ...]], jobs: int) -> Iterator[tuple[int, _R]]:
    """Run the calls on the cluster of the current Dask client; without one, in processes of this machine."""
    dask = extra("dask", "dask", "--engine dask")
    tasks = [dask.delayed(function, pure=False)(*call) for call in calls]
    # A client of a cluster, where there is one, has put itself there.
    own = {} if dask.config.get("scheduler", None) else {"scheduler": "processes", "num_workers": jobs}
    yield from enumerate(dask.compute(*tasks, **own))


def _ray(function: Callable[..., _R], calls: Sequence[tuple[Any, ...]], jobs: int) -> Iterator[tuple[int, _R]]:
    """Run the calls on the Ray cluster that this process is connected to; without one, on this machine."""
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
