"""The family, its namespaces, and the words of the schema."""

from __future__ import annotations

FAMILY = "openai-responses"
# Extras and notes of a message item of the assistant, on the first of its parts.
ITEM = "openai-responses.item"
# Extras and notes of what stands around the items of a response.
RESPONSE = "openai-responses.response"
# Who signs reasoning, keeps files, and runs tools; the format whose requests share parameters with these.
PROVIDER = "openai"
# Where Chat Completions has what is inside a tool.
CHAT_ITEM = "openai.item"
# Whose API has a search of its own.
XAI = "xai"
BODY_KEYS = frozenset({"input", "instructions", "tools"})
# What OpenAI stores: a request that names one of these may have no input.
STORED = frozenset({"prompt", "previous_response_id", "conversation"})
PHASES = frozenset({"commentary", "final_answer"})
# Tools that OpenAI defines and the client runs: the kinds of their calls and results, which are their names, too.
CLIENT_TOOLS = frozenset({"apply_patch", "computer", "local_shell", "shell"})
# The item that gives more tools, and those without an equivalent in the model.
MORE_TOOLS = "additional_tools"
NATIVE_ITEMS = frozenset({"item_reference", "mcp_list_tools"})
# The items that ask whether an MCP server's tool may be called, and that answer.
ASKED, DECIDED = "mcp_approval_request", "mcp_approval_response"
# What the ids of items begin with; the API refuses others.
PREFIXES = {
    "call": "fc_",
    "compaction": "cmp_",
    "custom": "ctc_",
    "computer": "cu_",
    "image_generation": "ig_",
    "message": "msg_",
    "reasoning": "rs_",
    "result": "fc",
    "custom_result": "ctc",
    "code_interpreter": "ci_",
    "file_search": "fs_",
    "decision": "mcpr",
    "mcp": "mcp_",
    "program": "cm_",
    "tool_search": "tsc_",
    "tool_search_result": "tso_",
    "web_search": "ws_",
}
