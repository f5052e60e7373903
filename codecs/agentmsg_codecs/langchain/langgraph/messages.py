"""Single messages of LangGraph: extensions, envelopes, and dict forms that aren't messages yet.

An extension of code 5 is ``[module, class, fields, "model_validate_json"]``. Its fields are those of ``model_dump``,
read and written like the flat form of ``langchain``. Code 4, of pydantic 1, has no method. What a message spells
differently from today's LangGraph is a note under ``langgraph``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgpack

import agentmsg as am
from agentmsg import AgentMsgError, DecodeError, thaw
from agentmsg.formats import (
    EMPTY,
    Native,
    adopt,
    dump_json,
    excerpt,
    is_list,
    is_object,
    natives,
    note_of,
    same_document,
    speed,
    spelling,
    with_note,
)
from agentmsg_codecs.langchain.langgraph.checkpoints import at, body_of, contents_of, escape, place_of, unescape
from agentmsg_codecs.langchain.langgraph.tree import EXT, MARKERS, REFUSALS, UNPACKING, WIDEST, pack, unpack
from agentmsg_codecs.langchain.lc import DIALECTS, Envelopes, bare, word
from agentmsg_codecs.langchain.messages.fields import CLASSES, FORMS, MODULES, TAGS
from agentmsg_codecs.langchain.messages.quick_read import FastReaders, is_deep, take
from agentmsg_codecs.langchain.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from agentmsg import Limits
    from agentmsg_codecs.langchain.langgraph.checkpoints import Contents
    from agentmsg_codecs.langchain.messages.engine import Messages


# The namespace of our notes.
LG = "langgraph"
ENVELOPE_FORM = "lc"
METHOD = "model_validate_json"
# The codes of extensions that are messages.
_PYDANTIC_1, PYDANTIC_2 = 4, 5
_BEGIN = b'"__'


class GraphMessages:
    """Reads and writes messages of LangGraph."""

    def __init__(self, engine: Messages, envelopes: Envelopes) -> None:
        self._engine = engine
        self._envelopes = envelopes

    # -- reading ------------------------------------------------------------------------------------------------

    def read(self, native: Any) -> am.Msg:
        """Return the message of a native one.

        Raises:
            DecodeError: if it is neither an object nor another form of a message.
        """
        body = body_of(native)
        message = self._read_other(native) if body is None else self._read_body(native, body)
        if message is not None:
            return message
        if not is_object(native):
            raise DecodeError(f"not a message of LangGraph: {excerpt(native)}")
        return _whole(native)

    def _read_body(self, native: Native, body: Native) -> am.Msg | None:
        """Return the message of an extension; None if it isn't LangChain's, or would not come back."""
        module, name = native["value"][:2]
        code = native[EXT]
        tag = TAGS.get(name)
        if tag is None or body.get("type") != tag or (code == PYDANTIC_2 and native["value"][3] != METHOD):
            return None
        text = dump_json(body)
        note: Native = {}
        if _BEGIN in text:
            body, marks = unescape(body)
            if marks:
                note["/escapes"] = marks
        try:
            message, form = self._engine.read(body)
        except AgentMsgError:
            return None
        if form != "flat" or message.role == "native":
            return None
        if module != MODULES[name]:
            note["/module"] = module
        if code == _PYDANTIC_1:
            note["/pydantic"] = 1
        again = self._engine.write(message, "flat")
        if dump_json(again) != text:
            orders = spelling.orders_of(body, again)
            if orders:
                note["/order"] = orders
        if not note:
            return message
        is_proved = self._engine.has_proved(message) and bare(message) is message
        message = with_note(message, LG, adopt(note))
        if is_proved:
            speed.remember_reader(message, self)
        # Only the escapes might not come back.
        return message if "/escapes" not in note or same_document(self.write(message), native) else None

    def _read_other(self, native: Any) -> am.Msg | None:
        """Return the message of a dict form or an envelope; None for anything else, or if it would not come back."""
        value, marks = unescape(native) if is_object(native) or is_list(native) else (native, [])
        note: Native = {}
        try:
            if is_object(value) and "lc" in value:
                message, note["/form"] = self._envelopes.read(value, DIALECTS["python"]), ENVELOPE_FORM
            else:
                message, note["/form"] = self._engine.read(value)
        except AgentMsgError:
            return None
        if message.role == "native":
            return with_note(message, LG, adopt({"/escapes": marks})) if marks else message
        if marks:
            note["/escapes"] = marks
        orders = spelling.orders_of(value, self._in_form(message, note["/form"]))
        if orders:
            note["/order"] = orders
        message = with_note(message, LG, adopt(note))
        return message if same_document(self.write(message), native) else None

    def read_native(self, value: Any) -> am.Msg:
        """Return the message that the value of a native block reads as when it is written."""
        self._engine.fill()
        return self.read(escape(value))

    # -- writing ------------------------------------------------------------------------------------------------

    def write(self, message: am.Msg, unescaped: list[Native] | None = None, default: str | None = None) -> Any:
        """Return the native message of one that fits.

        Args:
            message: the message.
            unescaped: if given, it gets the fields of usual messages, which are not escaped: the caller searches those
                of many messages at once.
            default: the form of messages without a noted one; None: an extension.
        """
        note = note_of(message, LG) if message.notes else EMPTY
        marks = note.get("/escapes")
        if natives.is_native(message, FAMILY):
            return thaw(escape(message.content[0].value, marks))  # type: ignore[union-attr]
        form = word(note.get("/form")) or default
        if form:
            native = self._in_form(message, form)
            if native is not None:
                return thaw(escape(spelling.reordered(native, note.get("/order")), marks))
        body = (self._engine.spell if speed.reader_of(message) is self else self._engine.write)(_plain(message), "flat")
        name = CLASSES[body["type"]]
        body = {**body, "type": TAGS[name]}
        if note:
            body = escape(spelling.reordered(body, note.get("/order")), marks)
        elif unescaped is None:
            body = escape(body)
        else:
            unescaped.append(body)
        module = note.get("/module")
        items = [module if isinstance(module, str) else MODULES[name], name, body]
        if note.get("/pydantic") == 1:
            return {EXT: _PYDANTIC_1, "value": items}
        return {EXT: PYDANTIC_2, "value": [*items, METHOD]}

    def _in_form(self, message: am.Msg, form: str) -> Any:
        """Return a message in another form than an extension; None if it has no such form, or would not come back."""
        message = with_note(message, LG, EMPTY)
        if form == ENVELOPE_FORM:
            return self._envelopes.write(message, DIALECTS["python"])
        if form not in FORMS:
            return None
        message = _plain(message)
        own = {**note_of(message, FAMILY), "/form": form}
        native = self._engine.write(with_note(message, FAMILY, own), "flat")
        plain = thaw(native)
        try:
            back, read_as = self._engine.read(plain)
        except AgentMsgError:
            return None
        is_other = is_object(plain) and ("lc" in plain or body_of(plain) is not None)
        return native if read_as == form and not is_other and am.same(back, message) else None


def _plain(message: am.Msg) -> am.Msg:
    """Return a message without what its dict form lacks."""
    return with_note(bare(message), LG, EMPTY)


def _whole(native: Native) -> am.Msg:
    value, marks = unescape(native)
    body = body_of(value)
    message = natives.read_whole(value, FAMILY, value if body is None else body)
    return with_note(message, LG, adopt({"/escapes": marks})) if marks else message


# -- usual messages: their payloads, without plain data for the whole document ----------------------------------------
# quick_read.py reads a payload, and the message is written again: it is only accepted if the bytes are the same. So the
# order of keys, the spelling of numbers and duplicate keys need no test of their own. Writing again doesn't show floats
# that aren't finite, nor, in free-form data, keys of the escape rule and too many levels: these have tests. Anything
# odd needs the general path, through tree.py. tests/test_langgraph_fast.py compares the two.


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


def _thawed(value: Any) -> Any:
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
    return _library.Packer(strict_types=True, default=_thawed, buf_size=_BUFFER)


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


# -- documents of usual messages --------------------------------------------------------------------------------------


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
            message = with_note(message, LG, EMPTY)
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


def _ordered(message: am.Msg, body: Native, again: Native, fields: bytes, tool: Any) -> am.Msg | None:
    """Return a message with a note of the order of its keys; None if its bytes differ otherwise.

    Providers order the fields of response_metadata differently.
    """
    orders = spelling.orders_of(body, again)
    if not orders or tool.pack(spelling.reordered(again, orders)) != fields:
        return None
    return with_note(message, LG, {"/order": orders})


_NOTHING: Native = {}


def _filled(body: Native) -> Native:
    """Replace the two frozen empty objects of most messages by a plain one, which is packed in half the time."""
    if not body["additional_kwargs"]:
        body["additional_kwargs"] = _NOTHING
    if not body["response_metadata"]:
        body["response_metadata"] = _NOTHING
    return body
