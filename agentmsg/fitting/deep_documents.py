"""Deep documents: read as deep as the limits allow, and refused if they wouldn't come back.

Documents of at most USUAL levels always come back: the levels that readers add to a part stay within the model's limit.
Deeper ones are rare, so they are read again, written, and compared; and it is checked that the canonical forms hold
their history.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.errors import AgentMsgError
from agentmsg.fitting.fit import fit
from agentmsg.formats.refusals import refused, too_deep
from agentmsg.formats.spelling import same_document
from agentmsg.limits import DEFAULT_LIMITS, room_of
from agentmsg.registry import get_codec
from agentmsg.values.copies import copy_document
from agentmsg.values.frozen import thaw

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmsg.formats.codec import Codec
    from agentmsg.limits import Limits
    from agentmsg.model.history import History
    from agentmsg.values.text import Duplicates

_CANONICAL = ("json", "msgpack")


def loads_deep(
    raw: bytes | bytearray | memoryview | str, codec: Codec, limits: Limits, duplicates: Duplicates
) -> History:
    """Read a deep document from bytes.

    Raises:
        DecodeError: if it has another form, or wouldn't come back (code "depth").
    """
    return _proved(
        codec,
        lambda: codec.from_bytes(raw, limits, duplicates),
        lambda: codec.parse(raw, limits, duplicates),
        lambda fitting: codec.parse(codec.to_bytes(fitting), limits, "last"),
    )


def decode_deep(document: Any, codec: Codec, limits: Limits) -> History:
    """Read a deep document from plain data.

    Raises:
        DecodeError: as for ``loads_deep``.
    """
    return _proved(
        codec,
        lambda: codec.read(copy_document(document, limits.depth, codec.own_form)),
        lambda: copy_document(document, limits.depth, codec.own_form),
        lambda fitting: thaw(codec.write(fitting)),
    )


def _proved(
    codec: Codec, read: Callable[[], History], document: Callable[[], Any], written: Callable[[History], Any]
) -> History:
    """Return the history that was read, if it comes back."""
    try:
        history = read()
    except (AgentMsgError, RecursionError) as error:
        raise refused(error, codec) from error.__cause__
    try:
        comes_back = same_document(written(fit(history, codec).history), document())
        if comes_back and all(_carries(get_codec(name), history) for name in _CANONICAL):
            return history
    except (AgentMsgError, RecursionError):
        pass
    raise too_deep(codec)


def _carries(codec: Codec, history: History) -> bool:
    """Whether a canonical form holds a history with its notes, so that it is written the same when read back."""
    raw = codec.to_bytes(history)
    return codec.to_bytes(codec.from_bytes(raw, room_of(DEFAULT_LIMITS), "last")) == raw
