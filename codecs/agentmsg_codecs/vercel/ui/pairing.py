"""Calls and what belongs to them, which are one part: results, requests for approval and decisions.

Results move behind their calls. A request is behind its call; decisions are behind the message of the calls, each
before the result of its call. A part tells only what agrees: a denied call has a result that says so, or none.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from operator import is_
from typing import TYPE_CHECKING, Any, TypeAlias

import agentmsg as am
from agentmsg.formats import Swap, natives, restructure, rules
from agentmsg_codecs.vercel.calls import SHARED
from agentmsg_codecs.vercel.names import APPROVAL, FAMILY, UI
from agentmsg_codecs.vercel.ui.tool_parts import KEYS_OF_REQUESTS, OF_APPROVAL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


# -- results of server tools, in the message of their calls ----------------------------------------------------------


def with_calls(message: am.Msg) -> Any:
    """Give the result of each server tool the name of its call; a result without a call becomes text."""
    blocks: Any = message.content
    if not any(map(_is_served_result, blocks)):
        return message
    calls = {result: blocks[call] for call, result in _answers(blocks).items()}
    content: list[Any] = []
    for index, block in enumerate(blocks):
        if not _is_served_result(block):
            content.append(block)
        elif index in calls:
            name = calls[index].name
            content.append(block if block.name == name else block.evolve(name=name))
        else:
            answer = rules.server_as_text(block)
            content += [answer.new] if isinstance(answer, Swap) else []
    if len(content) == len(blocks) and all(map(is_, content, blocks)):
        return message
    return Swap(message.evolve(content=content), "a call and its result are one part here")


def behind_calls(message: am.Msg) -> tuple[int, ...] | None:
    """Return an assistant's blocks with requests for approval, and results of server tools, behind their calls.

    None if they are so already. A request without a call is left out.
    """
    blocks: Any = message.content
    if not any(_is_served_result(block) or type(block) is am.ApprovalRequestBlock for block in blocks):
        return None
    answers, requests = _answers(blocks), requests_of(blocks)
    behind = {*answers.values(), *(i for i, block in enumerate(blocks) if type(block) is am.ApprovalRequestBlock)}
    order: list[int] = []
    for index in range(len(blocks)):
        if index not in behind:
            order += [index, *(found[index] for found in (requests, answers) if index in found)]
    return None if order == list(range(len(blocks))) else tuple(order)


def requests_of(content: Sequence[Any]) -> dict[int, int]:
    """Return, by the index of each call that has one, the index of its request."""
    found: dict[int, int] = {}
    late: list[int] = []
    for index, block in enumerate(content):
        if type(block) is am.ApprovalRequestBlock:
            call = content[index - 1] if index else None
            if isinstance(call, am.ToolUseBlock) and call.id == block.tool_call_id:
                found[index - 1] = index
            else:
                late.append(index)
    for index in late:
        link = content[index].tool_call_id
        calls = (at for at, block in enumerate(content) if isinstance(block, am.ToolUseBlock) and block.id == link)
        at = next((at for at in calls if at not in found), None)
        if at is not None:
            found[at] = index
    return found


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


_Call: TypeAlias = "tuple[int, int, str]"
"""A call's place, by message and order, and its tool."""
_Key: TypeAlias = "tuple[str | None, str | None]"
"""An id, and a tool or None for any."""
_Queues: TypeAlias = "dict[_Key, deque[_Call]]"


class _Open:
    """The calls without a result: those right before a run of results, and all earlier ones."""

    def __init__(self) -> None:
        # Each call stands under its tool, and under any. A queue may still hold calls that were taken from another.
        self._earlier: _Queues = {}
        self._near: _Queues = {}
        self._taken: set[_Call] = set()
        self._open, self._coming = Counter[_Key](), Counter[_Key]()

    def begin(self, coming: Counter[_Key]) -> None:
        """Begin a message that is no result; a run of results comes after it, counted by id and tool."""
        for key, calls in self._near.items():
            self._earlier.setdefault(key, deque()).extend(calls)
        self._near, self._coming = {}, coming

    def add(self, link: str | None, call: _Call) -> None:
        """Add a call of the message."""
        for key in ((link, call[2]), (link, None)):
            self._near.setdefault(key, deque()).append(call)
            self._open[key] += 1

    def take(self, result: Any) -> _Call | None:
        """Remove and return the call of a result; None if it has none.

        It is a call of the tool that the result names, if one with its id is open. If more of these calls are open than
        results come, it is the nearest; else the first.
        """
        link = result.tool_call_id
        told: _Key = (link, result.name)
        key = told if self._open[told] else (link, None)
        first, nearest = self._first(self._earlier, key), self._first(self._near, key)
        # The calls of a message that share an id are answered in order.
        is_near = nearest is not None and nearest == self._first(self._near, (link, None))
        is_nearest = is_near and self._coming[told] < self._open[key]
        self._coming[told] -= 1
        call = nearest if is_nearest or first is None else first
        if call is not None:
            self._taken.add(call)
            self._open.subtract([(link, call[2]), (link, None)])
        return call

    def _first(self, queues: _Queues, key: _Key) -> _Call | None:
        queue = queues.get(key)
        while queue and queue[0] in self._taken:
            queue.popleft()
        return queue[0] if queue else None


