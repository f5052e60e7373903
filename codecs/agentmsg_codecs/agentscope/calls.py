"""The input of a call that is an object, with its text beside it.

``raw_input`` of Python 1.x and ``content`` of Java are the text that the model wrote. For an empty input the text
decides, which may be invalid. A text that says something else than the input is an unknown field: the input counts.
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


def says_otherwise(given: Any, text: Any) -> bool:
    """Whether the text of a call is not that of its input."""
    if type(text) is not str or not text or not given or not is_mapping(given):
        return False
    valid, value, _ = speed.parse_arguments(text)
    return not valid or not same_document(thaw(adopt(value)), thaw(given))


def spelt(native: Mapping[str, Any], key: str, *, is_null: bool) -> dict[str, Any]:
    """Return the note of a key that says nothing; ``is_null``: null stands there usually, else it is absent."""
    if key not in native:
        return {key: "absent"} if is_null else {}
    name = spelling.spelling_of(native[key])
    return {} if name == "null" and is_null else {key: name}


def aside(native: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    """Return what keys say where others say what is meant: notes of those that say nothing; the others are odd."""
    notes: Native = {}
    odd: list[str] = []
    for key in keys:
        if key in native:
            nothing = spelling.spelling_of_nothing(native[key])
            if nothing is None:
                odd.append(key)
            else:
                notes[key] = nothing
    return {"notes": notes, "odd": tuple(odd)}


def read_arguments(native: Mapping[str, Any], key: str, text_key: str, *, is_written: bool) -> dict[str, Any]:
    """Return the fields ``input`` or ``raw_input`` of a call, its notes, and the text if it is odd.

    Args:
        native: the call.
        key: of the input.
        text_key: of the text.
        is_written: whether the key of the text stands there without text.

    Raises:
        Unreadable: where the input isn't an object, or its text no text.
    """
    given, text = object_at(native, key), word_at(native, text_key)
    if not text:
        fields, odd, notes = tool_arguments.from_object(given), False, spelt(native, text_key, is_null=is_written)
    elif says_otherwise(given, text):
        fields, odd, notes = tool_arguments.from_object(given), True, {}
    else:
        empty = {key: "{}"} if not given and _tells_object(text) else {}
        return {"raw_input": text, "notes": empty, "odd": ()}
    if "_raw" in given:
        notes |= _spelt_envelope(native, key, text_key, fields, is_odd=odd)
    return {**fields, "notes": notes, "odd": (text_key,) if odd else ()}


def _tells_object(text: str) -> bool:
    valid, value, _ = speed.parse_arguments(text)
    return bool(valid and value and is_object(thaw(adopt(value))))


def _spelt_envelope(
    native: Mapping[str, Any], key: str, text_key: str, fields: Mapping[str, Any], *, is_odd: bool
) -> dict[str, Any]:
    """Return the notes of an input that stands in an envelope though it is written otherwise."""
    plain, text = write_arguments(_make_call(None, "", **fields))
    notes: Native = {} if same_document(thaw(plain), native[key]) else {key: ["=", native[key]]}
    if text is None:
        return notes
    if is_odd:
        raise Unreadable
    return {**notes, text_key: "absent" if text_key not in native else spelling.spelling_of(native[text_key])}


def write_arguments(block: ToolUseBlock) -> tuple[Mapping[str, Any], str | None]:
    """Return the input of a call as an object, which may be frozen, and its text if there is one."""
    text = block.raw_input
    if not text:
        return tool_arguments.input_object(block), None
    value = block.input
    return value if is_mapping(value) else {}, text
