"""Requests for approval and decisions, which are in the part of their call.

A request is behind its call; decisions are behind the message of the calls, each before the result of its call. A part
tells only what agrees: a denied call has a result that says so, or none.
"""

from __future__ import annotations

from collections import defaultdict, deque
from functools import partial
from itertools import takewhile
from operator import is_
from typing import TYPE_CHECKING, Any, NamedTuple

import agentmsg as am
from agentmsg.formats import natives, restructure, spelling
from agentmsg_codecs.vercel.approvals import SHARED
from agentmsg_codecs.vercel.names import APPROVAL, FAMILY, UI
from agentmsg_codecs.vercel.ui.pairing import beside_calls, requests_of
from agentmsg_codecs.vercel.ui.steps import is_answer, link_of
from agentmsg_codecs.vercel.ui.tool_parts import KEYS_OF_REQUESTS, OF_APPROVAL
from agentmsg_codecs.vercel.ui.tools import kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_REQUEST, _RESPONSE, _RESULT = am.ApprovalRequestBlock, am.ApprovalResponseBlock, am.ToolResultBlock


_Place = tuple[int, int]
"""A message's index, and a block's in it."""


class _Call(NamedTuple):
    """A call in a plan, and what belongs to it: the request and the decision with their places, and the result."""

    call: Any
    request: tuple[_Place, Any] | None
    response: tuple[_Place, Any] | None
    result: Any

    @property
    def is_told(self) -> bool:
        """Whether a part can tell the request, and so the decision."""
        if self.request is None or natives.has_extra(self.call, UI, "approval"):
            return False
        if self.result is None:
            return True
        # A denial whose approval has the id of its call, and no more, is one that nobody was asked for.
        response, request = None if self.response is None else self.response[1], self.request[1]
        return response is not None and (response.approved or request.id != self.call.id or _says_more(request))


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
        asked = None if at is None else (places[at], content[at])
        told = given.get(places[at]) if at is not None else None
        decided = None if told is None else (told, messages[told[0]].content[told[1]])
        entry = None
        if call.kind == "server":
            behind = content[index + 1 if at is None else at + 1 :]
            result = behind[0] if behind and isinstance(behind[0], am.ToolResultBlock) else None
        else:
            entry = next((each for each in results if each[1].tool_call_id == call.id), None)
            result = None if entry is None else entry[1]
        if at is not None and _Call(call, asked, decided, result).is_told:
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


# -- what a part tells agrees -----------------------------------------------------------------------------------------


def agreeing(messages: Sequence[am.Msg]) -> Sequence[am.Msg]:
    """Return messages that fit, with results and decisions that agree with each other and with their calls."""
    out = list(messages)
    for number, message in enumerate(messages):
        if message.role == "assistant" and any(type(block) is _REQUEST for block in message.content):
            _agree(out, number)
    return messages if all(map(is_, out, messages)) else out


def _agree(out: list[am.Msg], number: int) -> None:
    """Make the answers of a message agree with its calls; each belongs to the first call that waits for it."""
    waiting: defaultdict[tuple[type[Any], str | None], deque[_Place]] = defaultdict(deque)
    for at, message in takewhile(lambda each: is_answer(each[1]), enumerate(out[number + 1 :], number + 1)):
        for pick, block in enumerate(message.content):
            waiting[type(block), link_of(block)].append((at, pick))
    content: tuple[Any, ...] = out[number].content
    requests = requests_of(content)
    for index, call in enumerate(content):
        if not isinstance(call, am.ToolUseBlock):
            continue
        results = waiting[_RESULT, call.id]
        result = results.popleft() if results and call.kind != "server" else None
        decisions = waiting[_RESPONSE, content[requests[index]].id] if index in requests else None
        if not decisions:
            continue
        decision = decisions.popleft()
        response = _put(out, decision, partial(_of_kind, call))
        if call.kind == "server" and type(following := next(iter(content[requests[index] + 1 :]), None)) is _RESULT:
            result = (number, requests[index] + 1) if following.kind == "server" else None
        if result is not None:
            _put(out, result, partial(_agreeing, response))


def _put(out: list[am.Msg], place: _Place, change: Callable[[Any], Any]) -> Any:
    """Change a block, and return it."""
    number, pick = place
    message = out[number]
    content = message.content
    new = change(content[pick])
    if new is not content[pick]:
        out[number] = spelling.changed(message, {"content": (*content[:pick], new, *content[pick + 1 :])})
    return new


def _of_kind(call: am.ToolUseBlock, response: Any) -> Any:
    kind = kind_of(call)
    return response if response.kind == kind else response.evolve(kind=kind)


def _agreeing(response: Any, result: Any) -> Any:
    if response.approved and result.status != "denied":
        return result
    if response.approved:
        words = result.error or result.text
        return result.evolve(status="error", error=None, content=(am.TextBlock(words),) if words else ())
    if result.status == "denied" and result.error == response.reason:
        return result
    return result.evolve(status="denied", error=response.reason, content=(), structured=None)
