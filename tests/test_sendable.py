"""Sending rules: each finds its violations, and nothing in accepted requests; repair mends them."""

from __future__ import annotations

import base64
import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import agentmsg as am
from agentmsg.fitting.fit import fit
from agentmsg.fitting.repairing import errors
from agentmsg.formats import is_object
from agentmsg.formats.sending.encoding import is_base64
from agentmsg.formats.sending.findings import Request
from agentmsg.formats.sending.pairing import Pairing, is_plain
from agentmsg.testing import sendable
from agentmsg.testing.strategies import histories
from data import corpus, effort, recorded, some
from support.documents import documents
from support.strict import anthropic_call_problems, openai_call_problems, responses_call_problems
from support.timing import seconds_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

TARGETS: dict[am.CodecName, str] = {
    "openai": "openai_chat",
    "openai-responses": "openai_responses",
    "anthropic": "anthropic",
    "gemini": "gemini",
    "bedrock": "bedrock",
}
_USER, _CALL = am.Msg.user("Hello"), am.ToolUseBlock(id="a", name="find", input={"q": 1})
_ASKED = am.Msg.assistant("Wait", tool_calls=[_CALL])
_FOUND = am.Msg.tool("here", tool_call_id="a")
_SAID = am.Msg.assistant("Done")
_NONE = am.Msg("tool", [am.ToolResultBlock("a", [am.TextBlock("No result was recorded.")])])
VALID = am.History([_USER, _ASKED, _FOUND, _SAID])

each_target = pytest.mark.parametrize("target", TARGETS)


def _with(index: int, *messages: am.Msg) -> am.History:
    """Return the valid history with messages instead of one of its own."""
    return am.History([*VALID[:index], *messages, *VALID[index + 1 :]])


def _calling(call: am.ToolUseBlock, *results: am.Msg) -> am.History:
    return am.History([_USER, _ASKED.evolve(content=[call]), *(results or [_FOUND]), _SAID])


def _named(link: str) -> am.History:
    return _calling(_CALL.evolve(id=link), am.Msg.tool("here", tool_call_id=link))


def _told(text: str) -> am.Msg:
    return am.Msg.user(f"<tool_result>\n{text}\n</tool_result>")


def _said(*texts: str) -> am.Msg:
    return am.Msg("user", [am.TextBlock(text) for text in texts])


def _shown(name: str) -> am.Msg:
    return am.Msg("user", [am.TextBlock("Look"), am.FileBlock(am.Base64Source("AAAA", "application/pdf"), name=name)])


def _read(family: am.CodecName, document: Any) -> am.History:
    return am.decode(document, family)


def _shown_in(role: Any) -> am.History:
    """Return a history with an image that a message of OpenAI's was read with, in another's role than a user's."""
    image = {"type": "image_url", "image_url": {"url": "https://x/a.png"}}
    content = [{"type": "text", "text": "Look"}, image]
    return am.decode({"messages": [{"role": "user", "content": "Hello"}, {"role": role, "content": content}]}, "openai")


def _thought(**fields: Any) -> am.Msg:
    """Return the last message of the valid history, as an answer of a model that thinks."""
    signature = am.Signature("openai", "AAAA")
    return am.Msg("assistant", [am.ThinkingBlock("", item_id="rs_1", signature=signature, **fields), *_SAID.content])


def _unlinked(family: Any, *items: Any) -> tuple[am.History, am.History]:
    """Return a history whose call and result were read without ids, and its repaired form."""
    key = "input" if family == "openai-responses" else "messages"
    read = am.decode({key: [{"role": "user", "content": "Hello"}, *items]}, family)
    (call,), (result,) = read[1].content, read[2].content
    assert isinstance(call, am.ToolUseBlock)
    assert isinstance(result, am.ToolResultBlock)
    asked = read[1].evolve(content=[call.evolve(id="call_1_0_f")])
    told = read[2].evolve(content=[result.evolve(tool_call_id="call_1_0_f")])
    return read, read.evolve(messages=[read[0], asked, told])


_BOTH_CALLS = _ASKED.evolve(content=[_CALL, _CALL.evolve(id="a_2")])
_IMAGE = am.ImageBlock(am.Base64Source("AAAA", "image/png"))
_DAMAGED = _IMAGE.evolve(source=am.Base64Source("A", "image/png"))
_TOOL = am.ToolSpec(name="find", parameters={"type": "object"})
_OTHER = am.Msg.tool("there", tool_call_id="a")
# For each rule a history that breaks it, and its repaired form; None if the history alone can't be mended.
# A tool with an optional argument, and one that may be null.
_PROPERTIES = {"q": {"type": "integer"}, "b": {"type": "string"}, "c": {"type": ["string", "null"]}}
_PADDED = am.ToolSpec("find", parameters={"type": "object", "properties": _PROPERTIES})
_LOOSE = {"type": "object", "properties": _PROPERTIES, "required": ["q"], "additionalProperties": False}


def _declared(key: str, answer: str | None) -> am.History:
    """Return the valid history with a tool and perhaps a form of the answer, which Gemini has under these keys."""
    schema = {"type": "object", "properties": {"q": {"type": "integer", "exclusiveMinimum": 0}}}
    tools = [{"functionDeclarations": [{"name": "find", key: schema}]}]
    config = {} if answer is None else {"responseMimeType": "application/json", answer: schema}
    asked = am.decode({"contents": [], "tools": tools, "generationConfig": config}, "gemini")
    return VALID.evolve(tools=asked.tools, settings=asked.settings)


def _apart() -> am.History:
    """Return a history with two results of a turn, in two contents of Gemini's."""
    nothing: dict[str, Any] = {}
    calls = [{"functionCall": {"name": name, "args": nothing}} for name in "fg"]
    results = [{"functionResponse": {"name": name, "response": nothing}} for name in "fg"]
    asked = [{"role": "user", "parts": [{"text": "Hi"}]}, {"role": "model", "parts": calls}]
    told = [{"role": "user", "parts": [result]} for result in results]
    contents: list[Any] = [*asked, *told, {"role": "model", "parts": [{"text": "x"}]}]
    return am.decode(contents, "gemini")


def _asking(**settings: Any) -> am.History:
    """Return a history with these settings, and those that a request needs."""
    return am.History([_USER, _SAID]).with_settings(model="m", max_tokens=99, **settings)


