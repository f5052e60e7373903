"""The tables of LangGraph's savers: a thread becomes the document of its newest checkpoint.

That document is what ``get_tuple`` of the saver returns, as an object: ``config``, ``checkpoint``, ``metadata``,
``parent_config`` and ``pending_writes``. So the id of the thread is in the history's extras.

| saver | tables |
| --- | --- |
| ``SqliteSaver``, ``AsyncSqliteSaver`` | ``checkpoints``, ``writes`` |
| ``PostgresSaver``, ``AsyncPostgresSaver`` | ``checkpoints``, ``checkpoint_blobs``, ``checkpoint_writes`` |

A delta channel has its messages in the writes of the ancestors, back to a checkpoint with a snapshot. They are merged
by their ids, as LangGraph's own reducer does; a graph may have another. The document then has them as a snapshot, which
LangGraph loads. Other delta channels, and subgraphs (which have a ``checkpoint_ns``), stay in the tables.

Follows langgraph-checkpoint-sqlite 3.1 and langgraph-checkpoint-postgres 3.2.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

import msgpack

from agentmsg import DecodeError, EncodeError
from agentmsg.formats import excerpt, is_list, is_mapping, is_object, parse_json, speed
from agentmsg_codecs.langchain.langgraph.checkpoints import are_in_writes, body_of, escape, filling_of
from agentmsg_codecs.langchain.langgraph.tree import EXT, REFUSALS, pack, unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from agentmsg.formats import Native

_library: Any = msgpack
_packb: Callable[[Any], bytes] = _library.packb
_CHANNEL = "messages"
_REMOVE_ALL = "__remove_all__"
_OVERWRITE = "__overwrite__"
_SNAPSHOT = 7


class _Queries(NamedTuple):
    """What to ask for; drivers for PostgreSQL have another mark for parameters, and JSON is asked for as text.

    Attributes:
        threads: all ids.
        newest: the id of a thread's newest checkpoint.
        checkpoint: a checkpoint of a thread.
        writes: what tasks wrote after it.
        values: the values of its channels that are stored apart; empty if none are.
    """

    threads: str
    newest: str
    checkpoint: str
    writes: str
    values: str = ""


_SQLITE = _Queries(
    "SELECT DISTINCT thread_id FROM checkpoints WHERE checkpoint_ns = '' ORDER BY thread_id",
    "SELECT max(checkpoint_id) AS checkpoint_id FROM checkpoints WHERE checkpoint_ns = '' AND thread_id = ?",
    "SELECT parent_checkpoint_id, type, checkpoint, metadata FROM checkpoints"
    " WHERE checkpoint_ns = '' AND thread_id = ? AND checkpoint_id = ?",
    "SELECT * FROM writes WHERE checkpoint_ns = '' AND thread_id = ? AND checkpoint_id = ?",
)
_POSTGRES = _Queries(
    _SQLITE.threads,
    _SQLITE.newest.replace("?", "%s"),
    "SELECT parent_checkpoint_id, checkpoint::text AS checkpoint, metadata::text AS metadata FROM checkpoints"
    " WHERE checkpoint_ns = '' AND thread_id = %s AND checkpoint_id = %s",
    "SELECT *, blob AS value FROM checkpoint_writes WHERE checkpoint_ns = '' AND thread_id = %s AND checkpoint_id = %s",
    "SELECT b.channel, b.type, b.blob AS value FROM checkpoints c"
    " CROSS JOIN LATERAL jsonb_each_text(c.checkpoint -> 'channel_versions') AS v"
    " JOIN checkpoint_blobs b ON b.thread_id = c.thread_id AND b.checkpoint_ns = c.checkpoint_ns"
    " AND b.channel = v.key AND b.version = v.value"
    " WHERE c.checkpoint_ns = '' AND c.thread_id = %s AND c.checkpoint_id = %s",
)


class _Checkpoint(NamedTuple):
    """A checkpoint: its id and that of its parent, its bytes, and the bytes of its metadata."""

    id: str
    parent: str | None
    data: bytes
    metadata: bytes


class Store:
    """The checkpoints in the tables of a database.

    Args:
        connection: as of Python's DB-API: that of sqlite3, or of a driver for PostgreSQL whose parameters are ``%s``.
            It is read only, with whatever rows it makes.
    """

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._ask = _SQLITE if isinstance(connection, sqlite3.Connection) else _POSTGRES

    def threads(self) -> Iterator[str]:
        """Yield the ids of the threads, in order."""
        for row in self._rows(self._ask.threads):
            yield _text(row["thread_id"], "thread_id")

    def document(self, thread: str) -> bytes | None:
        """Return the document of a thread; None if there is no such thread.

        Raises:
            DecodeError: if it isn't what a saver writes.
        """
        (newest,) = self._rows(self._ask.newest, thread)
        if newest["checkpoint_id"] is None:
            return None
        found = self._checkpoint(thread, _text(newest["checkpoint_id"], "checkpoint_id"))
        if found is None:
            return None
        parts = {
            "config": _config(thread, found.id),
            "checkpoint": self._with_messages(thread, found),
            "metadata": found.metadata,
            "parent_config": _config(thread, found.parent) if found.parent else _packb(None),
            "pending_writes": _array(
                _array([_packb(row["task_id"]), _packb(row["channel"]), _packed(row["type"], row["value"])])
                for row in self._writes(thread, found.id)
            ),
        }
        return _map({_packb(key): value for key, value in parts.items()})

    def _rows(self, query: str, *values: str) -> list[dict[str, Any]]:
        try:
            with closing(self._connection.cursor()) as cursor:
                cursor.execute(query, values)
                names = [column[0] for column in cursor.description]
                rows = [row.values() if is_mapping(row) else row for row in cursor.fetchall()]
        except Exception as error:
            msg = f"the tables can't be read: {type(error).__name__}: {excerpt(str(error))[1:-1]}"
            raise DecodeError(msg, code="syntax") from error
        return [dict(zip(names, row, strict=True)) for row in rows]

    def _checkpoint(self, thread: str, name: str) -> _Checkpoint | None:
        row = next(iter(self._rows(self._ask.checkpoint, thread, name)), None)
        if row is None:
            return None
        parent = row["parent_checkpoint_id"]
        data = _packed(row.get("type", "json"), row["checkpoint"])
        if self._ask.values:
            data = _with_values(data, self._rows(self._ask.values, thread, name))
        metadata = _map({}) if row["metadata"] is None else _packed("json", row["metadata"])
        return _Checkpoint(name, None if parent is None else _text(parent, "parent_checkpoint_id"), data, metadata)

    def _writes(self, thread: str, name: str) -> list[dict[str, Any]]:
        """Return what tasks wrote after a checkpoint, in the order in which LangGraph applies it."""
        rows = self._rows(self._ask.writes, thread, name)

        # Older tables have no paths.
        places = [(row, row["idx"] if isinstance(row["idx"], int) else 0) for row in rows]
        places.sort(key=lambda place: (str(place[0].get("task_path", "")), str(place[0]["task_id"]), place[1]))
        return [row for row, _ in places]

    # -- delta channels -----------------------------------------------------------------------------------------

    def _with_messages(self, thread: str, found: _Checkpoint) -> bytes:
        """Return the bytes of a checkpoint, with the messages of a delta channel as a snapshot."""
        if not _is_delta(found.data):
            return found.data
        checkpoint = _opened(found.data)
        batches: list[list[Any]] = []
        held: list[Any] = []
        seen = {found.id}
        parent = found.parent
        while parent and parent not in seen:
            seen.add(parent)
            ancestor = self._checkpoint(thread, parent)
            if ancestor is None:
                msg = f"messages of this checkpoint are in a delta channel, and there is no ancestor {excerpt(parent)}"
                raise DecodeError(msg, code="delta-channel")
            written = [row for row in self._writes(thread, parent) if row["channel"] == _CHANNEL]
            batches.append([_opened(_packed(row["type"], row["value"])) for row in written])
            values = _values(_opened(ancestor.data))
            if _CHANNEL in values:
                held = _natives(values[_CHANNEL])
                break
            parent = ancestor.parent
        merged = _merged(held, [write for batch in reversed(batches) for write in batch])
        _values(checkpoint)[_CHANNEL] = {EXT: _SNAPSHOT, "value": merged}
        return pack(checkpoint)


def _merged(held: list[Any], writes: Iterable[Any]) -> list[Any]:
    """Return messages after some writes: a message with a known id replaces the other, or removes it."""
    by_id: dict[Any, Any] = {_id_of(native) or object(): native for native in held}
    for write in writes:
        is_whole, value = _overwritten(write)
        if is_whole:
            by_id.clear()
        for native in _natives(value):
            body, key = _body(native), _id_of(native)
            if body.get("type") != "remove":
                by_id[key or object()] = native
            elif key == _REMOVE_ALL:
                by_id.clear()
            else:
                by_id.pop(key, None)
    return list(by_id.values())


def _overwritten(write: Any) -> tuple[bool, Any]:
    """Return whether a write replaces all that was there, and its value; LangGraph has three forms of it."""
    if not is_object(write):
        return False, write
    if write.keys() == {_OVERWRITE}:
        return True, write[_OVERWRITE]
    if write.get("type") == _OVERWRITE and "value" in write:
        return True, write["value"]
    items = write.get("value") if EXT in write else None
    if is_list(items) and items[:2] == ["langgraph.types", "Overwrite"] and is_object(items[-1]):
        return True, items[-1].get("value")
    return False, write


def _natives(value: Any) -> list[Any]:
    """Return the messages of a write or of a channel: a list or a snapshot of them, one message, or nothing."""
    found = filling_of(value)
    return found[1] if found is not None else [] if value is None else [value]


def _body(native: Any) -> Native:
    body = body_of(native)
    return body if body is not None else native if is_object(native) else {}


def _id_of(native: Any) -> str | None:
    found = _body(native).get("id")
    return found if isinstance(found, str) else None


# -- bytes ------------------------------------------------------------------------------------------------------------


def _packed(kind: Any, value: Any) -> bytes:
    """Return the MessagePack of a stored value of one of LangGraph's types.

    Raises:
        DecodeError: code "type" if it has none of these: "pickle" is never read, and what is encrypted can't be.
    """
    if kind == "null":
        return _packb(None)
    data: Any = value.encode() if isinstance(value, str) else value
    raw = bytes(data) if type(data) in (bytes, memoryview) else None
    if kind == "json" and raw is not None:
        try:
            return pack(escape(parse_json(raw, speed.DEFAULT_LIMITS, "error")))
        except EncodeError as error:
            raise DecodeError(error.message, code=error.code) from None
    if kind == "msgpack" and raw is not None:
        return _one(raw)
    if kind in ("bytes", "bytearray") and raw is not None:
        return _packb(raw)
    raise DecodeError(f"the type {excerpt(kind)} of a stored value can't be read", code="type")


def _one(raw: bytes) -> bytes:
    """Return bytes that are one value of MessagePack: they become a part of a document."""
    unpacker = _library.Unpacker(max_buffer_size=max(1, len(raw)))
    try:
        unpacker.feed(raw)
        unpacker.skip()
    except _library.exceptions.StackError:
        raise DecodeError("nested too deep", code="depth") from None
    except REFUSALS as error:
        raise DecodeError(f"not MessagePack, or cut: {type(error).__name__}", code="syntax") from None
    if unpacker.tell() != len(raw):
        raise DecodeError(f"{len(raw) - unpacker.tell()} bytes follow a stored value", code="syntax")
    return raw


def _opened(data: bytes) -> Any:
    return unpack(data, speed.DEFAULT_LIMITS.depth + speed.AROUND)[0]


def _is_delta(data: bytes) -> bool:
    try:
        return are_in_writes(_library.unpackb(data, strict_map_key=False))
    except REFUSALS:
        return False  # reading the document tells why


def _values(checkpoint: Any) -> Native:
    values = checkpoint.get("channel_values") if is_object(checkpoint) else None
    return values if is_object(values) else {}


def _with_values(data: bytes, rows: Iterable[Mapping[str, Any]]) -> bytes:
    """Return the bytes of a checkpoint with the values that are stored apart; it has others itself."""
    checkpoint = _opened(data)
    if not is_object(checkpoint):
        return data
    apart = {str(row["channel"]): _packed(row["type"], row["value"]) for row in rows if row["type"] != "empty"}
    values = {_packb(key): pack(value) for key, value in _values(checkpoint).items()}
    values |= {_packb(key): value for key, value in apart.items()}
    rest = {_packb(key): pack(value) for key, value in checkpoint.items()}
    return _map({**rest, _packb("channel_values"): _map(values)})


def _config(thread: str, name: str) -> bytes:
    return _packb({"configurable": {"thread_id": thread, "checkpoint_ns": "", "checkpoint_id": name}})


def _map(items: Mapping[bytes, bytes]) -> bytes:
    head: bytes = _library.Packer().pack_map_header(len(items))
    return head + b"".join(part for pair in items.items() for part in pair)


def _array(items: Iterable[bytes]) -> bytes:
    held = list(items)
    head: bytes = _library.Packer().pack_array_header(len(held))
    return head + b"".join(held)


def _text(value: Any, column: str) -> str:
    if isinstance(value, str):
        return value
    raise DecodeError(f"the column {column} holds {excerpt(value)}, not a text", code="type")
