"""Words of the format: types, roles, finish reasons, keys; and digests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.formats import Containers, dump_json

if TYPE_CHECKING:
    from collections.abc import Mapping


FAMILY = "langchain"
# A state, as in a graph, holds its messages in a list.
CONTAINERS = Containers(family=FAMILY, title="LangChain")
# The family of a provider whose own parts may be in content.
ANTHROPIC = "anthropic"
# Namespaces of extras: unknown keys in the `extras` of a v1 block, and beside {"type", "data"}.
INNER = "langchain.extras"
ENVELOPE = "langchain.envelope"

# Keys of what a model would read or could do, besides those of all formats.
CONTENT_KEYS = frozenset(
    {
        "args", "data", "document", "encrypted_content", "file", "function", "image_url", "input_audio", "json",
        "kwargs", "source", "structured", "summary", "toolResult", "toolUse", "tool_call_chunks", "value",
    }
)  # fmt: skip

# The words in the `status` of a tool message.
STATUS_WORDS = frozenset({"success", "error"})
# The key in additional_kwargs that says that a developer speaks.
OPENAI_ROLE = "__openai_role__"
# Roles of the model that a ChatMessage can't have: they need more than a word.
OWN_ROLES = frozenset({"tool", "remove", "native"})

_OF_GOOGLE = {"STOP": "stop", "MAX_TOKENS": "length", "SAFETY": "content_filter"}
_OF_ANTHROPIC = {"end_turn": "stop", "max_tokens": "length"}
# By key, the native words for why a model stopped, with ours. All others are the same.
FINISH_OF: Mapping[str, Mapping[str, str]] = {
    "finish_reason": {"tool_calls": "tool_use", **_OF_GOOGLE},
    "stop_reason": _OF_ANTHROPIC,
    "finishReason": _OF_GOOGLE,
    "stopReason": _OF_ANTHROPIC,
    "done_reason": {},
}
# The same the other way round, for new words: under the first key, Google's are as others write them.
STOP_OF: Mapping[str, Mapping[str, str]] = {
    key: {ours: native for native, ours in words.items() if key != "finish_reason" or native not in _OF_GOOGLE}
    for key, words in FINISH_OF.items()
}
# The native words that aren't ours under any key.
NATIVE_STOPS: Mapping[str, str] = {native: ours for words in FINISH_OF.values() for native, ours in words.items()}

# The words in `model_provider` for which the model has others: all else is the same.
PROVIDER_OF: Mapping[str, str] = {"google_genai": "google", "google_vertexai": "google", "bedrock_converse": "bedrock"}
# The same the other way round, for new words.
WORD_OF_PROVIDER: Mapping[str, str] = {"google": "google_genai", "bedrock": "bedrock_converse"}
# OpenAI's APIs, by the word for their answers in `object`.
API_OF: Mapping[str, str] = {"response": "responses", "chat.completion": "chat"}
OBJECT_OF: Mapping[str, str] = {api: word for word, api in API_OF.items()}
OPENAI = "openai"


def finish_reason(key: str, word: str) -> str:
    """Return our word for a native one; an unknown word stays."""
    return FINISH_OF[key].get(word, word)


def without(native: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    """Return an object without some of its keys."""
    return {key: value for key, value in native.items() if key not in keys}


def digest(value: Any) -> str:
    """Return a short digest of plain data, so that a note doesn't outlive an edit."""
    from hashlib import blake2b  # noqa: PLC0415 - loading it takes as long as reading a document

    return blake2b(dump_json(value), digest_size=6).hexdigest()
