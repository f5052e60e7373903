"""Python's messages of 2.x and 1.x: what stands beside content. Imports messages and blocks.

Marks: ``/time`` (a time that the spelling of 1.x does not hold), ``/word`` (a finish reason that the library does not
have), ``/shape`` (structured output that is no object), ``/partial`` (usage without a counter that all have).
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg.caps import KEEP, Cell, carried_extras
from agentmsg.codec import maker
from agentmsg.json_values import adopt, thaw
from agentmsg.made import MadeTime
from agentmsg.plain import is_list, is_mapping, is_object
from agentmsg.shapes import Native, Shape, Unreadable, mark_of, marked, read_as, word_at, write_as
from agentmsg_codecs.agentscope.blocks import Blocks
from agentmsg_codecs.agentscope.dialect import Dialect
from agentmsg_codecs.agentscope.messages import Messages
from agentmsg_codecs.agentscope.shapes import (
    is_exact,
    link_of,
    nearest_millisecond,
    object_or_none,
    read_time,
    spared,
    to_milliseconds,
    with_spare,
)
from agentmsg_codecs.agentscope.words import FAMILY, VERSIONS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

__all__ = ["carried_fields", "count_at", "make_messages", "sniff_message"]

_make_usage = maker(am.Usage)
_SPARE: Mapping[str, Any] = MappingProxyType({"finished_at": None, "error": None})
_FINISH: Mapping[str, str] = {
    "completed": "stop",
    "interrupted": "interrupted",
    "exceed_max_iters": "exceed_max_iters",
    "error": "error",
}
_REASONS = {ours: word for word, ours in _FINISH.items()}
_COUNTS: Mapping[str, str] = {
    "input_tokens": "input",
    "output_tokens": "output",
    "cache_input_tokens": "cache_read",
    "cache_creation_input_tokens": "cache_write",
}
_USAGE_KEYS = frozenset(_COUNTS)
_ROLES = frozenset({"user", "assistant", "system", "tool"})


# -- usage ------------------------------------------------------------------------------------------------------------


def count_at(native: Native, key: str) -> int | None:
    """Return the counter under a key, None where there is none.

    Raises:
        Unreadable: where something else stands there.
    """
    value = native.get(key)
    if value is not None and type(value) is not int:
        raise Unreadable
    return value


def _read_usage(native: Native, _: Any) -> am.Usage:
    usage = _make_usage(**{name: count_at(native, key) for key, name in _COUNTS.items()})
    is_whole = usage.input is not None and usage.output is not None
    return usage if is_whole else marked(usage, FAMILY, partial=True)


def _write_usage(usage: am.Usage) -> Native:
    return {key: value for key, name in _COUNTS.items() if (value := getattr(usage, name)) is not None}


_USAGE = Shape(cls=am.Usage, keys={None: _USAGE_KEYS}, read=_read_usage, write=_write_usage)


_ALWAYS_1 = frozenset({"name", "role", "content", "metadata"})
_ALWAYS_2 = _ALWAYS_1 | {"usage", "finished_at", "finished_reason", "structured_output", "error"}


def _usage_of(native: Any) -> am.Usage:
    if is_object(native) and all(key in _COUNTS and type(value) is int for key, value in native.items()):
        usage = _make_usage(**{_COUNTS[key]: value for key, value in native.items()})
        if usage.input is not None and usage.output is not None:
            return usage
    found: am.Usage = read_as(_USAGE, native, FAMILY)
    return found


# -- messages ---------------------------------------------------------------------------------------------------------


def usual_name(role: str) -> str:
    """Return the name that says nothing: that the user is called user. Results come from the system."""
    return "system" if role == "tool" else role


class _Python(Dialect):
    family: ClassVar[str] = FAMILY
    keys: ClassVar[frozenset[str]] = frozenset(
        {"name", "content", "role", "id", "metadata", "created_at", "timestamp", "usage", "finished_reason"}
    ) | {"structured_output", *_SPARE}
    spare: ClassVar[Mapping[str, Any]] = _SPARE
    time_key: ClassVar[str]
    tool_role: ClassVar[str]

    def model_role(self, word: str) -> str | None:
        return word if word in _ROLES else None

    def usual_role(self, role: str) -> str:
        return self.tool_role if role == "tool" else role

    def usual_name(self, role: str) -> str | None:
        return usual_name(role)

    def read_head(self, native: Native) -> dict[str, Any]:
        time = read_time(native.get(self.time_key))
        return {
            "name": word_at(native, "name"),
            "id": word_at(native, "id"),
            "created_at": time,
            "metadata": adopt(object_or_none(native, "metadata")),
            "extras": spared(native, _SPARE, FAMILY),
            "marks": {} if time is None or self.holds(time) else {"time": True},
        }

    def holds(self, time: Any) -> bool:
        """Tell whether the spelling of times holds all of a time."""
        raise NotImplementedError

    def read_tail(self, native: Native) -> dict[str, Any]:
        word, structured = word_at(native, "finished_reason"), native.get("structured_output")
        usage = native.get("usage")
        if word is structured is usage is None:
            return {}
        marks: dict[str, Any] = {}
        if word is not None and word not in _FINISH:
            marks["word"] = True
        if structured is not None and not is_object(structured):
            marks["shape"] = True
        return {
            "usage": None if usage is None else _usage_of(usage),
            "finish_reason": word if word is None else _FINISH.get(word, word),
            "structured": adopt(structured),
            "marks": marks,
        }

    def _ends(self, last: am.Msg) -> Native:
        reason = last.finish_reason
        return {
            "usage": None if last.usage is None else write_as(_USAGE, last.usage, FAMILY),
            "finished_reason": reason if reason is None else _REASONS.get(reason, reason),
            "structured_output": thaw(last.structured),
        }


def _is_framed(native: Native, keys: frozenset[str], time_key: str) -> bool:
    """Tell whether a message has these keys, perhaps id and time, and a name; nothing that is null among these."""
    if len(native) != len(keys) + ("id" in native) + (time_key in native) or not keys <= native.keys():
        return False
    return native["name"] is not None and native["metadata"] is not None and native.get("id", "") is not None


class _Python2(_Python):
    time_key: ClassVar[str] = "created_at"
    tool_role: ClassVar[str] = "assistant"

    def is_usual(self, native: Native, time: datetime | None) -> bool:
        if not _is_framed(native, _ALWAYS_2, "created_at") or not native["finished_at"] is native["error"] is None:
            return False
        return "created_at" not in native if time is None else native["created_at"] == time.isoformat()

    def holds(self, time: Any) -> bool:
        return True

    def write_plain(self, first: am.Msg, last: am.Msg, role: str, content: Any) -> Native:
        native: Native = {"name": usual_name(first.role) if first.name is None else first.name}
        native |= {"content": content, "role": role}
        if first.id is not None:
            native["id"] = link_of(first.id)
        native["metadata"] = thaw(first.metadata)
        if first.created_at is not None:
            native["created_at"] = first.created_at.isoformat()
        ends = self._ends(last)
        native["usage"] = ends.pop("usage")
        if not first.extras:
            return {**native, "finished_at": None, **ends, "error": None}
        with_spare(native, first, {"finished_at": None}, FAMILY)
        native |= ends
        return with_spare(native, first, {"error": None}, FAMILY)


class _Python1(_Python):
    is_brief: ClassVar[bool] = True
    time_key: ClassVar[str] = "timestamp"
    tool_role: ClassVar[str] = "system"

    def holds(self, time: Any) -> bool:
        return is_exact(time)

    def is_usual(self, native: Native, time: datetime | None) -> bool:
        if not _is_framed(native, _ALWAYS_1, "timestamp"):
            return False
        if time is None:
            return "timestamp" not in native
        return is_exact(time) and native["timestamp"] == to_milliseconds(time)

    def write_plain(self, first: am.Msg, last: am.Msg, role: str, content: Any) -> Native:
        native: Native = {} if first.id is None else {"id": link_of(first.id)}
        native["name"] = usual_name(first.role) if first.name is None else first.name
        native |= {"role": role, "content": content, "metadata": thaw(first.metadata)}
        time = first.created_at
        if time is not None and is_exact(time):
            native["timestamp"] = to_milliseconds(time)
        elif time is not None and type(time) is not MadeTime:
            native["timestamp"] = time.isoformat(" ")
        # What 1.x does not know is written where somebody said it: such keys are ignored there.
        return native | {key: value for key, value in self._ends(last).items() if value is not None}


# -- versions ---------------------------------------------------------------------------------------------------------

_NEW = frozenset({"tool_call", "data", "hint"})
_OLD = frozenset({"tool_use", "image", "audio", "video"})


def detect(native: Any) -> int | None:
    """Return the version that a native message is of; None where nothing shows it."""
    if not is_object(native):
        return None
    if "created_at" in native:
        return 2
    content: Any = native.get("content")
    if "timestamp" in native or type(content) is str:
        return 1
    for part in content if is_list(content) else ():
        tag: Any = part.get("type") if is_object(part) else None
        if type(tag) is str and tag in _NEW | _OLD:
            return 2 if tag in _NEW else 1
    return None


def make_messages(*, keeps_kinds: bool = True) -> Messages:
    """Return the reader and writer of both versions.

    Args:
        keeps_kinds: whether a block is written as the kind that it was read from, be it the other version's.
    """
    old, new = (Blocks(version, keeps_kinds=keeps_kinds) for version in VERSIONS)
    return Messages({1: _Python1(old), 2: _Python2(new)}, detect, joins=lambda version: version > 1)


# -- what is carried --------------------------------------------------------------------------------------------------

_USAGE_EXTRAS = carried_extras((FAMILY, lambda _: _USAGE_KEYS))


def _usage(usage: am.Usage, _: Any) -> am.Usage:
    """Carry what has a place; counters that all have are 0 where they are not told."""
    places = set(_COUNTS.values())
    changes: dict[str, Any] = {
        name: None for name in _UNCOUNTED if name not in places and getattr(usage, name) is not None
    }
    if mark_of(usage, FAMILY, "/partial") is not True:
        changes |= {name: 0 for name in ("input", "output") if getattr(usage, name) is None}
    extras = _USAGE_EXTRAS(usage.extras, usage) if usage.extras else usage.extras
    if extras is not usage.extras:
        changes["extras"] = extras
    return usage.evolve(**changes) if changes else usage


_UNCOUNTED = ("total", "reasoning", "input_audio", "output_audio", "cost", "seconds")


def _finish(word: str, message: am.Msg) -> str | None:
    is_odd = word not in _FINISH and mark_of(message, FAMILY, "/word") is True
    return word if word in _REASONS or is_odd else None


def _structured(value: Any, message: am.Msg) -> Any:
    return value if is_mapping(value) or mark_of(message, FAMILY, "/shape") is True else None


def _name(name: str, message: am.Msg) -> str | None:
    return None if name == usual_name(message.role) else name


def carried_fields(*, is_old: bool) -> Mapping[str, Cell]:
    """Return the cells of messages.

    Args:
        is_old: whether they are those of 1.x only.
    """
    fields: dict[str, Cell] = {"name": _name, "id": KEEP, "metadata": KEEP}
    if is_old:
        return {**fields, "created_at": lambda time, owner: nearest_millisecond(time, owner, FAMILY)}
    return {**fields, "created_at": KEEP, "usage": _usage, "finish_reason": _finish, "structured": _structured}


_SURE, _LIKELY = 0.98, 0.7


def sniff_message(native: Native) -> float:
    """Return how much an object looks like a message of Python."""
    role, content = native.get("role"), native.get("content")
    if type(role) is not str or role not in _ROLES or "type" in native or type(native.get("name")) is not str:
        return 0.0
    if not (type(content) is str or is_list(content)):
        return 0.0
    if not _SIGNS.isdisjoint(native):
        return _SURE if "metadata" in native or "id" in native else _LIKELY
    return _LIKELY if "metadata" in native and "id" in native else 0.0


_SIGNS = frozenset({"created_at", "timestamp", "finished_reason", "structured_output"})
