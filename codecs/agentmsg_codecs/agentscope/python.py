"""Python's messages of 2.x and 1.x: the description of their blocks, and what is beside content.

Both dialects read the same blocks; they differ in what they write by default. Marks: ``/as`` (the kind of block that a
call was read from), ``/object`` (a call of 2.x with an object as its input), ``/no-id``, ``/unsaid`` (a result without
a state), ``/word`` (a state or a reason that the library doesn't have), ``/list`` (output that is a list, though a text
would do), ``/any`` (output that is neither, as in 0.x), ``/partial`` (usage without the count of input or output),
``/time`` (see dialect.py), ``/shape`` (structured output that isn't an object).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg.formats import (
    KEEP,
    Cell,
    Native,
    Unreadable,
    cells,
    is_list,
    is_mapping,
    is_marked,
    is_object,
    mark_of,
    natives,
    usually,
)
from agentmsg.formats.forms import (
    Arguments,
    Const,
    Content,
    Described,
    Form,
    Hatch,
    Input,
    Json,
    Key,
    Link,
    Nested,
    Object,
    Spare,
    Text,
    Via,
    Whole,
    Wrapped,
)
from agentmsg_codecs.agentscope.dialect import (
    Dialect,
    Reasons,
    is_no_time,
    parts_in,
    read_arguments,
    state_key,
    time_hatch,
    write_arguments,
)
from agentmsg_codecs.agentscope.media import SOURCES, Media
from agentmsg_codecs.agentscope.messages import Messages
from agentmsg_codecs.agentscope.names import CALL_STATES, FAMILY, HINT, RESULT_STATES, SIGNER

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping


_RAW = "raw_input"
_ARGUMENTS: Mapping[str, Any] = {"input": {"type": "object"}, _RAW: {"type": ["string", "null"]}}
_ITEM_ID = Key("id", "item_id", Link(), "may")
_LINK = Key("id", "id", Link(), "may", lacks="no-id")
_NAME = Key("name", "name", Text())
ODD_ACTS = ("thinking", "object_call", "tool_call", "tool_use")


def described(version: int, message: tuple[Any, ...], *, as_read: bool) -> tuple[Described, Media]:
    """Return the description of a dialect, and its media.

    Args:
        version: 1 or 2.
        message: the items of messages.
        as_read: whether what was read from a block of the other version is written as such.
    """
    is_new = version > 1
    ended = Spare("finished_at", is_written=is_new)
    media = Media(family=FAMILY, is_new=is_new, ids=frozenset({"image", "audio", "video", "data"}), spare=(ended,),
                  has_flat=True, as_read=as_read)  # fmt: skip
    text = (Key("text", "text", Text()), _ITEM_ID, ended)
    forms = (
        Form("text", am.TextBlock, "text", text),
        # 2.x recognises a block without a type by its other keys.
        Form("untyped", am.TextBlock, None, (Const("type", "text"), *text), is_only_read=True),
        *_hints(ended, is_new=is_new),
        Form("thinking", am.ThinkingBlock, "thinking", (
            Key("thinking", "thinking", Text()),
            _ITEM_ID,
            ended,
            Key("signature", "signature", Wrapped(am.Signature, "value", {"provider": SIGNER}), "may",
                cell=cells.signed_by(SIGNER, is_empty=True)),
            Key("redacted_thinking_data", "redacted", Text(), "may", cell=cells.sealed_by(SIGNER)),
        )),
        *_calls(ended, version, as_read=as_read),
        *_results(ended, is_new=is_new),
        *media.forms(),
        USAGE,
        Form("message", am.Msg, None, message, marks={"shape": _is_odd_shape}, is_apart=True),
    )  # fmt: skip
    names = tuple(form.name for form in forms if not form.is_apart and form.name not in (*SOURCES, "usage"))
    hints, acts = ("hint", "hint_list"), ODD_ACTS
    inner = tuple(name for name in names if name not in (*hints, *acts, "tool_result", "any_result"))
    places = {"assistant": names, "user": names, "system": names, "inner": inner}
    odd = {"user": (*acts, *hints), "system": (*acts, *hints, *media.names)}
    return Described(FAMILY, forms, places, odd=odd), media


def _hints(ended: Spare, *, is_new: bool) -> tuple[Form, ...]:
    """Return the forms of hints: a text, or a list of parts."""
    rest = (_ITEM_ID, Spare("source", is_written=is_new), ended)
    parts = Wrapped(am.BlocksSource, "content", of=Content("inner", is_strict=True))
    return (
        Form("hint", am.TextBlock, HINT, (Key(HINT, "text", Text()), *rest), fixed={"phase": HINT},
             fits=lambda native: type(native.get(HINT)) is str),
        Form("hint_list", am.FileBlock, HINT, (Key(HINT, "source", parts), *rest), fixed={"phase": HINT},
             fits=lambda native: is_list(native.get(HINT)),
             when=lambda block: isinstance(block.source, am.BlocksSource)),
    )  # fmt: skip


def _calls(ended: Spare, version: int, *, as_read: bool) -> tuple[Form, ...]:
    """Return the forms of calls, one for each version; the other version's is written if it was read."""
    beside = (
        state_key(CALL_STATES, FAMILY),
        Spare("suggested_rules", [], is_written=ended.is_written),
        ended,
    )
    both = Hatch(keys=("input", _RAW), cells={"input": KEEP, _RAW: KEEP}, get=_read_input, put=_write_input,
                 odd=(_RAW,), must=("input",), schema=_ARGUMENTS)  # fmt: skip
    items: dict[int, Key | Hatch] = {2: Key("input", "input", Arguments()), 1: both}
    found: list[Form] = []
    for own, tag in ((2, "tool_call"), (1, "tool_use")):
        other: dict[str, Any] = {} if own == version else {"notes": {"as": tag}, "is_only_read": not as_read}
        if other and as_read:
            other["when"] = partial(_was, tag)
        if own > 1:
            given = Key("input", "input", Input())
            found.append(_object_call((_LINK, _NAME, given, *beside), other, as_read=as_read))
        found.append(Form(tag, am.ToolUseBlock, tag, (_LINK, _NAME, items[own], *beside), **other))
    return tuple(sorted(found, key=lambda form: form.is_only_read))


