"""Results that name their tools, for formats whose reader takes the names from the calls.

Many recorded conversations name the tool in each result, and in its call. Then nothing is lost. Finding this by
removing each name, as ``fit`` does if something else changes, would take half of a conversion's time.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from agentmsg.fitting.compiled import compile_caps
from agentmsg.formats.capabilities import KEEP, Caps
from agentmsg.formats.plain_messages import SAID, how_bare
from agentmsg.model.base import BaseBlock
from agentmsg.model.blocks import ToolResultBlock, ToolUseBlock
from agentmsg.model.generated import MadeName
from agentmsg.model.tool_links import CallNames

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentmsg.model.msg import Msg


def fits_with_names(messages: Sequence[Msg], caps: Caps, start: int) -> bool:
    """Whether all messages are kept as they are, given the names that a reader derives for results.

    Args:
        messages: of a whole history.
        caps: the table.
        start: the index of the first message that isn't kept as it is if calls aren't considered.
    """
    if not caps.derives_names or messages[start].role != "tool":
        return False
    misfit = _misfit_but_for_names(caps)
    if misfit is None or misfit(messages, start) >= 0:
        return False
    return _are_derived(messages, CallNames(are_near=caps.near_names))


@lru_cache(maxsize=256)
def _misfit_but_for_names(caps: Caps) -> Callable[..., int] | None:
    """Return a function that finds unsupported messages, ignoring results' names; None if names matter."""
    of_tools = caps.messages.get("tool")
    if of_tools is None:
        return None
    row = of_tools.blocks.get(ToolResultBlock) or of_tools.blocks.get(BaseBlock)
    if row is None or "name" in row.fields:
        return None
    loose = row.evolve(fields={**row.fields, "name": KEEP})
    of_tools = of_tools.evolve(blocks={**of_tools.blocks, ToolResultBlock: loose})
    return compile_caps(caps.evolve(messages={**caps.messages, "tool": of_tools}))


def _are_derived(messages: Sequence[Msg], names: CallNames) -> bool:
    """Whether a reader that takes names from calls gives each result the name that it has."""
    for message in messages:
        if how_bare(message) == SAID:
            continue
        content = message.content
        names.enter(message)
        for block in content:
            if isinstance(block, ToolUseBlock):
                if block.kind != "server":
                    names.call(block.id, block.name)
            elif isinstance(block, ToolResultBlock):
                name, made = block.name, names.answer(block.tool_call_id) if block.kind != "server" else None
                if name is not None and type(name) is not MadeName and (name != made or len(content) > 1):
                    return False
    return True
