"""Usual messages straight between the payloads of their extensions and the model.

A payload is read by what quick_read.py takes as usual, and is then written again: only where this gives the same bytes
is the message taken. So the order of keys, the spelling of numbers and keys that stand twice need no look of their
own, and nothing is walked. What writing again cannot tell is looked for: floats that are not finite, and, in free-form
data, keys of the escape rule and too many levels. What is odd is None here, and left to the careful way, by the trees
of tree.py; tests/test_langgraph_fast.py holds the two against each other.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import attrs
import msgpack

import agentmsg as am
from agentmsg import AgentMsgError
from agentmsg.formats import EMPTY, Native, adopt, is_object, note_of, speed
from agentmsg_codecs.langchain.langgraph.checkpoints import at, contents_of, place_of
from agentmsg_codecs.langchain.langgraph.messages import LG, METHOD, PYDANTIC_2, orders_of, reordered
from agentmsg_codecs.langchain.langgraph.quick_tree import REFUSALS, UNPACKING, WIDEST, pack, unpack
from agentmsg_codecs.langchain.langgraph.tree import MARKERS
from agentmsg_codecs.langchain.messages.depth import is_deep, take
from agentmsg_codecs.langchain.messages.fields import CLASSES, MODULES
from agentmsg_codecs.langchain.messages.quick_read import FastReaders

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from agentmsg import Limits
    from agentmsg_codecs.langchain.langgraph.checkpoints import Contents
    from agentmsg_codecs.langchain.langgraph.messages import GraphMessages
    from agentmsg_codecs.langchain.messages.engine import Messages


_library: Any = msgpack
_unpackb, _packb, _extension = _library.unpackb, _library.packb, _library.ExtType
# Grows as it is needed: most messages are smaller.
_BUFFER = 1 << 13
# Typed as Any: checks against them narrow nothing to a dict or list of who knows what.
_OBJECT: Any = dict
_ARRAY: Any = list

# -- what a payload has around the fields of a message ----------------------------------------------------------------

# The length of the module's name tells these apart.
_TELLING = 2


def _head(tag: str) -> bytes:
    name = CLASSES[tag]
    raw: bytes = b"\x94" + _packb(MODULES[name]) + _packb(name)  # an array of four
    return raw


_END: bytes = _packb(METHOD)

# -- what is odd ------------------------------------------------------------------------------------------------------

# What is wrong is told by the careful way.
_ODD: tuple[type[Exception], ...] = (*REFUSALS, AgentMsgError)
# As numbers, and below with find: a search for bytes by `in` makes an error first, which takes longer than the search.
_FLOAT = 0xCB
_NOT_FINITE = re.compile(rb"\xcb[\x7f\xff][\xf0-\xff]")
_MARKER = re.compile(rb"__(?:ext|bin|map|float|wire)__")
# How all keys of the table begin, as JSON.
_BEGIN = b'"__'
# The most levels around free-form data: three objects, a list, an extension and its list, fields, content, a part.
_AROUND = 9


def _is_odd(text: bytes) -> bool:
    """Whether free-form data may hold something escaped, or be too deep."""
    return text.find(_BEGIN) >= 0 or is_deep(text, _AROUND)


# -- the library ------------------------------------------------------------------------------------------------------


def _plain(value: Any) -> Any:
    """Return the plain copy of a frozen object or list, or of a text of a class of ours, without looking inside."""
    if isinstance(value, _OBJECT):
        return {key: item for key, item in _OBJECT.items(value)}  # noqa: C416 - dict() would ask the object itself
    if isinstance(value, _ARRAY):
        return [*_ARRAY.__iter__(value)]
    if isinstance(value, str):
        return str.__str__(value)
    msg = f"not JSON: {type(value).__name__}"
    raise TypeError(msg)


def _packer() -> Any:
    """Return what packs one value after the other, frozen ones too; for one document, as threads cannot share it.

    The children of a frozen object are packed as they are: handing them out would wrap them first.
    """
    return _library.Packer(strict_types=True, default=_plain, buf_size=_BUFFER)


# -- documents --------------------------------------------------------------------------------------------------------


def _contents_in(data: bytes, depth: int) -> Contents | None:
    """Return a document taken apart, whose messages are extensions that nobody has opened; None if it is unusual.

    Args:
        data: its bytes, MessagePack or not.
        depth: how many levels may be around the messages.
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
    # What is around messages is still an object at each step to them, now that it is plain data.
    holder = at(rest, contents.path[:-1])
    fits = contents.how == "list" and not marks and is_object(holder) and MARKERS.isdisjoint(holder)
    return attrs.evolve(contents, rest=rest) if fits else None


