"""The codec's names, apart from fields of the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import agentmsg as am

if TYPE_CHECKING:
    from collections.abc import Mapping

FAMILY = "sharegpt"
# The namespace in extras of the `function` inside a tool.
ITEM = "sharegpt.item"
# The key of a turn under which a result may say the call that it answers.
LINK = "tool_call_id"
# Who a turn is from by default, by our roles.
WORDS: Mapping[str, str] = {"system": "system", "user": "human", "assistant": "gpt", "tool": "observation"}
# Those whose value is the JSON of calls; the first is written.
CALL_WORDS = ("function_call", "function-call", "tool_call")
# Our roles, by who a turn is from.
ROLES: Mapping[str, str] = {
    **{word: role for role, word in WORDS.items()},
    "user": "user",
    **dict.fromkeys(("assistant", "chatgpt", "bing", "bard", "model", *CALL_WORDS), "assistant"),
    **dict.fromkeys(("tool", "tool_response", "function_response", "function-response", "ipython"), "tool"),
}
# What stands for media in a text, with the columns that say which: a list, or the only one.
MEDIA: Mapping[str, tuple[type[am.BaseBlock], tuple[str, str]]] = {
    "<image>": (am.ImageBlock, ("images", "image")),
    "<video>": (am.VideoBlock, ("videos", "video")),
    "<audio>": (am.AudioBlock, ("audios", "audio")),
}
# What a row says beside its turns that a model reads, or learns from.
CONTENT_KEYS = frozenset(
    {"audios", "chosen", "conversations", "from", "history", "instruction", "rejected", "value", "videos"}
)
KEPT = frozenset({"weight", "loss", "train", "id", *MEDIA})
