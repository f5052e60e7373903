"""What fit gives: the output, and beside each part of it of what it was made. The loss report is derived from it."""

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

__all__ = ["FitItem", "FitMessage", "Fitted", "make_fitted", "make_item", "make_message"]

_NONE: Mapping[Any, Any] = MappingProxyType({})
_NOTHING_ADDED: frozenset[int] = frozenset()


@attrs.frozen
class FitItem:
    """What became of one block or tool.

    Attributes:
        new: what the output has in its place, or Drop.
        inner: what became of the blocks inside a result, where any of them changed.
        swap: what the rule returned, if that is of another class.
        place: the message and the block of the output that it is, where it stands apart (see result_overflow.py).
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
        items: what became of its blocks; None if they are all as they were.
    """

    new: Msg | Drop
    items: tuple[FitItem, ...] | None = None


@attrs.frozen(eq=False)
class Fitted:
    """The result of fit: the output, and all that is needed to report it.

    Attributes:
        source: the input.
        history: the output; the input itself where it is kept as it is.
        codec: the name of the codec.
        plan: of what input parts each planned message is made; None: one of each.
        changed: what became of planned messages, by their index in the plan; those missing are as planned.
        rules: what the rules for whole messages said, by input index; of those left empty, why they went.
        gone: what became of blocks of which whole messages would have been made, by input index and place.
        added: the messages of the output that hold what stands apart, and are of no planned one.
        tools: what became of the tools; None if they are as they were.
        derives_names: whether the reader of the output names results after their calls (see ``Caps``).
        is_secret: whether the source holds what was redacted in the output.
        invented: the messages of the output that nobody said, and why they are there.
        reasons: why something was mended, and at what level that counts (None: as usual), by its path in the source.
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
    invented: Mapping[int, str] = _NONE
    reasons: Mapping[Path, tuple[str, Level | None]] = _NONE


make_fitted = maker(Fitted)
make_message = maker(FitMessage)
make_item = maker(FitItem)
