"""langgraph: LangGraph's checkpoints, and the states, lists of messages and messages inside them.

A document is MessagePack in which each message is an extension. Bytes are read and written exactly. As plain data,
values that JSON can't hold are objects such as ``{"__ext__": 5, "value": [...]}``. The older type "json" is read and
written too. Its messages are envelopes, as in ``langchain-lc``.

Follows ``JsonPlusSerializer`` of langgraph-checkpoint 4.3.

| LangGraph | agentmsg |
| --- | --- |
| ext 5 ``[module, class, fields, "model_validate_json"]``; ext 4, of pydantic 1 | the message, as in ``langchain`` |
| another module; pydantic 1; another order of keys | a note |
| a message class unknown to LangChain; anything but a message | a message with the role "native" |
| dict forms, pairs, texts, envelopes in place of a message | the message; a note keeps the form |
| a list; one message; a state ``{"messages": ...}`` | the history; other keys are extras["langchain"] |
| a checkpoint: ``channel_values.messages``, or ``channel_values.__start__.messages`` | the same |
| the metadata of older checkpoints: ``writes.messages`` | the same, if there are no others |
| ext 7, the snapshot of a delta channel, with a list | the same |
| a checkpoint without messages | a history without messages |
| a checkpoint whose messages are in the writes of its ancestors (delta channels) | refused, code "delta-channel" |
| sets, dates, dates with times, UUIDs, Decimals | the JSON that LangChain dumps; a note keeps the class |
| other extensions: times, Path, Send, Interrupt, models, arrays ... | plain data, in the same place |
| user data that looks like one of these | a map in bytes; ``{"__map__": [...]}`` as plain data |
| ext 0 ``["builtins", "int", digits]`` (LangGraph rebuilds it unless strict) | an integer beyond 64 bits |
| the type "json": envelopes | as in ``langchain-lc`` |
| the same with pairs or dict forms, or without messages | ``{"__wire__": "json", "value": ...}`` as plain data |
| MessagePack that isn't in its shortest spelling | the same, with a note |
| MessagePack with envelopes only | ``{"__wire__": "msgpack", "value": ...}`` as plain data |

The tables of ``SqliteSaver`` and ``PostgresSaver`` are read by thread, see tables.py: ``load_threads``, and files of
SQLite. A thread's document is its newest checkpoint with config and metadata, as ``get_tuple`` returns it, and with the
messages of a delta channel.

LangGraph imports and calls what extensions name; this codec imports, looks up and calls nothing. It writes extensions
for messages, with LangChain's own classes, and wherever the document had them. Canonical forms keep notes about those
places. So convert only canonical documents whose checkpoints you would open. "pickle" is refused. New documents are
"msgpack", as in LangGraph, with a list of messages.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import attrs

import agentmsg as am
from agentmsg import AgentMsgError, DecodeError, EncodeError, thaw
from agentmsg.formats import (
    EMPTY,
    Caps,
    Codec,
    Native,
    adopt,
    carried_extras,
    dump_json,
    envelopes,
    excerpt,
    is_list,
    is_mapping,
    is_object,
    is_sequence,
    maker,
    note_of,
    parse_json,
    speed,
    with_note,
)
from agentmsg_codecs.langchain.envelope import ISSUED
from agentmsg_codecs.langchain.langgraph.checkpoints import (
    are_elsewhere,
    body_of,
    contents_of,
    escape,
    is_checkpoint,
    is_json,
    is_old,
    may_hold_marker,
    unescape,
    write_contents,
)
from agentmsg_codecs.langchain.langgraph.messages import ENVELOPE_FORM, LG, UsualDocuments, joined
from agentmsg_codecs.langchain.langgraph.tree import MARKERS, WIRE, pack, unpack
from agentmsg_codecs.langchain.lc import ENVELOPE_KEYS, LC, LangChainLcCodec
from agentmsg_codecs.langchain.messages.engine import Messages
from agentmsg_codecs.langchain.messages.fields import FORMS
from agentmsg_codecs.langchain.names import ENVELOPE, FAMILY, digest
from agentmsg_codecs.langchain.trees import BESIDE, gather, read_each, separate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from agentmsg import Limits
    from agentmsg.formats import Duplicates
    from agentmsg.formats.forms import Described
    from agentmsg_codecs.langchain.langgraph.checkpoints import Contents
    from agentmsg_codecs.langchain.langgraph.tables import Store


_make_history = maker(am.History)
_WIRES = ("msgpack", "json")
_LISTED = adopt({LG: {"wire": "msgpack", "how": "list"}})


# -- the codec --------------------------------------------------------------------------------------------------------


@attrs.frozen(kw_only=True, eq=False, repr=False)
class LangGraphCodec(Codec):
    """LangGraph's checkpoints, as bytes, and as plain data.

    Attributes:
        wire: the type of bytes to write; None: the one that was read, and "msgpack" for a new history. ``dumps_typed``
            returns it beside the bytes. "json" needs at least one message.
        engine: what reads and writes the fields; hooks registered on ``engine.converter`` before first use replace
            ours.
    """

    name: ClassVar[str] = "langgraph"
    family: ClassVar[str] = FAMILY
    fits_as_read: ClassVar[bool] = True
    title: ClassVar[str] = "LangGraph (checkpoints, JsonPlusSerializer)"
    binary: ClassVar[bool] = True
    envelope: ClassVar[envelopes.Envelope | None] = ISSUED
    tables: ClassVar[frozenset[str]] = frozenset({"checkpoints", "writes"})

    wire: Literal["msgpack", "json"] | None = attrs.field(default=None, validator=attrs.validators.in_((None, *_WIRES)))
    engine: Messages = attrs.field(factory=Messages, init=False, eq=False, repr=False)
    _usual: UsualDocuments = attrs.field(
        init=False,
        eq=False,
        repr=False,
        default=attrs.Factory(lambda self: UsualDocuments(self.engine), takes_self=True),
    )
    _old: LangChainLcCodec = attrs.field(init=False, eq=False, repr=False, factory=LangChainLcCodec)

    def make_caps(self) -> Caps:
        """Return the table of ``langchain``, without keys of LangGraph's containers and trees."""
        from agentmsg_codecs.langchain.capabilities import (  # noqa: PLC0415 - readers need no table
            BESIDE_DATA,
            make_caps,
            message_extras,
        )

        spaces = ((ENVELOPE, _taken_in("dict", BESIDE_DATA)), (LC, _taken_in(ENVELOPE_FORM, ENVELOPE_KEYS)))
        extras = message_extras(self.engine, *spaces, form=_form, taken=MARKERS)
        history = {"extras": carried_extras((FAMILY, _taken_beside))}
        return make_caps(self.engine, extras=extras, history=history, read_native=self._usual.others.read_native)

    @property
    def described(self) -> tuple[Described, ...]:
        """The forms of content parts and of usage."""
        return self.engine.described

    # -- documents ----------------------------------------------------------------------------------------------

    def read(self, document: Any) -> am.History:
        """Return the history of a document; see checkpoints.py."""
        if is_object(document) and WIRE in document:
            return self._read_wrapped(document)
        return self._read_json(document) if is_json(document) else self._read_tree(document)

    def _read_wrapped(self, document: Native) -> am.History:
        tree, marks = document.get("value"), document.get("spelling")
        if document[WIRE] == "json" and document.keys() == {WIRE, "value"} and is_old(tree):
            history = self._read_value(tree)
            return with_note(history, LG, adopt({**note_of(history, LG), "wire": "json"}))
        fits = _are_marks(marks) if "spelling" in document else is_json(tree)
        if document[WIRE] != "msgpack" or not fits or document.keys() - {WIRE, "value", "spelling"}:
            raise DecodeError(f"this isn't a document of {WIRE}: {excerpt(document)}", code="type")
        stamped = [digest(tree), marks] if marks else None
        history = self._read_value(tree)
        return with_note(history, LG, adopt({**note_of(history, LG), "spelling": stamped})) if stamped else history

    def _read_value(self, tree: Any) -> am.History:
        try:
            return self._read_tree(tree)
        except AgentMsgError as error:
            raise error.at("value") from None

    def _read_json(self, document: Any) -> am.History:
        history = self._old.read(document)
        for index, message in enumerate(history.messages):
            spaces: Any = message.extras.values()
            taken = MARKERS.intersection(chain(*spaces))
            if taken:
                path = (index,) if is_list(document) else ()
                raise DecodeError(f"{sorted(taken)} stand for values of MessagePack", code="type", path=path)
        messages = [
            with_note(message, LG, {"/form": ENVELOPE_FORM}) if LC in message.extras else message
            for message in history.messages
        ]
        return with_note(history.evolve(messages=messages), LG, {"wire": "json"})

    def _read_tree(self, document: Any) -> am.History:
        contents = contents_of(document)
        self.engine.fill()
        return self._history(contents, read_each(contents.natives, self._usual.others.read))

    def _history(self, contents: Contents, messages: list[am.Msg]) -> am.History:
        messages = separate(messages, self.engine.parts)
        rest, notes = contents.rest, _LISTED
        if "lc" in rest:
            raise DecodeError("an object with the key 'lc' is an envelope, and holds no messages", code="type")
        if contents.path or contents.how != "list":
            note: Native = {"wire": "msgpack", "how": contents.how, "at": list(contents.path), "index": contents.order}
            if rest and may_hold_marker(rest):
                rest, marks = unescape(rest)
                if marks:
                    note["/escapes"] = marks
            notes = adopt({LG: note})
        extras = adopt({FAMILY: rest}) if rest else EMPTY
        return ISSUED.unwrapped(_make_history(messages=tuple(messages), extras=extras, notes=notes))

    def write(self, history: am.History) -> Any:
        """Return the document: of the type and in the container of the history's notes, else a list.

        Raises:
            EncodeError: if it can't have the type that was asked for.
        """
        note = note_of(history, LG) if history.notes else EMPTY
        noted = note.get("wire") if note.get("wire") in _WIRES else None
        wire = self.wire or noted or "msgpack"
        if noted not in (None, wire):
            history, note = _unwired(history, note)
        if wire == "json" and ("how" in note or any(ENVELOPE in message.extras for message in history.messages)):
            # Some of its messages are no envelopes.
            tree = self._write_tree(history, note, form=ENVELOPE_FORM)
            if is_old(tree):
                return thaw({WIRE: "json", "value": tree})
            if self.wire is None or is_json(tree):
                return thaw(tree)
        elif wire == "json":
            document = thaw(self._old.write(history))
            if is_json(document):
                return document
        if self.wire == "json":
            raise EncodeError("no document of the type 'json' holds this", code="form")
        tree = self._write_tree(history, note)
        spelling = note.get("spelling")
        if is_sequence(spelling) and len(spelling) == 2 and _are_marks(spelling[1]) and spelling[0] == digest(tree):  # noqa: PLR2004 - digest and marks
            return {WIRE: "msgpack", "value": tree, "spelling": spelling[1]}
        return {WIRE: "msgpack", "value": tree} if is_json(tree) else tree

    def _write_tree(self, history: am.History, note: Mapping[str, Any], form: str | None = None) -> Any:
        self.engine.fill()
        write = self._usual.others.write
        unescaped: list[Native] = []
        messages = gather(ISSUED.wrapped(history).messages, self.engine.parts)
        natives = [write(message, unescaped, form) for message in messages]
        if may_hold_marker(unescaped):
            for body in unescaped:
                body.update(escape(body))
        return _in_place(history, natives, note)

    def likeness(self, document: Any) -> float:
        """Return 1 if messages are extensions or in a checkpoint, less if they are envelopes."""
        is_wire = is_object(document) and WIRE in document
        inside = document.get("value") if is_wire else document
        if is_checkpoint(inside):
            return 1.0
        try:
            natives = [native for _, native in contents_of(inside).natives]
        except AgentMsgError:
            return 0.0
        if is_wire:
            return 1.0 if natives else 0.5
        if any(body_of(native) is not None for native in natives):
            return 1.0
        return 0.5 if natives and is_json(document) else 0.0

    def native_messages(self, document: Any) -> list[Any]:
        """Return the messages of a document, in order."""
        if is_object(document) and WIRE in document:
            document = document["value"]
        elif is_json(document):
            return self._old.native_messages(document)
        return [native for _, native in contents_of(document).natives]

    # -- tables -------------------------------------------------------------------------------------------------

    def keys_in(self, connection: Any) -> Iterator[str]:
        """Yield the ids of the threads in the tables of a saver."""
        return store_of(connection).threads()

    def stored(self, connection: Any, key: str) -> bytes | None:
        """Return the bytes of the newest checkpoint of a thread; see tables.py."""
        return store_of(connection).document(key)

    # -- bytes --------------------------------------------------------------------------------------------------

    def parse(self, raw: bytes | bytearray | memoryview | str, limits: Limits, duplicates: Duplicates) -> Any:
        """Return the document of bytes: MessagePack, or the JSON of older checkpoints.

        Raises:
            DecodeError: also for a duplicate key in a map of MessagePack, because it would not come back.
        """
        if isinstance(raw, str):
            return _parse_old(raw, limits, duplicates)
        data = bytes(raw)
        if len(data) > limits.bytes:
            words = speed.beyond(f"{len(data)} bytes are more than the limit of {limits.bytes}", "bytes")
            raise DecodeError(words, code="bytes")
        # As MessagePack these are the numbers 123 and 91, which aren't a document.
        if data.lstrip()[:1] in (b"{", b"["):
            return _parse_old(data, limits, duplicates)
        tree, marks = unpack(data, limits.depth)
        if marks:
            return {WIRE: "msgpack", "value": tree, "spelling": marks}
        return {WIRE: "msgpack", "value": tree} if is_json(tree) else tree

    def from_bytes(
        self, raw: bytes | bytearray | memoryview | str, limits: Limits, duplicates: Duplicates
    ) -> am.History:
        """Return the history of a document; usual messages take half the time, see messages.py."""
        self.engine.fill()
        found = None if isinstance(raw, str) else self._usual.read(bytes(raw), limits)
        return super().from_bytes(raw, limits, duplicates) if found is None else self._history(*found)

    def to_bytes(self, history: am.History) -> bytes:
        """Return the bytes of a document; usual messages need no plain data in between."""
        note = note_of(history, LG) if history.notes else EMPTY
        wires = {self.wire or "msgpack", note.get("wire", self.wire or "msgpack")}
        if wires != {"msgpack"} or note.get("how", "list") != "list" or "spelling" in note:
            return super().to_bytes(history)
        self.engine.fill()
        natives = self._usual.write(gather(ISSUED.wrapped(history).messages, self.engine.parts))
        whole = joined(_in_place(history, natives, note), natives)
        return super().to_bytes(history) if whole is None else whole

    def render(self, document: Any) -> bytes:
        """Return the bytes of a document.

        Raises:
            EncodeError: if an object has a key of tree.py's table but isn't in it.
        """
        if is_mapping(document) and document.get(WIRE) == "json":
            return dump_json(document["value"])
        if is_mapping(document) and WIRE in document:
            return pack(document["value"], document.get("spelling", ()))
        return dump_json(document) if is_json(document) else pack(document)


