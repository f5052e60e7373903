"""Which results answer which calls, for providers that match them by id, turn by turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import attrs

from agentmsg.formats.natives import link_at
from agentmsg.formats.sending.edits import Path
from agentmsg.model.blocks import ToolResultBlock, ToolUseBlock
from agentmsg.model.tool_links import with_ids

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentmsg.model.msg import Msg

PROMPTS = ("system", "developer")
"""The roles of instructions."""


def is_plain(messages: Sequence[Msg], linked: Sequence[tuple[int, int, Any]]) -> bool:
    """Whether each assistant call is answered once, directly after it: then nothing is wrong, as in most histories.

    Args:
        messages: of the history.
        linked: the calls and results, each with the indexes of its message and of itself.
    """
    waiting: set[str | None] = set()
    asked = last = -1
    for index, _, block in linked:
        if block.kind == "server":
            return False
        if isinstance(block, ToolUseBlock):
            if index != asked:
                if waiting or messages[index].role != "assistant":
                    return False
                asked = last = index
            if block.id is None or block.id in waiting or last != asked:
                return False
            waiting.add(block.id)
        else:
            if index != last + 1 or block.tool_call_id not in waiting or messages[index].role != "tool":
                return False
            waiting.remove(block.tool_call_id)
            last = index
    return not waiting


@attrs.define(eq=False)
class Call:
    """A client tool's call, and its results.

    Attributes:
        path: of the call.
        turn: of the assistant, counted from 1.
        results: the paths of its results, in order.
    """

    path: Path
    turn: int
    results: list[Path] = attrs.field(factory=list["Path"])


@attrs.define(eq=False)
class _SameId:
    """The calls of a turn with one id, and how many have a result: each takes one, in order."""

    calls: list[Call]
    answered: int = 0


class Pairing:
    """Calls and results in order; those without an id are linked by the ids that ``encode`` gives them.

    Args:
        messages: of the history.
        linked: the calls and results, each with the indexes of its message and of itself.
        joins: whether adjacent assistant messages are one turn, and system messages are ignored.
        leaves_out: whether ``encode`` leaves out a message.
        hides: whether a message may hold calls or results that nobody sees.

    Attributes:
        wrong: the paths of what is wrong, by code; empty if a message hides calls or results.
        calls: the calls, in order.
        call_of: the call that a result answers, by the path of the result.
    """

    def __init__(
        self,
        messages: Sequence[Msg],
        linked: Sequence[tuple[int, int, Any]],
        *,
        joins: bool,
        leaves_out: Callable[[Msg], bool] = lambda _: False,
        hides: bool = False,
    ) -> None:
        self.wrong: dict[str, list[Path]] = {}
        self.calls: list[Call] = []
        self.call_of: dict[Path, Call] = {}
        self._messages = messages
        self._joins = joins
        self._leaves_out = leaves_out
        lacking = [(index, at) for index, at, block in linked if block.kind != "server" and link_at(block) is None]
        self._made = with_ids(messages, lacking) if lacking else messages
        self._by_id: dict[str, _SameId] = {}
        self._turn = 0
        self._is_between = False
        self._leads = self._has_rest = False
        self._runs: dict[str, list[int]] = {}
        if linked and not hides:
            self._go_over(linked)

    def link(self, path: Path) -> str:
        """Return the id by which a call or result is matched: its own, or the one that ``encode`` gives it."""
        return cast("str", link_at(self._made[int(path[1])].content[int(path[3])]))

    def after_results(self, of: Path) -> int:
        """Return the index of the message after an assistant turn and all results of its calls.

        Args:
            of: the path of a call, or of anything else in a message of that turn.
        """
        behind = int(of[1]) + 1
        return self.after_run(self._ends("assistant")[behind] if self._joins else behind)

    def after_run(self, index: int) -> int:
        """Return the index after the run of results that begins at a message; its own index if there is none."""
        return self._ends("tool")[index]

    def _ends(self, role: str) -> list[int]:
        """Return, for each message, where the run of one role that begins there ends; computed for all at once."""
        ends = self._runs.get(role)
        if ends is None:
            ends = self._runs[role] = [len(self._messages)] * (len(self._messages) + 1)
            for index in range(len(self._messages) - 1, -1, -1):
                found = self._messages[index].role
                goes_on = found == role or (self._joins and found in PROMPTS and ends[index + 1] > index + 1)
                # Instructions at the end of a run come after it.
                ends[index] = ends[index + 1] if goes_on else index
        return ends

    def _go_over(self, linked: Sequence[tuple[int, int, Any]]) -> None:
        before: str | None = None
        done = 0
        for index, at, block in linked:
            for message in self._messages[done : index + 1]:
                before = self._enter(message, before)
            done = max(done, index + 1)
            if block.kind == "server":
                continue
            path: Path = ("messages", index, "content", at)
            if isinstance(block, ToolUseBlock):
                # Only assistants call tools; anything else is text there.
                if self._messages[index].role == "assistant":
                    self._ask(path, self.link(path))
            else:
                if self._leads and not _is_result(self._messages[index].content[max(at - 1, 0)]):
                    self._is_between = True
                self._answer(path, self._by_id.get(self.link(path)))
        for message in self._messages[done:]:
            before = self._enter(message, before)
        is_between = self._is_between or self._has_rest
        for call in self.calls:
            if not call.results:
                is_last = call.turn == self._turn and not is_between
                self._tell("call-pending" if is_last else "call-unanswered", call.path)

    def _enter(self, message: Msg, before: str | None) -> str | None:
        """Record the role of a message; return what the next one comes after."""
        role = message.role
        if (role in PROMPTS and self._joins) or self._leaves_out(message):
            return before
        # The results at the beginning of a user message are separate messages before it.
        self._is_between = self._is_between or self._has_rest
        content = message.content
        self._leads = role not in ("assistant", "tool") and bool(content) and _is_result(content[0])
        self._has_rest = self._leads and not all(map(_is_result, content))
        if role == "assistant":
            if not (self._joins and before == "assistant"):
                self._turn += 1
            self._is_between = False
        elif role != "tool" and not self._leads:
            self._is_between = True
        return role

    def _tell(self, code: str, path: Path) -> None:
        self.wrong.setdefault(code, []).append(path)

    def _ask(self, path: Path, link: str) -> None:
        call = Call(path, self._turn)
        self.calls.append(call)
        others = self._by_id.get(link)
        # Two calls of a turn with one id are for the rule of ids.
        if others is not None and others.calls[0].turn == self._turn:
            others.calls.append(call)
        else:
            self._by_id[link] = _SameId([call])

    def _answer(self, path: Path, asked: _SameId | None) -> None:
        if asked is None:
            self._tell("result-orphan", path)
            return
        if asked.answered == len(asked.calls):
            self._tell("result-duplicate", path)
            call = asked.calls[-1]
        else:
            call = asked.calls[asked.answered]
            asked.answered += 1
            if call.turn != self._turn or self._is_between:
                self._tell("result-late", path)
        call.results.append(path)
        self.call_of[path] = call


def _is_result(block: object) -> bool:
    return isinstance(block, ToolResultBlock) and block.kind != "server"
