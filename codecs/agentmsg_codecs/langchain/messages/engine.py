"""Messages: a fast path for what LangChain itself writes today, and the general path for everything else.

The fast path tests the exact keys and types, so that nothing can deviate and nothing need be compared. The general path
reads leniently, writes the default spelling, keeps the difference (``formats.spelling.keep``) and proves that the
document comes back; a message that doesn't is kept whole, as a native message.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError, DecodeError, thaw
from agentmsg.formats import (
    EMPTY,
    Native,
    Unreadable,
    excerpt,
    is_list,
    is_mapping,
    is_object,
    marked,
    natives,
    note_of,
    same_document,
    speed,
    spelling,
    with_note,
)
from agentmsg_codecs.langchain.blocks.parts import ContentParts
from agentmsg_codecs.langchain.calls.copies import PLACES
from agentmsg_codecs.langchain.messages.body import Bodies
from agentmsg_codecs.langchain.messages.depth import proving
from agentmsg_codecs.langchain.messages.fields import HAS_MEANING, KIND_OF_ROLE, MAY_MEAN
from agentmsg_codecs.langchain.messages.forms import Unwrapped, split, wrap
from agentmsg_codecs.langchain.messages.layouts import read_deviating, write_deviating
from agentmsg_codecs.langchain.messages.quick_read import FastReaders
from agentmsg_codecs.langchain.names import ENVELOPE, FAMILY
from agentmsg_codecs.langchain.usage import USAGE

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    import cattrs

    from agentmsg.formats.forms import Described


# A value without meaning under these keys is an extra, never a note.
_ODD = frozenset(HAS_MEANING)


class Messages:
    """Reads and writes single messages.

    Attributes:
        parts: reads and writes content parts.
        fast_readers: by the word in `type`.
        proving: by form, the readers of messages whose depth isn't checked yet; see depth.py.
        origins: by form, the reader that messages remember if they are proved to come back in that form.
    """

    def __init__(self) -> None:
        self.parts = parts = ContentParts()
        self._bodies = Bodies(parts)
        self.fast_readers = FastReaders(parts, "flat").by_tag
        self.proving = proving(parts)
        self.origins = {form: object() for form in FORMS}

    @cached_property
    def fast_writers(self) -> dict[str, Callable[[am.Msg], Native | None]]:
        """By role, the writers of usual messages."""
        from agentmsg_codecs.langchain.messages.quick_write import FastWriters  # noqa: PLC0415 - many only read

        return FastWriters(self.parts, "flat").by_role

    @property
    def converter(self) -> cattrs.Converter:
        """The cattrs Converter that the hooks of blocks are registered on."""
        return self.parts.converter

    @property
    def described(self) -> tuple[Described, ...]:
        """The forms of content parts and of usage."""
        return (self.parts.described, USAGE)

    def fill(self) -> None:
        """Fill the tables of hooks, on first use."""
        self.parts.fill()

    # -- reading ------------------------------------------------------------------------------------------------

    def read(self, native: Any) -> tuple[am.Msg, str]:
        """Return the message of a native one, and its form.

        Raises:
            DecodeError: if it isn't a message at all.
        """
        if is_object(native):
            tag: Any = native.get("type")
            fast = self.fast_readers.get(tag) if type(tag) is str else None
            if fast is not None and type(tag) is str:
                data = native.get("data")
                if is_object(data) and len(native) == 2:  # noqa: PLR2004 - type and data
                    message = fast(data) or read_deviating(data, tag, fast)
                    if message is not None:
                        return message, "dict"
                elif "content" in native:
                    message = fast(native) or read_deviating(native, tag, fast)
                    if message is not None:
                        return message, "flat"
        return self.read_odd(native)

    def read_odd(self, native: Any) -> tuple[am.Msg, str]:
        """Read a message that the fast path refuses, but not because of a missing key; return it as ``read`` does.

        Raises:
            DecodeError: as ``read``.
        """
        found = split(native)
        if found is None:
            if is_mapping(native) and (type(native.get("type")) is str or type(native.get("role")) is str):
                if native.get("type") == "constructor" and "lc" in native:
                    raise DecodeError("an envelope of dumpd (lc, constructor): another codec reads these")
                return _whole(native), "dict" if "data" in native else "flat"
            raise DecodeError(f"not a message of LangChain: {excerpt(native)}")
        try:
            message, plain = self._meaning(found)
        except (Unreadable, AgentMsgError):
            return _whole(native), found.form
        is_proven = True
        if not same_document(plain, found.body):
            kept, is_proven = self._kept(message, plain, found) or (None, False)
            if kept is None or not self.keeps_extras(kept, found.form, FORMS):
                return _whole(native), found.form
            message = kept
        if found.rest:
            message = message.evolve(extras={**message.extras, ENVELOPE: found.rest})
        is_proven = is_proven and self._is_written_so(message, found)
        if not is_proven and not same_document(thaw(self._spell(message, found.form)), native):
            return _whole(native), found.form
        speed.remember_reader(message, self.origins[found.form])
        return message, found.form

    def _is_written_so(self, message: am.Msg, found: Unwrapped) -> bool:
        """Whether a message is certainly written in the form that it was read in, if its body comes back."""
        if found.form not in _LONG or not MAY_MEAN.isdisjoint(natives.extras_of(message, FAMILY)):
            return False
        tag = self._bodies.tag(message, note_of(message, FAMILY).get("/type"))
        return tag == found.tag and _able(found.form, message, tag) == found.form

    def _meaning(self, found: Unwrapped) -> tuple[am.Msg, Native]:
        """Return the meaning of a native message, and its body in the default spelling."""
        message = self._bodies.read(found)
        plain = self._bodies.write(message, found.tag, found.form)
        own: Native = {}
        if self._bodies.default_tag(message) != found.tag:
            own["type"] = found.tag
        if found.word is not None and (found.form == "oldest" or message.role != found.word):
            own["role"] = found.word
        if found.typed is not None:
            own["typed"] = True if found.typed == found.kind else found.typed
        content = found.body.get("content")
        if is_list(content) and content and type(plain.get("content")) is str:
            own["content"] = "list"
        message = marked(message, FAMILY, **own) if own else message
        return message, self._listed(message, plain)

    def has_proved(self, message: am.Msg) -> bool:
        """Whether a message was read in the flat form, so that writing it needs no proof."""
        return speed.reader_of(message) is self.origins["flat"]

    def proved(self, message: am.Msg, *, is_proved: bool) -> am.Msg:
        """Return a copy of a message, recorded as read in the flat form if the original was."""
        if is_proved:
            speed.remember_reader(message, self.origins["flat"])
        return message

    # -- writing ------------------------------------------------------------------------------------------------

    def write(self, message: am.Msg, form: str) -> Any:
        """Return the native message, in the form of its note, or else in this one."""
        if speed.reader_of(message) is self.origins.get(form, self):
            return self._spell(message, form)
        fast = self.fast_writers.get(message.role) if form in _LONG else None
        if fast is not None:
            body = None if message.extras else fast(message)
            if body is None and (message.extras or message.notes):
                body = write_deviating(message, fast)
            if body is not None and form == "dict":
                return {"type": body.get("type") or self._bodies.default_tag(message), "data": body}
            if body is not None and "type" in body:
                return body
        if natives.is_native(message, FAMILY):
            return message.content[0].value  # type: ignore[union-attr]
        if message.extras or message.notes or any(map(_has_note, message.content)):
            return self._checked(message, form)
        tag = self._bodies.default_tag(message)
        form = _able(form, message, tag)
        return wrap(form, tag, self._bodies.write(message, tag, form), message, {})

    def body_of(self, message: am.Msg) -> Native:
        """Return the body of an assistant's message in the form with type and data, with the noted words of content."""
        usual = None if message.extras else self.fast_writers["assistant"](message)
        return self._bodies.write(message, "ai", "dict") if usual is None else usual

    def _checked(self, message: am.Msg, form: str) -> Any:
        """Return the native message with all noted spellings that still mean the same."""
        for trial in _trials(message):
            spelt = self._spell(trial, form)
            is_noted = FAMILY in trial.notes or any(map(_has_note, trial.content))
            if not is_noted or self._reads_as(spelt, message):
                return spelt
        raise AssertionError  # pragma: no cover - the last trial has no notes

    def _spell(self, message: am.Msg, form: str) -> Any:
        note = note_of(message, FAMILY)
        own = note.get("/form")
        form = own if isinstance(own, str) and own in FORMS else form
        tag = self._bodies.tag(message, note.get("/type"))
        form = _able(form, message, tag)
        body = self._bodies.write(message, tag, form)
        body = self._listed(message, body)
        own = natives.extras_of(message, FAMILY)
        if not _ODD.isdisjoint(own):
            body = {key: value for key, value in body.items() if not _yields(key, value) or key not in own}
        body = spelling.put_back(message, body, family=FAMILY, read=None)
        return wrap(form, tag, body, message, note)

    def _listed(self, message: am.Msg, body: Native) -> Native:
        """Write content that would be a text as a list, if that is noted."""
        content = body.get("content")
        if note_of(message, FAMILY).get("/content") == "list" and type(content) is str and content:
            body["content"] = [self.parts.write(block) for block in self._bodies.words_of(message)]
        return body

    def keeps_extras(self, message: am.Msg, form: str, forms: frozenset[str]) -> bool:
        """Whether the extras of a message come back unchanged: none reads as a field.

        Args:
            message: the message; the rest of it need not fit yet.
            form: its default form.
            forms: those that it may have.
        """
        own = natives.extras_of(message, FAMILY)
        if MAY_MEAN.isdisjoint(own):
            return True
        bare = _unspelt(message.evolve(extras={FAMILY: own}))
        # The notes of calls say in which lists they are. Extras must also come back without these notes.
        listless = _without_calls_notes(bare)
        return self._keeps(bare, own, form, forms) and (listless is bare or self._keeps(listless, own, form, forms))

    def _keeps(self, message: am.Msg, own: Mapping[str, Any], form: str, forms: frozenset[str]) -> bool:
        try:
            found = split(thaw(self._spell(message, form)))
            # It doesn't matter whether all of it would come back.
            kept = None if found is None else self._kept(*self._meaning(found), found)
        except (AgentMsgError, Unreadable, AttributeError, LookupError, TypeError):
            return False
        if found is None or kept is None or found.form not in forms:
            return False
        return kept[0].role == message.role and same_document(kept[0].extras.get(FAMILY), own)

    def _kept(self, message: am.Msg, plain: Native, found: Unwrapped) -> tuple[am.Msg, bool] | None:
        """Return the message with unknown fields and spellings, and whether its body certainly comes back; or None."""
        plain = {key: value for key, value in plain.items() if not _is_odd(key, found.body.get(key), value)}

        def read(body: Native) -> am.Msg:
            return self._bodies.read(found._replace(body=body))

        return spelling.keep_proven(message, found.body, plain, family=FAMILY, known=found.known, odd=_ODD, read=read)

    def _reads_as(self, native: Any, message: am.Msg) -> bool:
        try:
            return am.same(self.read(thaw(native))[0], message)
        except AgentMsgError:
            return False


