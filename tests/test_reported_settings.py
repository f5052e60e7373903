"""Settings that got lost between formats: what is unset, what stands beside, what siblings share.

The cases come from public reports; the inputs of the reports are among them.
"""

from __future__ import annotations

from typing import Any

import pytest

import agentmsg as am
from agentmsg.formats.spelling import same_document

ASK: Any = [{"role": "user", "content": "hi"}]
SCHEMA: Any = {"type": "object", "properties": {"a": {"type": "string"}}}
LOOSE: Any = {
    "type": "object",
    "properties": {"q": {"type": "string"}, "limit": {"type": "integer"}},
    "required": ["q"],
}
GRAMMAR: Any = {"syntax": "lark", "definition": "start: A"}
CHAT: am.CodecName = "openai"
RESPONSES: am.CodecName = "openai-responses"
_BODIES: dict[am.CodecName, Any] = {
    CHAT: {"messages": ASK},
    RESPONSES: {"input": ASK},
    "anthropic": {"messages": ASK},
    "gemini": {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]},
    "bedrock": {"messages": [{"role": "user", "content": [{"text": "hi"}]}]},
}


def _converted(source: am.CodecName, target: am.CodecName, **parameters: Any) -> tuple[dict[str, Any], am.Losses]:
    """Convert a request; check that it comes back, alone and from what it became; return what became of it."""
    body = {**_BODIES[source], **parameters}
    assert same_document(am.thaw(am.encode(am.decode(body, source), source)), body)
    done = am.convert(body, source, target)
    restored = am.restore(am.decode(done.document, target), done.losses)
    assert same_document(am.thaw(am.encode(restored, source)), body)
    return done.document, done.losses


# -- what is unset ----------------------------------------------------------------------------------------------------


def _tool(codec: str, **more: Any) -> Any:
    """Return the parameters that hold one tool."""
    if codec == CHAT:
        return {"tools": [{"type": "function", "function": {"name": "search", "parameters": LOOSE, **more}}]}
    if codec == RESPONSES:
        return {"tools": [{"type": "function", "name": "search", "parameters": LOOSE, **more}]}
    if codec == "anthropic":
        return {"tools": [{"name": "search", "input_schema": LOOSE, **more}]}
    if codec == "gemini":
        return {"tools": [{"functionDeclarations": [{"name": "search", "parametersJsonSchema": LOOSE, **more}]}]}
    return {"toolConfig": {"tools": [{"toolSpec": {"name": "search", "inputSchema": {"json": LOOSE}, **more}}]}}


LOOSE_BY_DEFAULT: tuple[am.CodecName, ...] = (CHAT, "anthropic", "bedrock")


@pytest.mark.parametrize("said", [{}, {"strict": False}, {"strict": True}], ids=str)
@pytest.mark.parametrize("source", [*LOOSE_BY_DEFAULT, "gemini"])
def test_a_tool_is_as_strict_in_responses(source: am.CodecName, said: dict[str, bool]) -> None:
    """Tools of the Responses API are strict unless they say otherwise, so a tool that isn't says so."""
    if source == "gemini" and said:
        return
    document, losses = _converted(source, RESPONSES, **_tool(source, **said))
    assert document["tools"][0]["strict"] is said.get("strict", False)
    assert not any("strict" in loss.path for loss in losses)


@pytest.mark.parametrize("said", [{}, {"strict": None}, {"strict": True}, {"strict": False}], ids=str)
@pytest.mark.parametrize("target", LOOSE_BY_DEFAULT)
def test_a_tool_of_responses_is_as_strict_elsewhere(target: am.CodecName, said: dict[str, Any]) -> None:
    """A tool that doesn't say whether it is strict was strict there."""
    document, losses = _converted(RESPONSES, target, **_tool(RESPONSES, **said))
    is_strict = said.get("strict") is not False
    assert document == {**_BODIES[target], **_tool(target, **({"strict": True} if is_strict else {}))}
    assert not losses


def test_what_a_format_cannot_say_of_a_tool_is_told() -> None:
    """Gemini's tools are never strict; that those of the Responses API are, also unsaid, is a loss."""
    for said in ({}, {"strict": True}):
        assert [loss.path for loss in _converted(RESPONSES, "gemini", **_tool(RESPONSES, **said))[1]] == [
            ("tools", 0, "strict")
        ]
    assert not _converted(RESPONSES, "gemini", **_tool(RESPONSES, strict=False))[1]