def _answered(plan: restructure.Plan, start: int, messages: Sequence[am.Msg]) -> Counter[_Key]:
    """Count the run of results that starts at a place, by id and tool."""
    found = Counter[_Key]()
    for number in range(start, len(plan)):
        blocks = _blocks(plan[number], messages)
        if _role(plan[number], messages) != "tool" or not blocks:
            break
        found[blocks[0].tool_call_id, blocks[0].name] += 1
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
    calls = _Open()
    behind: dict[int, list[tuple[int, int]]] = {}
    orphans: set[int] = set()
    for number, parts in enumerate(current):
        role, blocks = _role(parts, messages), _blocks(parts, messages)
        if role == "tool" and blocks:
            call = calls.take(blocks[0])
            if call is None:
                orphans.add(number)
                continue
            behind.setdefault(call[0], []).append((call[1], number))
            continue
        calls.begin(_answered(current, number + 1, messages) if role == "assistant" else Counter())
        if role == "assistant":
            for order, block in enumerate(blocks):
                if isinstance(block, am.ToolUseBlock) and block.kind != "server":
                    calls.add(block.id, (number, order, block.name))
    results = {number for found in behind.values() for _, number in found}
    out: restructure.Plan = []
    for number, parts in enumerate(current):
        if number in results:
            continue
        first = parts[0]
        out.append((restructure.Part(first.index, first.picks, "user"),) if number in orphans else parts)
        out += [current[result] for _, result in sorted(behind.get(number, []))]
    return plan if out == current else out


_REQUEST, _RESPONSE = am.ApprovalRequestBlock, am.ApprovalResponseBlock


_Place = tuple[int, int]
"""A message's index, and a block's in it."""


def _is_told(call: Any, request: am.ApprovalRequestBlock, response: Any, result: Any) -> bool:
    """Whether the part of a call can tell the request behind it, and so the decision."""
    if natives.has_extra(call, UI, "approval"):
        return False
    if result is None:
        return True
    # A denial whose approval has the id of its call, and no more, is one that nobody was asked for.
    return response is not None and (response.approved or request.id != call.id or _says_more(request))


def _says_more(request: am.ApprovalRequestBlock) -> bool:
    """Whether an approval has more than an id for a request, so that somebody was asked."""
    is_signed = request.signature is not None and request.signature.provider == FAMILY
    known = {*OF_APPROVAL, *KEYS_OF_REQUESTS, *SHARED}
    own, shared = natives.extras_of(request, UI), natives.extras_of(request, APPROVAL)
    return is_signed or request.reason is not None or not known.issuperset(own) or not shared.keys().isdisjoint(SHARED)


def beside_requests(plan: restructure.Plan | None, messages: Sequence[am.Msg]) -> restructure.Plan | None:
    """Move results and decisions behind their calls; leave out requests and decisions that a part can't tell.

    Args:
        plan: the plan so far, in which each result is a message, and decisions are in messages of their own.
        messages: the messages of the plan.
    """
    if not any(type(block) in (_REQUEST, _RESPONSE) for message in messages for block in message.content):
        return beside_calls(plan, messages)
    current = restructure.as_is(messages) if plan is None else plan
    decisions = _decisions(current, messages)
    rest = [parts for number, parts in enumerate(current) if number not in decisions]
    placed = beside_calls(rest, messages) or rest
    out = _woven(placed, messages, _given(current, decisions, messages))
    return plan if out == current else out


