"""Convert one document: read it, fit it, write it with its loss report and, if asked, prove it.

The proof is that the written document and its loss report rebuild the source.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import attrs

from agentmsg.api.reading import loads
from agentmsg.api.writing import writing_codec
from agentmsg.errors import AgentMsgError, DecodeError, LossError
from agentmsg.fitting.account import account
from agentmsg.fitting.allowing import allowed, refusal
from agentmsg.fitting.carry import carried, restore, uncarried
from agentmsg.fitting.edited import over, with_asked
from agentmsg.fitting.fit import fit
from agentmsg.fitting.losses import Losses
from agentmsg.fitting.repairing import errors, repaired
from agentmsg.formats.plain_messages import SAID, how_bare
from agentmsg.formats.spelling import same_document
from agentmsg.limits import room_of
from agentmsg.model.blocks import ToolUseBlock
from agentmsg.model.equality import same
from agentmsg.model.history import History
from agentmsg.model.settings import Settings
from agentmsg.model.tool_arguments import are_broken, is_broken
from agentmsg.registry import codec_of_family
from agentmsg.values.frozen import thaw

if TYPE_CHECKING:
    from agentmsg.files.job import Job
    from agentmsg.formats.codec import Codec


@attrs.frozen
class Converted:
    """A converted document.

    Attributes:
        data: its bytes, without line end.
        messages: number of its messages.
        read: number of messages in the source.
        losses: their loss report.
        report: the losses to write: these or, if something was hidden, also those that bring it back.
        redacted: number of messages that hide something.
        output: the history that the document reads back as, without its carried losses; None if it isn't needed.
        refused: as the levels of a report count it: "broken" for arguments and, if it was checked, "refused" or, of a
            repaired one, "unmended"; "unset" if nothing but settings is missing, and "unset model" ...
    """

    data: bytes
    messages: int
    read: int
    losses: Losses
    report: Losses
    redacted: int
    output: History | None
    refused: frozenset[str]


class Converter:
    """Converts the bytes of documents, one by one.

    Args:
        job: what to do.
        source: the format to read.
    """

    def __init__(self, job: Job, source: Codec) -> None:
        self._job = job
        self._source = source
        self._target = writing_codec(cast("Any", job.codec or source), dict(job.options), repair=job.repair)
        self._allow = self._target.decided | allowed(job.allow)
        self._reads_back = job.losses or job.verify or job.losses_key is not None

    def __call__(self, data: bytes) -> Converted:
        """Convert a document.

        Raises:
            AgentMsgError: if it can't be read or written, would lose content although that isn't allowed, or fails the
                proof.
        """
        job = self._job
        original = history = loads(data, self._source, limits=job.limits, duplicates="error", unknown=job.unknown)
        read = len(history)
        is_told = bool(job.leaves_out) or (job.on_loss != "ignore" and job.change is None)
        broken = _broken_in(history) if is_told else None
        if broken is not None and "arguments" in job.leaves_out:
            msg = "the arguments of a call are broken: they are no object"
            raise DecodeError(msg, code="arguments", path=broken)
        if job.change is not None:
            history = job.change(history)
        asked = with_asked(history, self._target, **dict(job.asks))
        target = self._target.suited(asked)
        fitted = alone = fit(asked, target)
        if job.repair:
            fitted = repaired(fitted, target)
        fitted = over(fitted, history, is_secret=False)
        written, losses = fitted.history, account(fitted)
        if job.carry:
            written, losses = carried(fitted, target, self._source.name)
        if job.on_loss == "error" and not losses.carried:
            lost = account(over(alone, history, is_secret=False)) if job.repair else losses
            error = refusal(lost, history, self._allow, "--allow {words} allows it", "content would be lost")
            if error is not None:
                raise error
        report, redacted = losses, 0
        if job.hides is not None:
            redacted = sum(one is not other for one, other in zip(original, history, strict=True))
            report = account(over(fitted, original, is_secret=True)) if job.losses else losses
        document = rendered(target, written, pretty=job.pretty)
        output = loads(document, target, limits=job.limits) if self._reads_back else None
        if job.verify:
            self._prove(data, history, losses, output)
        output = None if output is None else uncarried(output, losses)
        refused = self._refused(target, asked, alone.history, written) if job.checks else frozenset[str]()
        refused |= frozenset() if broken is None else {"broken"}
        return Converted(document, len(history), read, losses, report, redacted, output, refused)

    def _refused(self, target: Codec, asked: History, fitted: History, written: History) -> frozenset[str]:
        """Return what the provider would refuse, as a report counts it: what ``check`` finds, or what a repair left."""
        if self._job.repair:
            if written.settings is None and asked.settings is not None:
                # A request stays one, even if none of its settings are left.
                written = written.evolve(settings=Settings())
            asked = fitted = written
        found = errors(asked, fitted, target)
        lacking = {f"unset {each.path[-1]}" for each in found if each.code == "required-setting"}
        is_unset = bool(lacking) and all(each.code == "required-setting" for each in found)
        word = "unmended" if self._job.repair else "refused"
        return frozenset({*lacking, *["unset"] * is_unset, *[word] * bool(found)})

    def _prove(self, data: bytes, history: History, losses: Losses, output: Any) -> None:
        """Raise unless the written document and its loss report rebuild the source, including its spelling."""
        restored = restore(output, losses)
        again = self._source.write(fit(restored, self._source).history)
        read = self._source.parse(data, room_of(self._job.limits), "last")
        if not same(restored, history) or not same_document(again, read):
            msg = "the output and its loss report don't restore the input"
            raise LossError(msg, code="verify", codec=self._target.name)


def _broken_in(history: History) -> tuple[str | int, ...] | None:
    """Return the path of the first call whose arguments are broken, in raw messages too; None if there is none."""
    for index, message in enumerate(history.messages):
        if how_bare(message) == SAID:
            continue
        for place, block in enumerate(message.content):
            if isinstance(block, ToolUseBlock) and is_broken(block):
                return "messages", index, "content", place
    for family, own in history.extras.items():
        codec = codec_of_family(family)
        for path, given in () if codec is None else codec.raw_arguments(own):
            if are_broken(given):
                return "extras", family, *path
    return None


def rendered(codec: Codec, history: History, *, pretty: bool) -> bytes:
    """Write a fitted history as bytes; if asked, as indented JSON for people, with integers of any size.

    Raises:
        AgentMsgError: if it can't be written.
    """
    try:
        if not pretty:
            return codec.to_bytes(history)
        import json  # noqa: PLC0415 - only where somebody asks for it

        return json.dumps(thaw(codec.write(history)), ensure_ascii=False, indent=2).encode()
    except AgentMsgError as error:
        raise error.at(codec=codec.name) from error.__cause__
