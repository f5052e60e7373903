"""How closely a message resembles one for a model."""

from __future__ import annotations

from typing import Any

from agentmsg.formats import is_list, is_object

_KEYS = frozenset({"role", "content", "providerOptions", "experimental_providerMetadata", "providerMetadata"})
_ROLES = frozenset({"system", "user", "assistant", "tool"})
_SURE, _LIKELY, _PLAIN, _HARDLY = 0.98, 0.85, 0.6, 0.05
# The keys that a part must have, by its type: of parts that only this format has, and of others.
_OWN = {
    "tool-call": {"toolCallId", "toolName"}, "tool-result": {"toolCallId"},
    "reasoning": {"text"}, "redacted-reasoning": {"data"},
    "tool-approval-request": {"approvalId"}, "tool-approval-response": {"approvalId"}, "reasoning-file": {"mediaType"},
}  # fmt: skip
_SHARED = {"text": {"text"}, "image": {"image"}, "file": {"data"}, "custom": {"kind"}}


def sniff(native_messages: list[Any]) -> float:
    """Return the highest score of some messages; 0 if one can't be one for a model, or if all are just texts."""
    found = list(map(_sniff_message, native_messages))
    if not found or min(found) <= 0:
        return 0.0
    is_plain = all(type(native["content"]) is str for native in native_messages)
    return 0.0 if (is_plain and max(found) <= _PLAIN) or max(found) <= _HARDLY else max(found)


def _sniff_message(message: Any) -> float:
    """Return 0 to 1: most for a message that only this format has, less for one that others have, too."""
    if not is_object(message):
        return 0.0
    if not _KEYS.issuperset(message):
        # Applications store keys of their own beside; then only parts of tools tell.
        likeness = _sniff_message({key: value for key, value in message.items() if key in _KEYS})
        return _LIKELY if likeness == _SURE else min(likeness, _HARDLY)
    role, content = message.get("role"), message.get("content")
    if type(role) is not str or role not in _ROLES:
        return 0.0
    is_own = is_object(message.get("providerOptions"))
    if type(content) is str:
        return 0.0 if role == "tool" else _SURE if is_own else _PLAIN
    if not is_list(content):
        return 0.0
    found = [_sniff_part(part) for part in content]
    if 0.0 in found:
        return 0.0
    return max(_SURE if is_own else _PLAIN, *found) if found else _PLAIN


def _sniff_part(part: Any) -> float:
    tag: Any = part.get("type") if is_object(part) else None
    wanted = _OWN.get(tag, _SHARED.get(tag)) if type(tag) is str else None
    if wanted is None or not wanted <= part.keys():
        return 0.0
    if tag == "tool-result" and part.keys().isdisjoint(("output", "result")):
        return 0.0
    is_typed = "mediaType" in part or "mimeType" in part
    if tag in _OWN or "providerOptions" in part or (tag in ("file", "image") and is_typed):
        return _SURE
    if tag == "file":
        return 0.0
    return _LIKELY if tag == "image" and type(part["image"]) is str else _PLAIN
