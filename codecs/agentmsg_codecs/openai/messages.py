"""Messages: one native message is one of ours. Keys beside the content are read first, and written last."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import agentmsg as am
from agentmsg import AgentMsgError, thaw
from agentmsg.formats import (
    Shape,
    Unreadable,
    adopt,
    is_list,
    is_mapping,
    is_marked,
    is_object,
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
from agentmsg_codecs.openai.annotations import KEY, citations_of, is_cited
from agentmsg_codecs.openai.beside import BESIDE, KeysBeside, may_be_beside
from agentmsg_codecs.openai.format import describe, is_flat
from agentmsg_codecs.openai.hints import odd
from agentmsg_codecs.openai.names import FAMILY, ITEM, MESSAGE, REASONING_KEYS, REMINDER
from agentmsg_codecs.openai.places import (
    is_field_audio,
    is_function,
    is_legacy,
    is_native_entry,
    is_thinking_field,
    is_value,
)
from agentmsg_codecs.openai.reasoning import read_reasoning, write_reasoning
from agentmsg_codecs.openai.tool_links import Links, of_function

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from agentmsg.formats import Native

_OBJECT: Any = dict  # so that type checkers ask nothing about what is inside
_PLAIN = {"system": "text", "developer": "text", REMINDER: "text", "user": "user"}
_ROLES = frozenset({*_PLAIN, "assistant", "tool", "function"})
# Our role, if the native one is another.
_MEANT = {"function": "tool", REMINDER: "developer"}
_REFUSED = adopt({FAMILY: {"/refusal": True}})
_NAME = Key("name", "name", Text(), "may", is_odd=True)

_Reader: TypeAlias = "Callable[[Native], am.Msg]"


def _is_native_value(native: Native) -> bool:
    """Whether the content of a native result is any JSON but text, parts, or nothing."""
    content = native.get("content")
    return content is not None and type(content) not in (str, list)


def _is_value_message(message: Any) -> bool:
    return is_value(message.content[0])


def _check_alone(native: Native) -> None:
    """Refuse a message with a ``function_call`` beside ``tool_calls`` that aren't calls.

    These would be an extra; but an old call gets an id, and if it is moved, it is written under their key.

    Raises:
        Unreadable: if it is such a message.
    """
    calls = native.get("tool_calls")
    is_extra = not is_list(calls) and spelling.spelling_of_nothing(calls) is None
    if is_extra and is_object(native["function_call"]):
        raise Unreadable("a function_call beside tool_calls that aren't calls")


def _is_empty_sound(native: Any) -> bool:
    return is_mapping(native) and not any(native.values())


class Messages:
    """Reads and writes single messages.

    Args:
        place: the field for thinking that wasn't read from one; None if there is none.
        is_response: whether these are the messages of responses, which spell absent fields otherwise.

    Attributes:
        described: the forms.
    """

    def __init__(self, *, place: str | None, is_response: bool = False) -> None:
        self.place = place
        self._is_response = is_response
        self._spelt = MESSAGE if is_response else FAMILY
        self.described = describe(self._forms())
        self._beside = KeysBeside(self.described, self._spelt)
        self._readers: dict[str, _Reader] = {}

    def fill(self) -> None:
        """Fill the tables of hooks, on first use."""
        self.described.fill()

    # -- the forms ----------------------------------------------------------------------------------------------------

    def _forms(self) -> Iterator[Form]:
        if not self._is_response:
            for role, place in _PLAIN.items():
                notes = {REMINDER: True} if role == REMINDER else {}
                yield self._form(role, Lifted((Place("content", Content(place), need='""'),)), _NAME, notes=notes)
        yield self._form("assistant", *self._assistant())
        if not self._is_response:
            yield from self._results("tool", Key("name", "name", Link(), "may", said="named", is_odd=True), "no-id")
            yield from self._results("function", Key("name", "name", Link()))

    def _form(self, role: str, *items: Any, name: str | None = None, values: str | None = None, **how: Any) -> Form:
        """Return the form of a role's messages.

        Args:
            role: the native role.
            items: the keys.
            name: of the form, if it isn't that of the role.
            values: the form of results whose content is any JSON.
            how: arguments of the form.
        """
        name = name or f"{role}_message"
        how["spelt"] = self._spelt if self._is_response else None
        how["fixed"] = {"role": _MEANT.get(role, role)}
        # Many servers leave out the role of a response.
        how["tagged"] = "usual" if self._is_response else "always"
        return Form(name, am.Msg, role, items, tag_key="role", is_apart=role, first=self._first(name, values), **how)

    def _assistant(self) -> tuple[Any, ...]:
        sound = Via(self._read_sound, self._write_sound, native={"type": "object"})
        legacy = Via(self._read_legacy, self._write_legacy, native={"type": "object"})
        refusal = Wrapped(am.RefusalBlock, "refusal", {"notes": _REFUSED}, full=True)
        need: Literal["null", "may"] = "null" if self._is_response else "may"
        content = Lifted((
            Beside(keys=REASONING_KEYS, takes={am.ThinkingBlock: is_thinking_field}, get=read_reasoning,
                   put=write_reasoning(self.place), about="thinking"),
            Place("content", Content("answer" if self._is_response else "assistant"), need="null", alone='""'),
            Place("refusal", refusal, {am.RefusalBlock: self.in_field}, need,
                  last_of="content", is_one=True, is_odd=True),
            Place("audio", sound, {am.AudioBlock: is_field_audio}, is_one=True, is_odd=True),
            Place("tool_calls", Each(Via(self._read_entry, self._write_entry, native={})),
                  {am.ToolUseBlock: None, am.NativeBlock: is_native_entry}, is_odd=True),
            Place("function_call", legacy, {am.ToolUseBlock: is_legacy},
                  last_of="tool_calls", is_one=True, is_odd=True),
        ))  # fmt: skip
        annotations = Spare(KEY, [], is_written=False)
        return (content, annotations) if self._is_response else (content, annotations, _NAME)

    def _results(self, role: str, name: Key, lacks: str | None = None) -> Iterator[Form]:
        """Yield the forms of a role's results: with any JSON as content, and with text or parts."""
        link = Key("tool_call_id", "tool_call_id", Link(), "may", is_odd=True, lacks=lacks)
        value = Single(am.ToolResultBlock, (link, Key("content", "structured", Json()), name), {"/value": True})
        yield self._form(
            role,
            value,
            name=f"{role}_value",
            fits=_is_native_value,
            when=_is_value_message,
        )
        content = Key("content", "content", Content("tool"), '""')
        yield self._form(role, Single(am.ToolResultBlock, (link, content, name)), values=f"{role}_value")

    def keys(self, role: str) -> frozenset[str]:
        """Return the keys of a role's messages; those of responses have no name."""
        return frozenset({"role"}).union(*self.described.shapes[f"{role}_message"].keys.values())

    def taken(self, role: str) -> Callable[[am.Msg], frozenset[str]]:
        """Return the function to the keys that the extras of a role's messages must not use."""
        keys = self.keys(role)
        return lambda message: keys | self._beside.taken(message)

    def is_odd(self, role: str) -> Callable[[Any, str, Any], bool]:
        """Return the test for odd values in the extras of a role's messages."""
        comes_back = natives.odd_at(self.described.shapes[f"{role}_message"], self._spelt, FAMILY)

        def test(owner: Any, key: str, value: Any) -> bool:
            if key == KEY and role == "assistant":
                plain = thaw(value)
                return plain is not None and citations_of(plain) is None and not any(map(is_cited, owner.content))
            return comes_back(owner, key, value)

        return test

    # -- reading ------------------------------------------------------------------------------------------------------

    def read(self, native: Any) -> am.Msg:
        """Read a native message by itself; if the model can't express it, its role is ``native``.

        Raises:
            DecodeError: if it isn't a message at all.
        """
        return Links().linked(0, self.read_unlinked(native))

    def read_unlinked(self, native: Any) -> am.Msg:
        """Read a native message as ``read`` does, without the ids and names that readers make."""
        messages: list[am.Msg] = []
        self.read_each((native,), messages)
        return messages[0]

    def read_answer(self, native: Native) -> am.Msg:
        """Read the message of a response; without a role, it is the assistant's.

        Raises:
            Unreadable: if the model can't express it.
        """
        if native.get("role") not in (None, "", "assistant"):
            raise Unreadable
        return self.described.names.readers["assistant_message"](native)  # type: ignore[no-any-return]

    def read_each(
        self,
        native_messages: Iterable[Any],
        messages: list[am.Msg],
        opened: Callable[[Any], Any] = natives.role_of,
    ) -> None:
        """Read native messages as ``read_unlinked`` does.

        Args:
            native_messages: to read.
            messages: takes the messages; if a native one is refused, those before it.
            opened: returns a plain object in place of anything else, or refuses it.
        """
        readers, plain, add = self._readers, _OBJECT, messages.append
        # All in one loop, because calling a function for each message takes as long as reading a text.
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
        """Return the reader of a role's messages, and remember it if the role is known."""
        shape: Any = self.described.shapes.get(f"{role}_message") if role in _ROLES else None
        if shape is None:
            return partial(natives.read_whole, family=FAMILY)
        read: _Reader = shape.exact[role]
        if role == "function":
            self._readers[role] = lambda native: of_function(read(native))
        else:
            # Results that are any JSON are rare: their form comes last.
            self._readers[role] = self.described.names.readers["tool_message"] if role == "tool" else read
        return self._readers[role]

    def read_held(self, native_messages: list[Any], copy: Callable[[Any], Any]) -> list[am.Msg]:
        """Read native messages that the caller still owns.

        A bare message keeps only valid texts of its document; any other is read again, from a copy.

        Args:
            native_messages: anything.
            copy: returns a checked copy of a native message.

        Raises:
            Exception: of any kind, if they are not all messages.
        """
        messages: list[am.Msg] = []
        self.read_each(native_messages, messages, copy)
        return Links().linked_all(messages, lambda at: self.read_unlinked(copy(native_messages[at])))

    def _first(self, name: str, values: str | None = None) -> Callable[[Native], am.Msg | None]:
        """Return the reader of a form's unusual messages: with keys beside their content, or in another form."""

        def read(native: Native) -> am.Msg | None:
            readers = self.described.names.readers
            if values is not None and _is_native_value(native):
                return readers[values](native)  # type: ignore[no-any-return]
            if "function_call" in native:
                _check_alone(native)
            if BESIDE.isdisjoint(native):
                return None
            return self._beside.read(native, partial(readers[name], is_rest=True))

        return read

    def _read_entry(self, entry: Any) -> am.ToolUseBlock | am.NativeBlock:
        """Read an entry of ``tool_calls``; it becomes a native block if it isn't a call."""
        if type(entry) is _OBJECT:
            try:
                if entry.get("type") == "function":
                    return self.described.names.readers["call"](entry)  # type: ignore[no-any-return]
                return self.described.shapes["call"].read(entry, am.ToolUseBlock)  # type: ignore[no-any-return]
            except (Unreadable, AgentMsgError):
                with suppress(Unreadable, AgentMsgError):
                    return self.described.shapes["flat_args"].read(entry, am.ToolUseBlock)  # type: ignore[no-any-return]
        return marked(natives.native_part(entry, FAMILY), FAMILY, call=True)

    def _read_legacy(self, native: Any) -> am.ToolUseBlock:
        block: am.ToolUseBlock = read_as(self.described.shapes["function_call"], native, FAMILY)
        if not block.name:  # the empty one of some servers
            raise Unreadable
        return block

    def _read_sound(self, native: Any) -> am.AudioBlock:
        if _is_empty_sound(native):
            raise Unreadable
        block: am.AudioBlock = read_as(self.described.shapes["sound"], native, FAMILY)
        return block if self._is_usual_sound(block) else odd(block)

    def _is_usual_sound(self, block: am.AudioBlock) -> bool:
        """Whether the schema allows sound: in a request as a reference, in a response with all its keys."""
        if not self._is_response:
            return isinstance(block.source, am.FileSource) and block.transcript is None and not block.extras
        is_complete = block.item_id is not None and block.transcript is not None
        return is_complete and type(natives.extras_of(block, FAMILY).get("expires_at")) is int

    # -- writing ------------------------------------------------------------------------------------------------------

    def write(self, message: am.Msg) -> Any:
        """Write a message that fits."""
        role = message.role
        if 0 < speed.how_bare(message) < speed.NAMED:
            return self.described.names.writers[f"{role}_message"](message)
        kept = natives.native_of(message, FAMILY) if role == "native" else None
        if kept is not None:
            return kept
        if role == "tool" and message.content[0].notes:
            block: Any = message.content[0]
            if is_function(block):
                role = "function"
            elif is_marked(block, FAMILY, "/legacy") and not is_marked(block, FAMILY, "/named"):
                # An old result that got an id still has its name.
                message = message.evolve(content=(marked(block, FAMILY, named=True),))
        elif role == "developer" and is_marked(message, FAMILY, f"/{REMINDER}"):
            role = REMINDER
        shape = self.described.shapes[f"{role}_message"]
        if not any(map(may_be_beside, message.content)):
            return self._write(shape, message)
        inner, beside = self._beside.write(message)
        native = self._write(shape, inner)
        return {**native, **beside} if beside else native

    def _write(self, shape: Shape, message: am.Msg) -> Native:
        if not message.notes and not message.extras:
            return shape.write(message)
        return write_as(shape, message, self._spelt, namespace=FAMILY)

    def _write_entry(self, block: am.ToolUseBlock | am.NativeBlock) -> Any:
        if isinstance(block, am.NativeBlock):
            return thaw(block.value)
        form = "flat_args" if block.notes and is_flat(block) else "call"
        return write_as(self.described.shapes[form], block, FAMILY)

    def _write_legacy(self, block: am.ToolUseBlock) -> Native:
        return write_as(self.described.shapes["function_call"], block, FAMILY, namespace=ITEM)

    def _write_sound(self, block: am.AudioBlock) -> Native:
        return write_as(self.described.shapes["sound"], block, FAMILY)

    # -- what comes back ----------------------------------------------------------------------------------------------

    def comes_back(self, block: am.NativeBlock) -> am.NativeBlock | None:
        """Return what is read if this native block is written among the calls; None if that is a call."""
        back = self._read_entry(thaw(block.value))
        return back if isinstance(back, am.NativeBlock) else None

    def is_no_sound(self, block: am.AudioBlock) -> bool:
        """Whether a block that fits would not be read back as sound, because all its values are empty."""
        return _is_empty_sound(self._write_sound(block))

    def in_field(self, block: Any) -> bool:
        """Whether a refusal belongs in the field of its name, if it is the last block of the content."""
        if block.cache is not None or FAMILY in block.extras or not block.refusal:
            return False
        # A response has no other place for it, unless its content was a list.
        note = note_of(block, FAMILY)
        return "/odd" not in note if self._is_response else note.get("/refusal") is True
