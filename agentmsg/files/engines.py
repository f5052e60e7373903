"""Engines that do the work: this process, several local processes, Dask, or Ray. Each maps a function over pieces.

An engine yields ``(number, result)`` of each call when it ends, in any order, and meanwhile reports progress if it can.
The function and its arguments are pickled. Files are reached by their paths, so the machines of a cluster need them in
a shared place. Where a worker of a cluster is lost, another one runs its call again: a call writes its files anew.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Thread, current_thread, main_thread
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import attrs

from agentmsg.errors import AgentMsgError, FileError
from agentmsg.optional import extra

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
    from concurrent.futures import Executor, Future
    from multiprocessing.connection import Connection
    from types import FrameType

_R = TypeVar("_R")
# Called with the number of a running call, and how many bytes it has read and documents written. The functions to run
# get it without the number, as ``advance``.
Advance: TypeAlias = "Callable[[int, int, int], None]"
_Handler: TypeAlias = "Callable[[int, FrameType | None], Any]"
Engine: TypeAlias = "Callable[[Callable[..., _R], Sequence[tuple[Any, ...]], Crew, Advance], Iterator[tuple[int, _R]]]"
# How often a cluster runs a call whose worker is lost.
_RETRIES = 5
# Seconds between two checks of the processes' progress.
_EVERY = 0.1


class Tally:
    """Adds up what calls have done, by their numbers, and reports the bytes read and documents written by all."""

    def __init__(self, tell: Callable[[int, int], None]) -> None:
        self._tell = tell
        self._done: dict[int, tuple[int, int]] = {}
        self._size = self._documents = 0

    def __call__(self, number: int, size: int, documents: int) -> None:
        """Record how far a call is, and report the sums."""
        known, counted = self._done.get(number, (0, 0))
        self._done[number] = size, documents
        self._size += size - known
        self._documents += documents - counted
        self._tell(self._size, self._documents)


@attrs.define(kw_only=True)
class Crew:
    """Who does the work.

    Attributes:
        jobs: how many processes of this machine, if there is no cluster.
        address: that of a cluster, if it was given.
        place: where the work was done, in words; empty for the usual processes of this machine.
        workers: the workers of a cluster that did some of it, as their nodes and their names there.
    """

    jobs: int = 1
    address: str | None = None
    place: str = ""
    workers: set[tuple[str, str]] = attrs.field(factory=set[tuple[str, str]])

    def result(self, done: tuple[tuple[str, str], _R | AgentMsgError]) -> _R:
        """Return what a worker did, and remember that worker.

        Raises:
            AgentMsgError: if that was its result.
        """
        worker, result = done
        self.workers.add(worker)
        if isinstance(result, AgentMsgError):
            raise result
        return result

    def __str__(self) -> str:
        """Return where the work was done."""
        nodes, workers = len({node for node, _ in self.workers}), len(self.workers)
        words = f": {workers} worker{'s' * (workers != 1)}, {nodes} node{'s' * (nodes != 1)}"
        return self.place + (words if workers else "")


def _local(
    function: Callable[..., _R], calls: Sequence[tuple[Any, ...]], crew: Crew, advance: Advance
) -> Iterator[tuple[int, _R]]:
    """Run the calls in this process and others, as many jobs in all: other processes take long to start."""
    jobs = crew.jobs
    if jobs <= 1 or len(calls) <= 1:
        for number, call in enumerate(calls):
            yield number, function(*call, advance=partial(advance, number))
        return
    from concurrent.futures import FIRST_COMPLETED, wait  # noqa: PLC0415 - only for several jobs

    with _pool(min(jobs, len(calls)) - 1, len(calls)) as (pool, counts):
        # The processes ignore Ctrl-C from the beginning: they inherit this.
        with _at_ctrl_c(lambda before: signal.SIG_IGN):
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
def _pool(jobs: int, calls: int) -> Generator[tuple[Executor, Any]]:
    """Start processes for calls, and count what these have read and written so far; on any error they end at once.

    Ranges in progress are then incomplete anyway: someone who presses Ctrl-C should not have to wait for them.
    """
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - only for several jobs
    from multiprocessing import get_context  # noqa: PLC0415

    # A copy of this process has loaded all that it needs. Another thread's locks would stay closed in it for ever.
    context = get_context("fork" if _is_one_thread() else "spawn")
    # Two numbers for each call, written by the process that runs it, and read here.
    counts = context.RawArray("Q", 2 * calls)
    # Not an event, which waits for its waiters: one may have died. A pipe closes with this process, too.
    ended, lives = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(jobs, context, initializer=_begin, initargs=(counts, ended, lives))
    try:
        yield pool, counts
    except BaseException:
        with _held():
            # In this order: up to Python 3.11.7 a pool whose process ends stumbles over calls that were cancelled.
            manager: Any = getattr(pool, "_executor_manager_thread", None)  # which a pool that needn't wait forgets
            pool.shutdown(wait=False, cancel_futures=True)
            lives.close()
            if manager is not None:
                manager.join()
        raise
    finally:
        with _held():
            pool.shutdown(cancel_futures=True)
            lives.close()
            ended.close()


def _is_one_thread() -> bool:
    """Whether nothing runs in this process but the caller, as far as the system tells; only Linux does."""
    try:
        return len(os.listdir("/proc/self/task")) == 1  # noqa: PTH208 - their number only
    except OSError:
        return False


def _result(future: Future[_R]) -> _R:
    from concurrent.futures import BrokenExecutor  # noqa: PLC0415 - only for several jobs

    try:
        return future.result()
    except BrokenExecutor:
        msg = "a worker process was killed, or ran out of memory; --resume continues from here"
        raise FileError(msg, code="file") from None


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


def _begin(counts: Any, ended: Connection, lives: Connection) -> None:
    """Leave Ctrl-C to the parent process, and end with it, or when it says so.

    If the parent is killed, this process must not write into a work folder that another run has taken over.
    """
    global _counts  # noqa: PLW0603 - a process has no other place that lasts between calls
    _counts = counts
    lives.close()  # the parent's own end is to be the last one
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


def _on_worker(where: Callable[[], tuple[str, str]], folder: str, function: Callable[..., _R], *call: Any) -> Any:
    """Run a call on a worker of a cluster: return which one that is, and the result or our error."""
    # Where it has this folder, relative names mean the same files.
    with suppress(OSError):
        os.chdir(folder)
    try:
        return where(), function(*call)
    except AgentMsgError as error:
        # Clusters wrap what is raised.
        return where(), error


def _lost(error: Exception) -> FileError:
    return FileError(f"the cluster gave up: {_first(error)}; --resume continues from here", code="file")


def _first(error: Exception) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__


# -- Dask


def _dask(
    function: Callable[..., _R], calls: Sequence[tuple[Any, ...]], crew: Crew, advance: Advance
) -> Iterator[tuple[int, _R]]:
    """Run the calls on the cluster that is named, or that of the current client; else in processes of this machine."""
    dask = extra("dask", "dask", "--engine dask")
    with _dask_client(dask, crew) as client:
        if client is not None:
            distributed = extra("distributed", "dask", "a cluster of Dask")
            crew.place = f"Dask at {client.scheduler.address}"
            submit, folder = partial(client.submit, pure=False, retries=_RETRIES), str(Path.cwd())
            numbers = {
                submit(_on_worker, _dask_worker, folder, function, *call): number for number, call in enumerate(calls)
            }
            for future in distributed.as_completed(list(numbers)):
                try:
                    done = future.result()
                except Exception as error:  # noqa: BLE001 - a worker's, or that there are no more
                    raise _lost(error) from None
                yield numbers.pop(future), crew.result(done)
                future.release()
            return
    crew.place = "this machine: no Dask cluster is named by --address or DASK_SCHEDULER_ADDRESS"
    yield from _local(function, calls, crew, advance)


@contextmanager
def _dask_client(dask: Any, crew: Crew) -> Generator[Any]:
    """Connect to a cluster; None if there is none."""
    variable = os.environ.get("DASK_SCHEDULER_ADDRESS")
    address = crew.address or variable or dask.config.get("scheduler-address", None)
    distributed: Any = sys.modules.get("distributed")
    if address is None:
        # A client in this process has registered itself.
        client = None
        with suppress(ValueError):
            client = None if distributed is None else distributed.default_client()
        yield client
        return
    try:
        client = extra("distributed", "dask", "a cluster of Dask").Client(address)
    except (OSError, ValueError) as error:
        raise FileError(f"no Dask cluster answers at {address}: {_first(error)}", code="unavailable") from None
    with client:
        yield client


def _dask_worker() -> tuple[str, str]:
    worker = extra("distributed", "dask", "a worker of Dask").get_worker()
    return str(worker.ip), str(worker.address)


# -- Ray


def _ray(
    function: Callable[..., _R], calls: Sequence[tuple[Any, ...]], crew: Crew, advance: Advance
) -> Iterator[tuple[int, _R]]:
    """Run the calls on the cluster that this process is connected to, or that is named, or that runs on this machine.

    Without one, run them in processes of this machine.
    """
    ray = extra("ray", "ray", "--engine ray")
    is_ours = not ray.is_initialized()
    if is_ours and not _is_connected(ray, crew):
        crew.place = "this machine: no Ray cluster runs here, or is named by --address or RAY_ADDRESS"
        yield from _local(function, calls, crew, advance)
        return
    try:
        crew.place = f"Ray at {ray.get_runtime_context().gcs_address}"
        remote, folder = ray.remote(max_retries=_RETRIES)(_on_worker), str(Path.cwd())
        numbers = {remote.remote(_ray_worker, folder, function, *call): number for number, call in enumerate(calls)}
        waiting = list(numbers)
        while waiting:
            (reference,), waiting = ray.wait(waiting, num_returns=1)
            try:
                done = ray.get(reference)
            except ray.exceptions.RayError as error:
                raise _lost(error) from None
            yield numbers.pop(reference), crew.result(done)
    finally:
        if is_ours:
            ray.shutdown()


def _is_connected(ray: Any, crew: Crew) -> bool:
    """Connect to the cluster that is named, or runs on this machine; return whether there is one."""
    named = crew.address or os.environ.get("RAY_ADDRESS")
    if named:
        # Else Ray tries twenty times to reach it, for a quarter of an hour.
        os.environ.setdefault("RAY_gcs_server_port_wait_time_s", "1")
    try:
        ray.init(address=named or "auto", log_to_driver=False)
    except (OSError, RuntimeError, ValueError) as error:
        if named:
            raise FileError(f"no Ray cluster answers at {named}: {_first(error)}", code="unavailable") from None
        return False
    return True


def _ray_worker() -> tuple[str, str]:
    context = extra("ray", "ray", "a worker of Ray").get_runtime_context()
    return str(context.get_node_id()), str(context.get_worker_id())


ENGINES: Mapping[str, Engine[Any]] = {"dask": _dask, "local": _local, "ray": _ray}
