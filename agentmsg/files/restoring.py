"""Rebuild original documents from converted ones and their loss reports, side by side."""

from __future__ import annotations

from contextlib import ExitStack
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, BinaryIO

import attrs

from agentmsg.api.joining import JOINED, Joined
from agentmsg.api.reading import loads
from agentmsg.errors import DecodeError, FileError, LossError
from agentmsg.files.compression import decompressed
from agentmsg.files.converting import rendered
from agentmsg.files.documents import documents
from agentmsg.files.file_names import STANDARD, Kind
from agentmsg.files.framing import framing_of
from agentmsg.files.overwriting import check_distinct, check_free
from agentmsg.files.packing import packed
from agentmsg.files.plan import LOOKED_AT, detected, form_fault, named
from agentmsg.files.storages import place_of, whole_file
from agentmsg.fitting.account import account
from agentmsg.fitting.account_file import from_lines
from agentmsg.fitting.carry import carried_text, restore
from agentmsg.fitting.fit import fit
from agentmsg.fitting.losses import Losses
from agentmsg.fitting.restore import Edits
from agentmsg.limits import DEFAULT_LIMITS, Limits
from agentmsg.redacting.redactor import REDACTED
from agentmsg.registry import get_codec
from agentmsg.values.text import parse_json
from agentmsg.values.types import is_mapping

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agentmsg.files.documents import Found
    from agentmsg.model.history import History

__all__ = ["Account", "Restoring", "accounts"]

_HEADER = b'"agentmsg-losses"'


@attrs.frozen
class Account:
    """The loss report of one document of a file.

    Attributes:
        number: of the document, from 1; None if the loss report doesn't say.
        source: the format that the document was read from; None if the loss report doesn't say.
        losses: the loss report.
    """

    number: int | None
    source: str | None
    losses: Losses


def accounts(lines: Iterator[Found]) -> Iterator[Account]:
    """Yield the loss reports of a file, one after the other; each begins with its header.

    Raises:
        DecodeError: if lines aren't a loss report; the path starts with the line's number in its report.
    """
    held: list[bytes] = []
    for line in lines:
        data = line.content()
        # Only a header can contain this key unescaped at its beginning; in a value it is escaped or deeper.
        if held and _HEADER in data[:200] and _is_header(data):
            yield _account(held)
            held = []
        held.append(data)
    if held:
        yield _account(held)


def _is_header(data: bytes) -> bool:
    line = parse_json(data)
    return is_mapping(line) and "agentmsg-losses" in line


def _account(lines: list[bytes]) -> Account:
    losses = from_lines(lines)
    header = parse_json(lines[0])
    number, source = header.get("line"), header.get("from")
    return Account(number if isinstance(number, int) else None, source if isinstance(source, str) else None, losses)


