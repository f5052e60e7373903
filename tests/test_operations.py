"""Operations on histories: merging runs, ids and removals, turns, pairs of calls and results, transcripts."""

from __future__ import annotations

import datetime as dt
import itertools
import re
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentmsg as am
from agentmsg.model.generated import given as stated
from agentmsg.model.usage import COUNTERS
from agentmsg.ops.ids import REMOVE_ALL
from agentmsg.ops.merging import MERGED_FROM
from agentmsg.testing.strategies import histories, messages

ANY: Any = am
APART = {"tool", "remove", "native"}
NOON = dt.datetime(2026, 1, 1, 12, tzinfo=dt.UTC)
runs = st.lists(messages(), max_size=6).map(lambda found: am.History(m.evolve(role="user") for m in found))


def _texts(history: am.History) -> str:
    return "".join(block.text for message in history for block in message.blocks(am.TextBlock))


def _entries(message: am.Msg) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ANY.thaw(message.metadata.get(MERGED_FROM, []))
    return found


# -- merge_runs ----------------------------------------------------------------------------------------------


@given(st.one_of(histories(6), runs))
def test_no_neighbours_of_one_role(history: am.History) -> None:
    """After merging no two neighbours have one role, except roles that stay separate; merging again changes nothing."""
    merged = history.merge_runs()
    roles = [message.role for message in merged]
    assert [a for a, b in itertools.pairwise(roles) if a == b and a not in APART] == []
    assert merged.merge_runs() is merged
    assert (merged is history) == (len(merged) == len(history))
    assert merged.evolve(messages=()) == history.evolve(messages=())


@given(st.one_of(histories(6), runs))
def test_merging_keeps_what_was_said(history: am.History) -> None:
    """Texts stay in order, and so do all other blocks, as the same objects, and messages without such a neighbour."""
    merged = history.merge_runs(separator="")
    assert _texts(merged) == _texts(history)
    kept, was = (
        [block for message in each for block in message.content if not isinstance(block, am.TextBlock)]
        for each in (merged, history)
    )
    assert list(map(id, kept)) == list(map(id, was))
    apart = [id(message) for message in history if message.role in APART]
    assert [id(message) for message in merged if message.role in APART] == apart


@given(runs)
def test_merging_sums_usage(history: am.History) -> None:
    """The usage of a merged message is the sum of every counter; None if no message has any."""
    usages = [message.usage for message in history if message.usage is not None]
    for message in history.merge_runs():
        assert (message.usage is None) == (not usages)
        for name in COUNTERS:
            counts = [getattr(usage, name) for usage in usages if getattr(usage, name) is not None]
            assert getattr(message.usage, name, None) == (sum(counts) if counts else None)


@given(runs)
def test_what_was_merged_can_be_found(history: am.History) -> None:
    """Every field of a merged message is in the new one, or whole in its entry of ``merged_from``."""
    if len(history) < 2:
        return
    history = am.History(m.evolve(metadata={k: v for k, v in m.metadata.items() if k != MERGED_FROM}) for m in history)
    (merged,) = history.merge_runs()
    found = _entries(merged) or [{}] * len(history)
    assert len(found) == len(history)
    for message, entry in zip(history, found, strict=True):
        time = stated(message.created_at)
        assert entry.get("id") == stated(message.id)
        assert entry.get("created_at") == (None if time is None else time.isoformat())
        for name in ("name", "recipient", "model", "finish_reason"):
            assert entry.get(name) == getattr(message, name)
        for name in ("structured", "embedding"):
            value = getattr(message, name)
            assert value is None or _same(entry.get(name, getattr(merged, name)), value)
        for name in ("metadata", "response_metadata"):
            said = entry.get(name, getattr(merged, name))
            assert all(_same(said[key], value) for key, value in getattr(message, name).items())
        said = entry.get("extras", merged.extras)
        for family, value in message.extras.items():
            one: Any = value
            assert _same(said[family], one) or all(_same(said[family][key], one[key]) for key in one)


def _same(a: Any, b: Any) -> bool:
    return am.same([*a] if type(a) is tuple else a, [*b] if type(b) is tuple else b)  # pyright: ignore[reportUnknownArgumentType] - any value


