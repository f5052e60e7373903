"""Names of results: a result has the name of its tool, which is that of its call.

The reader treats a name as derived if the call has it, too; the writer adds it to a result without one. The mark
``/unnamed`` is on results that were read without a name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import CallNames, is_marked, natives, speed, tool_links
from agentmsg_codecs.vercel.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_with_name = speed.replacer(am.ToolResultBlock, "name")


def read_names(messages: Iterable[am.Msg]) -> list[am.Msg]:
    """Return messages that were read, with the names that results have from their calls marked as derived."""
    return _renamed(messages, lambda block, known: known if known == block.name else block.name)


def written_names(messages: Iterable[am.Msg]) -> list[am.Msg]:
    """Return messages to write, each result with the name that is written for it."""
    return _renamed(messages, _written_name)


def _written_name(block: Any, known: str | None) -> str | None:
    name = block.name
    if is_marked(block, FAMILY, "/unnamed") and name in (None, known):
        return None
    return natives.link_of(known if name is None else name)


def _renamed(messages: Iterable[am.Msg], name_of: Callable[[Any, str | None], str | None]) -> list[am.Msg]:
    """Return messages with results renamed by a function of the result and the name of its call."""
    names = CallNames()
    out: list[am.Msg] = []
    for message in messages:
        if message.role == "tool":
            block: Any = message.content[0]
            name = name_of(block, names.answer(block.tool_call_id))
            renamed = name is not block.name
            out.append(tool_links.with_result(message, _with_name(block, name)) if renamed else message)
        else:
            names.see(message)
            out.append(message)
    return out
