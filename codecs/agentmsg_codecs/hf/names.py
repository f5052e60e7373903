"""The codec's names, apart from fields of the model."""

from __future__ import annotations

FAMILY = "hf"
# The namespace in extras of the object inside an object: the `function` of a call or tool, an `image_url`.
ITEM = "hf.item"
# The keys for what a model thought; each chat template knows one of them.
REASONING_KEYS = ("reasoning_content", "thinking", "reasoning")
# What a row says beside its messages that a model reads, or learns from; and keys of media and parts.
CONTENT_KEYS = frozenset(
    {
        *REASONING_KEYS, "audios", "base64", "chosen", "completion", "completions", "conversations", "image_url",
        "path", "rejected", "url", "value", "videos",
    }
)  # fmt: skip
# Of rows and messages: what is learnt of them, and which media a placeholder stands for.
KEPT = frozenset({"weight", "loss", "train", "image", "video", "audio"})
