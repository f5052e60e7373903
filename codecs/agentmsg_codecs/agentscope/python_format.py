"""The description of Python's blocks, of 2.x and 1.x: text, hints, thinking, calls, results, usage.

Both dialects read the same blocks; they differ in what they write by default. Marks: ``/as`` (the kind of block that a
call was read from), ``/object`` (a call of 2.x with an object as its input), ``/no-id``, ``/unsaid`` (a result without
a state), ``/word`` (a state that the library doesn't have), ``/list`` (output that is a list, though a text would do),
``/any`` (output that is neither, as in 0.x), ``/partial`` (usage without the count of input or output).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import KEEP, cells, is_list, is_marked, is_object, mark_of, natives, usually
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
    Object,
    Spare,
    Text,
    Whole,
    Words,
    Wrapped,
)
from agentmsg_codecs.agentscope.calls import read_arguments, write_arguments
from agentmsg_codecs.agentscope.media import SOURCES, Media
from agentmsg_codecs.agentscope.names import CALL_STATES, FAMILY, HINT, RESULT_STATES, SIGNER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmsg.formats import Native

_RAW = "raw_input"
_ARGUMENTS: Mapping[str, Any] = {"input": {"type": "object"}, _RAW: {"type": ["string", "null"]}}
_ID = Key("id", "item_id", Link(), "may")
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
    media = Media(
        family=FAMILY,
        is_new=is_new,
        ids=frozenset({"image", "audio", "video", "data"}),
        spare=(ended,),
        has_flat=True,
        as_read=as_read,
    )
    text = (Key("text", "text", Text()), _ID, ended)
    forms = (
        Form("text", am.TextBlock, "text", text),
        # 2.x recognises a block without a type by its other keys.
        Form("untyped", am.TextBlock, None, (Const("type", "text"), *text), is_only_read=True),
        *_hints(ended, is_new=is_new),
        Form("thinking", am.ThinkingBlock, "thinking", (
            Key("thinking", "thinking", Text()),
            _ID,
            ended,
            Key("signature", "signature", Wrapped(am.Signature, "value", {"provider": SIGNER}), "may"),
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
    rest = (_ID, Spare("source", is_written=is_new), ended)
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
        Key("state", "status", Words({}, known=CALL_STATES), "may"),
        Spare("suggested_rules", [], is_written=ended.is_written),
        ended,
    )
    both = Hatch(
        keys=("input", _RAW),
        cells={"input": KEEP, _RAW: KEEP},
        get=_read_input,
        put=_write_input,
        odd=(_RAW,),
        must=("input",),
        schema=_ARGUMENTS,
    )
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
        Key("state", "status", Words({}, known=RESULT_STATES), "may", lacks="unsaid"),
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
    "input_tokens": "input",
    "output_tokens": "output",
    "cache_input_tokens": "cache_read",
    "cache_creation_input_tokens": "cache_write",
}
USAGE = Form(
    "usage",
    am.Usage,
    None,
    tuple(Key(key, name, Whole(), "may") for key, name in _COUNTS.items()),
    marks={"partial": lambda native: native.get("input_tokens") is None or native.get("output_tokens") is None},
)


carried_usage = cells.usage(
    {**dict.fromkeys(_COUNTS.values(), KEEP), "extras": cells.beside((FAMILY, frozenset(_COUNTS)))},
    needs=("input", "output"),
    family=FAMILY,
)
