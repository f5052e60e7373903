"""Shared by the native objects of all dialects: spare keys, ids, times.

The libraries write every key, with null for nothing. A key without a field in the model is *spare*: its usual value is
only spelling, any other an unknown field.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from agentmsg.formats import (
    EMPTY,
    KEEP,
    Cell,
    Native,
    Unreadable,
    is_list,
    is_mapping,
    is_object,
    is_sequence,
    mark_of,
    same_document,
    spelling,
    times,
    usually,
)
from agentmsg.formats.forms import Hatch
from agentmsg_codecs.agentscope.names import ITEM

if TYPE_CHECKING:
    from collections.abc import Mapping

# -- spare keys -------------------------------------------------------------------------------------------------------


def own_extras(owner: Any, family: str) -> Mapping[str, Any]:
    """Return the unknown fields of an object that are a family's."""
    found: Any = owner.extras.get(family) if owner.extras else None
    return found if is_mapping(found) else EMPTY


def beside(native: Mapping[str, Any], spare: Mapping[str, Any]) -> frozenset[str]:
    """Return the spare keys that say something."""
    return frozenset(key for key in spare if key in native and not same_document(native[key], spare[key]))


# -- entries of a memory ----------------------------------------------------------------------------------------------


def is_pair(entry: Any) -> bool:
    """Whether an entry of a memory is a pair of a message and its marks."""
    return is_list(entry) and len(entry) == 2 and is_object(entry[0]) and is_list(entry[1])  # noqa: PLR2004 - a pair


def marks_of(message: Any) -> Any:
    """Return the marks that a memory keeps with a message; None if there are none."""
    item: Any = message.extras.get(ITEM) if message.extras else None
    marks: Any = item.get("marks") if is_mapping(item) and len(item) == 1 else None
    return marks if is_sequence(marks) and marks else None


# -- asking native objects --------------------------------------------------------------------------------------------


def parts_in(content: Any) -> list[Any]:
    """Return the parts of content: a list of them, or one; none of anything else."""
    if is_list(content):
        return content
    return [content] if is_object(content) else []


def object_or_none(native: Mapping[str, Any], key: str) -> Native:
    """Return the object under a key; an empty one if there is nothing.

    Raises:
        Unreadable: where something else stands there.
    """
    value: Any = native.get(key)
    if value is not None and not is_object(value):
        raise Unreadable
    return value or {}


def without(mapping: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    """Return a mapping without some keys."""
    return {key: value for key, value in mapping.items() if key not in keys}


# -- why a reply ended ------------------------------------------------------------------------------------------------


def finish_cell(reasons: Mapping[str, str], family: str) -> Cell:
    """Return the cell of finish reasons: those that the library has, and a word that was read though it has it not.

    Args:
        reasons: the library's words by ours.
        family: whose mark ``/word`` says that.
    """
    words = frozenset(reasons.values())

    @usually("value in reasons", reasons=reasons)
    def cell(word: str, message: Any) -> str | None:
        is_odd = word not in words and mark_of(message, family, "/word") is True
        return word if word in reasons or is_odd else None

    return cell


def reason_of(message: Any, finish: Mapping[str, str], reasons: Mapping[str, str], family: str) -> str:
    """Return the word for the reason of a message: as it was read, where the library does not have it.

    Args:
        message: that has one.
        finish: our words by the library's.
        reasons: the library's words by ours.
        family: whose mark ``/word`` says that.
    """
    reason: str = message.finish_reason
    is_own = bool(message.notes) and mark_of(message, family, "/word") is True and reason not in finish
    return reason if is_own else reasons.get(reason, reason)


# -- times ------------------------------------------------------------------------------------------------------------


def read_time(value: Any) -> datetime | None:
    """Return the time that a text tells; None if it tells none."""
    if type(value) is not str:
        return None
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        return None


def is_no_time(value: Any) -> bool:
    """Whether something stands where a time should, and tells none."""
    return bool(value) and read_time(value) is None


def to_milliseconds(time: datetime) -> str:
    """Return a time, of whole milliseconds and without a zone, as the older libraries write it."""
    text = times.write_time(time)
    return f"{text[:10]} {text[11:23]}" if time.microsecond else f"{text[:10]} {text[11:]}.000"


def is_exact(time: datetime) -> bool:
    """Whether the older spelling of times holds all of a time."""
    return time.tzinfo is None and not time.microsecond % 1000


def new_time(key: str, family: str) -> Hatch:
    """Return the item of a time in full."""
    return _time(key, family, old=False, is_null=False)


def old_time(key: str, family: str, *, is_null: bool) -> Hatch:
    """Return the item of a time as the older libraries write it, and otherwise only where it was read.

    Args:
        key: where it stands.
        family: whose mark ``/time`` says that the usual spelling does not hold it.
        is_null: whether null stands there without a time; else the key is absent.
    """
    return _time(key, family, old=True, is_null=is_null)


def _time(key: str, family: str, *, old: bool, is_null: bool) -> Hatch:
    def spelt(time: datetime) -> str | None:
        if not old:
            return times.write_time(time)
        if is_exact(time):
            return to_milliseconds(time)
        return None if type(time) is times.MadeTime else time.isoformat(" ")

    nothing = "null" if is_null else "absent"

    def read(native: Native) -> dict[str, Any]:
        stamp = native.get(key)
        if stamp is None:
            found = "null" if key in native else "absent"
            return {} if found == nothing else {"notes": {key: found}}
        time = read_time(stamp)
        if time is None:
            return {"odd": (key,)} if stamp else {"notes": {key: spelling.spelling_of(stamp) or ["=", stamp]}}
        notes: Native = {} if spelt(time) == stamp else {key: ["=", stamp]}
        return {"created_at": time, "notes": notes if not old or is_exact(time) else {**notes, "/time": True}}

    def write(message: Any) -> Native:
        time = message.created_at
        stamp = None if time is None else spelt(time)
        if stamp is None and (not is_null or (time is None and key in own_extras(message, family))):
            return {}
        return {key: stamp}

    cell = old_times(family) if old else KEEP
    return Hatch(keys=(key,), cells={"created_at": cell}, get=read, put=write, odd=(key,), about="created_at")


def old_times(family: str) -> Cell:
    """Return the cell of times that the older libraries write, which have no zone."""

    @usually("value.tzinfo is None and not value.microsecond % 1000")
    def cell(time: datetime, owner: Any) -> datetime:
        is_kept = is_exact(time) or mark_of(owner, family, "/time") is True
        return time if is_kept else _nearest_millisecond(time)

    return cell


def _nearest_millisecond(time: datetime) -> datetime:
    local = time.replace(tzinfo=None)
    try:
        # No zone is written, and this machine's own is not asked for: it is the time in UTC.
        local -= time.utcoffset() or _NO_TIME
    except OverflowError:
        pass
    return local.replace(microsecond=local.microsecond // 1000 * 1000)


_NO_TIME = timedelta()