@given(runs, st.integers(0, 6))
def test_merging_in_steps(history: am.History, at: int) -> None:
    """Merging a merged message with more gives the same text and counters as merging all at once."""
    once = history.merge_runs()
    steps = am.History((*history[:at].merge_runs(), *history[at:])).merge_runs()
    assert [message.content for message in steps] == [message.content for message in once]
    assert [entry.get("id") for m in steps for entry in _entries(m) if "id" in entry] == [
        entry.get("id") for m in once for entry in _entries(m) if "id" in entry
    ]


def test_merged_from_grows_by_one_entry_a_message() -> None:
    """A run that is merged again with each new message lists all of them in one list, none nested deeper."""
    history = am.History()
    for number in range(200):
        history = history.extended(am.Msg.user(f"{number}", id=f"m{number}", created_at=NOON)).merge_runs()
    (merged,) = history
    assert [entry["id"] for entry in _entries(merged)] == [f"m{number}" for number in range(200)]
    assert {frozenset(entry) for entry in _entries(merged)} == {frozenset({"id", "created_at"})}
    assert merged.text == "\n".join(map(str, range(200)))


def test_merged_fields() -> None:
    """Common values are kept, different ones are dropped and are in the entries, and the first keeps its id."""
    first = am.Msg.assistant("a", id="1", created_at=NOON, name="Ann", model="m", finish_reason="length")
    second = am.Msg.assistant("b", id="2", created_at=None, name="Bob", model="m", finish_reason="stop")
    first = first.with_metadata(x=1, y=1).evolve(extras={"openai": {"a": 1}}, embedding=[0.5])
    second = second.with_metadata(x=2, z=2).evolve(extras={"openai": {"b": 2}}, structured={"s": 1})
    merged = am.History((first, second)).merge_runs("; ")[0]
    assert (merged.text, merged.id, merged.created_at) == ("a; b", "1", NOON)
    assert (merged.name, merged.model, merged.finish_reason) == (None, "m", "stop")
    assert (merged.extras, merged.structured, merged.embedding) == ({"openai": {"a": 1, "b": 2}}, {"s": 1}, None)
    assert merged.metadata == {
        "x": 1, "y": 1, "z": 2,
        "merged_from": [
            {
                "id": "1", "created_at": "2026-01-01T12:00:00+00:00", "name": "Ann", "model": "m",
                "finish_reason": "length", "embedding": [0.5],
            },
            {"id": "2", "name": "Bob", "model": "m", "finish_reason": "stop", "metadata": {"x": 2, "z": 2}},
        ],
    }  # fmt: skip


def test_merged_messages_of_ones_own_say_no_more() -> None:
    """Ids and times made by the library leave no trace: such messages merge to one without metadata."""
    merged = am.History.of("Hello", "How are you?").merge_runs()
    assert [(message.text, message.metadata) for message in merged] == [("Hello\nHow are you?", {})]


def test_merged_from_of_an_application() -> None:
    """An application's own value under ``merged_from`` is not lost, whatever it is."""
    for value in ("mine", [1], {"a": 1}, None, []):
        first = am.Msg.user("a").with_metadata(merged_from=value)
        merged = am.History((first, am.Msg.user("b"))).merge_runs()[0]
        assert _entries(merged)[0] == {"metadata": {"merged_from": value}}
    listed = am.Msg.user("a").with_metadata(merged_from=[{"mine": 1}])
    assert _entries(am.History((listed, am.Msg.user("b", id="2"))).merge_runs()[0]) == [{"mine": 1}, {"id": "2"}]


@pytest.mark.parametrize(
    "more",
    [
        {"cache": am.CacheHint()}, {"citations": [am.Citation("https://x")]}, {"item_id": "i"}, {"metadata": {"a": 1}},
        {"phase": "commentary"}, {"signature": am.Signature(None, "s")}, {"extras": {"x": {"a": 1}}},
    ],
)  # fmt: skip
def test_texts_that_carry_more_stay_apart(more: dict[str, Any]) -> None:
    """A text with a citation, a cache hint or any other field stays a block: that holds only for this text."""
    block = am.TextBlock("a", **more)
    for content in ([block, am.TextBlock("b")], [am.TextBlock("b"), block]):
        merged = am.History(am.Msg("user", [each]) for each in content).merge_runs()
        assert merged[0].content == tuple(content)


