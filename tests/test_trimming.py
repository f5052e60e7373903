"""History.trim: the longest end or beginning within a budget; its properties, and a slow reference."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentmsg as am
from agentmsg.model.tool_links import answered
from agentmsg.testing import histories
from benchmarks.data import mixed_history

if TYPE_CHECKING:
    from collections.abc import Sequence

_IDS = ("c1", "c2", None)
_SYSTEM = ("system", "developer")


def words(message: am.Msg) -> int:
    """Count the words of a message, and of its calls and results; so some messages cost nothing."""
    return len(message.text.split()) + len(message.blocks(am.ToolUseBlock))


def _says(role: Any, text: str, links: Sequence[Any]) -> am.Msg:
    if role == "tool":
        return am.Msg("tool", [am.ToolResultBlock(link, text) for link in links[:2]])
    calls = [am.ToolUseBlock(link, "f") for link in links] if role == "assistant" else []
    return am.Msg(role, [am.TextBlock(text), *calls])


@st.composite
def talks(draw: st.DrawFn, size: int = 9) -> am.History:
    """Return a history of short messages with calls and results, in any order, often matching."""
    roles = st.sampled_from((*_SYSTEM, "user", "assistant", "assistant", "tool", "tool"))
    text = st.lists(st.sampled_from(("a", "bb", "c,", "東", "\n", " ")), max_size=4).map(" ".join)
    return am.History(
        draw(st.lists(st.builds(_says, roles, text, st.lists(st.sampled_from(_IDS), max_size=2)), max_size=size))
    )


@st.composite
def ways(draw: st.DrawFn) -> dict[str, Any]:
    """Return arguments of trim."""
    roles = st.one_of(st.none(), st.sampled_from(("human", "ai", ["user", "tool"], [])))
    strategy = draw(st.sampled_from(("first", "last")))
    return {
        "strategy": strategy,
        "keep_system": draw(st.booleans()),
        "start_on": draw(roles) if strategy == "last" else None,
        "end_on": draw(roles),
        "keep_tool_pairs": draw(st.booleans()),
    }


def _lead(history: am.History, how: dict[str, Any]) -> int:
    """Return the number of messages kept as the system's."""
    roles = [message.role in _SYSTEM for message in history]
    return [*roles, False].index(False) if how["keep_system"] else 0


def _allowed(roles: Any, message: am.Msg) -> bool:
    synonyms = {"human": "user", "ai": "assistant"}
    several = [roles] if isinstance(roles, str) else roles
    return roles is None or message.role in [synonyms.get(role, role) for role in several]


def _windows(body: Sequence[am.Msg], how: dict[str, Any]) -> list[tuple[int, int]]:
    """Return where the result may begin and end, as documented, the longest first."""
    pairs = [(call[0], result[0]) for result, call in answered(body).items()] if how["keep_tool_pairs"] else []

    def whole(start: int, end: int) -> bool:
        return all((start <= call < end) == (start <= result < end) for call, result in pairs)

    def right(start: int, end: int) -> bool:
        return start == end or (_allowed(how["start_on"], body[start]) and _allowed(how["end_on"], body[end - 1]))

    count = len(body)
    if how["strategy"] == "first":
        return [(0, end) for end in range(count, -1, -1) if whole(0, end) and right(0, end)]
    # The tail goes first, whatever fits afterwards.
    ends = (end for end in range(count, 0, -1) if _allowed(how["end_on"], body[end - 1]) and whole(0, end))
    end = next(ends, 0)
    return [(start, end) for start in range(end + 1) if whole(start, end) and right(start, end)]


def slowly(history: am.History, most: int, how: dict[str, Any]) -> tuple[am.Msg, ...]:
    """Return the result of trim by trying all ways: the longest that fits."""
    lead = _lead(history, how)
    system, body = history.messages[:lead], history.messages[lead:]
    room = max(0, most - sum(map(words, system))) if lead else most
    fitting = [(start, end) for start, end in _windows(body, how) if sum(map(words, body[start:end])) <= room]
    start, end = fitting[0] if fitting else (0, 0)
    return (*system, *body[start:end])