STORED: list[tuple[am.CodecName, am.CodecName, dict[str, Any], dict[str, Any], bool]] = [
    (CHAT, RESPONSES, {}, {"store": False}, False),
    (CHAT, RESPONSES, {"store": True}, {"store": True}, False),
    (CHAT, RESPONSES, {"store": False}, {"store": False}, False),
    (RESPONSES, CHAT, {}, {"store": True}, False),
    (RESPONSES, CHAT, {"store": None}, {"store": True}, False),
    (RESPONSES, CHAT, {"store": False}, {"store": False}, False),
    ("anthropic", RESPONSES, {}, {"store": False}, False),
    (RESPONSES, "anthropic", {}, {}, True),
    (RESPONSES, "anthropic", {"store": False}, {}, False),
]


@pytest.mark.parametrize(("source", "target", "said", "becomes", "is_told"), STORED)
def test_an_exchange_is_kept_as_before(
    source: am.CodecName, target: am.CodecName, said: dict[str, Any], becomes: dict[str, Any], is_told: bool
) -> None:
    """The Responses API keeps exchanges unless a request says otherwise; whether Chat does is up to the account."""
    document, losses = _converted(source, target, temperature=1, **said)
    assert {key: value for key, value in document.items() if key == "store"} == becomes
    assert any(loss.path == ("settings", "store") for loss in losses) is is_told


@pytest.mark.parametrize("said", [{}, {"strict": None}, {"strict": False}, {"strict": True}], ids=str)
def test_the_schema_of_an_answer_is_as_strict_in_both_apis(said: dict[str, Any]) -> None:
    """Both of OpenAI's APIs say that an answer's schema is loose unless it is strict, so what is unset stays so."""
    chat = {"response_format": {"type": "json_schema", "json_schema": {"name": "o", "schema": SCHEMA, **said}}}
    responses = {"text": {"format": {"type": "json_schema", "name": "o", "schema": SCHEMA, **said}}}
    document, losses = _converted(CHAT, RESPONSES, store=True, **chat)
    assert (document, [*losses]) == ({**_BODIES[RESPONSES], "store": True, **responses}, [])
    document, losses = _converted(RESPONSES, CHAT, store=True, **responses)
    assert (document, [*losses]) == ({**_BODIES[CHAT], "store": True, **chat}, [])


@pytest.mark.parametrize("target", ["anthropic", "gemini", "bedrock"])
def test_how_strict_an_answer_is_has_no_word_elsewhere(target: am.CodecName) -> None:
    """Others always hold an answer to its schema: that it is strict, or isn't, is a setting that they lack."""
    form = {"type": "json_schema", "name": "o", "schema": SCHEMA}
    for said in (True, False):
        losses = _converted(RESPONSES, target, store=False, text={"format": {**form, "strict": said}})[1]
        assert [loss.level for loss in losses if loss.path == ("settings", "response_format")] == ["setting"]


def test_unsaid_strictness_is_no_error() -> None:
    """The Responses API adapts the schemas of tools that don't say whether they are strict; others must fit."""
    cases: list[tuple[dict[str, bool], set[str]]] = [
        ({}, set()),
        ({"strict": False}, set()),
        ({"strict": True}, {"strict-schema"}),
    ]
    for said, codes in cases:
        body = {**_BODIES[RESPONSES], "model": "gpt-5", **_tool(RESPONSES, **said)}
        assert {each.code for each in am.check(am.decode(body, RESPONSES), RESPONSES)} == codes


# -- one unknown neighbour --------------------------------------------------------------------------------------------

