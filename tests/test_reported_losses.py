"""Reported inputs: what was lost is named, with a level by what it says; opaque payloads go back to their issuer.

Each case is a public report; ``reported/*.md`` beside the inputs say what was expected, and what came out.
"""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest

import agentmsg as am
from agentmsg.fitting.account_file import from_lines, to_lines
from agentmsg.fitting.levels import level_of_loss
from agentmsg.formats.issuers import WORDS, issuer_of_model
from data import SHARED

if TYPE_CHECKING:
    from pathlib import Path

    from agentmsg.fitting.losses import Path as Way

REPORTED: Path = SHARED / "reported"
NATIVE = tuple(name for name in am.codec_names() if not am.get_codec(name).caps.everything)


def reported(name: str) -> Any:
    """Return a reported input; of several lines, the first."""
    text = (REPORTED / name).read_text()
    return json.loads(text.splitlines()[0] if name.endswith("l") else text)


def told(document: Any, source: Any, target: Any) -> dict[str, str]:
    """Return the levels of a conversion's losses, by path; the report on file, shuffled, restores the history."""
    result = am.convert(document, source, target)
    history, back = am.decode(document, source), am.decode(result.document, target)
    shuffled = random.Random(0).sample(list(result.losses), len(result.losses))
    filed = from_lines(to_lines(am.Losses(shuffled, codec=target), back))
    assert am.same(am.restore(back, filed), history)
    return {loss.where: loss.level for loss in result.losses}


# The path and the level of what a report says; None: it is no loss.
@pytest.mark.parametrize(
    ("name", "source", "target", "path", "level"),
    [
        ("bedrock-openai-redacted.json", "bedrock", "anthropic", "messages/1/content/0", "content"),
        ("bedrock-openai-redacted.json", "bedrock", "pydantic-ai", "messages/1/content/0", None),
        ("bedrock-openai-redacted.json", "bedrock", "bedrock", "messages/1/content/0", None),
        ("dpo-with-tools.jsonl", "hf", "anthropic", "extras/hf/rejected", "content"),
    ],
)
def test_a_loss_names_what_was_lost(name: str, source: str, target: str, path: str, level: str | None) -> None:
    """Each lost key has a loss of its own, with the key in its path and a level by what it says."""
    assert told(reported(name), source, target).get(path) == level


def test_verbosity_is_a_setting_and_the_schema_is_content() -> None:
    """What stands beside a schema has its own loss, wherever the reader puts the two."""
    document = reported("responses-text-verbosity.json")
    losses = told(document, "openai-responses", "hf")
    assert "extras" not in losses
    schema = {path: level for path, level in losses.items() if path.endswith(("text", "response_format"))}
    assert "content" in schema.values()
    document["text"] = {"verbosity": "low"}
    assert "content" not in told(document, "openai-responses", "hf").values()


# The frameworks whose clients keep what Bedrock carried, and give it to Bedrock only.
_OF_BEDROCK = ("pydantic-ai",)
PROVIDERS: tuple[Any, ...] = ("anthropic", "bedrock", "gemini", "openai", "openai-responses")


@pytest.mark.parametrize("target", NATIVE)
@pytest.mark.parametrize(
    ("model", "issuer"),
    [("us.openai.gpt-5.6-sol", "openai"), ("deepseek.r1-v1:0", "deepseek"), (None, "bedrock")],
)
def test_opaque_payloads_go_back_to_their_issuer_only(target: Any, model: str | None, issuer: str) -> None:
    """What another maker's model sealed on Bedrock is in no document that would give it to Anthropic."""
    document = reported("bedrock-openai-redacted.json")
    if model is None:
        del document["modelId"]
    else:
        document["modelId"] = model
    if target.endswith("response"):
        document["messages"] = document["messages"][1:2]
    losses: list[am.Loss] = []
    written = am.encode(am.decode(document, "bedrock"), target, losses=losses)
    if am.get_codec(target).family == "bedrock":
        assert "cnNfMQ==" in json.dumps(am.thaw(written))
        return
    if target in _OF_BEDROCK:
        back = am.decode(written, target)
        found = {name for name in PROVIDERS if "cnNfMQ==" in json.dumps(am.encode(back, name, on_loss="ignore"))}
        assert found == {"bedrock"}
        return
    assert "cnNfMQ==" not in (str(written) if isinstance(written, bytes) else json.dumps(am.thaw(written)))
    assert any(loss.level == "content" for loss in losses)
    if target == "anthropic":
        assert any(loss.why == f"only {issuer} can read this" for loss in losses)


