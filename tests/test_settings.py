"""Settings: the parameters of a request beside its messages, between formats, and in the providers' packages."""

from __future__ import annotations

import json
import re
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import agentmsg as am
from agentmsg.cli.program import program
from agentmsg.testing import histories, honest_account
from agentmsg.testing.check import single_values
from agentmsg.values.types import is_object
from agentmsg_codecs.anthropic import AnthropicCodec
from data import effort
from support.documents import documents
from support.strict import anthropic_call_problems, openai_call_problems

ASK: Any = [{"role": "user", "content": "How warm is it?"}]
PROBLEMS = {"openai": openai_call_problems, "anthropic": anthropic_call_problems}
SCHEMA: Any = {"type": "object", "properties": {"degrees": {"type": "number"}}}
ONE_CALL: Any = {"type": "function", "function": {"name": "f"}}

each_target = pytest.mark.parametrize("target", PROBLEMS)


def _body(**parameters: Any) -> dict[str, Any]:
    return {"messages": ASK, **parameters}


# Native parameters, and their settings: the same document comes back.
READ: list[tuple[am.CodecName, dict[str, Any], am.Settings | None]] = [
    ("openai", {"model": "gpt-5", "seed": 7, "store": True}, am.Settings(model="gpt-5", seed=7, store=True)),
    ("openai", {"max_completion_tokens": 9}, am.Settings(max_tokens=9)),
    ("openai", {"max_tokens": 9}, am.Settings(max_tokens=9)),
    ("openai", {"max_tokens": 9, "max_completion_tokens": 8}, am.Settings(max_tokens=8)),
    ("openai", {"stop": "END"}, am.Settings(stop=("END",))),
    ("openai", {"stop": ["END", "."]}, am.Settings(stop=("END", "."))),
    ("openai", {"tool_choice": "required"}, am.Settings(tool_choice="required")),
    ("openai", {"tool_choice": ONE_CALL}, am.Settings(tool_choice={"name": "f"})),
    ("openai", {"response_format": {"type": "json_object"}}, am.Settings(response_format="json")),
    (
        "openai",
        {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA}}},
        am.Settings(response_format={"name": "x", "schema": SCHEMA}),
    ),
    ("openai", {"reasoning_effort": "none"}, am.Settings(reasoning="off")),
    ("openai", {"reasoning_effort": "high"}, am.Settings(reasoning={"effort": "high"})),
    ("openai", {"reasoning_effort": "extreme", "temperature": 3, "metadata": {"a": 1}}, None),
    ("openai", {"model": None, "stop": [], "seed": "7"}, None),
    ("anthropic", {"model": "claude", "max_tokens": 9}, am.Settings(model="claude", max_tokens=9)),
    ("anthropic", {"temperature": 0.5, "top_k": 4}, am.Settings(temperature=0.5, top_k=4)),
    ("anthropic", {"stop_sequences": ["END"]}, am.Settings(stop=("END",))),
    ("anthropic", {"tool_choice": {"type": "any"}}, am.Settings(tool_choice="required")),
    (
        "anthropic",
        {"tool_choice": {"type": "tool", "name": "f", "disable_parallel_tool_use": True}},
        am.Settings(tool_choice={"name": "f"}, parallel_tool_calls=False),
    ),
    ("anthropic", {"thinking": {"type": "disabled"}}, am.Settings(reasoning="off")),
    (
        "anthropic",
        {"thinking": {"type": "enabled", "budget_tokens": 2048}, "output_config": {"effort": "max"}},
        am.Settings(reasoning={"effort": "max", "budget": 2048}),
    ),
    (
        "anthropic",
        {"output_config": {"format": {"type": "json_schema", "schema": SCHEMA}}},
        am.Settings(response_format={"schema": SCHEMA}),
    ),
    ("anthropic", {"metadata": {"user_id": "u"}}, am.Settings(user="u")),
    ("anthropic", {"thinking": {"type": "between_tools"}, "temperature": 1.5, "tool_choice": {"type": "odd"}}, None),
    ("anthropic", {"thinking": {"type": "adaptive"}}, am.Settings(reasoning={"budget": -1})),
    (
        "anthropic",
        {"thinking": {"type": "enabled", "budget_tokens": 2048, "display": "summarized"}},
        am.Settings(reasoning={"budget": 2048, "summary": "auto"}),
    ),
]


