"""langchain-core: the same conversation as its own messages, and the document that it stores of them."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import orjson
from langchain_core.load import dumps, loads
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    messages_from_dict,
    messages_to_dict,
)

import agentmsg as am
from benchmarks.competitors import Competitor
from benchmarks.peers import plain_data

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["document", "envelopes", "langchain", "langchain_lc", "messages"]


def _image(block: am.ImageBlock) -> dict[str, Any]:
    source = block.source
    if isinstance(source, am.Base64Source):
        url = f"data:{source.media_type};base64,{source.data}"
    else:
        assert isinstance(source, am.URLSource)
        url = source.url
    return {"type": "image_url", "image_url": {"url": url}}


def _thinking(block: am.ThinkingBlock) -> dict[str, Any]:
    signature = block.signature.value if block.signature else ""
    return {"type": "thinking", "thinking": block.thinking, "signature": signature}


_PARTS: Mapping[type, Callable[[Any], dict[str, Any]]] = {
    am.ImageBlock: _image,
    am.TextBlock: lambda block: {"type": "text", "text": block.text},
    am.ThinkingBlock: _thinking,
    # As in responses of Anthropic's models: the call stands in the content and in tool_calls.
    am.ToolUseBlock: lambda block: {
        "type": "tool_use",
        "id": block.id,
        "name": block.name,
        "input": am.thaw(block.input),
    },
}


def _content(message: am.Msg) -> Any:
    """Return text as a string, anything else as parts; calls beside mere text are only in tool_calls."""
    if all(isinstance(block, (am.TextBlock, am.ToolUseBlock)) for block in message.content):
        return message.text
    return [_PARTS[type(block)](block) for block in message.content]


def _stop(message: am.Msg) -> dict[str, str]:
    """Return the stop reason: Anthropic's for messages with thinking, else OpenAI's."""
    called = message.finish_reason == "tool_use"
    if message.has(am.ThinkingBlock):
        return {"stop_reason": "tool_use" if called else "end_turn"}
    return {"finish_reason": "tool_calls" if called else "stop"}


def _answer(message: am.Msg) -> AIMessage:
    usage = message.usage or am.Usage()
    return AIMessage(
        id=message.id,
        content=_content(message),
        tool_calls=[
            {"name": call.name, "args": am.thaw(call.input), "id": call.id, "type": "tool_call"}
            for call in message.tool_calls
        ],
        response_metadata={"model_name": message.model, **_stop(message)},
        usage_metadata={
            "input_tokens": usage.input or 0,
            "output_tokens": usage.output or 0,
            "total_tokens": usage.total or 0,
            "input_token_details": {"cache_read": usage.cache_read or 0},
            "output_token_details": {"reasoning": usage.reasoning or 0},
        },
    )


def _result(message: am.Msg) -> ToolMessage:
    (result,) = message.tool_results
    return ToolMessage(
        id=message.id,
        content=message.text,
        name=result.name,
        tool_call_id=str(result.tool_call_id),
        status="success",
    )


_MESSAGES: Mapping[str, Callable[[am.Msg], BaseMessage]] = {
    "assistant": _answer,
    "system": lambda message: SystemMessage(id=message.id, content=message.text),
    "tool": _result,
    "user": lambda message: HumanMessage(id=message.id, content=_content(message), name=message.name),
}


def messages(history: am.History) -> list[BaseMessage]:
    """Return the conversation as LangChain's messages."""
    return [_MESSAGES[message.role](message) for message in history]


def document(history: am.History) -> bytes:
    """Return the conversation as LangChain stores it."""
    return orjson.dumps(messages_to_dict(messages(history)))


def envelopes(history: am.History) -> bytes:
    """Return the conversation in the envelopes in which LangChain serializes any of its objects."""
    return dumps(messages(history)).encode()


def _load(raw: bytes) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # loads is in beta, and says so
        return loads(raw.decode(), allowed_objects="messages")


def langchain_lc(name: str, history: am.History) -> Competitor:
    """Return langchain-core on its own envelopes."""
    return Competitor(
        name=name,
        raw=envelopes(history),
        decode=_load,
        encode=lambda objects: dumps(objects).encode(),
        plain=plain_data.from_json,
    )


def langchain(name: str, history: am.History) -> Competitor:
    """Return langchain-core on its own documents."""
    return Competitor(
        name=name,
        raw=document(history),
        decode=lambda raw: messages_from_dict(orjson.loads(raw)),
        encode=lambda objects: orjson.dumps(messages_to_dict(objects)),
        plain=plain_data.from_json,
    )
