"""The copies of a tool call: their default spelling, deviations from it, and their places; see joining.py.

What a copy says beyond the call is meaning: extras of the call, with one namespace for each place. How a copy spells
what the call says is a note. It contains only names, and texts of arguments that are the same as JSON; its digest
ensures that a spelling of id, name or arguments doesn't outlive an edit.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError
from agentmsg.formats import (
    Native,
    adopt,
    is_mapping,
    is_marked,
    is_sequence,
    mark_of,
    natives,
    parse_json,
    same_document,
    speed,
    spelling,
    tool_arguments,
)
from agentmsg_codecs.langchain.blocks.v1_forms import args_of
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
    return _beyond(own, plain, letter) if is_mapping(own) else {}


def _beyond(own: Mapping[str, Any], plain: Native, letter: str, *, is_inner: bool = False) -> Native:
    kept: Native = {}
    for key, value in own.items():
        if key not in plain:
            if is_inner or letter != "c":
                kept[key] = value
        elif key == "function" and not is_inner and is_mapping(value) and is_mapping(plain[key]):
            inner = _beyond(value, plain[key], letter, is_inner=True)
            kept |= {key: inner} if inner else {}
        elif key in _MAY_DIFFER[letter] and _differs(key, value, plain[key], letter):
            kept[key] = value
    return _in_order(kept, plain)


def _differs(key: str, value: Any, usual: Any, letter: str) -> bool:
    if same_document(value, usual) or spelling.spelling_of(value) is not None:
        return False
    if key in {"index", "type"}:
        return True
    if key in _TEXTS and is_same_json(value, usual):
        return False
    if letter == "k":
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
    if not more:
        return plain
    inner = more.get("function")
    both = is_mapping(inner) and is_mapping(plain.get("function"))
    return {**plain, **more, **({"function": {**plain["function"], **inner}} if both else {})}  # type: ignore[dict-item]


# -- places -----------------------------------------------------------------------------------------------------------

PLACES = frozenset({"/copies", "/list", "/t", "/a"})
"""The notes of a call about the places of its copies; see joining.py."""
# The namespaces of what an entry in a list of calls, or of their pieces, says beyond the call.
_LISTED = frozenset({SPACES["t"], SPACES["k"], SPACES["a"]})
_LISTED_OR_OWN = _LISTED | {FAMILY}
_SPACES = frozenset(SPACES.values())


class Layout:
    """The places of a message's calls.

    Attributes:
        places: by the index of a call's block, the letters of its copies.
        tool_calls: the list of that name.
        invalid_tool_calls: the same.
        raw: the list in additional_kwargs.
        listed: the calls in the first two lists, in their order, and those that are only pieces.
        function_call: the copy of that name, or None.
    """

    __slots__ = ("function_call", "invalid_tool_calls", "listed", "places", "raw", "tool_calls")

    def __init__(self, places: dict[int, str]) -> None:
        self.places = places
        self.tool_calls: list[Native] = []
        self.invalid_tool_calls: list[Native] = []
        self.raw: list[Native] = []
        self.listed: list[am.ToolUseBlock] = []
        self.function_call: Native | None = None


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


_NO_CALLS = Layout({})


def lay_out(blocks: Sequence[Any]) -> Layout:
    """Return the places of the calls in a message, and their entries."""
    if not any(map(is_function_call, blocks)):
        return _NO_CALLS
    layout = Layout(_places(blocks))
    lists: dict[str, list[tuple[int, Native, am.ToolUseBlock]]] = {"valid": [], "invalid": [], "a": []}

    def put(name: str, letter: str, block: am.ToolUseBlock) -> None:
        noted = mark_of(block, FAMILY, f"/{letter}")
        position = noted if type(noted) is int else len(lists[name])
        lists[name].append((position, spelt(block, WRITERS[letter](block), letter), block))

    for index, copies in layout.places.items():
        block = blocks[index]
        if "t" in copies:
            put("invalid" if listed_invalid(block) else "valid", "t", block)
        if "a" in copies:
            put("a", "a", block)
        if "f" in copies:
            layout.function_call = spelt(block, function_of(block), "f")
    for found in lists.values():
        found.sort(key=itemgetter(0))
    layout.tool_calls, layout.invalid_tool_calls, layout.raw = ([item[1] for item in found] for found in lists.values())
    layout.listed = [block for name in ("valid", "invalid") for _, _, block in lists[name]]
    layout.listed += [blocks[index] for index, copies in layout.places.items() if copies == "k"]
    return layout


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
