"""Verbs of a history that are a few lines: trim by messages, replace, diff, and what ``+`` does with two requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from hypothesis import given

import agentmsg as am
from agentmsg.cli.program import program
from agentmsg.testing import histories
from support.applying import apply
from support.grand_tour import grand_tour

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TALK = am.History.of(
    am.Msg.system("Be brief."),
    am.Msg.user("Weather?"),
    am.Msg.assistant(tool_calls=[{"name": "f", "id": "c", "args": {}}]),
    am.Msg.tool("Rain.", tool_call_id="c"),
    am.Msg.assistant("It rains."),
)
A, B = am.ToolSpec("a"), am.ToolSpec("b")


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({"max_messages": 9}, [0, 1, 2, 3, 4]),
        ({"max_messages": 5}, [0, 1, 2, 3, 4]),
        ({"max_messages": 4}, [0, 2, 3, 4]),
        ({"max_messages": 3}, [0, 4]),
        ({"max_messages": 3, "keep_tool_pairs": False}, [0, 3, 4]),
        ({"max_messages": 3, "strategy": "first", "keep_system": False}, [0, 1]),
        ({"max_messages": 3, "start_on": "assistant"}, [0, 4]),
        ({"max_messages": 1}, [0]),
        ({"max_messages": 1, "keep_system": False}, [4]),
        ({"max_messages": 0, "keep_system": False}, []),
        ({"max_messages": 4, "max_tokens": 1, "keep_system": False}, []),
        ({"max_messages": 2, "max_tokens": 10_000}, [0, 4]),
    ],
)
def test_trim_counts_messages_or_tokens(options: Any, kept: list[int]) -> None:
    """Each budget has its name; with both, both hold; what is left out can be restored."""
    losses: list[am.Loss] = []
    trimmed = TALK.trim(**options, losses=losses)
    assert list(trimmed) == [TALK[index] for index in kept]
    assert am.trim_messages(TALK, **options) == trimmed
    assert am.same(am.restore(trimmed, losses), TALK)


def test_a_budget_has_a_name() -> None:
    """A number alone could mean either."""
    trim: Any = TALK.trim
    with pytest.raises(TypeError):
        trim(3)
    wrong: list[Any] = [{}, {"max_messages": "3"}, {"max_messages": True}, {"max_tokens": 2.5}]
    for options in wrong:
        with pytest.raises(am.InvalidMessage):
            TALK.trim(**options)


@pytest.mark.parametrize(
    ("options", "code", "count"),
    [(["--max-messages", "3"], 0, 2), (["--max-messages", "4", "--max-tokens", "9999"], 0, 4), ([], 2, 0)],
)
def test_the_command_line_counts_messages(options: list[str], code: int, count: int, tmp_path: Path) -> None:
    """As in Python."""
    am.dump(TALK, tmp_path / "a.json", "json")
    done = CliRunner().invoke(program, ["trim", str(tmp_path / "a.json"), *options, "-q"])
    assert done.exit_code == code, done.output
    assert code or len(am.loads(done.stdout, "json")) == count


@pytest.mark.parametrize("index", [0, 2, 4, -1, -5])
def test_replace_changes_one_message(index: int) -> None:
    """The others stay themselves, and so does everything beside the messages."""
    history = TALK.evolve(tools=[A], id="h")
    for message in (am.Msg.user("New."), "New.", {"role": "user", "content": "New."}):
        new = history.replace(index, message)
        assert new[index].text == "New."
        assert new.evolve(messages=history.messages) == history
        assert [at for at, (one, other) in enumerate(zip(history, new, strict=True)) if one is not other] == [index % 5]


@pytest.mark.parametrize(
    ("index", "message", "code"),
    [
        (5, "x", "option"),
        (-6, "x", "option"),
        ("0", "x", "type"),
        (True, "x", "type"),
        (slice(1), "x", "type"),
        (0, 7, "type"),
    ],
)
def test_replace_refuses_what_is_no_place(index: Any, message: Any, code: str) -> None:
    """There must be a message there, and another to take its place."""
    with pytest.raises(am.InvalidMessage) as raised:
        TALK.replace(index, message)
    assert raised.value.code == code


ONE, TWO = am.History.of("one"), am.History.of("two")
SUMS: dict[str, tuple[am.History, am.History, Any]] = {
    "neither": (ONE, TWO, ((), None)),
    "the first's": (ONE.evolve(tools=[A]).with_settings(model="x"), TWO, ((A,), "x")),
    "the second's": (ONE, TWO.evolve(tools=[A]).with_settings(model="x"), ((A,), "x")),
    "one each": (ONE.evolve(tools=[A]), TWO.with_settings(model="x"), ((A,), "x")),
    "the same": (ONE.evolve(tools=[A]), TWO.evolve(tools=[am.ToolSpec("a")]), ((A,), None)),
    "other tools": (ONE.evolve(tools=[A]), TWO.evolve(tools=[B]), "tools"),
    "more tools": (ONE.evolve(tools=[A]), TWO.evolve(tools=[A, B]), "tools"),
    "other settings": (ONE.with_settings(model="x"), TWO.with_settings(model="y"), "settings"),
}


@pytest.mark.parametrize(("one", "two", "wanted"), SUMS.values(), ids=SUMS)
def test_what_a_sum_does_with_two_requests(one: am.History, two: am.History, wanted: Any) -> None:
    """Tools and settings of the second are taken, or are the same, or are an error that says so; none is left out."""
    if isinstance(wanted, str):
        with pytest.raises(am.InvalidMessage, match=wanted) as raised:
            _ = one + two
        assert raised.value.path == (wanted,)
        assert (one + two.messages).tools == one.tools
        return
    whole = one + two
    assert [message.text for message in whole] == ["one", "two"]
    assert (whole.tools, whole.settings and whole.settings.model) == wanted


BESIDE: dict[str, tuple[Any, Any]] = {
    "extras": ({"openai": {"frequency_penalty": 0.5}}, {"openai": {"frequency_penalty": 1}}),
    "metadata": ({"title": "A"}, {"title": "B"}),
}


@pytest.mark.parametrize("name", BESIDE)
def test_a_sum_has_what_stands_beside_the_messages(name: str) -> None:
    """What has no field of its own is treated as tools and settings are."""
    given, other = BESIDE[name]
    with_it, with_other = ONE.evolve(**{name: given}), TWO.evolve(**{name: other})
    for whole in (with_it + TWO, TWO + with_it, with_it + with_it, with_it + "two"):
        assert getattr(whole, name) == given
    with pytest.raises(am.InvalidMessage) as raised:
        _ = with_it + with_other
    assert (raised.value.path, raised.value.code) == ((name,), "option")


@given(a=histories(), b=histories())
def test_diff_is_empty_exactly_if_they_are_the_same(a: am.History, b: am.History) -> None:
    """It tells all differences: with them, the first becomes the second."""
    found = am.diff(a, b)
    assert (not found) == am.same(a, b)
    assert all(str(each).startswith(each.pointer) for each in found)
    assert am.same(apply(a, found), b)


def test_diff_takes_messages() -> None:
    """A message, a list of messages or a history, as all that takes messages does."""
    tour = grand_tour()
    assert am.diff(tour, tour) == ()
    (found,) = am.diff(am.Msg.user("Hi", id="m"), [am.Msg.user("Ho", id="m")])
    assert (found.kind, found.path) == ("changed", ("messages", 0, "content", 0, "text"))
    assert str(found) == "/messages/0/content/0/text changed: 'Hi' -> 'Ho'"
    wrong: list[Callable[[], object]] = [lambda: am.diff(tour, 5), lambda: am.diff(tour, tour, exact="no")]  # type: ignore[arg-type]
    for call in wrong:
        with pytest.raises(am.InvalidMessage):
            call()


@pytest.mark.parametrize("name", [name for name in am.codec_names() if am.get_codec(name).holds_messages])
def test_an_error_that_the_text_says_is_kept(name: am.CodecName) -> None:
    """A result with an error and no status loses nothing where its text says the error; formats with a state say it."""
    call = am.ToolUseBlock(id="c", name="f", input={})
    for message in (call.result("No", error="No"), am.Msg.tool("No", tool_call_id="c", name="f", error="No")):
        raw = am.dumps(am.History.of("Hi", am.Msg.assistant(tool_calls=[call]), message), name)
        assert am.loads(raw, name)[-1].text == "No"
