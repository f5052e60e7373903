"""The words that the AgentScope codecs share."""

from __future__ import annotations

FAMILY = "agentscope"
# Two families: the formats of Python and Java share little, and a plain ObjectMapper refuses unknown keys in a block.
JAVA = "agentscope-java"
VERSIONS = (1, 2)
# The key of the entries in a memory of Python's 1.x, and the namespace of an entry's extras.
MEMORY = "content"
ITEM = "agentscope.item"

CALL_STATES = frozenset({"pending", "asking", "allowed", "submitted", "finished"})
RESULT_STATES = frozenset({"success", "error", "interrupted", "denied", "running"})
# The keys, besides those of all formats, whose values a model reads or acts on.
CONTENT_KEYS = frozenset(
    {
        "_compressed_summary", "data", "hint", "raw_input", "redacted_thinking_data", "result", "structured_output",
        "summary", "url",
    }
)  # fmt: skip
# The phase of a hint, which the system gives the model in the middle of a reply.
HINT = "hint"
# The only provider of Python's that signs thinking.
SIGNER = "anthropic"
