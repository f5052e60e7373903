"""any-llm: its private functions on the way from OpenAI's messages to Anthropic's body."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["to_anthropic"]

# By name: it is not there when types are checked.
_home = import_module("any_llm.providers.anthropic.utils")
_messages: Callable[..., Any] = _home._convert_messages_for_anthropic
_tools: Callable[..., Any] = _home._convert_tool_spec


def to_anthropic(body: dict[str, Any]) -> dict[str, Any]:
    """Convert an OpenAI Chat body to Anthropic's."""
    system, messages = _messages(body["messages"])
    made = {"system": system, "messages": messages}
    if "tools" in body:
        made["tools"] = _tools(body["tools"])
    return made
