"""Python's messages of 2.x and 1.x: what is beside content.

Marks: ``/time`` (see times.py), ``/word`` (see ``Reasons``), ``/shape`` (structured output that isn't an object).
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from agentmsg.formats import (
    KEEP,
    Cell,
    Native,
    Unreadable,
    is_list,
    is_mapping,
    is_marked,
    is_object,
    natives,
    usually,
)
from agentmsg.formats.forms import Json, Key, Link, Nested, Object, Spare, Via
from agentmsg_codecs.agentscope.dialect import Dialect, is_result
from agentmsg_codecs.agentscope.messages import Messages
from agentmsg_codecs.agentscope.names import FAMILY
from agentmsg_codecs.agentscope.python_format import carried_usage, described
from agentmsg_codecs.agentscope.shapes import Reasons, parts_in
from agentmsg_codecs.agentscope.times import is_no_time, old_times, time_hatch

if TYPE_CHECKING:
    from collections.abc import Mapping

    import agentmsg as am

_ID = Key("id", "id", Link(), "may")
_SPARE: Mapping[str, Any] = MappingProxyType({"finished_at": None, "error": None})
_KEYS = frozenset(
    {"name", "content", "role", "id", "metadata", "usage", "finished_reason", "structured_output", *_SPARE}
)
_REASONS = Reasons(FAMILY, {
    "completed": "stop", "interrupted": "interrupted", "exceed_max_iters": "exceed_max_iters", "error": "error",
})  # fmt: skip
_REASON = Via(_REASONS.read, _REASONS.write, supports=KEEP, is_marking=True)
_ROLES = frozenset({"user", "assistant", "system", "tool"})


# -- messages ---------------------------------------------------------------------------------------------------------


def usual_name(role: str) -> str:
    """Return the name of messages without one: their role, but "system" for results."""
    return "system" if role == "tool" else role


class _Python(Dialect):
    family: ClassVar[str] = FAMILY
    version: ClassVar[int]
    # The role of a message of nothing but results.
    tool_role: ClassVar[str]

    def __init__(self, *, as_read: bool) -> None:
        self.described, self.media = described(self.version, self.items(), as_read=as_read)

    def items(self) -> tuple[Any, ...]:
        """Return the items of messages."""
        raise NotImplementedError

    def model_role(self, word: str) -> str | None:
        return word if word in _ROLES else None

    def usual_role(self, role: str) -> str:
        return self.tool_role if role == "tool" else role

    def usual_name(self, role: str) -> str | None:
        return usual_name(role)

    def name_of(self, message: am.Msg) -> str:
        """Return the name that is written."""
        name, content = message.name, message.content
        if name is not None:
            return name
        return usual_name("tool" if content and is_result(content[0]) else message.role)


class _Python2(_Python):
    # The keys that only 1.x has are spare here.
    keys: ClassVar[frozenset[str]] = _KEYS | {"created_at", "timestamp", "url"}
    spare: ClassVar[Mapping[str, Any]] = {**_SPARE, "timestamp": None, "url": None}
    time_key: ClassVar[str] = "created_at"
    body_keys: ClassVar[tuple[str, ...]] = ("name", "content", "role")
    version: ClassVar[int] = 2
    tool_role: ClassVar[str] = "assistant"

    def items(self) -> tuple[Any, ...]:
        return (
            self.hatch(),
            _ID,
            Key("metadata", "metadata", Object(), "{}"),
            time_hatch("created_at", FAMILY, is_old=False),
            Key("usage", "usage", Nested(("usage",)), "null"),
            Spare("finished_at"),
            Key("finished_reason", "finish_reason", _REASON, "null"),
            Key("structured_output", "structured", Json(), "null"),
            Spare("error"),
            Spare("timestamp", is_written=False),
            Spare("url", is_written=False),
        )

    def body(self, message: am.Msg, role: str, content: Any) -> Native:
        return {"name": self.name_of(message), "content": content, "role": role}

    def read_body(self, native: Native) -> dict[str, Any]:
        stamp = native.get("timestamp")
        if stamp is not None and not native.get("created_at") and not is_no_time(stamp):
            # It would differ from a message of 1.x in its spelling only.
            raise Unreadable
        return super().read_body(native)

    def taken_by_message(self, message: am.Msg) -> frozenset[str]:
        own, taken = natives.extras_of(message, FAMILY), super().taken_by_message(message)
        is_new = message.created_at is not None or ("created_at" in own and "created_at" not in taken)
        # Any other timestamp makes it a message of 1.x; an invalid one may stay if each version is written as read.
        is_free = is_new or (self.media.as_read and is_no_time(own.get("timestamp")))
        return taken if is_free else taken | {"timestamp"}


class _Python1(_Python):
    keys: ClassVar[frozenset[str]] = _KEYS | {"timestamp", "url"}
    spare: ClassVar[Mapping[str, Any]] = {**_SPARE, "url": None}
    is_brief: ClassVar[bool] = True
    has_urls: ClassVar[bool] = True
    time_key: ClassVar[str] = "timestamp"
    body_keys: ClassVar[tuple[str, ...]] = ("name", "role", "content")
    version: ClassVar[int] = 1
    tool_role: ClassVar[str] = "system"

    def items(self) -> tuple[Any, ...]:
        return (
            _ID,
            self.hatch(),
            Key("metadata", "metadata", Object(), "{}"),
            time_hatch("timestamp", FAMILY, is_old=True),
            # 1.x ignores these keys; they are written if there is a value.
            Key("usage", "usage", Nested(("usage",)), "may"),
            Key("finished_reason", "finish_reason", _REASON, "may"),
            Key("structured_output", "structured", Json(), "may"),
            Spare("finished_at", is_written=False),
            Spare("error", is_written=False),
        )

    def body(self, message: am.Msg, role: str, content: Any) -> Native:
        return {"name": self.name_of(message), "role": role, "content": content}

    def taken_by_message(self, message: am.Msg) -> frozenset[str]:
        # This key would make it a message of 2.x.
        return super().taken_by_message(message) | {"created_at"}


# -- versions ---------------------------------------------------------------------------------------------------------

_NEW = frozenset({"tool_call", "data", "hint"})
_OLD = frozenset({"tool_use", "image", "audio", "video"})


def detect(native: Any) -> int | None:
    """Return the version that a native message shows; None if it shows none."""
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
        version: the version to write; None writes each message and block in the version that it was read in.
    """
    as_read = version is None
    old = _Python1(as_read=as_read)

    def is_new(message: am.Msg) -> bool:
        """Whether a message has an unknown field that 1.x would read, or that would show 2.x."""
        own = natives.extras_of(message, FAMILY)
        if "created_at" in own or ("url" in own and old.has_url(message, own["url"])):
            return True
        return "timestamp" in own and message.created_at is not None

    dialects = {1: old, 2: _Python2(as_read=as_read)}
    return Messages(dialects, detect, joins=lambda version: version > 1, keeps_marks=True, is_new=is_new)


