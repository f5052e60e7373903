"""Messages: one native message is one of ours. A fast path for the usual ones, a shape for each role for the others."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError, thaw
from agentmsg.formats import (
    EMPTY,
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
    note_of,
    read_as,
    text_at,
    write_as,
)
from agentmsg_codecs.openai.audio import read_audio, write_audio
from agentmsg_codecs.openai.calls import (
    NO_ID,
    is_legacy,
    is_native_entry,
    read_entry,
    read_legacy,
    write_entry,
    write_legacy,
)
from agentmsg_codecs.openai.citations import read_annotations, write_annotations
from agentmsg_codecs.openai.content import ContentParts, make_text, odd
from agentmsg_codecs.openai.marks import is_field_audio, is_function, is_named, is_value
from agentmsg_codecs.openai.names import FAMILY, MESSAGE, REASONING_KEYS
from agentmsg_codecs.openai.quick_read import NAMED, fast_readers, held_readers
from agentmsg_codecs.openai.reasoning import read_reasoning, write_reasoning
from agentmsg_codecs.openai.server_fields import Attached, detached, with_attached
from agentmsg_codecs.openai.thinking_parts import is_thinking_part
from agentmsg_codecs.openai.tool_links import Links

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from agentmsg_codecs.openai.quick_read import Reader


make_msg = maker(am.Msg)
_make_result = maker(am.ToolResultBlock)
make_refusal = maker(am.RefusalBlock)
_OBJECT: Any = dict  # so that type checkers ask nothing about what is inside
_LISTED = adopt({FAMILY: {"/list": True}})
_PLAIN = frozenset({"role", "content", "name"})
KEYS: Mapping[str, frozenset[str]] = {
    "system": _PLAIN,
    "developer": _PLAIN,
    "user": _PLAIN,
    "assistant": _PLAIN.union(REASONING_KEYS, {"refusal", "tool_calls", "function_call", "audio", "annotations"}),
    "tool": _PLAIN | {"tool_call_id"},
    "function": _PLAIN | {"tool_call_id"},
}
# What is not understood under these hides nothing else: it is kept as unknown keys are.
_ODD = frozenset({"name", "tool_call_id", "refusal", "audio", "annotations", "tool_calls", "function_call"}).union(
    REASONING_KEYS
)
_LISTS = frozenset({"content", "tool_calls", "reasoning_details", "thinking_blocks", "annotations"})


class Messages:
    """Reads and writes single messages.

    Args:
        place: the field for thinking that was not read from one; None: there is none.
        is_response: whether the messages are those of responses, which spell absent fields otherwise.
    """

    def __init__(self, *, place: str | None, is_response: bool = False) -> None:
        self.content = ContentParts(is_response=is_response)
        self.place = place
        self._is_response = is_response
        self._spelt = MESSAGE if is_response else FAMILY
        self._shapes: dict[str, Shape] = {
            **{
                role: self._shape(role, self._read_plain, self._write_plain) for role in ("system", "developer", "user")
            },
            "assistant": self._shape("assistant", self._read_assistant, self._write_assistant),
            "tool": self._shape("tool", self._read_tool, self._write_tool),
            "function": self._shape("function", self._read_function, self._write_function),
        }
        # Responses have more keys than the usual messages of requests.
        self._fast: Mapping[str, Reader] = {} if is_response else fast_readers(self.content)
        self._held: Mapping[str, Reader] = {} if is_response else held_readers(self.content)

    def _shape(self, role: str, read: Callable[[Native, Any], am.Msg], write: Callable[[am.Msg], Native]) -> Shape:
        keys: dict[str | None, frozenset[str]] = {role: self.keys(role)}
        return Shape(cls=am.Msg, keys=keys, tag="role", read=read, write=write, never=_LISTS, odd=_ODD)

    def is_odd(self, role: str) -> Callable[[Any, str, Any], bool]:
        """Return the test for odd values in the extras of a role's messages."""
        return natives.odd_at(self._shapes[role], self._spelt, FAMILY)

    def keys(self, role: str) -> frozenset[str]:
        """Return the keys of a role's messages; those of responses have no name."""
        return KEYS[role] - {"name"} if self._is_response else KEYS[role]

    def fill(self) -> None:
        """Fill the tables of hooks, on first use."""
        self.content.fill()

    # -- reading ------------------------------------------------------------------------------------------------

    def read(self, native: Any, links: Links | None = None) -> am.Msg:
        """Return the message of a native one; of the role ``native`` where it cannot be told in the model.

        Args:
            native: the native message.
            links: what is known of the messages before; a message for itself knows none.

        Raises:
            DecodeError: if it isn't a message at all.
        """
        role = natives.role_of(native)
        links = Links() if links is None else links
        fast = self._fast.get(role)
        message = None if fast is None else fast(native, links)
        return links.linked(self._read(native, role)) if message is None else message

    def read_unlinked(self, native: Any) -> am.Msg:
        """Return the message of a native one, as ``read`` does, without the ids and names that readers make."""
        return self._read(native, natives.role_of(native))

    def read_held(self, native_messages: list[Any], copy: Callable[[Any], Any]) -> list[am.Msg]:
        """Return the messages of native ones that others hold.

        Args:
            native_messages: anything.
            copy: returns a checked copy of a native message that the general path must read.

        Raises:
            Exception: of any kind, if they are not all messages.
        """
        readers: Mapping[Any, Reader] = self._held
        reader_of, links = readers.get, Links()
        messages: list[am.Msg] = []
        for number, native in enumerate(native_messages):
            reader = reader_of(native.get("role")) if type(native) is _OBJECT else None
            message = None if reader is None else reader(native, links)
            if message is None:
                links.number = number
                message = self.read(copy(native), links)
            messages.append(message)
        return messages

    def _read(self, native: Native, role: str) -> am.Msg:
        shape = self._shapes.get(role)
        if shape is None:
            return natives.read_whole(native, FAMILY)
        try:
            found: am.Msg = self._read_attached(shape, native)
        except (Unreadable, AgentMsgError):
            found = natives.read_whole(native, FAMILY)
        return found

    def _read_attached(self, shape: Shape, native: Native) -> am.Msg:
        """Return the message of a native one, with what compatible servers say beside its content."""
        attached = Attached(native, hints=not self._is_response)
        message: am.Msg = read_as(shape, attached.rest, self._spelt, namespace=FAMILY)
        if not attached:
            return message
        message, rest = attached.on_message(message, native)
        if len(rest) == len(attached.rest):
            return message
        # What has no block to stand on is not known.
        known: am.Msg = read_as(shape, rest, self._spelt, namespace=FAMILY)
        return message.evolve(extras=known.extras)

    def _blocks(self, native: Native, role: str) -> tuple[tuple[Any, ...], bool]:
        read = self.content.of(role).read
        return natives.read_content(native.get("content"), self._read_signed if role == "assistant" else read, FAMILY)

    def _read_signed(self, part: Any) -> Any:
        """Return the block of a part of an assistant's content, which may be signed."""
        read = self.content.assistant.read
        attached = Attached(part, hints=False) if is_object(part) and part.get("type") == "text" else None
        return attached.on(read(attached.rest)) if attached else read(part)

    def _read_plain(self, native: Native, _: Any) -> am.Msg:
        role = text_at(native, "role")
        blocks, listed = self._blocks(native, role)
        return make_msg(role, blocks, name=_word(native, "name"), notes=_LISTED if listed else EMPTY)

    def _read_assistant(self, native: Native, _: Any) -> am.Msg:
        said, listed = self._blocks(native, "assistant")
        thoughts, copies = read_reasoning(native)
        citations = _understood(read_annotations, native.get("annotations"), ())
        if citations:
            # Beside calls there may be no text: what is cited is then an empty one.
            said = said or (make_text(""),)
            if len(said) != 1 or type(said[0]) is not am.TextBlock:
                raise Unreadable
            text = said[0].evolve(citations=citations)
            said = (_in_answer(text) if self._is_response else marked(text, FAMILY, annotated=True),)
            listed = type(native.get("content")) is list
        blocks = [*thoughts, *said]
        refusal = _word(native, "refusal")
        if refusal:
            blocks.append(marked(make_refusal(refusal=refusal), FAMILY, refusal=True))
        blocks += _understood(partial(read_audio, is_response=self._is_response), native.get("audio"), ())
        calls = native.get("tool_calls")
        if is_list(calls):
            blocks += map(read_entry, calls)
        legacy = native.get("function_call")
        if legacy is not None and legacy != {"name": "", "arguments": ""}:
            blocks += _understood(lambda call: (read_legacy(call),), legacy, ())
        name = None if self._is_response else _word(native, "name")
        message = make_msg("assistant", tuple(blocks), name=name, notes=_LISTED if listed else EMPTY)
        return marked(message, FAMILY, copies=copies) if copies else message

    def _read_tool(self, native: Native, _: Any) -> am.Msg:
        link, name = _word(native, "tool_call_id"), _word(native, "name")
        result, listed = self._result(native, link, name)
        if link is None:
            result = result.evolve(notes=NO_ID) if not result.notes else marked(result, FAMILY, **{"no-id": True})
        if name is not None:
            result = marked(result, FAMILY, named=True) if result.notes else result.evolve(notes=NAMED)
        return make_msg("tool", (result,), notes=_LISTED if listed else EMPTY)

    def _read_function(self, native: Native, _: Any) -> am.Msg:
        link, name = _word(native, "tool_call_id"), text_at(native, "name")
        marks = {"legacy": True} if link is None else {"function": True, "named": True}
        result, listed = self._result(native, link, name)
        return make_msg("tool", (marked(result, FAMILY, **marks),), notes=_LISTED if listed else EMPTY)

    def _result(self, native: Native, link: str | None, name: str | None) -> tuple[am.ToolResultBlock, bool]:
        """Return the result of a tool, and whether its content is a list for what a text would say.

        Content that is neither a text nor a list, such as an object, is what the tool gave as a value.
        """
        content = native.get("content")
        if content is not None and type(content) not in (str, list):
            result = _make_result(link, (), name, structured=adopt(content))
            return marked(result, FAMILY, value=True), False
        blocks, listed = self._blocks(native, "tool")
        return _make_result(link, blocks, name), listed

    # -- writing ------------------------------------------------------------------------------------------------

    def write(self, message: am.Msg) -> Any:
        """Return the native message of one that fits."""
        kept = natives.native_of(message, FAMILY)
        if kept is not None:
            return kept
        role = message.role
        if role == "tool" and is_function(message.content[0]):
            role = "function"
        shape = self._shapes[role]
        for block in message.content:
            if block.cache is not None or block.signature is not None:
                inner, beside = detached(message)
                return {**self._write(shape, inner), **beside}
        return self._write(shape, message)

    def _write(self, shape: Shape, message: am.Msg) -> Native:
        if not message.notes and not message.extras:
            return shape.write(message)
        return write_as(shape, message, self._spelt, namespace=FAMILY)

    def _content(self, message: am.Msg, blocks: Sequence[Any], role: str) -> Any:
        """Return the content that some blocks are."""
        if not blocks:
            return ""
        if len(blocks) == 1 and is_bare_text(blocks[0], FAMILY) and mark_of(message, FAMILY, "/list") is not True:
            return blocks[0].text
        write = self.content.of(role).write
        return [with_attached(block, write) if block.signature is not None else write(block) for block in blocks]

    def _write_plain(self, message: am.Msg) -> Native:
        native: Native = {"role": message.role, "content": self._content(message, message.content, message.role)}
        if message.name is not None:
            native["name"] = message.name
        return native

    def _write_assistant(self, message: am.Msg) -> Native:
        thoughts: list[Any] = []
        said: list[Any] = []
        calls: list[Any] = []
        native: Native = {"role": "assistant", "content": None}
        if message.name is not None:
            native["name"] = message.name
        sound: Any = None
        for block in message.content:
            kind = type(block)
            if kind is am.ToolUseBlock or is_native_entry(block):
                calls.append(block)
            elif kind is am.ThinkingBlock and not is_thinking_part(block):
                thoughts.append(block)
            elif kind is am.AudioBlock and is_field_audio(block):
                sound = block
            else:
                said.append(block)
        if thoughts:
            write_reasoning(thoughts, mark_of(message, FAMILY, "/copies"), self.place, native)
        if said and type(said[-1]) is am.RefusalBlock and self._in_field(said[-1]):
            native["refusal"] = said.pop().refusal
        annotations = write_annotations(said)
        if annotations:
            said = [_uncited(said[0])]
            native["annotations"] = annotations
        if said or not (calls or sound is not None or "refusal" in native):
            native["content"] = self._content(message, said, "assistant")
        if sound is not None:
            native["audio"] = write_audio(sound)
        if calls and is_legacy(calls[-1]):
            native["function_call"] = write_legacy(calls.pop())
        if calls:
            native["tool_calls"] = list(map(write_entry, calls))
        if self._is_response:
            native.setdefault("refusal", None)
        return native

    def _in_field(self, block: Any) -> bool:
        if block.cache is not None or FAMILY in block.extras or not block.refusal:
            return False
        # A response has no other place for it, unless its content was a list.
        marks = note_of(block, FAMILY)
        return "/odd" not in marks if self._is_response else marks.get("/refusal") is True

    def _write_tool(self, message: am.Msg) -> Native:
        block: Any = message.content[0]
        native: Native = {"role": "tool"}
        if block.tool_call_id is not None:
            native["tool_call_id"] = str(block.tool_call_id)
        native["content"] = self._given(message, block)
        if block.name is not None and block.notes and is_named(block):
            native["name"] = str(block.name)
        return native

    def _given(self, message: am.Msg, block: Any) -> Any:
        """Return the content of the message of a result."""
        if block.structured is not None and is_value(block):
            return thaw(block.structured)
        return self._content(message, block.content, "tool")

    def _write_function(self, message: am.Msg) -> Native:
        block: Any = message.content[0]
        native: Native = {"role": "function", "name": str(block.name)}
        native["content"] = self._given(message, block)
        return native if block.tool_call_id is None else {**native, "tool_call_id": str(block.tool_call_id)}


def _word(native: Native, key: str) -> str | None:
    """Return the text under a key; anything else is kept as it is."""
    value = native.get(key)
    return value if type(value) is str else None


def _understood(read: Callable[[Any], Any], value: Any, otherwise: Any) -> Any:
    """Return what is read of a value; what is not understood is kept as it is."""
    try:
        return read(value)
    except (Unreadable, AgentMsgError):
        return otherwise


def _in_answer(text: am.TextBlock) -> am.TextBlock:
    found: am.TextBlock = text if text.text else odd(text)
    return found


def _uncited(block: Any) -> Any:
    rest = {key: value for key, value in note_of(block, FAMILY).items() if key != "/annotated"}
    notes = {key: value for key, value in block.notes.items() if key != FAMILY}
    return block.evolve(citations=(), notes={**notes, FAMILY: rest} if rest else notes)
