"""Java's messages of 2.x and 1.x: what is beside content, and in metadata.

Marks: ``/time`` (see times.py), ``/word`` (see ``Reasons``), ``/usage`` (usage in the other version's place: "top",
"metadata"), ``/both`` (metadata has usage, too).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import KEEP, Native, adopt, is_list, is_marked, is_object, mark_of, usually, write_as
from agentmsg.formats.forms import Hatch, Key, Link
from agentmsg_codecs.agentscope.dialect import Dialect
from agentmsg_codecs.agentscope.java_format import GEMINI, carried_usage, described, is_usage
from agentmsg_codecs.agentscope.messages import Messages
from agentmsg_codecs.agentscope.names import JAVA
from agentmsg_codecs.agentscope.shapes import Reasons, object_or_none, parts_in, without
from agentmsg_codecs.agentscope.times import time_hatch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg.formats.forms import Described
    from agentmsg_codecs.agentscope.media import Media

_STRUCTURED, _USAGE_KEY, _REASON = "_structured_output", "_chat_usage", "agentscope_generate_reason"
_USED = frozenset({_STRUCTURED, _USAGE_KEY, _REASON})
_ROLES: Mapping[str, str] = {"USER": "user", "ASSISTANT": "assistant", "SYSTEM": "system", "TOOL": "tool"}
_WORDS: Mapping[str, str] = {role: word for word, role in _ROLES.items()}
_OTHER_REASONS = (
    "STRUCTURED_OUTPUT", "TOOL_SUSPENDED", "REASONING_STOP_REQUESTED", "ACTING_STOP_REQUESTED", "PERMISSION_ASKING",
    "MIDDLEWARE_STOP_REQUESTED", "ALL_TOOLS_DENIED", "INTERRUPTED", "MAX_ITERATIONS",
)  # fmt: skip
_REASONS = Reasons(
    JAVA, {"MODEL_STOP": "stop", "TOOL_CALLS": "tool_use", **{word: word.lower() for word in _OTHER_REASONS}}
)


@usually("used.isdisjoint(value)", used=_USED)
def _metadata(value: Mapping[str, Any], message: am.Msg) -> Mapping[str, Any]:
    """Keep metadata, except for keys that are read as fields."""
    taken = [_STRUCTURED] if value.get(_STRUCTURED) is not None else []
    if isinstance(value.get(_REASON), str):
        taken.append(_REASON)
    if is_usage(value.get(_USAGE_KEY)) and (message.usage is None or not is_marked(message, JAVA, "/both")):
        taken.append(_USAGE_KEY)
    return without(value, *taken) if taken else value


# -- messages ---------------------------------------------------------------------------------------------------------


class _Java(Dialect):
    family: ClassVar[str] = JAVA
    signer: ClassVar[str] = GEMINI
    time_key: ClassVar[str] = "timestamp"
    body_keys: ClassVar[tuple[str, ...]] = ("role", "content")
    # The usual place of usage.
    usage_at: ClassVar[str]

    def describe(self, *, as_read: bool) -> tuple[Described, Media]:
        return described(self._items(), as_read=as_read)

    def _items(self) -> tuple[Any, ...]:
        metadata = Hatch(
            keys=("metadata",),
            cells={"metadata": _metadata, "structured": KEEP, "finish_reason": _REASONS.cell()},
            get=self._read_metadata,
            put=self._write_metadata,
            about="metadata, structured, finish_reason",
        )
        usage = Hatch(keys=("usage",), cells={"usage": carried_usage}, forms=("usage",), get=self._read_usage,
                      put=self._write_usage, about="usage")  # fmt: skip
        return (
            Key("id", "id", Link(), "null"),
            Key("name", "name", Link(), "null"),
            self.hatch(),
            metadata,
            time_hatch("timestamp", JAVA, is_old=True, is_null=True),
            usage,
        )

    def model_role(self, word: str) -> str | None:
        return _ROLES.get(word.upper())

    def usual_role(self, role: str) -> str:
        return _WORDS[role]

    def usual_name(self, role: str) -> str | None:
        return None

    def body(self, message: am.Msg, role: str, content: Any) -> Native:
        return {"role": role, "content": content}

    def _read_metadata(self, native: Native) -> dict[str, Any]:
        metadata = object_or_none(native, "metadata")
        if not metadata:
            given: Any = native.get("metadata", "absent")
            return {"notes": {} if given == {} else {"metadata": given or "null"}}
        if _USED.isdisjoint(metadata):
            return {"metadata": adopt(metadata)}
        structured, word = metadata.get(_STRUCTURED), metadata.get(_REASON)
        taken = [] if structured is None else [_STRUCTURED]
        found: dict[str, Any] = {"structured": adopt(structured)}
        if type(word) is str:
            taken.append(_REASON)
            found["notes"] = notes = Native()
            found["finish_reason"] = _REASONS.read(word, notes)
        if native.get("usage") is None and is_usage(metadata.get(_USAGE_KEY)):
            taken.append(_USAGE_KEY)
        return {**found, "metadata": adopt(without(metadata, *taken) if taken else metadata)}

    def _read_usage(self, native: Native, read: Callable[[Any], Any]) -> dict[str, Any]:
        top, inner = native.get("usage"), object_or_none(native, "metadata").get(_USAGE_KEY)
        has_inner = is_usage(inner)
        notes: Native = {}
        if top is None:
            found = "null" if "usage" in native else "absent"
            if found != ("null" if self.usage_at == "top" else "absent"):
                notes["usage"] = found
            if not has_inner:
                return {"notes": notes}
        elif has_inner:
            notes["/both"] = True
        place = "metadata" if top is None else "top"
        if place != self.usage_at:
            notes["/usage"] = place
        return {"usage": read(inner if top is None else top), "notes": notes}

    def _write_metadata(self, message: am.Msg) -> Native:
        metadata: Native = thaw(message.metadata) if message.metadata else {}
        if message.structured is None and message.usage is None and message.finish_reason is None:
            return {"metadata": metadata}
        if message.structured is not None:
            metadata = {_STRUCTURED: thaw(message.structured), **metadata}
        if message.usage is not None and self._place(message) == "metadata":
            metadata[_USAGE_KEY] = write_as(self.described.shapes["usage"], message.usage, JAVA)
        if message.finish_reason is not None:
            metadata[_REASON] = _REASONS.write(message.finish_reason, message)
        return {"metadata": metadata}

    def _write_usage(self, message: am.Msg, write: Callable[[Any], Any]) -> Native:
        if message.usage is not None and self._place(message) == "top":
            return {"usage": write(message.usage)}
        return {"usage": None} if self.usage_at == "top" else {}

    def _place(self, message: am.Msg) -> str:
        """Return the place of usage: the one that it was read from, or the usual one."""
        if is_marked(message, JAVA, "/both"):
            return "top"
        place = mark_of(message, JAVA, "/usage")
        return place if place in ("top", "metadata") else self.usage_at


class _Java2(_Java):
    usage_at: ClassVar[str] = "top"


class _Java1(_Java):
    lacks_in_blocks: ClassVar[frozenset[str]] = frozenset({"item_id", "status"})
    usage_at: ClassVar[str] = "metadata"


_SURE, _LIKELY = 0.98, 0.9


class JavaMessages(Messages):
    """Messages of AgentScope for Java."""

    kinds: ClassVar[Mapping[int, type[Dialect]]] = {1: _Java1, 2: _Java2}

    @staticmethod
    def detect(native: Any) -> int | None:
        """Return the version that a native message shows; None if it shows none."""
        if not is_object(native):
            return None
        if "usage" in native:
            return 2
        content: Any = native.get("content")
        for part in parts_in(content):
            if is_object(part) and ("state" in part or part.get("type") in ("hint", "data")):
                return 2
        return 1 if "timestamp" in native else None

    @staticmethod
    def sniff(native: Native) -> float:
        """Return how much an object looks like a message of Java: roles are in upper case."""
        role = native.get("role")
        if type(role) is not str or role not in _ROLES or not is_list(native.get("content")) or "type" in native:
            return 0.0
        return _SURE if "metadata" in native or "timestamp" in native else _LIKELY