def _taking(schema: Any, *, strict: bool | None = None) -> am.History:
    """Return the valid history with a tool of this input."""
    return VALID.evolve(tools=[am.ToolSpec("find", parameters=schema, strict=strict)])


BOTH: dict[str, tuple[am.History, am.History | None]] = {
    "no-messages": (am.History([]), None),
    "required-setting": (am.History([_USER, _SAID]).with_settings(temperature=0.5), None),
    "call-unanswered": (
        am.History([_USER, _ASKED, _USER, _SAID]),
        am.History([_USER, _ASKED, _NONE, _USER, _SAID]),
    ),
    "call-pending": (VALID[:2], None),
    "result-orphan": (_with(2, am.Msg.tool("who?", tool_call_id="b"), _FOUND), _with(2, _FOUND, _told("who?"))),
    "result-duplicate": (_with(2, _FOUND, _OTHER), _with(2, _OTHER, _told("here"))),
    "id-duplicate": (
        am.History([_USER, _ASKED.evolve(content=[_CALL, _CALL]), _FOUND, _OTHER]),
        am.History([_USER, _BOTH_CALLS, _FOUND, am.Msg.tool("there", tool_call_id="a_2")]),
    ),
    "tool-name": (_calling(_CALL.evolve(name="find it")), _calling(_CALL.evolve(name="find_it"))),
    "data-encoding": (_with(0, am.Msg("user", [am.TextBlock("x"), _DAMAGED])), _with(0, _said("x"))),
    "arguments": (_calling(_CALL.evolve(input=[1])), None),
    "tool-schema": (_taking({"properties": _PROPERTIES}), _taking({"type": "object", "properties": _PROPERTIES})),
    "setting-range": (_asking(top_p=2), _asking(top_p=1)),
    "setting-conflict": (_asking(tool_choice="required"), _asking()),
    "format-name": (
        _asking(response_format={"name": "a b", "schema": {"type": "object"}}),
        _asking(response_format={"name": "a_b", "schema": {"type": "object"}}),
    ),
    "json-word": (_asking(response_format="json"), None),
    "answer-schema": (
        _asking(response_format={"schema": {"type": "dict", "additionalProperties": False}}),
        _asking(response_format={"schema": {"type": "object", "additionalProperties": False}}),
    ),
    "schema-type": (_taking({"type": "string"}), None),
    "strict-schema": (_taking(_LOOSE, strict=True), _taking(_LOOSE, strict=False)),
}
_ANY_MODEL = "skip_thought_signature_validator"
_LATE = (_with(2, _USER, _FOUND), _with(2, _FOUND, _USER))
_HASTY = (
    _with(
        0, am.Msg("user", [am.TextBlock("x", cache=am.CacheHint()), am.TextBlock("y", cache=am.CacheHint(ttl="1h"))])
    ),
    _with(0, am.Msg("user", [am.TextBlock("x", cache=am.CacheHint()), am.TextBlock("y", cache=am.CacheHint())])),
)
_SPELT = {"type": "output_text", "text": "Hello", "annotations": list[object]()}
_THOUGHT = am.ThinkingBlock("Hm", signature=am.Signature("anthropic", "c2ln"))
_HINTED = {"type": "thinking", "thinking": "Hm", "signature": "c2ln", "cache_control": {"type": "ephemeral"}}
_EMPTY = (_with(0, _USER, _USER.evolve(content=[])), VALID)
OWN: dict[str, dict[str, tuple[am.History, am.History | None]]] = {
    "openai": {
        "result-late": _LATE,
        "empty-message": _EMPTY,
        "id-characters": (_named("a" * 41), _named("a" * 40)),
        "id-missing": _unlinked(
            "openai",
            {"role": "assistant", "tool_calls": [{"type": "function", "function": {"name": "f", "arguments": "{}"}}]},
            {"role": "tool", "content": "here"},
        ),
        "message-name": (_with(0, _USER.evolve(name="Ann Lee")), _with(0, _USER.evolve(name="Ann_Lee"))),
        "media-type": (_with(0, am.Msg("user", [am.FileBlock(am.URLSource("https://x/a.pdf"))])), None),
        "media-place": (
            _shown_in("assistant"),
            am.History([_USER, am.Msg.assistant("Look"), am.Msg("user", _shown_in("assistant")[1].content[1:])]),
        ),
        "message-role": (_read("openai", {"messages": [{"role": "moderator", "content": "Hello"}]}), None),
        "empty-tools": (VALID.evolve(extras={"openai": {"tools": []}}), VALID),
        "reasoning-missing": (
            _with(1, _ASKED.evolve(content=[am.ThinkingBlock("hm"), *_ASKED.content])).with_settings(model="m"),
            None,
        ),
        "too-many": (am.History(VALID, tools=[am.ToolSpec(name=f"t{i}") for i in range(129)]), None),
    },
    "gemini": {
        "result-late": _LATE,
        "empty-message": _EMPTY,
        "first-role": (am.History([_SAID, *VALID]), am.History([am.Msg.user("…"), _SAID, *VALID])),
        "call-first": (VALID[1:], am.History([am.Msg.user("…"), *VALID[1:]])),
        "result-count": (_apart(), None),
        "call-place": (_with(1, _SAID, _ASKED), None),
        "schema-keyword": (_declared("parameters", None), None),
        "signature-encoding": (
            _with(3, am.Msg("assistant", [am.TextBlock("x", signature=am.Signature("google", "A"))])),
            _with(3, am.Msg("assistant", [am.TextBlock("x")])),
        ),
        "signature-missing": (
            VALID[:3],
            am.History(
                [
                    _USER,
                    _ASKED.evolve(
                        content=[_ASKED.content[0], _CALL.evolve(signature=am.Signature("google", _ANY_MODEL))]
                    ),
                    _FOUND,
                ]
            ),
        ),
    },
    "bedrock": {
        "result-late": _LATE,
        "empty-message": (
            am.History([*VALID, _USER, am.Msg("assistant", [])]),
            am.History([*VALID, _USER]),
        ),
        "tools-missing": (VALID.with_settings(model="m"), None),
        "first-role": (am.History([_SAID, *VALID]), am.History([am.Msg.user("…"), _SAID, *VALID])),
        "empty-text": (_with(0, _said("x", "")), _with(0, _said("x"))),
        "blank-text": (_with(0, _said("x", " \n")), _with(0, _said("x"))),
        "id-characters": (_named("a b"), _named("a_b")),
        "empty-description": (
            VALID.evolve(tools=[_TOOL.evolve(description="")]),
            VALID.evolve(tools=[_TOOL]),
        ),
        "redacted-encoding": (
            _with(3, am.Msg("assistant", [am.TextBlock("x"), am.ThinkingBlock("", redacted="\x80")])),
            _with(3, am.Msg.assistant("x")),
        ),
        "alternation": (_with(0, _USER, _USER), None),
        "empty-tools": (VALID.evolve(extras={"bedrock": {"toolConfig": {"tools": []}}}), VALID),
        "cache-order": _HASTY,
        "empty-result": (
            _with(2, _FOUND.evolve(content=[am.ToolResultBlock("a", status="error")])),
            _with(2, am.Msg.tool("The tool failed.", tool_call_id="a", status="error")),
        ),
        "media-type": (_with(0, am.Msg("user", [am.NativeBlock("bedrock", {"image": {"format": "bmp"}})])), None),
        "document-alone": (_with(0, _shown("a").evolve(content=_shown("a").content[1:])), None),
        "document-name": (_with(0, _shown("a_b.pdf")), _with(0, _shown("a b pdf"))),
    },
    "hf": {
        "padded-arguments": (
            _calling(_CALL.evolve(input={"q": 1, "a": None, "b": None, "c": None})).evolve(tools=[_PADDED]),
            _calling(_CALL.evolve(input={"q": 1, "c": None})).evolve(tools=[_PADDED]),
        ),
    },
    "sharegpt": {
        "turn-order": (_with(1, _USER), None),
        "last-role": (am.History(VALID.messages[:3]), None),
        "media-missing": (_with(0, am.Msg("user", [am.NativeBlock("sharegpt", {"type": "<image>"})])), None),
    },
    "openai-responses": {
        "item-id": (
            _calling(_CALL.evolve(item_id="msg_1")),
            _calling(_CALL),
        ),
        "reasoning-alone": (
            _with(3, am.Msg("assistant", [am.ThinkingBlock("Hm", item_id="rs_1")]), _USER, _SAID),
            _with(3, _USER, _SAID),
        ),
        "id-missing": _unlinked(
            "openai-responses",
            {"type": "function_call", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "output": "here"},
        ),
        "reasoning-keys": (
            _with(3, _thought(extras={"openai-responses": {"status": None}})),
            _with(3, _thought()),
        ),
        "text-type": (
            _read(
                "openai-responses",
                {"input": [{"role": "user", "content": [_SPELT]}]},
            ),
            am.History([_USER]),
        ),
        "reasoning-text": (_with(3, _thought(extras={"openai-responses": {"content": [1]}})), None),
        "reasoning-order": (_with(3, _thought().evolve(content=[*_thought().content[:1], *_thought().content])), None),
        "reasoning-missing": (
            _with(3, am.Msg("assistant", [am.TextBlock("Done", item_id="msg_1")])),
            VALID,
        ),
        "id-characters": (_named("a" * 65), _named("a" * 64)),
        "media-type": (_with(0, am.Msg("user", [am.FileBlock(am.Base64Source("AAAA", "audio/wav"))])), None),
        "too-many": (am.History(VALID, tools=[am.ToolSpec(name=f"t{i}") for i in range(129)]), None),
    },
    "anthropic": {
        "result-late": _LATE,
        "empty-message": _EMPTY,
        "tools-missing": (VALID.with_settings(model="m", max_tokens=9), None),
        "first-role": (am.History([_SAID, *VALID]), am.History([am.Msg.user("…"), _SAID, *VALID])),
        "media-place": (
            _with(3, am.Msg("assistant", [am.TextBlock("Look"), _IMAGE])),
            _with(3, am.Msg.assistant("Look"), am.Msg("user", [_IMAGE])),
        ),
        "empty-text": (_with(0, _said("x", "")), _with(0, _said("x"))),
        "blank-text": (_with(0, _said("x", " \n")), _with(0, _said("x"))),
        "trailing-space": (_with(3, am.Msg.assistant("Done ")), VALID),
        "id-characters": (_named("a.b"), _named("a_b")),
        "id-missing": _unlinked(
            "anthropic",
            {"role": "assistant", "content": [{"type": "tool_use", "name": "f", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "content": "here"}]},
        ),
        "too-many": (am.History([_USER] * 100_001), None),
        "thinking-first": (
            _asking(reasoning={"budget": 2048}).with_settings(max_tokens=4096),
            _asking().with_settings(max_tokens=4096),
        ),
        "open-schema": (
            _asking(response_format={"schema": _LOOSE | {"additionalProperties": True}}),
            _asking(response_format={"schema": _LOOSE}),
        ),
        "tool-property": (_taking({"type": "object", "properties": {"filter[id]": {"type": "string"}}}), None),
        "cache-order": _HASTY,
        "cache-place": (
            _read(
                "anthropic",
                {"messages": [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": [_HINTED]}]},
            ),
            am.History([_USER, am.Msg("assistant", [_THOUGHT])]),
        ),
        "media-type": (
            _read(
                "anthropic",
                {
                    "messages": [
                        {
                            "role": "user",
                            "content": [
                                {
                                    "type": "image",
                                    "source": {
                                        "type": "base64",
                                        "media_type": "image/bmp",
                                        "data": "AAAA",
                                    },
                                }
                            ],
                        }
                    ]
                },
            ),
            None,
        ),
        "cache-count": (
            _with(0, _USER.evolve(content=[am.TextBlock("x", cache=am.CacheHint())] * 5)),
            _with(0, _USER.evolve(content=[am.TextBlock("x"), *[am.TextBlock("x", cache=am.CacheHint())] * 4])),
        ),
        "system-place": (
            _with(2, am.Msg.system("Be brief"), _FOUND),
            _with(2, _FOUND, am.Msg.user("<system>\nBe brief\n</system>")),
        ),
    },
}
CASES = [
    (target, code, *pair)
    for target in OWN
    for code, pair in {**BOTH, **OWN[target]}.items()
    if code in OWN[target] or code in {rule.code for rule in am.get_codec(target).rules}
]
each_case = pytest.mark.parametrize(
    ("target", "code", "broken", "mended"), CASES, ids=lambda value: value if isinstance(value, str) else ""
)


@each_case
def test_each_rule_is_named(target: Any, code: str, broken: am.History, mended: am.History | None) -> None:
    """A violation of one rule is found by exactly that rule, at a path of the given history."""
    del mended
    found = am.check(broken, target)
    # What stands between a call and its result is beside one of them, and so is a neighbour of the same side.
    beside = {"alternation"} if (target, code) == ("bedrock", "result-late") else set[str]()
    assert {finding.code for finding in found} == {code, *beside}
    for finding in found:
        owner: Any = broken
        for step in finding.path:
            if finding.code == "no-messages":
                break
            owner = owner[step] if isinstance(step, int) else getattr(owner, step)
        assert finding.message
        assert finding.fix


def _plain(history: am.History) -> Any:
    """Return the meaning of a history, without ids of messages, times, and statuses of results."""
    messages = [message.evolve(id=None, created_at=None) for message in history]
    return json.loads(am.dumps(history.evolve(messages=messages), "json").replace(b',"status":"error"', b""))


@each_case
def test_each_rule_is_repaired(target: Any, code: str, broken: am.History, mended: am.History | None) -> None:
    """A violation is mended as people would expect; each loss names the rule, and restore undoes all."""
    if mended is None:
        assert am.repair(broken, target).history is broken
        with pytest.raises(am.InvalidMessage):
            am.repair(broken, target, also=[code])
        return
    repaired = am.repair(broken, target, also=[code])
    assert _plain(repaired.history) == _plain(mended)
    assert {loss.why for loss in repaired.losses} == {code}
    assert am.same(am.restore(repaired.history, repaired.losses), broken)
    assert bool(repaired.losses.content) is (
        code in {"reasoning-alone", "data-encoding", "redacted-encoding", "signature-encoding"}
    )


def _found_in(found: Iterable[am.Finding]) -> tuple[bool, set[Any]]:
    """Return whether there are errors, and the missing settings."""
    wrong = [each for each in found if each.severity == "error"]
    return bool(wrong), {each.path for each in wrong if each.code == "required-setting"}


def _agree(history: am.History, target: Any) -> None:
    codec = am.get_codec(target).suited(history)
    assert _found_in(errors(history, fit(history, codec).history, codec)) == _found_in(am.check(history, target))


@pytest.mark.parametrize(
    ("extras", "walks"),
    [({}, 1), ({"hf": {"a": 1}}, 1), ({"anthropic": {"messages": 1}}, 2)],
    ids=["none", "hf", "own"],
)
def test_a_conversion_is_walked_once_if_its_provider_is_told_all(
    monkeypatch: pytest.MonkeyPatch, extras: Any, walks: int
) -> None:
    """What only other families say changes no finding; what the target's own family says may."""
    walked: list[am.History] = []

    def request(history: am.History, **how: Any) -> Request:
        walked.append(history)
        return Request(history, **how)

    monkeypatch.setattr("agentmsg.fitting.repairing.Request", request)
    history = am.History([am.Msg.user("Hi", id=None, created_at=None)]).evolve(extras=extras)
    codec = am.get_codec("anthropic")
    fitted = fit(history, codec).history
    assert (fitted is history) == (not extras)
    assert not errors(history, fitted, codec)
    assert len(walked) == walks


@each_case
def test_conversions_count_what_check_finds(target: Any, code: str, broken: am.History, mended: Any) -> None:
    """The cheaper check of a conversion finds errors, and missing settings, where ``check`` does; for any target."""
    del code, mended
    # So many messages break a rule of one provider only; for the others they are more of the same.
    for other in TARGETS if len(broken) < 1000 else (target,):
        _agree(broken, other)
        _agree(broken.with_settings(temperature=9.0), other)


@given(st.text(alphabet="AB9-_= \n", max_size=12))
@settings(max_examples=effort(300))
def test_any_text_is_base64_or_not(text: str) -> None:
    """No text makes the check fail; strict decoders accept what Python's decodes and encodes again."""
    told = [is_base64(text, spelling) for spelling in ("standard", "padded", "any")]
    assert told == sorted(told)
    if told[0]:
        compact = "".join(text.split())
        assert base64.b64encode(base64.b64decode(compact, validate=True)).decode() == compact


@pytest.mark.parametrize(
    ("target", "data", "mended"),
    [
        ("openai", "AA-_", "AA-_"),
        ("gemini", "AA-_", "AA-_"),
        ("gemini", "AAB=", "AAA="),
        ("bedrock", "AA-_", "AA+/"),
        ("bedrock", "AAA", "AAA="),
        ("bedrock", "\x80", None),
    ],
)
def test_data_is_spelt_as_the_provider_spells_it(target: Any, data: str, mended: str | None) -> None:
    """Media are base64, in any place; invalid ones are left out, and everything comes back."""
    image = am.ImageBlock(am.Base64Source(data, "image/png"))
    history = _with(2, _FOUND.evolve(content=[am.ToolResultBlock("a", [am.TextBlock("x"), image])]))
    repaired = am.repair(history, target)
    images: Any = repaired.history[2].tool_results[0].content[1:]
    assert [each.source.data for each in images] == ([] if mended is None else [mended])
    assert {finding.severity for finding in am.check(repaired.history, target)} <= {"warning"}
    assert am.same(am.restore(repaired.history, repaired.losses), history)


def test_tools_have_names_of_their_own() -> None:
    """The second of two tools with one name gets another: calls mean the first."""
    history = VALID.evolve(tools=[am.ToolSpec(name=name) for name in ("find", "find", "find", "a b", "a_b")])
    repaired = am.repair(history, "anthropic")
    assert [tool.name for tool in repaired.history.tools] == ["find", "find_2", "find_3", "a_b_2", "a_b"]  # type: ignore[union-attr]
    assert repaired.history[1].content == VALID[1].content
    assert am.same(am.restore(repaired.history, repaired.losses), history)


_A: dict[str, Any] = {"a": {"type": "string"}}
_B: dict[str, Any] = {"b": {"type": "integer"}}
_UNION: dict[str, Any] = {
    "anyOf": [{"properties": _A, "required": ["a", "c"]}, {"properties": _B, "required": ["c"]}, True]
}


_SCHEMAS: list[tuple[Any, Any]] = [
    ({}, {"type": "object"}),
    ({"type": ["object", "null"], "title": "T"}, {"type": "object", "title": "T"}),
    (_UNION, {"type": "object", "properties": {**_A, **_B}, "required": ["c"]}),
    ({"properties": _B, **_UNION}, {"type": "object", "properties": {**_A, **_B}, "required": ["c"]}),
    (
        {"type": "object", "allOf": [{"properties": _A, "required": ["a"]}, {"required": ["b"]}]},
        {"type": "object", "properties": _A, "required": ["a", "b"]},
    ),
    ({"type": "object", "oneOf": [{"$ref": "#/$defs/A"}], "$defs": {}}, {"type": "object", "$defs": {}}),
    (
        {"type": "object", "anyOf": 1, "properties": [], "required": [{}]},
        {"type": "object", "properties": [], "required": [{}]},
    ),
    (
        {
            "type": "dict",
            "properties": {"a": {"type": "list", "items": {"type": "STRING"}}, "type": {"type": "str"}},
        },
        {
            "type": "object",
            "properties": {"a": {"type": "array", "items": {"type": "string"}}, "type": {"type": "string"}},
        },
    ),
    ({"type": "string"}, None),
    ({"type": "object", "properties": {"a": {"type": "str, optional"}}}, None),
]


@pytest.mark.parametrize(("schema", "mended"), _SCHEMAS, ids=str)
@pytest.mark.parametrize("target", ["openai", "openai-responses", "anthropic"])
def test_the_input_of_a_tool_becomes_an_object(target: Any, schema: Any, mended: Any) -> None:
    """Alternatives at the top become one object with the properties of all; what is no object stays, and is told."""
    history = _taking(schema)
    repaired = am.repair(history, target)
    tool: Any = repaired.history.tools[0]
    assert am.thaw(tool.parameters) == (schema if mended is None else mended)
    assert [finding.code for finding in am.check(repaired.history, target)] == ["schema-type"] * (mended is None)
    assert am.same(am.restore(repaired.history, repaired.losses), history)


def test_each_schema_of_openapi_is_looked_at() -> None:
    """Of a tool and of an answer; the keys for JSON Schema take any keyword."""
    found = am.check(_declared("parameters", "responseSchema"), "gemini")
    paths = [finding.path for finding in found if finding.code == "schema-keyword"]
    assert paths == [("tools", 0, "parameters"), ("settings", "response_format")]
    found = am.check(_declared("parametersJsonSchema", "responseJsonSchema"), "gemini")
    assert "schema-keyword" not in {finding.code for finding in found}


def test_every_rule_is_tried() -> None:
    """The cases above cover all rules of all codecs that have any."""
    rules = {(name, rule.code) for name in am.codec_names() for rule in am.get_codec(name).rules}
    assert {(target, code) for target, code, *_ in CASES} == rules


def test_what_becomes_of_orphans_and_unanswered_calls_can_be_chosen() -> None:
    """By option they go; that loses content, and the report shows it."""
    for code, option in (("result-orphan", {"orphans": "drop"}), ("call-unanswered", {"unanswered": "drop"})):
        broken, _ = BOTH[code]
        repaired = am.repair(broken, "openai", **option)  # type: ignore[arg-type]
        assert am.check(repaired.history, "openai") == ()
        assert [(loss.kind, loss.why) for loss in repaired.losses.content] == [("dropped", code)]
        assert am.same(am.restore(repaired.history, repaired.losses), broken)
    with pytest.raises(am.InvalidMessage):
        am.repair(VALID, "openai", orphans="hide")  # type: ignore[arg-type]


@each_target
def test_calls_without_ids_get_results_of_their_own(target: Any) -> None:
    """A made result and its call share an id, so that a second repair finds nothing."""
    asked = am.Msg("assistant", [am.ToolUseBlock(None, name, {}) for name in "fg"])
    sendable(am.get_codec(target), am.History([_USER, asked, am.Msg("assistant", [_CALL.evolve(id=None)]), _SAID]))


@pytest.mark.parametrize(
    ("result", "level", "tag"),
    [
        (am.ToolResultBlock("b", [am.TextBlock("x")], name="f"), "annotation", '<tool_result name="f">'),
        (am.ToolResultBlock("b", [am.TextBlock("x")], status="error"), "annotation", '<tool_result status="error">'),
        (am.ToolResultBlock("b", [am.TextBlock("x")], status="success"), "annotation", "<tool_result>"),
        (am.ToolResultBlock("b", [am.TextBlock("x")], structured={"a": 1}), "content", "<tool_result>"),
        (am.ToolResultBlock("b", [am.TextBlock("x")], error="no"), "content", "<tool_result>"),
        (am.ToolResultBlock("b", [am.TextBlock("x"), _IMAGE]), "content", "<tool_result>"),
    ],
    ids=["name", "failed", "went well", "structured", "error", "image"],
)
def test_what_a_text_cannot_say_is_content(result: am.ToolResultBlock, level: str, tag: str) -> None:
    """A result that becomes text mentions its failure; anything but text is lost, and reported as content."""
    history = am.History([_USER, am.Msg("tool", [result]), _SAID])
    repaired = am.repair(history, "anthropic")
    assert repaired.history[1].text.startswith(tag + "\n")
    assert {loss.level for loss in repaired.losses if len(loss.path) == 4} == {level}
    assert am.same(am.restore(repaired.history, repaired.losses), history)


def test_instructions_that_say_nothing_go() -> None:
    """Blank instructions are dropped, not left empty, wherever they are; the report says so."""
    blank, question = am.Msg("system", [am.TextBlock(""), am.TextBlock(" ")]), am.Msg.user("Hi")
    for history, index in ((am.History.of(blank, question), 0), (am.History.of(question, blank, question), 1)):
        done = am.repair(history, "anthropic")
        assert done.history.messages == tuple(message for message in history if message is not blank)
        assert {loss.path[:2] for loss in done.losses} == {("messages", index)}
        assert am.same(am.restore(done.history, done.losses), history)
    partly = am.History.of(am.Msg("system", [am.TextBlock(" "), am.TextBlock("Rules")]), question)
    assert am.repair(partly, "anthropic", also=["blank-text"]).history[0].text == "Rules"


def test_an_empty_message_that_says_more_is_content() -> None:
    """A message without blocks that has a structured answer is dropped, as a loss of content."""
    for code, structured in (("annotation", None), ("content", {"a": 1})):
        history = am.History([_USER, am.Msg("assistant", [], structured=structured), _USER])
        (loss,) = am.repair(history, "anthropic").losses
        assert (loss.path, loss.kind, loss.level) == (("messages", 1), "dropped", code)


def test_ids_that_were_just_given_are_given_once() -> None:
    """However many calls have the ids that others would get, each has its own in the end."""
    ids = ["a", "a", *("a" + "_2" * number for number in range(1, 15))]
    calls = [am.ToolUseBlock(link, "f", {}) for link in ids]
    history = am.History([_USER, am.Msg("assistant", calls), *(am.Msg.tool("x", tool_call_id=link) for link in ids)])
    for target in TARGETS:
        repaired = am.repair(history, target)
        assert {finding.severity for finding in am.check(repaired.history, target)} <= {"warning"}
        assert am.same(am.restore(repaired.history, repaired.losses), history)


@each_target
def test_what_is_right_is_clean(target: Any) -> None:
    """A valid conversation has no findings, and repair returns the very same object."""
    assert am.check(VALID, target) == ()
    assert am.repair(VALID, target).history is VALID


def test_a_format_without_rules_is_refused() -> None:
    """If a provider has no known rules, check never reports that all is well."""
    works: list[Callable[[], object]] = [
        lambda: am.check(VALID, "json"),
        lambda: am.repair(VALID, "json"),
        lambda: am.encode(VALID, "json", repair=True),
    ]
    for work in works:
        with pytest.raises(am.CodecLookupError):
            work()


# -- conversions ------------------------------------------------------------------------------------------------------


@each_target
def test_a_conversion_is_repaired(target: Any) -> None:
    """``repair=True`` mends the output; one report has losses and repairs, and restores both."""
    broken = am.History([_USER.evolve(metadata={"k": 1}), _ASKED, _USER, am.Msg.tool("who?", tool_call_id="b"), _SAID])
    document = am.encode(broken, "json")
    broken = am.decode(document, "json")
    done = am.convert(document, "json", target, repair=True)
    output = am.decode(done.document, target)
    assert not [each for each in am.check(output, target) if each.severity == "error"]
    assert am.same(am.restore(output, done.losses), broken)
    assert {"call-unanswered", "result-orphan"} <= {loss.why for loss in done.losses}
    assert any(loss.path[-1] == "metadata" for loss in done.losses)
    losses: list[am.Loss] = []
    assert am.encode(broken, target, repair=True, losses=losses) == done.document
    assert losses == list(done.losses)
    assert json.loads(am.dumps(broken, target, repair=True, on_loss="ignore")) == done.document
    key = {"openai-responses": "input", "gemini": "contents"}.get(target, "messages")
    assert broken.messages_for(target, repair=True, on_loss="ignore") == done.document[key]


def test_a_message_that_fit_left_empty_goes() -> None:
    """Unsupported content may leave a message empty: repair examines the result of fit."""
    history = am.History(
        [_USER, am.Msg("user", [am.TextBlock(" "), am.VideoBlock(am.URLSource("https://x/v"))]), _SAID]
    )
    done = am.convert(am.encode(history, "json"), "json", "anthropic", repair=True)
    assert [message["role"] for message in done.document["messages"]] == ["user", "assistant"]
    assert am.same(am.restore(am.decode(done.document, "anthropic"), done.losses), history)


def test_images_of_results_are_saved(tmp_path: Path) -> None:
    """If results are texts, their images go into a user's message after them, whatever writes them."""
    shown = _FOUND.evolve(content=[am.ToolResultBlock("a", [am.TextBlock("here"), _IMAGE])])
    history = am.History([_USER, _ASKED, shown, _SAID])
    done = am.convert(am.encode(history, "json"), "json", "openai", repair=True)
    assert [message["role"] for message in done.document["messages"]] == [
        "user",
        "assistant",
        "tool",
        "user",
        "assistant",
    ]
    assert [(loss.kind, loss.now) for loss in done.losses.content] == [("moved", (3, 0))]
    assert am.encode(history, "openai", repair=True, on_loss="ignore") == done.document
    assert history.messages_for("openai", repair=True, on_loss="ignore") == done.document["messages"]
    am.dump(history, tmp_path / "one.json", "openai", repair=True, on_loss="ignore")
    am.dump_lines([history], tmp_path / "all.jsonl", "openai", repair=True, on_loss="ignore")
    for name in ("one.json", "all.jsonl"):
        assert json.loads((tmp_path / name).read_bytes()) == done.document
    left_out = am.encode(history, "openai", repair=True, results="text", on_loss="ignore")
    assert [message["role"] for message in left_out["messages"]] == ["user", "assistant", "tool", "assistant"]


def _requests(target: Any, paths: Iterable[Path]) -> Iterator[tuple[int, am.History, str]]:
    """Yield the recorded requests: the status of the response, the history, and the response."""
    for path in paths:
        if path.suffix == ".json":
            for each in json.loads(path.read_bytes()).get("interactions", ()):
                request: Any = each.get("request")
                if is_object(request) and not {"messages", "input", "contents"}.isdisjoint(request):
                    yield each.get("status"), am.decode(request, target), json.dumps(each.get("response"))


@each_target
def test_what_was_accepted_has_no_error(target: Any) -> None:
    """A recorded request that was answered has no finding of severity error, so repair returns it unchanged."""
    paths = recorded(corpus(TARGETS[target]))
    requests = [history for status, history, _ in _requests(target, paths) if status == 200]
    assert requests
    found = [str(finding) for history in requests for finding in am.check(history, target)]
    assert [line for line in found if " error " in line] == []
    assert all(am.repair(history, target).history is history for history in requests)


# Refusals of recorded requests for reasons outside their conversations and schemas.
_OF_SETTINGS = (
    "Function tools with reasoning_effort are not supported",  # two settings that exclude each other
    "max_tokens or model output limit was reached",  # a limit too low for the response
    "This model doesn't support",  # media that the model doesn't accept
    "extraneous key [toolResult]",  # the same, for another provider's model
    "Web search options not supported with this model",  # a setting that the model lacks
    "does not support effort level",  # a setting that the model lacks
    "not_found_error",  # a model that doesn't exist
    "model_not_found",  # the same
    "is not found for API version",  # the same
    "Cannot fetch content from the provided URL",  # the content behind a link
    "No tool output found for tool call call-a",  # another server, which requires results right after each call
    "does not support 'developer' with this model",  # a role that all but the oldest reasoning models accept
)


@each_target
def test_what_was_refused_is_found(target: Any) -> None:
    """A recorded request that was refused for its conversation has a finding; the other reasons are listed."""
    paths = corpus(TARGETS[target])
    refused = [(history, told) for status, history, told in _requests(target, paths) if status != 200]
    assert refused
    for history, told in refused:
        is_of_settings = any(words in told for words in _OF_SETTINGS)
        assert bool(am.check(history, target)) != is_of_settings, told


# -- laws -------------------------------------------------------------------------------------------------------------

_IDS = st.sampled_from([None, "a", "b", "a.b", "a_b", "x" * 41])
_WORDS = st.sampled_from(["", " ", "ok", "fine "])
_TEXTS = st.lists(st.builds(am.TextBlock, _WORDS), max_size=2)
_ARGUMENTS: dict[str, Any] = {"q": 1}
_CALLS = st.builds(am.ToolUseBlock, _IDS, st.sampled_from(["f", "f g", "f_g"]), st.just(_ARGUMENTS))
_IMAGES = st.lists(st.just(_IMAGE), max_size=1)


def _result(link: str | None, texts: list[Any], images: list[Any], name: str | None) -> am.ToolResultBlock:
    return am.ToolResultBlock(link, [*texts, *images], name=name)


def _results(role: Any, results: list[Any], texts: list[Any]) -> am.Msg:
    return am.Msg(role, [*results, *texts], id=None, created_at=None)


def _calls(texts: list[Any], calls: list[Any]) -> am.Msg:
    return am.Msg("assistant", [*texts, *calls], id=None, created_at=None)


_RESULTS = st.builds(_result, _IDS, _TEXTS, _IMAGES, st.sampled_from([None, "f"]))
_MESSAGES = st.one_of(
    st.builds(am.Msg, st.sampled_from(["user", "assistant", "system"]), _TEXTS, id=st.none(), created_at=st.none()),
    st.builds(_calls, st.one_of(_TEXTS, _IMAGES), st.lists(_CALLS, min_size=1, max_size=2)),
    *[st.builds(_results, st.just("tool"), st.lists(_RESULTS, min_size=1, max_size=1), st.just([]))] * 2,
    # What only another family can write: encode leaves it out.
    st.just(am.Msg("native", [am.NativeBlock("strange", {"zq": 1})], id=None, created_at=None)),
    # No reader makes these, but people may.
    st.builds(_results, st.sampled_from(["tool", "user"]), st.lists(_RESULTS, min_size=1, max_size=2), _TEXTS),
)
CONVERSATIONS = st.builds(am.History, st.lists(_MESSAGES, max_size=8))


@each_target
@given(CONVERSATIONS)
@settings(max_examples=effort(100))
def test_any_conversation_is_counted_as_checked(target: Any, history: am.History) -> None:
    """Whatever a conversation holds, a conversion counts it if ``check`` finds errors in it."""
    _agree(history, target)


@each_target
@given(history=CONVERSATIONS)
@settings(max_examples=effort(200))
def test_conversations_out_of_order_are_repaired(target: Any, history: am.History) -> None:
    """Whatever is wrong with calls, results and texts, all at once, is mended, reported and undone."""
    sendable(am.get_codec(target), history)


@each_target
@given(history=CONVERSATIONS)
@settings(max_examples=effort(100))
def test_calls_and_arguments_stay(target: Any, history: am.History) -> None:
    """Every call keeps its arguments and its place among the calls, and has its own id and one result."""
    repaired = am.repair(history, target).history
    before = [block for message in history for block in message.content if isinstance(block, am.ToolUseBlock)]
    after = [block for message in repaired for block in message.content if isinstance(block, am.ToolUseBlock)]
    assert [block.input for block in after] == [block.input for block in before]
    pending = sum(each.code == "call-pending" for each in am.check(repaired, target))
    results = Counter(
        block.tool_call_id for message in repaired for block in message.content if isinstance(block, am.ToolResultBlock)
    )
    assert results.total() == len(after) - pending
    if target == "anthropic":
        # Calls that wait for their result may lack an id: encode gives them one.
        ids = [block.id for block in after if block.id is not None]
        assert len(set(ids)) == len(ids)


# Exceptions that change earlier messages: a late, early or repeated result; an assistant's media after a
# turn that may go on; anything allowed only at the end of a history.
_REACHING_BACK = {
    "result-late", "result-duplicate", "result-orphan", "media-place", "trailing-space", "empty-message", "cache-count",
    "signature-missing",
}  # fmt: skip


@each_target
@given(history=CONVERSATIONS, message=_MESSAGES)
@settings(max_examples=effort(200))
def test_repaired_prefixes_are_stable(target: Any, history: am.History, message: am.Msg) -> None:
    """One more message changes no earlier one: a provider's cache of them stays valid; the exceptions are listed."""
    longer = history.extended(message)
    before, after = am.repair(history, target), am.repair(longer, target)
    if any(loss.why in _REACHING_BACK for loss in (*before.losses, *after.losses)):
        return
    # A call without an id gets that of its made result, which is the one that encode makes.
    if any(loss.path[-1] == "id" for loss in after.losses):
        return
    # A made result comes before those that a user's message holds, and before what encode leaves out.
    if any(
        message.role == "native" or (message.role == "user" and message.has(am.ToolResultBlock)) for message in history
    ):
        return
    # If results may come late, a late one answers a call that had none before.
    takes_late = "result-late" not in {rule.code for rule in am.get_codec(target).rules}
    if takes_late and any(loss.why == "call-unanswered" for loss in before.losses):
        return
    # A made result comes before instructions that came after its call.
    if history and history[-1].role == "system" and len(after.history) > len(before.history) + 1:
        return
    assert all(map(am.same, before.history, after.history))
    assert len(before.history) <= len(after.history)


@each_target
@given(history=histories())
@settings(max_examples=effort(60))
def test_any_history_can_be_checked(target: Any, history: am.History) -> None:
    """Whatever a history holds, check returns findings, and the same again."""
    assert am.check(history, target) == am.check(history, target)


@given(history=CONVERSATIONS, joins=st.booleans())
@settings(max_examples=effort(200))
def test_what_looks_plain_is_right(history: am.History, joins: bool) -> None:
    """If the quick check finds all calls answered, nothing is wrong with them."""
    linked = Request(history, joins=joins).blocks(am.ToolUseBlock, am.ToolResultBlock)
    if is_plain(history.messages, linked):
        assert Pairing(history.messages, linked, joins=joins).wrong == {}


@each_target
def test_every_document_can_be_sent(target: Any) -> None:
    """All stored documents of all formats become requests without errors, and their reports restore them."""
    codec = am.get_codec(target)
    for name in am.codec_names():
        for _, document in some(documents(name), 40, least=4):
            try:
                history = am.decode(document, name)
            except am.DecodeError:
                continue
            sendable(codec, history)


# Refusals of the packages' types but perhaps not of a provider: unknown fields of its own family, passed on.
_OWN_FIELDS = {
    "openai": ("openai", "openai-response"),
    "openai-responses": ("openai-responses", "openai-responses-response"),
    "anthropic": ("anthropic-response",),
}
# Fields of servers that speak like the provider, which a framework's client keeps, and sends back to them.
_CARRIED = {("pydantic-ai", "openai"): frozenset({"reasoning"})}
# The grand tour has made-up extras of every family.
_MADE_UP = ("json", "msgpack")
# A golden LangChain message has a search result with only this content.
_NO_RESULT = [{"url": "https://x"}]


@pytest.mark.parametrize("target", _OWN_FIELDS)
def test_the_packages_accept_what_is_sent(target: Any) -> None:
    """The strict types of the providers' calls accept every stored document of another format, repaired, as a body."""
    problems = {
        "openai": openai_call_problems,
        "openai-responses": responses_call_problems,
        "anthropic": anthropic_call_problems,
    }[target]
    refused: list[str] = []
    tried = 0
    for codec in am.codec_names():
        for name, document in some(documents(codec), 60):
            if codec in (*_OWN_FIELDS[target], *_MADE_UP):
                continue
            history = am.decode(document, codec)
            # A setting read from the target's own format goes back to it, because an older model may accept it.
            settings = None if codec == target else history.settings
            asked = am.History(history.messages, tools=history.tools, settings=settings)
            asked = asked.with_settings(model="m", max_tokens=1024)
            sent: Any = am.encode(asked, target, repair=True, on_loss="ignore")
            for key in _CARRIED.get((codec, target)) or ():
                for message in sent["messages"]:
                    message.pop(key, None)
            if json.dumps(_NO_RESULT) not in json.dumps(sent):
                refused += [f"{codec}, {name}: {problem}" for problem in problems(sent)]
                tried += 1
    assert refused == []
    assert tried


@pytest.mark.parametrize(("codec", "names"), [("pydantic-ai", ["echo", "web_search"]), ("vercel", ["web_search"])])
def test_tools_of_other_servers_are_sent_in_words(codec: Any, names: list[str]) -> None:
    """Anthropic refuses calls of its own tools under unknown names, such as those of MCP servers.

    Clients keep the server: with what they keep, the call goes back as it was.
    """
    asked: list[Any] = [
        {"type": "mcp_tool_use", "id": "mcptoolu_1", "name": "echo", "input": {"text": "x"}, "server_name": "s"},
        {"type": "mcp_tool_result", "tool_use_id": "mcptoolu_1", "is_error": False, "content": []},
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}},
    ]
    body: Any = {"messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": asked}]}
    assert am.encode(am.decode(body, "anthropic"), "anthropic") == body
    there: Any = am.convert(body, "anthropic", codec).document
    if codec == "vercel":
        whole: Any = am.convert(there, codec, "anthropic", repair=True, model="m", max_tokens=9).document
        assert whole["messages"] == body["messages"]
        for part in there[1]["content"]:
            part.pop("providerOptions", None)  # what names the server
    sent = am.convert(there, codec, "anthropic", repair=True, model="m", max_tokens=9).document
    assert not anthropic_call_problems(sent)
    content: Any = sent["messages"][1]["content"]
    assert [part["name"] for part in content if "tool_use" in part["type"]] == names
    assert ("echo" not in names) or content == asked


