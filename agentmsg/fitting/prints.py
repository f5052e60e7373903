"""Prints: short digests of a history's messages, blocks and tools, by which ``restore`` finds what was edited since.

What a reader makes says nothing here, because it depends on the place: made ids, times and names. Ids that a document
states are digests of their own, so that a block is known also where only one of two histories states its id. So are
all values that a loader may have added (see ``additions``): a print is that of the same object if what it states is
stated there, whatever else is. So prints tell what was added since, and give the object without it.

In a report's header, a message is a list: its role, the digest of its fields, and those of its blocks. A digest of
something with such values is a list: the digest, and an object with theirs, by pointer.
"""

from __future__ import annotations

from datetime import datetime
from functools import cache
from operator import is_
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import attrs

from agentmsg.fitting.additions import additions, without
from agentmsg.fitting.changes import changed
from agentmsg.formats.plain_messages import SAID, how_bare
from agentmsg.model.blocks import ToolResultBlock, ToolUseBlock
from agentmsg.model.construction import maker
from agentmsg.model.generated import Made, given, is_made
from agentmsg.model.history import with_messages
from agentmsg.model.msg import Msg
from agentmsg.registry import get_codec
from agentmsg.values.frozen import EMPTY
from agentmsg.values.pointers import step_to
from agentmsg.values.text import dump_json
from agentmsg.values.types import is_list, is_mapping, is_sequence

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from agentmsg.fitting.additions import Additions
    from agentmsg.model.history import History

    _Path: TypeAlias = "tuple[str | int, ...]"
    _Stated: TypeAlias = "tuple[tuple[str, str], ...]"

# Bytes of digests: of a class, of what an object says, and of its id or another value that may have been added.
_CLASS, _SAYS, _ID = 1, 5, 3
_MARK = "."
# What a message's print says apart from the digest of its fields.
_APART = ("role", "content", "id")
_MADE_TIME = (*_APART, "created_at")


@cache
def _hash() -> Callable[..., Any]:
    from hashlib import blake2b  # noqa: PLC0415 - only here, and few need it

    return blake2b


def _hex(text: bytes, size: int) -> str:
    digest: str = _hash()(text, digest_size=size).hexdigest()
    return digest


@attrs.frozen
class BlockPrint:
    """The print of a block or tool.

    Attributes:
        kind: digest of its class.
        says: digest of all it says but its id and what may have been added.
        id: digest of its id, or its link; None if it has none that is stated.
        name: digest of a result's name; None if it has none that is stated.
        stated: digests of its values that may have been added, by pointer.
    """

    kind: str
    says: str
    id: str | None
    name: str | None = None
    stated: _Stated = ()

    def is_one(self, other: BlockPrint) -> bool:
        """Whether the other, a later one, is a print of the same block."""
        is_one = self.says == other.says and self.kind == other.kind and set(self.stated) <= set(other.stated)
        return is_one and _are_one(self.id, other.id) and _are_one(self.name, other.name)

    def as_stated(self, block: Any) -> Any:
        """Return a block or tool without what was added since."""
        return without(block, _unstated(additions(block), self.stated))

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
        says: digest of its fields without id, content and what may have been added; empty if there are none.
        id: digest of its id; None if it has none that is stated.
        blocks: the prints of its blocks.
        stated: digests of its values that may have been added, by pointer.
    """

    role: str
    says: str
    id: str | None
    blocks: tuple[BlockPrint, ...]
    stated: _Stated = ()

    def is_one(self, other: MessagePrint) -> bool:
        """Whether the other, a later one, is a print of the same message."""
        return (
            self.role == other.role
            and self.says == other.says
            and set(self.stated) <= set(other.stated)
            and _are_one(self.id, other.id)
            and len(self.blocks) == len(other.blocks)
            and all(map(BlockPrint.is_one, self.blocks, other.blocks))
        )

    def as_stated(self, message: Any) -> Any:
        """Return a message without what was added since: if its blocks aren't those of then, they stay."""
        known = self.stated if self.id is None else (*self.stated, ("id", self.id))
        plain = without(message, _unstated(additions(message), known))
        if len(message.content) != len(self.blocks):
            return plain
        content = tuple(print_.as_stated(block) for print_, block in zip(self.blocks, message.content, strict=True))
        return plain if all(map(is_, content, message.content)) else plain.evolve(content=content)

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
        messages = [
            [each.role, _with(_marked(each.says, each.id), each.stated), *map(_told, each.blocks)]
            for each in self.messages
        ]
        return {"prints": messages} | ({"tool_prints": list(map(_told, self.tools))} if self.tools else {})

    def as_stated(self, history: History) -> History:
        """Return a history without what was added to its messages since; any further messages stay."""
        own = history.messages
        messages = tuple(print_.as_stated(message) for print_, message in zip(self.messages, own, strict=False))
        return with_messages(history, (*messages, *own[len(messages) :]))

    def place_of_edit(self, now: Prints) -> _Path:
        """Return the path of the first message or block of which a later print is another; empty if there is none."""
        for index, print_ in enumerate(self.messages):
            path: _Path = ("messages", index)
            if index >= len(now.messages) or len(print_.blocks) != len(now.messages[index].blocks):
                return path
            if not print_.is_one(now.messages[index]):
                blocks = zip(print_.blocks, now.messages[index].blocks, strict=True)
                edited = next((k for k, (old, new) in enumerate(blocks) if not old.is_one(new)), None)
                return path if edited is None else (*path, "content", edited)
        return ()


