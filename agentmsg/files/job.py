"""What to do, with which files, and the result: plain data, which can cross process boundaries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from typing import Any, Literal

import attrs

from agentmsg.api.joining import EACH, Joined
from agentmsg.api.reading import Unknown
from agentmsg.errors import FileError, excerpt
from agentmsg.files.accounts import Accounts
from agentmsg.files.changing import Redact
from agentmsg.files.file_names import Kind
from agentmsg.files.groups import LossGroup
from agentmsg.files.places import is_many
from agentmsg.files.storage import place_of
from agentmsg.limits import DEFAULT_LIMITS, Limits
from agentmsg.model.allow import Word
from agentmsg.registry import get_codec

OnLoss = Literal["error", "ignore", "report"]
# Bytes of a source to read at once for its digest.
_CHUNK = 1 << 20
# How documents are numbered in a file.
_PLACES = {"array": ", item {}", "jsonl": ", line {}", "msgpack": ", frame {}", "parquet": ", row {}"}


@attrs.frozen(kw_only=True)
class Source:
    """A file to read.

    Attributes:
        path: a path, a URL, or "-".
        kind: how it holds documents.
        codec: their format; empty if no common format is known, and each is detected by itself.
        size: in bytes; None for stdin.
        is_stream: whether it can be read only once: stdin, a pipe; its format is detected then.
        is_one_of_many: whether it was not named alone: unreadable parts are quarantined, and don't end the run.
        is_mixed: whether each of its documents has its own format: then it has no ``codec``, and none is detected for
            all.
        at: JSON pointers to the documents inside its records, see ``places``; empty if the records are documents.
        join: whether documents are parts of a conversation: those of each record, if the pointers may find several in
            one, or else those of the whole file.
        is_single: whether it was found to hold one document, although such files may hold several.
    """

    path: str
    kind: Kind
    codec: str
    size: int | None = None
    is_stream: bool = False
    is_one_of_many: bool = False
    is_mixed: bool = False
    at: tuple[str, ...] = ()
    join: bool = False
    is_single: bool = False

    def place(self, number: int, at: str | None) -> str:
        """Return a document's place: the file, its line, and its place in that, as far as there are several."""
        place = self.path + (_PLACES.get(self.kind.form, "").format(number) if number else "")
        return place if at is None else f"{place}, at {excerpt(at)[1:-1]}"

    @property
    def is_one_conversation(self) -> bool:
        """Whether all its documents are parts of one conversation."""
        return self.join and not is_many(self.at)

    @property
    def is_in_parts(self) -> bool:
        """Whether its documents are at several places of one JSON value, which is then read by parts."""
        return self.kind.form == "json" and not self.join and is_many(self.at)

    @property
    def is_uncut(self) -> bool:
        """Whether it is one piece, however much it holds: compressed, a stream, or one value."""
        return self.is_stream or bool(self.kind.compression) or self.is_in_parts

    @property
    def reader(self) -> Joined:
        """What reads parts of a conversation."""
        return Joined(format=EACH if self.is_mixed else self.codec or None)

    @property
    def holds_one(self) -> bool:
        """Whether it holds at most one document, or conversation."""
        is_whole = self.kind.form in ("json", "yaml") and (self.join or not is_many(self.at))
        is_key = self.kind.form == "sqlite" and bool(self.at) and not is_many(self.at)
        return self.is_single or is_whole or is_key or self.is_one_conversation


