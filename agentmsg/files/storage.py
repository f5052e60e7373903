"""Storages: the local disks, and whatever fsspec reaches, such as ``s3://bucket/key``.

Both promise the same: a file that ``publish`` names is complete and on disk. A URL needs the package fsspec and the one
of its own scheme.
"""

from __future__ import annotations

import errno
import io
import os
import shutil
import stat
from contextlib import contextmanager, suppress
from functools import partial
from glob import glob, has_magic
from pathlib import Path
from threading import get_ident
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias, cast

from agentmsg.errors import AgentMsgError, DecodeError, FileError, NotUnderstood
from agentmsg.files.file_names import is_pattern, is_remote
from agentmsg.optional import extra

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Hashable

_BUFFER = 1 << 18
# Permissions of a new file: for its owner only, or the system's default.
_PRIVATE, _SHARED = 0o600, 0o666
# Folders whose names are open streams and devices, not files.
_DEVICES = ("/dev", "/dev/fd", "/proc")
# Identifies a file: two names that share one are one file.
Mark: TypeAlias = "Hashable"


@contextmanager
def asking(name: str) -> Generator[None]:
    """Turn system errors into a FileError, code "file", that names a file; a closed pipe's stays as it is."""
    try:
        yield
    except (BrokenPipeError, AgentMsgError):
        raise
    except (OSError, ValueError) as error:
        words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise FileError(f"{name}: {words or type(error).__name__}", code="file") from None


def named(error: AgentMsgError, place: str) -> AgentMsgError:
    """Return an error that names its file; a FileError already does."""
    if isinstance(error, FileError):
        return error
    message = f"{error.message} ({place})"
    if isinstance(error, NotUnderstood):
        told = {name: getattr(error, name) for name in ("guesses", "unknown", "is_mixed", "inside", "parts")}
        return NotUnderstood(message, **told)
    return DecodeError(message, code=error.code, path=error.path, codec=error.codec)


@contextmanager
def naming(place: str) -> Generator[None]:
    """Name the file, or a place in it, if a document of a block can't be read."""
    try:
        yield
    except DecodeError as error:
        raise named(error, place) from error.__cause__