_make_block = maker(BlockPrint)
_make_message = maker(MessagePrint)


def _are_one(one: str | None, other: str | None) -> bool:
    return one is None or other is None or one == other


def _unstated(found: Additions, stated: _Stated) -> Additions:
    """Return those additions that aren't stated."""
    names = {name for name, _ in stated}
    return {path: each for path, each in found.items() if _pointer(path) not in names}


def _told(block: BlockPrint) -> Any:
    return _with(_marked(block.kind + block.says, block.id, block.name), block.stated)


def _with(text: str, stated: _Stated) -> Any:
    return [text, dict(stated)] if stated else text


def _marked(says: str, id: str | None, name: str | None = None) -> str:
    if name:
        return _MARK.join((says, id or "", name))
    return f"{says}{_MARK}{id}" if id else says


def read_prints(messages: Any, tools: Any) -> Prints:
    """Return the prints that a header holds.

    Raises:
        TypeError, ValueError: if they are none.
    """

    def parted(told: Any) -> tuple[str, _Stated]:
        text, stated = cast("Any", told if is_list(told) else (told, {}))
        return text, tuple((str(name), str(value)) for name, value in stated.items())

    def block(told: Any) -> BlockPrint:
        text, stated = parted(told)
        says, id_, name, *_ = [*text.split(_MARK), "", ""]
        return BlockPrint(says[: 2 * _CLASS], says[2 * _CLASS :], id_ or None, name or None, stated)

    def message(role: str, fields: Any, *blocks: Any) -> MessagePrint:
        text, stated = parted(fields)
        says, _, own = text.partition(_MARK)
        return MessagePrint(str(role), says, own or None, tuple(map(block, blocks)), stated)

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
    hidden = _MADE_TIME if given(message.created_at) is None else _APART
    says, stated = _said(message, told, hidden)
    return _make_message(str(message.role), says, _id_print(message.id), blocks, stated)


def _block_print(block: Any, told: Any) -> BlockPrint:
    kind, link, name, hidden = _links_of(block.__class__)
    if isinstance(getattr(block, "item_id", None), Made):
        hidden = (*hidden, "item_id")
    says, stated = _said(block, told, hidden)
    own = link and _id_print(getattr(block, link))
    return _make_block(kind, says, own, name and _id_print(getattr(block, name)), stated)


@cache
def _links_of(cls: type[Any]) -> tuple[str, str | None, str | None, tuple[str, ...]]:
    """Return the digest of a class, and its fields with prints of their own: its link, its name, and both."""
    kind = _hex(cls.__name__.encode(), _CLASS)
    if issubclass(cls, ToolUseBlock):
        return kind, "id", None, ("id",)
    if issubclass(cls, ToolResultBlock):
        return kind, "tool_call_id", "name", ("tool_call_id", "name")
    return kind, None, None, ()


def canonical_engine() -> Any:
    """Return the codec that reads and writes single objects of the model in canonical JSON."""
    engine = cast("Any", get_codec("json")).engine
    engine.fill()
    return engine


def _said(owner: Any, told: dict[str, Any], hidden: Collection[str]) -> tuple[str, _Stated]:
    """Return the digest of what an object says, empty if it says nothing, and those of what may have been added.

    Notes are left out; those of what is inside the object, too.
    """
    stated: _Stated = ()
    if found := additions(owner):
        stated = tuple([(_pointer(path), _value_print(value)) for path, (value, _) in found.items()])
        plain = without(owner.evolve(content=()) if isinstance(owner, Msg) else owner, found)
        told = canonical_engine().write_any(bare(plain))
    if hidden:
        told = {key: value for key, value in told.items() if key not in hidden}
    if not told:
        return "", stated
    raw = dump_json(told)
    return _hex(dump_json(_noteless(told)) if b'"notes"' in raw else raw, _SAYS), stated


def _pointer(path: _Path) -> str:
    return "".join([step_to(str(step)) for step in path])[1:]


def _value_print(value: Any) -> str:
    # That there is a time is all that counts: by their times, equal messages would be different ones.
    return "" if isinstance(value, datetime) else _hex(dump_json(value), _ID)


def _noteless(value: Any) -> Any:
    if is_mapping(value):
        return {key: _noteless(each) for key, each in value.items() if key != "notes"}
    return [_noteless(each) for each in value] if is_sequence(value) else value


def bare(owner: Any, *, exact: bool = True) -> Any:
    """Return a message or block without notes and without fields that aren't compared."""
    changes: dict[str, Any] = {"notes": EMPTY} if owner.notes else {}
    if isinstance(owner, ToolUseBlock):
        if owner.raw_input is not None and owner.significant_text is None:
            changes["raw_input"] = None
    elif isinstance(owner, Msg):
        if how_bare(owner) == SAID and exact:
            return owner
        if not exact:
            changes |= {"id": None, "created_at": None}
    content = getattr(owner, "content", None)
    if content and isinstance(content, tuple):
        blocks = cast("tuple[object, ...]", content)
        inner = tuple([bare(block, exact=exact) for block in blocks])
        if not all(map(is_, inner, blocks)):
            changes["content"] = inner
    return changed(owner, changes) if changes else owner


def _id_print(id: str | None) -> str | None:
    return None if id is None or is_made(id) else _hex(id.encode(), _ID)
