"""Responses that are one assistant message, by a form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from agentmsg.errors import AgentMsgError, DecodeError, excerpt
from agentmsg.formats.capabilities import Caps, MessageRow, Swap
from agentmsg.formats.forms.rows import Rows
from agentmsg.formats.restructure import keep_first, split_results
from agentmsg.formats.shapes import Unreadable, read_as, write_as
from agentmsg.model.construction import maker
from agentmsg.model.history import History
from agentmsg.values.types import is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg.formats.capabilities import Cell
    from agentmsg.formats.forms.described import Described
    from agentmsg.formats.shapes import Native
    from agentmsg.model.msg import Msg

__all__ = ["Answers", "answer_caps", "completed"]

_make_history = maker(History)


class Answers:
    """Base of codecs for responses; their other base is their family's codec.

    An object without keys is a history without messages.

    Attributes:
        answer: the form "response" of the message.
        space: the namespace of its unknown keys.
        engine: reads and writes the content.
    """

    __slots__ = ()
    holds_messages: ClassVar[bool] = False
    space: ClassVar[str]
    answer: Described
    engine: Any

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
        return _make_history((self.linked(message),))

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

    def native_messages(self, document: Any) -> list[Any]:
        """Return the document: it is one message."""
        return [document]


def answer_caps(
    answer: Described,
    *,
    fields: Mapping[str, Cell],
    blocks: Mapping[type[Any], Any],
    needs_id: Callable[[Any], bool],
    results: Mapping[type[Any], Any] | None = None,
    otherwise: Callable[[Any], Any] | None = None,
    relink: Callable[[Any], Any] | None = None,
) -> Caps:
    """Return the capability table of responses.

    Args:
        answer: the form of the message.
        fields: cells that differ from those of the form.
        blocks: the rows of its content.
        needs_id: as for ``Caps``.
        results: the rows of blocks inside results.
        otherwise: as for ``MessageRow``.
        relink: as for ``Caps``.
    """
    own = {**Rows(answer).row("response").fields, **fields}
    row = MessageRow(fields=own, blocks=blocks, results=results, otherwise=otherwise)
    return Caps(messages={"assistant": row}, arrange=(split_results, keep_first), needs_id=needs_id, relink=relink)


def completed(message: Msg, **wanted: Any) -> Any:
    """Return a message with the fields that every response has, as a rule's result."""
    return Swap(message.evolve(**wanted), "every response has this", "annotation") if wanted else message