def _taken_in(form: str, keys: frozenset[str]) -> Callable[[am.Msg], frozenset[str] | None]:
    return lambda message: keys if note_of(message, LG).get("/form") == form else None


def _form(message: am.Msg) -> str:
    """Return the form of a message's fields."""
    form = note_of(message, LG).get("/form")
    return form if isinstance(form, str) and form in FORMS else "flat"


def _taken_beside(history: am.History) -> frozenset[str]:
    """Return the keys that an object around messages must not have: those of the messages, and of other objects."""
    rest: Any = history.extras.get(FAMILY)
    note = note_of(history, LG)
    is_elsewhere = is_mapping(rest) and "messages" in rest and are_elsewhere(thaw(rest), note, len(history))
    return MARKERS | ({"lc"} if is_elsewhere else BESIDE)


def _unwired(history: am.History, note: Mapping[str, Any]) -> tuple[am.History, Mapping[str, Any]]:
    """Return a history, and where its messages stand, without what only another type of bytes has."""
    kept = {key: note[key] for key in note if key not in ("wire", "spelling")}
    messages = [with_note(message, LG, EMPTY) if message.notes else message for message in history.messages]
    return history.evolve(messages=messages), EMPTY if kept.get("how") == "list" else kept


def _in_place(history: am.History, natives: list[Any], note: Mapping[str, Any]) -> Any:
    """Return a document with messages in their place."""
    rest = history.extras.get(FAMILY) if history.extras else None
    around: Native = thaw(escape(rest, note.get("/escapes"))) if is_mapping(rest) else {}
    return write_contents(around, natives, note)


