"""Any storage that fsspec reaches, such as ``s3://bucket/key``. It needs that package and the scheme's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO, cast

from agentmsg.errors import FileError
from agentmsg.files.file_names import is_pattern
from agentmsg.files.local_storage import LOCAL
from agentmsg.files.storage import Place, asking
from agentmsg.optional import extra

if TYPE_CHECKING:
    from agentmsg.files.storage import Mark


def remote(url: str) -> Place:
    """Return the place of a URL.

    Raises:
        FileError: code "unavailable" if a package is missing.
    """
    return _Remote(url)


class _Remote(Place):
    """A file system of fsspec. Its objects appear complete or not at all, when they are closed."""

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
