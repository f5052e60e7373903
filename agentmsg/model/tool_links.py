"""Which result answers which call: one function for readers, fit, checks and operations."""

from __future__ import annotations

from collections import deque
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from agentmsg.model.blocks import ApprovalRequestBlock, ApprovalResponseBlock, ToolResultBlock, ToolUseBlock
from agentmsg.model.construction import replacer, setter
from agentmsg.model.generated import Made, MadeName
from agentmsg.model.msg import Msg
from agentmsg.model.remembering import reader_of, remember_reader

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_with_content = replacer(Msg, "content")
_with_name = replacer(ToolResultBlock, "name")
name_result: Callable[[ToolResultBlock, str], None] = setter(ToolResultBlock, "name")
"""Names a result after its call: for the reader that has just made it."""
link_call: Callable[[ToolUseBlock, str], None] = setter(ToolUseBlock, "id")
"""Gives a call an id, in the same way."""
link_result: Callable[[ToolResultBlock, str], None] = setter(ToolResultBlock, "tool_call_id")
"""Gives a result the id of its call, in the same way."""

Place: TypeAlias = tuple[int, int]
"""A message's index, and a block's index in it."""
_DENIED = "Tool execution denied."


def _blocks(messages: Sequence[Msg]) -> list[tuple[Place, ToolUseBlock | ToolResultBlock]]:
    return [
        ((i, k), block)
        for i, message in enumerate(messages)
        for k, block in enumerate(message.content)
        if isinstance(block, (ToolUseBlock, ToolResultBlock))
    ]


def links(messages: Sequence[Msg]) -> dict[Place, Place]:
    """Return, for each tool result that has one, its call.

    A result with an id answers the first call of that id that has no result yet: the n-th result of an id goes with its
    n-th call. A result without an id answers the first open call before it, of its own tool if it has a name. A result
    never answers a later call.
    """
    found: dict[Place, Place] = {}
    waiting = _Waiting()
    for place, block in _blocks(messages):
        if isinstance(block, ToolUseBlock):
            waiting.add(place, block)
        elif (call := waiting.take(block)) is not None:
            found[place] = call
    return found


def answered(messages: Sequence[Msg]) -> dict[Place, Place]:
    """Return ``links``, plus the last earlier call of the id for each further result.

    A tool may return two results for one call; both need the call.
    """
    found = links(messages)
    last: dict[str, Place] = {}
    for place, block in _blocks(messages):
        link = link_of(block)
        if link is None:
            continue
        if isinstance(block, ToolUseBlock):
            last[link] = place
        elif place not in found and link in last:
            found[place] = last[link]
    return found


class _Waiting:
    """The calls without a result, in order: all, by id and by name; each is taken once.

    A queue may still hold calls that were taken from another; they are skipped when they come first, so that the time
    grows only with the number of calls.
    """

    def __init__(self) -> None:
        self._all: deque[Place] = deque()
        self._by_id: dict[str | None, deque[Place]] = {}
        self._by_name: dict[str, deque[Place]] = {}
        self._taken: set[Place] = set()

    def add(self, place: Place, call: ToolUseBlock) -> None:
        """Add a call that waits for its result."""
        self._all.append(place)
        self._by_id.setdefault(call.id, deque()).append(place)
        self._by_name.setdefault(call.name, deque()).append(place)

    def take(self, result: ToolResultBlock) -> Place | None:
        """Remove and return the first waiting call that a result answers; None if there is none."""
        if result.tool_call_id is not None:
            queue = self._by_id.get(result.tool_call_id)
        else:
            queue = self._all if result.name is None else self._by_name.get(result.name)
        while queue:
            place = queue.popleft()
            if place not in self._taken:
                self._taken.add(place)
                return place
        return None


class CallNames:
    """Finds the tool of each result, if a format names the tool in calls only.

    The n-th result of an id goes with its n-th call. Used by readers, and by fit, which must know what a reader would
    find; both pass the blocks in order.

    Args:
        are_near: whether a result only goes with a call in the last message before the results, and the decisions
            among them.
    """

    __slots__ = ("_waiting", "are_near")

    def __init__(self, *, are_near: bool = False) -> None:
        self.are_near = are_near
        # A queue only if several calls have the same id: making one takes longer than everything else here.
        self._waiting: dict[str, str | deque[str]] = {}

    def call(self, link: str | None, name: str) -> None:
        """Record a call."""
        if link is None:
            return
        waiting = self._waiting
        if link not in waiting:
            waiting[link] = name
            return
        names = waiting[link]
        if isinstance(names, str):
            waiting[link] = deque((names, name))
        else:
            names.append(name)

    def answer(self, link: str | None) -> MadeName | None:
        """Return the tool's name for a result, and close its call; None if its call isn't known."""
        names = self._waiting.pop(link, None) if link is not None else None
        if names is None:
            return None
        if isinstance(names, str):
            return MadeName(names)
        name = names.popleft()
        if names and link is not None:
            self._waiting[link] = names
        return MadeName(name)

    def next_name(self, link: str) -> str | None:
        """Return the name that ``answer`` would return, and leave the call open."""
        names = self._waiting.get(link)
        return names[0] if isinstance(names, deque) else names

    def enter(self, message: Msg) -> None:
        """Forget all calls if no later result goes with them: a message begins that is no answer to them."""
        if self.are_near and message.role != "tool" and not is_decision(message):
            self._waiting.clear()

    def see(self, message: Msg) -> None:
        """Record all calls and results of client tools in a message."""
        self.enter(message)
        for block in message.content:
            if isinstance(block, ToolUseBlock) and block.kind != "server":
                self.call(block.id, block.name)
            elif isinstance(block, ToolResultBlock) and block.kind != "server":
                self.answer(block.tool_call_id)

    def named(self, message: Msg) -> Msg:
        """Name the result of a message that was just read after its call, if it has no name itself.

        Records the message's calls and results. Nobody else holds the message yet, so it is changed in place, and still
        knows its reader.
        """
        if message.role == "assistant":
            self.see(message)
        if message.role != "tool":
            return message
        result: Any = message.content[0]
        name = self.answer(result.tool_call_id)
        if name is not None and result.name is None:
            name_result(result, name)
        return message

    def stand_in(self, message: Msg) -> Msg:
        """Return the message with names that its results took from their calls marked as made."""
        content = message.content
        if message.role != "tool" or len(content) != 1:
            return message
        block = content[0]
        if not isinstance(block, ToolResultBlock) or block.name is None or block.tool_call_id is None:
            return message
        if isinstance(block.name, MadeName) or self.next_name(block.tool_call_id) != block.name:
            return message
        return named(message, MadeName(block.name))


