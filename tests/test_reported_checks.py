"""Requests that other systems sent and providers refused, or answered: what ``check`` says, and what a repair leaves.

The documents were rebuilt from public reports, beside the other shared test data.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

import agentmsg as am
from agentmsg.cli.program import program
from data import SHARED

if TYPE_CHECKING:
    from collections.abc import Callable

_LINKED = "tool-message-without-call-or-id"
_TOLD = '<tool_result>\n{"aqi": "72"}\n</tool_result>'
# The file, its format, the target, and what is found there as an error and as a warning.
FOUND: list[tuple[str, am.CodecName, am.CodecName, set[str], set[str]]] = [
    (_LINKED, "openai", "openai", {"id-missing", "result-orphan"}, set()),
    (_LINKED, "openai", "anthropic", {"result-orphan"}, set()),
    (_LINKED, "openai", "gemini", {"result-orphan"}, set()),
    (_LINKED, "openai", "bedrock", {"result-orphan", "alternation"}, set()),
    (_LINKED, "openai", "openai-responses", {"result-orphan"}, set()),
    ("responses-fake-id", "openai-responses", "openai-responses", {"item-id"}, set()),
    (
        "responses-reasoning-fields",
        "openai-responses",
        "openai-responses",
        {"item-id", "reasoning-keys"},
        {"reasoning-text"},
    ),
    ("responses-ids-without-reasoning", "openai-responses", "openai-responses", set(), {"reasoning-missing"}),
    ("responses-reasoning-only-turn", "openai-responses", "openai-responses", {"reasoning-alone"}, set()),
    ("anthropic-blank-text-accepted", "anthropic", "anthropic", set(), {"blank-text"}),
    ("anthropic-ttl-order", "anthropic", "anthropic", {"cache-order"}, set()),
    ("anthropic-ttl-order", "anthropic", "bedrock", {"cache-order"}, set()),
]


def _document(name: str) -> Any:
    return json.loads((SHARED / "reported" / f"{name}.json").read_bytes())


@pytest.mark.parametrize(("name", "source", "target", "errors", "warnings"), FOUND)
def test_what_was_refused_is_named(name: str, source: Any, target: Any, errors: set[str], warnings: set[str]) -> None:
    """Each fault has its code and severity; what a provider answered has no error."""
    found = am.check(am.decode(_document(name), source), target)
    assert {each.code for each in found if each.severity == "error"} == errors
    assert {each.code for each in found if each.severity == "warning"} == warnings


@pytest.mark.parametrize(("name", "source", "target", "errors", "warnings"), FOUND)
def test_what_was_refused_is_mended(name: str, source: Any, target: Any, errors: set[str], warnings: set[str]) -> None:
    """A repair leaves no error, changes nothing if there was none, and is undone by its report."""
    del warnings
    given = _document(name)
    done = am.convert(given, source, target, repair=True)
    output = am.decode(done.document, target)
    assert [each for each in am.check(output, target) if each.severity == "error"] == []
    assert am.same(am.restore(output, done.losses), am.decode(given, source))
    if source == target:
        assert (done.document == given) is (not errors)


def _of(key: str) -> Callable[[Any], Any]:
    return lambda document: document[key]


# What is left of some of them: the file, its format, where the messages are, and the messages.
LEFT: list[tuple[str, am.CodecName, Callable[[Any], Any], list[Any]]] = [
    (
        _LINKED,
        "openai",
        _of("messages"),
        [
            {"role": "system", "content": "s"},
            {"role": "user", "content": _TOLD},
            {"role": "user", "content": "is the air ok?"},
            {"role": "assistant", "content": "yes"},
        ],
    ),
    (
        "responses-fake-id",
        "openai-responses",
        list,
        [
            {"role": "user", "content": "tell me a joke"},
            {"role": "assistant", "content": "Sure!"},
            {"role": "user", "content": "another"},
        ],
    ),
    # Reasoning that has neither an id nor a payload is nothing; what came of it has no id either.
    (
        "responses-reasoning-fields",
        "openai-responses",
        _of("input"),
        [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "x"}, {"role": "user", "content": "y"}],
    ),
    (
        "responses-reasoning-only-turn",
        "openai-responses",
        _of("input"),
        [{"role": "user", "content": "hi"}, {"role": "user", "content": "still there?"}],
    ),
    (
        "anthropic-ttl-order",
        "anthropic",
        _of("messages"),
        [{"role": "user", "content": [{"type": "text", "text": "go", "cache_control": {"type": "ephemeral"}}]}],
    ),
]


@pytest.mark.parametrize(("name", "codec", "part", "messages"), LEFT)
def test_what_a_repair_leaves(name: str, codec: Any, part: Callable[[Any], Any], messages: list[Any]) -> None:
    """The smallest change that the provider accepts: no empty message, no id that it doesn't know."""
    assert part(am.convert(_document(name), codec, codec, repair=True).document) == messages