NEW: Any = {"new": [1, {"x": None}]}
SETTINGS_BY_CODEC: list[tuple[am.CodecName, dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    # The parameters, the settings, and the extras.
    (RESPONSES, {"reasoning": {"effort": "high", **NEW}}, {"reasoning": {"effort": "high"}}, {"reasoning": NEW}),
    (RESPONSES, {"reasoning": {"effort": "odd", "summary": "auto"}}, {"reasoning": {"summary": "auto"}},
     {"reasoning": {"effort": "odd"}}),
    (RESPONSES, {"text": {"format": {"type": "text", **NEW}, **NEW}}, {"response_format": "text"},
     {"text": {"format": NEW, **NEW}}),
    (RESPONSES, {"tool_choice": {"type": "function", "name": "f", **NEW}}, {"tool_choice": {"name": "f"}},
     {"tool_choice": NEW}),
    (CHAT, {"response_format": {"type": "json_schema", "json_schema": {"name": "o", "schema": SCHEMA, **NEW}, **NEW}},
     {"response_format": {"name": "o", "schema": SCHEMA}}, {"response_format": {"json_schema": NEW, **NEW}}),
    (CHAT, {"tool_choice": {"type": "function", "function": {"name": "f", **NEW}}}, {"tool_choice": {"name": "f"}},
     {"tool_choice": {"function": NEW}}),
    ("anthropic", {"thinking": {"type": "enabled", "budget_tokens": 2048, **NEW}}, {"reasoning": {"budget": 2048}},
     {"thinking": NEW}),
    ("anthropic", {"output_config": {"effort": "high", "task_budget": {"type": "tokens", "total": 9}}},
     {"reasoning": {"effort": "high"}}, {"output_config": {"task_budget": {"type": "tokens", "total": 9}}}),
    ("anthropic", {"tool_choice": {"type": "any", **NEW}}, {"tool_choice": "required"}, {"tool_choice": NEW}),
    ("anthropic", {"metadata": {"user_id": "u", **NEW}}, {"user": "u"}, {"metadata": NEW}),
    ("gemini", {"generationConfig": {"thinkingConfig": {"thinkingLevel": "HIGH", **NEW}, **NEW}},
     {"reasoning": {"effort": "high"}}, {"generationConfig": {"thinkingConfig": NEW, **NEW}}),
    ("gemini", {"toolConfig": {"functionCallingConfig": {"mode": "ANY", **NEW}, **NEW}}, {"tool_choice": "required"},
     {"toolConfig": {"functionCallingConfig": NEW, **NEW}}),
    ("bedrock", {"outputConfig": {"effort": "high", **NEW}}, {"reasoning": {"effort": "high"}}, {"outputConfig": NEW}),
    ("bedrock", {"toolConfig": {"toolChoice": {"any": {}, **NEW}}}, {"tool_choice": "required"},
     {"toolConfig": {"toolChoice": NEW}}),
]  # fmt: skip


@pytest.mark.parametrize(("codec", "parameters", "settings", "extras"), SETTINGS_BY_CODEC)
def test_an_unknown_neighbour_costs_nothing(
    codec: am.CodecName, parameters: dict[str, Any], settings: dict[str, Any], extras: dict[str, Any]
) -> None:
    """What is known of an object is a setting, and the rest an extra in the same place; both come back."""
    body = {**_BODIES[codec], **parameters}
    history = am.decode(body, codec)
    assert history.settings is not None
    assert {name: getattr(history.settings, name) for name in settings} == settings
    assert history.extras == {codec: extras}
    for target in _BODIES:
        _converted(codec, target, **parameters)


BESIDE: Any = {"googleSearch": {}, "google_search": {}, "codeExecution": {}, "new": 1}


@pytest.mark.parametrize("holder", ["functionDeclarations", "function_declarations"])
@pytest.mark.parametrize("key", BESIDE)
def test_what_stands_beside_declarations_costs_no_tool(key: str, holder: str) -> None:
    """Gemini's tools may share an object with functions: these are tools everywhere, and all go back there."""
    tool = {"name": "f", "parametersJsonSchema": SCHEMA}
    document, losses = _converted("gemini", CHAT, tools=[{holder: [tool], key: BESIDE[key]}, {holder: [tool]}])
    assert [each["function"]["name"] for each in document["tools"]] == ["f", "f"]
    assert [(loss.where, loss.level) for loss in losses] == [("tools/1", "content")]


def test_a_setting_beside_an_unknown_one_can_be_changed() -> None:
    """A new value is written, and the neighbour stays."""
    history = am.decode({**_BODIES[RESPONSES], "reasoning": {"effort": "high", "context": "all_turns"}}, RESPONSES)
    edited: Any = am.encode(history.with_settings(reasoning={"effort": "low"}), RESPONSES)
    assert edited["reasoning"] == {"effort": "low", "context": "all_turns"}


# -- siblings ---------------------------------------------------------------------------------------------------------

SAME: Any = {
    "service_tier": "flex", "prompt_cache_key": "k", "prompt_cache_retention": "24h", "safety_identifier": "u1",
    "top_logprobs": 2, "moderation": {"model": "m"}, "prompt_cache_options": {"ttl": "30m"},
    "stream_options": {"include_obfuscation": False},
}  # fmt: skip
SHARED: list[tuple[dict[str, Any], dict[str, Any]]] = [
    # The parameters of Chat Completions, and those of the Responses API.
    *(({key: value}, {key: value}) for key, value in SAME.items()),
    (SAME, SAME),
    ({"verbosity": "low"}, {"text": {"verbosity": "low"}}),
    ({"tool_choice": {"type": "custom", "custom": {"name": "f"}}}, {"tool_choice": {"type": "custom", "name": "f"}}),
    (
        {
            "tool_choice": {
                "type": "allowed_tools",
                "allowed_tools": {
                    "mode": "auto",
                    "tools": [
                        {"type": "function", "function": {"name": "f"}},
                        {"type": "custom", "custom": {"name": "g"}},
                    ],
                },
            }
        },
        {
            "tool_choice": {
                "type": "allowed_tools",
                "mode": "auto",
                "tools": [{"type": "function", "name": "f"}, {"type": "custom", "name": "g"}],
            }
        },
    ),
    (
        {"service_tier": "flex", "verbosity": "low", "response_format": {"type": "text"}},
        {"service_tier": "flex", "text": {"format": {"type": "text"}, "verbosity": "low"}},
    ),
    (
        {"tools": [{"type": "custom", "custom": {"name": "f", "format": {"type": "grammar", "grammar": GRAMMAR}}}]},
        {"tools": [{"type": "custom", "name": "f", "format": {"type": "grammar", **GRAMMAR}}]},
    ),
    (
        {"tools": [{"type": "custom", "custom": {"name": "f", "format": {"type": "text"}}}]},
        {"tools": [{"type": "custom", "name": "f", "format": {"type": "text"}}]},
    ),
]


@pytest.mark.parametrize(("chat", "responses"), SHARED)
def test_siblings_keep_what_both_have(chat: dict[str, Any], responses: dict[str, Any]) -> None:
    """The parameters of both APIs of one provider convert between them, and nothing is lost."""
    document, losses = _converted(CHAT, RESPONSES, store=True, seed=None, **chat)
    assert (document, [*losses]) == ({**_BODIES[RESPONSES], "store": True, **responses}, [])
    document, losses = _converted(RESPONSES, CHAT, store=True, temperature=None, **responses)
    assert (document, [*losses]) == ({**_BODIES[CHAT], "store": True, **chat}, [])


@pytest.mark.parametrize(
    "choice",
    [{"type": "mcp", "server_label": "s"}, {"type": "file_search"}, {"type": "custom"}, "odd", {"type": 1, "name": "f"},
     {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "mcp", "server_label": "s"}]},
     {"type": "custom", "custom": {"name": "f"}}, {"type": "allowed_tools", "tools": "odd"}],
)  # fmt: skip
def test_other_choices_of_tools_stay(choice: Any) -> None:
    """A choice that Chat Completions can't say is told; both come back."""
    document, losses = _converted(RESPONSES, CHAT, tool_choice=choice)
    assert bool(losses) is ("tool_choice" not in document)
    _converted(CHAT, RESPONSES, tool_choice=choice)


