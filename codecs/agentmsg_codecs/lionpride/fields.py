"""Fields beside the content of a node: pairs of functions that read and write them."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError, thaw
from agentmsg.formats import (
    EMPTY,
    Native,
    Unreadable,
    adopt,
    given,
    is_list,
    is_mapping,
    is_marked,
    is_object,
    mark_of,
    natives,
    parse_json,
    same_document,
    speed,
    spelling,
)
from agentmsg_codecs.lionpride.names import CLASS, FAMILY, META, is_uuid

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_NUMBER = r"-?\d+(\.\d+)?"
# The forms of a time besides the usual one.
_TIMES: Mapping[str, Callable[[datetime], Any]] = {
    "Z": lambda time: time.isoformat().removesuffix("+00:00") + "Z",
    "seconds": lambda time: int(time.timestamp()),
    "fraction": lambda time: time.timestamp(),
    "digits": lambda time: str(int(time.timestamp())),
    "digits and fraction": lambda time: str(time.timestamp()),
}


def _time_of(value: Any) -> datetime:
    try:
        if type(value) in (int, float):
            return datetime.fromtimestamp(value, UTC)
        if type(value) is str:
            is_number = speed.compiled(_NUMBER).fullmatch(value)
            return datetime.fromtimestamp(float(value), UTC) if is_number else datetime.fromisoformat(value)
    except (ValueError, OverflowError, OSError):
        pass
    raise Unreadable("not a time")


def read_time(value: Any, note: dict[str, Any]) -> datetime:
    """Read a time; mark its form if it isn't the usual one, or note the value if the form is unknown."""
    time = _time_of(value)
    if value != time.isoformat():
        form = next((name for name, write in _TIMES.items() if am.same(write(time), value)), None)
        is_told = form is not None and time.tzinfo is UTC
        note["/time" if is_told else "created_at"] = form if is_told else ["=", value]
    return time


def write_time(time: datetime, message: am.Msg) -> Any:
    """Write a time in the form that was read."""
    form = mark_of(message, FAMILY, "/time") if message.notes else None
    if isinstance(form, str) and form in _TIMES and time.tzinfo is UTC:
        value = _TIMES[form](time)
        if am.same(_time_of(value), time):
            return value
    return time.isoformat()


def read_word(value: Any) -> str:
    """Read a string that isn't empty."""
    if type(value) is not str or not value:
        raise Unreadable("not a word")
    return value


def read_id(native: Native) -> dict[str, Any]:
    """Read the id of a node."""
    link = native.get("id")
    if type(link) is str:
        return {"id": link} if is_uuid(link) else {"id": link, "notes": {"/free": True}}
    return natives.unread(native, "id") if "id" in native else {}


def write_id(message: am.Msg) -> Native:
    """Write the id of a message, or of its call.

    Ids that agentmsg makes for new messages are UUIDs like lionpride's; those that a reader made aren't written.
    """
    call = message.first(am.ToolUseBlock) if message.role == "assistant" else None
    link = message.id if call is None or call.id is None else call.id
    return {} if link is None or (given(link) is None and not is_uuid(link)) else {"id": str(link)}


def read_metadata(native: Native) -> dict[str, Any]:
    """Read the metadata of a node, without its class."""
    metadata = native.get("metadata")
    if not is_object(metadata):
        return natives.unread(native, "metadata") if "metadata" in native else {"notes": {"metadata": "absent"}}
    if "lion_class" not in metadata:
        return {"metadata": adopt(metadata), "notes": {"/unclassed": True}}
    rest = {key: metadata[key] for key in metadata if key != "lion_class"}
    return {"metadata": adopt(rest)} if rest else {}


def class_extras(metadata: Any) -> Mapping[str, Any]:
    """Return the extras for a class other than that of messages."""
    if not is_object(metadata) or metadata.get("lion_class", CLASS) == CLASS:
        return EMPTY
    return {META: {"lion_class": metadata["lion_class"]}}


def write_metadata(message: am.Msg) -> Native:
    """Write the metadata of a message, with the class."""
    if not message.metadata and not message.extras and not message.notes:
        return {"metadata": {"lion_class": CLASS}}
    metadata: Native = thaw(message.metadata)
    own = message.extras.get(META) if message.extras else None
    if is_mapping(own):
        metadata |= thaw(own)
    elif not is_marked(message, FAMILY, "/unclassed"):
        metadata["lion_class"] = CLASS
    return {"metadata": metadata}


def read_embedding(value: Any, note: dict[str, Any]) -> tuple[float, ...] | None:
    """Read a vector: a list of finite numbers, or the JSON text of one."""
    given_value = value
    if type(value) is str:
        try:
            value = parse_json(value)
        except AgentMsgError:
            raise Unreadable("not a vector") from None
    vector = None
    if value or value == 0:
        vector = _vector(value)
    if not same_document(None if vector is None else list(vector), given_value):
        note["embedding"] = spelling.spelling_of(given_value) or ["=", given_value]
    return vector


def _vector(value: Any) -> tuple[float, ...]:
    if not is_list(value) or any(type(item) not in (int, float) for item in value):
        raise Unreadable("not a vector")
    try:
        vector = tuple(map(float, value))
    except OverflowError:
        raise Unreadable("not a vector") from None
    if not all(map(math.isfinite, vector)):
        raise Unreadable("not a vector")
    return vector


def write_embedding(vector: tuple[float, ...], _: Any) -> list[float] | None:
    """Write a vector as a list; an empty one becomes null."""
    return list(vector) or None
