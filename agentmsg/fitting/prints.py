"""Prints: short digests of a history's messages, blocks and tools, by which ``restore`` finds what was edited since.

What a reader makes says nothing here, because it depends on the place: made ids, times and names. Ids that a document
states are digests of their own, so that a block is known also where only one of two histories states its id.

In a report's header, a message is a list: its role, the digest of its fields, and those of its blocks.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import attrs

from agentmsg.model.blocks import ToolResultBlock, ToolUseBlock
from agentmsg.model.construction import maker
from agentmsg.model.generated import Made, given
from agentmsg.values.text import dump_json
from agentmsg.values.types import is_mapping, is_sequence

if TYPE_CHECKING:
    from agentmsg.model.history import History

__all__ = ["BlockPrint", "MessagePrint", "Prints", "prints_of", "read_prints"]

# Bytes of digests: of a class, of what an object says, and of its id.
_CLASS, _SAYS, _ID = 1, 5, 3
_MARK = "."
_APART = frozenset({"role", "content", "id", "created_at"})


def _hex(text: bytes, size: int) -> str:
    from hashlib import blake2b  # noqa: PLC0415 - only here, and few need it

    return blake2b(text, digest_size=size).hexdigest()


@attrs.frozen
class BlockPrint:
    """The print of a block or tool.

    Attributes:
        kind: digest of its class.
        says: digest of all it says but its id.
        id: digest of its id, or its link; None if it has none that is stated.
        name: digest of a result's name; None if it has none that is stated.
    """

    kind: str
    says: str
    id: str | None
    name: str | None = None

    def is_one(self, other: BlockPrint) -> bool:
        """Whether both are prints of the same block."""
        is_one = self.says == other.says and self.kind == other.kind
        return is_one and _are_one(self.id, other.id) and _are_one(self.name, other.name)

    def likeness(self, other: BlockPrint) -> int:
        """Return how much both may be prints of one block that was edited; 0: not at all."""
        if self.kind != other.kind:
            return 0
        if not _are_one(self.id, other.id):
            return 2 * (self.says == other.says)
        return 8 if self.is_one(other) else 3 if self.id is not None and other.id is not None else 1


@attrs.frozen
class MessagePrint:
    """The print of a message.

    Attributes:
        role: its role.
        says: digest of its fields without id, time and content; empty if there are none.
        id: digest of its id; None if it has none that is stated.
        blocks: the prints of its blocks.
    """

    role: str
    says: str
    id: str | None
    blocks: tuple[BlockPrint, ...]

    def is_one(self, other: MessagePrint) -> bool:
        """Whether both are prints of the same message."""
        return (
            self.role == other.role
            and self.says == other.says
            and _are_one(self.id, other.id)
            and len(self.blocks) == len(other.blocks)
            and all(map(BlockPrint.is_one, self.blocks, other.blocks))
        )

    def likeness(self, other: MessagePrint) -> int:
        """Return how much both may be prints of one message that was edited; 0: not at all."""
        if self.id is not None and other.id is not None:
            return 8 if self.id == other.id else 0
        left = [(block.kind, block.says) for block in other.blocks]
        shared = sum((block.kind, block.says) in left for block in self.blocks)
        if self.role != other.role:
            return 2 * (0 < shared == len(self.blocks) == len(left))
        known = sum(any(block.likeness(each) == 3 for each in other.blocks) for block in self.blocks)  # noqa: PLR2004
        return 1 + 2 * min(shared + known, 8) + (len(self.blocks) == len(other.blocks))


@attrs.frozen
class Prints:
    """The prints of a history's messages and tools."""

    messages: tuple[MessagePrint, ...]
    tools: tuple[BlockPrint, ...]

    def as_data(self) -> dict[str, list[Any]]:
        """Return what a header holds."""
        messages = [[each.role, _marked(each.says, each.id), *map(_told, each.blocks)] for each in self.messages]
        return {"prints": messages} | ({"tool_prints": list(map(_told, self.tools))} if self.tools else {})


_make_block = maker(BlockPrint)
_make_message = maker(MessagePrint)


def _are_one(one: str | None, other: str | None) -> bool:
    return one is None or other is None or one == other


def _told(block: BlockPrint) -> str:
    return _marked(block.kind + block.says, block.id, block.name)


def _marked(*parts: str | None) -> str:
    return _MARK.join(part or "" for part in parts).rstrip(_MARK)


def read_prints(messages: Any, tools: Any) -> Prints:
    """Return the prints that a header holds.

    Raises:
        TypeError, ValueError: if they are none.
    """

    def block(text: str) -> BlockPrint:
        says, id_, name, *_ = [*text.split(_MARK), "", ""]
        return BlockPrint(says[: 2 * _CLASS], says[2 * _CLASS :], id_ or None, name or None)

    def message(role: str, fields: str, *blocks: str) -> MessagePrint:
        says, _, own = fields.partition(_MARK)
        return MessagePrint(str(role), says, own or None, tuple(map(block, blocks)))

    return Prints(tuple(message(*each) for each in messages), tuple(map(block, tools)))


def prints_of(history: History, told: dict[str, Any]) -> Prints:
    """Return the prints of a history.

    Args:
        history: any.
        told: its canonical JSON without notes.
    """
    messages = tuple(map(_message_print, history.messages, told["messages"]))
    return Prints(messages, tuple(map(_block_print, history.tools, told.get("tools", ()))))


def _message_print(message: Any, told: dict[str, Any]) -> MessagePrint:
    blocks = tuple(map(_block_print, message.content, told.get("content", ())))
    fields = {name: value for name, value in told.items() if name not in _APART}
    says = _hex(_said(fields), _SAYS) if fields else ""
    return _make_message(str(message.role), says, _id_print(message.id), blocks)


def _block_print(block: Any, told: Any) -> BlockPrint:
    hidden: set[str] = set()
    link = name = None
    if isinstance(block, ToolUseBlock):
        link, hidden = block.id, {"id"}
    elif isinstance(block, ToolResultBlock):
        link, name, hidden = block.tool_call_id, block.name, {"tool_call_id", "name"}
    if isinstance(getattr(block, "item_id", None), Made):
        hidden.add("item_id")
    says = {key: value for key, value in told.items() if key not in hidden} if hidden else told
    return _make_block(_kind_of(type(block).__name__), _hex(_said(says), _SAYS), _id_print(link), _id_print(name))


@cache
def _kind_of(name: str) -> str:
    return _hex(name.encode(), _CLASS)


def _said(told: dict[str, Any]) -> bytes:
    """Return what an object says as JSON, without notes: those of what is inside it are left."""
    raw = dump_json(told)
    return dump_json(_bare(told)) if b'"notes"' in raw else raw


def _bare(value: Any) -> Any:
    if is_mapping(value):
        return {key: _bare(each) for key, each in value.items() if key != "notes"}
    return [_bare(each) for each in value] if is_sequence(value) else value


def _id_print(id: str | None) -> str | None:
    stated = given(id)
    return None if stated is None else _hex(stated.encode(), _ID)
