"""Links: rows have no ids; results answer the calls of the last turn with calls, in order.

Adjacent turns of calls count as one. The JSON of a result may say which call it answers: see ``results.answered``. A
reader makes the ids. If the order would be wrong, a turn has the id of its call
under ``tool_call_id``, which isn't text for training. ``/id`` marks the calls and results with an id in their row.
"""

from __future__ import annotations

from collections import Counter, deque
from functools import cached_property
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import CallNames, marked, natives, speed, spelling, tool_links
from agentmsg_codecs.sharegpt.names import FAMILY, LINK
from agentmsg_codecs.sharegpt.values import UNLINKED, answered, is_said

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class _Waiting:
    """The calls that a reader has seen, and those of the last turns that have no result yet."""

    def __init__(self) -> None:
        # The number of calls without a result, by id.
        self.known: dict[str, int] = {}
        self._waiting: deque[str] = deque()
        # The number of calls in the queue that have a result, by id: they are removed when they come first.
        self._done: dict[str, int] = {}
        self._by_name: dict[str, deque[str]] = {}
        # The calls that aren't there yet: few results say the name of their call.
        self._unnamed: list[tuple[str, str]] = []
        self._turn = -1

    def call(self, place: tuple[int, int], link: str, name: str) -> None:
        """Record a call."""
        known = self.known
        if self._waiting and place[0] > self._turn + 1:
            for each in self._waiting:
                known[each] = 0
            self._waiting.clear()
            self._done.clear()
            self._by_name.clear()
            self._unnamed.clear()
        self._turn = place[0]
        self._waiting.append(link)
        self._unnamed.append((name, link))
        known[link] = known.get(link, 0) + 1

    def expected(self, block: Any = None) -> str | None:
        """Return the call that a result answers by what it says, or by its position."""
        waiting = self._waiting
        if self._done:
            while waiting and self._done.get(waiting[0]):
                self._done[waiting.popleft()] -= 1
        if len(waiting) < 2 or block is None:  # noqa: PLR2004 - no choice
            return waiting[0] if waiting else None
        told, name = answered(block)
        if told is not None and self.known.get(told):
            return told
        named = self._named(name) if name is not None else None
        while named and not self.known[named[0]]:
            named.popleft()
        return named[0] if named else waiting[0]

    def _named(self, name: str) -> deque[str] | None:
        """Return the calls of a name, in order; the first ones may have a result."""
        for each, link in self._unnamed:
            self._by_name.setdefault(each, deque()).append(link)
        self._unnamed.clear()
        return self._by_name.get(name)

    def answer(self, link: str | None) -> None:
        """Record a result."""
        count = 0 if link is None else self.known.get(link, 0)
        if link is None or not count:
            return
        self.known[link] = count - 1
        if self._waiting[0] == link:
            self._waiting.popleft()
        else:
            self._done[link] = self._done.get(link, 0) + 1

    def skip(self) -> None:
        """Record a result with an unreadable id: it uses up a call."""
        self.answer(self.expected())


def _is_unclear(message: am.Msg, block: Any) -> bool:
    """Whether the id of a result is unreadable, and so an extra of its message."""
    if not message.extras or type(block) is not am.ToolResultBlock or block.tool_call_id is not None:
        return False
    return natives.has_extra(message, FAMILY, LINK)


def _clear(message: am.Msg) -> am.Msg:
    """Remove a result with an unreadable id, so that it takes no call from others."""
    is_clear = message.role != "tool" or not any(_is_unclear(message, block) for block in message.content)
    return message if is_clear else spelling.changed(message, {"content": ()})


_note = speed.setter(am.ToolUseBlock, "notes")
_KINDS: Mapping[str, type] = {"assistant": am.ToolUseBlock, "tool": am.ToolResultBlock}


def _linked(messages: Iterable[am.Msg]) -> list[tuple[tuple[int, int], Any]]:
    """Return the calls and results, each with its place."""
    return [
        ((number, index), block)
        for number, message in enumerate(messages)
        if message.role in _KINDS
        for index, block in enumerate(message.content)
        if block.__class__ is _KINDS[message.role]
    ]


def _id_of(place: tuple[int, int], block: Any) -> str:
    """Return the id of a call: that of its row, or the one that its reader makes."""
    return str(block.id) if is_said(block, block.id) else tool_links.made_call_id(place, block.name)


