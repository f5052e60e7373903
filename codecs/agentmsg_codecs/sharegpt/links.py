"""Links: rows have no ids; results answer the calls of the last turn with calls, in order.

Adjacent turns of calls count as one. A reader makes the ids. If the order would be wrong, a turn names its call under
``tool_call_id``, which isn't trained on. ``/id`` marks the calls and results with an id in their row.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import CallNames, is_marked, natives, spelling, tool_links
from agentmsg_codecs.sharegpt.names import FAMILY, LINK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    _Change = Callable[["_Waiting", tuple[int, int], Any], Any]


class _Waiting:
    """The ids of the calls that a reader has seen, and of those of the last turns that no result has answered."""

    def __init__(self) -> None:
        # By id, how many calls wait for their results.
        self.known: dict[str, int] = {}
        self._waiting: deque[str] = deque()
        # By id, how many calls in the queue wait no more: they are taken out when they come up.
        self._done: dict[str, int] = {}
        self._turn = -1

    def call(self, place: tuple[int, int], link: str) -> None:
        """Take note of a call."""
        known = self.known
        if place[0] > self._turn + 1 and self._waiting:
            for each in self._waiting:
                known[each] = 0
            self._waiting.clear()
            self._done.clear()
        self._turn = place[0]
        self._waiting.append(link)
        known[link] = known.get(link, 0) + 1

    @property
    def expected(self) -> str | None:
        """The call that a result answers by its place."""
        waiting = self._waiting
        if self._done:
            while waiting and self._done.get(waiting[0]):
                self._done[waiting.popleft()] -= 1
        return waiting[0] if waiting else None

    def answer(self, link: str | None) -> None:
        """Take note of a result."""
        if link is None or not self.known.get(link):
            return
        self.known[link] -= 1
        if self._waiting[0] == link:
            self._waiting.popleft()
        else:
            self._done[link] = self._done.get(link, 0) + 1

    def skip(self) -> None:
        """Take note of a result that says its call in no way that can be read: it takes the place of one."""
        self.answer(self.expected)


def is_said(block: Any, link: str | None) -> bool:
    """Whether the row says the id of a call or result."""
    return link is not None and bool(block.notes) and is_marked(block, FAMILY, "/id")


def _is_unclear(message: am.Msg, block: Any) -> bool:
    """Whether a result says its call in no way that can be read, under the key that would say it."""
    if not message.extras or type(block) is not am.ToolResultBlock or block.tool_call_id is not None:
        return False
    return natives.has_extra(message, FAMILY, LINK)


def _clear(message: am.Msg) -> am.Msg:
    """Return a message without such a result, which takes no call from one that says it."""
    is_clear = message.role != "tool" or not any(_is_unclear(message, block) for block in message.content)
    return message if is_clear else spelling.changed(message, {"content": ()})


_KINDS: Mapping[str, type] = {"assistant": am.ToolUseBlock, "tool": am.ToolResultBlock}


def _each(messages: Sequence[am.Msg], change: _Change) -> Sequence[am.Msg]:
    """Return messages with their calls and results changed, by what is known of the calls before."""
    waiting = _Waiting()
    out: list[am.Msg] = [*messages]
    is_same = True
    for place, block in _linked(messages):
        if (new := change(waiting, place, block)) is not block:
            number, index = place
            content = out[number].content
            content = (*content[:index], new, *content[index + 1 :])
            out[number], is_same = spelling.changed(out[number], {"content": content}), False
    return messages if is_same else out


def _linked(messages: Iterable[am.Msg]) -> Iterator[tuple[tuple[int, int], Any]]:
    """Yield the calls and the results that rows tell, each with its place."""
    for number, message in enumerate(messages):
        kind = _KINDS.get(message.role)
        for index, block in enumerate(message.content if kind is not None else ()):
            if block.__class__ is kind:
                yield (number, index), block


def _id_of(place: tuple[int, int], block: Any) -> str:
    """Return the id of a call: what its row says, or what its reader makes."""
    return str(block.id) if is_said(block, block.id) else tool_links.made_call_id(place, block.name)


def link(messages: Sequence[am.Msg]) -> None:
    """Give messages that were just read, and that nobody else holds, the ids and names that their rows don't say."""
    names, waiting = CallNames(), _Waiting()
    for place, block in _linked(messages):
        if block.__class__ is am.ToolUseBlock:
            made = _id_of(place, block)
            waiting.call(place, made)
            names.call(made, block.name)
            if block.id is None:
                tool_links.link_call(block, made)
            continue
        if _is_unclear(messages[place[0]], block):
            waiting.skip()
            continue
        found = waiting.expected if block.tool_call_id is None else block.tool_call_id
        waiting.answer(found)
        name = names.answer(found)
        if found is not None:
            tool_links.link_result(block, found)
        if name is not None:
            tool_links.name_result(block, name)


