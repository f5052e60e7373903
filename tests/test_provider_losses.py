"""Losses between OpenAI and Anthropic have their true level, and read documents that don't fit.

Text for a model is content in any place; a value that doesn't fit its own object is native, or reported.
"""

from __future__ import annotations

from typing import Any, cast

import pytest

import agentmsg as am
from agentmsg.formats.spelling import same_document
from agentmsg.testing.systematic import damages, hides
from agentmsg.values.frozen import plain_copy
from data import some
from support.documents import documents

pytestmark = pytest.mark.codec("openai", "anthropic")

ASK = {"role": "user", "content": "q"}
USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
PAIRS = (
    ("openai", "anthropic"),
    ("openai-response", "anthropic-response"),
    ("anthropic", "openai"),
    ("anthropic-response", "openai-response"),
)


def lost(document: Any, source: am.CodecName, target: am.CodecName) -> dict[str, str]:
    """Return the levels of a conversion's losses, by path; its loss report rebuilds the document."""
    result = am.convert(document, source, target)
    restored = am.restore(am.decode(result.document, target), result.losses)
    assert same_document(plain_copy(am.thaw(am.encode(restored, source))), document)
    return {"/".join(map(str, loss.path)): loss.level for loss in result.losses}


def answer(*choices: Any) -> dict[str, Any]:
    """Return an OpenAI response."""
    natives = [
        {"index": 0, "finish_reason": "stop", "logprobs": None, "message": {"role": "assistant", "content": said}}
        for said in choices
    ]
    head = {"id": "r", "object": "chat.completion", "created": 1, "model": "m"}
    return {**head, "choices": natives, "usage": USAGE}


def test_further_choices_are_content() -> None:
    """A model's further output is content, although it is an extra."""
    losses = lost(answer("a", "b"), "openai-response", "anthropic-response")
    assert losses["messages/0/extras/openai.choices/further"] == "content"
    assert "content" not in lost(answer("a"), "openai-response", "anthropic-response").values()


def test_a_document_that_becomes_a_text_is_content() -> None:
    """Nobody can cite a text, and what is in the document besides is gone."""
    text = {"type": "text", "text": "a"}
    image = {"type": "image", "source": {"type": "url", "url": "https://x/y.png"}}
    for content in ([text], [text, image]):
        part = {"type": "document", "source": {"type": "content", "content": content}}
        document = [{"role": "user", "content": [part, {"type": "text", "text": "q"}]}]
        assert lost(document, "anthropic", "openai") == {"messages/0/content/0": "content"}


@pytest.mark.parametrize("target", ["openai", "anthropic"])
def test_the_error_of_a_result_is_content(target: am.CodecName) -> None:
    """An error is for the model to read, unless the content has it."""
    result = am.ToolResultBlock("c", "nothing", error="no such file", status="error")
    history = am.History([am.Msg("tool", [result], id=None, created_at=None)])
    losses: list[am.Loss] = []
    am.encode(history, target, losses=losses)
    assert ("error", "content") in [(loss.path[-1], loss.level) for loss in losses]


@pytest.mark.parametrize("key", ["partial_json", "input", "content", "thinking"])
def test_content_keys_of_calls_are_content(key: str) -> None:
    """Arguments of a call that was cut off, and the like, are content although they are extras."""
    use: Any = {"type": "tool_use", "id": "c", "name": "f", "input": {}, **({} if key == "input" else {key: '{"a'})}
    document = [{"role": "assistant", "content": [use]}]
    wanted = {} if key == "input" else {f"messages/0/content/0/extras/anthropic/{key}": "content"}
    assert lost(document, "anthropic", "openai") == wanted


@pytest.mark.parametrize(
    "part",
    [
        {"type": "search_result", "source": "s", "title": "t", "content": [{"text": "a"}]},
        {"type": "server_tool_use", "id": "c", "name": "web_search", "input": {}, "server_name": "s"},
        {"type": "tool_use", "id": "c", "name": "f", "input": "x"},
    ],
    ids=lambda part: part["type"],
)
def test_what_does_not_fit_its_own_part_is_native(part: dict[str, Any]) -> None:
    """A readable part that doesn't fit its class is kept whole, visibly, and comes back."""
    document = [{"role": "assistant", "content": [{"type": "text", "text": "a"}, part]}]
    history = am.decode(document, "anthropic")
    assert isinstance(history[0].content[1], am.NativeBlock)
    assert cast("Any", am.encode(history, "anthropic")) == document


@pytest.mark.parametrize("details", ["x", ["x"], {"thinking_tokens": "x"}], ids=str)
def test_details_of_usage_that_are_none_are_told(details: Any) -> None:
    """Unreadable details hide in no note: they are extras of the usage, beside its counts."""
    usage = {"input_tokens": 1, "output_tokens": 2, "output_tokens_details": details}
    head = {"id": "m", "type": "message", "role": "assistant", "model": "c", "content": [{"type": "text", "text": "a"}]}
    document = {**head, "stop_reason": "end_turn", "stop_sequence": None, "usage": usage}
    message = am.decode(document, "anthropic-response")[0]
    assert message.usage is not None
    assert message.usage.output == 2
    assert message.usage.extras == {"anthropic": {"output_tokens_details": details}}
    assert "messages/0/usage" in lost(document, "anthropic-response", "openai-response")


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_nothing_hides_in_damaged_documents(source: am.CodecName, target: am.CodecName) -> None:
    """In each distinct place of the golden documents: an unknown word is visible, and everything comes back."""
    golden = [(name, document) for name, document in documents(source) if name.startswith("golden")]
    tried = some(damages(golden), 1_000)
    read = 0
    for damage in tried:
        try:
            history = am.decode(damage.document, source)
        except am.AgentMsgError:
            continue
        read += 1
        assert not (damage.probed and hides(history)), damage.name
        lost(damage.document, source, target)
    assert read > len(tried) // 20