def with_result(message: Msg, result: ToolResultBlock) -> Msg:
    """Return a tool message, just read or about to be written, with another result."""
    return _with_content(message, (result,))


def named(message: Msg, name: str | None) -> Msg:
    """Return a tool message, just read or about to be written, with this name for its result.

    Without the name from its reader it is as it was read, and is written like that.
    """
    result: Any = message.content[0]
    new = _with_content(message, (_with_name(result, name),))
    if name is None:
        remember_reader(new, reader_of(message))
    return new


def made_name(name: str) -> str:
    """Return the name of a call's tool as the one that its reader gives to the call's result."""
    return MadeName(name)


def made_call_id(place: Place, name: str | None) -> Made:
    """Return the id that a reader makes for a call whose document has none.

    It is deterministic, from position and name, and doesn't change when messages are appended.
    """
    return Made(f"call_{place[0]}_{place[1]}_{_safe(name or 'tool')}")


@lru_cache(maxsize=1024)
def _safe(name: str) -> str:
    return "".join([letter if letter.isascii() and letter.isalnum() else "_" for letter in name[:24]])


def with_ids(messages: Sequence[Msg], lacking: Sequence[Place]) -> list[Msg]:
    """Return the messages with an id on each call and result in ``lacking``.

    A result gets the id of the call that it answers. A call without an id gets a new one, and so does a result without
    a call. New ids are plain (a target needs them) and differ from all existing ones.
    """
    pairs = links(messages)
    answers = {call: result for result, call in pairs.items()}
    blocks = dict(_blocks(messages))
    ids = {place: link_of(block) for place, block in blocks.items()}
    taken = {value for value in ids.values() if value is not None}
    for place in lacking:
        partner = pairs.get(place) or answers.get(place)
        value = ids[partner] if partner else None
        if value is None:
            value = str(made_call_id(place, blocks[place].name))
            while value in taken:
                value += "_"
            taken.add(value)
        # Plain even if the partner's id was made: a made id is the same as none, and wouldn't be reported.
        ids[place] = str(value)
    out = list(messages)
    changes: dict[int, dict[int, str | None]] = {}
    for i, k in lacking:
        changes.setdefault(i, {})[k] = ids[i, k]
    for i, changed in changes.items():
        content = [_with_id(block, changed[k]) if k in changed else block for k, block in enumerate(out[i].content)]
        out[i] = out[i].evolve(content=content)
    return out


def link_of(block: object) -> str | None:
    """Return the id of a call, or of the call that a result answers; None of any other block."""
    if isinstance(block, ToolUseBlock):
        return block.id
    return block.tool_call_id if isinstance(block, ToolResultBlock) else None


def _with_id(block: object, value: str | None) -> ToolUseBlock | ToolResultBlock:
    if isinstance(block, ToolUseBlock):
        return block.evolve(id=value)
    assert isinstance(block, ToolResultBlock)  # noqa: S101 - `lacking` names calls and results only
    return block.evolve(tool_call_id=value)


def is_decision(message: Msg) -> bool:
    """Whether a user message holds decisions on tool calls, and nothing else."""
    if message.role != "user" or not message.content:
        return False
    return all([type(block) is ApprovalResponseBlock for block in message.content])  # noqa: C419 - in half the time


def denials(messages: Sequence[Msg], *kinds: str) -> dict[Place, ToolResultBlock]:
    """Return results for the calls that a person denied and that have none, by the place of the decision.

    Those of the client, and of these kinds.
    """
    blocks: list[Any] = [
        ((i, k), block) for i, message in enumerate(messages) for k, block in enumerate(message.content)
    ]
    known = {block.tool_call_id for _, block in blocks if isinstance(block, ToolResultBlock)}
    calls: dict[str | None, ToolUseBlock] = {}
    asked: dict[str, ToolUseBlock] = {}
    found: dict[Place, ToolResultBlock] = {}
    for place, block in blocks:
        if isinstance(block, ToolUseBlock) and (block.kind != "server" or block.kind in kinds):
            calls[block.id] = block
        elif isinstance(block, ApprovalRequestBlock) and block.tool_call_id in calls:
            asked[block.id] = calls[block.tool_call_id]
        elif isinstance(block, ApprovalResponseBlock) and not block.approved and block.id in asked:
            call = asked[block.id]
            if call.id not in known:
                known.add(call.id)
                said = block.reason or _DENIED
                found[place] = ToolResultBlock(call.id, name=call.name, status="denied", error=said, kind=call.kind)
    return found
