"""llm-rosetta: its function from a request of one provider to another's, and its converters of streams."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["STREAMS", "to_anthropic"]

# By name: it is not there when types are checked.
_convert: Callable[..., dict[str, Any]] = import_module("llm_rosetta").convert


def to_anthropic(body: dict[str, Any]) -> dict[str, Any]:
    """Convert an OpenAI Chat body to Anthropic's."""
    return _convert({"model": "m", **body}, "anthropic", source_provider="openai_chat")


_make: Callable[[str], Any] = import_module("llm_rosetta.auto_detect").get_converter_for_provider


def _converted(source: str, target: str, events: list[Any]) -> list[Any]:
    reader, writer = _make(source), _make(target)
    reading, writing = reader.create_stream_context(), writer.create_stream_context()
    found: list[Any] = []
    for event in events:
        for step in reader.stream_response_from_provider(event, context=reading):
            made = writer.stream_response_to_provider(step, context=writing)
            found += made if isinstance(made, list) else [made]
    return [event for event in found if event]


STREAMS: Mapping[str, Callable[[list[Any]], Any]] = {
    "transcode openai": partial(_converted, "openai_chat", "anthropic"),
    "transcode anthropic": partial(_converted, "anthropic", "openai_chat"),
}
