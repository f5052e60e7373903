"""The words of the format: types, roles, finish reasons, keys; and digests."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from agentmsg.formats import Containers, dump_json

if TYPE_CHECKING:
    from collections.abc import Mapping


FAMILY = "langchain"
# A state, such as a graph has, holds its messages in a list.
CONTAINERS = Containers(family=FAMILY, title="LangChain")
# The family of a provider whose parts stand in content as they are.
ANTHROPIC = "anthropic"
# The ids of what Anthropic runs itself.
ANTHROPIC_IDS = ("srvtoolu_", "mcptoolu_")
# Namespaces of extras: what the `extras` of a v1 block holds, and what stands beside {"type", "data"}.
INNER = "langchain.extras"
ENVELOPE = "langchain.envelope"

# What a model would read or be able to do, beside what all formats call so.
CONTENT_KEYS = frozenset(
    {
        "args", "data", "document", "encrypted_content", "file", "function", "image_url", "input_audio", "json",
        "kwargs", "source", "structured", "summary", "toolResult", "toolUse", "tool_call_chunks", "value",
    }
)  # fmt: skip

# The words in the `status` of a tool message.
STATUS_WORDS = frozenset({"success", "error"})
# Roles of the model that no ChatMessage may claim, because they ask for more than a word.
OWN_ROLES = frozenset({"tool", "remove", "native"})

# Native words for why a model stopped, by their key, and ours: one to one. Any other word is its own.
FINISH_OF: Mapping[str, Mapping[str, str]] = {
    "finish_reason": {"tool_calls": "tool_use"},
    "stop_reason": {"end_turn": "stop", "max_tokens": "length"},
}
STOP_OF: Mapping[str, Mapping[str, str]] = {
    key: {ours: native for native, ours in words.items()} for key, words in FINISH_OF.items()
}
# The native words that are none of ours under any key.
NATIVE_STOPS: Mapping[str, str] = {native: ours for words in FINISH_OF.values() for native, ours in words.items()}


def finish_reason(key: str, word: str) -> str:
    """Return our word for a native one; an unknown word is its own."""
    return FINISH_OF[key].get(word, word)


def digest(value: Any) -> str:
    """Return a short digest of plain data: a note that has it outlives no edit of the data."""
    return blake2b(dump_json(value), digest_size=6).hexdigest()
