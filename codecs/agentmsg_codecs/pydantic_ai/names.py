"""The family, its namespaces, and the words of the schema."""

from __future__ import annotations

from typing import TYPE_CHECKING

import agentmsg as am
from agentmsg.formats import Containers

if TYPE_CHECKING:
    from collections.abc import Mapping

FAMILY = "pydantic-ai"
# Extras of a request, on its first message; of the binary content of a file; of what the provider says of a part.
REQUEST, FILE, DETAILS, VENDOR = f"{FAMILY}.request", f"{FAMILY}.file", f"{FAMILY}.details", f"{FAMILY}.vendor"
# What has a field of what the provider says of a part, by the class of its block; all else is extras there.
OF_DETAILS: Mapping[type[am.BaseBlock], Mapping[str, str]] = {
    am.TextBlock: {"thought_signature": "signature", "phase": "phase"},
    am.ToolUseBlock: {"thought_signature": "signature"},
    am.CompactionBlock: {"encrypted_content": "encrypted"},
}
# Extras of thinking that a provider is named for, but that nobody signed.
UNSIGNED, NAME = f"{FAMILY}.unsigned", "provider_name"
# Extras of data that is told to the model otherwise than as JSON.
TOLD = f"{FAMILY}.told"
CONTAINERS = Containers(family=FAMILY, title="Pydantic AI", own=frozenset({"kind", "parts"}))
# Media by the kind that their place in the model is for.
URLS: Mapping[str, type[am.BaseBlock]] = {
    "image-url": am.ImageBlock, "audio-url": am.AudioBlock, "video-url": am.VideoBlock, "document-url": am.FileBlock,
}  # fmt: skip
# What is media inside the content of a result.
MEDIA_KINDS = frozenset({*URLS, "binary"})
OUTCOMES = {"success": "success", "failed": "error", "denied": "denied", "interrupted": "interrupted"}
# The keys of a request beside its parts, with what usually stands there.
REQUEST_KEYS: Mapping[str, str | None] = {
    "timestamp": None, "instructions": None, "run_id": None, "conversation_id": None, "metadata": None,
    "state": "complete",
}  # fmt: skip
# Who keeps files that are uploaded.
KEEPERS = ("anthropic", "openai", "google", "google-cloud", "google-gla", "google-vertex", "bedrock", "xai")
TTLS = ("5m", "1h")
