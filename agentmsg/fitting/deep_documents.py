"""Deep documents: read with all the room that their limits give, and refused where they would not come back.

Documents of at most USUAL levels in all come back: what readers put around a part of one stays below what the model
holds. Deeper ones are rare, so they are read once more, written, and compared; that their history is carried by the
canonical forms is tried too.
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
    # Who raises the limit has what can be read; it need not come back.
    needs_proof = USUAL < limits.depth <= DEFAULT_LIMITS.depth
    return (attrs.evolve(room, depth=USUAL) if needs_proof else room), room


_DEFAULT_ROOMS = _rooms(DEFAULT_LIMITS)
USUAL_ROOM = _DEFAULT_ROOMS[0]
"""What ``rooms`` gives for the default limits, where documents need proof."""


def rooms(codec: Codec, limits: Limits) -> tuple[Limits, Limits]:
    """Return the limits of the usual documents of a codec, and those of all; the same where no document needs proof."""
    usual, room = _DEFAULT_ROOMS if limits is DEFAULT_LIMITS else _rooms(as_limits(limits))
    return (room, room) if codec.bounds_values else (usual, room)


def refused(error: AgentMsgError | RecursionError, codec: Codec) -> AgentMsgError:
    """Return an error of reading as people get it: with the codec's name; what the model refuses is a DecodeError.

    So is what the caller's stack leaves no room for.
    """
    if isinstance(error, RecursionError):
        return _too_deep(codec)
    if isinstance(error, InvalidMessage):
        return DecodeError(error.message, code=error.code, path=error.path, codec=codec.name)
    return named(error, codec)


def is_deep(error: AgentMsgError | RecursionError, usual: Limits, room: Limits) -> bool:
    """Whether an error of reading a usual document tells of a deep one, to be read with all its room."""
    return isinstance(error, AgentMsgError) and error.code == "depth" and usual is not room


def is_raw(document: object) -> bool:
    """Whether a document is given as bytes or text."""
    return is_a(document, (bytes, bytearray, memoryview, str))


def not_raw(value: object, name: str, codec: Codec | None = None) -> DecodeError:
    """Return the error of an argument that must be bytes or text."""
    told = refused_value(name, value, "bytes or a string")
    return DecodeError(told.message, code=told.code, path=told.path, codec=None if codec is None else codec.name)


def named(error: AgentMsgError, codec: Codec) -> AgentMsgError:
    """Return an error with the name of the codec at work, where it has none."""
    if error.codec is None:
        error.codec = codec.name
    return error


def loads_deep(
    raw: bytes | bytearray | memoryview | str, codec: Codec, limits: Limits, duplicates: Duplicates
) -> History:
    """Return the history of a deep document given as bytes.

    Raises:
        DecodeError: if it has another form, or would not come back (code "depth").
    """
    return _proved(
        codec,
        lambda: codec.from_bytes(raw, limits, duplicates),
        lambda: codec.parse(raw, limits, duplicates),
        lambda fitting: codec.parse(codec.to_bytes(fitting), limits, "last"),
    )


def decode_deep(document: Any, codec: Codec, limits: Limits) -> History:
    """Return the history of a deep document given as plain data.

    Raises:
        DecodeError: as ``loads_deep``.
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
    """Return the history that is read, where it comes back."""
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
    """Whether a canonical form holds a history with its notes: what was read from it is written the same."""
    raw = codec.to_bytes(history)
    return codec.to_bytes(codec.from_bytes(raw, room_of(DEFAULT_LIMITS), "last")) == raw


def _too_deep(codec: Codec) -> DecodeError:
    msg = f"nested deeper than {codec.title} can be read and written again"
    return DecodeError(msg, code="depth", codec=codec.name)
