"""The SDKs of OpenAI and Anthropic: how they collect streams."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["STREAMS"]

# By name: they are not there when types are checked.
_State: Any = import_module("openai.lib.streaming.chat").ChatCompletionStreamState
_construct: Any = import_module("openai._models").construct_type
_Chunk: Any = import_module("openai.types.chat").ChatCompletionChunk
_accumulate: Any = import_module("anthropic.lib.streaming._messages").accumulate_event


def _dumped(found: Any) -> Any:
    return found.model_dump(mode="json", exclude_none=True, warnings=False)


def _openai(events: list[Any]) -> Any:
    state = _State()
    for event in events:
        list(state.handle_chunk(_construct(value=event, type_=_Chunk)))
    return _dumped(state.current_completion_snapshot)


def _anthropic(events: list[Any]) -> Any:
    snapshot: Any = None
    texts: dict[int, bytes] = {}
    for event in events:
        snapshot = _accumulate(event=event, current_snapshot=snapshot, json_bufs=texts)
    return _dumped(snapshot)


STREAMS: Mapping[str, Callable[[list[Any]], Any]] = {"fold openai": _openai, "fold anthropic": _anthropic}
