"""Java's messages of 2.x and 1.x: what stands beside content, and what has its place in metadata.

Marks: ``/time`` (a time that the spelling does not hold), ``/word`` (a reason that the library does not have),
``/usage`` (usage that stands where the version has it otherwise: "top", "metadata"), ``/both`` (metadata have usage
too), ``/total`` (usage that tells the sum, as the library does, and a plain ObjectMapper refuses).
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
    adopt,
    is_list,
    is_object,
    maker,
    mark_of,
    natives,
    times,
    usually,
    word_at,
)
from agentmsg_codecs.agentscope.dialect import Dialect
from agentmsg_codecs.agentscope.java_format import carried_usage, described, tells_usage
from agentmsg_codecs.agentscope.messages import Messages
from agentmsg_codecs.agentscope.names import JAVA
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
    to_milliseconds,
    without,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


_STRUCTURED, _USAGE_KEY, _REASON = "_structured_output", "_chat_usage", "agentscope_generate_reason"
_MEANT = frozenset({_STRUCTURED, _USAGE_KEY, _REASON})
_ROLES: Mapping[str, str] = {"USER": "user", "ASSISTANT": "assistant", "SYSTEM": "system", "TOOL": "tool"}
_WORDS: Mapping[str, str] = {role: word for word, role in _ROLES.items()}
_FINISH: Mapping[str, str] = {
    "MODEL_STOP": "stop",
    "TOOL_CALLS": "tool_use",
    **{
        word: word.lower()
        for word in (
            "STRUCTURED_OUTPUT",
            "TOOL_SUSPENDED",
            "REASONING_STOP_REQUESTED",
            "ACTING_STOP_REQUESTED",
            "PERMISSION_ASKING",
            "MIDDLEWARE_STOP_REQUESTED",
            "ALL_TOOLS_DENIED",
            "INTERRUPTED",
            "MAX_ITERATIONS",
        )
    },
}
_REASONS = {ours: word for word, ours in _FINISH.items()}
_make_msg = maker(am.Msg)
_make_usage = maker(am.Usage)


# -- messages ---------------------------------------------------------------------------------------------------------


class _Java(Dialect):
    family: ClassVar[str] = JAVA
    keys: ClassVar[frozenset[str]] = frozenset({"id", "name", "role", "content", "metadata", "timestamp", "usage"})
    spare: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    time_key: ClassVar[str] = "timestamp"
    # Where usage stands by default, and the keys that are always written.
    usage_at: ClassVar[str]
    always: ClassVar[frozenset[str]]

    def model_role(self, word: str) -> str | None:
        return _ROLES.get(word.upper())

    def usual_role(self, role: str) -> str:
        return _WORDS[role]

    def usual_name(self, role: str) -> str | None:
        return None

    def read_head(self, native: Native) -> dict[str, Any]:
        metadata = object_or_none(native, "metadata")
        gone = [] if metadata.get(_STRUCTURED) is None else [_STRUCTURED]
        gone += [_REASON] if type(metadata.get(_REASON)) is str else []
        gone += [_USAGE_KEY] if native.get("usage") is None and tells_usage(metadata.get(_USAGE_KEY)) else []
        stamp = native.get("timestamp")
        time = read_time(stamp)
        return {
            "name": word_at(native, "name"),
            "id": word_at(native, "id"),
            "created_at": time,
            "metadata": adopt(without(metadata, *gone) if gone else metadata),
            "extras": adopt({JAVA: {"timestamp": stamp}}) if is_no_time(stamp) else EMPTY,
            "marks": {} if time is None or is_exact(time) else {"time": True},
        }

    def read_tail(self, native: Native) -> dict[str, Any]:
        metadata, top = object_or_none(native, "metadata"), native.get("usage")
        if top is None and _MEANT.isdisjoint(metadata):
            return {}
        told: Any = metadata.get(_USAGE_KEY)
        is_told = tells_usage(told)
        usage = self.read_usage(top) if top is not None else self.read_usage(told) if is_told else None
        word = metadata.get(_REASON)
        marks: dict[str, Any] = {}
        if usage is not None and (found := "metadata" if top is None else "top") != self.usage_at:
            marks["usage"] = found
        if top is not None and is_told:
            marks["both"] = True
        if type(word) is not str:
            word = None
        elif word not in _FINISH:
            marks["word"] = True
        return {
            "usage": usage,
            "finish_reason": None if word is None else _FINISH.get(word, word),
            "structured": adopt(metadata.get(_STRUCTURED)),
            "marks": marks,
        }

    def quick_message(self, native: Native, role: str, blocks: tuple[Any, ...]) -> am.Msg | None:
        usage: Any = native.get("usage")
        if native.keys() != self.always:
            return None
        own, name, stamp = native["id"], native["name"], native["timestamp"]
        metadata: Any = native["metadata"]
        if not is_object(metadata) or type(own) not in _WORD or type(name) not in _WORD:
            return None
        structured = word = None
        if metadata:
            if _USAGE_KEY in metadata:
                return None
            structured, word = metadata.get(_STRUCTURED), metadata.get(_REASON)
            gone = {key for key, value in ((_STRUCTURED, structured), (_REASON, word)) if value is not None}
            if word is not None and (type(word) is not str or word not in _FINISH):
                return None
            metadata = without(metadata, *gone) if gone else metadata
        time = read_milliseconds(stamp)
        if time is None and stamp is not None:
            return None
        return _make_msg(
            role,
            blocks,
            own,
            time,
            name,
            None,
            None,
            adopt(metadata) if metadata else EMPTY,
            EMPTY,
            adopt(structured),
            None if usage is None else self.read_usage(usage),
            None if word is None else _FINISH[word],
        )

    def write_plain(self, first: am.Msg, last: am.Msg, role: str, content: Any) -> Native:
        usage = self.write_usage(last.usage)
        place = self._place(last) if last.notes and usage is not None else self.usage_at
        metadata: Native = thaw(first.metadata) if first.metadata else {}
        if last.structured is not None:
            metadata = {_STRUCTURED: thaw(last.structured), **metadata}
        if usage is not None and place == "metadata":
            metadata[_USAGE_KEY] = usage
        reason = last.finish_reason
        if reason is not None:
            metadata[_REASON] = reason if is_own_word(last, _FINISH, JAVA) else _REASONS.get(reason, reason)
        own, name, time = first.id, first.name, first.created_at
        native: Native = {
            "id": own if own.__class__ is str else natives.link_of(own),
            "name": None if name is None else natives.link_of(name),
            "role": role,
            "content": content,
            "metadata": metadata,
            "timestamp": None if time is None else _stamp(time),
        }
        if time is None and first.extras and "timestamp" in own_extras(first, JAVA):
            # What isn't a time stands with the other unknown fields.
            del native["timestamp"]
        if self.usage_at == "top" or (usage is not None and place == "top"):
            native["usage"] = usage if place == "top" else None
        return native

    def _place(self, last: am.Msg) -> str:
        """Return where usage is written: where it was read."""
        if mark_of(last, JAVA, "/both") is True:
            return "top"
        place = mark_of(last, JAVA, "/usage")
        return place if place in ("top", "metadata") else self.usage_at


_WORD = frozenset({str, type(None)})


def _stamp(time: Any) -> str | None:
    if time.tzinfo is None and not time.microsecond % 1000:
        return to_milliseconds(time)
    return None if type(time) is times.MadeTime else time.isoformat(" ")


_ALWAYS_1 = frozenset({"id", "name", "role", "content", "metadata", "timestamp"})
_ALWAYS_2 = _ALWAYS_1 | {"usage"}


class _Java2(_Java):
    usage_at: ClassVar[str] = "top"
    always: ClassVar[frozenset[str]] = _ALWAYS_2


class _Java1(_Java):
    usage_at: ClassVar[str] = "metadata"
    always: ClassVar[frozenset[str]] = _ALWAYS_1


def _detect(native: Any) -> int | None:
    """Return the version that a native message is of; None if nothing shows it."""
    if not is_object(native):
        return None
    if "usage" in native:
        return 2
    content: Any = native.get("content")
    for part in parts_in(content):
        if is_object(part) and ("state" in part or part.get("type") in ("hint", "data")):
            return 2
    return 1 if "timestamp" in native else None


def make_messages(version: int | None) -> Messages:
    """Return the reader and writer of both versions; arguments as of Python's."""
    as_read = version is None
    dialects = {1: _Java1(*described(as_read=as_read)), 2: _Java2(*described(as_read=as_read))}
    return Messages(dialects, _detect, joins=lambda _: False, keeps_marks=False)


