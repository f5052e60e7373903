"""Shared by the native objects of all dialects: spare keys, entries of a memory, finish reasons, times, arguments.

The libraries write every key, with null for nothing. A key without a field in the model is *spare*: its usual value is
only spelling, any other an unknown field.

Times are written in full, or with milliseconds and without a zone, as Python's 1.x and Java write them. The mark
``/time`` is on messages whose time the older spelling can't hold.

The input of a call is an object, with its text beside it: ``raw_input`` of Python 1.x and ``content`` of Java are what
the model wrote. If the input is empty, the text decides; it may be invalid. A text that differs from the input is an
unknown field: the input counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg import ToolUseBlock, thaw
from agentmsg.formats import (
    KEEP,
    Cell,
    Native,
    Unreadable,
    adopt,
    given,
    is_list,
    is_mapping,
    is_marked,
    is_object,
    is_sequence,
    maker,
    natives,
    object_at,
    same_document,
    speed,
    spelling,
    times,
    tool_arguments,
    usually,
    word_at,
)
from agentmsg.formats.forms import Hatch
from agentmsg_codecs.agentscope.names import ITEM

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime


# -- native objects ---------------------------------------------------------------------------------------------------


def parts_in(content: Any) -> list[Any]:
    """Return the parts of content: a list of them, or one; none if it is anything else."""
    if is_list(content):
        return content
    return [content] if is_object(content) else []


def object_or_none(native: Mapping[str, Any], key: str) -> Native:
    """Return the object under a key; an empty one if there is nothing.

    Raises:
        Unreadable: if there is anything else.
    """
    value: Any = native.get(key)
    if value is not None and not is_object(value):
        raise Unreadable
    return value or {}


def without(mapping: Mapping[str, Any], *keys: str) -> Native:
    """Return a mapping without some keys."""
    return {key: value for key, value in mapping.items() if key not in keys}


# -- entries of a memory ----------------------------------------------------------------------------------------------


def is_pair(entry: Any) -> bool:
    """Whether an entry of a memory is a pair of a message and its marks."""
    return is_list(entry) and len(entry) == 2 and is_object(entry[0]) and is_list(entry[1])  # noqa: PLR2004 - a pair


def marks_of(message: Any) -> Any:
    """Return the marks that a memory keeps with a message; None if there are none."""
    item: Any = message.extras.get(ITEM) if message.extras else None
    marks: Any = item.get("marks") if is_mapping(item) and len(item) == 1 else None
    return marks if is_sequence(marks) and marks else None


# -- finish reasons ---------------------------------------------------------------------------------------------------


class Reasons:
    """The finish reasons of a library; a message with any other word is marked ``/word``.

    Attributes:
        family: the family of the mark.
        ours: our words, by the library's.
        words: the library's words, by ours.
    """

    def __init__(self, family: str, ours: Mapping[str, str]) -> None:
        self.family, self.ours = family, ours
        self.words = {ours: word for word, ours in ours.items()}

    def read(self, word: Any, notes: Native) -> str:
        """Return our word for a library's, and note a word that it doesn't have.

        Raises:
            Unreadable: if it isn't a text.
        """
        if type(word) is not str:
            raise Unreadable("a finish reason is a text")
        if word not in self.ours:
            notes["/word"] = True
        return self.ours.get(word, word)

    def write(self, reason: str, message: Any) -> str:
        """Return the library's word for the reason of a message."""
        is_own = is_marked(message, self.family, "/word") and reason not in self.ours
        return reason if is_own else self.words.get(reason, reason)

    def cell(self) -> Cell:
        """Return the cell of finish reasons: those of the library, and one that was read though it has another word."""

        @usually("value in reasons", reasons=self.words)
        def cell(reason: str, message: Any) -> str | None:
            is_odd = reason not in self.ours and is_marked(message, self.family, "/word")
            return reason if reason in self.words or is_odd else None

        return cell


def _read_time(value: Any) -> datetime | None:
    return times.read_time(value) if type(value) is str else None


def is_no_time(value: Any) -> bool:
    """Whether the value for a time is something else."""
    return bool(value) and _read_time(value) is None


def _is_exact(time: datetime) -> bool:
    """Whether the older spelling holds all of a time."""
    return time.tzinfo is None and not time.microsecond % 1000


def _older_spelling(time: datetime) -> str | None:
    """Return a time with milliseconds; None for a made one, with more digits or a zone."""
    if not _is_exact(time):
        return given(time) and time.isoformat(" ")
    text = times.write_time(time)
    return f"{text[:10]} {text[11:23]}" if time.microsecond else f"{text[:10]} {text[11:]}.000"


def time_hatch(key: str, family: str, *, is_old: bool, is_null: bool = False) -> Hatch:
    """Return the hatch of a message's time.

    Args:
        key: the key of the time.
        family: the family of the mark.
        is_old: whether it is written in the older spelling.
        is_null: whether the key is null if there is no time; otherwise it is absent.
    """
    spelt = _older_spelling if is_old else times.write_time
    nothing = "null" if is_null else "absent"

    def read(native: Native) -> dict[str, Any]:
        stamp = native.get(key)
        if stamp is None:
            found = "null" if key in native else "absent"
            return {} if found == nothing else {"notes": {key: found}}
        time = _read_time(stamp)
        if time is None:
            return {"odd": (key,)} if stamp else {"notes": {key: spelling.spelling_of(stamp) or ["=", stamp]}}
        notes: Native = {} if spelt(time) == stamp else {key: ["=", stamp]}
        return {"created_at": time, "notes": {**notes, "/time": True} if is_old and not _is_exact(time) else notes}

    def write(message: Any) -> Native:
        time = message.created_at
        stamp = None if time is None else spelt(time)
        if stamp is None and (not is_null or (time is None and natives.has_extra(message, family, key))):
            return {}
        return {key: stamp}

    cell = old_times(family) if is_old else KEEP
    return Hatch(keys=(key,), cells={"created_at": cell}, get=read, put=write, odd=(key,), about="created_at")


def old_times(family: str) -> Cell:
    """Return the cell of times in the older spelling."""

    @usually("value.tzinfo is None and not value.microsecond % 1000")
    def cell(time: datetime, message: Any) -> datetime:
        if _is_exact(time) or is_marked(message, family, "/time"):
            return time
        return times.nearest_milli(time).replace(tzinfo=None)

    return cell


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
