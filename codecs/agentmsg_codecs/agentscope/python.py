"""Python's messages of 2.x and 1.x: what stands beside content.

Marks: ``/time`` (a time that the spelling of 1.x does not hold), ``/word`` (a finish reason that the library does not
have), ``/shape`` (structured output that isn't an object).
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import (
    EMPTY,
    KEEP,
    Cell,
    Native,
    Unreadable,
    adopt,
    is_list,
    is_mapping,
    is_object,
    maker,
    mark_of,
    natives,
    times,
    usually,
    word_at,
)
from agentmsg_codecs.agentscope.dialect import Dialect
from agentmsg_codecs.agentscope.messages import Messages
from agentmsg_codecs.agentscope.names import FAMILY
from agentmsg_codecs.agentscope.python_format import carried_usage, described
from agentmsg_codecs.agentscope.shapes import (
    finish_cell,
    is_exact,
    is_no_time,
    is_own_word,
    object_or_none,
    old_times,
    own_extras,
    parts_in,
    read_milliseconds,
    read_time,
    spared,
    to_milliseconds,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime


_make_msg = maker(am.Msg)
_SPARE: Mapping[str, Any] = MappingProxyType({"finished_at": None, "error": None})
_KEYS = frozenset(
    {"name", "content", "role", "id", "metadata", "usage", "finished_reason", "structured_output", *_SPARE}
)
_FINISH: Mapping[str, str] = {
    "completed": "stop",
    "interrupted": "interrupted",
    "exceed_max_iters": "exceed_max_iters",
    "error": "error",
}
_REASONS = {ours: word for word, ours in _FINISH.items()}
_ROLES = frozenset({"user", "assistant", "system", "tool"})


# -- messages ---------------------------------------------------------------------------------------------------------


def usual_name(role: str) -> str:
    """Return the name that says nothing: that the user is called user. Results come from the system."""
    return "system" if role == "tool" else role


class _Python(Dialect):
    family: ClassVar[str] = FAMILY
    spare: ClassVar[Mapping[str, Any]] = _SPARE
    # The role of results alone, and how many keys are always written.
    tool_role: ClassVar[str]
    size: ClassVar[int]

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
            "extras": spared(native, self.spare, FAMILY),
            "marks": {} if time is None or self.holds(time) else {"time": True},
        }

    def holds(self, time: Any) -> bool:
        """Whether the spelling of times holds all of a time."""
        raise NotImplementedError

    def quick_message(self, native: Native, role: str, blocks: tuple[Any, ...]) -> am.Msg | None:
        try:
            name, own, metadata, stamp = native["name"], native["id"], native["metadata"], native[self.time_key]
            tail = self.quick_tail(native)
        except KeyError:
            return None
        if tail is None or len(native) != self.size or type(name) is not str or type(own) is not str:
            return None
        time = self.quick_time(stamp)
        if time is None or not is_object(metadata):
            return None
        said = None if name == usual_name(role) else name
        known = adopt(metadata) if metadata else EMPTY
        return _make_msg(role, blocks, own, time, said, None, None, known, EMPTY, *tail)

    def quick_time(self, stamp: Any) -> datetime | None:
        """Return the time of a stamp as the library writes it; None of any other."""
        raise NotImplementedError

    def quick_tail(self, native: Native) -> tuple[Any, ...] | None:
        """Return the fields from ``structured`` on, as far as there are any; None if the general path must look.

        Raises:
            KeyError: if a key is missing that is always written.
        """
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
            "usage": None if usage is None else self.read_usage(usage),
            "finish_reason": word if word is None else _FINISH.get(word, word),
            "structured": adopt(structured),
            "marks": marks,
        }


class _Python2(_Python):
    # What 1.x has besides is an unknown field, where it says anything.
    keys: ClassVar[frozenset[str]] = _KEYS | {"created_at", "timestamp", "url"}
    spare: ClassVar[Mapping[str, Any]] = {**_SPARE, "timestamp": None, "url": None}
    time_key: ClassVar[str] = "created_at"
    tool_role: ClassVar[str] = "assistant"
    size: ClassVar[int] = 11

    def taken_by_message(self, message: am.Msg) -> frozenset[str]:
        own, taken = own_extras(message, FAMILY), super().taken_by_message(message)
        is_new = message.created_at is not None or ("created_at" in own and "created_at" not in taken)
        # One that tells no time makes it a message of 1.x, which is no other where each version is written as it was.
        is_free = is_new or (self.media.as_read and is_no_time(own.get("timestamp")))
        return taken if is_free else taken | {"timestamp"}

    def read_head(self, native: Native) -> dict[str, Any]:
        if native.get("created_at") is None and read_time(native.get("timestamp")) is not None:
            # Nothing but a spelling would tell it from a message of 1.x.
            raise Unreadable
        return super().read_head(native)

    def holds(self, time: Any) -> bool:
        return True

    def quick_time(self, stamp: Any) -> datetime | None:
        time = read_time(stamp)
        return time if time is not None and times.write_time(time) == stamp else None

    def quick_tail(self, native: Native) -> tuple[Any, ...] | None:
        usage, word, structured = native["usage"], native["finished_reason"], native["structured_output"]
        ended, error = native["finished_at"], native["error"]
        if word is not None and (type(word) is not str or word not in _FINISH):
            return None
        if structured is not None and not is_object(structured):
            return None
        return (
            adopt(structured),
            None if usage is None else self.read_usage(usage),
            None if word is None else _FINISH[word],
            None,
            EMPTY if ended is error is None else spared(native, _SPARE, FAMILY),
        )

    def write_plain(self, first: am.Msg, last: am.Msg, role: str, content: Any) -> Native:
        name, own, time, usage = first.name, first.id, first.created_at, last.usage
        native: Native = {
            "name": usual_name(first.role) if name is None else name,
            "content": content,
            "role": role,
            "id": own if own.__class__ is str else natives.link_of(own),
            "metadata": thaw(first.metadata) if first.metadata else {},
            "created_at": None if time is None else times.write_time(time),
            "usage": self.write_usage(usage),
            "finished_at": None,
            "finished_reason": None if last.finish_reason is None else _reason(last),
            "structured_output": None if last.structured is None else thaw(last.structured),
            "error": None,
        }
        if own is None:
            del native["id"]
        if time is None:
            del native["created_at"]
        if first.extras:
            # What they say of the spare keys is written with the other unknown fields.
            for key in _SPARE.keys() & own_extras(first, FAMILY).keys():
                del native[key]
        return native


def _reason(last: am.Msg) -> str | None:
    reason = last.finish_reason
    if reason is None or is_own_word(last, _FINISH, FAMILY):
        return reason
    return _REASONS.get(reason, reason)


class _Python1(_Python):
    keys: ClassVar[frozenset[str]] = _KEYS | {"timestamp", "url"}
    spare: ClassVar[Mapping[str, Any]] = {**_SPARE, "url": None}
    is_brief: ClassVar[bool] = True
    has_urls: ClassVar[bool] = True
    time_key: ClassVar[str] = "timestamp"
    tool_role: ClassVar[str] = "system"
    size: ClassVar[int] = 6

    def taken_by_message(self, message: am.Msg) -> frozenset[str]:
        # With that, it would be a message of 2.x.
        return super().taken_by_message(message) | {"created_at"}

    def holds(self, time: Any) -> bool:
        return is_exact(time)

    def quick_time(self, stamp: Any) -> datetime | None:
        return read_milliseconds(stamp)

    def quick_tail(self, native: Native) -> tuple[Any, ...] | None:
        return ()

    def write_plain(self, first: am.Msg, last: am.Msg, role: str, content: Any) -> Native:
        own, name, time = first.id, first.name, first.created_at
        native: Native = {} if own is None else {"id": natives.link_of(own)}
        native["name"] = usual_name(first.role) if name is None else name
        native["role"] = role
        native["content"] = content
        native["metadata"] = thaw(first.metadata) if first.metadata else {}
        if time is not None and is_exact(time):
            native["timestamp"] = to_milliseconds(time)
        elif time is not None and type(time) is not times.MadeTime:
            native["timestamp"] = time.isoformat(" ")
        # What 1.x does not know is written where somebody said it: such keys are ignored there.
        if last.usage is not None:
            native["usage"] = self.write_usage(last.usage)
        if last.finish_reason is not None:
            native["finished_reason"] = _reason(last)
        if last.structured is not None:
            native["structured_output"] = thaw(last.structured)
        return native


# -- versions ---------------------------------------------------------------------------------------------------------

_NEW = frozenset({"tool_call", "data", "hint"})
_OLD = frozenset({"tool_use", "image", "audio", "video"})


def detect(native: Any) -> int | None:
    """Return the version that a native message is of; None if nothing shows it."""
    if not is_object(native):
        return None
    if "created_at" in native:
        return 2
    content: Any = native.get("content")
    if "timestamp" in native or type(content) is str:
        return 1
    for part in parts_in(content):
        tag: Any = part.get("type") if is_object(part) else None
        if type(tag) is str and tag in _NEW | _OLD:
            return 2 if tag in _NEW else 1
    return None


def make_messages(version: int | None) -> Messages:
    """Return the reader and writer of both versions.

    Args:
        version: in which all is written; None: each message and block in that which it was read in.
    """
    as_read = version is None
    old = _Python1(*described(1, as_read=as_read))

    def is_new(message: am.Msg) -> bool:
        """Whether 1.x would read an unknown field of a message, or take the message for one of 2.x."""
        own = own_extras(message, FAMILY)
        if "created_at" in own or message.created_at is None:
            return "created_at" in own
        return "timestamp" in own or ("url" in own and old.has_url(message, own["url"]))

    dialects = {1: old, 2: _Python2(*described(2, as_read=as_read))}
    return Messages(dialects, detect, joins=lambda version: version > 1, keeps_marks=True, is_new=is_new)


# -- what is supported -------------------------------------------------------------------------------------------------


@usually("isinstance(value, dict)")
def _structured(value: Any, message: am.Msg) -> Any:
    return value if is_mapping(value) or mark_of(message, FAMILY, "/shape") is True else None


@usually("value not in roles", roles=_ROLES | {"developer", "native"})
def _name(name: str, message: am.Msg) -> str | None:
    return None if name == usual_name(message.role) else name


def carried_fields(*, is_old: bool) -> Mapping[str, Cell]:
    """Return the cells of messages.

    Args:
        is_old: whether they are those of 1.x only.
    """
    fields: dict[str, Cell] = {"name": _name, "id": KEEP, "metadata": KEEP}
    if is_old:
        return {**fields, "created_at": old_times(FAMILY)}
    return {
        **fields,
        "created_at": KEEP,
        "usage": carried_usage,
        "finish_reason": finish_cell(_REASONS, FAMILY),
        "structured": _structured,
    }


_SURE, _LIKELY = 0.98, 0.7


def sniff_message(native: Native) -> float:
    """Return how much an object looks like a message of Python."""
    role, content = native.get("role"), native.get("content")
    if type(role) is not str or role not in _ROLES or "type" in native or type(native.get("name")) is not str:
        return 0.0
    if not (type(content) is str or is_list(content)):
        return 0.0
    if native.keys() >= _OWN:
        return 1.0
    if not _SIGNS.isdisjoint(native):
        return _SURE if "metadata" in native or "id" in native else _LIKELY
    return _LIKELY if "metadata" in native and "id" in native else 0.0


_SIGNS = frozenset({"created_at", "timestamp", "finished_reason", "structured_output"})
# Nobody else has both.
_OWN = frozenset({"finished_reason", "structured_output"})
