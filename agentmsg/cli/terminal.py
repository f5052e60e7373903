"""What the commands print: escaped, because data may hold control characters, and to the right stream."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from agentmsg.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["abandon_output", "aligned", "is_terminal", "printable", "say", "standard_in", "standard_out", "write_bytes"]


def printable(text: str) -> str:
    """Return a text with all escaped that a terminal could obey: controls, line ends, text direction."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def say(text: str) -> None:
    """Print one line about the work on stderr."""
    click.echo(f"agentmsg: {printable(text)}", err=True)


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows of cells as lines whose columns stand below each other."""
    safe = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*safe, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in safe)
    return [line.rstrip() for line in lines]


def is_terminal(stream: Any) -> bool:
    """Tell whether somebody may be looking at a stream."""
    try:
        return bool(stream.isatty())
    except ValueError:
        return False  # it is closed


def standard_in() -> BinaryIO:
    """Return stdin.

    Raises:
        FileError: where it is closed.
    """
    return _bytes_of(sys.stdin, "stdin")


def standard_out() -> BinaryIO:
    """Return stdout.

    Raises:
        FileError: where it is closed.
    """
    return _bytes_of(sys.stdout, "stdout")


def _bytes_of(stream: Any, name: str) -> BinaryIO:
    if stream is None or getattr(stream, "closed", False):
        msg = f"{name} is closed"
        raise FileError(msg, code="file")
    buffer: BinaryIO = stream.buffer
    return buffer


def write_bytes(data: bytes) -> None:
    """Write bytes to stdout as they are; on a terminal a line end follows, which is no part of them."""
    stream = standard_out()
    stream.write(data)
    if stream.isatty() and not data.endswith(b"\n"):
        stream.write(b"\n")
    stream.flush()


def abandon_output() -> None:
    """Send what is still buffered nowhere, so that Python does not complain of a closed pipe at its end."""
    try:
        output = sys.stdout.fileno()
    except (OSError, ValueError):
        return  # stdout is no file of the system: nothing is buffered there
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, output)
    os.close(nowhere)
