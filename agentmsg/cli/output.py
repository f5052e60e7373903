"""Write results to stdout, or completely into a file whose name is free."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import PurePath
from typing import TYPE_CHECKING

from agentmsg.cli.terminal import held_output, write_bytes
from agentmsg.errors import FileError
from agentmsg.files.file_names import STANDARD
from agentmsg.files.overwriting import check_distinct, check_free
from agentmsg.files.storages import whole_file

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterable

# Suffixes of files for printed output: text, or JSON.
REPORTS = (".txt", ".json")


def check_written(written: Iterable[str], read: Iterable[str], *, force: bool) -> None:
    """Check that results may be written.

    Args:
        written: the names of all files to write; "-" is stdout.
        read: the names of all files to read; "-" is stdin.
        force: whether to replace existing files.

    Raises:
        FileError: code "same-file" if one is a source or another result; code "exists", see ``check_free``.
    """
    names = list(written)
    check_distinct(names, read)
    check_free(names, force=force)


def check_ending(name: str, endings: Collection[str]) -> str:
    """Return the suffix of a file to write.

    Raises:
        FileError: code "form" if it is none of these, and not empty.
    """
    ending = PurePath(name).suffix.lower()
    if ending and ending not in endings:
        msg = f"{name}: can't write a {ending} file here; use {' or '.join(endings)}"
        raise FileError(msg, code="form")
    return ending


def write_file(name: str, data: bytes, *, force: bool) -> None:
    """Write a file, or to stdout for "-"; if anything goes wrong, an existing file stays as it was.

    Raises:
        FileError: if it can't be written; code "exists".
    """
    if name == STANDARD:
        write_bytes(data)
        return
    with whole_file(name, force=force) as file:
        file.write(data)


@contextmanager
def output_to(name: str, *, force: bool) -> Generator[None]:
    """Send everything printed to stdout to a file, once it is complete; "-" leaves it on stdout.

    Raises:
        FileError: if it can't be written; code "exists".
    """
    if name == STANDARD:
        yield
        return
    with held_output() as printed:
        yield
    write_file(name, printed(), force=force)
