"""How closely a document resembles one of Anthropic's."""

from __future__ import annotations

from typing import Any

from agentmsg.formats import is_list, is_object
from agentmsg_codecs.anthropic.names import SERVER_RESULTS, STOP_REASONS

# Tags of parts that OpenAI's messages don't have. `image` and `document` count if their source has a type.
_OWN_TAGS = frozenset(
    {
        "thinking",
        "redacted_thinking",
        "tool_use",
        "tool_result",
        "server_tool_use",
        "search_result",
        "container_upload",
        "compaction",
        "mcp_tool_use",
        "mid_conv_system",
        "fallback",
        *SERVER_RESULTS,
    }
)
_OWN_PARAMETERS = frozenset(
    {"system", "anthropic_version", "mcp_servers", "stop_sequences", "context_management", "output_config"}
)
# Parameters of OpenAI and of compatible servers, which also serve models of Anthropic.
_OTHERS = frozenset(
    {"functions", "max_completion_tokens", "n", "response_format", "seed", "stop", "store", "stream_options"}
)
# More of these. Beside one of them, the name of a model says nothing.
_SHARED = frozenset({"frequency_penalty", "parallel_tool_calls", "presence_penalty", "reasoning", "reasoning_effort"})
# Keys of OpenAI's messages.
_OPENAI = frozenset({"tool_calls", "function_call", "tool_call_id", "refusal", "audio"})
_ROLES = frozenset({"user", "assistant", "system"})
# Keys of which a response without content has one.
_BESIDE = frozenset({"model", "stop_reason", "usage"})
_PLAIN, _LIKELY, _SURE = 0.85, 0.89, 0.95


def sniff_answer(document: Any) -> float:
    """Return how much a document looks like a response."""
    if not is_object(document) or not is_list(document.get("content")):
        return 0.0
    if document.get("role") == "assistant":
        if document.get("type") == "message" and (document["content"] or not _BESIDE.isdisjoint(document)):
            return 1.0
        return _LIKELY if "stop_reason" in document else 0.0
    # Some servers, and many tests, leave out the role: then something of Anthropic's must tell.
    if document.get("role") is not None or document.get("type") not in (None, "message"):
        return 0.0
    stop = document.get("stop_reason")
    is_own = (type(stop) is str and stop in STOP_REASONS) or _SURE in map(_sniff_part, document["content"])
    return _LIKELY if is_own else 0.0


def is_message(document: Any) -> bool:
    """Whether an object is a message by itself, neither the body of a request nor a response."""
    return (
        is_object(document) and "role" in document and "messages" not in document and document.get("type") != "message"
    )


def sniff_body(document: Any) -> float:
    """Return how much a document looks like a request."""
    natives: Any
    if is_message(document):
        natives, outside = [document], _PLAIN
    elif is_object(document):
        natives = document.get("messages")
        outside = _sniff_outside(document)
    else:
        natives, outside = document, _PLAIN
    if not is_list(natives):
        return 0.0
    found = list(map(_sniff_message, natives))
    if 0.0 in found:
        return 0.0
    return max([outside, *found]) if found or outside > _PLAIN else 0.0


def _sniff_outside(body: dict[str, Any]) -> float:
    if not _OTHERS.isdisjoint(body):
        return _PLAIN
    if not _OWN_PARAMETERS.isdisjoint(body):
        return _SURE
    given: Any = body.get("tools")
    tools: list[Any] = list(filter(is_object, given)) if is_list(given) else []
    if any(map(_is_own_tool, tools)):
        return _SURE
    model = body.get("model")
    is_claude = type(model) is str and model.startswith("claude")
    return _LIKELY if is_claude and not _is_compatible(body, tools) else _PLAIN


def _is_compatible(body: dict[str, Any], tools: list[Any]) -> bool:
    """Whether a request has something of OpenAI's: a server that is compatible with it may serve any model."""
    if not _SHARED.isdisjoint(body) or type(body.get("tool_choice")) is str:
        return True
    return any(is_object(tool.get(key)) for tool in tools for key in ("function", "custom"))


def _is_own_tool(tool: dict[str, Any]) -> bool:
    # OpenAI's tools have their names inside `function` or `custom`; those of its Responses API are functions, too.
    tag = tool.get("type")
    return "input_schema" in tool or ("name" in tool and type(tag) is str and tag != "function")


def _sniff_message(native: Any) -> float:
    """Return the score of a message; 0 if it isn't one of Anthropic's."""
    if not is_object(native) or "content" not in native:
        return 0.0
    role: Any = native.get("role")
    if type(role) is not str or role not in _ROLES:
        return 0.0
    if not _OPENAI.isdisjoint(native):
        return 0.0
    if "clear_at" in native:
        return _SURE
    content: Any = native["content"]
    if not is_list(content):
        return _PLAIN if type(content) is str else 0.0
    if any(map(_is_unsigned, content)):
        return 0.0
    return max([_PLAIN, *map(_sniff_part, content)])


def _is_unsigned(part: Any) -> bool:
    # Anthropic signs all thinking; compatible servers don't.
    return is_object(part) and part.get("type") == "thinking" and "signature" not in part


def _sniff_part(part: Any) -> float:
    if not is_object(part):
        return 0.0
    tag, source = part.get("type"), part.get("source")
    is_own = tag in _OWN_TAGS if type(tag) is str else False
    if is_own or (is_object(source) and "type" in source):
        return _SURE
    return _PLAIN
