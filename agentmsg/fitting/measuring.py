"""Fit for codecs without a capability table: what comes back when a history is written and read is what fits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.errors import AgentMsgError, EncodeError, excerpt
from agentmsg.fitting.fitted import Fitted, Known
from agentmsg.formats.reasons import Reasons, collecting
from agentmsg.formats.refusals import named
from agentmsg.formats.spelling import same_document
from agentmsg.limits import DEFAULT_LIMITS, room_of
from agentmsg.model.equality import same
from agentmsg.values.copies import copy_document, thawed

if TYPE_CHECKING:
    from agentmsg.formats.codec import Codec
    from agentmsg.model.history import History

# A document read and written again should be the same at once. A writer that needs a few rounds is honest, too.
_ROUNDS = 4


def measured(history: History, codec: Codec) -> Fitted:
    """Return what comes back of a history, which is then written as it is.

    Raises:
        EncodeError: if the writer fails, its document can't be read, or never comes back (code "codec").
        AgentMsgError: if the writer refuses the history.
    """
    reasons = Reasons()
    back = history if codec.covers(history) else _settled(history, codec, reasons)
    return Fitted(history, back, codec.name, derives_names=True, known=Known(reasons))


def _settled(history: History, codec: Codec, reasons: Reasons) -> History:
    with collecting(reasons):
        document = _written(history, codec)
    back = _read(document, codec)
    if same(back, history):
        return history
    for _ in range(_ROUNDS):
        again = _written(back, codec)
        if same_document(again, document):
            return back
        document, back = again, _read(again, codec)
    msg = f"{codec.title} writes another document each time for what it reads"
    raise EncodeError(msg, code="codec", codec=codec.name)


def _written(history: History, codec: Codec) -> Any:
    try:
        return thawed(codec.write(history))
    except AgentMsgError as error:
        raise named(error, codec) from error.__cause__
    except Exception as error:
        raise _fails(error, codec, "the writer") from error


def _read(document: Any, codec: Codec) -> History:
    try:
        return codec.read(copy_document(document, room_of(DEFAULT_LIMITS).depth, codec.own_form))
    except Exception as error:  # noqa: BLE001 - whatever a foreign reader raises
        cause = error.__cause__ if isinstance(error.__cause__, Exception) else error
        raise _fails(cause, codec, "the reader, given what the writer wrote,") from cause


def _fails(error: Exception, codec: Codec, who: str) -> EncodeError:
    msg = f"{who} of {codec.title} fails: {type(error).__name__}: {excerpt(str(error))}"
    return EncodeError(msg, code="codec", codec=codec.name)
