"""Anthropic's parts as v1 content: what langchain-core makes of them, and back, part by part.

Follows langchain-core 1.8 (``block_translators/anthropic``) and langchain-anthropic 1.7 (``_compat``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.formats import Native, Unreadable, is_list, is_mapping, is_object

if TYPE_CHECKING:
    from collections.abc import Mapping

# By kind of Anthropic's citations, the key of the title, and the key in `extras` that tells the kind.
_PLACES: Mapping[str, tuple[str, str]] = {
    "char_location": ("document_title", "start_char_index"),
    "search_result_location": ("title", "search_result_index"),
    "content_block_location": ("document_title", "start_block_index"),
    "page_location": ("document_title", "start_page_number"),
    "web_search_result_location": ("title", "encrypted_index"),
}
PLACES = frozenset(_PLACES)
# How the ids of calls begin that Anthropic runs itself.
IDS = ("srvtoolu_", "mcptoolu_")
_NAMES: Mapping[str, str] = {"code_execution": "code_interpreter"}
_NATIVE_NAMES = {ours: name for name, ours in _NAMES.items()}
_OF_CALLS = ("caller", "toolset_name")
_BESIDE = ("id", "cache_control")


def _rest(part: Native, *keys: str) -> Native:
    return {key: value for key, value in part.items() if key not in keys}


def _with_extras(part: Native, extras: Native) -> Native:
    return {**part, "extras": extras} if extras else part


# -- which parts ------------------------------------------------------------------------------------------------------


def is_cited(part: Native) -> bool:
    """Whether a text in v1 has citations of Anthropic's."""
    notes = part.get("annotations")
    return is_list(notes) and bool(notes) and all(map(_kind_of, notes))


def _kind_of(note: Any) -> str | None:
    extras: Any = note.get("extras") if is_object(note) and note.get("type") == "citation" else None
    if not is_mapping(extras):
        return None
    return next((kind for kind, (_, key) in _PLACES.items() if key in extras), None)


def is_used(part: Native) -> bool:
    """Whether a call of a function in v1 has something that only Anthropic says."""
    return is_object(extras := part.get("extras")) and not extras.keys().isdisjoint(_OF_CALLS)


def is_served(part: Native, provider: str | None = None) -> bool:
    """Whether a call of a server tool in v1, or a result, is Anthropic's, by its id, its tag, or the provider."""
    extras: Any = part.get("extras") or {}
    if not is_object(extras) or "provider" in extras:
        return False
    link, tag = part.get("id" if part.get("type") == "server_tool_call" else "tool_call_id"), extras.get("block_type")
    return str(link).startswith(IDS) or str(tag).endswith("_tool_result") or provider == "anthropic"


# -- from Anthropic's to v1 -------------------------------------------------------------------------------------------


def to_v1(item: Native) -> Native:
    """Return Anthropic's part as v1."""
    tag, beside = item["type"], {key: item[key] for key in _BESIDE if key in item}
    if tag == "text":
        return {**_rest(item, "citations"), "annotations": list(map(_to_annotation, item["citations"]))}
    if tag == "tool_use":
        call = {**_rest(item, "input", *_OF_CALLS), "type": "tool_call", "args": item["input"]}
        return _with_extras(call, {key: item[key] for key in _OF_CALLS if key in item})
    if tag in ("server_tool_use", "mcp_tool_use"):
        name = "remote_mcp" if tag == "mcp_tool_use" else _NAMES.get(item["name"], item["name"])
        own = {"tool_name": item["name"]} if tag == "mcp_tool_use" else {}
        call = {"type": "server_tool_call", "name": name, "args": item["input"], **beside}
        return _with_extras(call, {**own, **_rest(item, "type", "name", "input", *_BESIDE)})
    if not tag.endswith("_tool_result"):
        raise Unreadable
    output = item.get("content")
    is_error = item.get("is_error") or (is_mapping(output) and bool(output.get("error_code")))
    result = {"type": "server_tool_result", "tool_call_id": item["tool_use_id"], **beside}
    if tag != "mcp_tool_result" or "is_error" in item:
        result["status"] = "error" if is_error else "success"
    result |= {"output": output} if output else {}
    extras = _rest(item, "type", "tool_use_id", "content", "is_error", *_BESIDE)
    return _with_extras(result, {"block_type": tag, **extras})


def _to_annotation(place: Native) -> Native:
    kind = place["type"]
    title, _ = _PLACES[kind]
    known = {"cited_text": "cited_text", title: "title"} | ({"url": "url"} if kind.startswith("web") else {})
    note = {name: place[key] for key, name in known.items() if key in place}
    return {"type": "citation", **note, "extras": _rest(place, "type", *known)}


# -- from v1 to Anthropic's -------------------------------------------------------------------------------------------


def from_v1(part: Native) -> Native:
    """Return a part of v1 as Anthropic's."""
    tag: str = part["type"]
    extras: Native = part.get("extras") or {}
    if tag == "text":
        return {**_rest(part, "annotations"), "citations": list(map(_from_annotation, part["annotations"]))}
    if tag == "tool_call":
        return {**_rest(part, "args", "extras"), "type": "tool_use", "input": part["args"], **extras}
    rest = _rest(part, "type", "name", "args", "extras", "tool_call_id", "status", "output")
    if tag == "server_tool_call" and part["name"] == "remote_mcp":
        own: Native = {"type": "mcp_tool_use", "name": extras["tool_name"], "input": part["args"]}
        return {**own, **rest, **_rest(extras, "tool_name")}
    if tag == "server_tool_call":
        own = {"type": "server_tool_use", "name": _NATIVE_NAMES.get(part["name"], part["name"]), "input": part["args"]}
        return {**own, **rest, **extras}
    own = {"type": extras["block_type"], "tool_use_id": part["tool_call_id"], "content": part.get("output", [])}
    if own["type"] == "mcp_tool_result" and "status" in part:
        own["is_error"] = part["status"] == "error"
    return {**own, **rest, **_rest(extras, "block_type")}


def _from_annotation(note: Native) -> Native:
    kind = str(_kind_of(note))
    title, _ = _PLACES[kind]
    named = {title: note["title"]} if "title" in note else {}
    return {"type": kind, **_rest(note, "type", "title", "extras"), **named, **note["extras"]}
