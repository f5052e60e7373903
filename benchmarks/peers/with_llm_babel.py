"""llm-babel: its functions from a request of one format to another's, and from a stream to another's."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["STREAMS", "to_anthropic"]

# By name: it is not there when types are checked.
_translate: Callable[..., dict[str, Any]] = import_module("llm_transform.registry").translate


def to_anthropic(body: dict[str, Any]) -> dict[str, Any]:
    """Convert an OpenAI Chat body to Anthropic's."""
    return _translate("openai-chat", "anthropic-messages", {"model": "m", **body})


_stream: Callable[..., list[Any]] = import_module("llm_transform.registry").translate_stream
STREAMS: Mapping[str, Callable[[list[Any]], Any]] = {
    "transcode openai": partial(_stream, "openai-chat", "anthropic-messages"),
    "transcode anthropic": partial(_stream, "anthropic-messages", "openai-chat"),
}
