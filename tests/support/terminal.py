"""A pseudo-terminal that programs take for a real one: their output on it, and Ctrl-C."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from support.files import ENVIRONMENT

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["PROGRAM", "dying", "in_terminal", "slowly"]

# The Python code that runs the command line.
PROGRAM = ["-m", "agentmsg"]


def in_terminal(
    *args: str, given: bytes | None = None, streams: Iterable[str] = ("stdout", "stderr"), **environment: str
) -> tuple[int, str]:
    """Run the command line with some of its streams on a terminal; return the exit code and the terminal's output.

    Args:
        args: of the command line.
        given: the content of stdin; else it is the terminal, too.
        streams: the streams on the terminal; the others are thrown away.
        environment: variables.
    """
    known = {name: value for name, value in ENVIRONMENT.items() if name not in {"NO_COLOR", "FORCE_COLOR"}}
    ours, theirs = pty.openpty()
    out, errors = (theirs if name in streams else subprocess.DEVNULL for name in ("stdout", "stderr"))
    with subprocess.Popen(
        [sys.executable, *PROGRAM, *args],
        env=known | {"TERM": "xterm-256color", "COLUMNS": "100"} | environment,
        stdin=theirs if given is None else subprocess.PIPE,
        stdout=out,
        stderr=errors,
        start_new_session=True,
    ) as child:
        os.close(theirs)
        if child.stdin is not None:
            child.stdin.write(given or b"")
            child.stdin.close()
        seen = b""
        with suppress(OSError):  # Linux signals the end like this
            while data := os.read(ours, 1 << 16):
                seen += data
    os.close(ours)
    return child.returncode, seen.decode().replace("\r\n", "\n")


def slowly(number: int, *, advance: object) -> int:
    """Report regularly that a call goes on, until it ends."""
    from time import sleep

    assert callable(advance)
    for step in range(1, 6):
        advance(step * 10, step)
        sleep(0.1)
    return number


def dying(number: int, *, advance: object) -> int:
    """End this process as the system does when memory is short, unless it is the parent."""
    from multiprocessing import parent_process

    del advance
    if parent_process() is not None:
        os._exit(9)
    return number
