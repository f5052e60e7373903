"""The blocks of Python's messages: text, hints, thinking, calls and results, of 2.x and 1.x.

Both dialects read the same, and know each other's blocks; they differ in what they write by default. Marks: ``/as``
(the kind of block that a call was read from), ``/no-id``, ``/unsaid`` (a result without state), ``/word`` (a state
that the library does not have), ``/list`` (output that could be a text is a list), ``/any`` (output that is neither:
0.x allows that).
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
from agentmsg_codecs.agentscope.names import CALL_STATES, FAMILY, HINT, RESULT_STATES, SIGNER
from agentmsg_codecs.agentscope.quick import QUICK_NEW, QUICK_OLD, quick_new_result, quick_old_result
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


_make_text = maker(am.TextBlock)
_make_file = maker(am.FileBlock)
_make_blocks = maker(am.BlocksSource)
_make_thinking = maker(am.ThinkingBlock)
_make_signature = maker(am.Signature)
_make_call = maker(am.ToolUseBlock)
_make_result = maker(am.ToolResultBlock)
_FINISHED: Mapping[str, Any] = MappingProxyType({"finished_at": None})
_HINT: Mapping[str, Any] = MappingProxyType({"source": None, "finished_at": None})
_HINT_KEYS = frozenset({"type", "hint", "id", *_HINT})
_CALL: Mapping[str, Any] = MappingProxyType({"suggested_rules": [], "finished_at": None})
_RAW = "raw_input"


class Blocks:
    """The shapes of one dialect.

    Args:
        version: 1 or 2.
        as_read: whether what was read from a block of another version is written as such.

    Attributes:
        media: images, sound, videos and files.
        read_inner, write_inner: read and write what stands inside results and hints; to be set before use.
    """

    def __init__(self, version: int, *, as_read: bool) -> None:
        self._is_new = version > 1
        self._as_read = as_read
        self.media = Media(
            family=FAMILY,
            by_kind=not self._is_new,
            url_key="media_type",
            aliases=(),
            typed=self._is_new,
            data_first=self._is_new,
            ids=frozenset({"image", "audio", "video", "data"}),
            spare=_FINISHED,
            writes_spare=self._is_new,
            flat=True,
            as_read=as_read,
        )
        self.read_inner: Callable[[Any], Any]
        self.write_inner: Callable[[Any], Any]

    def _spare(self, native: Native, owner: Any, spare: Mapping[str, Any]) -> Native:
        return with_spare(native, owner, spare, FAMILY) if self._is_new else native

    def shapes(self) -> tuple[Shape, ...]:
        """Return the shapes of all parts."""
        *others, file = self.media.shapes()
        # 2.x tells blocks without type by their other keys.
        text = frozenset({"type", "text", "id", *_FINISHED})
        return (
            _shape(
                am.TextBlock,
                {"text": text, HINT: _HINT_KEYS, None: text},
                self._read_text,
                self._write_text,
                spare=lambda tag: _HINT if tag == HINT else _FINISHED,
                tag_of=lambda block: HINT if block.phase == HINT else "text",
            ),
            _shape(
                am.ThinkingBlock,
                {"thinking": frozenset({"type", "thinking", "id", "signature", "redacted_thinking_data", *_FINISHED})},
                _read_thinking,
                self._write_thinking,
                spare=lambda _: _FINISHED,
            ),
            Spared(
                cls=am.ToolUseBlock,
                keys={
                    "tool_call": frozenset({"type", "id", "name", "input", "state", *_CALL}),
                    "tool_use": frozenset({"type", "id", "name", "input", _RAW, "state", *_CALL}),
                },
                read=self._read_call,
                write=self._write_call,
                tag_of=self._tag_of_call,
                family=FAMILY,
                spare_in=_spare_in_call,
                spare_of=self._spare_of_call,
            ),
            *others,
            # Last, for it reads lists of hints.
            self._file_shape(file),
        )

    def _file_shape(self, file: Spared) -> Spared:
        """Return the shape of files: a hint whose words are a list of parts is one, too."""
        return Spared(
            cls=file.cls,
            keys={**file.keys, HINT: _HINT_KEYS},
            read=lambda native, cls: self._read_hint(native) if native["type"] == HINT else file.read(native, cls),
            write=lambda block: (
                self._write_hint(block) if block.__class__ is am.TextBlock or _is_hint(block) else file.write(block)
            ),
            tag_of=lambda block: HINT if _is_hint(block) else file.tag_of(block),
            family=FAMILY,
            spare_in=lambda native: _HINT if native["type"] == HINT else file.spare_in(native),
            spare_of=lambda block: _HINT if _is_hint(block) else file.spare_of(block),
            never=frozenset({"hint"}),
        )

    def quick(self) -> tuple[tuple[type[Any], str, Callable[[Native], Any]], ...]:
        """Return shortcuts for the usual parts."""
        return QUICK_NEW if self._is_new else QUICK_OLD

    def quick_result(self, native: Native) -> am.ToolResultBlock | None:
        """Return the block of a usual result of words; None if the general path must look."""
        return quick_new_result(native) if self._is_new else quick_old_result(native)

    # -- text and hints -----------------------------------------------------------------------------------------------

    def _read_text(self, native: Native, _: Any) -> Any:
        tag = native.get("type")
        if tag == HINT:
            return self._read_hint(native)
        if tag not in (None, "text"):
            # No spelling of the type: no part of such a type is read as text.
            raise Unreadable
        return _make_text(
            text_at(native, "text"), item_id=word_at(native, "id"), extras=spared(native, _FINISHED, FAMILY)
        )

    def _write_text(self, block: am.TextBlock) -> Native:
        if block.phase == HINT:
            return self._write_hint(block)
        if self._is_new and block.item_id is None and not block.extras:
            return {"type": "text", "text": block.text, "finished_at": None}
        native: Native = {"type": "text", "text": block.text}
        if block.item_id is not None:
            native["id"] = natives.link_of(block.item_id)
        return self._spare(native, block, _FINISHED)

    def _read_hint(self, native: Native) -> Any:
        said: Any = native.get("hint")
        fields = {"item_id": word_at(native, "id"), "phase": HINT, "extras": spared(native, _HINT, FAMILY)}
        if type(said) is str:
            return _make_text(said, **fields)
        if not is_list(said):
            raise Unreadable
        return _make_file(_make_blocks(tuple(map(self.read_inner, said))), **fields)

    def _write_hint(self, block: Any) -> Native:
        is_text = block.__class__ is am.TextBlock
        said: Any = block.text if is_text else list(map(self.write_inner, block.source.content))
        native: Native = {"type": HINT, "hint": said}
        if block.item_id is not None:
            native["id"] = natives.link_of(block.item_id)
        return self._spare(native, block, _HINT)

    # -- thinking -----------------------------------------------------------------------------------------------------

    def _write_thinking(self, block: am.ThinkingBlock) -> Native:
        native: Native = {"type": "thinking", "thinking": block.thinking}
        if block.item_id is not None:
            native["id"] = natives.link_of(block.item_id)
        self._spare(native, block, _FINISHED)
        if block.signature is not None:
            native["signature"] = block.signature.value
        if block.redacted is not None:
            native["redacted_thinking_data"] = block.redacted
        return native

    # -- calls --------------------------------------------------------------------------------------------------------

    def _tag_of_call(self, block: am.ToolUseBlock) -> str:
        found = mark_of(block, FAMILY, "/as") if block.notes and self._as_read else None
        if found in ("tool_call", "tool_use"):
            return str(found)
        return "tool_call" if self._is_new else "tool_use"

    def _spare_of_call(self, block: am.ToolUseBlock) -> Mapping[str, Any]:
        if self._tag_of_call(block) == "tool_call" or block.raw_input:
            return _CALL
        return _with_text(apart=says_otherwise(tool_arguments.input_object(block), own_extras(block, FAMILY).get(_RAW)))

    def _read_call(self, native: Native, _: Any) -> am.ToolUseBlock:
        is_new = native["type"] == "tool_call"
        fields: dict[str, Any]
        fields = {"raw_input": text_at(native, "input")} if is_new else read_arguments(native, "input", _RAW)
        state = word_at(native, "state")
        link = word_at(native, "id")
        marks = marks_for(link, state, CALL_STATES)
        if is_new is not self._is_new:
            marks["as"] = native["type"]
        block = _make_call(
            link, text_at(native, "name"), status=state, extras=spared(native, _spare_in_call(native), FAMILY), **fields
        )
        return marked(block, FAMILY, **marks) if marks else block

    def _write_call(self, block: am.ToolUseBlock) -> Native:
        if self._is_new and block.id is not None and block.status is None and not block.notes and not block.extras:
            return {
                "type": "tool_call",
                "id": natives.link_of(block.id),
                "name": block.name,
                "input": tool_arguments.input_text(block),
                "suggested_rules": [],
                "finished_at": None,
            }
        tag = self._tag_of_call(block)
        native: Native = {"type": tag}
        if block.id is not None:
            native["id"] = natives.link_of(block.id)
        native["name"] = block.name
        if tag == "tool_call":
            native["input"] = tool_arguments.input_text(block)
        else:
            native["input"], text = write_arguments(block)
            if text is not None:
                native[_RAW] = text
        if block.status is not None:
            native["state"] = block.status
        return self._spare(native, block, _CALL)

    # -- results ------------------------------------------------------------------------------------------------------

    def result(self) -> Spared:
        """Return the shape of tool results."""
        keys = frozenset({"type", "id", "name", "output", "state", "metadata", *_FINISHED})
        return _shape(
            am.ToolResultBlock,
            {"tool_result": keys},
            self._read_result,
            self._write_result,
            spare=lambda _: _FINISHED,
            never=frozenset({"output"}),
        )

    def _read_result(self, native: Native, _: Any) -> am.ToolResultBlock:
        output: Any = native.get("output")
        link, state = word_at(native, "id"), word_at(native, "state")
        marks = marks_for(link, state, RESULT_STATES)
        if state is None:
            marks["unsaid"] = True
        content: tuple[Any, ...]
        structured = None
        if output is None or type(output) is str:
            content = (_make_text(output),) if output else ()
        elif is_list(output):
            content = tuple(map(self.read_inner, output))
            if len(content) == 1 and is_bare_text(content[0], FAMILY):
                marks["list"] = True
        else:
            content = ()
            structured = adopt(output)
            marks["any"] = True
        block = _make_result(
            link,
            content,
            text_or_none(native, "name") or None,
            structured,
            status=state,
            metadata=adopt(object_or_none(native, "metadata")),
            extras=spared(native, _FINISHED, FAMILY),
        )
        return marked(block, FAMILY, **marks) if marks else block

    def _write_result(self, block: am.ToolResultBlock) -> Native:
        native: Native = {
            "type": "tool_result",
            "id": natives.link_of(block.tool_call_id),
            "name": natives.link_of(block.name) or "",
            "output": self._output(block),
        }
        if block.tool_call_id is None:
            del native["id"]
        if block.status is not None:
            native["state"] = block.status
        if self._is_new or block.metadata:
            native["metadata"] = thaw(block.metadata) if block.metadata else {}
        return self._spare(native, block, _FINISHED)

    def _output(self, block: am.ToolResultBlock) -> Any:
        content: Any = block.content
        if not content:
            return "" if block.structured is None else thaw(block.structured)
        is_text = len(content) == 1 and is_bare_text(content[0], FAMILY)
        if is_text and not (block.notes and mark_of(block, FAMILY, "/list") is True):
            return content[0].text
        return list(map(self.write_inner, content))


def _shape(
    cls: type[Any],
    keys: Mapping[str | None, frozenset[str]],
    read: Any,
    write: Any,
    *,
    spare: Callable[[Any], Mapping[str, Any]],
    tag_of: Callable[[Any], str] | None = None,
    never: frozenset[str] = frozenset(),
) -> Spared:
    tag = next(iter(keys))
    tag_of = tag_of or (lambda _: str(tag))
    return Spared(
        cls=cls,
        keys=keys,
        read=read,
        write=write,
        tag_of=tag_of,
        never=never,
        family=FAMILY,
        spare_in=lambda native: spare(native.get("type")),
        spare_of=lambda block: spare(tag_of(block)),
    )


def _with_text(*, apart: bool) -> Mapping[str, Any]:
    return {**_CALL, _RAW: None} if apart else _CALL


def _spare_in_call(native: Mapping[str, Any]) -> Mapping[str, Any]:
    if native["type"] == "tool_call":
        return _CALL
    return _with_text(apart=says_otherwise(native.get("input"), native.get(_RAW)))


def _is_hint(block: Any) -> bool:
    return block.phase == HINT and (block.__class__ is am.TextBlock or isinstance(block.source, am.BlocksSource))


def _read_thinking(native: Native, _: Any) -> am.ThinkingBlock:
    value = word_at(native, "signature")
    return _make_thinking(
        text_at(native, "thinking"),
        redacted=word_at(native, "redacted_thinking_data"),
        signature=None if value is None else _make_signature(SIGNER, value),
        item_id=word_at(native, "id"),
        extras=spared(native, _FINISHED, FAMILY),
    )
