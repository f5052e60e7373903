"""Names of results: a result has the name of its tool, which is that of its call.

A reader treats a name that the call has, too, as derived from it; a writer adds it to a result without one. Mark:
``/unnamed`` on a result that was read without a name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import CallNames, is_marked, speed, tool_links
from agentmsg_codecs.vercel.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_with_name = speed.replacer(am.ToolResultBlock, "name")


def named(messages: Iterable[am.Msg]) -> list[am.Msg]:
    """Return messages that were read, with the names that calls say as such."""
    names = CallNames()
    out: list[am.Msg] = []
    for message in messages:
        if message.role != "tool":
            names.see(message)
            out.append(message)
            continue
        block: Any = message.content[0]
        known = names.answer(block.tool_call_id)
        if known is not None and known == block.name:
            block = _with_name(block, known)
        out.append(message if block is message.content[0] else tool_links.with_result(message, block))
    return out


def spelt(messages: Sequence[am.Msg]) -> list[am.Msg]:
    """Return messages to write, each result with the name that it is written with."""
    names = CallNames()
    out: list[am.Msg] = []
    for message in messages:
        if message.role != "tool":
            names.see(message)
            out.append(message)
            continue
        block: Any = message.content[0]
        known = names.answer(block.tool_call_id)
        name = block.name
        if is_marked(block, FAMILY, "/unnamed") and name in (None, known):
            name = None
        elif name is None:
            name = known
        name = name if name is None else str.__str__(name)
        is_same = name is block.name
        out.append(message if is_same else tool_links.with_result(message, _with_name(block, name)))
    return out
