"""Responses that are one assistant message, by a form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import attrs

from agentmsg.errors import AgentMsgError, DecodeError, excerpt
from agentmsg.formats.capabilities import Caps, Drop, MessageRow, Swap
from agentmsg.formats.forms.items import Hatch
from agentmsg.formats.forms.rows import Rows
from agentmsg.formats.issuers import with_issuers
from agentmsg.formats.natives import is_marked
from agentmsg.formats.restructure import keep_first, split_results
from agentmsg.formats.shapes import Unreadable, read_as, write_as
from agentmsg.formats.spelling import changed
from agentmsg.model.construction import maker
from agentmsg.model.equality import same
from agentmsg.model.history import History
from agentmsg.model.remembering import reader_of, remember_reader
from agentmsg.values.frozen import EMPTY, adopt, thaw
from agentmsg.values.types import is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from agentmsg.formats.capabilities import Cell
    from agentmsg.formats.forms.described import Described
    from agentmsg.formats.shapes import Native
    from agentmsg.model.msg import Msg

_make_history = maker(History)
Lacking: TypeAlias = "Callable[[Msg], tuple[Mapping[str, Any], str]]"
"""A function from a message to the fields, with their values, that responses have and it lacks; and why it changes."""
_BY_FORMAT = "the format tells who answered"
ANSWER: Any = attrs.field(
    init=False, eq=False, repr=False, default=attrs.Factory(lambda codec: codec.make_answer(), takes_self=True)
)
"""The attribute ``answer`` of a codec, which its ``make_answer`` makes."""


class Answers:
    """Base of codecs for responses; their other base is their family's codec.

    An object without keys is a history without messages.

    Attributes:
        answer: the form "response" of the message, and those that it needs; codecs set it to ``ANSWER``.
        space: the namespace of its unknown keys.
        engine: reads and writes the content.
        carrier: as for ``Requests``.
        provider: who answers, as the format tells; the message says so.
        api: which of the provider's APIs answers, if it has several.
    """

    __slots__ = ()
    holds_messages: ClassVar[bool] = False
    space: ClassVar[str]
    family: ClassVar[str]
    carrier: ClassVar[str | None] = None
    provider: ClassVar[str]
    api: ClassVar[str | None] = None
    answer: Described
    engine: Any

    def make_answer(self) -> Described:
        """Return the forms of responses, for ``answer``."""
        raise NotImplementedError

    @property
    def described(self) -> tuple[Described, ...]:
        """The forms of content, and those of responses."""
        return (self.engine.described, self.answer)

    def read(self, document: Any) -> History:
        """Return the history of one response."""
        if not is_object(document):
            raise DecodeError(f"a response is an object, not {excerpt(document)}")
        if not document:
            return History()
        self.engine.fill()
        try:
            message = read_as(self.answer.shapes["response"], document, self.space)
        except (Unreadable, AgentMsgError):
            raise self.refusal(document) from None
        messages = [self.linked(message)]
        if self.carrier is not None and message.model is not None:
            messages = with_issuers(messages, self.family, self.carrier)
        return _make_history(tuple(messages))

    def write(self, history: History) -> Any:
        """Return the response; an empty object if there is none."""
        self.engine.fill()
        if not history.messages:
            return {}
        return write_as(self.answer.shapes["response"], self.unlinked(history.messages[0]), self.space)

    def refusal(self, document: Native) -> DecodeError:
        """Return the error for a response that can't be read."""
        return DecodeError("this doesn't come back as a response")

    def linked(self, message: Msg) -> Msg:
        """Add what the reader makes to a message that was read."""
        return message

    def unlinked(self, message: Msg) -> Msg:
        """Remove from a message to write what its reader makes again."""
        return message

    @property
    def answerer(self) -> dict[str, Any]:
        """Who speaks in every response: fields of the message, which its form fixes."""
        return {"role": "assistant", "provider": self.provider, "api": self.api}

    def answer_row(self, row: MessageRow, lacking: Lacking | None = None) -> MessageRow:
        """Return the row of messages that have all that every response has, and say who answered.

        Whoever did, a reader takes it for this provider.

        Args:
            row: of the other fields, and of the content.
            lacking: returns what a message lacks; None if that is nothing.
        """

        def rule(message: Msg) -> Any:
            found = message if row.otherwise is None else row.otherwise(message)
            if isinstance(found, Drop):
                return found
            new = found.new if isinstance(found, Swap) else message
            changes, why = (EMPTY, "") if lacking is None else lacking(new)
            if new.provider != self.provider or new.api != self.api:
                changes, why = {**changes, **self.answerer}, why or _BY_FORMAT
            if not why:
                return found
            new = changed(new, changes) if changes else new
            return found.evolve(new=new) if isinstance(found, Swap) else Swap(new, why, "annotation")

        return row.evolve(otherwise=rule, concerns=None)

    def native_messages(self, document: Any) -> list[Any]:
        """Return the document: it is one message."""
        return [document]


