"""langchain-lc: the constructor envelopes of LangChain's ``dumpd``, ``dumps`` and ``load``.

A message is ``{"lc": 1, "type": "constructor", "id": [..., class], "kwargs": {fields}}``. Its fields are those of
``model_dump`` without the empty ones. The [page of langchain](langchain.md) describes them.

A document is one envelope, a list, a state, a prompt value, a generation, a tracer's run or event, a thread, what the
nodes of a graph return, what a graph streams, or rows of a table with a message each.

Follows langchain-core 1.7, and LangChain for JavaScript (@langchain/core 1.4) as the dialect ``js``. That one names its
classes ``["langchain_core", "messages", class]``, and writes no ``type``.

| dumpd | agentmsg |
| --- | --- |
| HumanMessage, AIMessage, SystemMessage, ToolMessage, ChatMessage ... and their chunks | as in ``langchain`` |
| the last word of ``id``; the words before it | the class; a note, if they aren't the dialect's |
| kwargs | the fields of the message, as in ``langchain`` |
| empty fields that are written all the same | a note |
| ``{"__lc_escaped__": {"lc": ...}}`` in user data | the object inside of it |
| ``not_implemented``, ``secret``, unescaped objects in user data | plain data; a note keeps their places |
| ``not_implemented`` in place of a message, other message classes | a message with the role "native" |
| unknown keys of the envelope | extras["langchain.lc"] |
| a list; one envelope; ``{"messages": [...]}`` | the history; other keys are extras["langchain"] |
| ChatPromptValue, ChatGeneration and similar | the same; everything around the messages is extras["langchain"] |
| runs and events of a tracer: inputs, outputs, generations, batches of messages | the same |
| threads (``values``), nodes (``{node: {"messages"}}``), ``[message, metadata]``, rows | the same |

Nothing that a document names is imported or looked up, and no secret is resolved. User data that looks like an envelope
is written escaped. If it is unchanged, and the document had it unescaped, it stays unescaped.
"""

from __future__ import annotations

from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import attrs

import agentmsg as am
from agentmsg import AgentMsgError, DecodeError, EncodeError, thaw
from agentmsg.formats import (
    EMPTY,
    Caps,
    ContainerCodec,
    Containers,
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
    natives,
    note_of,
    same_document,
    speed,
    spelling,
    with_note,
)
from agentmsg_codecs.langchain.envelope import ISSUED
from agentmsg_codecs.langchain.messages.engine import Messages
from agentmsg_codecs.langchain.messages.fields import CLASSES, TAGS, USUAL, is_empty
from agentmsg_codecs.langchain.messages.quick_read import FastReaders, is_deep, natives_in, read_all
from agentmsg_codecs.langchain.names import FAMILY, digest
from agentmsg_codecs.langchain.trees import BESIDE, Contents, Trees, gather, listed, noted, read_each, separate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg import Limits
    from agentmsg.formats import Duplicates
    from agentmsg.formats.forms import Described


# -- the escape rule: user data that could be taken for an object of LangChain is wrapped -----------------------------
# An object with a key ``lc``, or with ``__lc_escaped__`` as its only key, is written as ``{"__lc_escaped__": object}``;
# nothing inside it is touched. Old documents have such objects unescaped, and today's have ``not_implemented`` entries:
# both are data like any other. A mark remembers their place, with a digest, so that no other data is written there
# unescaped.


# A path, how its value is written ("raw" or "wrapped"), and a digest of the value.
Mark = list[Any]
ESCAPED = "__lc_escaped__"
_KEYS = (b'"lc"', b'"__lc_escaped__"')


def _needs(value: Native) -> bool:
    return "lc" in value or (len(value) == 1 and ESCAPED in value)


# -- unescaping -------------------------------------------------------------------------------------------------------


def unescape_all(fields: Native) -> tuple[Native, list[Mark]]:
    """Return an object with its values unescaped, and marks of what we would escape differently."""
    marks: list[Mark] = []
    return {key: _unescape(value, [key], marks) for key, value in fields.items()}, marks


