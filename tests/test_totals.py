"""Totals: many histories folded into numbers, in bounded memory."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentmsg as am
from agentmsg.ops.totals import EXACT, NAMES, OTHERS, ROLES, Distribution, Totals, by_size
from agentmsg.testing import histories

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def filled(values: list[float]) -> Distribution:
    """Return a distribution of some numbers."""
    distribution = Distribution()
    for value in values:
        distribution.add(value)
    return distribution


def nearest_rank(values: list[float], percent: float) -> float:
    """Return a percentile as the textbook defines it."""
    return sorted(values)[max(1, math.ceil(len(values) * percent / 100)) - 1]


@given(st.lists(st.integers(0, 10**6), min_size=1), st.integers(1, 100))
def test_percentiles_are_exact(values: list[float], percent: int) -> None:
    """With few different values a percentile is one of them, by its definition."""
    assert filled(values).percentile(percent) == nearest_rank(values, percent)


@pytest.mark.parametrize("step", [1, 7.3, 1000])
def test_percentiles_of_many_values_are_close(step: float) -> None:
    """Beyond EXACT different values percentiles are within one percent, and their memory is bounded."""
    values = [number * step for number in range(3 * EXACT)]
    distribution = filled(values)
    assert not distribution.exact
    assert len(list(distribution.counts())) < 2500
    for percent in (1, 10, 50, 90, 99):
        assert distribution.percentile(percent) == pytest.approx(nearest_rank(values, percent), rel=0.0101)
    assert (distribution.least, distribution.greatest) == (0, values[-1])
    assert distribution.percentile(100) == values[-1]
    assert distribution.count == len(values)
    assert distribution.total == pytest.approx(sum(values))
    assert sum(times for _, times in distribution.counts()) == len(values)


def test_an_empty_distribution_says_so() -> None:
    """Without numbers there are no percentiles."""
    assert filled([]).as_data() == {
        "count": 0, "mean": None, "min": None, "p50": None, "p90": None, "p99": None, "max": None, "exact": True,
    }  # fmt: skip


@given(st.lists(histories(3), max_size=4))
def test_totals_are_the_sums_of_stats(found: list[am.History]) -> None:
    """The counts of single histories are summed, and nothing is counted differently."""
    totals = Totals()
    for history in found:
        totals.add(history, "json")
    stats = [history.stats() for history in found]
    assert totals.messages == totals.lengths.count == sum(each.messages for each in stats)
    assert totals.lengths.total == sum(each.length for each in stats)
    assert totals.all_tools.results == sum(each.tool_executions for each in stats)
    assert totals.all_tools.errors == sum(each.tool_errors for each in stats)
    assert {role: each.count for role, each in totals.by_role.items()} == {
        role: sum(each.by_role.get(role, 0) for each in stats) for each in stats for role in each.by_role
    }
    assert totals.seconds.count == sum(each.duration is not None for each in stats)
    assert {name: messages for name, _, messages in totals.counters()} == {
        name: sum(each.usage_stated.get(name, 0) for each in stats) for each in stats for name in each.usage_stated
    }


def test_calls_results_and_errors_by_tool() -> None:
    """A tool has its calls, its results, unnamed ones too, and its failed results."""
    history = am.History.of(
        am.Msg.assistant(
            tool_calls=[{"name": "add", "id": "c1", "args": {}}, {"name": "add", "id": "c2", "args": "{"}]
        ),
        am.Msg.tool("3", tool_call_id="c1"),
        am.Msg.tool("no", tool_call_id="c2", error="no"),
        am.Msg.tool("whose?", tool_call_id="c9"),
    )
    totals = Totals()
    totals.add(history)
    assert totals.as_data()["tools"] == {"add": {"calls": 2, "results": 2, "errors": 1, "error_rate": 0.5}}
    assert totals.as_data()["all_tools"] == {"calls": 2, "results": 3, "errors": 1, "error_rate": 1 / 3}


def test_usage_is_summed_where_it_is_stated() -> None:
    """Each counter is summed, with the number of messages that have it; one that none has is left out."""
    history = am.History(
        [
            am.Msg("assistant", "a", usage=am.Usage(input=5, cost=0.5, extras={"x": 1}), created_at=NOON),
            am.Msg("assistant", "b", usage=am.Usage(input=7, output=1), created_at=NOON + timedelta(seconds=90)),
        ]
    )
    totals = Totals()
    totals.add(history, "a")
    totals.add(history, "b")
    data = totals.as_data()
    assert data["usage"] == {
        "input": {"sum": 24, "messages": 4},
        "output": {"sum": 2, "messages": 2},
        "cost": {"sum": 1.0, "messages": 2},
    }
    assert data["seconds_a_history"]["p50"] == 90
    assert data["by_codec"] == {"a": {"histories": 1, "messages": 2}, "b": {"histories": 1, "messages": 2}}


def test_names_that_data_chooses_take_bounded_memory() -> None:
    """A limited number of roles and tools are kept apart; later ones are counted together, and none is lost."""
    totals = Totals()
    for number in range(NAMES + 10):
        call = am.ToolUseBlock(f"c{number}", f"tool {number}")
        totals.add(am.History([am.Msg.chat(f"role {number}", "x"), am.Msg("assistant", (call,))]))
    assert len(totals.tools) == NAMES + 1
    assert totals.tools[OTHERS].calls == 10
    assert len(totals.by_role) == ROLES + 1
    assert sum(each.count for each in totals.by_role.values()) == totals.messages


def test_by_size_is_stable() -> None:
    """The largest come first, and those of the same size by name."""
    assert by_size({"b": 1, "c": 2, "a": 1}, float) == [("c", 2), ("a", 1), ("b", 1)]
