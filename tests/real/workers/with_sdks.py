"""Collects streams as the real SDKs of Anthropic and OpenAI do, and validates their events by the SDKs' types.

Its requests are ``{"collect": events, "provider": name}`` and ``{"types": events, "provider": name}``; see the test
beside it.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, get_args

from real.workers.serve import serve

if TYPE_CHECKING:
    from collections.abc import Callable


def _anthropic(events: list[Any]) -> tuple[Any, list[Any]]:
    # The one of beta features: the other drops what only they have.
    accumulate = import_module("anthropic.lib.streaming._beta_messages").accumulate_event
    snapshot: Any = None
    texts: dict[int, bytes] = {}
    for event in events:
        if event["type"] != "ping":
            snapshot = accumulate(event=event, current_snapshot=snapshot, json_bufs=texts, request_headers={})
    return snapshot, []


def _openai(events: list[Any]) -> tuple[Any, list[Any]]:
    state = import_module("openai.lib.streaming.chat").ChatCompletionStreamState()
    construct, of_type = import_module("openai._models").construct_type, _types("openai")
    for event in events:
        list(state.handle_chunk(construct(value=event, type_=of_type)))
    return state.current_completion_snapshot, []


def _responses(events: list[Any]) -> tuple[Any, list[Any]]:
    omit = import_module("openai").omit
    streaming = import_module("openai.lib.streaming.responses._responses")
    state = streaming.ResponseStreamState(input_tools=omit, text_format=omit)
    construct, of_type = import_module("openai._models").construct_type, _types("openai-responses")
    last: Any = None
    texts: dict[Any, str] = {}
    for event in events:
        for told in state.handle_event(construct(value=event, type_=of_type)):
            last = getattr(told, "response", last)
            if hasattr(told, "snapshot"):
                place = (told.output_index, getattr(told, "content_index", 0))
                texts[place] = texts.get(place, "") + told.delta
                if told.snapshot != texts[place]:
                    msg = f"the pieces make {texts[place]!r}, and the snapshot is {told.snapshot!r}"
                    raise ValueError(msg)
    done = [item for _, item in sorted(state._completed_output.items())]
    return last, done


COLLECT: dict[str, Callable[[list[Any]], tuple[Any, list[Any]]]] = {
    "anthropic": _anthropic,
    "openai": _openai,
    "openai-responses": _responses,
}
TYPES = {
    "anthropic": ("anthropic.types.beta", "BetaRawMessageStreamEvent"),
    "openai": ("openai.types.chat", "ChatCompletionChunk"),
    "openai-responses": ("openai.types.responses", "ResponseStreamEvent"),
}


def _types(provider: str) -> Any:
    module, name = TYPES[provider]
    return getattr(import_module(module), name)


@cache
def _adapters(provider: str) -> dict[str, Any]:
    """Return the validators of a provider's events by their types, so that a refusal is about the right one."""
    (union, *_) = get_args(_types(provider)) or [_types(provider)]
    found: dict[str, Any] = {}
    for model in get_args(union) or [union]:
        field = model.model_fields.get("type")
        for name in get_args(field.annotation) if field else [""]:
            found[name] = import_module("pydantic").TypeAdapter(model)
    return found


def _refused(provider: str, event: Any) -> list[str]:
    """Return what the SDK's types refuse of an event: the place and the reason."""
    try:
        _adapters(provider)[event.get("type", "")].validate_python(event)
    except import_module("pydantic").ValidationError as error:
        return [f"{event.get('type', '')} {'.'.join(map(str, told['loc']))}: {told['msg']}" for told in error.errors()]
    return []


def _dumped(found: Any) -> Any:
    return found.model_dump(mode="json", exclude_none=True, by_alias=True, warnings=False)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return what the SDK makes of the events of a stream, or what its types refuse of them."""
    provider = request["provider"]
    if "types" in request:
        return {"refused": sorted({told for event in request["types"] for told in _refused(provider, event)})}
    document, done = COLLECT[provider](request["collect"])
    return {"document": _dumped(document), "done": list(map(_dumped, done))}


serve(answer)
