"""Made ids of calls stay apart when messages are joined: two documents may have been given the same.

The later call gets another made id, ``call_0_0_f_2`` for ``call_0_0_f``, and its results follow: one whose call has its
result already, or that wasn't made for it, belongs to the last call of that id which waits. Messages that are put into
one history are joined one by one.

A result's id is made if its call's is: one may have become a plain text on its way through a tool or a store.
"""

from __future__ import annotations

from itertools import count
from operator import is_
from typing import TYPE_CHECKING, Any

from agentmsg.model.blocks import ApprovalRequestBlock, ToolResultBlock, ToolUseBlock
from agentmsg.model.construction import replacer
from agentmsg.model.generated import Made
from agentmsg.model.msg import Msg

if TYPE_CHECKING:
    from collections.abc import Sequence

_with_content = replacer(Msg, "content")
_LINKING = (ToolResultBlock, ApprovalRequestBlock)
_CALLING = (ToolUseBlock, ToolResultBlock)


def apart(before: Sequence[Msg], added: tuple[Msg, ...]) -> tuple[Msg, ...]:
    """Return messages to add to others, with made ids of their own.

    Args:
        before: the messages to which they are added.
        added: the new ones.
    """
    if not _may_clash(before, added):
        return added
    known = _Known()
    for message in before:
        for block in message.content:
            known.see(block)
    known.begin()
    return tuple([_with_links(message, known) for message in added])


def one_by_one(messages: tuple[Msg, ...]) -> tuple[Msg, ...]:
    """Return messages of any origin with made ids of their own, as if each was added to those before it."""
    if not any(
        type(block.id) is Made for message in messages for block in message.content if type(block) is ToolUseBlock
    ):
        return messages
    known = _Known()
    joined: list[Msg] = []
    for message in messages:
        known.begin()
        joined.append(_with_links(message, known))
    return messages if all(map(is_, joined, messages)) else tuple(joined)


def as_made(messages: tuple[Msg, ...]) -> tuple[Msg, ...]:
    """Return messages of one document in which the results of calls with made ids have made ones, too."""
    made = {block.id for message in messages for block in message.content if isinstance(block, ToolUseBlock)}
    made = {link for link in made if type(link) is Made}
    out: list[Msg] = []
    for message in messages:
        content: list[Any] = [
            block.evolve(tool_call_id=Made(block.tool_call_id))
            if isinstance(block, _LINKING) and type(block.tool_call_id) is str and block.tool_call_id in made
            else block
            for block in message.content
        ]
        out.append(message if all(map(is_, content, message.content)) else _with_content(message, tuple(content)))
    return messages if all(map(is_, out, messages)) else tuple(out)


def _may_clash(before: Sequence[Msg], added: tuple[Msg, ...]) -> bool:
    for message in added:
        for block in message.content:
            if isinstance(block, ToolUseBlock):
                if type(block.id) is Made:
                    return True
            # A made id may have become a plain one on its way through a tool.
            elif isinstance(block, _LINKING) and _is_other(before, block.tool_call_id or ""):
                return True
    return False


def _is_other(before: Sequence[Msg], link: str) -> bool:
    """Whether the last call that a result may answer has another id, or a made one; mostly it is close."""
    if not link.startswith("call_"):
        return False
    for message in reversed(before):
        for block in message.content:
            if isinstance(block, ToolUseBlock) and block.id is not None and block.id.startswith(link):
                return len(block.id) > len(link) or type(block.id) is not type(link)
    return False


def _with_links(message: Msg, known: _Known) -> Msg:
    content: list[Any] = []
    for block in message.content:
        new: Any = block
        if isinstance(block, ToolUseBlock):
            if type(block.id) is Made and (own := known.free(block.id)) != block.id:
                new = block.evolve(id=own)
        elif isinstance(block, _LINKING) and (link := known.called(block.tool_call_id)) is not block.tool_call_id:
            new = block.evolve(tool_call_id=link)
        known.see(new)
        content.append(new)
    return message if all(map(is_, content, message.content)) else _with_content(message, tuple(content))


class _Known:
    """The ids of calls, and which of them wait for a result.

    Attributes:
        waiting: by id, how many of its calls wait.
    """

    def __init__(self) -> None:
        self.waiting: dict[str, int] = {}
        # The ids as their calls have them.
        self._own: dict[str, str] = {}
        # By id, those that were made in its place; and the last of them, of this time.
        self._others: dict[str, list[str]] = {}
        self._now: dict[str, str] = {}

    def begin(self) -> None:
        """Begin to add messages: results of calls that follow are told from those of earlier ones."""
        self._now.clear()

    def see(self, block: object) -> None:
        """Record a call or a result."""
        if isinstance(block, ToolUseBlock) and block.id is not None:
            first, _, number = block.id.rpartition("_")
            if block.id not in self.waiting and number.isdecimal() and first in self.waiting:
                self._others.setdefault(first, []).append(block.id)
            self.waiting[block.id] = self.waiting.get(block.id, 0) + 1
            self._own.setdefault(block.id, block.id)
        elif isinstance(block, ToolResultBlock) and self.waiting.get(block.tool_call_id or ""):
            self.waiting[block.tool_call_id or ""] -= 1

    def free(self, link: str) -> str:
        """Return a made id that no call has: this one, or another in its place."""
        if link not in self.waiting:
            return link
        held = self._others.get(link, ())
        new = next(made for number in count(len(held) + 2) if (made := Made(f"{link}_{number}")) not in self.waiting)
        self._now[link] = new
        return new

    def called(self, link: str | None) -> str | None:
        """Return the id of the call that a result answers."""
        if link is None or link not in self.waiting:
            return link
        own = self._own[link]
        if link in self._now:
            others = [self._now[link]]
        elif self.waiting[link] and link is own:
            others = []  # it was made for this very call
        else:
            others = self._others.get(link, [])
        later = next((self._own[other] for other in reversed(others) if self.waiting[other]), own)
        return later if type(later) is Made else link
