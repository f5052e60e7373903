"""Usage: what a response cost in tokens, money and time."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

import attrs

from agentmsg.errors import is_a
from agentmsg.model.base import Noted
from agentmsg.model.checks import checked, counter, listed, whole
from agentmsg.values.frozen import EMPTY

if TYPE_CHECKING:
    from collections.abc import Iterable

# What ``+`` adds up, in display order.
COUNTERS = (
    "input", "output", "total", "cache_read", "cache_write", "reasoning", "input_audio", "output_audio",
    "cost", "seconds",
)  # fmt: skip


@attrs.frozen(kw_only=True, repr=False, eq=False)
class Usage(Noted):
    """Counters of one response, in tokens unless noted otherwise; None means not stated.

    Attributes:
        input: tokens read, including cache reads and writes.
        output: tokens written, including reasoning.
        total: as the provider stated it; not computed.
        cache_read: part of input that came from a cache.
        cache_write: part of input that was written to a cache.
        reasoning: part of output that was thinking.
        input_audio: part of input that was audio.
        output_audio: part of output that was audio.
        cost: money, in the source's currency.
        seconds: duration of the response.
    """

    input: int | None = attrs.field(default=None, validator=whole)
    output: int | None = attrs.field(default=None, validator=whole)
    total: int | None = attrs.field(default=None, validator=whole)
    cache_read: int | None = attrs.field(default=None, validator=whole)
    cache_write: int | None = attrs.field(default=None, validator=whole)
    reasoning: int | None = attrs.field(default=None, validator=whole)
    input_audio: int | None = attrs.field(default=None, validator=whole)
    output_audio: int | None = attrs.field(default=None, validator=whole)
    cost: int | float | None = attrs.field(default=None, validator=counter)
    seconds: int | float | None = attrs.field(default=None, validator=counter)

    def __add__(self, other: Usage) -> Usage:
        """Return the sum of all counters (None if neither side states one), with joined extras; the left ones win."""
        if not is_a(other, Usage):
            return NotImplemented
        return Usage.joined((self, other))

    @classmethod
    def joined(cls, usages: Iterable[Usage]) -> Usage:
        """Return the sum of several, as repeated ``+`` does, but in one step."""
        stated = tuple(checked(each, Usage, "usage") for each in listed(usages, "usages"))
        sums: dict[str, Any] = {name: reduce(_add, [getattr(each, name) for each in stated], None) for name in COUNTERS}
        extras = [each.extras for each in stated if each.extras]
        if len(extras) > 1:
            extras = [{key: value for each in reversed(extras) for key, value in each.items()}]
        return cls(**sums, extras=extras[0] if extras else EMPTY)


def _add(left: float | None, right: float | None) -> float | None:
    return right if left is None else left if right is None else left + right