def link(messages: Sequence[am.Msg]) -> None:
    """Add ids and names to messages that were just read, in place: nobody else holds them yet."""
    names, waiting = CallNames(), _Waiting()
    for place, block in _linked(messages):
        if block.__class__ is am.ToolUseBlock:
            made = _id_of(place, block)
            waiting.call(place, made, block.name)
            names.call(made, block.name)
            if block.id is None:
                tool_links.link_call(block, made)
                _note(block, marked(block, FAMILY, **{"no-id": True}).notes if block.notes else UNLINKED)
            continue
        if _is_unclear(messages[place[0]], block):
            waiting.skip()
            continue
        found = waiting.expected(block) if block.tool_call_id is None else block.tool_call_id
        waiting.answer(found)
        name = names.answer(found)
        if found is not None:
            tool_links.link_result(block, found)
        if name is not None:
            tool_links.name_result(block, name)


def relinked(messages: Sequence[am.Msg]) -> Sequence[am.Msg]:
    """Return messages that fit with the ids that a reader will give to their calls and results."""
    links, changed = _Links(messages), dict[int, list[Any]]()
    for place, block in _linked(messages):
        new = links.call(place, block) if type(block) is am.ToolUseBlock else links.result(place, block)
        if new is not block:
            number, index = place
            if number not in changed:  # not setdefault, which copies the content for each call
                changed[number] = [*messages[number].content]
            changed[number][index] = new
    out = [*messages]
    for number, content in changed.items():
        out[number] = spelling.changed(out[number], {"content": tuple(content)})
    return out if changed else messages


class _Links:
    """The calls and results of messages, as a reader will know them.

    Args:
        messages: all of them.
    """

    def __init__(self, messages: Sequence[am.Msg]) -> None:
        self._messages = messages
        self._waiting, self._names = _Waiting(), CallNames()
        # The ids that the reader makes, by place and by their present id.
        self._made: dict[tuple[int, int], str] = {}
        self._new: dict[str | None, str | None] = {}
        self._unanswered: Counter[str] = Counter()

    @cached_property
    def _pairs(self) -> Mapping[tuple[int, int], tuple[int, int]]:
        return tool_links.links(list(map(_clear, self._messages)))

    def call(self, place: tuple[int, int], block: Any) -> Any:
        """Return a call with the id from its reader."""
        made = self._made[place] = _id_of(place, block)
        self._new[block.id] = None if block.id is None else made
        self._waiting.call(place, made, block.name)
        self._unanswered[made] += 1
        self._names.call(made, block.name)
        return block if block.id == made else spelling.changed(block, {"id": str(made)})

    def result(self, place: tuple[int, int], block: Any) -> Any:
        """Return a result with the id and name from its reader, or with the id that its turn will contain."""
        own: str | None = block.tool_call_id
        waiting, unanswered = self._waiting, self._unanswered
        if _is_unclear(self._messages[place[0]], block):
            waiting.skip()
            return block
        # It has no id, and no call waits: a reader links it to none, either.
        expected = waiting.expected(block)
        if own is expected is None:
            return block
        link = self._link_of(place, block)
        if link is None and expected is not None:
            link = own if own is not None else str(tool_links.made_call_id(place, block.name))
            while link in waiting.known:
                link += "_"
        waiting.answer(link)
        if link is not None and unanswered[link] > 0:
            unanswered[link] -= 1
        # Without its call, a reader can't know its name. A made name is lost if its call has another id.
        found = self._names.answer(link)
        name = block.name if found == block.name else None
        is_left = found is None and self._new.get(own, own) != own
        is_same = name == block.name or (isinstance(block.name, am.Made) and not is_left)
        # A made id that no call has any more is read as none.
        if own == link or (link is None and isinstance(own, am.Made)):
            return block if is_same else spelling.changed(block, {"name": name})
        return spelling.changed(block, {"tool_call_id": None if link is None else str(link), "name": name})

    def _link_of(self, place: tuple[int, int], block: Any) -> str | None:
        """Return the id of the call that a result answers."""
        own: str | None = block.tool_call_id
        if is_said(block, own):
            return own
        # A result without an id in its row may have been paired with the call of one that has it.
        link = self._made.get(self._pairs[place]) if place in self._pairs else self._new.get(own)
        # An earlier turn may already answer this call.
        return link if link is not None and self._unanswered[link] else None


def said_links(messages: Sequence[am.Msg]) -> list[str | None]:
    """Return, for each message that fits, the id that its turn must contain because its position isn't enough."""
    waiting = _Waiting()
    out: list[str | None] = [None] * len(messages)
    for place, block in _linked(messages):
        if block.__class__ is am.ToolUseBlock:
            waiting.call(place, str(block.id), block.name)
        elif _is_unclear(messages[place[0]], block):
            waiting.skip()
        else:
            link, expected = block.tool_call_id, waiting.expected(block)
            waiting.answer(link)
            is_lost = expected is None and isinstance(link, am.Made) and link not in waiting.known
            if link is not None and not is_lost and (link != expected or is_said(block, link)):
                out[place[0]] = str(link)
    return out
