"""Where files are: the disks of this machine, or whatever fsspec reaches, such as ``s3://bucket/key``.

Both promise the same: what ``publish`` gives its final name is whole, and was on disk before. A URL needs the package
fsspec and the one of its own scheme.
"""

from __future__ import annotations

import errno
import io
import os
import shutil
import stat
from abc import ABC, abstractmethod
from contextlib import contextmanager, suppress
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from agentmsg._extras import extra
from agentmsg.errors import AgentMsgError, FileError
from agentmsg.files.names import is_pattern, is_remote

if TYPE_CHECKING:
    from collections.abc import Generator

__all__ = ["Place", "asking", "place_of", "whole_file"]

_BUFFER = 1 << 18


class Place(ABC):
    """A kind of file system; paths are plain texts. All methods raise FileError, code "file", where it refuses."""

    @abstractmethod
    def open(self, path: str) -> BinaryIO:
        """Return a file to read, which can seek."""

    @abstractmethod
    def create(self, path: str) -> BinaryIO:
        """Return a new file to write, in the place of one of that name; links are not followed."""

    @abstractmethod
    def write_back(self, file: BinaryIO) -> None:
        """Let what was written to a new file reach the disk already, so that its end is not waited for so long."""

    @abstractmethod
    def size(self, path: str) -> int | None:
        """Return how many bytes a file has; None where there is none."""

    @abstractmethod
    def is_folder(self, path: str) -> bool:
        """Tell whether a path is a folder."""

    @abstractmethod
    def check_folder(self, path: str) -> None:
        """Raise unless there is a folder for a new file; places without folders have one for each."""

    @abstractmethod
    def make_folder(self, path: str) -> None:
        """Make a folder, and those that it is in, unless they are there."""

    @abstractmethod
    def find(self, path: str) -> list[str]:
        """Return all files in a folder and in its folders, or those that a pattern matches, in order."""

    @abstractmethod
    def publish(self, part: str, path: str) -> None:
        """Give a file that was written its final name, in the place of what had it."""

    @abstractmethod
    def remove(self, path: str) -> None:
        """Remove a file or a folder with all that is in it, if it is there."""

    @abstractmethod
    def lock(self, path: str) -> Any:
        """Return something that keeps others out until it is closed; None where a place has no locks."""


def place_of(path: str) -> Place:
    """Return the place of a path or URL.

    Raises:
        FileError: code "unavailable", where a package is missing.
    """
    return _Remote(path) if is_remote(path) else _LOCAL


@contextmanager
def whole_file(path: str) -> Generator[BinaryIO]:
    """Give a file to write that gets its name at the end; where anything goes wrong, all is as it was.

    Raises:
        FileError: where it cannot be written.
    """
    place = place_of(path)
    folder, slash, name = path.rpartition("/")
    part = f"{folder}{slash}.{name}.{os.getpid()}.part"
    try:
        with asking(path), place.create(part) as file:
            yield file
        place.publish(part, path)
    except BaseException:
        with suppress(FileError):
            place.remove(part)
        raise


@contextmanager
def asking(name: str) -> Generator[None]:
    """Turn what the system refuses into FileError, code "file", that names a file; a closed pipe stays one."""
    try:
        yield
    except (BrokenPipeError, AgentMsgError):
        raise
    except (OSError, ValueError) as error:
        words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise FileError(f"{name}: {words or type(error).__name__}", code="file") from None