def test_merging_keeps_history_and_refuses_separators() -> None:
    """The history's own fields stay; a separator that isn't a text is a typed error."""
    history = am.History([am.Msg.user("a"), am.Msg.user("b")], id="h", metadata={"k": 1})
    assert (history.merge_runs().id, history.merge_runs().metadata) == ("h", {"k": 1})
    with pytest.raises(am.InvalidMessage) as caught:
        history.merge_runs(ANY.thaw(None))
    assert (caught.value.code, caught.value.path) == ("type", ("separator",))


# -- dedupe, apply_removals ----------------------------------------------------------------------------------

IDS = ("a", "b", "c")
stored = st.lists(
    st.one_of(
        st.builds(am.Msg.user, st.sampled_from("xyz"), id=st.sampled_from((*IDS, None))),
        st.builds(am.Msg.remove, st.sampled_from((*IDS, REMOVE_ALL))),
    ),
    max_size=8,
).map(am.History)


def state(history: am.History) -> list[am.Msg]:
    """Return the state that LangGraph's add_messages makes from incoming messages; removals of nothing are ignored."""
    last = max((i + 1 for i, m in enumerate(history) if m.remove_id == REMOVE_ALL), default=0)
    kept: dict[object, am.Msg | None] = {}
    for index, message in enumerate(history[last:]):
        key = message.id if message.id is not None else index
        if not message.is_remove:
            kept[key] = message
        elif key in kept:
            kept[key] = None
    return [message for message in kept.values() if message is not None]


@given(stored)
def test_ids_and_removals_give_the_state_of_langgraph(history: am.History) -> None:
    """Removals and then ids, or ids and then removals, leave the messages that LangGraph's state would hold."""
    wanted = state(history)
    assert list(history.apply_removals("ignore").dedupe()) == wanted
    assert list(history.dedupe().apply_removals("ignore")) == wanted


@given(st.one_of(histories(6), stored))
def test_dedupe(history: am.History) -> None:
    """Given ids are unique afterwards, the last of each is kept, and doing it again changes nothing."""
    only = am.History(message for message in history if not message.is_remove)
    once = only.dedupe()
    ids = [message.id for message in once if stated(message.id)]
    assert len(ids) == len(set(ids))
    assert once.dedupe() is once
    last = {message.id: message for message in only if stated(message.id)}
    assert [message for message in once if stated(message.id)] == list(last.values())
    assert sum(not stated(m.id) for m in once) == sum(not stated(m.id) for m in only)
    again = history.dedupe()
    assert again.dedupe() is again


def test_equal_answers_are_no_duplicates() -> None:
    """Two equal messages of a user are two messages, whoever made their ids."""
    for yes in (am.Msg.user("yes"), am.Msg.user("yes", id=None), am.Msg.user("yes", id="")):
        history = am.History([yes, am.Msg.assistant("Sure?"), yes])
        assert history.dedupe() is history


def test_removals() -> None:
    """A removal removes earlier messages by given or made ids, and nothing after it."""
    hello, again = am.Msg.user("Hello"), am.Msg.user("Hello again", id="2")
    assert hello.id is not None
    history = am.History([hello, again, am.Msg.remove(hello.id)])
    assert list(history.apply_removals()) == [again]
    assert history.apply_removals().apply_removals() == history.apply_removals()
    assert list(am.History([again, am.Msg.remove("2"), hello, again]).apply_removals()) == [again, hello]
    assert list(am.History([am.Msg.remove("x"), again, am.Msg.remove(REMOVE_ALL), hello]).apply_removals()) == [hello]


