"""Files of documents to convert, runs over them, and processes that run the command line."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from backports import zstd

from agentmsg.files import Input, Job, Kind, Outcome, Request, run, targets_of
from agentmsg.files.documents import records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from agentmsg.files.documents import Found

__all__ = ["ENVIRONMENT", "JOB", "PACKED", "converted", "documents", "lines", "process", "reference", "rows", "written"]

JOB = Job(codec="anthropic", kind=Kind("jsonl"), losses=True, flat=True)
# Compressors and decompressors, by the ending of a name.
PACKED: Mapping[str, tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]] = {
    ".bz2": (bz2.compress, bz2.decompress),
    ".gz": (gzip.compress, gzip.decompress),
    ".xz": (lzma.compress, lzma.decompress),
    ".zst": (zstd.compress, zstd.decompress),
}
# For processes with our import path, and usual buffers.
ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
ENVIRONMENT.pop("PYTHONUNBUFFERED", None)


def documents(*args: Any, **options: Any) -> Iterator[Found]:
    """Yield the documents of a range of a stream, without its blank lines; as ``records``."""
    return (each for each in records(*args, **options) if not each.is_blank)


def rows(count: int, **more: Any) -> Iterator[bytes]:
    """Yield OpenAI documents, each with its number in it."""
    for number in range(count):
        yield json.dumps(
            {"messages": [{"role": "user", "content": f"{number} " + "x" * (number % 97)}], **more}
        ).encode()


def lines(name: str, count: int = 200, *, bad: Sequence[int] = ()) -> str:
    """Write a file of documents, some of them bad; return its name."""
    Path(name).write_bytes(
        b"".join(b"{]\n" if number in bad else row + b"\n" for number, row in enumerate(rows(count, seed=7), 1))
    )
    return name


def converted(
    names: Sequence[str], target: str, *, job: Job = JOB, codec: str | None = "openai", **options: Any
) -> Outcome:
    """Run a job over files, with loss reports beside the target."""
    targets = targets_of(names, target, job, Input(source=codec))
    losses, flat = (tuple(f"{one.path}.{side}.jsonl" for one in targets) for side in ("losses", "flat"))
    return run(job, targets, Request(work=f".work-{target.strip('/')}", losses=losses, flat=flat, **options))


def written(target: str) -> dict[str, bytes]:
    """Return all files of a target, by the rest of their names."""
    return {path.name.removeprefix(target): path.read_bytes() for path in sorted(Path().glob(f"{target}*"))}


def reference(bad: Sequence[int] = ()) -> dict[str, bytes]:
    """Return the output of a run in one piece."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("agentmsg.files.plan.PIECE", 1 << 30)
        converted([lines("a.jsonl", bad=bad)], "whole.jsonl")
    return written("whole.jsonl")


def process(*command: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run Python in its own process, with our import path."""
    return subprocess.run(
        [sys.executable, *command], env=ENVIRONMENT, check=False, capture_output=True, text=True, **options
    )
