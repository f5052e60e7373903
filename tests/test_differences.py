"""Differences of two histories: what they report, and that they turn the first into the second."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import agentmsg as am
from agentmsg.model.generated import Made
from agentmsg.ops.alignment import align, words_apart
from agentmsg.ops.differences import Difference, differences
from agentmsg.testing import edit, histories
from support.applying import apply
from support.grand_tour import grand_tour

if TYPE_CHECKING:
    import random

NONE: dict[str, Any] = {"id": None, "created_at": None}


def told(a: am.History, b: am.History, *, exact: bool = False) -> list[tuple[str, str]]:
    """Return kind and path of each difference."""
    return [(each.kind, each.pointer) for each in differences(a, b, exact=exact)]


def say(*texts: str) -> am.History:
    """Return a history of user messages without ids and times."""
    return am.History([am.Msg("user", text, **NONE) for text in texts])


def with_block(block: am.Block) -> am.History:
    """Return a history of one block."""
    return am.History([am.Msg("assistant", (block,), **NONE)])


# -- laws
# ----------------------------------------------------------------------------------------------------------


@given(histories(), histories(), st.booleans())
@example(am.History(extras={"b": 1}), am.History(extras={"a": 1, "b": 1}), False)
@example(grand_tour(), am.History(), True)
@example(am.History(), grand_tour(), True)
def test_differences_make_the_second_of_the_first(a: am.History, b: am.History, exact: bool) -> None:
    """Applying the differences of two histories to the first gives the second, whatever they hold."""
    made = apply(a, differences(a, b, exact=exact))
    assert am.same(made, b)
    assert differences(made, b, exact=exact) == []


@given(histories(5), st.randoms(use_true_random=False))
def test_differences_of_an_edited_history_make_it(history: am.History, rng: random.Random) -> None:
    """The same for a history and its edited copy: edited leaves, messages copied, moved and removed."""
    edited = edit(edit(history, rng), rng)
    messages = list(edited)
    for _ in range(rng.randint(0, 3)):
        if messages:
            messages.insert(rng.randrange(len(messages) + 1), messages.pop(rng.randrange(len(messages))))
            messages += messages[: rng.randint(0, 1)]
            del messages[: rng.randint(0, 1)]
    other = edited.evolve(messages=messages)
    assert am.same(apply(history, differences(history, other)), other)


@given(histories(2), histories(2))
def test_only_the_same_has_no_differences(a: am.History, b: am.History) -> None:
    """There are no differences exactly if ``same`` says so; a history has none to itself."""
    assert (differences(a, b) == []) is am.same(a, b)
    assert differences(a, a) == differences(a, a, exact=True) == []


@given(histories(3), st.randoms(use_true_random=False))
def test_one_edit_is_found_where_it_is(history: am.History, rng: random.Random) -> None:
    """An edit makes differences only inside the one edited message."""
    edited = edit(history, rng)
    found = differences(history, edited)
    assert len({each.path[:2] for each in found}) <= 1
    assert bool(found) is not am.same(history, edited)


@given(st.lists(st.sampled_from("abc ."), max_size=12), st.lists(st.sampled_from("abc ."), max_size=12))
def test_words_apart_hold_both_texts(was: list[str], now: list[str]) -> None:
    """The pieces that aren't added form the first text, those that aren't removed the second."""
    pieces = list(words_apart("".join(was), "".join(now)))
    assert "".join(piece for kind, piece in pieces if kind != "added") == "".join(was)
    assert "".join(piece for kind, piece in pieces if kind != "removed") == "".join(now)


@given(st.lists(st.integers(0, 3), max_size=9), st.lists(st.integers(0, 3), max_size=9))
def test_alignment_has_every_place_once(a: list[int], b: list[int]) -> None:
    """All indexes of both sequences are there once and in order, and nothing is paired with nothing."""
    pairs = align(a, b)
    assert [i for i, _ in pairs if i is not None] == list(range(len(a)))
    assert [j for _, j in pairs if j is not None] == list(range(len(b)))
    assert (None, None) not in pairs


# -- what is told
# ----------------------------------------------------------------------------------------------------------


def test_an_inserted_message_is_one_difference() -> None:
    """Messages after an inserted one don't differ; the path is its place in the second history."""
    a, b = say("one", "two", "three"), say("one", "between", "two", "three")
    assert differences(a, b) == [Difference(path=("messages", 1), kind="added", was=None, now=b[1])]
    assert differences(b, a) == [Difference(path=("messages", 1), kind="removed", was=b[1], now=None)]


