"""Ids where documents have none: calls and results are told by their names and their order.

A reader makes the ids, and marks what it gave them to (``/no-id``); the writer leaves out those that a reader makes
again. A result that would be paired with another call then is written with its id.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import Made
from agentmsg.formats import CallNames, given, is_marked, speed, spelling, tool_links
from agentmsg_codecs.gemini.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_with_content = speed.replacer(am.Msg, "content")


class _Waiting:
    """The calls without ids that no result has answered, in their order, as a reader sees them.

    A result that answers none of them takes the place of one all the same: of parallel results, each has its own.
    """

    def __init__(self) -> None:
        self._by_name: dict[str, deque[Made]] = {}
        self._all: deque[Made] = deque()
        self._taken: set[str] = set()
        self._known: set[str] = set()
        self._names = CallNames()

    def call(self, place: tuple[int, int], block: Any) -> Made | None:
        """Take note of a call; return the id that its reader makes, or None if it has one of its own."""
        may_be_made = block.id is None or is_marked(block, FAMILY, "/no-id")
        made = tool_links.made_call_id(place, block.name) if may_be_made else None
        if made is None or block.id not in (None, made):
            self._known.add(str(block.id))
            self._names.call(str(block.id), block.name)
            return None
        self._known.add(made)
        self._names.call(made, block.name)
        self._by_name.setdefault(block.name, deque()).append(made)
        self._all.append(made)
        return made

    def answer(self, link: str | None, name: str | None) -> Made | None:
        """Take note of a result; return the id that its reader makes, or None if it has one, or answers no call.

        Args:
            link: its id; None if it has none.
            name: its name.
        """
        if link is not None:
            if link not in self._known:
                self._next(self._by_name.get(name or ""))
            self._taken.add(link)
            return None
        found = self._next(self._all if name is None else self._by_name.get(name))
        if found is None:
            self._next(self._all)
        return found

    def expected(self, name: str | None) -> Made | None:
        """Return the id that ``answer`` would return for a result without id."""
        return self._first(self._all if name is None else self._by_name.get(name))

    def is_known(self, link: str | None) -> bool:
        """Whether a call has an id."""
        return link is not None and str(link) in self._known

    def name_of(self, link: str | None) -> Made | None:
        """Return the name of the call that a result answers, as one that the reader makes; for each result once."""
        return self._names.answer(link if link is None else str(link))

    def _first(self, queue: deque[Made] | None) -> Made | None:
        while queue and queue[0] in self._taken:
            queue.popleft()
        return queue[0] if queue else None

    def _next(self, queue: deque[Made] | None) -> Made | None:
        found = self._first(queue)
        if found is not None:
            self._taken.add(found)
        return found


def _client(message: am.Msg) -> Iterator[tuple[int, Any]]:
    for index, block in enumerate(message.content):
        if isinstance(block, (am.ToolUseBlock, am.ToolResultBlock)) and block.kind != "server":
            yield index, block


def _changed(message: am.Msg, changes: dict[int, Any]) -> am.Msg:
    if not changes:
        return message
    return _with_content(message, tuple([changes.get(index, block) for index, block in enumerate(message.content)]))


def linked(messages: Iterable[am.Msg], first: int = 0) -> list[am.Msg]:
    """Return messages that were read, with ids where they lack them, and with the names that calls say as such.

    Args:
        messages: as they were read.
        first: the number of the first message, for ids that differ from those of others.
    """
    waiting = _Waiting()
    out: list[am.Msg] = []
    for number, message in enumerate(messages, first):
        changes: dict[int, Any] = {}
        for index, block in _client(message):
            if isinstance(block, am.ToolUseBlock):
                made = waiting.call((number, index), block)
                if made is not None:
                    changes[index] = spelling.changed(block, {"id": made})
                continue
            made = waiting.answer(block.tool_call_id, block.name)
            link = block.tool_call_id if made is None else made
            known = waiting.name_of(link)
            name = known if known == block.name else block.name
            if link is not block.tool_call_id or name is not block.name:
                changes[index] = spelling.changed(block, {"tool_call_id": link, "name": name})
        out.append(_changed(message, changes))
    return out


def unlinked(messages: Sequence[am.Msg], first: int = 0) -> list[am.Msg]:
    """Return the messages to write: without the ids that a reader makes again, and results with names.

    Args:
        messages: that fit.
        first: as in ``linked``.
    """
    out: list[am.Msg] = []
    waiting = _Waiting()
    for number, message in enumerate(messages, first):
        changes: dict[int, Any] = {}
        for index, block in _client(message):
            if isinstance(block, am.ToolUseBlock):
                if waiting.call((number, index), block) is not None and block.id is not None:
                    changes[index] = spelling.changed(block, {"id": None})
                continue
            new = _unanswered(block, waiting)
            if new is not block:
                changes[index] = new
        out.append(_changed(message, changes))
    return out


def _unanswered(block: Any, waiting: _Waiting) -> Any:
    """Return a result as it is written: with a name, and without an id that is made again."""
    link, name = block.tool_call_id, given(block.name)
    known = waiting.name_of(link)
    is_unnamed = is_marked(block, FAMILY, "/no-name") and name in (None, known)
    name = None if is_unnamed else known if name is None else name
    if link is not None and is_marked(block, FAMILY, "/no-id"):
        expected = waiting.expected(name)
        # One that nobody gave, and that no call has any more, would be read as none.
        if link == expected or (expected is None and isinstance(link, Made) and not waiting.is_known(link)):
            link = None
    waiting.answer(link if link is None else str(link), name)
    if link is block.tool_call_id and name is block.name:
        return block
    return spelling.changed(block, {"tool_call_id": link, "name": None if name is None else str(name)})
