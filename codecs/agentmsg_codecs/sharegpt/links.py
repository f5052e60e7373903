"""Links: rows have no ids; results answer the calls of the last turn that has some, in their order.

A reader makes the ids. Where the order would say something else, a turn says the call that it answers under
``tool_call_id``, which nobody trains on. ``/id`` marks the calls and results whose row says an id.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import CallNames, is_marked, marked, spelling, tool_links
from agentmsg_codecs.sharegpt.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    _Change = Callable[["_Waiting", tuple[int, int], Any], Any]


class _Waiting:
    """The calls that a reader has seen: their ids, and those that still wait for a result."""

    def __init__(self) -> None:
        self.names = CallNames()
        self.known: set[str] = set()
        self._waiting: list[str] = []
        self._turn = -1

    def call(self, place: tuple[int, int], block: Any) -> str:
        """Take note of a call; return its id: what its row says, or what its reader makes."""
        link = str(block.id) if _is_said(block, block.id) else tool_links.made_call_id(place, block.name)
        if place[0] != self._turn:
            self._turn, self._waiting = place[0], []
        self._waiting.append(link)
        self.known.add(link)
        self.names.call(link, block.name)
        return link

    @property
    def expected(self) -> str | None:
        """The call that a result answers by its place."""
        return self._waiting[0] if self._waiting else None

    def answer(self, link: str | None) -> None:
        """Take note of a result."""
        if link in self._waiting:
            self._waiting.remove(link)


def _is_said(block: Any, link: str | None) -> bool:
    return link is not None and bool(block.notes) and is_marked(block, FAMILY, "/id")


def _each(messages: Iterable[am.Msg], change: _Change) -> list[am.Msg]:
    """Return messages with their calls and results changed, by what a reader knows of the calls before."""
    waiting = _Waiting()
    out: list[am.Msg] = []
    for number, message in enumerate(messages):
        if message.role in ("assistant", "tool"):
            content = [
                change(waiting, (number, index), block) if isinstance(block, _LINKED) else block
                for index, block in enumerate(message.content)
            ]
            if any(new is not old for new, old in zip(content, message.content, strict=True)):
                message = spelling.changed(message, {"content": tuple(content)})  # noqa: PLW2901 - as it goes on
        out.append(message)
    return out


_LINKED = (am.ToolUseBlock, am.ToolResultBlock)


def linked(messages: Iterable[am.Msg]) -> list[am.Msg]:
    """Return messages that were read, with the ids and names that nobody says."""
    return _each(messages, _link)


def _link(waiting: _Waiting, place: tuple[int, int], block: Any) -> Any:
    if isinstance(block, am.ToolUseBlock):
        link = waiting.call(place, block)
        return block if block.id is not None else spelling.changed(block, {"id": link})
    link = waiting.expected if block.tool_call_id is None else block.tool_call_id
    waiting.answer(link)
    return block if link is None else spelling.changed(block, {"tool_call_id": link, "name": waiting.names.answer(link)})


def relinked(messages: Sequence[am.Msg]) -> Sequence[am.Msg]:
    """Return messages that fit, with the ids by which a reader will know their calls and results."""
    ids: dict[tuple[int, int], str] = {}
    pairs: dict[Any, Any] = {}

    def relink(waiting: _Waiting, place: tuple[int, int], block: Any) -> Any:
        if isinstance(block, am.ToolUseBlock):
            link = ids[place] = waiting.call(place, block)
            return block if block.id == link else spelling.changed(block, {"id": str(link)})
        own = block.tool_call_id
        link = own if _is_said(block, own) else ids.get(pairs.get(place))
        if link is None and waiting.expected is not None:
            link = own if own is not None else str(tool_links.made_call_id(place, block.name))
            while link in waiting.known:
                link += "_"
        waiting.answer(link)
        return block if own == link else spelling.changed(block, {"tool_call_id": None if link is None else str(link)})

    if not any(isinstance(block, _LINKED) for message in messages for block in message.content):
        return messages
    pairs.update(tool_links.links(messages))
    out = _each(messages, relink)
    return messages if all(map(lambda new, old: new is old, out, messages)) else out


def unlinked(messages: Iterable[am.Msg]) -> list[am.Msg]:
    """Return the messages to write, without what a reader makes again."""
    return _each(messages, _unlink)


def _unlink(waiting: _Waiting, place: tuple[int, int], block: Any) -> Any:
    if isinstance(block, am.ToolUseBlock):
        waiting.call(place, block)
        return block if block.id is None or _is_said(block, block.id) else spelling.changed(block, {"id": None})
    link, expected = block.tool_call_id, waiting.expected
    waiting.answer(link)
    if link == expected and not _is_said(block, link):
        return spelling.changed(block, {"tool_call_id": None, "name": None})
    return marked(spelling.changed(block, {"name": None}), FAMILY, id=True)
