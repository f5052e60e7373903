"""One tool call, up to four copies: in content, in `tool_calls`, in `additional_kwargs.tool_calls`, `function_call`.

A stored chunk has a fifth, its pieces: `tool_call_chunks`. The notes of the block say how each copy is spelt:

    /copies   the letters of its places: c (content), t (tool_calls or invalid_tool_calls), a (additional_kwargs),
              f (additional_kwargs.function_call), k (only a piece); absent for the default places
    /list     "invalid" if a call that looks valid is in invalid_tool_calls
    /bare     the arguments aren't an object, and are in a list without an envelope
    /t, /a    its position in that list, if the lists don't have the order of the blocks
    /c= /t= /a= /f= /k=   how a copy spells what the call says: [stamp, deviation], see copies.py

Anything else in a copy is an extra of the call. By default, a call is only in tool_calls if only calls follow it (valid
ones first) and it has only a name, an id and arguments; any other is also in content, in its place. If copies differ,
`tool_calls` wins, then the text of the third copy, then content.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
import agentmsg_codecs.langchain.blocks.v1 as v1
from agentmsg.formats import (
    EMPTY,
    Native,
    Unreadable,
    adopt,
    is_list,
    is_mapping,
    is_object,
    is_sequence,
    natives,
    note_of,
    same_document,
    spelling,
    tool_arguments,
)
from agentmsg_codecs.langchain.blocks.v1_forms import call_input, error_first, ordered
from agentmsg_codecs.langchain.calls.copies import (
    SPACES,
    WRITERS,
    beyond,
    compared,
    default_copies,
    is_function_call,
    is_same_json,
    stamp,
)
from agentmsg_codecs.langchain.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentmsg_codecs.langchain.blocks.parts import ContentParts


def takes_calls(value: Any) -> bool:
    """Whether ``additional_kwargs.tool_calls`` is a list of calls as OpenAI writes them."""
    return is_sequence(value) and bool(value) and all(map(_is_openai_call, value))


def _is_openai_call(entry: Any) -> bool:
    return is_mapping(entry) and _is_function(entry.get("function")) and isinstance(entry.get("id"), (str, type(None)))


def _is_function(value: Any) -> bool:
    return is_mapping(value) and isinstance(value.get("name"), str) and isinstance(value.get("arguments"), str)


def takes_function_call(value: Any) -> bool:
    """Whether a value is OpenAI's ``{"name", "arguments"}``, and nothing more."""
    return _is_function(value) and len(value) == 2  # noqa: PLR2004 - name and arguments


# -- reading ----------------------------------------------------------------------------------------------------------


class _Call:
    """One call while its copies are joined.

    Attributes:
        block: the call.
        index: its place in content; -1 if it has none.
        copies: by letter, the position of a copy in its list, and the copy.
        note: the notes so far.
    """

    __slots__ = ("block", "copies", "index", "note")

    def __init__(self, block: am.ToolUseBlock) -> None:
        self.block, self.index = block, -1
        self.copies: dict[str, tuple[int, Native]] = {}
        self.note: Native = {}

    @property
    def is_invalid(self) -> bool:
        """Whether it is in invalid_tool_calls."""
        return not self.block.is_valid or "/list" in self.note

    def may_have(self, letter: str, *, invalid: bool) -> bool:
        """Whether a copy may be one of this call."""
        tag = self.copies["c"][1].get("type") if letter == "t" and "c" in self.copies else None
        return letter not in self.copies and tag != ("tool_call" if invalid else "invalid_tool_call")


class _Calls(list[_Call]):
    """The calls of a message, in the order in which they were found, and by their ids."""

    def __init__(self) -> None:
        super().__init__()
        self._by_id: dict[Any, list[_Call]] = {}
        # How many calls with an id can't have such a copy any more.
        self._passed: dict[tuple[Any, str, bool], int] = {}

    def add(self, block: am.ToolUseBlock) -> _Call:
        """Add a call, after all content."""
        self.append(call := _Call(block))
        self._by_id.setdefault(block.id, []).append(call)
        return call

    def find(self, link: Any, letter: str, *, invalid: bool = False) -> _Call | None:
        """Return the first call with an id that a copy may belong to."""
        alike, key = self._by_id.get(link, ()), (link, letter, invalid)
        for index in range(self._passed.get(key, 0), len(alike)):
            if alike[index].may_have(letter, invalid=invalid):
                self._passed[key] = index
                return alike[index]
        self._passed[key] = len(alike)
        return None


