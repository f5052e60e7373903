"""The loss report of a fit: what the output plus this list needs to rebuild the input."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from agentmsg.errors import LossError
from agentmsg.fitting.difference import difference
from agentmsg.fitting.digest import printed
from agentmsg.fitting.levels import extras_hold_content
from agentmsg.fitting.losses import Losses
from agentmsg.fitting.spellings import spellings
from agentmsg.model.construction import maker
from agentmsg.model.equality import same
from agentmsg.model.history import History

if TYPE_CHECKING:
    from agentmsg.fitting.fitted import Fitted

__all__ = ["account", "check_unedited", "loses_content"]


def account(fitted: Fitted) -> Losses:
    """Return the loss report of a fit; it is computed on first access."""
    output = fitted.history
    return Losses.of_fit(
        lambda: difference(fitted.source, output, fitted.codec, fitted.known),
        codec=fitted.codec,
        guard=_make_guard(output),
        spelling=lambda: spellings(fitted),
        length=len(output),
        prints=lambda: printed(output),
        secret=fitted.known.is_secret,
    )


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
        if index >= len(history) or not same(history.messages[index], message):
            msg = "the loss report belongs to another history"
            raise LossError(msg, code="edited", path=("messages", index))
    for name in ("id", "tools", "metadata", "settings", "sorted_extras"):
        if not same(getattr(history, name), getattr(output, name)):
            msg = "the loss report belongs to another history"
            raise LossError(msg, code="edited", path=(name.removeprefix("sorted_"),))


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
