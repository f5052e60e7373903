"""What a provider would refuse: each rule finds what breaks it, and nothing in what was accepted."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings

import agentmsg as am
from agentmsg.testing.strategies import histories
from data import corpus, effort, recorded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TARGETS = {"openai": "openai_chat", "anthropic": "anthropic"}
_USER, _CALL = am.Msg.user("Hello"), am.ToolUseBlock(id="a", name="find", input={"q": 1})
_ASKED = am.Msg.assistant("Wait", tool_calls=[_CALL])
_FOUND = am.Msg.tool("here", tool_call_id="a")
_SAID = am.Msg.assistant("Done")
VALID = am.History([_USER, _ASKED, _FOUND, _SAID])


def _with(index: int, *messages: am.Msg) -> am.History:
    """Return the valid history with messages in place of one."""
    return am.History([*VALID[:index], *messages, *VALID[index + 1 :]])


def _calling(call: am.ToolUseBlock) -> am.History:
    return _with(1, _ASKED.evolve(content=[call]))


def _named(link: str) -> am.History:
    called = _calling(_CALL.evolve(id=link))
    return am.History([*called[:2], am.Msg.tool("here", tool_call_id=link), _SAID])


BOTH = {
    "no-messages": am.History([]),
    "call-unanswered": am.History([_USER, _ASKED, _USER, _SAID]),
    "call-pending": VALID[:2],
    "result-orphan": _with(2, _FOUND, am.Msg.tool("who?", tool_call_id="b")),
    "result-late": _with(2, _USER, _FOUND),
    "result-duplicate": _with(2, _FOUND, _FOUND),
    "id-duplicate": _with(1, _ASKED.evolve(content=[_CALL, _CALL])),
    "tool-name": _calling(_CALL.evolve(name="find it")),
    "arguments": _calling(_CALL.evolve(input=[1])),
    "empty-message": _with(0, _USER, _USER.evolve(content=[])),
}
OWN = {
    "openai": {
        "id-characters": _named("a" * 41),
        "message-name": _with(0, _USER.evolve(name="Ann Lee")),
        "media-type": _with(0, am.Msg.of(am.FileBlock(am.URLSource("https://x/a.pdf"))).evolve(role="user")),
        "media-place": _with(0, am.Msg.of(am.AudioBlock(am.Base64Source("AAAA", "audio/wav"))).evolve(role="user")),
        "too-many": am.History(VALID, tools=[am.ToolSpec(name=f"t{i}") for i in range(129)]),
    },
    "anthropic": {
        "first-role": am.History([_SAID, *VALID]),
        "empty-text": _with(0, am.Msg.of(am.TextBlock("x"), am.TextBlock("")).evolve(role="user")),
        "blank-text": _with(0, am.Msg.user(" \n")),
        "trailing-space": _with(3, am.Msg.assistant("Done ")),
        "id-characters": _named("a.b"),
        "cache-count": _with(0, _USER.evolve(content=[am.TextBlock("x", cache=am.CacheHint())] * 5)),
        "system-place": _with(2, _FOUND, am.Msg.system("Be brief")),
    },
}
CASES = [(target, code, broken) for target in TARGETS for code, broken in {**BOTH, **OWN[target]}.items()]


@pytest.mark.parametrize(("target", "code", "broken"), CASES, ids=lambda value: value if isinstance(value, str) else "")
def test_each_rule_is_named(target: Any, code: str, broken: am.History) -> None:
    """What breaks one rule is found by exactly that rule, at a path of the given history."""
    found = am.check(broken, target)
    assert {finding.code for finding in found} == {code}
    for finding in found:
        owner: Any = broken
        for step in finding.path:
            if finding.code == "no-messages":
                break
            owner = owner[step] if isinstance(step, int) else getattr(owner, step)
        assert finding.message
        assert finding.fix


@pytest.mark.parametrize("target", TARGETS)
def test_what_is_right_is_clean(target: Any) -> None:
    """A valid conversation has no findings."""
    assert am.check(VALID, target) == ()


def test_a_format_without_rules_is_refused() -> None:
    """Where nothing is known of a provider, nobody is told that all is well."""
    with pytest.raises(am.CodecLookupError):
        am.check(VALID, "json")


def _requests(target: Any) -> Iterator[tuple[int, am.History]]:
    for path in recorded(corpus(TARGETS[target])):
        if path.suffix == ".json":
            for each in json.loads(path.read_bytes()).get("interactions", ()):
                request = each.get("request")
                if isinstance(request, dict) and "messages" in request:
                    yield each.get("status"), am.decode(request, target)


@pytest.mark.parametrize("target", TARGETS)
def test_what_was_accepted_has_no_error(target: Any) -> None:
    """A recorded request that was answered has no finding of severity error."""
    requests = [history for status, history in _requests(target) if status == 200]
    assert requests
    found = [str(finding) for history in requests for finding in am.check(history, target)]
    assert [line for line in found if " error " in line] == []


@pytest.mark.parametrize("target", TARGETS)
@given(history=histories())
@settings(max_examples=effort(60))
def test_any_history_can_be_checked(target: Any, history: am.History) -> None:
    """Whatever a history holds, check answers, and the same again."""
    assert am.check(history, target) == am.check(history, target)


@pytest.mark.parametrize("target", TARGETS)
def test_time_grows_with_size(target: Any) -> None:
    """Ten times the messages, with all their calls broken, take about ten times as long."""

    def spent(count: int) -> float:
        history = am.History([_USER, _ASKED, _USER, _FOUND] * count)
        return min(_time(lambda: am.check(history, target)) for _ in range(3))

    assert spent(5000) < 40 * spent(500)


def _time(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