# -- what is supported -------------------------------------------------------------------------------------------------


@usually("meant.isdisjoint(value)", meant=_MEANT)
def _metadata(value: Mapping[str, Any], message: am.Msg) -> Mapping[str, Any]:
    """Keep metadata but for the keys that would be read as something else."""
    gone = [_STRUCTURED] if value.get(_STRUCTURED) is not None else []
    gone += [_REASON] if isinstance(value.get(_REASON), str) else []
    if tells_usage(value.get(_USAGE_KEY)) and (message.usage is None or mark_of(message, JAVA, "/both") is not True):
        gone.append(_USAGE_KEY)
    return without(value, *gone) if gone else value


def carried_fields() -> Mapping[str, Cell]:
    """Return the cells of messages."""
    return {
        "name": KEEP,
        "id": KEEP,
        "metadata": _metadata,
        "created_at": old_times(JAVA),
        "usage": carried_usage,
        "finish_reason": finish_cell(_REASONS, JAVA),
        "structured": KEEP,
    }


_SURE, _LIKELY = 0.98, 0.9


def sniff_message(native: Native) -> float:
    """Return how much an object looks like a message of Java: roles are in upper case."""
    role = native.get("role")
    if type(role) is not str or role not in _ROLES or not is_list(native.get("content")) or "type" in native:
        return 0.0
    return _SURE if "metadata" in native or "timestamp" in native else _LIKELY