@given(talks(), st.integers(-2, 20), ways())
def test_trim_is_the_longest_that_fits(history: am.History, most: int, how: dict[str, Any]) -> None:
    """Of all cuts that the arguments allow, the one with most messages within the budget is taken."""
    trimmed = history.trim(max_tokens=most, counter=words, **how)
    wanted = slowly(history, most, how)
    assert len(trimmed) == len(wanted)
    assert all(one is other for one, other in zip(trimmed, wanted, strict=True))


@given(talks(), st.integers(-2, 20), ways(), st.booleans())
def test_the_budget_is_kept(history: am.History, most: int, how: dict[str, Any], partial: bool) -> None:
    """The tokens of the result are at most the budget, unless the system's messages alone are more."""
    trimmed = history.trim(max_tokens=most, counter=words, allow_partial=partial, **how)
    system = sum(map(words, history.messages[: _lead(history, how)]))
    if trimmed:
        assert sum(map(words, trimmed)) <= max(most, system)


@given(talks(), st.integers(-2, 80), ways(), st.booleans())
def test_room_is_kept_for_tools(history: am.History, most: int, how: dict[str, Any], partial: bool) -> None:
    """The tools and the system's messages are counted first: only they may exceed the budget."""
    asked = history.evolve(tools=[am.ToolSpec("add", "adds two numbers", {"type": "object"})])
    asked = asked.with_settings(response_format={"schema": {"type": "array"}})
    trimmed = asked.trim(max_tokens=most, allow_partial=partial, **how)
    kept = asked[: _lead(history, how)]
    assert am.approximate_tokens(trimmed) <= max(most, am.approximate_tokens(kept))
    assert (trimmed.tools, trimmed.settings) == (asked.tools, asked.settings)
    beside = am.approximate_tokens(asked[:0])
    wanted = history.trim(max_tokens=most - beside, allow_partial=partial, **how)
    assert len(trimmed) == len(wanted)


@given(talks(), st.integers(-2, 20), ways(), st.booleans())
def test_what_was_trimmed_is_trimmed_no_more(
    history: am.History, most: int, how: dict[str, Any], partial: bool
) -> None:
    """Trimming again with the same arguments returns the very same history."""
    how["allow_partial"] = partial
    once = history.trim(max_tokens=most, counter=words, **how)
    # A system message that becomes the first one would be kept, and counted, before all others.
    if not how["keep_system"] or _lead(once, how) == _lead(history, how):
        assert once.trim(max_tokens=most, counter=words, **how) is once


@given(talks(), st.integers(-2, 20), ways())
def test_a_part_is_the_only_difference(history: am.History, most: int, how: dict[str, Any]) -> None:
    """With parts allowed, the result is the one without, and perhaps a part of the next message at its edge."""
    whole = history.trim(max_tokens=most, counter=words, **how)
    partly = history.trim(max_tokens=most, counter=words, allow_partial=True, **how)
    given = {id(message) for message in history}
    parts = [message for message in partly if id(message) not in given]
    assert len(parts) <= 1
    if not parts:
        assert partly == whole
        return
    original = next(message for message in history if message.id == parts[0].id)
    assert am.same(parts[0].evolve(content=original.content), original)
    assert len(partly) > len(whole)


@given(histories(8), st.integers(0, 400), ways(), st.booleans())
def test_any_history_can_be_trimmed(history: am.History, most: int, how: dict[str, Any], partial: bool) -> None:
    """No history raises; the order stays, and no pair of call and result is separated unless requested."""
    trimmed = history.trim(max_tokens=most, allow_partial=partial, **how)
    lead = _lead(history, how)
    body = history.messages[lead:]
    kept = trimmed.messages[lead:]
    assert all(one is other for one, other in zip(trimmed.messages[:lead], history.messages[:lead], strict=True))
    start = _start(body, kept, how["strategy"])
    assert start is not None
    if how["keep_tool_pairs"]:
        inside = range(start, start + len(kept))
        pairs = [(call[0] in inside, result[0] in inside) for result, call in answered(body).items()]
        assert all(call == result for call, result in pairs)
        # In a part of a message too, no call or result has gone whose partner stays.
        assert len(answered(kept)) >= sum(call for call, _ in pairs)