@pytest.mark.parametrize(("codec", "parameters", "settings"), READ)
def test_parameters_are_settings_and_come_back(
    codec: am.CodecName, parameters: dict[str, Any], settings: am.Settings | None
) -> None:
    """Each parameter with a field in the model is a setting; any other value stays an extra."""
    body = _body(**parameters)
    history = am.decode(body, codec)
    assert history.settings == settings
    assert am.encode(history, codec) == body
    carried = am.loads(am.dumps(history, "json"), "json")
    assert am.encode(carried, codec) == body
    if settings is None:
        assert history.extras == {codec: parameters}


# Parameters of one format in the other, with the reported losses.
CONVERTED: list[tuple[am.CodecName, dict[str, Any], dict[str, Any], list[str]]] = [
    ("openai", {"max_tokens": 9, "stop": "END"}, {"max_tokens": 9, "stop_sequences": ["END"]}, []),
    (
        "openai",
        {"tool_choice": ONE_CALL, "parallel_tool_calls": True},
        {"tool_choice": {"type": "tool", "name": "f", "disable_parallel_tool_use": False}},
        [],
    ),
    (
        "openai",
        {"parallel_tool_calls": False},
        {"tool_choice": {"type": "auto", "disable_parallel_tool_use": True}},
        ["settings/tool_choice invented (setting): parallel calls are set with the choice of tools here"],
    ),
    (
        "openai",
        {"model": "gpt-5", "user": "u"},
        {"metadata": {"user_id": "u"}},
        ["settings/model dropped (setting): the name of another provider's model"],
    ),
    (
        "openai",
        {"temperature": 0.2},
        {},
        ['settings/temperature dropped (setting): models have no such setting now; sampling="write" keeps it'],
    ),
    (
        "openai",
        {"reasoning_effort": "minimal", "seed": 1},
        {"output_config": {"effort": "low"}},
        ["settings/seed dropped (setting)", "settings/reasoning changed (setting): no such reasoning here"],
    ),
    (
        "openai",
        {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA}}},
        {"output_config": {"format": {"type": "json_schema", "schema": SCHEMA}}},
        ["settings/response_format changed (setting): only the schema of a response format is supported"],
    ),
    ("anthropic", {"temperature": 0.5, "max_tokens": 9}, {"max_completion_tokens": 9, "temperature": 0.5}, []),
    (
        "anthropic",
        {"thinking": {"type": "enabled", "budget_tokens": 2048}},
        {},
        ["settings/reasoning dropped (setting): only the effort of reasoning can be set here"],
    ),
    (
        "anthropic",
        {"output_config": {"format": {"type": "json_schema", "schema": SCHEMA}}},
        {"response_format": {"type": "json_schema", "json_schema": {"name": "response", "schema": SCHEMA}}},
        ["settings/response_format changed (setting): a schema has a name here"],
    ),
    (
        "anthropic",
        {"thinking": {"type": "disabled"}, "top_k": 4},
        {"reasoning_effort": "none"},
        ["settings/top_k dropped (setting)"],
    ),
]


@pytest.mark.parametrize(("source", "parameters", "becomes", "told"), CONVERTED)
def test_settings_cross_formats(
    source: am.CodecName, parameters: dict[str, Any], becomes: dict[str, Any], told: list[str]
) -> None:
    """Settings that both formats have convert; all others are reported, and come back."""
    target: am.CodecName = "anthropic" if source == "openai" else "openai"
    done = am.convert(_body(**parameters), source, target)
    expected = _body(**becomes) if becomes else am.convert(_body(), source, target).document
    assert done.document == expected
    assert [str(loss) for loss in done.losses] == told
    assert done.losses.content == am.convert(_body(), source, target).losses
    restored = am.restore(am.decode(done.document, target), done.losses)
    assert am.encode(restored, source) == _body(**parameters)


