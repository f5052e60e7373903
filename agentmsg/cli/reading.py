"""What commands that look at data take: files of histories of any format.

What a file holds its name says, as for convert: one document, one a line, or frames; compressed or not.
"""

from __future__ import annotations

from itertools import islice
from time import monotonic
from typing import TYPE_CHECKING

import attrs

from agentmsg.api import loads
from agentmsg.checking.detection import detect, doubt, recognize_all
from agentmsg.cli.report import tell_doubt
from agentmsg.cli.terminal import standard_in
from agentmsg.errors import AgentMsgError, DecodeError, FileError
from agentmsg.files.file_names import STANDARD, kind_of
from agentmsg.files.job import Piece, Source
from agentmsg.files.plan import LOOKED_AT, detected, named
from agentmsg.files.reading import reading_of
from agentmsg.limits import DEFAULT_LIMITS
from agentmsg.model.history import History
from agentmsg.registry import get_codec

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from agentmsg.files.documents import Found
    from agentmsg.files.file_names import Form
    from agentmsg.files.ranges import Advance
    from agentmsg_codecs import CodecName

__all__ = ["Formats", "Read", "Unread", "formats_of", "histories_of", "history_at", "history_of"]


# Seconds between two words on how far a file is read.
_EVERY = 0.1


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


def histories_of(
    name: str, codec: str | None, form: Form | None = None, advance: Advance = lambda size, documents: None
) -> Iterator[Read | Unread]:
    """Yield the histories of a file, one after the other; "-" is stdin.

    Args:
        name: of the file.
        codec: of all documents; None to detect that of each.
        form: how documents stand in it, where its name does not tell.
        advance: told how many bytes of it are read, and documents.

    Raises:
        CodecLookupError: where there is no such codec.
    """
    if codec is not None:
        get_codec(codec)
    try:
        for index, (place, found) in enumerate(_documents(name, form, advance)):
            if codec is not None and index == 0:
                _warn(name, found, codec)
            yield _read(place, found, codec)
    except FileError as error:
        yield Unread(error=error, place=name)


def history_of(name: str, codec: str | None, form: Form | None = None) -> Read:
    """Return the one history of a file.

    Raises:
        AgentMsgError: where it cannot be read, or there is not just one.
    """
    found: list[Read] = []
    # A file of a million is not read to its end only to be counted.
    for each in islice(histories_of(name, codec, form), 2):
        if isinstance(each, Unread):
            raise named(each.error, each.place)
        found.append(each)
    if len(found) == 1:
        return found[0]
    msg = f"{name} must hold one conversation, and holds {'several' if found else 'none'}"
    raise DecodeError(msg)


def history_at(name: str, index: int, codec: str | None, form: Form | None = None) -> tuple[History, bool]:
    """Return the history of one document of a file, and whether there are others.

    Args:
        name: of the file; "-" is stdin.
        index: of the document, from 0.
        codec: its format; None to detect it.
        form: how documents stand in the file, where its name does not tell.

    Raises:
        AgentMsgError: where it cannot be read; code "required", where there is no such document.
    """
    found = _documents(name, form)
    before = sum(1 for _ in islice(found, index))
    own = next(found, None)
    if own is None:
        msg = f"there is no document {index}: {name} holds {before}, counted from 0"
        raise DecodeError(msg, code="required")
    if codec is not None:
        _warn(name, own[1], codec)
    read = _read(*own, codec)
    if isinstance(read, Unread):
        raise named(read.error, read.place)
    return read.history, index > 0 or next(found, None) is not None


def formats_of(name: str, form: Form | None = None) -> Formats:
    """Return the formats that the first documents of a file may have.

    Raises:
        AgentMsgError: where none of them can be read.
    """
    held: list[bytes] = []
    trouble: AgentMsgError | None = None
    scores: list[tuple[CodecName, float]] = []
    for _, found in islice(_documents(name, form), LOOKED_AT):
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


def _documents(
    name: str, form: Form | None, advance: Advance = lambda size, documents: None
) -> Iterator[tuple[str, Found]]:
    """Yield the documents of a file, each with its place."""
    kind = kind_of(name, form or "json")
    piece = Piece(source=Source(path=name, kind=kind, codec=""))
    due = monotonic() + _EVERY
    with reading_of(piece, DEFAULT_LIMITS, standard_in if name == STANDARD else None) as reading:
        for number, found in enumerate(reading, 1):
            yield _PLACES[kind.form].format(name=name, number=found.number), found
            if monotonic() > due:
                advance(reading.position, number)
                due = monotonic() + _EVERY


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
        return Read(history=loads(found.data, get_codec(chosen), duplicates="error"), codec=chosen, place=place)
    except AgentMsgError as error:
        return Unread(error=error, place=place)


def _warn(name: str, found: Found, codec: str) -> None:
    """Warn where a document is hardly of the format that was named."""
    if found.data is not None and (words := doubt(found.data, codec)):
        tell_doubt(name, words)
