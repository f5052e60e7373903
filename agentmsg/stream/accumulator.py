"""Accumulator: adds chunks, one at a time."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

import attrs

from agentmsg.errors import InvalidMessage, excerpt, is_a
from agentmsg.model.checks import listed
from agentmsg.model.construction import absent_values, maker, says_only
from agentmsg.model.msg import Msg
from agentmsg.model.tool_use import ToolUseBlock
from agentmsg.stream.chunk import MsgChunk
from agentmsg.stream.joining import First, Last, Role, Sum, Tree, spread
from agentmsg.stream.partial_json import parse_partial
from agentmsg.stream.pieces import Pieces
from agentmsg.values.frozen import EMPTY, adopt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from agentmsg.stream.joining import Cell

PARTIAL = "partial"
"""The key in the metadata of a message, and of a call, that says that it is still arriving."""

_CELLS: Mapping[str, Callable[[Any], Cell]] = {
    "role": Role, "id": First, "created_at": First, "name": First, "recipient": First, "model": First,
    "provider": First, "api": First,
    "metadata": Tree, "response_metadata": Tree, "extras": Tree, "notes": First,
    "usage": Sum, "structured": Last, "finish_reason": Last, "embedding": Last, "done": Last,
}  # fmt: skip
# Many providers repeat these in every chunk: adding them twice changes nothing.
_SAID = ("role", "id", "model")
# Fields that may refuse a value come first, so that a refused chunk leaves nothing behind.
_REST = tuple(sorted(_CELLS.keys() - set(_SAID), key=lambda name: (_CELLS[name] is not Sum, name)))
_said, _rest = attrgetter(*_SAID), attrgetter(*_REST)
_NOTHING_SAID, _NO_REST = _said(MsgChunk()), _rest(MsgChunk())
_has_only_parts = says_only(MsgChunk, "parts", notes=absent_values(MsgChunk)["notes"])
_make_chunk = maker(MsgChunk)
_make_msg = maker(Msg)
_make_call = maker(ToolUseBlock)
_OF_CALL = tuple(str(field.alias) for field in attrs.fields(ToolUseBlock) if field.init)
_OF_CHUNKS = frozenset({"notes", "done"})


class Accumulator:
    """A message that is still arriving, as far as it has come.

    It equals the sum of its chunks: ``Accumulator(chunks).chunk == sum(chunks, MsgChunk())``. The cost of adding a
    chunk doesn't depend on the chunks before it.

    Args:
        chunks: the first chunks.
    """

    def __init__(self, chunks: Iterable[MsgChunk] = ()) -> None:
        self._pieces = Pieces()
        self._cells: dict[str, Cell] = {}
        self._seen = _NOTHING_SAID
        for chunk in listed(chunks, "chunks"):
            self.add(chunk)

    def add(self, chunk: MsgChunk) -> Accumulator:
        """Add the next chunk, and return this accumulator.

        Raises:
            InvalidMessage: code "type" if it isn't a chunk; code "schema" if it has another role. It isn't added then.
        """
        if type(chunk) is not MsgChunk or not _has_only_parts(chunk):
            if not is_a(chunk, MsgChunk):
                msg = f"a chunk is needed, not {excerpt(chunk)}"
                raise InvalidMessage(msg, code="type")
            said, rest = _said(chunk), _rest(chunk)
            if said != self._seen or rest != _NO_REST:
                self._say(said, rest)
        if chunk.parts:
            self._pieces.add(chunk.parts)
        return self

    __iadd__ = add

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle the message so far: the sum of its chunks continues like these."""
        return (type(self), ((self.chunk,),))

    def _say(self, said: tuple[Any, ...], rest: tuple[Any, ...]) -> None:
        is_first = "role" not in self._cells
        try:
            spread(self._cells, _CELLS, zip(_SAID, said, _NOTHING_SAID, strict=True))
            spread(self._cells, _CELLS, zip(_REST, rest, _NO_REST, strict=True))
        except InvalidMessage:
            if is_first:
                self._cells.pop("role", None)
            raise
        self._seen = said

    def _fields(self) -> dict[str, Any]:
        return {name: cell.get() for name, cell in self._cells.items()}

    @property
    def done(self) -> bool:
        """Whether a chunk said that the message is complete."""
        return "done" in self._cells

    @property
    def chunk(self) -> MsgChunk:
        """The sum of all chunks so far."""
        return _make_chunk(parts=tuple(self._pieces.parts()), **self._fields())

    def to_msg(self) -> Msg:
        """Return the message, taken as complete; see ``MsgChunk.to_msg``."""
        return self._message(self._content(), self._fields())

    def _content(self) -> list[Any]:
        return [part.block for part in self._pieces.settled()]

    def _message(self, content: list[Any], fields: dict[str, Any]) -> Msg:
        of_message = {name: value for name, value in fields.items() if name not in _OF_CHUNKS}
        return _make_msg(content=tuple(content), **{"role": "assistant", **of_message})

    def snapshot(self) -> Msg:
        """Return the message as far as it has come.

        Until it is complete, ``metadata["partial"]`` is True, in every format that supports metadata, and never in a
        prompt. A call whose arguments are still arriving has the certain part of them as ``input``, and the same mark;
        see ``parse_partial``. Text that can't become JSON stays an invalid call.
        """
        if self.done:
            return self.to_msg()
        fields = self._fields()
        content = [_so_far(block) if type(block) is ToolUseBlock else block for block in self._content()]
        return self._message(content, {**fields, "metadata": _marked(fields.get("metadata", EMPTY))})


def _marked(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    marked: Mapping[str, Any] = adopt({**metadata, PARTIAL: True})
    return marked


def _so_far(block: ToolUseBlock) -> ToolUseBlock:
    """Return a call with its arguments as far as they are certain; unchanged if it is valid, or never will be."""
    if block.is_valid:
        return block
    begins, value = parse_partial(block.raw_input or "")
    if not begins:
        return block
    fields = {name: getattr(block, name) for name in _OF_CALL}
    found = EMPTY if value is None else adopt(value)
    return _make_call(**{**fields, "input": found, "raw_input": None, "metadata": _marked(block.metadata)})
