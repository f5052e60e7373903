"""Files of recorded conversations, converted as by ``agentmsg convert``: throughput, jobs, memory.

Beside a loop of ``orjson.loads`` and ``orjson.dumps`` over the same lines: the least cost of reading them at all.
"""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

import attrs
import orjson

from agentmsg.files import Job, Kind, Piece, Request, Source, Target, convert_range, run
from benchmarks.conversations import trajectories
from benchmarks.timing import Case, Rounds, Times, interleave

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["LOOP", "RANGES", "measure"]

LOOP = "loads and dumps, a loop"
# What is converted to, by the name of its row.
RANGES: Mapping[str, str] = {"agentmsg, a range": "anthropic", "agentmsg, a range to json": "json"}
# Of the interpreter, when all is imported and a file was converted, in KiB: printed by a process of its own. Not what
# getrusage says, where the system tells itself: on Linux that is at least what the process had that started this one.
_PEAK = """
import resource, sys
from pathlib import Path
from benchmarks.files import convert
convert(Path(sys.argv[1]), Path(sys.argv[2]), 1)
if sys.platform == "linux":
    (peak,) = (line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM'))
    print(peak)
else:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 if sys.platform == "darwin" else 1))
"""


def _loop(folder: Path, source: Path) -> None:
    with source.open("rb") as lines, (folder / "loop").open("wb") as out:
        for line in lines:
            out.write(orjson.dumps(orjson.loads(line)) + b"\n")


def _source(path: Path) -> Source:
    return Source(path=str(path), kind=Kind("jsonl"), codec="openai", size=path.stat().st_size)


def _range(codec: str, folder: Path, source: Path) -> None:
    job = Job(codec=codec, kind=Kind("jsonl"))
    convert_range(job, Piece(source=_source(source)), str(folder / f"range.{codec}"))


def convert(source: Path, target: Path, jobs: int) -> None:
    """Convert a file like the command line, with some number of processes."""
    targets = [Target(str(target), Kind("jsonl"), (_source(source),))]
    run(Job(codec="anthropic", kind=Kind("jsonl")), targets, Request(work=f"{target}.work", jobs=jobs, force=True))


def _peak(folder: Path, source: Path) -> float:
    """Return the peak memory, in MiB, of a process that converts a file."""
    command = [sys.executable, "-c", _PEAK, str(source), str(folder / "peak")]
    done = subprocess.run(command, check=True, capture_output=True, cwd=Path(__file__).parents[1])
    return int(done.stdout) / 1024


def measure(folder: Path, copies: int, rounds: Rounds) -> tuple[Mapping[str, dict[str, float]], Mapping[str, Times]]:
    """Return the figures of a file, by row and measure, and the times.

    Args:
        folder: to write in.
        copies: how often the recorded conversations are in the file.
        rounds: of each case; half as many of whole runs.

    Raises:
        FileNotFoundError: if the test data is missing.
    """
    lines = trajectories()
    small, large = folder / "small.jsonl", folder / "large.jsonl"
    small.write_bytes(lines)
    with large.open("wb") as file:
        for _ in range(copies):
            file.write(lines)
    steps: dict[str, Callable[[Path, Path], None]] = {
        LOOP: _loop,
        **{name: partial(_range, codec) for name, codec in RANGES.items()},
    }
    cases = {name: Case(lambda: None, partial(_without_argument, step, folder, large)) for name, step in steps.items()}
    whole = {
        f"agentmsg convert --jobs {jobs}": Case(lambda: None, partial(_whole, folder, large, jobs)) for jobs in (1, 2)
    }
    rounds = attrs.evolve(rounds, clock=perf_counter_ns)
    times = interleave(cases, rounds) | interleave(whole, rounds.at_most(max(1, rounds.most // 2)))
    megabytes = large.stat().st_size / 1e6
    rows = {
        name: {
            "file": min(spent.runs) / 1000 / megabytes,
            "file median": spent.middle() / megabytes,
            "speed": megabytes * 1e6 / spent.middle(),
        }
        for name, spent in times.items()
    }
    return rows | {"once": {"peak": _peak(folder, small)}, f"{copies} times": {"peak": _peak(folder, large)}}, times


def _without_argument(step: Any, folder: Path, source: Path, _: None) -> None:
    step(folder, source)


def _whole(folder: Path, source: Path, jobs: int, _: None) -> None:
    convert(source, folder / "whole", jobs)
