"""Results of client tools: a response is an object, and one key of it may hold the result.

``{"output": text}`` is a text, ``{"error": text}`` an error text. Any other value under these keys is structured, as is
any other object. ``result`` and ``return_value``, which libraries write, are read like ``output``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import (
    EMPTY,
    KEEP,
    Native,
    Unreadable,
    adopt,
    is_list,
    is_mapping,
    is_object,
    is_sequence,
    maker,
    mark_of,
    natives,
    word_at,
)
from agentmsg.formats.forms import Hatch
from agentmsg_codecs.gemini.names import FAMILY, INNER, ITEM

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg.formats import Parts

_make_text = maker(am.TextBlock, "text")
_WORDS = ("output", "result", "return_value")
KNOWN = frozenset(INNER["functionResponse"])
# The Python package writes these as null if they are absent.
_LACKING = ("id", "name", "parts")


def _is_envelope(response: Mapping[str, Any]) -> bool:
    return len(response) == 1 and next(iter(response)) in (*_WORDS, "error")


def _read_response(response: Native) -> dict[str, Any]:
    """Read a response into fields; note that it is an object or an error, or its key if that isn't the usual one."""
    if not _is_envelope(response):
        return {"structured": adopt(response), "notes": {"/whole": True}} if response else {}
    word, value = next(iter(response.items()))
    fields: dict[str, Any] = {"status": "error"} if word == "error" else {}
    if type(value) is str:
        fields["content"] = (_make_text(value),)
    elif value is None:
        raise Unreadable
    else:
        fields["structured"] = adopt(value)
    is_usual = word == "output" and (type(value) is str or not is_object(value))
    return fields if is_usual else {**fields, "notes": {"/word": word}}


def _write_response(block: Any) -> Native:
    first = block.content[0] if block.content else None
    value = first.text if isinstance(first, am.TextBlock) else thaw(block.structured)
    if block.status == "error":
        return {"error": value}
    if value is None:
        return {}
    word = mark_of(block, FAMILY, "/word")
    if word in _WORDS:
        return {str(word): value}
    return value if is_mapping(value) and value and not _is_envelope(value) else {"output": value}


def _read(native: Native, inner: Parts) -> dict[str, Any]:
    held: Any = native["functionResponse"]
    if not is_object(held) or not is_object(held.get("response")):
        raise Unreadable
    nulls = [key for key in _LACKING if key in held and held[key] is None] if None in held.values() else []
    if nulls:
        held = {key: value for key, value in held.items() if key not in nulls}
    fields = _read_response(held["response"])
    lacks = {}
    if "id" not in held or "name" not in held:
        lacks = {mark: True for key, mark in (("id", "/no-id"), ("name", "/no-name")) if key not in held}
    if lacks or nulls:
        fields["notes"] = {**fields.get("notes", {}), **lacks, **({"/null": nulls} if nulls else {})}
    parts: Any = held.get("parts")
    if "parts" in held:
        if not is_list(parts) or not parts:
            raise Unreadable
        fields["content"] = (*fields.get("content", ()), *map(inner.read, parts))
        fields["notes"] = {**fields.get("notes", {}), "/parts": True}
    extras = EMPTY if held.keys() <= KNOWN else natives.rest_of(held, KNOWN, ITEM)
    return {**fields, "tool_call_id": word_at(held, "id"), "name": word_at(held, "name"), "extras": extras}


def _write(block: Any, inner: Parts) -> Native:
    held: Native = {} if block.tool_call_id is None else {"id": natives.link_of(block.tool_call_id)}
    if block.name is not None:
        held["name"] = natives.link_of(block.name)
    held["response"] = _write_response(block)
    content = block.content
    media = content[1:] if content and isinstance(content[0], am.TextBlock) else content
    if media:
        held["parts"] = list(map(inner.write, media))
    nulls = mark_of(block, FAMILY, "/null")
    if is_sequence(nulls):
        held |= {key: None for key in _LACKING if key in nulls and key not in held}
    return {"functionResponse": {**held, **natives.extras_copy(block, ITEM)}}


_SCHEMA = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "name": {"type": "string"},
        "response": {"type": "object"},
        "parts": {"type": "array", "items": {"$ref": "#/$defs/place_inner"}, "minItems": 1},
    },
    "required": ["response"],
}


def result(inner: Callable[[], Parts]) -> Hatch:
    """Return the hatch for results.

    Args:
        inner: returns the table of the parts allowed in a result.
    """

    def get(native: Native) -> dict[str, Any]:
        return _read(native, inner())

    def put(block: Any) -> Native:
        return _write(block, inner())

    return Hatch(
        keys=("functionResponse",),
        cells=dict.fromkeys(("tool_call_id", "name", "content", "structured", "status"), KEEP),
        get=get,
        put=put,
        must=("functionResponse",),
        schema={"functionResponse": _SCHEMA},
        about="tool_call_id, name, content, structured, status",
        spaces=(ITEM,),
    )
