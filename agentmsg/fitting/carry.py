"""carry=True: what a target can't hold as content travels in its document, in metadata; and the way back from there.

The loss report of it (as it stands on file, see agentmsg.fitting.account_file) is put under ``KEY`` into the metadata
of a message at the end, where the target supports metadata; no codec has code for that: its capability table decides.
It is a list of texts, one for each conversion that carried something: ``restore`` takes the last and leaves the others,
so loss reports stack. They are texts, so that nothing that reads the document's objects finds any in them.

Carried are the losses of content, and what tells where things stand. Annotations and settings aren't: they stay in
the loss report that the caller gets, and both together rebuild the input. To decoding all this is data like any other;
only ``restore`` looks at it.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Any, cast

from agentmsg.errors import AgentMsgError, LossError, is_a
from agentmsg.fitting.account import account, loses_content
from agentmsg.fitting.account_file import carried_lines, from_lines
from agentmsg.fitting.fit import fit
from agentmsg.fitting.losses import ANNOTATIONS, Loss, Losses
from agentmsg.fitting.restore import restore as woven
from agentmsg.model.checks import checked, one_of
from agentmsg.model.history import History
from agentmsg.values.types import is_sequence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agentmsg.fitting.fitted import Fitted
    from agentmsg.fitting.restore import Edits
    from agentmsg.formats.codec import Codec
    from agentmsg.model.msg import Msg

__all__ = ["KEY", "carried", "carried_text", "has_slot", "restore", "uncarried"]

KEY = "agentmsg.losses"
"""The key of metadata under which loss reports are carried."""


def has_slot(codec: Codec) -> bool:
    """Whether a format has a place for loss reports: messages whose metadata it supports."""
    return any("metadata" in row.fields for row in codec.caps.messages.values())


def carried(fitted: Fitted, codec: Codec, source: str | None = None) -> tuple[History, Losses]:
    """Return the output of a fit with the report of its content losses within, and the loss report of the rest.

    Where no content is lost, or the target has no place for it, that is the output as it is, and the whole report. An
    older loss report in the output belongs to the content as it was, so there all that becomes another is carried too.

    Args:
        fitted: by this codec.
        codec: of the target.
        source: the name of the format that was read, where that is known.
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
    rest = Losses(
        [loss for loss in losses if not _is_carried(loss)],
        codec=losses.codec,
        guard=losses.guard,
        spelling=losses.spelling,
        length=losses.length,
        carried=len(inside),
        secret=losses.secret,
    )
    return holding, rest


def _is_carried(loss: Loss) -> bool:
    """Whether a loss is of content, or says where things stand: without the rest, all else is in its place."""
    return loss.level == "content" or (loss.level == "annotation" and loss.path[-1] not in ANNOTATIONS)


def _holding(output: History, codec: Codec, text: str) -> History | None:
    """Return the output with a text in the metadata of a message near its end; None if none can hold it."""
    for index in _places(output, codec):
        message = output.messages[index]
        known = message.metadata.get(KEY, [])
        if KEY in message.metadata and not (known and is_sequence(known)):
            return None  # somebody else's: it is left alone, and nothing is put where it would be found first
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
    """Return the index of the message that begins the last native one, which has its metadata.

    In any other, metadata would part what stands together; and those before it don't change when messages are added.
    """

    def count(index: int) -> int:
        return len(codec.native_messages(codec.write(fit(output[: index + 1], codec).history)))

    start, step = len(output) - 1, 1
    whole = count(start)
    while start and count(start - 1) == whole:  # mostly it is the last one, so the search begins there
        start, step = max(0, start - step), 2 * step
    return start + bisect_left(range(start, len(output) - 1), whole, key=count)


def _is_place(message: Msg, codec: Codec) -> bool:
    """Whether the table supports the metadata of a message, seen by itself."""
    row = codec.caps.row(message.role)
    cell = None if row is None else row.fields.get("metadata")
    return cell is not None and cell(message.metadata, message) is message.metadata


def _with_message(history: History, index: int, message: Msg) -> History:
    messages = history.messages
    return history.evolve(messages=(*messages[:index], message, *messages[index + 1 :]))


def restore(history: History, losses: Iterable[Loss] | None = None, *, edits: Edits = "refuse") -> History:
    """Return the history that a conversion came from.

    Args:
        history: the converted one (read back from its document or not), perhaps with messages added at the end.
        losses: its loss report, in any order; without some of its field losses, just those fields stay lost. What the
            history carries besides (``carry=True``) is found there. None: only what it carries is restored; where it
            carries nothing, the history itself is returned.
        edits: "refuse" any other change of the converted history; "keep": where it was changed, the new value wins
            (only for histories in which no message was inserted, removed or exchanged).

    Raises:
        LossError: code "edited", if the loss report belongs to another history; "schema", if it carries
            anything but loss reports.
    """
    checked(history, History, "history")
    if losses is None:
        one_of(edits, "edits", "refuse", "keep")
        found = _found(history, None)
        return history if found is None else woven(*_taken(history, *found), edits=edits)
    if not is_a(losses, Losses) or not losses.carried:
        return woven(history, losses, edits=edits)
    found = _found(history, losses.length)
    if found is None:
        msg = "this history no longer carries its part of the loss report"
        raise LossError(msg, code="edited", codec=losses.codec)
    output, inside = _taken(history, *found)
    whole = Losses(
        [*inside, *losses],
        codec=losses.codec,
        guard=losses.guard,
        spelling=losses.spelling,
        length=losses.length,
        secret=losses.secret,
    )
    return woven(output, whole, edits=edits)


def uncarried(history: History, losses: Losses) -> History:
    """Return a converted history without the loss report that it carries, where this loss report says that it does."""
    found = _found(history, losses.length) if losses.carried else None
    return history if found is None else _emptied(history, *found)


def _found(history: History, length: int | None) -> tuple[int, list[Any]] | None:
    """Return the index of the last message that holds loss reports, and these; only so many messages are looked at."""
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
        LossError: code "schema", if it is none.
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
    """Return the loss report that a history carries, as it stands on file; None if it carries none."""
    found = _found(history, None)
    return found[1][-1] if found is not None and found[1] and isinstance(found[1][-1], str) else None
