"""The words of the format: types, roles, finish reasons, keys. Imports the core only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmsg.containers import Containers

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "BODY_KEYS",
    "CONTAINERS",
    "ENVELOPE",
    "FAMILY",
    "FINISH_OF",
    "INNER",
    "KINDS",
    "KIND_OF_ROLE",
    "OWN_ROLES",
    "ROLE_OF_KIND",
    "STOP_OF",
    "TOOL_KEYS",
    "WORDS_OF_ROLES",
    "finish_reason",
]

FAMILY = "langchain"
# A state, such as a graph has, holds its messages in a list.
CONTAINERS = Containers(family=FAMILY, title="LangChain")
# Namespaces of extras: what the `extras` of a v1 block holds, and what stands beside {"type", "data"}.
INNER = "langchain.extras"
ENVELOPE = "langchain.envelope"

# The word in `type`, and what kind of message it names.
KINDS: Mapping[str, str] = {
    "human": "human",
    "ai": "ai",
    "system": "system",
    "tool": "tool",
    "function": "function",
    "chat": "chat",
    "remove": "remove",
    "HumanMessageChunk": "human",
    "AIMessageChunk": "ai",
    "SystemMessageChunk": "system",
    "ToolMessageChunk": "tool",
    "FunctionMessageChunk": "function",
    "ChatMessageChunk": "chat",
    "generic": "chat",
}
ROLE_OF_KIND: Mapping[str, str] = {"human": "user", "ai": "assistant", "system": "system", "remove": "remove"}
# The words in `role` that convert_to_messages knows; any other word is a chat message's own.
KIND_OF_ROLE: Mapping[str, str] = {
    "user": "human",
    "human": "human",
    "assistant": "ai",
    "ai": "ai",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "function",
    "remove": "remove",
}
WORDS_OF_ROLES: Mapping[str, str] = {"human": "user", "ai": "assistant"}
# Roles of the model that no ChatMessage may claim, because they ask for more than a word.
OWN_ROLES = frozenset({"tool", "remove", "native"})

BODY_KEYS = frozenset(
    {
        "content",
        "additional_kwargs",
        "response_metadata",
        "type",
        "name",
        "id",
        "tool_calls",
        "invalid_tool_calls",
        "usage_metadata",
        "tool_call_id",
        "artifact",
        "status",
        "role",
        "tool_call_chunks",
        "chunk_position",
    }
)

# What a tool message may say beyond LangChain's own fields, as unknown fields of the pydantic model that it keeps.
TOOL_KEYS = BODY_KEYS | {"structured", "error", "error_type"}

# Native words for why a model stopped, and ours; the default spelling of ours is in STOP_OF.
FINISH_OF: Mapping[str, str] = {
    "tool_calls": "tool_use",
    "function_call": "tool_use",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "STOP": "stop",
    "eos": "stop",
    "max_tokens": "length",
    "MAX_TOKENS": "length",
    "SAFETY": "content_filter",
    "content_filtered": "content_filter",
}
STOP_OF: Mapping[str, Mapping[str, str]] = {
    "finish_reason": {"tool_use": "tool_calls"},
    "stop_reason": {"stop": "end_turn", "length": "max_tokens"},
}


def finish_reason(word: str) -> str:
    """Return our word for a native one; an unknown word is its own."""
    return FINISH_OF.get(word, word)
