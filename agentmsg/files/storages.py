"""Find the storage of a path: the local disks, or whatever fsspec reaches, such as ``s3://bucket/key``.

Both promise the same: a file that ``publish`` names is complete and on disk. A URL needs the package fsspec and the one
of its own scheme.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import get_ident
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from agentmsg.errors import FileError
from agentmsg.files.file_names import is_pattern, is_remote
from agentmsg.files.storage import LOCAL, Place, asking
from agentmsg.optional import extra

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from agentmsg.files.storage import Mark


def place_of(path: str) -> Place:
    """Return the storage of a path or URL.

    Raises:
        FileError: code "unavailable" if a package is missing.
    """
    return _Remote(path) if is_remote(path) else LOCAL


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


class _Remote(Place):
    """A file system of fsspec. Its objects appear complete or not at all, when they are closed.

    Raises:
        FileError: code "unavailable" if a package is missing.
    """

    def __init__(self, url: str) -> None:
        core = extra("fsspec.core", "remote", url)
        try:
            self._files: Any = core.url_to_fs(url)[0]
        except (ImportError, ValueError) as error:
            raise FileError(f"{url}: {error}", code="unavailable") from None

    def open(self, path: str) -> BinaryIO:
        with asking(path):
            return cast("BinaryIO", self._files.open(path, "rb"))

    def create(self, path: str, *, is_private: bool = False) -> BinaryIO:
        del is_private  # the storage's own settings decide who may read it
        with asking(path):
            return cast("BinaryIO", self._files.open(path, "wb"))

    def write_back(self, file: BinaryIO) -> None:
        del file  # it sends blocks when they are full

    def size(self, path: str) -> int | None:
        with asking(path):
            try:
                return cast("int | None", self._files.size(path))
            except FileNotFoundError:
                return None

    def changed(self, path: str) -> float | None:
        with asking(path):
            try:
                return cast("float", self._files.modified(path).timestamp())
            except (AttributeError, NotImplementedError):
                return None

    def exists(self, path: str) -> bool:
        with asking(path):
            return bool(self._files.exists(path))

    def is_stream(self, path: str) -> bool:
        del path
        return False

    def marks(self, path: str) -> frozenset[Mark]:
        with asking(path):
            here = self._path_here(path)
            return frozenset({self.spelt(path)}) if here is None else LOCAL.marks(here)

    def _path_here(self, path: str) -> str | None:
        """Return the local path that a URL names; None if it names none."""
        protocols = self._files.protocol
        if "file" not in ((protocols,) if isinstance(protocols, str) else protocols):
            return None
        return str(self._files._strip_protocol(path))  # noqa: SLF001 - fsspec has no other name for it

    def check_folder(self, path: str) -> None:
        del path

    def is_folder(self, path: str) -> bool:
        with asking(path):
            return bool(self._files.isdir(path))

    def make_folder(self, path: str) -> None:
        with asking(path):
            self._files.makedirs(path, exist_ok=True)

    def spelt(self, path: str) -> str:
        return str(self._files.unstrip_protocol(self._files._strip_protocol(path)))  # noqa: SLF001 - see above

    def find(self, path: str) -> list[str]:
        here = self._path_here(path)
        if here is not None:
            return sorted(map(self._files.unstrip_protocol, LOCAL.find(here)))
        with asking(path):
            found = self._files.glob(path) if is_pattern(path) else self._files.find(path)
            return sorted(self._files.unstrip_protocol(item) for item in found)

    def check_file(self, path: str) -> None:
        here = self._path_here(path)
        if here is not None:
            LOCAL.check_file(here)

    def links_out(self, path: str) -> frozenset[str]:
        here = self._path_here(path)
        found = () if here is None else LOCAL.links_out(here)
        return frozenset(map(self._files.unstrip_protocol, found))

    def is_below(self, path: str, folder: str) -> bool:
        here, root = self._path_here(path), self._path_here(folder)
        return here is None or root is None or LOCAL.is_below(here, root)

    def publish(self, part: str, path: str, *, force: bool) -> None:
        with asking(path):
            if not force and self._files.exists(path):
                msg = f"{path}: the file exists now; --force replaces it"
                raise FileError(msg, code="exists")
            self._files.mv(part, path)

    def remove(self, path: str) -> None:
        with asking(path):
            if self._files.exists(path):
                self._files.rm(path, recursive=True)

    def lock(self, path: str) -> Any:
        del path  # object stores have none
        return None