@pytest.mark.parametrize("removal", [am.Msg.remove("x"), am.Msg("remove", id=None), am.Msg("remove", id="")])
def test_removals_of_nothing(removal: am.Msg) -> None:
    """A removal of a missing message is an error with its path, or ignored, as the caller chooses."""
    history = am.History([am.Msg.user("a", id=""), removal, am.Msg.user("b", id="x")])
    with pytest.raises(am.InvalidMessage) as caught:
        history.apply_removals()
    assert (caught.value.code, caught.value.path) == ("required", ("messages", 1, "id"))
    assert [message.text for message in history.apply_removals("ignore")] == ["a", "b"]
    with pytest.raises(am.InvalidMessage, match="'error' or 'ignore'"):
        history.apply_removals(ANY.thaw("drop"))


# -- turns, pair_tools ---------------------------------------------------------------------------------------


@given(histories(8))
def test_turns(history: am.History) -> None:
    """The turns make up the history; each but perhaps the first begins with its only user message."""
    turns = history.turns()
    assert [message for turn in turns for message in turn.messages] == list(history)
    for turn in turns:
        assert len(turn.messages) > 0
        assert [m for m in turn.messages if m.is_user] == [m for m in (turn.user,) if m is not None]
        assert turn.messages.evolve(messages=()) == history.evolve(messages=())
    assert all(turn.user is not None for turn in turns[1:])


def test_answers_of_turns() -> None:
    """A turn's answer is the last assistant message, but none while the assistant waits for a tool."""
    call: dict[str, Any] = {"id": "c1", "name": "f", "args": {}}
    asked = am.Msg.assistant("Let me see.", tool_calls=[call])
    server = am.Msg("assistant", [am.ToolUseBlock("s", "search", kind="server"), am.TextBlock("Found.")])
    history = am.History.of(
        am.Msg.system("Be brief."), "One", asked, am.Msg.tool("1", tool_call_id="c1"), am.Msg.assistant("Done."),
        "Two", "Three", am.Msg.assistant("Well."), asked, am.Msg.tool("1", tool_call_id="c1"), "Four", server,
    )  # fmt: skip
    said = [(turn.user and turn.user.text, turn.answer and turn.answer.text) for turn in history.turns()]
    assert said == [(None, None), ("One", "Done."), ("Two", None), ("Three", None), ("Four", "Found.")]
    assert am.History().turns() == ()


@given(histories(8))
def test_pairs(history: am.History) -> None:
    """Every call and every result is in one pair, in order, and each index leads to its message."""
    pairs = history.pair_tools()
    calls = [block for message in history for block in message.blocks(am.ToolUseBlock)]
    results = [block for message in history for block in message.blocks(am.ToolResultBlock)]
    assert [id(pair.call) for pair in pairs if pair.call is not None] == [id(call) for call in calls]
    assert sorted(id(pair.result) for pair in pairs if pair.result is not None) == sorted(map(id, results))
    for pair in pairs:
        for block, index in ((pair.call, pair.call_index), (pair.result, pair.result_index)):
            assert (block is None) == (index is None)
            assert index is None or any(each is block for each in history[index].content)
        if pair.call is not None and pair.result is not None:
            assert pair.result.tool_call_id in {None, pair.call.id}


def test_pairs_of_ids_that_repeat() -> None:
    """Duplicate ids pair in order; a result without call, or before its call, is a pair of its own."""

    def call(id: str | None) -> am.ToolUseBlock:
        return am.ToolUseBlock(id, "f")

    early, late = am.Msg.tool("early", tool_call_id="c"), am.Msg.tool("late", tool_call_id="c")
    history = am.History([
        early, am.Msg("assistant", [call("c"), call("c")]), late, am.Msg("assistant", [call("d"), call(None)]),
        am.Msg("tool", [am.ToolResultBlock(None, "any", name="g")]),
        am.Msg("tool", [am.ToolResultBlock(None, "any", name="f")]),
    ])  # fmt: skip
    indexes = [(pair.call_index, pair.result_index) for pair in history.pair_tools()]
    assert indexes == [(None, 0), (1, 2), (1, 5), (3, None), (3, None), (None, 4)]
    assert am.History().pair_tools() == ()


