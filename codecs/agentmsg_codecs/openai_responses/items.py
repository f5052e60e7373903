"""Items and messages: a run of assistant-side items is one message; any other item is a message by itself.

An assistant's message item with several parts becomes several blocks. What the item says beside them is on the first
(``ITEM``); the next block that doesn't belong to it opens another. An item without content separates two runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast

import attrs

import agentmsg as am
import agentmsg_codecs.openai_responses.outcomes as outcomes
from agentmsg import AgentMsgError, thaw
from agentmsg.formats import (
    EMPTY,
    CallNames,
    Codec,
    Native,
    Unreadable,
    adopt,
    given,
    is_list,
    is_object,
    maker,
    mark_of,
    marked,
    natives,
    note_of,
    spelling,
    write_as,
)
from agentmsg.formats.bodies import read_tool, write_tool
from agentmsg_codecs.openai_responses.format import ITEMS, OUTPUTS, describe_inputs, describe_items
from agentmsg_codecs.openai_responses.message_items import (
    MESSAGE_KEYS,
    SAID_KEYS,
    TOOLS_KEYS,
    has_said,
    id_of,
    is_decision,
    is_phase,
    kept,
    rest_of,
    spelling_of,
    spelt,
)
from agentmsg_codecs.openai_responses.names import DECIDED, FAMILY, ITEM, MORE_TOOLS, NATIVE_ITEMS
from agentmsg_codecs.openai_responses.ran import as_client, read_ran

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_PLACES = {"user": "user", "system": "text", "developer": "text"}
# The forms of results by their tags.
_OUTPUTS = {str(form.tag): form.name for form in OUTPUTS}
_OUTPUT_OF = {form.fixed.get("kind", "function"): form.name for form in OUTPUTS}
# Items of the assistant's side, whatever else they hold.
_OF_ASSISTANT = frozenset(form.tag for form in ITEMS)
_SAID = (am.TextBlock, am.RefusalBlock)
_make_msg = maker(am.Msg)
_make_said = maker(am.Msg, "role", "content")
_make_text = maker(am.TextBlock, "text")


def is_said(block: Any) -> bool:
    """Whether a block of the assistant is part of a message item, rather than an item by itself."""
    return type(block) in _SAID


def has_tools(message: am.Msg) -> bool:
    """Whether a message is an item that gives more tools."""
    return len(message.content) == 1 and type(message.content[0]) is am.ToolsBlock


def _opens(block: Any, last: Any) -> bool:
    """Whether a part of a message item begins one, given the part before it."""
    if block.item_id != last.item_id or block.phase != last.phase:
        return True
    if ITEM in block.extras or (block.notes and ITEM in block.notes):
        return True
    return block.item_id is None and not (block.notes and mark_of(block, FAMILY, "/more") is True)


class Items:
    """Reads and writes items.

    Args:
        is_answer: whether they are those of a response: a message of the assistant has an id and parts there; where
            no id is known, it is empty.

    Attributes:
        inputs: the forms of what users and tools give.
        items: the forms of the assistant's side.
    """

    def __init__(self, *, is_answer: bool = False) -> None:
        self.inputs, self.items = describe_inputs(), describe_items()
        self._is_answer = is_answer

    def fill(self) -> None:
        """Fill the tables, on first use."""
        self.inputs.fill()
        self.items.fill()

    def read_tools(self, tools: Iterable[Any]) -> tuple[Any, ...]:
        """Read tools, of a request or of an item."""
        return tuple(read_tool(tool, FAMILY, self.inputs.shapes["tool"]) for tool in tools)

    def write_tools(self, tools: Iterable[Any]) -> list[Native]:
        """Write tools that fit."""
        return [write_tool(tool, FAMILY, self.inputs.shapes["tool"]) for tool in tools]

    # -- reading ------------------------------------------------------------------------------------------------------

    def read(self, items: Iterable[Any]) -> list[am.Msg]:
        """Return the messages of items."""
        messages: list[am.Msg] = []
        run: list[Any] = []
        for item in items:
            found = self._read(item)
            if isinstance(found, list):
                run += found
                continue
            if run:
                messages.append(_make_said("assistant", tuple(run)))
                run = []
            messages.append(found)
        if run:
            messages.append(_make_said("assistant", tuple(run)))
        names = CallNames()
        return [names.named(message) for message in messages]

    def read_run(self, items: Iterable[Any]) -> tuple[Any, ...]:
        """Return the blocks of the items of a response: all are of the assistant's side."""
        blocks: list[Any] = []
        has_results = False
        for item in items:
            found = self._read(item)
            if isinstance(found, list):
                blocks += found
            elif found.role == "tool":
                has_results = True
                blocks.append(found.content[0])
            else:
                blocks.append(natives.native_part(item, FAMILY, natives.native_texts))
        return tuple(read_ran(blocks) if has_results else blocks)

    def _read(self, item: Any) -> am.Msg | list[Any]:
        """Return the message of an item, or the blocks of one of the assistant's side."""
        try:
            if is_object(item):
                tag, role = item.get("type"), item.get("role")
                if tag in (None, "message") and type(role) is str:
                    return self._assistant(item) if role == "assistant" else self._message(item, _PLACES[role])
                if type(tag) is str and tag in _OUTPUTS:
                    block = self.inputs.shapes[_OUTPUTS[tag]].exact[tag](item)  # type: ignore[index]
                    return _make_said("tool", (block,))
                if tag == DECIDED:
                    return _make_said("user", (self.inputs.shapes["decision"].exact[tag](item),))  # type: ignore[index]
                if tag == MORE_TOOLS:
                    return self._more_tools(item)
                if tag == "message" and has_said(item):
                    return self._assistant(item)
        except (Unreadable, AgentMsgError, KeyError):
            pass
        if _is_of_assistant(item):
            return self._served(item) or [self.items.parts["items"].read(item)]
        return natives.read_whole(item, FAMILY, {"content": natives.native_texts(item)})

    def _served(self, item: Native) -> list[Any] | None:
        """Return the call and the result of an item that has both; None for others."""
        asked = outcomes.call_asked_for(item)
        if asked is not None:
            request = outcomes.request_for(call := self.items.parts["items"].read(asked))
            return None if request is None else [call, request]
        found = outcomes.split(item)
        if found is None:
            return None
        call = self.items.parts["items"].read(found[0])
        result = outcomes.result_of(call, found[1])
        return None if result is None else [call, result]

    def _message(self, native: Native, place: str) -> am.Msg:
        content = native["content"]
        if content is None:
            raise Unreadable
        blocks, is_listed = natives.read_content(content, self.inputs.parts[place].read, FAMILY)
        note = spelling_of(native, usual=False)
        if is_listed or content == []:
            note["/list"] = True
        return _alone(native, native["role"], blocks, note)

    def _more_tools(self, native: Native) -> am.Msg:
        if native.get("role", "developer") != "developer" or not is_list(native["tools"]) or not native["tools"]:
            raise Unreadable
        note: Native = {"/role": "absent"} if "role" not in native else {}
        return _alone(native, "developer", (am.ToolsBlock(self.read_tools(native["tools"])),), note, TOOLS_KEYS)

    def _assistant(self, native: Native) -> am.Msg | list[Any]:
        content = native["content"]
        note: Native = {}
        item_id = id_of(native, note)
        is_own = item_id is not None
        if content in ("", []):
            return self._empty(native)
        if self._is_answer:
            if not is_own:
                note["/nameless"] = True
            elif not item_id:
                item_id = None
                del note["/id"]
            is_own = True
        note |= {"/role": "absent"} if "role" not in native else {}
        note |= spelling_of(native, usual=is_own)
        blocks = self._parts(content)
        if (type(content) is str) is is_own:
            note["/content"] = "text" if is_own else "list"
        phase = native.get("phase")
        phase = phase if is_phase(phase) else None
        if item_id is not None or phase is not None:
            blocks = [block.evolve(item_id=item_id, phase=phase) for block in blocks]
        first, *others = blocks
        rest = rest_of(native, SAID_KEYS)
        if rest:
            first = first.evolve(extras={**first.extras, ITEM: rest})
        if note or item_id is not None:
            # It opens an item, whatever stands before it.
            first = first.evolve(notes={**first.notes, ITEM: note or {"/own": True}})
        if item_id is None:
            others = [marked(other, FAMILY, more=True) for other in others]
        elif note.get("/id") is True:
            others = [marked(other, FAMILY, id=True) for other in others]
        return [first, *others]

    def _parts(self, content: Any) -> list[Any]:
        """Return the blocks of the content of an assistant's item.

        Raises:
            Unreadable: if one isn't a part of such items.
        """
        if type(content) is str:
            return [_make_text(content)]
        blocks: list[Any] = list(map(self.items.parts["said"].read, content)) if is_list(content) else []
        if not blocks or not all(map(is_said, blocks)):
            raise Unreadable
        return blocks

    def _empty(self, native: Native) -> am.Msg:
        """Return the message of an item of the assistant without content; it separates the runs around it."""
        if "phase" in native:
            raise Unreadable
        note = {**spelling_of(native, usual=False), **({"/list": True} if native["content"] == [] else {})}
        if native.get("id") is not None:
            note["/id"] = True
        return _alone(native, "assistant", (), note)

    # -- writing ------------------------------------------------------------------------------------------------------

    def write(self, messages: Iterable[am.Msg]) -> list[Any]:
        """Return the items of messages that fit."""
        items: list[Any] = []
        for message in messages:
            if message.role == "native":
                items.append(natives.native_of(message, FAMILY))
            elif message.role == "tool":
                items.append(self._output(message.content[0]))
            elif is_decision(message):
                items.append(write_as(self.inputs.shapes["decision"], message.content[0], FAMILY))
            elif message.role == "assistant" and message.content:
                items += self.write_run(message.content)
            else:
                items.append(self._written(message))
        return items

    def _output(self, block: Any) -> Native:
        name = _OUTPUT_OF[block.kind]
        # Its name is its call's: readers give it again.
        bare = block.evolve(name=None) if block.notes and block.name is not None else block
        return write_as(self.inputs.shapes[name], bare, FAMILY)

    def _written(self, message: am.Msg) -> Native:
        content: Any = message.content
        if has_tools(message):
            role = {} if mark_of(message, FAMILY, "/role") == "absent" else {"role": message.role}
            native: Native = {"type": MORE_TOOLS, **role, "tools": self.write_tools(content[0].tools)}
        else:
            is_text = not content or (len(content) == 1 and natives.is_bare_text(content[0], FAMILY))
            if is_text and not (message.notes and mark_of(message, FAMILY, "/list") is True):
                said: Any = content[0].text if content else ""
            else:
                said = list(map(self.inputs.parts[_PLACES.get(message.role, "text")].write, content))
            native = {"role": message.role, "content": said, **spelt(note_of(message, FAMILY), usual=False)}
        if given(message.id) is not None:
            native["id"] = message.id
        elif message.notes and mark_of(message, FAMILY, "/id") == "null":
            native["id"] = None
        return {**native, **natives.extras_copy(message, FAMILY)}

    def write_run(self, content: Sequence[Any]) -> list[Any]:
        """Return the items of blocks of the assistant's side."""
        items: list[Any] = []
        group: list[Any] = []
        before: Any = None
        for block in map(as_client, content):
            if group and (not is_said(block) or _opens(block, group[-1])):
                items.append(self._said(group))
                group = []
            if is_said(block):
                group.append(block)
            elif type(block) is am.ToolResultBlock and outcomes.follows(block, before):
                items[-1] = outcomes.with_result(items[-1], block)
            elif outcomes.asks(block, before):
                items[-1] = outcomes.as_request(items[-1])
            elif type(block) is am.ToolResultBlock and block.kind != "server":
                items.append(self._output(block))
            else:
                items.append(self.items.parts["items"].write(block))
            before = block
        return [*items, self._said(group)] if group else items

    def _said(self, blocks: list[Any]) -> Native:
        """Return the message item of its parts."""
        first = blocks[0]
        note = note_of(first, ITEM)
        is_own = first.item_id is not None or self._is_answer
        wanted = note.get("/content", "list" if is_own else "text")
        is_text = wanted == "text" and len(blocks) == 1 and _is_plain(first)
        write = self.items.parts["said"].write
        parts = first.text if is_text else [write(_without_item(block)) for block in blocks]
        role: Native = {} if note.get("/role") == "absent" and not is_text else {"role": "assistant"}
        native: Native = {**spelt(note, usual=is_own), **role, "content": parts}
        if is_own and (first.item_id is not None or note.get("/nameless") is not True):
            native["id"] = natives.link_of(first.item_id) or ""
        elif note.get("/id") == "null":
            native["id"] = None
        if first.phase is not None:
            native["phase"] = first.phase
        return {**native, **natives.extras_copy(first, ITEM)}

    # -- whether native ones come back --------------------------------------------------------------------------------

    def message_of(self, value: Any) -> am.Msg:
        """Return the message of a native item; one of the assistant where it is of its side."""
        self.fill()
        found = self._read(thaw(value))
        return _make_said("assistant", tuple(found)) if isinstance(found, list) else found

    def block_of(self, block: am.NativeBlock) -> am.NativeBlock | None:
        """Return what is read where a native block is written among the items of a run; None if it isn't one."""
        self.fill()
        found = self._read(thaw(block.value))
        is_one = isinstance(found, list) and len(found) == 1 and type(found[0]) is am.NativeBlock
        return cast("Any", found)[0] if is_one else None

    def answer_of(self, block: am.NativeBlock) -> am.NativeBlock | None:
        """Return what is read where a native block is written among the items of a response; None if it isn't one."""
        self.fill()
        found = self.read_run([thaw(block.value)])
        return found[0] if len(found) == 1 and type(found[0]) is am.NativeBlock else None


