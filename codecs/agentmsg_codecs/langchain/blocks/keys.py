"""The keys of content parts: those of each block as v1 writes it, and those that some other shape has a meaning for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Native, dispatch
from agentmsg_codecs.langchain.blocks.older_calls import BY_NAME

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmsg_codecs.langchain.blocks.older import Shape


_V1_BASE = frozenset({"type", "id", "extras", "cache_control"})
V1_KEYS: Mapping[type, frozenset[str]] = {
    am.TextBlock: _V1_BASE | {"text", "annotations"},
    am.ThinkingBlock: _V1_BASE | {"reasoning"},
    am.RefusalBlock: _V1_BASE | {"refusal"},
    am.ImageBlock: _V1_BASE | {"mime_type"},
    am.AudioBlock: _V1_BASE | {"mime_type"},
    am.VideoBlock: _V1_BASE | {"mime_type"},
    am.FileBlock: _V1_BASE | {"mime_type"},
    am.ToolUseBlock: _V1_BASE | {"name", "args"},
    am.ToolResultBlock: _V1_BASE | {"tool_call_id", "status", "output"},
}
# (A call's `error` is an unknown field that invalid calls have a key for.)
_NON_STANDARD = frozenset({"type", "value", "cache_control"})
# Where what a block shows may be from: each part has one of them, and the others are nothing of it.
_SOURCES = frozenset(
    {
        "url",
        "base64",
        "file_id",
        "data",
        "image_url",
        "file_data",
        "file_url",
        "file_uri",
        "content",
        "encrypted_content",
    }
)
# The keys whose value is an extra where it has no meaning.
ODD = frozenset({"id", "cache_control", "extras", "annotations", "citations", "index"})
# What some shape or other has a meaning for: an unknown field of such a name may be read as that.
MAY_MEAN = frozenset[str]().union(
    *V1_KEYS.values(),
    _NON_STANDARD,
    _SOURCES,
    ODD,
    *(shape.keys for shape in BY_NAME.values()),
    {"source", "summary"},
)


def known_keys(block: Any, shape: Shape | None, plain: Native) -> frozenset[str]:
    """Return the keys that the part of this very block may have: no unknown field may use them."""
    keys = V1_KEYS.get(dispatch.class_of(block), _NON_STANDARD) if shape is None else shape.keys
    if shape is None and plain.get("type") == "text-plain":
        keys |= {"title", "context"}
    return (keys - _SOURCES) | plain.keys()
