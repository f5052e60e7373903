"""Steps: the parts of an assistant's message are read as several messages, each step followed by its tools' results.

Each step but the first begins with ``step-start``; an empty message has nothing else. Marks of messages: ``/steps`` (an
unusual number of step-starts before a step), ``/after`` (their number at the end), ``/empty`` (without parts),
``/last`` (the other keys of a step-start at the end). Those of one right before a step are extras of its message.
"""

from __future__ import annotations

from itertools import groupby, takewhile
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import Native, adopt, is_mapping, is_marked, maker, mark_of, marked, natives, spelling, tool_links
from agentmsg_codecs.vercel.names import STEP_EXTRAS, UI
from agentmsg_codecs.vercel.ui.tool_parts import is_tool
from agentmsg_codecs.vercel.ui.tools import Tool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentmsg.formats import Parts
    from agentmsg_codecs.vercel.ui.tools import Tools

_OBJECT: Any = dict  # so that type checkers ask nothing about what is inside
STEP: Native = {"type": "step-start"}
_MOST_STARTS = 99
_make_msg = maker(am.Msg, "role", "content")


class Steps:
    """Reads and writes the parts of an assistant.

    Args:
        parts: those that are one block each.
        tools: those of tools.
    """

    def __init__(self, parts: Parts, tools: Tools) -> None:
        self._parts, self._tools = parts, tools

    # -- reading ------------------------------------------------------------------------------------------------------

    def read(self, parts: list[Any], number: int) -> list[am.Msg] | None:
        """Return a message for each step, and one for each result.

        None if too many step-starts follow each other, or one follows another with keys of its own, or if in a step a
        call has a result, but an earlier one with the same id has none: a result belongs to the first.

        Args:
            parts: the parts.
            number: the number of their message.
        """
        group: list[am.Msg] = []
        pending: set[tuple[str, str | None]] = set()
        starts, read = 0, self._parts.read
        blocks: list[Any] = []
        results: list[Any] = []
        own: Native = {}

        def end() -> None:
            usual = int(bool(group) or not blocks or bool(own))
            message = _make_msg("assistant", tuple(blocks))
            if own and blocks:
                message = spelling.changed(message, {"extras": adopt({STEP_EXTRAS: own})})
            elif own:
                message = marked(message, UI, last=own)
            group.append(message if starts == usual else marked(message, UI, steps=starts))
            group.extend(answers(results))

        for index, part in enumerate(parts):
            tag: Any = part.get("type") if type(part) is _OBJECT else None
            if tag == STEP["type"]:
                if blocks:
                    end()
                    starts, blocks, results, own = 0, [], [], {}
                    pending.clear()
                starts, has_keys = starts + 1, bool(own)
                own = {key: value for key, value in part.items() if key != "type"}
                if starts > _MOST_STARTS or has_keys:
                    return None
                continue
            if not is_tool(tag):
                blocks.append(read(part))
                continue
            found = self._tools.read(part, (number, index))
            if found is None:
                blocks.append(natives.native_part(part, UI))
                continue
            if not _is_told(found, pending):
                return None
            call, request, response, result = found
            blocks += [call] if request is None else [call, request]
            results += [] if response is None else [response]
            if result is not None:
                (blocks if call.kind == "server" else results).append(result)
        if blocks or not group:
            end()
        elif starts:
            last = max(index for index, message in enumerate(group) if message.role == "assistant")
            group[last] = marked(group[last], UI, after=starts, **({"last": own} if own else {}))
        return group

    # -- writing ------------------------------------------------------------------------------------------------------

    def write(self, group: Sequence[am.Msg], number: int) -> list[Any]:
        """Return the parts of messages that share a native one.

        Args:
            group: the messages.
            number: the number of the native one.
        """
        first = group[0]
        if not first.content:
            return _with_last(_starts(first, "/steps", int(not is_marked(first, UI, "/empty")), least=1), first)
        if len(group) == 1 and not first.notes and not first.extras:
            return self._write_step(first, [], (number, 0))  # the usual one
        parts: list[Any] = []
        after: list[Any] = []
        for index, message in enumerate(group):
            if is_answer(message):
                continue
            own: Native = natives.extras_copy(message, STEP_EXTRAS)
            least = 1 if own else int(index > 0)
            parts += _starts(message, "/steps", least, least=least)
            if own:
                parts[-1] = {**STEP, **own}
            parts += self._write_step(message, group[index + 1 :], (number, len(parts)))
            after = _with_last(_starts(message, "/after", 0, least=0), message) if message.notes else []
        return parts + after

    def _write_step(self, message: am.Msg, later: Sequence[am.Msg], place: tuple[int, int]) -> list[Any]:
        """Return the parts of a step.

        Args:
            message: the step.
            later: the messages after it, which begin with its results.
            place: the number of the native message, and of the step's first part in it.
        """
        # The results by the id of their call, and decisions by that of their request, the first one last.
        results: dict[tuple[type[Any], str | None], list[Any]] = {}
        for other in reversed([*takewhile(is_answer, later)]):
            for block in reversed(other.content):
                results.setdefault((type(block), link_of(block)), []).append(block)
        parts: list[Any] = []
        content: Any = message.content
        number, first = place
        write = self._parts.write
        for index, block in enumerate(content):
            if not isinstance(block, am.ToolUseBlock):
                if not isinstance(block, (am.ApprovalRequestBlock, am.ToolResultBlock)):  # those are with their call
                    parts.append(write(block))
                continue
            behind = [*content[index + 1 : index + 3], None, None]
            request = behind.pop(0) if type(behind[0]) is am.ApprovalRequestBlock else None
            waiting = results.get((am.ApprovalResponseBlock, None if request is None else request.id))
            response = waiting.pop() if waiting else None
            if block.kind == "server":
                result = behind[0] if isinstance(behind[0], am.ToolResultBlock) else None
            else:
                waiting = results.get((am.ToolResultBlock, block.id))
                result = waiting.pop() if waiting else None
            parts.append(self._tools.write(Tool(block, request, response, result), (number, first + len(parts))))
        return parts


