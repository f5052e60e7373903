"""The codec's names, apart from fields of the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import agentmsg as am

if TYPE_CHECKING:
    from collections.abc import Mapping

FAMILY = "sharegpt"
# The namespace in extras of the `function` inside a tool.
ITEM = "sharegpt.item"
# Where rows of training data have a rejected answer.
PAIRED = "hf"
# The key of a turn for the call that its result answers.
LINK = "tool_call_id"
# Default senders by role.
WORDS: Mapping[str, str] = {"system": "system", "user": "human", "assistant": "gpt", "tool": "observation"}
# Senders whose value is the JSON of calls; the first is written.
CALL_WORDS = ("function_call", "function-call", "tool_call")
_ROLES: Mapping[str, str] = {
    **{word: role for role, word in WORDS.items()},
    "user": "user",
    **dict.fromkeys(("assistant", "chatgpt", "bing", "bard", "model"), "assistant"),
    **dict.fromkeys(("tool", "tool_response", "function_response", "function-response", "ipython"), "tool"),
}
# Roles by sender; NeMo's begin with a capital.
ROLES: Mapping[str, str] = {
    **{spelt: role for word, role in _ROLES.items() for spelt in (word, word.capitalize(), word.upper())},
    **dict.fromkeys(CALL_WORDS, "assistant"),
}
# The tokens for media in a text, with the columns of their addresses: for a list, and for a single one.
MEDIA: Mapping[str, tuple[type[am.BaseBlock], tuple[str, str]]] = {
    "<image>": (am.ImageBlock, ("images", "image")),
    "<video>": (am.VideoBlock, ("videos", "video")),
    "<audio>": (am.AudioBlock, ("audios", "audio")),
}
# Further keys with content that a model reads or learns from.
CONTENT_KEYS = frozenset(
    {"audios", "chosen", "conversations", "from", "history", "instruction", "rejected", "value", "videos"}
)
KEPT = frozenset({"weight", "loss", "train", "id", *MEDIA})
