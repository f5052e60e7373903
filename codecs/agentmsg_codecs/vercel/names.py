"""The families, their namespaces, and the words of the schema."""

from __future__ import annotations

FAMILY, UI = "vercel", "vercel-ui"
# The key of options in messages for models.
PROVIDER_OPTIONS = "providerOptions"
# The namespaces of provider options without a field, which both families share, and of unknown keys of an output.
OPTIONS, OUTPUT = "vercel.options", "vercel.output"
# The namespace of the keys of an approval without a field, which both families share.
APPROVAL = "vercel.approval"
# The namespace of the keys of a step-start, on the message of its step.
STEP_EXTRAS = "vercel-ui.step"
# The provider that runs a tool, by how the ids of its calls begin.
RUNNERS = {
    "srvtoolu_": "anthropic", "mcptoolu_": "anthropic", "ws_": "openai", "ci_": "openai", "mcp_": "openai",
    "mcpr_": "openai", "fs_": "openai", "ig_": "openai",
}  # fmt: skip
# How the ids of OpenAI items begin.
ITEMS = ("rs_", "msg_", "fc_", "ctc_", "ws_", "ci_", "mcp_", "mcpr_", "fs_", "ig_", "cu_", "lsh_", "ts_", "tsc_",
         "tso_", "cmp_")  # fmt: skip
# The media types of media without one.
USUAL = {"image": "image/*", "audio": "audio/*", "video": "video/*", "file": "application/octet-stream"}
