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
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias, cast

from agentmsg._extras import extra
from agentmsg.errors import AgentMsgError, FileError
from agentmsg.files.names import is_pattern, is_remote

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Hashable

__all__ = ["Mark", "Place", "asking", "inode_of", "place_of", "whole_file"]

# Something that tells a file from all others; two names that share one are one file.
Mark: TypeAlias = "Hashable"
_BUFFER = 1 << 18
# Where names are not of files but of open streams and devices.
_DEVICES = ("/dev", "/dev/fd", "/proc")


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
    def exists(self, path: str) -> bool:
        """Whether a new file of that name would replace something; a device is written to, and stays."""

    @abstractmethod
    def is_stream(self, path: str) -> bool:
        """Whether a name is of a device, a pipe, or a stream that is open, such as /dev/stdout."""

    @abstractmethod
    def marks(self, path: str) -> frozenset[Mark]:
        """Return what tells a file from others: two names that share a mark are one file, through links or not."""

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
    def links_out(self, path: str) -> frozenset[str]:
        """Return the links in a folder and in its folders that lead out of it, or nowhere."""

    @abstractmethod
    def is_below(self, path: str, folder: str) -> bool:
        """Whether a new file would be in a folder, however links lead there."""

    @abstractmethod
    def publish(self, part: str, path: str, *, force: bool) -> None:
        """Give a file that was written its final name.

        Args:
            part: its name until then.
            path: its final name; a link there is replaced, a device is written to.
            force: whether it replaces a file of that name; else one that is there by now is an error, code "exists".
        """

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
def whole_file(path: str, *, force: bool = False, is_wanted: Callable[[], bool] = lambda: True) -> Generator[BinaryIO]:
    """Give a file to write that gets its name at the end; where anything goes wrong, all is as it was.

    Args:
        path: its name.
        force: whether it replaces a file of that name.
        is_wanted: whether there shall be a file, asked at the end.

    Raises:
        FileError: where it cannot be written; code "exists", where there is a file of that name.
    """
    place = place_of(path)
    if place.is_stream(path):
        with asking(path), Path(path).open("wb") as file:
            yield file
        return
    folder, slash, name = path.rpartition("/")
    part = f"{folder}{slash}.{name}.{os.getpid()}.part"
    try:
        with asking(path), place.create(part) as file:
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

    def exists(self, path: str) -> bool:
        with asking(path):
            return os.path.lexists(path) and not self.is_stream(path)

    def is_stream(self, path: str) -> bool:
        folder = os.path.dirname(os.path.abspath(path))  # noqa: PTH100, PTH120 - a link stays one
        try:
            mode = Path(path).stat().st_mode
        except (OSError, ValueError):
            return False
        if stat.S_ISREG(mode):
            return folder in _DEVICES or folder.startswith("/proc/")
        return not stat.S_ISDIR(mode)

    def marks(self, path: str) -> frozenset[Mark]:
        with asking(path):
            folder, name = os.path.split(os.path.abspath(path))  # noqa: PTH100 - a link stays one
            # Where it is, and where it leads to.
            names = [os.path.join(os.path.realpath(folder), name)]  # noqa: PTH118 - joined as it is spelt
            if os.path.islink(path):  # noqa: PTH114 - never raises
                names.append(os.path.realpath(path))
            try:
                inode = inode_of(Path(path).stat())
            except OSError:
                inode = frozenset()
            return frozenset(map(os.path.normcase, names)) | inode

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

    def links_out(self, path: str) -> frozenset[str]:
        with asking(path):
            root = os.path.realpath(path)
            names = (
                os.path.join(folder, name)  # noqa: PTH118 - as find spells them
                for folder, folders, files in os.walk(path)
                for name in (*folders, *files)
            )
            links = (name for name in names if os.path.islink(name))  # noqa: PTH114
            return frozenset(str(Path(name)) for name in links if not _leads_into(name, root))

    def is_below(self, path: str, folder: str) -> bool:
        with asking(path):
            return Path(os.path.realpath(os.path.dirname(path))).is_relative_to(  # noqa: PTH120
                os.path.realpath(folder)
            )

    def publish(self, part: str, path: str, *, force: bool) -> None:
        with asking(path):
            target = Path(path)
            if target.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            if self.is_stream(path):
                with Path(part).open("rb") as source, target.open("wb") as sink:
                    shutil.copyfileobj(source, sink, _BUFFER)
                return
            if not force:
                _move_beside(Path(part), target)
            else:
                if target.exists() and not target.is_symlink():
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


def inode_of(found: os.stat_result) -> frozenset[Mark]:
    """Return the mark of a file that may have many names, as the system knows it; none of a pipe or a device."""
    return frozenset({(found.st_dev, found.st_ino)}) if stat.S_ISREG(found.st_mode) and found.st_ino else frozenset()


def _leads_into(link: str, root: str) -> bool:
    return Path(os.path.realpath(link)).is_relative_to(root) and os.path.exists(link)  # noqa: PTH110 - never raises


def _move(part: Path, target: Path) -> None:
    """Replace a file by another, which may be on another disk: it is copied then, and replaces the file from there."""
    try:
        part.replace(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        _copy(part, target, force=True)


def _move_beside(part: Path, target: Path) -> None:
    """Give a file a name that no other has: where somebody else was faster, theirs stays."""
    try:
        os.link(part, target)
    except FileExistsError:
        raise _exists(target) from None
    except OSError as error:
        if error.errno == errno.EXDEV:
            _copy(part, target, force=False)
            return
        # A file system without hard links.
        if os.path.lexists(target):
            raise _exists(target) from None
        _move(part, target)
    else:
        part.unlink()


def _exists(target: Path) -> FileError:
    return FileError(f"{target}: the file exists by now; --force replaces it", code="exists")


def _copy(part: Path, target: Path, *, force: bool) -> None:
    with whole_file(str(target), force=force) as sink, part.open("rb") as source:
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

    def exists(self, path: str) -> bool:
        with asking(path):
            return bool(self._files.exists(path))

    def is_stream(self, path: str) -> bool:
        del path
        return False

    def marks(self, path: str) -> frozenset[Mark]:
        with asking(path):
            here = self._path_here(path)
            return frozenset({self._files.unstrip_protocol(path)}) if here is None else _LOCAL.marks(here)

    def _path_here(self, path: str) -> str | None:
        """Return the path on this machine that a URL names; None where it names none."""
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

    def find(self, path: str) -> list[str]:
        with asking(path):
            found = self._files.glob(path) if is_pattern(path) else self._files.find(path)
            return sorted(self._files.unstrip_protocol(item) for item in found)

    def links_out(self, path: str) -> frozenset[str]:
        here = self._path_here(path)
        found = () if here is None else _LOCAL.links_out(here)
        return frozenset(map(self._files.unstrip_protocol, found))

    def is_below(self, path: str, folder: str) -> bool:
        here, root = self._path_here(path), self._path_here(folder)
        return here is None or root is None or _LOCAL.is_below(here, root)

    def publish(self, part: str, path: str, *, force: bool) -> None:
        with asking(path):
            if not force and self._files.exists(path):
                msg = f"{path}: the file exists by now; --force replaces it"
                raise FileError(msg, code="exists")
            self._files.mv(part, path)

    def remove(self, path: str) -> None:
        with asking(path):
            if self._files.exists(path):
                self._files.rm(path, recursive=True)

    def lock(self, path: str) -> Any:
        del path  # stores of objects have none
        return None


_LOCAL = _Local()
