"""The loss reports of a run that restores: files of them, and an index by which each document finds its own.

A document's report is the one with its digest, wherever it stands: documents may have been left out, sorted or spread
over files since. The index is a file, so that all processes of a run read the same one.
"""

from __future__ import annotations

import re
import shutil
from bisect import bisect_left
from collections import Counter
from contextlib import ExitStack
from functools import cached_property, partial
from itertools import groupby
from struct import Struct
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

import attrs

from agentmsg.errors import DecodeError
from agentmsg.files.documents import too_long
from agentmsg.files.file_names import STANDARD, Kind, renamed
from agentmsg.files.packing import decompressed
from agentmsg.files.storage import asking, naming, place_of
from agentmsg.fitting.account_file import from_lines
from agentmsg.fitting.losses import Losses
from agentmsg.fitting.weaving import Edits
from agentmsg.values.text import dump_json, parse_json
from agentmsg.values.types import is_mapping

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agentmsg.limits import Limits

_NAME = "losses.index"
# What a report's header says of its output: format and digest; and what it says but for its own place.
_Header: TypeAlias = "tuple[str, str, bytes]"
# Of a report in the index: its digest, its file and number there, its place in bytes, and whether all with this digest
# say the same.
_ENTRY = Struct(">16sHIQI?")
_KEY = 16
_BUFFER = 1 << 20
# What a header that we write says of its output, and what only a header can begin with.
_TOLD = re.compile(
    rb'[{,]"agentmsg-losses":\d+,"codec":"([^"\\]*)"(?:,"messages":\d+,"digest":"([0-9a-f]{64})")?(?=[,}])'
)
_OBJECT = b'{"at":'
_FROM = re.compile(rb'"from":"([^"\\]*)"')


@attrs.frozen
class Account:
    """The loss report of one document.

    Attributes:
        source: the format that the document was read from; None if the loss report doesn't say.
        losses: the loss report.
    """

    source: str | None
    losses: Losses


def account_of(lines: list[bytes]) -> Account:
    """Read a loss report from its lines.

    Raises:
        DecodeError: if they aren't one; the path starts with the line's number.
    """
    losses = from_lines([line for line in lines if line.strip()])
    # What we write before the header's own keys needs no second look at all of them.
    found = _FROM.search(lines[0].partition(b'"agentmsg-losses"')[0])
    source = found[1].decode() if found else parse_json(lines[0]).get("from")
    return Account(source if isinstance(source, str) else None, losses)


@attrs.frozen(kw_only=True)
class Accounts:
    """Where a run finds the loss reports of its documents; nowhere but in the documents if no file is named.

    Attributes:
        files: the paths of the files, with their kinds and sizes.
        key: the key of a document that holds its own loss report.
        edits: whether documents that were edited since are refused, or restored around the edits.
        folder: where the index is.
        before: how many documents are before those of a piece in their file.
        total: how many are in that file; None if it is a stream.
        is_piped: whether originals go to stdout: there one may be binary, whatever the form.
    """

    files: tuple[tuple[str, Kind, int | None], ...] = ()
    key: str | None = None
    edits: Edits = "refuse"
    folder: str = ""
    before: int = 0
    total: int | None = None
    is_piped: bool = False

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of the files."""
        return tuple(path for path, _, _ in self.files)

    def plain(self, file: int) -> str:
        """Return the path of a file's reports, which can be read at any place."""
        path, kind, _ = self.files[file]
        return f"{self.folder}/{file}.plain" if kind.compression or path == STANDARD else path

    def prepare(self, limits: Limits, standard_in: Callable[[], BinaryIO] | None = None) -> None:
        """Write the index, if there are files, and it isn't there.

        Args:
            limits: the longest line to hold in memory.
            standard_in: returns the stream to read for "-".

        Raises:
            DecodeError: if a file doesn't hold loss reports.
        """
        target = f"{self.folder}/{_NAME}"
        if not self.files or place_of(target).size(target) is not None:
            return
        codecs: dict[str, None] = {}
        found: list[bytes] = []
        for file, path in enumerate(self.paths):
            if self.plain(file) != path:
                self._unpack(file, standard_in)
            for number, (offset, length, (codec, digest, _), said) in enumerate(self._spans(file, path, limits), 1):
                codecs[codec] = None
                entry = _ENTRY.pack(bytes.fromhex(digest), file, number, offset, length, False)
                found.append(entry + said.to_bytes(8, "big", signed=True))
        found.sort()
        head = dump_json(list(codecs))
        with asking(target), place_of(target).create(f"{target}.part") as sink:
            sink.write(head + b"\n")
            for _, same in groupby(found, lambda each: each[:_KEY]):
                entries = list(same)
                is_same = len({each[_ENTRY.size :] for each in entries}) == 1
                sink.writelines(each[: _ENTRY.size - 1] + bytes([is_same]) for each in entries)
        place_of(target).publish(f"{target}.part", target, force=True)

    def _unpack(self, file: int, standard_in: Callable[[], BinaryIO] | None) -> None:
        path, kind, _ = self.files[file]
        with ExitStack() as files:
            files.enter_context(asking(path))
            given = standard_in if path == STANDARD else None
            raw = given() if given else files.enter_context(place_of(path).open(path))
            stream = decompressed(raw, kind.compression, path)
            shutil.copyfileobj(stream, files.enter_context(place_of(self.folder).create(self.plain(file))), _BUFFER)

    def _spans(self, file: int, path: str, limits: Limits) -> Iterator[tuple[int, int, _Header, int]]:
        """Yield the reports of a file: offset, length, header, and a hash of all that they say."""
        start, end, header, said = 0, 0, None, 0
        with place_of(self.plain(file)).open(self.plain(file)) as stream:
            # Without the care of ``documents``, which takes four times as long: most lines are only hashed here.
            for line in iter(partial(stream.readline, limits.line + 1), b""):
                begin, end = end, end + len(line)
                if len(line) > limits.line:
                    raise too_long("line", "line", limits)
                told = None if line.startswith(_OBJECT) else _header_in(line)
                if told is not None:
                    if header is not None:
                        yield start, begin - start, header, said
                    start, header, said = begin, told, hash(told[2])
                elif header is not None:
                    said = hash((said, line))
                elif not line.isspace():
                    msg = f"a loss report begins with its header ({path})"
                    raise DecodeError(msg, path=(0,))
            if header is not None:
                yield start, end - start, header, said