def test_pending_calls_are_those_without_result() -> None:
    """A recorder waits for the calls without a result: of a duplicate id, for the second one."""
    first, second = am.ToolUseBlock("c", "f", {"n": 1}), am.ToolUseBlock("c", "f", {"n": 2})
    recorder = am.Recorder().add(am.Msg.assistant(tool_calls=[first, second]), am.Msg.tool("1", tool_call_id="c"))
    assert [call.input for call in recorder.pending_tool_calls] == [{"n": 2}]


# -- to_text -------------------------------------------------------------------------------------------------

LEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _legal(text: str) -> str:
    return LEGAL.sub("\ufffd", text)


def _elements(history: am.History) -> list[ET.Element]:
    return list(ET.fromstring(f"<all>{history.to_text(format='xml')}</all>"))  # noqa: S314 - our own text


@given(histories(6))
def test_xml_gives_back_messages(history: am.History) -> None:
    """A parser finds one element per message, with its name, its texts in order and its calls."""
    found = _elements(history)
    assert [element.tag for element in found] == ["message"] * len(history)
    for message, element in zip(history, found, strict=True):
        assert element.get("name") == (None if message.name is None else _legal(message.name))
        said = "".join(element.itertext())
        for block in message.content:
            words = block.text if isinstance(block, am.TextBlock) else ""
            assert _legal(words) in said
        calls = [call for call in message.blocks(am.ToolUseBlock) if call.kind != "server"]
        shown = [each for each in element if each.tag in {"tool_call", "invalid_tool_call"}]
        assert [each.get("name") for each in shown] == [_legal(call.name) for call in calls]


@given(st.lists(st.tuples(st.sampled_from(("user", "assistant", "moderator")), st.lists(st.text(), max_size=3))))
def test_xml_gives_back_texts(said: list[tuple[str, list[str]]]) -> None:
    """The text of a message is the text of its element, except characters that XML can't hold."""
    history = am.History(am.Msg.chat(role, "x").with_content([am.TextBlock(t) for t in texts]) for role, texts in said)
    types = {"user": "human", "assistant": "ai"}
    assert [(element.get("type"), element.text or "") for element in _elements(history)] == [
        (types.get(message.role, message.role), _legal("\n".join(filter(None, texts))))
        for message, (_, texts) in zip(history, said, strict=True)
    ]


HEADS = ("System: ", "Developer: ", "Human: ", "AI: ", "Tool: ", "Function: ", "Remove: ", "Native: ", "Unset: ")
tricks = st.lists(
    st.sampled_from((*HEADS, "ai:", "AI :", "moderator: ", "hi", "\n", "\r", "\u2028", "\x85", "\n\n", ":", " ")),
    max_size=8,
).map("".join)


@given(st.lists(st.tuples(st.sampled_from(("user", "assistant", "moderator", "a:b\nAI: c")), tricks), max_size=4))
def test_no_text_passes_for_a_message(said: list[tuple[str, str]]) -> None:
    """In the prefix form, as many lines begin like a message as there are messages, whatever their texts."""
    history = am.History(am.Msg.chat(role, "x").with_content(text) for role, text in said)
    labels = {"moderator": "moderator: ", "a:b\nAI: c": "a_b_AI_ c: "}
    heads = (*HEADS, *(label for role, label in labels.items() if history.first(role=role)))
    lines = history.to_text().splitlines()
    assert len([line for line in lines if line.lower().startswith(tuple(map(str.lower, heads)))]) == len(history)


