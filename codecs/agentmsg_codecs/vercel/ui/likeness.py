"""How closely a message resembles one for users."""

from __future__ import annotations

from typing import Any

from agentmsg.formats import is_list, is_object
from agentmsg_codecs.vercel.ui.mastra import lifted
from agentmsg_codecs.vercel.ui.tool_parts import as_today

_ROLES = frozenset({"system", "user", "assistant"})
_WANTED = {
    "text": {"text"}, "reasoning": {"text"}, "file": {"mediaType", "url"}, "source-url": {"url"},
    "source-document": {"mediaType"}, "step-start": set[str](), "custom": set[str](),
    **{kind: {"mediaType", "url"} for kind in ("reasoning-file", "image", "audio", "video")},
}  # fmt: skip
# The same for parts that only version 4 has.
_OLDER = {"source": {"source"}, "file": {"data", "mimeType"}, "reasoning": {"reasoning"}}
_OWN = frozenset({"file", "source-url", "source-document", "step-start", "reasoning-file"})
_OLD = frozenset({"toolInvocations", "experimental_attachments", "revisionId"})
_OLD_PARTS = frozenset({"text", "reasoning", "tool-invocation", "source", "file", "step-start"})
# The keys of messages of early version 4, without parts.
_EARLY = frozenset({"id", "role", "content", "createdAt", "annotations", "data"})
_SURE, _LIKELY, _PLAIN, _RARELY, _HARDLY = 0.98, 0.93, 0.85, 0.5, 0.1


def sniff_message(message: Any) -> float:
    """Return 0 to 1: most for a message that only this format has, less for one that others have, too."""
    role: Any = message.get("role") if is_object(message) else None
    if type(role) is not str or role not in _ROLES or "kind" in message or "messageId" in message:
        return 0.0
    unwrapped = lifted(message)
    if unwrapped is not None:
        return _SURE if sniff_message(unwrapped[0]) else 0.0
    if type(message.get("content")) is str:
        return _sniff_old(message)
    parts = message.get("parts")
    if not is_list(parts):
        return 0.0
    found = [_sniff_part(part) for part in parts]
    if 0.0 in found:
        return 0.0
    likeliest = max(found, default=_RARELY)
    # Other formats may have texts and data without an id, too.
    return likeliest if "id" in message or likeliest == _SURE else min(likeliest, _PLAIN)


def _sniff_part(part: Any) -> float:
    tag: Any = part.get("type") if is_object(part) else None
    if type(tag) is not str:
        return 0.0
    if tag == "dynamic-tool" or tag.startswith("tool-"):
        return _sniff_tool(part)
    if tag.startswith("data-"):
        return _LIKELY if "data" in part else 0.0
    wanted, older = _WANTED.get(tag), _OLDER.get(tag)
    if older is not None and older <= part.keys():
        return _SURE
    if wanted is None or not wanted <= part.keys():
        return 0.0
    return _SURE if tag in _OWN or "state" in part else _LIKELY


def _sniff_tool(part: Any) -> float:
    """Return how much a part looks like a tool's; older ones have the call inside."""
    call: Any = part.get("toolInvocation", part)
    if not is_object(call) or ("state" not in call and as_today(part) is None):
        return 0.0
    return _SURE if "toolCallId" in call or call is not part else _LIKELY


def _sniff_old(message: Any) -> float:
    """Return how much a message looks like one of version 4, whose ``content`` repeats its text."""
    if not _OLD.isdisjoint(message):
        return _SURE if "id" in message else _LIKELY
    if "parts" not in message:
        if "id" not in message or not _EARLY.issuperset(message):
            return 0.0
        return _PLAIN if type(message.get("createdAt")) is str else _HARDLY
    parts = message["parts"]
    if not is_list(parts) or not all(map(_is_old_part, parts)):
        return 0.0
    return _RARELY if "id" not in message else _SURE if parts else _PLAIN


def _is_old_part(part: Any) -> bool:
    tag: Any = part.get("type") if is_object(part) else None
    return type(tag) is str and tag in _OLD_PARTS