# -- time ------------------------------------------------------------------------------------------------------------


def _call(link: str, name: str = "f") -> am.ToolUseBlock:
    return am.ToolUseBlock(link, name, {})


# Inputs that a repair might scan again and again.
_LONG: dict[str, Callable[[int], list[am.Msg]]] = {
    "calls broken": lambda count: [_USER, _ASKED, _USER, _FOUND] * count,
    "orphans": lambda count: [_USER, *(am.Msg.tool("x", tool_call_id=f"{number}") for number in range(count))],
    "duplicates": lambda count: [_USER, _ASKED, *[_FOUND] * count],
    "one id": lambda count: [_USER, *[am.Msg("assistant", [_call("a")])] * count],
    "one id in a message": lambda count: [_USER, am.Msg("assistant", [_call("a")] * count), _USER],
    "one turn": lambda count: [_USER, *(am.Msg("assistant", [_call(f"a{number}")]) for number in range(count)), _USER],
    "names": lambda count: [_USER, *(am.Msg("assistant", [_call("a", f"f {number}")]) for number in range(count))],
    "blanks": lambda count: [_said("x", *[" "] * count)],
    "images": lambda count: [_USER, *[am.Msg("assistant", [_IMAGE, am.TextBlock("x")])] * count],
}


@each_target
@pytest.mark.parametrize("shape", _LONG)
@pytest.mark.parametrize("work", [am.check, am.repair])
def test_time_grows_with_size(target: Any, shape: str, work: Callable[[am.History, Any], object]) -> None:
    """Eight times the messages, all broken in one way, take about eight times as long, not 64 times."""

    def spent(count: int) -> float:
        history = am.History(_LONG[shape](count))
        return seconds_of(lambda: work(history, target), rounds=1)

    # Another process may take the time of one measurement, but not of three.
    assert any(spent(640) < 25 * min(spent(80) for _ in range(3)) for _ in range(3))
