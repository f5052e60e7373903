"""The codec's names, apart from fields of the model."""

from __future__ import annotations

FAMILY = "hf"
# The namespace in extras of an inner object: the `function` of a call or tool, an `image_url`.
ITEM = "hf.item"
# The keys for a model's thinking; each chat template knows one of them.
REASONING_KEYS = ("reasoning_content", "thinking", "reasoning")
# The columns of answers to a prompt; of a list of messages; and all columns of messages.
CHOSEN, REJECTED = "chosen", "rejected"
ANSWERS = ("completion", CHOSEN)
LISTS = ("messages", "conversations", "conversation", "trajectory", "traj", "turns")
COLUMNS = frozenset({*LISTS, *ANSWERS, "prompt"})
# Further keys with content that a model reads or learns from.
CONTENT_KEYS = frozenset(
    {
        *REASONING_KEYS, "audios", "base64", "chosen", "completion", "completions", "conversation", "conversations",
        "function_call", "image_url", "path", "rejected", "traj", "trajectory", "turns", "url", "value", "videos",
    }
)  # fmt: skip
# Keys of rows and messages for training weights, and for the media of placeholders.
KEPT = frozenset({"weight", "loss", "train", "image", "video", "audio"})
