"""Calls that a person is asked about: the state ``asking`` is a request for approval behind the call.

A request that was read is marked ``/asking``. It has no id here but that of its call, so a call without one keeps its
state, and so does one outside the assistant's messages. The library waits for a person as long as a call has this
state, even if there is a result: a request of another format whose call has its result is left out.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeGuard

import agentmsg as am
from agentmsg.formats import Swap, is_marked, marked, restructure, rules
from agentmsg_codecs.agentscope.names import CALL_STATES

if TYPE_CHECKING:
    from collections.abc import Sequence

ASKING = "asking"
_REQUEST = am.ApprovalRequestBlock


def with_requests(blocks: tuple[Any, ...], family: str) -> tuple[Any, ...]:
    """Return the blocks that were read from an assistant's parts, with a request behind each call that asks."""
    if not any(map(_is_asking, blocks)):
        return blocks
    found: list[Any] = []
    for block in blocks:
        if _is_asking(block):
            found += [block.evolve(status=None), marked(_REQUEST(block.id, block.id), family, asking=True)]
        else:
            found.append(block)
    return tuple(found)


def with_states(blocks: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the blocks to write, with the state of each call before a request in place of that."""
    if _REQUEST not in map(type, blocks):
        return blocks
    found: list[Any] = []
    for block in blocks:
        if type(block) is _REQUEST:
            found[-1] = found[-1].evolve(status=ASKING)
        else:
            found.append(block)
    return tuple(found)


def _is_call(block: Any) -> TypeGuard[am.ToolUseBlock]:
    return type(block) is am.ToolUseBlock and block.kind != "server"


def _is_asking(block: Any) -> bool:
    return _is_call(block) and block.status == ASKING and block.id is not None


def _may_ask(block: Any, family: str) -> bool:
    """Whether a request may tell the state of a call: no other state of it is written."""
    if not _is_call(block):
        return False
    status = block.status
    return status in (None, ASKING) or not (status in CALL_STATES or is_marked(block, family, "/word"))


# -- fitting ----------------------------------------------------------------------------------------------------------


def call_rule(block: am.ToolUseBlock) -> Any:
    """Keep function calls, without the state: whether a person is asked is told by a request behind the call.

    A call of Responses without arguments has an empty object, as its client writes it.
    """
    answer = rules.call_as_function(block)
    new = answer.new if isinstance(answer, Swap) else answer
    if _is_call(new) and new.raw_input == "" and new.item_id is not None:
        return Swap(new.evolve(raw_input="{}"), "OpenAIResponseModel keeps no arguments as an object", "annotation")
    if not _is_asking(new):
        return answer
    return Swap(new.evolve(status=None), "a request behind a call tells that a person is asked")


def behind_calls(family: str) -> restructure.Step:
    """Return the step that moves requests behind their calls, and leaves out those that no state can tell."""

    def step(plan: restructure.Plan | None, messages: Sequence[am.Msg]) -> restructure.Plan | None:
        if not any(_REQUEST in map(type, message.content) for message in messages):
            return plan
        return restructure.choose(partial(_picks, family, _done(messages)), "assistant")(plan, messages)

    return step


def _done(messages: Sequence[am.Msg]) -> set[int]:
    """Return the identities of the assistant's calls that have a result before the next call of the same id."""
    results: set[str | None] = set()
    found: set[int] = set()
    for message in reversed(messages):
        for block in reversed(message.content):
            if isinstance(block, am.ToolResultBlock) and block.kind != "server":
                results.add(block.tool_call_id)
            elif message.role == "assistant" and _is_call(block) and block.id in results:
                found.add(id(block))
                results.remove(block.id)
    return found


def _picks(family: str, done: set[int], message: am.Msg) -> tuple[int, ...] | None:
    """Return the blocks of a message, with each request behind its call.

    Args:
        family: whose requests are kept.
        done: the identities of the calls that have a result.
        message: the message.
    """
    content: tuple[Any, ...] = message.content
    calls = [index for index, block in enumerate(content) if _may_ask(block, family)]
    requests: dict[int, int] = {}
    for index, block in enumerate(content):
        if type(block) is _REQUEST and block.tool_call_id is not None:
            fitting = [at for at in calls if content[at].id == block.tool_call_id and at not in requests]
            # Of calls with the same id, the one right before a request is its call.
            for at in [index - 1] if index - 1 in fitting else fitting[:1]:
                requests[at] = index
    order: list[int] = []
    for index, block in enumerate(content):
        if type(block) is not _REQUEST:
            order.append(index)
        request = requests.get(index)
        if request is not None and (is_marked(content[request], family, "/asking") or id(block) not in done):
            order.append(request)
    return None if order == list(range(len(content))) else tuple(order)
