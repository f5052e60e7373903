"""Blocks set apart: content that a tool result can't hold goes into a user message after the results.

The capability table says whether a format does this (``Caps.apart``), and ``fit`` finds the blocks. The loss report
says where each went, and restore takes it back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmsg.formats.capabilities import Drop
from agentmsg.model.msg import Msg

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentmsg.model.blocks import Block

BEHIND = "is in a user message after the result"


def with_apart(
    planned: Sequence[Msg], changed: Mapping[int, Msg | Drop], apart: Mapping[int, Sequence[Block]]
) -> list[Msg]:
    """Return the output messages, with what is set apart in messages of its own.

    Args:
        planned: the messages of a plan.
        changed: what became of them.
        apart: the blocks that are set apart, by the index of the message.
    """
    kept: list[Msg] = []
    waiting: list[Block] = []

    def flush() -> None:
        if waiting:
            kept.append(Msg("user", tuple(waiting), id=None, created_at=None))
            waiting.clear()

    for index, message in enumerate(planned):
        new = changed.get(index, message)
        if isinstance(new, Drop):
            continue
        if new.role != "tool":
            flush()
        kept.append(new)
        if new.role == "tool":
            waiting.extend(apart.get(index, ()))
    flush()
    return kept