class Place:
    """A file system: the local disks. Methods raise FileError, code "file", if it refuses; paths are plain texts."""

    def open(self, path: str) -> BinaryIO:
        """Open a file to read; it is seekable."""
        with asking(path):
            return Path(path).open("rb", buffering=_BUFFER)

    def create(self, path: str, *, is_private: bool = False) -> BinaryIO:
        """Create a file to write, in the place of one with that name; links aren't followed.

        Args:
            path: its name.
            is_private: whether only the owner may read it, if the storage has owners.
        """
        with asking(path):
            Path(path).unlink(missing_ok=True)
            return _Durable(path, _PRIVATE if is_private else _SHARED)

    def write_back(self, file: BinaryIO) -> None:
        """Start flushing a new file to disk, so that its end needs less waiting."""
        file.flush()
        os.fsync(file.fileno())

    def size(self, path: str) -> int | None:
        """Return a file's size in bytes; None if it doesn't exist."""
        with asking(path):
            try:
                found = Path(path).stat()
            except FileNotFoundError:
                return None
            return found.st_size

    def changed(self, path: str) -> float | None:
        """Return when a file was last written, in seconds since 1970; None if the storage doesn't say."""
        with asking(path):
            return Path(path).stat().st_mtime

    def exists(self, path: str) -> bool:
        """Whether a new file of that name would replace something; a device is written to, and stays."""
        with asking(path):
            return os.path.lexists(path) and not self.is_stream(path)

    def is_stream(self, path: str) -> bool:
        """Whether a name is a device, a pipe, or an open stream, such as /dev/stdout."""
        folder = os.path.dirname(os.path.abspath(path))  # noqa: PTH100, PTH120 - a link stays one
        try:
            mode = Path(path).stat().st_mode
        except (OSError, ValueError):
            return False
        if stat.S_ISREG(mode):
            return folder in _DEVICES or folder.startswith("/proc/")
        return not stat.S_ISDIR(mode)

    def marks(self, path: str) -> frozenset[Mark]:
        """Return a file's marks: two names that share a mark are one file, through links or not."""
        with asking(path):
            folder, name = os.path.split(os.path.abspath(path))  # noqa: PTH100 - a link stays one
            # Where it is, and where it leads.
            names = [os.path.join(os.path.realpath(folder), name)]  # noqa: PTH118 - joined as it is spelt
            if os.path.islink(path):  # noqa: PTH114 - never raises
                names.append(os.path.realpath(path))
            try:
                inode = inode_of(Path(path).stat())
            except OSError:
                inode = frozenset[Mark]()
            return frozenset(map(os.path.normcase, names)) | inode

    def is_folder(self, path: str) -> bool:
        """Whether a path is a folder."""
        return os.path.isdir(path)  # noqa: PTH112 - a path of any spelling; never raises

    def check_folder(self, path: str) -> None:
        """Raise unless there is a folder for a new file; storages without folders always have one."""
        with asking(path):
            if not stat.S_ISDIR(Path(path).parent.stat().st_mode):
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))

    def make_folder(self, path: str) -> None:
        """Make a folder and its parents, unless they exist."""
        with asking(path):
            Path(path).mkdir(parents=True, exist_ok=True)

    def spelt(self, path: str) -> str:
        """Return a path as ``find`` spells it."""
        return str(Path(path))

    def find(self, path: str) -> list[str]:
        """Return all files in a folder and its subfolders, or those that match a pattern, in order.

        Raises:
            FileError: code "unreadable", naming it, if one of the folders can't be read.
        """
        with asking(path):
            if os.path.isdir(path):  # noqa: PTH112
                found = os.walk(path, onerror=partial(_refuse, below=path))
                return sorted(str(Path(folder, name)) for folder, _, names in found for name in names)
            _check_folders(path)
            return sorted(item for item in glob(path, recursive=True) if not Path(item).is_dir())  # noqa: PTH207

    def check_file(self, path: str) -> None:
        """Check what ``find`` has found; storages without links, pipes and devices have files only.

        Raises:
            FileError: code "unreadable" if it can't be a file to read: a link that leads nowhere, a pipe, a device.
        """
        try:
            mode = Path(path).stat().st_mode
        except OSError as error:
            _refuse(error)
        else:
            if not stat.S_ISREG(mode):
                raise FileError(f"{path}: neither a file nor a folder", code="unreadable")

    def links_out(self, path: str) -> frozenset[str]:
        """Return the links in a folder and its subfolders that lead out of it, or nowhere."""
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
        """Whether a new file would be in a folder, wherever links lead."""
        with asking(path):
            return Path(os.path.realpath(os.path.dirname(path))).is_relative_to(  # noqa: PTH120
                os.path.realpath(folder)
            )

    def publish(self, part: str, path: str, *, force: bool) -> None:
        """Give a written file its final name.

        Args:
            part: its name until then.
            path: its final name; a link there is replaced, a device is written to.
            force: whether to replace an existing file; otherwise one is an error, code "exists".
        """
        with asking(path):
            target = Path(path)
            if target.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            if self.is_stream(path):
                with Path(part).open("rb") as source, target.open("wb") as sink:
                    shutil.copyfileobj(source, sink, _BUFFER)
                return
            if not force:
                self._move_beside(Path(part), target)
            else:
                # A private file stays private.
                is_private = stat.S_IMODE(Path(part).stat().st_mode) == _PRIVATE
                if not is_private and target.exists() and not target.is_symlink():
                    Path(part).chmod(stat.S_IMODE(target.stat().st_mode))
                self._move(Path(part), target)
            _sync_folder(target.parent)

    def _move(self, part: Path, target: Path) -> None:
        """Replace a file with another; from another disk it is copied first, then renamed."""
        try:
            part.replace(target)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            self._copy(part, target, force=True)

    def _move_beside(self, part: Path, target: Path) -> None:
        """Give a file a name that must be free: if somebody else was faster, theirs stays."""
        try:
            os.link(part, target)
        except FileExistsError:
            raise _exists(target) from None
        except OSError as error:
            # On another disk, or on a file system without hard links.
            if os.path.lexists(target):
                raise _exists(target) from None
            if error.errno == errno.EXDEV:
                self._copy(part, target, force=False)
            else:
                self._move(part, target)
        else:
            part.unlink()

    def _copy(self, part: Path, target: Path, *, force: bool) -> None:
        beside = str(target.with_name(f".{target.name}.{os.getpid()}.part"))
        try:
            with (
                part.open("rb") as source,
                self.create(beside, is_private=stat.S_IMODE(part.stat().st_mode) == _PRIVATE) as sink,
            ):
                shutil.copyfileobj(source, sink, _BUFFER)
            self.publish(beside, str(target), force=force)
        finally:
            self.remove(beside)
        part.unlink()

    def remove(self, path: str) -> None:
        """Remove a file or a folder with its content, if it exists."""
        with asking(path):
            if os.path.isdir(path) and not os.path.islink(path):  # noqa: PTH112, PTH114
                shutil.rmtree(path)
            else:
                Path(path).unlink(missing_ok=True)

    def lock(self, path: str) -> Any:
        """Return a lock that keeps others out until it is closed; None if a storage has no locks."""
        try:
            import fcntl  # noqa: PLC0415 - not on every system
        except ModuleNotFoundError:
            return None
        with asking(path):
            file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600), "rb")
        try:
            # The system releases it when a process ends, however it ends.
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            msg = f"{path}: another run is writing to this output"
            raise FileError(msg, code="busy") from None
        return file


