"""The families, their namespaces, and the words of the schema."""

from __future__ import annotations

FAMILY, UI = "vercel", "vercel-ui"
# What is left of the options of providers, which messages for models and for users share; of what a tool gave.
OPTIONS, OUTPUT = "vercel.options", "vercel.output"
# Who runs a tool, by how the ids of its calls begin.
RUNNERS = {
    "srvtoolu_": "anthropic", "mcptoolu_": "anthropic", "ws_": "openai", "ci_": "openai", "mcp_": "openai",
    "fs_": "openai", "ig_": "openai",
}  # fmt: skip
# How the ids of OpenAI's items begin.
ITEMS = ("rs_", "msg_", "fc_", "ctc_", "ws_", "ci_", "mcp_", "fs_", "ig_", "cu_", "lsh_", "ts_")
# What media are that tell no type.
USUAL = {"image": "image/*", "audio": "audio/*", "video": "video/*", "file": "application/octet-stream"}
