"""Message items: what they say beside their parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import EMPTY, Native, Unreadable, adopt, is_list, is_object
from agentmsg_codecs.openai_responses.names import FAMILY, PHASES, PREFIXES

if TYPE_CHECKING:
    from collections.abc import Mapping

MESSAGE_KEYS = frozenset({"type", "role", "content", "id", "status"})
SAID_KEYS = MESSAGE_KEYS | {"phase"}
TOOLS_KEYS = frozenset({"type", "role", "tools", "id"})
SAID = frozenset({"output_text", "refusal"})
SAID_SCHEMA = {
    "type": "object", "required": ["type", "role", "content"], "properties": {
        "type": {"const": "message"}, "role": {"const": "assistant"},
        "content": {"type": "array", "items": {"$ref": "#/$defs/place_said"}},
    },
}  # fmt: skip


def is_decision(message: am.Msg) -> bool:
    """Whether a message is an item that says what somebody decided on a call."""
    return len(message.content) == 1 and type(message.content[0]) is am.ApprovalResponseBlock


def spelling_of(native: Native, *, usual: bool) -> Native:
    """Return the notes of a message item's type and status, if it is unusual that they are there, or that they aren't.

    Raises:
        Unreadable: if the type is there and says nothing.
    """
    if native.get("type", "message") != "message":
        raise Unreadable
    said = {"/type": "type" in native, "/status": native.get("status") == "completed"}
    if "status" in native and not said["/status"]:
        del said["/status"]
    return {key: there for key, there in said.items() if there is not usual}


def spelt(note: Mapping[str, Any], *, usual: bool) -> Native:
    """Return the type and status of a message item, as noted."""
    said = {"type": "message", "status": "completed"}
    return {key: word for key, word in said.items() if note.get(f"/{key}", usual) is True}


def id_of(native: Native, note: Native) -> str | None:
    """Return the id of a message item; note one that is null, or begins otherwise than the API asks.

    Raises:
        Unreadable: if it is anything but a text.
    """
    item_id = native.get("id")
    if item_id is None:
        if "id" in native:  # as dumps of the types say that there is none
            note["/id"] = "null"
        return None
    if type(item_id) is not str:
        raise Unreadable
    if not item_id.startswith(PREFIXES["message"]):
        note["/id"] = True
    return item_id


def rest_of(native: Native, known: frozenset[str]) -> Native:
    """Return the extras of a message item: other keys, and words that the schema doesn't have."""
    odd = {"status": native.get("status") != "completed", "phase": not is_phase(native.get("phase"))}
    return {key: value for key, value in native.items() if key not in known or odd.get(key)}


def is_phase(value: Any) -> bool:
    """Whether the schema has a phase."""
    return type(value) is str and value in PHASES


def kept(value: Native) -> Mapping[str, Any]:
    """Return extras or notes of the family."""
    return adopt({FAMILY: value}) if value else EMPTY


def has_said(native: Native) -> bool:
    """Whether an item without a role is the assistant's, as its parts tell."""
    content: Any = native.get("content")
    if "role" in native or not is_list(content):
        return False
    tags = [part.get("type") for part in content if is_object(part)]
    return any(type(tag) is str and tag in SAID for tag in tags)
