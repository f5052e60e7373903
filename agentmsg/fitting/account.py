"""The loss report of a fit: what the output plus this list needs to rebuild the input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import attrs

from agentmsg.errors import LossError
from agentmsg.fitting.difference import difference
from agentmsg.fitting.digest import printed
from agentmsg.fitting.levels import PROMPT_ROLES, extras_hold_content
from agentmsg.fitting.losses import Loss, Losses
from agentmsg.fitting.spellings import spellings
from agentmsg.model.base import Noted
from agentmsg.model.blocks import ToolResultBlock
from agentmsg.model.construction import maker
from agentmsg.model.equality import compared, same
from agentmsg.model.history import History
from agentmsg.values.types import class_of, is_mapping

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentmsg.fitting.fitted import Fitted
    from agentmsg.fitting.losses import Path
    from agentmsg.model.msg import Msg


def account(fitted: Fitted) -> Losses:
    """Return the loss report of a fit; it is computed on first access."""
    output = fitted.history
    return Losses.of_fit(
        lambda: _with_unsent(difference(fitted.source, output, fitted.codec, fitted.known), fitted),
        codec=fitted.codec,
        guard=_make_guard(output),
        spelling=lambda: spellings(fitted),
        length=len(output),
        prints=lambda: printed(output),
        secret=fitted.known.is_secret,
    )


def _with_unsent(losses: list[Loss], fitted: Fitted) -> list[Loss]:
    """Return the losses of a fit, and after them what its output holds, but no client sends.

    Such a document has lost nothing: nobody has to allow this, and there is nothing to restore. But whoever hands it to
    the library should know what the model won't see: content, also where the document's own loss is an annotation.
    """
    if not fitted.unsent:
        return losses
    told = {loss.path for loss in losses if loss.level == "content"}
    found = [
        Loss(path, "unsent", fitted.codec, "content", why=why)
        for path, why in _unsent(fitted)
        if not any(path[:end] in told for end in range(2, len(path) + 1))
    ]
    return [*losses, *found]


def _unsent(fitted: Fitted) -> Iterator[tuple[Path, str]]:
    """Yield the path in the source, and the reason, of each block or field that isn't sent; one reason for each."""
    is_later = False
    for index, message in enumerate(fitted.source.messages):
        is_given = message.role != "assistant"
        rows = [row for row in fitted.unsent if row.is_given == is_given]
        for path, block in _blocks_of(message, ("messages", index), is_given=is_given):
            found = [row for row in rows if isinstance(block, row.cls) and (is_later or not row.is_later)]
            told = {row.field: row.why for row in found if row.case(block, message)}
            yield from ((path + ((field,) if field else ()), why) for field, why in told.items())
            is_later = is_later or message.role not in PROMPT_ROLES


def _blocks_of(message: Msg, start: Path, *, is_given: bool) -> Iterator[tuple[Path, Any]]:
    """Yield the blocks of a message with their paths; of what a model is given, those inside results, too."""
    for place, block in enumerate(message.content):
        path = (*start, "content", place)
        yield path, block
        if is_given and isinstance(block, ToolResultBlock):
            yield from (((*path, "content", inner), each) for inner, each in enumerate(block.content))


@attrs.frozen(eq=False)
class _Unedited:
    """Guards a loss report whose output is in memory; unlike a function, it can be pickled."""

    output: History

    def __call__(self, history: History) -> None:
        check_unedited(history, self.output)


_make_guard = maker(_Unedited)


def check_unedited(history: History, output: History) -> None:
    """Refuse a history that isn't the output (which may have messages appended).

    Raises:
        LossError: code "edited".
    """
    for index, message in enumerate(output.messages):
        if index >= len(history):
            raise _edited(("messages", index))
        if not same(history.messages[index], message):
            raise _edited(("messages", index, *_place(message, history.messages[index])))
    for name in ("id", "tools", "metadata", "settings", "sorted_extras"):
        was, now = getattr(output, name), getattr(history, name)
        if not same(now, was):
            raise _edited((name.removeprefix("sorted_"), *_place(was, now)))


def _edited(path: Path) -> LossError:
    return LossError("the loss report belongs to another history", code="edited", path=path)


def _place(was: Any, now: Any) -> Path:
    """Return the way to the first difference of two values that aren't the same."""
    for step, before, after in _inside(was, now):
        if not same(before, after):
            return (step, *_place(before, after))
    return ()


def _inside(was: Any, now: Any) -> Iterator[tuple[str | int, Any, Any]]:
    """Yield what two values of one kind hold, side by side."""
    if isinstance(was, Noted):
        if class_of(was) is class_of(now):
            kind: Any = class_of(was)
            yield from ((name, get(was), get(now)) for name, get in compared(kind))
    elif is_mapping(was) and is_mapping(now):
        yield from ((key, was.get(key), now.get(key)) for key in {**was, **now})
    elif isinstance(was, (tuple, list)) and isinstance(now, (tuple, list)):
        before, after = cast("Sequence[Any]", was), cast("Sequence[Any]", now)
        if len(before) == len(after):
            yield from ((index, *pair) for index, pair in enumerate(zip(before, after, strict=True)))


def loses_content(fitted: Fitted) -> bool:
    """Whether the loss report may hold content losses, without computing it."""
    source, output = fitted.source, fitted.history
    if source.tools is not output.tools or len(source) != len(output):
        return True
    asked = source.settings
    if asked is not None and asked is not output.settings and (asked.response_format is not None or asked.extras):
        return True
    return extras_hold_content(source, source.extras, output.extras) or any(
        new is not old
        and not (
            new.content is old.content
            and new.role == old.role
            and new.structured is old.structured
            and new.extras is old.extras
        )
        for old, new in zip(source.messages, output.messages, strict=True)
    )