def test_a_changed_message_is_found_behind_an_inserted_one() -> None:
    """A changed message is paired with its new version, not with the one that happens to be in its place."""
    a = say("Hello", "How is the weather in Lisbon today?", "Bye")
    b = say("Hello", "One thing more:", "Another one.", "How is the weather in Porto today?", "Bye")
    assert told(a, b) == [
        ("added", "/messages/1"),
        ("added", "/messages/2"),
        ("changed", "/messages/1/content/0/text"),
    ]


def test_strangers_are_removed_and_added() -> None:
    """Of two messages with nothing in common one was removed and the other added."""
    call = am.Msg.assistant(tool_calls=[{"name": "add", "id": "c1", "args": {"a": 1}}], **NONE)
    assert told(say("Hello"), am.History([call])) == [("removed", "/messages/0"), ("added", "/messages/0")]


def test_long_gaps_are_compared_in_step() -> None:
    """If there is too much to compare, the n-th is paired with the n-th, and the report is still complete."""
    a, b = say(*(f"a{n} x" for n in range(150))), say(*(f"b{n} x" for n in range(151)))
    found = differences(a, b)
    assert [each.kind for each in found] == ["changed"] * 150 + ["added"]
    assert am.same(apply(a, found), b)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (am.History(id="h"), am.History(), [("removed", "/id")]),
        (am.History(), am.History(metadata={"a/b": {"~": 1}}), [("added", "/metadata/a~1b")]),
        (am.History(metadata={"k": [1, 2]}), am.History(metadata={"k": [1]}), [("removed", "/metadata/k/1")]),
        (am.History(metadata={"k": 1}), am.History(metadata={"k": True}), [("changed", "/metadata/k")]),
        (am.History(metadata={"k": [1, 2, 3]}), am.History(metadata={"k": [1, 5, 3]}), [("changed", "/metadata/k/1")]),
        (am.History(metadata={"k": None}), am.History(), [("removed", "/metadata/k")]),
        (am.History(metadata={"a": 1, "b": 2}), am.History(metadata={"b": 2, "a": 1}), [("reordered", "/metadata")]),
        (
            with_block(am.TextBlock("a")),
            with_block(am.RefusalBlock("a")),
            [("removed", "/messages/0/content/0"), ("added", "/messages/0/content/0")],
        ),
        (
            am.History([am.Msg("assistant", "a", usage=am.Usage(input=1), **NONE)]),
            am.History([am.Msg("assistant", "a", usage=am.Usage(input=2, output=1), **NONE)]),
            [("changed", "/messages/0/usage/input"), ("added", "/messages/0/usage/output")],
        ),
        (
            am.History([am.Msg("user", "a", embedding=(0.5, 1.0), **NONE)]),
            am.History([am.Msg("user", "a", embedding=(0.5, 2.0), **NONE)]),
            [("changed", "/messages/0/embedding")],
        ),
        (
            with_block(am.ToolUseBlock("c", "f", raw_input='{"a":1}')),
            with_block(am.ToolUseBlock("c", "f", raw_input='{"a": 2}')),
            [("changed", "/messages/0/content/0/input/a")],
        ),
        (
            with_block(am.ToolUseBlock("c", "f", {})),
            with_block(am.ToolUseBlock("c", "f", raw_input="{bad")),
            [("removed", "/messages/0/content/0/input"), ("added", "/messages/0/content/0/raw_input")],
        ),
        (
            with_block(am.ToolUseBlock("c", "f", raw_input="{bad")),
            with_block(am.ToolUseBlock("d", "f", raw_input="{bad")),
            [("changed", "/messages/0/content/0/id")],
        ),
        (
            with_block(am.ToolUseBlock("c", "f", raw_input="{bad")),
            with_block(am.ToolUseBlock("c", "f", None)),
            [("removed", "/messages/0/content/0/raw_input")],
        ),
    ],
)
def test_paths_and_kinds(a: am.History, b: am.History, expected: list[tuple[str, str]]) -> None:
    """Each difference is reported at the deepest place that both histories have, as a JSON pointer."""
    assert told(a, b) == expected
    assert am.same(apply(a, differences(a, b)), b)


NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (am.Msg("user", "a", **NONE), am.Msg("user", "a", id=Made("x"), created_at=None), ["/messages/0/id"]),
        (am.Msg("user", "a", **NONE), am.Msg("user", "a", id=None), ["/messages/0/created_at"]),
        (am.Msg("user", "a", **NONE), am.Msg("user", "a", notes={"x": 1}, **NONE), ["/messages/0/notes/x"]),
        (
            am.Msg("user", (am.ToolUseBlock("c", "f", raw_input='{"a":1}'),), **NONE),
            am.Msg("user", (am.ToolUseBlock("c", "f", raw_input='{"a": 1}'),), **NONE),
            ["/messages/0/content/0/raw_input"],
        ),
    ],
)
def test_exact_counts_what_same_ignores(a: am.Msg, b: am.Msg, expected: list[str]) -> None:
    """Made ids and times, notes and the spelling of arguments differ only on request."""
    one, other = am.History([a]), am.History([b])
    assert told(one, other) == []
    assert [pointer for _, pointer in told(one, other, exact=True)] == expected
    assert told(apply(one, differences(one, other, exact=True)), other, exact=True) == []


def test_a_made_id_is_its_text() -> None:
    """An id made by the library and the same id in a document don't differ, exact or not."""
    one, other = (am.History([am.Msg("user", "a", id=text, created_at=NOON)]) for text in (Made("x"), "x"))
    assert told(one, other, exact=True) == []


def test_words_apart_tell_words() -> None:
    """Words are units: one changed letter is a changed word."""
    assert list(words_apart("The cat sat.", "The cot sat!")) == [
        ("same", "The "),
        ("removed", "cat"),
        ("added", "cot"),
        ("same", " sat"),
        ("removed", "."),
        ("added", "!"),
    ]


def test_words_apart_of_long_texts_take_no_minutes() -> None:
    """Repetitive or long texts are compared too; too many different words are one change."""
    long = "x " * 20_000
    assert list(words_apart(long + "z", long + "y z")) == [("same", long), ("added", "y "), ("same", "z")]
    one, other = (" ".join(f"{letter}{number}" for number in range(3000)) for letter in "ab")
    assert list(words_apart(f"A {one} Z", f"A {other} Z")) == [
        ("same", "A "),
        ("removed", one),
        ("added", other),
        ("same", " Z"),
    ]


def test_deep_values_need_no_deep_stack() -> None:
    """Values nested as deeply as the limits allow are compared and changed."""

    def deep(leaf: int) -> am.History:
        data: Any = leaf
        for _ in range(63):
            data = [{"k": data}]
        block: am.Block = am.DataBlock(data)
        for _ in range(60):
            block = am.ToolResultBlock("c", (block,))
        return with_block(block)

    a, b = deep(1), deep(2)
    found = differences(a, b)
    assert [each.kind for each in found] == ["changed"]
    assert am.same(apply(a, found), b)


@pytest.mark.parametrize(
    "path", [("messages", 5), ("messages", 0, "nothing"), ("metadata", "k"), ("messages", 0, "role", 1)]
)
def test_differences_of_other_histories_are_refused(path: tuple[str | int, ...]) -> None:
    """A difference at a missing place is an error, and nothing is made up."""
    with pytest.raises(am.InvalidMessage) as caught:
        apply(say("a"), [Difference(path=path, kind="changed", was=1, now=2)])
    assert caught.value.code in {"schema", "type"}
