"""The benchmark of conversions: what is converted, that all converters say the same, and what is reported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import agentmsg as am
from benchmarks import conversations, profile
from benchmarks.competitors import Missing
from benchmarks.conversations import recorded, support_chat
from benchmarks.conversions import CONVERTERS, enter_converter, meaning
from benchmarks.data import mixed_history
from benchmarks.peers.by_hand import to_anthropic
from benchmarks.report import as_text
from benchmarks.sections import SECTIONS, Scale, Section
from benchmarks.targets import ratios
from support.strict import anthropic_request_types, openai_request_problems

if TYPE_CHECKING:
    from pathlib import Path

_BOTH_WAYS = ("openai to anthropic", "anthropic to openai")


def _measured(name: str) -> Section:
    return SECTIONS[name](Scale(mixed_history(2), rounds=1, processes=1))


def _ours_can() -> bool:
    return {"openai", "anthropic"} <= set(am.codec_names())


def forgetful(messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Convert all but the last message."""
    return to_anthropic(messages[:-1])


def test_conversation_is_what_the_report_says() -> None:
    """What is converted has 20 messages with 5 tool calls and is accepted by the types of the openai package."""
    messages = support_chat()
    calls = [call["id"] for message in messages for call in message.get("tool_calls", ())]
    results = [message["tool_call_id"] for message in messages if message["role"] == "tool"]
    assert len(messages) == 20
    assert len(set(calls)) == 5
    assert calls == results
    assert openai_request_problems(messages) == []
    assert support_chat() == messages


def test_by_hand_does_the_work() -> None:
    """What is written by hand lifts the system, groups the two parallel results, and is accepted by the types."""
    body = to_anthropic(support_chat())
    grouped = [message["content"] for message in body["messages"] if len(message["content"]) == 2]
    assert anthropic_request_types(body) == "stable"
    assert body["system"].startswith("You are the support agent")
    assert len(body["messages"]) == 20 - 1 - 1
    assert [block["type"] for content in grouped for block in content].count("tool_result") == 2
    assert {message["role"] for message in body["messages"]} == {"user", "assistant"}


def test_meaning_is_not_spelling() -> None:
    """A text alone and in a block mean the same, two texts do not."""

    def said(content: Any) -> Any:
        return meaning({"system": "s", "messages": [{"role": "user", "content": content}]})

    text = {"type": "text", "text": "hi", "citations": None}
    assert said("hi") == said([text])
    assert said("hi") != said([text, text])


def test_who_loses_something_takes_no_part() -> None:
    """A converter that does less work than the others is found out."""
    with pytest.raises(AssertionError, match="forgetful made something else"):
        enter_converter("forgetful", f"{__name__}:forgetful")


def test_who_is_not_installed_is_told() -> None:
    """A converter that cannot be imported is named with the reason."""
    found = enter_converter("nobody", "benchmarks.peers.with_nobody:to_anthropic")
    assert isinstance(found, Missing)
    assert "with_nobody" in found.why


@pytest.mark.slow
def test_conversion_section_has_all_converters() -> None:
    """Every converter has its figures or a reason, and ours are beside those of what is written by hand."""
    section = _measured("conversion")
    told = as_text({"conversion": section}, 2)
    promised = {ratio.name for ratio in ratios({"conversion": section})}
    assert not [name for name in CONVERTERS if name not in told]
    assert set(section.rows["by hand"]) == {"convert", "convert median"}
    assert ("agentmsg" in section.rows) == _ours_can()
    expected = {"conversion convert / by hand", "loss report convert / agentmsg"}
    assert promised == (expected if _ours_can() else set())


@pytest.mark.slow
def test_conversion_is_profiled(capsys: pytest.CaptureFixture[str]) -> None:
    """The profile names the functions that take the time of a conversion, or says why it cannot."""
    code = profile.main(["conversion", "--rounds", "1"])
    printed = capsys.readouterr()
    assert code == (0 if _ours_can() else 1)
    assert ("api.py" in printed.out) if _ours_can() else ("no codec" in printed.err)


@pytest.mark.slow
@pytest.mark.usefixtures("shared")
def test_corpus_section_has_both_ways() -> None:
    """Both ways have messages a second, or a reason why not."""
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
    """Where there are no recorded conversations, the report says where it looked."""
    monkeypatch.setattr(conversations, "SHARED", tmp_path)
    with pytest.raises(FileNotFoundError, match="no recorded conversations"):
        recorded("openai_chat")
    assert not _measured("corpus").rows
