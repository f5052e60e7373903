"""The fast path between the payloads of extensions and messages, without plain data for the whole document.

quick_read.py reads a payload, and the message is written again: it is only accepted if the bytes are the same. So the
order of keys, the spelling of numbers and duplicate keys need no test of their own. Writing again doesn't show floats
that aren't finite, nor, in free-form data, keys of the escape rule and too many levels: these have tests. Anything odd
needs the general path, through tree.py. tests/test_langgraph_fast.py compares the two.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgpack

import agentmsg as am
from agentmsg import AgentMsgError
from agentmsg.formats import EMPTY, Native, adopt, is_object, note_of, speed, spelling
from agentmsg_codecs.langchain.langgraph.checkpoints import at, contents_of, place_of
from agentmsg_codecs.langchain.langgraph.messages import (
    LG,
    METHOD,
    PYDANTIC_2,
    GraphMessages,
)
from agentmsg_codecs.langchain.langgraph.quick_tree import REFUSALS, UNPACKING, WIDEST, pack, unpack
from agentmsg_codecs.langchain.langgraph.tree import MARKERS
from agentmsg_codecs.langchain.lc.envelopes import Envelopes
from agentmsg_codecs.langchain.messages.depth import is_deep, take
from agentmsg_codecs.langchain.messages.fields import CLASSES, MODULES
from agentmsg_codecs.langchain.messages.quick_read import FastReaders

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from agentmsg import Limits
    from agentmsg_codecs.langchain.langgraph.checkpoints import Contents
    from agentmsg_codecs.langchain.messages.engine import Messages


_library: Any = msgpack
_unpackb, _packb, _extension = _library.unpackb, _library.packb, _library.ExtType
# The first size, larger than most messages.
_BUFFER = 1 << 13
_OBJECT: Any = dict  # so that type checkers don't look inside
_ARRAY: Any = list
# What comes after the fields of a message in its payload.
_END: bytes = _packb(METHOD)
# How many bytes of what comes before them identify it: the second is the length of the module's name.
_TELLING = 2
# The general path raises the error, or reads what is odd.
_ODD: tuple[type[Exception], ...] = (*REFUSALS, AgentMsgError)
# A number, because `in` first raises and catches an error for bytes, which takes longer than the search.
_FLOAT = 0xCB
_NOT_FINITE = re.compile(rb"\xcb[\x7f\xff][\xf0-\xff]")
_MARKER = re.compile(rb"__(?:ext|bin|map|float|wire)__")
# How the keys of tree.py's table begin in JSON.
_BEGIN = b'"__'
# The most levels around free-form data: three objects, a list, an extension and its list, fields, content, a part.
_AROUND = 9


def _head(tag: str) -> bytes:
    """Return what comes before the fields of a message in its payload."""
    name = CLASSES[tag]
    raw: bytes = b"\x94" + _packb(MODULES[name]) + _packb(name)  # an array of four
    return raw


def _is_odd(text: bytes) -> bool:
    """Whether the JSON text of free-form data may contain something escaped, or be too deep."""
    return text.find(_BEGIN) >= 0 or is_deep(text, _AROUND)


def _plain(value: Any) -> Any:
    """Return the plain copy of a frozen object or list, or of a text of our own class, without looking inside."""
    if isinstance(value, _OBJECT):
        return {key: item for key, item in _OBJECT.items(value)}  # noqa: C416 - dict() would ask the object itself
    if isinstance(value, _ARRAY):
        return [*_ARRAY.__iter__(value)]
    if isinstance(value, str):
        return str.__str__(value)
    raise TypeError(f"not JSON: {type(value).__name__}")


def _packer() -> Any:
    """Return the packer of one document; threads can't share it.

    It packs the children of frozen objects directly, because asking for them would wrap them first.
    """
    return _library.Packer(strict_types=True, default=_plain, buf_size=_BUFFER)


# -- documents --------------------------------------------------------------------------------------------------------


def _contents_in(data: bytes, depth: int) -> Contents | None:
    """Return a document taken apart, with its messages as packed extensions; None if it is unusual.

    Args:
        data: its bytes, which may not be MessagePack.
        depth: the most levels around the messages.
    """
    try:
        document = _unpackb(data, **UNPACKING)
        if _packb(document) != data:
            return None
        contents = contents_of(document)
        if not contents.rest:
            return contents if contents.how == "list" else None
        rest, marks = unpack(_packb(contents.rest), depth)
    except _ODD:
        return None
    # In plain data, each step to the messages must still be an object.
    holder = at(rest, contents.path[:-1])
    fits = contents.how == "list" and not marks and is_object(holder) and MARKERS.isdisjoint(holder)
    return contents._replace(rest=rest) if fits else None


def joined(document: Any, natives: list[bytes]) -> bytes | None:
    """Return the bytes of a document with a list of the bytes of its messages; None if the list isn't there."""
    path = place_of(document, natives)
    return None if path is None else b"".join(_chunks(document, path, _packer()))


def _chunks(document: Any, path: tuple[str, ...], tool: Any) -> list[bytes]:
    if not path:
        return [tool.pack_array_header(len(document)), *document]
    chunks: list[bytes] = [tool.pack_map_header(len(document))]
    for key, value in document.items():
        chunks.append(tool.pack(key))
        chunks += _chunks(value, path[1:], tool) if key == path[0] else [pack(value)]
    return chunks


