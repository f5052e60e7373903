"""History.stats(): a history in numbers."""

from __future__ import annotations

import datetime as dt
import pickle
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmsg import (
    History,
    HistoryStats,
    ImageBlock,
    InvalidMessage,
    Msg,
    TextBlock,
    ToolResultBlock,
    ToolsBlock,
    ToolSpec,
    ToolUseBlock,
    URLSource,
    Usage,
    approximate_tokens,
)
from agentmsg.values.frozen import FrozenDict

NOON = dt.datetime(2026, 1, 1, 12, tzinfo=dt.UTC)
MINUTE = dt.timedelta(minutes=1)


class Berlin(dt.tzinfo):
    """The clocks of Berlin in 2026: no test needs a time zone database for one year."""

    _FORWARD, _BACK = dt.datetime(2026, 3, 29, 3), dt.datetime(2026, 10, 25, 2)

    def dst(self, when: dt.datetime | None) -> dt.timedelta:
        wall = (when or self._BACK).replace(tzinfo=None, fold=0)
        again = when is not None and when.fold and self._BACK <= wall < self._BACK + 60 * MINUTE
        ahead = self._FORWARD <= wall < self._BACK + 60 * MINUTE and not again
        return dt.timedelta(hours=int(ahead))

    def tzname(self, when: dt.datetime | None) -> str:
        return "CEST" if self.dst(when) else "CET"

    def utcoffset(self, when: dt.datetime | None) -> dt.timedelta:
        return dt.timedelta(hours=1) + self.dst(when)


def _at(*times: dt.datetime | None) -> History:
    """Return a history of messages at these times."""
    return History([Msg("user", "x", created_at=time) for time in times])


def test_counts_and_lengths() -> None:
    """Messages are counted by role in the order of first appearance, and their characters summed and averaged."""
    history = History.of(
        Msg.system("Be brief."),
        "Hi 👋",
        Msg.assistant("Yes?"),
        "2 + 3?",
        Msg.chat("moderator", "Fine."),
        Msg.remove("m1"),
    )
    stats = history.stats()
    assert list(stats.by_role.items()) == [
        ("system", 1),
        ("user", 2),
        ("assistant", 1),
        ("moderator", 1),
        ("remove", 1),
    ]
    assert (stats.messages, stats.length, stats.average_length) == (6, 28, 28 / 6)
    assert sum(stats.by_role.values()) == stats.messages


def test_the_last_user_message() -> None:
    """It is the message itself, whatever follows it; None without a user message."""
    asked = Msg.user("And now?")
    assert History.of("Hi", asked, Msg.assistant("Later.")).stats().last_user_message is asked
    assert History.of(Msg.assistant("Hello?")).stats().last_user_message is None


def test_an_empty_history_has_stats() -> None:
    """Without messages there are zeros, and None if zero would be misleading."""
    assert History().stats() == HistoryStats(
        messages=0,
        by_role={},
        length=0,
        average_length=0.0,
        last_user_message=None,
        tool_executions=0,
        by_tool={},
        usage=None,
        duration=None,
    )


def test_tool_executions() -> None:
    """Every result counts, of client and server tools; the result names a tool, else its call does."""
    calls = [ToolUseBlock("c1", "add", {}), ToolUseBlock("c2", "search", {}), ToolUseBlock("c3", "add", {})]
    web = [ToolUseBlock("s1", "web", {}, kind="server"), ToolResultBlock("s1", "found", kind="server")]
    history = History.of(
        Msg.assistant(tool_calls=calls),
        Msg.tool("5", tool_call_id="c3"),
        Msg.tool("none", tool_call_id="c2", name="search", error="none"),
        Msg.tool("?", tool_call_id="nobody"),
        Msg("assistant", [*web, TextBlock("It is so.")]),
        Msg.tool("3", tool_call_id="c1"),
    )
    stats = history.stats()
    assert stats.tool_executions == 5
    assert list(stats.by_tool.items()) == [("add", 2), ("search", 1), ("web", 1)]
    assert History.of(Msg.assistant(tool_calls=calls)).stats().tool_executions == 0


def test_usage_is_summed() -> None:
    """Counters add up over all messages that have them; None if none has."""
    history = History.of(
        "Hi",
        Msg.assistant("a", usage=Usage(input=10, output=2, cache_read=4)),
        Msg.assistant("b", usage=Usage(input=5, output=1, cost=0.5)),
    )
    assert history.stats().usage == Usage(input=15, output=3, cache_read=4, cost=0.5)
    assert history[:1].stats().usage is None