def join(
    content: Sequence[tuple[Any, Any]], body: Native, kwargs: Native, parts: ContentParts, *, is_chunk: bool = False
) -> list[Any]:
    """Return the blocks of an assistant's content with its calls.

    Args:
        content: blocks, each with its native part, or None.
        body: the message, with its lists of calls; anything that isn't such a list is skipped.
        kwargs: its additional_kwargs.
        parts: writes the copies in content.
        is_chunk: whether it is a stored chunk, with the pieces of its calls.
    """
    calls = _Calls()
    for index, (block, part) in enumerate(content):
        if is_function_call(block) and is_object(part):
            call = calls.add(block)
            call.index, call.copies["c"] = index, (0, part)
    for position, entry in enumerate(_list_at(body, "tool_calls")):
        _join_valid(calls, position, entry)
    for position, entry in enumerate(_list_at(body, "invalid_tool_calls")):
        _join_invalid(calls, position, entry)
    if takes_calls(kwargs.get("tool_calls")):
        for position, entry in enumerate(kwargs["tool_calls"]):
            _join_text(calls, position, entry)
    legacy: Any = kwargs.get("function_call")
    if takes_function_call(legacy):
        _join_legacy(calls, legacy)
    if is_chunk:
        _join_chunks(calls, body.get("tool_call_chunks"))
    blocks = [block for block, _ in content]
    for call in calls:
        # A copy may have made it invalid.
        call.block = ordered(call.block)
        if call.index < 0:
            call.index = len(blocks)
            blocks.append(call.block)
    _note(calls, blocks, parts)
    return blocks


def _list_at(body: Native, key: str) -> list[Any]:
    return body[key] if is_calls(body.get(key)) else []


def is_calls(value: Any) -> bool:
    """Whether a value is a list of objects, as a list of calls is."""
    return is_list(value) and all(map(is_object, value))


def _join_valid(calls: _Calls, position: int, entry: Native) -> None:
    if "name" not in entry and is_object(entry.get("function")):
        # OpenAI's shape in LangChain's list: LangChain's calls have no such key.
        raise Unreadable
    args: Any = entry.get("args", EMPTY)
    is_bare = not is_mapping(args)
    link, name, value = natives.word_if_any(entry, "id"), natives.word_if_any(entry, "name") or "", adopt(args)
    value = value if is_bare else call_input(args)
    call = calls.find(link, "t")
    if call is None:
        call = calls.add(v1.make_call(id=link, name=name, input=value))
    elif not call.block.is_valid or call.block.name != name or not am.same(call.block.input, value):
        call.block = call.block.evolve(name=name, input=value)
    call.copies["t"] = (position, entry)
    if is_bare:
        call.note["/bare"] = True


def _join_invalid(calls: _Calls, position: int, entry: Native) -> None:
    link, name, args = natives.word_if_any(entry, "id"), natives.word_if_any(entry, "name") or "", entry.get("args")
    call = calls.find(link, "t", invalid=True)
    raw = natives.word_if_any(entry, "args")
    fields: Native = {"raw_input": raw} if raw is not None else {"input": EMPTY if args is None else adopt(args)}
    if call is None:
        call = calls.add(v1.make_call(id=link, name=name, **fields))
    elif call.block.name != name or raw is None or call.block.raw_input != raw:
        call.block = call.block.evolve(name=name, **fields)
    if entry.get("error") is not None:
        known: Any = call.block.extras.get(FAMILY) or {}
        own = error_first({**known, "error": entry["error"]})
        call.block = call.block.evolve(extras={**call.block.extras, FAMILY: adopt(own)})
    call.copies["t"] = (position, entry)
    if call.block.is_valid:
        call.note["/list"] = "invalid"
    if raw is None and args is not None:
        call.note["/bare"] = True


def _join_text(calls: _Calls, position: int, entry: Native) -> None:
    name, text = entry["function"]["name"], entry["function"]["arguments"]
    link = entry.get("id")
    call = calls.find(link, "a")
    if call is None:
        call = calls.add(v1.make_call(id=link, name=name, raw_input=text))
    elif call.block.is_valid and call.block.raw_input is None:
        # The block only keeps a text that says the same.
        call.block = call.block.evolve(input=call.block.input, raw_input=text)
    call.copies["a"] = (position, entry)