def _start(body: Sequence[am.Msg], kept: Sequence[am.Msg], strategy: str) -> int | None:
    """Return where in the body the kept messages begin; the one at the cut edge may be a part."""
    inner = kept[1:] if strategy == "last" else kept[:-1]
    first = 1 if strategy == "last" else 0
    for start in range(len(body) - len(kept) + 1):
        if all(one is other for one, other in zip(inner, body[start + first :], strict=False)):
            edge = start if strategy == "last" else start + len(kept) - 1
            if not kept or kept[0 if strategy == "last" else -1].role == body[edge].role:
                return start
    return None


@given(histories(6))
def test_a_huge_budget_changes_nothing(history: am.History) -> None:
    """If everything fits, the history itself is returned."""
    assert history.trim(max_tokens=10**9) is history
    assert history.trim(max_tokens=10**9, strategy="first", keep_system=False, allow_partial=True) is history


@given(talks(), st.integers(0, 20), ways())
def test_the_counter_is_asked_once_a_message(history: am.History, most: int, how: dict[str, Any]) -> None:
    """No message is counted twice, and none in vain once the budget is spent."""
    asked: Counter[int] = Counter()

    def counter(message: am.Msg) -> int:
        asked[id(message)] += 1
        return words(message)

    history.trim(max_tokens=most, counter=counter, **how)
    assert set(asked.values()) <= {1}
    assert set(asked) <= {id(message) for message in history}


def test_ten_thousand_messages_are_ten_thousand_questions() -> None:
    """A long history is counted in one pass; for a part of a message the counter is called a few more times."""
    history = mixed_history(10_000)
    asked = 0

    def counter(message: am.Msg) -> int:
        nonlocal asked
        asked += 1
        return len(message.content)

    everything = sum(len(message.content) for message in history)
    assert len(history.trim(max_tokens=everything - 1, counter=counter)) < 10_000
    assert asked == 10_000
    assert len(history.trim(max_tokens=everything - 1, counter=counter, allow_partial=True)) <= 10_000
    assert asked <= 20_010


def test_a_call_and_its_results_stay_together() -> None:
    """Two results of one answer stay or go with it, and with everything between."""
    call, other = am.ToolUseBlock("c1", "f"), am.ToolUseBlock("c2", "g")
    talk = am.History(
        [
            am.Msg.user("u"),
            am.Msg.assistant("a", tool_calls=[call, other]),
            am.Msg.tool("x", tool_call_id="c2"),
            am.Msg.user("v"),
            am.Msg.tool("y", tool_call_id="c1"),
            am.Msg.assistant("b"),
        ]
    )
    kept = {most: len(talk.trim(max_tokens=most, counter=_one)) for most in range(7)}
    assert kept == {0: 0, 1: 1, 2: 1, 3: 1, 4: 1, 5: 5, 6: 6}
    kept = {most: len(talk.trim(max_tokens=most, counter=_one, strategy="first")) for most in range(7)}
    assert kept == {0: 0, 1: 1, 2: 1, 3: 1, 4: 1, 5: 5, 6: 6}
    assert len(talk.trim(max_tokens=4, counter=_one, keep_tool_pairs=False)) == 4


def _one(message: am.Msg) -> int:
    return 1


def test_what_the_history_leaves_open_is_not_touched() -> None:
    """A call without result, and a result without call, are ordinary messages."""
    talk = am.History([am.Msg.tool("x", tool_call_id="c1"), am.Msg.assistant(tool_calls=[am.ToolUseBlock("c2", "f")])])
    assert talk.trim(max_tokens=2, counter=_one) is talk
    assert talk.trim(max_tokens=1, counter=_one)[0] is talk[1]
    assert talk.trim(max_tokens=1, counter=_one, strategy="first")[0] is talk[0]