def test_only_what_a_sibling_lacks_is_lost() -> None:
    """A parameter of one API alone is an extra of it, and told."""
    document, losses = _converted(CHAT, RESPONSES, model="gpt-5", service_tier="flex", logprobs=True)
    assert document == {**_BODIES[RESPONSES], "model": "gpt-5", "service_tier": "flex", "store": False}
    assert {loss.level for loss in losses} == {"setting"}
    assert "logprobs" in str([*losses])
    options = {"include_usage": True, "include_obfuscation": False}
    document, losses = _converted(CHAT, RESPONSES, model="gpt-5", stream_options=options)
    assert document["stream_options"] == {"include_obfuscation": False}
    assert {loss.level for loss in losses} == {"setting"}


@pytest.mark.parametrize("target", ["openai", "anthropic", "gemini", "bedrock"])
def test_a_schema_stays_beside_the_verbosity(target: am.CodecName) -> None:
    """The format of a text is a setting whatever stands beside it; no content is lost."""
    form = {"type": "json_schema", "name": "o", "schema": SCHEMA}
    document, losses = _converted(RESPONSES, target, text={"format": form, "verbosity": "low"})
    settings = am.decode(document, target).settings
    assert settings is not None
    assert isinstance(settings.response_format, dict)
    assert settings.response_format["schema"] == SCHEMA
    assert not losses.content
    assert document.get("verbosity") == ("low" if target == CHAT else None)


# -- words of newer requests ------------------------------------------------------------------------------------------

WORDS: list[tuple[am.CodecName, dict[str, Any], am.CodecName, dict[str, Any]]] = [
    ("anthropic", {"thinking": {"type": "adaptive"}}, "gemini",
     {"generationConfig": {"thinkingConfig": {"thinkingBudget": -1}}}),
    ("gemini", {"generationConfig": {"thinkingConfig": {"thinkingBudget": -1, "includeThoughts": True}}}, "anthropic",
     {"thinking": {"type": "adaptive", "display": "summarized"}}),
    ("anthropic", {"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}}, CHAT,
     {"reasoning_effort": "high"}),
    ("bedrock", {"outputConfig": {"effort": "max"}}, "anthropic", {"output_config": {"effort": "max"}}),
    (CHAT, {"reasoning_effort": "minimal"}, "bedrock", {"outputConfig": {"effort": "low"}}),
]  # fmt: skip


@pytest.mark.parametrize(("source", "parameters", "target", "becomes"), WORDS)
def test_newer_words_convert(
    source: am.CodecName, parameters: dict[str, Any], target: am.CodecName, becomes: dict[str, Any]
) -> None:
    """How much to think has a word in each of these formats."""
    assert _converted(source, target, **parameters)[0] == {**_BODIES[target], **becomes}
