"""Single messages of LangGraph: extensions, envelopes, and dict forms that aren't messages yet.

An extension of code 5 is ``[module, class, fields, "model_validate_json"]``. Its fields are those of ``model_dump``,
read and written like the flat form of ``langchain``. Code 4, of pydantic 1, has no method. What a message spells
differently from today's LangGraph is a note under ``langgraph``.
"""

from __future__ import annotations

from typing import Any

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
from agentmsg_codecs.langchain.langgraph.checkpoints import body_of
from agentmsg_codecs.langchain.langgraph.escape import escape, unescape
from agentmsg_codecs.langchain.langgraph.tree import EXT
from agentmsg_codecs.langchain.lc.envelopes import DIALECTS, LC, Envelopes, bare, word
from agentmsg_codecs.langchain.messages.engine import FORMS, Messages
from agentmsg_codecs.langchain.messages.fields import CLASSES, MODULES, TAGS
from agentmsg_codecs.langchain.names import FAMILY

# The namespace of our notes.
LG = "langgraph"
ENVELOPE_FORM = "lc"
METHOD = "model_validate_json"
# The codes of extensions that are messages.
_PYDANTIC_1, PYDANTIC_2 = 4, 5
_BEGIN = b'"__'
_OWN_NOTES = frozenset({LG})


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
        body = self._engine.write(
            self._engine.proved(_plain(message), is_proved=speed.reader_of(message) is self), "flat"
        )
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
    if message.notes.keys() <= _OWN_NOTES and LC not in message.extras:
        return message.evolve(notes=EMPTY) if message.notes else message
    return with_note(bare(message), LG, EMPTY)


def _whole(native: Native) -> am.Msg:
    value, marks = unescape(native)
    body = body_of(value)
    message = natives.read_whole(value, FAMILY, value if body is None else body)
    return with_note(message, LG, adopt({"/escapes": marks})) if marks else message
