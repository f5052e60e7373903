"""Totals of many histories, added one by one in bounded memory.

``stats_of`` counts each history, and its numbers are summed up here. Bounds: a ``Distribution`` keeps a number for each
different value up to EXACT of them, and buckets beyond. Of the names that data chooses (roles, tools, formats), the
first NAMES or ROLES are kept apart; later ones count as OTHERS.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any, TypeVar

import attrs

from agentmsg.model.usage import COUNTERS, Usage
from agentmsg.ops.stats import stats_of
from agentmsg.ops.tokens import approximate_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from agentmsg.model.history import History
    from agentmsg.ops.stats import HistoryStats
    from agentmsg.ops.tokens import Counter as TokenCounter

_T = TypeVar("_T")

EXACT = 4096
NAMES = 1000
ROLES = 32
OTHERS = "(others)"
PERCENTILES = (50, 90, 99)
# Each bucket is 2 % wider than the one below, so its middle is at most 1 % from any value in it.
_GROWTH = 1.02


class Distribution:
    """Non-negative numbers and their percentiles.

    Exact up to EXACT different values; beyond that percentiles are within 1 %. Count, sum, minimum and maximum stay
    exact (the sum as far as floats go, if values are floats).
    """

    def __init__(self) -> None:
        self.count = 0
        self.total: float = 0
        self.least: float | None = None
        self.greatest: float | None = None
        self.exact = True
        self._counts: Counter[float] = Counter()

    def add(self, value: float) -> None:
        """Add a number."""
        self.count += 1
        self.total += value
        self.least = value if self.least is None else min(self.least, value)
        self.greatest = value if self.greatest is None else max(self.greatest, value)
        self._counts[value if self.exact else _bucket(value)] += 1
        if self.exact and len(self._counts) > EXACT:
            self.exact = False
            fine, self._counts = self._counts, Counter()
            for each, times in fine.items():
                self._counts[_bucket(each)] += times

    @property
    def mean(self) -> float | None:
        """The average; None if there are no numbers."""
        return self.total / self.count if self.count else None

    def counts(self) -> Iterator[tuple[float, int]]:
        """Yield the values in order, each with its count; for buckets their middles."""
        least, greatest = self.least or 0, self.greatest or 0
        for value, times in sorted(self._counts.items()):
            yield (value if self.exact else min(max(_middle(value), least), greatest)), times

    def percentile(self, percent: float) -> float | None:
        """Return the smallest value that is at least this percentile; None if there are none."""
        if percent >= 100:  # noqa: PLR2004 - all of them
            return self.greatest
        rank, seen = max(1, math.ceil(self.count * percent / 100)), 0
        for value, times in self.counts():
            seen += times
            if seen >= rank:
                return value
        return None

    def as_data(self) -> dict[str, Any]:
        """Return the main figures as plain data."""
        return {
            "count": self.count,
            "mean": self.mean,
            "min": self.least,
            **{f"p{percent}": self.percentile(percent) for percent in PERCENTILES},
            "max": self.greatest,
            "exact": self.exact,
        }


def _bucket(value: float) -> float:
    # Nothing is below bucket 0.
    return math.ceil(math.log(value) / math.log(_GROWTH)) if value > 0 else -math.inf


def _middle(bucket: float) -> float:
    return 0 if bucket == -math.inf else 2 * _GROWTH**bucket / (_GROWTH + 1)


@attrs.define
class ToolTotals:
    """Calls and results of one tool; errors are the results that report a failure."""

    calls: int = 0
    results: int = 0
    errors: int = 0

    @property
    def uses(self) -> int:
        """Number of uses: histories may hold calls without results, and results without calls."""
        return max(self.calls, self.results)

    @property
    def error_rate(self) -> float | None:
        """Errors among the results; None if there are no results."""
        return self.errors / self.results if self.results else None

    def as_data(self) -> dict[str, Any]:
        """Return all as plain data."""
        return {**attrs.asdict(self), "error_rate": self.error_rate}


@attrs.define
class Holding:
    """Number of histories and messages of one format."""

    histories: int = 0
    messages: int = 0


class Totals:
    """Totals of many histories.

    Attributes:
        histories, messages: their number.
        by_codec: histories and messages of each format.
        by_role: characters of text per message, by role.
        lengths: characters of text in all messages.
        sizes: messages per history.
        tokens: tokens of each history as a prompt, estimated or counted.
        tool_tokens, media_tokens: how many of them are of tools, and of media, for histories that have these.
        seconds: from the first to the last time of a history, for those with two times.
        tools: by name; a result of an unknown tool counts in ``all_tools`` only.
        all_tools: all tools together.
        usage: the sum of all usage, without extras; None if no message states any.
        usage_stated: number of messages that state each counter.
    """

    def __init__(self, counter: TokenCounter = approximate_tokens) -> None:
        self._counter = counter
        self.histories = 0
        self.messages = 0
        self.by_codec: dict[str, Holding] = {}
        self.by_role: dict[str, Distribution] = {}
        self.lengths = Distribution()
        self.sizes = Distribution()
        self.tokens = Distribution()
        self.tool_tokens = Distribution()
        self.media_tokens = Distribution()
        self.seconds = Distribution()
        self.tools: dict[str, ToolTotals] = {}
        self.all_tools = ToolTotals()
        self.usage: Usage | None = None
        self.usage_stated: Counter[str] = Counter()

    def add(self, history: History, codec: str = "") -> None:
        """Add a history, and the name of its format."""
        self.add_stats(stats_of(history, counter=self._counter), [str(message.role) for message in history], codec)

    def add_stats(self, stats: HistoryStats, roles: Iterable[str], codec: str = "") -> None:
        """Add the statistics of a history, with the role of each message, and the name of its format."""
        self.histories += 1
        self.messages += stats.messages
        place = _kept(self.by_codec, codec, NAMES, Holding)
        place.histories += 1
        place.messages += stats.messages
        self.sizes.add(stats.messages)
        self.tokens.add(stats.tokens)
        if stats.tool_tokens:
            self.tool_tokens.add(stats.tool_tokens)
        if stats.media_tokens:
            self.media_tokens.add(stats.media_tokens)
        if stats.duration is not None:
            self.seconds.add(stats.duration.total_seconds())
        for role, length in zip(roles, stats.lengths, strict=True):
            self.lengths.add(length)
            _kept(self.by_role, role, ROLES, Distribution).add(length)
        self._add_tools(stats)
        if stats.usage is not None:
            usage = stats.usage.evolve(extras={})
            self.usage = usage if self.usage is None else self.usage + usage
            self.usage_stated.update(stats.usage_stated)

    def _add_tools(self, stats: HistoryStats) -> None:
        self.all_tools.calls += sum(stats.calls_by_tool.values())
        self.all_tools.results += stats.tool_executions
        self.all_tools.errors += stats.tool_errors
        for name, number in stats.calls_by_tool.items():
            _kept(self.tools, name, NAMES, ToolTotals).calls += number
        for name, number in stats.by_tool.items():
            _kept(self.tools, name, NAMES, ToolTotals).results += number
        for name, number in stats.errors_by_tool.items():
            _kept(self.tools, name, NAMES, ToolTotals).errors += number

    def counters(self) -> Iterator[tuple[str, float, int]]:
        """Yield each stated counter of usage: its name, its sum, and the number of messages that state it."""
        for name in COUNTERS:
            value = getattr(self.usage, name, None)
            if value is not None:
                yield name, value, self.usage_stated[name]

    def as_data(self) -> dict[str, Any]:
        """Return all as plain data."""
        return {
            "histories": self.histories,
            "messages": self.messages,
            "by_codec": _as_data(self.by_codec, attrs.asdict),
            "by_role": _as_data(self.by_role, Distribution.as_data),
            "lengths": self.lengths.as_data(),
            "messages_a_history": self.sizes.as_data(),
            "tokens_a_history": self.tokens.as_data(),
            "tool_tokens_a_history": self.tool_tokens.as_data(),
            "media_tokens_a_history": self.media_tokens.as_data(),
            "seconds_a_history": self.seconds.as_data(),
            "tools": _as_data(self.tools, ToolTotals.as_data),
            "all_tools": self.all_tools.as_data(),
            "usage": {name: {"sum": total, "messages": messages} for name, total, messages in self.counters()},
        }


def by_size(table: Mapping[str, _T], size: Callable[[_T], float]) -> list[tuple[str, _T]]:
    """Return a table's entries, the largest first, equal ones by name."""
    return sorted(table.items(), key=lambda entry: (-size(entry[1]), entry[0]))


def _kept(table: dict[str, _T], name: str, most: int, new: Callable[[], _T]) -> _T:
    """Return a table's entry for a name, a new one if there is room, else that of all others."""
    if name not in table and len(table) >= most:
        name = OTHERS
    if name not in table:
        table[name] = new()
    return table[name]


def _as_data(table: Mapping[str, _T], convert: Callable[[_T], Any]) -> dict[str, Any]:
    return {name: convert(value) for name, value in table.items()}
