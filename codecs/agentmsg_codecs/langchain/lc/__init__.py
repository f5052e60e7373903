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

from typing import TYPE_CHECKING, Any, ClassVar, Literal

import attrs

import agentmsg as am
from agentmsg import AgentMsgError, EncodeError
from agentmsg.formats import (
    EMPTY,
    Caps,
    ContainerCodec,
    Containers,
    Native,
    adopt,
    carried_extras,
    envelopes,
    excerpt,
    is_mapping,
    maker,
    note_of,
    with_note,
)
from agentmsg_codecs.langchain.envelope import ISSUED
from agentmsg_codecs.langchain.grouped import gather, separate
from agentmsg_codecs.langchain.lc.envelopes import (
    DIALECTS,
    ENVELOPE_KEYS,
    LC,
    TREES,
    Envelopes,
    are_envelopes_only,
    contents_of,
    dialect_of,
    escape_all,
    escape_each,
    is_message,
    word,
)
from agentmsg_codecs.langchain.messages.engine import Messages
from agentmsg_codecs.langchain.names import FAMILY
from agentmsg_codecs.langchain.trees import BESIDE, noted

if TYPE_CHECKING:
    from agentmsg import Limits
    from agentmsg.formats import Duplicates
    from agentmsg.formats.forms import Described


_make_history = maker(am.History)
# By dialect and container, the notes of a history without others.
_NOTES = {
    (dialect, container): adopt({LC: {"dialect": dialect, "/container": container}})
    for dialect in DIALECTS
    for container in ("list", "single", "messages", "tuple")
}

# A message by itself is noted like this; envelopes.py knows the other containers.
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
        """Return the history of a document that holds envelopes; see envelopes.py."""
        contents = contents_of(document)
        dialect = dialect_of(contents.natives) or self.dialect or "python"
        self.engine.fill()
        read, spelling = self._envelopes.read, DIALECTS[dialect]
        messages: list[am.Msg] = []
        for path, native in contents.natives:
            try:
                messages.append(read(native, spelling))
            except AgentMsgError as error:
                raise error.at(*path) from None
        messages = separate(messages, self.engine.parts)
        note: Native = {"dialect": dialect, "/container": contents.kind}
        if contents.holes:
            note |= {"holes": contents.holes, "holder": contents.holder}
        if contents.marks:
            note["escapes"] = contents.marks
        notes = adopt({LC: note}) if contents.holes or contents.marks else _NOTES[dialect, contents.kind]
        extras = adopt({FAMILY: contents.rest}) if contents.rest else EMPTY
        return ISSUED.unwrapped(_make_history(messages=tuple(messages), extras=extras, notes=notes))

    def from_bytes(
        self, raw: bytes | bytearray | memoryview | str, limits: Limits, duplicates: Duplicates
    ) -> am.History:
        """Return the history of a document; a list of usual envelopes takes half the time, see envelopes.py."""
        messages: list[am.Msg] | None = None
        if duplicates == "last":
            self.engine.fill()
            try:
                messages = self._envelopes.read_bytes(raw, limits)
            except AgentMsgError:
                messages = None  # the general path raises the error, with its path
        if messages is not None:
            messages = separate(messages, self.engine.parts)
            return ISSUED.unwrapped(_make_history(messages=tuple(messages), notes=_NOTES["python", "list"]))
        return super().from_bytes(raw, limits, duplicates)

    def write(self, history: am.History) -> Any:
        """Return the document, in the dialect and container of the history's notes, or else of the options."""
        note = note_of(history, LC) if history.notes else EMPTY
        natives, unescaped = self._natives(history, note)
        escape_each(unescaped)
        return self._document(history, natives, note)

    def to_bytes(self, history: am.History) -> bytes:
        """Return the bytes of the document; in those of a list, the need to escape something is visible."""
        note = note_of(history, LC) if history.notes else EMPTY
        if history.extras or (note.get("/container") or self.container) != "list":
            return super().to_bytes(history)
        natives, unescaped = self._natives(history, note)
        if len(unescaped) == len(natives):
            raw = self.render(natives)
            if are_envelopes_only(raw, len(natives)):
                return raw
        escape_each(unescaped)
        return self.render(natives)

    def _natives(self, history: am.History, note: Any) -> tuple[list[Any], list[Native]]:
        """Return the native messages, and those of their kwargs that may still need to be escaped."""
        read = word(note.get("dialect"))
        name = self.dialect or (read if read in DIALECTS else "python")
        dialect = DIALECTS[name]
        if self.dialect not in (None, read):
            history = history.evolve(messages=[with_note(message, LC, EMPTY) for message in history.messages])
        self.engine.fill()
        write = self._envelopes.write_unescaped
        unescaped: list[Native] = []
        messages = gather(ISSUED.wrapped(history).messages, self.engine.parts)
        natives = [write(message, dialect, unescaped) for message in messages]
        for place, (message, native) in enumerate(zip(messages, natives, strict=True)):
            if self.dialect and message.role == "native" and dialect_of([((), native)]) not in (None, name):
                told = f"this message can't have the dialect {name!r}: {excerpt(native)}"
                raise EncodeError(told, code="form", path=(place,))
        return natives, unescaped

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