def joined(document: Any, natives: list[bytes]) -> bytes | None:
    """Return the bytes of a document that holds a list of the bytes of its messages; None if it is elsewhere."""
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
    """Reads and writes lists of messages most of which are as LangGraph writes usual ones today.

    Attributes:
        readers: by the first bytes of a payload: all bytes before the fields, and the reader of these.
    """

    def __init__(self, engine: Messages, others: GraphMessages) -> None:
        by_tag = FastReaders(engine.parts, "flat", _is_odd).by_tag
        self._heads: Mapping[str, bytes] = {tag: _head(tag) for tag in by_tag}
        self.readers: dict[bytes, tuple[bytes, Callable[[Native], am.Msg | None]]] = {
            head[:_TELLING]: (head, by_tag[tag]) for tag, head in self._heads.items()
        }
        self._writers = engine.fast_writers
        self._others = others

    def read(self, data: bytes, limits: Limits) -> tuple[Contents, list[am.Msg]] | None:
        """Return what is around the messages of a document, and these; None where errors, or spelling, must be told."""
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
        """Return the message of an extension; None if the careful way must look."""
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
            # Of a few bytes, the library bounds all lengths by their number; options take a third of its time.
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
            return None if marks else self._others.read(tree)
        except _ODD:
            return None

    def write(self, messages: Sequence[am.Msg]) -> list[bytes]:
        """Return the bytes of messages that fit.

        Raises:
            EncodeError: as ``quick_tree.pack``.
        """
        tool = _packer()
        return [self._write_usual(message, tool) or pack(self._others.write(message)) for message in messages]

    def _write_usual(self, message: am.Msg, tool: Any) -> bytes | None:
        """Return the bytes of a message; None if the careful way must look."""
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
            body = reordered(body, orders)
        try:
            fields: bytes = tool.pack(_filled(body))
        # Integers beyond 64 bits, or deeper than the library goes.
        except (ValueError, TypeError, OverflowError):
            return None
        if _MARKER.search(fields):
            return None
        raw: bytes = tool.pack_ext_type(PYDANTIC_2, self._heads[body["type"]] + fields + _END)
        return raw


# -- the order of keys ------------------------------------------------------------------------------------------------

_replaced = speed.replacer(am.Msg, "notes")


def _ordered(message: am.Msg, body: Native, again: Native, fields: bytes, tool: Any) -> am.Msg | None:
    """Return a message with a note of the order of its keys; None if its bytes differ in more than that.

    Providers put their fields into response_metadata in orders of their own.
    """
    orders = orders_of(body, again)
    if not orders or tool.pack(reordered(again, orders)) != fields:
        return None
    return _noted(message, {"/order": orders})


def _noted(message: am.Msg, note: Native | None) -> am.Msg:
    """Return a message with this note of ours, or without one: what ``with_note`` does, without a check."""
    notes = {family: held for family, held in message.notes.items() if family != LG}
    if note is not None:
        notes[LG] = note
    return _replaced(message, adopt(notes) if notes else EMPTY)


_NOTHING: Native = {}


def _filled(body: Native) -> Native:
    """Put a plain object in place of the frozen one that most messages have twice: it is packed in half of the time."""
    if not body["additional_kwargs"]:
        body["additional_kwargs"] = _NOTHING
    if not body["response_metadata"]:
        body["response_metadata"] = _NOTHING
    return body
