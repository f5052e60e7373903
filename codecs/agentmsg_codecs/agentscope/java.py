"""agentscope-java: messages of AgentScope for Java, 2.x and 1.x, as its JSON codec writes them.

A document is one message, a list of messages, or an object that holds the list under ``messages`` or ``context``. The
document shows its version. New messages take the version of the history they join.

Follows the sources of August 2026: 2.0.2 and later, branch 1.x, and 0.1.0.

| AgentScope for Java | agentmsg |
| --- | --- |
| role: USER, ASSISTANT, SYSTEM, TOOL | user, assistant, system, tool; developer becomes system |
| metadata | metadata, without the keys below |
| metadata: _structured_output | structured |
| metadata: agentscope_generate_reason MODEL_STOP; TOOL_CALLS | finish_reason "stop"; "tool_use" |
| metadata: agentscope_generate_reason, any other | the same word in lower case |
| timestamp (milliseconds, no zone) | created_at |
| usage; in 1.x _chat_usage of the metadata | usage; its total and cache_write only if they were read |
| thinking: metadata; its thoughtSignature | ThinkingBlock: metadata; Signature of Gemini |
| tool_use: metadata; its thoughtSignature; state (2.x) | metadata; Signature of Gemini; status |
| tool_use whose state is asking | ToolUseBlock, ApprovalRequestBlock |
| data (2.x): id, name | FileBlock, or the class of its media type: item_id, name |
| any other part or message | NativeBlock; a message with the role "native" |
| unknown keys; minPixels and similar; source of a hint; an invalid time | extras["agentscope-java"] |
| arguments beside input; result beside output; a second media type | extras["agentscope-java"] |

These are read, too, and written back unchanged: roles in any case, ``arguments`` for ``input``, ``result`` for
``output``, a text or one block as output, one block as content (0.1.0), and other names of media types. The metadata
``agentscope_suspended`` marks a suspended result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import (
    KEEP,
    Native,
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
    usually,
    write_as,
)
from agentmsg.formats.forms import Described, Form, Hatch, Key, Link, Number, Object, Spare, Text, Whole
from agentmsg_codecs.agentscope.dialect import (
    Dialect,
    Reasons,
    aside,
    object_or_none,
    parts_in,
    read_arguments,
    spelt,
    state_key,
    time_hatch,
    without,
    write_arguments,
)
from agentmsg_codecs.agentscope.media import Media
from agentmsg_codecs.agentscope.messages import AgentScope, Messages, Sessions
from agentmsg_codecs.agentscope.names import CALL_STATES, HINT, JAVA, RESULT_STATES
from agentmsg_codecs.wire.chats import raw_call

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg.formats import Cell, Parts


# Marks of blocks: "/as" (the kind of block that media were read from), "/at" (the older key of input or output),
# "/form" (output that is a text, or one block), "/no-id", "/unsaid" (a result without a state), "/word" (a state that
# the library doesn't have), "/nulls" (metadata of a result with null values). Of usage: "/total" (it has a total, which
# the library writes and a plain ObjectMapper refuses). Of messages: "/time" (see dialect.py), "/word" (see Reasons),
# "/usage" (usage in the other version's place: "top", "metadata"), "/both" (metadata has usage, too).

_SIGNATURE_KEY = "thoughtSignature"
GEMINI = "gemini"
_make_text = maker(am.TextBlock)
_make_signature = maker(am.Signature)
_ACTS = ("thinking", "tool_use")
_ARGUMENTS: Mapping[str, Any] = {
    "input": {"type": "object"}, "arguments": {"type": "object"}, "content": {"type": ["string", "null"]},
}  # fmt: skip
_LISTED: Mapping[str, Any] = {"type": "array", "items": {"$ref": "#/$defs/place_inner"}}
_SAID: Mapping[str, Any] = {"anyOf": [_LISTED, {"type": "string"}, {"$ref": "#/$defs/place_inner"}]}
_OUTPUT: Mapping[str, Any] = {"output": _SAID, "result": _SAID}


def described(message: tuple[Any, ...], *, as_read: bool) -> tuple[Described, Media]:
    """Return the description, and its media.

    Args:
        message: the items of messages.
        as_read: whether media are written as the kind of block that they were read from.
    """
    media = Media(family=JAVA, is_new=False, url_key="mime_type", ids=frozenset({"data"}), has_flat=False,
                  aliases=("media_type", "mime_type", "mediaType", "mimeType"), as_read=as_read)  # fmt: skip
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
            state_key(CALL_STATES, JAVA),
        ), schema={"properties": _ARGUMENTS}),
    )  # fmt: skip
    result = Form("tool_result", am.ToolResultBlock, "tool_result", (
        Key("id", "tool_call_id", Link(), "null", lacks="no-id"),
        Key("name", "name", Link(), "null"),
        _output(lambda: found.parts["inner"]),
        Key("metadata", "metadata", Object(), "{}", cell=_no_nulls),
        state_key(RESULT_STATES, JAVA, lacks="unsaid"),
    ), marks={"nulls": lambda native: None in (native.get("metadata") or {}).values()})  # fmt: skip
    whole = Form("message", am.Msg, None, message, is_apart=True)
    forms = (*blocks, *media.forms(), result, USAGE, whole)
    names = (*(form.name for form in blocks), *media.names, "tool_result")
    places = {"assistant": names, "user": names, "system": names, "inner": ("text", *media.names)}
    odd = {"user": (*_ACTS, "hint"), "system": (*_ACTS, "hint", *media.names)}
    found = Described(JAVA, forms, places, odd=odd)
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

    supported: dict[str, Cell] = {"metadata": _unsigned, "signature": cells.signed_by(GEMINI, is_empty=True)}
    schema = {"metadata": {"type": ["object", "null"]}}
    return Hatch(keys=("metadata",), cells=supported, get=read, put=write, schema=schema)


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


def _output(inner: Callable[[], Parts]) -> Hatch:
    """Return the hatch of the output of a result: a list of parts; in older versions also a text, or one part.

    Args:
        inner: returns the table of the parts.
    """

    def read(native: Native) -> dict[str, Any]:
        key, other = ("result", "output") if not native.get("output") and native.get("result") else ("output", "result")
        output: Any = native.get(key)
        notes: Native = {} if key == "output" else {"/at": key}
        content: tuple[Any, ...] = ()
        if is_list(output):
            content = tuple(map(inner().read, output))
        elif type(output) is str and output:
            content, notes["/form"] = (_make_text(output),), "text"
        elif is_object(output) and output:
            content, notes["/form"] = (inner().read(output),), "block"
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

    def write(block: am.ToolResultBlock) -> Native:
        content: Any = block.content
        parts: list[Any] = list(map(inner().write, content))
        if not block.notes:
            return {"output": parts}
        key = "result" if content and mark_of(block, JAVA, "/at") == "result" else "output"
        form = mark_of(block, JAVA, "/form") if len(content) == 1 else None
        if form == "text" and natives.is_bare_text(content[0], JAVA):
            return {key: content[0].text}
        return {key: parts[0] if form == "block" and is_object(parts[0]) and parts[0] else parts}

    return Hatch(keys=("output", "result"), cells={"content": KEEP}, get=read, put=write, odd=("result",),
                 schema=_OUTPUT)  # fmt: skip


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
    time_key: ClassVar[str] = "timestamp"
    body_keys: ClassVar[tuple[str, ...]] = ("role", "content")
    words: ClassVar[Mapping[str, str]] = _WORDS
    # The usual place of usage.
    usage_at: ClassVar[str]

    def describe(self, *, as_read: bool) -> tuple[Described, Media]:
        return described(self._items(), as_read=as_read)

    def _items(self) -> tuple[Any, ...]:
        supported: dict[str, Cell] = {"metadata": _metadata, "structured": KEEP, "finish_reason": _REASONS.cell()}
        metadata = Hatch(keys=("metadata",), cells=supported, get=self._read_metadata, put=self._write_metadata,
                         about="metadata, structured, finish_reason")  # fmt: skip
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


class AgentScopeJavaCodec(AgentScope):
    """Messages of AgentScope for Java; for its options see ``AgentScope``."""

    name: ClassVar[str] = "agentscope-java"
    family: ClassVar[str] = JAVA
    fits_as_read: ClassVar[bool] = True
    title: ClassVar[str] = "AgentScope (Java)"
    containers: ClassVar[Sessions] = Sessions(
        family=JAVA, title="AgentScope for Java", keys=("messages", "context"), own=frozenset({"role"})
    )
    messages = JavaMessages

    def raw_arguments(self, own: Any) -> list[tuple[tuple[str | int, ...], Any]]:
        """Return the arguments of a raw call."""
        return raw_call(own, "input") if is_mapping(own) and own.get("type") == "tool_use" else []
