"""One tool call, up to four copies: in content, in `tool_calls`, in `additional_kwargs.tool_calls`, `function_call`.

A stored chunk has a fifth, its pieces: `tool_call_chunks`. What a copy says beyond the call is meaning: extras of the
call, with one namespace for each place. How each copy is spelt is a note of the block:

    /copies   the letters of its places: c (content), t (tool_calls or invalid_tool_calls), a (additional_kwargs),
              f (additional_kwargs.function_call), k (only a piece); absent for the default places
    /list     "invalid" if a call that looks valid is in invalid_tool_calls
    /bare     the arguments aren't an object, and are in a list without an envelope
    /t, /a    its position in that list, if the lists don't have the order of the blocks
    /c= /t= /a= /f= /k=   how a copy spells what the call says: [stamp, deviation]

A deviation contains only names, and texts of arguments that are the same as JSON; the digest in the stamp ensures that
a spelling of id, name or arguments doesn't outlive an edit. By default, a call is only in tool_calls if only calls
follow it (valid ones first) and it has only a name, an id and arguments; any other is also in content, in its place.
If copies differ, `tool_calls` wins, then the text of the third copy, then content.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import agentmsg as am
import agentmsg_codecs.langchain.blocks.v1 as v1
from agentmsg import AgentMsgError
from agentmsg.formats import (
    EMPTY,
    Native,
    Unreadable,
    adopt,
    is_list,
    is_mapping,
    is_marked,
    is_object,
    is_sequence,
    mark_of,
    natives,
    note_of,
    parse_json,
    same_document,
    speed,
    spelling,
    tool_arguments,
)
from agentmsg_codecs.langchain.blocks.v1_forms import args_of, call_input, error_first, ordered
from agentmsg_codecs.langchain.names import FAMILY, digest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from agentmsg_codecs.langchain.blocks.parts import ContentParts


# By the letter of a copy's place, the namespace of what it says beyond the call.
SPACES: Mapping[str, str] = {
    "c": "langchain.content",
    "t": "langchain.tool_calls",
    "a": "langchain.kwargs",
    "k": "langchain.chunks",
}


# -- the default spelling ---------------------------------------------------------------------------------------------


def is_function_call(block: Any) -> bool:
    """Whether a block is a call that `tool_calls` may list."""
    return type(block) is am.ToolUseBlock and block.kind == "function"


def _valid_entry(block: am.ToolUseBlock) -> Native:
    bare = not is_mapping(block.input) and is_marked(block, FAMILY, "/bare")
    args = block.input if bare else args_of(block.input)
    return {"name": block.name, "args": args, "id": block.id, "type": "tool_call"}


def _invalid_entry(block: am.ToolUseBlock) -> Native:
    bare = block.is_valid and type(block.input) is not str and is_marked(block, FAMILY, "/bare")
    return {
        "type": "invalid_tool_call",
        "id": block.id,
        "name": block.name,
        "args": block.input if bare else tool_arguments.input_text(block),
        "error": natives.extras_of(block, FAMILY).get("error"),
    }


def openai_entry(block: am.ToolUseBlock) -> Native:
    """Return the entry of ``additional_kwargs.tool_calls``."""
    return {"id": block.id, "type": "function", "function": function_of(block)}


def function_of(block: am.ToolUseBlock) -> Native:
    """Return ``additional_kwargs.function_call``."""
    return {"name": block.name, "arguments": tool_arguments.input_text(block)}


def spelt_as_langchain(args: Any) -> str:
    """Return arguments as LangChain's JSON text."""
    import json  # noqa: PLC0415 - LangChain uses it

    return json.dumps(am.thaw(args))


def chunk_of(block: am.ToolUseBlock) -> Native:
    """Return the only piece of a whole call in a chunk, as LangChain makes it."""
    invalid = listed_invalid(block)
    args = tool_arguments.input_text(block) if invalid else spelt_as_langchain(_valid_entry(block)["args"])
    return {"name": block.name, "args": args, "id": block.id, "index": None, "type": "tool_call_chunk"}


def listed_invalid(block: am.ToolUseBlock) -> bool:
    """Whether a call is in invalid_tool_calls."""
    return not block.is_valid or mark_of(block, FAMILY, "/list") == "invalid"


def entry_of(block: am.ToolUseBlock) -> Native:
    """Return the entry of ``tool_calls`` or ``invalid_tool_calls``."""
    return _invalid_entry(block) if listed_invalid(block) else _valid_entry(block)


# By letter, the writers of copies outside content.
WRITERS = {"t": entry_of, "a": openai_entry, "f": function_of, "k": chunk_of}


# -- deviations -------------------------------------------------------------------------------------------------------

