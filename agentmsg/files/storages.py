"""Find the storage of a path: the local disks, or whatever fsspec reaches, such as ``s3://bucket/key``.

Both promise the same: a file that ``publish`` names is complete and on disk. A URL needs the package fsspec and the one
of its own scheme.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import get_ident
from typing import TYPE_CHECKING, BinaryIO

from agentmsg.errors import FileError
from agentmsg.files.file_names import is_remote
from agentmsg.files.local_storage import LOCAL
from agentmsg.files.remote_storage import remote
from agentmsg.files.storage import asking

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from agentmsg.files.storage import Place


def place_of(path: str) -> Place:
    """Return the storage of a path or URL.

    Raises:
        FileError: code "unavailable" if a package is missing.
    """
    return remote(path) if is_remote(path) else LOCAL


@contextmanager
def whole_file(
    path: str, *, force: bool = False, is_private: bool = False, is_wanted: Callable[[], bool] = lambda: True
) -> Generator[BinaryIO]:
    """Open a file to write that gets its name at the end; if anything goes wrong, nothing changes.

    Args:
        path: its name.
        force: whether to replace an existing file.
        is_private: whether only the owner may read it, if the storage has owners.
        is_wanted: called at the end: whether there should be a file.

    Raises:
        FileError: if it can't be written; code "exists" if the file exists.
    """
    place = place_of(path)
    if place.is_stream(path):
        with asking(path), Path(path).open("wb") as file:
            yield file
        return
    folder, slash, name = path.rpartition("/")
    part = f"{folder}{slash}.{name}.{os.getpid()}-{get_ident()}.part"
    try:
        with asking(path), place.create(part, is_private=is_private) as file:
            yield file
        if is_wanted():
            place.publish(part, path, force=force)
        else:
            place.remove(part)
            if force:
                place.remove(path)
    except BaseException:
        with suppress(FileError):
            place.remove(part)
        raise
