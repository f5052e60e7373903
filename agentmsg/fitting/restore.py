"""restore: rebuild the input from the output and its loss report, also if the output was edited since.

The order of a loss report doesn't matter, and if you leave field losses out, just those fields stay lost. What was
edited is found by the prints of the output (see ``edits``); how lists are rebuilt, ``weaving`` says. What a loader adds
is no edit, and isn't restored (see ``additions``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.errors import AgentMsgError, InvalidMessage, LossError, excerpt
from agentmsg.fitting.digest import printed
from agentmsg.fitting.edits import Slots, edited, edited_messages, unedited
from agentmsg.fitting.losses import Loss, Losses, report_of
from agentmsg.fitting.spellings import respelt
from agentmsg.fitting.weaving import Edits, Node, Weave, Woven, tree
from agentmsg.model.checks import checked, one_of
from agentmsg.model.history import History
from agentmsg.model.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable


def restore(history: History, losses: Iterable[Loss], *, edits: Edits = "refuse") -> History:
    """Rebuild the history that a conversion came from: as ``carry.restore``, which also finds losses inside it."""
    one_of(edits, "edits", "refuse", "keep")
    checked(history, History, "history")
    report = report_of(losses)
    if edits == "refuse":
        history = unedited_output(history, report)
    try:
        lost = [loss for loss in report if checked(loss, Loss, "a loss").kind != "unsent"]
        return _restored(history, report, tree(lost), edits)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, AgentMsgError) and not isinstance(error, InvalidMessage):
            raise
        msg = f"this isn't the loss report of this history: {excerpt(str(error))}"
        raise LossError(msg, code="edited") from error


def unedited_output(history: History, report: Losses) -> History:
    """Return a history as it was written: without what a loader added, if it did.

    Raises:
        LossError: code "edited", with the place.
    """
    guard = report.guard
    if guard is None:
        return history
    try:
        guard(history)
    except LossError as error:
        known = report.prints()
        if known is None:
            raise _hinting(error) from None
    else:
        return history
    stated = known.as_stated(history)
    try:
        guard(stated)
    except LossError as error:
        error.path = error.path or known.place_of_edit(printed(stated))
        raise _hinting(error) from None
    return stated


def _hinting(error: LossError) -> LossError:
    msg = f'{error.message}, or it was edited since (edits="keep" keeps edits)'
    return LossError(msg, code=error.code, path=error.path, codec=error.codec)


def _restored(history: History, report: Losses, root: Node, edits: Edits) -> History:
    is_woven = edits == "keep" or bool(root.get("messages").below)
    messages, tools = _slots(history, report, edits) if is_woven else (unedited(()), unedited(history.tools))
    weave = Weave(edits, messages, root.get("messages"))
    woven = weave.messages() if is_woven else _as_they_are(history, report)
    changes: dict[str, Any] = {}
    if not _is_as_it_was(woven, history):
        changes["messages"] = tuple(message for _, message in woven)
    if root.get("tools").below:
        changes["tools"] = tuple(tool for _, tool in weave.items(tools, root.get("tools")))
    settings = root.get("settings")
    if settings.below:
        changes["settings"] = weave.fields(history.settings or Settings(), settings, {})
    restored = weave.fields(history, root, changes)
    origins = [index for index, _ in woven]
    return respelt(restored, report.spelling(), origins, weave.origins, is_edited=edits == "keep")


def _as_they_are(history: History, report: Losses) -> Woven:
    """Return messages that were neither edited nor lost anything, as a weave would give them."""
    length = len(history) if report.length is None else report.length
    return [(index if index < length else None, message) for index, message in enumerate(history.messages)]


def _is_as_it_was(woven: Woven, history: History) -> bool:
    before = history.messages
    return len(woven) == len(before) and all(new is old for (_, new), old in zip(woven, before, strict=True))


def _slots(history: History, report: Losses, edits: Edits) -> tuple[Slots, Slots]:
    """Return the slots of messages and tools."""
    messages, tools = history.messages, history.tools
    known = report.prints() if edits == "keep" else None
    if known is not None:
        now = printed(history)
        return edited_messages(messages, now, known), edited(tools, now.tools, known.tools)
    length = len(messages) if report.length is None else report.length
    if edits == "keep":
        _check_places(history, report)
    return unedited(messages[:length], messages[length:]), unedited(tools)


def _check_places(history: History, report: Losses) -> None:
    """Refuse a history in which it can't be known what was inserted or deleted: the loss report has no prints.

    Raises:
        LossError: code "edited".
    """
    if report.guard is None or report.length in (None, len(history)):
        return
    try:
        report.guard(history)
    except LossError as error:
        msg = "messages were inserted or deleted, and this loss report is too old to tell which"
        raise LossError(msg, code="edited", codec=report.codec) from error