def _join_legacy(calls: _Calls, legacy: Native) -> None:
    """Join the call of OpenAI's first generation, which has no id, to the one that says the same."""
    block = v1.make_call(id=None, name=legacy["name"], raw_input=legacy["arguments"])
    call = next((call for call in calls if _says_the_same(call.block, block)), None)
    if call is None:
        call = calls.add(block)
    elif call.block.is_valid and call.block.raw_input is None:
        call.block = call.block.evolve(input=call.block.input, raw_input=legacy["arguments"])
    call.copies["f"] = (0, legacy)


def _says_the_same(block: am.ToolUseBlock, other: am.ToolUseBlock) -> bool:
    if block.name != other.name or block.is_valid is not other.is_valid:
        return False
    if not block.is_valid:
        return block.raw_input == other.raw_input
    texts = tuple(map(tool_arguments.input_text, (block, other)))
    return am.same(block.input, other.input) and (texts[0] == texts[1] or is_same_json(*texts))


def _join_chunks(calls: _Calls, pieces: Any) -> None:
    """Join the pieces in a stored chunk to its calls, if they are those of its lists, in order.

    If there is no call anywhere else, each piece with a name is one, of which the rest may be missing.
    """
    if not is_calls(pieces):
        return
    if not calls and all(natives.word_if_any(native, "name") for native in pieces):
        for position, native in enumerate(pieces):
            text = natives.word_if_any(native, "args")
            fields: Native = {} if text is None else {"raw_input": text}
            call = calls.add(v1.make_call(id=natives.word_if_any(native, "id"), name=native["name"], **fields))
            call.copies["k"] = (position, native)
        return
    in_lists = (call for call in calls if "t" in call.copies)
    listed = sorted(in_lists, key=lambda call: (call.is_invalid, call.copies["t"][0]))
    if [native.get("id") for native in pieces] == [call.block.id for call in listed]:
        for position, (call, native) in enumerate(zip(listed, pieces, strict=True)):
            call.copies["k"] = (position, native)


def _note(calls: list[_Call], blocks: list[Any], parts: ContentParts) -> None:
    """Note on each block how its copies differ from the default layout."""
    for call in calls:
        _note_copies(call, parts)
    in_lists = [call for call in calls if "t" in call.copies]
    _note_order("t", [call for call in in_lists if not call.is_invalid])
    _note_order("t", [call for call in in_lists if call.is_invalid])
    _note_order("a", [call for call in calls if "a" in call.copies])
    for call in calls:
        blocks[call.index] = _with_note(call.block, call.note)
    defaults = default_copies(blocks)
    for call in calls:
        if defaults[call.index] == call.note.pop("/copies"):
            blocks[call.index] = _with_note(call.block, call.note)


def _note_copies(call: _Call, parts: ContentParts) -> None:
    """Note the places and spellings of a call's copies; what they say beyond the call becomes its extras."""
    note = call.note
    if call.block.id is None:
        note["/no-id"] = True
    copies = "".join(letter for letter in "ctaf" if letter in call.copies) or "k"
    block = _with_note(call.block, {**note, "/copies": copies})
    extras: Native = {}
    for letter, (_, native) in call.copies.items():
        plain = parts.write(block) if letter == "c" else WRITERS[letter](block)
        otherwise, more = compared(native, plain)
        if otherwise:
            note[f"/{letter}="] = [stamp(block), otherwise]
        if not more:
            continue
        own = {SPACES[letter]: adopt(more)}
        if not same_document(beyond(block.evolve(extras=own), letter, plain), more):
            # It differs in what no extra may say, so it isn't a copy of this call.
            raise Unreadable
        extras |= own
    note["/copies"] = copies
    if extras:
        call.block = call.block.evolve(extras={**call.block.extras, **extras})


def _note_order(letter: str, calls: list[_Call]) -> None:
    """Note the positions of the calls in a list, if it doesn't have the order of the blocks."""
    positions = [call.copies[letter][0] for call in sorted(calls, key=lambda call: call.index)]
    if positions != list(range(len(calls))):
        for call in calls:
            call.note[f"/{letter}"] = call.copies[letter][0]


def _with_note(block: am.ToolUseBlock, note: Native) -> am.ToolUseBlock:
    if not note:
        return block
    notes = {**block.notes, FAMILY: adopt({**note_of(block, FAMILY), **note})}
    return spelling.changed(block, {"notes": adopt(notes)})
