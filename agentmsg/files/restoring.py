"""Restore one document: find its loss report, rebuild the original, and write that."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Self

import attrs

from agentmsg.api.joining import JOINED, Joined
from agentmsg.api.reading import decode, loads
from agentmsg.errors import AgentMsgError, DecodeError, FileError, LossError
from agentmsg.files.accounts import Account, Index, account_of
from agentmsg.files.converting import Converted, rendered
from agentmsg.files.plan import detected, form_fault
from agentmsg.fitting.account import account
from agentmsg.fitting.carry import carried_text, restore, uncarried
from agentmsg.fitting.digest import canonical, digest_of
from agentmsg.fitting.fit import fit
from agentmsg.fitting.losses import Losses
from agentmsg.redacting.rule import REDACTED
from agentmsg.registry import get_codec
from agentmsg.values.text import parse_json
from agentmsg.values.types import is_mapping

if TYPE_CHECKING:
    from agentmsg.files.accounts import Accounts, Entry
    from agentmsg.files.documents import Found
    from agentmsg.files.job import Job, Source
    from agentmsg.model.history import History


class Restorer:
    """Restores the documents of a piece, one by one; closed at the end of its block.

    Args:
        job: what to do.
        accounts: where the loss reports are.
        source: where the documents are.
    """

    def __init__(self, job: Job, accounts: Accounts, source: Source) -> None:
        self._job = job
        self._accounts = accounts
        self._source = source
        self._files = ExitStack()
        self._index = Index(accounts, self._files) if accounts.files else None
        self._count = 0
        # Whether all documents so far stood where their reports do.
        self._is_in_order = True

    def __enter__(self) -> Self:
        """Return the restorer itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the files of reports."""
        self._files.close()

    def __call__(self, item: Found) -> tuple[str, Converted]:
        """Return a document's original, with the format it has.

        Raises:
            LossError: code "edited" if it has no loss report here, or was edited since.
            AgentMsgError: if it can't be read or written.
        """
        self._count += 1
        if self._accounts.key is not None:
            history, own = self._keyed(item, self._accounts.key)
        elif self._index is not None:
            history, own = self._indexed(item, self._index)
        else:
            history, own = self._read(item, self._source.codec), None
        if own is None:
            text = carried_text(history)
            source = None if text is None else account_of(text.encode().splitlines()).source
        else:
            source = own.source
        original = restore(history, None if own is None else own.losses, edits=self._accounts.edits)
        return self._written(original, source)

    def _read(self, item: Found, codec: str) -> History:
        name = codec if codec and codec != REDACTED else detected((item,))
        return loads(item.content(), get_codec(name), limits=self._job.limits, duplicates="error")

    # -- reports in the documents

    def _keyed(self, item: Found, key: str) -> tuple[History, Account]:
        document = parse_json(item.content(), self._job.limits, "error")
        text = document.pop(key, None) if is_mapping(document) else None
        if not isinstance(text, str):
            msg = f"the document has no loss report under {key!r}"
            raise LossError(msg, code="edited")
        own = account_of(text.encode().splitlines())
        codec: Any = get_codec(self._source.codec or own.losses.codec)
        return decode(document, codec, limits=self._job.limits), own

    # -- reports in files

    def _indexed(self, item: Found, index: Index) -> tuple[History, Account]:
        """Return the history of a document and its loss report, found by digest, else by its place."""
        given = self._source.codec
        fault: AgentMsgError | None = None
        for codec in (given,) if given else index.codecs or ("",):
            try:
                history = self._read(item, codec)
                entry = self._with_digest(history, index)
            except AgentMsgError as error:
                fault = fault or error
                continue
            if entry is not None:
                own = index.read(entry)
                own.losses.guard = None  # it was just checked
                return history, self._known(own, codec, item)
        return self._at_its_place(item, index, fault)

    def _with_digest(self, history: History, index: Index) -> Entry | None:
        """Return the report with the digest of a history; if several say different things, the one at its place."""
        if carried_text(history) is not None:
            history = uncarried(history, Losses((), codec="", carried=1))
        digest = digest_of(canonical(history))
        if (entry := index.with_digest(digest)) is None:
            return None
        number = self._number(index)
        own = None if number is None else index.numbered(digest, *number)
        self._is_in_order = self._is_in_order and own is not None
        if own is None and not entry.is_same:
            msg = "several loss reports fit this document, and it doesn't stand where one of them does"
            raise LossError(msg, code="edited")
        return own or entry

    def _at_its_place(self, item: Found, index: Index, fault: AgentMsgError | None) -> tuple[History, Account]:
        """Return the report that stands where a document does, if that still says something: ``restore`` checks it."""
        number = self._number(index) if self._is_in_order else None
        entry = None if number is None else index.at(*number)
        if entry is None:
            msg = "the document has no loss report here, or was edited since"
            raise fault or LossError(msg, code="edited")
        own = index.read(entry)
        codec = self._source.codec or own.losses.codec
        return self._read(item, codec), self._known(own, codec, item)

    def _known(self, own: Account, codec: str, item: Found) -> Account:
        """Return a report with the format of the original: a redacted document keeps its own."""
        if own.losses.codec == REDACTED and own.source is None:
            return attrs.evolve(own, source=codec if codec != REDACTED else detected((item,)))
        return own

    def _number(self, index: Index) -> tuple[int, int] | None:
        """Return the file and number of the report beside which a document stands, if none came or went since."""
        file = index.file_of(self._source.path)
        is_whole = file is not None and self._accounts.total in (None, index.count(file))
        return (file, self._accounts.before + self._count) if file is not None and is_whole else None

    # -- originals

    def _written(self, history: History, source: str | None) -> tuple[str, Converted]:
        name = self._job.codec or source
        if name is None:
            msg = "the original format is unknown; name it with --to"
            raise DecodeError(msg)
        target = Joined() if name == JOINED else get_codec(name, **dict(self._job.options))
        words = form_fault(target.name, self._job.kind.form, binary=target.binary)
        # One document goes through a pipe as it is.
        if words is not None and not (self._accounts.is_piped and self._job.kind.form == "json"):
            msg = f"{words} (--to chooses another format)"
            raise FileError(msg, code="form")
        fitted = fit(history, target)
        losses = Losses((), codec=name) if fitted.history is fitted.source else account(fitted)
        data = rendered(target, fitted.history, pretty=self._job.pretty)
        return name, Converted(data, len(history), len(history), losses, losses, 0, None, frozenset())
