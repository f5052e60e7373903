"""Ids for documents without any: calls and results are matched by name and order.

A reader makes the ids, and marks their blocks ``/no-id``; the writer leaves out those that a reader makes again. A
result that would then be paired with another call is written with its id. A result without a name is marked
``/no-name``; a writer gives it the name of its call, unless it was read without one.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from agentmsg.formats.natives import is_marked
from agentmsg.formats.plain_messages import SAID, how_bare
from agentmsg.formats.spelling import changed
from agentmsg.model.blocks import ToolResultBlock, ToolUseBlock
from agentmsg.model.construction import replacer
from agentmsg.model.generated import Made, given
from agentmsg.model.msg import Msg
from agentmsg.model.tool_links import CallNames, link_call, link_result, made_call_id, name_result

if TYPE_CHECKING:
    from collections.abc import Iterable

# The blocks with links.
_LINKED = (ToolUseBlock, ToolResultBlock)
_with_content = replacer(Msg, "content")


class _Waiting:
    """The calls without ids that have no result yet, in order, as a reader sees them.

    A result of a name that no waiting call has answers none of them, and uses up none.

    Args:
        family: whose marks these are.
        are_renamed: whether any made id may be left out, not only the one that the reader makes again: histories may
            have been joined.

    Attributes:
        is_torn: whether a result was seen that would then be paired with another call.
        renamed: made ids that are left out although the reader makes others in their place.
        known: the ids of calls.
        names: of the calls, for their results.
    """

    def __init__(self, family: str, *, are_renamed: bool = False) -> None:
        self._family = family
        self._are_renamed = are_renamed
        self.is_torn = False
        self.renamed: set[str] = set()
        self.known: set[str] = set()
        self.names = CallNames()
        self._by_name: dict[str, deque[Made]] = {}
        self._all: deque[Made] = deque()
        self._taken: set[str] = set()

    def call(self, place: tuple[int, int], block: Any) -> Made | None:
        """Record a call; return the id that its reader makes, or None if it has its own."""
        may_be_made = block.id is None or is_marked(block, self._family, "/no-id")
        made = made_call_id(place, block.name) if may_be_made else None
        if made is not None and self._are_renamed and type(block.id) is Made:
            if block.id != made:
                self.renamed.add(block.id)
            made = block.id
        is_own = made is None or block.id not in (None, made)
        link = str(block.id) if made is None or is_own else made
        self.known.add(link)
        self.names.call(link, block.name)
        if made is None or is_own:
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
        """Record a result; return the id that its reader gives it, or None if it has one, or answers no call."""
        if link is not None and link in self.known:  # the common case: a result with a call's id
            self._taken.add(link)
            return None
        expected = self.expected(name)
        if link is not None:
            self._taken.add(link if expected is None else expected)
            return None
        if expected is not None:
            self._taken.add(expected)
        return expected


def linked(messages: Iterable[Msg], family: str, first: int = 0, *, are_named: bool = False) -> list[Msg]:
    """Add missing ids to messages that were read, and mark names taken from calls as made.

    Args:
        messages: as they were read.
        family: whose marks these are.
        first: the number of the first message, so that ids differ from those of others.
        are_named: whether results without a name get that of their call.
    """
    waiting = _Waiting(family)
    read = list(messages)
    for number, message in enumerate(read, first):
        if how_bare(message) == SAID:
            continue
        # What was just read is changed in place, because nobody else holds it yet.
        for index, block in enumerate(message.content):
            if not isinstance(block, _LINKED) or block.kind == "server":
                continue
            if isinstance(block, ToolUseBlock):
                made = waiting.call((number, index), block)
                if made is not None:
                    link_call(block, made)
                continue
            made = waiting.answer(block.tool_call_id, block.name)
            if made is not None:
                link_result(block, made)
            known = waiting.names.answer(block.tool_call_id)
            if known is not None and (known == block.name or (are_named and block.name is None)):
                name_result(block, known)
    return read


def unlinked(messages: Iterable[Msg], family: str, first: int = 0) -> list[Msg]:
    """Return the messages to write: without the ids that a reader makes again, and with named results.

    Args:
        messages: that fit.
        family: as in ``linked``.
        first: as in ``linked``.
    """
    held = list(messages)
    waiting = _Waiting(family, are_renamed=True)
    out = _unlinked(held, waiting, family, first)
    return _unlinked(held, _Waiting(family), family, first) if waiting.is_torn else out


def _unlinked(messages: list[Msg], waiting: _Waiting, family: str, first: int) -> list[Msg]:
    out: list[Msg] = []
    for number, message in enumerate(messages, first):
        if how_bare(message) == SAID:
            out.append(message)
            continue
        changes: dict[int, Any] = {}
        for index, block in enumerate(message.content):
            if not isinstance(block, _LINKED):
                continue
            if block.kind == "server":  # what a provider runs is paired by place, if it has no ids
                key = "id" if isinstance(block, ToolUseBlock) else "tool_call_id"
                if isinstance(getattr(block, key), Made):
                    changes[index] = changed(block, {key: None})
            elif isinstance(block, ToolUseBlock):
                if waiting.call((number, index), block) is not None and block.id is not None:
                    changes[index] = changed(block, {"id": None})
            elif (new := _unanswered(block, waiting, family)) is not block:
                changes[index] = new
        if changes:
            content = [changes.get(index, block) for index, block in enumerate(message.content)]
            out.append(_with_content(message, tuple(content)))
        else:
            out.append(message)
    return out


def _unanswered(block: Any, waiting: _Waiting, family: str) -> Any:
    """Return a result as it is written: with a name, and without an id that is made again."""
    link, name = block.tool_call_id, given(block.name)
    known = waiting.names.answer(link)
    is_unnamed = is_marked(block, family, "/no-name") and name in (None, known)
    name = None if is_unnamed else known if name is None else name
    is_renamed = link in waiting.renamed
    if link is not None and (is_renamed or is_marked(block, family, "/no-id")):
        expected = waiting.expected(name)
        if is_renamed and (link != expected or type(link) is not Made):
            waiting.is_torn = True
        # A made id that no call has any more would be read as none.
        if link == expected or (expected is None and isinstance(link, Made) and link not in waiting.known):
            link = None
    waiting.answer(link, name)
    # A name taken from the call is written like any other.
    if link is block.tool_call_id and name == block.name:
        return block
    return changed(block, {"tool_call_id": link, "name": None if name is None else str(name)})
