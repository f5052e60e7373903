"""Python's messages of 2.x and 1.x: what is beside content.

Marks: ``/time`` (see times.py), ``/word`` (see ``Reasons``), ``/shape`` (structured output that isn't an object).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from agentmsg.formats import (
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
from agentmsg_codecs.agentscope.names import FAMILY, SIGNER
from agentmsg_codecs.agentscope.python_format import carried_usage, described
from agentmsg_codecs.agentscope.shapes import Reasons, parts_in
from agentmsg_codecs.agentscope.times import is_no_time, time_hatch

if TYPE_CHECKING:
    from collections.abc import Mapping

    import agentmsg as am
    from agentmsg.formats.forms import Described
    from agentmsg_codecs.agentscope.media import Media

_ID = Key("id", "id", Link(), "may")
_REASONS = Reasons(FAMILY, {
    "completed": "stop", "interrupted": "interrupted", "exceed_max_iters": "exceed_max_iters", "error": "error",
})  # fmt: skip
_REASON = Via(_REASONS.read, _REASONS.write, supports=_REASONS.cell(), is_marking=True)
_ROLES = frozenset({"user", "assistant", "system", "tool"})


# -- messages ---------------------------------------------------------------------------------------------------------


def usual_name(role: str) -> str:
    """Return the name of messages without one: their role, but "system" for results."""
    return "system" if role == "tool" else role


@usually("isinstance(value, dict)")
def _structured(value: Any, message: am.Msg) -> Any:
    return value if is_mapping(value) or is_marked(message, FAMILY, "/shape") else None


@usually("value not in roles", roles=_ROLES | {"developer", "native"})
def _name(name: str, message: am.Msg) -> str | None:
    return None if name == usual_name(message.role) else name


class _Python(Dialect):
    family: ClassVar[str] = FAMILY
    signer: ClassVar[str] = SIGNER
    name_cell: ClassVar[Cell] = _name
    version: ClassVar[int]
    # The role of a message of nothing but results.
    tool_role: ClassVar[str]

    def describe(self, *, as_read: bool) -> tuple[Described, Media]:
        return described(self.version, self.items(), as_read=as_read)

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
            Key("usage", "usage", Nested(("usage",)), "null", cell=carried_usage),
            Spare("finished_at"),
            Key("finished_reason", "finish_reason", _REASON, "null"),
            Key("structured_output", "structured", Json(), "null", cell=_structured),
            Spare("error"),
            # The keys that only 1.x has.
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
        is_free = is_new or (self.as_read and is_no_time(own.get("timestamp")))
        return taken if is_free else taken | {"timestamp"}


class _Python1(_Python):
    # It ignores these keys of messages; they are written if there is a value.
    lacks: ClassVar[frozenset[str]] = frozenset({"usage", "finish_reason", "structured"})
    lacks_in_blocks: ClassVar[frozenset[str]] = frozenset({"item_id", "metadata", "redacted", "status"})
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
            Key("usage", "usage", Nested(("usage",)), "may", cell=carried_usage),
            Key("finished_reason", "finish_reason", _REASON, "may"),
            Key("structured_output", "structured", Json(), "may", cell=_structured),
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
_SIGNS = frozenset({"created_at", "timestamp", "finished_reason", "structured_output"})
_ENDED = frozenset({"finished_at", "finished_reason"})
_OWN = frozenset({"finished_reason", "structured_output"})
_SURE, _LIKELY = 0.98, 0.7


def _is_own_part(part: Any) -> bool:
    """Whether a part is a call or a result that only AgentScope has."""
    kind: Any = part.get("type") if is_object(part) else None
    key = {"tool_call": "input", "tool_result": "output"}.get(kind) if type(kind) is str else None
    return key is not None and {"id", "name", key} <= part.keys()


class PythonMessages(Messages):
    """Messages of AgentScope for Python."""

    kinds: ClassVar[Mapping[int, type[Dialect]]] = {1: _Python1, 2: _Python2}
    joining: ClassVar[frozenset[int]] = frozenset({2})
    keeps_marks: ClassVar[bool] = True

    @staticmethod
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

    @staticmethod
    def sniff(native: Native) -> float:
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

    def is_new(self, message: am.Msg) -> bool:
        """Whether a message has an unknown field that 1.x would read, or that would show 2.x."""
        own = natives.extras_of(message, FAMILY)
        if "created_at" in own or ("url" in own and self.dialects[1].has_url(message, own["url"])):
            return True
        return "timestamp" in own and message.created_at is not None