def _header_in(data: bytes) -> _Header | None:
    """Return a header; None if a line isn't one."""
    if b'"agentmsg-losses"' not in data:
        return None
    if found := _TOLD.search(data):
        source = _FROM.search(data, 0, found.start())
        said = (source[0] if source else b"") + data[found.start() :]
        return found[1].decode(), (found[2] or b"").decode(), said
    line = parse_json(data)
    if not is_mapping(line) or "agentmsg-losses" not in line:
        return None
    digest = str(line.get("digest", ""))
    return str(line.get("codec")), digest if re.fullmatch("[0-9a-f]{64}", digest) else "", data


@attrs.frozen
class Entry:
    """Where a loss report is.

    Attributes:
        file: the number of its file.
        number: its number there, from 1.
        offset: its first byte.
        length: its number of bytes.
        is_same: whether all reports with its digest say the same.
    """

    file: int
    number: int
    offset: int
    length: int
    is_same: bool


class Index:
    """The loss reports of a run's files, by digest and by number.

    Args:
        accounts: prepared.
        files: closes what is opened to read reports.

    Attributes:
        codecs: the formats of the documents, as the reports say.
    """

    def __init__(self, accounts: Accounts, files: ExitStack) -> None:
        self._accounts = accounts
        self._files = files
        self._streams: dict[int, BinaryIO] = {}
        with asking(accounts.folder), place_of(accounts.folder).open(f"{accounts.folder}/{_NAME}") as stream:
            self.codecs: list[str] = parse_json(stream.readline())
            self._data = stream.read()
        self._range = range(len(self._data) // _ENTRY.size)

    def with_digest(self, digest: str) -> Entry | None:
        """Return the first report with a digest; None if there is none."""
        return self._from(bytes.fromhex(digest)[:_KEY])

    def numbered(self, digest: str, file: int, number: int) -> Entry | None:
        """Return the report with a digest and number; None if that one has another digest."""
        key = bytes.fromhex(digest)[:_KEY] + _ENTRY.pack(b"", file, number, 0, 0, False)[_KEY : _KEY + 6]
        return self._from(key)

    def _from(self, key: bytes) -> Entry | None:
        size = _ENTRY.size
        at = bisect_left(self._range, key, key=lambda index: self._data[size * index : size * index + len(key)])
        raw = self._data[size * at : size * at + size]
        return Entry(*_ENTRY.unpack(raw)[1:]) if raw.startswith(key) and raw else None

    @cached_property
    def numbers(self) -> dict[tuple[int, int], Entry]:
        """The reports by the numbers of their files and their own, whatever their digests are."""
        entries = (Entry(*each[1:]) for each in _ENTRY.iter_unpack(self._data))
        return {(each.file, each.number): each for each in entries}

    @cached_property
    def counts(self) -> Counter[int]:
        """How many reports each file has."""
        return Counter(file for file, _ in self.numbers)

    def file_of(self, path: str) -> int | None:
        """Return the number of the file that a run wrote beside a target; the only one always is it."""
        paths = self._accounts.paths
        name = _last(path)
        names = (renamed(name, Kind("jsonl")), f"{name}.jsonl")
        found = [file for file, own in enumerate(paths) if _last(own) in names]
        return 0 if len(paths) == 1 else found[0] if len(found) == 1 else None

    def read(self, entry: Entry) -> Account:
        """Read a report.

        Raises:
            DecodeError: as ``account_of``, with the name of the file.
        """
        path = self._accounts.plain(entry.file)
        with asking(path):
            if entry.file not in self._streams:
                self._streams[entry.file] = self._files.enter_context(place_of(path).open(path))
            stream = self._streams[entry.file]
            stream.seek(entry.offset)
            data = stream.read(entry.length)
        with naming(self._accounts.paths[entry.file]):
            return account_of(data.split(b"\n"))


def _last(path: str) -> str:
    return re.split(r"[/\\]", path)[-1]
