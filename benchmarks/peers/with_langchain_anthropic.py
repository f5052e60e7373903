"""LangChain: OpenAI's messages into its own, and those into Anthropic's, as its chat model does before it sends."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from langchain_core.messages import convert_to_messages

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["to_anthropic"]

# By name: it is not there when types are checked, and it is private.
_format: Callable[..., Any] = import_module("langchain_anthropic.chat_models")._format_messages
_MODEL = "claude-sonnet-4-5"


def to_anthropic(messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a body of Anthropic for messages of OpenAI Chat."""
    system, converted = _format(convert_to_messages(messages), model=_MODEL)
    return {"system": system, "messages": converted}