# By letter, the keys of a copy that may differ from the call, because the call has them from another copy.
_MAY_DIFFER: Mapping[str, frozenset[str]] = {
    "c": frozenset({"name", "input", "args", "arguments"}),
    "t": frozenset({"type", "name", "id"}),
    "a": frozenset({"type", "name", "arguments", "function"}),
    "k": frozenset({"type", "name", "args", "index"}),
}
_GUARDED = frozenset({"id", "call_id", "name", "args", "input", "arguments", "function"})
_TEXTS = frozenset({"args", "arguments"})


def compared(native: Native, plain: Native) -> tuple[Native, Native]:
    """Return, by key, how a native copy spells what the default spelling says, and what it says beyond that."""
    note: Native = {key: "absent" for key in plain if key not in native}
    more: Native = {}
    for key, value in native.items():
        if key not in plain:
            more[key] = value
            continue
        usual = plain[key]
        if same_document(value, usual):
            continue
        if key == "function" and is_mapping(value) and is_mapping(usual):
            inner, beside = compared(value, usual)
            note |= {key: ["/", inner]} if inner else {}
            more |= {key: beside} if beside else {}
            continue
        name = spelling.spelling_of(value)
        if name is not None:
            note[key] = name
        elif key in _TEXTS and is_same_json(value, usual):
            note[key] = ["=", value]
        else:
            more[key] = value
    return note, _in_order(more, plain)


def _in_order(more: Native, plain: Native) -> Native:
    """Return fields in the order in which they are written: keys of the default spelling first."""
    first = [key for key in plain if key in more]
    return {key: more[key] for key in (*first, *(key for key in more if key not in plain))}


def is_same_json(a: Any, b: Any) -> bool:
    """Whether two texts are the same as JSON."""
    if not isinstance(a, str) or not isinstance(b, str):
        return False
    try:
        return same_document(*(parse_json(text, speed.DEFAULT_LIMITS, "error") for text in (a, b)))
    except AgentMsgError:
        return False


def beyond(block: am.ToolUseBlock, letter: str, plain: Native) -> Native:
    """Return what the extras of a call say beyond it in one of its copies, as far as it comes back."""
    own = block.extras.get(SPACES[letter]) if block.extras and letter in SPACES else None
    return _allowed(compared(_with_more(plain, own), plain)[1], plain, letter) if is_mapping(own) else {}


def _allowed(more: Native, plain: Native, letter: str, *, is_inner: bool = False) -> Native:
    kept: Native = {}
    for key, value in more.items():
        if key not in plain:
            if is_inner or letter != "c":
                kept[key] = value
        elif key == "function" and not is_inner and is_mapping(value) and is_mapping(plain[key]):
            inner = _allowed({**value}, plain[key], letter, is_inner=True)
            kept |= {key: inner} if inner else {}
        elif key in _MAY_DIFFER[letter] and _may_be(key, value, plain[key], letter):
            kept[key] = value
    return kept


def _may_be(key: str, value: Any, usual: Any, letter: str) -> bool:
    """Whether a copy may have another value than the call."""
    if key in {"index", "type"} or letter == "k":
        return True
    if letter == "t":
        # The call can't have its name or id from another copy.
        return not usual and type(value) is not str
    if key == "input" or (key == "args" and is_mapping(usual)):
        return is_mapping(value)
    return isinstance(value, str)


def _apply(plain: Native, changes: Any, *, guarded: bool) -> Native:
    if not is_mapping(changes):
        return plain
    out = dict(plain)
    for key, change in changes.items():
        if key in _GUARDED and not guarded:
            continue
        how: Any = change[0] if is_sequence(change) and len(change) == 2 else change  # noqa: PLR2004
        if how == "/" and is_mapping(out.get(key)):
            out[key] = _apply(out[key], change[1], guarded=guarded)
        elif how == "absent":
            out.pop(key, None)
        elif how == "=" and is_same_json(change[1], out.get(key)):
            out[key] = change[1]
        elif isinstance(how, str) and how in spelling.SPELLINGS and key in out:
            out[key] = spelling.SPELLINGS[how]
    return out


def stamp(block: am.ToolUseBlock) -> str:
    """Return a digest of what a call says."""
    return digest([block.id, block.name, block.is_valid, block.input if block.is_valid else block.raw_input])


def spelt(block: am.ToolUseBlock, plain: Native, letter: str) -> Native:
    """Return a copy with what it says beyond the call, in its noted spelling."""
    more = beyond(block, letter, plain) if block.extras else None
    note = mark_of(block, FAMILY, f"/{letter}=")
    if is_sequence(note) and len(note) == 2:  # noqa: PLR2004 - stamp and deviation
        plain = _apply(plain, note[1], guarded=note[0] == stamp(block))
    return _with_more(plain, more) if more else plain