class _Local(Place):
    def open(self, path: str) -> BinaryIO:
        with asking(path):
            return Path(path).open("rb", buffering=_BUFFER)

    def create(self, path: str) -> BinaryIO:
        with asking(path):
            Path(path).unlink(missing_ok=True)
            return _Durable(path)

    def write_back(self, file: BinaryIO) -> None:
        file.flush()
        os.fsync(file.fileno())

    def size(self, path: str) -> int | None:
        with asking(path):
            try:
                found = Path(path).stat()
            except FileNotFoundError:
                return None
            return found.st_size

    def is_folder(self, path: str) -> bool:
        return os.path.isdir(path)  # noqa: PTH112 - a path of any spelling; never raises

    def check_folder(self, path: str) -> None:
        with asking(path):
            if not stat.S_ISDIR(Path(path).parent.stat().st_mode):
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))

    def make_folder(self, path: str) -> None:
        with asking(path):
            Path(path).mkdir(parents=True, exist_ok=True)

    def find(self, path: str) -> list[str]:
        with asking(path):
            if os.path.isdir(path):  # noqa: PTH112
                return sorted(str(item) for item in Path(path).rglob("*") if item.is_file())
            return sorted(item for item in glob(path, recursive=True) if Path(item).is_file())  # noqa: PTH207

    def publish(self, part: str, path: str) -> None:
        with asking(path):
            # What a link leads to is replaced, not the link; a device or a pipe is written to.
            target = Path(os.path.realpath(path))
            if target.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            if target.exists():
                if not target.is_file():
                    with Path(part).open("rb") as source, target.open("wb") as sink:
                        shutil.copyfileobj(source, sink, _BUFFER)
                    return
                Path(part).chmod(stat.S_IMODE(target.stat().st_mode))
            _move(Path(part), target)
            _sync_folder(target.parent)

    def remove(self, path: str) -> None:
        with asking(path):
            if os.path.isdir(path) and not os.path.islink(path):  # noqa: PTH112, PTH114
                shutil.rmtree(path)
            else:
                Path(path).unlink(missing_ok=True)

    def lock(self, path: str) -> Any:
        try:
            import fcntl  # noqa: PLC0415 - not on every system
        except ModuleNotFoundError:
            return None
        with asking(path):
            file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600), "rb")
        try:
            # The system lets go of it when a process ends, however it ends.
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            msg = f"{path}: another run of agentmsg is at work on this target"
            raise FileError(msg, code="busy") from None
        return file


class _Durable(io.BufferedWriter):
    """A new file whose bytes are on disk once it is closed."""

    def __init__(self, path: str) -> None:
        # Exclusive: a link that somebody put here is an error, not followed.
        super().__init__(io.FileIO(path, "xb"), _BUFFER)

    def close(self) -> None:
        """Let the bytes reach the disk, and close."""
        if not self.closed:
            try:
                self.flush()
                if self.tell():  # of an empty file nothing can be missing
                    os.fsync(self.fileno())
            finally:
                super().close()


def _move(part: Path, target: Path) -> None:
    """Replace a file by another, which may be on another disk: it is copied then, and replaces the file from there."""
    try:
        part.replace(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        with whole_file(str(target)) as sink, part.open("rb") as source:
            shutil.copyfileobj(source, sink, _BUFFER)
        part.unlink()


def _sync_folder(folder: Path) -> None:
    # A rename is on disk when its folder is; not every file system can say so.
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


class _Remote(Place):
    """A file system of fsspec. Objects there appear whole or not at all, when they are closed."""

    def __init__(self, url: str) -> None:
        core = extra("fsspec.core", "remote", url)
        try:
            self._files: Any = core.url_to_fs(url)[0]
        except (ImportError, ValueError) as error:
            raise FileError(f"{url}: {error}", code="unavailable") from None

    def open(self, path: str) -> BinaryIO:
        with asking(path):
            return cast("BinaryIO", self._files.open(path, "rb"))

    def create(self, path: str) -> BinaryIO:
        with asking(path):
            return cast("BinaryIO", self._files.open(path, "wb"))

    def write_back(self, file: BinaryIO) -> None:
        del file  # it sends pieces as they are full

    def size(self, path: str) -> int | None:
        with asking(path):
            try:
                return cast("int | None", self._files.size(path))
            except FileNotFoundError:
                return None

    def check_folder(self, path: str) -> None:
        del path

    def is_folder(self, path: str) -> bool:
        with asking(path):
            return bool(self._files.isdir(path))

    def make_folder(self, path: str) -> None:
        with asking(path):
            self._files.makedirs(path, exist_ok=True)

    def find(self, path: str) -> list[str]:
        with asking(path):
            found = self._files.glob(path) if is_pattern(path) else self._files.find(path)
            return sorted(self._files.unstrip_protocol(item) for item in found)

    def publish(self, part: str, path: str) -> None:
        with asking(path):
            self._files.mv(part, path)

    def remove(self, path: str) -> None:
        with asking(path):
            if self._files.exists(path):
                self._files.rm(path, recursive=True)

    def lock(self, path: str) -> Any:
        del path  # stores of objects have none
        return None


_LOCAL = _Local()
