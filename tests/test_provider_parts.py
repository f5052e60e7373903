"""A provider's parts: what formats that embed them read and write, by the provider's own codec."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import orjson
import pytest

import agentmsg as am
from agentmsg.formats import Unreadable
from data import some
from support.documents import documents

if TYPE_CHECKING:
    from collections.abc import Iterator

PROVIDERS: dict[am.CodecName, tuple[am.CodecName, str, str | None]] = {
    "anthropic": ("anthropic-response", "anthropic", None),
    "bedrock": ("bedrock-response", "bedrock", None),
    "gemini": ("gemini-response", "google", None),
    "openai-responses": ("openai-responses-response", "openai", "responses"),
}
FRAMEWORKS = ("agentscope", "langchain", "pydantic-ai", "vercel", "vercel-ui")
# What the citations say that a reader of responses makes of what stands beside the content; a request has none.
BESIDE = {"gemini": "groundingMetadata"}


def _answers(name: am.CodecName) -> Iterator[tuple[str, Any, am.Msg]]:
    answers = PROVIDERS[name][0]
    for title, document in documents(answers):
        for message in am.decode(document, answers):
            if message.role == "assistant":
                yield title, document, message


@pytest.mark.parametrize("name", PROVIDERS)
def test_every_recorded_answer_is_parts_of_its_provider(name: am.CodecName) -> None:
    """All that an answer holds comes back from its parts, and the message says whose they are."""
    codec, tried = am.get_codec(name), 0
    for title, document, message in _answers(name):
        assert (message.provider, message.api) == PROVIDERS[name][1:]
        try:
            parts = codec.write_parts(message.content)
        except Unreadable:
            assert BESIDE.get(name, "?") in str(document), title
            continue
        tried += 1
        assert am.same(codec.read_parts(am.thaw(parts)), message.content), title
    assert tried > 5


@pytest.mark.parametrize("name", PROVIDERS)
def test_what_has_no_parts_is_refused(name: am.CodecName) -> None:
    """Blocks that wouldn't come back aren't written: the format around keeps them in its own words."""
    blocks = (am.TextBlock("a", metadata={"mine": 1}),)
    with pytest.raises(Unreadable):
        am.get_codec(name).write_parts(blocks)


def test_most_formats_have_no_parts() -> None:
    """Only providers publish parts."""
    for act in (am.get_codec("hf").write_parts, am.get_codec("hf").read_parts):
        with pytest.raises(Unreadable):
            act(())


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("name", PROVIDERS)
def test_what_only_looks_like_an_answer_goes_into_frameworks(name: am.CodecName, framework: am.CodecName) -> None:
    """Extras of the provider's may have values of any kind: no table between the two forms trips over them."""
    for _, _, message in some(_answers(name), 30):
        for value in (7, "w", ["w"], {"type": 7}):
            content = [
                block.evolve(extras={space: dict.fromkeys((*dict(own), "caller"), value) for space, own in extras})
                for block in message.content
                if (extras := list({name: {}, **am.thaw(block.extras)}.items()))
            ]
            history = am.History([message.evolve(content=content)])
            report: list[am.Loss] = []
            document = am.encode(history, framework, losses=report)
            assert am.same(am.restore(am.decode(document, framework), report), history)


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("more", [
    {"annotations": [], "logprobs": []}, {}, {"annotations": [], "mine": 1},
    {"annotations": [{"type": "container_file_citation", "container_id": "k", "file_id": "f", "filename": "a",
                      "start_index": 0, "end_index": 1}]},
])  # fmt: skip
def test_a_text_of_responses_stands_once(framework: am.CodecName, more: dict[str, Any]) -> None:
    """Nothing repeats a text beside its part, where an edit or a redaction of the document wouldn't reach it."""
    text = {"type": "output_text", "text": "only here", **more}
    item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text]}
    history = am.decode({"object": "response", "id": "resp_1", "output": [item]}, "openai-responses-response")
    raw = am.dumps(history, framework, on_loss="ignore")
    assert raw.count(b"only here") == 1
    assert am.loads(raw.replace(b"only here", b"edited"), framework)[0].text == "edited"


_TWICE = """
import sys, agentmsg as am, orjson
answer = orjson.loads(sys.stdin.buffer.read())
history = am.decode(answer, "gemini-response")
first, second = (am.thaw(am.encode(history, sys.argv[1], on_loss="ignore")) for _ in range(2))
assert first == second, (first, second)
"""


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_first_answer_of_a_process_is_written_as_the_second(framework: str) -> None:
    """Whatever is made on first use is there when an answer is wrapped."""
    parts = [{"toolCall": {"id": "s1", "toolType": "FILE_SEARCH"}, "thoughtSignature": "QQ=="}, {"text": "Yes."}]
    answer = {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]}
    command = [sys.executable, "-c", _TWICE, framework]
    subprocess.run(command, input=orjson.dumps(answer), check=True, timeout=60)
