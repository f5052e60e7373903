"""Recorded streams through the clients of the real SDKs: their helpers, and the gateway of the guide."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

import anthropic
import openai
import pytest
from fastapi.testclient import TestClient

import agentmsg as am
from support.examples import examples
from support.providers import playing
from support.streams import recorded_streams

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

GUIDE = "agentmsg/guides/streaming.md"
RECORDED = {provider: {name: raw for each, name, raw in recorded_streams() if each == provider} for provider in (
    "anthropic", "openai", "openai-responses",
)}  # fmt: skip
STREAMS = RECORDED["anthropic"]
ASKED: list[Any] = [{"role": "user", "content": "Hi"}]


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator[openai.OpenAI]:
    """Return a client of OpenAI's whose server is the guide's; Anthropic's answers with the stream of a name."""
    (text,) = [each.text for each in examples(GUIDE) if "gateway = FastAPI()" in each.text]
    module = ModuleType("a_gateway")
    monkeypatch.setitem(sys.modules, module.__name__, module)  # where FastAPI looks for the types that it names
    with playing(lambda history: STREAMS[history[-1].text]) as variables:
        for variable, value in variables.items():
            monkeypatch.setenv(variable, value)
        setup, _, _ = text.partition("from fastapi.testclient")
        exec(f"import agentmsg as am, anthropic\n{setup}", vars(module))  # noqa: S102 - our own guide
        yield openai.OpenAI(base_url="http://gateway/v1", http_client=TestClient(vars(module)["gateway"]))


@pytest.mark.parametrize("name", sorted(STREAMS))
def test_recorded_streams_reach_the_client(client: openai.OpenAI, name: str) -> None:
    """What OpenAI's client collects is what the whole answer converts to: its text, calls, reason and usage."""
    asked: list[Any] = [{"role": "user", "content": name}]
    stream = client.chat.completions.create(model="gpt-5", messages=asked, stream=True)
    (found,) = am.collect(stream, "openai").messages
    whole = am.encode(am.collect([STREAMS[name]], "anthropic"), "openai-response", on_loss="ignore")
    (wanted,) = am.decode(whole, "openai-response").messages
    assert [found.text, found.tool_calls, found.finish_reason] == [wanted.text, wanted.tool_calls, wanted.finish_reason]
    assert found.usage == wanted.usage
    assert found.text or found.tool_calls


def _of_openai(variables: dict[str, str]) -> openai.OpenAI:
    return openai.OpenAI(base_url=variables["OPENAI_BASE_URL"], api_key="none")


def _of_anthropic(variables: dict[str, str]) -> anthropic.Anthropic:
    return anthropic.Anthropic(base_url=variables["ANTHROPIC_BASE_URL"], api_key="none")


# Each helper of an SDK that streams, by what its events are.
HELPERS: dict[str, tuple[am.CodecName, Callable[[dict[str, str]], Any]]] = {
    "anthropic": ("anthropic", lambda v: _of_anthropic(v).messages.stream(model="m", max_tokens=9, messages=ASKED)),
    "anthropic, beta": (
        "anthropic", lambda v: _of_anthropic(v).beta.messages.stream(model="m", max_tokens=9, messages=ASKED),
    ),
    "openai": ("openai", lambda v: _of_openai(v).chat.completions.stream(model="m", messages=ASKED)),
    "openai-responses": ("openai-responses", lambda v: _of_openai(v).responses.stream(model="m", input="Hi")),
}  # fmt: skip


# Streams during which a helper raises an error of its own, and why.
RAISED = {
    "groq_test_tool_use_failed_error_streaming.0": "the provider sent an error",
    "openrouter_stream_error.0": "the provider sent an error",
    "openrouter_web_search_annotations_stream.0": "the helper wants an index in lists that have none",
}


# The helper writes a response that its own classes don't describe.
@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
@pytest.mark.parametrize("helper", HELPERS)
def test_what_helpers_add_says_nothing(helper: str) -> None:
    """The events of a helper, which adds some of its own, are the same answer as the stream itself."""
    provider, opened = HELPERS[helper]
    raised: list[str] = []
    for name, raw in RECORDED[provider].items():
        with playing(lambda _, raw=raw: raw) as variables, opened(variables) as stream:  # type: ignore[misc]
            found, error = _collected(stream, provider)
        if error is not None and error.__cause__ is not None:
            raised.append(name)
        else:
            assert _said(found) == _said(_collected(raw, provider)[0])
    assert [name for name in raised if not any(name.endswith(known) for known in RAISED)] == []
    assert len(raised) == (len(RAISED) if provider == "openai" else 0)


def _collected(events: Iterable[Any] | bytes, provider: am.CodecName) -> tuple[am.History, am.StreamBroken | None]:
    try:
        history = am.collect(events, provider)
    except am.StreamBroken as broken:
        return broken.history, broken
    return history, None


def _said(history: am.History) -> list[Any]:
    return [(message.content, message.usage, message.finish_reason) for message in history]