def _unescape(value: Any, path: list[Any], marks: list[Mark]) -> Any:
    if is_list(value):
        return [_unescape(item, [*path, index], marks) for index, item in enumerate(value)]
    if not is_object(value):
        return value
    if len(value) == 1 and ESCAPED in value:
        inner = value[ESCAPED]
        if not is_object(inner) or not _needs(inner):
            marks.append([path, "wrapped", digest(inner)])
        return inner
    if "lc" in value:
        marks.append([path, "raw", digest(value)])
        return value
    return {key: _unescape(item, [*path, key], marks) for key, item in value.items()}


# -- escaping ---------------------------------------------------------------------------------------------------------


def escape_all(fields: Native, marks: Any = None) -> Native:
    """Return an object with its values escaped.

    Args:
        fields: the object; not changed, and returned itself if nothing needs to be escaped.
        marks: those of ``unescape_all``, or anything else that a note holds.
    """
    if not marks and not may_need_escape([fields]):
        return fields
    noted = marks_by_path(marks)
    return {key: _escape(value, (key,), noted) for key, value in fields.items()}


def escape_each(objects: list[Native]) -> None:
    """Escape the values of objects in place."""
    if may_need_escape(objects):
        for fields in objects:
            fields.update(escape_all(fields))


def may_need_escape(values: list[Any]) -> bool:
    """Whether any object among or inside values, plain or frozen, may need to be escaped."""
    # Searching the bytes takes a tenth of the time of a walk. It also finds the text "lc", which does no harm.
    return text_may_need_escape(dump_json(values))


def text_may_need_escape(text: bytes) -> bool:
    """Whether any object in a JSON text that we wrote may be escaped, or need to be."""
    # With `in`, bytes first raise and catch an error: that takes longer than the search.
    return text.find(_KEYS[0]) >= 0 or text.find(_KEYS[1]) >= 0


def _escape(value: Any, path: tuple[Any, ...], noted: dict[Any, Any]) -> Any:
    mark = noted.get(path_key(path)) if noted else None
    if mark is not None and mark[2] == digest(value):
        if mark[1] == "wrapped":
            return {ESCAPED: value}
        if is_mapping(value) and "lc" in value:
            return value
    if is_mapping(value):
        if _needs(value):
            return {ESCAPED: value}
        return {key: _escape(item, (*path, key), noted) for key, item in value.items()}
    if is_sequence(value):
        return [_escape(item, (*path, index), noted) for index, item in enumerate(value)]
    return value


def marks_by_path(marks: Any) -> dict[Any, Any]:
    """Return the marks in a note by path, whatever the note holds."""
    found = (mark for mark in marks if is_sequence(mark) and len(mark) == 3) if is_sequence(marks) else ()  # noqa: PLR2004 - path, how, digest
    return {path_key(mark[0]): mark for mark in found if is_sequence(mark[0])}


def path_key(path: Any) -> tuple[str, ...]:
    """Return a path as a hashable value, whatever a note holds."""
    return tuple(f"{type(step).__name__} {step}" for step in path)


# -- containers: lists, states, prompt values, generations, runs of a tracer ------------------------------------------


ENVELOPE_KEYS = frozenset({"lc", "type", "id", "kwargs"})
# The objects of LangChain that hold messages, by the last word of their id.
_HOLDERS = frozenset({"ChatPromptValue", "ChatPromptValueConcrete", "ChatGeneration", "ChatGenerationChunk"})


def is_envelope(native: Any) -> bool:
    """Whether a value is an envelope of dumpd for an object that a class makes."""
    if not is_mapping(native) or native.get("lc") != 1 or native.get("type") != "constructor":
        return False
    own = native.get("id")
    if type(native["lc"]) is not int or not is_mapping(native.get("kwargs")):
        return False
    return is_sequence(own) and set(map(type, own)) == {str}


def is_message(native: Any) -> bool:
    """Whether a value is an envelope of a message, by the name of its class."""
    return is_envelope(native) and native["id"][-1].endswith(("Message", "MessageChunk"))


def is_unmade(native: Any) -> bool:
    """Whether a value stands for an object that dumpd can't write."""
    return is_object(native) and native.get("lc") == 1 and native.get("type") == "not_implemented"


TREES = Trees(is_message, itemgetter("kwargs"), unescape_all, escape_all)