def _blocks(parts: Sequence[restructure.Part], messages: Sequence[am.Msg]) -> list[Any]:
    return [messages[part.index].content[pick] for part in parts for pick in part.picks]


def _role(parts: Sequence[restructure.Part], messages: Sequence[am.Msg]) -> str:
    return parts[0].role or messages[parts[0].index].role


def _decisions(plan: restructure.Plan, messages: Sequence[am.Msg]) -> frozenset[int]:
    """Return the numbers of the messages of a plan that hold decisions."""
    found: set[int] = set()
    for number, parts in enumerate(plan):
        blocks = _blocks(parts, messages) if _role(parts, messages) == "user" else []
        if blocks and all(type(block) is _RESPONSE for block in blocks):
            found.add(number)
    return frozenset(found)


def _given(
    plan: restructure.Plan, decisions: frozenset[int], messages: Sequence[am.Msg]
) -> dict[tuple[int, int], tuple[int, int]]:
    """Return, by the place of each request in its input message, the place of the decision on it.

    It is the first one after the last message that asks with this id.
    """
    asked: defaultdict[str, list[tuple[int, tuple[int, int]]]] = defaultdict(list)
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for number, parts in enumerate(plan):
        for part in parts:
            for pick in part.picks:
                block: Any = messages[part.index].content[pick]
                if type(block) is _REQUEST:
                    asked[block.id].append((number, (part.index, pick)))
                elif type(block) is _RESPONSE and number in decisions and asked[block.id]:
                    last = asked[block.id][-1][0]
                    at = next(at for at, each in enumerate(asked[block.id]) if each[0] == last)
                    found[asked[block.id].pop(at)[1]] = (part.index, pick)
    return found


def _woven(plan: restructure.Plan, messages: Sequence[am.Msg], given: dict[_Place, _Place]) -> restructure.Plan:
    """Return a plan, in which results follow their calls, with the decisions before the results."""
    out: restructure.Plan = []
    number = 0
    while number < len(plan):
        parts = plan[number]
        end = number + 1
        if _role(parts, messages) != "assistant":
            out.append(parts)
        else:
            while end < len(plan) and _role(plan[end], messages) == "tool":
                end += 1
            results = [(entry, _blocks(entry, messages)[0]) for entry in plan[number + 1 : end]]
            out += _step(parts, results, messages, given)
        number = end
    return out


def _step(
    parts: tuple[restructure.Part, ...],
    results: list[tuple[tuple[restructure.Part, ...], Any]],
    messages: Sequence[am.Msg],
    given: dict[_Place, _Place],
) -> restructure.Plan:
    """Return an assistant's message and its answers, as the reader gives them."""
    places = [(part.index, pick) for part in parts for pick in part.picks]
    content: list[Any] = [messages[index].content[pick] for index, pick in places]
    left: set[int] = {index for index, block in enumerate(content) if type(block) is not _REQUEST}
    answers: restructure.Plan = []
    decisions: list[_Place] = []
    requests = requests_of(content)
    for index, call in enumerate(content):
        if not isinstance(call, am.ToolUseBlock):
            continue
        at = requests.get(index)
        told = given.get(places[at]) if at is not None else None
        decided = None if told is None else messages[told[0]].content[told[1]]
        entry = None
        if call.kind == "server":
            behind = content[index + 1 if at is None else at + 1 :]
            result = behind[0] if behind and isinstance(behind[0], am.ToolResultBlock) else None
        else:
            entry = next((each for each in results if each[1].tool_call_id == call.id), None)
            result = None if entry is None else entry[1]
        if at is not None and _is_told(call, content[at], decided, result):
            left.add(at)
            decisions += [] if told is None else [told]
        if entry is not None:
            results.remove(entry)
            answers += [*_message(decisions), entry[0]]
            decisions = []
    answers += [*_message(decisions), *(entry for entry, _ in results)]
    kept = iter(range(len(content)))
    said = tuple(part._replace(picks=tuple([pick for pick in part.picks if next(kept) in left])) for part in parts)
    return [said, *answers]


def _message(decisions: Sequence[_Place]) -> restructure.Plan:
    """Return the message of adjacent decisions."""
    parts: list[restructure.Part] = []
    for index, pick in decisions:
        if parts and parts[-1].index == index:
            parts[-1] = parts[-1]._replace(picks=(*parts[-1].picks, pick))
        else:
            parts.append(restructure.Part(index, (pick,), "user"))
    return [tuple(parts)] if parts else []