def relinked(messages: Sequence[am.Msg]) -> Sequence[am.Msg]:
    """Return messages that fit, with the ids by which a reader will know their calls and results."""
    if _are_as_read(messages):
        return messages
    ids: dict[tuple[int, int], str] = {}
    told: dict[str | None, str | None] = {}
    names = CallNames()
    unanswered: Counter[str] = Counter()
    pairs: dict[tuple[int, int], tuple[int, int]] | None = None

    def relink(waiting: _Waiting, place: tuple[int, int], block: Any) -> Any:
        nonlocal pairs
        if type(block) is am.ToolUseBlock:
            made = ids[place] = _id_of(place, block)
            told[block.id] = None if block.id is None else made
            waiting.call(place, made)
            unanswered[made] += 1
            names.call(made, block.name)
            return block if block.id == made else spelling.changed(block, {"id": str(made)})
        own: str | None = block.tool_call_id
        if _is_unclear(messages[place[0]], block):
            waiting.skip()
            return block
        # Which earlier call it answers then, nobody says: a reader doesn't, either.
        if own is waiting.expected is None:
            return block
        pairs = tool_links.links(list(map(_clear, messages))) if pairs is None else pairs
        # One that no reader pairs by its place may have taken the call of one that says it.
        link = own if is_said(block, own) else ids.get(pairs[place]) if place in pairs else told.get(own)
        if link is not None and not is_said(block, own) and not unanswered[link]:
            link = None  # a turn in front of it says that it answers this call
        if link is None and waiting.expected is not None:
            link = own if own is not None else str(tool_links.made_call_id(place, block.name))
            while link in waiting.known:
                link += "_"
        waiting.answer(link)
        if link is not None and unanswered[link] > 0:
            unanswered[link] -= 1
        # Without its call, a reader can't know its name. One that nobody gave is lost where its call has another id.
        found = names.answer(link)
        name = block.name if found == block.name else None
        is_left = found is None and told.get(own, own) != own
        is_same = name == block.name or (isinstance(block.name, am.Made) and not is_left)
        # An id that nobody gave, and that no call has any more, is read as none.
        if own == link or (link is None and isinstance(own, am.Made)):
            return block if is_same else spelling.changed(block, {"name": name})
        return spelling.changed(block, {"tool_call_id": None if link is None else str(link), "name": name})

    return _each(messages, relink)


def _are_as_read(messages: Sequence[am.Msg]) -> bool:
    """Whether all calls and results have the ids that a reader makes, and each result answers its call by its place."""
    waiting = _Waiting()
    for place, block in _linked(messages):
        if block.__class__ is am.ToolUseBlock:
            made = tool_links.made_call_id(place, block.name)
            if block.id != made or is_said(block, made):
                return False
            waiting.call(place, made)
        elif _is_unclear(messages[place[0]], block):
            waiting.skip()
        else:
            link = block.tool_call_id
            if link != waiting.expected or is_said(block, link):
                return False
            waiting.answer(link)
    return True


def said_links(messages: Iterable[am.Msg]) -> list[str | None]:
    """Return for each message that fits the id that its turn says, because its place doesn't."""
    waiting = _Waiting()
    out: list[str | None] = []
    for number, message in enumerate(messages):
        said: str | None = None
        for index, block in enumerate(message.content if message.role in ("assistant", "tool") else ()):
            if type(block) is am.ToolUseBlock:
                waiting.call((number, index), str(block.id))
            elif type(block) is am.ToolResultBlock:
                if _is_unclear(message, block):
                    waiting.skip()
                    continue
                link, expected = block.tool_call_id, waiting.expected
                waiting.answer(link)
                is_lost = expected is None and isinstance(link, am.Made) and link not in waiting.known
                said = None if is_lost or (link == expected and not is_said(block, link)) else link
        out.append(None if said is None else str(said))
    return out