def test_the_system_leads_whatever_is_cut() -> None:
    """All leading messages of system and developer are kept, and later ones go like others."""
    talk = am.History(
        [am.Msg.system("s"), am.Msg.developer("d"), am.Msg.user("u"), am.Msg.system("t"), am.Msg.user("v")]
    )
    assert [message.text for message in talk.trim(max_tokens=3, counter=_one)] == ["s", "d", "v"]
    assert [message.text for message in talk.trim(max_tokens=3, counter=_one, strategy="first")] == ["s", "d", "u"]
    assert [message.text for message in talk.trim(max_tokens=0, counter=_one)] == ["s", "d"]
    assert [message.text for message in talk.trim(max_tokens=2, counter=_one, keep_system=False)] == ["t", "v"]
    assert [message.text for message in talk.trim(max_tokens=4, counter=_one, end_on="system")] == ["s", "d", "u", "t"]


# -- parts -------------------------------------------------------------------------------------------------------------


def _part(content: Any, most: int, strategy: Any, role: Any = "user", **how: Any) -> str | None:
    """Return the kept text of one message; None if nothing is kept."""
    talk = am.History([am.Msg(role, content)])
    kept = talk.trim(max_tokens=most, counter=words, strategy=strategy, allow_partial=True, **how)
    return kept[0].text if kept else None


@pytest.mark.parametrize(
    ("text", "most", "last", "first"),
    [
        ("one two three", 2, "two three", "one two"),
        ("one two three", 0, None, None),
        ("one\ntwo\nthree\n", 2, "two\nthree\n", "one\ntwo"),
        ("  one,  two  ", 1, "two  ", "  one,"),
        ("no-border", 0, None, None),
    ],
)
def test_texts_are_cut_between_words(text: str, most: int, last: str | None, first: str | None) -> None:
    """As many words stay as fit, with everything between them."""
    assert (_part(text, most, "last"), _part(text, most, "first")) == (last, first)


def test_ideograms_are_words() -> None:
    """Text without spaces is cut between ideograms, never between a letter and its mark."""
    talk = am.History([am.Msg.user("今日は\u3000か\u3099いい天気")])
    kept = {most: _of_length(talk, most) for most in (1, 3, 5, 6, 99)}
    assert kept == {1: "気", 3: "い天気", 5: "いい天気", 6: "か\u3099いい天気", 99: talk[0].text}


def _of_length(talk: am.History, most: int) -> str:
    return talk.trim(max_tokens=most, counter=lambda message: message.length, allow_partial=True)[0].text


def _ends(text: str) -> list[str]:
    """Return the beginnings of a text that end with a word; each of these ideograms is one."""
    return [
        text[:i]
        for i in range(1, len(text))
        if not text[i - 1].isspace() and (text[i].isspace() or "東" in text[i - 1 : i + 1])
    ]


@given(st.text(st.sampled_from("ab \n東,"), min_size=1, max_size=30), st.integers(0, 20), st.booleans())
def test_the_largest_part_stays(text: str, most: int, is_last: bool) -> None:
    """Of all parts that end at a word boundary, the longest that fits is taken."""
    talk = am.History([am.Msg.user(text)])
    side: Any = "last" if is_last else "first"
    kept = talk.trim(max_tokens=most, counter=lambda message: message.length, strategy=side, allow_partial=True)
    ways = [way[::-1] for way in _ends(text[::-1])] if is_last else _ends(text)
    fitting = [way for way in (*ways, text) if len(way) <= most]
    assert [message.text for message in kept] == fitting[-1:]


def test_whole_blocks_stay_before_words() -> None:
    """Blocks go from the far end; of the one at the edge words stay, if it is text."""
    blocks = [am.TextBlock("a b"), am.ThinkingBlock("t"), am.TextBlock("c d")]
    assert [_part(blocks, most, "last") for most in range(5)] == [None, "d", "c d", "b\nc d", "a b\nc d"]
    assert [_part(blocks, most, "first") for most in range(5)] == [None, "a", "a b", "a b\nc", "a b\nc d"]


