"""What commands that look at data take: files of histories of any format.

What a file holds its name says, as for convert: one document, one a line, or frames; compressed or not.
"""

from __future__ import annotations

from contextlib import ExitStack
from itertools import islice
from typing import TYPE_CHECKING

import attrs

from agentmsg._registry import get_codec
from agentmsg.cli.telling import tell_doubt
from agentmsg.cli.terminal import standard_in
from agentmsg.conversion import loads
from agentmsg.detection import detect, doubt, recognize_all
from agentmsg.errors import AgentMsgError, DecodeError, FileError
from agentmsg.files.compression import decompressed
from agentmsg.files.documents import documents
from agentmsg.files.names import STANDARD, kind_of
from agentmsg.files.places import asking, place_of
from agentmsg.files.plan import LOOKED_AT, detected, named
from agentmsg.history import History
from agentmsg.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from agentmsg.files.documents import Found
    from agentmsg.files.names import Form

__all__ = ["Formats", "Read", "Unread", "formats_of", "histories_of", "history_at", "history_of"]


@attrs.frozen(kw_only=True)
class Read:
    """A history, the codec that read it, and where it stood (the file, and the line where there are several)."""

    history: History
    codec: str
    place: str


@attrs.frozen(kw_only=True)
class Unread:
    """The error of a document that cannot be read, and where it stands."""

    error: AgentMsgError
    place: str


@attrs.frozen(kw_only=True)
class Formats:
    """The formats that a file may have, best first, each with its score; the one that is recognised, or why none is."""

    scores: tuple[tuple[str, float], ...]
    codec: str | None = None
    trouble: AgentMsgError | None = None


def histories_of(name: str, codec: str | None) -> Iterator[Read | Unread]:
    """Yield the histories of a file, one after the other; "-" is stdin.

    Args:
        name: of the file.
        codec: of all documents; None to detect that of each.

    Raises:
        CodecLookupError: where there is no such codec.
    """
    if codec is not None:
        get_codec(codec)
    try:
        for index, (place, found) in enumerate(_documents(name)):
            if codec is not None and index == 0:
                _warn(name, found, codec)
            yield _read(place, found, codec)
    except FileError as error:
        yield Unread(error=error, place=name)


def history_of(name: str, codec: str | None) -> Read:
    """Return the one history of a file.

    Raises:
        AgentMsgError: where it cannot be read, or there is not just one.
    """
    found: list[Read] = []
    for each in histories_of(name, codec):
        if isinstance(each, Unread):
            raise named(each.error, each.place)
        found.append(each)
    if len(found) == 1:
        return found[0]
    msg = f"one history is needed, {name} holds {len(found)}"
    raise DecodeError(msg)


def history_at(name: str, index: int, codec: str | None) -> tuple[History, bool]:
    """Return the history of one document of a file, and whether there are others.

    Args:
        name: of the file; "-" is stdin.
        index: of the document, from 0.
        codec: its format; None to detect it.

    Raises:
        AgentMsgError: where it cannot be read; code "required", where there is no such document.
    """
    found = _documents(name)
    before = sum(1 for _ in islice(found, index))
    own = next(found, None)
    if own is None:
        msg = f"there is no document {index}: {name} holds {before}, and the first is 0"
        raise DecodeError(msg, code="required")
    if codec is not None:
        _warn(name, own[1], codec)
    read = _read(*own, codec)
    if isinstance(read, Unread):
        raise named(read.error, read.place)
    return read.history, index > 0 or next(found, None) is not None


def formats_of(name: str) -> Formats:
    """Return the formats that the first documents of a file may have.

    Raises:
        AgentMsgError: where none of them can be read.
    """
    held: list[bytes] = []
    trouble: AgentMsgError | None = None
    scores: list[tuple[str, float]] = []
    for _, found in islice(_documents(name), LOOKED_AT):
        try:
            if found.fault is not None or found.data is None:
                raise found.fault or AssertionError
            scores = scores or detect(found.data)
            held.append(found.data)
        except AgentMsgError as error:
            trouble = trouble or error
    if trouble is not None and not held:
        raise trouble
    try:
        return Formats(scores=tuple(scores), codec=recognize_all(held))
    except AgentMsgError as error:
        return Formats(scores=tuple(scores), trouble=error)


def _documents(name: str) -> Iterator[tuple[str, Found]]:
    """Yield the documents of a file, each with its place."""
    kind = kind_of(name, "json")
    with asking(name), ExitStack() as stack:
        stream = standard_in() if name == STANDARD else stack.enter_context(place_of(name).open(name))
        held = stack.enter_context(decompressed(stream, kind.compression, name))
        for found in documents(held, kind.form, DEFAULT_LIMITS):
            yield _PLACES[kind.form].format(name=name, number=found.number), found


_PLACES: Mapping[Form, str] = {
    "json": "{name}",
    "jsonl": "{name}, line {number}",
    "msgpack": "{name}, frame {number}",
}


def _read(place: str, found: Found, codec: str | None) -> Read | Unread:
    if found.fault is not None or found.data is None:
        return Unread(error=found.fault or DecodeError("too long", code="bytes"), place=place)
    try:
        chosen = codec or detected((found,))
        return Read(history=loads(found.data, chosen, duplicates="error"), codec=chosen, place=place)
    except AgentMsgError as error:
        return Unread(error=error, place=place)


def _warn(name: str, found: Found, codec: str) -> None:
    """Warn where a document is hardly of the format that was named."""
    if found.data is not None and (words := doubt(found.data, codec)):
        tell_doubt(name, words)
