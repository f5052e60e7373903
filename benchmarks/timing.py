"""Further timers, beside ``agentmsg.cli.timing``: whole processes; and the memory that a result holds."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tracemalloc
from tempfile import TemporaryDirectory
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

import attrs

from agentmsg.cli.timing import Case, Rounds, Times, copy_all, copy_bytes, do_each, interleave

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = [
    "Case",
    "Rounds",
    "Times",
    "copy_all",
    "copy_bytes",
    "do_each",
    "interleave",
    "interleave_processes",
    "kept_bytes",
]


def interleave_processes(statements: Mapping[str, str], rounds: Rounds) -> dict[str, Times]:
    """Time whole interpreters that each run one statement, interleaved.

    The first start of each, uncounted, compiles its imports into a cache of their own: a checkout may have none.
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
        return interleave(cases, attrs.evolve(rounds, clock=perf_counter_ns))


def kept_bytes(make: Callable[[], Any]) -> int:
    """Return the memory that a function's result holds, as tracemalloc counts it."""
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