# -- messages ---------------------------------------------------------------------------------------------------------


class UsualDocuments:
    """Reads and writes lists with mostly usual messages.

    Attributes:
        readers: by the first bytes of a payload, all bytes before the fields, and the reader of the fields.
        others: reads and writes all other messages.
    """

    def __init__(self, engine: Messages) -> None:
        by_tag = FastReaders(engine.parts, "flat", _is_odd).by_tag
        self._heads: Mapping[str, bytes] = {tag: _head(tag) for tag in by_tag}
        self.readers: dict[bytes, tuple[bytes, Callable[[Native], am.Msg | None]]] = {
            head[:_TELLING]: (head, by_tag[tag]) for tag, head in self._heads.items()
        }
        self._writers = engine.fast_writers
        self.others = GraphMessages(engine, Envelopes(engine))

    def read(self, data: bytes, limits: Limits) -> tuple[Contents, list[am.Msg]] | None:
        """Return a document taken apart, and its messages; None if it has errors or odd spelling."""
        if len(data) > limits.bytes or limits.depth < speed.USUAL:
            return None
        contents = _contents_in(data, limits.depth)
        if contents is None:
            return None
        tool, depth = _packer(), limits.depth - len(contents.path) - 1

        def read(place: tuple[Any, Any]) -> am.Msg | None:
            return self._read_usual(place[1], tool) or self._read_other(place[1], tool, depth)

        messages = take(contents.natives, read)
        return None if contents.natives else (contents, messages)

    def _read_usual(self, native: Any, tool: Any) -> am.Msg | None:
        """Return the message of an extension; None if it needs the general path."""
        if type(native) is not _extension or native.code != PYDANTIC_2:
            return None
        payload: bytes = native.data
        found = self.readers.get(payload[:_TELLING])
        if found is None or not payload.startswith(found[0]) or not payload.endswith(_END):
            return None
        head, read = found
        fields = payload[len(head) : -len(_END)]
        if _FLOAT in fields and _NOT_FINITE.search(fields):
            return None
        try:
            # For few bytes, the library limits all lengths to their number; options take a third of its time.
            body = _unpackb(fields) if len(fields) <= WIDEST else _unpackb(fields, **UNPACKING)
            message = read(body) if type(body) is _OBJECT else None
            write = None if message is None else self._writers.get(message.role)
            again = None if message is None or write is None else write(message)
            if message is None or again is None:
                return None
            return message if tool.pack(_filled(again)) == fields else _ordered(message, body, again, fields, tool)
        except _ODD:
            return None

    def _read_other(self, native: Any, tool: Any, depth: int) -> am.Msg | None:
        try:
            tree, marks = unpack(tool.pack(native), depth)
            return None if marks else self.others.read(tree)
        except _ODD:
            return None

    def write(self, messages: Sequence[am.Msg]) -> list[bytes]:
        """Return the bytes of messages that fit.

        Raises:
            EncodeError: as ``quick_tree.pack``.
        """
        tool = _packer()
        return [self._write_usual(message, tool) or pack(self.others.write(message)) for message in messages]

    def _write_usual(self, message: am.Msg, tool: Any) -> bytes | None:
        """Return the bytes of a message; None if it needs the general path."""
        orders: Any = None
        if message.notes and LG in message.notes:
            note = note_of(message, LG)
            orders = note.get("/order")
            if not orders or len(note) != 1:
                return None
            message = _noted(message, None)
        write = None if message.extras else self._writers.get(message.role)
        body = None if write is None else write(message)
        if body is None:
            return None
        if orders:
            body = spelling.reordered(body, orders)
        try:
            fields: bytes = tool.pack(_filled(body))
        except (ValueError, TypeError, OverflowError):
            return None  # it has integers beyond 64 bits, or is too deep
        if _MARKER.search(fields):
            return None
        raw: bytes = tool.pack_ext_type(PYDANTIC_2, self._heads[body["type"]] + fields + _END)
        return raw


# -- the order of keys ------------------------------------------------------------------------------------------------

_replaced = speed.replacer(am.Msg, "notes")


def _ordered(message: am.Msg, body: Native, again: Native, fields: bytes, tool: Any) -> am.Msg | None:
    """Return a message with a note of the order of its keys; None if its bytes differ otherwise.

    Providers order the fields of response_metadata differently.
    """
    orders = spelling.orders_of(body, again)
    if not orders or tool.pack(spelling.reordered(again, orders)) != fields:
        return None
    return _noted(message, {"/order": orders})


def _noted(message: am.Msg, note: Native | None) -> am.Msg:
    """Return a message with this note, or without one, like ``with_note`` but without checks."""
    notes = {family: other for family, other in message.notes.items() if family != LG}
    if note is not None:
        notes[LG] = note
    return _replaced(message, adopt(notes) if notes else EMPTY)


_NOTHING: Native = {}


def _filled(body: Native) -> Native:
    """Replace the two frozen empty objects of most messages by a plain one, which is packed in half the time."""
    if not body["additional_kwargs"]:
        body["additional_kwargs"] = _NOTHING
    if not body["response_metadata"]:
        body["response_metadata"] = _NOTHING
    return body