def _object_call(items: tuple[Any, ...], other: Mapping[str, Any], *, as_read: bool) -> Form:
    """Return the form of calls of 2.x with an object as their input, which only applications write."""
    was, notes = other.get("when"), {**other.get("notes", {}), "object": True}

    def when(block: am.ToolUseBlock) -> bool:
        return is_marked(block, FAMILY, "/object") and (was is None or was(block))

    return Form("object_call", am.ToolUseBlock, "tool_call", items, notes=notes, when=when, is_only_read=not as_read,
                fits=lambda native: is_object(native.get("input")))  # fmt: skip


def _was(tag: str, block: am.ToolUseBlock) -> bool:
    """Whether a call was read from one with this tag, which is the other version's.

    An unknown field that calls of 1.x know makes a call one of 2.x, unless it was read in one of 1.x.
    """
    mark = mark_of(block, FAMILY, "/as")
    return bool(mark == tag or (tag == "tool_call" and mark != "tool_use" and _RAW in natives.extras_of(block, FAMILY)))


def _read_input(native: Native) -> dict[str, Any]:
    found = read_arguments(native, "input", _RAW, is_written=False)
    if found["odd"]:
        # The text is unknown in one kind of call only; so the call must be written as this kind in any message.
        found["notes"] = {**found["notes"], "/as": "tool_use"}
    return found


def _write_input(block: am.ToolUseBlock) -> Native:
    given, text = write_arguments(block)
    return {"input": given} if text is None else {"input": given, _RAW: text}


@usually("value")
def _filled(name: str, _: Any) -> str | None:
    return name or None


def _results(ended: Spare, *, is_new: bool) -> tuple[Form, ...]:
    """Return the forms of results: of a text or blocks, and of any JSON, as in 0.x."""
    link = Key("id", "tool_call_id", Link(), "may", lacks="no-id")
    name = Key("name", "name", Link(), '""', cell=_filled)
    rest = (
        state_key(RESULT_STATES, FAMILY, lacks="unsaid"),
        Key("metadata", "metadata", Object(), "{}" if is_new else "may"),
        ended,
    )
    return (
        Form("tool_result", am.ToolResultBlock, "tool_result", (
            link, name, Key("output", "content", Content("inner"), '""'), *rest
        ), fits=lambda native: type(native.get("output")) in _CONTENT),
        Form("any_result", am.ToolResultBlock, "tool_result", (
            link, name, Key("output", "structured", Json()), *rest
        ), notes={"any": True}, fits=lambda native: type(native.get("output")) not in _CONTENT,
             schema={"properties": {"output": {"type": ["boolean", "number", "object"]}}},
             when=lambda block: block.structured is not None and not block.content),
    )  # fmt: skip


