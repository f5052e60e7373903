"""Pieces of blocks, joined into whole ones.

A single piece stays the object that it is; cells are made when a second one joins it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import attrs

from agentmsg.model.blocks import TEXT_OF, CompactionBlock, RefusalBlock, TextBlock, ThinkingBlock, ToolResultBlock
from agentmsg.model.construction import absent_values, maker, says_only
from agentmsg.model.tool_use import UNSET, ToolUseBlock
from agentmsg.stream.chunk import ChunkPart
from agentmsg.stream.joining import Arguments, Cell, First, Items, Last, Result, Signed, Texts, Tree, spread

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agentmsg.model.blocks import Block

make_part = maker(ChunkPart)
# The classes whose pieces join, and the field of the id that distinguishes those with one index.
_IDS: Mapping[type[Any], str] = {
    TextBlock: "item_id",
    ThinkingBlock: "item_id",
    RefusalBlock: "item_id",
    ToolUseBlock: "id",
    ToolResultBlock: "tool_call_id",
    CompactionBlock: "encrypted",
}
# Classes that join their neighbour without an index.
_WORDS = frozenset({TextBlock, ThinkingBlock, RefusalBlock})


class _Inner:
    """The content of a result: its blocks are parts without an index."""

    __slots__ = ("pieces",)

    def __init__(self, value: tuple[Block, ...]) -> None:
        self.pieces = Pieces()
        self.add(value)

    def add(self, value: tuple[Block, ...]) -> None:
        """Add more blocks."""
        self.pieces.add([make_part(block) for block in value])

    def get(self) -> tuple[Block, ...]:
        """Return the blocks."""
        return tuple(part.block for part in self.pieces.parts())


# How the fields of blocks join.
_CELLS: Mapping[str, Callable[[Any], Cell]] = {
    "text": Texts, "thinking": Texts, "refusal": Texts, "redacted": Texts, "encrypted": First,
    "id": First, "tool_call_id": First, "name": First, "item_id": First, "phase": First, "cache": First,
    "provider": First, "kind": First, "server": First, "namespace": First, "raw": First,
    "citations": Items, "signature": Signed, "content": _Inner,
    "metadata": Tree, "extras": Tree, "artifact": Tree,
    "structured": Last, "error": Last, "error_type": Last, "status": Last,
}  # fmt: skip
_OF_RESULTS: Mapping[str, Callable[[Any], Cell]] = {**_CELLS, "status": Result}
# The empty value of required fields.
_NOTHING: Mapping[str, Any] = {"text": "", "refusal": "", "name": "", "kind": "function", "input": UNSET}


@attrs.frozen
class _Kind:
    """What is known of a class whose pieces join.

    Attributes:
        text_of: returns its text; None if it has none.
        id_of: returns the id that distinguishes its blocks.
        rest_of: returns all other fields, as a tuple.
        blank: that tuple for a piece with only text.
        names: of those fields.
        cells: how they join.
        make: makes an instance.
        has_only_text: whether a piece is blank like that.
    """

    text: str
    text_of: Callable[[Any], Any]
    id_of: Callable[[Any], str | None]
    rest_of: Callable[[Any], tuple[Any, ...]]
    blank: tuple[Any, ...]
    names: tuple[str, ...]
    cells: Mapping[str, Callable[[Any], Cell]]
    make: Callable[..., Any]
    has_only_text: Callable[[Any], bool]

    def spread(self, block: Any, cells: dict[str, Cell]) -> None:
        """Add the fields of a piece, except its text, to the cells."""
        spread(cells, self.cells, zip(self.names, self.rest_of(block), self.blank, strict=True))


def _kind(cls: Any) -> _Kind:
    text = TEXT_OF.get(cls, "")  # which nearly every piece has; for a call it is handled with its input
    left_out = {text, "input", "notes"}
    names = tuple(str(field.alias) for field in attrs.fields(cls) if field.init and field.alias not in left_out)
    absent = {**dict.fromkeys(names), **_NOTHING, **absent_values(cls)}
    return _Kind(
        text,
        attrgetter(text) if text else lambda _: None,
        attrgetter(_IDS[cls]),
        attrgetter(*names),
        tuple(absent[name] for name in names),
        names,
        _OF_RESULTS if cls is ToolResultBlock else _CELLS,
        maker(cls),
        says_only(cls, text, "input", **{name: absent[name] for name in names}),
    )


_KINDS: Mapping[type[Any], _Kind] = {cls: _kind(cls) for cls in _IDS}


class _Open:
    """A block that may still grow.

    Attributes:
        part: the only piece so far, or the last one built; None if it must be built.
        id: distinguishes it from others with its index.
    """

    __slots__ = ("arguments", "block", "cells", "id", "index", "kind", "notes", "part", "texts")

    def __init__(self, part: ChunkPart, kind: _Kind | None) -> None:
        self.part: ChunkPart | None = part
        self.block: Any = part.block
        self.index, self.notes, self.kind = part.index, part.notes, kind
        self.id = None if kind is None else kind.id_of(part.block)
        # Made when a second piece comes.
        self.cells: dict[str, Cell] | None = None
        self.texts: list[str] | None = None
        self.arguments: Arguments | None = None

    def _start(self, kind: _Kind) -> dict[str, Cell]:
        cells = self.cells = {}
        kind.spread(self.block, cells)
        if type(self.block) is ToolUseBlock:
            self.arguments = _arguments(self.block)
            self.texts = None if self.arguments.texts is None else self.arguments.texts.texts
        elif kind.text:
            text = cells[kind.text] = Texts(kind.text_of(self.block))
            self.texts = text.texts
        return cells

    def goes_on_with(self, block: Any, kind: _Kind, before: Any) -> bool:
        """Whether a piece of the same chain belongs to this block; ``before`` is what preceded it in its chunk."""
        if self.kind is not kind or (self.index is None and type(block) not in _WORDS):
            return False
        link = kind.id_of(block)
        if type(before) is type(block) and _goes_on(kind.id_of(before), link):
            return False
        return _goes_on(self.id, link)

    def join(self, block: Any, kind: _Kind) -> None:
        """Add a piece."""
        cells = self.cells
        if cells is None:
            cells = self._start(kind)
        self.part = None
        if kind.rest_of(block) != kind.blank:
            kind.spread(block, cells)
            if not self.id:
                self.id = kind.id_of(block) or self.id
        text = kind.text_of(block)
        if self.texts is not None and text is not None:
            self.texts.append(text)
        elif self.arguments is not None:
            self.arguments.add(block.input if text is None else None, text)
            self.texts = None if self.arguments.texts is None else self.arguments.texts.texts

    def get(self) -> ChunkPart:
        """Return the part, the same one until it grows."""
        if self.part is None:
            self.block = self._built()
            self.part = make_part(self.block, self.index, notes=self.notes)
        return self.part

    def _built(self) -> Any:
        assert self.kind is not None  # noqa: S101 - only what has a kind is joined
        fields: dict[str, Any] = {name: cell.get() for name, cell in (self.cells or {}).items()}
        if self.arguments is not None:
            fields |= {"name": "", **fields, **self.arguments.get()}
        return self.kind.make(**fields, notes=self.block.notes)


def _arguments(block: ToolUseBlock) -> Arguments:
    text = block.raw_input
    return Arguments(block.input if text is None else UNSET, text)


_NO_INDEX = "no index"


def _chain(part: ChunkPart) -> Any:
    """Return the chain of a part: its class and index, or that of parts without an index; None for calls without one.

    Blocks that are always whole separate parts without an index, whatever their own index.
    """
    cls = type(part.block)
    if part.index is not None and cls in _KINDS:
        return (cls, part.index)
    return None if cls is ToolUseBlock else _NO_INDEX


def _goes_on(before: str | None, after: str | None) -> bool:
    """Whether a piece with one id belongs to the block of the last piece, given its id."""
    return not after or before == after


class Pieces:
    """The parts of chunks, joined as they arrive."""

    __slots__ = ("_all", "_last", "_latest", "_repeats")

    def __init__(self) -> None:
        self._all: list[_Open] = []
        self._last: _Open | None = None
        # The last part of each chain.
        self._latest: dict[Any, _Open] = {}
        # Whether an index has been repeated: only then must ``settled`` join parts.
        self._repeats = False

    def add(self, parts: Sequence[ChunkPart]) -> None:
        """Add the parts of a chunk."""
        if len(parts) == 1:
            self._add(parts[0], None)
            return
        # A part is separate from those in its own chunk: otherwise it would have been joined there.
        before: dict[Any, Any] = {}
        for part in parts:
            chain = _chain(part)
            self._add(part, before.get(chain))
            if chain is not None:
                before[chain] = part.block

    def _add(self, part: ChunkPart, before: Any) -> None:
        block = part.block
        kind = _KINDS.get(type(block))
        last = self._last
        if (
            kind is not None and last is not None and last.texts is not None and before is None
            and last.kind is kind and last.index == part.index and kind.has_only_text(block)
            and (text := kind.text_of(block)) is not None
        ):  # fmt: skip
            # Nearly every piece: more text of the block that the last one belongs to.
            last.part = None
            last.texts.append(text)
            return
        chain = _chain(part)
        found = None if kind is None else self._latest.get(chain)
        if found is not None and kind is not None and found.goes_on_with(block, kind, before):
            found.join(block, kind)
            self._last = found
            return
        opened = self._last = _Open(part, kind)
        self._all.append(opened)
        if chain is not None:
            self._repeats = self._repeats or (chain in self._latest and chain is not _NO_INDEX)
            self._latest[chain] = opened

    def parts(self) -> list[ChunkPart]:
        """Return the parts so far."""
        return [opened.get() for opened in self._all]

    def settled(self) -> Iterable[ChunkPart]:
        """Return the parts of a message: those with the same index are joined, and a late id is used."""
        parts = self.parts()
        if not self._repeats:
            return parts
        whole: list[_Open] = []
        latest: dict[Any, _Open] = {}
        for part in parts:
            kind = _KINDS.get(type(part.block))
            key = (type(part.block), part.index)
            if kind is not None and part.index is not None:
                found = latest.get(key)
                if found is not None and (not found.id or _goes_on(found.id, kind.id_of(part.block))):
                    found.join(part.block, kind)
                    continue
                opened = latest[key] = _Open(part, kind)
            else:
                opened = _Open(part, kind)
            whole.append(opened)
        return [opened.get() for opened in whole]
