"""What a place of files promises, be it the disks of this machine or whatever fsspec reaches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

from agentmsg.errors import AgentMsgError, FileError

if TYPE_CHECKING:
    from collections.abc import Generator, Hashable

__all__ = ["Mark", "Place", "asking"]

# Something that tells a file from all others; two names that share one are one file.
Mark: TypeAlias = "Hashable"


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


class Place(ABC):
    """A kind of file system; paths are plain texts. All methods raise FileError, code "file" if it refuses."""

    @abstractmethod
    def open(self, path: str) -> BinaryIO:
        """Return a file to read, which can seek."""

    @abstractmethod
    def create(self, path: str, *, is_private: bool = False) -> BinaryIO:
        """Return a new file to write, in the place of one of that name; links aren't followed.

        Args:
            path: its name.
            is_private: whether nobody else may read it, where the place knows who is who.
        """

    @abstractmethod
    def write_back(self, file: BinaryIO) -> None:
        """Let what was written to a new file reach the disk already, so that its end isn't waited for so long."""

    @abstractmethod
    def size(self, path: str) -> int | None:
        """Return how many bytes a file has; None if there is none."""

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
    def spelt(self, path: str) -> str:
        """Return a path as ``find`` spells it."""

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
        """Return something that keeps others out until it is closed; None if a place has no locks."""
