"""What every storage promises, be it the local disks or whatever fsspec reaches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

from agentmsg.errors import AgentMsgError, FileError

if TYPE_CHECKING:
    from collections.abc import Generator, Hashable

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


class Place(ABC):
    """A file system; paths are plain texts. All methods raise FileError, code "file", if it refuses."""

    @abstractmethod
    def open(self, path: str) -> BinaryIO:
        """Open a file to read; it is seekable."""

    @abstractmethod
    def create(self, path: str, *, is_private: bool = False) -> BinaryIO:
        """Create a file to write, in the place of one with that name; links aren't followed.

        Args:
            path: its name.
            is_private: whether only the owner may read it, if the storage has owners.
        """

    @abstractmethod
    def write_back(self, file: BinaryIO) -> None:
        """Start flushing a new file to disk, so that its end needs less waiting."""

    @abstractmethod
    def size(self, path: str) -> int | None:
        """Return a file's size in bytes; None if it doesn't exist."""

    @abstractmethod
    def changed(self, path: str) -> float | None:
        """Return when a file was last written, in seconds since 1970; None if the storage doesn't say."""

    @abstractmethod
    def exists(self, path: str) -> bool:
        """Whether a new file of that name would replace something; a device is written to, and stays."""

    @abstractmethod
    def is_stream(self, path: str) -> bool:
        """Whether a name is a device, a pipe, or an open stream, such as /dev/stdout."""

    @abstractmethod
    def marks(self, path: str) -> frozenset[Mark]:
        """Return a file's marks: two names that share a mark are one file, through links or not."""

    @abstractmethod
    def is_folder(self, path: str) -> bool:
        """Whether a path is a folder."""

    @abstractmethod
    def check_folder(self, path: str) -> None:
        """Raise unless there is a folder for a new file; storages without folders always have one."""

    @abstractmethod
    def make_folder(self, path: str) -> None:
        """Make a folder and its parents, unless they exist."""

    @abstractmethod
    def spelt(self, path: str) -> str:
        """Return a path as ``find`` spells it."""

    @abstractmethod
    def find(self, path: str) -> list[str]:
        """Return all files in a folder and its subfolders, or those that match a pattern, in order.

        Raises:
            FileError: code "unreadable", naming it, if one of the folders can't be read.
        """

    @abstractmethod
    def check_file(self, path: str) -> None:
        """Check what ``find`` has found; storages without links, pipes and devices have files only.

        Raises:
            FileError: code "unreadable" if it can't be a file to read: a link that leads nowhere, a pipe, a device.
        """

    @abstractmethod
    def links_out(self, path: str) -> frozenset[str]:
        """Return the links in a folder and its subfolders that lead out of it, or nowhere."""

    @abstractmethod
    def is_below(self, path: str, folder: str) -> bool:
        """Whether a new file would be in a folder, wherever links lead."""

    @abstractmethod
    def publish(self, part: str, path: str, *, force: bool) -> None:
        """Give a written file its final name.

        Args:
            part: its name until then.
            path: its final name; a link there is replaced, a device is written to.
            force: whether to replace an existing file; otherwise one is an error, code "exists".
        """

    @abstractmethod
    def remove(self, path: str) -> None:
        """Remove a file or a folder with its content, if it exists."""

    @abstractmethod
    def lock(self, path: str) -> Any:
        """Return a lock that keeps others out until it is closed; None if a storage has no locks."""
