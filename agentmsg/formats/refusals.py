"""How deep a document may be, and what users are told of one that can't be read."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import attrs

from agentmsg.errors import AgentMsgError, DecodeError, InvalidMessage, is_a
from agentmsg.errors import refused as refused_value
from agentmsg.limits import DEFAULT_LIMITS, USUAL, Limits, as_limits, room_of

if TYPE_CHECKING:
    from agentmsg.formats.codec import Codec


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
        return too_deep(codec)
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
    if codec is None:
        return DecodeError(told.message, code=told.code, path=told.path)
    msg = f"{told.message}; agentmsg.decode reads plain data and objects"
    return DecodeError(msg, code=told.code, path=told.path, codec=codec.name)


def named(error: AgentMsgError, codec: Codec) -> AgentMsgError:
    """Return an error with the codec's name, if it has none."""
    if error.codec is None:
        error.codec = codec.name
    return error


def too_deep(codec: Codec) -> DecodeError:
    """Return the error for a document that doesn't come back, because it is too deep."""
    msg = f"nested deeper than {codec.title} can be read and written again"
    return DecodeError(msg, code="depth", codec=codec.name)
