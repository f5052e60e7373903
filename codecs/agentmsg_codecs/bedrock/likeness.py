"""How closely a document resembles one of Bedrock's Converse."""

from __future__ import annotations

from typing import Any

from agentmsg.formats import is_list, is_object
from agentmsg_codecs.bedrock.names import STRANDS
from agentmsg_codecs.bedrock.nulls import PARTS, without_nulls

_OWN_PARAMETERS = frozenset({"inferenceConfig", "toolConfig", "modelId", "additionalModelRequestFields"})
_KEYS = frozenset({"role", "content"}) | STRANDS
_ROLES = frozenset({"user", "assistant", "system"})
_PLAIN, _LIKELY, _SURE = 0.6, 0.9, 0.95


def is_message(document: Any) -> bool:
    """Whether an object is a message by itself, rather than the body of a request."""
    return is_object(document) and "role" in document and "messages" not in document


def sniff_body(document: Any) -> float:
    """Return how closely a document resembles a request, a list of messages, or a message."""
    natives: Any = [document] if is_message(document) else document
    is_own = False
    if is_object(natives):
        is_own = not _OWN_PARAMETERS.isdisjoint(natives)
        natives = natives.get("messages")
    if not is_list(natives):
        return 0.0
    found = list(map(_sniff_message, natives))
    if 0.0 in found:
        return 0.0
    told = [score for score in found if score is not None]
    if found and not told:
        return 0.0  # messages of texts alone may be of any format
    return max([_SURE if is_own else 0.0, *told])


def _sniff_message(native: Any) -> float | None:
    """Return 0 for anything that can't be a message, None for a text; only Converse has parts without a `type`."""
    if not is_object(native) or native.keys() - _KEYS:
        return 0.0
    role, content = native.get("role"), native.get("content")
    if type(role) is not str or role not in _ROLES:
        return 0.0
    if type(content) is str:
        return None
    if not is_list(content):
        return 0.0
    bare = without_nulls(content)
    parts = content if bare is None else bare[0]
    if not all(is_object(part) and len(part) == 1 and PARTS.issuperset(part) for part in parts):
        return 0.0
    return _LIKELY if content else _PLAIN


def sniff_answer(document: Any) -> float:
    """Return how closely a document resembles a response."""
    output = document.get("output") if is_object(document) else None
    message = output.get("message") if is_object(output) else None
    return 1.0 if is_object(message) and is_list(message.get("content")) else 0.0