def test_a_model_is_asked_for_by_name() -> None:
    """The model name crosses families only if the caller names one, even the very same; the report undoes it."""
    body = _body(model="gpt-5", max_completion_tokens=50)
    for model in ("claude-opus-5", "gpt-5"):
        done = am.convert(body, "openai", "anthropic", model=model, max_tokens=1024)
        assert done.document == _body(model=model, max_tokens=1024)
        assert anthropic_call_problems(done.document) == []
        assert am.encode(am.restore(am.decode(done.document, "anthropic"), done.losses), "openai") == body
    history = am.decode(body, "openai")
    assert "model" not in am.encode(history, "anthropic")
    assert am.encode(history.with_settings(model="gpt-5"), "anthropic")["model"] == "gpt-5"
    assert am.encode(history.with_settings(max_tokens=9), "openai") == _body(model="gpt-5", max_completion_tokens=9)
    with pytest.raises(am.InvalidMessage):
        am.convert(body, "openai", "anthropic", max_tokens=False)


def test_what_is_asked_of_a_format_without_settings_is_an_error(tmp_path: Path) -> None:
    """The caller's request is granted or refused, never left out silently."""
    with pytest.raises(am.CodecLookupError, match="no place for model and max_tokens"):
        am.convert(ASK, "openai", "langchain", model="m", max_tokens=9)
    assert am.convert(ASK, "openai", "json", model="m").document["settings"] == {"model": "m"}
    path = tmp_path / "a.json"
    path.write_text(json.dumps(ASK))
    done = CliRunner().invoke(program, ["convert", str(path), "--to", "langchain", "--model", "m"])
    assert done.exit_code != 0
    assert "error [option] langchain" in done.output
    with pytest.raises(am.InvalidMessage) as caught:
        am.Settings(stop=["END", "\ud800"])
    assert caught.value.path == ("stop", 1)


def test_what_a_list_of_messages_is_asked_makes_it_a_body() -> None:
    """Settings need a body."""
    done = am.convert(ASK, "openai", "openai", model="gpt-5")
    assert done.document == _body(model="gpt-5")
    assert am.encode(am.restore(am.decode(done.document, "openai"), done.losses), "openai") == ASK


def test_older_models_take_sampling() -> None:
    """The option writes parameters that the package's calls no longer accept, in their range."""
    codec = AnthropicCodec(sampling="write")
    history = am.History.of("Hi").with_settings(temperature=1.5, top_p=0.9)
    losses: list[am.Loss] = []
    assert am.encode(history, codec, losses=losses)["temperature"] == 1
    assert [str(loss) for loss in losses] == ["settings/temperature changed (setting): it goes from 0 to 1 here"]


def test_a_request_needs_its_settings() -> None:
    """A request's missing settings are reported, not invented; conversations need none; clouds differ."""
    history = am.decode(_body(model="gpt-5"), "openai")
    assert [str(each.path[-1]) for each in am.check(history, "anthropic")] == ["model", "max_tokens"]
    assert am.repair(history, "anthropic").history is history
    assert am.check(am.History.of("Hi"), "anthropic") == ()
    assert am.check(history.with_settings(model="claude", max_tokens=9), "anthropic") == ()
    hosted = am.decode(_body(anthropic_version="bedrock-2023-05-31", max_tokens=9), "anthropic")
    assert am.check(hosted, "anthropic") == ()


def test_extras_that_are_no_object_say_nothing_of_settings() -> None:
    """The value under a family's name may be anything; it names no model."""
    for odd in (True, "anthropic_version", 1):
        history = am.History([am.Msg.user("x")], settings=am.Settings(max_tokens=1), extras={"anthropic": odd})
        assert "required-setting" in {finding.code for finding in am.check(history, "anthropic")}


# Values that may be under a setting's parameter without being one.
_NO_SETTINGS: tuple[Any, ...] = ({}, [], None, "", 5, "x", {"x": 1}, {"maxTokens": 5, "maxOutputTokens": 5})