def contents_of(document: Any) -> Contents:
    """Return a document taken apart.

    Raises:
        DecodeError: if it holds no messages at the places where LangChain puts them, or would not come back.
    """
    if is_list(document):
        return TREES.pair(document) or TREES.rows(document) or Contents("list", listed(document), {})
    if is_message(document):
        return Contents("single", [((), document)], {})
    if not is_object(document):
        raise DecodeError(f"envelopes of LangChain are objects, not {excerpt(document)}")
    if is_envelope(document):
        own: list[Any] = document["id"]
        if own[-1] not in _HOLDERS or len(document) != len(ENVELOPE_KEYS):
            raise DecodeError(f"neither a message nor a prompt value or generation of LangChain: {excerpt(own)}")
        return _tree(document["kwargs"], document, own)
    if "lc" in document:
        raise DecodeError(f"not a message of LangChain: {excerpt(document)}")
    natives = document.get("messages")
    if is_list(natives) and (not natives or is_object(natives[0])):
        rest, marks = unescape_all({key: value for key, value in document.items() if key != "messages"})
        return Contents("messages", listed(natives, "messages"), rest, marks)
    return _tree(document, document, None)


def _tree(tree: Native, document: Native, holder: list[Any] | None) -> Contents:
    contents = TREES.contents(tree, document, holder)
    if contents is None:
        raise DecodeError("no envelopes of LangChain where a document has them, or what stands around them is odd")
    return contents


# -- single envelopes -------------------------------------------------------------------------------------------------
# ``langchain``'s engine reads and writes the fields: what an envelope leaves out is filled in, and left out again. What
# an envelope spells differently from its dialect is a note under ``langchain.lc``.

_OBJECT: Any = dict  # so that type checkers don't look inside
# The namespace of our notes, and of unknown keys of envelopes.
LC = "langchain.lc"
# By class, the values of the fields that an envelope may lack.
_FILLED: Mapping[str, Native] = {
    name: {key: field.default for key, field in USUAL[tag].items() if field.dumpd == "if set" or key == "type"}
    for name, tag in TAGS.items()
}


class Dialect(speed.Record):
    """How Python's or JavaScript's LangChain spells envelopes.

    Attributes:
        path: the words before the class.
        typed: whether the kwargs have a `type`.
        shown: the empty fields that are written all the same.
    """

    path: list[str]
    typed: bool
    shown: tuple[str, ...]


DIALECTS: Mapping[str, Dialect] = {
    "python": Dialect(["langchain", "schema", "messages"], True, ()),
    "js": Dialect(["langchain_core", "messages"], False, ("additional_kwargs", "response_metadata")),
}


def dialect_of(natives: list[tuple[Any, Any]]) -> str | None:
    """Return the dialect of the first message; None if there is none."""
    first = next((native for _, native in natives if is_message(native)), None)
    if first is None:
        return None
    js = DIALECTS["js"]
    return "js" if first["id"][:-1] == js.path and "type" not in first["kwargs"] else "python"