@pytest.mark.parametrize(("name", "source", "target", "errors", "warnings"), FOUND)
def test_the_command_line_says_so(name: str, source: Any, target: Any, errors: set[str], warnings: set[str]) -> None:
    """``agentmsg check`` lists the codes, and exits with 1 if something would be refused."""
    file = str(SHARED / "reported" / f"{name}.json")
    done = CliRunner().invoke(program, ["check", file, "--from", source, "--for", target, "--json"])
    assert done.exit_code == bool(errors)
    assert {each["code"] for each in json.loads(done.stdout)["findings"]} == errors | warnings


_REASONED = [
    {"role": "user", "content": "hi"},
    {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm " * 50}]},
    {"type": "function_call", "id": "fc_A", "call_id": "call_A", "name": "f", "arguments": "{}"},
]


def _size(message: am.Msg) -> int:
    return sum(len(block.thinking) if isinstance(block, am.ThinkingBlock) else 1 for block in message.content)


def test_ids_go_with_their_reasoning() -> None:
    """Trimming that cuts the reasoning of an answer leaves no id that the server keeps with it."""
    last = am.decode(_REASONED, "openai-responses")[1:]
    trimmed = last.trim(max_tokens=10, strategy="last", allow_partial=True, keep_tool_pairs=False, counter=_size)
    assert [type(block) for block in trimmed[0].content] == [am.ToolUseBlock]
    assert trimmed[0].content[0].item_id is None


def test_reasoning_that_someone_removed_is_missed() -> None:
    """An edit may leave such ids; check warns, and mends it if asked."""
    history = am.decode(_REASONED, "openai-responses")
    assert "reasoning-missing" not in {each.code for each in am.check(history, "openai-responses")}
    edited = history.evolve(messages=[history[0], history[1].evolve(content=history[1].content[1:])])
    found = [each for each in am.check(edited, "openai-responses") if each.code == "reasoning-missing"]
    assert [(each.severity, each.path) for each in found] == [("warning", ("messages", 1, "content", 0, "item_id"))]
    mended = am.repair(edited, "openai-responses", also=["reasoning-missing"]).history
    assert mended[1].content[0].item_id is None


_CALL = am.Msg("assistant", [am.ToolUseBlock(None, "f", {})], id=None, created_at=None)
_STRANGE = am.Msg("native", [am.NativeBlock("strange", {"zq": 1})], id=None, created_at=None)
_ORPHAN = am.Msg("tool", [am.ToolResultBlock("a", "x")], id=None, created_at=None)
_TARGETS: tuple[am.CodecName, ...] = ("openai", "openai-responses", "anthropic", "gemini", "bedrock")


@pytest.mark.parametrize("target", _TARGETS)
@pytest.mark.parametrize(
    ("messages", "code", "count"),
    [
        # A made result answers its call, also if only encode gives the call an id.
        ([am.Msg.user("q"), _CALL, am.Msg.user("so?")], "call-unanswered", 4),
        ([am.Msg.user("q"), _CALL, _CALL, am.Msg.user("so?")], "call-unanswered", 6),
        # What encode leaves out hides no calls.
        ([am.Msg.user("q"), _STRANGE, _ORPHAN], "result-orphan", 3),
        ([am.Msg.user("q"), _CALL, _STRANGE, am.Msg.user("so?")], "call-unanswered", 5),
    ],
)
def test_repair_settles_what_it_begins(target: Any, messages: list[am.Msg], code: str, count: int) -> None:
    """One repair mends what check names; nothing is left for a second one."""
    history = am.History(messages)
    assert code in {each.code for each in am.check(history, target)}
    done = am.repair(history, target)
    assert len(done.history) == count
    assert {each.code for each in am.check(done.history, target) if each.severity == "error"} <= {"alternation"}
    assert am.repair(done.history, target).history is done.history
    assert am.same(am.restore(done.history, done.losses), history)


def _asks(*content: Any, tools: bool = True, **fields: Any) -> am.History:
    """Return a request that a user begins, with one call and its result."""
    call = am.Msg("assistant", [am.ToolUseBlock(fields.get("id", "a"), "f", {})], id=None, created_at=None)
    done = am.ToolResultBlock(fields.get("id", "a"), fields.get("result", "x"), status=fields.get("status"))
    messages = [am.Msg("user", [*content, am.TextBlock("q")], id=None, created_at=None), call]
    found = am.History([*messages, am.Msg("tool", [done], id=None, created_at=None)])
    spec = [am.ToolSpec("f", parameters={"type": "object", "properties": {}})]
    return found.evolve(tools=spec if tools else ()).with_settings(model="gpt-4o", max_tokens=99)


_MANY = _asks().evolve(tools=[am.ToolSpec(f"t{i}", parameters={"type": "object"}) for i in range(129)])
# What was answered, or isn't known to be refused, is a warning: the history, the target, the code, whether it's sure.
SURE: list[tuple[am.History, am.CodecName, str, bool]] = [
    (_asks(tools=False), "anthropic", "tools-missing", False),
    (_asks(tools=False), "bedrock", "tools-missing", True),
    (_asks(am.TextBlock(" ")), "anthropic", "blank-text", False),
    (am.History([am.Msg.user(" ")]), "anthropic", "blank-text", True),
    (_asks(id="x" * 41), "openai", "id-characters", False),
    (_asks(id="x" * 65), "openai", "id-characters", True),
    (_asks(id="x" * 65), "openai-responses", "id-characters", True),
    (_MANY, "openai", "too-many", True),
    (_MANY, "openai-responses", "too-many", False),
    (am.History([]), "openai-responses", "no-messages", False),
    (am.History([]), "openai", "no-messages", True),
    (_asks(result=(), status="error"), "bedrock", "empty-result", True),
    (_asks(am.FileBlock(am.Base64Source("AAAA", "application/pdf"), name="x" * 201)), "bedrock", "document-name", True),
]


@pytest.mark.parametrize(("history", "target", "code", "is_sure"), SURE)
def test_severities_follow_evidence(history: am.History, target: Any, code: str, is_sure: bool) -> None:
    """What was refused is an error, mended if the history can be; what was answered since is a warning."""
    found = {each.code: each.severity for each in am.check(history, target) if each.code == code}
    assert found == {code: "error" if is_sure else "warning"}
    done = am.repair(history, target)
    assert (done.history is history) is (not is_sure or code in {"tools-missing", "too-many", "no-messages"})
    assert am.same(am.restore(done.history, done.losses), history)


@pytest.mark.parametrize(("role", "severity"), [("assistant", "error"), ("tool", "warning")])
def test_images_outside_users_messages(role: str, severity: str) -> None:
    """OpenAI refuses an assistant's image; newer models answer one in a result."""
    image = [{"type": "image_url", "image_url": {"url": "https://x/y.png"}}]
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    asked = [{"role": "user", "content": "q"}, {"role": "assistant", "content": None, "tool_calls": [call]}]
    said = {"role": role, "content": image, **({"tool_call_id": "a"} if role == "tool" else {})}
    messages = [*asked, said] if role == "tool" else [asked[0], said]
    history = am.decode({"model": "gpt-4o", "messages": messages}, "openai")
    assert {(each.code, each.severity) for each in am.check(history, "openai")} == {("media-place", severity)}


@pytest.mark.parametrize("target", _TARGETS)
def test_what_is_left_out_is_no_message(target: Any) -> None:
    """A request is empty if no message in it has a place there."""
    film = am.Msg("user", [am.VideoBlock(am.FileSource("f", provider="strange"))], id=None, created_at=None)
    for message in (_STRANGE, film):
        assert "no-messages" in {each.code for each in am.check(am.History([message]), target)}
