"""Writing the usual messages: those without notes and unknown fields.

Straight-line code on purpose: this is where the time goes. Each writer gives None if the careful path of messages.py
has to look: where a block has notes, a call isn't a plain one, or a message has a role without a variant of its own. A
test holds both paths against each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import given
from agentmsg_codecs.synaptic.usage import write_usage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg.formats import CallNames, Native


_VARIANTS: Mapping[str, str] = {"system": "system", "user": "human", "assistant": "assistant"}


def write_quick(message: am.Msg, names: CallNames, write: Callable[[Any], Native]) -> Native | None:
    """Return the native message of a usual one; None of any other.

    Args:
        message: that fits.
        names: what a reader will know of the calls before; told of those of this message.
        write: returns the part of a content block.
    """
    if message.notes or message.extras:
        return None
    if message.role == "tool":
        return _tool(message, names, write)
    variant = _VARIANTS.get(message.role)
    if variant is None:
        return None
    calls: list[Native] = []
    native: Native = {"role": variant}
    listed = _content(native, message.content, calls, write)
    if listed is None:
        return None
    if calls:
        for call in calls:
            names.call(call["id"], call["name"])
        native["tool_calls"] = calls
    _told(native, message, message.name)
    if message.model is not None:
        native["response_metadata"] = {"model": message.model, **message.response_metadata}
    if listed:
        native["content_blocks"] = listed
    if message.usage is not None:
        native["usage_metadata"] = write_usage(message.usage)
    return native


def _tool(message: am.Msg, names: CallNames, write: Callable[[Any], Native]) -> Native | None:
    result: Any = message.content[0]
    link, name = result.tool_call_id, result.name
    if result.notes or result.extras or link.__class__ is not str:
        return None
    calls: list[Native] = []
    native: Native = {"role": "tool"}
    listed = _content(native, result.content, calls, write)
    if listed is None or calls:
        return None
    native["tool_call_id"] = link
    # A reader takes the name from the call.
    _told(native, message, None if names.answer(link) == name else name)
    if listed:
        native["content_blocks"] = listed
    return native


def _content(native: Native, blocks: Any, calls: list[Native], write: Callable[[Any], Native]) -> list[Native] | None:
    """Write ``content``; return the list for ``content_blocks``, empty if there is none, None where blocks are odd.

    The calls, which end a message, are added to ``calls``.
    """
    texts: list[str] = []
    said: list[Any] = []
    for block in blocks:
        if block.notes or block.extras:
            return None
        cls = block.__class__
        if cls is am.ToolUseBlock:
            if block.id.__class__ is not str or not block.is_valid:
                return None
            calls.append({"id": block.id, "name": block.name, "arguments": block.input})
        elif calls:
            return None
        else:
            said.append(block)
            if cls is am.TextBlock:
                texts.append(block.text)
    native["content"] = "\n".join(texts)
    return [] if len(said) == len(texts) == 1 and texts[0] else list(map(write, said))


def _told(native: Native, message: am.Msg, name: str | None) -> None:
    """Write what stands beside content in any message; the name of a tool is given, or of the sender."""
    own = message.id
    if own.__class__ is str or given(own) is not None:
        native["id"] = own
    if name is not None and given(name) is not None:
        native["name"] = name
    if message.metadata:
        native["additional_kwargs"] = message.metadata
    if message.response_metadata:
        native["response_metadata"] = message.response_metadata
