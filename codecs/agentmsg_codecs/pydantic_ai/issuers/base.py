"""Native parts of responses, and what a table of an issuer needs to translate them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import Native, Unreadable, is_object, parse_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agentmsg_codecs.pydantic_ai.messages import Messages

Blocks = tuple[Any, ...]
CALL, RETURN = "builtin-tool-call", "builtin-tool-return"
_CALLED = ("tool_name", "args", "tool_call_id", "tool_kind", "id")
# The keys of each kind of part beside those of its provider, in the order of a dump.
_KEYS = {
    "text": ("content", "id", "citations"),
    "thinking": ("content", "id", "signature"),
    "tool-call": _CALLED,
    CALL: _CALLED,
    RETURN: ("tool_name", "content", "tool_call_id", "tool_kind", "metadata"),
    "compaction": ("content", "id", "metadata"),
    "file": ("content", "id"),
}
SEARCH: Native = {"tool_name": "tool_search", "tool_kind": "tool-search"}


class Kit:
    """What a table works with, for one message.

    Attributes:
        word: the name of the provider in parts.
        codec: of the provider.
        message: the message.
        memory: what earlier parts of the message said.
    """

    def __init__(self, word: str, codec: str, engine: Messages, message: am.Msg) -> None:
        engine.fill()  # whoever fits a history may be the first to ask
        self.word, self.codec, self.message = word, am.get_codec(codec), message
        self.memory: dict[str, Any] = {}
        self._place = engine.described.parts["response"]

    def native(self, block: Any) -> Native:
        """Return the part of a block in the neutral form."""
        found: Native = self._place.write(block)
        return found

    def block(self, part: Native) -> Any:
        """Return the block of a part in the neutral form."""
        found = self._place.read(part)
        if type(found) is am.NativeBlock:
            raise Unreadable
        return found

    def part(self, kind: str, details: Native | None = None, **values: Any) -> Native:
        """Return a part of this provider with all its keys, as a dump has them."""
        usual: Native = {**dict.fromkeys(_KEYS[kind]), **({"outcome": "success"} if kind == RETURN else {})}
        own = {"provider_name": self.word, "provider_details": details or None}
        return {**usual, **own, **values, "part_kind": kind}

    def parts(self, blocks: Sequence[Any]) -> list[Native]:
        """Return blocks as the provider's parts; each unit is read again, which proves them."""
        return self.codec.unproved_parts(blocks)

    def blocks(self, parts: Iterable[Native]) -> Blocks:
        """Return the blocks of the provider's parts."""
        return self.codec.read_parts(list(parts))


class Table:
    """How Pydantic AI keeps the parts of one provider.

    Attributes:
        codec: of the provider's parts.
    """

    codec: ClassVar[str]

    def is_special(self, block: Any) -> bool:
        """Whether the client keeps a block in another way than the neutral form."""
        if type(block) is am.TextBlock:
            return bool(block.citations or block.signature or block.item_id or block.phase)
        if type(block) is am.ToolUseBlock:
            return bool(block.kind != "function" or block.signature or block.item_id)
        return type(block) in (am.ThinkingBlock, am.ToolResultBlock, am.CompactionBlock, am.NativeBlock)

    def units(self, blocks: Sequence[Any]) -> list[list[Any]]:
        """Return the blocks that are translated together: of the model, or of the framework's form; by default each."""
        return [[block] for block in blocks]

    def into(self, blocks: Sequence[Any], kit: Kit) -> list[Native]:
        """Return the native parts of a unit of blocks.

        Raises:
            Unreadable: if the client has none for them.
        """
        raise NotImplementedError

    def back(self, natives: Sequence[Native], kit: Kit) -> Blocks:
        """Return the blocks of native parts of a unit.

        Raises:
            Unreadable: if they aren't in the client's form.
        """
        raise NotImplementedError


def joined(blocks: Sequence[Any]) -> list[list[Any]]:
    """Return the blocks of each item: a text or several, or a call with its result."""
    found: list[list[Any]] = []
    for block in blocks:
        if found and _joins(block, found[-1]):
            found[-1].append(block)
        else:
            found.append([block])
    return found


def _joins(block: Any, unit: Sequence[Any]) -> bool:
    """Whether a block is of the same item as the blocks before: a text with its id, or a result of the call."""
    first, last = unit[0], unit[-1]
    if type(block) in (am.TextBlock, am.ThinkingBlock):
        return type(last) is type(block) and block.item_id is not None and block.item_id == last.item_id
    if type(first) is not am.ToolUseBlock or first.kind != "server" or type(last) is am.ToolResultBlock:
        return False
    if type(block) is am.ToolResultBlock:
        return block.tool_call_id == first.id and block.name != SEARCH["tool_name"]
    return type(block) is am.ImageBlock and block.item_id is not None and block.item_id == first.id


def only(natives: Sequence[Native]) -> Native:
    """Return the single part of a unit."""
    if len(natives) != 1:
        raise Unreadable
    return natives[0]


def args_of(native: Native) -> Native:
    """Return the arguments of a call as an object."""
    args: Any = native.get("args")
    found: Any = parse_json(args) if type(args) is str and args else args or {}
    if not is_object(found):
        raise Unreadable
    return thaw(found)  # type: ignore[no-any-return]


def details_of(native: Native) -> Native:
    """Return what only the provider knows of a part."""
    found: Any = native.get("provider_details")
    return found if is_object(found) else {}


def chosen(native: Native, *keys: str) -> Native:
    """Return those of some keys that have a value."""
    return {key: native[key] for key in keys if native.get(key) is not None}
