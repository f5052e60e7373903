"""Deep documents: read as deep as the limits allow, and refused if they wouldn't come back.

Documents of at most USUAL levels always come back: the levels that readers add to a part stay within the model's limit.
Deeper ones are rare, so they are read again, written, and compared; and it is checked that the canonical forms hold
their history.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import attrs

from agentmsg.errors import AgentMsgError, DecodeError, InvalidMessage, is_a
from agentmsg.errors import refused as refused_value
from agentmsg.fitting.fit import fit
from agentmsg.formats.spelling import same_document
from agentmsg.limits import DEFAULT_LIMITS, USUAL, Limits, as_limits, room_of
from agentmsg.registry import get_codec
from agentmsg.values.copies import copy_document
from agentmsg.values.frozen import thaw

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmsg.formats.codec import Codec
    from agentmsg.model.history import History
    from agentmsg.values.text import Duplicates

__all__ = ["USUAL_ROOM", "decode_deep", "is_deep", "is_raw", "loads_deep", "named", "not_raw", "refused", "rooms"]

_CANONICAL = ("json", "msgpack")


@lru_cache(maxsize=64)
def _rooms(limits: Limits) -> tuple[Limits, Limits]:
    room = room_of(limits)
    # A caller who raises the limit gets whatever can be read; it need not come back.
    needs_proof = USUAL < limits.depth <= DEFAULT_LIMITS.depth
    return (attrs.evolve(room, depth=USUAL) if needs_proof else room), room


_DEFAULT_ROOMS = _rooms(DEFAULT_LIMITS)
USUAL_ROOM = _DEFAULT_ROOMS[0]
"""What ``rooms`` gives for the default limits, where documents need proof."""


def rooms(codec: Codec, limits: Limits) -> tuple[Limits, Limits]:
    """Return a codec's limits for usual documents, and for all; the same if no document needs proof."""
    usual, room = _DEFAULT_ROOMS if limits is DEFAULT_LIMITS else _rooms(as_limits(limits))
    return (room, room) if codec.bounds_values else (usual, room)


def refused(error: AgentMsgError | RecursionError, codec: Codec) -> AgentMsgError:
    """Return a reading error for users: with the codec's name; what the model refuses is a DecodeError.

    So is an exhausted stack.
    """
    if isinstance(error, RecursionError):
        return _too_deep(codec)
    if isinstance(error, InvalidMessage):
        return DecodeError(error.message, code=error.code, path=error.path, codec=codec.name)
    return named(error, codec)


def is_deep(error: AgentMsgError | RecursionError, usual: Limits, room: Limits) -> bool:
    """Whether an error in reading means that the document is a deep one, to be read with the larger limits."""
    return isinstance(error, AgentMsgError) and error.code == "depth" and usual is not room


def is_raw(document: object) -> bool:
    """Whether a document is bytes or text."""
    return is_a(document, (bytes, bytearray, memoryview, str))


def not_raw(value: object, name: str, codec: Codec | None = None) -> DecodeError:
    """Return the error for an argument that must be bytes or text."""
    told = refused_value(name, value, "bytes or a string")
    return DecodeError(told.message, code=told.code, path=told.path, codec=None if codec is None else codec.name)


def named(error: AgentMsgError, codec: Codec) -> AgentMsgError:
    """Return an error with the codec's name, if it has none."""
    if error.codec is None:
        error.codec = codec.name
    return error


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
        raise refused(error, codec) from None
    try:
        comes_back = same_document(written(fit(history, codec).history), document())
        if comes_back and all(_carries(get_codec(name), history) for name in _CANONICAL):
            return history
    except (AgentMsgError, RecursionError):
        pass
    raise _too_deep(codec)


def _carries(codec: Codec, history: History) -> bool:
    """Whether a canonical form holds a history with its notes, so that it is written the same when read back."""
    raw = codec.to_bytes(history)
    return codec.to_bytes(codec.from_bytes(raw, room_of(DEFAULT_LIMITS), "last")) == raw


def _too_deep(codec: Codec) -> DecodeError:
    msg = f"nested deeper than {codec.title} can be read and written again"
    return DecodeError(msg, code="depth", codec=codec.name)
