"""Shortcuts for the usual parts: of v1, and of three variants by their exact keys (thinking, image_url, tool_use).

They give what the variants do, without the write, read and compare of parts.py: whatever is not exactly as here is
theirs. Why that is safe is told in messages/quick_read.py and messages/quick_write.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
import agentmsg_codecs.langchain.blocks.v1 as v1
import agentmsg_codecs.langchain.blocks.v1_media as v1_media
from agentmsg.formats import Native, adopt, is_mapping, is_object
from agentmsg_codecs.langchain.blocks.v1 import make_call, make_signature, make_thinking
from agentmsg_codecs.langchain.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


_OBJECT: Any = dict
_THINKING_NOTE = adopt({FAMILY: {"/shape": "thinking"}})
_IMAGE_NOTE = adopt({FAMILY: {"/shape": "image_url"}})
_USE_NOTE = adopt({FAMILY: {"/shape": "tool_use"}})
# Of a call that ends a message, and stands in content as tool_use and in tool_calls.
COPIED_NOTE = adopt({FAMILY: {"/shape": "tool_use", "/copies": "ct"}})
_make_image = v1_media.MEDIA["image"]


# -- reading ----------------------------------------------------------------------------------------------------------


def _read_thinking(part: Native) -> am.ThinkingBlock | None:
    """Read ``{"type": "thinking", "thinking", "signature"}``."""
    thinking = part.get("thinking")
    if type(thinking) is not str:
        return None
    value = part.get("signature")
    if type(value) is str:
        if len(part) != 3:  # noqa: PLR2004 - type, thinking, signature
            return None
        return make_thinking(thinking=thinking, signature=make_signature("anthropic", value), notes=_THINKING_NOTE)
    return make_thinking(thinking=thinking, notes=_THINKING_NOTE) if len(part) == 2 else None  # noqa: PLR2004


def _read_image_url(part: Native) -> Any:
    """Read ``{"type": "image_url", "image_url": {"url"}}``."""
    image: Any = part.get("image_url")
    if len(part) != 2 or type(image) is not _OBJECT or len(image) != 1:  # noqa: PLR2004 - type and image_url
        return None
    url = image.get("url")
    if type(url) is not str:
        return None
    if not url.startswith("data:"):
        return _make_image(source=v1_media.make_url(url), notes=_IMAGE_NOTE)
    head, comma, data = url.partition(",")
    if not comma or not head.endswith(";base64") or ";" in head[5:-7]:
        return None
    return _make_image(source=v1_media.make_base64(data, head[5:-7] or None), notes=_IMAGE_NOTE)


def read_copied(part: Any, notes: Any) -> am.ToolUseBlock | None:
    """Read ``{"type": "tool_use", "id", "name", "input"}``; None if it is anything else."""
    if not is_object(part) or len(part) != 4 or part.get("type") != "tool_use":  # noqa: PLR2004 - these keys
        return None
    link, name = part.get("id"), part.get("name")
    value: Any = part.get("input")
    if type(link) is not str or type(name) is not str or type(value) is not _OBJECT or "_raw" in value:
        return None
    return make_call(id=link, name=name, input=adopt(value), notes=notes)


# The class, the tag, and the reader.
QUICK: tuple[tuple[type[Any], str, Callable[[Native], Any]], ...] = (
    (am.TextBlock, "text", v1.quick_text),
    (am.ThinkingBlock, "reasoning", v1.quick_reasoning),
    (am.ImageBlock, "image", v1_media.quick_media),
    (am.AudioBlock, "audio", v1_media.quick_media),
    (am.VideoBlock, "video", v1_media.quick_media),
    (am.FileBlock, "file", v1_media.quick_media),
    # A part notes its variant where that is not the default one: known as long as the default is ours.
    (am.ThinkingBlock, "thinking", _read_thinking),
    (am.ImageBlock, "image_url", _read_image_url),
    (am.ToolUseBlock, "tool_use", lambda part: read_copied(part, _USE_NOTE)),
)


# -- writing ----------------------------------------------------------------------------------------------------------


def _write_thinking(block: Any) -> Native | None:
    if block.notes is not _THINKING_NOTE and block.notes != _THINKING_NOTE:
        return None
    if block.redacted is not None or block.extras or block.metadata or block.item_id is not None:
        return None
    if block.cache is not None or block.phase is not None:
        return None
    signature = block.signature
    if signature is None:
        return {"type": "thinking", "thinking": block.thinking}
    if signature.provider != "anthropic" or signature.extras:
        return None
    return {"type": "thinking", "thinking": block.thinking, "signature": signature.value}


def _write_image_url(block: Any) -> Native | None:
    if block.notes is not _IMAGE_NOTE and block.notes != _IMAGE_NOTE:
        return None
    if block.detail is not None or block.extras or block.metadata or block.item_id is not None:
        return None
    if block.cache is not None or block.phase is not None or block.signature is not None:
        return None
    source = block.source
    media_type = source.media_type if type(source) in _SOURCES else ""
    if media_type == "" or source.extras:
        return None
    if type(source) is am.URLSource:
        if media_type is not None or source.url.startswith("data:"):
            return None
        return {"type": "image_url", "image_url": {"url": source.url}}
    if media_type is None:
        media_type = ""
    elif "," in media_type or ";" in media_type:
        return None
    return {"type": "image_url", "image_url": {"url": f"data:{media_type};base64,{source.data}"}}


_SOURCES = frozenset({am.URLSource, am.Base64Source})


def bare_args(block: am.ToolUseBlock) -> Any:
    """Return the arguments of a call that says nothing but id, name and an object of arguments; None of any other."""
    if block.extras or block.metadata or block.item_id is not None or block.phase is not None:
        return None
    if block.cache is not None or block.signature is not None or block.provider is not None:
        return None
    if block.status is not None or block.kind != "function":
        return None
    if block.raw_input is not None and (not block.is_valid or block.significant_text is not None):
        return None
    value = block.input
    return value if is_mapping(value) and "_raw" not in value else None


def write_use(block: am.ToolUseBlock, args: Any) -> Native:
    """Return the part of a call whose arguments ``bare_args`` gave."""
    return {"type": "tool_use", "id": block.id, "name": block.name, "input": args}


def _write_use(block: Any) -> Native | None:
    if (block.notes is not _USE_NOTE and block.notes != _USE_NOTE) or block.id is None:
        return None
    args = bare_args(block)
    return None if args is None else write_use(block, args)


# The writers of blocks with notes; each gives None if the note, or a field, is any other than of these variants.
QUICK_WRITERS: Mapping[type, Callable[[Any], Native | None]] = {
    am.ThinkingBlock: _write_thinking,
    am.ImageBlock: _write_image_url,
    am.ToolUseBlock: _write_use,
}