def _yields(key: str, plain: Any) -> bool:
    """Whether the default spelling of a field makes way for an extra: it says nothing, or only repeats."""
    return key in _ODD and (not plain or key == "tool_call_chunks")


def _is_odd(key: str, native: Any, plain: Any) -> bool:
    """Whether a value is an extra under the key of a field that says nothing."""
    is_meant = not _yields(key, plain) or HAS_MEANING[key](native) or same_document(native, plain)
    return not is_meant and spelling.spelling_of(native) is None


def _able(form: str, message: am.Msg, tag: str) -> str:
    """Return the form, or one that can say what kind of message it is."""
    if message.extras:
        own = natives.extras_of(message, FAMILY)
        if ENVELOPE in message.extras or not _ONLY_INSIDE.isdisjoint(own):
            return "dict"
        if "type" in own and tag not in _CHATS:
            return "role"
    if form == "role" and tag in _CHATS and message.role in KIND_OF_ROLE:
        return "dict"
    return form


# Unknown fields that would say what kind of message it is, or in which form.
_ONLY_INSIDE = frozenset({"role", "data", "text"})
_CHATS = frozenset({"chat", "generic", "ChatMessageChunk"})
_LONG = frozenset({"dict", "flat"})
FORMS = frozenset({"dict", "flat", "role", "oldest", "text", "pair"})