class Envelopes:
    """Reads and writes envelopes; those that langchain-core's ``dumpd`` writes today without making a flat body.

    The class decides the reader of the kwargs (messages/quick_read.py). Free-form data is written as text once, and
    must contain neither a key of the escape rule nor too many levels; parts and counters with the usual keys can't. So
    the depth of such a document needs no other proof. tests/test_langchain_bytes.py compares the fast and the general
    path.

    Attributes:
        fast_readers: by class, the whole id and the reader of the kwargs.
    """

    def __init__(self, engine: Messages) -> None:
        self._engine = engine
        self.fast_readers = {
            CLASSES[tag]: ([*DIALECTS["python"].path, CLASSES[tag]], read)
            for tag, read in FastReaders(
                engine.parts, "short", lambda text: text_may_need_escape(text) or is_deep(text)
            ).by_tag.items()
        }

    @cached_property
    def fast_writers(self) -> dict[str, Callable[[am.Msg], Native | None]]:
        """By role, the writer of the kwargs."""
        from agentmsg_codecs.langchain.messages.quick_write import FastWriters  # noqa: PLC0415 - many only read

        return FastWriters(self._engine.parts, "short").by_role

    def _fast_read(self, native: Any) -> am.Msg | None:
        """Return the message of an envelope as dumpd writes it today; None if the general path must look."""
        try:
            one, own, kwargs = native["lc"], native["id"], native["kwargs"]
            whole, read = self.fast_readers[own[-1]]
            if own != whole or native["type"] != "constructor" or len(native) != 4:  # noqa: PLR2004 - these keys
                return None
        except (LookupError, TypeError):
            return None
        return read(kwargs) if type(one) is int and one == 1 and type(kwargs) is _OBJECT else None

    def read(self, native: Any, dialect: Dialect) -> am.Msg:
        """Return the message of an envelope.

        Raises:
            DecodeError: if it isn't the envelope of a message.
        """
        # Notes record what differs from the dialect, and the fast readers know only one.
        message = self._fast_read(native) if dialect.typed else None
        if message is not None:
            return message
        if not is_message(native):
            if is_unmade(native):
                return _whole(native)
            raise DecodeError(f"not an envelope of a message: {excerpt(native)}")
        own, kwargs = native["id"], native["kwargs"]
        filled = _FILLED.get(own[-1])
        if filled is None or kwargs.get("type", filled["type"]) != filled["type"]:
            return _whole(native)
        note = _spelling(own, kwargs, dialect)
        if may_need_escape([kwargs]):
            kwargs, marks = unescape_all(kwargs)
            if marks:
                note["/escapes"] = marks
        try:
            # What was left out goes first, so that unknown fields keep their order.
            body = {**{key: filled[key] for key in filled if key not in kwargs}, **kwargs}
            message, form = self._engine.read(body)
        except AgentMsgError:
            return _whole(native)
        if form != "flat" or message.role == "native":
            return _whole(native)
        if not note and len(native) == len(ENVELOPE_KEYS):
            return message  # the flat form came back, and nothing was escaped, shown or spelt differently
        is_proved = self._engine.has_proved(message) and bare(message) is message
        rest = {key: value for key, value in native.items() if key not in ENVELOPE_KEYS}
        if rest:
            message = message.evolve(extras={**message.extras, LC: adopt(rest)})
        if note:
            message = with_note(message, LC, adopt(note))
        if is_proved:
            speed.remember_reader(message, self)
        return message if same_document(thaw(self.write(message, dialect)), native) else _whole(native)

    def read_all(self, natives: list[Any]) -> list[am.Msg] | None:
        """Return the messages of envelopes, mostly usual ones, in the dialect ``python``; None as ``read_all``."""
        return read_all(natives, self._fast_read, lambda native: self.read(native, DIALECTS["python"]))

    def write(self, message: am.Msg, dialect: Dialect) -> Any:
        """Return the envelope of a message that fits."""
        unescaped: list[Native] = []
        native = self.write_unescaped(message, dialect, unescaped)
        escape_each(unescaped)
        return native

    def write_unescaped(self, message: am.Msg, dialect: Dialect, unescaped: list[Native]) -> Any:
        """Return an envelope whose kwargs may still need to be escaped.

        Args:
            message: the message.
            dialect: how envelopes are spelt.
            unescaped: gets these kwargs. To search those of many messages at once takes a fifth of the time.
        """
        is_proved = speed.reader_of(message) is self
        if not message.extras and dialect.typed and not is_proved and not self._engine.has_proved(message):
            fast = self.fast_writers.get(message.role)
            kwargs = None if fast is None else fast(message)
            if kwargs is not None:
                unescaped.append(kwargs)
                name = CLASSES[kwargs["type"]]
                return {"lc": 1, "type": "constructor", "id": [*dialect.path, name], "kwargs": kwargs}
        if natives.is_native(message, FAMILY):
            return message.content[0].value  # type: ignore[union-attr]
        note = note_of(message, LC) if message.notes else EMPTY
        flat = (self._engine.spell if is_proved else self._engine.write)(bare(message), "flat")
        shown = note.get("/shown")
        kwargs = _short(flat, tuple(shown) if is_sequence(shown) else dialect.shown)
        name = CLASSES[flat["type"]]
        if {"given": True, "missing": False}.get(word(note.get("/type")), dialect.typed):
            kwargs["type"] = TAGS[name]
        else:
            del kwargs["type"]
        marks = note.get("/escapes")
        if marks:
            kwargs = escape_all(kwargs, marks)
        else:
            unescaped.append(kwargs)
        noted = note.get("/path")
        path = noted if is_sequence(noted) and all(type(word) is str for word in noted) else dialect.path
        native: Native = {"lc": 1, "type": "constructor", "id": [*path, name], "kwargs": kwargs}
        return natives.with_rest(native, message, LC)


