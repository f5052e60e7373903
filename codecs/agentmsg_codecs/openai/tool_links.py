"""Links between messages: names of results, and ids for old function calls, which have none.

The reader names results after their calls and makes the ids; the writer removes what the reader would make again.
"""

from __future__ import annotations

from collections import defaultdict, deque
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import CallNames, is_marked, marked, speed, tool_links
from agentmsg_codecs.openai.names import FAMILY
from agentmsg_codecs.openai.places import has_more

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from agentmsg import Made

_with_content = speed.replacer(am.Msg, "content")


def _is_legacy(block: Any) -> bool:
    return is_marked(block, FAMILY, "/legacy")


def _with_last(message: am.Msg, block: Any) -> am.Msg:
    """Replace the last block of a message: an old call, or the only result."""
    return _with_content(message, (*message.content[:-1], block))


class Links:
    """The calls that wait for their results, as a reader knows them.

    Attributes:
        names: the names of calls by id.
    """

    __slots__ = ("_ids", "names")

    def __init__(self) -> None:
        self.names = CallNames()
        self._ids: dict[str, deque[Made]] | None = None

    def linked_all(self, messages: list[am.Msg], again: Callable[[int], am.Msg] | None = None) -> list[am.Msg]:
        """Add names and ids to all messages of a document.

        Args:
            messages: the reader's own list.
            again: reads the message at an index again, if it isn't a bare one.
        """
        linked = self.linked
        speed.link_bare(messages, self.names, linked if again is None else lambda at, _: linked(at, again(at)))
        return messages

    def linked(self, index: int, message: am.Msg) -> am.Msg:
        """Add the names of results and the ids of old calls to a message that was read.

        Args:
            index: of the message in its document.
            message: to change.
        """
        if message.role == "assistant":
            return self._called(index, message)
        return self._answered(message) if message.role == "tool" else message

    def _called(self, number: int, message: am.Msg) -> am.Msg:
        for index, block in enumerate(message.content):
            if type(block) is am.ToolUseBlock:
                if block.id is None and _is_legacy(block):  # the last block
                    made = tool_links.made_call_id((number, index), block.name)
                    if self._ids is None:
                        self._ids = {}
                    self._ids.setdefault(block.name, deque()).append(made)
                    self.names.call(made, block.name)
                    return _with_last(message, marked(block, FAMILY, **{"no-id": True}).evolve(id=made))
                self.names.call(block.id, block.name)
        return message

    def _answered(self, message: am.Msg) -> am.Msg:
        block: Any = message.content[0]
        if block.tool_call_id is None and _is_legacy(block):
            waiting = self._ids.get(block.name) if self._ids else None
            made = waiting.popleft() if waiting else None
            self.names.answer(made)
            return message if made is None else _with_last(message, block.evolve(tool_call_id=made))
        name = self.names.answer(block.tool_call_id)
        if name is not None and block.name is None:
            speed.name_result(block, name)
        return message


def of_function(message: am.Msg) -> am.Msg:
    """Mark the result of a message with the role ``function``: as an old one, or as one with an id."""
    result: Any = message.content[0]
    marks = {"legacy": True} if result.tool_call_id is None else {"function": True, "named": True}
    return message.evolve(content=(marked(result, FAMILY, **marks),))


def unlinked(messages: Iterable[am.Msg]) -> Iterator[am.Msg]:
    """Yield the messages to write, without the ids and names that the reader makes."""
    waiting: dict[str, deque[Made]] = defaultdict(deque)
    for number, message in enumerate(messages):
        role, content = message.role, message.content
        if role == "assistant" and content and content[-1].notes and _is_legacy(content[-1]):
            yield _uncalled(message, number, waiting)
        elif role == "tool" and content[0].notes:
            yield _unanswered(message, waiting)
        elif role == "tool" and message.notes:
            # What isn't written isn't read back: spellings are tried on what is.
            yield _unnamed(message)
        else:
            yield message


def _uncalled(message: am.Msg, number: int, waiting: dict[str, deque[Made]]) -> am.Msg:
    block: Any = message.content[-1]
    if not isinstance(block, am.ToolUseBlock) or block.kind != "function" or FAMILY in block.extras or has_more(block):
        return message
    made = tool_links.made_call_id((number, len(message.content) - 1), block.name)
    if block.id is not None and block.id != made:
        return message
    waiting[block.name].append(made)
    return message if block.id is None else _with_last(message, block.evolve(id=None))


def _unanswered(message: am.Msg, waiting: dict[str, deque[Made]]) -> am.Msg:
    block: Any = message.content[0]
    if not _is_legacy(block) or block.name is None:
        return _unnamed(message)
    ids = waiting[block.name]
    if block.tool_call_id is not None and block.tool_call_id != (ids[0] if ids else None):
        return message
    if ids:
        ids.popleft()
    return message if block.tool_call_id is None else _with_last(message, block.evolve(tool_call_id=None))


def _unnamed(message: am.Msg) -> am.Msg:
    """Remove the name that a result has from its call."""
    block: Any = message.content[0]
    if block.name is None or is_marked(block, FAMILY, "/named") or _is_legacy(block):
        return message
    return tool_links.named(message, None)
