"""The words of the format: names of the family, tags, kinds and stop reasons."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


FAMILY = "anthropic"
# The keys of a body that are messages and tools.
BODY_KEYS = frozenset({"messages", "system", "tools"})
# Further keys with content for the model, or with its abilities.
CONTENT_KEYS = frozenset({"data", "encrypted_content", "function", "source"})
# Namespaces of extras besides FAMILY: of a response, of its output details, and of a block's kind.
RESPONSE = "anthropic.response"
OUTPUT = "anthropic.output"
KIND = "anthropic.kind"

UPLOAD: Mapping[str, str] = MappingProxyType({"type": "container_upload"})

# The lifetimes of caches, in minutes.
TTLS: Mapping[str, int] = MappingProxyType({"5m": 5, "1h": 60})

# By kind of citation: the key of its title, and the types of its other required keys.
PLACES: Mapping[str, tuple[str, Mapping[str, type]]] = MappingProxyType(
    {
        "char_location": ("document_title", {"document_index": int, "start_char_index": int, "end_char_index": int}),
        "page_location": ("document_title", {"document_index": int, "start_page_number": int, "end_page_number": int}),
        "content_block_location": (
            "document_title",
            {"document_index": int, "start_block_index": int, "end_block_index": int},
        ),
        "web_search_result_location": ("title", {"encrypted_index": str}),
        "search_result_location": (
            "title",
            {"source": str, "search_result_index": int, "start_block_index": int, "end_block_index": int},
        ),
    }
)

# The tools that the provider runs, by the tag of their results; tools of MCP servers have their own names.
SERVER_RESULTS: Mapping[str, str | None] = MappingProxyType(
    {
        "web_search_tool_result": "web_search",
        "web_fetch_tool_result": "web_fetch",
        "code_execution_tool_result": "code_execution",
        "bash_code_execution_tool_result": "bash_code_execution",
        "text_editor_code_execution_tool_result": "text_editor_code_execution",
        "tool_search_tool_result": "tool_search",
        "advisor_tool_result": "advisor",
        "mcp_tool_result": None,
    }
)

# The names in calls of these tools; the API refuses others, except for tools of MCP servers.
SERVER_CALLS = frozenset(
    {
        *(name for name in SERVER_RESULTS.values() if name not in (None, "tool_search")),
        "tool_search_tool_bm25",
        "tool_search_tool_regex",
    }
)

# Our words by the native ones; any other word is the same on both sides.
FINISH: Mapping[str, str] = MappingProxyType({"end_turn": "stop", "max_tokens": "length"})
STOP_REASON: Mapping[str, str] = MappingProxyType({ours: word for word, ours in FINISH.items()})
STOP_REASONS = frozenset(
    {
        *FINISH,
        "stop_sequence",
        "model_context_window_exceeded",
        "tool_use",
        "pause_turn",
        "refusal",
        "compaction",
    }
)

# The keys of a response that are response metadata.
ARGUED = frozenset({"stop_sequence", "stop_details", "container", "context_management", "diagnostics"})