# -- what is supported -------------------------------------------------------------------------------------------------


@usually("isinstance(value, dict)")
def _structured(value: Any, message: am.Msg) -> Any:
    return value if is_mapping(value) or is_marked(message, FAMILY, "/shape") else None


@usually("value not in roles", roles=_ROLES | {"developer", "native"})
def _name(name: str, message: am.Msg) -> str | None:
    return None if name == usual_name(message.role) else name


def carried_fields(*, is_old: bool) -> Mapping[str, Cell]:
    """Return the cells of messages.

    Args:
        is_old: whether only 1.x is written.
    """
    fields: dict[str, Cell] = {"name": _name, "id": KEEP, "metadata": KEEP}
    if is_old:
        return {**fields, "created_at": old_times(FAMILY)}
    return {
        **fields,
        "created_at": KEEP,
        "usage": carried_usage,
        "finish_reason": _REASONS.cell(),
        "structured": _structured,
    }


_SURE, _LIKELY = 0.98, 0.7


def sniff_message(native: Native) -> float:
    """Return how much an object looks like a message of Python."""
    role, content = native.get("role"), native.get("content")
    if (
        type(role) is not str
        or role not in _ROLES
        or "type" in native
        or not (type(content) is str or is_list(content))
    ):
        return 0.0
    if native.get("name") is None:
        # Other programs send messages without a name; only AgentScope has both of these keys, or such blocks.
        return _SURE if native.keys() >= _ENDED or any(map(_is_own_part, parts_in(content))) else 0.0
    if type(native["name"]) is not str:
        return 0.0
    if native.keys() >= _OWN:
        return 1.0
    if not _SIGNS.isdisjoint(native):
        return _SURE if "metadata" in native or "id" in native else _LIKELY
    return _LIKELY if "metadata" in native and "id" in native else 0.0


def _is_own_part(part: Any) -> bool:
    """Whether a part is a call or a result that only AgentScope has."""
    kind: Any = part.get("type") if is_object(part) else None
    key = {"tool_call": "input", "tool_result": "output"}.get(kind) if type(kind) is str else None
    return key is not None and {"id", "name", key} <= part.keys()


_SIGNS = frozenset({"created_at", "timestamp", "finished_reason", "structured_output"})
_ENDED = frozenset({"finished_at", "finished_reason"})
_OWN = frozenset({"finished_reason", "structured_output"})