@pytest.mark.parametrize("codec", [*map(am.get_codec, am.codec_names())], ids=lambda codec: codec.name)
def test_parameters_among_the_extras_stay_or_are_told(codec: am.Codec) -> None:
    """Law 3 for any value under a parameter, also beside settings of the same parameter."""
    keys = sorted({key for _, document in documents(codec.name) if is_object(document) for key in document})
    asked = [history.settings for history in single_values() if history.settings is not None]
    tried = list(product(keys, _NO_SETTINGS, [None, *asked]))
    for key, value, settings in Random(codec.name).sample(tried, min(effort(600), len(tried))):
        extras = {codec.family: {key: value}}
        honest_account(codec, am.History([am.Msg.user("Hi")], settings=settings, extras=extras))


@each_target
def test_the_packages_take_any_setting(target: Any) -> None:
    """The strict types of the provider's call accept everything that the model holds, given a model and a limit."""
    tried = [history for history in single_values() if history.settings is not None]
    assert tried
    for history in tried:
        asked = history.with_settings(model="m", max_tokens=9).evolve(extras={})
        assert PROBLEMS[target](am.encode(asked, target, losses=[])) == []


@each_target
@given(settings=histories(0).map(lambda history: history.settings), model=st.sampled_from(("m", "gpt-5")))
def test_the_packages_take_settings_together(target: Any, settings: am.Settings | None, model: str) -> None:
    """The same for settings of any kind together."""
    asked = am.History.of("Hi").evolve(settings=settings).with_settings(model=model, max_tokens=9)
    assert asked.settings
    bare = asked.evolve(settings=asked.settings.evolve(extras={}))
    assert PROBLEMS[target](am.encode(bare, target)) == []


def test_the_command_line_asks(tmp_path: Path) -> None:
    """``convert --model --max-tokens`` gives sendable bodies; without them, it reports what is missing."""
    path, out = tmp_path / "a.json", str(tmp_path / "b.json")
    path.write_text(json.dumps(_body(model="gpt-5")))
    start = ["convert", str(path), "--to", "anthropic", "-o", out, "--force"]
    lacks = "agentmsg: the document would be refused by the provider for a missing setting: give --model, --max-tokens"
    assert lacks in CliRunner().invoke(program, start).stderr.splitlines()
    assert lacks in CliRunner().invoke(program, [*start, "--repair"]).stderr.splitlines()
    only = lacks.removesuffix(", --max-tokens")
    assert only in CliRunner().invoke(program, [*start, "--max-tokens", "9"]).stderr.splitlines()
    losses = str(tmp_path / "l.jsonl")
    done = CliRunner().invoke(
        program, [*start, "--model", "claude", "--max-tokens", "9", "--losses", losses, "--verify"]
    )
    assert done.exit_code == 0
    assert "refused" not in done.stderr
    assert json.loads(Path(out).read_bytes()) == _body(model="claude", max_tokens=9)
    restored = CliRunner().invoke(program, ["restore", out, losses])
    assert json.loads(restored.stdout) == _body(model="gpt-5")


@pytest.mark.parametrize("name", am.codec_names())
def test_a_schema_is_never_lost_in_silence(name: am.CodecName) -> None:
    """A format without schemas refuses them, as it refuses any lost content, unless somebody collects the losses."""
    asked = am.Settings(response_format={"schema": {"type": "object", "properties": {}}})
    history = am.History([am.Msg.user("Hi")], settings=asked)
    losses: list[am.Loss] = []
    am.encode(history, name, losses=losses)
    if any(loss.level == "content" for loss in losses):
        with pytest.raises(am.LossError):
            am.encode(history, name)
    else:
        am.encode(history, name)


CLOSE: dict[str, str] = {
    "loses": "did you mean losses?",
    "on_losses": "did you mean on_loss?",
    "temprature": "did you mean temperature? settings belong to the history: history.with_settings(temperature=...)",
    "max_token": "did you mean max_tokens? settings belong",
    "reasoning_effort": "did you mean reasoning? settings belong",
    "system": "a system prompt is a message",
    "thinkin": "did you mean thinking?",
}


