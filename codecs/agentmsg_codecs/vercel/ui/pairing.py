"""Calls and their results, which are one part: results move behind their calls."""

from __future__ import annotations

from collections import Counter, deque
from operator import is_
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Swap, restructure, rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# -- results of server tools, in the message of their calls ----------------------------------------------------------


def with_results(message: am.Msg) -> Any:
    """Put the result of each server tool behind its call, with its name; a result without a call becomes text."""
    blocks: Any = message.content
    if not any(map(_is_served_result, blocks)):
        return message
    taken = _answers(blocks)
    paired = set(taken.values())
    content: list[Any] = []
    for index, block in enumerate(blocks):
        if not _is_served_result(block):
            content.append(block)
            if index in taken:
                found = blocks[taken[index]]
                content.append(found if found.name == block.name else found.evolve(name=block.name))
        elif index not in paired:
            answer = rules.server_as_text(block)
            content += [answer.new] if isinstance(answer, Swap) else []
    if len(content) == len(blocks) and all(map(is_, content, blocks)):
        return message
    return Swap(message.evolve(content=content), "a call and its result are one part here")


def _is_served_result(block: Any) -> bool:
    return isinstance(block, am.ToolResultBlock) and block.kind == "server"


def _answers(content: Sequence[Any]) -> dict[int, int]:
    """Return, by the index of each call of a server tool, the index of its result."""
    waiting: dict[str | None, deque[int]] = {}
    found: dict[int, int] = {}
    for index, block in enumerate(content):
        if isinstance(block, am.ToolUseBlock) and block.kind == "server":
            waiting.setdefault(block.id, deque()).append(index)
        elif isinstance(block, am.ToolResultBlock) and block.kind == "server" and waiting.get(block.tool_call_id):
            found[waiting[block.tool_call_id].popleft()] = index
    return found


# -- results of client tools, in the messages after their calls ------------------------------------------------------


def _are_beside_calls(messages: Sequence[am.Msg]) -> bool:
    """Whether the results of client tools already follow their calls in order; False also if ids are repeated."""
    known: set[str | None] = set()
    expected: Iterator[str | None] = iter(())
    for message in messages:
        content: Any = message.content
        if message.role == "tool":
            # This skips calls without a result, whose results would come too late.
            if not content or content[0].tool_call_id not in expected:
                return False
            continue
        if message.role != "assistant":
            expected = iter(())
            continue
        calls = [block.id for block in content if isinstance(block, am.ToolUseBlock) and block.kind != "server"]
        known_before = len(known)
        known.update(calls)
        if len(known) != known_before + len(calls):
            return False
        expected = iter(calls)
    return True


def _answered(plan: restructure.Plan, start: int, messages: Sequence[am.Msg]) -> Counter[str | None]:
    """Count the ids of the run of results that starts at a place."""
    found = Counter[str | None]()
    for number in range(start, len(plan)):
        parts = plan[number]
        message = messages[parts[0].index]
        if (parts[0].role or message.role) != "tool" or not parts[0].picks:
            break
        result: Any = message.content[parts[0].picks[0]]
        found[result.tool_call_id] += 1
    return found


def beside_calls(plan: restructure.Plan | None, messages: Sequence[am.Msg]) -> restructure.Plan | None:
    """Move the results of client tools behind their calls, in the calls' order; one without a call becomes a user's.

    Args:
        plan: the plan so far, in which each result is a message.
        messages: the messages of the plan.
    """
    if plan is None and _are_beside_calls(messages):
        return None
    current = restructure.as_is(messages) if plan is None else plan
    waiting: dict[str | None, deque[tuple[int, int]]] = {}
    behind: dict[int, list[tuple[int, int]]] = {}
    orphans: set[int] = set()
    results: set[int] = set()
    # The calls right before a run of results, and how many results with each id are left in the run.
    near: dict[str | None, deque[tuple[int, int]]] = {}
    run = Counter[str | None]()
    for number, parts in enumerate(current):
        role = parts[0].role or messages[parts[0].index].role
        blocks = [messages[part.index].content[pick] for part in parts for pick in part.picks]
        if role == "tool" and blocks:
            result: Any = blocks[0]
            link: str | None = result.tool_call_id
            before, beside = waiting.get(link), near.get(link)
            # If more calls than results have this id, the result belongs to the nearest; else to the first.
            is_near = bool(beside) and run[link] < len(before or ()) + len(beside or ())
            queue = beside if is_near or not before else before
            run[link] -= 1
            if queue:
                call, order = queue.popleft()
                behind.setdefault(call, []).append((order, number))
                results.add(number)
            else:
                orphans.add(number)
            continue
        for known, calls in near.items():
            waiting.setdefault(known, deque()).extend(calls)
        near = {}
        if role == "assistant":
            run = _answered(current, number + 1, messages)
            for order, block in enumerate(blocks):
                if isinstance(block, am.ToolUseBlock) and block.kind != "server":
                    near.setdefault(block.id, deque()).append((number, order))
    out: restructure.Plan = []
    for number, parts in enumerate(current):
        if number in results:
            continue
        first = parts[0]
        out.append((restructure.Part(first.index, first.picks, "user"),) if number in orphans else parts)
        out += [current[result] for _, result in sorted(behind.get(number, []))]
    return plan if out == current else out