def test_calls_that_are_answered_stay_in_the_part() -> None:
    """If an answer's call has its result after it, only blocks before the call can go."""
    call = am.ToolUseBlock("c1", "f")
    talk = am.History(
        [am.Msg("assistant", [am.TextBlock("a b c"), call, am.TextBlock("d")]), am.Msg.tool("x", tool_call_id="c1")]
    )
    texts = [
        [message.text for message in talk.trim(max_tokens=most, counter=words, allow_partial=True)] for most in range(7)
    ]
    assert texts == [[], [], [], ["d", "x"], ["c\nd", "x"], ["b c\nd", "x"], ["a b c\nd", "x"]]
    torn = talk.trim(max_tokens=2, counter=words, allow_partial=True, keep_tool_pairs=False)
    assert [message.text for message in torn] == ["d", "x"]
    assert not torn[0].tool_calls


def test_server_calls_keep_their_results_in_the_part() -> None:
    """A provider's call is cut before the call or after the result, never between."""
    call, result = am.ToolUseBlock("c1", "f", kind="server"), am.ToolResultBlock("c1", "r r", kind="server")
    talk = am.History([am.Msg("assistant", [am.TextBlock("a"), call, result, am.TextBlock("b")])])
    for strategy in _SIDES:
        for most in range(9):
            kept = talk.trim(max_tokens=most, counter=_size, strategy=strategy, allow_partial=True)
            assert not kept or kept[0].has(am.ToolUseBlock) == kept[0].has(am.ToolResultBlock)


def _size(message: am.Msg) -> int:
    return 2 * len(message.content)


def test_a_long_result_is_cut_with_its_call_kept() -> None:
    """The result at the edge keeps the words that fit, its link and its other fields."""
    talk = am.History(
        [
            am.Msg.assistant("go", tool_calls=[am.ToolUseBlock("c1", "f")]),
            am.Msg.tool("a b c d", tool_call_id="c1", name="f"),
        ]
    )
    kept = talk.trim(max_tokens=4, counter=words, strategy="first", allow_partial=True)
    assert [message.text for message in kept] == ["go", "a b"]
    assert (kept[1].tool_call_id, kept[1].tool_results[0].name, kept[1].id) == ("c1", "f", talk[1].id)
    assert len(talk.trim(max_tokens=4, counter=words, strategy="first")) == 0


def test_citations_move_with_their_text() -> None:
    """A citation stays if its whole piece of text does, with the same words; a proof of the whole goes."""
    cites = [am.Citation(title=word, start=at, end=at + 3) for word, at in (("one", 0), ("two", 4))]
    block = am.TextBlock("one two", citations=[*cites, am.Citation(title="all")], signature=am.Signature("x", "y"))
    last, first = (
        am.History([am.Msg("user", [block])]).trim(max_tokens=1, counter=words, strategy=side, allow_partial=True)
        for side in _SIDES
    )
    assert _cited(last) == [("two", "two"), ("two", "all")]
    assert _cited(first) == [("one", "one"), ("one", "all")]
    assert last[0].content[0].signature is None


_SIDES: tuple[Any, ...] = ("last", "first")


def _cited(history: am.History) -> list[tuple[str, str | None]]:
    text = history[0].blocks(am.TextBlock)[0]
    return [(text.text[each.start : each.end], each.title) for each in text.citations]


# -- arguments ---------------------------------------------------------------------------------------------------------


def _gives(cost: Any) -> Any:
    def counter(message: am.Msg) -> Any:
        return cost

    return counter


_REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"max_tokens": 1.5}, "max_tokens", "type"),
    ({"max_tokens": True}, "max_tokens", "type"),
    ({"max_tokens": "9"}, "max_tokens", "type"),
    ({"counter": 3}, "counter", "type"),
    ({"counter": _gives(1.0)}, "what the counter gives", "type"),
    ({"counter": _gives(-1)}, "what the counter gives", "type"),
    ({"counter": _gives(True)}, "what the counter gives", "type"),
    ({"counter": _gives(None)}, "what the counter gives", "type"),
    ({"strategy": "middle"}, "strategy", "option"),
    ({"strategy": ["last"]}, "strategy", "option"),
    ({"strategy": "first", "start_on": "human"}, "start_on", "option"),
    ({"start_on": 1}, "start_on", "type"),
    ({"end_on": [am.Msg]}, "end_on", "type"),
]