def _with_more(plain: Native, more: Mapping[str, Any]) -> Native:
    """Return a copy of a call with more fields, also inside `function`."""
    inner = more.get("function")
    both = is_mapping(inner) and is_mapping(plain.get("function"))
    return {**plain, **more, **({"function": {**plain["function"], **inner}} if both else {})}  # type: ignore[dict-item]


# -- places -----------------------------------------------------------------------------------------------------------

PLACES = frozenset({"/copies", "/list", "/t", "/a"})
"""The notes of a call about the places of its copies."""
# The namespaces of what an entry in a list of calls, or of their pieces, says beyond the call.
_LISTED = frozenset({SPACES["t"], SPACES["k"], SPACES["a"]})
_LISTED_OR_OWN = _LISTED | {FAMILY}
_SPACES = frozenset(SPACES.values())


class Layout(NamedTuple):
    """The places of a message's calls.

    Attributes:
        places: by the index of a call's block, the letters of its copies.
        tool_calls: the list of that name.
        invalid_tool_calls: the same.
        raw: the list in additional_kwargs.
        listed: the calls in the first two lists, in their order, and those that are only pieces.
        function_call: the copy of that name, or None.
    """

    places: dict[int, str]
    tool_calls: list[Native]
    invalid_tool_calls: list[Native]
    raw: list[Native]
    listed: list[am.ToolUseBlock]
    function_call: Native | None


_is_only_call = speed.says_only(am.ToolUseBlock, "id", "name", "input", "raw_input", "kind", "extras")


def _is_bare(block: am.ToolUseBlock) -> bool:
    """Whether an entry in a list of calls says all that a block says."""
    if not _is_only_call(block):
        return False
    if block.extras and not _LISTED.issuperset(block.extras):
        own = block.extras.get(FAMILY)
        if not _LISTED_OR_OWN.issuperset(block.extras) or not is_mapping(own) or own.keys() != {"error"}:
            return False
        return not block.is_valid or mark_of(block, FAMILY, "/list") == "invalid"
    if block.raw_input is None or not block.is_valid or block.significant_text is None:
        return True
    copies = mark_of(block, FAMILY, "/copies")
    return isinstance(copies, str) and ("a" in copies or "f" in copies)


def default_copies(blocks: Sequence[Any]) -> dict[int, str]:
    """Return, by the index of a call's block, the letters of its copies' default places."""
    start, only_valid = len(blocks), False
    while start:
        block = blocks[start - 1]
        if not is_function_call(block) or not _is_bare(block):
            break
        if not listed_invalid(block):
            only_valid = True
        elif only_valid:
            break
        start -= 1
    return {
        i: f"{'ct' if i < start else 't'}{'a' if block.extras and SPACES['a'] in block.extras else ''}"
        for i, block in enumerate(blocks)
        if is_function_call(block)
    }


def lay_out(blocks: Sequence[Any]) -> Layout:
    """Return the places of the calls in a message, and their entries."""
    places = _places(blocks)
    function_call: Native | None = None
    lists: dict[str, list[tuple[int, Native, am.ToolUseBlock]]] = {"valid": [], "invalid": [], "a": []}

    def put(name: str, letter: str, block: am.ToolUseBlock) -> None:
        noted = mark_of(block, FAMILY, f"/{letter}")
        position = noted if type(noted) is int else len(lists[name])
        lists[name].append((position, spelt(block, WRITERS[letter](block), letter), block))

    for index, copies in places.items():
        block = blocks[index]
        if "t" in copies:
            put("invalid" if listed_invalid(block) else "valid", "t", block)
        if "a" in copies:
            put("a", "a", block)
        if "f" in copies:
            function_call = spelt(block, function_of(block), "f")
    for found in lists.values():
        found.sort(key=itemgetter(0))
    listed = [block for name in ("valid", "invalid") for _, _, block in lists[name]]
    listed += [blocks[index] for index, copies in places.items() if copies == "k"]
    valid, invalid, raw = ([item[1] for item in found] for found in lists.values())
    return Layout(places, valid, invalid, raw, listed, function_call)


def _places(blocks: Sequence[Any]) -> dict[int, str]:
    """Return, by the index of a call's block, the letters of its copies."""
    places: dict[int, str] = {}
    # An entry in `additional_kwargs` is read as a copy of the first call with its id that lacks one.
    with_raw: set[str | None] = set()
    for index, default in reversed(default_copies(blocks).items()):
        block = blocks[index]
        noted = mark_of(block, FAMILY, "/copies")
        copies = noted if isinstance(noted, str) and noted and set(noted) <= set("ctafk") else default
        if block.extras:
            needed = {letter for letter in "cta" if SPACES[letter] in block.extras}
            needed |= {"t"} if (SPACES["k"] in block.extras and copies != "k") or "c" in needed else set()
            copies += "".join(letter for letter in "cta" if letter in needed and letter not in copies)
        if "a" in copies:
            with_raw.add(block.id)
        elif with_raw and block.id in with_raw:
            copies += "a"
        places[index] = copies
    return dict(reversed(places.items()))


