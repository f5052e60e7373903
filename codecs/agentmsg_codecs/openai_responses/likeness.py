"""How closely a document resembles one of the Responses API."""

from __future__ import annotations

from typing import Any

from agentmsg.formats import is_list, is_object
from agentmsg_codecs.openai_responses.format import ITEMS, OUTPUTS
from agentmsg_codecs.openai_responses.input_parts import PARTS
from agentmsg_codecs.openai_responses.message_items import SAID, has_said
from agentmsg_codecs.openai_responses.names import MORE_TOOLS, NATIVE_ITEMS

# Parts of messages, and those that other formats have, too.
_PARTS = frozenset(form.tag for form in PARTS if form.tag) | SAID
_ALSO_PARTS = frozenset({"refusal", "text", "input_audio", "input_video"})
# Those that have forms, and those that have no equivalent.
_ITEMS = frozenset(form.tag for form in (*ITEMS, *OUTPUTS)) | NATIVE_ITEMS | {MORE_TOOLS}
# Newer kinds end so.
_ENDINGS = ("_call", "_call_output")
# Types that others have, too; here a key beside tells them.
_ALSO = {
    "reasoning": ("summary", "content", "encrypted_content"),
    "compaction": ("encrypted_content",),
}
OWN_PARAMETERS = frozenset({
    "instructions", "include", "max_output_tokens", "previous_response_id", "reasoning", "store", "text", "tool_choice",
    "tools", "truncation",
})  # fmt: skip
_OTHERS = frozenset({"messages", "contents", "choices"})
_ROLES = frozenset({"user", "system", "developer", "assistant"})
_PLAIN, _LIKELY, _SURE = 0.5, 0.8, 0.95


def is_item(document: Any) -> bool:
    """Whether an object is an item by itself, rather than the body of a request."""
    return is_object(document) and "input" not in document and ("type" in document or "role" in document)


def sniff_body(document: Any) -> float:
    """Return how much a document looks like a request, a list of items, or an item."""
    if is_list(document):
        return _sniff_items(document)
    if not is_object(document) or not _OTHERS.isdisjoint(document):
        return 0.0
    # A response holds its items under `output`.
    if is_item(document):
        return _sniff_items([document]) if "output" not in document or "call_id" in document else 0.0
    if "input" not in document:
        prompt: Any = document.get("prompt")
        return _SURE if is_object(prompt) and "id" in prompt else 0.0
    given = document["input"]
    if type(given) is str:
        return _SURE if not OWN_PARAMETERS.isdisjoint(document) else _PLAIN
    if not is_list(given):
        return 0.0
    found = _sniff_items(given) if given else _PLAIN
    return max(found, _SURE if "model" in document else _LIKELY) if found else 0.0


def _sniff_items(items: list[Any]) -> float:
    found = list(map(_sniff_item, items))
    # Newer kinds of items, and clients' own, may be beside those that tell.
    is_known = all(score or (_SURE in found and _is_kind(item)) for score, item in zip(found, items, strict=True))
    return max(found) if found and is_known else 0.0


def _is_kind(item: Any) -> bool:
    """Whether an object may be an item of an unknown kind."""
    return is_object(item) and type(item.get("type")) is str and "role" not in item


def _sniff_item(item: Any) -> float:
    """Return 0 for what cannot be an item."""
    if not is_object(item):
        return 0.0
    tag = item.get("type")
    if type(tag) is str and tag in _ALSO:
        return _SURE if any(key in item for key in _ALSO[tag]) else 0.0
    if type(tag) is str and tag in _ITEMS:
        return _SURE
    if type(tag) is str and tag.endswith(_ENDINGS):
        return _PLAIN
    role: Any = item.get("role")
    if tag == "message" and has_said(item):
        return _SURE
    if tag not in (None, "message") or type(role) is not str or role not in _ROLES or "content" not in item:
        return 0.0
    content: Any = item["content"]
    if type(content) is str:
        return _PLAIN
    if not is_list(content):
        return 0.0
    tags = {part.get("type") for part in content if is_object(part) and type(part.get("type")) is str}
    if not tags <= _PARTS:
        return 0.0
    return _SURE if tags - _ALSO_PARTS else _PLAIN


def sniff_answer(document: Any) -> float:
    """Return how much a document looks like a response."""
    if not is_object(document) or not is_list(document.get("output")):
        return 0.0
    if document.get("object") in ("response", "response.compaction"):
        return 1.0
    is_told = "incomplete_details" in document
    return _LIKELY if is_told or any(_sniff_item(item) == _SURE for item in document["output"]) else 0.0