def _are_marks(marks: Any) -> bool:
    """Whether a value is a list of tree.py's marks: each has a number and a byte."""
    if not is_sequence(marks) or not marks:
        return False
    return all(
        is_sequence(mark) and len(mark) == 2 and type(mark[0]) is type(mark[1]) is int and 0 <= mark[1] < 256  # noqa: PLR2004 - a number and a byte
        for mark in marks
    )


def _parse_old(raw: bytes | str, limits: Limits, duplicates: Duplicates) -> Any:
    document = parse_json(raw, limits, duplicates)
    if is_json(document):
        return document
    if not is_old(document):
        raise DecodeError('JSON without the envelopes that the type "json" has for messages', code="type")
    return {WIRE: "json", "value": document}


# -- types and bytes --------------------------------------------------------------------------------------------------


def loads_typed(data: tuple[str, bytes], *, limits: Limits = speed.DEFAULT_LIMITS) -> am.History:
    """Return the history in the result of ``JsonPlusSerializer.dumps_typed``, which checkpointers store.

    Args:
        data: the type and the bytes.
        limits: bounds on what is read.

    Raises:
        DecodeError: if the type is neither "msgpack" nor "json" ("pickle" is never read), or doesn't fit the bytes, or
            they aren't such a document.
    """
    kind, raw = data
    if kind not in ("msgpack", "json"):
        msg = f"the type {excerpt(kind)} holds no messages that are read"
        raise DecodeError(msg, codec=LangGraphCodec.name, code="type")
    history = am.loads(raw, "langgraph", limits=limits)
    if note_of(history, LG).get("wire") != kind:
        raise DecodeError(f"the bytes are not of the type {kind}", codec=LangGraphCodec.name, code="type")
    return history


