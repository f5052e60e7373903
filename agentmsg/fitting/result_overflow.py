"""Blocks set apart: content that a tool result can't hold goes into a user message after the results.

The capability table says whether a format does this (``Caps.apart``). ``fit`` finds the blocks, and this module puts
them into a message. The loss report says where each went, and restore takes it back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from agentmsg.formats.capabilities import Drop
from agentmsg.model.msg import Msg

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentmsg.fitting.fitted import FitMessage

__all__ = ["APART", "set_apart"]

APART = (-1, -1)
"""The place of a block that is to stand apart, before it has one."""


def set_apart(
    planned: Sequence[Msg], changed: Mapping[int, FitMessage]
) -> tuple[list[Msg], dict[int, FitMessage], frozenset[int]]:
    """Return the output messages, what became of those that aren't as planned, and which of the former are new.

    Args:
        planned: the messages of a plan.
        changed: what became of them.
    """
    kept: list[Msg] = []
    told = dict(changed)
    added: list[int] = []
    waiting: list[Any] = []

    def flush() -> None:
        if waiting:
            added.append(len(kept))
            kept.append(Msg("user", tuple(waiting), id=None, created_at=None))
            waiting.clear()

    # Where the message for a run of results will be.
    ends = _ends(planned, changed)
    for index, message in enumerate(planned):
        done = changed.get(index)
        new = message if done is None else done.new
        if isinstance(new, Drop):
            continue
        if new.role != "tool":
            flush()
        kept.append(new)
        if done is not None and done.items is not None and new.role == "tool":
            told[index] = _placed(done, len(kept) + ends[index], waiting)
    flush()
    return kept, told, frozenset(added)


def _ends(planned: Sequence[Msg], changed: Mapping[int, FitMessage]) -> dict[int, int]:
    """Return, for each result, how many results follow it in its run."""
    ends: dict[int, int] = {}
    behind = 0
    for index in range(len(planned) - 1, -1, -1):
        new = changed[index].new if index in changed else planned[index]
        if isinstance(new, Drop):
            continue
        ends[index] = behind if new.role == "tool" else 0
        behind = behind + 1 if new.role == "tool" else 0
    return ends


def _placed(done: FitMessage, out: int, waiting: list[Any]) -> FitMessage:
    """Give a result's blocks that are set apart their places in a message, and queue them."""
    items: list[Any] = []
    for item in done.items or ():
        inner = item.inner
        if inner is not None and any(each.place is not None for each in inner):
            placed: list[Any] = []
            for each in inner:
                if each.place is None:
                    placed.append(each)
                    continue
                placed.append(attrs.evolve(each, place=(out, len(waiting))))
                waiting.append(each.new)
            items.append(attrs.evolve(item, inner=tuple(placed)))
        else:
            items.append(item)
    return attrs.evolve(done, items=tuple(items))