def chunks_of(layout: Layout) -> list[Native]:
    """Return the pieces, in a stored chunk, of the calls in its lists."""
    return [spelt(block, chunk_of(block), "k") for block in layout.listed]


def _without_spaces(block: am.ToolUseBlock) -> am.ToolUseBlock:
    """Return a call without what its copies say beyond it."""
    return block.evolve(extras={space: own for space, own in block.extras.items() if space not in _SPACES})


def content_part(block: am.ToolUseBlock, parts: ContentParts) -> Any:
    """Return the copy of a call in content."""
    part = parts.write(block if _SPACES.isdisjoint(block.extras) else _without_spaces(block))
    return spelt(block, part, "c") if is_mapping(part) else part


def extras_of_copies(block: am.ToolUseBlock, parts: ContentParts) -> dict[str, Any]:
    """Return the extras of a call for what its copies say beyond it, as far as they come back."""
    bare = _without_spaces(block)
    writers: dict[str, Callable[[am.ToolUseBlock], Native]] = {"c": parts.write, **WRITERS}
    found: dict[str, Any] = {}
    for letter, space in SPACES.items():
        own = block.extras.get(space)
        if not is_mapping(own) or not own:
            continue
        kept = beyond(block, letter, writers[letter](bare))
        if kept:
            found[space] = own if am.same(adopt(kept), own) else kept
    return found


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

    def take(self, letter: str, place: int, native: Native, *, invalid: bool = False, **fields: Any) -> _Call:
        """Return the first call with its id that a copy may belong to, with it; else a new one of these fields."""
        alike, key = self._by_id.get(fields["id"], ()), (fields["id"], letter, invalid)
        index = self._passed.get(key, 0)
        while index < len(alike) and not alike[index].may_have(letter, invalid=invalid):
            index += 1
        self._passed[key] = index
        call = alike[index] if index < len(alike) else self.add(v1.make_call(**fields))
        call.copies[letter] = (place, native)
        return call


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
    link, name = natives.word_if_any(entry, "id"), natives.word_if_any(entry, "name") or ""
    value = adopt(args) if is_bare else call_input(args)
    call = calls.take("t", position, entry, id=link, name=name, input=value)
    if not call.block.is_valid or call.block.name != name or not am.same(call.block.input, value):
        call.block = call.block.evolve(name=name, input=value)
    if is_bare:
        call.note["/bare"] = True


def _join_invalid(calls: _Calls, position: int, entry: Native) -> None:
    link, name, args = natives.word_if_any(entry, "id"), natives.word_if_any(entry, "name") or "", entry.get("args")
    raw = natives.word_if_any(entry, "args")
    fields: Native = {"raw_input": raw} if raw is not None else {"input": EMPTY if args is None else adopt(args)}
    call = calls.take("t", position, entry, invalid=True, id=link, name=name, **fields)
    if call.block.name != name or raw is None or call.block.raw_input != raw:
        call.block = call.block.evolve(name=name, **fields)
    if entry.get("error") is not None:
        known: Any = call.block.extras.get(FAMILY) or {}
        own = error_first({**known, "error": entry["error"]})
        call.block = call.block.evolve(extras={**call.block.extras, FAMILY: adopt(own)})
    if call.block.is_valid:
        call.note["/list"] = "invalid"
    if raw is None and args is not None:
        call.note["/bare"] = True


def _join_text(calls: _Calls, position: int, entry: Native) -> None:
    name, text = entry["function"]["name"], entry["function"]["arguments"]
    _take_text(calls.take("a", position, entry, id=entry.get("id"), name=name, raw_input=text), text)


def _take_text(call: _Call, text: str) -> None:
    if call.block.is_valid and call.block.raw_input is None:
        # The block only keeps a text that says the same.
        call.block = call.block.evolve(input=call.block.input, raw_input=text)


def _join_legacy(calls: _Calls, legacy: Native) -> None:
    """Join the call of OpenAI's first generation, which has no id, to the one that says the same."""
    block = v1.make_call(id=None, name=legacy["name"], raw_input=legacy["arguments"])
    call = next((call for call in calls if _says_the_same(call.block, block)), None) or calls.add(block)
    _take_text(call, legacy["arguments"])
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