@pytest.mark.parametrize("name", CLOSE)
def test_a_misspelt_option_says_what_is_meant(name: str) -> None:
    """Arguments and settings are thought of, too, if the codec has no option of nearly this name."""
    wrong: Any = {name: 1}
    with pytest.raises(am.CodecLookupError, match=re.escape(CLOSE[name])):
        am.encode(am.History.of("Hi"), "openai", **wrong)


def test_a_misspelt_setting_is_one_of_our_errors() -> None:
    """It names the setting that is meant."""
    wrong: Any = {"modle": "x"}
    with pytest.raises(am.InvalidMessage, match="did you mean model") as caught:
        am.History.of("Hi").with_settings(**wrong)
    assert (caught.value.code, caught.value.path) == ("option", ("modle",))


# Settings that are a word or an object: the wrong value, where it is wrong, and what the error says.
WRONG: list[tuple[str, Any, tuple[str, ...], str]] = [
    ("tool_choice", "requird", (), "must be 'auto', 'required', 'none' or an object with name"),
    ("tool_choice", 7, (), "must be 'auto'"),
    ("tool_choice", {}, (), "must be 'auto'"),
    ("tool_choice", {"nam": "f"}, ("nam",), "has no key 'nam'; it may be 'auto'"),
    ("tool_choice", {"name": 5}, ("name",), "name must be a string, not 5"),
    ("tool_choice", {"name": None}, ("name",), "needs name"),
    ("tool_choice", ONE_CALL, ("type",), "has no key 'type'"),
    ("response_format", "jsn", (), "must be 'text', 'json' or an object with schema"),
    ("response_format", {"name": "x"}, ("schema",), "needs schema"),
    ("response_format", {"schema": "x"}, ("schema",), "schema must be an object"),
    ("response_format", {"schema": {}, "strict": "yes"}, ("strict",), "strict must be True or False"),
    ("response_format", SCHEMA, ("type",), "has no key 'type'"),
    ("reasoning", "high", (), "must be 'off' or an object with effort, budget, summary"),
    ("reasoning", {"efort": "high"}, ("efort",), "has no key 'efort'"),
    ("reasoning", {"budget": "5"}, ("budget",), "budget must be a whole number"),
    ("reasoning", {"budget": True}, ("budget",), "budget must be a whole number"),
    ("reasoning", [], (), "must be 'off'"),
]


@pytest.mark.parametrize(("field", "value", "path", "words"), WRONG)
def test_a_setting_says_what_it_may_be(field: str, value: Any, path: tuple[str, ...], words: str) -> None:
    """A wrong word, key or value of a setting is refused when it is made or read, by its name."""
    asked: Any = {field: value}
    for make in (lambda: am.Settings(**asked), lambda: am.History.of("x").with_settings(**asked)):
        with pytest.raises(am.InvalidMessage) as made:
            make()
        assert made.value.path == (field, *path)
        assert words in made.value.message
    written = json.dumps({"agentmsg": 1, "messages": [], "settings": asked})
    with pytest.raises(am.DecodeError) as read:
        am.loads(written, "json")
    assert read.value.path == ("settings", field, *path)
    assert words in read.value.message
    assert not Draft202012Validator(am.get_codec("json").schema() or {}).is_valid(json.loads(written))


@pytest.mark.parametrize(
    ("name", "held"),
    [
        (
            "openai",
            {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": {}, "strict": 1}}},
        ),
        ("openai-responses", {"text": {"format": {"type": "json_schema", "name": "x", "schema": {}, "strict": 1}}}),
    ],
)
def test_what_a_setting_may_not_be_stays_in_its_place(name: am.CodecName, held: Any) -> None:
    """A request may have anything there: what isn't a setting comes back as it was."""
    document = {"messages": ASK, **held} if name == "openai" else {"input": "x", **held}
    history = am.decode(document, name)
    assert history.settings is not None
    assert history.settings.response_format == {"name": "x", "schema": {}}
    assert am.encode(history, name) == document