def _has_note(block: Any) -> bool:
    """Whether a block, or one inside a result, has a note."""
    return FAMILY in block.notes or (type(block) is am.ToolResultBlock and any(map(_has_note, block.content)))


def _without_calls_notes(message: am.Msg, names: Collection[str] | None = None) -> am.Msg:
    """Return a message without the notes of its calls, or without those of some names."""
    if not any(type(block) is am.ToolUseBlock and FAMILY in block.notes for block in message.content):
        return message

    def bare(block: Any) -> Any:
        if type(block) is not am.ToolUseBlock:
            return block
        own = note_of(block, FAMILY)
        return with_note(block, FAMILY, {} if names is None else {key: own[key] for key in own if key not in names})

    return message.evolve(content=tuple(map(bare, message.content)))


def _trials(message: am.Msg) -> Iterator[am.Msg]:
    """Yield the message with fewer and fewer notes.

    All; without the places of calls; without the notes of calls, its spellings, its own notes, those of blocks; none.
    """
    yield message
    yield _without_calls_notes(message, PLACES)
    yield _without_calls_notes(message)
    yield _unspelt(message)
    yield _without_note(message)
    bare = _unspelt(message).evolve(content=tuple(map(_without_notes, message.content)))
    yield bare
    yield _without_note(bare)


def _unspelt(message: am.Msg) -> am.Msg:
    marks = {key: value for key, value in note_of(message, FAMILY).items() if key.startswith("/")}
    return with_note(message, FAMILY, marks)


def _without_note(obj: Any) -> Any:
    return with_note(obj, FAMILY, EMPTY)


def _without_notes(block: Any) -> Any:
    """Return a block without its note and those of the blocks inside a result."""
    bare = _without_note(block)
    inner: Any = block.content if type(block) is am.ToolResultBlock else ()
    return bare.evolve(content=tuple(map(_without_notes, inner))) if any(map(_has_note, inner)) else bare


def _whole(native: Any) -> am.Msg:
    return natives.read_whole(native, FAMILY, native.get("data", native) if is_object(native) else None)
