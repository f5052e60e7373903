"""A fit of a history that was itself derived from another, with a loss report that leads back to that one.

The loss report compares source and output, and ignores how one became the other. As long as each message, block and
tool is in its place, the history between them tells which is which.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from agentmsg.errors import CodecLookupError
from agentmsg.fitting.fit import fit
from agentmsg.model.history import History
from agentmsg.model.msg import Msg

if TYPE_CHECKING:
    from agentmsg.fitting.fitted import Fitted
    from agentmsg.formats.codec import Codec


def with_asked(history: History, target: Codec, **settings: Any) -> History:
    """Return a history with some settings set; None keeps its own.

    Args:
        history: the history to convert.
        target: the format to write. It must have settings, or the request would be ignored.
        settings: by name.

    Raises:
        CodecLookupError: if the format has no settings.
        InvalidMessage: if a value has the wrong type.
    """
    given: Any = {name: value for name, value in settings.items() if value is not None}
    if not given:
        return history
    asked = history.with_settings(**given)
    if not _has_settings(target, given):
        msg = f"{target.title} has no place for {' and '.join(given)}"
        raise CodecLookupError(msg, code="option", codec=target.name)
    return asked


def _has_settings(target: Codec, given: dict[str, Any]) -> bool:
    caps = target.caps
    if not caps.measured:
        return caps.everything or caps.settings is not None
    probe = History([Msg("user", "Hello", id=None, created_at=None)]).with_settings(**given)
    return fit(probe, target).history.settings is not None


def over(fitted: Fitted, source: History, *, is_secret: bool) -> Fitted:
    """Return a fit whose loss report leads from its output back to another source.

    Args:
        fitted: a fit of a history with the same messages, blocks and tools in the same places, whatever their values.
        source: the history from which that one was derived.
        is_secret: whether the loss report then holds values that were meant to be hidden.
    """
    if fitted.source is source:
        return fitted
    like = fitted.known.like or fitted.source
    return attrs.evolve(fitted, source=source, known=attrs.evolve(fitted.known, like=like, is_secret=is_secret))