def _refuse(error: OSError, below: str = "") -> None:
    """Refuse what can't be read, unless it is in a hidden folder below another."""
    name = os.fsdecode(error.filename)
    if not any(part.startswith(".") for part in Path(name.removeprefix(below)).parts):
        words = "a link that leads nowhere" if isinstance(error, FileNotFoundError) else error.strerror
        raise FileError(f"{name}: {words}", code="unreadable") from None


def _check_folders(pattern: str) -> None:
    """Refuse folders on the way of a pattern that can't be read: it would pass over them."""
    way = os.path.dirname(pattern)  # noqa: PTH120 - as it is spelt
    if has_magic(way):
        _check_folders(way)
    for folder in glob(way, recursive=True):  # noqa: PTH207 - the same
        if os.path.isdir(folder):  # noqa: PTH112
            try:
                os.scandir(folder).close()
            except OSError as error:
                _refuse(error)


class _Durable(io.BufferedWriter):
    """A new file whose bytes are on disk once it is closed."""

    def __init__(self, path: str, mode: int) -> None:
        # Exclusive: if somebody put a link here, it is an error, and not followed.
        file = io.FileIO(path, "xb", opener=lambda name, flags: os.open(name, flags, mode))
        super().__init__(file, _BUFFER)

    def close(self) -> None:
        """Flush the bytes to disk, and close."""
        if not self.closed:
            try:
                self.flush()
                if self.tell():  # an empty file has nothing to flush
                    os.fsync(self.fileno())
            finally:
                super().close()


def inode_of(found: os.stat_result) -> frozenset[Mark]:
    """Return the system's mark of a file, which may have many names; none for a pipe or a device."""
    return frozenset({(found.st_dev, found.st_ino)}) if stat.S_ISREG(found.st_mode) and found.st_ino else frozenset()


def _leads_into(link: str, root: str) -> bool:
    return Path(os.path.realpath(link)).is_relative_to(root) and os.path.exists(link)  # noqa: PTH110 - never raises


def _sync_folder(folder: Path) -> None:
    # A rename is on disk when its folder is; not every file system supports this.
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _exists(target: Path | str) -> FileError:
    return FileError(f"{target}: the file exists now; --force replaces it", code="exists")


LOCAL = Place()


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
                raise _exists(path)
            self._files.mv(part, path)

    def remove(self, path: str) -> None:
        with asking(path):
            if self._files.exists(path):
                self._files.rm(path, recursive=True)

    def lock(self, path: str) -> Any:
        del path  # object stores have none
        return None


def place_of(path: str) -> Place:
    """Return the storage of a path or URL.

    Raises:
        FileError: code "unavailable" if a package is missing.
    """
    return _Remote(path) if is_remote(path) else LOCAL


def make_folder_of(path: str) -> None:
    """Make the folder of a new file, unless it exists; other storages than the local disks need none."""
    folder = path.rpartition("/")[0]
    if folder and not is_remote(path):
        LOCAL.make_folder(folder)


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
