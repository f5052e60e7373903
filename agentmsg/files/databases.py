"""The documents in an SQLite database: a framework's own store, whose tables a codec knows.

A database is data like any other file. It is opened for reading only, and what its author could make SQLite execute
(views, functions) is refused. No file appears beside it, unless somebody is writing to it.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from agentmsg.errors import AgentMsgError, DecodeError, FileError, excerpt
from agentmsg.files.documents import Found
from agentmsg.files.file_names import STANDARD, is_remote
from agentmsg.limits import beyond
from agentmsg.registry import codecs
from agentmsg.values.pointers import step_to, way_of

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from agentmsg.files.job import Source
    from agentmsg.formats.codec import Codec
    from agentmsg.limits import Limits

# Bytes 18 and 19 of a database whose changes go to a file beside it first.
_LOGGED = b"\x02\x02"
# SQLite takes no higher limit.
_MOST = 2**31 - 1
# Tables to name in an error.
_NAMED = 10


def documents_in(source: Source, limits: Limits) -> Iterator[Found]:
    """Yield the documents of a database, each at its key.

    Args:
        source: the database; its pointers are keys, as if the database were an object of documents.
        limits: bounds on what is held in memory.

    Raises:
        FileError: code "form" if the database can't be read from there, or no codec knows its tables; "syntax" if it is
            damaged, or isn't one.
    """
    if source.kind.compression or source.path == STANDARD or is_remote(source.path):
        msg = f"{source.path}: a database can only be read from a local file, not compressed"
        raise FileError(msg, code="form")
    size = Path(source.path).stat().st_size
    with _opened(source.path, limits) as connection:
        codec = _reader_of(connection, source.path)
        keys = list(dict.fromkeys(_keys(source.at, codec.keys_in(connection))))
        for number, key in enumerate(keys, 1):
            data: bytes | None = None
            fault: AgentMsgError | None = None
            try:
                data = codec.stored(connection, key)
                if data is None:
                    continue
                if len(data) > limits.bytes:
                    words = beyond(f"a document of more than {limits.bytes} bytes", "bytes")
                    data, fault = None, DecodeError(words, code="bytes")
            except AgentMsgError as error:
                fault = error
            yield Found(number, 0, 0, data, fault, until=size * number // len(keys), at=step_to(key))


def _keys(at: tuple[str, ...], every: Iterable[str]) -> Iterator[str]:
    """Yield the keys that pointers name; all of them if there are no pointers."""
    for way in map(way_of, at or ("/*",)):
        if way == (None,):
            yield from every
        elif len(way) == 1 and way[0] is not None:
            yield way[0]


@contextmanager
def _opened(path: str, limits: Limits) -> Generator[sqlite3.Connection]:
    with Path(path).open("rb") as file:
        is_logged = file.read(20)[18:] == _LOGGED
    # Without a log nobody is writing, and SQLite would make an empty one.
    mode = "immutable=1" if is_logged and not Path(f"{path}-wal").exists() else "mode=ro"
    try:
        with closing(sqlite3.connect(f"{Path(path).absolute().as_uri()}?{mode}", uri=True)) as connection:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(limits.bytes, _MOST))
            connection.execute("BEGIN")  # all documents are of one moment
            connection.set_authorizer(_authorized)
            yield connection
    except sqlite3.Error as error:
        msg = f"{path}: not an SQLite database, or it can't be read: {excerpt(str(error))[1:-1]}"
        raise FileError(msg, code="syntax") from None


def _authorized(action: int, name: str | None, function: str | None, _: str | None, view: str | None) -> int:
    """Allow what reads columns of tables, and nothing that a database brings along."""
    del name
    is_read = action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ) and view is None
    is_known = action == sqlite3.SQLITE_FUNCTION and function == "max"
    return sqlite3.SQLITE_OK if is_read or is_known else sqlite3.SQLITE_DENY


def _reader_of(connection: sqlite3.Connection, path: str) -> Codec:
    """Return the codec that knows the tables of a database."""
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    tables = [str(name) for (name,) in rows]
    for _, codec in codecs():
        if codec.tables and codec.tables <= set(tables):
            return codec
    told = ", ".join(excerpt(each)[1:-1] for each in tables[:_NAMED]) or "none"
    msg = f"{path}: no format keeps documents in such tables: {told}"
    raise FileError(msg, code="form")