def test_prefix_form() -> None:
    """Texts, calls, results, errors and media are shown, each message after the label of its role."""
    calls: Any = [{"id": "c1", "name": "f", "args": {"q": "é"}}, {"id": "c2", "name": "g", "arguments": "{bad"}]
    failed = am.ToolResultBlock("c2", "", name="g", status="error", error="no such tool", error_type="Lookup")
    image = am.ImageBlock.from_url("https://x/y.png", "image/png")
    inline = am.ImageBlock.from_bytes(b"secret", "image/png")
    history = am.History([
        am.Msg.system("Be brief."), am.Msg("user", [am.TextBlock("See"), image, inline]),
        am.Msg("assistant", [am.ThinkingBlock("hm"), *am.Msg.assistant("So", tool_calls=calls).content]),
        am.Msg.tool("1", tool_call_id="c1"), am.Msg("tool", [failed]), am.Msg.chat("judge", "ok"), am.Msg.remove("m1"),
    ])  # fmt: skip
    assert history.to_text({"user": "Q"}).split("\n") == [
        "System: Be brief.", "Q: See", "[image https://x/y.png image/png]", "[image image/png]", "AI: So",
        '[tool_call f {"q":"é"}]', "[invalid_tool_call g {bad]", "Tool: 1", "Tool: [error Lookup no such tool]",
        "judge: ok", "Remove: m1",
    ]  # fmt: skip
    assert am.History().to_text() == am.History().to_text(format="xml") == ""
    assert am.History.of("Hi").to_text({"human": "Q"}) == "Q: Hi"


def test_xml_form() -> None:
    """Attributes and texts are escaped; calls come below the text; a failed result is marked."""
    failed = am.ToolResultBlock("c&", "", name="g", status="error", error="<no>")
    history = am.History([
        am.Msg.user("5 < 6 & 7", name='A "b" <\n>'),
        am.Msg("assistant", [am.ToolUseBlock("c&", "g"), am.TextBlock("So"), am.RefusalBlock("No")]),
        am.Msg("tool", [failed]), am.Msg.remove("m1"),
    ])  # fmt: skip
    assert history.to_text({"assistant": "Bot"}, "xml").split("\n") == [
        '<message type="human" name="A &quot;b&quot; &lt;&#10;&gt;">5 &lt; 6 &amp; 7</message>',
        '<message type="bot">', "  <content>So", "<refusal>No</refusal></content>",
        '  <tool_call id="c&amp;" name="g">{}</tool_call>', "</message>",
        '<message type="tool" tool_call_id="c&amp;" tool="g" status="error"><error>&lt;no&gt;</error></message>',
        '<message type="remove" id="m1"></message>',
    ]  # fmt: skip


@pytest.mark.parametrize(("options", "code"), [({"format": "json"}, "option"), ({"prefixes": {"user": 1}}, "type")])
def test_text_options(options: dict[str, Any], code: str) -> None:
    """Another format, or a label that isn't a text, is a typed error, for an empty history too."""
    with pytest.raises(am.InvalidMessage) as caught:
        am.History().to_text(**options)
    assert caught.value.code == code


# -- all of them ---------------------------------------------------------------------------------------------


@given(histories(6))
def test_operations_are_pure(history: am.History) -> None:
    """An operation gives the same for the same history, even without the ids and times that the library made."""
    before = am.dumps(history, "json")
    bare = history.evolve(
        messages=[m.evolve(id=m.id if m.is_remove else stated(m.id), created_at=stated(m.created_at)) for m in history]
    )
    for operate in (am.History.merge_runs, am.History.dedupe, am.History.to_text):
        once: Any = operate(history)
        assert am.same(once, operate(history))
        assert am.same(once, operate(bare))
    assert am.dumps(history, "json") == before


def test_operations_take_any_iterable() -> None:
    """The functions take a history, a message or any iterable of messages or texts, and refuse anything else."""
    from agentmsg.ops.ids import apply_removals, dedupe
    from agentmsg.ops.merging import merge_runs
    from agentmsg.ops.pairs import pair_tools
    from agentmsg.ops.text import to_text
    from agentmsg.ops.turns import turns_of

    two = [am.Msg.user("a", id="1"), am.Msg.user("b", id="1")]
    assert merge_runs(iter(two))[0].text == "a\nb"
    assert [message.text for message in dedupe(iter(two))] == ["b"]
    assert [message.text for message in apply_removals(iter([*two, am.Msg.remove("1")]))] == []
    assert to_text(iter(two)) == "Human: a\nHuman: b"
    assert (len(turns_of(iter(two))), pair_tools(iter(two))) == (2, ())
    for operate in (apply_removals, dedupe, merge_runs, pair_tools, to_text, turns_of):
        with pytest.raises(am.InvalidMessage):
            operate(ANY.thaw([7]))
