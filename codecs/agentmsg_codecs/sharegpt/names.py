"""The names that the codec uses for anything but fields of the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import agentmsg as am

if TYPE_CHECKING:
    from collections.abc import Mapping

FAMILY = "sharegpt"
# The namespace in extras of the `function` inside a tool.
ITEM = "sharegpt.item"
# The words in `from`, and our roles; the first of a role is written by default.
ROLES: Mapping[str, str] = {
    "system": "system",
    **dict.fromkeys(("human", "user"), "user"),
    **dict.fromkeys(("gpt", "assistant", "chatgpt", "bing", "bard", "model"), "assistant"),
    **dict.fromkeys(("function_call", "function-call", "tool_call"), "assistant"),
    **dict.fromkeys(
        ("observation", "tool", "tool_response", "function_response", "function-response", "ipython"), "tool"
    ),
}
# Those whose value is the JSON of calls.
CALL_WORDS = frozenset({"function_call", "function-call", "tool_call"})
WORDS: Mapping[str, str] = {"system": "system", "user": "human", "assistant": "gpt", "tool": "observation"}
# What stands for media in a text, with the column that says which.
MEDIA: Mapping[str, tuple[type[am.BaseBlock], str]] = {
    "<image>": (am.ImageBlock, "images"),
    "<video>": (am.VideoBlock, "videos"),
    "<audio>": (am.AudioBlock, "audios"),
}
COLUMNS = frozenset(column for _, column in MEDIA.values())
# What a row says beside its turns that a model reads, or learns from.
CONTENT_KEYS = frozenset({"chosen", "conversations", "from", "history", "instruction", "rejected", "value", *COLUMNS})
KEPT = frozenset({"weight", "loss", "train", "id", *MEDIA})
