"""The family, its namespaces, and the words of the schema."""

from __future__ import annotations

from typing import TYPE_CHECKING

import agentmsg as am
from agentmsg.formats import Containers

if TYPE_CHECKING:
    from collections.abc import Mapping

FAMILY = "pydantic-ai"
# Extras of a request, on its first message; of a file's binary content; of provider_details; of vendor_metadata.
REQUEST, FILE, DETAILS, VENDOR = f"{FAMILY}.request", f"{FAMILY}.file", f"{FAMILY}.details", f"{FAMILY}.vendor"
# The keys of provider_details that have a field, by the class of the block; all others are extras.
OF_DETAILS: Mapping[type[am.BaseBlock], Mapping[str, str]] = {
    am.TextBlock: {"thought_signature": "signature", "phase": "phase"},
    am.ToolUseBlock: {"thought_signature": "signature"},
    am.CompactionBlock: {"encrypted_content": "encrypted"},
}
# The model's words for providers that have another name in parts.
PROVIDERS: Mapping[str, str] = {"google-gla": "google", "google-vertex": "google", "google-cloud": "google"}
# Extras of unsigned thinking that names a provider.
UNSIGNED, NAME = f"{FAMILY}.unsigned", "provider_name"
# Extras of data that the model sees as other text than its JSON.
TOLD = f"{FAMILY}.told"
CONTAINERS = Containers(family=FAMILY, title="Pydantic AI", own=frozenset({"kind", "parts"}))
# The kinds of media at a URL, by class of block.
URLS: Mapping[str, type[am.BaseBlock]] = {
    "image-url": am.ImageBlock, "audio-url": am.AudioBlock, "video-url": am.VideoBlock, "document-url": am.FileBlock,
}  # fmt: skip
# The kinds of media in the content of a result.
MEDIA_KINDS = frozenset({*URLS, "binary"})
OUTCOMES = {"success": "success", "failed": "error", "denied": "denied", "interrupted": "interrupted"}
# The keys of a request beside its parts, with their usual values.
REQUEST_KEYS: Mapping[str, str | None] = {
    "timestamp": None, "instructions": None, "run_id": None, "conversation_id": None, "metadata": None,
    "state": "complete",
}  # fmt: skip
# The providers that keep uploaded files.
KEEPERS = ("anthropic", "openai", "google", "google-cloud", "google-gla", "google-vertex", "bedrock", "xai")
TTLS = ("5m", "1h")
