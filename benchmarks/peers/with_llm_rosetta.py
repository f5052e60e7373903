"""llm-rosetta: its one function from a request of one provider to another's."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["to_anthropic"]

# By name: it is not there when types are checked.
_convert: Callable[..., dict[str, Any]] = import_module("llm_rosetta").convert


def to_anthropic(body: dict[str, Any]) -> dict[str, Any]:
    """Convert an OpenAI Chat body to Anthropic's."""
    return _convert({"model": "m", **body}, "anthropic", source_provider="openai_chat")
