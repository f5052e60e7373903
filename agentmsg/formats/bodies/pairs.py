"""Pairs: a chosen and a rejected answer to the same prompt, which several formats of training data have.

The chosen answer is the end of a history. The rejected one is an extra of the format that owns this word: a list of its
messages, raw, as chats have them (``[{"role": "assistant", "content": ...}]``). The owner's mark ``/answer`` is on the
messages of the chosen answer; without it, the last message is the answer.
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Any

from agentmsg.formats.natives import extras_of
from agentmsg.formats.records import Record
from agentmsg.formats.shapes import Native, mark_of, marked
from agentmsg.model.equality import same
from agentmsg.values.frozen import EMPTY, adopt, thaw
from agentmsg.values.types import is_list, is_mapping, is_sequence

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from dataclasses import KW_ONLY

    from agentmsg.formats.capabilities import Cell
    from agentmsg.model.history import History
    from agentmsg.model.msg import Msg

CHOSEN, REJECTED = "chosen", "rejected"
# The roles of what an assistant says, in all rows.
_ANSWERING = frozenset({"assistant", "gpt", "ai", "tool_call"})


def _text_of(native: Any) -> str:
    """Return the text of a raw message."""
    content = native.get("content")
    parts: Any = content if is_sequence(content) else ({"text": content},)
    return "".join(part["text"] for part in parts if is_mapping(part) and type(part.get("text")) is str)


class Pairs(Record):
    """How formats share pairs.

    Attributes:
        owner: whose extras and marks are used.
    """

    _: KW_ONLY
    owner: str

    @staticmethod
    def is_answer(value: Any) -> bool:
        """Whether a value is a list of raw messages that begins with an assistant's."""
        is_chat = is_sequence(value) and all(is_mapping(each) and type(each.get("role")) is str for each in value)
        return is_chat and bool(value) and value[0]["role"] in _ANSWERING

    def start(self, history: History) -> int | None:
        """Return the index of the first message of the chosen answer; None if there is none."""
        messages = history.messages
        for index, message in enumerate(messages):
            if message.notes and mark_of(message, self.owner, "/answer") == CHOSEN:
                return index
        return len(messages) - 1 if messages and messages[-1].role == "assistant" else None

    def rejected(self, history: History) -> list[Native] | None:
        """Return the rejected answer, without the prompt if that is repeated; None if there is none."""
        value = extras_of(history, self.owner).get(REJECTED)
        if not is_sequence(value) or not value:
            return None
        if not self.is_answer(value):
            value = self._without(value, history.messages[: self.start(history)])
        found: Any = thaw(value) if self.is_answer(value) else None
        return found if is_list(found) else None

    def _without(self, value: Sequence[Any], prompt: Sequence[Msg]) -> Sequence[Any]:
        """Return the end of a whole conversation that begins with a prompt; nothing if it doesn't.

        Calls in a prompt can't be compared here: a reader that knows them to be the same marks the answer.
        """
        is_same = len(value) > len(prompt) and all(
            is_mapping(native) and native.get("role") == message.role and _text_of(native) == message.text
            for native, message in zip(value, prompt, strict=False)
        )
        return value[len(prompt) :] if is_same else ()

    def parted(self, messages: Sequence[Msg], chosen: Sequence[Any], rejected: Any) -> list[Msg]:
        """Return messages with the mark on those of the answer, if two raw conversations part at their answers.

        Args:
            messages: those of the chosen one.
            chosen: it.
            rejected: the other, or anything else.
        """
        both = zip(chosen, rejected, strict=False) if is_list(rejected) else ()
        start = sum(1 for _ in takewhile(lambda each: each[0] == each[1], both))
        if not (start and self.is_answer(chosen[start:]) and self.is_answer(rejected[start:])):
            return [*messages]
        return [*messages[:start], *(marked(message, self.owner, answer=CHOSEN) for message in messages[start:])]

    def paired(self, history: History, start: int, rejected: Any) -> History:
        """Return a history that was read from a pair.

        Args:
            history: it, which ends with the chosen answer.
            start: the index of the first message of that.
            rejected: the other answer: a list of messages.
        """
        messages = history.messages
        chosen = [marked(message, self.owner, answer=CHOSEN) for message in messages[start:]]
        own = {**extras_of(history, self.owner), REJECTED: adopt(rejected)}
        return history.evolve(messages=(*messages[:start], *chosen), extras={**history.extras, self.owner: own})

    def cell(self, fitting: Callable[[list[Native], History], list[Native] | None]) -> Cell:
        """Return the cell for the extras of a format that isn't the owner: the rejected answer alone.

        Args:
            fitting: returns the nearest supported answer to a rejected one, given the history, too; None if there is
                none.
        """

        def cell(extras: Any, history: History) -> Any:
            found = self.rejected(history) if self.owner in extras else None
            kept = None if found is None else fitting(found, history)
            if kept is None:
                return EMPTY
            own, new = extras[self.owner], adopt(kept)
            if same(new, own[REJECTED]):
                return {self.owner: own if len(own) == 1 else {REJECTED: own[REJECTED]}}
            return {self.owner: {REJECTED: new}}

        return cell