def _is_told(tool: Tool, pending: set[tuple[str, str | None]]) -> bool:
    """Whether a tool's result and decision belong to it: those of an id belong to the first that waits for one.

    Args:
        tool: what a part holds.
        pending: what waits in the step, by kind and id.
    """
    for asked, kind, answer in ((tool.call, tool.call.kind, tool.result), (tool.request, "approval", tool.response)):
        if asked is None:
            continue
        if answer is None:
            pending.add((kind, asked.id))
        elif pending and (kind, asked.id) in pending:
            return False
    return True


def link_of(block: Any) -> str | None:
    """Return the id that links an answer with its call or request."""
    return block.id if type(block) is am.ApprovalResponseBlock else block.tool_call_id


def answers(blocks: Sequence[Any]) -> list[am.Msg]:
    """Return the messages of results and decisions: adjacent decisions share one of the user's."""
    found: list[am.Msg] = []
    for is_said, group in groupby(blocks, lambda block: type(block) is am.ApprovalResponseBlock):
        run = tuple(group)
        found += [_make_msg("user", run)] if is_said else [_make_msg("tool", (result,)) for result in run]
    return found


def is_answer(message: am.Msg) -> bool:
    """Whether a message holds a result, or decisions."""
    return message.role == "tool" or tool_links.is_decision(message)


def _starts(message: am.Msg, mark: str, usual: int, *, least: int) -> list[Any]:
    """Return the step-starts that a mark counts, or the usual number."""
    count = mark_of(message, UI, mark) if message.notes else None
    times = count if type(count) is int and least <= count <= _MOST_STARTS else usual
    return [dict(STEP) for _ in range(times)]


def _with_last(starts: list[Any], message: am.Msg) -> list[Any]:
    """Return step-starts at the end, the last one with the keys that a mark holds."""
    own = mark_of(message, UI, "/last")
    return [*starts[:-1], {**thaw(own), **STEP}] if starts and is_mapping(own) else starts
