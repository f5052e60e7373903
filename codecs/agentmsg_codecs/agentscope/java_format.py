"""The description of Java's blocks, of 2.x and 1.x, and of usage.

Marks: ``/as`` (the kind of block that media were read from), ``/at`` (the older key of input or output), ``/form``
(output that is a text, or one block), ``/no-id``, ``/unsaid`` (a result without a state), ``/word`` (a state that the
library doesn't have), ``/nulls`` (metadata of a result with null values), ``/total`` (usage with a total, which the
library writes and a plain ObjectMapper refuses).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import (
    KEEP,
    Unreadable,
    adopt,
    cells,
    is_list,
    is_mapping,
    is_marked,
    is_object,
    maker,
    mark_of,
    natives,
    spelling,
)
from agentmsg.formats.forms import (
    Described,
    Form,
    Hatch,
    Key,
    Link,
    Number,
    Object,
    Spare,
    Text,
    Whole,
    Words,
)
from agentmsg_codecs.agentscope.calls import aside, read_arguments, spelt, write_arguments
from agentmsg_codecs.agentscope.media import Media
from agentmsg_codecs.agentscope.names import CALL_STATES, HINT, JAVA, RESULT_STATES
from agentmsg_codecs.agentscope.shapes import object_or_none, without

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmsg.formats import Cell, Native

_SIGNATURE_KEY = "thoughtSignature"
GEMINI = "gemini"
_make_text = maker(am.TextBlock)
_make_signature = maker(am.Signature)
_ACTS = ("thinking", "tool_use")
_ARGUMENTS: Mapping[str, Any] = {
    "input": {"type": "object"},
    "arguments": {"type": "object"},
    "content": {"type": ["string", "null"]},
}
_LISTED: Mapping[str, Any] = {"type": "array", "items": {"$ref": "#/$defs/place_inner"}}
_SAID: Mapping[str, Any] = {"anyOf": [_LISTED, {"type": "string"}, {"$ref": "#/$defs/place_inner"}]}
_OUTPUT: Mapping[str, Any] = {"output": _SAID, "result": _SAID}


def described(message: tuple[Any, ...], *, as_read: bool) -> tuple[Described, Media]:
    """Return the description, and its media.

    Args:
        message: the items of messages.
        as_read: whether media are written as the kind of block that they were read from.
    """
    media = Media(
        family=JAVA,
        is_new=False,
        url_key="mime_type",
        aliases=("media_type", "mime_type", "mediaType", "mimeType"),
        ids=frozenset({"data"}),
        has_flat=False,
        as_read=as_read,
    )
    blocks = (
        Form("text", am.TextBlock, "text", (Key("text", "text", Text(), '""', default=""),)),
        Form("hint", am.TextBlock, HINT, (
            Key("id", "item_id", Link(), "null"), Key(HINT, "text", Text()), Spare("source")
        ), fixed={"phase": HINT}),
        Form("thinking", am.ThinkingBlock, "thinking", (
            Key("thinking", "thinking", Text(), '""'), _signed(is_null=True)
        )),
        Form("tool_use", am.ToolUseBlock, "tool_use", (
            Key("id", "id", Link(), "null", lacks="no-id"),
            Key("name", "name", Text()),
            Hatch(keys=("input", "arguments", "content"), cells={"input": KEEP, "raw_input": KEEP}, get=_read_input,
                  put=_write_input, odd=("arguments", "content"), schema=_ARGUMENTS),
            _signed(is_null=False),
            Key("state", "status", Words({}, known=CALL_STATES), "may"),
        ), schema={"properties": _ARGUMENTS}),
    )  # fmt: skip
    output = _Output()
    result = Form("tool_result", am.ToolResultBlock, "tool_result", (
        Key("id", "tool_call_id", Link(), "null", lacks="no-id"),
        Key("name", "name", Link(), "null"),
        Hatch(keys=("output", "result"), cells={"content": KEEP}, get=output.read, put=output.write, odd=("result",),
              schema=_OUTPUT),
        Key("metadata", "metadata", Object(), "{}", cell=_no_nulls),
        Key("state", "status", Words({}, known=RESULT_STATES), "may", lacks="unsaid"),
    ), marks={"nulls": lambda native: None in (native.get("metadata") or {}).values()})  # fmt: skip
    whole = Form("message", am.Msg, None, message, is_apart=True)
    forms = (*blocks, *media.forms(), result, USAGE, whole)
    names = (*(form.name for form in blocks), *media.names, "tool_result")
    places = {"assistant": names, "user": names, "system": names, "inner": ("text", *media.names)}
    odd = {"user": (*_ACTS, "hint"), "system": (*_ACTS, "hint", *media.names)}
    found = Described(JAVA, forms, places, odd=odd)
    output.parts = found.parts["inner"]
    return found, media


# -- signatures -------------------------------------------------------------------------------------------------------


def _unsigned(metadata: Mapping[str, Any], _: Any) -> Mapping[str, Any]:
    if not isinstance(metadata.get(_SIGNATURE_KEY), str):
        return metadata
    return without(metadata, _SIGNATURE_KEY)


def _no_nulls(metadata: Mapping[str, Any], block: am.ToolResultBlock) -> Mapping[str, Any]:
    if None not in metadata.values() or is_marked(block, JAVA, "/nulls"):
        return metadata
    return {key: value for key, value in metadata.items() if value is not None}


def _signed(*, is_null: bool) -> Hatch:
    """Return the item for the metadata of thinking or a call, which include a signature of Gemini's.

    Args:
        is_null: whether they are null if there are none; otherwise they are an empty object.
    """

    def read(native: Native) -> dict[str, Any]:
        metadata = object_or_none(native, "metadata")
        if not metadata:
            found = "absent" if "metadata" not in native else "null" if native["metadata"] is None else "{}"
            return {"notes": {} if found == ("null" if is_null else "{}") else {"metadata": found}}
        value = metadata.get(_SIGNATURE_KEY)
        if type(value) is not str:
            return {"metadata": adopt(metadata)}
        rest = without(metadata, _SIGNATURE_KEY)
        return {"metadata": adopt(rest), "signature": _make_signature(GEMINI, value)}

    def write(block: Any) -> Native:
        signed = {} if block.signature is None else {_SIGNATURE_KEY: block.signature.value}
        rest: Native = thaw(block.metadata) if block.metadata else {}
        return {"metadata": {**signed, **rest} or (None if is_null else {})}

    cells: dict[str, Cell] = {"metadata": _unsigned, "signature": KEEP}
    schema = {"metadata": {"type": ["object", "null"]}}
    return Hatch(keys=("metadata",), cells=cells, get=read, put=write, schema=schema)


# -- calls ------------------------------------------------------------------------------------------------------------


def _read_input(native: Native) -> dict[str, Any]:
    if not native.get("input") and native.get("arguments"):
        found = read_arguments(native, "arguments", "content", is_written=True)
        other, mark = aside(native, "input"), {"/at": "arguments"}
    else:
        given: Native = native if "input" in native else {**native, "input": {}}
        found = read_arguments(given, "input", "content", is_written=True)
        other, mark = aside(native, "arguments"), spelt(native, "input", is_null=True) if given is not native else {}
    notes = {**found["notes"], **other["notes"], **mark}
    return {**found, "notes": notes, "odd": (*found["odd"], *other["odd"])}


def _write_input(block: am.ToolUseBlock) -> Native:
    given, text = write_arguments(block)
    key = "arguments" if given and mark_of(block, JAVA, "/at") == "arguments" else "input"
    if text is None and natives.has_extra(block, JAVA, "content"):
        return {key: given}
    return {key: given, "content": text}


# -- results ----------------------------------------------------------------------------------------------------------


class _Output:
    """Reads and writes the output of a result: a list of parts; in older versions also a text, or one part.

    Attributes:
        parts: the table of the parts; to be set before use.
    """

    parts: Any

    def read(self, native: Native) -> dict[str, Any]:
        key, other = ("result", "output") if not native.get("output") and native.get("result") else ("output", "result")
        output: Any = native.get(key)
        notes: Native = {} if key == "output" else {"/at": key}
        content: tuple[Any, ...] = ()
        if is_list(output):
            content = tuple(map(self.parts.read, output))
        elif type(output) is str and output:
            content, notes["/form"] = (_make_text(output),), "text"
        elif is_object(output) and output:
            content, notes["/form"] = (self.parts.read(output),), "block"
        elif output is not None:
            raise Unreadable
        else:
            notes |= {key: "null" if key in native else "absent"}
        if other not in native:
            return {"content": content, "notes": notes}
        name = spelling.spelling_of(native[other])
        if name is None and other == "output":
            raise Unreadable
        if name is None:
            return {"content": content, "notes": notes, "odd": (other,)}
        return {"content": content, "notes": {**notes, other: name}}

    def write(self, block: am.ToolResultBlock) -> Native:
        content: Any = block.content
        parts: list[Any] = list(map(self.parts.write, content))
        if not block.notes:
            return {"output": parts}
        key = "result" if content and mark_of(block, JAVA, "/at") == "result" else "output"
        form = mark_of(block, JAVA, "/form") if len(content) == 1 else None
        if form == "text" and natives.is_bare_text(content[0], JAVA):
            return {key: content[0].text}
        return {key: parts[0] if form == "block" and is_object(parts[0]) and parts[0] else parts}


# -- usage ------------------------------------------------------------------------------------------------------------

_COUNT_TYPES = (int, type(None))
_COUNTS: Mapping[str, str] = {"inputTokens": "input", "outputTokens": "output", "cachedTokens": "cache_read",
                             "cacheCreationInputTokens": "cache_write"}  # fmt: skip
USAGE = Form("usage", am.Usage, None, (
    *(Key(key, name, Whole(), "may") for key, name in _COUNTS.items()),
    Key("time", "seconds", Number(), "may"),
    Key("totalTokens", "total", Whole(), "may"),
), marks={
    "total": lambda native: native.get("totalTokens") is not None,
    "written": lambda native: native.get("cacheCreationInputTokens") is not None,
})  # fmt: skip


def is_usage(value: Any) -> bool:
    """Whether a value of metadata is usage, as in older versions."""
    if not is_mapping(value):
        return False
    counts = (value.get(key) for key in (*_COUNTS, "totalTokens"))
    return all(type(count) in _COUNT_TYPES for count in counts) and type(value.get("time")) in (*_COUNT_TYPES, float)


_RARE = {"total": "/total", "cache_write": "/written"}


def _wanted(usage: am.Usage) -> dict[str, Any]:
    """Drop counts that not every reader accepts, unless they were read."""
    rare = [name for name in _RARE if getattr(usage, name) is not None]
    return {name: None for name in rare if not is_marked(usage, JAVA, _RARE[name])}


carried_usage = cells.usage(
    {**dict.fromkeys((*_COUNTS.values(), "seconds", "total"), KEEP), "extras": cells.beside((JAVA, USAGE.keys))},
    wanted=_wanted,
    case="value.total is None and value.cache_write is None",
)
