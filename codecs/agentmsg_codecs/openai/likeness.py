"""How closely a document resembles OpenAI's messages."""

from __future__ import annotations

from typing import Any

from agentmsg.formats import is_mapping, is_sequence
from agentmsg_codecs.openai.names import REMINDER
from agentmsg_codecs.openai.pairs import taken_apart

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function", REMINDER})
_OWN_KEYS = frozenset({"tool_calls", "tool_call_id", "function_call", "refusal", "audio", "reasoning_content"})
_OWN_PARTS = frozenset({"image_url", "input_audio", "file", "refusal"})
_FOREIGN_PARTS = frozenset({"tool_use", "tool_result", "image", "document", "reasoning", "input_text", "output_text"})

# The score of a row with a request and two answers to it.
_PAIR = 0.95


def is_message(document: Any) -> bool:
    """Whether an object is a message by itself, rather than the body of a request."""
    return is_mapping(document) and "role" in document and "messages" not in document


def is_failure(choice: Any) -> bool:
    """Whether a choice of a response is one that ended before it had a message; those of streams have a ``delta``."""
    if not is_mapping(choice) or choice.get("message") is not None or "delta" in choice or "text" in choice:
        return False
    return choice.get("finish_reason") in ("error", "content_filter") or is_mapping(choice.get("error"))


def is_choice(choice: Any) -> bool:
    """Whether a value is a choice of a response."""
    return is_mapping(choice) and (is_mapping(choice.get("message")) or is_failure(choice))


def sniff_messages(document: Any) -> float:
    """Return 0.9 for messages that only OpenAI has, less for messages that many formats have, 0 for others."""
    pair = taken_apart(document)
    if pair is not None:
        request, _, rejected = pair
        return _PAIR if all(map(_sniff, (*request["messages"], *rejected))) else 0.0
    messages = document.get("messages") if is_mapping(document) else document
    if is_message(document):
        messages = [document]
    if not is_sequence(messages) or not messages:
        return 0.0
    scores = list(map(_sniff, messages))
    if min(scores) == 0.0 or (is_mapping(document) and "system" in document):
        return 0.0
    return max(scores)


def _sniff(message: Any) -> float:
    if not is_mapping(message):
        return 0.0
    role, content = message.get("role"), message.get("content")
    if not isinstance(role, str) or role not in _ROLES or "type" in message or "parts" in message:
        return 0.0
    parts: list[Any] = content if is_sequence(content) else []
    is_value = role == "tool" and is_mapping(content)  # some clients leave a result as it is
    if content is not None and not isinstance(content, str) and parts is not content and not is_value:
        return 0.0
    tags: set[Any] = {str(part.get("type")) for part in parts if is_mapping(part)}
    if not tags.isdisjoint(_FOREIGN_PARTS) or any(map(_is_anthropic, parts)):
        return 0.0
    if any(map(_is_untyped, parts)):
        return 0.3
    if not _OWN_KEYS.isdisjoint(message) or not tags.isdisjoint(_OWN_PARTS):
        return 0.9
    if "content" not in message:
        return 0.3  # a role alone is the author of something
    return 0.9 if role == "developer" else 0.88


def _is_untyped(part: Any) -> bool:
    """Whether a part is a text without a type, as Bedrock has them."""
    return is_mapping(part) and "type" not in part and "text" in part


def _is_anthropic(part: Any) -> bool:
    # A part of Mistral's has a list as its thinking.
    return is_mapping(part) and isinstance(part.get("thinking"), str)