def _spelling(own: list[Any], kwargs: Native, dialect: Dialect) -> Native:
    """Return a note of what an envelope spells differently from the dialect."""
    note: Native = {}
    empty, fields = _FILLED[own[-1]], USUAL[TAGS[own[-1]]]
    shown = tuple([key for key, value in kwargs.items() if not value and key in empty and is_empty(fields[key], value)])
    if shown != dialect.shown:
        note["/shown"] = list(shown)
    if own[:-1] != dialect.path:
        note["/path"] = own[:-1]
    if ("type" in kwargs) is not dialect.typed:
        note["/type"] = "given" if "type" in kwargs else "missing"
    return note


def word(value: Any) -> str:
    """Return a value in a note if it is a word, else an empty one."""
    return value if isinstance(value, str) else ""


# Notes about the forms of ``langchain``: an envelope has one form, and its class says the type.
_OF_FORM = frozenset({"/form", "type"})


def bare(message: am.Msg) -> am.Msg:
    """Return a message without what the flat form lacks."""
    notes, extras = message.notes, message.extras
    if notes:
        own = notes.get(FAMILY)
        if is_mapping(own) and not _OF_FORM.isdisjoint(own):
            own = {key: value for key, value in own.items() if key not in _OF_FORM}
            message = with_note(message, FAMILY, own)
        if LC in notes:
            message = with_note(message, LC, EMPTY)
    if extras and LC in extras:
        message = message.evolve(extras={key: value for key, value in extras.items() if key != LC})
    return message


def _short(flat: Native, shown: tuple[Any, ...]) -> Native:
    """Return the fields that dumpd writes, in its order."""
    kwargs: Native = {}
    behind: Native = {}
    # An unknown field may have the name of another class's field.
    fields = USUAL[flat["type"]]
    for key, value in flat.items():
        how = "always" if value or key not in fields else fields[key].dumpd
        if how == "last" and spelling.spelling_of(value) is not None:
            behind[key] = value
        elif how != "if set" or not is_empty(fields[key], value) or key in shown:
            kwargs[key] = value
    kwargs.update(behind)
    return kwargs


def _whole(native: Native) -> am.Msg:
    return natives.read_whole(native, FAMILY, native.get("kwargs"))


# -- the codec --------------------------------------------------------------------------------------------------------

