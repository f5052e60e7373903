"""How closely a document resembles one of the Responses API."""

from __future__ import annotations

from types import NoneType
from typing import TYPE_CHECKING, Any, TypeAlias

from agentmsg.formats import is_list, is_object
from agentmsg_codecs.openai_responses.format import ITEMS, OUTPUTS
from agentmsg_codecs.openai_responses.input_parts import PARTS
from agentmsg_codecs.openai_responses.message_items import SAID, has_said
from agentmsg_codecs.openai_responses.names import ASKED, DECIDED, MORE_TOOLS, NATIVE_ITEMS

if TYPE_CHECKING:
    from collections.abc import Mapping

    _Types: TypeAlias = Mapping[str, type | tuple[type, ...]]

# Parts of messages, and those that other formats have, too.
_PARTS = frozenset(form.tag for form in PARTS if form.tag) | SAID
_ALSO_PARTS = frozenset({"refusal", "text", "input_audio", "input_video"})
# Those that have forms, and those that have no equivalent.
_ITEMS = frozenset(form.tag for form in (*ITEMS, *OUTPUTS)) | NATIVE_ITEMS | {ASKED, DECIDED, MORE_TOOLS}
# Newer kinds end so.
_ENDINGS = ("_call", "_call_output")
# Types that others have, too; here a key beside tells them.
_ALSO = {
    "reasoning": ("summary", "content", "encrypted_content"),
    "compaction": ("encrypted_content",),
}
# An input is found in many things. Parameters that only this API has, with the type of their values; those that a few
# others have, too; and those that tell nothing. Any other key speaks against a request, and so does a name of Google's:
# the requests of its Interactions look the same.
_OWN: _Types = {
    "conversation": str, "include": list, "max_output_tokens": int, "max_tool_calls": int, "previous_response_id": str,
    "reasoning": dict, "text": dict, "truncation": str,
}  # fmt: skip
_SHARED: _Types = {"instructions": str, "store": bool, "tool_choice": (str, dict), "tools": list}
_GENERIC = frozenset({
    "background", "context_management", "extra_body", "extra_headers", "extra_query", "id", "input", "metadata",
    "model", "prompt", "prompt_cache_key", "prompt_cache_retention", "safety_identifier", "service_tier",
    "stream_options", "timeout", "timestamp", "user",
})  # fmt: skip
OWN_PARAMETERS = _OWN.keys() | _SHARED.keys()
_OF_PROMPTS = frozenset({"id", "variables", "version"})
_TELLS_NOTHING = (NoneType, bool, int, float)
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
        is_kept = is_object(prompt) and type(prompt.get("id")) is str and prompt.keys() <= _OF_PROMPTS
        return _SURE if is_kept else 0.0
    given = document["input"]
    if type(given) is str:
        return _SURE if _is_request(document, _SHARED) else _PLAIN
    found = (_sniff_items(given) if given else _PLAIN) if is_list(given) else 0.0
    if found != _PLAIN:
        return found
    if _is_request(document, {**_SHARED, "model": str}):
        return _SURE
    return _LIKELY if _is_request(document, {"input": list}) else _PLAIN


def _is_request(document: Any, shared: _Types) -> bool:
    """Whether the parameters beside an input are those of a request: its own ones, or no others than shared ones."""
    if _has(document, _OWN):
        return True
    if not _has(document, shared) or "gemini" in str(document.get("model")).lower():
        return False
    known = _GENERIC.union(_SHARED)
    return all(key in known or type(value) in _TELLS_NOTHING for key, value in document.items())


def _has(document: Any, parameters: _Types) -> bool:
    return any(isinstance(document.get(key), kind) for key, kind in parameters.items())


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
