"""Who converts: from OpenAI Chat's messages to Anthropic's body, plain data to plain data; and that all do the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, cast

import agentmsg as am
from benchmarks.competitors import Missing
from benchmarks.conversations import support_chat

__all__ = ["CONVERTERS", "Convert", "enter_converter", "meaning"]

Convert = Callable[[list[dict[str, Any]]], dict[str, Any]]

# The names in the report, and where the function is that converts.
CONVERTERS: Mapping[str, str] = {
    "agentmsg": "benchmarks.ours:to_anthropic",
    "by hand": "benchmarks.peers.by_hand:to_anthropic",
    "litellm": "benchmarks.peers.with_litellm:to_anthropic",
    "langchain-anthropic": "benchmarks.peers.with_langchain_anthropic:to_anthropic",
}


def enter_converter(name: str, home: str) -> Convert | Missing:
    """Return a function that was seen to convert the 20 messages, or the reason why there is none."""
    module, _, attribute = home.partition(":")
    try:
        convert: Convert = getattr(import_module(module), attribute)
        made = convert(support_chat())
    except ImportError as error:
        return Missing(name, f"not installed ({error})")
    except am.CodecLookupError as error:
        return Missing(name, str(error))
    by_hand: Convert = import_module("benchmarks.peers.by_hand").to_anthropic
    assert meaning(made) == meaning(by_hand(support_chat())), f"{name} made something else"
    return convert


def meaning(body: Mapping[str, Any]) -> list[tuple[str, list[Any]]]:
    """Return what a body of Anthropic says, whatever choices its writer had: a text alone or in a block, more keys."""
    messages = [{"role": "system", "content": body["system"]}, *body["messages"]]
    return [(message["role"], list(_blocks(message["content"]))) for message in messages]


def _blocks(content: Any) -> Iterator[Any]:
    if isinstance(content, str):
        yield ("text", content)
        return
    for block in cast("list[dict[str, Any]]", content):
        yield _KINDS[block["type"]](block)


_KINDS: Mapping[str, Callable[[dict[str, Any]], Any]] = {
    "image": lambda block: ("image", block["source"]),
    "text": lambda block: ("text", block["text"]),
    "tool_result": lambda block: ("tool_result", block["tool_use_id"], list(_blocks(block["content"]))),
    "tool_use": lambda block: ("tool_use", block["id"], block["name"], block["input"]),
}