_make_history = maker(am.History)
# The notes of a history that was read as a list in the usual dialect.
_LISTED = adopt({LC: {"dialect": "python", "/container": "list"}})
# A message by itself is noted like this; ``contents_of`` knows the other containers.
CONTAINERS = Containers(family=LC, title="LangChain", own=frozenset({"lc"}))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class LangChainLcCodec(ContainerCodec):
    """LangChain's messages in the envelopes of dumpd.

    Attributes:
        dialect: whose envelopes to write; None: as they were read, and new ones as Python's. A message that was kept
            whole, and that only another dialect has, is refused.
        engine: what reads and writes the fields; hooks registered on ``engine.converter`` before first use replace
            ours.
    """

    name: ClassVar[str] = "langchain-lc"
    own_form: ClassVar[str | None] = "to_json"
    family: ClassVar[str] = FAMILY
    fits_as_read: ClassVar[bool] = True
    title: ClassVar[str] = "LangChain (dumpd, load)"
    containers: ClassVar[Containers] = CONTAINERS
    envelope: ClassVar[envelopes.Envelope | None] = ISSUED

    dialect: Literal["python", "js"] | None = attrs.field(
        default=None, validator=attrs.validators.in_((None, *DIALECTS))
    )
    engine: Messages = attrs.field(factory=Messages, init=False, eq=False, repr=False)
    _envelopes: Envelopes = attrs.field(
        init=False, eq=False, repr=False, default=attrs.Factory(lambda self: Envelopes(self.engine), takes_self=True)
    )

    def make_caps(self) -> Caps:
        """Return the table of ``langchain``, with the extras and the native messages of envelopes."""
        from agentmsg_codecs.langchain.capabilities import (  # noqa: PLC0415 - readers need no table
            make_caps,
            message_extras,
        )

        def read_native(value: Any) -> am.Msg:
            self.engine.fill()
            return self._envelopes.read(value, DIALECTS["python"])

        extras = message_extras(self.engine, (LC, lambda _: ENVELOPE_KEYS), form=lambda _: "flat")
        history = {"extras": carried_extras((FAMILY, lambda _: BESIDE))}
        return make_caps(self.engine, extras=extras, history=history, read_native=read_native)

    @property
    def described(self) -> tuple[Described, ...]:
        """The forms of content parts and of usage."""
        return self.engine.described

    def read(self, document: Any) -> am.History:
        """Return the history of a document that holds envelopes; see ``contents_of``."""
        contents = contents_of(document)
        dialect = dialect_of(contents.natives) or self.dialect or "python"
        self.engine.fill()
        messages = read_each(contents.natives, lambda native: self._envelopes.read(native, DIALECTS[dialect]))
        messages = separate(messages, self.engine.parts)
        note: Native = {"dialect": dialect, "/container": contents.kind}
        if contents.holes:
            note |= {"holes": contents.holes, "holder": contents.holder}
        if contents.marks:
            note["escapes"] = contents.marks
        extras = adopt({FAMILY: contents.rest}) if contents.rest else EMPTY
        return ISSUED.unwrapped(_make_history(messages=tuple(messages), extras=extras, notes=adopt({LC: note})))

    def from_bytes(
        self, raw: bytes | bytearray | memoryview | str, limits: Limits, duplicates: Duplicates
    ) -> am.History:
        """Return the history of a document; reading a list of usual envelopes proves its depth."""
        self.engine.fill()
        messages = self._envelopes.read_all(natives_in(raw, limits, duplicates))
        if messages is None:
            return super().from_bytes(raw, limits, duplicates)
        messages = separate(messages, self.engine.parts)
        return ISSUED.unwrapped(_make_history(messages=tuple(messages), notes=_LISTED))

    def write(self, history: am.History) -> Any:
        """Return the document, in the dialect and container of the history's notes, or else of the options."""
        note = note_of(history, LC) if history.notes else EMPTY
        read = word(note.get("dialect"))
        name = self.dialect or (read if read in DIALECTS else "python")
        dialect = DIALECTS[name]
        if self.dialect not in (None, read):
            history = history.evolve(messages=[with_note(message, LC, EMPTY) for message in history.messages])
        self.engine.fill()
        messages = gather(ISSUED.wrapped(history).messages, self.engine.parts)
        unescaped: list[Native] = []
        natives = [self._envelopes.write_unescaped(message, dialect, unescaped) for message in messages]
        escape_each(unescaped)
        for place, (message, native) in enumerate(zip(messages, natives, strict=True)):
            if self.dialect and message.role == "native" and dialect_of([((), native)]) not in (None, name):
                told = f"this message can't have the dialect {name!r}: {excerpt(native)}"
                raise EncodeError(told, code="form", path=(place,))
        return self._document(history, natives, note)

    def _document(self, history: am.History, natives: list[Any], note: Any) -> Any:
        """Return the native messages in their container."""
        rest = history.extras.get(FAMILY) if history.extras else None
        container = note.get("/container") or self.container
        contents = noted(rest, container, note)
        if contents is not None:
            document = TREES.written(contents, natives, contents_of)
            if document is not None:
                return document
        if is_mapping(rest):
            return {**escape_all(rest, note.get("escapes")), "messages": natives}
        if container in ("messages", "object"):
            return {"messages": natives}
        if container == "single" and len(natives) == 1 and is_message(natives[0]):
            return natives[0]
        return natives

    def likeness(self, document: Any) -> float:
        """Return 1 if all messages are envelopes in LangChain's places, a bit less in larger objects, else 0."""
        try:
            contents = contents_of(document)
        except AgentMsgError:
            return 0.0
        is_own = bool(contents.natives) and all(is_message(native) for _, native in contents.natives)
        return (0.9 if contents.kind == "tree" else 1.0) if is_own else 0.0

    def native_messages(self, document: Any) -> list[Any]:
        """Return the envelopes of a document, in order."""
        return [native for _, native in contents_of(document).natives]
