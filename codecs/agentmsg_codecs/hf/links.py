"""Ids where rows have none: a result is of the first call of its name, or without one of the first call, that waits.

A reader makes the ids, and marks what it gave them to (``/no-id``); the writer leaves out those that a reader makes
again. A result that would be paired with another call then is written with its id. New results say their name, for
some chat templates want it; ``/no-name`` marks those that were read without.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import Made
from agentmsg.formats import CallNames, given, is_marked, speed, tool_links
from agentmsg_codecs.hf.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_with_content = speed.replacer(am.Msg, "content")


class _Waiting:
    """The calls without ids that no result has answered, in their order, as a reader sees them.

    A result that answers none of them takes the place of one all the same: of parallel results, each has its own.
    """

    def __init__(self) -> None:
        self._by_name: dict[str, deque[Made]] = {}
        self._all: deque[Made] = deque()
        self._taken: set[str] = set()
        self.known: set[str] = set()
        self.names = CallNames()

    def call(self, place: tuple[int, int], block: am.ToolUseBlock) -> Made | None:
        """Take note of a call; return the id that its reader makes, or None if it has one of its own."""
        made = tool_links.made_call_id(place, block.name)
        is_own = block.id is not None and not (is_marked(block, FAMILY, "/no-id") and block.id == made)
        link = str(block.id) if is_own else made
        self.known.add(link)
        self.names.call(link, block.name)
        if is_own:
            return None
        self._by_name.setdefault(block.name, deque()).append(made)
        self._all.append(made)
        return made

    def expected(self, name: str | None) -> Made | None:
        """Return the id that a reader gives to a result without one."""
        queue = self._all if name is None else self._by_name.get(name)
        while queue and queue[0] in self._taken:
            queue.popleft()
        return queue[0] if queue else None

    def answer(self, link: str | None, name: str | None) -> Made | None:
        """Take note of a result; return the id that its reader gives it, or None if it has one, or answers no call."""
        expected = self.expected(name)
        if link is not None:
            self._taken.add(link if link in self.known or expected is None else expected)
            return None
        taken = self.expected(None) if expected is None else expected
        if taken is not None:
            self._taken.add(taken)
        return expected


def _changed(message: am.Msg, changes: Mapping[int, Any]) -> am.Msg:
    if not changes:
        return message
    return _with_content(message, tuple([changes.get(index, block) for index, block in enumerate(message.content)]))


def linked(messages: Iterable[am.Msg]) -> list[am.Msg]:
    """Return messages that were read, with ids where they lack them, and results with the names of their calls."""
    waiting = _Waiting()
    out: list[am.Msg] = []
    for number, message in enumerate(messages):
        changes: dict[int, Any] = {}
        for index, block in enumerate(message.content):
            if isinstance(block, am.ToolUseBlock):
                made = waiting.call((number, index), block)
                if made is not None:
                    changes[index] = block.evolve(id=made)
            elif isinstance(block, am.ToolResultBlock):
                made = waiting.answer(block.tool_call_id, block.name)
                link = block.tool_call_id if made is None else made
                known = waiting.names.answer(None if link is None else str(link))
                name = known if block.name is None or known == block.name else block.name
                if link is not block.tool_call_id or name is not block.name:
                    changes[index] = block.evolve(tool_call_id=link, name=name)
        out.append(_changed(message, changes))
    return out


def unlinked(messages: Iterable[am.Msg]) -> list[am.Msg]:
    """Return the messages to write: without the ids that a reader makes again, and results with names."""
    waiting = _Waiting()
    out: list[am.Msg] = []
    for number, message in enumerate(messages):
        changes: dict[int, Any] = {}
        for index, block in enumerate(message.content):
            if isinstance(block, am.ToolUseBlock):
                if waiting.call((number, index), block) is not None and block.id is not None:
                    changes[index] = block.evolve(id=None)
            elif isinstance(block, am.ToolResultBlock):
                changes[index] = _unanswered(block, waiting)
        out.append(_changed(message, changes))
    return out


def _unanswered(block: am.ToolResultBlock, waiting: _Waiting) -> am.ToolResultBlock:
    link, name = block.tool_call_id, given(block.name)
    known = waiting.names.answer(None if link is None else str(link))
    is_unnamed = is_marked(block, FAMILY, "/no-name") and name in (None, known)
    name = None if is_unnamed else known if name is None else name
    if link is not None and is_marked(block, FAMILY, "/no-id"):
        expected = waiting.expected(name)
        # One that nobody gave, and that no call has any more, would be read as none.
        if link == expected or (expected is None and isinstance(link, Made) and str(link) not in waiting.known):
            link = None
    waiting.answer(None if link is None else str(link), name)
    if link is block.tool_call_id and name is block.name:
        return block
    return block.evolve(tool_call_id=link, name=None if name is None else str(name))
