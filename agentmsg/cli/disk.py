"""Reading and writing of whole files: all or nothing, and every failure a FileError."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

from agentmsg.cli.terminal import write_bytes
from agentmsg.errors import FileError
from agentmsg.limits import DEFAULT_LIMITS

__all__ = ["STANDARD", "read_file", "write_file"]

# The name that means stdin or stdout.
STANDARD = "-"


def read_file(name: str) -> bytes:
    """Return the bytes of a file, or of stdin for "-"; of one too large, only so much that readers refuse it.

    Raises:
        FileError: code "file".
    """
    most = DEFAULT_LIMITS.bytes + 1
    try:
        if name == STANDARD:
            return sys.stdin.buffer.read(most)
        with Path(name).open("rb") as file:
            return file.read(most)
    except (OSError, ValueError) as error:
        raise _refused(name, error) from None


def write_file(name: str, data: bytes) -> None:
    """Write a file, or to stdout for "-"; a file is there whole or, if anything goes wrong, as it was.

    Raises:
        FileError: code "file".
    """
    if name == STANDARD:
        write_bytes(data)
        return
    try:
        # What a link leads to is replaced, not the link; a device or a pipe is written to, not replaced.
        target = Path(os.path.realpath(name))
        if target.exists() and not target.is_file():
            target.write_bytes(data)
        else:
            _replace(target, data)
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as error:
        raise _refused(name, error) from None


def _replace(target: Path, data: bytes) -> None:
    """Write a part file beside the target, let it reach the disk, and put it in the target's place."""
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with part.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            part.chmod(stat.S_IMODE(target.stat().st_mode))
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _refused(name: str, error: OSError | ValueError) -> FileError:
    words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return FileError(f"{name}: {words}", code="file")