# The types of an output that is content.
_CONTENT = frozenset({str, list, type(None)})


def _is_odd_shape(native: Native) -> bool:
    """Whether structured output isn't an object."""
    structured: Any = native.get("structured_output")
    return structured is not None and not is_object(structured)


# -- usage ------------------------------------------------------------------------------------------------------------

_COUNTS = {
    "input_tokens": "input", "output_tokens": "output", "cache_input_tokens": "cache_read",
    "cache_creation_input_tokens": "cache_write",
}  # fmt: skip
USAGE = Form("usage", am.Usage, None, tuple(Key(key, name, Whole(), "may") for key, name in _COUNTS.items()), marks={
    "partial": lambda native: native.get("input_tokens") is None or native.get("output_tokens") is None,
})  # fmt: skip


carried_usage = cells.usage(
    {**dict.fromkeys(_COUNTS.values(), KEEP), "extras": cells.beside((FAMILY, frozenset(_COUNTS)))},
    needs=("input", "output"),
    family=FAMILY,
)


_ID = Key("id", "id", Link(), "may")
_REASONS = Reasons(FAMILY, {
    "completed": "stop", "interrupted": "interrupted", "exceed_max_iters": "exceed_max_iters", "error": "error",
})  # fmt: skip
_REASON = Via(_REASONS.read, _REASONS.write, supports=_REASONS.cell(), is_marking=True)
_ROLES = frozenset({"user", "assistant", "system", "tool"})


# -- messages ---------------------------------------------------------------------------------------------------------


# The name of messages without one, by role; it is their word for the role, too, except for results.
_NAMES = {role: role for role in _ROLES} | {"tool": "system"}


@usually("isinstance(value, dict)")
def _structured(value: Any, message: am.Msg) -> Any:
    return value if is_mapping(value) or is_marked(message, FAMILY, "/shape") else None


@usually("value not in roles", roles=_ROLES | {"developer", "native"})
def _name(name: str, message: am.Msg) -> str | None:
    return None if name == _NAMES.get(message.role, message.role) else name


class _Python(Dialect):
    family: ClassVar[str] = FAMILY
    name_cell: ClassVar[Cell] = _name
    version: ClassVar[int]
    names: ClassVar[Mapping[str, str]] = _NAMES

    def describe(self, *, as_read: bool) -> tuple[Described, Media]:
        return described(self.version, self.items(), as_read=as_read)

    def items(self) -> tuple[Any, ...]:
        """Return the items of messages."""
        raise NotImplementedError

    def model_role(self, word: str) -> str | None:
        return word if word in _ROLES else None


class _Python2(_Python):
    time_key: ClassVar[str] = "created_at"
    body_keys: ClassVar[tuple[str, ...]] = ("name", "content", "role")
    version: ClassVar[int] = 2
    words: ClassVar[Mapping[str, str]] = _NAMES | {"tool": "assistant"}

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

    def read_body(self, native: Native) -> dict[str, Any]:
        stamp = native.get("timestamp")
        if stamp is not None and not native.get("created_at") and not is_no_time(stamp):
            # It would differ from a message of 1.x in its spelling only.
            raise Unreadable
        return super().read_body(native)

    def taken(self, own: Mapping[str, Any], message: am.Msg) -> Collection[str]:
        is_new = message.created_at is not None or "created_at" in own
        # Any other timestamp makes it a message of 1.x; an invalid one may stay if each version is written as read.
        is_free = is_new or (self.as_read and is_no_time(own.get("timestamp")))
        return (*(() if is_free else ("timestamp",)), *(("url",) if self.has_url(message, None) else ()))


class _Python1(_Python):
    # It ignores these keys of messages; they are written if there is a value.
    lacks: ClassVar[frozenset[str]] = frozenset({"usage", "finish_reason", "structured"})
    lacks_in_blocks: ClassVar[frozenset[str]] = frozenset({"item_id", "metadata", "redacted", "status"})
    is_brief: ClassVar[bool] = True
    has_urls: ClassVar[bool] = True
    time_key: ClassVar[str] = "timestamp"
    body_keys: ClassVar[tuple[str, ...]] = ("name", "role", "content")
    version: ClassVar[int] = 1
    words: ClassVar[Mapping[str, str]] = _NAMES

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

    def taken(self, own: Mapping[str, Any], message: am.Msg) -> Collection[str]:
        return ("created_at",)


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