@attrs.frozen(kw_only=True)
class Job:
    """What to do with each document.

    Attributes:
        codec: the format to write; empty for the one that was read.
        options: of that codec, as name and value.
        kind: how the output holds documents.
        change: the change to each history before it is written; see ``changing``.
        on_loss: "error" quarantines documents that would lose content, "report" counts losses, "ignore" doesn't check.
        allow: words for kinds of content that documents may lose nevertheless.
        restores: where the loss reports are, if originals are rebuilt by them.
        losses: whether to write loss reports.
        losses_key: the key under which each document gets its own loss report; None: it doesn't.
        flat: whether to write losses one by one, for tables.
        carry: whether documents carry their content losses themselves, if the format has a place for them.
        repair: whether to fix what the provider would refuse.
        asks: settings for each request, as name and value.
        checks: whether to count documents that the provider would refuse, as "refused" in the report, and those that
            lack a setting, as "unset".
        verify: whether to read each written document again, which must then rebuild its source.
        pretty: whether to indent JSON.
        rejected: the file whose documents have the rejected answers of pairs, in the order of those of the only source.
        leaves_out: words for kinds of documents that are refused although they could be converted: "arguments" for
            calls whose arguments are broken.
        quarantine: whether to quarantine a document that can't be converted; otherwise its error is raised.
        limits: bounds on what is read.
        unknown: as for ``agentmsg.loads``.
    """

    kind: Kind
    codec: str = ""
    options: tuple[tuple[str, Any], ...] = ()
    change: Callable[[Any], Any] | None = None
    on_loss: OnLoss = "report"
    allow: tuple[Word, ...] = ()
    restores: Accounts | None = None
    losses: bool = False
    losses_key: str | None = None
    flat: bool = False
    carry: bool = False
    repair: bool = False
    asks: tuple[tuple[str, Any], ...] = ()
    checks: bool = False
    verify: bool = False
    pretty: bool = False
    rejected: Source | None = None
    leaves_out: tuple[str, ...] = ()
    quarantine: bool = True
    limits: Limits = DEFAULT_LIMITS
    unknown: Unknown = "keep"

    @property
    def hides(self) -> Redact | None:
        """The change that hides secrets, so that loss reports are for their owner only; None if there is none."""
        return self.change if isinstance(self.change, Redact) else None

    @property
    def reads(self) -> tuple[str, ...]:
        """The files that are read beside the sources."""
        beside = () if self.rejected is None else (self.rejected.path,)
        return beside if self.restores is None else self.restores.paths

    def is_binary(self, source: Source) -> bool:
        """Whether the output for a source isn't JSON."""
        codec = self.codec or ("" if self.restores else source.codec)
        return get_codec(codec).binary if codec else not self.restores and source.kind.form == "msgpack"


@attrs.frozen(kw_only=True)
class Piece:
    """A range of a source: the lines or frames that begin in it.

    Attributes:
        source: the file.
        start: its first byte.
        end: the byte after its last; None means the end of the file.
    """

    source: Source
    start: int = 0
    end: int | None = None


@attrs.define(kw_only=True)
class Counts:
    """What came of some documents.

    Attributes:
        documents: number of documents written.
        messages: number of their messages.
        read: number of messages in their sources.
        blank: number of blank lines.
        missing: number of records without a document at the given places.
        codes: number of quarantined documents, by code.
        formats: number of documents written by format, if each was detected by itself.
        levels: losses by level; "carried": those in the documents themselves; "redacted": redacted messages; "broken":
            documents with calls whose arguments are; "refused": documents that the provider would refuse, or "unmended"
            if they were repaired; "unset": those that only lack settings, and "unset model" ...: all that lack this
            setting.
    """

    documents: int = 0
    messages: int = 0
    read: int = 0
    blank: int = 0
    missing: int = 0
    codes: Counter[str] = attrs.field(factory=Counter[str])
    formats: Counter[str] = attrs.field(factory=Counter[str])
    levels: Counter[str] = attrs.field(factory=Counter[str])

    @property
    def bad(self) -> int:
        """The number of quarantined documents."""
        return self.codes.total()

    def count(self, other: Counts) -> None:
        """Add other counts."""
        for field in attrs.fields(Counts):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))


@attrs.define(kw_only=True)
class Report(Counts):
    """The result of a piece; numbers in it count from 1.

    Attributes:
        lines: the number of the last line or frame that was read.
        groups: the losses by what they have in common.
        first_bad: the line of the first fault, and the words that follow it: its place in the line, and why.
        sizes: bytes written, by part.
        digest: of the source's bytes.
    """

    lines: int = 0
    groups: list[LossGroup] = attrs.field(factory=list[LossGroup])
    first_bad: tuple[int, str] | None = None
    sizes: dict[str, int] = attrs.field(factory=dict[str, int])
    digest: str = ""


def source_digest(piece: Piece) -> str:
    """Return a digest of a range's bytes on disk; empty for one of many files that can't be read."""
    state = sha256()  # processors have instructions for it
    left = -1 if piece.end is None else piece.end - piece.start
    try:
        with place_of(piece.source.path).open(piece.source.path) as stream:
            stream.seek(piece.start)
            while left and (chunk := stream.read(_CHUNK if left < 0 else min(_CHUNK, left))):
                state.update(chunk)
                left -= len(chunk) if left > 0 else 0
    except FileError:
        if not piece.source.is_one_of_many:
            raise
        return ""
    return state.hexdigest()