def test_payloads_of_claude_on_bedrock_go_to_anthropic() -> None:
    """The model's name says that Anthropic made them: they go back, a signature under the issuer's name."""
    document = reported("bedrock-openai-redacted.json")
    document["modelId"] = "us.anthropic.claude-opus-4-5-20251101-v1:0"
    signed = {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "c2ln"}}}
    document["messages"][1]["content"].insert(0, signed)
    content = am.convert(document, "bedrock", "anthropic").document["messages"][1]["content"]
    assert content[0] == {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
    assert content[1] == {"type": "redacted_thinking", "data": "cnNfMQ=="}
    told(document, "bedrock", "anthropic")


def test_servers_that_speak_anthropic_sign_for_themselves() -> None:
    """A signature in Anthropic's form is its model's maker's; the same form keeps it, also after an edit."""
    thinking = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
    messages = [{"role": "user", "content": "q"}, {"role": "assistant", "content": [thinking]}]
    document = {"model": "MiniMax-M2", "max_tokens": 9, "messages": messages}
    history = am.decode(document, "anthropic")
    assert am.encode(history.extended(am.Msg.user("more")), "anthropic")["messages"][1] == messages[1]
    assert "c2ln" not in json.dumps(am.thaw(am.convert(document, "anthropic", "vercel").document))
    document["model"] = "claude-opus-4-5"
    assert "c2ln" in json.dumps(am.thaw(am.convert(document, "anthropic", "vercel").document))


@pytest.mark.parametrize(
    ("name", "issuer"),
    [
        ("us.anthropic.claude-opus-4-5-20251101-v1:0", "anthropic"), ("gpt-5.6-sol", "openai"), ("o3-mini", "openai"),
        ("arn:aws:bedrock:us-east-1:1:inference-profile/us.meta.llama3-3-70b-instruct-v1:0", "meta"),
        ("amazon.nova-pro-v1:0", "amazon"), ("moonshotai/Kimi-K2-Thinking", "moonshot"), ("gemini-3-pro", "google"),
        ("deepseek-r1-distill-llama-70b", "deepseek"), ("arn:aws:bedrock:eu-west-1:1:provisioned-model/x1", None),
        ("ibm/granite-4.0", "ibm"), ("phi-4", "microsoft"), ("voxtral-small", "mistral"), ("sonar-pro", "perplexity"),
        ("my-own", None), ("", None), (None, None),
    ],
)  # fmt: skip
def test_names_of_models_tell_their_makers(name: str | None, issuer: str | None) -> None:
    """The first word that is known decides; where none is, the name doesn't tell."""
    assert issuer_of_model(name) == issuer
    assert all(word == word.lower() for word in WORDS)


MESSAGES: Any = [{"role": "user", "content": "hi"}]
SCHEMA: Any = {"type": "object", "properties": {"a": {"type": "string"}}}


@pytest.mark.parametrize(
    ("key", "value", "level"),
    [
        ("history", MESSAGES, "content"), ("zq", MESSAGES, "content"), ("system_prompt", "be brief", "content"),
        ("systemPrompt", "be brief", "content"), ("promptVariables", {"x": {"text": "Ada"}}, "content"),
        ("zq", [{"text": "Ada"}], "content"), ("zq", {"schema": SCHEMA}, "content"), ("zq", SCHEMA, "content"),
        ("zq", "The user lives in Lisbon.", "content"), ("zq", "data:image/png;base64,AA==", "content"),
        ("previous_response_id", "resp_1", "content"), ("chosen", {"role": "assistant", "content": "a"}, "content"),
        ("zq", {"type": "image", "source": {"url": "https://x/y.png"}}, "content"),
        ("approval", {"approved": False, "reason": "no"}, "content"), ("zq", {"approved": True}, "content"),
        ("examples", [["a", "b"]], "content"), ("zq", "\u6771\u4eac\u306b\u3044\u307e\u3059", "content"),
        ("encrypted_content", "gAAA", "content"), ("zq", {"thoughtSignature": "gAAA"}, "content"),
        ("verbosity", "low", ""), ("text", {"verbosity": "low"}, "setting"), ("weight", 0.5, ""), ("zq", None, ""),
        ("reasoning", {"effort": "low"}, "setting"), ("audio", {"voice": "alloy", "format": "mp3"}, "setting"),
        ("prompt_cache_key", "a b c d e", ""), ("system_fingerprint", "fp_1", ""), ("service_tier", "auto", ""),
        ("logprobs", {"content": [{"token": "Hi", "logprob": -0.1}]}, ""), ("created_at", "2026-01-01", ""),
        ("usage", {"prompt": "1", "text": "2"}, ""), ("max_prompt_tokens", 5, ""), ("history", [], ""),
        ("title", "A chat about four cats", ""), ("native_finish_reason", "completed", ""),
        ("question", "Why?", "content"), ("expected_answer", "42", "content"), ("user_input", "yes", "content"),
        ("tool_output", "ok", "content"), ("stdout", "1", "content"), ("search_results", ["a"], "content"),
        ("chosen_response", "A", "content"), ("rejectedCandidate", "B", "content"), ("chosen_model", "m", ""),
        ("image_b64", "AA==", "content"), ("audio_url", "https://x/y.mp3", "content"), ("caption", "cat", "content"),
        ("encrypted_reasoning", "gAAA", "content"), ("function_declarations", [{"name": "f"}], "content"),
        ("rationale", "cold", "content"), ("input_tokens", 3, ""), ("output_format", "json", ""),
    ],
)  # fmt: skip
def test_levels_by_what_a_key_says(key: str, value: Any, level: str) -> None:
    """What a model would read, or its provider needs back, is content in each place; the rest is not."""
    message = am.Msg.user("hi", id=None, created_at=None)
    places: tuple[tuple[Way, Any, str], ...] = (
        (("extras", "x", key), am.History([message]), "setting"),
        (("messages", 0, "extras", "x", key), message, "annotation"),
    )
    for path, owner, usual in places[: 1 if level == "setting" else 2]:
        assert level_of_loss(path, value, None, owner) == (level or usual)


WITHIN: Any = {
    "extras": am.TextBlock("sunny", extras={"strange": {"zq": "read this with care"}}),
    "native": am.NativeBlock("strange", {"zq": "read this with care"}, fallback="sunny"),
}


@pytest.mark.parametrize("target", NATIVE)
@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("kind", WITHIN)
def test_what_a_rebuilt_result_held_is_content(target: am.CodecName, kind: str, count: int) -> None:
    """A result that is one text or one value in a format loses what its blocks held besides, and the report says so."""
    call = am.Msg.assistant(tool_calls=[{"name": "f", "id": "c1", "args": {}}])
    result = am.Msg("tool", [am.ToolResultBlock("c1", [WITHIN[kind]] * count, name="f")], id=None, created_at=None)
    losses: list[am.Loss] = []
    am.encode(am.History([am.Msg.user("hi"), call, result]), target, losses=losses, on_loss="ignore")
    assert any(loss.level == "content" and "read this with care" in repr(loss.was) for loss in losses)


def test_keys_go_back_to_their_places() -> None:
    """Keys of any spelling come back in their order, from every part of a report by itself, and from old reports."""
    keys: Any = {"a/b": 1, "~": None, "": [], "0": {"extras": {}}, "*": "x"}
    extras: Any = {"one": keys, "anthropic": {"kept": 1, "zq": 2}, "two": {}, "three": 3, "four/4": {"k": 1}}
    history = am.History([am.Msg.user("hi", id=None, created_at=None, extras=extras)], extras=extras)
    losses: list[am.Loss] = []
    document = am.encode(history, "openai", losses=losses, on_loss="ignore")
    output = am.decode(document, "openai")
    assert "messages/0/extras/one/a~1b" in {loss.where for loss in losses}
    for lines in (losses, losses[::-1]):
        filed = from_lines(to_lines(am.Losses(lines, codec="openai")))
        assert am.same(am.restore(output, lines), history)
        assert am.same(am.restore(output, filed), history)
        halfway = am.restore(output, filed[::2])
        assert am.same(am.restore(halfway, filed[1::2]), history)
    old = [b'{"agentmsg-losses":1,"codec":"openai"}', json.dumps({"at": "", "dropped": {"extras": extras}}).encode()]
    old.append(json.dumps({"at": "/messages/0", "changed": {"extras": [extras, {}]}}).encode())
    assert am.same(am.restore(output, from_lines(old)), history)


@pytest.mark.parametrize("codec", am.codec_names())
def test_documents_without_messages_are_refused(codec: am.CodecName) -> None:
    """The state of a run holds no message of any of these formats: it isn't read as an empty history, or as one."""
    state = reported("agents-run-state.json")
    for document in (state, {**state, "previous_response_id": "resp_1", "conversation_id": None}):
        with pytest.raises(am.DecodeError):
            am.decode(document, codec)
