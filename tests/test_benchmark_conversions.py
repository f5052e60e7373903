"""The benchmark of conversions: its input, that all converters produce the same meaning, and its report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import agentmsg as am
from benchmarks import conversations, profile
from benchmarks.competitors import Missing
from benchmarks.conversations import recorded, support_chat
from benchmarks.conversions import BODIES, CONVERTERS, enter_converter, meaning
from benchmarks.data import mixed_history
from benchmarks.peers.by_hand import to_anthropic
from benchmarks.report import show_section
from benchmarks.section import Scale, Section
from benchmarks.sections import SECTIONS
from benchmarks.targets import ratios
from benchmarks.timing import Rounds
from support.strict import anthropic_request_types, openai_request_problems

if TYPE_CHECKING:
    from pathlib import Path

_BOTH_WAYS = ("openai to anthropic", "anthropic to openai")


def _measured(name: str) -> Section:
    return SECTIONS[name](Scale(mixed_history(2), Rounds(1)))


def _ours_can() -> bool:
    return {"openai", "anthropic"} <= set(am.codec_names())


def forgetful(body: dict[str, Any]) -> dict[str, Any]:
    """Convert all but the last message."""
    return to_anthropic({**body, "messages": body["messages"][:-1]})


def toolless(body: dict[str, Any]) -> dict[str, Any]:
    """Convert the messages, but no tools."""
    return to_anthropic({"messages": body["messages"]})


def test_conversation_is_what_the_report_says() -> None:
    """The input has 20 messages with 5 tool calls, and the types of the openai package accept it."""
    messages = support_chat()
    calls = [call["id"] for message in messages for call in message.get("tool_calls", ())]
    results = [message["tool_call_id"] for message in messages if message["role"] == "tool"]
    assert len(messages) == 20
    assert len(set(calls)) == 5
    assert calls == results
    assert openai_request_problems(messages) == []
    assert support_chat() == messages


def test_by_hand_does_the_work() -> None:
    """The hand-written converter lifts the system, groups the two parallel results, and the types accept its output."""
    body = to_anthropic(BODIES["with tools"]())
    grouped = [message["content"] for message in body["messages"] if len(message["content"]) == 2]
    assert anthropic_request_types(body) == "stable"
    assert body["system"].startswith("You are the support agent")
    assert len(body["messages"]) == 20 - 1 - 1
    assert [block["type"] for content in grouped for block in content].count("tool_result") == 2
    assert {message["role"] for message in body["messages"]} == {"user", "assistant"}
    assert len({tool["name"] for tool in body["tools"]}) == 10


def test_meaning_is_not_spelling() -> None:
    """A text alone and in a block mean the same, two texts don't; two messages of one role are one turn."""

    def said(content: Any) -> Any:
        return meaning({"system": "s", "messages": [{"role": "user", "content": content}]})

    text = {"type": "text", "text": "hi", "citations": None}
    assert said("hi") == said([text])
    assert said("hi") != said([text, text])
    one = {"role": "user", "content": "hi"}
    assert meaning({"system": "s", "messages": [one, one]}) == said([text, text])


@pytest.mark.parametrize("lazy", [forgetful, toolless])
def test_who_loses_something_takes_no_part(lazy: Any) -> None:
    """A converter that does less work than the others is detected."""
    with pytest.raises(AssertionError, match=f"{lazy.__name__} made something else"):
        enter_converter(lazy.__name__, f"{__name__}:{lazy.__name__}")


def test_who_is_not_installed_is_told() -> None:
    """A converter that can't be imported, or isn't the expected one, is named with the reason."""
    found = enter_converter("nobody", "benchmarks.peers.with_nobody:to_anthropic")
    assert isinstance(found, Missing)
    assert "with_nobody" in found.why
    found = enter_converter("changed", f"{__name__}:no_longer_there")
    assert isinstance(found, Missing)
    assert "another version" in found.why


@pytest.mark.slow
def test_conversions_section_has_all_converters(capsys: pytest.CaptureFixture[str]) -> None:
    """Every converter has figures or a reason, and ours are beside those of the hand-written one."""
    section = _measured("conversions")
    show_section(section)
    told = capsys.readouterr().out
    promised = {ratio.name for ratio in ratios({"conversions": section})}
    assert not [name for name in CONVERTERS if name not in told]
    assert set(section.rows["by hand"]) == {"convert", "convert median", "with tools", "with tools median"}
    assert ("agentmsg" in section.rows) == _ours_can()
    expected = {f"conversions {name} / by hand" for name in BODIES} | {"loss report convert / agentmsg"}
    assert promised == (expected if _ours_can() else set())


@pytest.mark.slow
def test_conversion_is_profiled(capsys: pytest.CaptureFixture[str]) -> None:
    """The profile names the functions that take the time of a conversion, or why it can't."""
    code = profile.main(["conversion", "--rounds", "1"])
    printed = capsys.readouterr()
    assert code == (0 if _ours_can() else 1)
    assert ("writing.py" in printed.out) if _ours_can() else ("no codec" in printed.err)


@pytest.mark.slow
@pytest.mark.usefixtures("shared")
def test_corpus_section_has_both_ways() -> None:
    """Both directions have messages per second, or a reason for having none."""
    section = _measured("corpus")
    reasons = {each.name for each in section.missing}
    assert set(section.rows) | reasons == set(_BOTH_WAYS)
    assert set(section.rows) == (set(_BOTH_WAYS) if _ours_can() else set())
    assert not [name for name, figures in section.rows.items() if figures["rate"] <= 0]


@pytest.mark.usefixtures("shared")
def test_recorded_conversations_are_found() -> None:
    """The recorded request bodies of both formats are read, all with messages."""
    for system in ("openai_chat", "anthropic"):
        bodies = recorded(system)
        assert len(bodies) > 100
        assert all(isinstance(body["messages"], list) for body in bodies)


def test_corpus_that_is_elsewhere_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without recorded conversations, the report names the places that it searched."""
    monkeypatch.setattr(conversations, "SHARED", tmp_path)
    with pytest.raises(FileNotFoundError, match="no recorded conversations"):
        recorded("openai_chat")
    assert not _measured("corpus").rows
