"""Links between messages: the tool of a result, and ids for old function calls, which have none.

The reader names results after their calls and makes the ids; the writer removes what the reader would make again.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import CallNames, mark_of, speed, tool_links
from agentmsg_codecs.openai.calls import says_beside
from agentmsg_codecs.openai.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from agentmsg import Made


class _LegacyIds:
    """The ids of function calls of old: made from their places; a result is of the first call of its name."""

    def __init__(self) -> None:
        self._waiting: dict[str, deque[Made]] = {}

    def call(self, place: tuple[int, int], name: str) -> Made:
        made = tool_links.made_call_id(place, name)
        self._waiting.setdefault(name, deque()).append(made)
        return made

    def next_result(self, name: str) -> Made | None:
        waiting = self._waiting.get(name)
        return waiting[0] if waiting else None

    def answer(self, name: str) -> Made | None:
        waiting = self._waiting.get(name)
        return waiting.popleft() if waiting else None


def _is_legacy(block: Any) -> bool:
    return bool(block.notes) and mark_of(block, FAMILY, "/legacy") is True


_with_content = speed.replacer(am.Msg, "content")


def _with(message: am.Msg, index: int, block: Any) -> am.Msg:
    content = message.content
    return _with_content(message, (*content[:index], block, *content[index + 1 :]))


class Links:
    """What a reader knows of the messages before: calls that wait for their results.

    Attributes:
        names: the names of the calls.
    """

    __slots__ = ("_ids", "names")

    def __init__(self) -> None:
        self.names = CallNames()
        self._ids: _LegacyIds | None = None

    def linked_all(self, messages: list[am.Msg], again: Callable[[int], am.Msg] | None = None) -> list[am.Msg]:
        """Return all messages of a document, ``linked``.

        Args:
            messages: the reader's own list.
            again: reads the message of a number again, where it isn't a bare one.
        """
        linked = self.linked
        speed.link_bare(messages, self.names, linked if again is None else lambda at, _: linked(at, again(at)))
        return messages

    def linked(self, number: int, message: am.Msg) -> am.Msg:
        """Return a message that was read, with the names of results and the ids of calls that documents lack.

        Args:
            number: of the message in its document.
            message: it.
        """
        if message.role == "assistant":
            return self._called(number, message)
        return self._answered(message) if message.role == "tool" else message

    @property
    def _legacy_ids(self) -> _LegacyIds:
        if self._ids is None:
            self._ids = _LegacyIds()
        return self._ids

    def _called(self, number: int, message: am.Msg) -> am.Msg:
        for index, block in enumerate(message.content):
            if type(block) is am.ToolUseBlock:
                if block.id is None and _is_legacy(block):
                    made = self._legacy_ids.call((number, index), block.name)
                    self.names.call(made, block.name)
                    return _with(message, index, block.evolve(id=made))  # it is the last block
                self.names.call(block.id, block.name)
        return message

    def _answered(self, message: am.Msg) -> am.Msg:
        block: Any = message.content[0]
        if block.tool_call_id is None and _is_legacy(block):
            made = self._legacy_ids.answer(block.name)
            self.names.answer(made)
            return message if made is None else _with(message, 0, block.evolve(tool_call_id=made))
        name = self.names.answer(block.tool_call_id)
        if name is None or block.name is not None:
            return message
        speed.name_result(block, name)
        return message


def unlinked(messages: Iterable[am.Msg]) -> Iterator[am.Msg]:
    """Yield the messages to write, without the ids that the reader makes where a document has none."""
    ids = _LegacyIds()
    for number, message in enumerate(messages):
        role = message.role
        if role == "assistant" and message.content and _is_legacy(message.content[-1]):
            yield _uncalled(message, number, ids)
        elif role == "tool" and message.content[0].notes:
            yield _unanswered(message, ids)
        elif role == "tool" and message.notes:
            # What is not written is not read back: spellings are tried on what is.
            yield _unnamed(message)
        else:
            yield message


def _uncalled(message: am.Msg, number: int, ids: _LegacyIds) -> am.Msg:
    index = len(message.content) - 1
    block: Any = message.content[index]
    if not isinstance(block, am.ToolUseBlock) or block.kind != "function" or FAMILY in block.extras:
        return message
    if says_beside(block):
        return message
    if block.id is not None and block.id != tool_links.made_call_id((number, index), block.name):
        return message
    ids.call((number, index), block.name)
    return message if block.id is None else _with(message, index, block.evolve(id=None))


def _unanswered(message: am.Msg, ids: _LegacyIds) -> am.Msg:
    block: Any = message.content[0]
    if not _is_legacy(block) or block.name is None:
        return _unnamed(message)
    made = ids.next_result(block.name)
    if block.tool_call_id is not None and block.tool_call_id != made:
        return message
    ids.answer(block.name)
    return message if block.tool_call_id is None else _with(message, 0, block.evolve(tool_call_id=None))


def _unnamed(message: am.Msg) -> am.Msg:
    """Return a message without the name that its result has from its call."""
    block: Any = message.content[0]
    if block.name is None or mark_of(block, FAMILY, "/named") is True or _is_legacy(block):
        return message
    return tool_links.named(message, None)
