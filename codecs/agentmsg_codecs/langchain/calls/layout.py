"""Where the copies of a message's calls go when it is written; see joining.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

import agentmsg as am
from agentmsg.formats import Native, adopt, is_mapping, mark_of
from agentmsg_codecs.langchain.calls.copies import (
    WRITERS,
    chunk_of,
    entry_of,
    function_of,
    is_function_call,
    listed_invalid,
    openai_entry,
)
from agentmsg_codecs.langchain.calls.deviations import SPACES, beyond, spelt
from agentmsg_codecs.langchain.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentmsg_codecs.langchain.blocks.parts import ContentParts


PLACES = frozenset({"/copies", "/list", "/t", "/a"})
"""The notes of a call that say where its copies stand; see joining.py."""


@attrs.define
class Layout:
    """Where the calls of a message go.

    Attributes:
        places: by the index of a call's block, the letters of its copies.
        tool_calls, invalid_tool_calls, raw: the three lists.
        listed: the calls in the first two, in their order.
        function_call: the fourth copy, or None.
    """

    places: dict[int, str]
    tool_calls: list[Native] = attrs.field(factory=list[Native])
    invalid_tool_calls: list[Native] = attrs.field(factory=list[Native])
    raw: list[Native] = attrs.field(factory=list[Native])
    listed: list[am.ToolUseBlock] = attrs.field(factory=list[am.ToolUseBlock])
    function_call: Native | None = None


def _is_bare(block: am.ToolUseBlock) -> bool:
    """Whether an entry of a list of calls says all that a block says."""
    if block.item_id is not None or block.phase is not None or block.metadata or block.cache is not None:
        return False
    if block.signature is not None or block.provider is not None or block.status is not None:
        return False
    if block.extras and not _LISTED.issuperset(block.extras):
        own = block.extras.get(FAMILY)
        if not _LISTED_OR_OWN.issuperset(block.extras) or not is_mapping(own) or own.keys() != {"error"}:
            return False
        return not block.is_valid or mark_of(block, FAMILY, "/list") == "invalid"
    return block.raw_input is None or not block.is_valid or block.significant_text is None or _has_text(block)


# What an entry of a list of calls, and of their pieces, says beyond the call.
_LISTED = frozenset({SPACES["t"], SPACES["k"], SPACES["a"]})
_LISTED_OR_OWN = _LISTED | {FAMILY}
_SPACES = frozenset(SPACES.values())


def _has_text(block: am.ToolUseBlock) -> bool:
    copies = mark_of(block, FAMILY, "/copies")
    return isinstance(copies, str) and ("a" in copies or "f" in copies)


def default_copies(blocks: Sequence[Any]) -> dict[int, str]:
    """Return, by the index of a call's block, the letters of its default places."""
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
    """Return where the calls among the blocks of a message go, and their entries."""
    layout = Layout(default_copies(blocks))
    lists: dict[str, list[tuple[int, Native]]] = {"valid": [], "invalid": [], "a": []}
    chunks: dict[str, list[tuple[int, am.ToolUseBlock]]] = {"valid": [], "invalid": []}
    layout.places = _places(blocks, layout.places)
    for index, copies in layout.places.items():
        block = blocks[index]
        if "t" in copies:
            name = "invalid" if listed_invalid(block) else "valid"
            position = _position(block, "/t", len(lists[name]))
            lists[name].append((position, spelt(block, entry_of(block), "t")))
            chunks[name].append((position, block))
        if "a" in copies:
            lists["a"].append((_position(block, "/a", len(lists["a"])), spelt(block, openai_entry(block), "a")))
        if "f" in copies:
            layout.function_call = spelt(block, function_of(block), "f")
    layout.tool_calls, layout.invalid_tool_calls, layout.raw = (
        [entry for _, entry in sorted(lists[name], key=lambda item: item[0])] for name in ("valid", "invalid", "a")
    )
    for found in chunks.values():
        layout.listed += [block for _, block in sorted(found, key=lambda item: item[0])]
    return layout


def _places(blocks: Sequence[Any], defaults: dict[int, str]) -> dict[int, str]:
    """Return, by the index of a call's block, the letters of its copies."""
    places: dict[int, str] = {}
    # An entry of `additional_kwargs` is read as a copy of the first call of its id that lacks one.
    with_raw: set[str | None] = set()
    for index, default in reversed(defaults.items()):
        block = blocks[index]
        noted = mark_of(block, FAMILY, "/copies")
        copies = noted if isinstance(noted, str) and noted and set(noted) <= set("ctaf") else default
        copies += _needed(block, copies) if block.extras else ""
        if "a" in copies:
            with_raw.add(block.id)
        elif with_raw and block.id in with_raw:
            copies += "a"
        places[index] = copies
    return dict(reversed(places.items()))


def chunks_of(layout: Layout) -> list[Native]:
    """Return the pieces in a stored chunk of the calls that its lists hold."""
    return [spelt(block, chunk_of(block), "k") for block in layout.listed]


def _needed(block: am.ToolUseBlock, copies: str) -> str:
    """Return the letters of further copies, which extras of a call say something of."""
    needed = {letter for letter in "cta" if SPACES[letter] in block.extras}
    needed |= {"t"} if SPACES["k"] in block.extras or "c" in needed else set()
    return "".join(letter for letter in "cta" if letter in needed and letter not in copies)


def _position(block: am.ToolUseBlock, key: str, default: int) -> int:
    noted = mark_of(block, FAMILY, key)
    return noted if type(noted) is int else default


def content_part(block: am.ToolUseBlock, parts: ContentParts) -> Any:
    """Return the copy of a call that stands in content."""
    own = block
    if block.extras and not _SPACES.isdisjoint(block.extras):
        own = block.evolve(extras={key: block.extras[key] for key in block.extras if key not in _SPACES})
    part = parts.write(own)
    return spelt(block, part, "c") if is_mapping(part) else part


def extras_of_copies(block: am.ToolUseBlock, parts: ContentParts) -> dict[str, Any]:
    """Return the extras of a call that say what its copies say beyond it, as far as they come back."""
    bare = block.evolve(extras={space: own for space, own in block.extras.items() if space not in _SPACES})
    writers: dict[str, Callable[[am.ToolUseBlock], Native]] = {"c": parts.write, "t": entry_of, **WRITERS}
    found: dict[str, Any] = {}
    for letter, space in SPACES.items():
        own = block.extras.get(space)
        if not is_mapping(own) or not own:
            continue
        kept = beyond(block, letter, writers[letter](bare))
        if kept:
            found[space] = own if am.same(adopt(kept), own) else kept
    return found