def dumps_typed(messages: am.History | am.Msg | list[am.Msg], **options: Any) -> tuple[str, bytes]:
    """Return the type and bytes of a history, for ``JsonPlusSerializer.loads_typed``.

    Args:
        messages: a history, a message, or several.
        options: of ``dumps``.

    Raises:
        LossError: like ``dumps``.
    """
    raw = am.dumps(messages, "langgraph", **options)
    return ("json" if raw[:1] in (b"{", b"[") else "msgpack"), raw


# -- tables -----------------------------------------------------------------------------------------------------------


def store_of(connection: Any) -> Store:
    """Return the checkpoints in the tables of a database."""
    from agentmsg_codecs.langchain.langgraph.tables import Store  # noqa: PLC0415 - SQLite, for a database only

    return Store(connection)


def load_threads(
    connection: Any, thread: str | None = None, *, limits: Limits = speed.DEFAULT_LIMITS
) -> Iterator[tuple[str, am.History]]:
    """Yield the threads in the tables of a LangGraph saver, each as its id and the history of its newest checkpoint.

    The database is only read, and nothing that it names is imported. An error about one thread ends the iterator.

    Args:
        connection: an open connection: of sqlite3, or, for PostgreSQL, of a driver whose parameters are ``%s``, such as
            psycopg.
        thread: the id of the only thread to read; None for all.
        limits: bounds on what is read.

    Raises:
        DecodeError: if the rows of a thread aren't what a saver writes; code "required" if there is no such thread.
    """
    store = store_of(connection)
    for name in store.threads() if thread is None else (thread,):
        try:
            data = store.document(name)
            if data is None:
                raise DecodeError("there is no such thread", codec=LangGraphCodec.name, code="required")
            history = am.loads(data, "langgraph", limits=limits)
        except DecodeError as error:
            raise DecodeError(
                f"{error.message} (thread {excerpt(name)})", code=error.code, path=error.path, codec=LangGraphCodec.name
            ) from None
        yield name, history
