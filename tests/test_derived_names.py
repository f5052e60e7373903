"""Results with the names of their tools: fit's short way agrees with the long one."""

from __future__ import annotations

import random
from typing import Any

import pytest

import agentmsg as am
from agentmsg.fitting import fit as fitting
from agentmsg.fitting.account import account
from agentmsg.fitting.compiled import fits_with_names
from benchmarks.conversations import support_chat
from data import effort

DERIVING = [am.get_codec(name) for name in am.codec_names() if am.get_codec(name).caps.derives_names]


def _named(names: random.Random) -> list[dict[str, Any]]:
    """Return a conversation whose results have the names of their calls, or others, or none; some calls are missing."""
    called: dict[str, str] = {}
    messages: list[dict[str, Any]] = []
    for message in support_chat():
        for call in message.get("tool_calls", ()):
            called[call["id"]] = call["function"]["name"]
        if message["role"] == "tool" and names.random() < 0.9:
            word = "other" if names.random() < 0.1 else called.get(message["tool_call_id"], "other")
            message["name"] = word
        if not ("tool_calls" in message and names.random() < 0.05):
            messages.append(message)
    return messages


def _never(*_: object) -> bool:
    return False


@pytest.mark.parametrize("codec", DERIVING, ids=lambda codec: codec.name)
def test_the_short_way_is_the_long_one(codec: am.Codec, monkeypatch: pytest.MonkeyPatch) -> None:
    """With results named after their calls, otherwise, or not at all, both ways give the same output and losses."""
    names = random.Random(codec.name)
    for _ in range(effort(60)):
        document = _named(names)
        history = am.decode(document, "openai")
        short = fitting.fit(history, codec)
        with monkeypatch.context() as patched:
            patched.setattr(fitting, "fits_with_names", _never)
            long = fitting.fit(am.decode(document, "openai"), codec)
        assert am.same(short.history, long.history)
        assert list(account(short)) == list(account(long))


def test_names_of_calls_are_known_to_fit() -> None:
    """A conversation whose results are named after their calls takes the short way; one other name prevents it."""
    calls = {
        call["id"]: call["function"]["name"] for message in support_chat() for call in message.get("tool_calls", ())
    }
    document = [
        {**message, "name": calls[message["tool_call_id"]]} if message["role"] == "tool" else message
        for message in support_chat()
    ]
    caps = am.get_codec("anthropic").caps
    messages = am.decode(document, "openai").messages
    first = next(index for index, message in enumerate(messages) if message.role == "tool")
    assert fits_with_names(messages, caps, first)
    document[first]["name"] = "other"
    assert not fits_with_names(am.decode(document, "openai").messages, caps, first)
