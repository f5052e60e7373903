"""Settings that providers refuse, alone or beside others: check finds them, and repair takes the nearest value."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

import agentmsg as am
from agentmsg.testing import sendable
from agentmsg.testing.strategies import histories
from data import effort

_TOOLS = [am.ToolSpec("find", parameters={"type": "object"})]
_STOPS = tuple("abcdefghijkl")
_SCHEMA: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "string"}}}
_CLOSED = {**_SCHEMA, "additionalProperties": False}
_EMPTY = {"type": "object", "additionalProperties": False}
_THINKING: dict[str, Any] = {"reasoning": {"budget": 2048}, "max_tokens": 4096}
_ONE: dict[str, Any] = {"name": "find"}
_OTHER: dict[str, Any] = {"name": "other"}

# What a history without and one with tools asks of a provider, and what is left after repair; None: the setting goes.
_Case = tuple[Any, dict[str, Any], dict[str, Any]]
PLAIN: list[_Case] = [
    ("openai", {"max_tokens": 0}, {"max_tokens": 1}),
    ("openai", {"temperature": 2.5}, {"temperature": 2}),
    ("openai", {"top_p": 1.5}, {"top_p": 1}),
    ("openai", {"stop": _STOPS}, {"stop": _STOPS[:4]}),
    ("openai", {"tool_choice": "auto"}, {"tool_choice": None}),
    ("openai", {"tool_choice": _ONE}, {"tool_choice": None}),
    ("openai", {"parallel_tool_calls": True}, {"parallel_tool_calls": None}),
    ("openai", {"response_format": {"name": "a.b", "schema": _SCHEMA}},
     {"response_format": {"name": "a_b", "schema": _SCHEMA}}),
    ("openai", {"response_format": {"name": "a" * 65, "schema": _SCHEMA}},
     {"response_format": {"name": "a" * 64, "schema": _SCHEMA}}),
    ("openai", {"response_format": {"name": "a", "schema": {"type": "dict", "properties": {"a": {"type": "str"}}}}},
     {"response_format": {"name": "a", "schema": _SCHEMA}}),
    ("openai", {"response_format": {"name": "a", "schema": _SCHEMA, "strict": True}},
     {"response_format": {"name": "a", "schema": _SCHEMA, "strict": False}}),
    ("openai", {"model": "gpt-5-nano", "top_p": 0.9}, {"top_p": None}),
    ("openai", {"model": "o3", "temperature": 0}, {"temperature": 1}),
    ("openai-responses", {"model": "gpt-5-nano", "top_p": 0.9}, {"top_p": None}),
    ("openai-responses", {"model": "o3", "temperature": 0}, {"temperature": 1}),
    ("openai-responses", {"max_tokens": 1}, {"max_tokens": 16}),
    ("openai-responses", {"temperature": 3}, {"temperature": 2}),
    ("openai-responses", {"top_p": 1.5}, {"top_p": 1}),
    ("openai-responses", {"tool_choice": "required"}, {"tool_choice": None}),
    ("openai-responses", {"response_format": {"name": "", "schema": _SCHEMA}},
     {"response_format": {"name": "_", "schema": _SCHEMA}}),
    ("anthropic", {"temperature": 1.7}, {"temperature": 1}),
    ("anthropic", {"top_p": 1.7}, {"top_p": 1}),
    ("anthropic", {"stop": ("\n", "x", "")}, {"stop": ("x",)}),
    ("anthropic", {"stop": ("\n",)}, {"stop": ()}),
    ("anthropic", {"reasoning": {"budget": 1}}, {"reasoning": {"budget": 1024}}),
    ("anthropic", {"reasoning": {"budget": 9000, "effort": "low"}, "max_tokens": 2000},
     {"reasoning": {"budget": 1999, "effort": "low"}}),
    ("anthropic", {"reasoning": {"budget": 9000}, "max_tokens": 500}, {"reasoning": None}),
    ("anthropic", {**_THINKING, "temperature": 0}, {"temperature": 1}),
    ("anthropic", {**_THINKING, "top_p": 0.5}, {"top_p": 0.95}),
    ("anthropic", {**_THINKING, "top_k": 5}, {"top_k": None}),
    ("anthropic", {"temperature": 0.5, "top_p": 0.5}, {"top_p": None}),
    ("anthropic", {"tool_choice": _ONE}, {"tool_choice": None}),
    ("anthropic", {"parallel_tool_calls": True}, {"parallel_tool_calls": None}),
    ("anthropic", {"response_format": {"schema": _SCHEMA}},
     {"response_format": {"schema": _CLOSED}}),
    ("anthropic", {"response_format": {"schema": {"properties": {"a": True, "b": {"type": "object"}}}}},
     {"response_format": {"schema": {"properties": {"a": True, "b": _EMPTY}, "additionalProperties": False}}}),
    ("gemini", {"max_tokens": 0}, {"max_tokens": 1}),
    ("gemini", {"temperature": 2.5}, {"temperature": 2}),
    ("gemini", {"top_p": 1.5}, {"top_p": 1}),
    ("gemini", {"top_k": 0}, {"top_k": 1}),
    ("gemini", {"stop": _STOPS}, {"stop": _STOPS[:5]}),
    ("gemini", {"tool_choice": "required"}, {"tool_choice": None}),
    ("bedrock", {"max_tokens": 0}, {"max_tokens": 1}),
    ("bedrock", {"temperature": 1.5}, {"temperature": 1}),
    ("bedrock", {"top_p": 1.5}, {"top_p": 1}),
    ("bedrock", {"stop": ("", " ")}, {"stop": (" ",)}),
    ("bedrock", {"stop": ("x",) * 2501}, {"stop": ("x",) * 2500}),
    ("bedrock", {"tool_choice": "auto"}, {"tool_choice": None}),
]  # fmt: skip
OFFERING: list[_Case] = [
    ("openai", {"tool_choice": _OTHER}, {"tool_choice": None}),
    ("openai-responses", {"tool_choice": _OTHER}, {"tool_choice": None}),
    ("anthropic", {"tool_choice": _OTHER}, {"tool_choice": None}),
    ("anthropic", {**_THINKING, "tool_choice": _ONE}, {"tool_choice": None}),
    ("anthropic", {**_THINKING, "tool_choice": "required"}, {"tool_choice": None}),
    ("anthropic", {"reasoning": {"budget": 9000}, "max_tokens": 2000}, {"reasoning": {"budget": 1999}}),
    ("gemini", {"tool_choice": _OTHER}, {"tool_choice": None}),
    ("gemini", {"response_format": "json"}, {"response_format": None}),
]
BROKEN: list[tuple[_Case, list[am.ToolSpec]]] = [
    *((case, []) for case in PLAIN),
    *((case, _TOOLS) for case in OFFERING),
]
# What looks similar, and is accepted: with tools.
ACCEPTED: list[tuple[Any, dict[str, Any]]] = [
    ("openai", {"max_tokens": 1, "temperature": 2, "top_p": 0, "stop": _STOPS[:4], "tool_choice": _ONE}),
    ("openai", {"tool_choice": "required", "parallel_tool_calls": True, "response_format": "text"}),
    ("openai", {"model": "gpt-5.6", "reasoning": "off", "temperature": 0, "top_p": 0.5}),
    ("openai", {"model": "gpt-5-chat-latest", "temperature": 0, "top_p": 0.5}),
    ("openai-responses", {"max_tokens": 16, "tool_choice": _ONE, "parallel_tool_calls": False}),
    ("anthropic", {"temperature": 0, "stop": ("x\n",), "tool_choice": _ONE}),
    ("anthropic", {"max_tokens": 1025, "reasoning": {"budget": 1024}, "tool_choice": "auto", "temperature": 1}),
    ("anthropic", {"reasoning": {"effort": "high"}, "tool_choice": "required", "top_k": 1}),
    ("anthropic", {"reasoning": "off", "tool_choice": _ONE}),
    ("gemini", {"temperature": 2, "top_k": 1, "stop": _STOPS[:5], "tool_choice": _ONE, "response_format": "text"}),
    ("bedrock", {"max_tokens": 1, "temperature": 1, "stop": (" ",), "tool_choice": _ONE}),
]


def _asking(settings: dict[str, Any], tools: Any = ()) -> am.History:
    history = am.History([am.Msg.user("Hello")], tools=tools)
    asked: dict[str, Any] = {"model": "m", "max_tokens": 4096, **settings}
    return history.with_settings(**asked)


def _stated(found: tuple[am.Finding, ...], history: am.History) -> list[am.Finding]:
    """Return the findings about settings that a history states, rather than those that encoding brings about."""
    return [each for each in found if getattr(history.settings, str(each.path[1]), None) is not None]


@pytest.mark.parametrize(
    ("case", "tools"),
    BROKEN,
    ids=[f"{number}-{case[0]}-{'-'.join(case[2])}" for number, (case, _) in enumerate(BROKEN)],
)
def test_each_limit_is_found_and_mended(case: _Case, tools: Any) -> None:
    """One setting is found; the nearest accepted value takes its place, as a loss of a setting, and comes back."""
    target, asked, left = case
    history = _asking(asked, tools)
    codec = am.get_codec(target)
    (name,) = left
    found = _stated(am.check(history, codec), history)
    assert {finding.path for finding in found} == {("settings", name)}
    repaired = am.repair(history, codec, also={finding.code for finding in found})
    value = getattr(repaired.history.settings, name)
    assert value == left[name]
    assert [(loss.path, loss.level) for loss in repaired.losses] == [(("settings", name), "setting")]
    assert am.check(repaired.history, codec) == ()
    assert am.same(am.restore(repaired.history, repaired.losses), history)


@pytest.mark.parametrize(("target", "asked"), ACCEPTED)
def test_what_is_at_a_limit_is_accepted(target: Any, asked: dict[str, Any]) -> None:
    """The ends of a range belong to it, and neighbours that go together have no finding."""
    assert am.check(_asking(asked, _TOOLS), target) == ()
    assert am.check(_asking({"tool_choice": "none"}), target) == ()


def test_every_limit_is_tried() -> None:
    """The cases above break each rule for settings of each codec."""
    tried = {(case[0], each.message) for case, tools in BROKEN for each in am.check(_asking(case[1], tools), case[0])}
    for name in {case[0] for case in PLAIN}:
        rules = am.get_codec(name).rules
        wanted = {(name, rule.message) for rule in rules if rule.code.startswith("setting-")}
        assert wanted <= tried


# Settings of one provider's request in another's.
CONVERTED: list[tuple[Any, dict[str, Any], Any, dict[str, Any], list[str]]] = [
    ("openai", {"temperature": 1.7}, "anthropic", {"temperature": 1}, ["temperature"]),
    ("openai", {"temperature": 1.7}, "bedrock", {"inferenceConfig": {"temperature": 1}}, ["temperature"]),
    ("openai", {"stop": list(_STOPS)}, "gemini", {"generationConfig": {"stopSequences": list("abcde")}}, ["stop"]),
    ("anthropic", {"stop_sequences": list(_STOPS)}, "openai", {"stop": list("abcd")}, ["stop"]),
    ("openai", {"stop": ["\n", "END"]}, "anthropic", {"stop_sequences": ["END"]}, ["stop"]),
    ("openai", {"parallel_tool_calls": False}, "anthropic", {}, ["parallel_tool_calls"]),
    ("gemini", {"generationConfig": {"thinkingConfig": {"thinkingBudget": 512}}}, "anthropic",
     {"thinking": {"type": "enabled", "budget_tokens": 1024}}, ["reasoning"]),
    ("openai", {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": _SCHEMA}}},
     "anthropic", {"output_config": {"format": {"type": "json_schema", "schema": _CLOSED}}}, ["response_format"]),
    ("openai", {"max_tokens": 5}, "openai-responses", {"max_output_tokens": 16}, ["max_tokens"]),
]  # fmt: skip


@pytest.mark.parametrize(("source", "asked", "target", "written", "lost"), CONVERTED)
def test_settings_are_repaired_in_a_conversion(
    source: Any, asked: dict[str, Any], target: Any, written: dict[str, Any], lost: list[str]
) -> None:
    """The provider's check finds them; the repaired document has accepted ones, and the report restores the others."""
    messages = {"role": "user", "content": "Hi"}
    content = {"role": "user", "parts": [{"text": "Hi"}]}
    document = {**({"contents": [content]} if source == "gemini" else {"messages": [messages]}), **asked}
    history = am.decode(document, source)
    found = _stated(am.check(history, target), history)
    errors = {finding.path[1] for finding in found if finding.code != "required-setting"}
    assert errors == set(lost)
    options: dict[str, Any] = {"sampling": "write"} if target == "anthropic" else {}
    given: dict[str, Any] = {"model": "m", **({"max_tokens": 4096} if target == "anthropic" else {})}
    done = am.convert(document, source, am.get_codec(target, **options), repair=True, **given)
    assert {key: value for key, value in done.document.items() if key in written} == written
    restored = am.restore(am.decode(done.document, target), done.losses)
    assert am.encode(restored, source) == document


