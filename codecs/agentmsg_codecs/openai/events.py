"""Chunks of OpenAI's Chat Completions, and of servers that speak like it; follows the Python package openai 3.57.

``folding`` tells what each says. A response comes back as the chunks that would have brought it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from agentmsg.formats import Native, Unreadable, is_list, is_object
from agentmsg.formats.events import Events, Fold, pieces_of
from agentmsg_codecs.openai.folding import CHUNK, RESPONSE, SPLIT, OpenAIFold

if TYPE_CHECKING:
    from collections.abc import Iterator

_OF_CALL = {"function": "arguments", "custom": "input"}
_DETAILS = "reasoning_details"


class OpenAIEvents(Events):
    """Chunks of Chat Completions."""

    response: ClassVar[str] = "openai-response"
    live: ClassVar[str] = "agentmsg_codecs.openai.live"
    fold: ClassVar[type[Fold]] = OpenAIFold

    def is_event(self, document: Native) -> bool:
        """Whether an object is a chunk: it says so, or says nothing and has a delta."""
        choices = document.get("choices")
        first: Any = choices[0] if is_list(choices) and choices else None
        is_unnamed = document.get("object") is None and is_object(first)
        return document.get("object") == CHUNK or (is_unnamed and "delta" in first and "message" not in first)

    def unfold(self, document: Native, size: int) -> Iterator[Native]:
        """Yield the chunks that bring a response."""
        head = {key: value for key, value in document.items() if key not in ("choices", "usage")}
        if head.get("object") == RESPONSE:
            head["object"] = CHUNK
        asks = {"usage": None} if "usage" in document else {}
        for choice in document["choices"]:
            index = {"index": choice["index"]} if "index" in choice else {}
            rest = {key: value for key, value in choice.items() if key not in ("index", "message")}
            unsaid = {"finish_reason": None} if "finish_reason" in rest else {}
            for delta in deltas_of(choice["message"], size):
                yield {**head, "choices": [{**index, "delta": delta, **unsaid}], **asks}
            yield {**head, "choices": [{**index, "delta": {}, **rest}], **asks}
        if asks or not document["choices"]:
            yield {**head, "choices": [], **({"usage": document["usage"]} if asks else {})}


def deltas_of(message: Native, size: int) -> Iterator[Native]:
    """Yield the deltas that bring a message: its role and what is empty, texts, calls, and all else at once."""
    first: Native = {key: message[key] for key in ("role",) if key in message}
    first |= {key: message[key] for key in SPLIT if key in message and not message[key]}
    yield first
    for key in SPLIT:
        if key == "content" and is_list(message.get(key)) and message[key]:
            yield {key: message[key]}
        elif message.get(key):
            if type(message[key]) is not str:
                raise Unreadable
            yield from ({key: piece} for piece in pieces_of(message[key], size))
        if key == "reasoning" and _DETAILS in message:
            yield {_DETAILS: message[_DETAILS]}
    rest = {key: value for key, value in message.items() if key not in ("role", "tool_calls", _DETAILS, *SPLIT)}
    if rest:
        yield rest
    calls = message.get("tool_calls")
    if calls is None or calls == []:
        if "tool_calls" in message:
            yield {"tool_calls": calls}
        return
    for number, call in enumerate(calls):
        yield from ({"tool_calls": [{"index": number, **piece}]} for piece in _call_pieces(call, size))


def _call_pieces(call: Native, size: int) -> Iterator[Native]:
    kind = "custom" if "custom" in call else "function"
    body = call.get(kind)
    key = _OF_CALL[kind]
    if not is_object(body) or not body.get(key) or type(body[key]) is not str:
        yield call
        return
    yield {**call, kind: {**body, key: ""}}
    yield from ({kind: {key: piece}} for piece in pieces_of(body[key], size))


EVENTS = OpenAIEvents()
