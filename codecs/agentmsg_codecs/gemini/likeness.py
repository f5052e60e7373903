"""How closely a document resembles one of Gemini's."""

from __future__ import annotations

from typing import Any

from agentmsg.formats import is_list, is_object
from agentmsg_codecs.gemini.contents import WORDS, is_part
from agentmsg_codecs.gemini.names import OUTER_KEYS, both

_ROLES = ("user", "model")
# Keys beside contents that are one text.
_BESIDE = frozenset({"config", *both(("generationConfig", "systemInstruction"))})
# Keys that only responses have, all of them optional.
OF_RESPONSES = both(("usageMetadata", "modelVersion", "responseId", "promptFeedback"))
_OF_CANDIDATES = both(("content", "finishReason"))
_PLAIN, _LIKELY, _SURE = 0.8, 0.9, 0.95


def is_content(document: Any) -> bool:
    """Whether an object is a content by itself, rather than the body of a request."""
    return is_object(document) and "parts" in document and "contents" not in document


def sniff_body(document: Any) -> float:
    """Return how closely a document resembles a request, a list of contents, or a content."""
    natives: Any = document
    if is_content(document):
        natives = [document]
    elif is_object(document):
        natives = document.get("contents")
        if type(natives) is str and not _BESIDE.isdisjoint(document):
            return _LIKELY
        natives = [natives] if is_object(natives) else natives
    if not is_list(natives) or not natives:
        return 0.0
    found = list(map(_sniff_content, natives))
    if 0.0 in found:
        return 0.0
    return _SURE if is_object(document) and "contents" in document else max(found)


def _sniff_content(native: Any) -> float:
    """Return 0 for anything that can't be a content."""
    if not is_object(native):
        return 0.0
    role, parts = native.get("role"), native.get("parts")
    parts = [parts] if is_part(parts) else parts
    is_role = role is None or (type(role) is str and (role in _ROLES or role in WORDS))
    if not is_list(parts) or not is_role:
        return 0.0
    if parts and "role" in native and all(type(part) is str for part in parts):
        return _PLAIN
    if any(not is_object(part) or "type" in part or "kind" in part for part in parts):
        return 0.0
    if parts and not all(OUTER_KEYS & part.keys() for part in parts):
        return 0.0
    if not parts and role is None:
        return 0.3
    is_own = role == "model" or any(part.keys() - {"text"} for part in parts)
    return _LIKELY if is_own else _PLAIN


def sniff_answer(document: Any) -> float:
    """Return how closely a document resembles a response."""
    if not is_object(document):
        return 0.0
    own = OF_RESPONSES & document.keys()
    if "candidates" not in document:
        # The prompt was blocked.
        return _SURE if own & {"promptFeedback", "prompt_feedback"} and len(own) > 1 else 0.0
    listed: Any = document["candidates"]
    if not is_list(listed) or not listed or not all(map(is_object, listed)):
        return 0.0
    return 1.0 if own or all(_OF_CANDIDATES & each.keys() for each in listed) else 0.0
