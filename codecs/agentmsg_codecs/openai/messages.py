"""Messages: one native message is one of ours. What is beside the content is read first, and written last."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import agentmsg as am
import agentmsg_codecs.openai.marks as own
from agentmsg import AgentMsgError, thaw
from agentmsg.formats import (
    Shape,
    Unreadable,
    adopt,
    is_list,
    is_mapping,
    mark_of,
    marked,
    natives,
    note_of,
    read_as,
    speed,
    spelling,
    write_as,
)
from agentmsg.formats.forms import (
    Beside,
    Content,
    Each,
    Form,
    Json,
    Key,
    Lifted,
    Link,
    Place,
    Single,
    Spare,
    Text,
    Via,
    Wrapped,
)
from agentmsg_codecs.openai.calls import Calls, check_alone, is_legacy, is_native_entry
from agentmsg_codecs.openai.format import describe
from agentmsg_codecs.openai.hints import CONTROL, odd
from agentmsg_codecs.openai.names import FAMILY, MESSAGE, REASONING_KEYS
from agentmsg_codecs.openai.reasoning import read_reasoning, write_reasoning
from agentmsg_codecs.openai.server_fields import SIGNED_KEY, Attached, detached
from agentmsg_codecs.openai.thinking_parts import is_thinking_part
from agentmsg_codecs.openai.tool_links import Links

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from agentmsg.formats import Native

_OBJECT: Any = dict  # so that type checkers ask nothing about what is inside
_PLAIN = {"system": "text", "developer": "text", "user": "user"}
_ROLES = frozenset({*_PLAIN, "assistant", "tool", "function"})
_REFUSED = adopt({FAMILY: {"/refusal": True}})
_NAME = Key("name", "name", Text(), "may", is_odd=True)
_BESIDE = frozenset({"annotations", SIGNED_KEY, CONTROL})

_Reader: TypeAlias = "Callable[[Native], am.Msg]"


def _is_empty_sound(native: Any) -> bool:
    return is_mapping(native) and not any(native.values())


class Messages:
    """Reads and writes single messages.

    Args:
        place: the field for thinking that was not read from one; None: there is none.
        is_response: whether the messages are those of responses, which spell absent fields otherwise.

    Attributes:
        described: the forms.
        calls: reads and writes calls.
    """

    def __init__(self, *, place: str | None, is_response: bool = False) -> None:
        self.place = place
        self._is_response = is_response
        self._spelt = MESSAGE if is_response else FAMILY
        self.calls = Calls()
        self.described = self.calls.described = describe(self._forms())
        self._readers: dict[str, _Reader] = {}

    # -- the forms ----------------------------------------------------------------------------------------------

    def _forms(self) -> tuple[Form, ...]:
        said = self._form("assistant", self._assistant())
        if self._is_response:
            return (said,)
        plain = {role: Lifted((Place("content", Content(place), need='""'),)) for role, place in _PLAIN.items()}
        results = [self._result(role, is_value=value) for role in ("tool", "function") for value in (True, False)]
        return (*(self._form(role, (content, _NAME)) for role, content in plain.items()), said, *results)

    def _form(self, role: str, items: tuple[Any, ...]) -> Form:
        spelt = MESSAGE if self._is_response else None
        return Form(
            f"{role}_message",
            am.Msg,
            role,
            items,
            tag_key="role",
            fixed={"role": role},
            is_apart=role,
            spelt=spelt,
            first=self._first(f"{role}_message"),
        )

    def _assistant(self) -> tuple[Any, ...]:
        place = "answer" if self._is_response else "assistant"
        sound = Via(self._read_sound, self._write_sound, native={"type": "object"})
        calls = self.calls
        of_old = Via(calls.read_legacy, calls.write_legacy, native={"type": "object"})
        refusal = Wrapped(am.RefusalBlock, "refusal", {"notes": _REFUSED}, full=True)
        need: Literal["null", "may"] = "null" if self._is_response else "may"
        content = Lifted((
            Beside(
                keys=REASONING_KEYS,
                takes={am.ThinkingBlock: lambda block: not is_thinking_part(block)},
                get=read_reasoning,
                put=write_reasoning(self.place),
                about="thinking",
            ),
            Place("content", Content(place), need="null", alone='""'),
            Place("refusal", refusal, {am.RefusalBlock: self.in_field}, need,
                  last_of="content", is_one=True, is_odd=True),
            Place("audio", sound, {am.AudioBlock: own.is_field_audio}, is_one=True, is_odd=True),
            Place("tool_calls", Each(Via(calls.read, calls.write, native={})),
                  {am.ToolUseBlock: None, am.NativeBlock: is_native_entry}, is_odd=True),
            Place("function_call", of_old, {am.ToolUseBlock: is_legacy},
                  last_of="tool_calls", is_one=True, is_odd=True),
        ))  # fmt: skip
        annotations = Spare("annotations", [], is_written=False)
        return (content, annotations) if self._is_response else (content, annotations, _NAME)

    def _result(self, role: str, *, is_value: bool) -> Form:
        link = Key(
            "tool_call_id", "tool_call_id", Link(), "may", is_odd=True, lacks="no-id" if role == "tool" else None
        )
        name = (
            Key("name", "name", Link(), "may", said="named", is_odd=True)
            if role == "tool"
            else Key("name", "name", Link())
        )
        content = Key("content", "structured", Json()) if is_value else Key("content", "content", Content("tool"), '""')
        noted = {"/value": True} if is_value else {}
        form = f"{role}_value" if is_value else f"{role}_message"
        return Form(
            form,
            am.Msg,
            role,
            (Single(am.ToolResultBlock, (link, content, name), noted),),
            tag_key="role",
            fixed={"role": "tool"},
            fits=(lambda native: not own.is_content(native)) if is_value else None,
            when=(lambda message: bool(own.is_value(message.content[0]))) if is_value else None,
            is_apart=role,
            first=self._first(form, None if is_value else f"{role}_value"),
        )

    def fill(self) -> None:
        """Fill the tables of hooks, on first use."""
        self.described.fill()

    def is_odd(self, role: str) -> Callable[[Any, str, Any], bool]:
        """Return the test for odd values in the extras of a role's messages."""
        comes_back = natives.odd_at(self.described.shapes[f"{role}_message"], self._spelt, FAMILY)

        def test(owner: Any, key: str, value: Any) -> bool:
            if key == "annotations" and role == "assistant":
                plain, has_some = thaw(value), any(map(own.is_cited, owner.content))
                return plain is not None and self._citations(plain) is None and not has_some
            return comes_back(owner, key, value)

        return test

    def keys(self, role: str) -> frozenset[str]:
        """Return the keys of a role's messages; those of responses have no name."""
        return self.described.shapes[f"{role}_message"].keys[role] | {"role"}

    # -- reading ------------------------------------------------------------------------------------------------

    def read(self, native: Any) -> am.Msg:
        """Return the message of a native one by itself; of the role ``native`` where it cannot be told in the model.

        Raises:
            DecodeError: if it isn't a message at all.
        """
        return Links().linked(0, self.read_unlinked(native))

    def read_unlinked(self, native: Any) -> am.Msg:
        """Return the message of a native one, as ``read`` does, without the ids and names that readers make."""
        messages: list[am.Msg] = []
        self.read_each((native,), messages)
        return messages[0]

    def read_each(
        self,
        native_messages: Iterable[Any],
        messages: list[am.Msg],
        opened: Callable[[Any], Any] = natives.role_of,
    ) -> None:
        """Read native messages as ``read_unlinked`` does.

        Args:
            native_messages: what is read.
            messages: takes what becomes of each; where one is refused, those before it.
            opened: returns the plain object that something else stands for, or refuses it.
        """
        readers, plain, add = self._readers, _OBJECT, messages.append
        # One loop with all in it, for to call a function for each takes as long as to read a text.
        for native in native_messages:
            if type(native) is not plain:
                native = opened(native)  # noqa: PLW2901 - the same message
            role = native.get("role")
            reader = readers.get(role) if type(role) is str else None
            if reader is None:
                reader = self._reader_of(natives.role_of(native))
            try:
                add(reader(native))
            except (Unreadable, AgentMsgError):
                add(natives.read_whole(native, FAMILY))

    def _reader_of(self, role: str) -> _Reader:
        """Return what reads the messages of a role, but for what stands beside their content; remember a known one."""
        shape: Any = self.described.shapes.get(f"{role}_message") if role in _ROLES else None
        if shape is None:
            return partial(natives.read_whole, family=FAMILY)
        read: _Reader = shape.exact[role]
        if role == "function":
            self._readers[role] = lambda native: own.of_function(read(native))
        else:
            # Of results, values are rare: their form is asked for last.
            self._readers[role] = self.described.names.readers["tool_message"] if role == "tool" else read
        return self._readers[role]

    def read_held(self, native_messages: list[Any], copy: Callable[[Any], Any]) -> list[am.Msg]:
        """Return the messages of native ones that others hold.

        A bare message keeps nothing of its document but sound texts; any other is read again, of a copy.

        Args:
            native_messages: anything.
            copy: returns a checked copy of a native message.

        Raises:
            Exception: of any kind, if they are not all messages.
        """
        messages: list[am.Msg] = []
        self.read_each(native_messages, messages, copy)
        return Links().linked_all(messages, lambda at: self.read_unlinked(copy(native_messages[at])))

    def _first(self, name: str, value: str | None = None) -> Callable[[Native], am.Msg | None]:
        """Return what reads unusual messages of a form: with keys beside their content, or values in another one."""

        def read(native: Native) -> am.Msg | None:
            readers = self.described.names.readers
            if value is not None and not own.is_content(native):
                return readers[value](native)  # type: ignore[no-any-return]
            if "function_call" in native:
                check_alone(native)
            if _BESIDE.isdisjoint(native):
                return None
            return self._read_beside(partial(readers[name], is_rest=True), native)

        return read

    def _read_beside(self, read: _Reader, native: Native) -> am.Msg:
        """Return the message of a native one, with what stands beside its content."""
        attached = Attached(native)
        rest = attached.rest
        citations = self._citations(rest.get("annotations")) if native["role"] == "assistant" else None
        if citations:
            rest = {key: value for key, value in rest.items() if key != "annotations"}
        message = read(rest)
        if citations:
            message = self._cited(message, citations, rest)
        if not attached:
            return message
        message, left = attached.on_message(message, native)
        if len(left) == len(attached.rest):
            return message
        # What has no block to stand on is not known.
        return message.evolve(extras=read({**rest, **own.only(left, (SIGNED_KEY, CONTROL))}).extras)

    def _citations(self, value: Any) -> tuple[am.Citation, ...] | None:
        """Return the citations of annotations; None where they are none."""
        read = self.described.shapes["url_citation"]
        try:
            return tuple(read_as(read, entry, FAMILY) for entry in value) if is_list(value) else None
        except (Unreadable, AgentMsgError):
            return None

    def _cited(self, message: am.Msg, citations: tuple[am.Citation, ...], native: Native) -> am.Msg:
        """Return a message with the citations of its one text; where there is none beside calls, of an empty one."""
        content = message.content
        said = [index for index, block in enumerate(content) if not self._is_beside(block)]
        if len(said) > 1 or (said and type(content[said[0]]) is not am.TextBlock):
            raise Unreadable
        after = [
            index
            for index, block in enumerate(content)
            if type(block) is not am.ThinkingBlock or is_thinking_part(block)
        ]
        at = said[0] if said else after[0] if after else len(content)
        found: Any = content[at] if said else am.TextBlock("")
        text = found.evolve(citations=citations)
        if self._is_response:
            text = text if text.text else odd(text)
        else:
            text = marked(text, FAMILY, annotated=True)
        message = message.evolve(content=(*content[:at], text, *content[at + len(said) :]))
        if not said:
            how = "absent" if "content" not in native else spelling.spelling_of(native["content"])
            note = {**note_of(message, self._spelt), "content": how}
            message = spelling.with_note(message, self._spelt, note)
        return marked(message, FAMILY, list=True) if type(native.get("content")) is list else message

    def _is_beside(self, block: Any) -> bool:
        """Whether a block of an assistant was read from another key than that of the content."""
        kind: Any = block.__class__
        if kind is am.ThinkingBlock:
            return not is_thinking_part(block)
        if kind is am.RefusalBlock:
            return mark_of(block, FAMILY, "/refusal") is True
        return kind is am.ToolUseBlock or own.is_field_audio(block) or is_native_entry(block)

    def _read_sound(self, native: Any) -> am.AudioBlock:
        if _is_empty_sound(native):
            raise Unreadable
        block: am.AudioBlock = read_as(self.described.shapes["sound"], native, FAMILY)
        return block if (own.is_answer if self._is_response else own.is_reference)(block) else odd(block)

    def _write_sound(self, block: am.AudioBlock) -> Native:
        return write_as(self.described.shapes["sound"], block, FAMILY)

    def is_no_sound(self, block: am.AudioBlock) -> bool:
        """Whether a block that fits would be read as none: its id, and all else that it says, is empty."""
        return _is_empty_sound(self._write_sound(block))

    # -- writing ------------------------------------------------------------------------------------------------

    def write(self, message: am.Msg) -> Any:
        """Return the native message of one that fits."""
        kept = natives.native_of(message, FAMILY)
        if kept is not None:
            return kept
        role = message.role
        if 0 < speed.how_bare(message) < speed.NAMED:
            return self.described.names.writers[f"{role}_message"](message)
        if role == "tool":
            block: Any = message.content[0]
            if own.is_function(block):
                role = "function"
            elif block.notes and own.is_named(block) and mark_of(block, FAMILY, "/named") is not True:
                # A result of old that got an id has its name still.
                message = message.evolve(content=(marked(block, FAMILY, named=True),))
        shape = self.described.shapes[f"{role}_message"]
        for block in message.content:
            if block.cache is not None or block.signature is not None or type(block) is am.TextBlock:
                inner, beside = self._detached(message)
                native = self._write(shape, inner)
                return {**native, **beside} if beside else native
        return self._write(shape, message)

    def _write(self, shape: Shape, message: am.Msg) -> Native:
        if not message.notes and not message.extras:
            return shape.write(message)
        return write_as(shape, message, self._spelt, namespace=FAMILY)

    def _detached(self, message: am.Msg) -> tuple[am.Msg, Native]:
        """Return a message without what stands beside its content, and that."""
        message, beside = detached(message)
        cited = [index for index, block in enumerate(message.content) if own.is_cited(block)]
        if len(cited) != 1 or message.role != "assistant":
            return message, beside
        at, content = cited[0], message.content
        text: Any = content[at]
        shape = self.described.shapes["url_citation"]
        annotations = [write_as(shape, citation, FAMILY) for citation in text.citations]
        is_said = bool(text.text) or "content" not in note_of(message, self._spelt)
        plain = (own.uncited(text),) if is_said else ()
        return message.evolve(content=(*content[:at], *plain, *content[at + 1 :])), {
            **beside,
            "annotations": annotations,
        }

    def in_field(self, block: Any) -> bool:
        """Whether a refusal stands in the field of its name, where it is the last that the content says."""
        if block.cache is not None or FAMILY in block.extras or not block.refusal:
            return False
        # A response has no other place for it, unless its content was a list.
        noted = note_of(block, FAMILY)
        return "/odd" not in noted if self._is_response else noted.get("/refusal") is True
