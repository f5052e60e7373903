"""The words that the AgentScope codecs share."""

from __future__ import annotations

FAMILY = "agentscope"
# Python's and Java's wire forms share little, and a plain ObjectMapper refuses unknown keys inside a block: what only
# one of them knows is never written for the other.
JAVA = "agentscope-java"
VERSIONS = (1, 2)
# The key under which a memory of Python's 1.x holds its entries, and the extras of what surrounds a message there.
MEMORY = "content"
ITEM = "agentscope.item"

CALL_STATES = frozenset({"pending", "asking", "allowed", "submitted", "finished"})
RESULT_STATES = frozenset({"success", "error", "interrupted", "denied", "running"})
# What a model reads or does, wherever it stands, beside what it does in any format.
CONTENT_KEYS = frozenset(
    {
        "_compressed_summary", "data", "hint", "raw_input", "redacted_thinking_data", "result", "structured_output",
        "summary", "url",
    }
)  # fmt: skip
# The phase of a hint: what the system tells the model in the midst of a reply.
HINT = "hint"
# Of Python's providers only this one signs thinking.
SIGNER = "anthropic"
