"""A run over files that is killed again and again: ``python -m support.killed KIND TIMES`` in a folder of its sources.

Prints how often a run was resumed, and how often it ended before it could be killed. Exits with a message if a file
was half done, a loss report was missing, or the last run's bytes differ from those of an undisturbed run.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from agentmsg.files import Input, Job, Kind, Request, plan, run, targets_of
from agentmsg.files.work_folder import is_work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

__all__ = ["KINDS", "main"]


@attrs.frozen
class Conversion:
    """A conversion: sources, target, and the other arguments of ``targets_of``."""

    sources: list[str]
    target: str
    source: str = "openai"
    codec: str = "anthropic"
    array: bool = False
    at: tuple[str, ...] = ()


KINDS: Mapping[str, Conversion] = {
    "array": Conversion(["a.jsonl"], "b.json", array=True),
    "frames": Conversion(["a.msgpack"], "b.msgpack", source="msgpack", codec="msgpack"),
    "gzip": Conversion(["a.jsonl"], "b.jsonl.gz"),
    "lines": Conversion(["a.jsonl"], "b.jsonl"),
    "inside of records, mixed": Conversion(["e.jsonl"], "b.jsonl", source="each", at=("/log/*", "/one")),
    "rows": Conversion(["a.parquet"], "b.parquet"),
    "many sources": Conversion(["a.jsonl", "c.jsonl.gz", "d.jsonl"], "b.jsonl"),
    "Zstandard": Conversion(["a.jsonl"], "b.jsonl.zst"),
}


def _runner(kind: Conversion, account: Path) -> Callable[[], None]:
    job = Job(codec=kind.codec, kind=Kind("jsonl"), losses=True)
    request = Request(work=".work", losses=(str(account),), resume=True)

    def whole_run() -> None:
        run(
            job,
            targets_of(kind.sources, kind.target, job, Input(source=kind.source, at=kind.at), array=kind.array),
            request,
        )

    return whole_run


def _seconds_of(whole_run: Callable[[], None], files: Iterable[Path]) -> float:
    """Return how long a run takes, and remove its files."""
    began = time.monotonic()
    whole_run()
    taken = time.monotonic() - began
    for path in files:
        path.unlink()
    return taken


def _killed(whole_run: Callable[[], None], moment: float) -> bool:
    """Run in a child, kill it at some moment, and return whether it had already ended."""
    if not (child := os.fork()):
        whole_run()
        os._exit(0)
    time.sleep(moment)
    os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1] == 0


def _check(expected: Mapping[Path, bytes], target: Path) -> None:
    for path, data in expected.items():
        if path.exists() and path.read_bytes() != data:
            sys.exit(f"half a file: {path}")
    if target.exists() and not all(path.exists() for path in expected):
        sys.exit("a document without its account")


def main(name: str, times: int) -> None:
    """Kill a run of a kind some number of times."""
    plan.PIECE = 1500
    kind = KINDS[name]
    target = Path(kind.target)
    files = target, Path(f"{target}.losses.jsonl"), Path(f"{target}.bad.jsonl")
    whole_run = _runner(kind, files[1])
    whole_run()
    expected = {path: path.read_bytes() for path in files}
    for path in files:
        path.unlink()
    # The shortest of several: a run that the machine disturbed would make most kills come too late.
    usual = min(_seconds_of(whole_run, files) for _ in range(3))
    moments = random.Random(7)
    resumed = finished = 0
    for _ in range(times):
        # A run killed after its last message leaves at most an empty folder: it is done.
        if is_work(".work"):
            resumed += 1
        else:
            for path in files:
                path.unlink(missing_ok=True)
        finished += _killed(whole_run, moments.uniform(0, usual))
        _check(expected, target)
    if is_work(".work") or not target.exists():
        whole_run()
    if {path: path.read_bytes() for path in files} != expected:
        sys.exit("another result")
    sys.stdout.write(f"{resumed} {finished}\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