@pytest.mark.parametrize(("how", "path", "code"), _REFUSED)
def test_arguments_of_the_wrong_kind_are_refused(how: dict[str, Any], path: str, code: str) -> None:
    """Impossible arguments raise an error with their name."""
    given: dict[str, Any] = {"max_tokens": 9, **how}
    with pytest.raises(am.InvalidMessage) as raised:
        am.trim_messages([am.Msg.user("Hi")], **given)
    assert (raised.value.path, raised.value.code) == ((path,), code)


def test_errors_of_a_counter_are_its_own() -> None:
    """Errors of the caller's function reach the caller."""

    def broken(message: am.Msg) -> int:
        raise KeyError(message.role)

    with pytest.raises(KeyError, match="user"):
        am.trim_messages([am.Msg.user("Hi")], max_tokens=9, counter=broken)


def test_the_history_stays_what_it_is() -> None:
    """Id, tools and metadata stay; messages may come as any iterable."""
    talk = am.History([am.Msg.user("a b"), am.Msg.user("c")], id="talk", metadata={"k": 1})
    kept = talk.trim(max_tokens=1, counter=words)
    assert (kept.id, kept.metadata, [message.text for message in kept]) == ("talk", {"k": 1}, ["c"])
    assert am.trim_messages(iter(talk), max_tokens=1, counter=words)[0] is talk[1]
    assert len(talk) == 2


@pytest.mark.parametrize("strategy", ["first", "last"])
@pytest.mark.parametrize("results", [2, 3])
@pytest.mark.parametrize("together", [True, False])
def test_all_results_of_a_call_stay_with_it(strategy: Any, results: int, together: Any) -> None:
    """A call with several results of its id is kept with all of them, or goes with all of them."""
    blocks = [am.ToolResultBlock("c", f"result {number}") for number in range(results)]
    answers = [am.Msg("tool", blocks)] if together else [am.Msg("tool", [block]) for block in blocks]
    call = am.Msg.assistant(tool_calls=[{"name": "f", "id": "c", "input": {}}])
    talk = am.History((am.Msg.user("q"), call, *answers, am.Msg.assistant("end")))
    whole = sum(map(am.approximate_tokens, talk))
    for budget in range(whole + 1):
        for partial in (True, False):
            kept = talk.trim(max_tokens=budget, strategy=strategy, allow_partial=partial)
            found = sum(len(message.tool_results) for message in kept)
            assert (found, sum(len(message.tool_calls) for message in kept)) in {(results, 1), (0, 0)}


@given(talks(), st.integers(0, 12), ways(), st.booleans())
def test_what_is_left_out_is_told_and_comes_back(
    history: am.History, budget: int, how: dict[str, Any], partial: bool
) -> None:
    """The losses and what is left are the whole, also with a message at its end; nothing is told of what stays."""
    losses: list[am.Loss] = []
    kept = history.trim(max_tokens=budget, counter=words, allow_partial=partial, losses=losses, **how)
    assert am.same(am.restore(kept, losses), history)
    assert bool(losses) is not am.same(kept, history)
    more = am.Msg("user", "And?", id=None, created_at=None)
    assert am.same(am.restore(am.History([*kept, more]), losses), am.History([*history, more]))


def test_losses_of_trimming_need_a_list() -> None:
    """Anything but a list is refused."""
    with pytest.raises(am.InvalidMessage, match="losses must be a list"):
        am.trim_messages([am.Msg.user("a")], max_tokens=1, losses=())  # type: ignore[arg-type]


def test_a_number_of_messages_is_not_negative() -> None:
    """It would leave nothing, which nobody means."""
    with pytest.raises(am.InvalidMessage) as caught:
        am.History.of("Hi").trim(max_messages=-1)
    assert caught.value.path == ("max_messages",)
    assert len(am.History.of("Hi").trim(max_messages=0)) == 0
