"""LangChain: OpenAI's messages into its own, and those into Anthropic's, as its chat model does before sending."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from langchain_core.messages import convert_to_messages

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["to_anthropic"]

# By name: it is not there when types are checked, and it is private.
_home = import_module("langchain_anthropic.chat_models")
_format: Callable[..., Any] = _home._format_messages
_tool: Callable[..., Any] = _home.convert_to_anthropic_tool
_MODEL = "claude-sonnet-4-5"


def to_anthropic(body: dict[str, Any]) -> dict[str, Any]:
    """Convert an OpenAI Chat body to Anthropic's."""
    system, converted = _format(convert_to_messages(body["messages"]), model=_MODEL)
    made = {"system": system, "messages": converted}
    if "tools" in body:
        made["tools"] = list(map(_tool, body["tools"]))
    return made