# Bodies with numbers that aren't read as settings, because they are out of range.
UNREAD: list[tuple[Any, dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    ("openai", {"temperature": 3, "logprobs": True}, {"temperature": 2, "logprobs": True}, {"temperature": 2}),
    ("openai-responses", {"temperature": -0.5}, {"temperature": 0}, {"temperature": 0}),
    ("anthropic", {"max_tokens": 9, "temperature": 1.5, "top_k": 3}, {"max_tokens": 9, "temperature": 1, "top_k": 3},
     {"temperature": 1}),
    ("gemini", {"generationConfig": {"temperature": 5, "topP": 2, "logprobs": 1}},
     {"generationConfig": {"temperature": 2, "topP": 1, "logprobs": 1}}, {"temperature": 2, "top_p": 1}),
    ("gemini", {"generation_config": {"temperature": 5, "top_k": 3}},
     {"generation_config": {"temperature": 2, "top_k": 3}}, {"temperature": 2}),
    ("bedrock", {"inferenceConfig": {"temperature": -1}}, {"inferenceConfig": {"temperature": 0}}, {"temperature": 0}),
]  # fmt: skip


@pytest.mark.parametrize(("target", "asked", "written", "settings"), UNREAD)
def test_numbers_that_were_not_read_are_found(
    target: Any, asked: dict[str, Any], written: dict[str, Any], settings: dict[str, Any]
) -> None:
    """A number outside the range is an extra; it is found as a setting, mended, and comes back."""
    document = {**am.encode(_asking({"max_tokens": None}), target, on_loss="ignore"), **asked}
    history = am.decode(document, target)
    assert [finding.path for finding in am.check(history, target)] == [("settings", name) for name in settings]
    repaired = am.repair(history, target)
    assert {name: getattr(repaired.history.settings, name) for name in settings} == settings
    assert am.encode(repaired.history, target) == {**document, **written}
    assert am.encode(am.restore(repaired.history, repaired.losses), target) == document
    done = am.convert(document, target, target, repair=True)
    assert done.document == {**document, **written}
    assert am.encode(am.restore(am.decode(done.document, target), done.losses), target) == document


@pytest.mark.parametrize("target", ["openai", "openai-responses"])
def test_a_word_of_json_is_enough(target: Any) -> None:
    """The word may stand in any message, in any case; what isn't looked at may hold it."""
    missing = _asking({"response_format": "json"})
    assert [finding.code for finding in am.check(missing, target)] == ["json-word"]
    call = am.Msg("assistant", [am.ToolUseBlock("a", "f", {})])
    for said in (
        [am.Msg.system("Answer in json.")],
        [am.Msg.user("Some JSON, please")],
        [am.Msg("native", [am.NativeBlock(target, {"role": "odd"})])],
        [call, am.Msg.tool("Some JSON", tool_call_id="a")],
        [call, am.Msg("tool", [am.ToolResultBlock("a", structured={"a": 1})])],
    ):
        assert "json-word" not in {each.code for each in am.check(missing.evolve(messages=said), target)}
    shown = [am.Msg("user", [am.ImageBlock(am.URLSource("https://x/json.png"))])]
    assert "json-word" in {each.code for each in am.check(missing.evolve(messages=shown), target)}


def test_tools_may_be_elsewhere() -> None:
    """Tools that weren't read, or come with the messages, can be chosen, and what goes before can mention JSON."""
    chosen = _asking({"tool_choice": _ONE})
    assert am.check(chosen.evolve(extras={"openai": {"tools": "odd"}}), "openai") == ()
    assert am.check(chosen.evolve(extras={"bedrock": {"toolConfig": {"tools": 1}}}), "bedrock") == ()
    native = am.NativeTool("anthropic", {"type": "web_search_20250305", "name": "find"})
    assert am.check(chosen.evolve(tools=[native]), "anthropic") == ()
    asked = _asking({"response_format": "json"}).evolve(extras={"openai-responses": {"previous_response_id": "r"}})
    assert am.check(asked, "openai-responses") == ()


@pytest.mark.parametrize("target", sorted({case[0] for case in PLAIN}))
@given(history=histories())
@settings(max_examples=effort(100))
def test_any_settings_are_repaired(target: Any, history: am.History) -> None:
    """Whatever a history asks for, alone and all at once, is mended, reported and undone."""
    asked = am.History([am.Msg.user("Hi")], tools=history.tools, settings=history.settings)
    sendable(am.get_codec(target), asked)
