"""carry=True: content that the target can't hold travels in its document's metadata; and the way back.

The loss report of this content (in the form of agentmsg.fitting.account_file) goes under ``KEY`` into the metadata of a
message near the end, if the target supports metadata. No codec has code for this: its capability table decides. The
value is a list of texts, one for each conversion that carried something. ``restore`` takes the last and leaves the
others, so loss reports stack. As texts they are opaque to anything that reads the document's objects.

Content losses are carried, and so is what says where things are. Annotations and settings aren't: they stay in the loss
report that the caller gets, and both together rebuild the input. Decoding treats all this as ordinary data; only
``restore`` reads it.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Any, cast

import attrs

from agentmsg.errors import AgentMsgError, LossError
from agentmsg.fitting.account import account, check_unedited, loses_content
from agentmsg.fitting.account_file import carried_lines, from_lines
from agentmsg.fitting.fit import fit
from agentmsg.fitting.levels import ANNOTATIONS, field_of
from agentmsg.fitting.losses import Loss, Losses, relisted, report_of
from agentmsg.fitting.restore import restore as woven
from agentmsg.model.checks import checked, one_of
from agentmsg.model.history import History, with_messages
from agentmsg.model.msg import Msg
from agentmsg.values.types import is_sequence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agentmsg.fitting.fitted import Fitted
    from agentmsg.fitting.weaving import Edits
    from agentmsg.formats.codec import Codec

KEY = "agentmsg.losses"
"""The key of metadata under which loss reports are carried."""


def has_slot(codec: Codec) -> bool:
    """Whether a format has a place for loss reports: messages whose metadata it supports."""
    if codec.caps.measured:
        probe = Msg("user", "Hello", metadata={KEY: [KEY]}, id=None, created_at=None)
        return any(KEY in message.metadata for message in fit(History([probe]), codec).history)
    return any("metadata" in row.fields for row in codec.caps.messages.values())


def carried(fitted: Fitted, codec: Codec, source: str | None = None) -> tuple[History, Losses]:
    """Return a fit's output with the report of its content losses inside, and the loss report of the rest.

    If no content is lost, or the target has no place for it, that is the output unchanged and the whole report. An
    older loss report in the output belongs to the content as it was, so everything that changes there is carried, too.

    Args:
        fitted: a fit by this codec.
        codec: the target's codec.
        source: the format that was read, if known.
    """
    output, losses = fitted.history, account(fitted)
    is_second = any(KEY in message.metadata for message in output)
    if not has_slot(codec) or not (is_second or (loses_content(fitted) and losses.content)):
        return output, losses
    inside = [loss for loss in losses if _is_carried(loss)]
    if not inside:
        return output, losses
    text = b"\n".join(carried_lines(inside, output, fitted.codec, source)).decode()
    holding = _holding(output, codec, text)
    if holding is None:
        return output, losses
    # These are of the new report.
    outside = [attrs.evolve(loss, origin=None) for loss in losses if not _is_carried(loss)]
    rest = relisted(losses, outside, carried=len(inside))
    rest.guard = _Stacked(output, tuple(inside))
    return holding, rest


@attrs.frozen(eq=False)
class _Stacked:
    """Guards the rest of a report, whose other part is in the output, which somebody may have restored already."""

    output: History
    inside: tuple[Loss, ...]

    def __call__(self, history: History) -> None:
        check_unedited(history, self.output)

    def holds(self, history: History) -> bool:
        """Whether what was inside is restored in a history."""
        try:
            check_unedited(history, woven(self.output, self.inside))
        except LossError:
            return False
        return True


def _is_carried(loss: Loss) -> bool:
    """Whether a loss is content, or says where things are, so that everything else is in place without the rest."""
    if loss.kind == "unsent":
        return False
    return loss.level == "content" or (loss.level == "annotation" and field_of(loss.path) not in ANNOTATIONS)


def _holding(output: History, codec: Codec, text: str) -> History | None:
    """Return the output with a text in the metadata of a message near its end; None if no message can hold it."""
    for index in _places(output, codec):
        message = output.messages[index]
        known = message.metadata.get(KEY, [])
        if KEY in message.metadata and not (known and is_sequence(known)):
            return None  # foreign data: leave it alone, and put nothing where it would be found first
        new = message.evolve(metadata={**message.metadata, KEY: [*cast("list[Any]", known), text]})
        if _is_place(new, codec):
            holding = _with_message(output, index, new)
            return holding if fit(holding, codec).history is holding else None
    return None


def _places(output: History, codec: Codec) -> Iterator[int]:
    """Yield the indexes of messages that may hold a loss report, the best first; none before one that holds some."""
    if not output:
        return
    lowest = max((index for index, message in enumerate(output) if KEY in message.metadata), default=0)
    head = _last_head(output, codec)
    if head >= lowest:
        yield head
    yield from (index for index in range(len(output) - 1, lowest - 1, -1) if index != head)


def _last_head(output: History, codec: Codec) -> int:
    """Return the index of the message that begins the last native one, and so has its metadata.

    In any other message, metadata would split what belongs together; and messages before it don't change when more are
    added.
    """

    def count(index: int) -> int:
        return len(codec.native_messages(codec.write(fit(output[: index + 1], codec).history)))

    start, step = len(output) - 1, 1
    whole = count(start)
    while start and count(start - 1) == whole:  # usually it is the last one, so the search begins there
        start, step = max(0, start - step), 2 * step
    return start + bisect_left(range(start, len(output) - 1), whole, key=count)


def _is_place(message: Msg, codec: Codec) -> bool:
    """Whether the table supports the metadata of a message, taken by itself."""
    if codec.caps.measured:
        return True  # what comes back tells
    row = codec.caps.row(message.role)
    cell = None if row is None else row.fields.get("metadata")
    return cell is not None and cell(message.metadata, message) is message.metadata


def _with_message(history: History, index: int, message: Msg) -> History:
    messages = history.messages
    return with_messages(history, (*messages[:index], message, *messages[index + 1 :]))


def restore(history: History, losses: Iterable[Loss] | None = None, *, edits: Edits = "refuse") -> History:
    """Rebuild the history that a conversion came from.

    Args:
        history: the converted one (read back from its document or not); messages may have been appended.
        losses: its loss report, in any order. If you leave field losses out, just those fields stay lost. Losses
            carried in the history (``carry=True``) are found there. None: restore only what it carries; if it carries
            nothing, the history itself is returned.
        edits: "refuse" any other change to the converted history, or "keep" it: what you changed, inserted, deleted or
            moved stays so, and the rest is restored around it. What a loader adds where the output had nothing, such as
            ids, times and counts of zero, is no change, and is left out.

    Raises:
        LossError: code "edited" if the loss report belongs to another history, or if edits are to be kept, and it can't
            be known where a loss belongs among them; "schema" if the history carries anything but loss reports.
    """
    checked(history, History, "history")
    if losses is None:
        one_of(edits, "edits", "refuse", "keep")
        found = _found(history, None)
        return history if found is None else _from_inside(*_taken(history, *found), edits)
    losses = report_of(losses)
    if not losses.carried:
        return woven(history, losses, edits=edits)
    # Edits may have moved the message that holds them.
    found = _found(history, losses.length) or (_found(history, None) if edits == "keep" else None)
    if found is None and isinstance(losses.guard, _Stacked) and losses.guard.holds(history):
        return woven(history, Losses(losses, codec=losses.codec, spelling=losses.spelling), edits=edits)
    if found is None:
        msg = "this history no longer carries its part of the loss report"
        raise LossError(msg, code="edited", codec=losses.codec)
    output, inside = _taken(history, *found)
    return woven(output, relisted(losses, [*inside, *losses], carried=0), edits=edits)


def _from_inside(output: History, inside: Losses, edits: Edits) -> History:
    """Restore an output with the report that it carried, which is bound to its content only."""
    known = inside.prints() if edits == "refuse" else None
    return woven(output if known is None else known.as_stated(output), inside, edits=edits)


def uncarried(history: History, losses: Losses) -> History:
    """Return a converted history without its carried loss report, if this loss report says that it has one."""
    found = _found(history, losses.length) if losses.carried else None
    return history if found is None else _emptied(history, *found)


def _found(history: History, length: int | None) -> tuple[int, list[Any]] | None:
    """Return the index of the last message with loss reports, and the reports; search ``length`` messages only."""
    for index in range((len(history) if length is None else min(length, len(history))) - 1, -1, -1):
        metadata = history.messages[index].metadata
        if KEY in metadata:
            value = metadata[KEY]
            return index, value if is_sequence(value) else []
    return None


def _emptied(history: History, index: int, texts: list[Any]) -> History:
    message = history.messages[index]
    metadata = {**message.metadata, KEY: texts[:-1]}
    if not texts[:-1]:
        del metadata[KEY]
    return _with_message(history, index, message.evolve(metadata=metadata))


def _taken(history: History, index: int, texts: list[Any]) -> tuple[History, Losses]:
    """Take the last loss report out of a message.

    Raises:
        LossError: code "schema" if it isn't one.
    """
    path = ("messages", index, "metadata", KEY)
    if not texts or not isinstance(texts[-1], str):
        msg = "this isn't a loss report from a conversion"
        raise LossError(msg, code="schema", path=path)
    try:
        inside = from_lines(texts[-1].split("\n"))
    except AgentMsgError as error:
        msg = f"this isn't a loss report from a conversion: {error.message}"
        raise LossError(msg, code="schema", path=path) from None
    return _emptied(history, index, texts), inside


def carried_text(history: History) -> str | None:
    """Return the loss report that a history carries, in its file form; None if it carries none."""
    found = _found(history, None)
    return found[1][-1] if found is not None and found[1] and isinstance(found[1][-1], str) else None
