"""Writing of whole results: all or nothing, and every failure a FileError."""

from __future__ import annotations

from agentmsg.cli.terminal import write_bytes
from agentmsg.files.names import STANDARD
from agentmsg.files.places import whole_file

__all__ = ["write_file"]


def write_file(name: str, data: bytes) -> None:
    """Write a file, or to stdout for "-"; a file is there whole or, if anything goes wrong, as it was.

    Raises:
        FileError: code "file".
    """
    if name == STANDARD:
        write_bytes(data)
        return
    with whole_file(name) as file:
        file.write(data)
