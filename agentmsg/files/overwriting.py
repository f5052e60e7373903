"""Never write over a file that is read, nor, unless asked, over one that already exists.

A file may have many names: through links, hard links, linked folders, redirected streams, local URLs. ``Place.marks``
says whether two of them are one file.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from agentmsg.errors import FileError
from agentmsg.files.file_names import STANDARD
from agentmsg.files.storage import inode_of, place_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from agentmsg.files.storage import Mark


def check_distinct(written: Iterable[str], read: Iterable[str]) -> None:
    """Check that no file is both read and written, and none written twice.

    Args:
        written: the names of the files to write; "-" is stdout.
        read: the names of the files to read; "-" is stdin.

    Raises:
        FileError: code "same-file", whatever ``force`` is.
    """
    taken = {
        mark: (name, "stdin", "an input is never overwritten") for name in read for mark in _marks(name, sys.stdin)
    }
    for name in written:
        if not name:
            msg = "the name of the output is empty"
            raise FileError(msg, code="form")
        marks = _marks(name, sys.stdout) | frozenset({STANDARD} if name == STANDARD else ())
        for owner, standard, words in (taken[mark] for mark in marks if mark in taken):
            other = "" if owner == name else f": it is {_words(owner, standard)}"
            raise FileError(f"{_words(name, 'stdout')}: {words}{other}; name another file", code="same-file")
        taken.update(dict.fromkeys(marks, (name, "stdout", "two outputs can't be one file")))


def check_free(written: Iterable[str], *, force: bool = False, own: Collection[str] = ()) -> None:
    """Check that no file exists yet where files will be written.

    Args:
        written: the names of the files to write; "-" is stdout.
        force: whether files may be replaced. A link that leads nowhere never is: nobody can say what it stands for.
        own: those that an earlier part of this run has written.

    Raises:
        FileError: code "exists" if one exists; code "file" if it is a folder.
    """
    found = [name for name in written if name != STANDARD and name not in own and _is_there(name)]
    for name in found:
        if place_of(name).size(name) is None:
            msg = f"{name}: a link that leads nowhere is not replaced; remove it, or name another file"
            raise FileError(msg, code="exists")
    if found and not force:
        more = f", and so do {len(found) - 1:,} others" if len(found) > 1 else ""
        msg = f"{found[0]}: the file exists{more}; --force replaces {'them' if more else 'it'}"
        raise FileError(msg, code="exists")


def check_below(folder: str, written: Iterable[str]) -> None:
    """Check that no file to write leaves its folder through a link.

    Raises:
        FileError: code "file".
    """
    for name in written:
        if not place_of(name).is_below(name, folder):
            msg = f"{name}: a link leads out of {folder}; nothing is written through it"
            raise FileError(msg, code="file")


def _is_there(name: str) -> bool:
    place = place_of(name)
    if place.is_folder(name):
        msg = f"{name}: Is a directory"
        raise FileError(msg, code="file")
    return place.exists(name)


def _words(name: str, standard: str) -> str:
    return standard if name == STANDARD else name


def _marks(name: str, stream: Any) -> frozenset[Mark]:
    """Return the marks of a file, or of the one to which a standard stream is redirected."""
    if name != STANDARD:
        return place_of(name).marks(name)
    try:
        return inode_of(os.fstat(stream.fileno()))
    except (AttributeError, OSError, ValueError):
        return frozenset()  # it is closed, or not a system stream
