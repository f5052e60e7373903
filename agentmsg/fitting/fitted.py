"""The result of fit: the output, and what each part of it was made of. The loss report is derived from it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import attrs

from agentmsg.fitting.losses import Path
from agentmsg.formats.capabilities import Drop, Level, Swap
from agentmsg.formats.restructure import Plan
from agentmsg.model.construction import maker
from agentmsg.model.history import History
from agentmsg.model.msg import Msg

__all__ = ["FitItem", "FitMessage", "Fitted", "Joined", "make_fitted", "make_item", "make_message"]

_NONE: Mapping[Any, Any] = MappingProxyType({})
_NOTHING_ADDED: frozenset[int] = frozenset()


class Joined(Drop):
    """Stands for a block that is now a part of the last one before it that is left."""


@attrs.frozen
class FitItem:
    """What became of one block or tool.

    Attributes:
        new: the output in its place, or Drop (Joined: the output is that of a block before it).
        inner: what became of the blocks inside a result, if any of them changed.
        swap: what the rule returned, if that was a Swap.
        place: its message and block in the output, if it was set apart (see result_overflow.py).
    """

    new: Any
    inner: tuple[FitItem, ...] | None = None
    swap: Swap | None = None
    place: tuple[int, int] | None = None


@attrs.frozen
class FitMessage:
    """What became of one message of a plan.

    Attributes:
        new: the output message, or Drop.
        items: what became of its blocks; None if they are all unchanged.
    """

    new: Msg | Drop
    items: tuple[FitItem, ...] | None = None


@attrs.frozen(eq=False)
class Fitted:
    """The result of fit: the output, and everything needed for the loss report.

    Attributes:
        source: the input.
        history: the output; the input itself if nothing changed.
        codec: the name of the codec.
        plan: the input parts of each planned message; None: one message each.
        changed: what became of planned messages, by their index in the plan; others are as planned.
        rules: what the rules for whole messages returned, by input index; for messages left empty, why they went.
        gone: what became of blocks that would have made up whole messages, by input index and place.
        added: the messages of the output that hold what was set apart, and belong to no planned message.
        tools: what became of the tools; None if they are unchanged.
        derives_names: whether the reader of the output names results after their calls (see ``Caps``).
        is_secret: whether the source holds what was redacted in the output.
        invented: the messages of the output without a source, and why they are there.
        is_measured: whether the output is what came back, so that the loss report is the difference.
        reasons: by path in the source, why something was mended, and the level of that loss (None: the default).
    """

    source: History
    history: History
    codec: str
    plan: Plan | None = None
    changed: Mapping[int, FitMessage] = _NONE
    rules: Mapping[int, Drop | Swap] = _NONE
    gone: Mapping[int, Mapping[int, FitItem]] = _NONE
    added: frozenset[int] = _NOTHING_ADDED
    tools: tuple[FitItem, ...] | None = None
    derives_names: bool = False
    is_secret: bool = False
    is_measured: bool = False
    invented: Mapping[int, str] = _NONE
    reasons: Mapping[Path, tuple[str, Level | None]] = _NONE


make_fitted = maker(Fitted)
make_message = maker(FitMessage)
make_item = maker(FitItem)