def _alone(
    native: Native, role: str, content: tuple[Any, ...], note: Native, known: frozenset[str] = MESSAGE_KEYS
) -> am.Msg:
    """Return the message of an item that is one by itself.

    Args:
        native: the item.
        role: of the message.
        content: of the message.
        note: how all but the id was spelt.
        known: the keys of the item that are no extras.

    Raises:
        Unreadable: if its id isn't a text.
    """
    item_id = id_of(native, note)
    return _make_msg(role, content, id=item_id, extras=kept(rest_of(native, known)), notes=kept(note))


def _is_of_assistant(item: Any) -> bool:
    """Whether an item is of the assistant's side; what others gave it is a message of its own."""
    if not is_object(item):
        return False
    tag: Any = item.get("type")
    if type(tag) is not str or tag in _OUTPUTS:
        return False
    if tag in _OF_ASSISTANT:
        return True
    return item.get("role", "assistant") == "assistant" and not tag.endswith(("_output", "_response"))


def _is_plain(block: Any) -> bool:
    """Whether a part of a message item is a text and nothing more."""
    return type(block) is am.TextBlock and bool(block.text) and not block.citations and FAMILY not in block.extras


def _without_item(block: Any) -> Any:
    """Return a part as its own form reads it: without what is said of its item."""
    if block.item_id is None and block.phase is None and ITEM not in block.extras:
        return block
    rest = {space: own for space, own in block.extras.items() if space != ITEM}
    return spelling.changed(block, {"item_id": None, "phase": None, "extras": adopt(rest) if rest else EMPTY})


@attrs.frozen(kw_only=True, eq=False, repr=False)
class OpenAIResponses(Codec):
    """Documents of OpenAI's Responses API.

    Attributes:
        thinking: what to do with thinking that OpenAI's models can't go on from: "drop" it, or write it as "text" in
            tags. None drops it, too, but ``encode`` then refuses to lose it.
        engine: what reads and writes; hooks registered on ``engine.items.parts["items"].converter``, or on that of
            ``engine.inputs``, before first use replace ours.
    """

    family: ClassVar[str] = FAMILY
    events: ClassVar[str | None] = "agentmsg_codecs.openai_responses.events"
    fits_as_read: ClassVar[bool] = True
    writes_plain: ClassVar[bool] = True
    content_keys: ClassVar[frozenset[str]] = Codec.content_keys | {"outputs", "results"}
    kept: ClassVar[frozenset[str]] = NATIVE_ITEMS | {
        "caller", "computer_call", "computer_call_output", "fingerprint", "shell_call_output",
    }  # fmt: skip

    thinking: Literal["drop", "text"] | None = attrs.field(
        default=None, validator=attrs.validators.in_((None, "drop", "text"))
    )
    engine: Items = attrs.field(factory=Items, init=False, eq=False, repr=False)