@attrs.frozen(kw_only=True)
class Restoring:
    """What to restore, and how.

    Attributes:
        converted: the name of the converted file, or "-".
        kind: how it holds documents.
        accounts: the name of the file of their loss reports, or "-"; None: only what the documents carry.
        accounts_kind: its kind.
        source: the format of the converted documents; None: what the loss reports say or, without a file of them, the
            format detected from the first documents.
        codec: the format to write; None: the one that the loss reports name.
        options: codec options.
        edits: whether documents that were edited since are refused, or restored around the edits.
        target: the name of the file to write, or "-".
        target_kind: its kind.
        pretty: whether to indent JSON.
        force: whether to replace an existing target.
        limits: bounds on what is read.
    """

    converted: str
    kind: Kind
    accounts: str | None
    accounts_kind: Kind
    source: str | None
    codec: str | None
    options: tuple[tuple[str, Any], ...]
    target: str
    target_kind: Kind
    pretty: bool
    edits: Edits = "refuse"
    force: bool = False
    limits: Limits = DEFAULT_LIMITS

    def run(
        self,
        standard_in: Callable[[], BinaryIO],
        standard_out: Callable[[], BinaryIO],
        told: Callable[[int, Losses], None],
    ) -> int:
        """Restore all documents, and return their number.

        Args:
            standard_in: returns the stream to read for "-".
            standard_out: returns the stream to write for "-".
            told: called with a document's number and its losses in the format to write.

        Raises:
            LossError: code "edited" if documents and loss reports don't belong together, or were edited since.
            AgentMsgError: if they can't be read or written; nothing is written then, except to stdout.
        """
        check_distinct([self.target], [self.converted] if self.accounts is None else [self.converted, self.accounts])
        check_free([self.target], force=self.force)
        with ExitStack() as files:
            enter = files.enter_context

            def opened(name: str, kind: Kind) -> Iterator[Found]:
                raw = standard_in() if name == STANDARD else enter(place_of(name).open(name))
                stream = enter(decompressed(raw, kind.compression, name))
                return documents(stream, kind.form, self.limits, name=name, column=kind.column)

            def opened_sink() -> BinaryIO:
                whole = standard_out() if self.target == STANDARD else enter(whole_file(self.target, force=self.force))
                sink = enter(packed(whole, self.target_kind))
                sink.write(framing.head)
                return sink

            framing = framing_of(self.target_kind, pretty=self.pretty)
            converted = opened(self.converted, self.kind)
            if self.accounts is None:
                originals = self._carried(converted)
            else:
                own_accounts = _naming(accounts(opened(self.accounts, self.accounts_kind)), self.accounts)
                originals = map(self._original, _paired(converted, own_accounts))
            sink: BinaryIO | None = None
            count = 0
            for history, codec in originals:
                document = self._written(history, codec, count + 1, told)
                if sink is None:  # the first loss report shows that there is something to write
                    sink = opened_sink()
                elif self.target_kind.form == "json":
                    raise self._not_one()
                else:
                    sink.write(framing.between)
                sink.write(framing.lead + document + framing.tail)
                count += 1
            if sink is None and self.target_kind.form == "json":
                raise self._not_one()
            if sink is None:
                opened_sink().write(framing.end.lstrip())
            else:
                sink.write(framing.end)
            return count

    def _not_one(self) -> FileError:
        msg = f"{self.target}: a .json file holds one document: name it .jsonl, or use --array"
        return FileError(msg, code="form")

    def _original(self, pair: tuple[Found, Account]) -> tuple[History, str | None]:
        """Return a document's original history, and its format."""
        found, own = pair
        codec, source = self.source or own.losses.codec, own.source
        if own.losses.codec == REDACTED:
            # That report names no format: a redacted document keeps its own.
            codec = self.source or detected((found,))
            source = source or codec
        converted = loads(found.content(), get_codec(codec), limits=self.limits, duplicates="error")
        return restore(converted, own.losses, edits=self.edits), source

    def _carried(self, converted: Iterator[Found]) -> Iterator[tuple[History, str | None]]:
        """Yield the originals of documents as far as they carry them, and their formats."""
        first = list(islice(converted, LOOKED_AT))
        try:
            source = self.source or detected(first)
        except DecodeError as error:
            raise named(error, self.converted) from None
        for found in chain(first, converted):
            history = loads(found.content(), get_codec(source), limits=self.limits, duplicates="error")
            text = carried_text(history)
            yield (
                restore(history, edits=self.edits),
                None if text is None else _account(text.encode().splitlines()).source,
            )

    def _written(self, history: History, codec: str | None, number: int, told: Callable[[int, Losses], None]) -> bytes:
        name = self.codec or codec
        if name is None:
            msg = f"the original format of document {number} is unknown; name it with --to"
            raise DecodeError(msg)
        target = Joined() if name == JOINED else get_codec(name, **dict(self.options))
        words = form_fault(target.name, self.target_kind.form, binary=target.binary)
        # One document goes through a pipe as it is.
        if words is not None and (self.target, self.target_kind.form) != (STANDARD, "json"):
            msg = f"{self.target}: {words} (document {number}; --to chooses another format)"
            raise FileError(msg, code="form")
        fitted = fit(history, target)
        if fitted.history is not fitted.source:
            told(number, account(fitted))
        return rendered(target, fitted.history, pretty=self.pretty)


def _naming(own: Iterator[Account], name: str) -> Iterator[Account]:
    try:
        yield from own
    except DecodeError as error:
        raise named(error, name) from None


def _paired(found: Iterator[Found], own: Iterator[Account]) -> Iterator[tuple[Found, Account]]:
    """Yield each document with its loss report."""
    number = 0
    for each in own:
        number += 1
        document = next(found, None)
        if document is None or each.number not in (None, number):
            msg = f"document {number} and its loss report don't belong together"
            raise LossError(msg, code="edited")
        yield document, each
    if next(found, None) is not None:
        msg = f"document {number + 1} has no loss report"
        raise LossError(msg, code="edited")
