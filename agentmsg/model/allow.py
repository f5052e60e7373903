"""The words for kinds of content, by which a caller allows their loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Collection

# Kinds of content that a caller allows to lose; see ``fitting.allowing``.
Word = Literal[
    "approvals", "audio", "citations", "custom", "data", "extras", "files", "images", "messages", "native", "refusals",
    "signatures", "status", "structured", "summaries", "system", "text", "thinking", "tool_calls", "tool_results",
    "tools", "video",
]  # fmt: skip
# A checker takes the words of a tuple for these only if a tuple of them is named.
Allow: TypeAlias = "Word | tuple[Word, ...] | Collection[Word]"
