"""The blocks of Java's messages, of 2.x and 1.x.

Marks: ``/as`` (the kind of block that media were read from), ``/at`` (the older key that input or output stood
under), ``/form`` (output that is a text, or one block), ``/no-id``, ``/unsaid`` (a result without state), ``/word`` (a
state that the library does not have), ``/nulls`` (metadata of a result with null values).
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import (
    Native,
    Shape,
    Unreadable,
    adopt,
    is_bare_text,
    is_list,
    is_object,
    maker,
    mark_of,
    marked,
    natives,
    text_at,
    tool_arguments,
    word_at,
)
from agentmsg_codecs.agentscope.calls import marks_for, read_arguments, says_otherwise, write_arguments
from agentmsg_codecs.agentscope.media import Media
from agentmsg_codecs.agentscope.names import CALL_STATES, HINT, JAVA, RESULT_STATES
from agentmsg_codecs.agentscope.quick import quick_text
from agentmsg_codecs.agentscope.shapes import (
    Spared,
    object_or_none,
    own_extras,
    spared,
    text_or_none,
    with_spare,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


SIGNATURE_KEY = "thoughtSignature"
_GEMINI = "gemini"
_make_text = maker(am.TextBlock)
_make_thinking = maker(am.ThinkingBlock)
_make_signature = maker(am.Signature)
_make_call = maker(am.ToolUseBlock)
_make_result = maker(am.ToolResultBlock)
_HINT: Mapping[str, Any] = MappingProxyType({"source": None})
_TEXT_APART: Mapping[str, Any] = MappingProxyType({"content": None})
_NONE: Mapping[str, Any] = MappingProxyType({})


class JavaBlocks:
    """The shapes of Java's blocks.

    Args:
        as_read: whether media are written as the kind of block that they were read from.

    Attributes:
        media: images, sound, videos and files.
        read_inner, write_inner: read and write what stands inside results; to be set before use.
    """

    def __init__(self, *, as_read: bool) -> None:
        self.media = Media(
            family=JAVA,
            by_kind=True,
            url_key="mime_type",
            aliases=("media_type", "mime_type", "mediaType", "mimeType"),
            typed=False,
            data_first=False,
            ids=frozenset({"data"}),
            spare=_NONE,
            writes_spare=False,
            flat=False,
            as_read=as_read,
        )
        self.read_inner: Callable[[Any], Any]
        self.write_inner: Callable[[Any], Any]

    def shapes(self) -> tuple[Shape, ...]:
        """Return the shapes of all parts."""
        return (
            Spared(
                cls=am.TextBlock,
                keys={"text": frozenset({"type", "text"}), HINT: frozenset({"type", "id", "hint", "source"})},
                read=_read_text,
                write=_write_text,
                tag_of=_tag_of_text,
                family=JAVA,
                spare_in=lambda native: _HINT if native["type"] == HINT else _NONE,
                spare_of=lambda block: _HINT if block.phase == HINT else _NONE,
            ),
            _shape(am.ThinkingBlock, "thinking", {"thinking", "metadata"}, _read_thinking, _write_thinking),
            Spared(
                cls=am.ToolUseBlock,
                keys={
                    "tool_use": frozenset({"type", "id", "name", "input", "arguments", "content", "metadata", "state"})
                },
                read=_read_call,
                write=_write_call,
                family=JAVA,
                spare_in=_spare_in_call,
                spare_of=_spare_of_call,
                # Beside input, they are an unknown field.
                odd=frozenset({"arguments"}),
            ),
            *self.media.shapes(),
        )

    def quick(self) -> tuple[tuple[type[Any], str, Callable[[Native], Any]], ...]:
        """Return shortcuts for the usual parts."""
        return ((am.TextBlock, "text", quick_text), (am.ToolUseBlock, "tool_use", _quick_call))

    def quick_result(self, native: Native) -> am.ToolResultBlock | None:
        """Return the block of a usual result; None if the general path must look."""
        link, name, state = native.get("id"), native.get("name"), native.get("state")
        output: Any = native.get("output")
        if type(link) is not str or type(name) is not str or not is_list(output) or not _has_no_metadata(native):
            return None
        if len(native) != (5 if "state" not in native else 6):
            return None
        content = tuple(map(self.read_inner, output))
        if state is None and "state" not in native:
            return _make_result(link, content, name, notes=_UNSAID)
        if type(state) is not str or state not in RESULT_STATES:
            return None
        return _make_result(link, content, name, status=state)

    def result(self) -> Spared:
        """Return the shape of tool results."""
        keys = {"id", "name", "output", "result", "metadata", "state"}
        never = frozenset({"output", "result"})
        return _shape(
            am.ToolResultBlock,
            "tool_result",
            keys,
            self._read_result,
            self._write_result,
            never=never,
            # Beside output, it is an unknown field.
            odd=frozenset({"result"}),
        )

    def _read_result(self, native: Native, _: Any) -> am.ToolResultBlock:
        key = "result" if not native.get("output") and native.get("result") else "output"
        output: Any = native.get(key)
        state, link = word_at(native, "state"), word_at(native, "id")
        marks = marks_for(link, state, RESULT_STATES)
        if key != "output":
            marks["at"] = key
        if state is None:
            marks["unsaid"] = True
        content: tuple[Any, ...] = ()
        if type(output) is str and output:
            content = (_make_text(output),)
            marks["form"] = "text"
        elif is_object(output) and output:
            content = (self.read_inner(output),)
            marks["form"] = "block"
        elif is_list(output):
            content = tuple(map(self.read_inner, output))
        elif output is not None:
            raise Unreadable
        metadata = object_or_none(native, "metadata")
        if None in metadata.values():
            marks["nulls"] = True
        name = word_at(native, "name")
        block = _make_result(link, content, name, status=state, metadata=adopt(metadata))
        return marked(block, JAVA, **marks) if marks else block

    def _write_result(self, block: am.ToolResultBlock) -> Native:
        key, output = self._output(block) if block.notes else ("output", list(map(self.write_inner, block.content)))
        native: Native = {
            "type": "tool_result",
            "id": natives.link_of(block.tool_call_id),
            "name": natives.link_of(block.name),
            key: output,
            "metadata": thaw(block.metadata) if block.metadata else {},
        }
        if block.status is not None:
            native["state"] = block.status
        return native

    def _output(self, block: am.ToolResultBlock) -> tuple[str, Any]:
        """Return the output of a result, and the key that it stands under."""
        content: Any = block.content
        key = "result" if content and mark_of(block, JAVA, "/at") == "result" else "output"
        form = mark_of(block, JAVA, "/form") if len(content) == 1 else None
        if form == "text" and is_bare_text(content[0], JAVA):
            return key, content[0].text
        parts = list(map(self.write_inner, content))
        return key, parts[0] if form == "block" and is_object(parts[0]) and parts[0] else parts


def _shape(cls: type[Any], tag: str, keys: set[str], read: Any, write: Any, **more: Any) -> Spared:
    known: frozenset[str] = frozenset({"type", *keys})
    nothing: Callable[[Any], Mapping[str, Any]] = lambda _: _NONE  # noqa: E731 - a constant
    return Spared(
        cls=cls, keys={tag: known}, read=read, write=write, family=JAVA, spare_in=nothing, spare_of=nothing, **more
    )


# -- text and hints ---------------------------------------------------------------------------------------------------


def _tag_of_text(block: am.TextBlock) -> str:
    return HINT if block.phase == HINT else "text"


def _read_text(native: Native, _: Any) -> am.TextBlock:
    if native["type"] != HINT:
        return _make_text(text_or_none(native, "text"))
    return _make_text(
        text_at(native, "hint"), item_id=word_at(native, "id"), phase=HINT, extras=spared(native, _HINT, JAVA)
    )


def _write_text(block: am.TextBlock) -> Native:
    if block.phase != HINT:
        return {"type": "text", "text": block.text}
    native: Native = {"type": HINT, "id": natives.link_of(block.item_id), "hint": block.text}
    return with_spare(native, block, _HINT, JAVA)


# -- thinking ---------------------------------------------------------------------------------------------------------


def _signed(metadata: Native) -> dict[str, Any]:
    """Return the fields that metadata tell: the signature of Gemini, and the rest."""
    value = metadata.get(SIGNATURE_KEY)
    if type(value) is not str:
        return {"metadata": adopt(metadata)}
    rest = {key: item for key, item in metadata.items() if key != SIGNATURE_KEY}
    return {"metadata": adopt(rest), "signature": _make_signature(_GEMINI, value)}


def _metadata(block: Any) -> Native:
    if block.signature is None and not block.metadata:
        return {}
    rest: Native = thaw(block.metadata)
    return rest if block.signature is None else {SIGNATURE_KEY: block.signature.value, **rest}


def _read_thinking(native: Native, _: Any) -> am.ThinkingBlock:
    return _make_thinking(text_or_none(native, "thinking"), **_signed(object_or_none(native, "metadata")))


def _write_thinking(block: am.ThinkingBlock) -> Native:
    return {"type": "thinking", "thinking": block.thinking, "metadata": _metadata(block) or None}


_UNSAID = adopt({JAVA: {"/unsaid": True}})


def _has_no_metadata(native: Native) -> bool:
    metadata: Any = native.get("metadata")
    return is_object(metadata) and not metadata


# -- calls ------------------------------------------------------------------------------------------------------------


def _input_key(native: Mapping[str, Any]) -> str:
    return "arguments" if not native.get("input") and native.get("arguments") else "input"


def _spare_in_call(native: Mapping[str, Any]) -> Mapping[str, Any]:
    return _TEXT_APART if says_otherwise(native.get(_input_key(native)), native.get("content")) else _NONE


def _spare_of_call(block: am.ToolUseBlock) -> Mapping[str, Any]:
    if block.raw_input or not block.extras:
        return _NONE
    return (
        _TEXT_APART
        if says_otherwise(tool_arguments.input_object(block), own_extras(block, JAVA).get("content"))
        else _NONE
    )


def _read_call(native: Native, _: Any) -> am.ToolUseBlock:
    key = _input_key(native)
    state, link = word_at(native, "state"), word_at(native, "id")
    marks = marks_for(link, state, CALL_STATES)
    if key != "input":
        marks["at"] = key
    block = _make_call(
        link,
        text_at(native, "name"),
        status=state,
        extras=spared(native, _spare_in_call(native), JAVA),
        **_signed(object_or_none(native, "metadata")),
        **read_arguments({"input": {}, **native} if native.get("input") is None else native, key, "content"),
    )
    return marked(block, JAVA, **marks) if marks else block


def _write_call(block: am.ToolUseBlock) -> Native:
    given, text = write_arguments(block)
    key = "arguments" if block.notes and mark_of(block, JAVA, "/at") == "arguments" and given else "input"
    native: Native = {"type": "tool_use", "id": natives.link_of(block.id), "name": block.name, key: given}
    if text is not None or not block.extras or not _spare_of_call(block):
        native["content"] = text
    native["metadata"] = _metadata(block)
    if block.status is not None:
        native["state"] = block.status
    return native


def _quick_call(native: Native) -> am.ToolUseBlock | None:
    link, name, state = native.get("id"), native.get("name"), native.get("state")
    given: Any = native.get("input")
    text = native.get("content", _UNSAID)
    if type(link) is not str or type(name) is not str or not is_object(given) or "_raw" in given:
        return None
    if len(native) != (6 if "state" not in native else 7) or not _has_no_metadata(native):
        return None
    if "state" in native and (type(state) is not str or state not in CALL_STATES):
        return None
    if text is None:
        return _make_call(link, name, adopt(given), status=state)
    if type(text) is not str or not text or not given or says_otherwise(given, text):
        return None
    return _make_call(link, name, adopt(given), raw_input=text, status=state)