def as_read(old: Msg, new: Msg) -> Msg:
    """Return a message that is written without a test, if the one that it was made of is."""
    reader = reader_of(old)
    if reader is not None:
        remember_reader(new, reader)
    return new


def told(keys: Iterable[str], usual: Mapping[str, Any] = EMPTY) -> Hatch:
    """Return the item of keys that a message holds in its ``response_metadata``, as they are.

    Args:
        keys: the native keys.
        usual: those that are in every response, with the values that say nothing. Of all others null says nothing.
    """
    known = {key: adopt(usual.get(key)) for key in sorted(keys)}

    def says(key: str, value: Any) -> bool:
        return key in known and (not same(value, known[key]) if key in usual else value is not None)

    def get(native: Native) -> dict[str, Any]:
        held = {key: native[key] for key in native if key in known}
        metadata = {key: held[key] for key in held if says(key, held[key])}
        notes = {key: "null" for key in held if held[key] is None and key not in usual}
        notes |= {key: "absent" for key in usual if key not in held}
        return {"response_metadata": adopt(metadata), "notes": notes}

    def put(message: Msg) -> Native:
        metadata: Native = thaw(message.response_metadata)
        return metadata | {key: thaw(known[key]) for key in usual if key not in metadata}

    def cell(metadata: Any, _: Any) -> Any:
        kept = {key: metadata[key] for key in metadata if says(key, metadata[key])}
        return metadata if len(kept) == len(metadata) else kept

    return Hatch(
        keys=tuple(known),
        cells={"response_metadata": cell},
        get=get,
        put=put,
        is_optional=not usual,
        schema={key: {} for key in known},
        about="response_metadata, as it is",
    )


def answer_caps(
    codec: Answers,
    *,
    fields: Mapping[str, Cell],
    blocks: Mapping[type[Any], Any],
    needs_id: Callable[[Any], bool],
    results: Mapping[type[Any], Any] | None = None,
    otherwise: Callable[[Any], Any] | None = None,
    lacking: Lacking | None = None,
    relink: Callable[[Any], Any] | None = None,
) -> Caps:
    """Return the capability table of responses.

    Args:
        codec: of the responses.
        fields: cells that differ from those of the form.
        blocks: the rows of its content.
        needs_id: as for ``Caps``.
        results: the rows of blocks inside results.
        otherwise: as for ``MessageRow``.
        lacking: as for ``Answers.answer_row``.
        relink: as for ``Caps``.
    """
    own = {**Rows(codec.answer).row("response").fields, **fields}
    row = MessageRow(fields=own, blocks=blocks, results=results, otherwise=otherwise)
    rows = {"assistant": codec.answer_row(row, lacking)}
    return Caps(messages=rows, arrange=(split_results, keep_first), needs_id=needs_id, relink=relink)


def completing(space: str, **wanted: Mapping[str, Any]) -> Lacking:
    """Return what finds the fields that every response has and a message lacks.

    Args:
        space: the namespace of marks.
        wanted: by the mark of messages that were read without them: the fields, with their values or functions from
            the message to these.
    """

    def lacking(message: Msg) -> tuple[dict[str, Any], str]:
        found: dict[str, Any] = {
            name: value(message) if callable(value) else value
            for mark, fields in wanted.items()
            for name, value in fields.items()
            if getattr(message, name) is None and not is_marked(message, space, f"/{mark}")
        }
        return found, "every response has this" if found else ""

    return lacking
