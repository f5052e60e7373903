"""Single envelopes: how ``dumpd`` spells a message with the fields of the flat form.

``langchain``'s engine reads and writes the fields: what an envelope leaves out is filled in, and left out again. What
an envelope spells differently from its dialect is a note under ``langchain.lc``.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError, DecodeError, thaw
from agentmsg.formats import (
    EMPTY,
    Native,
    adopt,
    excerpt,
    is_list,
    is_mapping,
    is_object,
    is_sequence,
    natives,
    note_of,
    same_document,
    speed,
    spelling,
    with_note,
)
from agentmsg_codecs.langchain.lc.documents import ENVELOPE_KEYS, is_message
from agentmsg_codecs.langchain.lc.escape import (
    escape_all,
    escape_each,
    may_need_escape,
    text_may_need_escape,
    unescape_all,
)
from agentmsg_codecs.langchain.messages.depth import is_deep, read_all
from agentmsg_codecs.langchain.messages.fields import CLASSES, TAGS, USUAL, is_empty
from agentmsg_codecs.langchain.messages.quick_read import FastReaders
from agentmsg_codecs.langchain.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg import Limits
    from agentmsg_codecs.langchain.messages.engine import Messages


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
# How an envelope begins in the text that langchain-core writes, and in ours.
_BEGIN = (b'{"lc": 1, "type": "constructor", ', b'{"lc":1,"type":"constructor",')


def dialect_of(natives: list[tuple[Any, Any]]) -> str | None:
    """Return the dialect of the first message; None if there is none."""
    first = next((native for _, native in natives if is_message(native)), None)
    if first is None:
        return None
    js = DIALECTS["js"]
    return "js" if first["id"][:-1] == js.path and "type" not in first["kwargs"] else "python"


def _is_odd(text: bytes) -> bool:
    """Whether the JSON text of free-form data may contain something escaped, or be too deep."""
    return text_may_need_escape(text) or is_deep(text)


class Envelopes:
    """Reads and writes envelopes; those that langchain-core's ``dumpd`` writes today without making a flat body.

    The class decides the reader of the kwargs (layouts.py). Free-form data is written as text once, and must contain
    neither a key of the escape rule nor too many levels; parts and counters with the usual keys can't. So the depth of
    such a document needs no other proof. tests/test_langchain_bytes.py compares the fast and the general path.

    Attributes:
        fast_readers: by class, the whole id and the reader of the kwargs.
    """

    def __init__(self, engine: Messages) -> None:
        self._engine = engine
        self.fast_readers = {
            CLASSES[tag]: ([*DIALECTS["python"].path, CLASSES[tag]], read)
            for tag, read in FastReaders(engine.parts, "short", _is_odd).by_tag.items()
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
            if is_object(native) and native.get("lc") == 1 and native.get("type") == "not_implemented":
                return _whole(native)
            raise DecodeError(f"not an envelope of a message: {excerpt(native)}")
        own, kwargs = native["id"], native["kwargs"]
        filled = _FILLED.get(own[-1])
        if filled is None or kwargs.get("type", filled["type"]) != filled["type"]:
            return _whole(native)
        note = _spelling(own, kwargs, dialect)
        is_escaped = may_need_escape([kwargs])
        if is_escaped:
            kwargs, marks = unescape_all(kwargs)
            if marks:
                note["/escapes"] = marks
        try:
            # What was left out goes first, so that unknown fields keep their order.
            body = {**{key: filled[key] for key in filled if key not in kwargs}, **kwargs}
            # If a body with the usual keys was odd in the envelope, it is odd here.
            is_odd = dialect.typed and not note and not is_escaped and body.keys() == USUAL[filled["type"]].keys()
            message, form = (self._engine.read_odd if is_odd else self._engine.read)(body)
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

    def read_bytes(self, raw: bytes | bytearray | memoryview | str, limits: Limits) -> list[am.Msg] | None:
        """Return the messages in the text of a list of envelopes, in the dialect ``python``.

        None for another document or dialect, or one that is too deep or has numbers that may be rounded.

        Raises:
            DecodeError: if one isn't the envelope of a message.
        """
        messages: list[am.Msg] = []
        rest, done = raw, 0
        if type(raw) is bytes:
            begin = next((begin for begin in _BEGIN if raw.startswith(begin, 1)), b"")
            # The end of the last usual envelope before the first odd one; -1 if there is no odd one.
            for end, native in speed.undoubted_items(raw, begin, limits) if begin else ():
                message = self._fast_read(native)
                if message is None:
                    break
                messages.append(message)
                done = end
            if done < 0:
                return messages
            rest = b"[" + raw[done:].lstrip(b", ") if done else raw
        natives = speed.parse_undoubted(rest, limits)
        if not is_list(natives) or not natives:
            return None
        return read_all(natives, messages, self._fast_read, lambda native: self.read(native, DIALECTS["python"]))

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
        flat = self._engine.write(self._engine.proved(bare(message), is_proved=is_proved), "flat")
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
