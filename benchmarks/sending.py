"""The cost of checking a request that no provider would refuse, beside reading the same messages."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import agentmsg as am
from benchmarks.conversations import support_chat
from benchmarks.section import Scale, Section, two
from benchmarks.timing import Case, copy_bytes, interleave

if TYPE_CHECKING:
    from agentmsg_codecs import CodecName

__all__ = ["BOTH", "DECODE", "sending_section"]

DECODE, BOTH = "decode", "check and repair"
_TARGETS: tuple[CodecName, ...] = ("openai", "anthropic")


def sending_section(scale: Scale) -> Section:
    """Measure ``check`` and ``repair`` of a valid history, for each provider with sending rules."""
    history = _long(len(scale.history))
    cases: dict[str, Case] = {}
    for target in _TARGETS:
        raw = am.dumps(history, target)
        read = partial(am.loads, codec=target)
        fresh = partial(read, raw)
        assert am.repair(fresh(), target).history.messages, f"{target} would refuse it"
        assert not am.check(fresh(), target), f"{target} would refuse it"
        cases[f"{target}: {DECODE}"] = Case(partial(copy_bytes, raw), read)
        cases[f"{target}: check"] = Case(fresh, partial(_check, target))
        cases[f"{target}: repair"] = Case(fresh, partial(_repair, target))
        cases[f"{target}: {BOTH}"] = Case(fresh, partial(_both, target))
    times = interleave(cases, scale.rounds.at_most(20))
    title = f"Check and repair, a clean history of {len(history)} messages"
    return Section(title, two("operation", times, len(history)), (), {"operation": times})


def _long(count: int) -> am.History:
    """Return the support conversation repeated, each time with its own ids."""
    chat = am.decode(support_chat(), "openai")
    messages: list[am.Msg] = []
    for number in range(max(1, count // len(chat))):
        messages += [_numbered(message, number) for message in chat if number == 0 or message.role != "system"]
    return am.History(messages)


def _numbered(message: am.Msg, number: int) -> am.Msg:
    content: list[Any] = []
    for block in message.content:
        if isinstance(block, am.ToolUseBlock):
            content.append(block.evolve(id=f"{block.id}_{number}"))
        elif isinstance(block, am.ToolResultBlock):
            content.append(block.evolve(tool_call_id=f"{block.tool_call_id}_{number}"))
        else:
            content.append(block)
    return message.evolve(content=content)


def _check(target: CodecName, history: am.History) -> Any:
    return am.check(history, target)


def _repair(target: CodecName, history: am.History) -> Any:
    return am.repair(history, target)


def _both(target: CodecName, history: am.History) -> Any:
    return am.check(history, target), am.repair(history, target)
