"""martian-linguafranca: its functions that collect streams and convert them."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["STREAMS"]

# By name: it is not there when types are checked.
_api: Any = import_module("linguafranca")
_OPENAI, _ANTHROPIC = _api.FormatName.OPENAI_CHAT_COMPLETIONS, _api.FormatName.ANTHROPIC_MESSAGES


def _collected(name: Any, events: list[Any]) -> Any:
    return _api.collect_response_stream_json(events, format_name=name).value


def _converted(source: Any, target: Any, events: list[Any]) -> list[Any]:
    return list(_api.convert_response_stream_json(events, source_format=source, target_format=target))


STREAMS: Mapping[str, Callable[[list[Any]], Any]] = {
    "fold openai": partial(_collected, _OPENAI),
    "fold anthropic": partial(_collected, _ANTHROPIC),
    "transcode openai": partial(_converted, _OPENAI, _ANTHROPIC),
    "transcode anthropic": partial(_converted, _ANTHROPIC, _OPENAI),
}
