"""The input of a call: an object, with its text beside it.

``raw_input`` of Python 1.x and ``content`` of Java are the text that the model wrote. If the input is empty, the text
decides; it may be invalid. A text that differs from the input is an unknown field: the input counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg import ToolUseBlock, thaw
from agentmsg.formats import (
    Unreadable,
    adopt,
    is_mapping,
    is_object,
    maker,
    object_at,
    same_document,
    speed,
    spelling,
    tool_arguments,
    word_at,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmsg.formats import Native

_make_call = maker(ToolUseBlock)


def _differs(given: Native, text: str) -> bool:
    """Whether the text of a call differs from its input."""
    if not given:
        return False
    valid, value, _ = speed.parse_arguments(text)
    return not valid or not same_document(thaw(adopt(value)), thaw(given))


def spelt(native: Mapping[str, Any], key: str, *, is_null: bool) -> dict[str, Any]:
    """Return the note of a key with an empty value; usually it is null, or absent."""
    if key not in native:
        return {key: "absent"} if is_null else {}
    name = spelling.spelling_of(native[key])
    return {} if name == "null" and is_null else {key: name}


def aside(native: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    """Return the notes of keys that aren't read, if their value is empty; those with any other value are odd."""
    found = {key: spelling.spelling_of_nothing(native[key]) for key in keys if key in native}
    notes = {key: nothing for key, nothing in found.items() if nothing is not None}
    return {"notes": notes, "odd": tuple(key for key in found if key not in notes)}


def read_arguments(native: Mapping[str, Any], key: str, text_key: str, *, is_written: bool) -> dict[str, Any]:
    """Return the field ``input`` or ``raw_input`` of a call, its notes, and the key of the text if that is odd.

    Args:
        native: the call.
        key: the key of the input.
        text_key: the key of the text.
        is_written: whether the key of the text is null if there is none; otherwise it is absent.

    Raises:
        Unreadable: if the input isn't an object, or the text isn't one.
    """
    given, text = object_at(native, key), word_at(native, text_key)
    if not text:
        fields, odd, notes = tool_arguments.from_object(given), False, spelt(native, text_key, is_null=is_written)
    elif _differs(given, text):
        fields, odd, notes = tool_arguments.from_object(given), True, {}
    else:
        empty = {key: "{}"} if not given and _is_full_object(text) else {}
        return {"raw_input": text, "notes": empty, "odd": ()}
    if "_raw" in given:
        notes |= _spelt_envelope(native, key, text_key, fields, is_odd=odd)
    return {**fields, "notes": notes, "odd": (text_key,) if odd else ()}


def _is_full_object(text: str) -> bool:
    valid, value, _ = speed.parse_arguments(text)
    return bool(valid and value and is_object(thaw(adopt(value))))


def _spelt_envelope(
    native: Mapping[str, Any], key: str, text_key: str, fields: Mapping[str, Any], *, is_odd: bool
) -> dict[str, Any]:
    """Return the notes of an input in an envelope that isn't written in one."""
    plain, text = write_arguments(_make_call(None, "", **fields))
    notes: Native = {} if same_document(thaw(plain), native[key]) else {key: ["=", native[key]]}
    if text is None:
        return notes
    if is_odd:
        raise Unreadable
    return {**notes, text_key: "absent" if text_key not in native else spelling.spelling_of(native[text_key])}


def write_arguments(block: ToolUseBlock) -> tuple[Mapping[str, Any], str | None]:
    """Return the input of a call as an object, which may be frozen, and its text or None."""
    text = block.raw_input
    if not text:
        return tool_arguments.input_object(block), None
    value = block.input
    return value if is_mapping(value) else {}, text