NEW_YORK = dt.timezone(dt.timedelta(hours=-5))
BERLIN = Berlin()
NAIVE = dt.datetime(2026, 1, 1, 12)
TWO = dt.datetime(2026, 10, 25, 2, tzinfo=BERLIN)  # clocks go back at three
FIRST = dt.datetime.min.replace(tzinfo=dt.timezone(dt.timedelta(hours=14)))
LAST = dt.datetime.max.replace(tzinfo=dt.timezone(dt.timedelta(hours=-12)))
ZONES = st.sampled_from([dt.UTC, NEW_YORK, BERLIN])
DURATIONS: dict[str, tuple[History, dt.timedelta | None]] = {
    "no message": (_at(), None),
    "no times": (_at(None, None), None),
    "one time": (_at(NOON), None),
    "one time of two messages": (_at(NOON, None), None),
    "two times": (_at(NOON, NOON + MINUTE), MINUTE),
    "the same time twice": (_at(NOON, NOON), dt.timedelta()),
    "out of order, with a gap": (_at(NOON + MINUTE, None, NOON + 3 * MINUTE, NOON), 3 * MINUTE),
    "naive times": (_at(NAIVE, NAIVE + MINUTE), MINUTE),
    "times of two zones": (_at(NOON, dt.datetime(2026, 1, 1, 7, 1, tzinfo=NEW_YORK)), MINUTE),
    "naive and aware": (_at(NAIVE, NOON), None),
    "two aware and a naive": (_at(NOON, NOON + MINUTE, NAIVE), None),
    "over the night when clocks go forward": (
        _at(dt.datetime(2026, 3, 28, 12, tzinfo=BERLIN), dt.datetime(2026, 3, 29, 12, tzinfo=BERLIN)),
        23 * 60 * MINUTE,
    ),
    "the hour that comes twice": (_at(TWO, TWO.replace(fold=1)), 60 * MINUTE),
    "the whole calendar": (_at(FIRST, LAST), dt.timedelta(days=3652059, hours=26, microseconds=-1)),
}


@pytest.mark.parametrize("name", list(DURATIONS))
def test_duration(name: str) -> None:
    """It is the time from the earliest to the latest; None if that is unknown."""
    history, expected = DURATIONS[name]
    assert history.stats().duration == expected


@given(st.lists(st.none() | st.datetimes() | st.datetimes(timezones=ZONES), max_size=5))
def test_duration_never_raises(times: list[dt.datetime | None]) -> None:
    """For any times, naive, aware and missing ones in any order, the duration is not negative, or None."""
    known = [time for time in times if time is not None]
    mixed = len({time.utcoffset() is None for time in known}) > 1
    duration = _at(*times).stats().duration
    assert (duration is None) == (mixed or len(known) < 2)
    assert duration is None or duration >= dt.timedelta()


def test_stats_are_values() -> None:
    """Stats can't change, are equal and hash alike by value, and survive pickle."""
    history = History.of("Hi", Msg.tool("x", tool_call_id="c", name="f"))
    stats: Any = history.stats()
    assert stats == history.stats() == pickle.loads(pickle.dumps(stats))
    assert hash(stats) == hash(history.stats())
    assert isinstance(stats.by_role, FrozenDict)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        stats.messages = 1
    with pytest.raises(TypeError, match="read-only"):
        stats.by_tool["f"] = 2


def test_tokens_count_tools_and_media() -> None:
    """Tokens are those of a prompt, by the estimate or a counter; those of tools and media are told apart."""
    picture = ImageBlock(URLSource("https://example.com/x.png"))
    history = History(
        ["1234", Msg("user", [picture]), Msg("tool", [ToolResultBlock("c1", [picture, TextBlock("x")])])],
        tools=[ToolSpec("add", "adds", {"type": "object"})],
    )
    stats = history.stats()
    assert stats.media_tokens == 2 * 85
    assert stats.tool_tokens == approximate_tokens(history) - sum(map(approximate_tokens, history)) == 6
    assert stats.tokens == approximate_tokens(history)
    counted = history.stats(counter=lambda message: 10 + 5 * len(message.blocks(ToolsBlock)))
    assert (counted.tokens, counted.tool_tokens, counted.media_tokens) == (35, 5, 0)
    assert (History().stats().tokens, History().stats().tool_tokens) == (0, 0)
    with pytest.raises(InvalidMessage, match="what the counter gives"):
        history.stats(counter=lambda message: -1)
