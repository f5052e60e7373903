"""Join parts into whole files: appended in order while later pieces are still converted, with continuous numbers.

So little is left to do when the last piece is done, however large the file is.
"""

from __future__ import annotations

import io
import re
import shutil
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, BinaryIO

from agentmsg.errors import FileError
from agentmsg.files.compression import compressed
from agentmsg.files.file_names import is_remote
from agentmsg.files.framing import LINES
from agentmsg.files.packing import is_packed, packed
from agentmsg.files.storage import asking
from agentmsg.files.storages import place_of

if TYPE_CHECKING:
    from agentmsg.files.file_names import Kind
    from agentmsg.files.framing import Framing

_BUFFER = 1 << 20
# Begins with a line end, which is found at once.
_LEAD = re.compile(rb'\n\{"line":(\d+)(?:(,"(?:file_line|index)":)(\d+))?')


class Growing:
    """A file made of parts.

    Args:
        path: its final name.
        until: its name until it is published.
        framing: what goes around documents; the parts have it inside, not at their ends.
        kind: the kind of a file whose parts are used as they are.
        parts_compression: the compression of the parts, so that what goes between them is compressed, too.
        is_one_part: whether there will be only one part, which may then become the file.
    """

    def __init__(
        self,
        path: str,
        until: str,
        framing: Framing = LINES,
        *,
        kind: Kind,
        parts_compression: str = "",
        is_one_part: bool = False,
        is_private: bool = False,
    ) -> None:
        self._path = path
        self._until = until
        self._framing = framing
        self._parts_compression = parts_compression
        self._kind = kind
        self._takes_part = is_one_part and not is_packed(kind) and not framing.head
        self._is_private = is_private
        self._files = ExitStack()
        self._file: BinaryIO | None = None
        self._sink: BinaryIO | None = None
        self.is_empty = True

    def add(self, part: str, before: int = 0, beside: int = 0, *, is_empty: bool) -> None:
        """Append a part.

        Args:
            part: its path.
            before: the number to add to line numbers, if lines begin with one.
            beside: the number to add to the one that follows it, if one does: of a line in its file, or of a document.
            is_empty: whether it has no documents or lines.
        """
        if self._takes_part:
            self._until = part
        elif not is_empty:
            with asking(self._path), place_of(part).open(part) as source:
                sink = self._opened()
                if not self.is_empty:
                    sink.write(self._packed(self._framing.between))
                _append(source, sink, before, beside)
                if self._file is not None:
                    place_of(self._until).write_back(self._file)
        self.is_empty = self.is_empty and is_empty

    def _opened(self) -> BinaryIO:
        if self._sink is None:
            new = place_of(self._until).create(self._until, is_private=self._is_private)
            self._file = self._files.enter_context(new)
            self._sink = self._files.enter_context(packed(self._file, self._kind))
            self._sink.write(self._packed(self._framing.head))
        return self._sink

    def _packed(self, data: bytes) -> bytes:
        if not data or not self._parts_compression:
            return data
        held = io.BytesIO()
        with compressed(held, self._parts_compression) as sink:
            sink.write(data)
        return held.getvalue()

    def publish(self, *, force: bool) -> None:
        """Give the file its final name, replacing another only with ``force``; first make sure it is on disk."""
        if not self._takes_part:
            with asking(self._path):
                end = self._framing.end.lstrip() if self.is_empty else self._framing.end
                self._opened().write(self._packed(end))
                self._files.close()
        place = place_of(self._path)
        folder = self._path.rpartition("/")[0]
        if folder and not is_remote(self._path):
            place.make_folder(folder)
        place.publish(self._until, self._path, force=force)

    def abandon(self) -> None:
        """Close the file as it is."""
        with suppress(FileError, OSError):
            self._files.close()


def _append(source: BinaryIO, sink: BinaryIO, before: int, beside: int) -> None:
    if not before and not beside:
        shutil.copyfileobj(source, sink, _BUFFER)
        return

    def renumbered(found: re.Match[bytes]) -> bytes:
        own = b"%b%d" % (found[2], int(found[3]) + beside) if found[2] else b""
        return b'\n{"line":%d%b' % (int(found[1]) + before, own)

    while lines := source.read(_BUFFER) + source.readline():
        sink.write(_LEAD.sub(renumbered, b"\n" + lines)[1:])
