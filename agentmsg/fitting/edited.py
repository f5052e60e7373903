"""A fit of a history that was changed before, one for one, accounted for from what it was changed from.

The account compares what stands in the source with what stands in the output, field by field, and asks nobody how one
became the other. So it needs to know only which message, block and tool was which; and where each is still in its
place, that is what fit noted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from agentmsg.errors import CodecLookupError
from agentmsg.fitting.fitted import Fitted, make_item

if TYPE_CHECKING:
    from agentmsg.formats.codec import Codec
    from agentmsg.model.history import History

__all__ = ["over", "with_asked"]


def with_asked(history: History, target: Codec, **settings: Any) -> History:
    """Return a history that asks for what is given of some settings; None leaves what it said.

    Args:
        history: what is converted.
        target: the format to write, which must have settings: else what was asked for would go unheard.
        settings: by name.

    Raises:
        CodecLookupError: if the format has no settings.
        InvalidMessage: if a value has another type.
    """
    given: Any = {name: value for name, value in settings.items() if value is not None}
    if not given:
        return history
    if target.caps.settings is None and not target.caps.everything:
        msg = f"{target.title} has no place for {' and '.join(given)}"
        raise CodecLookupError(msg, code="option", codec=target.name)
    return history.with_settings(**given)


def over(fitted: Fitted, source: History, *, is_secret: bool) -> Fitted:
    """Return a fit whose account leads from its output back to another source.

    Args:
        fitted: of a history with the same messages, blocks and tools in the same places, whatever is in them.
        source: what that history was changed from.
        is_secret: whether the account then holds what somebody wanted hidden.
    """
    before = fitted.source
    if before is source:
        return fitted
    tools = fitted.tools
    if tools is None and before.tools is not source.tools:
        tools = tuple([make_item(tool) for tool in before.tools])
    return attrs.evolve(fitted, source=source, tools=tools, is_secret=is_secret)
