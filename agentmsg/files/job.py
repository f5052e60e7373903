"""What is to be done, with what, and what became of it: plain data, which crosses process borders."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

import attrs

from agentmsg.errors import FileError
from agentmsg.files.changing import Redact
from agentmsg.files.documents import Found, records
from agentmsg.files.file_names import Kind
from agentmsg.files.groups import LossGroup
from agentmsg.files.places import is_many
from agentmsg.files.storages import place_of
from agentmsg.limits import DEFAULT_LIMITS, Limits
from agentmsg.registry import get_codec

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Job", "Piece", "Report", "Source", "digest_of", "documents_of"]

OnLoss = Literal["error", "ignore", "report"]
# So much of a source is read at once for its digest.
_CHUNK = 1 << 20


@attrs.frozen(kw_only=True)
class Source:
    """A file to read.

    Attributes:
        path: a path, a URL, or "-".
        kind: how documents stand in it.
        codec: their format; empty where nothing told the format of all, and each is looked at by itself.
        size: in bytes; None for stdin.
        is_stream: whether it can be read only once: stdin, a pipe; its format is detected then.
        is_one_of_many: whether it was not named alone: what can't be read of it is quarantined, and ends no run.
        is_mixed: whether each of its documents has a format of its own: then it has no ``codec``, and none is looked
            for.
        at: JSON pointers to the documents inside of what stands in it, see ``places``; none where that is documents.
    """

    path: str
    kind: Kind
    codec: str
    size: int | None = None
    is_stream: bool = False
    is_one_of_many: bool = False
    is_mixed: bool = False
    at: tuple[str, ...] = ()

    @property
    def holds_one(self) -> bool:
        """Whether it holds one document at most."""
        return self.kind.form == "json" and not is_many(self.at)


@attrs.frozen(kw_only=True)
class Job:
    """What to do with each document.

    Attributes:
        codec: the format to write; empty for the one that was read.
        options: of that codec, as name and value.
        kind: how documents stand in what is written.
        change: what becomes of each history before it is written; see ``changing``.
        on_loss: "error" quarantines documents that would lose content, "report" counts losses, "ignore" doesn't look.
        losses: whether loss reports are written.
        flat: whether losses are written one by one, for tables.
        carry: whether documents carry their content losses themselves, where the format has a place for them.
        repair: whether what the provider would refuse is mended.
        asks: settings that each request gets, as name and value.
        checks: whether documents are counted that the provider would refuse, as "refused" in the report, and those
            that lack a setting, as "unset".
        verify: whether each document that was written is read again and must give back its source.
        pretty: whether JSON is indented.
        quarantine: whether a document that can't be converted is quarantined; else its error is raised.
        limits: bounds on what is read.
    """

    kind: Kind
    codec: str = ""
    options: tuple[tuple[str, Any], ...] = ()
    change: Callable[[Any], Any] | None = None
    on_loss: OnLoss = "report"
    losses: bool = False
    flat: bool = False
    carry: bool = False
    repair: bool = False
    asks: tuple[tuple[str, Any], ...] = ()
    checks: bool = False
    verify: bool = False
    pretty: bool = False
    quarantine: bool = True
    limits: Limits = DEFAULT_LIMITS

    @property
    def hides(self) -> Redact | None:
        """What hides secrets, so that loss reports are for their owner only; None if nothing does."""
        return self.change if isinstance(self.change, Redact) else None

    def is_binary(self, source: Source) -> bool:
        """Whether what is written of a source isn't JSON."""
        codec = self.codec or source.codec
        return get_codec(codec).binary if codec else source.kind.form == "msgpack"


@attrs.frozen(kw_only=True)
class Piece:
    """A range of a source; the lines that begin in it, or the frames.

    Attributes:
        source: the file.
        start: its first byte.
        end: the byte after its last; None means the end of the file.
    """

    source: Source
    start: int = 0
    end: int | None = None


@attrs.define(kw_only=True)
class Report:
    """What became of a piece; numbers count from 1 in it.

    Attributes:
        documents: how many were written.
        messages: how many were in them.
        read: how many were in what they were made of.
        bad: how many were quarantined.
        missing: how many records had no document at the places where it was looked for.
        lines: the number of the last line or frame that was read.
        formats: how many documents of each format were written, where each was detected by itself.
        levels: losses by level; "carried": those that documents carry themselves; "redacted": messages that were;
            "refused" and "unset": documents that the provider would refuse, for what they say and for a setting
            that they don't.
        groups: the losses by what they have in common.
        first_bad: the line of what was wrong first, and the words that follow it: its place in the line, and why.
        sizes: bytes written, by part.
        digest: of the source's bytes.
    """

    documents: int = 0
    messages: int = 0
    read: int = 0
    bad: int = 0
    missing: int = 0
    lines: int = 0
    formats: dict[str, int] = attrs.field(factory=dict[str, int])
    levels: dict[str, int] = attrs.field(factory=dict[str, int])
    groups: list[LossGroup] = attrs.field(factory=list[LossGroup])
    first_bad: tuple[int, str] | None = None
    sizes: dict[str, int] = attrs.field(factory=dict[str, int])
    digest: str = ""


def documents_of(piece: Piece, stream: BinaryIO, limits: Limits) -> Iterator[Found]:
    """Yield the documents of a piece of a source that is open, and blank lines, see ``records``."""
    kind, name = piece.source.kind, piece.source.path
    return records(stream, kind.form, limits, piece.start, piece.end, name=name, column=kind.column)


def digest_of(piece: Piece) -> str:
    """Return a digest of the bytes of a range as they are on disk; nothing of one of many that can't be read."""
    try:
        return _digest_of(piece)
    except FileError:
        if not piece.source.is_one_of_many:
            raise
        return ""


def _digest_of(piece: Piece) -> str:
    state = sha256()  # processors have instructions for it
    left = -1 if piece.end is None else piece.end - piece.start
    with place_of(piece.source.path).open(piece.source.path) as stream:
        stream.seek(piece.start)
        while left and (chunk := stream.read(_CHUNK if left < 0 else min(_CHUNK, left))):
            state.update(chunk)
            left -= len(chunk) if left > 0 else 0
    return state.hexdigest()
