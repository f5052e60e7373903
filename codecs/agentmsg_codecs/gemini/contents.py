"""Usual spellings of contents: the API or its SDKs accept others.

The API takes one part for a list of one, and roles in capitals, of old clients, or none. SDKs take a part, a text, or a
list of these for a content.
"""

from __future__ import annotations

from typing import Any

from agentmsg.formats import Native, Unreadable, is_list, is_object
from agentmsg_codecs.gemini.names import OUTER_KEYS

# Other words for the roles: of old clients, which have one for results, of Vertex AI, and of other formats.
WORDS = {
    **dict.fromkeys(("function", "tool", "USER", "FUNCTION", "TOOL"), "user"),
    **dict.fromkeys(("MODEL", "assistant"), "model"),
}
_CONTENT_KEYS = ("role", "parts")


def usual_content(native: Any) -> Native:
    """Return a content in the usual spelling; one without a role is the user's.

    Raises:
        Unreadable: if it isn't one.
    """
    if not is_part(native):
        raise Unreadable
    content = _listed(native)
    role = content.get("role")
    if role is None:
        return {**content, "role": "user"}
    return {**content, "role": WORDS[role]} if type(role) is str and role in WORDS else content


def usual_instruction(native: Any) -> Native:
    """Return a system instruction in the usual spelling; its role says nothing.

    Raises:
        Unreadable: if its role isn't a text.
    """
    content = _listed(native)
    if "role" not in content:
        return content
    if type(content["role"]) is not str:
        raise Unreadable
    return {key: value for key, value in content.items() if key != "role"}


def usual_of_model(native: Any) -> Native:
    """Return the content of a response in the usual spelling.

    Raises:
        Unreadable: if it isn't the content of a model.
    """
    if not is_object(native):
        raise Unreadable
    role, parts = native.get("role"), native.get("parts")
    if role == "model" and is_list(parts):
        return native
    parts = [parts] if is_part(parts) else [] if parts is None else parts
    if not is_list(parts) or (role not in (None, "model") and (type(role) is not str or WORDS.get(role) != "model")):
        raise Unreadable
    return {**native, "role": "model", "parts": parts}


def _listed(native: Any) -> Native:
    """Return a content with a list of parts."""
    if not is_object(native) or _is_bare(native):
        native = {"parts": native}
    return {**native, "parts": [native["parts"]]} if is_part(native.get("parts")) else native


def is_part(value: Any) -> bool:
    """Whether a value may be a part: an object, or a text."""
    return is_object(value) or type(value) is str


def _is_bare(native: Native) -> bool:
    """Whether an object is a part rather than a content."""
    return native.keys().isdisjoint(_CONTENT_KEYS) and not native.keys().isdisjoint(OUTER_KEYS)
